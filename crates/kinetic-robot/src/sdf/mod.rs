//! SDF, the Simulation Description Format, versions 1.3 to 1.12.
//!
//! Read as <http://sdformat.org/spec> and its chapter on the semantics of frames describe it: links, joints, frames and
//! models name poses, `relative_to` says whose; a joint stands by default at its child, and its axis is given in the
//! joint's frame (in the model's before 1.5). One model is read: the one of the file, or the only one of its world that
//! is not static. Links and joints of nested models are called `model::link`.
//!
//! A link keeps the frame that the file gives it. Where the axis of a joint does not pass through the origin of its
//! child, the joint carries a massless link `<joint>/frame`, to which the child is fixed.

mod assemble;
mod frames;
mod geometry;
mod include;
mod joint;
mod link;
mod load;
mod model;
mod reader;
mod source;
mod values;
mod world;

use std::path::Path;

use kinetic_core::{KineticError, Result};

use crate::description::Description;
use crate::mesh::MeshResolver;

pub(crate) fn fault(file: String, line: u32, detail: String) -> KineticError {
    KineticError::SdfParse { file, line, detail }
}

/// Reads a document; `file` names it in errors and, with the resolver, is where included models are looked for.
pub(crate) fn parse(text: &str, file: &str, path: Option<&Path>, resolver: MeshResolver) -> Result<Description> {
    let mut reader = reader::SdfReader::default();
    let name = world::read(&mut reader, text, file, path, resolver)?;
    assemble::assemble(reader, name, file)
}
