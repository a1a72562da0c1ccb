//! Import of MoveIt configurations: SRDF, `joint_limits.yaml` and `kinematics.yaml` become a `kinetic.toml`.
//!
//! The URDF stays where it is and is named by a relative path, so that its meshes are still found. Groups, their states,
//! end effectors, pairs that need no check and limits are carried over; what has no counterpart is said in notes.

#![allow(clippy::doc_markdown, reason = "MoveIt is a name")]

mod kinematics;
mod limits;
pub(crate) mod write;

use std::path::{Component, Path, PathBuf};

use kinetic_core::{KineticError, Result, files};

use crate::config::FILE_NAME;
use crate::file_text::read_text;
use crate::robot::Robot;
use crate::srdf::SrdfModel;

use crate::yaml::YamlSource;

/// The files of a configuration.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MoveItConfig {
    /// The URDF, expanded if it was xacro.
    pub urdf: PathBuf,
    /// The SRDF.
    pub srdf: PathBuf,
    /// Limits of joints.
    pub joint_limits: Option<PathBuf>,
    /// Solvers of groups.
    pub kinematics: Option<PathBuf>,
}

impl MoveItConfig {
    /// The files of a MoveIt configuration package, in its folder or in `config` below.
    ///
    /// # Errors
    /// [`KineticError::Io`] when there is no such folder; [`KineticError::InvalidValue`] unless it has exactly one SRDF.
    pub fn find(folder: impl AsRef<Path>, urdf: impl Into<PathBuf>) -> Result<Self> {
        let folder = folder.as_ref();
        let mut srdf = Vec::new();
        let places = [folder.to_path_buf(), folder.join("config")];
        for place in places.iter().filter(|place| *place == folder || place.is_dir()) {
            for entry in std::fs::read_dir(place).map_err(|error| KineticError::io(place, &error))?.flatten() {
                if entry.path().extension().is_some_and(|ending| ending == "srdf") {
                    srdf.push(entry.path());
                }
            }
        }
        srdf.sort();
        let [only] = srdf.as_slice() else {
            let names: Vec<String> = srdf.iter().map(|path| path.display().to_string()).collect();
            let found = if names.is_empty() { "no .srdf file".to_owned() } else { names.join(", ") };
            let given = format!("{} with {found}", folder.display());
            return Err(KineticError::invalid("MoveIt folder", given, "one .srdf file in it or in its folder config"));
        };
        let optional = |name: &str| places.iter().map(|place| place.join(name)).find(|path| path.is_file());
        Ok(Self {
            urdf: urdf.into(),
            srdf: only.clone(),
            joint_limits: optional("joint_limits.yaml"),
            kinematics: optional("kinematics.yaml"),
        })
    }

    /// Writes `kinetic.toml` into a folder, which is made if need be and which [`Robot::from_path`] reads then. Returns
    /// what has no counterpart, one sentence each.
    ///
    /// # Errors
    /// [`KineticError::Io`]; [`KineticError::UrdfParse`], [`KineticError::SrdfParse`] and, for the YAML files,
    /// [`KineticError::FileParse`], with file and line.
    pub fn import(&self, folder: impl AsRef<Path>) -> Result<Vec<String>> {
        let folder = folder.as_ref();
        let mut robot = Robot::from_urdf(&self.urdf)?;
        let known = robot.notes.len();
        let semantics = SrdfModel::from_file(&self.srdf)?;
        semantics.apply_to_robot(&mut robot)?;
        let mut notes = robot.notes.split_off(known);
        let mut limits = limits::Limits::default();
        if let Some(path) = &self.joint_limits {
            let (source, text) = open(path)?;
            limits = limits::read(&source, &text, &robot, &mut notes)?;
        }
        let mut solver = None;
        if let Some(path) = &self.kinematics {
            let (source, text) = open(path)?;
            solver = kinematics::read(&source, &text, &mut notes)?;
        }
        std::fs::create_dir_all(folder).map_err(|error| KineticError::io(folder, &error))?;
        let urdf = relative(&self.urdf, folder)?;
        let text = write::document(&robot, &urdf, &limits, solver.as_deref(), &mut notes);
        let path = folder.join(FILE_NAME);
        files::write(path, text)?;
        Ok(notes)
    }
}

fn open(path: &Path) -> Result<(YamlSource, String)> {
    let text = read_text(path, |file, line, detail| KineticError::FileParse { file, line, detail })?;
    Ok((YamlSource { file: path.display().to_string() }, text))
}

/// The way from a folder to a file, with `/` between its parts.
fn relative(file: &Path, folder: &Path) -> Result<String> {
    let real = |path: &Path| path.canonicalize().map_err(|error| KineticError::io(path, &error));
    let (file, folder) = (real(file)?, real(folder)?);
    let shared = file.components().zip(folder.components()).take_while(|(a, b)| a == b).count();
    // On another drive there is no way.
    if shared == 0 {
        return Ok(file.display().to_string());
    }
    let up = folder.components().skip(shared).map(|_| Component::ParentDir);
    let way: Vec<String> =
        up.chain(file.components().skip(shared)).map(|part| part.as_os_str().to_string_lossy().into_owned()).collect();
    Ok(way.join("/"))
}
