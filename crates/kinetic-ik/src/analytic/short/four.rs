//! 4R arms, the last three axes parallel: the position of the tool, and the direction of one of its axes in the
//! plane in which the three move it.
//!
//! The first joint turns that plane to the target, the direction tells the sum of the three others, and what is left is
//! a planar arm of two links.

use kinetic_kinematics::Rigid;
use nalgebra::{Matrix4, Vector3, Vector4};

use super::TOOL_AXES;
use super::newton::{Linear, polished, polished_holding};
use crate::analytic::array_vec::ArrayVec;
use crate::analytic::branches::{Branch, BranchJoints, Branches};
use crate::analytic::constant::{Constant, Value, constants};
use crate::analytic::cos_sin::CosSin;
use crate::analytic::dh_chain::{DhChain, FrameCache};
use crate::analytic::poe::{ProductOfExponentials, Screw};
use crate::analytic::policy::TolerancePolicy;
use crate::analytic::six::PlanarArm;
use crate::analytic::solver::{Held, Met, Solver, Target, blank};
use crate::analytic::subproblems::linear;

#[derive(Debug)]
pub(crate) struct FourArm {
    screws: [Screw; 4],
    first: Screw,
    planar: PlanarArm,
    /// Points of axes 2 and 4, and the tool at zero.
    second: Vector3<f64>,
    fourth: Vector3<f64>,
    tool: Rigid,
    axis: usize,
    dh_chain: DhChain<4>,
    variables: [usize; 4],
    policy: TolerancePolicy,
}

constants!(FourArm { screws, first, planar, second, fourth, tool, axis, dh_chain, variables, policy });

impl FourArm {
    /// For parallel axes 2, 3, 4; `None` when the first one is parallel to them too.
    pub(crate) fn new(arm: &ProductOfExponentials, policy: &TolerancePolicy) -> Option<Self> {
        let screws: &[Screw; 4] = arm.screws().try_into().ok()?;
        let planar = PlanarArm::new([&screws[1], &screws[2], &screws[3]], policy)?;
        let tool = *arm.home();
        let is_in_plane = |axis: &&usize| tool.rotation.column(**axis).dot(&planar.common).abs() < MOSTLY_ACROSS_COSINE;
        let axis = *TOOL_AXES.iter().find(is_in_plane)?;
        (screws[0].axis.cross(&planar.common).norm() > policy.axis_parallel).then(|| Self {
            screws: *screws,
            first: screws[0],
            planar,
            second: screws[1].point,
            fourth: screws[3].point,
            tool,
            axis,
            dh_chain: DhChain::of(screws, arm.home()),
            variables: screws.map(|screw| screw.variable),
            policy: *policy,
        })
    }

    /// Angles of the first joint that turn the plane of the tool to `position`.
    fn first_angles(&self, position: &Vector3<f64>) -> ArrayVec<[CosSin; 1], 2> {
        let (axis, common) = (&self.first.axis, &self.planar.common);
        let reach = position - self.first.point;
        let along = axis.dot(common) * axis.dot(&reach);
        let (a, b) = (common.dot(&reach) - along, common.dot(&reach.cross(axis)));
        let right = common.dot(&(self.tool.translation - self.first.point)) - along;
        let size = (self.tool.translation - self.first.point).norm() + reach.norm();
        if a.hypot(b) <= NO_DIRECTION_RATIO * size && right.abs() <= NO_DIRECTION_RATIO * size {
            // Over the first axis every plane will do.
            return ArrayVec::filled([CosSin::ZERO], 1);
        }
        let answers = linear(a, b, right, size, &self.policy);
        if answers.is_exact { answers.solutions } else { ArrayVec::empty([CosSin::ZERO]) }
    }

    /// Reached minus wanted position, and the sine of the angle to the direction in the plane of the first joint.
    fn linear(&self, row: &[CosSin; 4], target: &Rigid) -> Linear<4> {
        let (mut moved, mut joints) = (Rigid::identity(), [(Vector3::zeros(), Vector3::zeros()); 4]);
        for ((joint, screw), turn) in joints.iter_mut().zip(&self.screws).zip(row) {
            let here = screw.moved(&moved);
            *joint = (here.axis, here.point);
            moved = moved.then(&screw.turned(*turn));
        }
        let reached = moved.then(&self.tool);
        let normal = row[0].rotate(&self.first.axis, &self.planar.common);
        let [axis, wanted] = [&reached, target].map(|pose| pose.rotation.column(self.axis).into_owned());
        let shift = target.translation - reached.translation;
        let error = Vector4::new(-shift.x, -shift.y, -shift.z, normal.dot(&wanted.cross(&axis)));
        let column = |joint: usize| {
            let (turning, point) = joints[joint];
            let motion = turning.cross(&(reached.translation - point));
            // The first joint turns the plane along.
            let carried = if joint == 0 { turning.cross(&normal).dot(&wanted.cross(&axis)) } else { 0.0 };
            let angle = normal.dot(&wanted.cross(&turning.cross(&axis))) + carried;
            Vector4::new(motion.x, motion.y, motion.z, angle)
        };
        (error, Matrix4::from_columns(&[column(0), column(1), column(2), column(3)]))
    }

