//! Sizes of a trajectory optimisation, and the places in its arrays, for the shader and its twin.
//!
//! A spline has its ends as first and last control point, three times each, so it begins and ends at rest (de Boor 1978).

use crate::layout::{JOINT_FLOATS, MEMORY, PLACE_FLOATS, PLAN_HEAD, SPLINE_HEAD, STATE_ROWS};

/// Control points that count in an interval.
pub(crate) const SUPPORT: usize = 4;

/// How large the arrays are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct SplineSizes {
    /// Joints.
    pub(crate) dof: usize,
    /// Control points between the ends.
    pub(crate) control_points: usize,
    /// Samples per interval.
    pub(crate) per_interval: usize,
}

impl SplineSizes {
    /// Numbers that are optimised.
    pub(crate) fn variables(self) -> usize {
        self.control_points * self.dof
    }

    /// Steps of time between samples: intervals times samples per interval.
    pub(crate) fn steps(self) -> usize {
        (self.control_points + 3) * self.per_interval
    }

    /// Samples between the ends.
    pub(crate) fn samples(self) -> usize {
        self.steps() - 1
    }

    /// The control point, ends included, that is one of the four of an interval.
    pub(crate) fn row(self, interval: usize, offset: usize) -> usize {
        ((interval + offset).max(2) - 2).min(self.control_points + 1)
    }

    /// First number of the joints in the plan, behind the places in an interval.
    pub(crate) fn joints_at(self) -> usize {
        PLAN_HEAD + PLACE_FLOATS * self.per_interval
    }

    /// First number of the inverse of the metric.
    pub(crate) fn inverse_at(self) -> usize {
        self.joints_at() + JOINT_FLOATS * self.dof
    }

    /// Numbers of a seed: the straight line with its ends, the first deviation, lower and upper bounds.
    pub(crate) fn seed_floats(self) -> usize {
        (2 * self.control_points + 4) * self.dof
    }

    /// Numbers of the state of a seed: rows of variables; gradient, cost and slack of each sample; inverse curvatures, and the
    /// place of the next change.
    pub(crate) fn state_floats(self) -> usize {
        STATE_ROWS * self.variables() + self.samples() * (self.dof + 2) + MEMORY + 1
    }

    /// Numbers of an answer.
    pub(crate) fn answer_floats(self) -> usize {
        SPLINE_HEAD + self.variables()
    }
}
