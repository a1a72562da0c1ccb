"""Writes crates/kinetic-robot/tests/data/sdf/goldens.json: where Drake says the links of SDF models are.

    pip install drake numpy
    python tools/make_sdf_goldens.py

Drake (PyPI `drake`, 1.51.1 for the committed file) reads SDF with libsdformat, the reference reader of the format.
The models are the files of that folder and random ones, whose text goes into the file too. For every model there are
some configurations with the pose of every link in the world: x, y, z and a quaternion x, y, z, w.
"""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
from pydrake.multibody.parsing import Parser
from pydrake.multibody.plant import MultibodyPlant
from pydrake.multibody.tree import ModelInstanceIndex

SEED = 20261121
SAMPLES = 4
RANDOM_MODELS = 60
FOLDER = Path(__file__).resolve().parent.parent / "crates/kinetic-robot/tests/data/sdf"
FILES = ("frames.sdf", "old_1_4.sdf", "old_1_6.sdf", "kinds.sdf", "arm_with_tool/model.sdf")
TYPES = ("revolute", "prismatic", "continuous", "fixed")
# What the parts of a joint of several degrees of freedom are called, in Drake's order of its coordinates.
PARTS = {"universal": ("axis", "axis2"), "ball_rpy": ("roll", "pitch", "yaw")}

# Drake files a joint under the model of its child; the format, under the model whose element it is.
OWNERS = {"wrist::bend": "bend"}


def words(values: np.ndarray) -> str:
    """Short decimals, so that both sides read the same numbers."""
    return " ".join(repr(float(value)) for value in np.round(values, 4))


def random_pose(rng: np.random.Generator, base: str | None, rich: bool) -> str:
    """A `<pose>`, relative to a frame when one is given; when `rich`, in one of the three ways to write rotations."""
    relative = f' relative_to="{base}"' if base else ""
    place = words(rng.uniform(-1, 1, 3))
    way = rng.integers(3) if rich else 0
    if way == 1:
        return f'<pose{relative} degrees="true">{place} {words(rng.uniform(-180, 180, 3))}</pose>'
    if way == 2:
        quaternion = rng.normal(size=4)
        # Drake wants unit quaternions, to more digits than the rest.
        digits = " ".join(repr(float(value)) for value in quaternion / np.linalg.norm(quaternion))
        return f'<pose{relative} rotation_format="quat_xyzw">{place} {digits}</pose>'
    return f"<pose{relative}>{place} {words(rng.uniform(-3, 3, 3))}</pose>"


def random_joint(rng: np.random.Generator, index: int, names: list[str], new: bool, rich: bool) -> str:
    """The joint that carries link `l{index}`; `names` are links and frames that exist, the links of earlier joints."""
    kind = TYPES[rng.integers(len(TYPES))]
    base = str(rng.choice(names)) if new and rng.random() < 0.4 else None
    expressed = f' expressed_in="{rng.choice(names)}"' if new and rng.random() < 0.4 else ""
    flag = "" if new or rng.random() < 0.5 else "<use_parent_model_frame>1</use_parent_model_frame>"
    limits = "<limit><lower>-2</lower><upper>2</upper></limit>"
    axis = f"<axis><xyz{expressed}>{words(rng.uniform(-1, 1, 3))}</xyz>{flag}{limits}</axis>" if kind != "fixed" else ""
    pose = random_pose(rng, base, rich) if base or rng.random() < 0.6 else ""
    ends = f"<parent>l{rng.integers(index)}</parent><child>l{index}</child>"
    return f'<joint name="j{index}" type="{kind}">{pose}{ends}{axis}</joint>'


