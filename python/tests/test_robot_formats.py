"""The registry of robot formats, and the page that lists them."""

from __future__ import annotations

import re

import pytest
from oracles import ROOT

import kinetic
from kinetic.cli.plan import ROBOT_ENDINGS

FORMATS = {name: endings for name, endings, _ in kinetic.robot_formats()}
PAGE = (ROOT / "docs-site" / "robot-files.md").read_text("utf-8")
TABLE = re.findall(r"^\| (.*?) \| `Robot", PAGE, flags=re.MULTILINE)


@pytest.mark.parametrize("name", FORMATS)
def test_the_page_and_the_command_line_know_every_format(name: str) -> None:
    for ending in FORMATS[name]:
        assert any(f"`{ending}`" in row for row in TABLE), ending
        assert ending in ROBOT_ENDINGS


# Expanding xacro takes an optional package.
@pytest.mark.parametrize("name", sorted(FORMATS.keys() - {"xacro"}))
def test_every_ending_reaches_its_reader(name: str, tmp_path) -> None:
    for ending in FORMATS[name]:
        broken = tmp_path / f"robot{ending}" if ending.startswith(".") else tmp_path / ending
        broken.write_text("neither", "utf-8")
        with pytest.raises(kinetic.InputError) as caught:
            kinetic.Robot.from_file(broken)
        # An unknown ending is `InvalidValue`.
        assert caught.value.code in {"UrdfParse", "SdfParse", "MjcfParse", "FileParse"}, ending
