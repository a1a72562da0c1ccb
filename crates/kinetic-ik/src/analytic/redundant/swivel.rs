//! S-R-S arms with spherical shoulder, elbow and spherical wrist: closed form over the swivel angle.
//!
//! Hollerbach 1985, Shimizu et al. 2008. The distance from shoulder to wrist tells the elbow's angle. What is left of
//! the self-motion is a rotation of the elbow about the line from shoulder to wrist. Its angle is measured at the axis
//! of the elbow, from the plane of that line and the first axis: so it is known also when the arm is stretched out.

use std::f64::consts::PI;

use nalgebra::{Matrix3, Vector3};

use crate::analytic::array_vec::ArrayVec;
use crate::analytic::branches::{Branch, BranchJoints, Branches};
use crate::analytic::check::Check;
use crate::analytic::constant::{Constant, Value, constants};
use crate::analytic::cos_sin::CosSin;
use crate::analytic::poe::{ProductOfExponentials, Screw};
use crate::analytic::policy::TolerancePolicy;
use crate::analytic::six::{Wrist, across};
use crate::analytic::solver::{Held, Parameters, Range, Solver, Target, blank};
use crate::analytic::subproblems::linear;
use crate::analytic::topology::Topology;

type SwivelRow = [CosSin; 7];

/// Values of the swivel angle in a sweep.
const SWIVEL_SAMPLES: usize = 16;

#[derive(Debug)]
pub(crate) struct Swivel {
    shoulder: Wrist,
    wrist: Wrist,
    first: Vector3<f64>,
    elbow: Screw,
    shoulder_point: Vector3<f64>,
    wrist_point: Vector3<f64>,
    check: Check<7>,
    ranges: [Range; 1],
    policy: TolerancePolicy,
}

constants!(Swivel { shoulder, wrist, first, elbow, shoulder_point, wrist_point, check, ranges, policy });

impl Swivel {
    /// `None` unless axes 1, 2, 3 share a point, axes 5, 6, 7 share one, and axis 4 changes the distance of the two.
    pub(crate) fn new(arm: &ProductOfExponentials, topology: &Topology, policy: &TolerancePolicy) -> Option<Self> {
        let screws: &[Screw; 7] = arm.screws().try_into().ok()?;
        let (shoulder_point, wrist_point) = (topology.common_point(0)?, topology.common_point(4)?);
        let elbow = screws[3];
        let is_aside = |point: &Vector3<f64>| (point - elbow.point).cross(&elbow.axis).norm() > policy.axis_intersect;
        if !is_aside(&shoulder_point) || !is_aside(&wrist_point) {
            return None;
        }
        Some(Self {
            shoulder: Wrist::new(&screws[..3], policy)?,
            wrist: Wrist::new(&screws[4..], policy)?,
            first: screws[0].axis,
            elbow,
            shoulder_point,
            wrist_point,
            check: Check::new(screws, arm.home(), policy),
            ranges: [Range { low: -PI, high: PI, is_circle: true, samples: SWIVEL_SAMPLES }],
            policy: *policy,
        })
    }

    /// Angles of the elbow that bring the wrist to a distance from the shoulder.
    fn elbow_angles(&self, distance: f64) -> ArrayVec<[CosSin; 1], 2> {
        let axis = &self.elbow.axis;
        let (near, far) = (self.shoulder_point - self.elbow.point, self.wrist_point - self.elbow.point);
        // Subproblem 3: the law of cosines.
        let along = axis.dot(&near) * axis.dot(&far);
        let (a, b) = (near.dot(&far) - along, axis.cross(&far).dot(&near));
        let right = 0.5 * (near.norm_squared() + far.norm_squared() - distance * distance) - along;
        let answers = linear(a, b, right, near.norm() * far.norm(), &self.policy);
        if answers.is_exact { answers.solutions } else { ArrayVec::empty([CosSin::ZERO]) }
    }

