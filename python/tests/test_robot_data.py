"""The committed robot data: reproducible, well formed, and equal to golden numbers made by another program.

Needs a source checkout (``tools/robots`` and ``robot_configs``), not the compiled package. Forward kinematics is
written here a second time, from the URDF specification, so that it shares no code with what it tests.
"""

from __future__ import annotations

import functools
import json
import math
import os
import re
import subprocess
import sys
import xml.etree.ElementTree as ET
from pathlib import Path
from typing import Any

import numpy as np
import pytest

ROOT = Path(__file__).resolve().parents[2]
TOOLS = ROOT / "tools" / "robots"
CONFIGS = ROOT / "robot_configs"
FACTS = TOOLS / "facts"
ROBOTS = sorted(path.stem for path in FACTS.glob("*.json"))
BUILT_IN = {
    "ur3e",
    "ur5e",
    "ur10e",
    "ur16e",
    "ur20",
    "ur30",
    "franka_panda",
    "franka_fr3",
    "kuka_iiwa7",
    "kuka_iiwa14",
    "kuka_kr6",
    "abb_irb1200",
    "abb_irb4600",
    "abb_yumi_left",
    "abb_yumi_right",
    "fanuc_crx10ia",
    "fanuc_lr_mate_200id",
    "yaskawa_gp7",
    "yaskawa_hc10",
    "xarm5",
    "xarm6",
    "xarm7",
    "ufactory_lite6",
    "kinova_gen3",
    "kinova_gen3_lite",
    "jaco2_6dof",
    "trossen_px100",
    "trossen_rx150",
    "trossen_wx250s",
    "viperx_300",
    "widowx_250",
    "aloha_left",
    "aloha_right",
    "koch_v1",
    "lerobot_so100",
    "so_arm100",
    "open_manipulator_x",
    "robotis_open_manipulator_p",
    "mycobot_280",
    "baxter_left",
    "baxter_right",
    "sawyer",
    "denso_vs068",
    "dobot_cr5",
    "elite_ec66",
    "flexiv_rizon4",
    "meca500",
    "niryo_ned2",
    "staubli_tx260",
    "techman_tm5_700",
    "fetch",
    "pr2",
    "stretch_re2",
    "tiago",
}
"""The names that kinetic promises."""
MASS_SHARE = 0.05
"""The reference counts the links from base to tip; ours may have a flange or a marker more."""

FK_TOLERANCE = 1e-9
"""Golden poses and ours come from the same numbers in double precision; chains of ten joints round at 1e-15."""
SAMPLES = "300" if os.environ.get("KINETIC_FULL") == "1" else "10"
"""Random configurations per robot for ``verify.py``."""
STEP = 1e-6
"""Central differences with this step are off by about step² · (size of the arm) and 1e-16 / step."""
JACOBIAN_TOLERANCE = 1e-8
MADE_BY_OTHER_TOOLS = {"pairs.json", "precomputed.json", "spheres.json"}

Json = dict[str, Any]


@functools.cache
def facts(name: str) -> Json:
    """The extracted facts of a robot."""
    content: Json = json.loads((FACTS / f"{name}.json").read_text(encoding="utf-8"))
    return content


@functools.cache
def hulls(name: str) -> dict[str, list[Json]]:
    """The collision pieces of a robot by link."""
    links: dict[str, list[Json]] = json.loads((CONFIGS / name / "hulls.json").read_text(encoding="utf-8"))["links"]
    return links


@functools.cache
def config(name: str) -> Json:
    """The parsed ``kinetic.toml`` of a robot."""
    tomllib = pytest.importorskip("tomllib", reason="in the standard library from Python 3.11")
    content: Json = tomllib.loads((CONFIGS / name / "kinetic.toml").read_text(encoding="utf-8"))
    return content


@functools.cache
def urdf(name: str) -> ET.Element:
    """The root element of a robot's URDF."""
    return ET.parse(CONFIGS / name / "robot.urdf").getroot()


def numbers(element: ET.Element, tag: str, key: str) -> np.ndarray:
    """A vector attribute of a child element."""
    child = element.find(tag)
    assert child is not None, f"{element.get('name')} has no <{tag}>"
    return np.array([float(word) for word in str(child.get(key)).split()])


