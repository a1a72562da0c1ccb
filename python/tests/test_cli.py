"""The ``kinetic`` command as a user meets it: output, files, exit codes."""

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import kinetic
from kinetic import Goal, PlanningError
from kinetic.cli import bench, exit_code_of, join_negative_values, main
from kinetic.cli.numbers import parse_numbers
from kinetic.cli.output import CliError
from kinetic.cli.plan import parse_goal, pose_from_xyz_rpy

# Rotation matrices computed in double precision from a handful of products.
ROTATION_TOLERANCE = 1e-14

HOME_TO_READY = ["plan", "ur5e", "--start", "home", "--goal", "ready", "--seed", "1"]


def fails_with_one_line(capsys, arguments, *words) -> None:
    """The command ends with exit code 2 and one line on stderr that holds all words."""
    assert main(arguments) == 2
    err = capsys.readouterr().err
    assert err.count("\n") == 1, err
    for word in words:
        assert word in err


def test_robots_lists_every_builtin_robot(capsys) -> None:
    assert main(["robots"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in lines[2:]] == kinetic.list_robots()


def test_robots_as_json_says_what_the_robots_say(capsys) -> None:
    assert main(["robots", "--json"]) == 0
    rows = json.loads(capsys.readouterr().out)["robots"]
    ur5e = next(row for row in rows if row["name"] == "ur5e")
    assert ur5e["dof"] == len(ur5e["joints"]) == 6
    assert "home" in ur5e["named_poses"]


def test_plan_prints_the_figures_and_writes_the_files(capsys, tmp_path) -> None:
    out, plot = tmp_path / "motion.json", tmp_path / "motion.png"
    curves = tmp_path / "curves.svg"
    assert main([*HOME_TO_READY, "--out", str(out), "--plot", str(plot), "--curves", str(curves)]) == 0
    assert "<svg" in curves.read_text("utf-8")
    text = capsys.readouterr().out
    assert "planning time" in text
    assert "clearance to the world" in text and "clearance to itself" in text
    assert json.loads(out.read_text())["dof"] == 6
    assert plot.read_bytes().startswith(b"\x89PNG")


def test_plan_as_json_holds_the_trajectory_when_no_file_is_asked_for(capsys) -> None:
    assert main([*HOME_TO_READY, "--json"]) == 0
    report = json.loads(capsys.readouterr().out)
    assert report["trajectory"]["dof"] == 6
    assert report["duration"] == report["trajectory"]["duration"] > 0
    assert report["certificate"]["max_velocity_ratio"] <= 1.0 + 1e-9


def test_plan_with_the_same_seed_writes_the_same_bytes(tmp_path, capsys) -> None:
    files = [tmp_path / "a.json", tmp_path / "b.json"]
    for file in files:
        assert main([*HOME_TO_READY, "--out", str(file)]) == 0
    assert files[0].read_bytes() == files[1].read_bytes()


AROUND_THE_POST = [
    "plan",
    "ur5e",
    "--start",
    "-1.0,-1.2,1.0,-1.4,-1.57,0",
    "--goal",
    "1.0,-1.2,1.0,-1.4,-1.57,0",
    "--json",
]


def test_plan_hands_its_options_to_the_planner(capsys, tmp_path) -> None:
    """Each option gives what the same option of ``Planner`` gives, and another plan than without it."""
    scene = tmp_path / "scene.toml"
    scene.write_text(
        '[[object]]\nname = "post"\nshape = "cylinder"\nradius = 0.05\nhalf_height = 1.0\nposition = [0.55, 0.1, 0.5]\n'
    )
    options = [
        ([], {}),
        (["--joint-weights", "shoulder_pan_joint=5,elbow_joint=0.5"], {"joint_weights": [5, 1, 0.5, 1, 1, 1]}),
        (["--joint-weights", "0.2,1,1,1,1,1"], {"joint_weights": {"shoulder_pan_joint": 0.2}}),
        (["--margin", "0.05"], {"collision_margin": 0.05}),
        (["--self-margin", "0.015"], {"self_margin": 0.015}),
        (["--planner", "aorrtc", "--max-iterations", "300"], {"planner_type": "aorrtc", "max_iterations": 300}),
        (["--shortcut-iterations", "0", "--no-smooth"], {"shortcut_iterations": 0, "smooth": False}),
        (["--velocity-limits", "0.5,0.4,1,2,2,2"], {"velocity_limits": [0.5, 0.4, 1, 2, 2, 2]}),
        (["--acceleration-limits", "1.5", "--jerk-limits", "20"], {"acceleration_limits": 1.5, "jerk_limits": 20}),
    ]
    robot = kinetic.Robot("ur5e")
    around = kinetic.Scene(robot)
    around.load(scene)
    start, goal = ([float(value) for value in AROUND_THE_POST[index].split(",")] for index in (3, 5))
    plans = []
    for words, arguments in options:
        assert main([*AROUND_THE_POST, "--scene", str(scene), "--seed", "3", *words]) == 0
        plans.append(json.loads(capsys.readouterr().out)["trajectory"])
        expected = kinetic.Planner(robot, around, rng_seed=3, **arguments).plan(start, goal)
        assert plans[-1] == json.loads(expected.to_json()), words
    assert all(plan != plans[0] for plan in plans[1:])


def test_a_group_is_selected(capsys) -> None:
    command = ["plan", "fetch", "--start", "home", "--goal", "ready", "--json"]
    for words, joints in (([], 8), (["--group", "arm"], 7)):
        assert main([*command, *words]) == 0
        trajectory = json.loads(capsys.readouterr().out)["trajectory"]
        assert len(trajectory["joint_names"]) == joints
    assert main([*command, "--group", "arms"]) == 2
    error = json.loads(capsys.readouterr().out)["error"]
    assert error["code"] == "GroupNotFound" and '"arm"' in error["message"]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--joint-weights", "heavy"], "neither numbers"),
        (["--joint-weights", "elbow_joint=2,elbow_joint=3"], "each joint once"),
        (["--joint-weights", "elbow_joint=heavy"], "elbow_joint=heavy"),
        (["--joint-weights", "knee=2"], "knee"),
        (["--joint-weights", "1,2"], "6"),
        (["--joint-weights", "0,1,1,1,1,1"], "0"),
        (["--margin", "nan"], "collision_margin"),
        (["--planner", "rrt"], "rrt_connect"),
        (["--max-iterations", "0"], "max_iterations"),
        (["--velocity-limits", "quick"], "--velocity-limits"),
        (["--velocity-limits", "100"], "shoulder_pan_joint"),
        (["--workspace-bounds", "0,0,1,1"], "six numbers"),
        (["--minimise", "energy"], "energy"),
        (["--constraint", "foo"], 'constraint = foo; wanted JSON with "kind"'),
        (["--constraint", '{"joint_index":2}'], 'wanted JSON with "kind"'),
        (["--out", "motion.txt"], ".json, .csv, .npz"),
    ],
)
def test_plan_refuses_options_that_make_no_sense(capsys, words, message) -> None:
    assert main([*HOME_TO_READY, *words]) in (2, 3)
    assert message in capsys.readouterr().err


