"""Servo. Oracles: Pinocchio for poses, Coal for clearances, differences of commands for limits."""

import numpy as np
import pytest
from oracles import translation as at
from test_second_opinions import SecondChecker

from kinetic import InputError, Planner, PlanningError, Robot, Scene, Servo, Shape, TaskProblem

HOME = [0.0, -1.57, 1.57, 0.0, 1.57, 0.0]


def test_a_twist_moves_the_tool_as_pinocchio_sees_it(tmp_path) -> None:
    pin = pytest.importorskip("pinocchio", reason="no wheel of Pinocchio for this Python")
    robot = Robot("ur5e")
    path = tmp_path / "robot.urdf"
    path.write_text(robot.to_urdf())
    model = pin.buildModelFromUrdf(str(path))
    data = model.createData()
    tip = model.getFrameId(robot.tip)

    def place(q: np.ndarray):
        pin.framesForwardKinematics(model, data, q)
        return data.oMf[tip].copy()

    servo = Servo(robot, command_timeout=100.0)
    servo.set_state(HOME)
    twist = np.array([0.05, -0.04, 0.03, 0.1, -0.2, 0.1])
    for tick in range(400):
        before = servo.state()["joint_positions"]
        after = servo.send_twist(twist)["positions"]
        if tick > 250:
            one, two = place(before), place(after)
            found = (
                np.concatenate([two.translation - one.translation, pin.log3(two.rotation @ one.rotation.T)])
                * servo.rate_hz
            )
            base = place(np.array(HOME)) and data.oMf[model.getFrameId(robot.base)].rotation
            found = np.concatenate([base.T @ found[:3], base.T @ found[3:]])
            np.testing.assert_allclose(found, twist, atol=0.01 * np.linalg.norm(twist))


