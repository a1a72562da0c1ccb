"""A motion sent to a driver: commands and feedback, a pause, and what happens when the driver fails."""

import numpy as np

import kinetic

robot = kinetic.Robot("ur5e")
motion = kinetic.plan(robot, "home", [0.3, -1.27, 0.3, -1.27, 0.3, 0.3])


class Arm:
    """A robot that follows its commands one cycle late. A real one has its driver in place of the two methods."""

    def __init__(self) -> None:
        self.positions = self.before = motion.sample(0.0)

    def send(self, positions: np.ndarray, _velocities: np.ndarray) -> None:
        """Takes a command."""
        self.before, self.positions = self.positions, positions

    def read(self) -> np.ndarray:
        """Measures."""
        return self.before


# Limits and joint names of the model, feedback required; simulated time, so that nobody waits.
arm = Arm()
executor = kinetic.RealTimeExecutor.safe(robot, clock=kinetic.SimulatedClock())
result = executor.execute(motion, arm.send, arm.read)
print(f"{result['state']} after {result['actual_duration']:.2f} s and {result['commands_sent']} commands")
print(f"largest deviation {1e3 * result['max_deviation']:.2f} mrad; the motion has a certificate: {result['verified']}")

# While it runs, a handle pauses, resumes, slows down, stops and splices. This one runs on the wall clock.
handle = kinetic.RealTimeExecutor(rate_hz=100.0, command_timeout_ms=1e3).start(motion, Arm().send)
handle.set_speed(0.5)
slow = handle.wait()
late = 1e6 * slow["jitter"]["mean"]
print(f"at half the speed: {slow['actual_duration']:.2f} s, commands {late:.0f} µs late on average")

# A driver that fails: no more commands, the second channel stops the robot, the exception is the cause of the error.
arm = Arm()
stops: list[str] = []


def fail(positions: np.ndarray, velocities: np.ndarray) -> None:
    if np.linalg.norm(positions - motion.sample(0.0)) > 0.1:
        raise ConnectionError("the cable is out")
    arm.send(positions, velocities)


try:
    executor.execute(motion, fail, arm.read, on_stop=lambda action, _: stops.append(action))
except kinetic.ExecutionError as error:
    print(f"{error} (cause: {error.__cause__!r}); asked for: {stops[0]}")