def test_plan_takes_joint_values_that_begin_with_a_minus(capsys) -> None:
    ready = ",".join(str(value) for value in kinetic.Robot("ur5e").named_pose("ready"))
    assert main(["plan", "ur5e", "--goal", "home", "--start", "-0.1," + ready.split(",", 1)[1]]) == 0


@pytest.mark.parametrize(
    ("file", "text"),
    [
        (
            "scene.toml",
            '[[object]]\nname = "wall"\nshape = "box"\nsize = [0.1, 2.0, 2.0]\nposition = [1.5, 0.0, 0.5]\n',
        ),
        (
            "wall.scene",
            "moveit\n* wall\n1.5 0 0.5\n0 0 0 1\n1\nbox\n0.1 2 2\n0 0 0\n0 0 0 1\n0 0 0 0\n0\n.\n",
        ),
    ],
)
def test_plan_reads_a_scene_file(capsys, tmp_path, file: str, text: str) -> None:
    scene = tmp_path / file
    scene.write_text(text)
    assert main([*HOME_TO_READY, "--scene", str(scene), "--json"]) == 0
    certificate = json.loads(capsys.readouterr().out)["certificate"]
    assert certificate["min_clearance"] is not None


@pytest.mark.parametrize(
    ("line", "word"),
    [
        ('colour = "red"', "colour"),
        ("size = [0.1, -2.0, 2.0]", "positive"),
    ],
)
def test_a_bad_scene_file_is_named_with_what_is_wrong(capsys, tmp_path, line, word) -> None:
    scene = tmp_path / "scene.toml"
    size = "" if "size" in line else "size = [1.0, 1.0, 1.0]\n"
    scene.write_text(f'[[object]]\nname = "wall"\nshape = "box"\n{size}{line}\n')
    fails_with_one_line(capsys, [*HOME_TO_READY, "--scene", str(scene)], word)


