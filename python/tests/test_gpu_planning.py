"""Planners with a device: proven motions, the same in batches and again, and every option of the optimiser acts.

Where no adapter is there, the processor's side of each test runs.
"""

from __future__ import annotations

import pickle
import subprocess
import sys
from typing import Any

import numpy as np
import pytest
from oracles import translation
from test_gpu import DEVICES, needs_adapter

from kinetic import InputError, Planner, PlanningError, Robot, Scene, Shape, Trajectory, gpu_available

BESIDE, ACROSS = ([side, 0.4, 0.0, -1.9, 0.0, 2.3, 0.8] for side in (-0.7, 0.7))


def behind_a_post() -> tuple[Robot, Scene]:
    """A Panda whose straight line from BESIDE to ACROSS collides."""
    robot = Robot("franka_panda")
    scene = Scene(robot)
    scene.add("post", Shape.box(0.08, 0.08, 0.4), translation(0.55, 0.0, 0.22))
    return robot, scene


@pytest.mark.parametrize("device", DEVICES)
def test_a_batch_in_many_scenes_has_what_each_plan_has_alone(device: str) -> None:
    robot = Robot("franka_panda")
    scenes = []
    for index in range(12):
        scenes.append(Scene(robot))
        scenes[-1].add("post", Shape.box(0.08, 0.08, 0.4), translation(0.55 + 0.005 * index, 0.01 * index, 0.22))
    options: dict[str, Any] = {"rng_seed": 4, "num_seeds": 8, "timeout": 60.0}
    planner = Planner(robot, **options).with_device(device, control_points=16, iterations=30)
    batch = planner.plan_batch([BESIDE] * len(scenes), [ACROSS] * len(scenes), scenes=scenes)
    assert sum(isinstance(item, Trajectory) for item in batch) > len(scenes) // 2
    for scene, item in list(zip(scenes, batch))[::3]:
        alone = Planner(robot, scene, **options).with_device(device, control_points=16, iterations=30)
        if isinstance(item, Trajectory):
            assert item == alone.plan(BESIDE, ACROSS)
            Planner(robot, scene).check_path(item)
        else:
            with pytest.raises(PlanningError):
                alone.plan(BESIDE, ACROSS)


@pytest.mark.parametrize("device", DEVICES)
def test_a_warm_start_is_among_the_trajectories_of_a_device(device: str) -> None:
    robot, scene = behind_a_post()
    one = Planner(robot, scene, num_seeds=1, timeout=60.0).with_device(device, iterations=1)
    with pytest.raises(PlanningError, match="repaired none"):
        one.plan(BESIDE, ACROSS)
    motion = Planner(robot, scene, planner_type="trajopt", timeout=60.0).plan(BESIDE, ACROSS)
    warm = one.plan(BESIDE, ACROSS, warm_start=motion)
    assert warm.certificate is not None
    assert one.last_stats["planner_used"] == "trajopt"
    assert one.plan(BESIDE, ACROSS, warm_start=np.array(motion.positions())) == warm


def test_a_planner_is_made_with_a_device_and_pickled_with_it() -> None:
    robot, scene = behind_a_post()
    planner = Planner(robot, scene, device="cpu", num_seeds=64, timeout=60.0)
    assert (planner.device, planner.device_options) == ("cpu", planner.with_device("cpu").device_options)
    assert Planner(robot, scene).device_options is None
    with pytest.raises(InputError, match="planner_type"):
        Planner(robot, scene, planner_type="rrt_connect", device="cpu")
    with pytest.raises(InputError, match="gpu:99"):
        Planner(robot, scene, device="gpu:99")
    tuned = planner.with_device("cpu", preset="speed", iterations=55)
    again = pickle.loads(pickle.dumps(tuned))
    assert again.device_options == tuned.device_options
    assert again.plan(BESIDE, ACROSS) == tuned.plan(BESIDE, ACROSS)


@pytest.mark.parametrize("device", DEVICES)
def test_a_forked_process_plans_on_the_processor_and_hears_at_once_that_a_gpu_is_not_there(device: str) -> None:
    program = f"""
import os, sys
from kinetic import KineticError, Planner, Pose, Robot, Scene, Shape
robot = Robot("franka_panda")
scene = Scene(robot)
scene.add("post", Shape.box(0.08, 0.08, 0.4), Pose.from_xyz(0.55, 0.0, 0.22))
planner = Planner(robot, scene, num_seeds=16, timeout=60.0).with_device("{device}")
motion = planner.plan({BESIDE}, {ACROSS})
child = os.fork()
if child == 0:
    try:
        same = planner.plan({BESIDE}, {ACROSS}) == motion
        os._exit(0 if same and "{device}" == "cpu" else 7)
    except KineticError as error:
        os._exit(0 if error.code != "PlanningTimeout" and "{device}" == "gpu" else 8)
_, status = os.waitpid(child, 0)
assert planner.plan({BESIDE}, {ACROSS}) == motion
sys.exit(os.waitstatus_to_exitcode(status))
"""
    for _ in range(5):
        assert subprocess.run([sys.executable, "-c", program], timeout=120).returncode == 0


def test_planners_without_a_device_follow_one_that_has_it() -> None:
    robot, scene = behind_a_post()
    one = Planner(robot, scene, num_seeds=1, fallback=["rrt_connect"], timeout=60.0).with_device("cpu", iterations=1)
    one.plan(BESIDE, ACROSS)
    assert one.last_stats["planner_used"] == "rrt_connect"


