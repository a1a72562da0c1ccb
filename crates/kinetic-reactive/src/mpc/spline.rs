//! Velocities over time: a uniform cubic B-spline per joint.
//!
//! A velocity lies between the least and the largest of four control points next to it, so that limits of the control points are
//! limits of the velocities. Knots stand still while time passes, so that a warm start is the curve of before and not a
//! resampled one, which would be smoother every time.

/// Control points that a velocity depends on.
const SUPPORT: usize = 4;

/// Where on the time axis of the control points the present is.
#[derive(Debug, Clone)]
pub(super) struct VelocitySpline {
    dof: usize,
    /// Time between two knots, s.
    span: f64,
    /// Time since the first knot, s, less than a span.
    phase: f64,
    control_points: usize,
}

impl VelocitySpline {
    pub(super) fn new(dof: usize, spans: usize, span: f64) -> Self {
        // One span more than the horizon has: the present is not at a knot.
        Self { dof, span, phase: 0.0, control_points: spans + SUPPORT }
    }

    /// Values of all control points.
    pub(super) fn len(&self) -> usize {
        self.control_points * self.dof
    }

    /// Begins anew: all velocities are zero.
    pub(super) fn restart(&mut self, points: &mut [f64]) {
        points.fill(0.0);
        self.phase = 0.0;
    }

    /// Lets time pass: where a knot is passed its control point is forgotten, and the curve ends at rest.
    pub(super) fn advance(&mut self, time: f64, points: &mut [f64]) {
        self.phase += time;
        while self.phase >= self.span {
            self.phase -= self.span;
            points.copy_within(self.dof.., 0);
            points[(self.control_points - 1) * self.dof..].fill(0.0);
        }
    }

    /// Writes the velocities `time` from now on.
    #[expect(clippy::cast_sign_loss, reason = "times are not negative")]
    pub(super) fn velocities(&self, points: &[f64], time: f64, out: &mut [f64]) {
        let at = (self.phase + time) / self.span;
        let first = (at.floor() as usize).min(self.control_points - SUPPORT);
        let weights = blending((at - first as f64).min(1.0));
        out.fill(0.0);
        for (point, weight) in weights.iter().enumerate() {
            let values = &points[(first + point) * self.dof..][..self.dof];
            for (out, value) in out.iter_mut().zip(values) {
                *out += weight * value;
            }
        }
    }

    /// Time from now at which each control point counts most, s (the Greville abscissae).
    pub(super) fn times(&self) -> impl Iterator<Item = f64> {
        let (span, phase) = (self.span, self.phase);
        (0..self.control_points).map(move |point| (point as f64 - 1.0) * span - phase)
    }
}

/// Weights of the four control points in a span (de Boor 1978).
fn blending(u: f64) -> [f64; SUPPORT] {
    let (v, u2, u3) = (1.0 - u, u * u, u * u * u);
    [v * v * v / 6.0, (3.0 * u3 - 6.0 * u2 + 4.0) / 6.0, (-3.0 * u3 + 3.0 * u2 + 3.0 * u + 1.0) / 6.0, u3 / 6.0]
}

#[cfg(test)]
mod tests {
    use super::{VelocitySpline, blending};

    #[test]
    fn weights_are_a_partition_of_unity_and_positive() {
        for step in 0..=100 {
            let weights = blending(f64::from(step) / 100.0);
            assert!((weights.iter().sum::<f64>() - 1.0).abs() < 1e-14 && weights.iter().all(|weight| *weight >= 0.0));
        }
    }

    #[test]
    fn the_curve_stays_the_same_while_time_passes_until_its_new_end() {
        let mut spline = VelocitySpline::new(1, 4, 0.3);
        let mut points: Vec<f64> = (0..spline.len()).map(|point| (point as f64).sin()).collect();
        let sample = |spline: &VelocitySpline, points: &[f64], time: f64| {
            let mut out = [0.0];
            spline.velocities(points, time, &mut out);
            out[0]
        };
        let before: Vec<f64> = (0..40).map(|step| sample(&spline, &points, 0.02 * f64::from(step))).collect();
        for passed in 1..20 {
            spline.advance(0.02, &mut points);
            for (step, before) in before.iter().enumerate().skip(passed) {
                let now = sample(&spline, &points, 0.02 * (step - passed) as f64);
                assert!((now - before).abs() < 1e-12, "{passed} {step}: {now} {before}");
            }
        }
    }
}
