//! Generic configurations, at which properties of an arm are measured that hold almost everywhere.

use std::f64::consts::TAU;

use kinetic_kinematics::{Motion, Rigid};
use nalgebra::DMatrix;

use super::poe::ProductOfExponentials;

/// Configurations over which mobilities are averaged.
pub(super) const GENERIC_CONFIGURATIONS: usize = 16;

/// The positive root of x⁷ = x + 1.
const SIX_DIMENSIONAL_GOLDEN_RATIO: f64 = 1.112_775_684_278_705_5;

/// A configuration of six turning joints out of a low-discrepancy sequence (Roberts 2018): no clusters, no randomness.
pub(super) fn six_angles(index: usize) -> [f64; 6] {
    std::array::from_fn(|joint| {
        let step = 1.0 / SIX_DIMENSIONAL_GOLDEN_RATIO.powf((joint + 1) as f64);
        (0.5 + step * (index + 1) as f64).fract() * TAU
    })
}

/// A configuration of any joints; entries in the order of the configuration vector.
pub(super) fn values(arm: &ProductOfExponentials, index: usize) -> Vec<f64> {
    let mut out = vec![0.0; arm.screws().iter().map(|screw| screw.variable + 1).max().unwrap_or(0)];
    for (joint, screw) in arm.screws().iter().enumerate() {
        // Multiples of the square roots of primes are spread evenly (Weyl).
        let prime = [2.0_f64, 3.0, 5.0, 7.0, 11.0, 13.0, 17.0, 19.0][joint % 8];
        let fraction = (prime.sqrt() * (index + 1) as f64).fract() - 0.5;
        out[screw.variable] = if screw.motion == Motion::Rotation { fraction * TAU } else { fraction };
    }
    out
}

/// The twists of the joints, about the base's origin, at one of a sequence of configurations.
pub(super) fn jacobian(arm: &ProductOfExponentials, index: usize) -> DMatrix<f64> {
    let (mut out, q) = (DMatrix::zeros(6, arm.dof()), values(arm, index));
    let mut moved = Rigid::identity();
    for (column, screw) in arm.screws().iter().enumerate() {
        let here = screw.moved(&moved);
        let (linear, angular) = match screw.motion {
            Motion::Rotation => (here.axis.cross(&-here.point), here.axis),
            Motion::Translation => (here.axis, nalgebra::Vector3::zeros()),
        };
        out.view_mut((0, column), (3, 1)).copy_from(&linear);
        out.view_mut((3, column), (3, 1)).copy_from(&angular);
        moved = moved.then(&screw.exp(q[screw.variable]));
    }
    out
}
