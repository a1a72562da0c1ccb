//! Worlds from SDF files and strings.

use std::path::Path;

use kinetic_core::Result;

use super::all_models::read_all;
use super::assemble::SdfAssembly;
use super::load::{in_file, in_string, noted};
use super::reader::{SdfReader, SdfText};
use super::source::OutermostModel;
use crate::load::{UrdfOptions, with_arm};
use crate::world::{World, WorldModel};

impl World {
    /// Reads every model of an SDF file: each `<model>` and `<include>` of its worlds, and those outside of one. Poses
    /// are those that the file gives, whatever frames and models they are relative to.
    ///
    /// Models without links are left out, and so are people (`<actor>`), lights and all else that is no model; a
    /// note says so. Bodies of a model that no joint carries, where there are several, are fixed to the world.
    ///
    /// # Errors
    /// [`Io`](kinetic_core::KineticError::Io); [`SdfParse`](kinetic_core::KineticError::SdfParse) with file and line,
    /// also for a document without models, and for models or frames of the world that have one name.
    pub fn from_sdf(path: impl AsRef<Path>) -> Result<Self> {
        Self::from_sdf_with(path, &UrdfOptions::default(), &[])
    }

    /// Reads an SDF file with options; included models are looked up as meshes are. `base` and `tip` are not used.
    ///
    /// The models named in `without` are left out. Where a model has its name in this file, nothing else of it is read, so that one
    /// with something unsupported, or an `<include>` that is not there, does not keep the others from being read; what is placed
    /// relative to its frame stays where it is.
    ///
    /// # Errors
    /// As [`from_sdf`](Self::from_sdf); [`UnknownName`](kinetic_core::KineticError::UnknownName) for a name in `without` that no model
    /// has, with those there are.
    pub fn from_sdf_with(path: impl AsRef<Path>, options: &UrdfOptions, without: &[&str]) -> Result<Self> {
        in_file(path.as_ref(), options, |given| read(given, options, without))
    }

    /// Reads an SDF document. Relative names of meshes and models have no folder to start from.
    ///
    /// # Errors
    /// As [`from_sdf`](Self::from_sdf); the file is called `<string>`.
    pub fn from_sdf_string(xml: &str) -> Result<Self> {
        Self::from_sdf_string_with(xml, &UrdfOptions::default(), &[])
    }

    /// Reads an SDF document with options, of which `base` and `tip` are not used, but for the models named in `without`; see
    /// [`from_sdf_with`](Self::from_sdf_with).
    ///
    /// # Errors
    /// As [`from_sdf_string`](Self::from_sdf_string) and [`from_sdf_with`](Self::from_sdf_with).
    pub fn from_sdf_string_with(xml: &str, options: &UrdfOptions, without: &[&str]) -> Result<Self> {
        read(in_string(xml, options), options, without)
    }
}

fn read(given: SdfText<'_>, options: &UrdfOptions, without: &[&str]) -> Result<World> {
    let options = UrdfOptions { base: None, tip: None, ..options.clone() };
    let file = given.file;
    let mut reader = SdfReader::default();
    let found = read_all(&mut reader, given, without)?;
    let mut assembly = SdfAssembly::new(reader)?;
    let (empty, found): (Vec<_>, Vec<_>) = found.into_iter().partition(|model| model.links.is_empty());
    let mut notes = assembly.notes();
    notes.extend(empty.iter().map(|model| format!("SDF: model \"{}\" has no links", model.name)));
    let models = found.iter().map(|model| world_model(&assembly, model, file, &options)).collect::<Result<_>>()?;
    Ok(World { models, notes })
}

fn world_model(
    assembly: &SdfAssembly,
    found: &OutermostModel,
    file: &str,
    options: &UrdfOptions,
) -> Result<WorldModel> {
    let model = with_arm(assembly.description(found, file)?, options).map(noted)?;
    let world_from_root = assembly.world_from_root(found, &model.links[0].name)?;
    Ok(WorldModel { name: found.name.clone(), model, world_from_root })
}
