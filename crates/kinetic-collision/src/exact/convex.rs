//! Convex cores and their pairs, in the frame of the first.

use nalgebra::{Isometry3, Point3, Vector3};

use super::body::{Body, Core};

/// A convex body, or a piece of one that is not.
#[derive(Clone, Copy)]
pub(crate) struct Convex<'a> {
    pub(crate) core: &'a Core,
    /// Rounding.
    pub(crate) radius: f64,
    /// Radius of a ball around it.
    pub(crate) reach: f64,
}

impl<'a> From<&'a Body> for Convex<'a> {
    fn from(body: &'a Body) -> Self {
        Self { core: &body.core, radius: body.radius, reach: body.bounding_ball().radius }
    }
}

/// Two bodies without their rounding, in the frame of the first.
pub(crate) struct CorePair<'a> {
    pub(crate) a: Convex<'a>,
    pub(crate) b: Convex<'a>,
    pub(crate) a_from_b: &'a Isometry3<f64>,
    /// Sum of the bounding radii: the size that tolerances refer to.
    pub(crate) size: f64,
}

impl<'a> CorePair<'a> {
    pub(super) fn new(a: Convex<'a>, b: Convex<'a>, a_from_b: &'a Isometry3<f64>) -> Self {
        Self { a, b, a_from_b, size: a.reach + b.reach }
    }

    /// Points of the cores that lie farthest towards each other along a direction from `a` to `b`.
    pub(super) fn supports(&self, direction: &Vector3<f64>) -> (Vector3<f64>, Vector3<f64>) {
        let on_a = self.a.core.support(direction);
        let towards = self.a_from_b.rotation.inverse_transform_vector(&-direction);
        let on_b = self.a_from_b * Point3::from(self.b.core.support(&towards));
        (on_a, on_b.coords)
    }

    /// Gap along a unit direction from `a` to `b`: a lower bound of the signed distance of the cores.
    pub(super) fn gap(&self, direction: &Vector3<f64>) -> f64 {
        let (on_a, on_b) = self.supports(direction);
        direction.dot(&(on_b - on_a))
    }
}

/// Direction with the witnesses of the cores that belong to it.
pub(crate) struct Witness {
    pub(crate) normal: Vector3<f64>,
    pub(crate) on_a: Vector3<f64>,
    pub(crate) on_b: Vector3<f64>,
}