    /// Frame with the first axis along `line`, the second across it towards `side`.
    fn frame(line: &Vector3<f64>, side: &Vector3<f64>) -> Matrix3<f64> {
        let flat = side - line * line.dot(side);
        let length = flat.norm();
        let flat = if length > ALIGNED_SINE { flat / length } else { across(line) };
        Matrix3::from_columns(&[*line, flat, line.cross(&flat)])
    }

    /// From the shoulder to the wrist with the elbow turned and the shoulder at zero.
    fn arm(&self, elbow: CosSin) -> Vector3<f64> {
        let far = self.wrist_point - self.elbow.point;
        self.elbow.point + elbow.rotate(&self.elbow.axis, &far) - self.shoulder_point
    }

    /// Rows of one elbow angle: two shoulders times two wrists, neighbours sharing one of them.
    fn rows(&self, shoulder: &Matrix3<f64>, elbow: CosSin, rotation: &Matrix3<f64>, mut found: impl FnMut(SwivelRow)) {
        let before = shoulder * elbow.matrix(&self.elbow.axis);
        let (mut firsts, mut lasts) =
            (ArrayVec::<_, 2>::empty([CosSin::ZERO; 3]), ArrayVec::<_, 2>::empty([CosSin::ZERO; 3]));
        self.shoulder.solve(shoulder, |turns| firsts.push(turns));
        self.wrist.solve(&before.tr_mul(rotation), |turns| lasts.push(turns));
        for (index, [a, b, c]) in firsts.iter().enumerate() {
            for at in 0..lasts.len() {
                let [e, f, g] = lasts[if index == 0 { at } else { lasts.len() - 1 - at }];
                found([*a, *b, *c, elbow, e, f, g]);
            }
        }
    }
}

/// Sine below which an axis lies along the line from shoulder to wrist.
const ALIGNED_SINE: f64 = 1e-12;

impl Solver for Swivel {
    fn search(&self, target: &Target, at: &[f64], branches: &mut Branches) {
        let Some(swivel) = at.first() else { return };
        let reach = target.displacement.point(&self.wrist_point) - self.shoulder_point;
        let distance = reach.norm();
        let line = reach / distance;
        if !line.x.is_finite() {
            return;
        }
        let turned = Self::frame(&line, &self.first) * CosSin::from_angle(*swivel).matrix(&Vector3::x());
        let mut rows = ArrayVec::<_, 8>::empty([CosSin::ZERO; 7]);
        for [elbow] in self.elbow_angles(distance).iter() {
            let arm = self.arm(*elbow);
            let shoulder = turned * Self::frame(&(arm / arm.norm()), &self.elbow.axis).transpose();
            self.rows(&shoulder, *elbow, &target.displacement.rotation, |row| rows.push(row));
        }
        self.check.writer(&target.pose, blank(7), branches.found.len()).write(&rows, branches);
    }

    fn refined(&self, branch: &Branch, target: &Target, steps: usize) -> Option<Branch> {
        Some(self.check.refined(branch, &target.pose, steps))
    }

    fn residual(&self, q: &BranchJoints, target: &Target) -> f64 {
        self.check.residual(q, &target.pose)
    }

    fn polished_holding(&self, branch: &Branch, target: &Target, held: Held) -> Option<Branch> {
        Some(self.check.polished_holding(branch, &target.pose, held))
    }

    fn data(&self) -> Option<Value> {
        Some(self.value())
    }

    fn ranges(&self) -> &[Range] {
        &self.ranges
    }

    fn parameters(&self, arm: &ProductOfExponentials, q: &[f64]) -> Parameters {
        let mut rotation = Matrix3::identity();
        for screw in &arm.screws()[..3] {
            rotation *= CosSin::from_angle(q[screw.variable]).matrix(&screw.axis);
        }
        let reach = rotation * self.arm(CosSin::from_angle(q[self.elbow.variable]));
        let frame = Self::frame(&(reach / reach.norm()), &self.first);
        let side = frame.transpose() * (rotation * self.elbow.axis);
        ArrayVec::filled(side.z.atan2(side.y), 1)
    }
}
