//! Six rotating joints with the solver of their class.

use super::ClosedForm;
use crate::analytic::branches::{Branch, BranchJoints, Branches};
use crate::analytic::check::Check;
use crate::analytic::codegen::{Constant, Value};
use crate::analytic::poe::{ProductOfExponentials, Screw};
use crate::analytic::policy::TolerancePolicy;
use crate::analytic::solver::{Solver, Target, blank};

/// An arm with six rotating joints, or the six of a longer one that are solved for.
#[derive(Debug)]
pub(crate) struct SixArm {
    class: Box<dyn ClosedForm>,
    /// Finds what `class` may miss, when that is of an arm nearby only.
    sure: Option<Box<dyn ClosedForm>>,
    check: Check<6>,
}

impl SixArm {
    /// `None` unless there are six joints.
    pub(crate) fn new(
        arm: &ProductOfExponentials,
        class: Box<dyn ClosedForm>,
        policy: &TolerancePolicy,
    ) -> Option<Self> {
        let screws: &[Screw; 6] = arm.screws().try_into().ok()?;
        Some(Self { class, sure: None, check: Check::new(screws, arm.home(), policy) })
    }

    /// With the solver of a class that the arm belongs to but for `tolerance`: rows are brought to the arm by Newton's
    /// method, and beside double roots, which may be on one of the two arms only, `sure` has the word.
    #[must_use]
    pub(crate) fn backed_by(mut self, sure: Box<dyn ClosedForm>, tolerance: f64) -> Self {
        self.check.expect_difference(tolerance);
        self.sure = Some(sure);
        self
    }

    /// Appends the branches that close or nearly do; `q` has the values of all other joints.
    #[inline]
    pub(crate) fn append(&self, target: &Target, q: BranchJoints, branches: &mut Branches) {
        branches.rows.clear();
        self.class.branches(&target.displacement, &mut branches.rows);
        let mut writer = self.check.writer(&target.pose, q, branches.found.len());
        for index in 0..branches.rows.len() {
            writer.write(branches.rows[index], branches);
        }
        if let Some(sure) = self.sure.as_ref().filter(|_| writer.is_doubtful) {
            branches.rows.clear();
            sure.branches(&target.displacement, &mut branches.rows);
            for index in 0..branches.rows.len() {
                writer.write(branches.rows[index], branches);
            }
        }
    }

    /// A branch after at most `steps` Newton steps in the six joints.
    pub(crate) fn polished(&self, branch: &Branch, target: &Target, steps: usize) -> Branch {
        self.check.refined(branch, &target.pose, steps)
    }
}

impl Solver for SixArm {
    /// None for an arm that only nearly belongs to its class: a generated file has one closed form.
    fn constants(&self) -> Option<[Value; 2]> {
        let is_sure = self.sure.is_none();
        is_sure.then(|| Some([self.class.constants()?, self.check.closure().value()])).flatten()
    }

    fn search(&self, target: &Target, _at: &[f64], branches: &mut Branches) {
        self.append(target, blank(6), branches);
    }

    fn refined(&self, branch: &Branch, target: &Target, steps: usize) -> Option<Branch> {
        Some(self.polished(branch, target, steps))
    }
}
