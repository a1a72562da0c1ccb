//! Sums over short vectors.

/// Terms that are summed side by side: additions need not wait for each other.
const SUMS_AT_ONCE: usize = 4;

#[inline]
pub(super) fn dot(a: &[f64], b: &[f64]) -> f64 {
    let (of_a, of_b) = (a.chunks_exact(SUMS_AT_ONCE), b.chunks_exact(SUMS_AT_ONCE));
    let rest: f64 = of_a.remainder().iter().zip(of_b.remainder()).map(|(a, b)| a * b).sum();
    let mut sums = [0.0; SUMS_AT_ONCE];
    for (a, b) in of_a.zip(of_b) {
        for lane in 0..SUMS_AT_ONCE {
            sums[lane] += a[lane] * b[lane];
        }
    }
    (sums[0] + sums[1]) + (sums[2] + sums[3]) + rest
}

pub(super) fn norm(a: &[f64]) -> f64 {
    dot(a, a).sqrt()
}

/// Adds `factor v`.
#[inline]
pub(super) fn add_multiple(factor: f64, v: &[f64], sum: &mut [f64]) {
    sum.iter_mut().zip(v).for_each(|(sum, value)| *sum += factor * value);
}
