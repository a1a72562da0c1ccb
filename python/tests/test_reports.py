"""`error.report`: what it says about broken set-ups, and that what it found solves them."""

import json
import pickle

import numpy as np
import pytest

from kinetic import Goal, IKError, InputError, KineticError, Planner, PlanningError, Robot, Scene, Shape
from kinetic.cli import main

START = [-2.0, -1.6, 1.5, -1.5, -1.57, 0.0]
GOAL = [0.9, -1.3, 1.6, -1.8, -1.57, 0.4]


@pytest.fixture(scope="module")
def robot() -> Robot:
    return Robot("ur5e")


def failure(planner: Planner, start, goal) -> KineticError:
    with pytest.raises(KineticError) as caught:
        planner.plan(start, goal)
    return caught.value


def of_kind(report, kind: str) -> dict:
    return next(suggestion for suggestion in report.suggestions if suggestion["kind"] == kind)


@pytest.fixture
def pierced(robot) -> Scene:
    scene = Scene(robot)
    scene.add("ball", Shape.sphere(0.05), robot.fk_all(START)["wrist_3_link"])
    return scene


def test_a_start_in_collision(robot, pierced) -> None:
    error = failure(Planner(robot, pierced), START, GOAL)
    report = error.report
    assert isinstance(error, PlanningError) and report.reason == error.code == "StartInCollision"
    assert report.evidence["pair"] == (error.link, error.other)
    contact = pierced.contacts(START)[0]
    assert np.isclose(report.evidence["depth"], -contact["distance"], atol=1e-9)
    assert report.evidence["start"]["contacts"][0]["pair"][1] == "ball"
    assert all(suggestion["tried"] for suggestion in report.suggestions)
    solved = [suggestion for suggestion in report.suggestions if suggestion["solved"]]
    assert solved and solved == report.suggestions[: len(solved)]
    for suggestion in solved:
        motion = suggestion["problem"].solve()
        assert not any(suggestion["problem"].scene.check_collision(motion.sample(t)) for t in np.linspace(0, 9, 50))
    assert error.report is report
    assert "ball" in str(report) and "solves it" in str(report)


def test_degrees_and_limits(robot) -> None:
    error = failure(Planner(robot), START, np.degrees(GOAL))
    assert isinstance(error, InputError)
    evidence = error.report.evidence
    assert (evidence["joint"], evidence["limit"]) == ("shoulder_pan_joint", 2 * np.pi)
    assert np.isclose(evidence["amount"], np.degrees(GOAL[0]) - 2 * np.pi)
    changed = of_kind(error.report, "radians_for_degrees")
    assert changed["solved"]
    np.testing.assert_allclose(changed["problem"].goal.joints, GOAL, atol=1e-12)


def test_millimetres(robot) -> None:
    target = robot.fk(GOAL)
    target[:3, 3] *= 1000.0
    report = failure(Planner(robot), START, Goal.pose(target)).report
    assert report.evidence["out_of_reach"] is not None
    assert of_kind(report, "metres_for_millimetres")["solved"]


def test_branches_that_all_collide_are_counted(robot) -> None:
    scene = Scene(robot)
    scene.add("ball", Shape.sphere(0.03), robot.fk(GOAL))
    report = failure(Planner(robot, scene), START, Goal.pose(robot.fk(GOAL))).report
    counts = report.evidence["ik_counts"]
    assert counts["free"] == 0 and counts["found"] == len(report.evidence["branches"]) > 3
    assert counts["in_collision"] + counts["outside_limits"] == counts["found"]
    for branch in report.evidence["branches"]:
        np.testing.assert_allclose(robot.fk(branch["joints"]), robot.fk(GOAL), atol=1e-6)
    assert of_kind(report, "remove_object")["solved"]
    distances = {(branch["distance"], branch["pair"]) for branch in report.evidence["branches"] if "pair" in branch}
    assert (report.evidence["distance"], report.evidence["pair"]) in distances
    assert report.evidence["distance"] == -report.evidence["depth"] == max(distances)[0]


def test_evidence_of_two_faults_is_that_of_the_start(robot, pierced) -> None:
    pierced.add("bead", Shape.sphere(0.01), robot.fk_all(GOAL)["wrist_3_link"])
    error = failure(Planner(robot, pierced), START, GOAL)
    evidence = error.report.evidence
    contact = pierced.contacts(START)[0]
    assert evidence["pair"] == (contact["link"], "ball") and evidence["goal"]["contacts"][0]["pair"][1] == "bead"
    np.testing.assert_allclose([evidence["depth"], -evidence["distance"]], contact["depth"], atol=1e-9)
    both = of_kind(error.report, "several")
    assert both["solved"] and both["kinds"] == ["remove_object", "remove_object"]
    assert both["problem"].scene.objects == []

    start, goal = [*START[:5], 6.5], [*GOAL[:4], 6.6, 0.0]
    evidence = failure(Planner(robot), start, goal).report.evidence
    assert (evidence["joint"], evidence["value"]) == ("wrist_3_joint", 6.5)
    assert np.isclose(evidence["amount"], 6.5 - 2 * np.pi) and evidence["limit"] == 2 * np.pi


