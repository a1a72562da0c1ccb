//! Eigenvalues of small matrices by QR iteration, on the stack.
//!
//! Only values are wanted, so that no transformations are gathered and rows and columns outside the active block stay as
//! they are.

/// A complex number.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Complex {
    pub(crate) re: f64,
    pub(crate) im: f64,
}

impl Complex {
    pub(crate) fn norm_sqr(&self) -> f64 {
        self.re * self.re + self.im * self.im
    }
}

/// The eigenvalues of a real matrix, given by its columns.
///
/// Reduction to Hessenberg form, then implicit double shifts (Francis 1961; Golub & Van Loan 2013, section 7.5). `None`
/// when more than `sweeps` of them do not separate all eigenvalues; a subdiagonal entry below `deflation`, relative to its
/// neighbours, counts as zero. A defective eigenvalue may keep its block from ever falling so low: the longer it takes, the
/// more counts as zero, which costs that block the digits that rounding has taken from it anyway.
pub(crate) fn eigenvalues<const N: usize>(mut h: [[f64; N]; N], deflation: f64, sweeps: usize) -> Option<[Complex; N]> {
    hessenberg(&mut h);
    let mut values = [Complex { re: 0.0, im: 0.0 }; N];
    let (mut end, mut total, mut in_vain) = (N, 0, 0);
    while end > 0 {
        let start = block(&mut h, end, deflation * 2.0_f64.powi(in_vain / SWEEPS_PER_DOUBLED_DEFLATION));
        match end - start {
            1 => values[start] = Complex { re: h[start][start], im: 0.0 },
            2 => [values[start], values[start + 1]] = pair(&h, start),
            _ if total == sweeps => return None,
            _ => {
                (total, in_vain) = (total + 1, in_vain + 1);
                sweep(&mut h, start, end, in_vain % 10 == 0);
                continue;
            }
        }
        (end, in_vain) = (start, 0);
    }
    Some(values)
}

/// Sweeps in vain after which twice as much counts as zero; eigenvalues usually separate after two or three.
const SWEEPS_PER_DOUBLED_DEFLATION: i32 = 6;

/// A reflection `1 − scale v vᵀ` that takes `x` to a multiple of its first axis; `None` where nothing is to be done.
fn mirror<const K: usize>(mut x: [f64; K]) -> Option<([f64; K], f64)> {
    let length = x.iter().map(|value| value * value).sum::<f64>().sqrt();
    if length == 0.0 {
        return None;
    }
    x[0] += length.copysign(x[0]);
    Some((x, 2.0 / x.iter().map(|value| value * value).sum::<f64>()))
}

/// Householder reflections that leave one diagonal below the main one.
fn hessenberg<const N: usize>(a: &mut [[f64; N]; N]) {
    for column in 0..N.saturating_sub(2) {
        let below: [f64; N] = std::array::from_fn(|row| if row > column { a[column][row] } else { 0.0 });
        let length = below.iter().map(|value| value * value).sum::<f64>().sqrt();
        if length == 0.0 {
            continue;
        }
        let mut v = below;
        v[column + 1] += length.copysign(v[column + 1]);
        let scale = 2.0 / v.iter().map(|value| value * value).sum::<f64>();
        for entries in &mut a[column..] {
            let share: f64 = scale * (column + 1..N).map(|row| v[row] * entries[row]).sum::<f64>();
            (column + 1..N).for_each(|row| entries[row] -= share * v[row]);
        }
        let mut shares = [0.0; N];
        for k in column + 1..N {
            (0..N).for_each(|row| shares[row] += a[k][row] * v[k]);
        }
        for k in column + 1..N {
            (0..N).for_each(|row| a[k][row] -= scale * shares[row] * v[k]);
        }
    }
}

/// Begin of the block that ends before `end` and does not fall apart.
fn block<const N: usize>(h: &mut [[f64; N]; N], end: usize, deflation: f64) -> usize {
    let mut start = end - 1;
    while start > 0 {
        let size = h[start - 1][start - 1].abs() + h[start][start].abs();
        if h[start - 1][start].abs() <= deflation * size {
            h[start - 1][start] = 0.0;
            break;
        }
        start -= 1;
    }
    start
}

