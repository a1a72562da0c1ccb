//! Spherical elbows: arms whose third, fourth and fifth axes share a point. The target closes the loop, and in the loop the
//! three are a spherical wrist.
//!
//! Pieper's decomposition (1968) about the point `c` of the three: `e₁ e₂ c = G e₆⁻¹ c`. With joint 6 moved along with
//! the target, `e₆′ e₁ e₂ c = G c`, three joints bring a point to a position, but the first of them is where the target
//! has it.

use kinetic_kinematics::Rigid;
use nalgebra::{Matrix3, Vector3};

use super::shoulder::Shoulder;
use super::spherical::Wrist;
use super::{Row, SixJointSolver};
use crate::analytic::constant::{Constant, Value, constants};
use crate::analytic::poe::{ProductOfExponentials, Screw};
use crate::analytic::policy::TolerancePolicy;

#[derive(Debug)]
pub(crate) struct SphericalElbow {
    /// Joints 1, 2 and 6.
    outer: [Screw; 3],
    wrist: Wrist,
    centre: Vector3<f64>,
    policy: TolerancePolicy,
}

constants!(SphericalElbow { outer, wrist, centre, policy });

impl SphericalElbow {
    /// `None` for an arm that cannot reach a volume of poses.
    pub(crate) fn new(arm: &ProductOfExponentials, centre: Vector3<f64>, policy: &TolerancePolicy) -> Option<Self> {
        let screws = arm.screws();
        let (outer, wrist) = ([screws[0], screws[1], screws[5]], Wrist::new(&screws[2..5], policy)?);
        // Joints 1, 2 and 6 have to move the point, whatever the target.
        let is_moving = |screw: &Screw| (centre - screw.point).cross(&screw.axis).norm() > policy.axis_intersect;
        let are_one_line = outer[0].axis.cross(&outer[1].axis).norm() <= policy.axis_parallel
            && (outer[1].point - outer[0].point).cross(&outer[0].axis).norm() <= policy.axis_intersect;
        let is_fit = is_moving(&outer[1]) && is_moving(&outer[2]) && !are_one_line;
        is_fit.then_some(Self { outer, wrist, centre, policy: *policy })
    }
}

impl SixJointSolver for SphericalElbow {
    fn branches(&self, displacement: &Rigid, out: &mut Vec<Row>) {
        let [first, second, last] = &self.outer;
        let moved = [last.moved(displacement), *first, *second];
        let Some(shoulder) = Shoulder::new(&moved, self.centre, &self.policy) else { return };
        for [sixth, a, b] in shoulder.solve(&displacement.point(&self.centre)).iter() {
            let before: Matrix3<f64> = a.matrix(&first.axis) * b.matrix(&second.axis);
            let rotation = before.tr_mul(&displacement.rotation) * sixth.inverse().matrix(&last.axis);
            self.wrist.solve(&rotation, |[c, d, e]| out.push([*a, *b, c, d, e, *sixth]));
        }
    }

    fn constants(&self) -> Option<Value> {
        Some(self.value())
    }
}
