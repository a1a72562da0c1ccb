//! The error for shapes of an unsupported kind.

use kinetic_core::{KineticError, Shape};

/// `Shape` may grow kinds that this crate does not know yet.
pub(crate) fn unknown_kind(shape: &Shape) -> KineticError {
    let wanted = "sphere, cuboid, cylinder, capsule, half_space, convex, mesh, height_field, voxels or point_cloud";
    KineticError::invalid("shape kind", shape.kind(), wanted)
}
