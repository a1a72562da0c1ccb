"""While the robot moves: slower and on again, a stop, another motion in its place."""

import numpy as np

import kinetic

robot = kinetic.Robot("ur5e")
velocity, acceleration = robot.velocity_limits, robot.acceleration_limits
planner = kinetic.Planner(robot, rng_seed=1)
motion = planner.plan("home", "ready")
PERIOD = 0.002

# A speed override: the robot is late on its path, never beside it.
playback = kinetic.Playback(motion, acceleration)
cycles, slowest, farthest = 0, 1.0, 0.0
while not playback.is_finished:
    if cycles == 100:
        playback.set_override(0.2)
    if cycles == 500:
        playback.set_override(1.0)
    state = playback.step(PERIOD)
    slowest = min(slowest, playback.rate)
    farthest = max(farthest, float(np.abs(state["positions"] - motion.sample(playback.time)).max()))
    cycles += 1
print(f"override: {cycles * PERIOD:.2f} s instead of {motion.duration:.2f} s, rate down to {slowest:.2f}")
print(f"largest distance from the path: {farthest:.1e} rad")

# The earliest stop on the path, and the jerk-limited stop of each joint, which leaves it.
now = 0.5 * motion.duration
stop = motion.stop(now, velocity, acceleration)
print(f"stop on the path: {stop['trajectory'].duration:.3f} s, {stop['deviation']:.1e} rad from it")
emergency = motion.stop(now, velocity, acceleration, on_path=False)
print(f"stop of each joint: {emergency['trajectory'].duration:.3f} s, {emergency['deviation']:.3f} rad from it")
# On the path it was proven already. Beside it, the proof is asked for.
proven = planner.certify(emergency["trajectory"])
assert proven.certificate is not None
print("proven free in", proven.certificate.checks, "checks")

# Another goal while under way: plan from where the robot comes to rest, and let the new motion take over.
rest = motion.sample(now) + [0.4, 0.1, 0.0, 0.0, 0.0, 0.0]
detour = planner.plan(rest, "home")
spliced = planner.certify(motion.splice(detour, now, 0.02, velocity, acceleration))
jump = np.abs(spliced.sample_velocity(0.0) - motion.sample_velocity(now)).max()
print(f"spliced: {spliced.duration:.2f} s, the velocity steps by {jump:.1e} rad/s")
