//! The middle angle of three axes when the direction of the last one is known: `first · R(middle, θ) last` is given.

use nalgebra::Vector3;

use crate::analytic::array_vec::ArrayVec;
use crate::analytic::constant::constants;
use crate::analytic::cos_sin::CosSin;
use crate::analytic::policy::TolerancePolicy;

/// Three consecutive axes with directions `first`, `middle`, `last` at zero.
///
/// Subproblem 4 with the digits kept where the first and the last axis come to lie on one line (a wrist singularity):
/// there the cosine says nothing about a small angle, but the difference of the two directions does.
#[derive(Debug, Clone)]
pub(super) struct Cone {
    first: Vector3<f64>,
    middle: Vector3<f64>,
    last: Vector3<f64>,
    /// Coefficients of cosine and sine, and the constant, of `first · R(middle, θ) last`.
    cosine: f64,
    sine: f64,
    constant: f64,
    radius: f64,
    /// 1 − cos and 1 + cos of the extreme angles between the first and the last axis.
    nearest: f64,
    farthest: f64,
    feasibility: f64,
}

constants!(Cone { first, middle, last, cosine, sine, constant, radius, nearest, farthest, feasibility });

impl Cone {
    /// `None` when the middle axis is parallel to one of the others.
    pub(super) fn new(
        first: Vector3<f64>,
        middle: Vector3<f64>,
        last: Vector3<f64>,
        policy: &TolerancePolicy,
    ) -> Option<Self> {
        let (across1, across2) = (first.cross(&middle).norm(), last.cross(&middle).norm());
        if across1 <= policy.axis_parallel || across2 <= policy.axis_parallel {
            return None;
        }
        let constant = first.dot(&middle) * last.dot(&middle);
        let (one, two) = (across1.atan2(first.dot(&middle)), across2.atan2(last.dot(&middle)));
        Some(Self {
            first,
            middle,
            last,
            cosine: first.dot(&last) - constant,
            sine: first.dot(&middle.cross(&last)),
            constant,
            radius: across1 * across2,
            nearest: 2.0 * (0.5 * (one - two)).sin().powi(2),
            farthest: 2.0 * (0.5 * (one + two)).cos().powi(2),
            feasibility: policy.subproblem_feasibility,
        })
    }

    /// The middle angles for which `R(first, ·) R(middle, θ) last` can be `direction`.
    #[inline]
    pub(super) fn middle_angles(&self, direction: &Vector3<f64>) -> ArrayVec<CosSin, 2> {
        let mut turns = ArrayVec::empty(CosSin::ZERO);
        let product = self.first.dot(direction) - self.constant;
        let (mut left, mut right) = (self.radius - product, self.radius + product);
        if product > 0.0 {
            left = 0.5 * (self.first - direction).norm_squared() - self.nearest;
        } else {
            right = 0.5 * (self.first + direction).norm_squared() - self.farthest;
        }
        if left < -self.feasibility || right < -self.feasibility {
            return turns;
        }
        let scale = 1.0 / (self.radius * self.radius);
        let root = (left * right).max(0.0).sqrt();
        let (c, s) = (self.cosine * product * scale, self.sine * product * scale);
        let (dc, ds) = (self.sine * root * scale, self.cosine * root * scale);
        turns.push(CosSin { cos: c - dc, sin: s + ds });
        if root > 0.0 {
            turns.push(CosSin { cos: c + dc, sin: s - ds });
        }
        turns
    }

    /// The first angle that goes with a middle one; `None` when first and last axis lie on one line.
    #[inline]
    pub(super) fn first_angle(&self, middle: CosSin, direction: &Vector3<f64>) -> Option<CosSin> {
        let last = middle.rotate(&self.middle, &self.last);
        let along = self.first.dot(direction);
        let x = last.dot(direction) - along * self.first.dot(&last);
        let y = self.first.cross(&last).dot(direction);
        (x * x + y * y > ALIGNED_SQUARED_SINE * ALIGNED_SQUARED_SINE).then(|| CosSin::from_direction(x, y))
    }
}

/// Below this squared sine two axes are one line, and the angles about them are one angle.
const ALIGNED_SQUARED_SINE: f64 = 1e-24;

/// A unit vector across `axis`.
pub(crate) fn across(axis: &Vector3<f64>) -> Vector3<f64> {
    let other = if axis.x.abs() < 0.7 { Vector3::x() } else { Vector3::y() };
    axis.cross(&other).normalize()
}
