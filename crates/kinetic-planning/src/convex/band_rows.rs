//! Matrices whose rows have their entries near to each other.

use std::ops::Range;

use super::band_matrix::BandMatrix;
use super::cone::Cone;
use super::sparse_rows::SparseRows;
use super::vector::{add_multiple, dot};

/// The entries of a matrix row by row, each from its first to its last one without a gap.
#[derive(Debug)]
pub(super) struct BandRows {
    /// The column that each row begins in.
    columns: Vec<usize>,
    /// Where the values of each row begin, and where those of the last one end.
    starts: Vec<usize>,
    values: Vec<f64>,
}

impl BandRows {
    pub(super) fn new(rows: &SparseRows) -> Self {
        let mut band = Self { columns: Vec::with_capacity(rows.len()), starts: vec![0], values: Vec::new() };
        for row in 0..rows.len() {
            let columns = rows.row(row).map(|(column, _)| column);
            let (first, end) = (columns.clone().min().unwrap_or(0), columns.max().map_or(0, |last| last + 1));
            let start = band.values.len();
            band.values.resize(start + end - first, 0.0);
            rows.row(row).for_each(|(column, value)| band.values[start + column - first] += value);
            band.columns.push(first);
            band.starts.push(band.values.len());
        }
        band
    }

    /// The column that a row begins in, and its values from there on.
    #[inline]
    fn row(&self, row: usize) -> (usize, &[f64]) {
        (self.columns[row], &self.values[self.starts[row]..self.starts[row + 1]])
    }

    /// From the first to the last column that some rows have entries in.
    fn span(&self, rows: &Range<usize>) -> Range<usize> {
        let of_rows = rows.clone().map(|row| self.row(row)).filter(|(_, values)| !values.is_empty());
        let first = of_rows.clone().map(|(first, _)| first).min();
        first.unwrap_or(0)..of_rows.map(|(first, values)| first + values.len()).max().unwrap_or(0)
    }

    /// The largest distance of columns that a cone couples.
    pub(super) fn bandwidth(&self, cone: &Cone) -> usize {
        match cone {
            Cone::Nonnegative(rows) => rows.clone().map(|row| self.row(row).1.len()).max().unwrap_or(0),
            Cone::SecondOrder(rows) => self.span(rows).len(),
        }
        .saturating_sub(1)
    }

    /// Adds `A x`.
    pub(super) fn add_product(&self, x: &[f64], sum: &mut [f64]) {
        for (row, sum) in sum.iter_mut().enumerate() {
            let (first, values) = self.row(row);
            *sum += dot(values, &x[first..][..values.len()]);
        }
    }

    /// Adds `Aᵀ v`.
    pub(super) fn add_transposed(&self, v: &[f64], sum: &mut [f64]) {
        for (row, factor) in v.iter().enumerate() {
            let (first, values) = self.row(row);
            add_multiple(*factor, values, &mut sum[first..][..values.len()]);
        }
    }

    /// Adds `factor aᵀ a` for a row `a`.
    pub(super) fn add_square(&self, row: usize, factor: f64, sum: &mut BandMatrix) {
        let (first, values) = self.row(row);
        sum.add_square(first, values, factor);
    }

    /// Adds `factor vᵀ v` for the sum `v` of some rows, each with a factor of its own; `gathered` is zero before and after.
    pub(super) fn add_square_of_sum(
        &self,
        rows: &Range<usize>,
        factors: impl Fn(usize) -> f64,
        factor: f64,
        gathered: &mut [f64],
        sum: &mut BandMatrix,
    ) {
        let span = self.span(rows);
        for row in rows.clone() {
            let ((first, values), factor) = (self.row(row), factors(row));
            add_multiple(factor, values, &mut gathered[first..][..values.len()]);
        }
        sum.add_square(span.start, &gathered[span.clone()], factor);
        gathered[span].fill(0.0);
    }
}
