"""Action chunks of a policy, late, noisy and one that would collide, made safe by a servo, on an arm of MuJoCo."""

import importlib.util
from collections import Counter

import numpy as np

import kinetic
from kinetic.drivers.mujoco_arm import Driver

START = np.array([0.0, -1.57, 1.57, 0.0, 1.57, 0.0])
RATE_HZ, POLICY_PERIOD_S, STEP_S, LENGTH = 500.0, 0.1, 0.05, 16
DURATION_S = 8.0


class Policy:
    """Stands for a learned one: it waves the arm, looks 0.8 s ahead at 10 Hz, and is not always right."""

    def __init__(self) -> None:
        self.rng = np.random.default_rng(1)

    def act(self, now: float, call: int) -> tuple[np.ndarray, np.ndarray]:
        """Positions (n, dof) and their times (n,), s."""
        late = 0.15 if call % 5 == 4 else 0.0
        times = now - late + STEP_S * np.arange(1, LENGTH + 1)
        chunk = START + np.outer(0.4 * np.sin(0.8 * times), [1.0, 0.0, 0.5, 0.0, 0.0, 1.0])
        if 3.0 < now < 4.0:
            # It has gone astray: at 1 rad/s towards the post and through it.
            chunk[:, 0] = 0.4 + (times - 3.0)
        # No two chunks agree: each is off by some milliradians.
        return chunk + self.rng.normal(0.0, 0.003, 6), times


def cell(robot: kinetic.Robot) -> kinetic.Scene:
    """A post beside the arm, where the tool would be after a turn of the base by 1.2 rad."""
    scene = kinetic.Scene(robot)
    x, y, _ = robot.fk(START + [1.2, 0.0, 0.0, 0.0, 0.0, 0.0])[:3, 3]
    scene.add("post", kinetic.Shape.cylinder(0.05, 0.5), kinetic.Pose.from_xyz(x, y, 0.5))
    return scene


def main() -> None:
    """The policy drives the arm; the servo keeps it from the post."""
    robot = kinetic.Robot("ur5e")
    scene, policy = cell(robot), Policy()
    # The arm follows 10 ms late: how far its joints may be from their commands is part of every proof. Seams between
    # chunks that do not agree take time, since jerk is limited.
    servo = kinetic.Servo(robot, scene, rate_hz=RATE_HZ, tracking_error=0.02, blend_time=0.3)
    servo.set_state(START)
    arm = Driver(robot, START, scene, RATE_HZ)
    statuses: Counter[str] = Counter()
    nearest, lag, call, wrong = np.inf, 0.0, 0, 0
    while servo.time < DURATION_S:
        if servo.time >= call * POLICY_PERIOD_S:
            chunk, times = policy.act(servo.time, call)
            wrong += any(scene.check_collision(q) for q in chunk)
            servo.stream(chunk, times)
            call += 1
        command = servo.tick()
        arm.send(command["positions"], command["velocities"])
        measured, _ = arm.read()
        statuses[command["status"]] += 1
        nearest = min(nearest, scene.min_distance(measured))
        lag = max(lag, float(np.abs(measured - command["positions"]).max()))
    for status, count in statuses.most_common():
        print(f"{status}: {count} ticks")
    print(f"{call} chunks, {wrong} of them through the post")
    print(f"arm at most {1e3 * lag:.1f} mrad late, {1e3 * nearest:.0f} mm from the post at the nearest")
    assert wrong > 5 and lag < 0.02 and statuses["no_warning"] > 1000
    assert nearest > 0.03 and not arm.contacts, "MuJoCo reports no contact"
    print("contacts in MuJoCo:", len(arm.contacts))


if __name__ == "__main__":
    if importlib.util.find_spec("mujoco"):
        main()
    else:
        print("MuJoCo is not installed: pip install mujoco")
