//! Three parallel axes: arms whose second, third and fourth axes are parallel, as those of Universal Robots.
//!
//! The direction `h` of the three says two things about the first and the fifth angle alone: how far the last axis
//! is along `h`, and at which angle to it. Where the last two axes meet, the first of these has one unknown
//! (subproblem 4), otherwise the two are subproblem 6. What is left is a planar arm of two links.

use std::f64::consts::TAU;

use kinetic_kinematics::Rigid;
use nalgebra::Vector3;

use super::cone::{Cone, across};
use super::planar::PlanarArm;
use super::{Row, SixJointSolver};
use crate::analytic::array_vec::ArrayVec;
use crate::analytic::constant::{Constant, Value, constants};
use crate::analytic::cos_sin::CosSin;
use crate::analytic::poe::ProductOfExponentials;
use crate::analytic::policy::TolerancePolicy;
use crate::analytic::subproblems::{Sp6Term, linear, sp6};
use crate::analytic::topology::Topology;

#[derive(Debug)]
pub(crate) struct ThreeParallel {
    /// Axes 1, 5, 6.
    first: Vector3<f64>,
    fifth: Vector3<f64>,
    last: Vector3<f64>,
    /// Axes 2, 3, 4.
    planar: PlanarArm,
    /// Points of axes 1, 2, 4, 5 and 6; the last two are one point where the axes meet.
    points: [Vector3<f64>; 5],
    meets: bool,
    cone: Cone,
    policy: TolerancePolicy,
}

constants!(ThreeParallel { first, fifth, last, planar, points, meets, cone, policy });

impl ThreeParallel {
    /// `None` for an arm that cannot reach a volume of poses.
    pub(crate) fn new(arm: &ProductOfExponentials, topology: &Topology, policy: &TolerancePolicy) -> Option<Self> {
        let screws = arm.screws();
        let common = screws[1].axis;
        let meeting = topology.intersection(4);
        let planar = PlanarArm::new([&screws[1], &screws[2], &screws[3]], policy)?;
        let (fifth, sixth) = (meeting.unwrap_or(screws[4].point), meeting.unwrap_or(screws[5].point));
        Some(Self {
            first: screws[0].axis,
            fifth: screws[4].axis,
            last: screws[5].axis,
            planar,
            points: [screws[0].point, screws[1].point, screws[3].point, fifth, sixth],
            meets: meeting.is_some(),
            cone: Cone::new(common, screws[4].axis, screws[5].axis, policy)?,
            policy: *policy,
        })
    }

    /// Angles 1 and 5.
    fn outer(&self, displacement: &Rigid) -> ArrayVec<[CosSin; 2], 4> {
        let [o1, _, _, o5, o6] = &self.points;
        let reach = displacement.point(o6) - o1;
        let last = displacement.rotation * self.last;
        if !self.meets {
            let term = |k: Vector3<f64>, p: Vector3<f64>, sign: f64| Sp6Term { h: self.planar.common * sign, k, p };
            let terms = [
                term(-self.first, reach, 1.0),
                term(self.fifth, o6 - o5, -1.0),
                term(-self.first, last, 1.0),
                term(self.fifth, self.last, -1.0),
            ];
            return sp6(&terms, [self.planar.common.dot(&(o5 - o1)), 0.0], &self.policy).solutions;
        }
        let mut pairs = ArrayVec::empty([CosSin::ZERO; 2]);
        let along = self.first.dot(&self.planar.common) * self.first.dot(&reach);
        let (a, b) = (self.planar.common.dot(&reach) - along, self.planar.common.dot(&reach.cross(&self.first)));
        let right = self.planar.common.dot(&(o6 - o1)) - along;
        let size = reach.norm();
        let is_free =
            a * a + b * b <= (WRIST_ON_AXIS_RATIO * size).powi(2) && right.abs() <= WRIST_ON_AXIS_RATIO * size;
        let firsts = if is_free {
            ArrayVec::filled([self.free_first(&reach, &last)], 1)
        } else {
            linear(a, b, right, size, &self.policy).solutions
        };
        for [first] in firsts.iter() {
            let direction = first.inverse().rotate(&self.first, &last);
            for fifth in self.cone.middle_angles(&direction).iter() {
                pairs.push([*first, *fifth]);
            }
        }
        pairs
    }
}

