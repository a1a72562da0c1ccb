//! Registration of an arm: a folder with `kinetic.toml` beside a copy of the URDF.

use std::fmt::Write;
use std::path::{Path, PathBuf};

use kinetic_core::toml_text::quoted;
use kinetic_core::{KineticError, Result, files};

use crate::config::FILE_NAME;
use crate::file_text::{folder_of, read_text};
use crate::load::UrdfOptions;
use crate::mesh::MeshResolver;
use crate::robot::Robot;
use crate::urdf::fault;

/// The copy of the description.
const URDF: &str = "robot.urdf";

/// An arm to be registered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Arm<'a> {
    /// Name that the robot gets.
    pub name: &'a str,
    /// First link of the group "arm".
    pub base: &'a str,
    /// Last link.
    pub tip: &'a str,
    /// What to say at the head of `kinetic.toml`, one line each.
    pub remarks: &'a [String],
}

impl Arm<'_> {
    /// Writes the folder, which is made if need be and which [`Robot::from_path`] reads then, and returns its
    /// `kinetic.toml`. Names of meshes are written as the paths that they mean, so that the folder may be moved while
    /// the meshes stay.
    ///
    /// # Errors
    /// [`KineticError::InvalidValue`] for an empty name, [`KineticError::Io`], and those of [`Robot::from_urdf_with`]
    /// for a malformed file, unknown links and links without a chain between them.
    pub fn register(&self, urdf: impl AsRef<Path>, folder: impl AsRef<Path>) -> Result<PathBuf> {
        let (urdf, folder) = (urdf.as_ref(), folder.as_ref());
        if self.name.trim().is_empty() {
            return Err(KineticError::invalid("name of the robot", format!("{:?}", self.name), "a word"));
        }
        let chain = (Some(self.base.to_owned()), Some(self.tip.to_owned()));
        // Read first: nothing is written for an arm that cannot be used.
        Robot::from_urdf_with(urdf, &UrdfOptions { base: chain.0, tip: chain.1, ..UrdfOptions::default() })?;
        let text = read_text(urdf, fault)?;
        std::fs::create_dir_all(folder).map_err(|error| KineticError::io(folder, &error))?;
        let config = folder.join(FILE_NAME);
        for (path, text) in [(folder.join(URDF), with_found_meshes(&text, urdf)), (config.clone(), self.document(urdf))]
        {
            files::write(path, text)?;
        }
        Ok(config)
    }

    fn document(&self, urdf: &Path) -> String {
        let mut text = String::new();
        let source = urdf.file_name().unwrap_or_default().to_string_lossy();
        let remarks = std::iter::once(format!("Registered from {source}.")).chain(self.remarks.iter().cloned());
        for line in remarks {
            let _ = writeln!(text, "# {}", line.replace(char::is_control, " "));
        }
        let (name, base, tip) = (quoted(self.name), quoted(self.base), quoted(self.tip));
        let _ = write!(
            text,
            "\n[robot]\nname = {name}\nurdf = \"{URDF}\"\ndefault_group = \"arm\"\n\n[planning_group.arm]\n\
             chain = [{base}, {tip}]\n\n[end_effector.tool]\nparent_link = {tip}\nparent_group = \"arm\"\n\n[ik]\n\
             solver = \"auto\"\n"
        );
        text
    }
}

/// The description with every mesh that is found named by its whole path; what is not found keeps its name, and is
/// reported where it is needed.
fn with_found_meshes(text: &str, urdf: &Path) -> String {
    let resolver = MeshResolver { base_dir: Some(folder_of(urdf)), package_dirs: Vec::new() };
    let mut out = text.to_owned();
    let Ok(document) = roxmltree::Document::parse(text) else { return out };
    let meshes = document.descendants().filter(|node| node.has_tag_name("mesh"));
    let names: Vec<_> = meshes.filter_map(|mesh| mesh.attribute_node("filename")).collect();
    // From the end, so that earlier places stay where they are.
    for name in names.iter().rev() {
        let found = resolver.resolve(name.value()).ok().and_then(|path| path.canonicalize().ok());
        if let Some(path) = found {
            out.replace_range(name.range_value(), &escaped(&path.to_string_lossy()));
        }
    }
    out
}

fn escaped(value: &str) -> String {
    value.replace('&', "&amp;").replace('<', "&lt;").replace('"', "&quot;").replace('\'', "&apos;")
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test may panic")]
mod tests {
    use super::*;

    const TWO_JOINTS: &str = r#"<robot name="two"><link name="a"/><link name="b &amp; c">
      <visual><geometry><mesh filename="here.stl"/></geometry></visual>
      <visual><geometry><mesh filename="nowhere.stl"/></geometry></visual></link><link name="d"/>
      <joint name="j" type="continuous"><parent link="a"/><child link="b &amp; c"/><axis xyz="0 0 1"/></joint>
      <joint name="k" type="continuous"><parent link="b &amp; c"/><child link="d"/><axis xyz="0 1 0"/></joint></robot>"#;

    fn folder(name: &str) -> PathBuf {
        let folder = std::env::temp_dir().join(format!("kinetic_register_{name}_{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        folder
    }

    #[test]
    fn a_registered_arm_is_read_again_with_its_group_and_the_meshes_that_exist() {
        let (from, to) = (folder("from"), folder("to").join("deep"));
        std::fs::write(from.join("given.urdf"), TWO_JOINTS).unwrap();
        std::fs::write(from.join("here.stl"), "solid\nendsolid\n").unwrap();
        let arm = Arm { name: "my \"arm\"", base: "a", tip: "b & c", remarks: &["one\nline".to_owned()] };
        let config = arm.register(from.join("given.urdf"), &to).unwrap();
        assert!(std::fs::read_to_string(&config).unwrap().starts_with("# Registered from given.urdf.\n# one line\n"));
        let robot = Robot::from_path(&to).unwrap();
        let group = &robot.groups[robot.default_group];
        assert_eq!((robot.name.as_str(), group.name.as_str(), group.dof()), ("my \"arm\"", "arm", 1));
        assert_eq!(robot.links[group.tip_link].name, "b & c");
        let copy = std::fs::read_to_string(to.join(URDF)).unwrap();
        let whole = from.join("here.stl").canonicalize().unwrap();
        assert!(copy.contains(&*whole.to_string_lossy()), "{copy}");
        assert!(copy.contains("\"nowhere.stl\""), "{copy}");
    }

    #[test]
    fn an_arm_that_cannot_be_used_writes_nothing() {
        let (from, to) = (folder("bad"), folder("untouched").join("out"));
        std::fs::write(from.join("given.urdf"), TWO_JOINTS).unwrap();
        for (name, base, tip) in [(" ", "a", "d"), ("x", "a", "z"), ("x", "d", "a")] {
            let arm = Arm { name, base, tip, remarks: &[] };
            assert!(arm.register(from.join("given.urdf"), &to).is_err(), "{name} {base} {tip}");
        }
        assert!(!to.exists());
    }
}
