"""Certificates: what they are bound to, who gets one, what they say was not checked, and where jerk is infinite."""

from __future__ import annotations

import json
import re

import numpy as np
import pytest
from oracles import CONFIGS, translation

import kinetic
from kinetic import InputError, KineticWarning, Planner, PlanningError, Robot, Scene, Shape, Trajectory
from kinetic.cli import main

BARE = """<robot name="bare"><link name="base"/>{links}
  <joint name="j1" type="revolute"><parent link="base"/><child link="upper"/><axis xyz="0 0 1"/>
    <limit lower="-2" upper="2" velocity="1" effort="1"/></joint>
  <joint name="j2" type="revolute"><parent link="upper"/><child link="fore"/><origin xyz="1 0 0"/><axis xyz="0 0 1"/>
    <limit lower="-2" upper="2" velocity="1" effort="1"/></joint>
  <joint name="end" type="fixed"><parent link="fore"/><child link="tool"/><origin xyz="0.5 0 0"/></joint></robot>"""
NOTHING = '<link name="upper"/><link name="fore"/><link name="tool"/>'
BALL = '<{0}><origin xyz="0.5 0 0"/><geometry><sphere radius="0.1"/></geometry></{0}>'


@pytest.fixture(scope="module")
def planner() -> Planner:
    return Planner(Robot("ur5e"))


@pytest.fixture(scope="module")
def motion(planner: Planner) -> Trajectory:
    return planner.plan("home", "ready")


