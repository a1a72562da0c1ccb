//! Sampling grid of a self-motion, and the order of its samples.

use crate::analytic::angles::wrapped;
use crate::analytic::array_vec::ArrayVec;
use crate::analytic::solver::{Parameters, Range};

/// A uniform grid over the ranges, nearest to the start first.
#[derive(Debug)]
pub(crate) struct Grid {
    pub(crate) samples: Vec<Parameters>,
    /// Between neighbours, per parameter.
    pub(crate) steps: Parameters,
}

impl Grid {
    /// `samples` values of the first parameter (the range's own number when `None`), and of the second in proportion.
    /// With `start` the first value is the start itself, as far as it lies in the ranges, otherwise the sweep goes out
    /// from the middle.
    pub(crate) fn new(ranges: &[Range], samples: Option<usize>, start: Option<Parameters>) -> Self {
        let counts = counts(ranges, samples);
        let centre = start.map_or_else(|| middle(ranges), |start| clamped(ranges, &start));
        let mut steps = ArrayVec::empty(0.0);
        for (range, count) in ranges.iter().zip(counts.iter()) {
            steps.push((range.high - range.low) / *count as f64);
        }
        let (inner, total) = (counts.get(1).copied().unwrap_or(1), counts.iter().product::<usize>());
        let mut ordered: Vec<(f64, Parameters)> = Vec::with_capacity(total + 1);
        for index in 0..total {
            let mut at = ArrayVec::empty(0.0);
            for (range, (step, place)) in ranges.iter().zip(steps.iter().zip([index / inner, index % inner])) {
                at.push(range.low + (place as f64 + 0.5) * step);
            }
            ordered.push((apart(ranges, &at, &centre), at));
        }
        if start.is_some() {
            ordered.push((0.0, centre));
        }
        ordered.sort_by(|a, b| a.0.total_cmp(&b.0));
        Self { samples: ordered.into_iter().map(|(_, at)| at).collect(), steps }
    }
}

fn counts(ranges: &[Range], samples: Option<usize>) -> ArrayVec<usize, 2> {
    let mut out = ArrayVec::empty(0);
    for range in ranges {
        let own = samples.map_or(range.samples, |samples| samples * range.samples / ranges[0].samples);
        out.push(own.max(1));
    }
    out
}

fn middle(ranges: &[Range]) -> Parameters {
    let mut out = ArrayVec::empty(0.0);
    for range in ranges {
        out.push(f64::midpoint(range.low, range.high));
    }
    out
}

/// The nearest values inside the ranges.
pub(crate) fn clamped(ranges: &[Range], at: &[f64]) -> Parameters {
    let mut out = ArrayVec::empty(0.0);
    for (range, value) in ranges.iter().zip(at) {
        out.push(if range.is_circle { wrapped(*value) } else { value.clamp(range.low, range.high) });
    }
    out
}

/// Euclidean, turns of circles ignored.
fn apart(ranges: &[Range], a: &[f64], b: &[f64]) -> f64 {
    let difference = |(range, (a, b)): (&Range, (&f64, &f64))| if range.is_circle { wrapped(a - b) } else { a - b };
    ranges.iter().zip(a.iter().zip(b)).map(difference).map(|step| step * step).sum::<f64>().sqrt()
}
