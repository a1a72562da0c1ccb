//! One-sided Jacobi singular value decomposition (Hestenes 1958): small, accurate also for small singular values, and
//! without allocation.

/// Sweeps over all pairs; ten are plenty for the sizes of tasks.
const MOST_JACOBI_SWEEPS: usize = 30;
/// Columns whose cosine is below this are orthogonal.
const ORTHOGONAL_COSINE: f64 = 1e-14;

/// Turns `k` columns of length `n` (column after column in `b`) among themselves until they are orthogonal, and the
/// coefficients `r` along: afterwards column `i` is `σᵢ uᵢ`, and `r` is `Vᵀ r` for `Bᵀ = V Σ Uᵀ`.
pub(super) fn orthogonalise(b: &mut [f64], r: &mut [f64], n: usize) {
    let k = r.len();
    for _ in 0..MOST_JACOBI_SWEEPS {
        let mut turned = false;
        for i in 0..k {
            for j in i + 1..k {
                turned |= rotate(b, r, n, i, j);
            }
        }
        if !turned {
            break;
        }
    }
}

fn rotate(b: &mut [f64], r: &mut [f64], n: usize, i: usize, j: usize) -> bool {
    let (head, tail) = b.split_at_mut(j * n);
    let (x, y) = (&mut head[i * n..(i + 1) * n], &mut tail[..n]);
    let (xx, yy, xy) = (dot(x, x), dot(y, y), dot(x, y));
    if xy == 0.0 || xy.abs() <= ORTHOGONAL_COSINE * (xx * yy).sqrt() {
        return false;
    }
    // Golub & Van Loan, 8.6.3: the smaller of the two angles that make them orthogonal.
    let zeta = (yy - xx) / (2.0 * xy);
    let t = zeta.signum() / (zeta.abs() + (1.0 + zeta * zeta).sqrt());
    let c = 1.0 / (1.0 + t * t).sqrt();
    let s = c * t;
    for (x, y) in x.iter_mut().zip(y) {
        (*x, *y) = (c * *x - s * *y, s * *x + c * *y);
    }
    (r[i], r[j]) = (c * r[i] - s * r[j], s * r[i] + c * r[j]);
    true
}

pub(super) fn dot(x: &[f64], y: &[f64]) -> f64 {
    x.iter().zip(y).map(|(x, y)| x * y).sum()
}
