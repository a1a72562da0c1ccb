"""Paths, counts and functions that could hang, exhaust or leak: refused with a typed error, stopped, or collected."""

from __future__ import annotations

import gc
import json
import os
import signal
import socket
import weakref
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import kinetic
from kinetic import (
    Goal,
    InputError,
    Manipulator,
    Planner,
    Problem,
    ReachabilityMap,
    Robot,
    Scene,
    TaskProblem,
    Trajectory,
    fit,
)
from kinetic.cli import main

HUGE = 2**63
SOON, LATE = 0.3, 10.0
"""When the signal of `stopped` comes, s: in the middle of what would not end, or where only a hang is still running."""


class StoppedError(Exception):
    """What the signal raises."""


@pytest.fixture(scope="module")
def robot() -> Robot:
    return Robot("ur5e")


@pytest.fixture(scope="module")
def motion(robot: Robot) -> Trajectory:
    return kinetic.plan(robot, "home", "ready")


def link(folder: Path, target: Path, ending: str) -> Path:
    """Another name of a file, with the ending that its reader wants."""
    name = folder / f"{target.name}_as{ending}"
    name.symlink_to(target)
    return name


@pytest.fixture(params=["device", "pipe", "socket", "folder", "large"])
def unreadable(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Path]:
    """What has a name and is no file that could be read."""
    path = tmp_path / str(request.param)
    if request.param == "device":
        path = Path("/dev/zero")
    elif request.param == "pipe":
        os.mkfifo(path)
    elif request.param == "folder":
        path.mkdir()
    elif request.param == "large":
        with path.open("wb") as file:
            file.truncate(2**31)
    else:
        with socket.socket(socket.AF_UNIX) as listener:
            listener.bind(str(path))
            yield path
        return
    yield path


READERS: dict[str, tuple[str, Callable[[Robot, Path], Any]]] = {
    "Robot.from_urdf": (".urdf", lambda robot, path: Robot.from_urdf(path)),
    "Robot.from_file, URDF": (".urdf", lambda robot, path: Robot.from_file(path)),
    "Robot.from_file, SDF": (".sdf", lambda robot, path: Robot.from_file(path)),
    "Robot.from_file, XML": (".xml", lambda robot, path: Robot.from_file(path)),
    "Robot.from_file, xacro": (".xacro", lambda robot, path: Robot.from_file(path)),
    "Robot.from_mjcf": (".mjcf", lambda robot, path: Robot.from_mjcf(path)),
    "Robot.from_sdf": (".sdf", lambda robot, path: Robot.from_sdf(path)),
    "Robot.from_urdf_srdf": (".srdf", lambda robot, path: Robot.from_urdf_srdf(urdf(path.parent), path)),
    "Scene.load": (".toml", lambda robot, path: Scene(robot).load(path)),
    "Problem.load": (".toml", lambda robot, path: Problem.load(path)),
    "Trajectory.from_json": (".json", lambda robot, path: Trajectory.from_json(path)),
    "Trajectory.from_csv": (".csv", lambda robot, path: Trajectory.from_csv(path)),
    "Trajectory.from_npz": (".npz", lambda robot, path: Trajectory.from_npz(path)),
    "Trajectory.load": (".csv", lambda robot, path: Trajectory.load(path)),
    "ReachabilityMap.load": (".npz", lambda robot, path: ReachabilityMap.load(path)),
    "IKCache.load": (".txt", lambda robot, path: kinetic.IkCache.load(robot, path)),
    "load_mesh": (".stl", lambda robot, path: kinetic.load_mesh(path)),
    "Shape.mesh": (".obj", lambda robot, path: kinetic.Shape.mesh(path)),
    "add_arm": (".urdf", lambda robot, path: kinetic.add_arm(path, base="a", tip="b", name="n", out=path.parent / "o")),
}


def urdf(folder: Path) -> Path:
    path = folder / "robot.urdf"
    path.write_text("<robot name='r'><link name='a'/></robot>")
    return path


@pytest.mark.parametrize("reader", READERS)
def test_what_is_no_regular_file_is_refused_by_every_reader(
    robot: Robot, tmp_path: Path, unreadable: Path, reader: str
) -> None:
    ending, read = READERS[reader]
    path = link(tmp_path, unreadable, ending)
    with stopped():
        if unreadable.name == "folder" and reader.startswith("Robot.from_file"):
            with pytest.raises((OSError, InputError)):
                read(robot, path)
            return
        with pytest.raises(OSError, match="only regular files are read|bytes are read") as caught:
            read(robot, path)
    assert caught.value.code == "Io"
    assert isinstance(caught.value, IsADirectoryError) == (unreadable.name == "folder")


