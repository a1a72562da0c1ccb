//! Bodies as a core with a rounding radius.

use std::sync::Arc;

use kinetic_core::Shape;
use kinetic_core::error::{Result, check_finite};
use nalgebra::{Isometry3, Point3, Vector3};

use crate::ball::Sphere;
use crate::compound::{Compound, Corners};
use crate::distance::point::PreparedShape;
use crate::hull::{Hull, convex_hull};
use crate::shape_kind::unknown_kind;

/// A body without its rounding radius.
#[derive(Debug, Clone)]
pub(crate) enum Core {
    /// The origin (spheres).
    Point,
    /// From `-half_height` to `half_height` along z (capsules).
    Segment { half_height: f64 },
    /// A box.
    Cuboid { half_extents: Vector3<f64> },
    /// A cylinder with flat ends.
    Cylinder { radius: f64, half_height: f64 },
    /// A convex hull.
    Hull(Arc<Hull>),
    /// `normal · x ≤ offset`.
    HalfSpace { normal: Vector3<f64>, offset: f64 },
    /// The hull of a few corners: a piece of a compound.
    Corners(Corners),
    /// Many pieces; the only core that need not be convex.
    Compound(Arc<Compound>),
}

impl Core {
    /// A point of the core that lies farthest along `direction` (any length). Half-spaces have none; the result is the
    /// point of their plane that is closest to the origin.
    #[inline]
    pub(crate) fn support(&self, direction: &Vector3<f64>) -> Vector3<f64> {
        match self {
            Self::Point => Vector3::zeros(),
            Self::Segment { half_height } => Vector3::new(0.0, 0.0, half_height.copysign(direction.z)),
            Self::Cuboid { half_extents } => half_extents.zip_map(direction, f64::copysign),
            Self::Cylinder { radius, half_height } => {
                let across = direction.x.hypot(direction.y);
                let scale = if across > 0.0 { radius / across } else { 0.0 };
                Vector3::new(direction.x * scale, direction.y * scale, half_height.copysign(direction.z))
            }
            Self::Hull(hull) => hull.support(direction).coords,
            Self::HalfSpace { normal, offset } => normal * *offset,
            Self::Corners(corners) => corners.support(direction),
            Self::Compound(compound) => compound.support(direction),
        }
    }

    /// The least and the greatest product of a direction with a point of the core.
    pub(crate) fn range(&self, direction: &Vector3<f64>) -> [f64; 2] {
        match self {
            Self::Hull(hull) => hull.range(direction),
            _ => [direction.dot(&self.support(&-direction)), direction.dot(&self.support(direction))],
        }
    }
}

/// A shape prepared for exact distances to other bodies. Clones share their data.
#[derive(Debug, Clone)]
pub struct Body {
    pub(crate) core: Core,
    pub(crate) radius: f64,
    /// The whole body in its own frame, for distances of points.
    pub(crate) local: Arc<PreparedShape>,
    /// Radius of the ball inside the body around the centre of its bounding sphere, m; 0 where that lies outside.
    pub(crate) inner_radius: f64,
}

impl Body {
    /// Prepares a shape.
    ///
    /// # Errors
    /// [`NotFinite`](kinetic_core::KineticError::NotFinite) for vertices with NaN or infinity.
    pub fn new(shape: &Shape) -> Result<Self> {
        let (core, radius) = match shape {
            Shape::Sphere { radius } => (Core::Point, *radius),
            Shape::Capsule { radius, half_height } => (Core::Segment { half_height: *half_height }, *radius),
            Shape::Cuboid { half_extents } => (Core::Cuboid { half_extents: *half_extents }, 0.0),
            Shape::Cylinder { radius, half_height } => {
                (Core::Cylinder { radius: *radius, half_height: *half_height }, 0.0)
            }
            Shape::HalfSpace { normal, offset } => {
                (Core::HalfSpace { normal: normal.into_inner(), offset: *offset }, 0.0)
            }
            Shape::Convex { vertices, radius } => (Core::Hull(Arc::new(convex_hull(vertices)?)), *radius),
            compound if Compound::is_kind_of(compound) => {
                let compound = Compound::new(compound)?;
                let radius = compound.radius();
                (Core::Compound(Arc::new(compound)), radius)
            }
            other => return Err(unknown_kind(other)),
        };
        let local = match &core {
            Core::Hull(hull) => PreparedShape::of_hull(hull, radius, &Isometry3::identity()),
            Core::Compound(compound) => PreparedShape::of_compound(compound, &Isometry3::identity()),
            _ => PreparedShape::new(shape, &Isometry3::identity())?,
        };
        let inner_radius = (-local.signed_distance(&local.bounding_ball().center)).max(0.0);
        Ok(Self { core, radius, local: Arc::new(local), inner_radius })
    }

