//! Scaling of link geometry.

use std::sync::Arc;

use kinetic_collision::Sphere;
use kinetic_collision::exact::Body;
use kinetic_core::{KineticError, Result, Shape};

use crate::link_geometry::LinkGeometry;

impl LinkGeometry {
    /// Scales every shape by a factor about its own centre, so that a factor above 1 gives a geometry that contains
    /// this one.
    ///
    /// # Errors
    /// [`KineticError::InvalidValue`] for a kind of shape that has no size.
    pub(crate) fn scaled(&self, factor: f64) -> Result<Self> {
        let mut pieces = Vec::with_capacity(self.pieces.len());
        for (body, pose) in &self.pieces {
            pieces.push((Arc::new(scaled(body, factor)?), *pose));
        }
        let larger = |sphere: &Sphere| {
            let radius =
                if self.spheres_are_exact { factor * sphere.radius } else { sphere.radius + self.growth(factor) };
            Sphere::new(sphere.center, radius)
        };
        let spheres = self.spheres.iter().map(larger).collect();
        Ok(if self.spheres_are_exact {
            Self::of_spheres(spheres, pieces)
        } else {
            Self::within_spheres(spheres, pieces)
        })
    }

    /// Bound on how far the scaled geometry extends beyond this one, m. A point moves away from the centre of its shape by
    /// `factor − 1` of its distance from there; a smaller shape stays inside.
    pub(crate) fn growth(&self, factor: f64) -> f64 {
        let largest = self.pieces.iter().map(|(body, _)| body.bounding_ball().radius).fold(0.0, f64::max);
        (factor - 1.0).max(0.0) * largest
    }
}

/// Scales a body by a factor about the centre of its bounding sphere.
fn scaled(body: &Body, factor: f64) -> Result<Body> {
    let shape = match body.shape() {
        Shape::Sphere { radius } => Shape::sphere(factor * radius)?,
        Shape::Cuboid { half_extents: half } => Shape::cuboid(factor * half.x, factor * half.y, factor * half.z)?,
        Shape::Cylinder { radius, half_height } => Shape::cylinder(factor * radius, factor * half_height)?,
        Shape::Capsule { radius, half_height } => Shape::capsule(factor * radius, factor * half_height)?,
        Shape::Convex { vertices, radius } => {
            let center = body.bounding_ball().center;
            let vertices: Vec<_> = vertices.iter().map(|vertex| center + (vertex - center) * factor).collect();
            Shape::convex(&vertices, factor * radius)?
        }
        other => return Err(KineticError::invalid("shape of a scaled link", other.kind(), "a shape with a size")),
    };
    Body::new(&shape)
}
