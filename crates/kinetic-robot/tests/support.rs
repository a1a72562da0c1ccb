//! Small robots and helpers that several modules use.

use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};

use kinetic_core::KineticError;

/// Number of cases of a property test: a slice, or ten times as many with `KINETIC_FULL=1`.
pub(crate) fn cases(slice: u64) -> u64 {
    if std::env::var("KINETIC_FULL").is_ok_and(|value| value == "1") { slice * 10 } else { slice }
}

/// Three moving joints in a row and a fixed tool, with a side branch of two fingers, the second a mimic.
pub(crate) const ARM: &str = r#"<?xml version="1.0"?>
<robot name="tester">
  <link name="world"/>
  <link name="upper"/>
  <link name="lower"/>
  <link name="slide"/>
  <link name="tool"/>
  <link name="left"/>
  <link name="right"/>
  <joint name="shoulder" type="revolute">
    <parent link="world"/> <child link="upper"/>
    <axis xyz="0 0 1"/> <limit lower="-1" upper="2" velocity="2" effort="30"/>
  </joint>
  <joint name="elbow" type="continuous">
    <parent link="upper"/> <child link="lower"/>
    <origin xyz="0.5 0 0"/> <axis xyz="0 1 0"/> <limit velocity="3" effort="20"/>
  </joint>
  <joint name="rail" type="prismatic">
    <parent link="lower"/> <child link="slide"/>
    <axis xyz="0 0 1"/> <limit lower="0.1" upper="0.4" velocity="0.2" effort="10"/>
  </joint>
  <joint name="mount" type="fixed"> <parent link="slide"/> <child link="tool"/> <origin xyz="0 0 0.1"/> </joint>
  <joint name="finger_left" type="prismatic">
    <parent link="tool"/> <child link="left"/>
    <axis xyz="0 1 0"/> <limit lower="0" upper="0.04" velocity="0.1" effort="5"/>
  </joint>
  <joint name="finger_right" type="prismatic">
    <parent link="tool"/> <child link="right"/>
    <axis xyz="0 -1 0"/> <limit lower="0" upper="0.04" velocity="0.1" effort="5"/> <mimic joint="finger_left"/>
  </joint>
</robot>
"#;

/// Configuration for [`ARM`].
pub(crate) const ARM_TOML: &str = r#"[robot]
name = "tester_one"
urdf = "robot.urdf"
default_group = "arm"
dof = 3
maker = "nobody"

[planning_group.hand]
joints = ["finger_left"]

[planning_group.arm]
chain = ["world", "tool"]

[end_effector.gripper]
parent_link = "tool"
parent_group = "arm"
tcp_xyz = [0.0, 0.0, 0.12]

[ik]
solver = "dls"
damping = 0.1

[named_poses.arm]
ready = [0.5, 1, 0.2]
home = [0.0, -1.0, 0.15]

[named_poses.hand]
open = [0.04]

[collision]
self_collision_pairs = "none"
padding = 0.01
skip_pairs = [
  ["tool", "upper", "Never"],
  ["left", "right"],
]

[limits]
acceleration_source = "published"
acceleration = { shoulder = 7.0 }
jerk = { shoulder = 70.0, elbow = 80.0, rail = 90.0 }
"#;

/// File, line and detail of a parse error of any format.
pub(crate) fn parse_error(error: KineticError) -> (String, u32, String) {
    match error {
        KineticError::UrdfParse { file, line, detail }
        | KineticError::MjcfParse { file, line, detail }
        | KineticError::SdfParse { file, line, detail }
        | KineticError::SrdfParse { file, line, detail }
        | KineticError::FileParse { file, line, detail } => (file, line, detail),
        other => panic!("not a parse error: {other}"),
    }
}

/// Asserts line and parts of the detail of a parse error.
#[track_caller]
pub(crate) fn assert_parse_error<T>(result: Result<T, KineticError>, line: u32, parts: &[&str]) {
    let Err(error) = result else { panic!("accepted; wanted an error with {parts:?}") };
    let (_, found, detail) = parse_error(error);
    assert_eq!(found, line, "line of: {detail}");
    for part in parts {
        assert!(detail.contains(part), "\"{part}\" is not in: {detail}");
    }
}

/// Line (from 1) of the first occurrence of `needle`.
pub(crate) fn line_of(text: &str, needle: &str) -> u32 {
    let offset = text.find(needle).unwrap_or_else(|| panic!("\"{needle}\" is not in the text"));
    text[..offset].matches('\n').count() as u32 + 1
}

/// A folder that is deleted in the end.
pub(crate) struct TempFolder(pub(crate) PathBuf);

impl TempFolder {
    pub(crate) fn new() -> Self {
        static COUNT: AtomicUsize = AtomicUsize::new(0);
        let name = format!("kinetic-robot-{}-{}", std::process::id(), COUNT.fetch_add(1, Ordering::Relaxed));
        let path = std::env::temp_dir().join(name);
        std::fs::create_dir_all(&path).unwrap();
        Self(path)
    }

    /// Writes a file, making its folders.
    pub(crate) fn write(&self, name: &str, content: impl AsRef<[u8]>) -> PathBuf {
        let path = self.0.join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, content).unwrap();
        path
    }
}

impl Drop for TempFolder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}
