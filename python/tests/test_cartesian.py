"""Cartesian plans, judged by Pinocchio, which reads the robots' files itself, at dense samples of the timed curve."""

from __future__ import annotations

import pickle
from pathlib import Path

import numpy as np
import pytest
from oracles import FOLDERS, chain_of

import kinetic
from kinetic import CartesianConfig, CartesianPath, InputError, Planner, PlanningError, Robot, Scene, Shape

pinocchio = pytest.importorskip("pinocchio", reason="the Rust tests have another forward kinematics")

STARTS = {
    "ur5e": np.array([0.3, -1.2, 1.6, -2.0, -1.5, 0.1]),
    "franka_panda": np.array([0.2, 0.4, 0.1, -1.8, 0.3, 1.7, 0.5]),
}


class Tool:
    """Pose of a robot's tip in the base of its group, by Pinocchio."""

    def __init__(self, robot: Robot) -> None:
        base, tip = chain_of(robot.name, robot.group)
        self.model = pinocchio.buildModelFromUrdf(str(FOLDERS[robot.name] / "robot.urdf"))
        self.data = self.model.createData()
        self.base, self.tip = (self.model.getFrameId(link, pinocchio.BODY) for link in (base, tip))
        self.joints = [self.model.joints[self.model.getJointId(name)] for name in robot.joint_names]

    def __call__(self, q: np.ndarray):
        full = pinocchio.neutral(self.model)
        for joint, value in zip(self.joints, q):
            # Joints without limits have a cosine and a sine.
            full[joint.idx_q : joint.idx_q + joint.nq] = value if joint.nq == 1 else (np.cos(value), np.sin(value))
        pinocchio.framesForwardKinematics(self.model, self.data, full)
        return self.data.oMf[self.base].inverse() * self.data.oMf[self.tip]


def poses_along(robot: Robot, motion: kinetic.Trajectory, count: int = 1000) -> list:
    tool = Tool(robot)
    return [tool(motion.sample(t)) for t in np.linspace(0.0, motion.duration, count)]


def turned(rotation: np.ndarray) -> float:
    return float(np.linalg.norm(pinocchio.log3(rotation)))


@pytest.mark.parametrize("name", STARTS)
def test_lines_move_and_turn_evenly_at_every_instant(name: str) -> None:
    robot, start = Robot(name), STARTS[name]
    tool = Tool(robot)
    begin = tool(start)
    by = np.array([-0.05, -0.15, 0.08])
    turn = np.array([0.2, -0.3, 0.25])
    goal = np.eye(4)
    goal[:3, 3] = begin.translation + by
    goal[:3, :3] = begin.rotation @ pinocchio.exp3(turn)
    result = Planner(robot).plan_cartesian(start, goal)
    assert (result.fraction, result.reason, result.obstacle) == (1.0, None, None)
    assert result.trajectory.certificate is not None
    assert result.deviation < 1e-4
    assert result.angle < 1e-3
    for pose in poses_along(robot, result.trajectory):
        part = (pose.translation - begin.translation) @ by / (by @ by)
        assert np.linalg.norm(begin.translation + part * by - pose.translation) <= result.deviation + 1e-9
        wanted = begin.rotation @ pinocchio.exp3(part * turn)
        # The nearest arc length need not be the one of least distance alone.
        assert turned(wanted.T @ pose.rotation) <= result.angle + result.deviation / np.linalg.norm(by) + 1e-7
    assert np.allclose(tool(result.trajectory.sample(result.trajectory.duration)).homogeneous, goal, atol=1e-7)


def test_arcs_stay_on_their_circle_and_meet_the_orientation_at_the_via_pose() -> None:
    robot, start = Robot("ur5e"), STARTS["ur5e"]
    begin = Tool(robot)(start)
    center = begin.translation - [0.0, 0.1, 0.0]

    def pose(angle: float, turn: list) -> np.ndarray:
        matrix = np.eye(4)
        matrix[:3, 3] = center + 0.1 * np.array([np.sin(angle), np.cos(angle), 0.0])
        matrix[:3, :3] = begin.rotation @ pinocchio.exp3(np.array(turn))
        return matrix

    via, goal = pose(0.8, [0.3, 0.0, 0.0]), pose(2.0, [0.0, 0.2, -0.3])
    result = Planner(robot).plan_cartesian_arc(start, via, goal)
    assert result.fraction == 1.0
    poses = poses_along(robot, result.trajectory, 4000)
    for pose_there in poses:
        arm = pose_there.translation - center
        assert abs(np.linalg.norm(arm) - 0.1) <= 1e-4
        assert abs(arm[2]) <= 1e-4
    nearest = min(poses, key=lambda pose: np.linalg.norm(pose.translation - via[:3, 3]))
    assert np.linalg.norm(nearest.translation - via[:3, 3]) < 2e-4
    assert turned(nearest.rotation.T @ via[:3, :3]) < 3e-3


