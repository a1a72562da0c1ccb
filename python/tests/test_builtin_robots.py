"""What every built-in robot can do: stand where Pinocchio says, keep off a floor, plan, and reach what it reaches.

Positions of other joints than those of the group never matter here: the chain from base to tip has none of them.
"""

from __future__ import annotations

import json
import os

import numpy as np
import pytest
from oracles import FOLDERS, ROBOTS, chain_of, pose_of, urdf, with_followers
from scipy.optimize import nnls

from kinetic import IKError, Planner, Robot, Scene, Shape

FULL = os.environ.get("KINETIC_FULL") == "1"
FK_CASES = 1000 if FULL else 50
IK_CASES = 1000 if FULL else 20
IK_SHARE = 0.95
"""Of random reachable poses, the least share that must be reached."""
IK_POSITION, IK_ROTATION = 1e-4, 1e-3
"""m and rad; what `Robot.ik` promises."""
PRINTED = 1e-5
"""Points and hulls are stored to 0.01 mm, m."""
ROUNDING = 1e-9
"""Both programs read the same numbers, in double precision."""
FLOOR = 0.02
"""m; home and ready stay this far above the plane on which the robot stands."""


# Vertices of the visual mesh of panda_link5 (example-robot-data 6.0.0), each far from all others, m.
PANDA_LINK5 = np.array(
    [
        (-0.05501, -0.00041, -0.259),
        (0.01065, 0.09794, 0.05107),
        (0.03014, 0.09029, -0.12913),
        (-0.025, 0.0158, -0.04087),
        (0.04697, -0.00838, -0.19627),
        (-0.01954, 0.11519, -0.04252),
        (-0.03707, 0.0336, -0.16961),
        (0.04165, 0.0158, 0.02371),
        (0.02092, 0.05088, -0.259),
        (0.01053, -0.05401, -0.259),
        (0.04658, 0.08674, -0.01616),
        (-0.02236, -0.03521, -0.19493),
        (-0.03515, 0.0158, 0.03258),
        (0.00299, 0.08526, -0.19855),
        (-0.04772, 0.08943, 0.01522),
        (-0.0293, 0.10027, -0.10402),
        (0.05479, -0.00491, -0.259),
        (0.02249, 0.0361, -0.15729),
        (-0.03259, 0.04861, -0.23233),
        (0.03419, 0.0158, -0.03358),
        (0.02938, 0.10586, -0.07006),
        (0.01439, 0.12872, 0.00356),
        (0.00074, 0.0646, -0.04829),
        (0.04165, 0.0447, -0.20785),
        (-0.03041, 0.08399, -0.15797),
        (-0.0508, 0.006, -0.21074),
        (-0.03442, -0.04309, -0.24345),
        (0.02173, -0.04612, -0.21098),
        (-0.04033, 0.06596, -0.02587),
        (-0.00119, -0.00289, -0.17054),
        (0.03977, 0.07284, 0.0267),
        (-0.00849, 0.06444, -0.12333),
        (-0.02087, 0.0674, 0.04453),
        (-0.02798, 0.12404, -0.00118),
        (0.00637, 0.0158, 0.0475),
        (0.0325, 0.07377, -0.17062),
        (-0.03237, 0.06763, -0.19429),
        (-0.04723, 0.0158, -0.00815),
        (0.02386, 0.11688, -0.03266),
        (-0.02408, 0.1096, 0.03736),
    ]
)


@pytest.fixture(scope="module", params=ROBOTS)
def robot(request) -> Robot:
    return Robot(request.param)


def test_random_poses_are_those_of_pinocchio(robot: Robot) -> None:
    pin = pytest.importorskip("pinocchio", reason="test_robot.py computes FK from the specification as well")
    model = pin.buildModelFromUrdf(str(FOLDERS[robot.name] / "robot.urdf"))
    data, full = model.createData(), pin.neutral(model)
    base, tip = (model.getFrameId(link, pin.BODY) for link in chain_of(robot.name, robot.group))
    for case in range(FK_CASES):
        q = robot.random_configuration(rng_seed=case)
        for name, value in with_followers(urdf(robot.name), dict(zip(robot.joint_names, q))).items():
            joint = model.joints[model.getJointId(name)]
            full[joint.idx_q : joint.idx_q + joint.nq] = [value] if joint.nq == 1 else [np.cos(value), np.sin(value)]
        pin.framesForwardKinematics(model, data, full)
        wanted = (data.oMf[base].inverse() * data.oMf[tip]).homogeneous
        assert np.allclose(robot.fk(q), wanted, rtol=0.0, atol=ROUNDING), f"case {case}"


def links_at_a_constant_height(robot: Robot) -> list[str]:
    """Links that no joint of the group raises, lowers or tilts: those of the base, and turntables."""
    poses = [robot.fk_all(robot.random_configuration(rng_seed=case)) for case in range(5)]
    heights = {link: np.array([pose[link][2] for pose in poses]) for link in poses[0]}
    # Axes whose angles are printed with five digits tilt by some 1e-5.
    return [link for link, rows in heights.items() if np.ptp(rows, axis=0).max() < 1e-4]


