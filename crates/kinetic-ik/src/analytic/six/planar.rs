//! Three parallel axes: a planar arm of two links and a turn at its end.

use nalgebra::Vector3;

use crate::analytic::array_vec::ArrayVec;
use crate::analytic::constant::constants;
use crate::analytic::cos_sin::CosSin;
use crate::analytic::poe::Screw;
use crate::analytic::policy::TolerancePolicy;
use crate::analytic::subproblems::linear;

#[derive(Debug, Clone)]
pub(crate) struct PlanarArm {
    /// Common direction of the axes, that of the first one.
    pub(crate) common: Vector3<f64>,
    /// From the first axis to the second and from there to the third, across the axes.
    links: [Vector3<f64>; 2],
    /// Signs of the second and the third joint along the common direction.
    signs: [f64; 2],
    policy: TolerancePolicy,
}

constants!(PlanarArm { common, links, signs, policy });

impl PlanarArm {
    /// `None` when two of the axes are one line.
    pub(crate) fn new(screws: [&Screw; 3], policy: &TolerancePolicy) -> Option<Self> {
        let common = screws[0].axis;
        let flat = |v: Vector3<f64>| v - common * common.dot(&v);
        let links = [flat(screws[1].point - screws[0].point), flat(screws[2].point - screws[1].point)];
        let signs = [common.dot(&screws[1].axis).signum(), common.dot(&screws[2].axis).signum()];
        let is_arm = links.iter().all(|link| link.norm() > policy.axis_intersect);
        is_arm.then_some(Self { common, links, signs, policy: *policy })
    }

    /// How far a point is outside the reach of the two links; below zero within.
    pub(crate) fn outside(&self, target: &Vector3<f64>) -> f64 {
        let distance = (target - self.common * self.common.dot(target)).norm();
        let [near, far] = [self.links[0].norm(), self.links[1].norm()];
        (distance - near - far).max((near - far).abs() - distance)
    }

    /// Turns of `carried` about the common direction for which `target` less it is within reach, where any would do: in the
    /// middle of those that there are, on both sides.
    pub(crate) fn reaching(&self, target: &Vector3<f64>, carried: &Vector3<f64>) -> ArrayVec<CosSin, 2> {
        let flat = |v: &Vector3<f64>| v - self.common * self.common.dot(v);
        let (target, carried) = (flat(target), flat(carried));
        let [near, far] = [self.links[0].norm(), self.links[1].norm()];
        let (x, y) = (carried.dot(&target), self.common.dot(&carried.cross(&target)));
        if x * x + y * y <= 1e-24 * near.powi(4) {
            return ArrayVec::filled(CosSin::ZERO, 1);
        }
        // The law of cosines for the distance that is left.
        let squares = target.norm_squared() + carried.norm_squared();
        let product = 2.0 * (target.norm_squared() * carried.norm_squared()).sqrt();
        let cosine = |distance: f64| ((squares - distance * distance) / product).clamp(-1.0, 1.0);
        let cos = 0.5 * (cosine(near + far) + cosine(near - far));
        let sin = ((1.0 - cos) * (1.0 + cos)).max(0.0).sqrt();
        let aligned = CosSin::from_direction(x, y);
        let mut turns = ArrayVec::empty(CosSin::ZERO);
        turns.push(aligned.then(CosSin { cos, sin }));
        if sin > 0.0 {
            turns.push(aligned.then(CosSin { cos, sin: -sin }));
        }
        turns
    }

    /// Angles that bring the third axis to `target` from the first one, with a sum of `sum` about the common direction.
    #[inline]
    pub(crate) fn solve(&self, target: &Vector3<f64>, sum: CosSin) -> ArrayVec<[CosSin; 3], 2> {
        let [near, far] = &self.links;
        let mut turns = ArrayVec::empty([CosSin::ZERO; 3]);
        let target = target - self.common * self.common.dot(target);
        let (a, b) = (near.dot(far), near.dot(&self.common.cross(far)));
        let right = 0.5 * (target.norm_squared() - near.norm_squared() - far.norm_squared());
        let elbows = linear(a, b, right, (a * a + b * b).sqrt(), &self.policy);
        if !elbows.is_exact {
            return turns;
        }
        for [elbow] in elbows.solutions.iter() {
            let reached = near + elbow.rotate(&self.common, far);
            let (x, y) = (reached.dot(&target), self.common.dot(&reached.cross(&target)));
            let is_folded = x * x + y * y <= 1e-24 * near.norm_squared().powi(2);
            let first = if is_folded { CosSin::ZERO } else { CosSin::from_direction(x, y) };
            let last = sum.then(first.then(*elbow).inverse());
            turns.push([first, signed(*elbow, self.signs[0]), signed(last, self.signs[1])]);
        }
        turns
    }
}

fn signed(turn: CosSin, sign: f64) -> CosSin {
    CosSin { cos: turn.cos, sin: turn.sin * sign }
}
