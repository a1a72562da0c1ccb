"""The check that private types of a crate have names of their own."""

from pathlib import Path

import type_names


def crate(folder: Path, **files: str) -> Path:
    for name, text in files.items():
        (folder / f"{name}.rs").write_text(text)
    return folder


def test_two_private_types_of_one_name_are_found_with_their_files(tmp_path: Path) -> None:
    root = crate(tmp_path, a="pub(crate) struct Row;\n", b="type Row = [f64; 2];\n", c="enum Other {}\n")
    assert type_names.shared_names(root) == {"Row": ["a.rs", "b.rs"]}


def test_a_private_type_may_not_be_called_like_a_public_one(tmp_path: Path) -> None:
    root = crate(tmp_path, a="pub struct Row;\n", b="mod inner {\n    struct Row;\n}\n")
    assert type_names.shared_names(root) == {"Row": ["a.rs", "b.rs"]}


def test_public_types_tests_comments_and_associated_types_may_share_a_name(tmp_path: Path) -> None:
    root = crate(
        tmp_path,
        a="pub struct Row;\n// struct Row;\nimpl Iterator for A {\n    type Row = u8;\n}\n",
        b="pub enum Row {}\n#[cfg(test)]\nmod tests {\n    struct Row;\n}\n",
        tests="struct Row;\n",
    )
    assert type_names.shared_names(root) == {}


def test_a_constant_of_two_values_is_found_with_both(tmp_path: Path) -> None:
    root = crate(tmp_path, a="const STEP: f64 = 1e-9;\n", b="pub(crate) const STEP: f64 = 2e-9;\n")
    assert type_names.constants_of_several_values(root) == {"STEP": ["1e-9 in a.rs", "2e-9 in b.rs"]}


def test_a_constant_of_one_value_and_those_of_tests_are_in_order(tmp_path: Path) -> None:
    root = crate(
        tmp_path,
        a="const STEP: f64 = 1e-9;\n",
        b="const STEP: f64 = 1e-9;\n#[cfg(test)]\nmod tests {\n    const STEP: f64 = 1.0;\n}\n",
    )
    assert type_names.constants_of_several_values(root) == {}
