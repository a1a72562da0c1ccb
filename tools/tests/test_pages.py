"""What the documentation must name, taken from the sources."""

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def test_every_error_code_is_on_the_page_of_errors() -> None:
    source = (ROOT / "crates" / "kinetic-core" / "src" / "error.rs").read_text("utf-8")
    codes = re.findall(r'Self::\w+ *(?:\{ \.\. \}|\(_\)) => "(\w+)"', source)
    assert len(codes) > 20, "the pattern no longer fits error.rs"
    page = (ROOT / "docs-site" / "errors.md").read_text("utf-8")
    assert [code for code in codes if f"`{code}`" not in page] == []


def test_every_make_target_says_what_it_does() -> None:
    makefile = (ROOT / "Makefile").read_text("utf-8")
    targets = re.findall(r"^([a-z][a-z-]*):.*$", makefile, flags=re.MULTILINE)
    described = re.findall(r"^([a-z][a-z-]*):.* ## ", makefile, flags=re.MULTILINE)
    assert len(targets) > 10
    assert targets == described


def test_every_page_is_in_the_navigation() -> None:
    navigation = (ROOT / "mkdocs.yml").read_text("utf-8")
    pages = [path.relative_to(ROOT / "docs-site").as_posix() for path in (ROOT / "docs-site").rglob("*.md")]
    assert len(pages) > 5
    assert [page for page in pages if page not in navigation] == []


def test_the_version_is_the_same_everywhere() -> None:
    cargo = re.search(r'^version = "(.*)"', (ROOT / "Cargo.toml").read_text("utf-8"), flags=re.MULTILINE)
    python = re.search(r'^version = "(.*)"', (ROOT / "pyproject.toml").read_text("utf-8"), flags=re.MULTILINE)
    assert cargo is not None
    assert python is not None
    assert cargo.group(1) == python.group(1)
    assert f"## [{cargo.group(1)}]" in (ROOT / "CHANGELOG.md").read_text("utf-8")