def test_every_goal_of_a_set_is_looked_into(robot, pierced) -> None:
    far = np.eye(4)
    far[0, 3] = 2.0
    error = failure(Planner(robot, pierced), GOAL, Goal.any([START, Goal.pose(far)]))
    report = error.report
    assert error.code == "GoalUnreachable"
    collides, too_far = report.evidence["goals"]
    assert (collides["index"], too_far["index"]) == (0, 1)
    assert collides["contacts"][0]["pair"][1] == "ball" and report.evidence["pair"][1] == "ball"
    assert too_far["out_of_reach"] and too_far["ik_counts"]["found"] == 0
    assert of_kind(report, "remove_object")["solved"] and of_kind(report, "goal_pose")["solved"]


def test_a_search_that_ends_shows_its_trees(robot, tmp_path) -> None:
    pytest.importorskip("matplotlib")
    scene = Scene(robot)
    tool = robot.fk(GOAL)[:3, 3]
    for index, (axis, side) in enumerate([(0, 1.0), (0, -1.0), (1, 1.0), (1, -1.0)]):
        half = [0.3, 0.3, 1.0]
        half[axis] = 0.005
        pose = np.eye(4)
        pose[:3, 3] = tool
        pose[axis, 3] += 0.3 * side
        scene.add(f"wall{index}", Shape.cuboid(*half), pose)
        for link in ("forearm_link", "upper_arm_link"):
            scene.allow_collision(f"wall{index}", link)
    error = failure(Planner(robot, scene, max_iterations=100), START, GOAL)
    report = error.report
    evidence = report.evidence
    assert error.code == "PlanningTimeout" and evidence["search_iterations"] == 100
    for tree, root in zip(evidence["trees"], (START, GOAL)):
        np.testing.assert_array_equal(tree["nodes"][0], root)
        assert tree["parents"][0] == -1 and max(tree["parents"]) < len(tree["parents"])
        tools = robot.batch_fk(tree["nodes"])[:, :3, 3]
        assert tree["tools"].shape == tools.shape
        # Root and base frame of this arm differ by a turn about z.
        np.testing.assert_allclose(np.linalg.norm(tree["tools"], axis=1), np.linalg.norm(tools, axis=1), atol=1e-9)
    assert evidence["blocking"][0][1].startswith("wall")
    picture = tmp_path / "failure.png"
    report.plot(str(picture))
    assert picture.read_bytes().startswith(b"\x89PNG")


def test_a_goal_that_is_no_configuration_leaves_the_start_in_the_picture(robot, tmp_path) -> None:
    pytest.importorskip("matplotlib")
    for number, goal in enumerate(([0.0] * 5, [np.nan] * 6)):
        report = failure(Planner(robot), START, goal).report
        axis = report.plot(str(tmp_path / f"{number}.png")).axes[0]
        labels = [line.get_label() for line in axis.lines]
        assert "start" in labels and "goal" not in labels


def test_errors_are_pickled_without_their_scene(robot, pierced) -> None:
    error = failure(Planner(robot, pierced), START, GOAL)
    again = pickle.loads(pickle.dumps(error))
    assert (again.code, again.fields) == (error.code, error.fields)
    assert again.report.suggestions == [] and again.report.evidence == error.fields
    with pytest.raises(InputError, match="no picture"):
        again.report.plot()
    report = error.report
    assert pickle.loads(pickle.dumps(error)).report.reason == report.reason


def test_an_ik_error_has_branches_and_the_nearest_pose(robot) -> None:
    target = robot.fk(GOAL)
    target[:3, 3] *= 1.6
    with pytest.raises(IKError) as caught:
        robot.ik(target)
    report = caught.value.report
    evidence = report.evidence
    reached = robot.fk(evidence["nearest_joints"])
    np.testing.assert_allclose(evidence["nearest_pose"], reached, atol=1e-9)
    assert np.isclose(np.linalg.norm(reached[:3, 3] - target[:3, 3]), evidence["position_error"])
    assert evidence["ik_counts"]["found"] == 0 and evidence["position_error"] > 0.05
    assert of_kind(report, "tolerances")["solved"] and not of_kind(report, "position_only")["solved"]
    assert "nearest pose" in str(report)


def test_ik_outside_limits_lists_what_each_branch_misses() -> None:
    panda = Robot("franka_panda")
    q = panda.named_pose("ready").copy()
    target = panda.fk(q)
    target[:3, 3] = 0.05, 0.0, 0.1
    with pytest.raises(IKError) as caught:
        panda.ik_config(target, solver="dls", num_restarts=2)
    report = caught.value.report
    assert report.evidence["position_error"] + report.evidence["orientation_error"] > 1e-3
    for branch in report.evidence["branches"]:
        for miss in branch["outside"]:
            assert miss["amount"] > 0.0 and not miss["min"] <= miss["value"] <= miss["max"]


def test_explain_on_the_command_line(capsys, tmp_path) -> None:
    goal = ",".join(str(value) for value in np.degrees(GOAL))
    start = ",".join(map(str, START))
    command = ["plan", "ur5e", "--start", start, "--goal", goal, "--explain"]
    assert main(command) == 2
    text = capsys.readouterr().out
    assert "JointLimitViolation" in text and "solves it" in text and "degrees" in text
    saved = tmp_path / "failed.toml"
    assert main([*command, "--json", "--save", str(saved)]) == 2
    told = capsys.readouterr()
    document = json.loads(told.out)
    assert told.err.startswith("kinetic: JointLimitViolation: ") and told.err.count("\n") == 1
    assert document["error"]["code"] == "JointLimitViolation"
    assert document["report"]["suggestions"][0]["kind"] == "radians_for_degrees"
    assert main(["replay", str(saved)]) == 2
