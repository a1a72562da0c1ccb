//! Working set: the rows that hold as equalities, with their multipliers and the factorisation of their Gram matrix.

use super::ldl::Ldl;
use super::vector::{add_scaled, dot};

/// Squared sine of the angle between a row and the span of others (in the metric of `H⁻¹`) below which it lies in it.
const DEPENDENT_SQUARED_SINE: f64 = 1e-17;
/// Pivots below this one are worked out anew: the error of a difference of products would matter.
const INEXACT_PIVOT: f64 = 1e-4;
/// Least reciprocal weight of a soft row of length 1: larger weights count as this one, so that they do not become hard by
/// rounding.
const LEAST_SOFTNESS: f64 = 1e-9;
/// Parts of a combination that are smaller than this are rounding.
const LEAST_COMBINATION: f64 = 1e-9;

/// What an active row is held at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Side {
    Lower,
    Upper,
    /// Equal bounds: the multiplier has any sign, and the row never leaves.
    Equal,
}

impl Side {
    /// By how much a multiplier has the sign that it must not have.
    pub(super) fn wrong(self, multiplier: f64) -> f64 {
        match self {
            Self::Lower => multiplier,
            Self::Upper => -multiplier,
            Self::Equal => f64::NEG_INFINITY,
        }
    }
}

/// An active row. Multipliers are those of the row scaled to length 1 in the metric of `H⁻¹`.
#[derive(Debug, Clone, Copy)]
pub(super) struct ActiveRow {
    /// Index among bounds and rows.
    pub(super) index: usize,
    pub(super) side: Side,
    pub(super) bound: f64,
    /// Length of the row before.
    pub(super) length: f64,
    /// Reciprocal of the weight of a soft row, for the row of length 1.
    pub(super) softness: f64,
    pub(super) multiplier: f64,
}

/// What a row meets that is to enter.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Entry {
    Entered,
    /// It is a combination of the active rows.
    Dependent,
}

#[derive(Debug, Clone)]
pub(super) struct WorkingSet {
    stride: usize,
    pub(super) rows: Vec<ActiveRow>,
    /// Rows of length 1, `a L⁻ᵀ`.
    units: Vec<f64>,
    ldl: Ldl,
    /// Right-hand side and then multipliers that solve the equalities.
    pub(super) candidate: Vec<f64>,
    /// Length of the row that was normalised last.
    pub(super) last_length: f64,
    /// The combination of the active rows that a dependent row is.
    combination: Vec<f64>,
    correction: Vec<f64>,
}

impl WorkingSet {
    pub(super) fn new(capacity: usize, stride: usize) -> Self {
        Self {
            stride,
            rows: Vec::with_capacity(capacity),
            units: vec![0.0; (capacity + 2) * stride],
            ldl: Ldl::new(capacity + 1),
            candidate: vec![0.0; capacity],
            last_length: 1.0,
            combination: vec![0.0; capacity],
            correction: vec![0.0; capacity],
        }
    }

    pub(super) fn clear(&mut self) {
        self.rows.clear();
        self.ldl.clear();
    }

    /// Where a row that is to enter writes `a L⁻ᵀ`.
    pub(super) fn next_unit(&mut self) -> &mut [f64] {
        let first = self.rows.len() * self.stride;
        &mut self.units[first..first + self.stride]
    }

    /// Makes the row in [`next_unit`](Self::next_unit) one of length 1; returns its length, and its softness from the
    /// reciprocal weight of the row as it was.
    pub(super) fn normalise(&mut self, softness: f64) -> (f64, f64) {
        let unit = self.next_unit();
        let length = dot(unit, unit).sqrt();
        let scale = 1.0 / length;
        for value in unit {
            *value *= scale;
        }
        self.last_length = length;
        let softness = if softness > 0.0 { (softness * scale * scale).max(LEAST_SOFTNESS) } else { 0.0 };
        (length, softness)
    }

    /// Takes the row in [`next_unit`](Self::next_unit), unless it depends on the active ones.
    pub(super) fn enter(&mut self, row: ActiveRow) -> Entry {
        let k = self.rows.len();
        let (units, new) = self.units.split_at(k * self.stride);
        let new = &new[..self.stride];
        for (gram, unit) in self.combination.iter_mut().zip(units.chunks_exact(self.stride)) {
            *gram = dot(unit, new);
        }
        let mut pivot = self.ldl.propose(&self.combination[..k], 1.0 + row.softness);
        if pivot < INEXACT_PIVOT {
            pivot = self.exact_pivot(row.softness);
            if !(pivot > DEPENDENT_SQUARED_SINE) {
                return Entry::Dependent;
            }
            self.ldl.set_pivot(pivot);
        }
        self.ldl.push();
        self.rows.push(row);
        Entry::Entered
    }

