//! Motions as uniform B-splines that are at rest at both ends.
//!
//! A B-spline of degree p is at rest where p control points coincide, and its derivatives are B-splines whose control points are
//! differences (de Boor 1978): the largest one bounds the derivative, exactly for the orders p and p − 1.

use kinetic_core::curve::Coefficients;
use kinetic_core::{Limits, PiecewisePolynomial, Result};

/// Most control points that matter in an interval.
pub(super) const MOST_POINTS: usize = 4;

/// Weights of differences, by order from 1 on.
pub(super) const DIFFERENCES: [&[f64]; 3] = [&[-1.0, 1.0], &[1.0, -2.0, 1.0], &[-1.0, 3.0, -3.0, 1.0]];

/// A motion: control points at equal steps of time.
#[derive(Debug, Clone)]
pub(super) struct RestSpline {
    degree: usize,
    dof: usize,
    /// Duration of an interval, s.
    pub(super) step: f64,
    points: Vec<f64>,
}

impl RestSpline {
    /// The spline of a degree, 2 or 3, whose control points lie on a motion that is at rest at both ends.
    pub(super) fn along(curve: &PiecewisePolynomial, degree: usize, intervals: usize) -> Self {
        let (dof, duration) = (curve.dof(), curve.duration());
        let step = duration / intervals as f64;
        let mut points = vec![0.0; (intervals + degree) * dof];
        let last = intervals + degree - 1;
        for (index, row) in points.chunks_exact_mut(dof).enumerate() {
            // Where the first and the last p coincide is the end; the others are at their Greville abscissae.
            let time = match index {
                index if index < degree => 0.0,
                index if index > last - degree => duration,
                index => (index as f64 - 0.5 * (degree as f64 - 1.0)) * step,
            };
            curve.sample_into(time, 0, row);
        }
        Self { degree, dof, step, points }
    }

    pub(super) fn degree(&self) -> usize {
        self.degree
    }

    pub(super) fn dof(&self) -> usize {
        self.dof
    }

    /// Number of intervals.
    pub(super) fn intervals(&self) -> usize {
        self.points.len() / self.dof - self.degree
    }

    /// Duration, s.
    pub(super) fn duration(&self) -> f64 {
        self.step * self.intervals() as f64
    }

    /// Changes the duration, s.
    pub(super) fn set_duration(&mut self, duration: f64) {
        self.step = duration / self.intervals() as f64;
    }

    /// Values of all control points.
    pub(super) fn points(&self) -> &[f64] {
        &self.points
    }

    /// A control point.
    pub(super) fn point(&self, index: usize) -> &[f64] {
        &self.points[index * self.dof..(index + 1) * self.dof]
    }

    /// The values that are free: those of all control points but the first and the last p.
    pub(super) fn free_mut(&mut self) -> &mut [f64] {
        let ends = self.degree * self.dof;
        let last = self.points.len() - ends;
        &mut self.points[ends..last]
    }

    /// The number of values that are free.
    pub(super) fn free(&self) -> usize {
        self.points.len() - 2 * self.degree * self.dof
    }

    /// The column of the free values at which those of a control point begin; `None` at the ends.
    pub(super) fn column(&self, point: usize) -> Option<usize> {
        let last = self.points.len() / self.dof - self.degree;
        (self.degree..last).contains(&point).then(|| (point - self.degree) * self.dof)
    }

    /// Writes the configuration at a place of an interval, `u` from 0 to 1.
    pub(super) fn position_into(&self, interval: usize, u: f64, out: &mut [f64]) {
        let weights = self.weights(u);
        out.fill(0.0);
        for (offset, weight) in weights[..=self.degree].iter().enumerate() {
            out.iter_mut().zip(self.point(interval + offset)).for_each(|(sum, value)| *sum += weight * value);
        }
    }

    /// Weights of the control points of an interval at `u` from 0 to 1.
    pub(super) fn weights(&self, u: f64) -> [f64; MOST_POINTS] {
        let v = 1.0 - u;
        if self.degree == 2 {
            return [0.5 * v * v, 0.5 + u * v, 0.5 * u * u, 0.0];
        }
        let middle = |x: f64| (3.0 * x * x * x - 6.0 * x * x + 4.0) / 6.0;
        [v * v * v / 6.0, middle(u), middle(v), u * u * u / 6.0]
    }

    /// By how much time has to be stretched for the limits to hold: at least 1 where one is exceeded, less where all are
    /// slack. Jerk counts where the degree is 3 and the limits have it.
    pub(super) fn stretch(&self, limits: &Limits) -> f64 {
        rates(limits, self.degree)
            .map(|(order, limits)| self.largest_ratio(order, limits).powf(1.0 / order as f64))
            .fold(0.0, f64::max)
    }

    fn largest_ratio(&self, order: usize, limits: &[f64]) -> f64 {
        let (dof, scale) = (self.dof, self.step.powi(-i32::try_from(order).unwrap_or(0)));
        let rows = self.points.len() / dof - order;
        let of_row = |row: usize, joint: usize| {
            let terms = DIFFERENCES[order - 1].iter().enumerate();
            let rate: f64 = terms.map(|(offset, weight)| weight * self.points[(row + offset) * dof + joint]).sum();
            rate.abs() / limits[joint]
        };
        (0..rows).flat_map(|row| (0..dof).map(move |joint| of_row(row, joint))).fold(0.0, f64::max) * scale
    }

