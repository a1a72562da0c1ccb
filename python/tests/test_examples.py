"""Every example runs, and has its twin in Rust."""

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
PROGRAMS = sorted((EXAMPLES / "python").glob("*.py"))


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda path: path.stem)
def test_the_example_runs_from_another_folder_and_prints(program: Path, tmp_path: Path) -> None:
    # Pictures go to the folder for temporary files.
    environment = {**os.environ, "TMPDIR": str(tmp_path), "MPLBACKEND": "Agg"}
    command = [sys.executable, program]
    done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip()


def test_both_languages_have_the_same_examples() -> None:
    assert PROGRAMS
    assert [path.stem for path in PROGRAMS] == sorted(path.stem for path in (EXAMPLES / "rust").glob("*.rs"))


def test_the_list_of_examples_has_every_one_in_reading_order() -> None:
    text = (EXAMPLES / "README.md").read_text("utf-8")
    rows = [row.split("|")[1:-1] for row in text.splitlines() if row.startswith("| ")][1:]
    listed = [
        (number.strip(), python.split("/")[-1].strip("` "), rust.split()[-1].strip("`"))
        for number, _, python, rust in rows
    ]
    assert listed == [(path.stem[:2], path.name, path.stem) for path in PROGRAMS]


def test_the_obstacle_of_the_readme_is_in_the_way_and_what_its_certificate_names() -> None:
    text = (EXAMPLES.parent / "README.md").read_text("utf-8")
    names: dict[str, Any] = {}
    exec(text.split("```python\n")[1].split("```")[0], names)
    assert names["scene"].check_motion(names["left"], names["right"]) is not None
    assert names["motion"].certificate.pair[1] == "post"
