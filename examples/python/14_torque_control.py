"""Arms driven at 500 Hz by positions, and by efforts that their dynamics compute; how well they track. Needs MuJoCo."""

import importlib
import importlib.util
import tempfile
from pathlib import Path
from typing import Any

import numpy as np

import kinetic

CONFIGS = Path(__file__).resolve().parents[2] / "robot_configs"
RATE_HZ = 500.0
# Of the error's dynamics e'' + KD e' + KP e = 0: both poles at -50/s.
KP, KD = 2500.0, 100.0


class Arm:
    """A robot in MuJoCo that makes a step with every command; `control` is "position" or "torque"."""

    def __init__(self, name: str, control: str) -> None:
        mujoco: Any = importlib.import_module("mujoco")
        self.robot, self.control = kinetic.Robot(name), control
        self.dynamics, self.wanted = kinetic.Dynamics(self.robot), np.zeros(self.robot.dof)
        spec = mujoco.MjSpec.from_string((CONFIGS / name / "robot.urdf").read_text("utf-8"))
        fingers = [joint for joint in spec.joints if joint.name not in self.robot.joint_names]
        for element in [*spec.equalities, *fingers]:
            spec.delete(element)  # they stay where they are
        spec.option.timestep, spec.option.integrator = 1.0 / RATE_HZ, mujoco.mjtIntegrator.mjINT_IMPLICITFAST
        for joint_name, effort in zip(self.robot.joint_names, self.robot.effort_limits):
            motor = spec.add_actuator(name=joint_name, target=joint_name, trntype=mujoco.mjtTrn.mjTRN_JOINT)
            motor.forcerange, motor.forcelimited = [-effort, effort], True
            if control == "position":
                motor.set_to_position(kp=200.0 * effort, kv=2.0 * effort)  # 10 ms late
            else:
                motor.set_to_motor()
        for body in spec.bodies[1:]:
            body.gravcomp = control == "position"  # as the controllers of real arms
        self.model = spec.compile()
        self.data, self.step = mujoco.MjData(self.model), mujoco.mj_step
        self.commanded: list[np.ndarray] = []
        self.actual: list[np.ndarray] = []

    def send(self, positions: np.ndarray, velocities: np.ndarray) -> None:
        """Takes a command."""
        acceleration = (velocities - self.wanted) * RATE_HZ
        self.wanted = velocities
        self.data.ctrl[:] = (
            positions if self.control == "position" else self.efforts(positions, velocities, acceleration)
        )
        self.step(self.model, self.data)
        self.commanded.append(positions)
        self.actual.append(self.data.qpos.copy())

    def efforts(self, positions: np.ndarray, velocities: np.ndarray, acceleration: np.ndarray) -> np.ndarray:
        """Computed torque (Luh, Walker and Paul 1980): efforts that lead back to the trajectory."""
        q, qd = self.data.qpos.copy(), self.data.qvel.copy()
        wanted = acceleration + KD * (velocities - qd) + KP * (positions - q)
        return self.dynamics.inverse_dynamics(q, qd, wanted)

    def read(self) -> tuple[np.ndarray, np.ndarray]:
        """Measures."""
        return self.data.qpos.copy(), self.data.qvel.copy()


def run(name: str, control: str, clock: kinetic.SimulatedClock | None = None) -> tuple[Arm, kinetic.ExecutionResult]:
    """A motion of one arm."""
    arm = Arm(name, control)
    motion = kinetic.plan(arm.robot, "home", "ready" if name == "ur5e" else [0.3, -0.3, 0.3, -2.0, 0.3, 1.8, 0.6])
    arm.data.qpos[:] = motion.sample(0.0)
    executor = kinetic.RealTimeExecutor.safe(arm.robot, RATE_HZ, clock=clock)
    return arm, executor.execute(motion, arm.send, arm.read)


def draw(arms: list[Arm]) -> None:
    """Commanded and actual positions of the second joint."""
    figure = importlib.import_module("matplotlib.figure").Figure(figsize=(9.0, 6.0), layout="constrained")
    for arm, axis in zip(arms, figure.subplots(2, 2).flat):
        axis.plot(np.transpose([arm.commanded, arm.actual])[1], label=["commanded", "actual"])
        axis.set_title(f"{arm.robot.name}, {arm.control}")
        axis.legend()
    path = Path(tempfile.gettempdir()) / "torque_control.png"
    figure.savefig(path)
    print("drawn:", path)


def main() -> None:
    """All four arms."""
    arms = []
    for name in ("ur5e", "franka_panda"):
        for control in ("position", "torque"):
            # Simulated time, so that a busy machine changes nothing; without a clock it runs at 500 Hz in real time.
            arm, result = run(name, control, kinetic.SimulatedClock())
            error = np.subtract(arm.commanded, arm.actual)
            print(f"{name}, {control}: {result['state']}, error {1e3 * np.abs(error).max():.2f} mrad at most")
            arms.append(arm)
    if importlib.util.find_spec("matplotlib"):
        draw(arms)


if __name__ == "__main__":
    if importlib.util.find_spec("mujoco"):
        main()
    else:
        print("MuJoCo is not installed: pip install mujoco")
