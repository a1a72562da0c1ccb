//! Symmetric matrices whose entries far from the diagonal are zero.

use super::vector::{add_multiple, dot};

/// A symmetric matrix with zeros farther from the diagonal than its bandwidth, by its lower triangle; after
/// [`factorise`](Self::factorise) the factor of Cholesky, which has no more entries (Golub and Van Loan, section 4.3.5).
#[derive(Debug)]
pub(super) struct BandMatrix {
    size: usize,
    bandwidth: usize,
    /// Row by row `bandwidth + 1` entries, that on the diagonal last; of a factor the reciprocal there.
    entries: Vec<f64>,
}

impl BandMatrix {
    /// All zero.
    pub(super) fn zeros(size: usize, bandwidth: usize) -> Self {
        Self { size, bandwidth, entries: vec![0.0; size * (bandwidth + 1)] }
    }

    pub(super) fn set_zero(&mut self) {
        self.entries.fill(0.0);
    }

    /// Adds `factor v vᵀ`, where `v` has the given entries from `first` on.
    pub(super) fn add_square(&mut self, first: usize, v: &[f64], factor: f64) {
        for (row, value) in v.iter().enumerate().filter(|(_, value)| **value != 0.0) {
            let start = (first + row) * (self.bandwidth + 1) + self.bandwidth - row;
            add_multiple(factor * value, &v[..=row], &mut self.entries[start..=start + row]);
        }
    }

    /// Replaces the matrix, positive semidefinite but for rounding, by its factor; false where a number on the diagonal is not positive.
    /// Pivots that are all rounding are made small positive ones.
    pub(super) fn factorise(&mut self) -> bool {
        let width = self.bandwidth;
        for row in 0..self.size {
            let (above, of_row) = self.entries.split_at_mut(row * (width + 1));
            let of_row = &mut of_row[..=width];
            let first = row.saturating_sub(width);
            let diagonal = of_row[width];
            for column in first..row {
                let of_column = &above[column * (width + 1)..][..=width];
                // The common entries begin at the first of the row, and end before the diagonal of the column.
                let (count, place) = (column - first, width + column - row);
                let sum = dot(&of_row[place - count..place], &of_column[width - count..width]);
                of_row[place] = (of_row[place] - sum) * of_column[width];
            }
            let pivot = diagonal - dot(&of_row[..width], &of_row[..width]);
            if !(diagonal > 0.0 && pivot.is_finite()) {
                return false;
            }
            of_row[width] = 1.0 / pivot.max(LEAST_PIVOT * diagonal).sqrt();
        }
        true
    }

    /// Solves for a right-hand side in place, by the factor.
    pub(super) fn solve(&self, x: &mut [f64]) {
        let width = self.bandwidth;
        let of_row = |row: usize| {
            let first = row.saturating_sub(width);
            (first, &self.entries[row * (width + 1) + width - (row - first)..][..=row - first])
        };
        for row in 0..self.size {
            let (first, entries) = of_row(row);
            x[row] = (x[row] - dot(&entries[..row - first], &x[first..row])) * entries[row - first];
        }
        for row in (0..self.size).rev() {
            let (first, entries) = of_row(row);
            let value = x[row] * entries[row - first];
            x[row] = value;
            add_multiple(-value, &entries[..row - first], &mut x[first..row]);
        }
    }
}

/// A pivot is at least this part of what was on the diagonal: less is rounding.
const LEAST_PIVOT: f64 = 1e-13;

#[cfg(test)]
mod tests {
    use kinetic_core::rng::SeededRng;
    use nalgebra::{DMatrix, DVector};

    use super::*;

    #[test]
    fn solutions_are_those_of_a_dense_factorisation() {
        let mut rng = SeededRng::new(3);
        for (size, bandwidth) in [(1, 0), (2, 1), (5, 2), (9, 8), (30, 7), (40, 13)] {
            let mut matrix = BandMatrix::zeros(size, bandwidth);
            let mut dense = DMatrix::zeros(size, size);
            for first in 0..size {
                let v: Vec<f64> = (first..size.min(first + bandwidth + 1)).map(|_| rng.uniform(-1.0, 1.0)).collect();
                matrix.add_square(first, &v, 0.5);
                matrix.add_square(first, &[0.1_f64.sqrt()], 1.0);
                dense[(first, first)] += 0.1;
                let v = DVector::from_column_slice(&v);
                let mut block = dense.view_mut((first, first), (v.len(), v.len()));
                block += 0.5 * &v * v.transpose();
            }
            let b: Vec<f64> = (0..size).map(|_| rng.uniform(-1.0, 1.0)).collect();
            let mut x = b.clone();
            assert!(matrix.factorise());
            matrix.solve(&mut x);
            let wanted = dense.cholesky().map(|factor| factor.solve(&DVector::from_column_slice(&b)));
            let error = wanted.map(|wanted| (DVector::from_column_slice(&x) - wanted).amax());
            assert!(error.is_some_and(|error| error < 1e-11), "{size}, {bandwidth}: {error:?}");
        }
    }

    /// A pivot that is all rounding does not stop it: what it moves is small then.
    #[test]
    fn matrices_that_are_not_positive_semidefinite_have_no_factor() {
        let mut matrix = BandMatrix::zeros(3, 2);
        matrix.add_square(0, &[1.0, 2.0, 3.0], 1.0);
        assert!(matrix.factorise());
        matrix.set_zero();
        matrix.add_square(0, &[1.0, 2.0, 3.0], -1.0);
        assert!(!matrix.factorise());
    }
}
