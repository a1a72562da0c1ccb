//! How far the robot is from what was commanded.

use kinetic_core::{KineticError, Result};

use crate::checks::joint_name;
use crate::config::ExecutionConfig;

/// Velocities that follow from positions are means over this time, s: encoders count in steps.
const VELOCITY_WINDOW_S: f64 = 0.02;

/// Compares measured with commanded positions and velocities; allocates only for errors.
pub(crate) struct DeviationMonitor {
    names: Vec<String>,
    tolerances: [f64; 2],
    /// Times of the last measurements, and measured minus commanded positions then, row by row: a ring.
    times: Vec<f64>,
    differences: Vec<f64>,
    dof: usize,
    count: usize,
    largest: Option<f64>,
}

impl DeviationMonitor {
    #[expect(clippy::cast_sign_loss, reason = "rates are positive")]
    pub(crate) fn new(names: &[String], dof: usize, config: &ExecutionConfig) -> Self {
        let rows = (VELOCITY_WINDOW_S * config.rate_hz).ceil().clamp(1.0, 10_000.0) as usize + 1;
        Self {
            names: names.to_vec(),
            tolerances: [config.position_tolerance, config.velocity_tolerance],
            times: vec![0.0; rows],
            differences: vec![0.0; rows * dof],
            dof,
            count: 0,
            largest: None,
        }
    }

    /// Name of a joint of this group, where it is known.
    pub(crate) fn name(&self, joint: usize) -> Option<String> {
        self.names.get(joint).cloned()
    }

    /// Largest distance so far; `None` without measurements.
    pub(crate) fn largest(&self) -> Option<f64> {
        self.largest
    }

    /// Judges a measurement at `time`, s. Measured velocities are used where they are known.
    ///
    /// # Errors
    /// [`KineticError::DeviationExceeded`], also for what is no number; [`KineticError::DimensionMismatch`].
    pub(crate) fn check(
        &mut self,
        time: f64,
        [measured, commanded]: [&[f64]; 2],
        velocities: Option<[&[f64]; 2]>,
    ) -> Result<()> {
        kinetic_core::error::check_len("measured positions", measured.len(), self.dof)?;
        for joint in 0..self.dof {
            let off = measured[joint] - commanded[joint];
            if !(off.abs() <= self.tolerances[0]) {
                self.largest = Some(off.abs().max(self.largest.unwrap_or(0.0)));
                return Err(self.exceeded(joint, "position", off));
            }
            self.largest = Some(off.abs().max(self.largest.unwrap_or(0.0)));
        }
        match velocities {
            Some([measured, commanded]) => {
                kinetic_core::error::check_len("measured velocities", measured.len(), self.dof)?;
                let off = |joint: usize| measured[joint] - commanded[joint];
                self.check_velocities(off)
            }
            None => self.check_mean_velocities(time, measured, commanded),
        }
    }

    fn check_velocities(&self, off: impl Fn(usize) -> f64) -> Result<()> {
        match (0..self.dof).find(|joint| !(off(*joint).abs() <= self.tolerances[1])) {
            Some(joint) => Err(self.exceeded(joint, "velocity", off(joint))),
            None => Ok(()),
        }
    }

    /// The mean velocity over the window, measured minus commanded, by the difference of differences of positions.
    fn check_mean_velocities(&mut self, time: f64, measured: &[f64], commanded: &[f64]) -> Result<()> {
        let (rows, dof) = (self.times.len(), self.dof);
        let row = self.count % rows;
        self.count += 1;
        self.times[row] = time;
        for joint in 0..dof {
            self.differences[row * dof + joint] = measured[joint] - commanded[joint];
        }
        let oldest = self.count % rows;
        let span = time - self.times[oldest];
        if self.count < rows || !(span > 0.0) {
            return Ok(());
        }
        let at = |row: usize, joint: usize| self.differences[row * dof + joint];
        self.check_velocities(|joint| (at(row, joint) - at(oldest, joint)) / span)
    }

    fn exceeded(&self, joint: usize, quantity: &str, value: f64) -> KineticError {
        let (joint, quantity) = (joint_name(&self.names, joint), quantity.to_owned());
        let limit = self.tolerances[usize::from(quantity == "velocity")];
        KineticError::DeviationExceeded { joint, quantity, value, limit }
    }
}
