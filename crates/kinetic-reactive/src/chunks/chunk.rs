//! What kinds of chunks have in common.

use kinetic_core::error::{check_finite, check_len};
use kinetic_core::{KineticError, PiecewisePolynomial, Result};
use kinetic_trajectory::natural_spline;

use super::blend::BlendWeight;

/// Targets over some time. Before and after it the target goes on with the velocity that it has there.
pub(crate) trait Chunk {
    /// What it says of one time.
    type Target;

    /// First and last time, s.
    fn span(&self) -> [f64; 2];

    /// The target at a time.
    fn sample(&self, time: f64, target: &mut Self::Target);

    /// Goes over from `target` to `next`, by a weight.
    fn mix(target: &mut Self::Target, next: &Self::Target, weight: BlendWeight);
}

/// Numbers over time: the natural cubic spline through them, which is straight beyond its ends.
#[derive(Debug, Clone)]
pub(crate) struct ChunkCurve {
    start: f64,
    curve: PiecewisePolynomial,
}

impl ChunkCurve {
    /// Through `rows`, at `times`.
    pub(crate) fn new(rows: &[Vec<f64>], times: &[f64]) -> Result<Self> {
        check_times(times, rows.len())?;
        let start = times[0];
        let shifted: Vec<f64> = times.iter().map(|time| time - start).collect();
        Ok(Self { start, curve: natural_spline(&shifted, rows)?.curve().clone() })
    }

    pub(crate) fn span(&self) -> [f64; 2] {
        [self.start, self.start + self.curve.duration()]
    }

    /// Values, first and second derivatives at a time.
    pub(crate) fn sample(&self, time: f64, orders: [&mut [f64]; 3]) {
        let [values, rates, curvatures] = orders;
        let inside = (time - self.start).clamp(0.0, self.curve.duration());
        let beyond = time - self.start - inside;
        self.curve.sample_into(inside, 0, values);
        self.curve.sample_into(inside, 1, rates);
        self.curve.sample_into(inside, 2, curvatures);
        if beyond != 0.0 {
            curvatures.fill(0.0);
            values.iter_mut().zip(rates).for_each(|(value, rate)| *value += beyond * *rate);
        }
    }
}

fn check_times(times: &[f64], rows: usize) -> Result<()> {
    if rows == 0 {
        return Err(KineticError::invalid("chunk", "0 targets", "at least one target"));
    }
    check_len("chunk times", times.len(), rows)?;
    check_finite("chunk times", times)?;
    match times.windows(2).position(|pair| pair[1] <= pair[0]) {
        Some(index) => {
            let name = format!("chunk time {}", index + 1);
            Err(KineticError::invalid(name, times[index + 1], format!("more than the time before, {}", times[index])))
        }
        None => Ok(()),
    }
}
