"""Objects from models and from scene files of MoveIt, several of which move together: against Coal and MuJoCo."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from oracles import random_pose, translation
from scipy.spatial.transform import Rotation

from kinetic import InputError, Robot, Scene, Shape

coal = pytest.importorskip("coal", reason="crates/kinetic-scene/tests/models.rs works distances out by hand")
mujoco = pytest.importorskip("mujoco", reason="crates/kinetic-scene/tests/models.rs places links by hand")

EXACT = 1e-6
"""What iterative distance algorithms leave, m."""
CONE_SLACK = 0.0007
"""A hull around a cone is this share of its radius wider."""

BALL_RADIUS = 0.1

BALL = f"""<robot name="ball">
  <link name="rail"/><link name="x"/><link name="y"/>
  <link name="ball"><collision><geometry><sphere radius="{BALL_RADIUS}"/></geometry></collision></link>
  <joint name="jx" type="prismatic"><parent link="rail"/><child link="x"/><axis xyz="1 0 0"/>
    <limit lower="-2" upper="2" velocity="1" effort="1"/></joint>
  <joint name="jy" type="prismatic"><parent link="x"/><child link="y"/><axis xyz="0 1 0"/>
    <limit lower="-2" upper="2" velocity="1" effort="1"/></joint>
  <joint name="jz" type="prismatic"><parent link="y"/><child link="ball"/><axis xyz="0 0 1"/>
    <limit lower="-2" upper="2" velocity="1" effort="1"/></joint>
</robot>"""
"""A ball that goes anywhere."""

CELL = """<mujoco>
  <worldbody>
    <geom name="floor" type="box" size="2 2 0.1" pos="0 0 -0.2"/>
    <body name="table" pos="0.8 0.1 0" euler="0 0 30">
      <geom name="top" type="box" size="0.4 0.3 0.02" pos="0 0 0.3"/>
      <geom name="leg" type="cylinder" size="0.03 0.15" pos="0 0 0.15"/>
    </body>
    <body name="cup" pos="0.8 0.1 0.45" quat="0.8 0.6 0 0">
      <freejoint/>
      <geom name="wall" type="capsule" size="0.03 0.05"/>
    </body>
    <body name="door" pos="-0.5 0.5 0.5" euler="0 20 0">
      <joint name="hinge" axis="0 0 1" range="-180 180"/>
      <geom name="leaf" type="box" size="0.3 0.02 0.4" pos="0.3 0 0"/>
    </body>
  </worldbody>