def turn(axis: np.ndarray, angle: float) -> np.ndarray:
    """Rodrigues' formula."""
    x, y, z = axis / np.linalg.norm(axis)
    cross = np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
    rotation: np.ndarray = np.eye(3) + math.sin(angle) * cross + (1.0 - math.cos(angle)) * cross @ cross
    return rotation


def joint_transform(joint: ET.Element, value: float) -> np.ndarray:
    """Child link in parent link: the origin, then the motion of the joint."""
    roll, pitch, yaw = numbers(joint, "origin", "rpy")
    x, y, z = np.eye(3)
    transform = np.eye(4)
    transform[:3, :3] = turn(z, yaw) @ turn(y, pitch) @ turn(x, roll)
    transform[:3, 3] = numbers(joint, "origin", "xyz")
    motion = np.eye(4)
    if joint.get("type") == "prismatic":
        motion[:3, 3] = numbers(joint, "axis", "xyz") * value
    elif joint.get("type") != "fixed":
        motion[:3, :3] = turn(numbers(joint, "axis", "xyz"), value)
    return transform @ motion


def forward_kinematics(robot: ET.Element, values: dict[str, float], base: str, tip: str) -> np.ndarray:
    """Tip in base, joints that are not named at zero."""
    above = {numbers_name(joint, "child"): joint for joint in robot.iter("joint")}
    pose = np.eye(4)
    link = tip
    while link != base:
        joint = above[link]
        pose = joint_transform(joint, values.get(str(joint.get("name")), 0.0)) @ pose
        link = numbers_name(joint, "parent")
    return pose


def numbers_name(joint: ET.Element, tag: str) -> str:
    """The link that ``<parent>`` or ``<child>`` names."""
    child = joint.find(tag)
    assert child is not None, joint.get("name")
    return str(child.get("link"))


def golden_fk(name: str, q: np.ndarray) -> np.ndarray:
    """Forward kinematics of the golden chain from the committed URDF."""
    golden = facts(name)["golden"]
    return forward_kinematics(urdf(name), dict(zip(golden["joint_order"], q)), golden["base"], golden["tip"])


def all_numbers(value: object) -> list[float]:
    """Every number in a JSON value."""
    if isinstance(value, dict):
        return [number for item in value.values() for number in all_numbers(item)]
    if isinstance(value, list):
        return [number for item in value for number in all_numbers(item)]
    return [float(value)] if isinstance(value, (int, float)) and not isinstance(value, bool) else []


def group_joints(name: str, group: str) -> list[ET.Element]:
    """The commanded joints of a planning group, from base to tip."""
    table, robot = config(name)["planning_group"][group], urdf(name)
    joints = {str(joint.get("name")): joint for joint in robot.iter("joint")}
    if "joints" in table:
        return [joints[joint] for joint in table["joints"]]
    above = {numbers_name(joint, "child"): joint for joint in joints.values()}
    base, link = table["chain"]
    chain: list[ET.Element] = []
    while link != base:
        chain.insert(0, above[link])
        link = numbers_name(above[link], "parent")
    return [joint for joint in chain if joint.get("type") != "fixed" and joint.find("mimic") is None]


def test_facts_choices_and_configurations_are_of_the_same_robots() -> None:
    assert {called for name in ROBOTS for called in config(name).get("names", {name: ""})} == BUILT_IN
    assert {path.stem for path in (FACTS / "choices").glob("*.py")} == set(ROBOTS)
    assert {path.name for path in CONFIGS.iterdir() if path.is_dir()} == set(ROBOTS)


def test_the_generator_makes_the_committed_files_again(tmp_path: Path) -> None:
    subprocess.run([sys.executable, str(TOOLS / "generate.py"), "--out", str(tmp_path)], check=True)
    made = {path.relative_to(tmp_path): path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}
    kept = {
        path.relative_to(CONFIGS): path.read_bytes()
        for path in CONFIGS.rglob("*")
        if path.is_file() and path.name not in MADE_BY_OTHER_TOOLS
    }
    assert sorted(made) == sorted(kept)
    assert [str(path) for path in made if made[path] != kept[path]] == []


@pytest.mark.parametrize("name", ROBOTS)
def test_json_files_are_finite_and_say_where_they_come_from(name: str) -> None:
    content = facts(name)
    assert content["name"] == name
    assert content["source"]["repository"].startswith("https://")
    assert re.fullmatch(r"[0-9a-f]{40}|\d+\.\d+\.\d+", content["source"]["commit"]), (
        "a commit, or a release of a package"
    )
    assert content["source"]["path"]
    assert content["source"]["licence"]
    assert np.isfinite(all_numbers(content)).all()
    assert np.isfinite(all_numbers(hulls(name))).all()


