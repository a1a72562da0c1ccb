"""A part of 4 kg in the hand of a UR5e: motions that its motors can follow."""

import numpy as np

import kinetic

robot = kinetic.Robot("ur5e")
part = kinetic.Payload(4.0, com=[0.0, 0.0, 0.2])
dynamics = kinetic.Dynamics(robot, payload=part)
low, high = [0.0, 0.0, 0.0, 0.0, 0.0, 0.0], [0.5, -1.0, -0.6, -0.5, 1.0, 0.0]


def largest_share(motion: kinetic.Trajectory) -> float:
    """The largest torque over its limit, at 1,000 instants."""
    times = np.linspace(0.0, motion.duration, 1000)
    q, qd, qdd = (
        np.array([sample(t) for t in times])
        for sample in (motion.sample, motion.sample_velocity, motion.sample_acceleration)
    )
    return float((np.abs(dynamics.inverse_dynamics(q, qd, qdd)) / robot.effort_limits).max())


# Limits of velocity and acceleration alone know nothing of the part.
plain = kinetic.Planner(robot, rng_seed=1).plan(low, high)
print(f"without torques: {plain.duration:.3f} s, {largest_share(plain):.1%} of a torque limit")
worst = max(dynamics.check_trajectory(plain), key=lambda record: abs(record["effort"]) / record["limit"])
print(f"  {worst['joint']}: {worst['effort']:.1f} Nm of {worst['limit']:.0f} at {worst['time']:.2f} s")

# With torque limits the planner slows where it must, and the certificate says how much of them is used at most.
planner = kinetic.Planner(robot, rng_seed=1, torque_limits=True, payload=part)
kept = planner.plan(low, high)
assert kept.certificate is not None
print(f"with torques:    {kept.duration:.3f} s, proven {kept.certificate.max_torque_ratio:.2%}")

# The same for a path of your own. Laws other than "totp" become slower as a whole.
path = kinetic.Trajectory.from_waypoints([low, high])
for law in ("totp", "trapezoidal", "jerk_limited"):
    limits = (robot.velocity_limits, robot.acceleration_limits)
    timed = path.time_parameterize(law, *limits, dynamics=dynamics)
    print(f"{law:12} {timed.duration:.3f} s, {largest_share(timed):.1%}")

# No motion helps where a joint cannot even hold the part.
try:
    kinetic.Planner(robot, torque_limits=True, payload=12.0).plan(low, high)
except kinetic.PlanningError as error:
    print("12 kg:", error)
