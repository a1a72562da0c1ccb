"""Batches on devices: what comes from a GPU is what the processor, Coal and the robot's own file say.

Where no adapter is there, tests of devices say so and are skipped; the processor's side of each runs everywhere.
A software adapter (Debian: mesa-vulkan-drivers) is enough.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading

import numpy as np
import pytest
from oracles import chain_of, relative_pose, translation, urdf

from kinetic import (
    GpuCollisionChecker,
    InputError,
    Robot,
    Scene,
    Shape,
    batch_fk_gpu,
    gpu_adapters,
    gpu_available,
)
from kinetic.cli import main

FULL = bool(os.environ.get("KINETIC_FULL"))
NO_ADAPTER = "no adapter of Vulkan, Metal or DX12; kinetic devices --doctor says why"
DEVICES = ["cpu", pytest.param("gpu", marks=pytest.mark.skipif(not gpu_adapters(), reason=NO_ADAPTER))]
needs_adapter = pytest.mark.skipif(not gpu_adapters(), reason=NO_ADAPTER)
SINGLE = 1e-5
"""What single precision may be off by, m."""


def configurations(robot: Robot, count: int) -> np.ndarray:
    return np.array([robot.random_configuration(rng_seed=seed) for seed in range(count)])


def test_adapters_are_described_and_software_is_no_gpu() -> None:
    adapters = gpu_adapters()
    assert [adapter["device"] for adapter in adapters] == [f"gpu:{index}" for index in range(len(adapters))]
    assert gpu_available() == any(adapter["kind"] != "software" for adapter in adapters)


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("name", ["ur5e", "franka_panda", "fetch"])
def test_poses_of_all_links_are_those_of_the_robots_file(name: str, device: str) -> None:
    robot = Robot(name)
    q = configurations(robot, 20)
    poses = batch_fk_gpu(robot, q, device)
    assert poses.shape == (20, len(robot.link_names), 4, 4)
    assert poses.dtype == np.float64
    base, tip = chain_of(name, robot.group)
    own = [robot.link_names.index(link) for link in (base, tip)]
    for row, values in enumerate(q):
        exact = robot.fk_all(values)
        worst = max(np.abs(poses[row, index] - exact[link]).max() for index, link in enumerate(robot.link_names))
        assert worst < SINGLE, f"row {row}"
        wanted = relative_pose(urdf(name), base, tip, dict(zip(robot.joint_names, values)))
        assert np.allclose(np.linalg.inv(poses[row, own[0]]) @ poses[row, own[1]], wanted, rtol=0.0, atol=SINGLE)


@pytest.mark.parametrize("device", DEVICES)
def test_least_distances_are_lower_bounds_of_those_of_coal(device: str) -> None:
    pytest.importorskip("coal", reason="the Rust tests compare with exact distances; this is a second opinion")
    from test_second_opinions import SecondChecker, random_scene

    compared, over = 0, []
    for name in ("kuka_iiwa14", "ur5e"):
        robot, second, rng = Robot(name), SecondChecker(name), np.random.default_rng(5)
        for case in range(40 if FULL else 8):
            scene, objects, attached = random_scene(robot, rng)
            checker = GpuCollisionChecker(robot, scene, device=device)
            assert checker.is_gpu == (device == "gpu")
            q = configurations(robot, 4)
            found = checker.check_batch(q)
            for row, values in enumerate(q):
                least = min(second.clearances(robot.fk_all(values), objects, attached))
                assert found["min_distances"][row] <= max(least, 0.0) + 2e-6 or least < 0.0, f"{name}, case {case}"
                if not found["in_collision"][row]:
                    assert least > 0.0, f"{name}, case {case}"
                    compared += 1
                    over.append(least - found["min_distances"][row])
    assert compared >= 5
    # Spheres contain the links: lower, and not by much.
    assert np.median(over) < 0.05


@needs_adapter
@pytest.mark.parametrize("name", ["ur5e", "abb_yumi_left"])
def test_device_and_processor_say_the_same(name: str) -> None:
    robot = Robot(name)
    scene = Scene(robot)
    scene.add("box", Shape.box(0.2, 0.3, 0.2), translation(0.4, 0.2, 0.3))
    corners = [[0.0, 0.0, 0.0], [0.3, 0.0, 0.0], [0.0, 0.3, 0.0], [0.0, 0.0, 0.3]]
    scene.add("hull", Shape.convex(corners), translation(-0.5, 0.1, 0.2))
    q = configurations(robot, 64)
    first, second = (
        GpuCollisionChecker(robot, scene, device=device).check_batch(q, gradients=True) for device in ("gpu", "cpu")
    )
    assert np.abs(first["min_distances"] - second["min_distances"]).max() < SINGLE
    near = np.abs(first["gradients"] - second["gradients"]).max(axis=1) < 1e-3
    assert near.mean() > 0.95  # elsewhere two pairs are equally near
    again = GpuCollisionChecker(robot, scene, device="gpu").check_batch(q, gradients=True)
    assert all(first[key].tobytes() == again[key].tobytes() for key in first)
    assert GpuCollisionChecker(robot, scene, device="gpu").nearest_pairs(q[:5]) == GpuCollisionChecker(
        robot, scene, device="cpu"
    ).nearest_pairs(q[:5])


@pytest.mark.parametrize("device", DEVICES)
def test_gradients_are_derivatives(device: str) -> None:
    robot = Robot("ur5e")
    scene = Scene(robot)
    scene.add("ball", Shape.sphere(0.1), translation(0.6, 0.1, 0.5))
    checker = GpuCollisionChecker(robot, scene, device=device)
    q, step = configurations(robot, 30), 2e-3
    gradients = checker.check_batch(q, gradients=True)["gradients"]
    moves = step * np.eye(6)
    ends = [checker.check_batch((q[:, None] + sign * moves).reshape(-1, 6))["min_distances"] for sign in (1, -1)]
    measured = ((ends[0] - ends[1]) / (2 * step)).reshape(30, 6)
    agrees = np.abs(gradients - measured).max(axis=1) < 5e-3
    assert agrees.mean() > 0.8  # where the nearest pair changes within a step there is no derivative


@pytest.mark.parametrize("device", DEVICES)
def test_a_checker_sees_every_edit_of_its_scene(device: str) -> None:
    robot = Robot("ur5e")
    scene = Scene(robot)
    q = np.array([0.0, -1.5, 1.5, 0.0, 0.0, 0.0])
    checker = GpuCollisionChecker(robot, scene, device=device)
    alone = checker.check_single(q)
    tool = robot.fk_all(q)["wrist_3_link"][:3, 3]
    scene.add("ball", Shape.sphere(0.05), translation(*tool))
    hit = checker.check_single(q)
    assert hit[0] and hit[1] < 0.0
    assert checker.nearest_pairs([q])[0][1] == "ball"
    scene.update_pose("ball", translation(5.0, 0.0, 0.0))
    # What may be rounded grows with the world.
    assert checker.check_single(q)[1] == pytest.approx(alone[1], abs=SINGLE)
    scene.remove("ball")
    assert checker.check_single(q) == alone
    margins = GpuCollisionChecker(robot, scene, device=device, self_margin=0.01)
    assert margins.check_single(q)[1] == pytest.approx(alone[1] - 0.01, abs=SINGLE)


@pytest.mark.parametrize("device", DEVICES)
def test_where_nothing_can_touch_the_distance_is_infinite_and_no_configurations_are_fine(device: str) -> None:
    text = """<robot name="bare"><link name="a"/><link name="b"/><joint name="j" type="revolute"><parent link="a"/>
    <child link="b"/><axis xyz="0 0 1"/><limit lower="-1" upper="1" effort="1" velocity="1"/></joint></robot>"""
    robot = Robot.from_urdf(text)
    scene = Scene(robot)
    checker = GpuCollisionChecker(robot, scene, device=device)
    found = checker.check_batch([[0.0], [0.5]])
    assert found["min_distances"].tolist() == [np.inf, np.inf]
    assert not found["in_collision"].any()
    assert checker.check_batch(np.zeros((0, 1)), gradients=True)["gradients"].shape == (0, 1)
    assert batch_fk_gpu(robot, np.zeros((0, 1)), device).shape == (0, 2, 4, 4)


@needs_adapter
@pytest.mark.parametrize("name", ["ur5e", "franka_panda"])
def test_inverse_kinematics_on_a_device_reaches_its_targets_inside_the_limits(name: str) -> None:
    robot = Robot(name)
    q = configurations(robot, 60)
    targets = robot.batch_fk(q)
    answers = robot.batch_ik(targets, device="gpu", num_restarts=15, rng_seed=3)
    base, tip = chain_of(name, robot.group)
    from_urdf, solved = urdf(name), 0
    tool = np.linalg.inv(relative_pose(from_urdf, base, tip, dict(zip(robot.joint_names, q[0])))) @ targets[0]
    for target, answer in zip(targets, answers):
        if answer is None:
            continue
        solved += 1
        joints = answer["joints"]
        reached = relative_pose(from_urdf, base, tip, dict(zip(robot.joint_names, joints))) @ tool
        assert np.allclose(reached, target, rtol=0.0, atol=1e-8)
        ranges = zip(joints, robot.joint_limits)
        assert all(limits is None or limits[0] <= value <= limits[1] for value, limits in ranges)
        assert answer["converged"] and answer["solver_used"] == "dls" and answer["mode_used"] == "full6d"
    assert solved >= 57
    again = robot.batch_ik(targets, device="gpu", num_restarts=15, rng_seed=3)
    same = [a is b is None or np.array_equal(a["joints"], b["joints"]) for a, b in zip(answers, again)]
    assert all(same)


@needs_adapter
def test_the_answer_of_a_device_is_the_nearest_to_the_seed() -> None:
    robot = Robot("ur5e")
    for number in range(5):
        q = robot.random_configuration(rng_seed=number)
        [answer] = robot.batch_ik([robot.fk(q)], device="gpu", seeds=[q + 0.01])
        assert np.allclose(answer["joints"], q, rtol=0.0, atol=1e-6)


@needs_adapter
@pytest.mark.parametrize(
    ("options", "named"),
    [
        ({"solver": "ccd"}, "solver"),
        ({"mode": "position_only"}, "mode"),
        ({"null_space": "manipulability"}, "null_space"),
        ({"check_limits": False}, "check_limits"),
        ({"position_tolerance": 1e-12}, "position_tolerance"),
        ({"seeds": [[0.0] * 6] * 2}, "seeds"),
        ({"num_restarts": 10**9}, "starts"),
        ({"max_iterations": 0}, "iterations"),
    ],
)
def test_options_that_a_device_does_not_have_are_refused_by_name(options: dict, named: str) -> None:
    with pytest.raises(InputError, match=named):
        Robot("ur5e").batch_ik([np.eye(4)], device="gpu", **options)


@needs_adapter
def test_the_time_of_a_batch_on_a_device_is_over_before_it_begins() -> None:
    robot = Robot("ur5e")
    assert robot.batch_ik([robot.fk([0.1] * 6)], device="gpu", timeout=1e-9) == [None]


def test_auto_is_the_processor_where_there_is_no_hardware() -> None:
    robot = Robot("ur5e")
    checker = GpuCollisionChecker(robot, Scene(robot))
    assert checker.is_gpu == gpu_available()
    assert checker.device.startswith("gpu:" if gpu_available() else "cpu")
    target = robot.fk([0.1, -1.2, 1.3, -0.4, 0.5, 0.6])
    if not gpu_available():
        first, second = (robot.batch_ik([target], device=device)[0]["joints"] for device in ("auto", "cpu"))
        assert np.array_equal(first, second)


@pytest.mark.parametrize("device", ["", " ", "gpu:", "gpu:-1", "gpu:99", "no such adapter"])
def test_devices_that_are_not_there_are_refused(device: str) -> None:
    robot = Robot("ur5e")
    calls = [
        lambda: batch_fk_gpu(robot, [[0.0] * 6], device),
        lambda: GpuCollisionChecker(robot, Scene(robot), device=device),
        lambda: robot.batch_ik([np.eye(4)], device=device),
    ]
    for call in calls:
        with pytest.raises(InputError, match="device"):
            call()


@pytest.mark.parametrize("device", DEVICES)
def test_input_that_cannot_be_used_is_refused(device: str) -> None:
    robot = Robot("ur5e")
    scene = Scene(robot)
    checker = GpuCollisionChecker(robot, scene, device=device)
    for values in ([[np.nan] * 6], [[0.0] * 5], [0.0] * 6):
        with pytest.raises(InputError):
            checker.check_batch(values)
        with pytest.raises(InputError):
            batch_fk_gpu(robot, values, device)
    for resolution in (0.0, -1.0, np.nan, np.inf):
        with pytest.raises(InputError, match="resolution"):
            GpuCollisionChecker(robot, scene, resolution, device)
    with pytest.raises(InputError):
        GpuCollisionChecker("franka_panda", scene, device=device)
    assert np.isfinite(checker.check_single(robot.named_pose("home"))[1])


@pytest.mark.parametrize("device", DEVICES)
def test_checkers_work_in_several_threads_at_once(device: str) -> None:
    robot = Robot("ur5e")
    scene = Scene(robot)
    scene.add("ball", Shape.sphere(0.2), translation(0.5, 0.0, 0.5))
    q = configurations(robot, 50)
    shared = GpuCollisionChecker(robot, scene, device=device)
    wanted, found = shared.check_batch(q)["min_distances"], []

    def ask(own: bool) -> None:
        checker = GpuCollisionChecker(robot, scene, device=device) if own else shared
        found.extend(checker.check_batch(q)["min_distances"] for _ in range(5))

    threads = [threading.Thread(target=ask, args=(number % 2 == 0,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60.0)
        assert not thread.is_alive()
    assert len(found) == 20
    assert all(np.array_equal(one, wanted) for one in found)


@needs_adapter
def test_a_forked_process_computes_on_the_processor_and_says_why() -> None:
    program = """
