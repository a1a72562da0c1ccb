//! Sphere covers of solids: balls whose union contains a shape, with as little beyond it as the budget allows.
//!
//! Containment holds by construction, not by sampling. Spheres have one, capsules a closed form; everything else is a
//! polytope enlarged by a radius, cut into cells.

mod capsule;
mod cell;
mod cells;
mod config;
mod grid;

use std::f64::consts::PI;

use kinetic_core::Shape;
use kinetic_core::error::{KineticError, Result};
use nalgebra::{Isometry3, Point3};

use crate::ball::Sphere;
use crate::distance::point::{PreparedShape, unknown_kind};
use crate::hull::convex_hull;
use cell::Cell;
use cells::Cells;

pub use config::SphereGenConfig;

/// Added to every radius, m: far above the rounding of cuts and smallest balls, far below a micrometre.
const SLACK: f64 = 1e-9;
/// Sides of the prism that stands for a cylinder; its corners are 1.2 % outside.
const PRISM_SIDES: u32 = 20;

/// Spheres, in the frame of `link_from_shape`, whose union contains the shape.
///
/// # Errors
/// [`KineticError::InvalidValue`] for a half-space, which no spheres cover, and for a configuration outside its domain.
pub fn cover(shape: &Shape, link_from_shape: &Isometry3<f64>, config: &SphereGenConfig) -> Result<Vec<Sphere>> {
    cover_all(&[(*link_from_shape, shape)], config)
}

/// Spheres, in the frame of a link, whose union contains all its shapes.
///
/// The budget goes where the excess is: spheres are added one at a time to the shape that is covered worst.
///
/// # Errors
/// As [`cover`].
pub fn cover_all(shapes: &[(Isometry3<f64>, &Shape)], config: &SphereGenConfig) -> Result<Vec<Sphere>> {
    config.check()?;
    let mut pieces = shapes.iter().map(|(_, shape)| Piece::new(shape)).collect::<Result<Vec<_>>>()?;
    let mut is_open = vec![true; pieces.len()];
    loop {
        let count: usize = pieces.iter().map(Piece::len).sum();
        let open = (0..pieces.len()).filter(|index| is_open[*index] && pieces[*index].excess() > config.target_excess);
        let worst = open.max_by(|i, j| pieces[*i].excess().total_cmp(&pieces[*j].excess()));
        let Some(index) = worst.filter(|_| count < config.max_spheres) else { break };
        is_open[index] = pieces[index].refine();
    }
    let placed = pieces.into_iter().zip(shapes).flat_map(|(piece, (link_from_shape, _))| {
        let link_from_shape = *link_from_shape;
        piece.finished().into_iter().map(move |ball| Sphere::new(link_from_shape * ball.center, ball.radius + SLACK))
    });
    Ok(without_contained(placed.collect()))
}

/// Leaves out balls that lie inside another ball, as those of overlapping shapes may; of equal ones the first stays.
fn without_contained(spheres: Vec<Sphere>) -> Vec<Sphere> {
    let is_inside =
        |inner: &Sphere, outer: &Sphere| (inner.center - outer.center).norm() + inner.radius <= outer.radius;
    let is_kept = |index: usize| {
        let contains_it = |other: usize| {
            let (one, two) = (&spheres[index], &spheres[other]);
            other != index && is_inside(one, two) && (other < index || !is_inside(two, one))
        };
        !(0..spheres.len()).any(contains_it)
    };
    (0..spheres.len()).filter(|index| is_kept(*index)).map(|index| spheres[index]).collect()
}

/// How far the spheres reach beyond a shape, m: the largest distance of a point of their union from the shape.
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

/// The cover of one shape in its own frame.
enum Piece {
    Sphere(f64),
    Capsule { radius: f64, half_height: f64, count: usize },
    Cells(Box<Cells>),
}

impl Piece {
    fn new(shape: &Shape) -> Result<Self> {
        let (corners, rounding) = match shape {
            Shape::Sphere { radius } => return Ok(Self::Sphere(*radius)),
            Shape::Capsule { radius, half_height } => {
                return Ok(Self::Capsule { radius: *radius, half_height: *half_height, count: 1 });
            }
            Shape::Cuboid { half_extents } => (box_corners(half_extents), 0.0),
            Shape::Cylinder { radius, half_height } => (prism_corners(*radius, *half_height), 0.0),
            Shape::Convex { vertices, radius } => (vertices.to_vec(), *radius),
            Shape::HalfSpace { .. } => {
                return Err(KineticError::invalid("shape to cover by spheres", "a half-space", "a bounded shape"));
            }
            other => return Err(unknown_kind(other)),
        };
        let whole = Cell::new(&convex_hull(&corners)?);
        let prepared = PreparedShape::new(shape, &Isometry3::identity())?;
        Ok(Self::Cells(Box::new(Cells::new(whole, rounding, prepared))))
    }

    fn len(&self) -> usize {
        match self {
            Self::Sphere(_) => 1,
            Self::Capsule { count, .. } => *count,
            Self::Cells(cells) => cells.len(),
        }
    }

    fn excess(&self) -> f64 {
        match self {
            Self::Sphere(_) => 0.0,
            Self::Capsule { radius, half_height, count } => {
                capsule::balls(*radius, *half_height, *count)[0].radius - radius
            }
            Self::Cells(cells) => cells.excess(),
        }
    }

    /// Adds a sphere; false when that is of no use.
    fn refine(&mut self) -> bool {
        match self {
            Self::Sphere(_) => false,
            Self::Capsule { count, .. } => {
                *count += 1;
                true
            }
            Self::Cells(cells) => cells.refine(),
        }
    }

    fn finished(self) -> Vec<Sphere> {
        match self {
            Self::Sphere(radius) => vec![Sphere::new(Point3::origin(), radius)],
            Self::Capsule { radius, half_height, count } => capsule::balls(radius, half_height, count),
            Self::Cells(mut cells) => {
                cells.finish();
                cells.spheres().collect()
            }
        }
    }
}

fn box_corners(half_extents: &nalgebra::Vector3<f64>) -> Vec<Point3<f64>> {
    let sign = |bit: u32| if bit & 1 == 1 { 1.0 } else { -1.0 };
    let corner = |bits: u32| nalgebra::Vector3::new(sign(bits), sign(bits >> 1), sign(bits >> 2));
    (0..8).map(|bits| Point3::from(corner(bits).component_mul(half_extents))).collect()
}

/// Corners of a prism around a cylinder.
fn prism_corners(radius: f64, half_height: f64) -> Vec<Point3<f64>> {
    let outer = radius / (PI / f64::from(PRISM_SIDES)).cos();
    let corner = |side: u32, z: f64| {
        let (sine, cosine) = (2.0 * PI * f64::from(side) / f64::from(PRISM_SIDES)).sin_cos();
        Point3::new(outer * cosine, outer * sine, z)
    };
    (0..PRISM_SIDES).flat_map(|side| [corner(side, -half_height), corner(side, half_height)]).collect()
}
