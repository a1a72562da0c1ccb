"""``kinetic ik``, and the stand-alone solvers that it writes, run where kinetic cannot be imported."""

from __future__ import annotations

import ast
import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from oracles import CONFIGS, chain_of

import kinetic
from kinetic import InputError, Manipulator, Robot, TolerancePolicy
from kinetic.cli import main

SAME = 1e-9
"""Largest difference of a joint between the generated solver and kinetic, rad: NumPy sums in another order."""
ONE_PER_SOLVER = ["ur5e", "abb_irb1200", "xarm6", "kuka_iiwa14", "franka_panda", "xarm5", "open_manipulator_x"]
NEARLY_DOUBLE = 1e-3
"""Least singular value of the Jacobian where two branches are less than the policy's 1e-3 rad apart: they are one in
both answers, and which one is a matter of rounding."""
MISSED_ONCE_IN = 500
"""Arms of the general class may miss a branch of one pose in a thousand, and the two need not miss the same one."""
ELBOW = "an arm with a spherical elbow"
"""No built-in robot is of its class."""
FULL = os.environ.get("KINETIC_FULL") == "1"

CALLER = """
import importlib.util, json, sys
sys.modules["kinetic"] = None  # whoever imports it fails
spec = importlib.util.spec_from_file_location("solver", sys.argv[1])
solver = importlib.util.module_from_spec(spec)
sys.modules["solver"] = solver
spec.loader.exec_module(solver)
answers = []
for target, keywords in json.load(sys.stdin):
    try:
        found, story = solver.solve(target, explain=True, **keywords)
    except ValueError as error:
        answers.append(str(error))
    else:
        counts = [story.raw_candidates, story.dropped_by_limits, story.dropped_by_max_solutions]
        answers.append([counts, [[row.fk_residual, *row.q] for row in found]])
json.dump([answers, solver.fk([0.1] * solver.DOF).tolist(), solver.JOINT_NAMES], sys.stdout)
"""


def elbow_urdf() -> str:
    """Axes 3, 4 and 5 share a point."""
    joints = [
        ("0 0 0.2", "0 0 1"),
        ("0.1 0.05 0.1", "0 1 0.2"),
        ("0.3 0 0.1", "1 0 0.3"),
        ("0 0 0", "0 1 0"),
        ("0 0 0", "0.4 0 1"),
        ("0.25 0.1 0.2", "1 1 0"),
    ]
    text = '<robot name="elbow"><link name="l0"/>'
    for index, (origin, axis) in enumerate(joints):
        text += f'<link name="l{index + 1}"/><joint name="j{index + 1}" type="continuous"><parent link="l{index}"/>'
        text += f'<child link="l{index + 1}"/><origin xyz="{origin}"/><axis xyz="{axis}"/></joint>'
    return text + "</robot>"


def arm_of(name: str, folder: Path) -> Manipulator:
    """Of a built-in robot, or the one with a spherical elbow."""
    if name != ELBOW:
        return Manipulator.from_robot(name)
    file = folder / "elbow.urdf"
    file.write_text(elbow_urdf(), "utf-8")
    arm = Manipulator.from_urdf(file, base="l0", ee="l6")
    assert arm.solver_name == "six_r.spherical_elbow"
    return arm


def is_nearly_double(arm: Manipulator, q: np.ndarray) -> bool:
    """Whether another branch is beside this one, by central differences of forward kinematics."""
    steps = 1e-6 * np.eye(arm.dof)
    columns = [(arm.fk(q + step) - arm.fk(q - step)).ravel() / 2e-6 for step in steps]
    return bool(np.linalg.svd(np.array(columns), compute_uv=False)[-1] < NEARLY_DOUBLE)


def arms_with_generator() -> list[str]:
    """Built-in arms with a closed form; that of one that only nearly belongs to its class has no file."""
    solvers = {name: str(Robot(name).classify()["solver"]) for name in kinetic.list_robots()}
    return [name for name, solver in solvers.items() if solver != "None" and not solver.endswith(".near")]