import os, sys, numpy as np
from kinetic import GpuCollisionChecker, InputError, Robot, Scene, gpu_adapters, gpu_available
robot = Robot("ur5e")
checker = GpuCollisionChecker(robot, Scene(robot), device="gpu")
wanted = checker.check_batch(np.zeros((3, 6)))["min_distances"]
child = os.fork()
if child == 0:
    try:
        checker.check_batch(np.zeros((3, 6)))
    except InputError as error:
        assert "spawn" in str(error), error
    del checker
    assert not gpu_available() and not gpu_adapters()
    again = GpuCollisionChecker(robot, Scene(robot)).check_batch(np.zeros((3, 6)))["min_distances"]
    os._exit(0 if np.allclose(again, wanted, atol=1e-5) else 7)
assert np.array_equal(checker.check_batch(np.zeros((3, 6)))["min_distances"], wanted)
_, status = os.waitpid(child, 0)
sys.exit(os.waitstatus_to_exitcode(status))
"""
    assert subprocess.run([sys.executable, "-c", program], timeout=120).returncode == 0


@pytest.mark.parametrize("device", DEVICES)
def test_ctrl_c_ends_a_batch(device: str) -> None:
    robot = Robot("fetch")
    scene = Scene(robot)
    for index in range(60):
        scene.add(f"ball {index}", Shape.sphere(0.05), translation(0.1 * index, 0.3, 0.5))
    checker = GpuCollisionChecker(robot, scene, device=device)
    q = np.zeros((400_000, robot.dof))
    checker.check_batch(q[:10])
    timer = threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT))
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        timer.start()
        with pytest.raises(KeyboardInterrupt):
            checker.check_batch(q)
    finally:
        timer.cancel()
        signal.signal(signal.SIGINT, before)
    assert np.array_equal(*(checker.check_batch(q[:10])["min_distances"] for _ in range(2)))


def test_the_command_lists_devices_and_says_why_there_is_no_gpu(capsys) -> None:
    assert main(["devices"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == (len(gpu_adapters()) + 2 if gpu_adapters() else 0) + 1
    assert main(["devices", "--doctor", "--json"]) == 0
    report = json.loads(capsys.readouterr().out)
    assert report["adapters"] == gpu_adapters()
    assert report["verdict"] == lines[-1]
    assert {"loader", "driver_files", "device_nodes", "has_partitions", "nvidia_capabilities"} <= set(report)
    assert main(["devices", "--doctor"]) == 0
    text = capsys.readouterr().out
    assert all(word in text for word in ("Vulkan loader", "driver files", "device nodes", report["verdict"]))


def test_without_drivers_the_module_works_and_the_doctor_says_what_is_missing() -> None:
    environment = {**os.environ, "VK_DRIVER_FILES": "/nowhere.json", "VK_ICD_FILENAMES": "/nowhere.json"}
    program = """
import kinetic
assert not kinetic.gpu_available() and not kinetic.gpu_adapters()
robot = kinetic.Robot("ur5e")
assert not kinetic.GpuCollisionChecker(robot, kinetic.Scene(robot)).is_gpu
try:
    kinetic.GpuCollisionChecker(robot, kinetic.Scene(robot), device="gpu")
except kinetic.InputError as error:
    print(error)
"""
    if sys.platform != "linux":
        pytest.skip("drivers are named by files on Linux alone")
    done = subprocess.run([sys.executable, "-c", program], env=environment, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    assert '"cpu"' in done.stdout
    assert "driver" in done.stdout or "loader" in done.stdout
    command = [sys.executable, "-m", "kinetic", "devices", "--doctor"]
    told = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=60)
    assert told.returncode == 0
    assert "driver" in told.stdout