impl ThreeParallel {
    /// The first angle that stands for all of them where the wrist lies on the first axis: with the planar arm as far as can
    /// be from both ends of its reach, so that one is found if there is one.
    fn free_first(&self, reach: &Vector3<f64>, last: &Vector3<f64>) -> CosSin {
        let outside = |angle: f64| self.outside(CosSin::from_angle(angle), reach, last);
        let step = TAU / FIRST_ANGLE_SAMPLES as f64;
        let sampled = (0..FIRST_ANGLE_SAMPLES).map(|index| step * index as f64);
        let best = sampled.min_by(|a, b| outside(*a).total_cmp(&outside(*b))).unwrap_or(0.0);
        let (mut low, mut high) = (best - step, best + step);
        for _ in 0..TERNARY_SECTIONS {
            let third = (high - low) / 3.0;
            if outside(low + third) <= outside(high - third) { high -= third } else { low += third }
        }
        CosSin::from_angle(0.5 * (low + high))
    }

    /// How far the planar arm is from reaching at best with the first joint turned so; below zero within reach.
    fn outside(&self, first: CosSin, reach: &Vector3<f64>, last: &Vector3<f64>) -> f64 {
        let back = first.inverse();
        let direction = back.rotate(&self.first, last);
        let fifths = self.cone.middle_angles(&direction);
        let outside = |fifth: &CosSin| {
            let (wanted, carried) = self.planar_target(back, *fifth, reach);
            let sum = self.cone.first_angle(*fifth, &direction).unwrap_or(CosSin::ZERO);
            self.planar.outside(&(wanted - sum.rotate(&self.planar.common, &carried)))
        };
        fifths.iter().map(outside).fold(f64::INFINITY, f64::min)
    }

    /// `e₁⁻¹` target, and where the fifth joint has the point of the last axis, both from axis 2.
    fn planar_target(&self, back: CosSin, fifth: CosSin, reach: &Vector3<f64>) -> (Vector3<f64>, Vector3<f64>) {
        let [o1, o2, o4, o5, o6] = &self.points;
        let carried = o5 + fifth.rotate(&self.fifth, &(o6 - o5)) - o4;
        (o1 + back.rotate(&self.first, reach) - o2, carried)
    }
}

/// A wrist closer to the first axis than this, relative to its distance, is on it.
const WRIST_ON_AXIS_RATIO: f64 = 1e-10;
/// First angles that are looked at where any would do, and sections of the best interval.
const FIRST_ANGLE_SAMPLES: usize = 32;
const TERNARY_SECTIONS: usize = 60;

/// A wrist closer to the first axis than this, relative to its distance, leaves no digits to the first angle; a last axis
/// nearer to parallel, none to the sum of the three.
const UNDETERMINED_SINE: f64 = 1e-4;

impl SixJointSolver for ThreeParallel {
    fn branches(&self, displacement: &Rigid, out: &mut Vec<Row>) {
        let [o1, .., o6] = &self.points;
        let h = &self.planar.common;
        let reach = displacement.point(o6) - o1;
        let last = displacement.rotation * self.last;
        let (mark6, mark6_turned) = (across(&self.last), self.last.cross(&across(&self.last)));
        let marked = displacement.rotation * mark6;
        for [first, fifth] in self.outer(displacement).iter() {
            let back = first.inverse();
            let direction = back.rotate(&self.first, &last);
            let (wanted, carried) = self.planar_target(back, *fifth, &reach);
            // Where the last axis is parallel to the three, the sum of their angles is arbitrary, because the last joint
            // makes up for it.
            let sums = match self.cone.first_angle(*fifth, &direction) {
                Some(sum) => ArrayVec::filled(sum, 1),
                None => self.planar.reaching(&wanted, &carried),
            };
            for sum in sums.iter() {
                let turned = sum.inverse().rotate(h, &back.rotate(&self.first, &marked));
                let turned = fifth.inverse().rotate(&self.fifth, &turned);
                let sixth = CosSin::from_direction(turned.dot(&mark6), turned.dot(&mark6_turned));
                for [second, third, fourth] in self.planar.solve(&(wanted - sum.rotate(h, &carried)), *sum).iter() {
                    out.push([*first, *second, *third, *fourth, *fifth, sixth]);
                }
            }
        }
    }

    /// Where the last two axes do not meet, the wrist is so near to the first axis that little determines its angle, or the
    /// last axis so nearly parallel to the three that little determines the sum of theirs.
    fn may_hide(&self, displacement: &Rigid) -> bool {
        let reach = displacement.point(&self.points[4]) - self.points[0];
        let across = reach - self.first * self.first.dot(&reach);
        let last = displacement.rotation * self.last;
        let is_aligned = |[first, _]: &[CosSin; 2]| {
            let common = first.rotate(&self.first, &self.planar.common);
            common.cross(&last).norm() <= UNDETERMINED_SINE
        };
        let is_undetermined = !self.meets || across.norm() <= UNDETERMINED_SINE * reach.norm();
        is_undetermined || self.outer(displacement).iter().any(is_aligned)
    }

    fn constants(&self) -> Option<Value> {
        Some(self.value())
    }
}
