"""Motions under way in a scene that changes. Oracle: distances between balls by hand."""

import numpy as np
import pytest

from kinetic import (
    ExecutionError,
    Handle,
    InputError,
    Planner,
    PlanningError,
    Pose,
    RealTimeExecutor,
    Robot,
    Scene,
    Shape,
    SimulatedClock,
    Trajectory,
)

RADIUS = 0.05

SLIDE = """<joint name="{name}" type="prismatic"><parent link="{parent}"/><child link="{child}"/>
<origin xyz="{origin}"/><axis xyz="{axis}"/><limit lower="-2" upper="2" velocity="1" effort="1"/></joint>"""

URDF = (
    '<robot name="slides"><link name="base"/><link name="carriage"/><link name="tool"><collision><geometry>'
    f'<sphere radius="{RADIUS}"/></geometry></collision></link>'
    + SLIDE.format(name="x", parent="base", child="carriage", origin="0 0 1", axis="1 0 0")
    + SLIDE.format(name="y", parent="carriage", child="tool", origin="0 0 0", axis="0 1 0")
    + "</robot>"
)


ROBOT = Robot.from_urdf(URDF)


@pytest.fixture
def scene() -> Scene:
    return Scene(ROBOT)


def positions(motion: Trajectory) -> tuple[np.ndarray, np.ndarray]:
    times = np.linspace(0.0, motion.duration, 4000)
    return times, np.array([motion.sample(t) for t in times])


def distances(motion: Trajectory, ball: np.ndarray, radius: float) -> np.ndarray:
    return np.linalg.norm(positions(motion)[1] - ball, axis=1) - radius - RADIUS


def test_a_splice_is_certified_or_names_the_pair_on_its_connection(scene: Scene) -> None:
    planner = Planner(ROBOT, scene)
    running, following = planner.plan([-1.0, 0.0], [1.0, 0.0]), planner.plan([-0.2, 0.8], [-1.0, 0.8])
    now = 0.3 * running.duration
    spliced = planner.splice(running, now, following, latency=0.02)
    assert spliced.certificate.scene == scene.version
    path = positions(spliced)[1]
    ball = path[np.argmax(path[:, 1] > 0.4)]
    scene.add("post", Shape.sphere(0.1), Pose.from_xyz(*ball, 1.0))
    for motion in (running, following):
        assert distances(motion, ball, 0.1).min() > 0.1
        planner.certify(motion)
    with pytest.raises(PlanningError, match="^TrajectoryInCollision") as caught:
        planner.splice(running, now, following, latency=0.02)
    error = caught.value
    assert {error.link, error.other} == {"tool", "post"}
    contact = positions(spliced)[0][np.argmax(distances(spliced, ball, 0.1) <= 0.0)]
    assert contact - 0.2 < error.time <= contact + 1e-3


def test_what_is_left_of_a_motion_is_blocked_by_what_is_ahead_alone(scene: Scene) -> None:
    planner = Planner(ROBOT, scene)
    motion = planner.plan([-1.0, 0.0], [1.0, 0.0])
    planner.check_remaining(motion, 0.0)
    ball = np.array([0.2, 0.1])
    scene.add("ball", Shape.sphere(0.1), Pose.from_xyz(*ball, 1.0))
    times, apart = positions(motion)[0], distances(motion, ball, 0.1)
    contact, left = times[np.argmax(apart <= 0.0)], times[np.nonzero(apart <= 0.0)[0][-1]]
    with pytest.raises(PlanningError, match="^TrajectoryInCollision") as caught:
        planner.check_remaining(motion, 0.5 * contact)
    assert contact - 0.2 < caught.value.time <= contact + 1e-3
    planner.check_remaining(motion, left + 0.2)
    with pytest.raises(InputError):
        planner.check_remaining(motion, motion.duration + 1.0)


def splicing(scene: Scene, act) -> tuple[list, np.ndarray, dict | ExecutionError]:
    """Runs a motion and does something after 100 commands: what that answers, the commands, and how it ended."""
    planner, clock, answers, told = Planner(ROBOT, scene), SimulatedClock(), [], []
    running, following = planner.plan([-1.0, 0.0], [1.0, 0.0]), planner.plan([-0.2, 0.8], [-1.0, 0.8])
    handles: list[Handle] = []

    def progress(now) -> None:
        told.append(now["positions"])
        if len(told) == 100:
            answers.append(act(planner, handles[0], following))

    with clock:
        handle = RealTimeExecutor(100.0, clock=clock).start(running, lambda q, qd: None, progress=progress)
        handles.append(handle)
    end: dict | ExecutionError
    try:
        end = handle.wait()
    except ExecutionError as error:
        end = error
    return answers, np.array(told), end


def by_planner(planner: Planner, handle: Handle, following: Trajectory) -> None:
    handle.splice(following, planner=planner, latency=0.02)


def by_hand(planner: Planner, handle: Handle, following: Trajectory) -> None:
    running, now = handle.trajectory, handle.time
    assert now == pytest.approx(0.99, abs=1e-9)
    handle.splice(planner.splice(running, now, following, latency=0.02), at=now)


@pytest.mark.parametrize("act", [by_planner, by_hand])
def test_a_splice_with_a_certificate_keeps_an_execution_verified(scene: Scene, act) -> None:
    _, told, result = splicing(scene, act)
    assert result["state"] == "Completed" and result["verified"]
    np.testing.assert_allclose(result["final_positions"], [-1.0, 0.8], atol=1e-9)
    # No step is longer than both joints at their limits, 1 m/s, make it.
    assert np.linalg.norm(np.diff(told, axis=0), axis=1).max() < 0.01 * np.sqrt(2.0) + 1e-9


def test_a_splice_through_an_obstacle_is_refused_and_the_robot_goes_on(scene: Scene) -> None:
    _, told, _ = splicing(scene, by_planner)
    post = told[(told[:, 1] > 0.3) & (told[:, 1] < 0.5)][0]
    scene.add("post", Shape.sphere(0.1), Pose.from_xyz(*post, 1.0))

    def act(planner: Planner, handle: Handle, following: Trajectory) -> str:
        with pytest.raises(PlanningError, match="TrajectoryInCollision") as caught:
            by_planner(planner, handle, following)
        return caught.value.other

    answers, told, result = splicing(scene, act)
    assert answers == ["post"] and (np.linalg.norm(told - post, axis=1) > 0.1 + RADIUS).all()
    np.testing.assert_allclose(result["final_positions"], [1.0, 0.0], atol=1e-9)


def test_splices_without_a_certificate_and_those_that_come_too_late_do_not_run(scene: Scene) -> None:
    def act(planner: Planner, handle: Handle, following: Trajectory) -> None:
        running, now = handle.trajectory, handle.time
        bare = running.splice(
            following, now=now, latency=0.02, velocity_limits=1.0, acceleration_limits=2.0, jerk_limits=20.0
        )
        with pytest.raises(ExecutionError, match="certificate"):
            handle.splice(bare, at=now)
        with pytest.raises(ExecutionError, match="allow_unverified"):
            handle.splice(following)
        with pytest.raises(InputError, match="at"):
            handle.splice(following, planner=planner, at=now)
        before = now - 0.5
        handle.splice(planner.splice(running, before, following, latency=0.02), at=before)

    _, told, error = splicing(scene, act)
    assert isinstance(error, ExecutionError) and error.code == "Aborted" and "latency" in str(error)
    assert (told[:, 1] == 0.0).all() and np.linalg.norm(told[-1] - told[-2]) < 0.01 and told[-1, 0] < 0.9
