"""Write crates/kinetic-robot/tests/data/mjcf_goldens.json: random MJCF models and what MuJoCo makes of them.

    pip install mujoco
    python tools/make_mjcf_goldens.py

For every model: one configuration, the pose of every body in the world, and its mass, centre of mass and tensor about
it, both in the axes of the body. By MuJoCo 4.0.0 for the committed file; run it after a change of tools/random_mjcf.py.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

import mujoco
import numpy as np

import mujoco_oracle
from random_mjcf import random_mjcf

MODELS = 30
GOLDENS = Path(__file__).parents[1] / "crates" / "kinetic-robot" / "tests" / "data" / "mjcf_goldens.json"


def body(model: mujoco.MjModel, data: mujoco.MjData, index: int) -> dict[str, object]:
    """What MuJoCo knows of a body."""
    axes = np.zeros(9)
    mujoco.mju_quat2Mat(axes, model.body_iquat[index])
    axes = axes.reshape(3, 3)
    return {
        "name": mujoco_oracle.name_of(model, "body", index),
        "position": list(data.xpos[index]),
        "rotation": list(data.xmat[index]),
        "mass": float(model.body_mass[index]),
        "com": list(model.body_ipos[index]),
        "inertia": list((axes @ np.diag(model.body_inertia[index]) @ axes.T).ravel()),
    }


def golden(seed: int) -> dict[str, object] | None:
    """The record of a seed; None where MuJoCo refuses the model."""
    text = random_mjcf(seed)
    try:
        model = mujoco.MjModel.from_xml_string(text)
    except ValueError:
        return None
    data = mujoco.MjData(model)
    variables, data.qpos[:] = mujoco_oracle.random_pair(model, np.random.default_rng(seed))
    mujoco.mj_kinematics(model, data)
    bodies = [body(model, data, index) for index in range(model.nbody)]
    return {"seed": seed, "xml": text, "variables": list(variables), "bodies": bodies}


def main() -> None:
    """Write the file."""
    mujoco.set_mju_user_warning(lambda _: None)
    goldens = [record for record in map(golden, range(MODELS)) if record]
    GOLDENS.parent.mkdir(exist_ok=True)
    GOLDENS.write_text("[\n" + ",\n".join(json.dumps(record) for record in goldens) + "\n]\n")
    print(f"{len(goldens)} models, {GOLDENS.stat().st_size / 1e3:.0f} kB", file=sys.stderr)


if __name__ == "__main__":
    main()
