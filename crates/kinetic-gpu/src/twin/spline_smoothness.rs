//! Twin of the last part of `shaders/spline_cost.wgsl`: what the control points accelerate.

use super::spline_cost::SplineArrays;
use crate::layout::JOINT_FLOATS;

impl SplineArrays<'_> {
    /// Derivative of the cost of the accelerations: the metric times the deviation from the straight line.
    pub(super) fn acceleration(&self, variable: usize, x: &[f32]) -> f32 {
        let (row, joint) = (variable / self.sizes.dof, variable % self.sizes.dof);
        let bent = |row: usize| self.second_difference(row, joint, x);
        let scale = self.plan[self.sizes.joints_at() + JOINT_FLOATS * joint + 1];
        scale * (2.0 * bent(row + 1) - bent(row) - bent(row + 2))
    }

    /// Negative second difference of the deviation at a row, ends included; 0 at the ends.
    fn second_difference(&self, row: usize, joint: usize, x: &[f32]) -> f32 {
        if !(1..=self.sizes.control_points).contains(&row) {
            return 0.0;
        }
        2.0 * self.deviation(row, joint, x) - self.deviation(row - 1, joint, x) - self.deviation(row + 1, joint, x)
    }

    fn deviation(&self, row: usize, joint: usize, x: &[f32]) -> f32 {
        let inside = (1..=self.sizes.control_points).contains(&row);
        if inside { x[(row - 1) * self.sizes.dof + joint] } else { 0.0 }
    }
}
