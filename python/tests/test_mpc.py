"""Receding horizon, and handing over to the planner. Oracles: Coal for clearances, stated limits, and a servo alone."""

from __future__ import annotations

import signal
import threading

import numpy as np
import pytest
from oracles import translation as at
from test_second_opinions import SecondChecker

from kinetic import InputError, Mpc, PlanningError, Robot, Scene, Servo, Shape, TargetServo

START = np.array([-0.8, -1.2, 1.8, -2.0, -1.57, 0.0])
TARGET = np.array([0.8, -1.2, 1.8, -2.0, -1.57, 0.0])
WALL = (Shape.cuboid(0.25, 0.01, 0.4), at(0.6, 0.0, 0.4))
LARGE_WALL = (Shape.cuboid(0.45, 0.01, 0.7), at(0.75, 0.0, 0.6))


def plate_in_the_way(robot: Robot) -> tuple[Scene, np.ndarray]:
    """A plate across the straight way of the tool."""
    scene = Scene(robot)
    centre = at(*(robot.fk(START)[:3, 3] + robot.fk(TARGET)[:3, 3]) / 2)
    scene.add("plate", Shape.cuboid(0.1, 0.01, 0.1), centre)
    return scene, centre


def test_an_mpc_passes_a_plate_that_a_servo_halts_at_and_keeps_its_distance_by_coal() -> None:
    coal = pytest.importorskip("coal", reason="tests in Rust prove each tick free; this is a second opinion")
    robot, second = Robot("ur5e"), SecondChecker("ur5e")
    scene, centre = plate_in_the_way(robot)
    # One that keeps its direction; with "qp" it slides along the plate.
    servo = Servo(robot, scene, method="damped")
    servo.set_state(START)
    for _ in range(5000):
        servo.track_pose(robot.fk(TARGET))
    assert np.linalg.norm(servo.state()["ee_pose"][:3, 3] - robot.fk(TARGET)[:3, 3]) > 0.1
    mpc = Mpc(robot, scene)
    mpc.set_state(START)
    mpc.set_target(robot.fk(TARGET))
    velocity, acceleration = np.array(robot.velocity_limits), np.array(robot.acceleration_limits)
    for tick in range(10_000):
        answer = mpc.tick()
        assert (np.abs(answer["velocities"]) <= velocity + 1e-9).all()
        assert (np.abs(answer["accelerations"]) <= acceleration + 1e-9).all()
        if tick % 20 == 0:
            plate = (coal.Box(0.2, 0.02, 0.2), centre)
            world, own = second.clearances(robot.fk_all(answer["positions"]), [plate], [])
            assert world > 0.03 - 2e-4 and own > 0.0, f"tick {tick}"
        if mpc.error()["position"] < 1e-3:
            break
    assert np.linalg.norm(robot.fk(answer["positions"])[:3, 3] - robot.fk(TARGET)[:3, 3]) < 1e-3
    assert mpc.goes_straight


def test_the_same_seed_gives_the_same_motion() -> None:
    robot = Robot("ur5e")

    def moved(**options) -> np.ndarray:
        mpc = Mpc(robot, plate_in_the_way(robot)[0], **options)
        mpc.set_state(START)
        mpc.set_joint_target(TARGET)
        return [mpc.tick() for _ in range(300)][-1]["positions"]

    first = moved(seed=1)
    np.testing.assert_array_equal(first, moved(seed=1))
    assert (first != moved(seed=2)).any()
    np.testing.assert_array_equal(moved(seed=1, horizon=20), moved(seed=1, horizon=20))
    assert (first != moved(seed=1, horizon=20)).any()


# A servo slides past the smaller wall.
@pytest.mark.parametrize(("approach", "wall"), [("servo", LARGE_WALL), ("mpc", WALL)])
def test_a_target_servo_leaves_a_wall_by_a_plan(approach: str, wall: tuple[Shape, np.ndarray]) -> None:
    robot = Robot("ur5e")
    scene = Scene(robot)
    scene.add("wall", *wall)
    servo = TargetServo(robot, scene, approach=approach)
    servo.set_state(START)
    assert (servo.status, servo.error(), servo.dof, servo.rate_hz) == ("idle", None, 6, 500.0)
    servo.set_target(robot.fk(TARGET))
    for _ in range(30_000):
        answer = servo.tick()
        if servo.status in ("reached", "stuck"):
            break
    assert (servo.status, servo.stuck_reason) == ("reached", None)
    assert servo.plans >= 1
    assert np.linalg.norm(robot.fk(answer["positions"])[:3, 3] - robot.fk(TARGET)[:3, 3]) < 1.001e-3


def test_a_target_servo_that_is_not_to_plan_is_stuck() -> None:
    robot = Robot("ur5e")
    scene = Scene(robot)
    scene.add("wall", *WALL)
    servo = TargetServo(robot, scene, on_stuck="stop")
    servo.set_state(START)
    servo.set_joint_target(TARGET)
    while servo.status == "approaching":
        servo.tick()
    assert servo.status == "stuck"
    assert servo.stuck_reason == "the arm comes no nearer to its target"
    assert servo.error()["joints"] > 0.1
    scene.remove("wall")
    while servo.status != "reached":
        servo.tick()
    servo.stop()
    assert servo.status == "idle"


