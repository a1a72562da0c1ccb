"""MJCF: random models against MuJoCo, and the doors of Python. What elements become is tested in Rust."""

from __future__ import annotations

import os

import numpy as np
import pytest

import kinetic

mujoco = pytest.importorskip("mujoco", reason="the Rust tests compare with what MuJoCo gave; this compares with it")

import mujoco_oracle  # noqa: E402
from random_mjcf import random_mjcf  # noqa: E402

CASES = 3000 if os.environ.get("KINETIC_FULL") == "1" else 60
FK_TOLERANCE = 1e-9
"""Rounding over a dozen joints; a wrong frame is off by 1e-3 and more."""


def test_bodies_of_random_models_are_where_mujoco_puts_them():
    compared = 0
    mujoco.set_mju_user_warning(lambda _: None)
    for seed in range(CASES):
        text = random_mjcf(seed)
        try:
            model = mujoco.MjModel.from_xml_string(text)
        except ValueError:  # for example a replica without mass
            continue
        difference = mujoco_oracle.worst_difference(kinetic.Robot.from_mjcf(text), model, 3, seed)
        assert difference < FK_TOLERANCE, f"seed {seed}: off by {difference}"
        compared += 1
    assert compared > 0.9 * CASES


def test_what_mujoco_saves_is_read(tmp_path):
    saved = tmp_path / "saved.xml"
    for seed in range(10):
        model = mujoco.MjModel.from_xml_string(random_mjcf(seed))
        mujoco.mj_saveLastXML(str(saved), model)
        again = mujoco.MjModel.from_xml_path(str(saved))
        difference = mujoco_oracle.worst_difference(kinetic.Robot.from_mjcf(saved), again, 3, seed)
        assert difference < FK_TOLERANCE, f"seed {seed}: off by {difference}"


def test_paths_and_texts_give_the_same_robot(tmp_path):
    text = '<mujoco model="m"><worldbody><body name="b"><joint name="j"/></body></worldbody></mujoco>'
    path = tmp_path / "m.xml"
    path.write_text(text)
    robots = [kinetic.Robot.from_mjcf(source) for source in (text, path, str(path))]
    assert [robot.name for robot in robots] == ["m"] * 3
    np.testing.assert_array_equal(robots[0].fk([0.3]), robots[1].fk([0.3]))
    assert kinetic.Robot.from_mjcf(text, tip="b").joint_names == ["j"]


def test_errors_carry_file_line_and_element():
    with pytest.raises(kinetic.InputError, match=r'MjcfParse: .*<string>:2.*geom "g".*cone') as caught:
        kinetic.Robot.from_mjcf('<mujoco><worldbody>\n<geom name="g" type="cone"/></worldbody></mujoco>')
    assert caught.value.code == "MjcfParse"