def asked(file: Path, requests: list) -> tuple[list, np.ndarray, list[str]]:
    """Answers of a generated Python solver, from a process of its own."""
    command = [sys.executable, "-I", "-W", "error", "-c", CALLER, str(file)]
    done = subprocess.run(command, input=json.dumps(requests), capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    answers, pose, names = json.loads(done.stdout)
    return answers, np.array(pose), names


def requests_for(arm: Manipulator, count: int) -> list:
    """Random poses with every keyword."""
    rng = np.random.default_rng(5)
    requests = []
    limits = np.transpose([both or (-np.inf, np.inf) for both in arm.joint_limits])
    for case in range(count):
        q = rng.uniform(-3.1, 3.1, arm.dof)
        keywords: dict = {"respect_limits": case % 4 < 2, "allow_refinement": case % 5 == 0}
        if case % 2 == 0:
            spread = 0.0 if case % 3 == 0 else 7.0
            keywords["q_seed"] = (q + rng.uniform(-spread, spread, arm.dof)).tolist()
        if case % 8 == 4:
            keywords["max_solutions"] = 2
        if arm.self_motion:
            # With limits, `at` has to be inside them.
            inside = np.clip(q, *limits) if keywords["respect_limits"] else q
            keywords |= few_samples(arm, inside, case)
        requests.append([arm.fk(q).tolist(), keywords])
    return requests


def few_samples(arm: Manipulator, q: np.ndarray, case: int) -> dict:
    """Keywords that look at the self-motion where the joint values stand, or at few values of it."""
    if case % 3 == 0:
        return {"at": arm.self_motion_at(q)}
    return {"samples" if arm.locked_joints else "swivel_samples": 3 + case % 4}


def gap(a: np.ndarray, b: np.ndarray) -> float:
    """Largest difference of a joint; at half a turn, where rounding makes the sign, either sign will do."""
    apart = np.abs(a - b)
    is_half = np.abs(np.abs(b) - np.pi) < SAME
    return float(np.where(is_half, np.minimum(apart, np.abs(apart - 2.0 * np.pi)), apart).max())


def most_samples(keywords: dict) -> int:
    """Values of the self-motion that a sweep looks at, the seed's among them."""
    return 1 if "at" in keywords else keywords.get("samples", keywords.get("swivel_samples")) + 1


@pytest.mark.parametrize("name", [*(arms_with_generator() if FULL else ONE_PER_SOLVER), ELBOW])
def test_generated_python_answers_as_kinetic_does_without_kinetic(name: str, tmp_path: Path) -> None:
    arm = arm_of(name, tmp_path)
    file = tmp_path / "solver.py"
    arm.write_solver(file, robot=name)
    # Sweeps of arms of the general class take NumPy up to half a minute where a pose has no branch.
    requests = requests_for(arm, 100 if FULL and arm.dispatch_plan.tier == 0 else 24)
    answers, pose, names = asked(file, requests)
    np.testing.assert_allclose(pose, arm.fk([0.1] * arm.dof), atol=1e-13)
    assert names == arm.joint_names
    missed = 0
    for case, ((target, keywords), (counts, rows)) in enumerate(zip(requests, answers)):
        wanted, story = arm.solve(target, explain=True, **keywords)
        wanted_counts = [story.raw_candidates, story.dropped_by_limits, story.dropped_by_max_solutions]
        if arm.self_motion and story.samples > most_samples(keywords):
            # Between the samples the way goes downhill, and the last digit may decide which. Of the general class,
            # which takes NumPy long, it looks at fewer of them, and may find nothing.
            assert bool(wanted) >= bool(rows), f"{name}, case {case}"
            assert bool(rows) == bool(wanted) or arm.dispatch_plan.tier > 0, f"{name}, case {case}"
            continue
        if arm.dispatch_plan.tier > 0 and (counts, len(rows)) != (wanted_counts, len(wanted)):
            missed += 1
            assert missed <= 1 + len(requests) // MISSED_ONCE_IN, f"{name}: {missed} poses with other counts"
            continue
        assert counts == wanted_counts, f"{name}, case {case}"
        assert all(row[0] <= 1e-10 for row in rows), f"{name}, case {case}"
        left = [np.array(row[1:]) for row in rows]
        for at, solution in enumerate(wanted):
            same = TolerancePolicy().subproblem_dedup if is_nearly_double(arm, solution.q) else SAME
            gaps = [gap(q, solution.q) for q in left]
            nearest = int(np.argmin(gaps))
            assert gaps[nearest] <= same, f"{name}, case {case}: {solution.q} is missing"
            left.pop(nearest)
            if "q_seed" in keywords:  # without a seed the order has no meaning
                assert gap(np.array(rows[at][1:]), solution.q) <= same, f"{name}, case {case}: another order"


def test_singular_unreachable_and_broken_poses_are_answered(tmp_path: Path) -> None:
    for name in ONE_PER_SOLVER:
        arm = Manipulator.from_robot(name)
        file = tmp_path / f"{name}.py"
        arm.write_solver(file)
        singular = [[arm.fk([step] * arm.dof).tolist(), {}] for step in (0.0, 1e-9, 1e-6, 1e-3)]
        far, mirrored, nan = np.eye(4), np.diag([-1.0, 1.0, 1.0, 1.0]), np.eye(4)
        far[0, 3], nan[0, 0] = 9.0, np.nan
        seedless = [mirrored.tolist(), {}], [nan.tolist(), {}], [np.eye(3).tolist(), {}]
        bad_seed = [far.tolist(), {"q_seed": [0.0] * (arm.dof - 1)}]
        own = "swivel_samples" if arm.self_motion and not arm.locked_joints else "samples"
        bad = [bad_seed, [far.tolist(), {own: 0}], [far.tolist(), {"at": [0.0] * 3}]] if arm.dof != 6 else [bad_seed]
        answers, _, _ = asked(file, [*singular, [far.tolist(), {}], *seedless, *bad])
        for (target, _), (_, rows) in zip(singular, answers):
            assert bool(rows) == bool(arm.solve(target)), name
            assert all(row[0] <= 1e-10 and np.isfinite(row).all() for row in rows), name
        assert answers[4] == [[0, 0, 0], []]
        assert all(isinstance(answer, str) for answer in answers[5:]), answers[5:]


def test_a_generated_python_file_imports_numpy_and_the_standard_library_alone() -> None:
    for name in ONE_PER_SOLVER:
        text = Manipulator.from_robot(name).generate("python", robot=name)
        tree = ast.parse(text)
        imported = {node.module for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)}
        imported |= {alias.name for node in ast.walk(tree) if isinstance(node, ast.Import) for alias in node.names}
        assert imported <= {"cmath", "dataclasses", "math", "numpy", "types"}
        assert text == Manipulator.from_robot(name).generate("python", robot=name)
        assert f"kinetic {kinetic.__version__}" in (ast.get_docstring(tree) or "")