/// Both eigenvalues of the 2 × 2 block at `k`.
fn pair<const N: usize>(h: &[[f64; N]; N], k: usize) -> [Complex; 2] {
    let (d, product) = (h[k + 1][k + 1], h[k + 1][k] * h[k][k + 1]);
    let half = 0.5 * (h[k][k] - d);
    let square = half * half + product;
    let root = square.abs().sqrt();
    if square < 0.0 {
        return [root, -root].map(|im| Complex { re: d + half, im });
    }
    let far = half + root.copysign(half);
    let near = if far == 0.0 { 0.0 } else { product / far };
    [d + far, d - near].map(|re| Complex { re, im: 0.0 })
}

/// One implicit double shift of the block from `start` to `end`; another shift than usual breaks cycles.
fn sweep<const N: usize>(h: &mut [[f64; N]; N], start: usize, end: usize, is_unusual: bool) {
    let (m, n) = (end - 2, end - 1);
    let (mut sum, mut product) = (h[m][m] + h[n][n], h[m][m] * h[n][n] - h[n][m] * h[m][n]);
    if is_unusual {
        let size = h[m][n].abs() + h[m - 1][m].abs();
        (sum, product) = (1.5 * size, size * size);
    }
    let (a, b) = (h[start][start], h[start + 1][start + 1]);
    let mut bulge = [
        a * a + h[start + 1][start] * h[start][start + 1] - sum * a + product,
        h[start][start + 1] * (a + b - sum),
        h[start][start + 1] * h[start + 1][start + 2],
    ];
    for k in start..end - 2 {
        if let Some((v, scale)) = mirror(bulge) {
            reflect(h, (start, end), k, v, scale);
        }
        bulge = [h[k][k + 1], h[k][k + 2], if k + 3 < end { h[k][k + 3] } else { 0.0 }];
    }
    if let Some((v, scale)) = mirror([bulge[0], bulge[1]]) {
        reflect(h, (start, end), end - 2, v, scale);
    }
}

/// A reflection of rows and columns `k` to `k + K` of a Hessenberg block.
fn reflect<const N: usize, const K: usize>(
    h: &mut [[f64; N]; N],
    (start, end): (usize, usize),
    k: usize,
    v: [f64; K],
    scale: f64,
) {
    for column in &mut h[k.saturating_sub(1).max(start)..end] {
        let share: f64 = scale * (0..K).map(|i| v[i] * column[k + i]).sum::<f64>();
        (0..K).for_each(|i| column[k + i] -= share * v[i]);
    }
    for row in start..(k + K + 1).min(end) {
        let share: f64 = scale * (0..K).map(|i| v[i] * h[k + i][row]).sum::<f64>();
        (0..K).for_each(|i| h[k + i][row] -= share * v[i]);
    }
}

#[cfg(test)]
mod tests {
    use kinetic_core::rng::SeededRng;
    use nalgebra::SMatrix;

    use super::*;

    #[test]
    fn eigenvalues_are_those_of_nalgebra() {
        for seed in 0..50 {
            let mut rng = SeededRng::new(seed);
            let matrix = SMatrix::<f64, 8, 8>::from_fn(|_, _| rng.uniform(-1.0, 1.0));
            let mut left: Vec<_> = matrix.complex_eigenvalues().iter().copied().collect();
            let Some(values) = eigenvalues(matrix.data.0, 1e-15, 1_000) else { panic!("seed {seed}") };
            for value in values {
                let near = left.iter().position(|other| (other.re - value.re).hypot(other.im - value.im) < 1e-9);
                let Some(near) = near else { panic!("seed {seed}: {value:?} is not among {left:?}") };
                left.remove(near);
            }
        }
    }

    #[test]
    fn giving_up_is_an_answer() {
        let mut cycle = [[0.0; 3]; 3];
        (cycle[0][1], cycle[1][2], cycle[2][0]) = (1.0, 1.0, 1.0);
        assert!(eigenvalues(cycle, 1e-15, 0).is_none());
        let Some(values) = eigenvalues(cycle, 1e-15, 100) else { panic!("not separated") };
        // The cube roots of one.
        assert!(values.iter().all(|value| (value.norm_sqr() - 1.0).abs() < 1e-12), "{values:?}");
    }
}