@pytest.mark.parametrize("device", ["cpu", pytest.param("gpu", marks=needs_adapter)])
def test_a_planner_on_a_device_finds_proven_motions_and_the_same_again(device: str) -> None:
    robot, scene = behind_a_post()
    start, goal = BESIDE, ACROSS
    # A software adapter may compile its shaders for seconds of the first plan.
    planner = Planner(robot, scene, rng_seed=4, num_seeds=64, timeout=60.0).with_device(device)
    assert planner.planner_type == "trajopt"
    assert planner.device.startswith(device)
    motion = planner.plan(start, goal)
    assert planner.planner_used == "trajopt"
    assert motion.certificate is not None
    assert scene.check_motion(start, goal) is not None  # the straight line collides
    assert np.allclose([motion.positions()[0], motion.positions()[-1]], [start, goal])
    dense = np.array([motion.sample(t) for t in np.linspace(0.0, motion.duration, 500)])
    assert scene.are_free(dense).all()
    assert np.array_equal(planner.plan(start, goal).positions(), motion.positions())
    # An edit of the scene is seen by the next plan.
    scene.add("wall", Shape.box(0.02, 3.0, 3.0), translation(0.3, 0.0, 0.0))
    with pytest.raises(PlanningError):
        planner.plan(start, goal)


def test_planners_of_other_types_have_no_device_and_auto_may_be_the_processor() -> None:
    planner = Planner("ur5e", planner_type="rrt_connect")
    for device in ("auto", "cpu"):
        with pytest.raises(InputError, match="planner_type"):
            planner.with_device(device)
    with pytest.raises(InputError, match="device"):
        Planner("ur5e").with_device("gpu:99")
    auto = Planner("ur5e").with_device()
    assert (auto.device == "cpu") == (not gpu_available())
    assert auto.planner_type == "trajopt"
    assert auto.plan("home", "ready").certificate is not None


def around(size: tuple[float, float, float], at: tuple[float, float, float]) -> tuple[Robot, Scene]:
    """A Panda with a block between BESIDE and ACROSS."""
    robot = Robot("franka_panda")
    scene = Scene(robot)
    scene.add("block", Shape.box(*size), translation(*at))
    return robot, scene


def test_the_best_of_many_is_shorter_than_the_first_that_is_found() -> None:
    blocks = [
        ((0.3, 0.04, 0.5), (0.55, 0.0, 0.3)),
        ((0.5, 0.1, 0.5), (0.6, 0.0, 0.25)),
        ((0.4, 0.1, 0.7), (0.6, 0.05, 0.35)),
    ]
    lengths = np.zeros(2)
    for size, at in blocks:
        robot, scene = around(size, at)
        for seed in range(3):
            first = Planner(robot, scene, planner_type="trajopt", rng_seed=seed)
            paths = [
                np.array(planner.plan(BESIDE, ACROSS).positions()) for planner in (first, first.with_device("cpu"))
            ]
            lengths += [np.linalg.norm(np.diff(path, axis=0), axis=1).sum() for path in paths]
    assert lengths[1] < 0.9 * lengths[0], lengths


OPTIONS = {
    "preset": "speed",
    "seeds_per_batch": 3,
    "control_points": 9,
    "samples_per_interval": 5,
    "iterations": 4,
    "clearance": 0.2,
    "smoothness_weight": 1.0,
    "largest_change": 0.003,
    "resolution": 0.3,
}


@pytest.mark.parametrize("option", OPTIONS)
def test_every_option_of_the_optimiser_acts(option: str) -> None:
    robot, scene = around((0.3, 0.04, 0.5), (0.55, 0.0, 0.3))
    # A shape without a closed form, so that there is a grid.
    scene.add("wedge", Shape.convex(np.array(list(np.ndindex(2, 2, 2))[:7]) * 0.2), translation(0.6, 0.2, 0.7))
    # Different trajectories may end as one path when it is simplified, but not with every seed.
    planners = [Planner(robot, scene, rng_seed=seed, num_seeds=64) for seed in range(3)]
    planner = planners[0]

    def paths(**options: Any) -> list[bytes]:
        asked = [planner.with_device("cpu", **options) for planner in planners]
        found = [planner.plan(BESIDE, ACROSS, time_parameterize=False) for planner in asked]
        return [np.array(path.positions()).tobytes() for path in found]

    assert paths() == paths()
    assert paths(**{option: OPTIONS[option]}) != paths()
    stated = planner.with_device("cpu", **{option: OPTIONS[option]}).device_options
    default = planner.with_device("cpu").device_options
    assert stated is not None and default is not None
    changed = {name for name in default if stated[name] != default[name]}
    if option == "preset":
        assert {"seeds_per_batch", "control_points", "iterations", "resolution"} == changed
    else:
        assert changed == {option} and stated[option] == OPTIONS[option]


def test_options_of_the_optimiser_outside_their_domain_are_refused() -> None:
    planner = Planner("ur5e")
    for option in set(OPTIONS) - {"preset"}:
        with pytest.raises(InputError, match=option):
            planner.with_device("cpu", **{option: 0})
    with pytest.raises(InputError, match="iterations"):
        planner.with_device("cpu", iterations=2**40)
    with pytest.raises(InputError, match="balanced"):
        planner.with_device("cpu", preset="fast")
    with pytest.raises(TypeError, match="speed"):
        planner.with_device("cpu", speed=3)