def test_build_writes_a_file_for_a_robot_and_for_links_of_a_urdf(capsys, tmp_path: Path) -> None:
    base, tip = chain_of("ur5e", "arm")
    urdf = str(CONFIGS / "ur5e" / "robot.urdf")
    for arguments in (["ur5e"], [urdf, "--base", base, "--tip", tip], [urdf, "--base", base, "--ee", tip]):
        for ending, word in ((".rs", "pub fn solve("), (".py", "def solve(")):
            out = tmp_path / f"solver{ending}"
            assert main(["ik", "build", *arguments, "--out", str(out)]) == 0
            assert "six_r.three_parallel" in capsys.readouterr().out
            assert word in out.read_text("utf-8")
    assert main(["ik", "build", "ur5e", "--out", str(tmp_path / "a.py"), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["solver"] == "six_r.three_parallel"


def test_build_refuses_what_it_cannot_write(capsys, tmp_path: Path) -> None:
    for arguments, word in (
        (["ur5e", "--out", str(tmp_path / "solver.c")], "rs"),
        (["ur5e", "--tip", "no_such_link", "--out", str(tmp_path / "a.py")], "no_such_link"),
        (["ur5e", "--out", str(tmp_path / "no" / "folder" / "a.py")], "folder"),
    ):
        assert main(["ik", "build", *arguments]) == 2
        assert word in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []
    with pytest.raises(InputError, match="python"):
        Manipulator.from_robot("ur5e").generate("fortran")


def test_arms_without_a_file_are_refused_with_the_reason(capsys, tmp_path: Path) -> None:
    for language in ("rust", "python"):
        with pytest.raises(InputError, match="only nearly"):
            Manipulator.from_robot("xarm7").generate(language)
        with pytest.raises(InputError, match="another joint to lock"):
            Manipulator.from_robot("abb_yumi_left", lock_joint="yumi_joint_3_l").generate(language)
    assert main(["ik", "build", "stretch_re2", "--out", str(tmp_path / "a.py")]) == 2
    assert "mimic" in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []


def test_classify_reports_the_geometry_and_what_follows(capsys) -> None:
    assert main(["ik", "classify", "ur5e"]) == 0
    out = capsys.readouterr().out
    for word in ("six_r.three_parallel (tier 0)", "425.0 mm apart", "intersecting"):
        assert word in out
    assert main(["ik", "classify", "abb_irb1200", "--json"]) == 0
    report = json.loads(capsys.readouterr().out)
    assert report["solver"] == "six_r.spherical_two_parallel"
    assert [point["axes"] for point in report["common_points"]] == [[4, 5, 6]]
    assert {pair["relation"] for pair in report["pairs"]} <= {"parallel", "intersecting", "skew"}
    assert report["reason"] == Manipulator.from_robot("abb_irb1200").dispatch_plan.reason


def test_classify_of_a_chain_without_closed_form_is_an_answer() -> None:
    report = Robot("ur5e").classify(ee="upper_arm_link")
    assert len(report["joints"]) == 2
    assert len(report["pairs"]) == 1
    assert (report["solver"], report["tier"]) == (None, None)
    assert "closed forms exist for" in report["reason"]
    assert Robot("ur5e").classify(ee="wrist_2_link")["solver"].startswith("five_r.position_axis.six_r.")


def test_classify_of_a_chain_with_a_joint_that_follows_another_is_an_answer(capsys) -> None:
    report = Robot("stretch_re2").classify()
    assert (report["solver"], report["pairs"], report["common_points"]) == (None, [], [])
    assert "mimic" in report["reason"]
    assert main(["ik", "classify", "stretch_re2"]) == 0
    assert "mimic" in capsys.readouterr().out


def test_a_registered_arm_is_a_robot(capsys, tmp_path: Path) -> None:
    base, tip = chain_of("ur5e", "arm")
    urdf, out = str(CONFIGS / "ur5e" / "robot.urdf"), tmp_path / "mine"
    arguments = ["ik", "add-arm", urdf, "--base", base, "--tip", tip, "--name", "mine", "--out", str(out)]
    assert main(arguments) == 0
    assert "six_r.three_parallel" in capsys.readouterr().out
    robot = Robot.from_path(out)
    assert (robot.name, robot.groups, robot.dof) == ("mine", ["arm"], 6)
    q = [0.1, -1.0, 1.2, -0.5, 0.8, 0.2]
    np.testing.assert_allclose(robot.fk(q), Robot("ur5e").fk(q), atol=1e-12)
    assert "six_r.three_parallel" in (out / "kinetic.toml").read_text("utf-8")
    assert main(["ik", "test", str(out), "--count", "5"]) == 0
    capsys.readouterr()
    assert main(arguments) == 2  # never over another robot
    assert "holds a robot already" in capsys.readouterr().err
    assert main([*arguments[:-1], str(tmp_path / "other"), "--json", "--tip", "no_such_link"]) == 2
    assert not (tmp_path / "other").exists()


def test_the_trial_counts_what_happened(capsys) -> None:
    assert main(["ik", "test", "ur5e", "--count", "20", "--seed", "3", "--json"]) == 0
    report = json.loads(capsys.readouterr().out)
    assert (report["robot"], report["solver"]) == ("ur5e", "six_r.three_parallel")
    assert report["solved"] == report["poses"] == sum(report["branches"].values()) == 20
    assert report["position_error"] <= 1e-6
    assert report["orientation_error"] <= 1e-6
    seconds = report["seconds"]
    assert 0.0 < seconds["median"] <= seconds["p99"] <= seconds["max"]
    repeated = Robot("ur5e").test_ik(count=20, rng_seed=3)
    assert repeated["branches"] == report["branches"]
    assert main(["ik", "test", "ur5e", "--count", "20"]) == 0
    assert "20 of 20 poses" in capsys.readouterr().out
    for arguments in (["--count", "0"], ["--seed", "-1"]):
        assert main(["ik", "test", "ur5e", *arguments]) == 2


def test_the_trial_counts_no_branches_of_arms_that_have_infinitely_many(capsys) -> None:
    assert main(["ik", "test", "franka_panda", "--count", "3"]) == 0
    assert "branches" not in capsys.readouterr().out
    assert Robot("franka_panda").test_ik(count=3)["branches"] is None


def test_a_joint_to_lock_can_be_named() -> None:
    arm = Manipulator.from_chain("franka_panda", lock_joint=["panda_joint7"])
    assert arm.locked_joints == ["panda_joint7"]
    assert Manipulator.from_chain("franka_panda").locked_joints == Manipulator.from_robot("franka_panda").locked_joints
