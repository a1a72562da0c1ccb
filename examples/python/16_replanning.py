"""A ball that appears where the tool will be: a stop and another motion, and another motion without a stop."""

from typing import Any

import numpy as np

import kinetic

robot = kinetic.Robot("ur5e")
left, right = np.array([-1.4, -1.2, 1.2, -1.5, -1.57, 0.0]), np.array([1.4, -1.2, 1.2, -1.5, -1.57, 0.0])
ahead = robot.fk(np.array([0.7, *left[1:]]))[:3, 3]

for replan in ("deferred", "splice"):
    scene = kinetic.Scene(robot)
    commands: list[np.ndarray] = []

    def appear(now: dict[str, Any], scene: kinetic.Scene = scene, commands: list[np.ndarray] = commands) -> None:
        """Adds the ball once the arm has turned a little. A camera has its place here, in any thread."""
        commands.append(now["positions"])
        if now["positions"][0] > -1.2 and not scene.objects:
            scene.add("ball", kinetic.Shape.sphere(0.08), kinetic.Pose.from_xyz(*ahead))

    # Simulated time: a real arm has a RealTimeExecutor with its driver instead.
    planner = kinetic.Planner(robot, scene)
    loop = kinetic.PlanExecuteLoop(planner, kinetic.SimExecutor(), progress=appear, joints=left, replan=replan)
    result = loop.move_to(right)

    speeds = 500.0 * np.linalg.norm(np.diff(commands, axis=0), axis=1)
    rests = int(np.count_nonzero((speeds[1:-1] < 1e-3) & (speeds[:-2] >= 1e-3)))
    print(f"{replan}: {result['replans']} new motion, {result['splices']} without a stop, {len(commands)} commands")
    print(f"  rests on the way: {rests}; from the ball {result['trajectory'].certificate.min_clearance:.4f} m")
