//! Look-at task: an axis of a frame points at a point.

use kinetic_core::error::check_finite;
use kinetic_core::{KineticError, Result};
use kinetic_kinematics::Rigid;
use nalgebra::Vector3;

use super::model::Model;
use super::pose_task::{FrameOn, positive};
use super::state::State;
use super::task::{Limit, Rows, Task};

/// Points an axis of a frame at a point of the world, from wherever the frame is. Two rows: the angle is free about the
/// axis itself.
#[derive(Debug, Clone, PartialEq)]
pub struct LookAt {
    /// Name in reports.
    pub name: String,
    /// The frame that looks.
    pub frame: FrameOn,
    /// The axis of the frame that is to point at it, of any length.
    pub axis: Vector3<f64>,
    /// The point in the world, m.
    pub point: Vector3<f64>,
    /// Largest angle left, rad.
    pub threshold: f64,
}

/// A point this near (m) to the frame has no direction.
const LEAST_VIEW_DISTANCE_M: f64 = 1e-6;

impl Task for LookAt {
    fn name(&self) -> &str {
        &self.name
    }

    fn num_rows(&self) -> usize {
        2
    }

    fn limits(&self) -> Vec<Limit> {
        vec![Limit { what: "rotation", rows: 0..2, tolerance: self.threshold }]
    }

    fn evaluate(&self, state: &State<'_>, rows: &mut Rows<'_>) {
        let frame = state.link(self.frame.link).then(&Rigid::from(&self.frame.link_from_frame));
        state.point_jacobian(self.frame.link, &frame.translation, &mut rows.scratch[..6 * rows.columns]);
        let axis = self.axis.normalize();
        let view = self.point - frame.translation;
        let distance = view.norm().max(LEAST_VIEW_DISTANCE_M);
        // Everything in the frame's own axes.
        let direction = frame.rotation.transpose() * (view / distance);
        let cosine = axis.dot(&direction).clamp(-1.0, 1.0);
        let sine = axis.cross(&direction).norm();
        // The angle over its sine, and its derivative by the cosine.
        let (factor, slope) = if sine > 1e-4 {
            let factor = sine.atan2(cosine) / sine;
            (factor, (cosine * factor - 1.0) / (sine * sine))
        } else {
            (1.0 + (1.0 - cosine) / 3.0, -1.0 / 3.0)
        };
        for (row, across) in perpendicular(&axis).into_iter().enumerate() {
            let lever = across.cross(&axis);
            if sine <= 1e-4 && cosine < 0.0 {
                // Looking away: every turn is as short; the first across goes all the way round.
                let error = if row == 0 { std::f64::consts::PI } else { 0.0 };
                turn_row(rows, row, error, &(frame.rotation * across));
                continue;
            }
            let error = factor * lever.dot(&direction);
            let gradient = lever * factor + axis * (slope * lever.dot(&direction));
            let across_view = gradient - direction * direction.dot(&gradient);
            // d/dt direction = −(1/distance) P v − ω × direction, in the frame's axes; the row is minus the derivative.
            let linear = frame.rotation * (across_view / distance);
            let angular = frame.rotation * direction.cross(&gradient);
            rows.error[row] = error;
            for column in 0..rows.columns {
                let entry = &rows.scratch[6 * column..6 * column + 6];
                let moved = (0..3).map(|i| linear[i] * entry[i] + angular[i] * entry[i + 3]).sum();
                rows.jacobian[row * rows.columns + column] = moved;
            }
        }
    }

    fn check(&self, model: &Model) -> Result<()> {
        model.check_link(self.frame.link)?;
        self.frame.link_from_frame.check_finite(&format!("frame of task \"{}\"", self.name))?;
        check_finite(&format!("axis of task \"{}\"", self.name), self.axis.as_slice())?;
        check_finite(&format!("point of task \"{}\"", self.name), self.point.as_slice())?;
        if self.axis.norm() < 1e-9 {
            let given = format!("{:?}", self.axis.as_slice());
            return Err(KineticError::invalid(format!("axis of task \"{}\"", self.name), given, "a direction"));
        }
        positive(&self.name, &[self.threshold])
    }
}

/// Two directions that make a right-handed frame with a unit vector.
fn perpendicular(axis: &Vector3<f64>) -> [Vector3<f64>; 2] {
    let other = if axis.x.abs() < 0.6 { Vector3::x() } else { Vector3::y() };
    let first = axis.cross(&other).normalize();
    [first, axis.cross(&first)]
}

fn turn_row(rows: &mut Rows<'_>, row: usize, error: f64, axis: &Vector3<f64>) {
    super::pose_task::write(rows, row, error, axis, 3);
}
