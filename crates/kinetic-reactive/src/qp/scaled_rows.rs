//! Bounds and rows of a program in one list, scaled so that the largest entry of each is 1.

use super::problem::{QpRow, QuadraticProgram};
use super::vector::{dot, largest};
use super::working_set::Side;

/// The variables' bounds, then the rows.
#[derive(Debug, Clone)]
pub(super) struct ScaledRows {
    n: usize,
    stride: usize,
    /// Number of bounds and rows of the program.
    pub(super) len: usize,
    rows: Vec<f64>,
    pub(super) lower: Vec<f64>,
    pub(super) upper: Vec<f64>,
    /// Bounds of what counts as kept.
    loose_lower: Vec<f64>,
    loose_upper: Vec<f64>,
    /// Largest entry of every row as it was given; 1 for bounds.
    pub(super) scale: Vec<f64>,
    /// Reciprocal weights of soft rows, 0 for hard ones.
    pub(super) softness: Vec<f64>,
}

impl ScaledRows {
    pub(super) fn new(n: usize, stride: usize, max_rows: usize) -> Self {
        let zeros = vec![0.0; n + max_rows];
        Self {
            n,
            stride,
            len: n,
            rows: vec![0.0; max_rows * stride],
            lower: zeros.clone(),
            upper: zeros.clone(),
            loose_lower: zeros.clone(),
            loose_upper: zeros.clone(),
            scale: vec![1.0; n + max_rows],
            softness: zeros,
        }
    }

    /// Takes a program. `rounding` is how exact products with points are, `tolerance` what may be exceeded. A row that
    /// no point keeps is returned.
    pub(super) fn load(&mut self, program: &QuadraticProgram<'_>, rounding: f64, tolerance: f64) -> Option<QpRow> {
        let n = self.n;
        self.len = n + program.num_rows();
        let mut impossible = None;
        for variable in 0..n {
            let (lower, upper) = (program.lower[variable], program.upper[variable]);
            if !self.set_bounds(variable, lower, upper, rounding, tolerance) {
                impossible = impossible.or(Some(QpRow::Bound(variable)));
            }
        }
        for (index, given) in program.rows.chunks_exact(n).enumerate() {
            let size = largest(given);
            let soft = program.slack_weights.get(index).is_some_and(|weight| weight.is_finite());
            // Smaller ones are zero, and their reciprocals infinite.
            let is_empty = size < f64::MIN_POSITIVE;
            let scale = if is_empty { 1.0 } else { size };
            let factor = 1.0 / scale;
            self.scale[n + index] = scale;
            self.softness[n + index] = if soft { 1.0 / (program.slack_weights[index] * scale * scale) } else { 0.0 };
            for (to, from) in self.rows[index * self.stride..].iter_mut().zip(given) {
                *to = from * factor;
            }
            let (lower, upper) = (program.row_lower[index] * factor, program.row_upper[index] * factor);
            let has_room = self.set_bounds(n + index, lower, upper, rounding, tolerance);
            // A row of zeros constrains nothing: it holds or it does not.
            let holds = !is_empty || (self.loose_lower[n + index] <= 0.0 && self.loose_upper[n + index] >= 0.0);
            if is_empty {
                self.remove_bounds(n + index);
            }
            if !(soft || has_room && holds) {
                impossible = impossible.or(Some(QpRow::Row(index)));
            }
        }
        impossible
    }

    /// False when they contradict each other by more than may be exceeded; else they meet in the middle where they cross.
    fn set_bounds(&mut self, index: usize, lower: f64, upper: f64, rounding: f64, tolerance: f64) -> bool {
        let room = |bound: f64| rounding + tolerance * (1.0 + bound.abs());
        let (mut low, mut high) = (lower, upper);
        if low > high {
            low = 0.5 * (lower + upper);
            high = low;
        }
        self.lower[index] = low;
        self.upper[index] = high;
        self.loose_lower[index] = low - room(low);
        self.loose_upper[index] = high + room(high);
        lower - upper <= room(lower).max(room(upper)) || lower <= upper
    }

    fn remove_bounds(&mut self, index: usize) {
        self.lower[index] = f64::NEG_INFINITY;
        self.upper[index] = f64::INFINITY;
        self.loose_lower[index] = f64::NEG_INFINITY;
        self.loose_upper[index] = f64::INFINITY;
    }

    pub(super) fn is_equality(&self, index: usize) -> bool {
        self.lower[index] == self.upper[index]
    }

    /// The value that a row is held at on a side.
    pub(super) fn bound(&self, index: usize, side: Side) -> f64 {
        match side {
            Side::Lower => self.lower[index],
            Side::Upper | Side::Equal => self.upper[index],
        }
    }

    /// Product of a row with a padded point.
    pub(super) fn value(&self, index: usize, x: &[f64]) -> f64 {
        if index < self.n { x[index] } else { dot(self.row(index), x) }
    }

    /// The entries of a row that is no bound, padded.
    pub(super) fn row(&self, index: usize) -> &[f64] {
        let first = (index - self.n) * self.stride;
        &self.rows[first..first + self.stride]
    }

    /// The row that is not active and exceeded most, and its side; the first one when `first`.
    pub(super) fn violated(&self, x: &[f64], is_active: &[bool], first: bool) -> Option<(usize, Side)> {
        let mut worst = None;
        let mut most = 0.0;
        for index in 0..self.len {
            let value = self.value(index, x);
            let (above, below) = (value - self.loose_upper[index], self.loose_lower[index] - value);
            let beyond = above.max(below);
            if beyond > most && !is_active[index] {
                worst = Some((index, if above > below { Side::Upper } else { Side::Lower }));
                if first {
                    break;
                }
                most = beyond;
            }
        }
        worst
    }

    /// The name of a bound or row.
    pub(super) fn name(&self, index: usize) -> QpRow {
        if index < self.n { QpRow::Bound(index) } else { QpRow::Row(index - self.n) }
    }
}
