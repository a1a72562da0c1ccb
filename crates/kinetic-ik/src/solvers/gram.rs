//! Damped 6 × 6 Gram matrices of Jacobian columns, on the stack.

/// A column of the Jacobian, or a pose error: linear part first.
pub(crate) type Column = [f64; 6];

/// `damping · 1 + Σ c cᵀ` over columns, of which only the lower triangle is used.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Gram([[f64; 6]; 6]);

impl Gram {
    pub(crate) fn new(damping: f64) -> Self {
        let mut rows = [[0.0; 6]; 6];
        for (i, row) in rows.iter_mut().enumerate() {
            row[i] = damping;
        }
        Self(rows)
    }

    /// Adds the outer product of a column with itself. Whole rows: they fill the processor's registers.
    #[inline]
    pub(crate) fn add(&mut self, column: &Column) {
        for i in 0..6 {
            for j in 0..6 {
                self.0[i][j] += column[i] * column[j];
            }
        }
    }

    /// The Cholesky factor in the lower triangle, and one over its diagonal.
    #[inline]
    fn factor(&mut self) -> [f64; 6] {
        let (a, mut inverse) = (&mut self.0, [0.0; 6]);
        for j in 0..6 {
            let mut pivot = a[j][j];
            for k in 0..j {
                pivot -= a[j][k] * a[j][k];
            }
            // The damping keeps pivots positive up to rounding; the floor absorbs the rounding.
            inverse[j] = 1.0 / pivot.max(1e-300).sqrt();
            for i in j + 1..6 {
                let mut sum = a[i][j];
                for k in 0..j {
                    sum -= a[i][k] * a[j][k];
                }
                a[i][j] = sum * inverse[j];
            }
        }
        inverse
    }

    /// Solves `self · x = b`.
    #[inline]
    pub(crate) fn solve(mut self, b: &Column) -> Column {
        let inverse = self.factor();
        let (a, mut x) = (&self.0, *b);
        for i in 0..6 {
            for k in 0..i {
                x[i] -= a[i][k] * x[k];
            }
            x[i] *= inverse[i];
        }
        for i in (0..6).rev() {
            for k in i + 1..6 {
                x[i] -= a[k][i] * x[k];
            }
            x[i] *= inverse[i];
        }
        x
    }

    /// Logarithm of the determinant; far below zero for a singular matrix.
    pub(crate) fn log_determinant(mut self) -> f64 {
        -2.0 * self.factor().iter().map(|inverse| inverse.ln()).sum::<f64>()
    }
}

#[inline]
pub(crate) fn dot(a: &Column, b: &Column) -> f64 {
    (0..6).map(|i| a[i] * b[i]).sum()
}
