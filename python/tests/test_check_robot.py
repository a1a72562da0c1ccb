"""``Robot.check``, the pairs of links, and ``kinetic check-robot``."""

import json

import numpy as np
import pytest

import kinetic
from kinetic.cli import main
from kinetic.viz.covers import corners, outline, plot_covers, rounding

# Corners of hulls carry rounding of about 1e-15 m.
TOLERANCE = 1e-12

BROKEN = """
<robot name="broken">
  <link name="base"><collision><geometry><box size="0.2 0.2 0.2"/></geometry></collision></link>
  <link name="arm">
    <inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="-1" ixy="0" ixz="0" iyz="0"/></inertial>
    <collision><geometry><box size="0.1 0.1 0.4"/></geometry></collision>
  </link>
  <joint name="turn" type="revolute">
    <parent link="base"/><child link="arm"/><origin xyz="0 0 0.35"/><axis xyz="0 0 1"/>
    <limit lower="-1" upper="1" velocity="1" effort="1"/>
  </joint>
</robot>
"""


@pytest.fixture
def broken(tmp_path):
    file = tmp_path / "broken.urdf"
    file.write_text(BROKEN)
    return file


def test_a_report_is_plain_data_and_repeatable() -> None:
    robot = kinetic.Robot("ur5e")
    report = robot.check()
    assert json.loads(json.dumps(report)) == report == robot.check(rng_seed=0)
    assert report != robot.check(rng_seed=1)
    assert report["robot"] == "ur5e"
    assert report["ik"]["solved"] <= report["ik"]["poses"] == 100


def test_shares_of_contact_are_those_of_random_configurations() -> None:
    robot = kinetic.Robot("ur5e")
    scene = kinetic.Scene(robot)
    free = scene.are_free([robot.random_configuration(seed) for seed in range(1000)])
    # Two independent estimates from 1000 samples differ by more than 0.09 less than once in ten thousand.
    assert robot.check()["self_collision"]["colliding"] == pytest.approx(1 - free.mean(), abs=0.09)


def test_every_pair_of_links_with_shapes_has_a_class_and_a_reason() -> None:
    robot = kinetic.Robot("franka_panda")
    links = [link for link in robot.link_names if len(robot.collision_spheres(link))]
    pairs = robot.self_collision_pairs()
    assert len(pairs) == len(links) * (len(links) - 1) // 2
    for pair in pairs:
        assert set(pair) == {"links", "class", "reason", "clearance"}
        assert pair["reason"]
        assert (pair["clearance"] is None) == (pair["class"] != "never")


def test_shapes_and_spheres_of_a_link_are_those_of_its_description(broken) -> None:
    robot = kinetic.Robot.from_file(broken)
    ((shape, pose),) = robot.collision_shapes("arm")
    assert shape == kinetic.Shape.cuboid(0.05, 0.05, 0.2)
    np.testing.assert_array_equal(pose, np.eye(4))
    spheres = robot.collision_spheres("arm")
    corner = np.array([0.05, 0.05, 0.2])
    assert (np.linalg.norm(spheres[:, :3] - corner, axis=1) <= spheres[:, 3] + TOLERANCE).any()
    with pytest.raises(kinetic.InputError, match="no_such_link"):
        robot.collision_shapes("no_such_link")


def test_the_command_prints_figures_and_findings(capsys) -> None:
    assert main(["check-robot", "ur5e"]) == 0
    out = capsys.readouterr().out
    for word in ("0 errors", "self-collision", "reachable poses", "forearm_link", "excess"):
        assert word in out


def test_a_robot_with_an_error_ends_with_1_and_names_it(capsys, broken) -> None:
    assert main(["check-robot", str(broken)]) == 1
    out = capsys.readouterr().out
    assert "error    arm: principal moments" in out
    assert "[inertia]" in out


def test_the_command_prints_the_report_as_json(capsys, broken) -> None:
    assert main(["check-robot", str(broken), "--json", "--seed", "3"]) == 1
    report = json.loads(capsys.readouterr().out)
    assert report == kinetic.Robot.from_file(broken).check(rng_seed=3)


def test_a_robot_that_cannot_be_read_ends_with_2(capsys, tmp_path) -> None:
    assert main(["check-robot", "no_such_robot"]) == 2
    assert main(["check-robot", str(tmp_path / "missing.urdf")]) == 2
    assert main(["check-robot", "ur5e", "--seed", "-1"]) == 2
    assert main(["check-robot", "ur5e", "--picture", "x.nothing"]) == 2
    assert capsys.readouterr().err.count("\n") == 4


def test_a_picture_is_drawn(capsys, tmp_path) -> None:
    file = tmp_path / "ur5e.png"
    assert main(["check-robot", "ur5e", "--picture", str(file)]) == 0
    assert file.read_bytes().startswith(b"\x89PNG")


def test_a_picture_has_three_views_with_all_links() -> None:
    robot = kinetic.Robot("xarm7")
    links = [link for link in robot.link_names if len(robot.collision_spheres(link))]
    axes = plot_covers(robot).axes
    assert [axis.get_title() for axis in axes] == ["front", "side", "top"]
    for axis in axes:
        assert len(axis.collections) == 2 * len(links)


def test_outlines_are_convex_and_contain_all_points() -> None:
    points = np.random.default_rng(4).normal(size=(200, 2))
    hull = outline(points)
    edges = np.roll(hull, -1, axis=0) - hull
    for corner, edge in zip(hull, edges):
        side = edge[0] * (points[:, 1] - corner[1]) - edge[1] * (points[:, 0] - corner[0])
        assert side.min() >= -TOLERANCE
    assert {tuple(corner) for corner in hull} <= {tuple(point) for point in points}


def test_outlines_of_round_shapes_have_their_size() -> None:
    for shape, width in [
        (kinetic.Shape.sphere(0.1), 0.2),
        (kinetic.Shape.capsule(0.1, 0.3), 0.8),
        (kinetic.Shape.cylinder(0.1, 0.3), 0.6),
        (kinetic.Shape.cuboid(0.1, 0.1, 0.4), 0.8),
    ]:
        seen = outline(corners(shape, np.eye(4))[:, [0, 2]], rounding(shape))
        assert np.ptp(seen[:, 1]) == pytest.approx(width, abs=TOLERANCE)
