//! Fitting of simple solids around given ones, which they always contain.
//!
//! **Sphere covers**: balls whose union contains convex pieces or a mesh, with as little beyond as the budget allows. A
//! ball of radius `r` whose centre lies `d` deep inside sticks out by at most `r − d`, so at a given excess every
//! centre has its largest ball, and a cover is a choice of centres: greedily for samples of the solid ([`Cover`]). The
//! choice then becomes exact: the solid is cut along the power diagram of the balls, each ball is drawn around the
//! corners of its part, and centres move until the largest excess gets no smaller. Containment holds by construction
//! and does not depend on the samples.

mod bounds;
mod capsule;
mod cell;
mod clusters;
mod config;
mod cover;
mod field;
mod greedy;
mod grid;
mod pieces;
mod polish;
mod power;
mod robot;
mod samples;
mod simplify;
mod solid;
mod stack;

use kinetic_core::Shape;
use kinetic_core::error::{KineticError, Result};
use nalgebra::{Isometry3, Point3};

use crate::ball::Sphere;
use crate::distance::point::PreparedShape;

pub use bounds::{Placed, enclosing_box, enclosing_capsule};
pub use config::SphereGenConfig;
pub use cover::{Cover, Covering};
pub use grid::cover_by_grid;
pub use pieces::{MeshPiece, PieceConfig, convex_pieces};
pub use robot::{RobotSphereModel, link_shapes, link_shapes_with, mesh_shapes};
pub use simplify::{HullConfig, enclosing_hull};

/// Spheres, in the frame of `link_from_shape`, whose union contains the shape.
///
/// # Errors
/// [`InvalidValue`](kinetic_core::KineticError::InvalidValue) for a half-space, which no spheres cover, and for a
/// configuration outside its domain.
pub fn cover(shape: &Shape, link_from_shape: &Isometry3<f64>, config: &SphereGenConfig) -> Result<Vec<Sphere>> {
    cover_all(&[(*link_from_shape, shape)], config)
}

/// Spheres, in the frame of a link, whose union contains all its shapes.
///
/// Balls, boxes, cylinders and capsules have covers in closed form, which cost microseconds; where another shape is among
/// them, the cover is searched for all of them together ([`Covering`]).
///
/// # Errors
/// As [`cover`].
pub fn cover_all(shapes: &[(Isometry3<f64>, &Shape)], config: &SphereGenConfig) -> Result<Vec<Sphere>> {
    config.check()?;
    match stack::cover(shapes, config) {
        Some(spheres) => Ok(spheres),
        None => Ok(Covering::from_shapes(shapes)?.fit(config)?.spheres),
    }
}

/// True when [`cover_all`] has nothing to search for.
pub fn has_closed_form(shapes: &[(Isometry3<f64>, &Shape)], config: &SphereGenConfig) -> bool {
    stack::has_closed_form(shapes, config.max_spheres)
}

/// Points whose hull contains a shape that has no rounding, for [`enclosing_hull`] and its like.
///
/// Cylinders become prisms around them, 0.5 % wider; capsules polytopes, 2 % wider.
///
/// # Errors
/// [`InvalidValue`](kinetic_core::KineticError::InvalidValue) for half-spaces, balls and rounded hulls.
pub fn corners(shape: &Shape) -> Result<Vec<Point3<f64>>> {
    match solid::polytope(shape)? {
        (corners, 0.0) => Ok(corners),
        _ => Err(KineticError::invalid("shape to enclose", shape.kind(), "a shape without rounding")),
    }
}

/// Excess of spheres beyond a shape, m: the largest distance of a point of their union from the shape.
///
/// Exact, not sampled: the point of a ball that is farthest from a convex shape lies along the gradient of the signed
/// distance at its centre, at the signed distance plus the radius.
///
/// # Errors
/// As [`PreparedShape::new`].
pub fn excess(spheres: &[Sphere], shape: &Shape, link_from_shape: &Isometry3<f64>) -> Result<f64> {
    let prepared = PreparedShape::new(shape, link_from_shape)?;
    let beyond = spheres.iter().map(|ball| prepared.signed_distance(&ball.center) + ball.radius);
    Ok(beyond.fold(0.0, f64::max))
}
