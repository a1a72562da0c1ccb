"""Draws ``docs-site/assets/servo.png``: how a servo tracks, and how it keeps its distance.

Run from anywhere: ``python tools/servo_picture.py``. On the left, action chunks lead a joint of a UR5e along waves,
ten times per second and 20 ms late, first inside the limits and then faster than these; on the right, a twist drives
the tool at a ball and past it.
"""

from __future__ import annotations

from pathlib import Path

import matplotlib as mpl

mpl.use("Agg")

import matplotlib.pyplot as plt
import numpy as np

import kinetic

PICTURE = Path(__file__).resolve().parents[1] / "docs-site" / "assets" / "servo.png"
START = np.array([0.0, -1.57, 1.57, 0.0, 1.57, 0.0])
JOINT = 1
RATES = (2.0, 5.0)
"""Angular frequencies of the waves, rad/s."""
DURATION_S = 4.0
BALL = (0.62, 0.36, 0.45)
RADIUS = 0.1


def wave(t: np.ndarray, rate: float) -> np.ndarray:
    """Positions of all joints at times of one wave."""
    return START + 0.3 * np.outer(1.0 - np.cos(rate * t), np.eye(6)[JOINT])


def tracked(rate: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Times, the joint as the chunks want it and as it is."""
    servo = kinetic.Servo("ur5e")
    servo.set_state(START)
    found = []
    for tick in range(round(DURATION_S * servo.rate_hz)):
        if tick % 50 == 0:
            times = max(servo.time - 0.02, 0.0) + 0.02 * np.arange(21)
            servo.stream(wave(times, rate), times)
        answer = servo.tick()
        found.append((servo.time, answer["positions"][JOINT]))
    times, positions = np.array(found).T
    return times, wave(times, rate)[:, JOINT], positions


def driven() -> tuple[kinetic.Servo, np.ndarray]:
    """The servo, and for every tick its time, the distance to the ball, m, and the speed of the tool, m/s."""
    robot = kinetic.Robot("ur5e")
    scene = kinetic.Scene(robot)
    place = np.eye(4)
    place[:3, 3] = BALL
    scene.add("ball", kinetic.Shape.sphere(RADIUS), place)
    servo = kinetic.Servo(robot, scene)
    servo.set_state(START)
    found, before = [], servo.state()["ee_pose"][:3, 3]
    for _ in range(round(DURATION_S * servo.rate_hz)):
        answer = servo.send_twist([0.1, 0.25, 0.0, 0.0, 0.0, 0.0])
        tool = servo.state()["ee_pose"][:3, 3]
        speed = np.linalg.norm(tool - before) * servo.rate_hz
        found.append((servo.time, scene.min_distance(answer["positions"]), speed))
        before = tool
    return servo, np.array(found)


def main() -> None:
    """Draws the picture."""
    figure, (left, right) = plt.subplots(1, 2, figsize=(10.0, 3.6), layout="constrained")
    for rate, colour in zip(RATES, ("tab:blue", "tab:orange")):
        times, wanted, found = tracked(rate)
        left.plot(times, wanted, "--", color=colour, linewidth=0.8)
        error = np.abs(wanted - found).max()
        left.plot(times, found, color=colour, linewidth=1.2, label=f"{rate:g} rad/s, at most {error:.2g} rad off")
    left.set(xlabel="time, s", ylabel="joint, rad", title="Action chunks: wanted (dashed) and followed")
    left.legend(fontsize="small", loc="lower left")
    servo, found = driven()
    right.plot(found[:, 0], 100 * found[:, 1], color="tab:blue", label="distance to the ball, cm")
    right.plot(found[:, 0], 100 * found[:, 2], color="tab:orange", label="speed of the tool, cm/s")
    for name, style in (("slowdown_distance", ":"), ("stop_distance", "--")):
        right.axhline(100 * servo.options[name], color="tab:red", linestyle=style, linewidth=0.8, label=name)
    right.set(xlabel="time, s", title="A twist towards a ball", ylim=(0, 45))
    right.legend(fontsize="small")
    figure.savefig(PICTURE, dpi=110)
    print(PICTURE)


if __name__ == "__main__":
    main()
