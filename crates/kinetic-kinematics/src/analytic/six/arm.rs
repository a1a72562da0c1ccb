//! Six rotating joints with the solver of their class: its rows checked by forward kinematics, and as joint values.

use super::{ClosedForm, Row};
use crate::analytic::branches::{Branch, BranchJoints, Branches};
use crate::analytic::closure::{Along, Closure};
use crate::analytic::poe::{ProductOfExponentials, Screw};
use crate::analytic::policy::TolerancePolicy;
use crate::analytic::solver::{Solver, Target, blank};
use crate::analytic::turn::Turn;

/// Residual above which a branch has lost digits that Newton's method can bring back.
const SHARP: f64 = 1e-12;
/// Residual up to which rounding, and not reach, may be why a branch does not close.
const NEAR: f64 = 1e-3;
/// Newton steps that take back what rounding did to a branch near a singularity.
const STEPS: usize = 3;

/// An arm with six rotating joints, or the six of a longer one that are solved for.
#[derive(Debug)]
pub(crate) struct SixArm {
    closure: Closure<6>,
    class: Box<dyn ClosedForm>,
    /// Entries of the six joints in a branch.
    variables: [usize; 6],
    policy: TolerancePolicy,
}

impl SixArm {
    /// `None` unless there are six joints.
    pub(crate) fn new(
        arm: &ProductOfExponentials,
        class: Box<dyn ClosedForm>,
        policy: &TolerancePolicy,
    ) -> Option<Self> {
        let screws: &[Screw; 6] = arm.screws().try_into().ok()?;
        let closure = Closure::new(screws, arm.home());
        Some(Self { closure, class, variables: screws.map(|screw| screw.variable), policy: *policy })
    }

    /// Appends the branches that close or nearly do; `q` has the values of all other joints.
    #[inline]
    pub(crate) fn append(&self, target: &Target, mut q: BranchJoints, branches: &mut Branches) {
        branches.rows.clear();
        self.class.branches(&target.displacement, &mut branches.rows);
        let first = branches.found.len();
        let mut along = Along::new();
        let mut last: Option<Row> = None;
        for index in 0..branches.rows.len() {
            let mut row = branches.rows[index];
            let mut fk_residual = self.closure.residual(&row, &target.pose, &mut along);
            if fk_residual > SHARP && fk_residual <= NEAR {
                row = self.closure.polished(row, &target.pose, STEPS);
                fk_residual = self.closure.residual(&row, &target.pose, &mut along);
            }
            if !(fk_residual <= self.policy.subproblem_numerical) {
                continue;
            }
            // Neighbouring branches share joints, whose angles need not be computed again.
            for (joint, variable) in self.variables.iter().enumerate() {
                if last.is_none_or(|last| last[joint] != row[joint]) {
                    q[*variable] = row[joint].angle();
                }
            }
            last = Some(row);
            branches.add(first, Branch { q, fk_residual }, self.policy.subproblem_dedup);
        }
    }

    /// A branch after at most `steps` Newton steps in the six joints.
    pub(crate) fn polished(&self, branch: &Branch, target: &Target, steps: usize) -> Branch {
        let row: Row = std::array::from_fn(|joint| Turn::of(branch.q[self.variables[joint]]));
        let row = self.closure.polished(row, &target.pose, steps);
        let fk_residual = self.closure.residual(&row, &target.pose, &mut Along::new());
        let mut q = branch.q;
        for (variable, turn) in self.variables.iter().zip(row) {
            q[*variable] = turn.angle();
        }
        Branch { q, fk_residual }
    }
}

impl Solver for SixArm {
    fn search(&self, target: &Target, branches: &mut Branches) {
        self.append(target, blank(6), branches);
    }

    fn refined(&self, branch: &Branch, target: &Target, steps: usize) -> Branch {
        self.polished(branch, target, steps)
    }
}
