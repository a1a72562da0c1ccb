//! Robots from SDF files and strings.

use std::path::Path;

use kinetic_core::Result;

use super::reader::SdfText;
use super::{fault, parse};
use crate::file_text::{STRING, folder_of, read_text};
use crate::load::{UrdfOptions, with_arm};
use crate::mesh::MeshResolver;
use crate::robot::Robot;

impl Robot {
    /// Reads an SDF file. The robot has one group, `arm`, from the root to the deepest link.
    ///
    /// # Errors
    /// [`Io`](kinetic_core::KineticError::Io); [`SdfParse`](kinetic_core::KineticError::SdfParse) with file and line;
    /// [`NoLinks`](kinetic_core::KineticError::NoLinks).
    pub fn from_sdf(path: impl AsRef<Path>) -> Result<Self> {
        Self::from_sdf_with(path, &UrdfOptions::default())
    }

    /// Reads an SDF file with options; included models are looked up as meshes are.
    ///
    /// # Errors
    /// As [`from_sdf`](Self::from_sdf), and [`LinkNotFound`](kinetic_core::KineticError::LinkNotFound) or
    /// [`ChainExtraction`](kinetic_core::KineticError::ChainExtraction) for an unusable base or tip.
    pub fn from_sdf_with(path: impl AsRef<Path>, options: &UrdfOptions) -> Result<Self> {
        in_file(path.as_ref(), options, |given| with_arm(parse(given)?, options).map(noted))
    }

    /// Reads an SDF document. Relative names of meshes and models have no folder to start from.
    ///
    /// # Errors
    /// As [`from_sdf`](Self::from_sdf); the file is called `<string>`.
    pub fn from_sdf_string(xml: &str) -> Result<Self> {
        Self::from_sdf_string_with(xml, &UrdfOptions::default())
    }

    /// Reads an SDF document with options.
    ///
    /// # Errors
    /// As [`from_sdf_with`](Self::from_sdf_with).
    pub fn from_sdf_string_with(xml: &str, options: &UrdfOptions) -> Result<Self> {
        with_arm(parse(in_string(xml, options))?, options).map(noted)
    }
}

/// Reads the text of a file; what it includes is looked up beside it, unless the options say otherwise.
pub(super) fn in_file<T>(path: &Path, options: &UrdfOptions, read: impl FnOnce(SdfText<'_>) -> Result<T>) -> Result<T> {
    let text = read_text(path, fault)?;
    let base_dir = Some(options.base_dir.clone().unwrap_or_else(|| folder_of(path)));
    let resolver = MeshResolver { base_dir, package_dirs: options.package_dirs.clone() };
    read(SdfText { text: &text, file: &path.display().to_string(), path: Some(path), resolver })
}

/// A document without a file.
pub(super) fn in_string<'a>(xml: &'a str, options: &UrdfOptions) -> SdfText<'a> {
    let resolver = MeshResolver { base_dir: options.base_dir.clone(), package_dirs: options.package_dirs.clone() };
    SdfText { text: xml, file: STRING, path: None, resolver }
}

pub(super) fn noted(mut robot: Robot) -> Robot {
    robot.note_links_without_shapes();
    robot
}
