"""Ghosts, bodies that are attached to a hand, worlds of SDF, surfaces of distance fields, and what a camera sees."""

from __future__ import annotations

import pickle

import numpy as np
import pytest

import kinetic
from kinetic import InputError, Planner, Pose, Scene, Shape

WORLD = """
<sdf version="1.9"><world name="lab">
  <model name="table"><static>true</static><pose>0.7 0 0.2 0 0 0</pose><link name="top"><collision name="c">
    <geometry><box><size>0.6 0.9 0.4</size></box></geometry></collision></link></model>
  <model name="can"><pose relative_to="table">0 0 0.25 0 0 0</pose><link name="body"><collision name="c">
    <geometry><cylinder><radius>0.03</radius><length>0.1</length></cylinder></geometry></collision></link></model>
  <light name="sun" type="directional"/>
</world></sdf>
"""


def at(x: float, y: float, z: float) -> Pose:
    """A pose without a turn."""
    return Pose.from_xyz(x, y, z)


def test_a_ghost_is_planned_through_and_named_by_the_certificate() -> None:
    robot = kinetic.Robot("ur5e")
    scene = Scene(robot)
    start, goal = np.array([0.0, -1.57, 1.57, 0.0, 1.57, 0.0]), np.array([0.6, -1.57, 1.57, 0.0, 1.57, 0.0])
    middle = robot.fk(0.5 * (start + goal))[:3, 3]
    scene.add("cloth", Shape.box(0.02, 0.02, 0.02), at(*middle))
    solid = Planner(robot, scene).plan(start, goal)
    assert solid.certificate is not None and solid.certificate.ghosts == []
    version = scene.version
    scene.set_ghost("cloth")
    assert scene.ghosts == ["cloth"] and scene.version != version
    through = Planner(robot, scene).plan(start, goal)
    assert through.certificate is not None and through.certificate.ghosts == ["cloth"]
    assert through.duration < solid.duration
    again = pickle.loads(pickle.dumps(scene))
    assert again.ghosts == ["cloth"] and again.version == scene.version
    assert kinetic.Trajectory.from_json(through.to_json()).certificate.ghosts == ["cloth"]
    scene.set_ghost("cloth", False)
    assert scene.ghosts == [] and scene.version == version
    for name in ("nothing", "wrist_3_link"):
        with pytest.raises(InputError):
            scene.set_ghost(name)


def test_an_attached_object_is_lifted_off_and_not_drawn_through_its_table() -> None:
    robot = kinetic.Robot("franka_panda")
    scene = Scene(robot)
    q = np.append(robot.named_pose("ready"), 0.035)
    hand = Pose(robot.fk(q, link="panda_hand"))
    part = hand @ at(0.0, 0.0, 0.12)
    scene.add("part", Shape.box(0.03, 0.03, 0.08), part)
    # The table is along the axis of the hand, 2 mm beyond the part; a shelf is far, and a plate touches.
    scene.add("table", Shape.box(0.5, 0.5, 0.04), hand @ at(0.0, 0.0, 0.12 + 0.04 + 0.002 + 0.02))
    scene.add("plate", Shape.box(0.02, 0.02, 0.02), hand @ at(0.0, -0.025, 0.13))
    found = scene.attach_existing("part", "panda_hand", q)
    assert found["touching"] == ["plate"]
    assert found["released"].keys() == {"table"} and abs(found["released"]["table"] - 0.001) < 1e-6
    fingers = {"panda_leftfinger", "panda_rightfinger", "panda_link7", "panda_link8"}
    assert fingers <= set(found["touch_links"])
    assert "panda_link6" not in found["touch_links"] and "panda_hand" not in found["touch_links"]
    assert scene.margins["pairs"] == {("part", "table"): found["released"]["table"]}
    scene.remove("plate")
    assert not scene.check_collision(q)
    # Four millimetres along the hand's axis: through the table.
    jacobian = robot.jacobian(q[:7])
    wanted = np.concatenate([0.004 * Pose(robot.fk(q)).matrix[:3, 2], np.zeros(3)])
    assert scene.check_collision(np.append(q[:7] + np.linalg.pinv(jacobian) @ wanted, 0.035))
    for held in (scene, pickle.loads(pickle.dumps(scene))):
        held.detach("part", part)
        assert held.margins["pairs"] == {}
    assert scene.attach_existing("part", "panda_hand", q, touch_links=["panda_leftfinger"])["touch_links"] == [
        "panda_leftfinger"
    ]