    /// The pieces of a mesh, a height field, voxels or a point cloud.
    pub fn compound(&self) -> Option<&Arc<Compound>> {
        if let Core::Compound(compound) = &self.core { Some(compound) } else { None }
    }

    /// For distances of points, at a pose.
    ///
    /// # Errors
    /// [`NotFinite`](kinetic_core::KineticError::NotFinite) for a pose with NaN or infinity.
    pub fn prepared(&self, world_from_body: &Isometry3<f64>) -> Result<PreparedShape> {
        check_finite("shape translation", world_from_body.translation.vector.as_slice())?;
        check_finite("shape rotation", world_from_body.rotation.coords.as_slice())?;
        match &self.core {
            Core::Hull(hull) => Ok(PreparedShape::of_hull(hull, self.radius, world_from_body)),
            Core::Compound(compound) => Ok(PreparedShape::of_compound(compound, world_from_body)),
            _ => PreparedShape::new(&self.shape(), world_from_body),
        }
    }

    /// The shape this was prepared from; of a hull, only the vertices that are corners.
    pub fn shape(&self) -> Shape {
        let radius = self.radius;
        match &self.core {
            Core::Point => Shape::Sphere { radius },
            Core::Segment { half_height } => Shape::Capsule { radius, half_height: *half_height },
            Core::Cuboid { half_extents } => Shape::Cuboid { half_extents: *half_extents },
            Core::Cylinder { radius, half_height } => Shape::Cylinder { radius: *radius, half_height: *half_height },
            Core::Hull(hull) => Shape::Convex { vertices: hull.vertices().into(), radius },
            Core::HalfSpace { normal, offset } => {
                Shape::HalfSpace { normal: nalgebra::Unit::new_unchecked(*normal), offset: *offset }
            }
            Core::Corners(corners) => Shape::Convex { vertices: corners.into_iter().collect(), radius },
            Core::Compound(compound) => compound.shape().clone(),
        }
    }

    /// Radius by which the core is enlarged, m.
    pub fn rounding_radius(&self) -> f64 {
        self.radius
    }

    /// Bounding sphere in the body's frame; of infinite radius for a half-space.
    pub fn bounding_ball(&self) -> &Sphere {
        self.local.bounding_ball()
    }

    /// Signed distance of a point of the body's own frame, m; positive outside.
    pub fn signed_distance(&self, point: &Point3<f64>) -> f64 {
        self.local.signed_distance(point)
    }

    /// Largest distance of the body's points from a point of its own frame, m: exact up to the rounding of hulls.
    pub fn reach_from(&self, point: &Point3<f64>) -> f64 {
        let ball = self.bounding_ball();
        match &self.core {
            Core::Hull(hull) => {
                hull.vertices().iter().map(|vertex| (vertex - point).norm()).fold(0.0, f64::max) + self.radius
            }
            Core::Compound(compound) => compound.reach_from(point),
            _ => (ball.center - point).norm() + ball.radius,
        }
    }

    /// A point of the rounded body that lies farthest along a unit direction, both in the body's frame. For half-spaces
    /// it is a point of their plane.
    pub fn support(&self, direction: &Vector3<f64>) -> Point3<f64> {
        Point3::from(self.core.support(direction) + direction * self.radius)
    }
}
