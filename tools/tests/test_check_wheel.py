"""What the wheel check complains about."""

import check_wheel

NAME = "kinetic-0.1.0-cp39-abi3-manylinux_2_34_x86_64.whl"
FILES = [
    "kinetic/py.typed",
    "kinetic/_kinetic.pyi",
    "kinetic/exceptions.py",
    "kinetic-0.1.0.dist-info/licenses/LICENSE",
]
METADATA = """\
Name: kinetic
Requires-Dist: numpy>=1.22
Requires-Dist: matplotlib>=3.8 ; extra == 'viz'
"""


def test_a_good_wheel_has_no_complaints() -> None:
    assert check_wheel.wheel_complaints(NAME, 1000, FILES, METADATA) == []


def test_a_wheel_for_one_python_alone_is_refused() -> None:
    (complaint,) = check_wheel.wheel_complaints("kinetic-0.1.0-cp311-cp311-linux_x86_64.whl", 1000, FILES, METADATA)
    assert "stable ABI" in complaint


def test_a_heavy_wheel_is_refused_with_its_size() -> None:
    (complaint,) = check_wheel.wheel_complaints(NAME, 40_000_000, FILES, METADATA)
    assert "40000000" in complaint


def test_missing_files_are_named() -> None:
    complaints = check_wheel.wheel_complaints(NAME, 1000, [], METADATA)
    assert [complaint.split()[0] for complaint in complaints] == [
        "kinetic/py.typed",
        "kinetic/_kinetic.pyi",
        "kinetic/exceptions.py",
        "LICENSE",
    ]


def test_a_second_dependency_is_named() -> None:
    (complaint,) = check_wheel.wheel_complaints(NAME, 1000, FILES, METADATA + "Requires-Dist: scipy (>=1)\n")
    assert complaint == "needs ['numpy', 'scipy'], wanted numpy alone"