@pytest.mark.parametrize("name", ROBOTS)
def test_hull_pieces_are_solid_and_belong_to_links(name: str) -> None:
    links = {link.get("name") for link in urdf(name).iter("link")}
    for link, pieces in hulls(name).items():
        assert link in links
        assert pieces
        for piece in pieces:
            if piece["type"] == "convex":
                points = np.array(piece["vertices"])
                assert points.shape[1:] == (3,)
                assert np.linalg.matrix_rank(points - points[0], tol=1e-6) == 3, f"a flat piece of {link}"
                assert 0.0 <= piece["radius"] < 0.003
            else:
                sizes = [
                    number
                    for key in ("half_extents", "radius", "half_height")
                    for number in all_numbers(piece.get(key, []))
                ]
                assert sizes
                assert min(sizes) > 0.0


def test_box_sizes_are_half_lengths() -> None:
    """The Panda's finger pad is 17.5 mm × 15.2 mm × 18.5 mm in the vendor's description."""
    sizes = [piece["half_extents"] for piece in hulls("franka_panda")["panda_leftfinger"]]
    assert [0.0175 / 2, 0.0152 / 2, 0.0185 / 2] in [pytest.approx(size) for size in sizes]


@pytest.mark.parametrize("name", ROBOTS)
def test_forward_kinematics_equal_the_golden_rows(name: str) -> None:
    rows = facts(name)["golden"]["configs"]
    assert len(rows) == 20
    for row in rows:
        np.testing.assert_allclose(golden_fk(name, np.array(row["q"])), row["T"], rtol=0.0, atol=FK_TOLERANCE)


@pytest.mark.parametrize("name", ROBOTS)
def test_golden_jacobians_are_the_derivative_of_forward_kinematics(name: str) -> None:
    rows = [row for row in facts(name)["golden"]["configs"] if "J" in row]
    assert len(rows) == (0 if name == "denso_vs068" else 3), "only the DENSO's goldens come from link lengths alone"
    for row in rows:
        q = np.array(row["q"])
        columns = []
        for step in STEP * np.eye(len(q)):
            ahead, behind = golden_fk(name, q + step), golden_fk(name, q - step)
            spin = ahead[:3, :3] @ behind[:3, :3].T
            angular = np.array([spin[2, 1] - spin[1, 2], spin[0, 2] - spin[2, 0], spin[1, 0] - spin[0, 1]]) / 2.0
            columns.append(np.concatenate([ahead[:3, 3] - behind[:3, 3], angular]) / (2.0 * STEP))
        np.testing.assert_allclose(np.array(columns).T, row["J"], rtol=0.0, atol=JACOBIAN_TOLERANCE)


