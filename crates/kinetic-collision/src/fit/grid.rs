//! Sphere cover by a regular grid, in a fraction of a millisecond, for attached bodies.

use kinetic_core::Shape;
use kinetic_core::error::{KineticError, Result};
use nalgebra::{Isometry3, Point3, Vector3};

use super::cover::{Cover, Covering};
use super::polish::around;
use super::solid::Solid;
use crate::aabb::Aabb;
use crate::ball::Sphere;

/// Spheres, in the frame of `link_from_shape`, whose union contains the shape; at most `count` of them.
///
/// The box around the shape is cut into equal cells, as cubic as the count allows, and a ball is drawn around the part of
/// the shape in each cell. Takes a hundredth of the time of [`cover`](super::cover) and sticks out farther.
///
/// # Errors
/// [`InvalidValue`](KineticError::InvalidValue) for a half-space, which no spheres cover, and for a count of 0.
pub fn cover_by_grid(shape: &Shape, link_from_shape: &Isometry3<f64>, count: usize) -> Result<Vec<Sphere>> {
    if count == 0 {
        return Err(KineticError::invalid("count", 0, "at least 1"));
    }
    if let Shape::Capsule { .. } = shape {
        return Ok(Covering::from_shapes(&[(*link_from_shape, shape)])?.with_count(count).spheres);
    }
    let solid = Solid::from_shapes(&[(Isometry3::identity(), shape)])?;
    let spheres = Cover::new(&around(&solid, &cell_centres(&solid.aabb, count))).spheres;
    Ok(spheres.into_iter().map(|ball| Sphere::new(link_from_shape * ball.center, ball.radius)).collect())
}

/// Centres of at most `count` equal cells of a box: the longest edge is divided next.
fn cell_centres(bounds: &Aabb, count: usize) -> Vec<Sphere> {
    let size = bounds.size();
    let mut cells = [1_usize; 3];
    loop {
        let edge = |axis: usize| size[axis] / cells[axis] as f64;
        // The first of equals.
        let longest = (1..3).fold(0, |best, axis| if edge(axis) > edge(best) { axis } else { best });
        let mut finer = cells;
        finer[longest] += 1;
        if finer.iter().product::<usize>() > count {
            break;
        }
        cells = finer;
    }
    let mut centres = Vec::with_capacity(count);
    for place in 0..cells.iter().product() {
        let index = [place % cells[0], place / cells[0] % cells[1], place / (cells[0] * cells[1])];
        let share = Vector3::from_fn(|axis, _| (index[axis] as f64 + 0.5) / cells[axis] as f64);
        centres.push(Sphere::new(Point3::from(bounds.min + size.component_mul(&share)), 0.0));
    }
    centres
}
