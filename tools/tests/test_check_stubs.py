"""The comparison of committed and generated stubs."""

import pytest

import check_stubs


def test_equal_stubs_have_no_difference() -> None:
    assert check_stubs.difference("def f() -> int: ...\n", "def f() -> int: ...\n") == ""


def test_a_difference_shows_both_sides() -> None:
    diff = check_stubs.difference("def f() -> int: ...\n", "def f() -> float: ...\n")
    assert "-def f() -> int: ..." in diff
    assert "+def f() -> float: ..." in diff


def test_the_one_stub_file_is_found_wherever_it_lies(tmp_path) -> None:
    stub = tmp_path / "kinetic" / "_kinetic.pyi"
    stub.parent.mkdir()
    stub.write_text("")
    assert check_stubs.one_file(tmp_path) == stub


def test_a_quoted_annotation_gets_the_import_that_it_needs() -> None:
    imports, quoted = "from typing import final\n", 'def f(x: "typing.Any") -> int: ...\n'
    assert check_stubs.with_imports(imports + quoted) == "import typing\n" + imports + quoted
    assert check_stubs.with_imports("def f() -> int: ...\n") == "def f() -> int: ...\n"


def test_no_stub_file_is_an_error(tmp_path) -> None:
    with pytest.raises(SystemExit, match="wrote 0"):
        check_stubs.one_file(tmp_path)
