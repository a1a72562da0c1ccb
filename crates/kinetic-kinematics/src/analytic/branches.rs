//! What solvers write into: branches, and the memory of a solve.

use super::few::Few;
use super::postprocess::wrapped;
use super::six::Row;

/// Joints that closed forms are made for at most: six that are solved for and two that are locked.
pub const MOST_JOINTS: usize = 8;

/// Residual up to which a branch counts as closed. Forward kinematics of six joints rounds at about 1e-15.
pub(super) const CLOSED: f64 = 1e-10;

/// Joint values of a branch without allocation; behaves as a slice.
pub type BranchJoints = Few<f64, MOST_JOINTS>;

/// One branch.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Branch {
    /// Joint values in the order of the chain's configuration. Rotating joints are in (−π, π], but for locked ones,
    /// which are where the sweep put them.
    pub q: BranchJoints,
    /// As [`super::Solution::fk_residual`].
    pub fk_residual: f64,
}

/// Memory of a solve, and its branches; reused, a solve allocates nothing.
#[derive(Debug, Default)]
pub struct Branches {
    pub(super) rows: Vec<Row>,
    pub(super) found: Vec<Branch>,
}

impl Branches {
    /// The branches of the last solve.
    pub fn as_slice(&self) -> &[Branch] {
        &self.found
    }

    /// Adds a branch unless one from `first` on is the same; of two that are the same the one that closes better
    /// stays.
    #[inline]
    pub(super) fn add(&mut self, first: usize, branch: Branch, same: f64) {
        let is_same = |known: &Branch| known.q.iter().zip(branch.q.iter()).all(|(a, b)| wrapped(a - b).abs() <= same);
        match self.found[first..].iter_mut().find(|known| is_same(known)) {
            Some(known) if known.fk_residual <= branch.fk_residual => {}
            Some(known) => *known = branch,
            None => self.found.push(branch),
        }
    }
}
