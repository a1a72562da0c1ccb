"""docs-site/kinetic-toml.md has every key that the reader of `kinetic.toml` knows, and no other."""

import re
import sys
from pathlib import Path

import pytest

import kinetic

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

ROOT = Path(__file__).resolve().parents[2]
SCHEMA = (ROOT / "crates" / "kinetic-robot" / "src" / "config" / "schema.rs").read_text("utf-8")
PAGE = (ROOT / "docs-site" / "kinetic-toml.md").read_text("utf-8")
# Heading of the page that describes each structure of the reader.
SECTIONS = {
    "About": "[robot]",
    "Group": "[planning_group.NAME]",
    "EndEffectorTable": "[end_effector.NAME]",
    "Ik": "[ik]",
    "Collision": "[collision]",
    "JointTables": "[limits]",
    "Metric": "[metric]",
}
# Tables without keys of their own: what stands in them are names.
NAMED = {"names": "[names]", "named_poses": "[named_poses.GROUP]", "profiles": "[profiles.NAME]"}


def structures() -> dict[str, dict[str, str]]:
    """Fields of every structure of the reader, with their types."""
    found = re.findall(r"struct (\w+) \{\n(.*?)\n\}", SCHEMA, flags=re.DOTALL)
    return {name: dict(re.findall(r"pub\(super\) (\w+): (.+),", body)) for name, body in found}


def section(heading: str) -> str:
    """The text below a heading of the page."""
    parts = re.split(r"^## ", PAGE, flags=re.MULTILINE)
    (text,) = [part for part in parts if part.startswith(f"`{heading}`\n")]
    return text


def keys_of(text: str) -> set[str]:
    """The keys that the first column of a section's tables names."""
    cells = [line.split("|")[1] for line in text.splitlines() if line.startswith("| ")]
    return {key for cell in cells for key in re.findall(r"`(\w+)`", cell)}


def example() -> dict:
    """The file at the head of the page."""
    (text,) = re.findall(r'```toml title="kinetic.toml"\n(.*?)```', PAGE, flags=re.DOTALL)
    return tomllib.loads(text)


def test_every_structure_of_the_reader_is_known_here() -> None:
    assert set(structures()) == {"ConfigDocument", *SECTIONS}
    assert "deny_unknown_fields" in SCHEMA


@pytest.mark.parametrize(("structure", "heading"), SECTIONS.items())
def test_a_section_has_exactly_the_keys_of_its_structure(structure: str, heading: str) -> None:
    assert keys_of(section(heading)) == set(structures()[structure])


def test_every_table_has_its_section_and_stands_in_the_example() -> None:
    headings = {heading.strip("[]").split(".")[0] for heading in [*SECTIONS.values(), *NAMED.values()]}
    assert headings == set(structures()["ConfigDocument"]) == set(example())
    assert all(section(heading) for heading in NAMED.values())


@pytest.mark.parametrize(("structure", "heading"), SECTIONS.items())
def test_the_example_has_every_key(structure: str, heading: str) -> None:
    table = example()[heading.strip("[]").split(".")[0]]
    given = {key for entry in table.values() for key in entry} if "." in heading else set(table)
    assert given == set(structures()[structure])


def test_the_solvers_of_the_page_are_those_that_the_reader_takes(tmp_path: Path) -> None:
    (tmp_path / "robot.urdf").write_text('<robot name="one"><link name="base"/></robot>', "utf-8")
    text = '[robot]\nname = "one"\nurdf = "robot.urdf"\n[ik]\nsolver = "none of them"\n'
    (tmp_path / "kinetic.toml").write_text(text, "utf-8")
    with pytest.raises(kinetic.InputError) as caught:
        kinetic.Robot.from_path(tmp_path)
    known = str(caught.value).split("solvers are ")[1].split(", ")
    (row,) = [line for line in section("[ik]").splitlines() if line.startswith("| `solver`")]
    assert re.findall(r"`(\w+)`", row.split("|")[2].split(":")[1]) == known
