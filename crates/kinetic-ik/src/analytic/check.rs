//! Branch verification: forward kinematics accepts or rejects rows, Newton's method restores the digits lost to rounding.

use kinetic_kinematics::Rigid;

use super::batch_residual::{RowResiduals, row_residuals};
use super::branches::{Branch, BranchJoints, Branches, USUAL_BRANCHES};
use super::cos_sin::CosSin;
use super::dh_chain::{DhChain, FrameCache};
use super::poe::Screw;
use super::policy::TolerancePolicy;
use super::solver::Held;
use crate::analytic::constant::constants;

/// Residual above which a branch has lost digits that Newton's method can bring back.
const SHARP_RESIDUAL: f64 = 1e-12;
/// Residual up to which rounding, and not reach, may be why a branch does not close.
const RECOVERABLE_RESIDUAL: f64 = 1e-3;
/// Newton steps that take back what rounding did to a branch near a singularity.
const RECOVERY_STEPS: usize = 3;
/// Newton steps that bring the other joints back to the target when joints were put onto their limits.
const POLISHING_STEPS: usize = 10;

/// `N` rotating joints and their entries in a branch.
#[derive(Debug)]
pub(crate) struct Check<const N: usize> {
    dh_chain: DhChain<N>,
    variables: [usize; N],
    policy: TolerancePolicy,
    /// Angle by which Newton's method moves rows that are no double root, rad.
    close: f64,
    /// Residual up to which a row may have lost digits, and not be out of reach.
    near: f64,
}

constants!(Check<6> { dh_chain, variables, policy, close, near });
constants!(Check<7> { dh_chain, variables, policy, close, near });

/// Writes the rows of one solve.
pub(crate) struct Writer<'a, const N: usize> {
    check: &'a Check<N>,
    pose: &'a Rigid,
    base_from_last: Rigid,
    q: BranchJoints,
    /// Index of the first branch that may be the same.
    first: usize,
    /// Newton's method moved a row far, as near a double root, or did not converge.
    pub(crate) is_doubtful: bool,
}

impl<const N: usize> Check<N> {
    pub(crate) fn new(screws: &[Screw; N], home: &Rigid, policy: &TolerancePolicy) -> Self {
        let variables = screws.map(|screw| screw.variable);
        Self {
            dh_chain: DhChain::of(screws, home),
            variables,
            policy: *policy,
            close: RECOVERY_ANGLE_RAD,
            near: RECOVERABLE_RESIDUAL,
        }
    }

    pub(crate) fn dh_chain(&self) -> &DhChain<N> {
        &self.dh_chain
    }

    /// Entries of the joints in a branch.
    pub(crate) fn variables(&self) -> &[usize; N] {
        &self.variables
    }

    /// For rows of an arm that differs from this one by `tolerance`: they have to be moved, and beside double roots, where
    /// the square root of a difference counts, much farther.
    pub(crate) fn expect_difference(&mut self, tolerance: f64) {
        self.close = 0.3 * tolerance.sqrt();
        self.near = (3.0 * tolerance.sqrt()).max(RECOVERABLE_RESIDUAL);
    }

    /// A writer of branches that reach `pose`; `q` has the values of all other joints.
    #[inline]
    pub(crate) fn writer<'a>(&'a self, pose: &'a Rigid, q: BranchJoints, first: usize) -> Writer<'a, N> {
        Writer { check: self, pose, base_from_last: self.dh_chain.base_from_last(pose), q, first, is_doubtful: false }
    }

    /// A branch after at most `steps` Newton steps.
    pub(crate) fn refined(&self, branch: &Branch, pose: &Rigid, steps: usize) -> Branch {
        let row = std::array::from_fn(|joint| CosSin::from_angle(branch.q[self.variables[joint]]));
        let row = self.dh_chain.polished(row, pose, steps);
        let mut q = branch.q;
        for (variable, turn) in self.variables.iter().zip(row) {
            q[*variable] = turn.angle();
        }
        Branch {
            q,
            fk_residual: self.dh_chain.residual(&row, &self.dh_chain.base_from_last(pose), &mut FrameCache::new()),
        }
    }
}

