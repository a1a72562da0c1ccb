//! Branches of a pose, and the memory that solvers reuse.

use super::angles::wrapped;
use super::array_vec::ArrayVec;
use super::six::Row;

/// Joints that closed forms are made for at most: six that are solved for and two that are locked.
pub const MOST_JOINTS: usize = 8;

/// Residual up to which a branch counts as closed. Forward kinematics of six joints rounds at about 1e-15.
pub(super) const CLOSED_RESIDUAL: f64 = 1e-10;

/// Joint values of a branch without allocation; behaves as a slice.
pub type BranchJoints = ArrayVec<f64, MOST_JOINTS>;

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

/// Branches that most poses have at most.
pub(super) const USUAL_BRANCHES: usize = 8;

impl Branches {
    /// With memory for what most poses need.
    pub(super) fn with_usual_capacity() -> Self {
        Self { rows: Vec::with_capacity(USUAL_BRANCHES), found: Vec::with_capacity(USUAL_BRANCHES) }
    }

    /// The branches of the last solve.
    pub fn as_slice(&self) -> &[Branch] {
        &self.found
    }

    /// Adds a branch unless one from `first` on is the same; of two that are the same the one that closes better
    /// stays. `residual` is that of a configuration.
    ///
    /// Branches as near as `same` are two where the middle between them does not reach the target: near a double root both
    /// are true, while images of one root that differ by rounding have only images between them.
    #[inline]
    pub(super) fn add(&mut self, first: usize, branch: Branch, same: f64, mut residual: impl FnMut(&[f64]) -> f64) {
        let is_near = |known: &Branch| known.q.iter().zip(branch.q.iter()).all(|(a, b)| wrapped(a - b).abs() <= same);
        let mut is_one = |known: &&mut Branch| {
            is_near(known)
                && residual(&middle(known, &branch))
                    <= rounding(known, &branch).max(SAME_BRANCH_RESIDUAL_FACTOR * same.powi(4))
        };
        match self.found[first..].iter_mut().find(&mut is_one) {
            Some(known) if known.fk_residual <= branch.fk_residual => {}
            Some(known) => *known = branch,
            None => self.found.push(branch),
        }
    }
}

/// Residual of the middle between two images of one root.
fn rounding(a: &Branch, b: &Branch) -> f64 {
    a.fk_residual.max(b.fk_residual).max(IMAGE_RESIDUAL)
}

/// Least residual of the middle between two images of one root.
const IMAGE_RESIDUAL: f64 = 1e-12;
/// Residual of the middle between two branches that a policy calls the same, against the fourth power of its distance:
/// below rounding for thousandths, anything for half a turn.
const SAME_BRANCH_RESIDUAL_FACTOR: f64 = 0.1;

/// The configuration half way between two branches.
fn middle(a: &Branch, b: &Branch) -> BranchJoints {
    let mut out = a.q;
    for (value, (a, b)) in out.iter_mut().zip(a.q.iter().zip(b.q.iter())) {
        *value = a + 0.5 * wrapped(b - a);
    }
    out
}

#[cfg(test)]
mod tests {
    use std::f64::consts::{PI, TAU};

    use super::*;

    fn branch(q: &[f64], fk_residual: f64) -> Branch {
        let mut joints = BranchJoints::empty(0.0);
        for value in q {
            joints.push(*value);
        }
        Branch { q: joints, fk_residual }
    }

    #[test]
    fn images_of_one_root_on_both_sides_of_half_a_turn_are_one_branch() {
        // Roots are where the first joint is at half a turn and the second one at 0.3.
        let residual = |q: &[f64]| (q[0].abs() - PI).abs().max((q[1] - 0.3).abs());
        for aside in [0.0, 1e-15, 1e-9, 1e-4] {
            let mut branches = Branches::default();
            for (first, second) in [(PI - aside, 0.3), (-PI + aside, 0.3), (PI, 0.3), (-PI, 0.3 + 0.5 * aside)] {
                let added = branch(&[first, second], residual(&[first, second]));
                branches.add(0, added, 1e-3, residual);
            }
            assert_eq!(branches.as_slice().len(), 1, "{aside}: {:?}", branches.as_slice());
            // The one that closes best stays.
            assert_eq!(branches.as_slice()[0].fk_residual, 0.0, "{aside}");
        }
    }

    #[test]
    fn roots_beside_half_a_turn_stay_two_where_the_middle_between_them_does_not_close() {
        // Two roots, 1e-4 to either side of half a turn.
        let residual = |q: &[f64]| (1e-4 - (q[0] - PI - TAU * ((q[0] - PI) / TAU).round()).abs()).abs();
        let mut branches = Branches::default();
        for first in [PI - 1e-4, -PI + 1e-4] {
            branches.add(0, branch(&[first], residual(&[first])), 1e-3, residual);
        }
        assert_eq!(branches.as_slice().len(), 2, "{:?}", branches.as_slice());
    }
}
