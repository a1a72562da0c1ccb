//! Three rotating joints that bring a point to a position: subproblem 5, whatever the axes.

use nalgebra::Vector3;

use crate::analytic::array_vec::ArrayVec;
use crate::analytic::constant::constants;
use crate::analytic::cos_sin::CosSin;
use crate::analytic::poe::Screw;
use crate::analytic::policy::TolerancePolicy;
use crate::analytic::subproblems::{Circles, linear, sp5_equations};
use crate::analytic::topology::nearest_point;

/// The first three joints of an arm and the point that they carry.
#[derive(Debug, Clone)]
pub(crate) struct Shoulder {
    axes: [Vector3<f64>; 3],
    /// Points of the axes, chosen so that meeting axes share theirs.
    points: [Vector3<f64>; 3],
    /// From the third point to the carried one.
    arm: Vector3<f64>,
    /// Length of the links, for what counts as nothing.
    size: f64,
    policy: TolerancePolicy,
}

constants!(Shoulder { axes, points, arm, size, policy });

/// A point closer to an axis than this, relative to the size of the arm, is on it.
const POINT_ON_AXIS_RATIO: f64 = 1e-12;

/// A target closer to the first axis than this, relative to the size of the arm, leaves no digits to the first angle.
const UNDETERMINED_DISTANCE_RATIO: f64 = 1e-6;

/// Sine from which axes that meet do so in a place that is near and well determined.
const INTERSECTING_AXES_SINE: f64 = 1e-3;

impl Shoulder {
    /// `None` when the third joint does not move `carried`.
    pub(crate) fn new(screws: &[Screw], carried: Vector3<f64>, policy: &TolerancePolicy) -> Option<Self> {
        let meet = |a: usize, b: usize| {
            let normal = screws[a].axis.cross(&screws[b].axis);
            let gap = (screws[b].point - screws[a].point).dot(&normal);
            let is_met = normal.norm() > INTERSECTING_AXES_SINE && gap.abs() <= policy.axis_intersect * normal.norm();
            is_met.then(|| nearest_point(&[screws[a], screws[b]]))
        };
        let mut points = [screws[0].point, screws[1].point, screws[2].point];
        if let Some(point) = meet(0, 1) {
            (points[0], points[1]) = (point, point);
        } else if let Some(point) = meet(1, 2) {
            (points[1], points[2]) = (point, point);
        }
        let arm = carried - points[2];
        let size = arm.norm() + (points[1] - points[0]).norm() + (points[2] - points[1]).norm();
        let axes = [screws[0].axis, screws[1].axis, screws[2].axis];
        let is_moving = axes[2].cross(&arm).norm() > policy.axis_intersect;
        is_moving.then_some(Self { axes, points, arm, size, policy: *policy })
    }

    /// All angles with `e₁ e₂ e₃ carried = target`, at most four.
    #[inline]
    pub(crate) fn solve(&self, target: &Vector3<f64>) -> ArrayVec<[CosSin; 3], 4> {
        let [h1, h2, h3] = &self.axes;
        let [o1, o2, o3] = &self.points;
        let mut answers = ArrayVec::empty([CosSin::ZERO; 3]);
        // e₁⁻¹ target = e₂ e₃ carried, from the point of axis 2.
        let reach = target - o1;
        let (p0, p2) = (o1 - o2, o3 - o2);
        let circles = sp5_equations(&[p0, reach, p2, self.arm], &[-h1, *h2, *h3]);
        let pairs = if h1.cross(&reach).norm() <= POINT_ON_AXIS_RATIO * self.size {
            self.first_is_free(&circles)
        } else {
            circles.solve(&self.policy).solutions
        };
        for [first, third] in pairs.iter() {
            let left = p0 + first.inverse().rotate(h1, &reach);
            let right = p2 + third.rotate(h3, &self.arm);
            let (along, y) = (h2.dot(&left) * h2.dot(&right), h2.cross(&right).dot(&left));
            let x = right.dot(&left) - along;
            // On the second axis every second angle will do.
            let is_free = (x * x + y * y).sqrt() <= POINT_ON_AXIS_RATIO * self.size * self.size;
            let second = if is_free { CosSin::ZERO } else { CosSin::from_direction(x, y) };
            answers.push([*first, second, *third]);
        }
        answers
    }

    /// Whether the target is so near to the first axis that little determines the first angle.
    pub(crate) fn may_hide(&self, target: &Vector3<f64>) -> bool {
        self.axes[0].cross(&(target - self.points[0])).norm() <= UNDETERMINED_DISTANCE_RATIO * self.size
    }

    /// The target is on the first axis: the first angle is arbitrary, 0 stands for all of them.
    fn first_is_free(&self, circles: &Circles) -> ArrayVec<[CosSin; 2], 4> {
        let mut pairs = ArrayVec::empty([CosSin::ZERO; 2]);
        let [r0, r1] = circles.second;
        let scale = [r0[0].hypot(r0[1]), r1[0].hypot(r1[1]) / self.size];
        let row = usize::from(scale[1] > scale[0]);
        let [a, b] = circles.second[row];
        let right = circles.right[row] - circles.first[row][0];
        for [third] in linear(a, b, right, a.hypot(b), &self.policy).solutions.iter() {
            pairs.push([CosSin::ZERO, *third]);
        }
        pairs
    }
}
