//! Policies for meshes whose files are missing.

use std::str::FromStr;

use kinetic_core::{KineticError, Result};

use crate::description::{Description, LinkDescription};
use crate::mesh::SearchPaths;
use crate::model::{Geometry, GeometryShape};

/// What happens when a mesh of a collision shape is not found.
///
/// Reading a robot never fails for a mesh, since kinematics need none. A missing visual mesh leaves a note only.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum MissingMeshes {
    /// A note, and an error from everything that needs the shape: a robot whose parts are unknown cannot be kept from
    /// touching things.
    #[default]
    Error,
    /// The shape is left out, with a note.
    Ignore,
}

impl FromStr for MissingMeshes {
    type Err = KineticError;

    /// From `error` or `ignore`.
    fn from_str(name: &str) -> Result<Self> {
        match name {
            "error" => Ok(Self::Error),
            "ignore" => Ok(Self::Ignore),
            _ => Err(KineticError::invalid("missing_meshes", format!("\"{name}\""), "\"error\" or \"ignore\"")),
        }
    }
}

/// Looks for the meshes of a description, without reading them, and notes what is missing.
pub(crate) fn check(description: &mut Description, policy: MissingMeshes) {
    let paths = SearchPaths::from_env();
    let is_missing = |geometry: &Geometry| match &geometry.shape {
        GeometryShape::Mesh(mesh) => mesh.resolver.resolve_in(&mesh.uri, &paths).is_err(),
        GeometryShape::Shape(_) => false,
    };
    let first = |shapes: fn(&LinkDescription) -> &Vec<Geometry>| {
        description.links.iter().find_map(|link| {
            let missing = shapes(link).iter().find(|geometry| is_missing(geometry))?;
            Some(format!("\"{}\" (link \"{}\")", uri(missing), link.name))
        })
    };
    if let Some(visual) = first(|link| &link.visuals) {
        description.notes.push(format!("visual meshes are missing, for example {visual}"));
    }
    let Some(collision) = first(|link| &link.collisions) else {
        return;
    };
    if policy == MissingMeshes::Error {
        let refused = "collision checks will refuse the robot";
        description.notes.push(format!("collision meshes are missing, for example {collision}; {refused}"));
        return;
    }
    for link in &mut description.links {
        let mut missing = Vec::new();
        link.collisions.retain(|geometry| {
            !is_missing(geometry) || {
                missing.push(uri(geometry).to_owned());
                false
            }
        });
        let note = |uri: String| format!("collision mesh \"{uri}\" of link \"{}\" is missing and left out", link.name);
        description.notes.extend(missing.into_iter().map(note));
    }
}

fn uri(geometry: &Geometry) -> &str {
    match &geometry.shape {
        GeometryShape::Mesh(mesh) => &mesh.uri,
        GeometryShape::Shape(_) => "",
    }
}