    /// Length of the difference in position and in direction in the plane.
    fn residual_of(&self, row: &[CosSin; 4], target: &Rigid, cache: &mut FrameCache<4>) -> f64 {
        let reached = self.dh_chain.reached(row, cache);
        let normal = row[0].rotate(&self.first.axis, &self.planar.common);
        let flat = |pose: &Rigid| {
            let axis = pose.rotation.column(self.axis).into_owned();
            (axis - normal * normal.dot(&axis)).try_normalize(NO_DIRECTION_RATIO)
        };
        let apart = match (flat(&reached), flat(target)) {
            (Some(reached), Some(wanted)) => (reached - wanted).norm(),
            _ => 0.0,
        };
        (reached.translation - target.translation).norm().hypot(apart)
    }
}

/// Cosine to the normal of the plane up to which an axis of the tool can give a direction in the plane.
const MOSTLY_ACROSS_COSINE: f64 = 0.9;
/// What is shorter than this, relative to the arm, has no direction.
const NO_DIRECTION_RATIO: f64 = 1e-12;

impl Solver for FourArm {
    fn search(&self, target: &Target, _at: &[f64], branches: &mut Branches) {
        let (first, mut cache) = (branches.found.len(), FrameCache::new());
        let common = &self.planar.common;
        let (wanted_axis, axis) = (target.pose.rotation.column(self.axis), self.tool.rotation.column(self.axis));
        for [turn] in self.first_angles(&target.pose.translation).iter() {
            let back = turn.inverse();
            // Subproblem 1: the direction in the plane.
            let direction = back.rotate(&self.first.axis, &wanted_axis.into_owned());
            let (x, y) = (
                axis.dot(&direction) - common.dot(&axis) * common.dot(&direction),
                common.cross(&axis.into_owned()).dot(&direction),
            );
            let sum = if x.hypot(y) <= NO_DIRECTION_RATIO { CosSin::ZERO } else { CosSin::from_direction(x, y) };
            let reach = back.rotate(&self.first.axis, &(target.pose.translation - self.first.point));
            let carried = sum.rotate(common, &(self.tool.translation - self.fourth));
            let wrist = self.first.point + reach - carried - self.second;
            let planar = self.planar.solve(&wrist, sum);
            let rows = planar.iter().map(|[second, third, fourth]| [*turn, *second, *third, *fourth]);
            for row in rows.flat_map(|row| polished(row, |row| self.linear(row, &target.pose))) {
                let fk_residual = self.residual_of(&row, &target.pose, &mut cache);
                if !(fk_residual <= self.policy.subproblem_numerical) {
                    continue;
                }
                let mut q = blank(4);
                for (variable, turn) in self.variables.iter().zip(row) {
                    q[*variable] = turn.angle();
                }
                branches.add(first, Branch { q, fk_residual }, self.policy.subproblem_dedup, |q| {
                    let row = self.variables.map(|variable| CosSin::from_angle(q[variable]));
                    self.residual_of(&row, &target.pose, &mut FrameCache::new())
                });
            }
        }
    }

    fn residual(&self, q: &BranchJoints, target: &Target) -> f64 {
        let row = self.variables.map(|variable| CosSin::from_angle(q[variable]));
        self.residual_of(&row, &target.pose, &mut FrameCache::new())
    }

    fn polished_holding(&self, branch: &Branch, target: &Target, held: Held) -> Option<Branch> {
        let row = self.variables.map(|variable| CosSin::from_angle(branch.q[variable]));
        let is_held = self.variables.map(|variable| held[variable]);
        let row = polished_holding(row, is_held, |row| self.linear(row, &target.pose));
        let mut q = branch.q;
        for ((variable, turn), _) in self.variables.iter().zip(row).zip(is_held).filter(|(_, is_held)| !is_held) {
            q[*variable] = turn.angle();
        }
        Some(Branch { q, fk_residual: self.residual_of(&row, &target.pose, &mut FrameCache::new()) })
    }

    fn data(&self) -> Option<Value> {
        Some(self.value())
    }

    fn met(&self) -> Met {
        Met::PositionAndPitch(self.axis)
    }
}
