//! Gradient of a distance with respect to the joint values.
//!
//! The derivative of the distance of two moving convex bodies is that of the distance of their witness points, taken as
//! fixed in the bodies: to first order the witness points move along the surfaces, at right angles to the normal (the
//! derivative of a minimum, Danskin 1967). So `∂d/∂q = nᵀ (J_b − J_a)` at the witness points.

use kinetic_collision::Separation;
use kinetic_kinematics::Motion;
use nalgebra::{Point3, Vector3};

use super::{CollisionItem, PlacedModel};

impl PlacedModel {
    /// Writes the gradient of the distance of a finest item with respect to the program's variables.
    pub(crate) fn distance_gradient(&self, item: u32, separation: &Separation, gradient: &mut [f64]) {
        gradient.fill(0.0);
        let normal = separation.normal;
        match self.decode(item) {
            CollisionItem::SelfPair(pair) => {
                self.add_speed(pair.a, &separation.point_a, &-normal, gradient);
                self.add_speed(pair.b, &separation.point_b, &normal, gradient);
            }
            CollisionItem::Obstacle(body, _) => self.add_speed(body, &separation.point_a, &-normal, gradient),
            CollisionItem::World(_) => {}
        }
    }

    /// Adds per variable the speed of a body's point along a direction.
    pub(crate) fn add_speed(&self, body: usize, point: &Point3<f64>, direction: &Vector3<f64>, out: &mut [f64]) {
        for ancestor in &self.model.bodies[body].ancestors {
            let (joint, pose) = (&self.model.program.frames()[ancestor - 1], &self.frames[*ancestor]);
            let axis = pose.z_axis();
            let velocity = match joint.motion {
                Motion::Translation => axis,
                Motion::Rotation => axis.cross(&(point.coords - pose.translation)),
            };
            out[joint.variable] += joint.multiplier * velocity.dot(direction);
        }
    }
}