def test_the_models_of_a_world_are_objects() -> None:
    scene = Scene("ur5e")
    found = scene.add_world(WORLD, at(0.0, 0.0, 0.1))
    assert found["objects"] == ["table/top", "can/body"]
    assert any("light" in note for note in found["notes"])
    assert np.allclose(scene.get("can/body")[1][:3, 3], [0.7, 0.0, 0.55])
    version = scene.version
    with pytest.raises(InputError, match="table"):
        scene.add_world(WORLD, without=["chair"])
    with pytest.raises(InputError):
        scene.add_world("<sdf version='1.9'><world name='lab'/></sdf>")
    with pytest.raises(InputError):
        scene.add_world("<sdf version='1.9'><world>")
    assert scene.version == version
    assert Scene("ur5e").add_world(WORLD, without=["table"])["objects"] == ["can/body"]


def test_a_model_that_cannot_be_read_is_left_out_by_name() -> None:
    arm = "<include><uri>model://an_arm_from_elsewhere</uri><name>arm</name></include>"
    world = WORLD.replace("<light", f"{arm}<light")
    scene = Scene("ur5e")
    with pytest.raises(InputError, match="an_arm_from_elsewhere"):
        scene.add_world(world)
    assert list(scene.objects) == []
    assert scene.add_world(world, without=["arm"])["objects"] == ["table/top", "can/body"]


def test_the_surface_of_a_field_is_closed_and_encloses_the_cells() -> None:
    field = kinetic.EuclideanDistanceField([0, 0, 0], [1, 1, 1], resolution=0.05)
    rng = np.random.default_rng(0)
    cells = rng.integers(4, 16, size=(200, 3))
    field.update(cells)
    vertices, triangles = field.surface()
    # Every directed edge has its reverse: closed.
    edges = np.concatenate([triangles[:, [0, 1]], triangles[:, [1, 2]], triangles[:, [2, 0]]])
    directed = {tuple(edge) for edge in edges.tolist()}
    assert len(directed) == len(edges) and all((b, a) in directed for a, b in directed)
    volume = np.einsum(
        "ij,ij->i", vertices[triangles[:, 0]], np.cross(*vertices[triangles[:, 1:]].swapaxes(0, 1))
    ).sum()
    occupied = len(np.unique(cells, axis=0)) * 0.05**3
    assert volume / 6.0 > occupied
    assert np.abs(field.distance(vertices) - 0.025).max() < 0.025
    assert len(kinetic.EuclideanDistanceField([0, 0, 0], [1, 1, 1], 0.1).surface()[1]) == 0
    for level in (float("nan"), float("inf")):
        with pytest.raises(InputError):
            field.surface(level)


def test_a_camera_sees_what_no_occupied_cell_hides() -> None:
    octree = kinetic.Octree(0.1)
    for x, y in np.ndindex(20, 10):
        for z in range(10):
            octree.update([0.1 * x + 0.05, 0.1 * y + 0.05, 0.1 * z + 0.05], x == 10 and z < 5)
    camera = [0.05, 0.55, 0.25]
    points = [[0.85, 0.55, 0.25], [1.05, 0.55, 0.25], [1.75, 0.55, 0.25], [1.75, 0.55, 0.95], [-0.5, 0.55, 0.25]]
    seen = octree.sight(camera, points)
    assert seen["visible"].tolist() == [True, True, False, True, False]
    assert seen["occluded"].tolist() == [False, False, True, False, False]
    assert seen["unknown"].tolist() == [False, False, False, False, True]
    for bad in ({"tolerance": -1.0}, {"viewpoint": [np.nan, 0, 0]}, {"viewpoint": [1e9, 0, 0]}):
        with pytest.raises(InputError):
            octree.sight(**{"viewpoint": camera, "points": points, **bad})
