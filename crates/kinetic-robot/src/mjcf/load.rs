//! Robots from MJCF files and strings.

use std::path::{Path, PathBuf};

use kinetic_core::Result;

use super::{MjcfModel, fault, parse};
use crate::file_text::{STRING, folder_of, read_text};
use crate::load::{UrdfOptions, with_arm};
use crate::mesh::MeshResolver;
use crate::model::SkipPair;
use crate::robot::Robot;

impl Robot {
    /// Reads an MJCF file, the format of MuJoCo. The root is the link `world`; the one group is `arm`, from the world to
    /// the deepest link.
    ///
    /// # Errors
    /// [`KineticError::Io`](kinetic_core::KineticError::Io) for a file that is missing, it or one that it includes;
    /// [`KineticError::MjcfParse`](kinetic_core::KineticError::MjcfParse) with file, line and element for what is
    /// malformed or not supported.
    pub fn from_mjcf(path: impl AsRef<Path>) -> Result<Self> {
        Self::from_mjcf_with(path, &UrdfOptions::default())
    }

    /// Reads an MJCF file with options; included files are looked up as meshes are.
    ///
    /// # Errors
    /// As [`from_mjcf`](Self::from_mjcf), and [`KineticError::LinkNotFound`](kinetic_core::KineticError::LinkNotFound) or
    /// [`KineticError::ChainExtraction`](kinetic_core::KineticError::ChainExtraction) for an unusable base or tip.
    pub fn from_mjcf_with(path: impl AsRef<Path>, options: &UrdfOptions) -> Result<Self> {
        let path = path.as_ref();
        read(&read_text(path, fault)?, &path.display().to_string(), Some(folder_of(path)), options)
    }

    /// Reads an MJCF document. Relative names of files have no folder to start from but
    /// [`package_dirs`](UrdfOptions::package_dirs).
    ///
    /// # Errors
    /// As [`from_mjcf`](Self::from_mjcf); the file is called `<string>`.
    pub fn from_mjcf_string(xml: &str) -> Result<Self> {
        Self::from_mjcf_string_with(xml, &UrdfOptions::default())
    }

    /// Reads an MJCF document with options.
    ///
    /// # Errors
    /// As [`from_mjcf_with`](Self::from_mjcf_with).
    pub fn from_mjcf_string_with(xml: &str, options: &UrdfOptions) -> Result<Self> {
        read(xml, STRING, None, options)
    }
}

fn read(text: &str, file: &str, base_dir: Option<PathBuf>, options: &UrdfOptions) -> Result<Robot> {
    let resolver = MeshResolver { base_dir, package_dirs: options.package_dirs.clone() };
    let MjcfModel { description, unchecked, keys } = parse(text, file, &resolver)?;
    let mut robot = with_arm(description, options)?;
    for (a, b, reason) in unchecked {
        let (a, b) = (robot.link_index(&a)?, robot.link_index(&b)?);
        robot.collision.skip_pairs.push(SkipPair { links: (a.min(b), a.max(b)), reason: reason.to_owned() });
    }
    robot.collision.normalise();
    super::keyframe::apply(&keys, &mut robot);
    robot.note_links_without_shapes();
    Ok(robot)
}
