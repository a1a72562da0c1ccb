//! The state of all joints at an instant.

use kinetic_core::Result;
use kinetic_core::error::{check_finite, check_len};

use super::axis::AxisState;

/// Positions, velocities and accelerations of all joints.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct MotionState {
    /// rad or m.
    pub positions: Vec<f64>,
    /// rad/s or m/s.
    pub velocities: Vec<f64>,
    /// rad/s² or m/s².
    pub accelerations: Vec<f64>,
}

impl MotionState {
    /// At rest at `positions`.
    pub fn at_rest(positions: &[f64]) -> Self {
        let zeros = vec![0.0; positions.len()];
        Self { positions: positions.to_vec(), velocities: zeros.clone(), accelerations: zeros }
    }

    /// Number of joints.
    pub fn dof(&self) -> usize {
        self.positions.len()
    }

    /// State of one joint.
    pub fn axis(&self, joint: usize) -> AxisState {
        AxisState {
            position: self.positions[joint],
            velocity: self.velocities[joint],
            acceleration: self.accelerations[joint],
        }
    }

    pub(crate) fn set_axis(&mut self, joint: usize, state: &AxisState) {
        self.positions[joint] = state.position;
        self.velocities[joint] = state.velocity;
        self.accelerations[joint] = state.acceleration;
    }

    /// Refuses wrong sizes and values that are not finite.
    pub(super) fn check(&self, name: &str, dof: usize) -> Result<()> {
        let rows = [("positions", &self.positions), ("velocities", &self.velocities)];
        for (quantity, row) in rows.into_iter().chain([("accelerations", &self.accelerations)]) {
            // Names are made only for errors: a controller plans every cycle, without allocation.
            if row.len() != dof || row.iter().any(|value| !value.is_finite()) {
                let name = format!("{name} {quantity}");
                check_len(&name, row.len(), dof)?;
                check_finite(&name, row)?;
            }
        }
        Ok(())
    }
}
