//! Branch continuation: one configuration is followed between two poses with adaptive steps.

use kinetic_core::Pose;
use kinetic_kinematics::Rigid;
use kinetic_kinematics::jacobian::condition_number;
use nalgebra::Isometry3;

use super::candidates::Candidates;
use super::turns::{lifted, step};

/// What lies between two configurations.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum BranchEnd {
    /// A configuration whose Jacobian loses its rank, or nearly.
    Singular,
    /// Nothing of the kind.
    Regular,
}

/// Largest step within one branch.
const BRANCH_STEP_RAD_M: f64 = 0.05;
/// First and largest step, as a fraction of the path.
const LARGEST_STEP_FRACTION: f64 = 0.25;
/// A branch that does not continue over this fraction of the path has ended.
const LEAST_STEP_FRACTION: f64 = 1e-7;
/// Most poses that are solved.
const MOST_CONTINUATION_POSES: usize = 2000;
/// Condition number from which a configuration counts as singular.
const SINGULAR_CONDITION_NUMBER: f64 = 100.0;

/// Follows configuration `from` on the straight path (straight line, shortest rotation) to the pose of `to`.
///
/// A branch ends only at a singularity; one that goes on is singular in between when its condition number says so.
pub(super) fn continue_branch(source: &mut dyn Candidates, from: &[f64], to: &[f64]) -> BranchEnd {
    let (begin, end) = (source.chain().tip_pose(from), source.chain().tip_pose(to));
    let (mut q, mut t, mut h) = (from.to_vec(), 0.0, LARGEST_STEP_FRACTION);
    let (mut found, mut looked_at) = (Vec::new(), 0);
    while t < 1.0 && looked_at < MOST_CONTINUATION_POSES {
        if is_singular(source, &q) {
            return BranchEnd::Singular;
        }
        let next = f64::min(t + h, 1.0);
        found.clear();
        source.candidates(&between(&begin, &end, next), &q, &mut found);
        looked_at += 1;
        if advance(source, &mut q, &found) {
            (t, h) = (next, f64::min(2.0 * h, LARGEST_STEP_FRACTION));
        } else if h < LEAST_STEP_FRACTION {
            return BranchEnd::Singular;
        } else {
            h *= 0.5;
        }
    }
    if is_singular(source, &q) { BranchEnd::Singular } else { BranchEnd::Regular }
}

fn is_singular(source: &dyn Candidates, q: &[f64]) -> bool {
    condition_number(source.chain(), q).is_ok_and(|condition| condition > SINGULAR_CONDITION_NUMBER)
}

/// Moves `q` to the nearest configuration found; false when none is near enough to be the same branch.
fn advance(source: &dyn Candidates, q: &mut [f64], found: &[f64]) -> bool {
    let chain = source.chain();
    let far = |row: &&[f64]| {
        let steps = (0..q.len()).map(|joint| step(q[joint], row[joint], chain.is_rotation(joint)).abs());
        steps.fold(0.0, f64::max)
    };
    let nearest = found.chunks_exact(q.len()).min_by(|a, b| far(a).total_cmp(&far(b)));
    let Some(row) = nearest.filter(|row| far(row) <= BRANCH_STEP_RAD_M) else { return false };
    for (joint, value) in q.iter_mut().enumerate() {
        *value = lifted(row[joint], *value, chain.is_rotation(joint));
    }
    true
}

fn between(begin: &Pose, end: &Pose, t: f64) -> Rigid {
    let translation = begin.translation().lerp(&end.translation(), t);
    // Opposite orientations have no shortest turn; any will do.
    let rotation = begin.rotation().try_slerp(&end.rotation(), t, 1e-9).unwrap_or_else(|| begin.rotation());
    Rigid::from(&Pose(Isometry3::from_parts(translation.into(), rotation)))
}
