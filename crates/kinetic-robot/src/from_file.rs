//! Robots from files of any format: the ending, or the outermost element, says which.

use std::path::Path;

use kinetic_core::{KineticError, Result};

use crate::config;
use crate::file_text::{folder_of, read_text};
use crate::robot::Robot;
use crate::xml::Source;

/// What can be read, for messages.
const WANTED: &str = "a file ending in .urdf, .sdf, .world, .mjcf or .xml, a kinetic.toml, or the folder of one";

impl Robot {
    /// Reads a file of any format that has a reader.
    ///
    /// | name | read by |
    /// |---|---|
    /// | `.urdf` | [`from_urdf`](Self::from_urdf) |
    /// | `.sdf`, `.world` | [`from_sdf`](Self::from_sdf) |
    /// | `.mjcf` | [`from_mjcf`](Self::from_mjcf) |
    /// | `.xml` | one of them: the outermost element says which |
    /// | `kinetic.toml`, or its folder | [`from_path`](Self::from_path) |
    ///
    /// # Errors
    /// [`KineticError::InvalidValue`] for another name; [`KineticError::FileParse`] for an XML document of another
    /// kind; else those of the reader.
    pub fn from_file(path: impl AsRef<Path>) -> Result<Self> {
        let path = path.as_ref();
        if path.is_dir() {
            return Self::from_path(path);
        }
        if path.file_name().is_some_and(|name| name == config::FILE_NAME) {
            return Self::from_path(folder_of(path));
        }
        let ending = path.extension().map(|extension| extension.to_string_lossy().to_lowercase());
        match ending.as_deref() {
            Some("urdf") => Self::from_urdf(path),
            Some("sdf" | "world") => read_sdf(path),
            Some("mjcf") => read_mjcf(path),
            Some("xml") => from_xml(path),
            Some("xacro") => Err(KineticError::invalid(
                "robot file",
                path.display(),
                "a URDF: xacro files must be expanded first (xacro robot.xacro > robot.urdf); Python's from_file does it",
            )),
            Some(ending) => Err(unknown(path, &format!("ending .{ending}"))),
            None => Err(unknown(path, "no ending")),
        }
    }
}

fn unknown(path: &Path, what: &str) -> KineticError {
    KineticError::invalid("robot file", format!("{} ({what})", path.display()), WANTED)
}

/// A document whose outermost element says the format.
fn from_xml(path: &Path) -> Result<Robot> {
    let fault = |file, line, detail| KineticError::FileParse { file, line, detail };
    let text = read_text(path, fault)?;
    let file = path.display().to_string();
    let document = Source::new(&text, &file, fault).parse(&text, &["mujoco", "robot", "sdf", "gazebo"])?;
    match document.root_element().tag_name().name() {
        "mujoco" => read_mjcf(path),
        "robot" => Robot::from_urdf(path),
        _ => read_sdf(path),
    }
}

#[cfg(feature = "mjcf")]
fn read_mjcf(path: &Path) -> Result<Robot> {
    Robot::from_mjcf(path)
}

#[cfg(not(feature = "mjcf"))]
fn read_mjcf(path: &Path) -> Result<Robot> {
    Err(left_out(path, "mjcf"))
}

#[cfg(feature = "sdf")]
fn read_sdf(path: &Path) -> Result<Robot> {
    Robot::from_sdf(path)
}

#[cfg(not(feature = "sdf"))]
fn read_sdf(path: &Path) -> Result<Robot> {
    Err(left_out(path, "sdf"))
}

/// A file of a format whose reader was not compiled.
#[cfg(not(all(feature = "mjcf", feature = "sdf")))]
fn left_out(path: &Path, feature: &str) -> KineticError {
    let wanted = format!("a format whose reader is compiled; this one needs the cargo feature \"{feature}\"");
    KineticError::invalid("robot file", path.display(), wanted)
}
