//! 6R arms with the solver of their class.

use kinetic_kinematics::Rigid;

use super::SixJointSolver;
use crate::analytic::branches::{Branch, BranchJoints, Branches};
use crate::analytic::check::Check;
use crate::analytic::constant::{Constant, Value};
use crate::analytic::dh_chain::FrameCache;
use crate::analytic::generic_configuration::six_angles;
use crate::analytic::poe::{ProductOfExponentials, Screw};
use crate::analytic::policy::TolerancePolicy;
use crate::analytic::solver::{Held, Solver, Target, blank};

/// An arm with six rotating joints, or the six of a longer one that are solved for.
#[derive(Debug)]
pub(crate) struct SixArm {
    class: Box<dyn SixJointSolver>,
    /// Finds what `class` may miss, when that is of an arm nearby only.
    sure: Option<Box<dyn SixJointSolver>>,
    check: Check<6>,
    /// It belongs to the class with wider tolerances only.
    is_near: bool,
}

/// Configurations at which the misfit is measured.
const MISFIT_CONFIGURATIONS: usize = 12;

impl SixArm {
    /// `None` unless there are six joints.
    pub(crate) fn new(
        arm: &ProductOfExponentials,
        class: Box<dyn SixJointSolver>,
        policy: &TolerancePolicy,
    ) -> Option<Self> {
        let screws: &[Screw; 6] = arm.screws().try_into().ok()?;
        Some(Self { class, sure: None, check: Check::new(screws, arm.home(), policy), is_near: false })
    }

    /// How far the rows of the class are from closing before anything is made of them: rounding, for an arm that belongs
    /// to it; how far its axes are off, for one that nearly does; infinite for one that does not.
    pub(crate) fn misfit(&self, arm: &ProductOfExponentials) -> f64 {
        let dh_chain = self.check.dh_chain();
        let (mut rows, mut cache) = (Vec::new(), FrameCache::new());
        let (mut worst, mut in_vain) = (0.0_f64, 0);
        for test in 0..MISFIT_CONFIGURATIONS {
            let turns = arm.screws().iter().zip(six_angles(test));
            let displacement = turns.fold(Rigid::identity(), |moved, (screw, q)| moved.then(&screw.exp(q)));
            let base_from_last = dh_chain.base_from_last(&displacement.then(arm.home()));
            rows.clear();
            self.class.branches(&displacement, &mut rows);
            let least = rows
                .iter()
                .map(|row| dh_chain.residual(row, &base_from_last, &mut cache))
                .fold(f64::INFINITY, f64::min);
            // One of the configurations may be at the edge of the reach of the arm nearby.
            if least.is_finite() { worst = worst.max(least) } else { in_vain += 1 }
        }
        if 4 * in_vain > MISFIT_CONFIGURATIONS { f64::INFINITY } else { worst }
    }

    /// Marks an arm that belongs to its class with wider tolerances only.
    #[must_use]
    pub(crate) fn nearly(mut self) -> Self {
        self.is_near = true;
        self
    }

    /// With the solver of a class that the arm belongs to but for `tolerance`: rows are brought to the arm by Newton's
    /// method, and beside double roots, which may be on one of the two arms only, `sure` has the word.
    #[must_use]
    pub(crate) fn backed_by(mut self, sure: Box<dyn SixJointSolver>, tolerance: f64) -> Self {
        self.check.expect_difference(tolerance);
        self.sure = Some(sure);
        self
    }

    /// Appends the branches that close or nearly do; `q` has the values of all other joints.
    #[inline]
    pub(crate) fn append(&self, target: &Target, q: BranchJoints, branches: &mut Branches) {
        // Out of `branches` while it is read, so that branches can be added.
        let mut rows = std::mem::take(&mut branches.rows);
        rows.clear();
        self.class.branches_by_linearity_joint(target.linearity_joint, &target.displacement, &mut rows);
        let first = branches.found.len();
        let mut writer = self.check.writer(&target.pose, q, first);
        writer.write(&rows, branches);
        let is_doubtful = writer.is_doubtful || branches.found.len() == first;
        if let Some(sure) = self.sure.as_ref().filter(|_| is_doubtful) {
            rows.clear();
            sure.branches_by_linearity_joint(target.linearity_joint, &target.displacement, &mut rows);
            writer.write(&rows, branches);
        }
        branches.rows = rows;
    }

    /// As [`Solver::residual`] for the six joints.
    pub(crate) fn residual_at(&self, q: &[f64], pose: &Rigid) -> f64 {
        self.check.residual(q, pose)
    }

    /// As [`Solver::polished_holding`] for the six joints.
    pub(crate) fn polished_holding_at(&self, branch: &Branch, pose: &Rigid, held: Held) -> Branch {
        self.check.polished_holding(branch, pose, held)
    }

    /// A branch after at most `steps` Newton steps in the six joints.
    pub(crate) fn polished(&self, branch: &Branch, target: &Target, steps: usize) -> Branch {
        self.check.refined(branch, &target.pose, steps)
    }
}

impl Solver for SixArm {
    /// For an arm that only nearly belongs to its class those of the general one behind it: a generated file has one closed
    /// form.
    fn constants(&self) -> Option<[Value; 2]> {
        let class = if self.is_near { self.sure.as_ref()? } else { &self.class };
        Some([class.constants()?, self.check.dh_chain().value()])
    }

    fn may_hide(&self, target: &Target) -> bool {
        self.class.may_hide(&target.displacement)
    }

    fn data(&self) -> Option<Value> {
        let mut class = Value::Boxed(Box::new(self.class.constants()?));
        if self.class.is_reversed() {
            class = Value::Boxed(Box::new(Value::Variant("Reversed", vec![class])));
        }
        let fields = vec![
            ("class", class),
            ("sure", Value::Named("None")),
            ("check", self.check.value()),
            ("is_near", self.is_near.value()),
        ];
        (!self.is_near).then_some(Value::Record("SixArm", fields))
    }

    fn search(&self, target: &Target, _at: &[f64], branches: &mut Branches) {
        self.append(target, blank(6), branches);
    }

    fn linearity_joints(&self) -> Vec<usize> {
        if self.class.is_general() { self.check.variables()[1..4].to_vec() } else { Vec::new() }
    }

    fn refined(&self, branch: &Branch, target: &Target, steps: usize) -> Option<Branch> {
        Some(self.polished(branch, target, steps))
    }

    fn residual(&self, q: &BranchJoints, target: &Target) -> f64 {
        self.residual_at(q, &target.pose)
    }

    fn polished_holding(&self, branch: &Branch, target: &Target, held: Held) -> Option<Branch> {
        Some(self.polished_holding_at(branch, &target.pose, held))
    }
}
