//! Joint tasks: postures and limit avoidance.

use kinetic_core::error::{check_finite, check_len};
use kinetic_core::{KineticError, Result};

use super::model::Model;
use super::state::State;
use super::task::{Limit, Rows, Task};

/// Draws joints to values. Without a threshold it is followed as well as the levels above allow.
#[derive(Debug, Clone, PartialEq)]
pub struct Posture {
    /// Name in reports.
    pub name: String,
    /// The joints, as indices into the robot's active joints.
    pub joints: Vec<usize>,
    /// Their values, rad or m.
    pub target: Vec<f64>,
    /// Largest Euclidean distance left; none when it is only to be followed.
    pub threshold: Option<f64>,
}

impl Task for Posture {
    fn name(&self) -> &str {
        &self.name
    }

    fn num_rows(&self) -> usize {
        self.joints.len()
    }

    fn limits(&self) -> Vec<Limit> {
        let limit = |tolerance| Limit { what: "joints", rows: 0..self.joints.len(), tolerance };
        self.threshold.map(limit).into_iter().collect()
    }

    fn evaluate(&self, state: &State<'_>, rows: &mut Rows<'_>) {
        for (row, (joint, target)) in self.joints.iter().zip(&self.target).enumerate() {
            write(state, rows, row, *joint, target - state.q()[*joint]);
        }
    }

    fn check(&self, model: &Model) -> Result<()> {
        check_joints(&self.name, &self.joints, model)?;
        check_len(&format!("target of task \"{}\"", self.name), self.target.len(), self.joints.len())?;
        check_finite(&format!("target of task \"{}\"", self.name), &self.target)?;
        self.threshold.map_or(Ok(()), |threshold| super::pose_task::positive(&self.name, &[threshold]))
    }
}

/// Keeps joints out of the outer parts of their ranges. It acts in those parts only, and never stands in the way of success.
#[derive(Debug, Clone, PartialEq)]
pub struct LimitAvoidance {
    /// Name in reports.
    pub name: String,
    /// The joints, as indices into the robot's active joints.
    pub joints: Vec<usize>,
    /// Width of either outer part, as a share of the range, up to 0.5.
    pub share: f64,
}

impl Task for LimitAvoidance {
    fn name(&self) -> &str {
        &self.name
    }

    fn num_rows(&self) -> usize {
        self.joints.len()
    }

    fn limits(&self) -> Vec<Limit> {
        Vec::new()
    }

    fn evaluate(&self, state: &State<'_>, rows: &mut Rows<'_>) {
        for (row, joint) in self.joints.iter().enumerate() {
            let ((low, high), q) = (state.model().bounds_at(*joint, state.q()), state.q()[*joint]);
            let width = (high - low) * self.share;
            // Half of the range from either side meets in the middle, up to rounding.
            let (inner_low, inner_high) = (low + width, (high - width).max(low + width));
            if width.is_finite() && (q < inner_low || q > inner_high) {
                write(state, rows, row, *joint, q.clamp(inner_low, inner_high) - q);
            } else {
                rows.free(row);
            }
        }
    }

    fn check(&self, model: &Model) -> Result<()> {
        if !(self.share > 0.0 && self.share <= 0.5) {
            let name = format!("share of task \"{}\"", self.name);
            return Err(KineticError::invalid(name, self.share, "more than 0 and at most 0.5"));
        }
        check_joints(&self.name, &self.joints, model)
    }
}

/// A row that is the value of one joint.
fn write(state: &State<'_>, rows: &mut Rows<'_>, row: usize, joint: usize, error: f64) {
    rows.free(row);
    rows.error[row] = error;
    if let Some((column, multiplier)) = state.model().driver(joint) {
        rows.row(row)[column] = multiplier;
    }
}

fn check_joints(name: &str, joints: &[usize], model: &Model) -> Result<()> {
    let count = model.num_variables();
    match joints.iter().find(|joint| **joint >= count) {
        Some(joint) => {
            Err(KineticError::invalid(format!("joint of task \"{name}\""), joint, format!("an index below {count}")))
        }
        None if joints.is_empty() => {
            Err(KineticError::invalid(format!("joints of task \"{name}\""), "none", "at least one joint"))
        }
        None => Ok(()),
    }
}
