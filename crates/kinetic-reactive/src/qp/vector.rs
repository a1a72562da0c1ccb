//! Vectors padded with zeros to a multiple of four numbers.

/// Numbers that are handled at once.
pub(super) const STRIDE_UNIT: usize = 4;

/// The length to which vectors of `n` numbers are padded.
pub(super) fn padded(n: usize) -> usize {
    n.next_multiple_of(STRIDE_UNIT)
}

/// Inner product of two padded vectors.
#[inline]
pub(super) fn dot(a: &[f64], b: &[f64]) -> f64 {
    let mut sums = [0.0; STRIDE_UNIT];
    for (a, b) in a.as_chunks::<STRIDE_UNIT>().0.iter().zip(b.as_chunks::<STRIDE_UNIT>().0) {
        for lane in 0..STRIDE_UNIT {
            sums[lane] += a[lane] * b[lane];
        }
    }
    (sums[0] + sums[2]) + (sums[1] + sums[3])
}

/// Adds `factor` times a padded vector.
#[inline]
pub(super) fn add_scaled(to: &mut [f64], factor: f64, from: &[f64]) {
    for (to, from) in to.as_chunks_mut::<STRIDE_UNIT>().0.iter_mut().zip(from.as_chunks::<STRIDE_UNIT>().0) {
        for lane in 0..STRIDE_UNIT {
            to[lane] += factor * from[lane];
        }
    }
}

/// Largest magnitude; NaN counts as none.
#[inline]
pub(super) fn largest(values: &[f64]) -> f64 {
    let (chunks, rest) = values.as_chunks::<STRIDE_UNIT>();
    let mut most = [0.0_f64; STRIDE_UNIT];
    for chunk in chunks {
        for lane in 0..STRIDE_UNIT {
            most[lane] = most[lane].max(chunk[lane].abs());
        }
    }
    let most = most[0].max(most[1]).max(most[2].max(most[3]));
    rest.iter().fold(most, |most, value| most.max(value.abs()))
}

/// True when no value is NaN or infinite.
#[inline]
pub(super) fn all_finite(values: &[f64]) -> bool {
    let (chunks, rest) = values.as_chunks::<STRIDE_UNIT>();
    // A product with 0 is NaN for NaN and infinities, and stays so in sums; lanes do not wait for each other.
    let mut sums = [0.0; STRIDE_UNIT];
    for chunk in chunks {
        for lane in 0..STRIDE_UNIT {
            sums[lane] += 0.0 * chunk[lane];
        }
    }
    let rest: f64 = rest.iter().map(|value| 0.0 * value).sum();
    sums.iter().sum::<f64>() + rest == 0.0
}
