"""Circles of files: small crates whose circles are known."""

from __future__ import annotations

from pathlib import Path

import pytest

from check_layers import circle_complaints
from module_circles import Crate, expanded


def crate(root: Path, files: dict[str, str]) -> Path:
    """Writes the files of a crate; returns its ``src``."""
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return root


@pytest.mark.parametrize(
    ("tree", "paths"),
    [
        ("crate::a::B", [(("crate", "a", "B"), "B")]),
        ("crate::a::{self, b::C as D}", [(("crate", "a"), "a"), (("crate", "a", "b", "C"), "D")]),
        ("super::*", [(("super", "*"), "*")]),
        ("a::{b::{c, d}, e}", [(("a", "b", "c"), "c"), (("a", "b", "d"), "d"), (("a", "e"), "e")]),
    ],
)
def test_use_trees_are_expanded(tree: str, paths: list[tuple[tuple[str, ...], str]]) -> None:
    assert list(expanded(tree)) == paths


def test_files_that_use_each_other_are_a_circle_and_a_chain_is_none(tmp_path: Path) -> None:
    files = {
        "lib.rs": "mod a; mod b; mod c; mod d;",
        "a.rs": "use crate::b::B; pub struct A(B);",
        "b.rs": "use crate::c; pub struct B(c::C);",
        "c.rs": "pub struct C(Box<super::a::A>); use crate::d::D;",
        "d.rs": "pub struct D;",
    }
    assert Crate(crate(tmp_path, files)).circles() == [["a", "b", "c"]]


def test_names_that_a_module_hands_on_belong_to_the_file_they_come_from(tmp_path: Path) -> None:
    files = {
        "lib.rs": "mod part; mod user;",
        "part/mod.rs": "mod inner; pub(crate) use inner::Inner;",
        "part/inner.rs": "pub(crate) struct Inner(crate::user::User);",
        "user.rs": "use crate::part::Inner; pub(crate) struct User(Option<Box<Inner>>);",
    }
    assert Crate(crate(tmp_path, files)).circles() == [["part/inner", "user"]]


def test_a_module_and_its_children_comments_and_tests_make_no_circle(tmp_path: Path) -> None:
    files = {
        "lib.rs": "mod a; mod b;",
        "a.rs": "mod child; use child::Child; pub struct A(Child); // crate::b::B",
        "a/child.rs": "use super::A; pub struct Child(Option<Box<A>>); #[cfg(test)] mod tests { use crate::b::B; }",
        "b.rs": "use crate::a::A; pub struct B(A);",
    }
    assert Crate(crate(tmp_path, files)).circles() == []


def test_a_circle_is_named_with_its_crate(tmp_path: Path) -> None:
    files = {"lib.rs": "mod a; mod b;", "a.rs": "use crate::b::B;", "b.rs": "use crate::a::A;"}
    assert circle_complaints({"one": crate(tmp_path, files)}) == ["one has a circle of files: a, b"]
