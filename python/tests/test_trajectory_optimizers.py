"""CHOMP, STOMP and trajopt by name: what they are led around, what they refuse, what they say when they are stuck."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
from oracles import translation

from kinetic import InputError, Planner, PlanningError, Robot, Scene, Shape, StopFlag

START = [0.6, -1.2, 1.4, -1.7, -1.57, 0.0]
GOAL = [2.5, -1.2, 1.4, -1.7, -1.57, 0.0]

OPTIMIZERS = pytest.mark.parametrize("planner_type", ["chomp", "stomp", "trajopt"])


@pytest.fixture(scope="module")
def robot() -> Robot:
    return Robot("ur5e")


@pytest.fixture
def low_wall(robot: Robot) -> Scene:
    scene = Scene(robot)
    scene.add("wall", Shape.box(0.04, 0.8, 0.5), translation(0.0, 0.7, 0.25))
    return scene


@pytest.fixture
def window(robot: Robot) -> Scene:
    """A wall with an opening that the arm fits through only when it is folded."""
    scene = Scene(robot)
    for name, size, y, z in [
        ("left", (2.0, 6.0), 1.3, 0.0),
        ("right", (2.0, 6.0), -1.3, 0.0),
        ("top", (0.6, 2.0), 0.0, 1.7),
    ]:
        scene.add(name, Shape.box(0.04, *size), translation(0.0, y, z))
    return scene


@OPTIMIZERS
def test_smooth_motions_lead_around_a_wall_and_are_certified(planner_type: str, robot: Robot, low_wall: Scene) -> None:
    planner = Planner(robot, low_wall, planner_type=planner_type, max_iterations=20_000, timeout=600.0)
    motion = planner.plan(START, GOAL)
    assert planner.planner_used == planner_type
    assert motion.certificate is not None
    assert motion.to_json() == pickle.loads(pickle.dumps(planner)).plan(START, GOAL).to_json()
    path = np.array(planner.plan(START, GOAL, time_parameterize=False).positions())
    assert len(path) > 20
    # No corner: neighbouring edges of a smooth path nearly have one direction.
    edges = np.diff(path, axis=0)
    edges /= np.linalg.norm(edges, axis=1)[:, None]
    assert (edges[1:] * edges[:-1]).sum(axis=1).min() > 0.5


# trajopt finds the folded configurations.
@pytest.mark.parametrize("planner_type", ["chomp", "stomp"])
def test_what_cannot_be_repaired_names_what_is_in_the_way(planner_type: str, robot: Robot, window: Scene) -> None:
    planner = Planner(robot, window, planner_type=planner_type, num_seeds=1, timeout=600.0)
    assert planner.num_seeds == 1
    with pytest.raises(PlanningError) as raised:
        planner.plan(START, GOAL)
    assert raised.value.code == "PlanningFailed"
    assert raised.value.fields["seeds"] == 1
    assert raised.value.fields["other"] in {"left", "right", "top"}
    assert raised.value.fields["cost"] > 0.0


@OPTIMIZERS
def test_options_that_they_do_not_have_are_refused(planner_type: str, robot: Robot) -> None:
    with pytest.raises(InputError, match="minimise"):
        Planner(robot, planner_type=planner_type, minimise="length").plan(START, GOAL)
    for wrong in (0, -1):
        with pytest.raises(InputError, match="num_seeds"):
            Planner(robot, planner_type=planner_type, num_seeds=wrong)


@OPTIMIZERS
def test_a_stop_ends_the_search(planner_type: str, robot: Robot, window: Scene) -> None:
    stop = StopFlag()
    stop.stop()
    with pytest.raises(PlanningError) as raised:
        Planner(robot, window, planner_type=planner_type).plan(START, GOAL, stop=stop)
    assert raised.value.code == "Cancelled"


@OPTIMIZERS
def test_a_deadline_ends_the_search(planner_type: str, robot: Robot, window: Scene) -> None:
    with pytest.raises(PlanningError) as raised:
        Planner(robot, window, planner_type=planner_type, timeout=1e-6).plan(START, GOAL)
    assert raised.value.code == "PlanningTimeout"


def test_stomp_looks_at_costs_of_configurations_and_chomp_does_not(robot: Robot) -> None:
    home, away = [0.0, -1.57, 0.0, -1.57, 0.0, 0.0], [1.4, -1.2, 0.6, -1.3, 0.3, 0.2]
    options = {"num_seeds": 1, "timeout": 600.0}
    plain = Planner(robot, planner_type="stomp", **options)
    costed = Planner(robot, planner_type="stomp", state_cost="manipulability", **options)
    assert len(plain.plan(home, away, time_parameterize=False)) == 2
    assert len(costed.plan(home, away, time_parameterize=False)) > 2
    with pytest.raises(InputError, match="state_cost"):
        Planner(robot, planner_type="chomp", state_cost="clearance").plan(home, away)
