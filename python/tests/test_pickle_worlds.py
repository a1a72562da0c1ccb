"""Robots from files, scenes and planners through pickle, also into other processes."""

import multiprocessing
import pickle

import numpy as np
import pytest
from oracles import CONFIGS, translation

import kinetic
from kinetic import InputError, Planner, Robot, Scene, Shape

MJCF = """<mujoco model="two"><compiler angle="radian"/><worldbody><body name="upper" pos="0 0 0.1">
<joint name="turn" axis="0 0 1" range="-2 2"/><geom type="capsule" size="0.05 0.1"/>
<body name="fore" pos="0 0 0.4"><joint name="bend" axis="0 1 0" range="-1 1"/><geom type="box" size="0.04 0.04 0.1"/>
</body></body></worldbody></mujoco>"""
SDF = """<sdf version="1.9"><model name="two"><link name="base"/><link name="upper"><pose>0 0 0.2 0 0 0</pose>
<collision name="c"><geometry><box><size>0.1 0.1 0.2</size></box></geometry></collision></link>
<joint name="turn" type="revolute"><parent>base</parent><child>upper</child><axis><xyz>0 0 1</xyz>
<limit><lower>-2</lower><upper>2</upper><velocity>2</velocity></limit></axis></joint></model></sdf>"""


def again(thing):
    return pickle.loads(pickle.dumps(thing))


def robots(folder) -> dict[str, Robot]:
    (folder / "two.sdf").write_text(SDF)
    tool = Robot.from_urdf(CONFIGS / "ur5e" / "robot.urdf", tip="tool0")
    tool.tcp = translation(0.0, 0.0, 0.1)
    return {
        "urdf": Robot.from_urdf(CONFIGS / "franka_panda" / "robot.urdf"),
        "urdf with a tool": tool,
        "mjcf": Robot.from_mjcf(MJCF),
        "sdf": Robot.from_sdf(folder / "two.sdf"),
        "folder": Robot.from_path(CONFIGS / "fetch"),
        "endless joints": Robot.from_path(CONFIGS / "kinova_gen3"),
        "built in": Robot("baxter_right").with_group("both_arms"),
    }


NAMES = ["urdf", "urdf with a tool", "mjcf", "sdf", "folder", "endless joints", "built in"]


@pytest.mark.parametrize("name", NAMES)
def test_robots_come_back_with_all_that_they_say_and_the_same_scene(name: str, tmp_path) -> None:
    robot = robots(tmp_path)[name]
    back = again(robot)
    for fact in ("name", "group", "groups", "dof", "joint_names", "link_names", "notes", "named_poses", "ik_solver"):
        assert getattr(back, fact) == getattr(robot, fact), fact
    for fact in ("joint_limits", "velocity_limits", "acceleration_limits", "effort_limits", "joint_weights", "tcp"):
        np.testing.assert_array_equal(getattr(back, fact), getattr(robot, fact))
    for one, other in zip(back.links, robot.links):
        assert (one["name"], one["mass"]) == (other["name"], other["mass"])
        assert len(one["visuals"]) == len(other["visuals"]) and len(one["collisions"]) == len(other["collisions"])
    for seed in range(10):
        q = robot.random_configuration(seed)
        np.testing.assert_array_equal(back.fk(q), robot.fk(q))
    if all(link["mass"] is not None for link in robot.links if link["parent_joint"]):
        np.testing.assert_array_equal(back.com(q), robot.com(q))
    assert Scene(back).version == Scene(robot).version


def workcell(robot: Robot) -> Scene:
    scene = Scene(robot)
    scene.add("table", Shape.box(1.0, 1.0, 0.1), translation(0.0, 0.0, -0.2))
    scene.add("ball", Shape.sphere(0.1), translation(0.5, 0.3, 0.3))
    scene.add(
        "mesh",
        Shape.mesh([[0, 0, 0], [0.1, 0, 0], [0, 0.1, 0], [0, 0, 0.1]], [[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]]),
        translation(0.6, -0.5, 0.2),
    )
    scene.attach("tool", Shape.cylinder(0.02, 0.05), translation(0.0, 0.0, 0.08), robot.tip)
    scene.allow_collision("tool", "ball")
    scene.set_margin("ball", value=0.03)
    scene.set_padding("tool", 0.001)
    return scene


