"""The table of robots."""

from pathlib import Path

import pytest
from pytest import MonkeyPatch

import robots_table

CONFIG = {
    "robot": {
        "maker": "Maker",
        "licence": "BSD-3-Clause",
        "source": "https://example.org/repo@0123456789abcdef path/to.urdf",
        "quality": "good",
        "inertials": "published",
        "default_group": "arm",
    },
    "limits": {"acceleration_source": "default"},
    "named_poses": {"arm": {"home": [0.0], "ready": [1.0]}, "gripper": {"open": [0.1]}},
}


MEASURED = {
    "reach": 0.8549,
    "ik": 0.998,
    "spheres": 64,
    "excess_median_mm": 21.4,
    "excess_largest_mm": 26.6,
    "contact": {"share": 0.034},
}


def test_a_row_names_groups_figures_and_where_the_model_comes_from(tmp_path: Path, monkeypatch: MonkeyPatch) -> None:
    (tmp_path / "measured").mkdir()
    (tmp_path / "measured" / "reference.json").write_text('{"share": {"robo": 0.05}}', "utf-8")
    monkeypatch.setattr(robots_table, "FACTS", tmp_path)
    line = robots_table.row("robo", CONFIG, {"arm": 7, "gripper": 1}, "seven_r.srs", MEASURED)
    cells = line.strip().strip("|").split(" | ")
    assert [cell.strip() for cell in cells[:9]] == [
        "`robo`",
        "Maker",
        "arm (7), gripper (1)",
        "0.85",
        "`seven_r.srs`",
        "99.8 %",
        "64 (21, 27)",
        "3.4 % (5.0 %)",
        "BSD-3-Clause, [0123456789ab](https://example.org/repo)",
    ]
    assert cells[9].strip() == "inertials: published; accelerations: default; good"


def test_the_table_replaces_what_stands_between_the_marks() -> None:
    page = f"# Robots\n{robots_table.BEGIN}old\n{robots_table.END}after\n"
    new = robots_table.replaced(page, "new\n")
    assert "old" not in new
    assert new.startswith("# Robots\n")
    assert new.endswith("after\n")
    assert robots_table.replaced(new, "new\n") == new


def test_a_page_without_marks_is_an_error() -> None:
    with pytest.raises(SystemExit, match="marks"):
        robots_table.replaced("# Robots\n", "new\n")


@pytest.mark.parametrize(
    ("name", "solver"),
    [
        ("ur5e", "six_r.three_parallel"),
        ("kuka_iiwa14", "seven_r.srs"),
        ("ufactory_lite6", "six_r.spherical_two_parallel.near"),
        ("stretch_re2", "dls"),
    ],
)
def test_the_solver_is_that_of_the_kind_of_arm(name: str, solver: str) -> None:
    assert robots_table.solver_of(name) == solver
    line = next(line for line in robots_table.PAGE.read_text("utf-8").splitlines() if line.startswith(f"| `{name}`"))
    assert f"| `{solver}` |" in line
