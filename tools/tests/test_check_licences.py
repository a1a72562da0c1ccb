"""Licence expressions are read as SPDX defines them."""

import pytest

import check_licences

ALLOWED = frozenset({"MIT", "Zlib", "Apache-2.0 WITH LLVM-exception"})


@pytest.mark.parametrize(
    ("expression", "verdict"),
    [
        ("MIT", True),
        ("GPL-3.0", False),
        ("MIT OR GPL-3.0", True),
        ("MIT AND GPL-3.0", False),
        ("MIT/GPL-3.0", True),
        ("(MIT OR GPL-3.0) AND Zlib", True),
        # AND binds tighter than OR.
        ("MIT OR GPL-3.0 AND LGPL-3.0", True),
        ("GPL-3.0 AND MIT OR LGPL-3.0", False),
        ("Apache-2.0 WITH LLVM-exception", True),
        ("Apache-2.0", False),
        ("GPL-3.0 OR Apache-2.0 WITH LLVM-exception OR MIT", True),
    ],
)
def test_expressions_are_evaluated(expression: str, verdict: bool) -> None:
    assert check_licences.is_allowed(expression, ALLOWED) is verdict


@pytest.mark.parametrize("expression", ["", "MIT OR", "(MIT", "MIT MIT", "AND MIT", "MIT)"])
def test_what_is_no_expression_is_an_error(expression: str) -> None:
    with pytest.raises(ValueError):
        check_licences.is_allowed(expression, ALLOWED)


def test_each_unusable_package_is_named_with_its_version() -> None:
    packages = [
        {"name": "good", "version": "1.0.0", "license": "MIT"},
        {"name": "bad", "version": "2.0.0", "license": "GPL-3.0"},
        {"name": "silent", "version": "3.0.0", "license": None},
    ]
    assert check_licences.complaints(packages, ALLOWED) == [
        "bad 2.0.0 is under GPL-3.0, which deny.toml does not allow",
        "silent 3.0.0 states no licence",
    ]