@pytest.mark.parametrize("speed", [0.05, 0.3])
def test_speeds_of_the_tool_hold_at_every_instant(speed: float) -> None:
    robot, start = Robot("ur5e"), STARTS["ur5e"]
    path = CartesianPath().move_by([0.0, -0.15, 0.0]).blended(0.03).move_by([0.0, 0.0, 0.1])
    config = CartesianConfig(max_tool_speed=speed, max_tool_rotation_speed=0.5)
    motion = (result := Planner(robot).plan_cartesian(start, path, config)).trajectory
    assert result.tool_speed <= speed
    times = np.linspace(0.0, motion.duration, 3000)
    places = np.array([pose.translation for pose in poses_along(robot, motion, 3000)])
    speeds = np.linalg.norm(np.diff(places, axis=0), axis=1) / np.diff(times)
    assert speeds.max() <= result.tool_speed + 1e-8
    assert speeds.max() > 0.98 * speed
    held = Planner(robot).plan_cartesian(start, path, CartesianConfig(constant_speed=0.05))
    assert all(loss["at_stop"] or loss["speed"] > 0.99 * 0.05 for loss in held.speed_losses)
    assert {loss["joint"] for loss in held.speed_losses} <= {*robot.joint_names, None}


@pytest.mark.parametrize("speed", [0.02, 0.1])
@pytest.mark.parametrize("radius", [0.01, 0.03])
def test_a_constant_speed_is_held_through_rounded_corners_or_its_loss_is_listed(speed: float, radius: float) -> None:
    robot, start = Robot("ur5e"), STARTS["ur5e"]
    path = CartesianPath().move_by([0.0, -0.15, 0.0]).blended(radius).move_by([0.0, 0.0, 0.1])
    held = Planner(robot).plan_cartesian(start, path, CartesianConfig(constant_speed=speed))
    motion, losses = held.trajectory, held.speed_losses
    times = np.linspace(0.0, motion.duration, 6000)
    places = np.array([pose.translation for pose in poses_along(robot, motion, 6000)])
    speeds = np.linalg.norm(np.diff(places, axis=0), axis=1) / np.diff(times)
    assert speeds.max() <= speed * (1.0 + 1e-6)
    # Slower by more than the ratio from which a speed counts as held: only where a loss says so, or beside it.
    for time, found in zip(times[:-1], speeds):
        arc_length = held.arc_length_at(time)
        near = [loss for loss in losses if loss["from"] - 1e-3 <= arc_length <= loss["to"] + 1e-3]
        assert found >= 0.994 * speed or near, f"{found} at {arc_length}"
    stops = [loss for loss in losses if loss["at_stop"]]
    assert all(loss["to"] - loss["from"] < 0.02 for loss in stops), "lines are not slowed for their corner"
    for loss in losses:
        assert loss["at_stop"] or loss["joint"] in robot.joint_names or loss["speed"] > 0.99 * speed


def test_what_is_proven_of_the_tool_goes_with_the_trajectory(tmp_path: Path) -> None:
    planner = Planner("ur5e")
    motion = planner.plan_cartesian(
        STARTS["ur5e"], CartesianPath().move_by([0.0, 0.0, -0.1]), CartesianConfig(max_tool_speed=0.1)
    ).trajectory
    tool = motion.certificate.tool
    assert tool["max_speed"] <= tool["speed_limit"] == 0.1
    assert pickle.loads(pickle.dumps(motion)).certificate.tool == tool
    for name in ("motion.json", "motion.csv"):
        motion.save(tmp_path / name)
        assert kinetic.Trajectory.load(tmp_path / name).certificate.tool == tool, name


def test_an_obstacle_ends_the_motion_at_its_margin() -> None:
    robot, start = Robot("ur5e"), STARTS["ur5e"]
    scene = Scene(robot)
    post = np.eye(4)
    post[:3, 3] = robot.fk(start)[:3, 3] - [0.0, 0.3, 0.0]
    scene.add("post", Shape.cylinder(0.03, 0.4), post)
    planner = Planner(robot, scene, collision_margin=0.01)
    result = planner.plan_cartesian(start, CartesianPath().move_by([0.0, -0.4, 0.0]))
    assert result.obstacle["kind"] == "collision"
    assert result.obstacle["pair"][1] == "post"
    assert result.obstacle["at"] == pytest.approx(result.fraction * result.length)
    assert "post" in result.reason
    motion = result.trajectory
    assert motion.certificate.margin == 0.01
    distances = [scene.min_distance(motion.sample(t)) for t in np.linspace(0.0, motion.duration, 300)]
    assert 0.01 <= min(distances) < 0.016
    again = planner.plan_cartesian(start, CartesianPath().move_by([0.0, -0.4, 0.0]))
    assert np.array_equal(again.trajectory.to_numpy()[1], motion.to_numpy()[1])
    through = planner.plan_cartesian(
        start, CartesianPath().move_by([0.0, -0.4, 0.0]), CartesianConfig(avoid_collisions=False)
    )
    assert through.fraction == 1.0
    assert through.trajectory.certificate is None


