"""Robots from files of every format: SDF, xacro, `robot_descriptions`."""

import sys

import numpy as np
import pytest

from kinetic import InputError, Robot

ARM = """<robot name="{name}" xmlns:xacro="http://www.ros.org/wiki/xacro">
  <xacro:arg name="length" default="0.5"/>
  <link name="base"/>
  <link name="tip"/>
  <joint name="turn" type="continuous">
    <parent link="base"/> <child link="tip"/> <origin xyz="$(arg length) 0 0"/> <axis xyz="0 0 1"/>
  </joint>
  {more}
</robot>
"""
MJCF = "<mujoco model='m'><worldbody><body name='l'><joint name='j'/><geom size='0.1'/></body></worldbody></mujoco>"
SDF = """<sdf version="1.9"><model name="s"><link name="base"/><link name="tip"><pose>0.5 0 0 0 0 0</pose></link>
  <joint name="turn" type="continuous"><parent>base</parent><child>tip</child><axis><xyz>0 0 1</xyz></axis></joint>
</model></sdf>"""


@pytest.fixture
def forget_descriptions():
    """Modules of a pretended package must not outlive their test."""
    before = set(sys.modules)
    yield
    for name in set(sys.modules) - before:
        if name.split(".")[0] == "robot_descriptions":
            del sys.modules[name]


def pretend_descriptions(tmp_path, monkeypatch, **modules: str) -> None:
    """A package `robot_descriptions` with these modules, as the true one has them after a download."""
    package = tmp_path / "site" / "robot_descriptions"
    package.mkdir(parents=True)
    (package / "__init__.py").write_text(f"DESCRIPTIONS = dict.fromkeys({sorted(modules)})\n")
    for name, text in modules.items():
        (package / f"{name}.py").write_text(text)
    monkeypatch.syspath_prepend(str(package.parent))


def test_sdf_is_read_from_file_and_text(tmp_path) -> None:
    file = tmp_path / "s.sdf"
    file.write_text(SDF)
    for robot in (
        Robot.from_sdf(SDF),
        Robot.from_sdf(file),
        Robot.from_file(file),
        Robot.from_sdf(str(file), tip="tip"),
    ):
        assert robot.joint_names == ["turn"]
        assert np.allclose(robot.fk([0.0], link="tip")[:3, 3], [0.5, 0, 0], rtol=0, atol=1e-15)
    with pytest.raises(InputError, match="^SdfParse: <string>:1: "):
        Robot.from_sdf("<sdf version='1.9'><model/></sdf>")


def test_xacro_is_expanded_with_its_arguments(tmp_path) -> None:
    file = tmp_path / "arm.urdf.xacro"
    file.write_text(ARM.format(name="arm", more=""))
    for robot, length in (
        (Robot.from_file(file), 0.5),
        (Robot.from_urdf(file), 0.5),
        (Robot.from_urdf(file, xacro_args={"length": "0.75"}), 0.75),
    ):
        assert robot.fk([0.0], link="tip")[0, 3] == length


def test_xacro_finds_packages_as_meshes_are_found(tmp_path) -> None:
    include = '<xacro:include filename="$(find parts)/urdf/part.xacro"/>'
    file = tmp_path / "one" / "arm.xacro"
    file.parent.mkdir()
    file.write_text(ARM.format(name="arm", more=include))
    for place in (tmp_path, tmp_path / "elsewhere"):
        part = place / "parts" / "urdf" / "part.xacro"
        part.parent.mkdir(parents=True)
        part.write_text(
            '<robot><link name="hand"/><joint name="hold" type="fixed">'
            '<parent link="tip"/><child link="hand"/></joint></robot>'
        )
        assert "hand" in Robot.from_urdf(file, package_dirs=[tmp_path / "elsewhere"]).link_names
        part.unlink()
        part.parent.rmdir()
        part.parent.parent.rmdir()
    with pytest.raises(InputError, match="^UrdfParse: .*parts"):
        Robot.from_file(file)
    assert "ament_index_python" not in sys.modules


def test_a_mistake_in_a_xacro_file_names_the_file(tmp_path) -> None:
    file = tmp_path / "arm.xacro"
    file.write_text(ARM.format(name="arm", more="<xacro:nothing/>"))
    with pytest.raises(InputError, match="^UrdfParse: .*arm.xacro: xacro: .*nothing") as caught:
        Robot.from_file(file)
    assert caught.value.file == str(file)
    with pytest.raises(FileNotFoundError):
        Robot.from_file(tmp_path / "gone.xacro")


def test_without_xacro_the_error_says_what_to_run(tmp_path, monkeypatch) -> None:
    file = tmp_path / "arm.urdf.xacro"
    file.write_text(ARM.format(name="arm", more=""))
    monkeypatch.setitem(sys.modules, "xacro", None)
    with pytest.raises(
        InputError, match=r'^InvalidValue: .*pip install "kinetic\[xacro\]".*xacro arm.urdf.xacro > arm.urdf'
    ):
        Robot.from_file(file)


def test_urdf_and_srdf_may_both_be_xacro(tmp_path) -> None:
    urdf, srdf = tmp_path / "arm.urdf.xacro", tmp_path / "arm.srdf.xacro"
    urdf.write_text(ARM.format(name="arm", more=""))
    srdf.write_text(
        '<robot name="arm" xmlns:xacro="http://www.ros.org/wiki/xacro"><xacro:arg name="length" default="1"/>'
        '<group name="axis"><joint name="turn"/></group>'
        '<group_state name="out" group="axis"><joint name="turn" value="$(arg length)"/></group_state></robot>'
    )
    robot = Robot.from_urdf_srdf(urdf, srdf, xacro_args={"length": "0.25"})
    assert robot.groups == ["axis"]
    assert robot.named_pose("out").tolist() == [0.25]


@pytest.mark.usefixtures("forget_descriptions")
def test_a_description_is_loaded_by_its_name(tmp_path, monkeypatch) -> None:
    package = tmp_path / "cache" / "arm_description"
    package.mkdir(parents=True)
    (package / "arm.urdf.xacro").write_text(ARM.format(name="arm", more=""))
    (package / "arm.urdf").write_text(
        ARM.format(name="arm", more="").replace("$(arg length)", "0.5").replace("xacro:arg", "arg")
    )
    (package / "arm.xml").write_text(MJCF)
    pretend_descriptions(
        tmp_path,
        monkeypatch,
        arm_description=f"PACKAGE_PATH = {str(package)!r}\nURDF_PATH = {str(package / 'arm.urdf')!r}\n",
        arm_mj_description=f"MJCF_PATH = {str(package / 'arm.xml')!r}\n",
        made_description=f"XACRO_PATH = {str(package / 'arm.urdf.xacro')!r}\nXACRO_ARGS = {{'length': 2}}\n",
        empty_description="",
    )
    assert Robot.from_description("arm_description").name == "arm"
    assert Robot.from_description("arm").name == "arm"
    assert Robot.from_description("arm_mj_description").name == "m"
    assert Robot.from_description("made").fk([0.0], link="tip")[0, 3] == 2.0
    with pytest.raises(InputError, match="^InvalidValue: .*URDF, MJCF or xacro"):
        Robot.from_description("empty")
    with pytest.raises(InputError, match="^InvalidValue: .*close: arm_description"):
        Robot.from_description("arn_description")


def test_without_robot_descriptions_the_error_says_what_to_install(monkeypatch) -> None:
    monkeypatch.setitem(sys.modules, "robot_descriptions", None)
    with pytest.raises(InputError, match=r'^InvalidValue: .*pip install "kinetic\[descriptions\]"'):
        Robot.from_description("panda")
