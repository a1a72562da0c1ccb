//! Signed distance from a point to any shape placed in the world.
//!
//! A [`PreparedShape`] is for single queries; for one point against many shapes use
//! [`ObstacleSet`](crate::obstacles::ObstacleSet), which skips most of them.

use std::sync::Arc;

use kinetic_core::Shape;
use kinetic_core::error::{Result, check_finite};
use nalgebra::{Isometry3, Point3, Vector3};

use super::convex::PlacedConvex;
use super::primitive::{
    Axial, PlacedCapsule, PlacedCuboid, PlacedCylinder, PlacedHalfSpace, PlacedSphere, PointDistance,
};
use crate::aabb::Aabb;
use crate::ball::{Sphere, bounding_ball};
use crate::compound::{Compound, PlacedCompound};
use crate::hull::{Hull, convex_hull};
use crate::shape_kind::unknown_kind;

/// The closed form of each kind, in world coordinates.
#[derive(Debug, Clone)]
pub(crate) enum PlacedShape {
    Sphere(PlacedSphere),
    Cuboid(PlacedCuboid),
    Capsule(PlacedCapsule),
    Cylinder(PlacedCylinder),
    HalfSpace(PlacedHalfSpace),
    Convex(PlacedConvex),
    Compound(PlacedCompound),
}

/// Calls one method on whichever kind it is.
macro_rules! each_kind {
    ($placed:expr, $shape:ident => $body:expr) => {
        match $placed {
            $crate::distance::point::PlacedShape::Sphere($shape) => $body,
            $crate::distance::point::PlacedShape::Cuboid($shape) => $body,
            $crate::distance::point::PlacedShape::Capsule($shape) => $body,
            $crate::distance::point::PlacedShape::Cylinder($shape) => $body,
            $crate::distance::point::PlacedShape::HalfSpace($shape) => $body,
            $crate::distance::point::PlacedShape::Convex($shape) => $body,
            $crate::distance::point::PlacedShape::Compound($shape) => $body,
        }
    };
}

pub(crate) use each_kind;

/// The surface point nearest to a query point.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Nearest {
    /// Signed distance of the query point, m; negative inside.
    pub distance: f64,
    /// Unit vector along which the distance grows fastest: the outward normal at `point`.
    pub gradient: Vector3<f64>,
    /// Closest point of the surface, world frame.
    pub point: Point3<f64>,
}

/// A shape at a pose with everything precomputed that distance queries need.
#[derive(Debug, Clone)]
pub struct PreparedShape {
    pub(crate) placed: PlacedShape,
    aabb: Aabb,
    ball: Sphere,
}

impl PreparedShape {
    /// A shape at `world_from_shape`.
    ///
    /// # Errors
    /// [`NotFinite`](kinetic_core::KineticError::NotFinite) for a pose or vertices with NaN or infinity.
    pub fn new(shape: &Shape, world_from_shape: &Isometry3<f64>) -> Result<Self> {
        check_finite("shape translation", world_from_shape.translation.vector.as_slice())?;
        check_finite("shape rotation", world_from_shape.rotation.coords.as_slice())?;
        let center = Point3::from(world_from_shape.translation.vector);
        Ok(match shape {
            Shape::Sphere { radius } => Self::ball(center, *radius),
            Shape::Cuboid { half_extents } => Self::cuboid(world_from_shape, *half_extents),
            Shape::Capsule { radius, half_height } => Self::capsule(axial(world_from_shape, *radius, *half_height)),
            Shape::Cylinder { radius, half_height } => Self::cylinder(axial(world_from_shape, *radius, *half_height)),
            Shape::HalfSpace { normal, offset } => {
                let normal = world_from_shape.rotation * normal.into_inner();
                Self::half_space(PlacedHalfSpace { normal, offset: offset + normal.dot(&center.coords) })
            }
            Shape::Convex { vertices, radius } => {
                Self::of_hull(&Arc::new(convex_hull(vertices)?), *radius, world_from_shape)
            }
            compound if Compound::is_kind_of(compound) => {
                Self::of_compound(&Arc::new(Compound::new(compound)?), world_from_shape)
            }
            other => return Err(unknown_kind(other)),
        })
    }

    fn ball(center: Point3<f64>, radius: f64) -> Self {
        let aabb = Aabb::symmetric(center, Vector3::repeat(radius));
        Self { placed: PlacedShape::Sphere(PlacedSphere { center, radius }), aabb, ball: Sphere::new(center, radius) }
    }

    fn cuboid(world_from_shape: &Isometry3<f64>, half_extents: Vector3<f64>) -> Self {
        let center = Point3::from(world_from_shape.translation.vector);
        let axes = world_from_shape.rotation.to_rotation_matrix().into_inner();
        let aabb = Aabb::symmetric(center, axes.abs() * half_extents);
        let ball = Sphere::new(center, half_extents.norm());
        Self { placed: PlacedShape::Cuboid(PlacedCuboid { center, axes, half_extents }), aabb, ball }
    }