def test_without_time_it_is_a_path_and_a_pose_is_a_line() -> None:
    robot, start = Robot("ur5e"), STARTS["ur5e"]
    goal = robot.fk(start)
    goal[1, 3] -= 0.1
    result = Planner(robot).plan_cartesian(start, goal, time_parameterize=False)
    assert not result.trajectory.is_timed
    assert result.tool_speed == 0.0
    assert np.allclose(result.trajectory.to_numpy()[1][0], start)
    for profile in ("trapezoidal", "jerk_limited", "cubic_spline"):
        timed = Planner(robot).plan_cartesian(start, goal, time_parameterize=profile)
        assert timed.trajectory.is_timed
        assert timed.deviation < 1e-4


def test_bad_input_is_refused() -> None:
    planner, start = Planner("ur5e"), STARTS["ur5e"]
    tool = Robot("ur5e").fk(start)
    for path, text in [
        (CartesianPath(), "no moves"),
        (tool, "length of move 0"),
        (CartesianPath().move_by([0.0, 0.1, 0.0]).blended(0.2).move_by([0.0, 0.0, 0.1]), "blend radius"),
        (CartesianPath().move_by([0.1, 0.0, 0.0], frame="nowhere"), "nowhere"),
        (CartesianPath().screw([0.0] * 3, [0.0] * 3, 1.0), "axis"),
        (2.0 * tool, "."),
    ]:
        with pytest.raises(InputError, match=text):
            planner.plan_cartesian(start, path)
    for name in ("max_step", "jump_threshold", "position_tolerance", "max_tool_speed", "constant_speed"):
        with pytest.raises(InputError, match=name):
            CartesianConfig(**{name: -1.0})
    with pytest.raises(InputError, match="constant_speed"):
        planner.plan_cartesian(start, tool + 0.0, CartesianConfig(constant_speed=0.1), "trapezoidal")
    with pytest.raises(InputError):
        planner.plan_cartesian(start[:5], CartesianPath().move_by([0.0, 0.1, 0.0]))
    stop = kinetic.StopFlag()
    stop.stop()
    with pytest.raises(PlanningError, match="Cancelled"):
        planner.plan_cartesian(start, CartesianPath().move_by([0.0, 0.1, 0.0]), stop=stop)


@pytest.mark.parametrize("name", STARTS)
def test_a_tool_that_goes_back_the_way_it_came_is_followed_to_the_end(name: str) -> None:
    """Regression 21: where a move began against the one before, the tool was measured against the wrong one."""
    robot = Robot(name)
    begin, planner = Tool(robot)(STARTS[name]), Planner(robot)
    for offset in np.vstack([0.06 * np.eye(3), -0.06 * np.eye(3)]):
        there, back = kinetic.Pose.from_xyz(*offset), kinetic.Pose.from_xyz(*-offset)
        path = CartesianPath().move_by(there, frame="base").move_by(back, frame="base")
        result = planner.plan_cartesian(STARTS[name], path)
        assert result.fraction == 1.0, f"{offset}: {result.obstacle}"
        ways = [pose.translation - begin.translation for pose in poses_along(robot, result.trajectory)]
        off = [np.linalg.norm(way - offset * np.clip(way @ offset / 0.0036, 0.0, 1.0)) for way in ways]
        assert max(off) <= result.deviation + 1e-9 < 1e-4
        assert np.linalg.norm(ways[-1]) < 1e-4 and max(way @ offset / 0.06 for way in ways) == pytest.approx(
            0.06, abs=1e-4
        )


@pytest.mark.parametrize("name", STARTS)
def test_what_is_left_of_a_path_leads_on_to_its_end(name: str) -> None:
    robot, start = Robot(name), STARTS[name]
    tool, planner = Tool(robot), Planner(robot)
    offset = np.array([0.03, -0.05, 0.04])
    path = CartesianPath().move_by(kinetic.Pose.from_xyz(*offset), frame="base")
    whole = planner.plan_cartesian(start, path)
    for part in (0.0, 0.3, 0.8):
        q = whole.trajectory.sample(part * whole.trajectory.duration)
        arc_length = whole.arc_length_at(part * whole.trajectory.duration)
        way = tool(q).translation - tool(start).translation
        assert arc_length == pytest.approx(np.linalg.norm(way), abs=1e-4)
        rest = planner.plan_cartesian(q, planner.remaining_path(start, path, arc_length))
        assert rest.fraction == 1.0 and rest.length == pytest.approx(whole.length - arc_length, abs=2e-4)
        end = tool(rest.trajectory.sample(rest.trajectory.duration)).translation
        np.testing.assert_allclose(end, tool(start).translation + offset, atol=1e-4)
    for bad in (-0.1, whole.length + 0.1, float("nan")):
        with pytest.raises(InputError):
            planner.remaining_path(start, path, bad)
    with pytest.raises(InputError):
        planner.remaining_path(start[:-1], path, 0.0)
    with pytest.raises(InputError):
        planner.remaining_path([float("nan")] * robot.dof, path, 0.0)
