//! Robots from files and strings.

use std::path::{Path, PathBuf};

use kinetic_core::Result;

use crate::builder;
use crate::config;
use crate::description::Description;
use crate::file_text::{STRING, folder_of, read_text};
use crate::group;
use crate::mesh::MeshResolver;
use crate::missing_meshes::{self, MissingMeshes};
use crate::robot::Robot;
use crate::srdf::SrdfModel;
use crate::urdf;

/// Options for reading a description that has no groups of its own: URDF, SDF or MJCF.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct UrdfOptions {
    /// Base link of the group `arm`; the root when `None`.
    pub base: Option<String>,
    /// Tip link of the group `arm`; when `None`, the link with the most moving joints above it, then the most joints,
    /// then the first in the file.
    pub tip: Option<String>,
    /// Folder in which relative names start and from which packages are searched upwards; that of the file when
    /// `None`.
    pub base_dir: Option<PathBuf>,
    /// Folders in which `package://` names of meshes are looked up.
    pub package_dirs: Vec<PathBuf>,
    /// What happens when the mesh of a collision shape is not found.
    pub missing_meshes: MissingMeshes,
}

impl Robot {
    /// Reads a URDF file. The robot has one group, `arm`, from the root to the deepest link.
    ///
    /// # Errors
    /// [`kinetic_core::KineticError::Io`], [`kinetic_core::KineticError::UrdfParse`] with file and line, or [`kinetic_core::KineticError::NoLinks`].
    pub fn from_urdf(path: impl AsRef<Path>) -> Result<Self> {
        Self::from_urdf_with(path, &UrdfOptions::default())
    }

    /// Reads a URDF file with options. Where it has no collision shapes, and a `kinetic.toml` beside it names it and a file
    /// of hulls, as the folders of the built-in robots do, these are its shapes.
    ///
    /// # Errors
    /// As [`from_urdf`](Self::from_urdf), and [`kinetic_core::KineticError::LinkNotFound`] or [`kinetic_core::KineticError::ChainExtraction`] for
    /// an unusable base or tip.
    pub fn from_urdf_with(path: impl AsRef<Path>, options: &UrdfOptions) -> Result<Self> {
        let path = path.as_ref();
        let text = read_text(path, urdf::fault)?;
        let mut robot = read_urdf(&text, &path.display().to_string(), Some(folder_of(path)), options)?;
        config::add_hulls_beside(path, &mut robot)?;
        robot.note_links_without_shapes();
        Ok(robot)
    }

    /// Reads a URDF document. Relative names of meshes have no folder to start from.
    ///
    /// # Errors
    /// As [`from_urdf`](Self::from_urdf); the file is called `<string>`.
    pub fn from_urdf_string(xml: &str) -> Result<Self> {
        Self::from_urdf_string_with(xml, &UrdfOptions::default())
    }

    /// Reads a URDF document with options.
    ///
    /// # Errors
    /// As [`from_urdf_with`](Self::from_urdf_with).
    pub fn from_urdf_string_with(xml: &str, options: &UrdfOptions) -> Result<Self> {
        let mut robot = read_urdf(xml, STRING, None, options)?;
        robot.note_links_without_shapes();
        Ok(robot)
    }

    /// Reads a URDF and the SRDF that belongs to it.
    ///
    /// # Errors
    /// As [`from_urdf`](Self::from_urdf), and [`kinetic_core::KineticError::SrdfParse`].
    pub fn from_urdf_srdf(urdf: impl AsRef<Path>, srdf: impl AsRef<Path>) -> Result<Self> {
        let mut robot = Self::from_urdf(urdf)?;
        SrdfModel::from_file(srdf)?.apply_to_robot(&mut robot)?;
        Ok(robot)
    }
}

fn read_urdf(text: &str, file: &str, base_dir: Option<PathBuf>, options: &UrdfOptions) -> Result<Robot> {
    let base_dir = options.base_dir.clone().or(base_dir);
    let resolver = MeshResolver { base_dir, package_dirs: options.package_dirs.clone() };
    with_arm(urdf::parse(text, file, resolver)?, options)
}

/// The robot with one group, `arm`.
pub(crate) fn with_arm(mut description: Description, options: &UrdfOptions) -> Result<Robot> {
    missing_meshes::check(&mut description, options.missing_meshes);
    let mut robot = builder::build(&description)?;
    robot.groups.push(group::automatic(&robot, options.base.as_deref(), options.tip.as_deref())?);
    robot.set_default_group(0);
    Ok(robot)
}
