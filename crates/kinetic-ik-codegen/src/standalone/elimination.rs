//! Elimination with partial pivoting.

/// Triangular factors with exchanged rows.
struct Lu<const N: usize> {
    factors: SMatrix<f64, N, N>,
    /// Which row stands in each place.
    order: [usize; N],
    sign: f64,
}

impl<const N: usize> SMatrix<f64, N, N> {
    fn lu(&self) -> Lu<N> {
        let (mut a, mut order, mut sign) = (*self, std::array::from_fn(|row| row), 1.0);
        for pivot in 0..N {
            let mut best = pivot;
            for row in pivot + 1..N {
                if a[(row, pivot)].abs() > a[(best, pivot)].abs() {
                    best = row;
                }
            }
            if a[(best, pivot)] == 0.0 {
                continue;
            }
            if best != pivot {
                order.swap(best, pivot);
                sign = -sign;
                a.columns.iter_mut().for_each(|column| column.swap(best, pivot));
            }
            let scale = 1.0 / a[(pivot, pivot)];
            a.columns[pivot][pivot + 1..].iter_mut().for_each(|value| *value *= scale);
            let multipliers = a.columns[pivot];
            for column in &mut a.columns[pivot + 1..] {
                let top = column[pivot];
                for row in pivot + 1..N {
                    column[row] -= multipliers[row] * top;
                }
            }
        }
        Lu { factors: a, order, sign }
    }

    fn determinant(&self) -> f64 {
        let lu = self.lu();
        (0..N).fold(lu.sign, |product, k| product * lu.factors[(k, k)])
    }
}

impl<const N: usize> Lu<N> {
    /// `None` when the matrix is singular.
    fn solve<const K: usize>(&self, right: &SMatrix<f64, N, K>) -> Option<SMatrix<f64, N, K>> {
        let a = &self.factors;
        if (0..N).any(|k| a[(k, k)] == 0.0) {
            return None;
        }
        let mut out = SMatrix::from_fn(|row, column| right[(self.order[row], column)]);
        for x in &mut out.columns {
            for k in 0..N {
                let known = x[k];
                for row in k + 1..N {
                    x[row] -= a[(row, k)] * known;
                }
            }
            for k in (0..N).rev() {
                x[k] /= a[(k, k)];
                let known = x[k];
                for row in 0..k {
                    x[row] -= a[(row, k)] * known;
                }
            }
        }
        Some(out)
    }
}
