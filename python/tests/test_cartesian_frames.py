"""Paths in frames that move, judged by Pinocchio, which reads the cell that was written as URDF."""

from __future__ import annotations

import pickle

import numpy as np
import pytest

from kinetic import CartesianPath, InputError, Planner, Pose, Robot, SequenceItem

pinocchio = pytest.importorskip("pinocchio", reason="the Rust tests have another forward kinematics")

RAIL_AND_TABLE = """<robot name="table"><link name="foot"/><link name="slide"/>
<link name="plate"><collision><origin xyz="0 0 -0.02"/><geometry><box size="0.4 0.4 0.02"/></geometry>
</collision></link>
<joint name="along" type="prismatic"><parent link="foot"/><child link="slide"/><axis xyz="0 1 0"/>
<limit lower="-0.3" upper="0.3" velocity="0.5" effort="10"/></joint>
<joint name="turn" type="continuous"><parent link="slide"/><child link="plate"/><axis xyz="0 0 1"/>
<limit velocity="1.5" effort="10"/></joint></robot>"""
START = np.array([0.0, -1.4, 1.9, -2.1, -1.57, 0.0, 0.05, 0.3])


@pytest.fixture(scope="module")
def cell() -> Robot:
    stand = Pose.from_xyz(-0.75, -0.1, 0.2)
    return Robot.compose("cell", {"arm_": "ur5e", "table_": (Robot.from_urdf(RAIL_AND_TABLE), stand)})


@pytest.fixture(scope="module")
def both(cell: Robot) -> Planner:
    return Planner(cell, group=list(cell.groups))


def relative(cell: Robot, frame: str, tool: str):
    """Pose of a link as it is seen from another one, by Pinocchio."""
    model = pinocchio.buildModelFromXML(cell.to_urdf())
    data = model.createData()
    joints = [model.joints[model.getJointId(name)] for name in cell.active_joints]
    frames = [model.getFrameId(link, pinocchio.BODY) for link in (frame, tool)]

    def at(q: np.ndarray):
        full = pinocchio.neutral(model)
        for joint, value in zip(joints, q):
            full[joint.idx_q : joint.idx_q + joint.nq] = value if joint.nq == 1 else (np.cos(value), np.sin(value))
        pinocchio.framesForwardKinematics(model, data, full)
        return data.oMf[frames[0]].inverse() * data.oMf[frames[1]]

    return at


def test_a_seam_on_a_table_that_moves_is_followed_as_it_is_seen_from_the_table(cell: Robot, both: Planner) -> None:
    path = CartesianPath().screw([0, 0, 0], [0, 0, 1], angle=5.0, advance=0.0).in_frame("table_plate")
    result = both.plan_cartesian(START, path)
    assert result.fraction == 1.0 and result.reason is None
    pose = relative(cell, "table_plate", cell.tip)
    first = pose(START)
    motion = result.trajectory
    farthest = 0.0
    for time in np.linspace(0.0, motion.duration, 2000):
        here = pose(motion.sample(time))
        farthest = max(farthest, abs(np.hypot(*here.translation[:2]) - np.hypot(*first.translation[:2])))
        assert abs(here.translation[2] - first.translation[2]) < 1e-4
        angle = np.arctan2(here.translation[1], here.translation[0]) - np.arctan2(*first.translation[1::-1])
        turned = pinocchio.exp3(np.array([0.0, 0.0, angle])) @ first.rotation
        assert np.linalg.norm(pinocchio.log3(turned.T @ here.rotation)) < 1.5e-3
    assert farthest < 1e-4
    moved = np.ptp(np.asarray(motion.positions()), axis=0)
    assert moved[7] > 1.0, "the table does not turn"
    assert motion.certificate is not None and motion.certificate.tool["max_deviation"] <= 1e-4
    # The arm alone, with the table where it is, does not come round.
    assert Planner(cell).plan_cartesian(START, path).fraction < 0.9


def test_a_sequence_leads_to_a_seam_in_a_frame(both: Planner) -> None:
    seam = CartesianPath().move_by([0.0, 0.05, 0.0]).in_frame("table_plate")
    result = both.plan_sequence(START + 0.05, [SequenceItem(START), SequenceItem(seam)])
    assert len(result.boundaries) == 3
    assert result.trajectory.certificate is not None
    # Blends are balls about one tool in the base: of two tips, and beside a frame, there is none.
    with pytest.raises(InputError, match="0 beside a path in the frame of a link"):
        both.plan_sequence(START + 0.05, [SequenceItem(START, blend_radius=0.01), SequenceItem(seam)])
    with pytest.raises(InputError, match="SeveralTips"):
        both.plan_sequence(START + 0.05, [SequenceItem(START, blend_radius=0.01), SequenceItem(START + 0.1)])


def test_paths_in_frames_are_values() -> None:
    path = CartesianPath().move_by([0.1, 0.0, 0.0]).in_frame("table_plate")
    assert path.frame == "table_plate" and CartesianPath().frame is None
    assert pickle.loads(pickle.dumps(path)) == path != CartesianPath().move_by([0.1, 0.0, 0.0])
    assert "table_plate" in repr(path)
    assert path.move_by([0.0, 0.1, 0.0]).frame == "table_plate"


def test_frames_of_no_use_are_refused_by_name(cell: Robot, both: Planner) -> None:
    line = CartesianPath().move_by([0.0, 0.05, 0.0])
    with pytest.raises(InputError, match="LinkNotFound.*plate"):
        both.plan_cartesian(START, line.in_frame("plate"))
    with pytest.raises(InputError, match="SeveralTips"):
        both.plan_cartesian(START, line)
    with pytest.raises(InputError, match="SeveralTips"):
        both.plan_cartesian(START, line.in_frame("world"))
    with pytest.raises(InputError, match="no joint moves"):
        Planner(cell).plan_cartesian(START[:6], line.in_frame(cell.tip))