@pytest.mark.parametrize("name", ["urdf with a tool", "built in", "folder"])
def test_scenes_come_back_as_they_were_and_apart(name: str, tmp_path) -> None:
    robot = robots(tmp_path)[name]
    scene = workcell(robot)
    back = again(scene)
    assert back.version == scene.version
    assert (back.objects, back.attached, back.allowed, back.margins) == (
        scene.objects,
        scene.attached,
        scene.allowed,
        scene.margins,
    )
    configs = np.array([robot.random_configuration(seed) for seed in range(200)])
    np.testing.assert_array_equal(back.are_free(configs, 0.01), scene.are_free(configs, 0.01))
    back.remove("ball")
    assert back.version != scene.version


def options() -> dict:
    return {
        "timeout": float("inf"),
        "max_iterations": 20000,
        "collision_margin": 0.015,
        "self_margin": 0.001,
        "shortcut_iterations": 50,
        "workspace_bounds": [[-2, -2, -2], [2, 2, 2]],
        "rng_seed": 7,
        "joint_weights": {"shoulder_pan_joint": 2.0},
        "velocity_scaling": 0.5,
        "acceleration_limits": 2.0,
    }


def test_planners_come_back_with_their_options_and_plan_the_same_bytes() -> None:
    robot = Robot.from_path(CONFIGS / "ur5e")
    planner = Planner(robot, workcell(robot), **options())
    back = again(planner)
    for fact in (
        "timeout",
        "max_iterations",
        "collision_margin",
        "self_margin",
        "shortcut_iterations",
        "smooth",
        "rng_seed",
        "velocity_scaling",
        "acceleration_scaling",
        "minimise",
        "group",
        "planner_type",
    ):
        assert getattr(back, fact) == getattr(planner, fact), fact
    np.testing.assert_array_equal(back.workspace_bounds, planner.workspace_bounds)
    np.testing.assert_array_equal(back.joint_weights, planner.joint_weights)
    np.testing.assert_array_equal(back.limits["acceleration"], planner.limits["acceleration"])
    assert back.scene.version == planner.scene.version
    assert back.plan("home", "ready").to_json() == planner.plan("home", "ready").to_json()
    without, scene = again(Planner("ur5e", preset="offline", planner_type="rrt_connect")), planner.scene
    assert without.scene is None and without.minimise is None and without.timeout == 60.0
    # What belongs together stays together.
    pair = again((planner, scene))
    assert pair[0].scene is pair[1]


def planned(job) -> str:
    planner, start, goal = job
    return planner.plan(start, goal).to_json()


def version(scene: Scene) -> str:
    return scene.version


def test_worlds_travel_to_other_processes() -> None:
    robot = Robot.from_urdf(CONFIGS / "ur5e" / "robot.urdf", tip="tool0")
    scene = workcell(robot)
    planner = Planner(robot, scene, rng_seed=3)
    start, goals = [0.0, -1.57, 0.0, -1.57, 0.0, 0.0], [[0.3 * k, -1.2, 0.5, -1.0, 0.2, 0.1] for k in range(3)]
    jobs = [(planner, start, goal) for goal in goals]
    with multiprocessing.get_context("spawn").Pool(2) as pool:
        there = pool.map(planned, jobs)
        assert pool.map(version, [scene]) == [scene.version]
    assert there == [planned(job) for job in jobs]


def test_what_pickle_did_not_write_is_refused() -> None:
    for text in ("", "{}", "[]", '["no_robot", "arm", []]', '["ur5e", "no_group", []]'):
        with pytest.raises(InputError):
            Robot._restore(text)
    assert isinstance(kinetic.Robot("ur5e"), Robot)
