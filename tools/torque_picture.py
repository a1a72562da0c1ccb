"""Draws ``docs-site/assets/torques.png``: the shoulder torque of a UR5e with 4 kg, with and without torque limits.

Run from anywhere: ``python tools/torque_picture.py``.
"""

from __future__ import annotations

from pathlib import Path

import matplotlib as mpl

mpl.use("Agg")

import matplotlib.pyplot as plt
import numpy as np

import kinetic

PICTURE = Path(__file__).resolve().parents[1] / "docs-site" / "assets" / "torques.png"
LOW, HIGH = [0.0] * 6, [0.5, -1.0, -0.6, -0.5, 1.0, 0.0]
JOINT = 1
SAMPLES = 2000


def shares(dynamics: kinetic.Dynamics, motion: kinetic.Trajectory, limits: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Times, and the torque of the joint over its limit."""
    times = np.linspace(0.0, motion.duration, SAMPLES)
    states = [
        [sample(t) for t in times] for sample in (motion.sample, motion.sample_velocity, motion.sample_acceleration)
    ]
    return times, dynamics.inverse_dynamics(*map(np.array, states))[:, JOINT] / limits[JOINT]


def main() -> None:
    """Draws the picture."""
    robot, part = kinetic.Robot("ur5e"), kinetic.Payload(4.0, com=[0.0, 0.0, 0.2])
    dynamics = kinetic.Dynamics(robot, payload=part)
    path = kinetic.Trajectory.from_waypoints([LOW, HIGH])
    limits = (robot.velocity_limits, robot.acceleration_limits)
    figure, axis = plt.subplots(figsize=(7.0, 3.0), layout="constrained")
    for law, colour in (("totp", "tab:blue"), ("jerk_limited", "tab:orange")):
        for kept, style in ((None, "--"), (dynamics, "-")):
            motion = path.time_parameterize(law, *limits, dynamics=kept)
            label = f"{law}, {'without' if kept is None else 'with'} torque limits: {motion.duration:.2f} s"
            axis.plot(*shares(dynamics, motion, robot.effort_limits), style, color=colour, linewidth=1.2, label=label)
    axis.axhline(-1.0, color="tab:red", linewidth=0.8)
    axis.set(xlabel="time, s", ylabel=f"torque / limit\n{robot.joint_names[JOINT]}")
    axis.legend(fontsize="small")
    figure.savefig(PICTURE, dpi=110)
    print(PICTURE)


if __name__ == "__main__":
    main()
