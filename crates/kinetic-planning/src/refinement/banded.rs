//! Symmetric positive definite systems of equations whose entries lie near the diagonal.
//!
//! Cholesky factorisation without fill outside the band (Golub and Van Loan 2013, section 4.3).

/// The lower half of a banded matrix, by rows, diagonal last.
#[derive(Debug, Default)]
pub(super) struct BandedMatrix {
    size: usize,
    /// Entries left of the diagonal.
    band: usize,
    rows: Vec<f64>,
}

impl BandedMatrix {
    /// Sets all entries to zero.
    pub(super) fn clear(&mut self, size: usize, band: usize) {
        (self.size, self.band) = (size, band);
        self.rows.clear();
        self.rows.resize(size * (band + 1), 0.0);
    }

    /// Adds to an entry on or below the diagonal, inside the band.
    pub(super) fn add(&mut self, row: usize, column: usize, value: f64) {
        self.rows[row * (self.band + 1) + self.band + column - row] += value;
    }

    /// Factors the matrix, after which it is no longer there, and solves for a right side; false where it is not positive definite.
    pub(super) fn solve(&mut self, right: &mut [f64]) -> bool {
        self.factor() && {
            self.substitute(right);
            true
        }
    }

    fn factor(&mut self) -> bool {
        let (band, width) = (self.band, self.band + 1);
        for row in 0..self.size {
            let first = row.saturating_sub(band);
            let (done, rest) = self.rows.split_at_mut(row * width);
            let own = &mut rest[..width];
            for column in first..row {
                let other = &done[column * width..(column + 1) * width];
                // Both rows from the first column that both have.
                let from = first.max(column.saturating_sub(band));
                let (a, b) = (&own[band + from - row..band + column - row], &other[band + from - column..band]);
                let sum: f64 = a.iter().zip(b).map(|(a, b)| a * b).sum();
                let at = band + column - row;
                own[at] = (own[at] - sum) / other[band];
            }
            let square: f64 = own[band + first - row..band].iter().map(|value| value * value).sum();
            let pivot = own[band] - square;
            if !(pivot > 0.0) {
                return false;
            }
            own[band] = pivot.sqrt();
        }
        true
    }

    fn substitute(&self, right: &mut [f64]) {
        let (band, width) = (self.band, self.band + 1);
        for row in 0..self.size {
            let (own, first) = (&self.rows[row * width..(row + 1) * width], row.saturating_sub(band));
            let sum: f64 = own[band + first - row..band].iter().zip(&right[first..row]).map(|(a, x)| a * x).sum();
            right[row] = (right[row] - sum) / own[band];
        }
        for row in (0..self.size).rev() {
            let (own, first) = (&self.rows[row * width..(row + 1) * width], row.saturating_sub(band));
            right[row] /= own[band];
            let value = right[row];
            right[first..row].iter_mut().zip(&own[band + first - row..band]).for_each(|(x, a)| *x -= a * value);
        }
    }
}

#[cfg(test)]
mod tests {
    use kinetic_core::rng::SeededRng;
    use nalgebra::{DMatrix, DVector};

    use super::*;

    #[test]
    fn solutions_are_those_of_the_full_matrix() {
        for (size, band) in [(1, 0), (5, 0), (7, 2), (30, 6), (9, 8), (4, 9)] {
            let mut rng = SeededRng::new(size as u64);
            let factor = DMatrix::from_fn(size, size, |row, column| {
                if column <= row && row - column <= band {
                    rng.unit() + f64::from(u8::from(row == column))
                } else {
                    0.0
                }
            });
            let full = &factor * factor.transpose();
            let mut banded = BandedMatrix::default();
            banded.clear(size, band);
            for row in 0..size {
                (row.saturating_sub(band)..=row).for_each(|column| banded.add(row, column, full[(row, column)]));
            }
            let right = DVector::from_fn(size, |_, _| rng.unit());
            let mut solution = right.as_slice().to_vec();
            assert!(banded.solve(&mut solution), "{size} {band}");
            let residual = full * DVector::from_vec(solution) - right;
            assert!(residual.amax() < 1e-9, "{size} {band}: {residual}");
        }
    }

    #[test]
    fn a_matrix_that_is_not_positive_definite_is_refused() {
        let mut banded = BandedMatrix::default();
        banded.clear(2, 1);
        for (row, column, value) in [(0, 0, 1.0), (1, 0, 2.0), (1, 1, 1.0)] {
            banded.add(row, column, value);
        }
        assert!(!banded.solve(&mut [1.0, 1.0]));
    }
}
