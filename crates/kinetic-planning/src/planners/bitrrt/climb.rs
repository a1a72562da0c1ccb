//! What configurations cost, and how much a motion climbs.

use kinetic_core::{KineticError, Result};
use kinetic_kinematics::manipulability;

use super::Cost;
use crate::space::Space;
use crate::validity::Validity;

/// The distance to the world at which half of the cost of contact is left, m.
const CLEARANCE_SCALE_M: f64 = 0.05;

/// The manipulability at which half of the cost of a singularity is left.
const MANIPULABILITY_SCALE: f64 = 0.02;

impl Cost {
    /// The cost of a configuration.
    ///
    /// # Errors
    /// [`KineticError::InvalidValue`] for a function whose value is negative or not finite; those of the function.
    pub(super) fn of(&self, space: &Space, q: &[f64], validity: &mut dyn Validity) -> Result<f64> {
        match self {
            Self::Clearance => Ok(validity.clearance(q).map_or(0.0, |far| falling(far, CLEARANCE_SCALE_M))),
            Self::JointCentring => Ok(off_centre(space, q)),
            Self::Manipulability(chain) => Ok(falling(manipulability(chain, q)?, MANIPULABILITY_SCALE)),
            Self::Function(function) => {
                let cost = function(q)?;
                if cost >= 0.0 && cost.is_finite() {
                    return Ok(cost);
                }
                Err(KineticError::invalid("cost of a configuration", cost, "a finite number of at least 0"))
            }
        }
    }

    /// The climbs of a motion, added up over pieces of at most `step`, from a configuration whose cost is known; and the cost of its
    /// end.
    pub(super) fn climb(
        &self,
        space: &Space,
        ((from, cost), to): ((&[f64], f64), &[f64]),
        step: f64,
        validity: &mut dyn Validity,
    ) -> Result<(f64, f64)> {
        let pieces = (space.distance(from, to) / step).ceil().max(1.0);
        let (mut work, mut last, mut q) = (0.0, cost, from.to_vec());
        let mut piece = 1.0;
        while piece <= pieces {
            space.interpolate(from, to, piece / pieces, &mut q);
            let cost = self.of(space, &q, validity)?;
            work += (cost - last).max(0.0);
            (last, piece) = (cost, piece + 1.0);
        }
        Ok((work, last))
    }
}

/// 1 at 0, and 1/2 at the scale.
fn falling(value: f64, scale: f64) -> f64 {
    if value.is_finite() { 1.0 / (1.0 + value.max(0.0) / scale) } else { 0.0 }
}

/// Mean square of the distances from the middle of the range, 1 at the limits; joints without limits count as in the middle.
fn off_centre(space: &Space, q: &[f64]) -> f64 {
    let of_joint = |joint: usize| {
        let (low, high) = (space.lower()[joint], space.upper()[joint]);
        let half = 0.5 * (high - low);
        if half.is_finite() && half > 0.0 { ((q[joint] - 0.5 * (low + high)) / half).powi(2) } else { 0.0 }
    };
    (0..q.len()).map(of_joint).sum::<f64>() / q.len() as f64
}
