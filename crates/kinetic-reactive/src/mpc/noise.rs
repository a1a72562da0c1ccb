//! Normally distributed numbers.

use kinetic_core::rng::SeededRng;

/// Fills `out` with independent standard normal numbers (Box and Muller 1958).
pub(super) fn fill_normal(rng: &mut SeededRng, out: &mut [f64]) {
    for pair in out.chunks_mut(2) {
        // 1 − u lies in (0, 1], so that its logarithm is finite.
        let radius = (-2.0 * (1.0 - rng.unit()).ln()).sqrt();
        let (sine, cosine) = (std::f64::consts::TAU * rng.unit()).sin_cos();
        for (out, part) in pair.iter_mut().zip([cosine, sine]) {
            *out = radius * part;
        }
    }
}

#[cfg(test)]
mod tests {
    use kinetic_core::rng::SeededRng;

    use super::fill_normal;

    #[test]
    fn moments_are_those_of_the_normal_distribution() {
        let mut values = vec![0.0; 200_001];
        fill_normal(&mut SeededRng::new(7), &mut values);
        let moment = |power: i32| values.iter().map(|value: &f64| value.powi(power)).sum::<f64>() / values.len() as f64;
        // Standard errors are 0.0022, 0.0032, 0.0087 and 0.022.
        for (power, wanted, tolerance) in [(1, 0.0, 0.01), (2, 1.0, 0.015), (3, 0.0, 0.04), (4, 3.0, 0.1)] {
            assert!((moment(power) - wanted).abs() < tolerance, "moment {power}: {}", moment(power));
        }
    }
}
