//! Cholesky factorisation of the Hessian, and the inverse of its factor.

use kinetic_core::{KineticError, Result};

use super::vector::{add_scaled, dot};

/// A pivot below this part of its diagonal entry is rounding: the matrix is singular.
const LEAST_RELATIVE_PIVOT: f64 = 1e-13;

/// `H = L Lᵀ`. Row `i` of `factor` is row `i` of `L`; row `i` of `inverse` is row `i` of `L⁻ᵀ`, which is zero before `i`.
/// Rows have `stride` numbers. `reciprocals` are those of the diagonal of `L`.
///
/// # Errors
/// [`KineticError::InvalidValue`] when `hessian` (n × n, its lower triangle) is not positive definite.
pub(super) fn factorise(
    hessian: &[f64],
    n: usize,
    stride: usize,
    factor: &mut [f64],
    reciprocals: &mut [f64],
    inverse: &mut [f64],
) -> Result<()> {
    for i in 0..n {
        let (done, row) = factor.split_at_mut(i * stride);
        let row = &mut row[..stride];
        row.fill(0.0);
        for j in 0..i {
            let other = &done[j * stride..(j + 1) * stride];
            row[j] = (hessian[i * n + j] - dot(row, other)) * reciprocals[j];
        }
        let given = hessian[i * n + i];
        let pivot = given - dot(row, row);
        if !(pivot > LEAST_RELATIVE_PIVOT * given) {
            return Err(not_definite(i, pivot, given));
        }
        row[i] = pivot.sqrt();
        reciprocals[i] = 1.0 / row[i];
    }
    invert(n, stride, factor, reciprocals, inverse);
    Ok(())
}

/// Rows of `L⁻ᵀ`, from the last one up: `L⁻ᵀ[i] = (e_i − Σ_{k>i} L[k][i] · L⁻ᵀ[k]) / L[i][i]`.
fn invert(n: usize, stride: usize, factor: &[f64], reciprocals: &[f64], inverse: &mut [f64]) {
    for i in (0..n).rev() {
        let (row, below) = inverse[i * stride..].split_at_mut(stride);
        row.fill(0.0);
        row[i] = 1.0;
        for k in i + 1..n {
            let first = (k - i - 1) * stride;
            add_scaled(row, -factor[k * stride + i], &below[first..first + stride]);
        }
        for value in row.iter_mut() {
            *value *= reciprocals[i];
        }
    }
}

fn not_definite(row: usize, pivot: f64, given: f64) -> KineticError {
    let value = format!("pivot {pivot:e} of diagonal entry {given:e} in row {row}");
    KineticError::invalid("Hessian of a quadratic program", value, "a positive definite matrix; add a regularisation")
}