</mujoco>"""


def test_objects_of_a_model_stand_where_mujoco_has_them() -> None:
    model = Robot.from_mjcf(CELL)
    world = mujoco.MjModel.from_xml_string(CELL)
    data = mujoco.MjData(world)
    data.qpos[-1] = 0.7
    mujoco.mj_forward(world, data)
    root_from_cell = random_pose(np.random.default_rng(3))
    values = np.zeros(7)
    values[model.active_joints.index("hinge")] = 0.7
    scene = Scene("ur5e")
    names = scene.add_model("cell", model, root_from_cell, configuration=values)
    assert names == ["cell/world", "cell/table/0", "cell/table/1", "cell/cup", "cell/door"]
    for name, geom in zip(names, ["floor", "top", "leg", "wall", "leaf"], strict=True):
        cell_from_geom = np.eye(4)
        cell_from_geom[:3, 3] = data.geom(geom).xpos
        cell_from_geom[:3, :3] = data.geom(geom).xmat.reshape(3, 3)
        np.testing.assert_allclose(scene.get(name)[1], root_from_cell @ cell_from_geom, atol=1e-9)


def line(values: np.ndarray) -> str:
    return " ".join(f"{value:.17g}" for value in values)


def written_pose(pose: np.ndarray) -> str:
    return f"{line(pose[:3, 3])}\n{line(Rotation.from_matrix(pose[:3, :3]).as_quat())}"


def random_shape(rng: np.random.Generator) -> tuple[str, object]:
    """Its text, and what Coal makes of it."""
    a, b, c = rng.uniform(0.05, 0.4, 3)
    return [
        (f"box\n{line([a, b, c])}", coal.Box(a, b, c)),
        (f"sphere\n{a:.17g}", coal.Sphere(a)),
        (f"cylinder\n{line([a, b])}", coal.Cylinder(a, b)),
        (f"cone\n{line([a, b])}", coal.Cone(a, b)),
    ][rng.integers(4)]


def distance(shape: object, root_from_shape: np.ndarray, ball: np.ndarray) -> float:
    def placed(pose: np.ndarray) -> object:
        return coal.Transform3s(pose[:3, :3], pose[:3, 3])

    result = coal.DistanceResult()
    coal.distance(
        shape, placed(root_from_shape), coal.Sphere(BALL_RADIUS), placed(ball), coal.DistanceRequest(), result
    )
    return result.min_distance


@pytest.mark.parametrize("has_poses", [True, False])
def test_scenes_of_moveit_have_the_distances_of_coal(tmp_path: Path, has_poses: bool) -> None:
    rng = np.random.default_rng(7)
    robot = Robot.from_urdf(BALL)
    for _ in range(40):
        root_from_object = random_pose(rng) if has_poses else np.eye(4)
        shapes = [(*random_shape(rng), random_pose(rng)) for _ in range(3)]
        lines = ["scene", "* thing", *([written_pose(root_from_object)] if has_poses else []), "3"]
        for text, _, pose in shapes:
            lines += [text, written_pose(pose), "0 0 0 0"]
        lines += ["1", "handle", written_pose(np.eye(4))] if has_poses else []
        path = tmp_path / "thing.scene"
        path.write_text("\n".join([*lines, "."]))
        scene = Scene(robot)
        scene.load(path)
        assert scene.objects == ["thing/0", "thing/1", "thing/2"]
        for _ in range(10):
            q = rng.uniform(-1.0, 1.0, robot.dof)
            ball = translation(*q)
            for index, (text, shape, pose) in enumerate(shapes):
                alone = Scene(robot)
                alone.add("alone", *scene.get(f"thing/{index}"))
                wanted, found = distance(shape, root_from_object @ pose, ball), alone.min_distance(q)
                if wanted < 0.01:
                    continue
                slack = CONE_SLACK * 0.4 if text.startswith("cone") else 0.0
                assert wanted - slack - EXACT < found < wanted + EXACT, text


def test_a_plane_of_moveit_is_solid_against_its_normal(tmp_path: Path) -> None:
    path = tmp_path / "plane.scene"
    # 2 z − 1 = 0.
    path.write_text("scene\n* plane\n0 0 0\n0 0 0 1\n1\nplane\n0 0 2 -1\n0 0 0\n0 0 0 1\n0 0 0 0\n0\n.\n")
    scene = Scene(Robot("ur5e"))
    scene.load(path)
    assert scene.get("plane")[0] == Shape.half_space([0.0, 0.0, 1.0], 0.5)


def test_objects_move_together_and_scenes_say_what_differs() -> None:
    scene = Scene("ur5e")
    for name, x in [("a", 0.5), ("b", 0.7)]:
        scene.add(name, Shape.sphere(0.05), translation(x, 0.0, 0.2))
    before = scene.snapshot()
    motion = random_pose(np.random.default_rng(5))
    scene.move_objects(["a", "b"], motion)
    for name in ("a", "b"):
        np.testing.assert_allclose(scene.get(name)[1], motion @ before.get(name)[1], atol=1e-12)
    diff = scene.diff(before)
    assert (diff.moved, diff.added, diff.is_empty) == (["a", "b"], [], False)
    assert scene.diff(scene.snapshot()).is_empty
    for names in (["a", "c"], ["a", "a"]):
        with pytest.raises(InputError):
            scene.move_objects(names, motion)
    with pytest.raises(InputError, match="franka_panda"):
        scene.diff(Scene("franka_panda"))
    with pytest.raises(InputError, match="configuration of the model"):
        scene.add_model("other", "franka_panda", configuration=[0.0])
