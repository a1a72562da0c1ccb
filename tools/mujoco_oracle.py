"""What MuJoCo says about a model, in the terms of `kinetic.Robot.from_mjcf`.

Variables of the robot are MuJoCo's joints in its order, without those that follow another: one value for a hinge or
slide, yaw, pitch and roll for a ball, and x, y, z before these for a free joint, relative to where the model puts the
body.
"""

from __future__ import annotations

import mujoco
import numpy as np

HINGE, SLIDE = int(mujoco.mjtJoint.mjJNT_HINGE), int(mujoco.mjtJoint.mjJNT_SLIDE)
FREE = int(mujoco.mjtJoint.mjJNT_FREE)


def name_of(model: mujoco.MjModel, kind: str, index: int) -> str:
    """Name of a body or joint; one without is called after its index."""
    return getattr(model, kind)(index).name or f"{kind}_{index}".replace("jnt", "joint")


def followers(model: mujoco.MjModel) -> dict[int, tuple[int, float, float]]:
    """Joint → (leader, factor, offset) of the linear equality constraints that make a mimic joint."""
    found: dict[int, tuple[int, float, float]] = {}
    for index in range(model.neq):
        joint, leader = int(model.eq_obj1id[index]), int(model.eq_obj2id[index])
        is_joint = model.eq_type[index] == mujoco.mjtEq.mjEQ_JOINT and model.eq_active0[index] and leader >= 0
        if not is_joint or np.any(model.eq_data[index][2:5]) or joint in found:
            continue
        if not {int(model.jnt_type[joint]), int(model.jnt_type[leader])} <= {HINGE, SLIDE} or _follows(
            leader, joint, found
        ):
            continue
        constant, factor = model.eq_data[index][:2]
        offset = _reference(model, joint) + constant - factor * _reference(model, leader)
        ends = factor * _range(model, leader) + offset if factor else np.full(2, offset)
        own = _range(model, joint)
        if ends.min() <= own[1] and own[0] <= ends.max():
            found[joint] = (leader, float(factor), float(offset))
    return found


def _follows(joint: int, leader: int, found: dict[int, tuple[int, float, float]]) -> bool:
    while joint != leader:
        if joint not in found:
            return False
        joint = found[joint][0]
    return True


def _reference(model: mujoco.MjModel, joint: int) -> float:
    return float(model.qpos0[model.jnt_qposadr[joint]])


def _range(model: mujoco.MjModel, joint: int) -> np.ndarray:
    return model.jnt_range[joint] if model.jnt_limited[joint] else np.array([-np.inf, np.inf])


def _turn(q: np.ndarray) -> np.ndarray:
    """Quaternion w x y z of intrinsic yaw, pitch, roll."""
    result = np.array([1.0, 0.0, 0.0, 0.0])
    for axis, angle in zip((3, 2, 1), q):
        step = np.zeros(4)
        step[0], step[axis] = np.cos(angle / 2), np.sin(angle / 2)
        product = np.zeros(4)
        mujoco.mju_mulQuat(product, result, step)
        result = product
    return result


def random_pair(model: mujoco.MjModel, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """The same random configuration as our variables and as MuJoCo's `qpos`; limits play no part."""
    mimic = followers(model)
    qpos, variables = np.array(model.qpos0), []
    for joint in range(model.njnt):
        at, kind = int(model.jnt_qposadr[joint]), int(model.jnt_type[joint])
        if kind in (HINGE, SLIDE):
            if joint not in mimic:
                qpos[at] = rng.uniform(-np.pi, np.pi)
                variables.append(qpos[at])
            continue
        turns = rng.uniform(-np.pi, np.pi, 3)
        if kind == FREE:
            shift = rng.uniform(-1, 1, 3)
            start = np.array(model.qpos0[at + 3 : at + 7])
            moved, turned = np.zeros(3), np.zeros(4)
            mujoco.mju_rotVecQuat(moved, shift, start)
            mujoco.mju_mulQuat(turned, start, _turn(turns))
            qpos[at : at + 3] += moved
            qpos[at + 3 : at + 7] = turned
            variables.extend(shift)
        else:
            qpos[at : at + 4] = _turn(turns)
        variables.extend(turns)
    for _ in mimic:  # chains of followers settle after as many rounds as there are followers
        for joint, (leader, factor, offset) in mimic.items():
            qpos[model.jnt_qposadr[joint]] = factor * qpos[model.jnt_qposadr[leader]] + offset
    return np.array(variables), qpos


def body_poses(model: mujoco.MjModel, qpos: np.ndarray) -> dict[str, np.ndarray]:
    """4×4 poses of all bodies in the world, by name."""
    data = mujoco.MjData(model)
    data.qpos[:] = qpos
    mujoco.mj_kinematics(model, data)
    poses = {}
    for body in range(model.nbody):
        pose = np.eye(4)
        pose[:3, :3], pose[:3, 3] = data.xmat[body].reshape(3, 3), data.xpos[body]
        poses[name_of(model, "body", body)] = pose
    return poses


def worst_difference(robot, model: mujoco.MjModel, count: int, seed: int) -> float:
    """Largest difference of any entry of any body pose on random configurations, translations relative to the size."""
    rng = np.random.default_rng(seed)
    worst = 0.0
    for _ in range(count):
        variables, qpos = random_pair(model, rng)
        ours = robot.fk_all(variables)
        theirs = body_poses(model, qpos)
        scale = max(1.0, *(float(np.abs(pose[:3, 3]).max()) for pose in theirs.values()))
        for name, pose in theirs.items():
            difference = np.abs(ours[name] - pose)
            difference[:3, 3] /= scale
            worst = max(worst, float(difference.max()))
    return worst