def test_ctrl_c_ends_the_plan_of_a_tick_and_the_next_tick_plans_again() -> None:
    robot = Robot("ur5e")
    scene = Scene(robot)
    # A wall with a hole that the shoulder alone fits through: the search has no end.
    for side in (-1.0, 1.0):
        scene.add(f"beside {side}", Shape.cuboid(1.0, 0.01, 1.5), at(1.3 * side, 0.0, 0.0))
    scene.add("above", Shape.cuboid(0.3, 0.01, 1.0), at(0.0, 0.0, 1.5))
    servo = TargetServo(robot, scene, plan_timeout=1000.0)
    low = [-0.3, 0.6, -0.3, -1.57, 0.0]
    servo.set_state([-1.57, *low])
    servo.set_joint_target([1.57, *low])
    while not servo.plans_next:
        servo.tick()
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        for _ in range(2):
            threading.Timer(0.5, signal.raise_signal, [signal.SIGINT]).start()
            with pytest.raises(KeyboardInterrupt):
                servo.tick()
            assert servo.plans_next
    finally:
        signal.signal(signal.SIGINT, before)


def test_wrong_input_is_refused_by_name() -> None:
    robot = Robot("ur5e")
    refused = [
        (lambda: Mpc(robot, horizon=0), "horizon"),
        (lambda: Mpc(robot, samples=1), "samples"),
        (lambda: Mpc(robot, period=1e-6), "period"),
        (lambda: Mpc(robot, noise=-1.0), "noise"),
        (lambda: Mpc(robot, rate_hz=0.0), "rate_hz"),
        (lambda: Mpc(robot, preset="fast"), "fast"),
        (lambda: Mpc(robot).tick(), "set_state"),
        (lambda: Mpc(robot).set_joint_target([0.0]), "6"),
        (lambda: Mpc(robot).set_joint_target([9.0] * 6), "shoulder_pan_joint"),
        (lambda: TargetServo(robot, on_stuck="wait"), "on_stuck"),
        (lambda: TargetServo(robot, approach="fly"), "approach"),
        (lambda: TargetServo(robot, samples=10), "samples"),
        (lambda: TargetServo(robot, stuck_after=0.0), "stuck_after"),
        (lambda: TargetServo(robot, plan_timeout=float("inf")), "plan_timeout"),
    ]
    for call, name in refused:
        with pytest.raises(InputError, match=name):
            call()
    scene = Scene(robot)
    scene.add("ball", Shape.sphere(0.1), at(*robot.fk(START)[:3, 3]))
    for moving in [Mpc(robot, scene), TargetServo(robot, scene)]:
        with pytest.raises(PlanningError, match="ball"):
            moving.set_state(START)


def test_a_ball_that_appears_on_a_plan_stops_the_arm_and_it_plans_anew() -> None:
    robot = Robot("ur5e")

    def reach(ball: np.ndarray | None) -> tuple[list[str], list[np.ndarray]]:
        scene = Scene(robot)
        scene.add("wall", *WALL)
        servo = TargetServo(robot, scene, plan_timeout=20.0)
        servo.set_state(START)
        servo.set_joint_target(TARGET)
        seen, followed = ["approaching"], []
        while seen[-1] not in ("reached", "stuck"):
            q = servo.tick()["positions"]
            if servo.status != seen[-1]:
                seen.append(servo.status)
            if servo.status == "following_plan":
                followed.append(q)
                if ball is not None and len(followed) == 100:
                    scene.add("ball", Shape.sphere(0.03), at(*ball))
            assert not scene.check_collision(q)
        return seen, followed

    alone, followed = reach(None)
    assert alone == ["approaching", "braking", "following_plan", "approaching", "reached"]
    # Where the tool is 1.6 s later: the arm has room to brake, and no room to pass.
    seen, _ = reach(robot.fk(followed[900])[:3, 3])
    assert seen[:5] == ["approaching", "braking", "following_plan", "braking", "following_plan"]
    assert seen[-1] == "reached"


def test_a_question_from_another_thread_does_not_hold_python_up_while_it_plans() -> None:
    robot = Robot("ur5e")
    scene = Scene(robot)
    # Both half planes beside the base: there is no way round, so that planning lasts for all of its time.
    for name, x, half in [("front", 0.95, 0.7), ("back", -0.95, 0.7)]:
        scene.add(name, Shape.cuboid(half, 0.005, 1.5), at(x, 0.0, 1.0))
    scene.add("above", Shape.cuboid(0.25, 0.005, 1.0), at(0.0, 0.0, 1.5))
    servo = TargetServo(robot, scene, plan_timeout=2.0, max_plans=1)
    aside = np.array([1.57 - 0.8, 0.0, 0.0, 0.0, 0.0, 0.0])
    servo.set_state(START - aside)
    servo.set_joint_target(TARGET + aside)
    while not servo.plans_next:
        servo.tick()
    answers = []
    plans = threading.Thread(target=servo.tick)
    plans.start()
    # A question before the plan begins is answered at once; the first one after it waits, and this thread runs on.
    while plans.is_alive():
        asks = threading.Thread(target=lambda: answers.append(servo.status))
        asks.start()
        asks.join(timeout=0.1)
        if asks.is_alive():
            break
    assert plans.is_alive()
    plans.join()
    asks.join()
    assert answers[-1] == "stuck"
