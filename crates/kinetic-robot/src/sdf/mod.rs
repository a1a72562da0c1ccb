//! SDF, the Simulation Description Format, versions 1.3 to 1.12.
//!
//! Read as <http://sdformat.org/spec> and its chapter on the semantics of frames describe it: links, joints, frames and
//! models name poses, `relative_to` says whose; a joint stands by default at its child, and its axis is given in the
//! joint's frame (in the model's before 1.5). A robot is one model: the one of the file, or the only one of its world that
//! is not static; a [`World`](crate::World) is all of them. Links and joints of nested models are called `model::link`.
//!
//! A link keeps the frame that the file gives it. Where the axis of a joint does not pass through the origin of its
//! child, the joint carries a massless link `<joint>/frame`, to which the child is fixed.

mod all_models;
mod assemble;
mod frames;
mod geometry;
mod include;
mod joint;
mod link;
mod load;
mod load_world;
mod model;
mod placed;
mod reader;
mod source;
mod values;
mod world;

use kinetic_core::{KineticError, Result};

use crate::description::Description;
use assemble::SdfAssembly;
use reader::{SdfReader, SdfText};

pub(crate) fn fault(file: String, line: u32, detail: String) -> KineticError {
    KineticError::SdfParse { file, line, detail }
}

/// Reads the one model of a document that is the robot.
pub(crate) fn parse(given: SdfText<'_>) -> Result<Description> {
    let mut reader = SdfReader::default();
    let file = given.file;
    let model = world::read(&mut reader, given)?;
    let mut assembly = SdfAssembly::new(reader)?;
    let mut description = assembly.description(&model, file)?;
    description.notes = assembly.notes();
    Ok(description)
}