    /// The pivot of the row in [`next_unit`](Self::next_unit) as the square of what the active rows leave of it, where a
    /// difference of products would be rounding. Leaves the combination.
    fn exact_pivot(&mut self, softness: f64) -> f64 {
        let k = self.rows.len();
        self.ldl.combination(&mut self.combination[..k]);
        let pivot = self.rest(softness);
        // The combination is as exact as the factorisation; once more, for what it left.
        let (units, rest) = self.units.split_at(k * self.stride);
        let rest = &rest[self.stride..2 * self.stride];
        for (position, unit) in units.chunks_exact(self.stride).enumerate() {
            let row = &self.rows[position];
            self.correction[position] = dot(unit, rest) - row.softness * self.combination[position];
        }
        self.ldl.solve(&mut self.correction[..k]);
        for (part, correction) in self.combination.iter_mut().zip(&self.correction[..k]) {
            *part += correction;
        }
        self.rest(softness).min(pivot)
    }

    /// Leaves what the combination leaves of the row that is to enter behind it; returns its square, softness included.
    fn rest(&mut self, softness: f64) -> f64 {
        let k = self.rows.len();
        let (units, rest) = self.units.split_at_mut(k * self.stride);
        let (new, rest) = rest.split_at_mut(self.stride);
        let rest = &mut rest[..self.stride];
        rest.copy_from_slice(new);
        let mut pivot = softness;
        for ((part, row), unit) in self.combination.iter().zip(&self.rows).zip(units.chunks_exact(self.stride)) {
            add_scaled(rest, -part, unit);
            pivot += part * part * row.softness;
        }
        pivot + dot(rest, rest)
    }

    /// By how much rounding of 1 in the active rows, scaled as they were before, may show in the row that is a combination
    /// of them and has this length.
    pub(super) fn amplification(&self) -> f64 {
        let parts = self.rows.iter().zip(&self.combination);
        1.0 + parts.map(|(row, part)| (part / row.length).abs() * (1.0 + row.bound.abs())).sum::<f64>()
            * self.last_length
    }

    /// Of the active rows that the one that is to enter is a combination of, that with the largest part, from `first` on.
    pub(super) fn contradicted(&self, first: usize) -> Option<usize> {
        let parts = self.rows.iter().zip(&self.combination).filter(|(row, _)| row.index >= first);
        let largest = parts.max_by(|(_, a), (_, b)| a.abs().total_cmp(&b.abs()))?;
        (largest.1.abs() > LEAST_COMBINATION).then_some(largest.0.index)
    }

    /// The active row that stands in the way of a dependent one whose multiplier grows with `sign`, and how far that may
    /// grow; `None` when nothing does, so that the rows contradict each other. Multipliers are moved that far.
    pub(super) fn release_for_dependent(&mut self, sign: f64) -> Option<(usize, f64)> {
        let mut first: Option<(usize, f64)> = None;
        for (position, (row, part)) in self.rows.iter().zip(&self.combination).enumerate() {
            // The multiplier changes by minus the part.
            if row.side.wrong(-sign * part) > LEAST_COMBINATION {
                let reach = (row.multiplier / part).abs();
                if first.is_none_or(|(_, least)| reach < least) {
                    first = Some((position, reach));
                }
            }
        }
        let (position, reach) = first?;
        for (row, part) in self.rows.iter_mut().zip(&self.combination) {
            row.multiplier -= sign * reach * part;
        }
        Some((position, reach))
    }

    /// Solves the equalities: `candidate` holds by how much each active row is exceeded, and then the multipliers that
    /// undo that. Returns by how much they raise the objective.
    pub(super) fn solve(&mut self) -> f64 {
        let k = self.rows.len();
        self.ldl.solve(&mut self.candidate[..k])
    }

    /// Moves the multipliers to the candidate, or as far as their signs stay right; the row that stops them then.
    pub(super) fn move_to_candidate(&mut self) -> Option<usize> {
        let mut first = None;
        let mut part = 1.0;
        for (position, (row, candidate)) in self.rows.iter().zip(&self.candidate).enumerate() {
            if row.side.wrong(*candidate) > 0.0 {
                let here = row.multiplier.abs() / (row.multiplier.abs() + candidate.abs());
                if first.is_none() || here < part {
                    (first, part) = (Some(position), here);
                }
            }
        }
        for (row, candidate) in self.rows.iter_mut().zip(&self.candidate) {
            row.multiplier =
                if first.is_none() { *candidate } else { row.multiplier + part * (candidate - row.multiplier) };
        }
        first
    }

    pub(super) fn remove(&mut self, position: usize) -> ActiveRow {
        let k = self.rows.len();
        self.ldl.remove(position);
        self.units.copy_within((position + 1) * self.stride..k * self.stride, position * self.stride);
        self.rows.remove(position)
    }

    /// `Σ factorᵢ · unitᵢ`, padded.
    pub(super) fn combine(&self, factors: impl Iterator<Item = f64>, out: &mut [f64]) {
        out.fill(0.0);
        for (factor, unit) in factors.zip(self.units.chunks_exact(self.stride)) {
            add_scaled(out, factor, unit);
        }
    }
}