impl<const N: usize> Check<N> {
    /// Pose residual of a configuration.
    pub(crate) fn residual(&self, q: &[f64], pose: &Rigid) -> f64 {
        let row = self.variables.map(|variable| CosSin::from_angle(q[variable]));
        self.dh_chain.residual(&row, &self.dh_chain.base_from_last(pose), &mut FrameCache::new())
    }

    /// As [`Solver::polished_holding`](super::solver::Solver::polished_holding).
    pub(crate) fn polished_holding(&self, branch: &Branch, pose: &Rigid, held: Held) -> Branch {
        let row = self.variables.map(|variable| CosSin::from_angle(branch.q[variable]));
        let is_held = self.variables.map(|variable| held[variable]);
        let row = self.dh_chain.polished_holding(row, &is_held, pose, POLISHING_STEPS);
        let mut q = branch.q;
        for ((variable, turn), _) in self.variables.iter().zip(row).zip(is_held).filter(|(_, is_held)| !is_held) {
            q[*variable] = turn.angle();
        }
        Branch {
            q,
            fk_residual: self.dh_chain.residual(&row, &self.dh_chain.base_from_last(pose), &mut FrameCache::new()),
        }
    }
}

impl<const N: usize> Writer<'_, N> {
    /// Adds the rows that close or nearly do, and are new.
    pub(crate) fn write(&mut self, rows: &[[CosSin; N]], branches: &mut Branches) {
        for rows in rows.chunks(ROWS_PER_BATCH) {
            if rows.len() <= ROWS_PER_BATCH / 2 {
                self.write_batch(
                    rows,
                    &row_residuals::<N, { ROWS_PER_BATCH / 2 }>(&self.check.dh_chain, &self.base_from_last, rows),
                    branches,
                );
            } else {
                self.write_batch(
                    rows,
                    &row_residuals::<N, ROWS_PER_BATCH>(&self.check.dh_chain, &self.base_from_last, rows),
                    branches,
                );
            }
        }
    }

    fn write_batch<const W: usize>(
        &mut self,
        rows: &[[CosSin; N]],
        batch: &RowResiduals<N, W>,
        branches: &mut Branches,
    ) {
        for (lane, row) in rows.iter().enumerate() {
            let mut fk_residual = batch.residuals[lane];
            if fk_residual > SHARP_RESIDUAL && fk_residual <= self.check.near {
                fk_residual = self.sharpen(row);
            } else {
                for (variable, angles) in self.check.variables.iter().zip(&batch.angles) {
                    self.q[*variable] = angles[lane];
                }
            }
            if fk_residual <= self.check.policy.subproblem_numerical {
                let Check { dh_chain, variables, policy, .. } = self.check;
                let base_from_last = &self.base_from_last;
                branches.add(self.first, Branch { q: self.q, fk_residual }, policy.subproblem_dedup, |q| {
                    dh_chain.residual(
                        &variables.map(|variable| CosSin::from_angle(q[variable])),
                        base_from_last,
                        &mut FrameCache::new(),
                    )
                });
            }
        }
    }

    /// Refines a row that lost digits by Newton's method and takes its angles; returns the residual.
    #[cold]
    fn sharpen(&mut self, row: &[CosSin; N]) -> f64 {
        let Check { dh_chain, variables, close, .. } = self.check;
        let polished = dh_chain.polished(*row, self.pose, RECOVERY_STEPS);
        let fk_residual = dh_chain.residual(&polished, &self.base_from_last, &mut FrameCache::new());
        self.is_doubtful |= !(fk_residual <= SHARP_RESIDUAL && is_close(row, &polished, *close));
        for (variable, turn) in variables.iter().zip(polished) {
            self.q[*variable] = turn.angle();
        }
        fk_residual
    }
}

/// Rows per SIMD batch.
const ROWS_PER_BATCH: usize = USUAL_BRANCHES;

/// Angle by which rounding moves rows that are no double root.
const RECOVERY_ANGLE_RAD: f64 = 1e-3;

fn is_close<const N: usize>(a: &[CosSin; N], b: &[CosSin; N], close: f64) -> bool {
    a.iter().zip(b).all(|(a, b)| (a.cos - b.cos).abs() + (a.sin - b.sin).abs() <= close)
}