def with_floor(robot: Robot) -> Scene:
    """A floor at the height of the root frame, which the links that stand on it may touch."""
    scene = Scene(robot)
    scene.add("floor", Shape.half_space([0.0, 0.0, 1.0], 0.0), pose_of(np.eye(3), np.zeros(3)))
    for link in links_at_a_constant_height(robot):
        scene.allow_collision(link, "floor")
    return scene


def test_home_and_ready_are_free_of_self_contact_and_clear_of_a_floor(robot: Robot) -> None:
    scene = with_floor(robot)
    for name in ("home", "ready"):
        q = robot.named_pose(name)
        assert robot.check_limits(q)
        assert scene.are_free([q], FLOOR, 0.0)[0], name


def test_a_motion_from_home_to_ready_is_planned_and_proven(robot: Robot) -> None:
    planner = Planner(robot, with_floor(robot), timeout=60.0, collision_margin=0.0, rng_seed=1)
    motion = planner.plan(robot.named_pose("home"), robot.named_pose("ready"))
    assert motion.certificate is not None
    assert np.allclose(motion.sample(motion.duration), robot.named_pose("ready"), rtol=0.0, atol=ROUNDING)


def test_inverse_kinematics_reaches_what_the_robot_reaches(robot: Robot) -> None:
    reached = 0
    for case in range(IK_CASES):
        target = robot.fk(robot.random_configuration(rng_seed=1000 + case))
        try:
            found = robot.fk(robot.ik(target))
        except IKError:
            continue
        turned = found[:3, :3].T @ target[:3, :3]
        sine = np.linalg.norm([turned[2, 1] - turned[1, 2], turned[0, 2] - turned[2, 0], turned[1, 0] - turned[0, 1]])
        assert np.linalg.norm(found[:3, 3] - target[:3, 3]) <= IK_POSITION, f"case {case}"
        assert np.arctan2(sine / 2.0, (np.trace(turned) - 1.0) / 2.0) <= IK_ROTATION, f"case {case}"
        reached += 1
    assert reached >= IK_SHARE * IK_CASES, f"{reached} of {IK_CASES}"


def test_the_two_names_of_the_so_arm_100_are_one_robot() -> None:
    one, other = Robot("lerobot_so100"), Robot("so_arm100")
    assert one.joint_names == other.joint_names
    assert np.array_equal(one.joint_limits, other.joint_limits)
    for case in range(20):
        q = one.random_configuration(rng_seed=case)
        assert np.array_equal(one.fk(q), other.fk(q))


def test_fr3_has_the_lengths_of_the_panda_and_limits_of_its_own() -> None:
    fr3, panda = Robot("franka_fr3"), Robot("franka_panda")
    for case in range(20):
        q = panda.random_configuration(rng_seed=case)
        assert np.allclose(fr3.fk(q), panda.fk(q), rtol=0.0, atol=ROUNDING)
    assert (fr3.velocity_limits > panda.velocity_limits).all()
    assert fr3.acceleration_limits.tolist() == [10.0] * 7


def test_robots_without_published_inertials_have_none() -> None:
    bare = [name for name in ROBOTS if 'inertials = "none"' in (FOLDERS[name] / "kinetic.toml").read_text("utf-8")]
    assert {"kuka_kr6", "abb_irb4600", "yaskawa_gp7", "yaskawa_hc10", "meca500", "mycobot_280", "staubli_tx260"} == {
        *bare
    }
    for name in bare:
        assert not list(urdf(name).iter("inertial")), name


def test_the_pieces_of_the_panda_bent_link_contain_its_mesh_and_leave_its_bend_free() -> None:
    """Its meshes cross in none of 1000 random configurations of tools/robots/meshes.py, link 5 and link 7."""
    robot = Robot("franka_panda")
    folder = FOLDERS["franka_panda"]
    pieces = json.loads((folder / "hulls.json").read_text("utf-8"))["links"]["panda_link5"]
    for point in PANDA_LINK5:
        gaps = [distance_to_hull(point, np.array(piece["vertices"])) - piece["radius"] for piece in pieces]
        assert min(gaps) <= PRINTED, point
    for case in range(1000):
        contacts = Scene(robot).contacts(robot.random_configuration(rng_seed=case))
        assert not any({contact["link"], contact["other"]} == {"panda_link5", "panda_link7"} for contact in contacts)


def distance_to_hull(point: np.ndarray, vertices: np.ndarray) -> float:
    """The least residual of a combination whose weights are positive and sum up to 1."""
    heavy = 1e3
    rows = np.vstack([vertices.T - point[:, None], heavy * np.ones(len(vertices))])
    weights, _ = nnls(rows, np.append(np.zeros(3), heavy))
    return float(np.linalg.norm(vertices.T @ (weights / weights.sum()) - point))
