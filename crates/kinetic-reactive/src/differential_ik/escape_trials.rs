//! What a task makes of joint velocities near a singularity: those of damped least squares, and what of others it does not see.

use super::singular_values::{SingularValues, dot};
use super::velocity_problem::SingularityDamping;

/// The step along a way, rad or m.
const STEP: f64 = 0.1;

/// Joint velocities of which the task sees more than this are no escape.
const LEAST_UNSEEN_PART: f64 = 0.3;

/// Memory for escapes from a singularity that are tried.
#[derive(Debug)]
pub(super) struct EscapeTrials {
    pub(super) values: SingularValues,
    /// The wish where the search began, of length 1.
    pub(super) wish: Vec<f64>,
    /// Where a trial is, in the length of the configuration that it began with.
    pub(super) q: Vec<f64>,
    /// The step that comes next, of the joints of the group.
    pub(super) step: Vec<f64>,
    /// Ways to try, one after the other, each followed by its opposite, and the number of the next one.
    pub(super) ways: Vec<f64>,
    pub(super) next: usize,
    /// The most that has come of a trial, and whether one was good enough.
    pub(super) most: f64,
    pub(super) is_found: bool,
}

impl EscapeTrials {
    /// For so many rows, joints of a group and of the robot.
    pub(super) fn new(rows: usize, joints: usize, all_joints: usize) -> Self {
        Self {
            values: SingularValues::new(rows, joints),
            wish: Vec::with_capacity(rows),
            q: Vec::with_capacity(all_joints),
            step: vec![0.0; joints],
            ways: Vec::with_capacity(2 * joints * joints),
            next: 0,
            most: 0.0,
            is_found: false,
        }
    }

    /// Begins anew, with trials that have to be better than `least`.
    pub(super) fn begin(&mut self, least: f64) {
        self.ways.clear();
        (self.next, self.most, self.is_found) = (0, least, false);
    }

    /// Writes the step of the next trial; false when there is none.
    pub(super) fn write_next(&mut self) -> bool {
        let Self { ways, step, next, .. } = self;
        let Some(way) = ways.chunks_exact(step.len()).nth(*next) else { return false };
        step.iter_mut().zip(way).for_each(|(step, part)| *step = STEP * part);
        *next += 1;
        true
    }

    /// Writes the unit joint velocities of the last trial.
    pub(super) fn write_tried(&self, way: &mut [f64]) {
        let n = self.step.len();
        way.copy_from_slice(&self.ways[(self.next - 1) * n..self.next * n]);
    }

    /// Writes the joint velocities of damped least squares; answers with the part of the wish that they bring about.
    pub(super) fn damped(&mut self, wanted: &[f64], damping: &SingularityDamping) -> f64 {
        let achieved = self.values.write_damped(wanted, damping, &mut self.step);
        let squared = dot(wanted, wanted);
        if squared > 0.0 { achieved / squared } else { 1.0 }
    }

    /// Takes from joint velocities what a task sees of them, less where it is damped, and makes unit velocities of them; false where
    /// little is left.
    pub(super) fn keep_unseen(&self, wanted: &[f64], damping: &SingularityDamping, way: &mut [f64]) -> bool {
        let values = &self.values;
        for index in (0..values.len()).filter(|index| values.sigma(*index) > 0.0) {
            let (sigma, right) = (values.sigma(index), values.right(index));
            let squared = damping.squared(sigma, dot(values.left(index), wanted));
            let seen = dot(right, way) * sigma * sigma / (sigma * sigma + squared);
            way.iter_mut().zip(right).for_each(|(way, right)| *way -= seen * right);
        }
        let norm = dot(way, way).sqrt();
        if norm < LEAST_UNSEEN_PART {
            return false;
        }
        for way in way {
            *way /= norm;
        }
        true
    }
}
