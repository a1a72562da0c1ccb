//! The squared speed as a quadratic spline over a grid.

use super::grid::NodeGrid;
use super::newton::Map;

/// The optimum as a spline over the grid.
pub(crate) struct Spline<'a> {
    pub(super) grid: &'a NodeGrid,
    pub(super) c: Vec<f64>,
    /// Of every interval.
    pub(super) maps: Vec<Map>,
}

impl Spline<'_> {
    /// The coefficients, as a guess for a similar grid.
    pub(crate) fn into_coefficients(self) -> Vec<f64> {
        self.c
    }

    pub(super) fn intervals(&self) -> usize {
        self.grid.intervals.len()
    }

    /// Proportions of the two coefficients at each end, the inner one by the outer one.
    pub(super) fn proportions(&self) -> [f64; 2] {
        let lengths = [0, self.intervals() - 1].map(|k| self.grid.intervals[k].length);
        [0, 1].map(|end| 1.0 + 2.0 * lengths[end] / (3.0 * self.grid.ramps[end]))
    }
}

/// x, x′ at both ends and x″ of all intervals, from the coefficients.
pub(super) fn maps(nodes: &[f64]) -> Vec<Map> {
    let last = nodes.len() - 1;
    let length = |k: usize| nodes[k + 1] - nodes[k];
    let map = |k: usize| {
        let before = if k == 0 { 0.0 } else { length(k - 1) };
        let after = if k + 1 == last { 0.0 } else { length(k + 1) };
        let h = length(k);
        let (left, right) = (2.0 / (before + h), 2.0 / (h + after));
        [
            [h / (before + h), before / (before + h), 0.0],
            [-left, left, 0.0],
            [0.0, after / (h + after), h / (h + after)],
            [0.0, -right, right],
            [left / h, -(left + right) / h, right / h],
        ]
    };
    (0..last).map(map).collect()
}
