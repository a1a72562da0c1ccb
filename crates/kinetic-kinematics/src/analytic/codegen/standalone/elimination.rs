//! Elimination with partial pivoting, and eigenvalues by QR iteration.

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

/// A complex number.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Complex {
    re: f64,
    im: f64,
}

impl Complex {
    fn norm_sqr(&self) -> f64 {
        self.re * self.re + self.im * self.im
    }
}

/// The eigenvalues of a real matrix.
struct Schur<const N: usize>([Complex; N]);

impl<const N: usize> Schur<N> {
    /// Reduction to Hessenberg form, then implicit double shifts (Francis 1961; Golub & Van Loan 2013, section 7.5).
    /// `None` when more than `sweeps` of them do not separate all eigenvalues; a subdiagonal entry below `deflation`,
    /// relative to its neighbours, counts as zero.
    fn try_new(matrix: SMatrix<f64, N, N>, deflation: f64, sweeps: usize) -> Option<Self> {
        let mut h = matrix;
        hessenberg(&mut h);
        let mut values = [Complex { re: 0.0, im: 0.0 }; N];
        let (mut end, mut total, mut in_vain) = (N, 0, 0);
        while end > 0 {
            let start = block(&mut h, end, deflation);
            match end - start {
                1 => values[start] = Complex { re: h[(start, start)], im: 0.0 },
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
        Some(Self(values))
    }

    fn complex_eigenvalues(&self) -> &[Complex] {
        &self.0
    }
}

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
fn hessenberg<const N: usize>(a: &mut SMatrix<f64, N, N>) {
    for column in 0..N.saturating_sub(2) {
        let below: [f64; N] = std::array::from_fn(|row| if row > column { a[(row, column)] } else { 0.0 });
        let length = below.iter().map(|value| value * value).sum::<f64>().sqrt();
        if length == 0.0 {
            continue;
        }
        let mut v = below;
        v[column + 1] += length.copysign(v[column + 1]);
        let scale = 2.0 / v.iter().map(|value| value * value).sum::<f64>();
        for entries in &mut a.columns[column..] {
            let share: f64 = scale * (column + 1..N).map(|row| v[row] * entries[row]).sum::<f64>();
            (column + 1..N).for_each(|row| entries[row] -= share * v[row]);
        }
        let mut shares = [0.0; N];
        for k in column + 1..N {
            (0..N).for_each(|row| shares[row] += a.columns[k][row] * v[k]);
        }
        for k in column + 1..N {
            (0..N).for_each(|row| a.columns[k][row] -= scale * shares[row] * v[k]);
        }
    }
}

/// Begin of the block that ends before `end` and does not fall apart.
fn block<const N: usize>(h: &mut SMatrix<f64, N, N>, end: usize, deflation: f64) -> usize {
    let mut start = end - 1;
    while start > 0 {
        let size = h[(start - 1, start - 1)].abs() + h[(start, start)].abs();
        if h[(start, start - 1)].abs() <= deflation * size {
            h[(start, start - 1)] = 0.0;
            break;
        }
        start -= 1;
    }
    start
}

/// Both eigenvalues of the 2 × 2 block at `k`.
fn pair<const N: usize>(h: &SMatrix<f64, N, N>, k: usize) -> [Complex; 2] {
    let (d, product) = (h[(k + 1, k + 1)], h[(k, k + 1)] * h[(k + 1, k)]);
    let half = 0.5 * (h[(k, k)] - d);
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
fn sweep<const N: usize>(h: &mut SMatrix<f64, N, N>, start: usize, end: usize, is_unusual: bool) {
    let (m, n) = (end - 2, end - 1);
    let (mut sum, mut product) = (h[(m, m)] + h[(n, n)], h[(m, m)] * h[(n, n)] - h[(m, n)] * h[(n, m)]);
    if is_unusual {
        let size = h[(n, m)].abs() + h[(m, m - 1)].abs();
        (sum, product) = (1.5 * size, size * size);
    }
    let (a, b) = (h[(start, start)], h[(start + 1, start + 1)]);
    let mut bulge = [
        a * a + h[(start, start + 1)] * h[(start + 1, start)] - sum * a + product,
        h[(start + 1, start)] * (a + b - sum),
        h[(start + 1, start)] * h[(start + 2, start + 1)],
    ];
    for k in start..end - 2 {
        if let Some((v, scale)) = mirror(bulge) {
            reflect(h, (start, end), k, v, scale);
        }
        bulge = [h[(k + 1, k)], h[(k + 2, k)], if k + 3 < end { h[(k + 3, k)] } else { 0.0 }];
    }
    if let Some((v, scale)) = mirror([bulge[0], bulge[1]]) {
        reflect(h, (start, end), end - 2, v, scale);
    }
}

/// A reflection of rows and columns `k` to `k + K` of a Hessenberg block.
fn reflect<const N: usize, const K: usize>(
    h: &mut SMatrix<f64, N, N>,
    (start, end): (usize, usize),
    k: usize,
    v: [f64; K],
    scale: f64,
) {
    for column in &mut h.columns[k.saturating_sub(1).max(start)..end] {
        let share: f64 = scale * (0..K).map(|i| v[i] * column[k + i]).sum::<f64>();
        (0..K).for_each(|i| column[k + i] -= share * v[i]);
    }
    for row in start..(k + K + 1).min(end) {
        let share: f64 = scale * (0..K).map(|i| v[i] * h.columns[k + i][row]).sum::<f64>();
        (0..K).for_each(|i| h.columns[k + i][row] -= share * v[i]);
    }
}