def test_a_missing_scene_file_is_named(capsys) -> None:
    fails_with_one_line(capsys, [*HOME_TO_READY, "--scene", "no_such_scene.toml"], "no_such_scene.toml")


def test_an_unknown_robot_is_answered_with_a_close_name(capsys) -> None:
    fails_with_one_line(capsys, ["plan", "ur5", "--start", "home", "--goal", "ready"], '"ur5"', '"ur5e"')


def test_an_unknown_start_pose_is_answered_with_those_that_exist(capsys) -> None:
    fails_with_one_line(capsys, ["plan", "ur5e", "--start", "hoem", "--goal", "ready"], '"hoem"', '"home"', '"ready"')


def test_an_unknown_goal_pose_is_named(capsys) -> None:
    fails_with_one_line(capsys, ["plan", "ur5e", "--start", "home", "--goal", "raedy"], '"raedy"')


def test_too_few_joint_values_are_counted(capsys) -> None:
    fails_with_one_line(capsys, ["plan", "ur5e", "--start", "1,2,3", "--goal", "home"], "3", "6")


def test_a_word_among_the_numbers_is_named(capsys) -> None:
    fails_with_one_line(capsys, ["plan", "ur5e", "--start", "home", "--goal", "0,0,zero,0,0,0"], "--goal", '"zero"')


def test_a_pose_goal_with_five_numbers_is_refused(capsys) -> None:
    fails_with_one_line(capsys, ["plan", "ur5e", "--start", "home", "--goal", "pose:1,2,3,4,5"], "pose:x,y,z")


def test_nan_is_refused(capsys) -> None:
    fails_with_one_line(capsys, ["plan", "ur5e", "--start", "home", "--goal", "0,0,nan,0,0,0"], "NaN")


def test_a_goal_outside_its_limits_is_named_with_joint_and_range(capsys) -> None:
    arguments = ["plan", "ur5e", "--start", "home", "--goal", "0,-1.5,9,0,0,0"]
    fails_with_one_line(capsys, arguments, "elbow_joint", "9", "3.14")


def test_an_unreachable_pose_is_an_input_error(capsys) -> None:
    fails_with_one_line(capsys, ["plan", "ur5e", "--start", "home", "--goal", "pose:5,0,0,0,0,0"])


def test_a_timeout_of_zero_is_refused(capsys) -> None:
    fails_with_one_line(capsys, [*HOME_TO_READY, "--timeout", "0"], "timeout")


def test_missing_arguments_are_one_line_too(capsys) -> None:
    fails_with_one_line(capsys, ["plan"], "--start", "--goal")


def test_failures_are_json_as_well_when_asked_for(capsys) -> None:
    assert main(["plan", "ur5", "--start", "home", "--goal", "ready", "--json"]) == 2
    error = json.loads(capsys.readouterr().out)["error"]
    assert error["code"] == "RobotConfigNotFound"
    assert error["message"].startswith("RobotConfigNotFound: ")


def test_not_finding_a_plan_has_its_own_exit_code() -> None:
    assert exit_code_of(PlanningError("PlanningTimeout: …", code="PlanningTimeout", retryable=True)) == 1
    assert exit_code_of(PlanningError("StartInCollision: …", code="StartInCollision")) == 2
    assert exit_code_of(FileNotFoundError(2, "No such file", "x")) == 2


def test_a_bench_without_data_says_which_folder_is_missing(capsys) -> None:
    fails_with_one_line(capsys, ["bench", "mbm", "--data", "no_such_folder"], "no_such_folder")


def test_version_and_help_end_well(capsys) -> None:
    assert main(["--version"]) == 0
    assert main(["plan", "--help"]) == 0
    out = capsys.readouterr().out
    assert f"kinetic {kinetic.__version__}" in out
    assert "--scene" in out