    /// The motion as a piecewise polynomial.
    pub(super) fn to_curve(&self) -> Result<PiecewisePolynomial> {
        let intervals = self.intervals();
        let knots = (0..=intervals).map(|knot| knot as f64 * self.step).collect();
        let of = |interval: usize| (0..self.dof).map(move |joint| self.coefficients(interval, joint));
        PiecewisePolynomial::new(self.dof, knots, (0..intervals).flat_map(of).collect())
    }

    fn coefficients(&self, interval: usize, joint: usize) -> Coefficients {
        let c = |offset: usize| self.points[(interval + offset) * self.dof + joint];
        let mut row = Coefficients::default();
        let powers: [f64; 4] = if self.degree == 2 {
            [0.5 * (c(0) + c(1)), c(1) - c(0), 0.5 * (c(0) - 2.0 * c(1) + c(2)), 0.0]
        } else {
            [
                (c(0) + 4.0 * c(1) + c(2)) / 6.0,
                0.5 * (c(2) - c(0)),
                0.5 * (c(0) - 2.0 * c(1) + c(2)),
                (c(3) - 3.0 * c(2) + 3.0 * c(1) - c(0)) / 6.0,
            ]
        };
        let mut scale = 1.0;
        for (out, power) in row.iter_mut().zip(powers) {
            *out = power * scale;
            scale /= self.step;
        }
        row
    }
}

/// The orders of derivatives that are limited, with the limits.
pub(super) fn rates(limits: &Limits, degree: usize) -> impl Iterator<Item = (usize, &[f64])> {
    let jerk = limits.jerk.as_deref().filter(|_| degree == 3);
    [Some(limits.velocity.as_slice()), Some(limits.acceleration.as_slice()), jerk]
        .into_iter()
        .enumerate()
        .filter_map(|(index, limits)| limits.map(|limits| (index + 1, limits)))
}

#[cfg(test)]
mod tests {
    use kinetic_core::rng::SeededRng;

    use super::*;

    fn random(degree: usize, seed: u64) -> Result<RestSpline> {
        let line = PiecewisePolynomial::new(2, vec![0.0, 1.0], vec![[0.0, 0.0, 3.0, -2.0, 0.0, 0.0]; 2])?;
        let (mut spline, mut rng) = (RestSpline::along(&line, degree, 8), SeededRng::new(seed));
        spline.free_mut().iter_mut().for_each(|value| *value += 0.2 * rng.unit());
        Ok(spline)
    }

    #[test]
    fn curves_are_at_rest_at_both_ends_and_pass_what_the_weights_say() -> Result<()> {
        for (degree, seed) in [(2, 1), (3, 2), (2, 3), (3, 4)] {
            let spline = random(degree, seed)?;
            let (curve, mut q) = (spline.to_curve()?, vec![0.0; 2]);
            for (time, end) in [(0.0, 0.0), (curve.duration(), 1.0)] {
                assert!(curve.sample(time, 0).iter().all(|value| (value - end).abs() < 1e-12), "degree {degree}");
                (1..degree).for_each(|order| {
                    assert!(curve.sample(time, order).iter().all(|rate| rate.abs() < 1e-9), "degree {degree}, {order}");
                });
            }
            for interval in 0..spline.intervals() {
                for u in [0.0, 0.3, 1.0] {
                    spline.position_into(interval, u, &mut q);
                    let there = curve.sample((interval as f64 + u) * spline.step, 0);
                    assert!(q.iter().zip(&there).all(|(a, b)| (a - b).abs() < 1e-12), "{degree} {interval} {u}");
                }
            }
        }
        Ok(())
    }

    /// The rates of the stretched motion, by differences of positions, use up the limit that decides, and no other is exceeded.
    #[test]
    fn stretched_motions_keep_their_limits_and_use_one_up() -> Result<()> {
        let limits = Limits { velocity: vec![1.0, 2.0], acceleration: vec![3.0, 2.5], jerk: Some(vec![40.0, 60.0]) };
        for (degree, seed) in [(2, 1), (3, 2), (2, 3), (3, 4)] {
            let mut spline = random(degree, seed)?;
            spline.set_duration(spline.duration() * spline.stretch(&limits));
            let (curve, parts) = (spline.to_curve()?, 2_000);
            let h = curve.duration() / f64::from(parts);
            let mut used = [0.0_f64; 3];
            // Differences across no knot, as the highest derivative steps there.
            for step in (0..parts - 3).filter(|step| (step % (parts / 8)) < parts / 8 - 3) {
                let q: Vec<Vec<f64>> = (0..4).map(|next| curve.sample(f64::from(step + next) * h, 0)).collect();
                for joint in 0..2 {
                    let x = |index: usize| q[index][joint];
                    let rates = [
                        (x(1) - x(0)) / h,
                        (x(2) - 2.0 * x(1) + x(0)) / (h * h),
                        (x(3) - 3.0 * x(2) + 3.0 * x(1) - x(0)) / h.powi(3),
                    ];
                    let jerk = limits.jerk.as_ref().map_or(f64::INFINITY, |jerk| jerk[joint]);
                    let allowed = [limits.velocity[joint], limits.acceleration[joint], jerk];
                    (0..degree).for_each(|order| used[order] = used[order].max(rates[order].abs() / allowed[order]));
                }
            }
            assert!(used.iter().all(|used| *used < 1.01), "degree {degree}: {used:?}");
            // The control points of the velocity of a cubic are beyond its largest value.
            assert!(used.iter().any(|used| *used > 0.9), "degree {degree}: {used:?}");
        }
        Ok(())
    }
}
