"""Motion between states and blends. Oracle of durations: Ruckig."""

import os

import numpy as np
import pytest

import kinetic

ruckig = pytest.importorskip("ruckig", reason="no wheel of Ruckig for this Python")

FULL = os.environ.get("KINETIC_FULL") == "1"
CASES = 100_000 if FULL else 3_000

DURATION_TOLERANCE = 1e-6
END_TOLERANCE = 1e-8


def random_case(rng, outside):
    """Limits and two states; the target can be met inside the limits, the start can be outside."""
    dof = int(rng.integers(1, 8))
    limit = {"v": rng.uniform(0.5, 5, dof), "a": rng.uniform(1, 10, dof), "j": 10 ** rng.uniform(-0.3, 2, dof)}
    limit["v_low"] = -np.where(rng.random(dof) < 0.5, limit["v"], rng.uniform(0.5, 5, dof))
    limit["a_low"] = -np.where(rng.random(dof) < 0.5, limit["a"], rng.uniform(1, 10, dof))
    start, target = (rng.uniform(-3, 3, dof) for _ in range(2))

    def rates(reach):
        velocity = rng.uniform(limit["v_low"], limit["v"]) * reach
        acceleration = rng.uniform(limit["a_low"], limit["a"]) * reach
        for values in (velocity, acceleration):
            values[rng.random(dof) < 0.15] = 0.0
        return velocity, acceleration

    v0, a0 = rates(1.3 if outside else 0.999)
    vf, af = rates(0.999)
    for v, a, both in ((v0, a0, False), (vf, af, True)):
        if outside and not both:
            continue
        # As much acceleration as the velocity leaves room for before the target and after the start.
        room = np.where((a > 0) != both, limit["v"] - v, v - limit["v_low"])
        np.copyto(a, np.sign(a) * np.minimum(np.abs(a), 0.99 * np.sqrt(2 * limit["j"] * room)))
    return limit, (start, v0, a0), (target, vf, af)


def durations(limit, start, target):
    dof = len(start[0])
    given = ruckig.InputParameter(dof)
    given.current_position, given.current_velocity, given.current_acceleration = (list(row) for row in start)
    given.target_position, given.target_velocity, given.target_acceleration = (list(row) for row in target)
    given.max_velocity, given.min_velocity = list(limit["v"]), list(limit["v_low"])
    given.max_acceleration, given.min_acceleration = list(limit["a"]), list(limit["a_low"])
    given.max_jerk = list(limit["j"])
    theirs = ruckig.Trajectory(dof)
    try:
        ruckig.Ruckig(dof).calculate(given, theirs)
    except (ruckig.RuckigError, ValueError):
        # It finds none for a few starts outside the limits.
        return None, None
    ours = kinetic.state_to_state(
        start[0],
        target[0],
        limit["v"],
        limit["a"],
        limit["j"],
        start_velocity=start[1],
        start_acceleration=start[2],
        target_velocity=target[1],
        target_acceleration=target[2],
        velocity_lower=limit["v_low"],
        acceleration_lower=limit["a_low"],
    )
    return ours, theirs.duration


@pytest.mark.parametrize("outside", [False, True], ids=["inside", "outside"])
def test_random_motions_take_as_long_as_those_of_ruckig_and_end_in_their_targets(outside):
    compared = 0
    for seed in range(CASES // 2):
        limit, start, target = random_case(np.random.default_rng(seed), outside)
        ours, theirs = durations(limit, start, target)
        if theirs is None:
            continue
        compared += 1
        assert abs(ours.duration - theirs) <= DURATION_TOLERANCE, f"seed {seed}: {ours.duration} and {theirs}"
        end = ours.sample(ours.duration)
        scale = max(1.0, ours.duration)
        np.testing.assert_allclose(end, target[0], rtol=0, atol=END_TOLERANCE * scale, err_msg=f"seed {seed}")
    assert compared > 0.99 * CASES / 2


def test_phase_synchronized_motion_is_a_line_in_joint_space():
    motion = kinetic.state_to_state([0, 0, 1], [1, -2, 1.5], [1, 2, 3], 4, 20, synchronization="phase")
    q = np.array([motion.sample(t) for t in np.linspace(0, motion.duration, 50)])
    line = (q - q[0]) / (q[-1] - q[0])
    np.testing.assert_allclose(line, line[:, :1] * np.ones(3), atol=1e-12)


def test_what_cannot_be_used_is_named():
    with pytest.raises(kinetic.InputError, match="highest jerk of joint 1"):
        kinetic.state_to_state([0, 0], [1, 1], 1, 2, [3, 0])
    with pytest.raises(kinetic.InputError, match="target velocity of joint 0"):
        kinetic.state_to_state([0, 0], [1, 1], 1, 2, 3, target_velocity=[2, 0])
    with pytest.raises(kinetic.InputError, match="velocity limits"):
        kinetic.state_to_state([0, 0], [1, 1], [1, 1, 1], 2, 3)
    with pytest.raises(kinetic.InputError, match="phase"):
        kinetic.state_to_state([0], [1], 1, 2, 3, synchronization="none")


def test_a_blend_goes_round_the_corner_without_a_stop():
    legs = [kinetic.Trajectory.from_waypoints(points) for points in ([[0, 0], [1, 0]], [[1, 0], [1, 1]])]
    a, b = (leg.time_parameterize("jerk_limited", 1.0, 5.0, 50.0) for leg in legs)
    blended = a.blend(b, 0.6, 1.0, 5.0, 50.0)
    assert blended.duration < a.duration + b.duration
    assert blended.validate(-10, 10, 1.0, 5.0, 50.0) == []
    times = np.linspace(0.1, blended.duration - 0.1, 200)
    assert min(np.linalg.norm(blended.sample_velocity(t)) for t in times) > 0.01
    assert a.blend(b, 0.6).duration > 0
    with pytest.raises(kinetic.InputError, match="joint 0"):
        a.blend(a, 0.6)


def test_the_jerk_limited_law_holds_jerk_and_passes_corners_without_a_stop():
    path = kinetic.Trajectory.from_waypoints([[0, 0], [1, 0.2], [1.5, 1], [2.5, 1.2]])
    timed = path.time_parameterize("jerk_limited", 1.0, 5.0)
    assert timed.validate(-10, 10, 1.0, 5.0, 50.0) == []
    times = np.linspace(0.1, timed.duration - 0.1, 300)
    assert min(np.linalg.norm(timed.sample_velocity(t)) for t in times) > 0.01
