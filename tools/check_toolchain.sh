#!/usr/bin/env bash
# Names what is missing to build kinetic, and what to do about it. Prints nothing else.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

PYTHON=${PYTHON:-python3}
CARGO=${CARGO:-cargo}
missing=0

complain() { # what is missing, what to do
    printf 'missing: %s\n    %s\n' "$1" "$2" >&2
    missing=1
}

# True when version $1 is at least version $2.
at_least() { [ "$(printf '%s\n%s\n' "$2" "$1" | sort -V | head -n 1)" = "$2" ]; }

wanted_rust=$(sed -n 's/^rust-version = "\(.*\)"/\1/p' Cargo.toml)
if ! command -v "$CARGO" >/dev/null; then
    complain "cargo" "install Rust $wanted_rust or newer with rustup: https://rustup.rs"
else
    # `cargo 1.95.0 (… )`
    found_rust=$("$CARGO" --version | cut -d ' ' -f 2)
    at_least "$found_rust" "$wanted_rust" ||
        complain "Rust $wanted_rust or newer (found $found_rust)" "rustup update stable, or install rustup: https://rustup.rs"
    for tool in fmt clippy; do
        "$CARGO" "$tool" --version >/dev/null 2>&1 ||
            complain "cargo $tool" "rustup component add rustfmt clippy   (Debian's own Rust: apt-get install rustfmt rust-clippy)"
    done
fi

command -v cc >/dev/null || complain "a C linker (cc)" "apt-get install gcc libc6-dev"

if ! command -v "$PYTHON" >/dev/null; then
    complain "$PYTHON" "apt-get install python3 python3-venv, or name yours: make PYTHON=/path/to/python3 …"
elif ! "$PYTHON" -c 'import sys; sys.exit(sys.version_info < (3, 9))'; then
    complain "Python 3.9 or newer (found $("$PYTHON" --version 2>&1))" "name a newer one: make PYTHON=/path/to/python3 …"
elif ! "$PYTHON" -c 'import ensurepip, venv' >/dev/null 2>&1; then
    complain "Python's venv module" "apt-get install python3-venv"
fi

exit "$missing"
