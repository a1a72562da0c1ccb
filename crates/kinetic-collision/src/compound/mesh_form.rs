//! Interpretation of a mesh file: surface, solid or hull.

use kinetic_core::Shape;
use kinetic_core::error::{KineticError, Result};
use kinetic_robot::TriangleMesh;
use nalgebra::Point3;

/// Interpretation of the triangles of a mesh.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MeshForm {
    /// The triangles themselves.
    Surface,
    /// The triangles and what they enclose.
    Solid,
    /// The convex hull of the vertices.
    Hull,
}

impl MeshForm {
    /// The shape of a mesh, larger by `scale`.
    ///
    /// # Errors
    /// [`KineticError::InvalidValue`] unless the scale is positive and finite, and as [`Shape::mesh`] and
    /// [`Shape::convex`].
    pub fn shape(self, mesh: &TriangleMesh, scale: f64) -> Result<Shape> {
        if !(scale.is_finite() && scale > 0.0) {
            return Err(KineticError::invalid("mesh scale", scale, "a positive finite number"));
        }
        let vertices: Vec<Point3<f64>> = mesh.vertices.iter().map(|vertex| vertex * scale).collect();
        // Invalid faces are an error for a hull too.
        let triangles = Shape::mesh(&vertices, &mesh.triangles, self == Self::Solid)?;
        if self == Self::Hull { Shape::convex(&vertices, 0.0) } else { Ok(triangles) }
    }
}