def random_model(rng: np.random.Generator) -> str:
    """A tree of links; from version 1.7 with frames, and with poses relative to any of both."""
    version = ("1.5", "1.6", "1.7", "1.8", "1.9", "1.10", "1.11")[rng.integers(7)]
    new = version not in ("1.5", "1.6")
    rich = new and version not in ("1.7", "1.8")  # rotations in degrees and as quaternions came with 1.9
    count = int(rng.integers(2, 8))
    names, elements = [], []
    for index in range(count):
        if new and rng.random() < 0.5:
            attached = f' attached_to="{rng.choice(names)}"' if names else ""
            base = str(rng.choice(names)) if names and new and rng.random() < 0.5 else None
            elements.append(f'<frame name="f{index}"{attached}>{random_pose(rng, base, rich)}</frame>')
            if attached:
                names.append(f"f{index}")
        base = str(rng.choice(names)) if names and new and rng.random() < 0.6 else None
        elements.append(f'<link name="l{index}">{random_pose(rng, base, rich)}</link>')
        names.append(f"l{index}")
    elements += [random_joint(rng, index, names, new, rich) for index in range(1, count)]
    order = rng.permutation(len(elements)) if new else range(len(elements))
    content = "\n  ".join(elements[place] for place in order)
    return f'<sdf version="{version}">\n<model name="random" canonical_link="l0">\n  {content}\n</model>\n</sdf>\n'


def drake_plant(file: str, text: str) -> MultibodyPlant:
    """The model as Drake reads it."""
    plant = MultibodyPlant(0.0)
    parser = Parser(plant)
    if text:
        parser.AddModelsFromString(text, "sdf")
    else:
        for folder in sorted(path.parent for path in FOLDER.glob("*/*/model.config")):
            parser.package_map().Add(folder.name, str(folder))
        parser.AddModels(str(FOLDER / file))
    plant.Finalize()
    return plant


def local_name(scoped: str) -> str:
    """`arm::hand::palm` of the robot `arm` is `hand::palm`."""
    return scoped.split("::", 1)[1]


def sample(rng: np.random.Generator, plant: MultibodyPlant) -> dict:
    """Random joint values, and where the links are then."""
    context = plant.CreateDefaultContext()
    q = {}
    for index in plant.GetJointIndices():
        joint = plant.get_joint(index)
        if joint.num_positions() == 0 or joint.type_name() == "quaternion_floating":
            continue
        values = np.round(rng.uniform(-1.0, 1.0, joint.num_positions()), 6)
        all_values = plant.GetPositions(context)
        all_values[joint.position_start() : joint.position_start() + len(values)] = values
        plant.SetPositions(context, all_values)
        scoped = plant.GetModelInstanceName(joint.model_instance()) + "::" + joint.name()
        name = OWNERS.get(local_name(scoped), local_name(scoped))
        parts = PARTS.get(joint.type_name())
        q.update({f"{name}/{part}": v for part, v in zip(parts, values)} if parts else {name: values[0]})
    return {"q": q, "world_from_link": link_poses(plant, context)}


def link_poses(plant: MultibodyPlant, context: object) -> dict[str, list[float]]:
    """The pose of every link in the world, but for the model "ground", which stands beside a robot."""
    poses = {}
    # The first two are Drake's own: the world and a default.
    for instance in map(ModelInstanceIndex, range(2, plant.num_model_instances())):
        model = plant.GetModelInstanceName(instance)
        for index in plant.GetBodyIndices(instance) if model != "ground" else []:
            pose = plant.EvalBodyPoseInWorld(context, plant.get_body(index))
            quaternion = pose.rotation().ToQuaternion()
            xyzw = [quaternion.x(), quaternion.y(), quaternion.z(), quaternion.w()]
            name = local_name(f"{model}::{plant.get_body(index).name()}")
            poses[name] = [*map(float, pose.translation()), *xyzw]
    return poses


def main() -> None:
    """Reads every model with Drake and writes the file."""
    rng = np.random.default_rng(SEED)
    models = [(file, "") for file in FILES] + [("", random_model(rng)) for _ in range(RANDOM_MODELS)]
    cases = []
    for file, text in models:
        plant = drake_plant(file, text)
        cases.append({"file": file, "text": text, "samples": [sample(rng, plant) for _ in range(SAMPLES)]})
    (FOLDER / "goldens.json").write_text(json.dumps(cases, indent=None, separators=(",", ":")) + "\n")
    print(f"{len(cases)} models")


if __name__ == "__main__":
    main()