def test_a_robot_whose_kinetic_toml_is_a_pipe_is_refused(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "kinetic.toml")
    with stopped(), pytest.raises(OSError, match="a named pipe"):
        Robot.from_path(tmp_path)


WRITERS: dict[str, Callable[[Robot, Trajectory, Path], Any]] = {
    "Trajectory.to_json": lambda robot, motion, path: motion.to_json(path),
    "Trajectory.to_csv": lambda robot, motion, path: motion.to_csv(path),
    "Trajectory.to_npz": lambda robot, motion, path: motion.to_npz(path),
    "Scene.save": lambda robot, motion, path: Scene(robot).save(path),
    "Problem.save": lambda robot, motion, path: Planner(robot).problem("home", Goal.named("ready")).save(path),
    "IKCache.save": lambda robot, motion, path: kinetic.IkCache(robot).save(path),
}


@pytest.mark.parametrize("writer", WRITERS)
def test_named_pipes_are_not_written_to(robot: Robot, motion: Trajectory, tmp_path: Path, writer: str) -> None:
    path = tmp_path / "pipe"
    os.mkfifo(path)
    with stopped(), pytest.raises(OSError, match="waits for a reader"):
        WRITERS[writer](robot, motion, path)


@contextmanager
def stopped(after: float = LATE) -> Iterator[None]:
    """Raises `StoppedError` in what takes long; a second signal ends a call that does not listen, and the tests."""

    def soft(*_: object) -> None:
        signal.signal(signal.SIGALRM, signal.SIG_DFL)
        signal.setitimer(signal.ITIMER_REAL, 20.0)
        raise StoppedError

    before = signal.signal(signal.SIGALRM, soft)
    signal.setitimer(signal.ITIMER_REAL, after)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0.0)
        signal.signal(signal.SIGALRM, before)


def archive(path: Path, text: np.ndarray) -> Path:
    np.savez(path, json=text)
    return path


def test_an_archive_with_characters_that_unicode_does_not_have_is_refused(tmp_path: Path) -> None:
    document = {"schema": 1, "dof": 1, "joint_names": ["X"], "waypoints": [{"positions": [0.0]}, {"positions": [1.0]}]}
    good = np.array(json.dumps(document))
    assert Trajectory.from_npz(archive(tmp_path / "good.npz", good)).joint_names == ["X"]
    for code in (0x110000, 0x7FFFFFFF, 0xD800):
        codes = np.frombuffer(good.tobytes(), dtype=np.uint32).copy()
        codes[codes == ord("X")] = code
        text = codes.view(good.dtype).reshape(())
        with pytest.raises(InputError, match="not an archive of a trajectory"):
            Trajectory.from_npz(archive(tmp_path / "bad.npz", text))


def test_the_ending_says_the_format_of_a_trajectory(motion: Trajectory, tmp_path: Path) -> None:
    heads = {".json": b"{", ".csv": b"# kinetic trajectory", ".npz": b"PK", ".CSV": b"# kinetic trajectory"}
    for ending, head in heads.items():
        path = tmp_path / f"motion{ending}"
        motion.save(path)
        assert path.read_bytes().startswith(head)
        assert Trajectory.load(path).hash == motion.hash
    for name in ("motion.txt", "motion", "motion.json.gz"):
        with pytest.raises(InputError, match=r"one of \.json, \.csv, \.npz"):
            motion.save(tmp_path / name)
        assert not (tmp_path / name).exists()
        with pytest.raises(InputError, match=r"one of \.json, \.csv, \.npz"):
            Trajectory.load(tmp_path / name)


