//! Solutions of `M x = b` by the Cholesky factorisation (Golub and Van Loan, section 4.2): forward dynamics where joints
//! follow others, so that the articulated-body algorithm does not apply.

/// A pivot below this share of its diagonal entry is rounding: nothing of the joint's inertia is left when the joints before
/// it are free.
const LEAST_PIVOT: f64 = 64.0 * f64::EPSILON;

/// Replaces a symmetric `n × n` matrix by its lower factor `L`, `M = L Lᵀ`.
///
/// # Errors
/// The first variable whose pivot is not positive.
pub(crate) fn factorize(matrix: &mut [f64], n: usize) -> Result<(), usize> {
    for row in 0..n {
        let (done, rest) = matrix.split_at_mut(row * n);
        let this = &mut rest[..n];
        let diagonal = this[row];
        for column in 0..row {
            let other = &done[column * n..column * n + n];
            let known: f64 = (0..column).map(|k| this[k] * other[k]).sum();
            this[column] = (this[column] - known) / other[column];
        }
        let pivot = diagonal - this[..row].iter().map(|value| value * value).sum::<f64>();
        if !(pivot > LEAST_PIVOT * diagonal) {
            return Err(row);
        }
        this[row] = pivot.sqrt();
    }
    Ok(())
}

/// Replaces `b` by the solution, from the factor.
pub(crate) fn solve(factor: &[f64], n: usize, b: &mut [f64]) {
    for row in 0..n {
        let known: f64 = (0..row).map(|k| factor[row * n + k] * b[k]).sum();
        b[row] = (b[row] - known) / factor[row * n + row];
    }
    for row in (0..n).rev() {
        let known: f64 = (row + 1..n).map(|k| factor[k * n + row] * b[k]).sum();
        b[row] = (b[row] - known) / factor[row * n + row];
    }
}
