#!/usr/bin/env bash
# Makes a virtual environment with maturin in it: make_venv.sh FOLDER. Does nothing where there is one already.
set -euo pipefail

venv=$1
PYTHON=${PYTHON:-python3}
# The one place that names the version is pyproject.toml.
maturin=$(sed -n 's/^requires = \["\(maturin[^"]*\)"\]/\1/p' pyproject.toml)

# A venv whose interpreter has gone (a system upgrade) is made anew.
if ! "$venv/bin/python" -c '' 2>/dev/null; then
    rm -rf "$venv"
    "$PYTHON" -m venv "$venv"
fi
"$venv/bin/python" -m pip install --quiet "$maturin"