def test_the_command_line_writes_what_the_ending_says_and_refuses_others_before_the_work(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out, problem = tmp_path / "motion.npz", tmp_path / "problem.toml"
    call = ["plan", "ur5e", "--start", "home", "--goal", "ready", "--seed", "1"]
    assert main([*call, "--out", str(out), "--save", str(problem)]) == 0
    assert Trajectory.from_npz(out).dof == 6
    again = tmp_path / "again.csv"
    assert main(["replay", str(problem), "--out", str(again)]) == 0
    assert again.read_bytes().startswith(b"# kinetic trajectory")
    for arguments in ([*call, "--out", "x.txt"], ["replay", str(problem), "--out", "x.txt"]):
        capsys.readouterr()
        assert main(arguments) == 2
        assert ".json, .csv, .npz" in capsys.readouterr().err
    assert main([*call, "--save", "x.json"]) == 2
    assert ".toml" in capsys.readouterr().err


def test_a_map_is_read_under_the_name_that_it_was_written_under(robot: Robot, tmp_path: Path) -> None:
    reach = ReachabilityMap(robot, resolution=0.2, samples=1000)
    for name in ("map", "map.npz", "map.v1"):
        reach.save(tmp_path / name)
        assert [path.name for path in tmp_path.iterdir()] == [name]
        assert ReachabilityMap.load(tmp_path / name) == reach
        (tmp_path / name).unlink()


COUNTS: dict[str, Callable[[Robot], Any]] = {
    "test_ik": lambda robot: robot.test_ik(count=HUGE),
    "ReachabilityMap samples": lambda robot: ReachabilityMap(robot, samples=HUGE),
    "ReachabilityMap rolls": lambda robot: ReachabilityMap(robot, samples=1000, rolls=HUGE),
    "Manipulator samples": lambda robot: Manipulator.from_robot("franka_panda").solve(np.eye(4), samples=HUGE),
    "Manipulator swivel": lambda robot: Manipulator.from_robot("franka_panda").solve(np.eye(4), swivel_samples=HUGE),
    "ik restarts": lambda robot: robot.ik_config(far(), solver="dls", num_restarts=HUGE, max_iterations=HUGE),
    "IKCache.warm": lambda robot: kinetic.IkCache(robot).warm(HUGE),
    "plan_batch threads": lambda robot: Planner(robot).plan_batch([[0.0] * 6], ["ready"], threads=HUGE),
    "shortcut": lambda robot: Planner(robot).shortcut([[0.0] * 6, [0.1] * 6], attempts=HUGE),
    "fit_spheres": lambda robot: fit.spheres(kinetic.Shape.box(1, 1, 1), count=HUGE),
    "fit_convex_hull": lambda robot: fit.convex_hull(kinetic.Shape.box(1, 1, 1), max_vertices=HUGE),
    "fit_convex_pieces": lambda robot: fit.convex_pieces(bowl(), max_pieces=HUGE, tolerance=1e-9),
    "fit_robot_spheres": lambda robot: fit.robot_spheres(robot, count=HUGE),
    "TaskProblem.solve": lambda robot: posture(robot).solve(max_iterations=HUGE, attempts=HUGE),
    "add_task rows": lambda robot: posture(robot).add_task("f", lambda state: ([], []), rows=HUGE).solve(),
    "ExecutionMonitor": lambda robot: kinetic.ExecutionMonitor(HUGE, warning=0.1, critical=0.2, window=HUGE),
    "max_iterations": lambda robot: Planner(robot, max_iterations=HUGE, shortcut_iterations=HUGE).plan("home", "ready"),
}


def far() -> np.ndarray:
    pose = np.eye(4)
    pose[0, 3] = 9.0
    return pose


def bowl() -> tuple[np.ndarray, np.ndarray]:
    """Half a sphere, open above."""
    turn, rise = np.meshgrid(np.linspace(0, 2 * np.pi, 24, endpoint=False), np.linspace(-1.5, 0.0, 8))
    vertices = np.stack([np.cos(rise) * np.cos(turn), np.cos(rise) * np.sin(turn), np.sin(rise)], axis=-1).reshape(
        -1, 3
    )
    cells = [(24 * row + column, 24 * row + (column + 1) % 24) for row in range(7) for column in range(24)]
    faces = [face for a, b in cells for face in ((a, b, b + 24), (a, b + 24, a + 24))]
    return vertices, np.array(faces)


def posture(robot: Robot) -> TaskProblem:
    """A problem that never converges: it asks for two things that exclude each other."""
    problem = TaskProblem(robot).add_position("here", [9.0, 0.0, 0.0])
    return problem.add_position("there", [-9.0, 0.0, 0.0])


@pytest.mark.parametrize("call", COUNTS)
def test_a_count_beyond_all_memory_is_refused_stopped_or_done(robot: Robot, call: str) -> None:
    """No panic, no abort, and a signal ends what takes as long as it was told to."""
    with stopped(SOON):
        try:
            COUNTS[call](robot)
        except (kinetic.KineticError, StoppedError) as error:
            assert "panicked" not in str(error)


def test_functions_that_hold_their_problem_are_collected(robot: Robot) -> None:
    def made() -> weakref.ref[Any]:
        problem = TaskProblem(robot)

        def task(state: Any) -> tuple[np.ndarray, np.ndarray]:
            return np.zeros(1), np.zeros((1, len(problem.columns)))

        problem.add_task("own", task, rows=1)
        problem.solve(max_iterations=1)
        return weakref.ref(task)

    gc.collect()
    found = made()
    gc.collect()
    assert found() is None


def test_functions_live_as_long_as_their_problem(robot: Robot) -> None:
    problem = TaskProblem(robot)
    columns = len(problem.columns)
    problem.add_task("own", lambda state: (np.zeros(1), np.zeros((1, columns))), rows=1)
    gc.collect()
    assert problem.tasks == ["own"]
    assert problem.solve(max_iterations=2).converged is not None
