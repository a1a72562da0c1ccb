//! Where torque limits of a path have to be tighter than stated, since they hold at the points of a grid alone.

use kinetic_core::PiecewisePolynomial;

/// A ball in joint space in which a joint may use a part of its headroom.
#[derive(Debug, Clone)]
struct Ball {
    joint: usize,
    /// Of the effort.
    sign: f64,
    center: Vec<f64>,
    radius: f64,
    factor: f64,
}

/// Parts of the headroom, which is what the limit leaves above gravity and friction. However small a part is, there is a motion
/// that keeps it, unlike a part of the limit.
#[derive(Debug, Clone, Default)]
pub(crate) struct Tightening {
    balls: Vec<Ball>,
}

impl Tightening {
    /// The part of its headroom that a joint may use at a configuration, for efforts of that sign.
    pub(crate) fn factor(&self, joint: usize, sign: f64, position: &[f64]) -> f64 {
        let covers =
            |ball: &&Ball| ball.joint == joint && ball.sign == sign && distance(&ball.center, position) <= ball.radius;
        self.balls.iter().filter(covers).map(|ball| ball.factor).fold(1.0, f64::min)
    }

    /// Allows a part of what is allowed now, around the time `time` of a piece of a curve and, `reach` times as far, beyond it.
    pub(crate) fn tighten(
        &mut self,
        (joint, sign): (usize, f64),
        (curve, piece, time): (&PiecewisePolynomial, usize, f64),
        (part, reach): (f64, f64),
    ) {
        let center = curve.sample(time, 0);
        let ends = [curve.knots()[piece], curve.knots()[piece + 1]].map(|knot| curve.sample(knot, 0));
        let radius = reach * distance(&center, &ends[0]).max(distance(&center, &ends[1]));
        let factor = part * self.factor(joint, sign, &center);
        self.balls.push(Ball { joint, sign, center, radius, factor });
    }
}

/// Euclidean.
pub(crate) fn distance(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| (a - b).powi(2)).sum::<f64>().sqrt()
}
