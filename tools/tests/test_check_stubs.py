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


def test_goal_joints_gets_the_types_of_both_ways_to_ask() -> None:
    generated = f"from typing import Any, Final{check_stubs.IMPORTED}class GoalJoints:\n{check_stubs.DESCRIPTOR}"
    stubs = check_stubs.with_overloads(generated)
    assert stubs.startswith("from typing import Any, Final, final, overload\n")
    assert stubs.count("@overload") == 2
    assert "-> Any" not in stubs


def test_a_descriptor_that_changed_is_an_error() -> None:
    with pytest.raises(SystemExit, match="__get__"):
        check_stubs.with_overloads(f"from typing import Any, Final{check_stubs.IMPORTED}")


def test_no_stub_file_is_an_error(tmp_path) -> None:
    with pytest.raises(SystemExit, match="wrote 0"):
        check_stubs.one_file(tmp_path)


def test_keywords_of_inverse_kinematics_get_their_type_and_its_imports() -> None:
    imports = f"from a import B\n{check_stubs.IK_IMPORTS}from typing import Any\n"
    assert check_stubs.with_typed_keywords(f"{imports}\ndef ik(target: Any, **options): ...\n").splitlines() == [
        "from a import B",
        "from kinetic.exceptions import KineticError",
        "from kinetic.ik_options import IKOptions",
        "from typing import Any",
        "from typing_extensions import Unpack",
        "",
        "def ik(target: Any, **options: Unpack[IKOptions]): ...",
    ]
    with pytest.raises(SystemExit, match="expected in the generated stubs"):
        check_stubs.with_typed_keywords("def ik(target: Any): ...\n")


def test_options_of_a_call_are_stated_one_by_one() -> None:
    generated = "class A:\n    def f(self, /, **options) -> int: ...\n"
    generated += "class B:\n    def f(self, *positions, **options): ...\n"
    calls = {"A.f": "*, a: kinetic.Pose | None = None", "B.f": "b: numpy.typing.ArrayLike = ..."}
    assert check_stubs.with_literal_keywords(generated, calls).splitlines() == [
        "class A:",
        "    def f(self, /, *, a: Pose | None = None) -> int: ...",
        "class B:",
        "    def f(self, b: ArrayLike = ...): ...",
    ]
    with pytest.raises(SystemExit, match=r"B\.g"):
        check_stubs.with_literal_keywords(generated, {"B.g": "*, a: int"})