@pytest.mark.parametrize("name", ["ur5e", "franka_panda", "xarm7"])
def test_an_arm_that_is_steered_into_balls_keeps_its_distance_by_coal(name: str) -> None:
    coal = pytest.importorskip("coal", reason="tests in Rust prove each tick free; this is a second opinion")
    robot, second = Robot(name), SecondChecker(name)
    start = np.array(robot.named_pose("home"))
    tool = robot.fk(start)[:3, 3]
    rng = np.random.default_rng(2)
    scene, balls = Scene(robot), []
    for _ in range(100):
        way = rng.normal(size=3)
        centre = tool + (0.25 + 0.15 * rng.random()) * way / np.linalg.norm(way)
        ball = (coal.Sphere(0.06), at(*centre))
        if len(balls) < 6 and second.clearances(robot.fk_all(start), [ball], [])[0] > 0.05:
            balls.append(ball)
            scene.add(f"ball {len(balls)}", Shape.sphere(0.06), at(*centre))
    servo = Servo(robot, scene, command_timeout=100.0)
    servo.set_state(start)
    nearest = np.inf
    for tick in range(3000):
        if tick % 200 == 0:
            # Towards one of them.
            twist = np.zeros(6)
            to = balls[tick // 200 % len(balls)][1][:3, 3] - robot.fk(servo.state()["joint_positions"])[:3, 3]
            twist[:3] = 0.5 * to / np.linalg.norm(to)
        q = servo.send_twist(twist)["positions"]
        if tick % 20 == 0:
            world, own = second.clearances(robot.fk_all(q), balls, [])
            nearest = min(nearest, world)
            assert world > 0.03 - 2e-4 and own > 0.0, f"tick {tick}"
    assert nearest < 0.06, "something was approached"


def test_limits_hold_between_all_commands_of_random_kinds() -> None:
    robot = Robot("ur5e")
    scene = Scene(robot)
    scene.add("table", Shape.cuboid(0.75, 0.75, 0.05), at(0.0, 0.0, -0.1))
    servo = Servo(robot, scene)
    servo.set_state(HOME)
    rng = np.random.default_rng(5)
    velocity, acceleration = np.array(robot.velocity_limits), np.array(robot.acceleration_limits)
    jerk = 10 * acceleration if robot.jerk_limits is None else np.array(robot.jerk_limits)
    before = servo.tick()
    for tick in range(4000):
        if tick % 40 == 0:
            kind, numbers = rng.integers(5), rng.uniform(-2.0, 2.0, 6)
        if kind == 0:
            after = servo.send_twist(numbers)
        elif kind == 1:
            after = servo.send_joint_velocities(numbers)
        elif kind == 2:
            after = servo.send_joint_jog(int(abs(numbers[0]) * 2.9), numbers[1])
        elif kind == 3:
            after = servo.track_joints(HOME + 0.3 * numbers)
        else:
            after = servo.tick()
        assert not after["exceeds_limits"]
        assert (np.abs(after["velocities"]) <= velocity + 1e-9).all()
        assert (np.abs(after["accelerations"]) <= acceleration + 1e-9).all()
        assert (np.abs(after["accelerations"] - before["accelerations"]) <= jerk / servo.rate_hz + 1e-6).all()
        before = after


def test_edits_of_the_scene_are_seen_by_the_next_tick() -> None:
    robot = Robot("ur5e")
    scene = Scene(robot)
    servo = Servo(robot, scene, method="damped", command_timeout=100.0)
    servo.set_state(HOME)
    assert servo.state()["min_obstacle_distance"] == np.inf
    assert servo.tick()["min_self_distance"] == np.inf
    assert not servo.state()["near_collision"]
    tool = robot.fk(HOME)[:3, 3]
    scene.add("ball", Shape.sphere(0.05), at(tool[0], tool[1], tool[2] + 0.2))
    assert servo.tick()["min_distance"] < 0.15
    for _ in range(2000):
        answer = servo.send_twist([0.0, 0.0, 0.3, 0.0, 0.0, 0.0])
    assert 0.03 - 2e-4 <= answer["min_distance"] < 0.06
    assert servo.state()["nearest_pair"][1] == "ball"
    assert servo.state()["near_collision"]
    scene.remove("ball")
    for _ in range(200):
        answer = servo.send_twist([0.0, 0.0, 0.1, 0.0, 0.0, 0.0])
    assert answer["status"] == "no_warning"


def test_a_pose_is_tracked_and_silence_stops_the_arm() -> None:
    robot = Robot("ur5e")
    servo = Servo(robot, preset="tracking")
    servo.set_state(HOME)
    target = robot.fk(np.array(HOME) + 0.1)
    for _ in range(800):
        answer = servo.track_pose(target)
    np.testing.assert_allclose(servo.state()["ee_pose"], target, atol=1e-4)
    assert servo.state()["manipulability"] > 0
    servo.send_joint_jog(0, 0.5)
    for _ in range(400):
        answer = servo.tick()
    assert answer["status"] == "no_command"
    assert servo.state()["is_stopped"]


def test_wrong_input_is_refused_by_name_and_the_next_good_tick_works() -> None:
    robot = Robot("ur5e")
    scene = Scene(robot)
    servo = Servo(robot, scene)
    assert (servo.rate_hz, servo.dof) == (500.0, 6)
    with pytest.raises(InputError, match="set_state"):
        servo.tick()
    scene.add("wall", Shape.cuboid(0.1, 1.0, 1.0), at(0.0, 0.0, 0.5))
    with pytest.raises(PlanningError, match="wall"):
        servo.set_state(HOME)
    scene.remove("wall")
    servo.set_state(HOME)
    for wrong, said in [
        (lambda: servo.send_twist([0.0] * 5), "6"),
        (lambda: servo.send_twist([np.nan] * 6), "NaN"),
        (lambda: servo.send_twist([0.0] * 6, frame="hand"), "hand"),
        (lambda: servo.send_twist([0.0] * 6, position_mask=False, rotation_mask=False), "component"),
        (lambda: servo.send_joint_jog(6, 0.1), "6 joints"),
        (lambda: servo.track_joints([0.0] * 5), "5"),
        (lambda: servo.track_pose(np.full((4, 4), np.nan)), "target"),
        (lambda: Servo(robot, method="newton"), "damped"),
        (lambda: Servo(robot, preset="fast"), "precise"),
        (lambda: Servo(robot, stop_distance=-1.0), "stop_distance"),
        (lambda: Servo(robot, velocity_limits=[1.0]), "velocity_limits"),
        (lambda: Servo(robot, Scene("franka_panda")), "robot"),
        (lambda: Servo(robot, group="legs"), "legs"),
    ]:
        with pytest.raises(InputError, match=said):
            wrong()
    assert servo.send_joint_jog(0, 0.2)["status"] == "no_warning"


def test_chunks_of_joints_follow_the_spline_of_scipy_and_chunks_of_poses_the_tool_of_pinocchio(tmp_path) -> None:
    interpolate = pytest.importorskip("scipy.interpolate", reason="no wheel of SciPy for this Python")
    robot = Robot("ur5e")
    servo = Servo(robot)
    servo.set_state(HOME)
    times = np.arange(0.0, 3.0, 0.15)
    chunk = HOME + 0.15 * np.sin(np.outer(times, [1.0, 1.2, 1.5, 2.0, 1.7, 2.2]))
    chunk[0] = HOME
    spline = interpolate.CubicSpline(times, chunk, bc_type="natural")
    servo.stream(chunk, times)
    while servo.time < 2.8:
        answer = servo.tick()
        if servo.time > 0.5:
            np.testing.assert_allclose(answer["positions"], spline(servo.time), atol=1e-9)
            np.testing.assert_allclose(answer["velocities"], spline(servo.time, 1), atol=1e-6)
            assert answer["status"] == "no_warning" and np.abs(answer["joint_deviations"]).max() < 1e-9
    pin = pytest.importorskip("pinocchio", reason="no wheel of Pinocchio for this Python")
    path = tmp_path / "robot.urdf"
    path.write_text(robot.to_urdf())
    model = pin.buildModelFromUrdf(str(path))
    data = model.createData()
    start = robot.fk(answer["positions"])
    base, tip = model.getFrameId(robot.base), model.getFrameId(robot.tip)
    line = [at(0.0, 0.02 * number, 0.01 * number) @ start for number in range(11)]
    begin = servo.time
    servo.stream(line, begin + 0.2 * np.arange(11))
    while servo.time < begin + 1.9:
        answer = servo.tick()
        pin.framesForwardKinematics(model, data, answer["positions"])
        tool = data.oMf[base].inverse() * data.oMf[tip]
        if servo.time > begin + 1.0:
            elapsed = servo.time - begin
            wanted = start[:3, 3] + elapsed * np.array([0.0, 0.1, 0.05])
            np.testing.assert_allclose(tool.translation, wanted, atol=5e-4)
            np.testing.assert_allclose(tool.rotation, start[:3, :3], atol=2e-3)
            assert answer["tool_deviation"][0] < 5e-4


def test_a_plan_is_followed_in_its_time_and_slower_near_a_wall() -> None:
    robot = Robot("ur5e")
    start, goal = np.array([-0.8, -1.2, 1.8, -2.0, -1.57, 0.0]), np.array([0.8, -1.2, 1.8, -2.0, -1.57, 0.0])
    durations = []
    for is_walled in (False, True):
        scene = Scene(robot)
        if is_walled:
            scene.add("wall", Shape.cuboid(0.2, 0.01, 0.4), at(0.6, 0.0, 0.4))
        planner = Planner(robot, scene, collision_margin=0.035, rng_seed=1)
        plan = planner.plan(start, goal, "jerk_limited", velocity_scaling=0.9, acceleration_scaling=0.9)
        servo = Servo(robot, scene)
        servo.set_state(start)
        servo.follow_trajectory(plan)
        ticks, farthest = 0, 0.0
        samples = np.array([plan.sample(t) for t in np.linspace(0, plan.duration, 800)])
        while servo.trajectory_time is not None and ticks < 20_000:
            positions = servo.tick()["positions"]
            farthest = max(farthest, np.abs(samples - positions).max(axis=1).min())
            ticks += 1
        np.testing.assert_allclose(positions, goal, atol=2e-3)
        assert farthest < 0.02
        durations.append(ticks / servo.rate_hz / plan.duration)
    assert durations[0] < 1.01 <= durations[1]
    with pytest.raises(InputError, match="time"):
        servo.follow_trajectory(planner.plan(start, goal, time_parameterize=False))


def test_tasks_bring_the_tool_to_its_target_and_turn_the_gaze(tmp_path) -> None:
    robot = Robot("franka_panda")
    start = np.array(robot.named_pose("ready"))
    target = at(0.05, 0.1, 0.05) @ robot.fk(start)
    point = target[:3, 3] + target[:3, :3] @ [0.05, 0.0, 0.5]
    problem = TaskProblem(robot).add_position("go", target[:3, 3]).add_look_at("look", point, priority=1)
    servo = Servo(robot)
    servo.set_state(start)
    for _ in range(1500):
        answer = servo.track_tasks(problem, gain=4.0)
    tool = robot.fk(answer["positions"])
    np.testing.assert_allclose(tool[:3, 3], target[:3, 3], atol=1e-4)
    gaze = (point - tool[:3, 3]) / np.linalg.norm(point - tool[:3, 3])
    assert tool[:3, 2] @ gaze > 1 - 1e-4
    assert answer["achieved"] >= 0.0
    with pytest.raises(InputError, match="gain"):
        servo.track_tasks(problem, gain=1e4)
    with pytest.raises(InputError, match="joints"):
        servo.track_tasks(TaskProblem(Robot("ur5e")).add_position("go", [0.1, 0.2, 0.3]))


def test_a_task_that_calls_the_servo_that_evaluates_it_is_refused() -> None:
    servo = Servo("ur5e")
    servo.set_state(HOME)

    def calls(*arguments: object) -> None:
        servo.state()

    with pytest.raises(InputError, match="in use"):
        servo.track_tasks(TaskProblem(Robot("ur5e")).add_task("again", calls, 1))
    assert servo.tick()["status"] == "no_command"


def test_chunks_that_are_none_are_refused_by_name() -> None:
    servo = Servo("ur5e")
    servo.set_state(HOME)
    for chunk, times, said in [
        ([], [], "0 targets"),
        ([HOME], [0.0, 1.0], "chunk times"),
        ([HOME, HOME], [1.0, 0.5], "chunk time 1"),
        ([HOME[:5]], [1.0], "chunk positions 0"),
        ([[np.nan] * 6], [1.0], "positions"),
        (HOME, [1.0], "n, 4, 4"),
        ([HOME], [-1.0], "time of the servo"),
        (np.full((1, 4, 4), np.nan), [1.0], "matrix|pose"),
    ]:
        with pytest.raises(InputError, match=said):
            servo.stream(chunk, times)
    servo.stream([HOME], [0.5])
    assert servo.tick()["status"] in {"no_command", "no_warning"}


def test_the_docstring_says_the_defaults_that_act() -> None:
    options = Servo("ur5e").options
    text = Servo.__doc__ or ""
    for name, value in options.items():
        if name.endswith("_limits"):
            assert len(value) == 0
            continue
        shown = f'("{value}")' if isinstance(value, str) else f"({value:g})"
        described = "".join(text.split(f"    {name}:")[1].split("\n", 2)[:2])
        assert shown in described, f"{name}: {shown} is not in {described}"
    assert Servo("ur5e", preset="precise", blend_time=0.3).options["blend_time"] == 0.3
    assert Servo("ur5e", preset="precise").options["rate_hz"] == 250.0


@pytest.mark.parametrize(
    ("option", "value"),
    [
        ("rate_hz", 50.0),
        ("method", "damped"),
        ("singularity_threshold", 10.0),
        ("singularity_damping", 100.0),
        ("pose_tracking_gain", 0.001),
        ("slowdown_distance", 5.0),
        ("stop_distance", 0.14),
        ("self_slowdown_distance", 5.0),
        ("self_stop_distance", 0.5),
        ("velocity_limits", [0.001] * 6),
        ("acceleration_limits", [0.01] * 6),
        ("jerk_limits", [0.01] * 6),
        ("max_delta_per_tick", 1e-6),
        ("command_timeout", 0.01),
        ("tracking_error", 0.1),
        ("obstacle_speed", 5.0),
        ("command_latency", 5.0),
        ("filter", "butterworth"),
        ("filter_cutoff", 0.1),
        ("filter_beta", 100.0),
        ("filter_speed_cutoff", 100.0),
        ("blend_time", 0.01),
    ],
)
def test_every_option_acts(option: str, value: object) -> None:
    robot = Robot("ur5e")

    def drive(**options: object) -> np.ndarray:
        scene = Scene(robot)
        tool = robot.fk(HOME)[:3, 3]
        scene.add("ball", Shape.sphere(0.05), at(tool[0], tool[1], tool[2] + 0.3))
        if option in {"singularity_damping", "method"}:
            options.setdefault("singularity_threshold", 5.0)
        if option in {"command_latency", "obstacle_speed"}:
            options.setdefault("obstacle_speed", 0.01)
        if option.startswith("filter_"):
            options.setdefault("filter", "one_euro")
        if option == "self_stop_distance":
            options.setdefault("self_slowdown_distance", 0.6)
        servo = Servo(robot, scene, **options)
        servo.set_state(HOME)
        found = []
        for step in range(300):
            if option == "blend_time":
                # The second chunk is elsewhere.
                if step % 100 == 0:
                    now = servo.time
                    servo.stream(np.array([HOME, HOME]) + 0.001 * step, [now, now + 1.0])
                servo.tick()
            elif option.startswith("self_"):
                # The elbow closes.
                servo.send_joint_jog(2, 3.0)
            elif step < 100:
                servo.track_pose(at(0.0, 0.0, 0.1 if step < 50 else 0.2) @ robot.fk(HOME))
            elif step == 100:
                servo.send_twist([0.1, 0.1, 0.4, 0.3, 0.2, 0.1])
            else:
                servo.tick()
            found.append(servo.state()["joint_positions"])
        return np.array(found)

    usual, absurd = drive(), drive(**{option: value})
    assert np.abs(usual - absurd).max() > 1e-6


@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_a_singular_wrist_is_left_and_the_tool_follows(sign: float) -> None:
    robot = Robot("ur5e")
    singular = np.array([0.0, -1.2, 1.5, -1.0, 0.0, 0.0])
    # The direction that is lost, by NumPy.
    left, values, _ = np.linalg.svd(robot.jacobian(singular))
    assert values[-1] < 1e-12 < values[-2]
    twist = sign * 0.1 * left[:, -1]
    servo = Servo(robot, Scene(robot))
    servo.set_state(singular)
    statuses = [servo.send_twist(twist)["status"] for _ in range(3000)]
    way = servo.state()["ee_pose"][:3, 3] - robot.fk(singular)[:3, 3]
    assert way @ left[:3, -1] * sign > 0.1
    # An escape is looked for in as many ticks as there are ways to try: to both sides of at most six.
    assert statuses.index("decelerate_for_singularity") <= 13
    assert not {"halt_for_singularity", "singularity_lockup"} & set(statuses[13:])


@pytest.mark.parametrize(("lockup_time", "ticks"), [(0.2, 100), (1.0, 500)])
def test_a_stretched_arm_is_locked_outwards_alone(lockup_time: float, ticks: int) -> None:
    robot = Robot("ur5e")
    stretched = np.array([0.0, -1.0, 0.0, -1.0, 1.2, 0.0])
    left, _, _ = np.linalg.svd(robot.jacobian(stretched))
    bent = robot.fk(stretched + [0, 0, 0.3, 0, 0, 0])[:3, 3] - robot.fk(stretched)[:3, 3]
    outwards = -np.sign(bent @ left[:3, -1]) * 0.1 * left[:, -1]
    servo = Servo(robot, Scene(robot), lockup_time=lockup_time)
    servo.set_state(stretched)
    statuses = [servo.send_twist(outwards)["status"] for _ in range(ticks + 50)]
    assert statuses[0] == "halt_for_singularity"
    assert abs(statuses.index("singularity_lockup") - ticks) <= 1
    assert servo.state()["near_singularity"]
    assert np.abs(servo.state()["joint_positions"] - stretched).max() < 1e-6
    for _ in range(1500):
        answer = servo.send_twist(-outwards)
    assert answer["status"] != "singularity_lockup"
    way = servo.state()["ee_pose"][:3, 3] - robot.fk(stretched)[:3, 3]
    assert np.linalg.norm(way) > 0.1
