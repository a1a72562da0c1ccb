"""Warm starts: where the last motion leads the next one, what of it counts, and who refuses one."""

from __future__ import annotations

import numpy as np
import pytest
from oracles import translation

from kinetic import InputError, Planner, Robot, Scene, Shape

LEFT, RIGHT = ([angle, -1.2, 1.4, -0.3, 0.0, 0.0] for angle in (-0.8, 0.8))


def behind_a_post(x: float) -> Scene:
    scene = Scene(Robot("ur5e"))
    scene.add("post", Shape.box(0.1, 0.1, 0.6), translation(x, 0.0, 0.3))
    return scene


@pytest.mark.parametrize("name", ["chomp", "stomp", "trajopt"])
def test_the_last_motion_is_near_the_next_one_in_a_scene_that_has_changed(name: str) -> None:
    options = {"planner_type": name, "timeout": 60.0}
    motion = Planner("ur5e", behind_a_post(0.5), **options).plan(LEFT, RIGHT)
    planner = Planner("ur5e", behind_a_post(0.51), **options)
    planner.plan(LEFT, RIGHT)
    cold = planner.last_stats["iterations"]
    warm = planner.plan(LEFT, RIGHT, warm_start=motion)
    assert planner.last_stats["iterations"] <= cold
    assert warm.certificate is not None
    # A running arm is elsewhere by now: the ends are moved.
    begun = np.add(LEFT, 0.02)
    moved = planner.plan(begun, RIGHT, warm_start=motion)
    assert np.allclose(moved.positions()[0], begun, atol=0.0)
    assert planner.plan(begun, RIGHT, warm_start=motion) == moved


def test_a_planner_of_no_type_in_particular_becomes_one_that_looks_at_it() -> None:
    planner = Planner("ur5e", behind_a_post(0.5))
    motion = planner.plan(LEFT, RIGHT)
    assert planner.last_stats["planner_used"] == "rrt_connect"
    planner.plan(LEFT, RIGHT, warm_start=motion)
    assert planner.last_stats["planner_used"] == "trajopt"
    assert planner.planner_type == "auto"


def test_what_cannot_be_one_is_refused() -> None:
    planner = Planner("ur5e", behind_a_post(0.5))
    for wrong, message in [
        ([LEFT], "two waypoints"),
        (np.zeros((0, 6)), "warm_start"),
        ([LEFT[:5], RIGHT[:5]], "warm_start"),
        ([LEFT, [np.nan] * 6], "NaN|finite"),
        ("line", "warm_start"),
    ]:
        with pytest.raises(InputError, match=message):
            planner.plan(LEFT, RIGHT, warm_start=wrong)
    with pytest.raises(InputError, match="planner_type"):
        Planner("ur5e", planner_type="prm").plan(LEFT, RIGHT, warm_start=[LEFT, RIGHT])