def moved_in(text: str, form: str) -> str:
    """The first joint of the middle piece half a radian away, as an editor would do it."""
    if form == "csv":
        rows = re.findall(r"^# piece \d+ joint 0 .*$", text, flags=re.MULTILINE)
        row = rows[len(rows) // 2]
        head, numbers = row.rsplit(" ", 1)
        first, rest = numbers.split(",", 1)
        return text.replace(row, f"{head} {float(first) + 0.5},{rest}")
    document = json.loads(text)
    pieces = document["pieces"]["coefficients"]
    pieces[len(pieces) // 2][0][0] += 0.5
    document["waypoints"] = []
    del document["num_waypoints"]
    return json.dumps(document)


READ = {"json": Trajectory.from_json, "csv": Trajectory.from_csv}


@pytest.mark.parametrize("form", READ)
def test_a_certificate_does_not_outlive_its_curve_in_a_file(motion: Trajectory, tmp_path, form: str) -> None:
    text = getattr(motion, f"to_{form}")()
    again = READ[form](text)
    assert again.certificate == motion.certificate
    changed = moved_in(text, form)
    # Waypoints are a view of the curve, and at the middle there may be one.
    if form == "csv":
        changed = "\n".join(line for line in changed.splitlines() if line.startswith(("#", "time"))) + "\n"
        changed = re.sub(r"^# num_waypoints .*\n", "", changed, flags=re.MULTILINE)
    with pytest.warns(KineticWarning, match="certificate is left out"):
        other = READ[form](changed)
    assert other.certificate is None
    middle = 0.5 * motion.duration
    assert np.abs(other.sample(middle) - motion.sample(middle)).max() > 0.4


def test_a_changed_archive_loses_its_certificate(motion: Trajectory, tmp_path) -> None:
    np.savez(tmp_path / "a.npz", json=moved_in(motion.to_json(), "json"))
    with pytest.warns(KineticWarning, match="certificate"):
        assert Trajectory.from_npz(tmp_path / "a.npz").certificate is None


def test_a_certificate_says_what_it_was_proven_for(planner: Planner, motion: Trajectory) -> None:
    certificate = motion.certificate
    assert (certificate.group, certificate.unchecked_links) == (planner.group, [])
    scene = Scene(planner.robot)
    assert certificate.scene == scene.version
    scene.add("ball", Shape.sphere(0.05), translation(0.0, 0.0, 2.0))
    assert certificate.scene != scene.version
    assert Planner(planner.robot, scene).certify(motion).certificate.scene == scene.version


def test_whatever_changes_the_curve_leaves_the_certificate_out_and_certify_makes_one(planner, motion) -> None:
    robot = planner.robot
    velocity, acceleration = robot.velocity_limits, robot.acceleration_limits
    back = motion.reverse()
    others = {
        "reverse": back,
        "concatenate": motion.concatenate(back),
        "blend": motion.blend(back, 0.2, velocity, acceleration),
        "retimed": motion.time_parameterize("jerk_limited", 0.5 * velocity, 0.5 * acceleration),
        "stop": motion.stop(0.5 * motion.duration, velocity, acceleration)["trajectory"],
        "splice": motion.splice(
            back, now=0.9 * motion.duration, latency=0.01, velocity_limits=velocity, acceleration_limits=acceleration
        ),
        "csv without pieces": Trajectory.from_csv(re.sub(r"^#.*\n", "", motion.to_csv(), flags=re.MULTILINE)),
    }
    for name, other in others.items():
        assert other.certificate is None, name
    for name in ("reverse", "concatenate", "blend", "retimed", "stop", "splice"):
        certified = planner.certify(others[name])
        assert certified == others[name] or certified.pieces()[0].tolist() == others[name].pieces()[0].tolist(), name
        certificate = certified.certificate
        assert certificate.max_velocity_ratio <= 1.0 + 1e-9, name
        assert certificate.max_acceleration_ratio <= 1.0 + 1e-9, name
        assert certificate.min_clearance is not None, name


def test_a_motion_of_the_tool_can_be_certified(planner: Planner) -> None:
    robot = planner.robot
    start = [0.3, -1.2, 1.6, -2.0, -1.5, 0.1]
    poses = np.repeat(robot.fk(start)[None], 3, axis=0)
    poses[1:, 1, 3] -= 0.1
    poses[2, 2, 3] += 0.1
    motion = robot.tool_motion(poses, 0.02, q_start=start)["trajectory"]
    assert motion.certificate is None
    assert planner.certify(motion).certificate.max_velocity_ratio <= 1.0


def test_what_does_not_hold_is_named_with_time_and_amount(planner: Planner, motion: Trajectory) -> None:
    robot = planner.robot
    middle = 0.5 * motion.duration
    scene = Scene(robot)
    scene.add("ball", Shape.sphere(0.05), translation(*robot.fk(motion.sample(middle))[:3, 3]))
    with pytest.raises(PlanningError, match="^TrajectoryInCollision") as caught:
        Planner(robot, scene).certify(motion)
    error = caught.value
    assert (error.code, error.other) == ("TrajectoryInCollision", "ball")
    assert 0.0 < error.time < middle
    near = scene.contacts(motion.sample(error.time), margin=0.03)
    assert min(contact["distance"] for contact in near if contact["other"] == "ball") == pytest.approx(
        error.distance, abs=1e-6
    )
    assert error.margin == pytest.approx(0.02)

    fast = motion.reverse().time_parameterize("trapezoidal", 50.0, 500.0)
    with pytest.raises(PlanningError, match="^TrajectoryLimitExceeded") as caught:
        planner.certify(fast)
    error = caught.value
    joint = robot.joint_names.index(error.joint)
    rate = {"velocity": fast.sample_velocity, "acceleration": fast.sample_acceleration}[error.quantity]
    assert abs(rate(error.time)[joint]) == pytest.approx(abs(error.value), rel=1e-6)
    assert abs(error.value) > error.limit
    with pytest.raises(InputError, match="without time"):
        planner.certify(Trajectory.from_waypoints(motion.positions()))
    with pytest.raises(InputError, match="DimensionMismatch"):
        planner.certify(Trajectory.from_waypoints([[0.0], [1.0]]).time_parameterize("totp", 1.0, 1.0))
    other = Planner("ur10e").plan("home", "ready")
    assert planner.certify(other).certificate is not None  # the same joints by name: a motion is no robot
    with pytest.raises(InputError, match="joint"):
        Planner("fanuc_crx10ia").certify(motion)


# --- what was not checked ---


@pytest.mark.parametrize("links", [NOTHING, NOTHING.replace("/>", ">{}</link>", 1).format(BALL.format("visual"))])
def test_links_without_shapes_are_named_everywhere(links: str, tmp_path, capsys) -> None:
    robot = Robot.from_urdf(BARE.format(links=links))
    # Of `fore` it is known that it keeps the joint and the tool apart.
    assert any("without collision shapes" in note and '"upper", "fore"' in note for note in robot.notes), robot.notes
    with pytest.warns(KineticWarning, match='"upper", "fore"'):
        scene = Scene(robot)
    with pytest.warns(KineticWarning, match='"upper", "fore"'):
        planner = Planner(robot, scene)
    with pytest.warns(KineticWarning, match='"upper", "fore"'):
        certificate = kinetic.plan(robot, [0.0, 0.0], [0.5, 0.5]).certificate
    assert certificate.unchecked_links == ["upper", "fore"]
    assert (certificate.min_clearance, certificate.pair) == (None, None)
    assert "None" in repr(certificate)
    assert planner.plan([0.0, 0.0], [0.5, 0.5]).certificate == certificate
    (tmp_path / "bare.urdf").write_text(BARE.format(links=links))
    command = ["plan", str(tmp_path / "bare.urdf"), "--start", "0,0", "--goal", "0.5,0.5"]
    assert main(command) == 0
    said = capsys.readouterr()
    assert "upper" in said.err
    assert "warning" in said.err
    assert "not checked" in said.out
    assert main([*command, "--json"]) == 0
    report = json.loads(capsys.readouterr().out)
    assert report["certificate"]["unchecked_links"] == ["upper", "fore"]
    assert report["certificate"]["min_clearance"] is None


def test_a_link_that_alone_has_no_shape_is_named(recwarn) -> None:
    one = NOTHING.replace("/>", ">{}</link>", 1).format(BALL.format("collision"))
    assert Scene(Robot.from_urdf(BARE.format(links=one))).version
    assert ["fore" in str(warning.message) and "upper" not in str(warning.message) for warning in recwarn] == [True]
    both = NOTHING.replace("/>", ">{0}</link>", 2).format(BALL.format("collision"))
    recwarn.clear()
    Scene(Robot.from_urdf(BARE.format(links=both)))
    assert not list(recwarn)


def test_no_built_in_robot_has_unchecked_links(recwarn) -> None:
    for name in kinetic.list_robots():
        Scene(name)
        without = [note for note in Robot(name).notes if "without collision shapes" in note]
        # The description of the PR2 has five motors and screws inside other links, without shapes.
        assert bool(without) == (name == "pr2"), without
    assert all("screw" in str(warning.message) for warning in recwarn)


@pytest.mark.parametrize("folder", sorted(path.parent.name for path in CONFIGS.glob("*/robot.urdf")))
def test_shipped_urdfs_read_by_path_have_their_hulls(folder: str, recwarn) -> None:
    robot, whole = Robot.from_urdf(CONFIGS / folder / "robot.urdf"), Robot.from_path(CONFIGS / folder)
    bare, bare_too = ([note for note in read.notes if "without collision shapes" in note] for read in (robot, whole))
    assert bare == bare_too
    assert any("hulls.json" in note for note in robot.notes)
    assert robot.link_names == whole.link_names
    scene = Scene(robot)
    assert all("screw" in str(warning.message) for warning in recwarn)
    # What stands at the tip is seen.
    q = robot.mid_configuration()
    scene.add("ball", Shape.sphere(0.3), robot.fk_all(q)[robot.tip])
    assert scene.check_collision(q)


# --- jerk ---


def test_jerk_limits_are_those_of_the_model() -> None:
    stated = (CONFIGS / "franka_panda" / "kinetic.toml").read_text("utf-8")
    table = re.search(r"^jerk = \{(.*)\}", stated, flags=re.MULTILINE)
    assert table is not None
    values = {name: float(value) for name, value in re.findall(r"(\w+) = ([\d.]+)", table[1])}
    panda = Robot("franka_panda")
    assert panda.jerk_limits.tolist() == [values[name] for name in panda.joint_names]
    assert Robot("ur5e").jerk_limits is None


@pytest.mark.parametrize("law", ["totp", "trapezoidal", "cubic_spline"])
def test_jerk_is_infinite_where_acceleration_steps(law: str) -> None:
    planner = Planner("franka_panda")
    certificate = planner.plan("home", "ready", law).certificate
    assert certificate.max_jerk_ratio == np.inf
    motion = planner.plan("home", "ready", law)
    again = Trajectory.from_json(motion.to_json())
    assert again.certificate.max_jerk_ratio == np.inf
    assert Trajectory.from_csv(motion.to_csv()).certificate == motion.certificate


def test_a_law_that_bounds_jerk_has_a_finite_share_of_it() -> None:
    certificate = Planner("franka_panda").plan("home", "ready", "jerk_limited").certificate
    assert 0.0 < certificate.max_jerk_ratio <= 1.0 + 1e-6


def test_a_plot_marks_where_jerk_is_infinite() -> None:
    pytest.importorskip("matplotlib", reason="the extra kinetic[viz]")
    path = Trajectory.from_waypoints([[0.0, 0.0], [1.0, 0.0]])
    stepping = path.time_parameterize("trapezoidal", 1.0, 2.0)
    # Rest, full acceleration, none, full deceleration, rest.
    (lines, *_) = stepping.plot().axes[3].collections
    assert sorted(segment[0][0] for segment in lines.get_segments()) == pytest.approx([0.0, 0.5, 1.0, 1.5])
    smooth = path.time_parameterize("jerk_limited", 1.0, 2.0, 20.0)
    assert not [line for lines in smooth.plot().axes[3].collections for line in lines.get_segments()]
    shares = stepping.plot(velocity_limits=1.0, acceleration_limits=2.0, jerk_limits=20.0).axes[4]
    assert shares.collections