    fn capsule(axial: Axial) -> Self {
        let reach = axial.axis.abs() * axial.half_height;
        let aabb = Aabb::symmetric(axial.center, reach).grown(axial.radius);
        let ball = Sphere::new(axial.center, axial.half_height + axial.radius);
        Self { placed: PlacedShape::Capsule(PlacedCapsule(axial)), aabb, ball }
    }

    fn cylinder(axial: Axial) -> Self {
        // A disc with normal n reaches r √(1 - n_i²) along axis i.
        let disc = axial.axis.map(|component| axial.radius * (1.0 - component * component).max(0.0).sqrt());
        let aabb = Aabb::symmetric(axial.center, axial.axis.abs() * axial.half_height + disc);
        let ball = Sphere::new(axial.center, axial.half_height.hypot(axial.radius));
        Self { placed: PlacedShape::Cylinder(PlacedCylinder(axial)), aabb, ball }
    }

    fn half_space(plane: PlacedHalfSpace) -> Self {
        let ball = Sphere::new(Point3::from(plane.normal * plane.offset), f64::INFINITY);
        Self { placed: PlacedShape::HalfSpace(plane), aabb: Aabb::unbounded(), ball }
    }

    /// A hull, enlarged by a radius, at a finite pose.
    pub(crate) fn of_hull(hull: &Arc<Hull>, radius: f64, world_from_shape: &Isometry3<f64>) -> Self {
        let corners: Vec<Point3<f64>> = hull.vertices().iter().map(|vertex| world_from_shape * vertex).collect();
        let aabb = Aabb::from_points(&corners).unwrap_or_else(Aabb::unbounded).grown(radius);
        let core = bounding_ball(&corners);
        let shape_from_world = world_from_shape.inverse();
        let placed = PlacedShape::Convex(PlacedConvex { hull: Arc::clone(hull), shape_from_world, radius });
        Self { placed, aabb, ball: Sphere::new(core.center, core.radius + radius) }
    }

    /// Many pieces at a finite pose.
    pub(crate) fn of_compound(compound: &Arc<Compound>, world_from_shape: &Isometry3<f64>) -> Self {
        let axes = world_from_shape.rotation.to_rotation_matrix().into_inner();
        let (local, ball) = (compound.aabb(), compound.bounding_ball());
        let aabb = Aabb::symmetric(world_from_shape * local.center(), axes.abs() * (local.size() / 2.0));
        let placed = PlacedCompound { compound: Arc::clone(compound), shape_from_world: world_from_shape.inverse() };
        let ball = Sphere::new(world_from_shape * ball.center, ball.radius);
        Self { placed: PlacedShape::Compound(placed), aabb, ball }
    }

    /// Signed distance of a point, m: positive outside. Exact for every kind, but for the inside of voxels, ground and clouds,
    /// where it is minus the depth in the deepest piece (see [`compound`](crate::compound)).
    #[inline]
    pub fn signed_distance(&self, point: &Point3<f64>) -> f64 {
        each_kind!(&self.placed, shape => shape.signed_distance(point))
    }

    /// The signed distance where it is below a limit, m; elsewhere any number that is not, which costs less for hulls.
    pub(crate) fn signed_distance_below(&self, point: &Point3<f64>, limit: f64) -> f64 {
        match &self.placed {
            PlacedShape::Convex(shape) => shape.signed_distance_below(point, limit),
            _ => self.signed_distance(point),
        }
    }

    /// True when the signed distance is at most `reach`.
    #[inline]
    pub fn is_within(&self, point: &Point3<f64>, reach: f64) -> bool {
        each_kind!(&self.placed, shape => shape.is_within(point, reach))
    }

    /// Distance, gradient and closest surface point.
    pub fn nearest(&self, point: &Point3<f64>) -> Nearest {
        let distance = self.signed_distance(point);
        let gradient = each_kind!(&self.placed, shape => shape.gradient(point));
        Nearest { distance, gradient, point: point - gradient * distance }
    }

    /// Box around the shape; unbounded for a half-space.
    pub fn aabb(&self) -> &Aabb {
        &self.aabb
    }

    /// Ball around the shape; of infinite radius for a half-space.
    pub fn bounding_ball(&self) -> &Sphere {
        &self.ball
    }
}

/// Signed distance of a point from a prepared shape, m; positive outside.
pub fn signed_distance(shape: &PreparedShape, point: &Point3<f64>) -> f64 {
    shape.signed_distance(point)
}

fn axial(world_from_shape: &Isometry3<f64>, radius: f64, half_height: f64) -> Axial {
    let axis = world_from_shape.rotation * Vector3::z();
    Axial { center: Point3::from(world_from_shape.translation.vector), axis, half_height, radius }
}
