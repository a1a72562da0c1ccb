"""The table of robots."""

import pytest

import robots_table

CONFIG = {
    "robot": {
        "maker": "Maker",
        "licence": "BSD-3-Clause",
        "source": "https://example.org/repo@0123456789abcdef path/to.urdf",
        "quality": "good",
        "default_group": "arm",
    },
    "named_poses": {"arm": {"home": [0.0], "ready": [1.0]}, "gripper": {"open": [0.1]}},
}


def test_a_row_names_groups_poses_and_where_the_model_comes_from() -> None:
    assert robots_table.row("robo", CONFIG, {"arm": 7, "gripper": 1}) == (
        "| `robo` | Maker | arm (7), gripper (1) | home, ready "
        "| BSD-3-Clause, [0123456789ab](https://example.org/repo) | good |\n"
    )


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
