//! The straight line in joint space of a phase-synchronized motion.

use kinetic_core::{KineticError, Result};

use super::super::axis::{AxisLimits, AxisState};
use crate::state::limits::MotionLimits;
use crate::state::motion_state::MotionState;

/// Largest part of the longest that a vector may be off the line of a phase-synchronized motion.
const PARALLEL_TOLERANCE: f64 = 1e-9;

/// The line that a phase-synchronized motion keeps to.
pub(super) struct Line {
    /// Unit vector in joint space.
    pub(super) direction: Vec<f64>,
}

impl Line {
    pub(super) fn through(start: &MotionState, target: &MotionState) -> Result<Self> {
        let displacement: Vec<f64> = target.positions.iter().zip(&start.positions).map(|(b, a)| b - a).collect();
        let vectors =
            [&displacement, &start.velocities, &start.accelerations, &target.velocities, &target.accelerations];
        let norm = |vector: &[f64]| vector.iter().map(|x| x * x).sum::<f64>().sqrt();
        let Some(longest) = vectors.iter().find(|vector| norm(vector) > 0.0) else {
            return Ok(Self { direction: displacement });
        };
        let length = norm(longest);
        let direction: Vec<f64> = longest.iter().map(|x| x / length).collect();
        for vector in vectors {
            let along = dot(vector, &direction);
            let off = vector.iter().zip(&direction).map(|(x, d)| (x - along * d).powi(2)).sum::<f64>().sqrt();
            if !(off <= PARALLEL_TOLERANCE * norm(vector)) {
                let wanted = "positions, velocities and accelerations on one line, or synchronization in time";
                return Err(KineticError::invalid(
                    "states of a phase-synchronized motion",
                    format!("{vector:?}"),
                    wanted,
                ));
            }
        }
        Ok(Self { direction })
    }

    /// State along the line, from where the motion begins.
    pub(super) fn along(&self, state: &MotionState, origin: &MotionState) -> AxisState {
        let displacement: f64 = (0..self.direction.len())
            .map(|joint| (state.positions[joint] - origin.positions[joint]) * self.direction[joint])
            .sum();
        AxisState {
            position: displacement,
            velocity: dot(&state.velocities, &self.direction),
            acceleration: dot(&state.accelerations, &self.direction),
        }
    }

    /// The tightest limits along the line.
    pub(super) fn limits(&self, limits: &MotionLimits) -> AxisLimits {
        let mut along = AxisLimits::symmetric(f64::MAX, f64::MAX, f64::MAX);
        for (axis, part) in limits.axes().iter().zip(&self.direction) {
            let axis = if *part < 0.0 { axis.mirrored() } else { *axis };
            if *part != 0.0 {
                let tighten = |now: [f64; 2], bound: [f64; 2]| {
                    [now[0].max(bound[0] / part.abs()), now[1].min(bound[1] / part.abs())]
                };
                along.velocity = tighten(along.velocity, axis.velocity);
                along.acceleration = tighten(along.acceleration, axis.acceleration);
                along.jerk = tighten(along.jerk, axis.jerk);
            }
        }
        along
    }
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(x, y)| x * y).sum()
}
