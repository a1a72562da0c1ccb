"""What the set-up says on a machine where something is missing."""

import os
import subprocess
from pathlib import Path

SCRIPT = Path(__file__).resolve().parent.parent / "check_toolchain.sh"


def check(tmp_path: Path, **programs: str) -> subprocess.CompletedProcess:
    """Runs the check where ``cargo`` and ``python3`` are the given shell scripts."""
    for name, body in programs.items():
        path = tmp_path / name
        path.write_text(f"#!/bin/sh\n{body}\n")
        path.chmod(0o755)
    names = {"CARGO": str(tmp_path / "cargo"), "PYTHON": str(tmp_path / "python3")}
    return subprocess.run(["bash", SCRIPT], env={**os.environ, **names}, capture_output=True, text=True, check=False)


def test_a_complete_machine_is_passed_in_silence(tmp_path) -> None:
    done = check(tmp_path, cargo="echo cargo 1.99.0", python3="exit 0")
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_a_missing_cargo_is_named_with_what_to_do(tmp_path) -> None:
    done = check(tmp_path, python3="exit 0")
    assert done.returncode == 1
    assert done.stderr.startswith("missing: cargo\n")
    assert "rustup" in done.stderr


def test_an_old_rust_is_named_with_its_version(tmp_path) -> None:
    done = check(tmp_path, cargo="echo cargo 1.85.1", python3="exit 0")
    assert done.returncode == 1
    assert "found 1.85.1" in done.stderr


def test_a_missing_clippy_is_named(tmp_path) -> None:
    done = check(tmp_path, cargo='[ "$1" = clippy ] && exit 101; echo cargo 1.99.0', python3="exit 0")
    assert done.returncode == 1
    assert "missing: cargo clippy" in done.stderr
    assert "cargo fmt" not in done.stderr


def test_python_without_venv_names_the_package(tmp_path) -> None:
    done = check(tmp_path, cargo="echo cargo 1.99.0", python3='case "$*" in *ensurepip*) exit 1;; esac')
    assert done.returncode == 1
    assert "apt-get install python3-venv" in done.stderr
