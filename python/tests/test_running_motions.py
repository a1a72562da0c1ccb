"""Motions under way in a scene that changes. Oracle: distances between balls by hand."""

import numpy as np
import pytest

from kinetic import InputError, Planner, PlanningError, Pose, Robot, Scene, Shape, Trajectory

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