def test_the_module_runs_as_a_program_from_any_folder(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "kinetic", "plan", "nothing", "--start", "home", "--goal", "home"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 2
    assert "Traceback" not in done.stderr


def test_a_leading_minus_is_joined_only_to_an_option() -> None:
    assert join_negative_values(["plan", "a", "--start", "-1,2"]) == ["plan", "a", "--start=-1,2"]
    assert join_negative_values(["--start", "-.5,2", "--json"]) == ["--start=-.5,2", "--json"]
    assert join_negative_values(["--json", "--seed", "-1"]) == ["--json", "--seed", "-1"]


def test_numbers_and_names_are_told_apart() -> None:
    assert parse_numbers("--goal", "1, -2.5,3e-1") == [1.0, -2.5, 0.3]
    assert parse_numbers("--goal", "home") is None
    with pytest.raises(CliError, match='"two"'):
        parse_numbers("--goal", "1,two")


def test_goals_have_the_kind_that_their_text_says() -> None:
    assert parse_goal("home").kind == Goal.named("home").kind
    assert parse_goal("0,0,0").kind == Goal.joints([0, 0, 0]).kind
    assert parse_goal("pose:0,0,0,0,0,0").kind == Goal.pose(np.eye(4)).kind


def test_roll_pitch_yaw_turn_about_the_fixed_axes_in_that_order() -> None:
    def turn(axis: int, angle: float) -> np.ndarray:
        u, v = (axis + 1) % 3, (axis + 2) % 3
        matrix = np.eye(3)
        matrix[[u, u, v, v], [u, v, u, v]] = np.cos(angle), -np.sin(angle), np.sin(angle), np.cos(angle)
        return matrix

    pose = pose_from_xyz_rpy([1.0, 2.0, 3.0, 0.3, -0.7, 2.1])
    expected = turn(2, 2.1) @ turn(1, -0.7) @ turn(0, 0.3)
    np.testing.assert_allclose(pose[:3, :3], expected, atol=ROTATION_TOLERANCE)
    np.testing.assert_array_equal(pose[:, 3], [1.0, 2.0, 3.0, 1.0])


@pytest.mark.parametrize(
    "arguments",
    [
        ["plan", "ur5e", "--start", "home", "--json"],
        [*HOME_TO_READY, "--timeout", "soon", "--json"],
        ["bench", "nothing", "--json"],
        [*HOME_TO_READY, "--plot", "motion.nothing", "--json"],
        ["plan", "ur5e", "--start", "hoem", "--goal", "ready", "--json"],
    ],
)
def test_what_the_command_line_refuses_is_one_json_document_too(capsys, arguments) -> None:
    assert main(arguments) == 2
    said = capsys.readouterr()
    error = json.loads(said.out)["error"]
    assert error["code"] == "InvalidArgument"
    assert said.err == f"kinetic: {error['message']}\n"


def test_an_unknown_kind_of_picture_is_refused_before_anything_is_written(capsys, tmp_path) -> None:
    out = tmp_path / "motion.json"
    fails_with_one_line(
        capsys, [*HOME_TO_READY, "--out", str(out), "--plot", "motion.nothing"], "motion.nothing", "png"
    )
    assert not out.exists()


def test_a_folder_called_like_a_robot_does_not_hide_it(capsys, tmp_path, monkeypatch) -> None:
    (tmp_path / "ur5e").mkdir()
    monkeypatch.chdir(tmp_path)
    assert main(HOME_TO_READY) == 0
    fails_with_one_line(capsys, ["plan", "./ur5e", *HOME_TO_READY[2:]], "kinetic.toml")


def test_an_empty_robot_name_is_an_unknown_robot(capsys) -> None:
    fails_with_one_line(capsys, ["plan", "", *HOME_TO_READY[2:]], "RobotConfigNotFound")


def test_paths_without_a_folder_are_refused_before_the_bench(capsys, tmp_path, monkeypatch) -> None:
    monkeypatch.setattr(bench, "bench_mbm", lambda *_: pytest.fail("the bench ran"))
    paths = tmp_path / "nowhere" / "paths.json.gz"
    fails_with_one_line(capsys, ["bench", "mbm", "--data", "d", "--paths", str(paths)], "nowhere")


def test_an_interrupted_command_is_one_json_document(capsys, monkeypatch) -> None:
    def interrupted(*_: object) -> str:
        raise KeyboardInterrupt

    monkeypatch.setattr(bench, "bench_mbm", interrupted)
    assert main(["bench", "mbm", "--data", "d", "--json"]) == 130
    assert json.loads(capsys.readouterr().out)["error"]["code"] == "Interrupted"


def test_a_reader_that_goes_away_is_no_failure() -> None:
    command = f"'{sys.executable}' -m kinetic robots --json | head -c 1"
    done = subprocess.run(command, shell=True, capture_output=True, text=True, check=False)
    assert done.stdout == "{"
    assert done.stderr == ""