@pytest.mark.parametrize("name", ROBOTS)
def test_inertia_tensors_are_physical(name: str) -> None:
    inertials = list(urdf(name).iter("inertial"))
    assert bool(inertials) == (config(name)["robot"]["inertials"] != "none")
    for inertial in inertials:
        mass, tensor = inertial.find("mass"), inertial.find("inertia")
        assert mass is not None
        assert tensor is not None
        assert float(str(mass.get("value"))) > 0.0
        xx, xy, xz, yy, yz, zz = (float(str(tensor.get(key))) for key in ("ixx", "ixy", "ixz", "iyy", "iyz", "izz"))
        small, middle, large = np.linalg.eigvalsh([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
        assert small > 0.0
        assert large <= (small + middle) * (1.0 + 1e-9)


@pytest.mark.parametrize("name", ROBOTS)
def test_masses_are_those_of_the_source_and_changed_tensors_are_marked(name: str) -> None:
    content, source = facts(name), urdf(name)
    links = {link.get("name"): link.find("inertial") for link in source.iter("link")}
    above = {numbers_name(joint, "child"): numbers_name(joint, "parent") for joint in source.iter("joint")}
    chain = [content["golden"]["tip"]]
    while chain[-1] != content["golden"]["base"]:
        chain.append(above[chain[-1]])
    total = sum(float(links[link].find("mass").get("value")) for link in chain if links[link] is not None)
    assert total == pytest.approx(content["chain_mass"], rel=MASS_SHARE)
    changed = []
    for link in content["links"]:
        ours, theirs = links[link["name"]], link["inertial"]
        assert (ours is None) == (theirs is None)
        if theirs is not None:
            assert float(ours.find("mass").get("value")) == theirs["mass"]
            tensor = [float(ours.find("inertia").get(key)) for key in ("ixx", "ixy", "ixz", "iyy", "iyz", "izz")]
            changed += [link["name"]] if tensor != theirs["inertia"] else []
    assert changed == config(name)["robot"].get("estimated_tensors", [])


@pytest.mark.parametrize("name", ROBOTS)
def test_joints_are_those_of_the_facts(name: str) -> None:
    joints = {joint.get("name"): joint for joint in urdf(name).iter("joint")}
    assert list(joints) == [joint["name"] for joint in facts(name)["joints"]]
    for row in facts(name)["joints"]:
        joint = joints[row["name"]]
        assert joint.get("type") == row["type"]
        assert numbers_name(joint, "parent") == row["parent"]
        assert numbers_name(joint, "child") == row["child"]
        assert numbers(joint, "origin", "xyz").tolist() == row["xyz"]
        assert numbers(joint, "origin", "rpy").tolist() == row["rpy"]
        if row["type"] == "fixed":
            continue
        assert numbers(joint, "axis", "xyz").tolist() == row["axis"]
        limit = joint.find("limit")
        assert {key: float(limit.get(key)) for key in limit.attrib} == {
            **{key: row[key] for key in ("lower", "upper") if key in row},
            # 0 stands for what nobody states.
            "velocity": row.get("velocity", 0.0),
            "effort": row.get("effort", 0.0),
        }


@pytest.mark.parametrize("name", ROBOTS)
def test_named_poses_have_the_size_of_their_group_and_lie_inside_the_limits(name: str) -> None:
    content = config(name)
    poses = content["named_poses"]
    assert {"home", "ready"} <= set(poses[content["robot"]["default_group"]])
    for group, table in poses.items():
        joints = group_joints(name, group)
        for pose, values in table.items():
            assert len(values) == len(joints), f"{group}.{pose}"
            for joint, value in zip(joints, values):
                limit = joint.find("limit")
                assert limit is not None
                low, high = (float(limit.get(key, default)) for key, default in (("lower", "-inf"), ("upper", "inf")))
                assert low <= value <= high, f"{group}.{pose}: {joint.get('name')}"


@pytest.mark.parametrize("name", ROBOTS)
def test_the_configuration_names_links_and_joints_that_exist(name: str) -> None:
    content, robot, shapes = config(name), urdf(name), hulls(name)
    links = {link.get("name") for link in robot.iter("link")}
    moving = {joint.get("name") for joint in robot.iter("joint") if joint.get("type") != "fixed"}
    for a, b, reason in content["collision"]["skip_pairs"]:
        assert {a, b} <= set(shapes)
        assert reason
    for tool in content["end_effector"].values():
        assert tool["parent_link"] in links
        assert tool["parent_group"] in content["planning_group"]
    for table in (content["limits"]["acceleration"], content["limits"].get("jerk", {})):
        assert set(table) <= moving
        assert all(value > 0.0 for value in table.values())
    default = {joint.get("name") for joint in group_joints(name, content["robot"]["default_group"])}
    assert default <= set(content["limits"]["acceleration"])


def test_ur5e_home_points_straight_up() -> None:
    home = config("ur5e")["named_poses"]["arm"]["home"]
    assert home == [0.0, -math.pi / 2, 0.0, -math.pi / 2, 0.0, 0.0]
    assert golden_fk("ur5e", np.array(home))[2, 3] == pytest.approx(1.08, abs=0.005)


def test_fetch_is_the_whole_robot() -> None:
    links = {str(link.get("name")) for link in urdf("fetch").iter("link")}
    assert {"base_link", "l_wheel_link", "torso_lift_link", "head_camera_link", "bellows_link", "gripper_link"} <= links
    assert len(group_joints("fetch", "arm_with_torso")) == 8
    assert len(group_joints("fetch", "arm")) == 7


def test_pinocchio_and_coal_agree_with_the_data() -> None:
    """``verify.py`` with few samples; ``measure.py`` takes its full count when the data change."""
    pytest.importorskip("pinocchio")
    pytest.importorskip("coal")
    done = subprocess.run(
        [sys.executable, str(TOOLS / "verify.py"), "--samples", SAMPLES], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
