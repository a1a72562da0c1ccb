"""`Problem`: files, hashes, replays, and the same bytes from any number of threads."""

import json
import pickle
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import kinetic
from kinetic import Goal, InputError, Planner, PlanningError, Problem, Robot, Scene, Shape, Trajectory
from kinetic.cli import main

START = [-2.0, -1.6, 1.5, -1.5, -1.57, 0.0]
GOAL = [0.9, -1.3, 1.6, -1.8, -1.57, 0.4]

TWO_LINKS = """<robot name='two'><link name='base'/><link name='a'><collision><origin xyz='0.2 0 0'/>
<geometry><box size='0.4 0.05 0.05'/></geometry></collision></link>
<joint name='j' type='revolute'><parent link='base'/><child link='a'/><axis xyz='0 0 1'/>
<limit lower='-2' upper='2' velocity='1' effort='5'/></joint></robot>"""


def at(x: float, y: float, z: float) -> np.ndarray:
    pose = np.eye(4)
    pose[:3, 3] = x, y, z
    return pose


@pytest.fixture(scope="module")
def robot() -> Robot:
    return Robot("ur5e")


@pytest.fixture
def scene(robot) -> Scene:
    scene = Scene(robot)
    scene.add("table", Shape.box(1.6, 1.6, 0.04), at(0.2, 0.0, -0.06))
    scene.add("pillar", Shape.cylinder(0.06, 0.5), at(0.25, -0.45, 0.46))
    return scene


def test_a_saved_problem_has_the_same_hashes_and_the_same_answer(robot, scene, tmp_path) -> None:
    problem = Planner(robot, scene, rng_seed=5).problem(START, GOAL)
    motion = problem.solve()
    path = tmp_path / "problem.toml"
    problem.save(path, motion)
    again = Problem.load(path)
    assert again.hash == problem.hash == motion.problem.hash
    assert again.stored_result == motion.hash == again.solve().hash
    replay = again.replay()
    assert replay["same"] is True and replay["found"] == replay["expected"]
    assert replay["trajectory"].to_json() == motion.to_json()


def test_a_problem_is_a_snapshot_with_its_options(robot, scene) -> None:
    planner = Planner(robot, scene, rng_seed=9, collision_margin=0.01, timeout=3.0)
    problem = planner.problem(START, Goal.named("ready"), time_parameterize=False)
    before = problem.hash
    scene.clear()
    assert problem.hash == before != planner.problem(START, Goal.named("ready"), time_parameterize=False).hash
    assert problem.scene.objects == ["pillar", "table"]
    assert (problem.group, problem.rng_seed, problem.collision_margin, problem.time_law) == ("arm", 9, 0.01, None)
    assert problem.max_iterations == 100_000
    assert problem.goal == Goal.named("ready") and problem.robot.name == "ur5e"
    assert not problem.solve().is_timed


def test_the_answer_of_a_planner_names_its_problem(robot, scene) -> None:
    planner = Planner(robot, scene, rng_seed=1)
    motion = planner.plan(START, GOAL)
    assert motion.problem.solve().hash == motion.hash
    assert motion.reverse().problem is None and motion.reverse().hash != motion.hash
    assert Trajectory.from_json(motion.to_json()).hash == motion.hash


def test_the_bytes_do_not_depend_on_the_number_of_threads(robot, scene) -> None:
    problems = [Planner(robot, scene, rng_seed=seed).problem(START, GOAL) for seed in range(4)]
    alone = [problem.solve().hash for problem in problems]
    for workers in (2, 8):
        with ThreadPoolExecutor(workers) as pool:
            assert list(pool.map(lambda problem: problem.solve().hash, problems)) == alone


def test_a_robot_of_ones_own_travels_in_the_file_and_in_pickles(tmp_path) -> None:
    problem = Planner(Robot.from_urdf(TWO_LINKS)).problem([0.1], [1.0])
    path = tmp_path / "own.toml"
    problem.save(path)
    for again in (Problem.load(path), pickle.loads(pickle.dumps(problem))):
        assert again.robot.name == "two" and again.hash == problem.hash
        assert again.solve().hash == problem.solve().hash


def test_damaged_and_foreign_files_are_refused(robot, scene, tmp_path) -> None:
    path = tmp_path / "problem.toml"
    problem = Planner(robot, scene).problem(START, GOAL)
    problem.save(path)
    text = path.read_text()
    path.write_text(text.replace("seed = 0", "seed = 1"))
    with pytest.raises(InputError, match="damaged or edited") as caught:
        Problem.load(path)
    assert caught.value.code == "FileParse"
    path.write_text(text.replace("fingerprint = ", "fingerprint = 3 #"))
    with pytest.raises(InputError, match="FileParse"):
        Problem.load(path)
    with pytest.raises(FileNotFoundError):
        Problem.load(tmp_path / "none.toml")
    other = Planner(robot, scene, rng_seed=1).plan(START, GOAL)
    with pytest.raises(InputError, match="answer"):
        problem.save(path, other)
    with pytest.raises(InputError, match="planned"):
        problem.save(path, other.reverse())
    with pytest.raises(InputError, match="DimensionMismatch"):
        Planner(robot, scene).problem(START[:4], GOAL)


def test_a_problem_that_fails_raises_what_its_planner_raises(robot, scene) -> None:
    problem = Planner(robot, scene, collision_margin=0.5).problem(START, GOAL)
    with pytest.raises(PlanningError) as caught:
        problem.solve()
    assert caught.value.code == "StartInCollision"
    assert caught.value.report.problem.hash == problem.hash


def test_the_command_replays_and_tells_differences(capsys, tmp_path) -> None:
    path = str(tmp_path / "p.toml")
    assert main(["plan", "ur5e", "--start", "home", "--goal", "ready", "--save", path]) == 0
    capsys.readouterr()
    assert main(["replay", path, "--out", str(tmp_path / "m.csv"), "--json"]) == 0
    figures = json.loads(capsys.readouterr().out)
    assert figures["same"] is True and figures["found"] == figures["expected"]
    assert (tmp_path / "m.csv").read_text().count("\n") > 2
    text = (tmp_path / "p.toml").read_text()
    (tmp_path / "p.toml").write_text(text.replace(figures["found"], "fnv1a128:" + "0" * 32))
    assert main(["replay", path]) == 1
    assert "different" in capsys.readouterr().out
    assert main(["replay", str(tmp_path / "none.toml")]) == 2
    # The hash in the file is that of its text without the table of hashes: FNV-1a, here in plain Python.
    lines = text.splitlines(keepends=True)
    begin = next(number for number, line in enumerate(lines) if line == "[hashes]\n")
    end = next(number for number, line in enumerate(lines) if number > begin and line == "\n")
    value = 0x6C62272E07BB014262B821756295C58D
    for byte in "".join(lines[: begin - 1] + lines[end:]).encode():
        value = ((value ^ byte) * ((1 << 88) + 0x13B)) % (1 << 128)
    assert f"fnv1a128:{value:032x}" == figures["problem"]


def test_equal_trajectories_are_equal_whatever_problem_they_answer(robot) -> None:
    motion = kinetic.plan(robot, START, GOAL)
    assert motion == kinetic.plan(robot, START, GOAL)
