//! Following one configuration from pose to pose in steps as small as it takes.

use kinetic_core::Pose;
use kinetic_kinematics::Rigid;
use kinetic_kinematics::jacobian::condition_number;
use nalgebra::Isometry3;

use super::candidates::Candidates;
use super::turns::{lifted, step};

/// What lies between two configurations.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum End {
    /// A configuration whose Jacobian loses its rank, or nearly.
    Singular,
    /// Nothing of the kind.
    Regular,
}

/// Steps up to here follow one branch, rad or m.
const FINE: f64 = 0.05;
/// First part of the way.
const FIRST: f64 = 0.25;
/// A branch that has not gone on over this part of the way has ended.
const LEAST: f64 = 1e-7;
/// Most poses that are looked at.
const MOST: usize = 2000;
/// Condition number from which a configuration counts as singular.
const SINGULAR: f64 = 100.0;

/// Follows configuration `from` on the straight way (screw-free: straight line, shortest turn) to the pose of `to`.
///
/// A branch ends only at a singularity; one that goes on is singular on its way when its condition number says so.
pub(super) fn follow(source: &mut dyn Candidates, from: &[f64], to: &[f64]) -> End {
    let (begin, end) = (source.chain().tip_pose(from), source.chain().tip_pose(to));
    let (mut q, mut t, mut h) = (from.to_vec(), 0.0, FIRST);
    let (mut found, mut looked_at) = (Vec::new(), 0);
    while t < 1.0 && looked_at < MOST {
        if is_singular(source, &q) {
            return End::Singular;
        }
        let next = f64::min(t + h, 1.0);
        found.clear();
        source.candidates(&between(&begin, &end, next), &q, &mut found);
        looked_at += 1;
        if advance(source, &mut q, &found) {
            (t, h) = (next, f64::min(2.0 * h, FIRST));
        } else if h < LEAST {
            return End::Singular;
        } else {
            h *= 0.5;
        }
    }
    if is_singular(source, &q) { End::Singular } else { End::Regular }
}

fn is_singular(source: &dyn Candidates, q: &[f64]) -> bool {
    condition_number(source.chain(), q).is_ok_and(|condition| condition > SINGULAR)
}

/// Moves `q` to the nearest configuration found; false when none is near enough to be the same branch.
fn advance(source: &dyn Candidates, q: &mut [f64], found: &[f64]) -> bool {
    let chain = source.chain();
    let far = |row: &&[f64]| {
        let steps = (0..q.len()).map(|joint| step(q[joint], row[joint], chain.is_rotation(joint)).abs());
        steps.fold(0.0, f64::max)
    };
    let nearest = found.chunks_exact(q.len()).min_by(|a, b| far(a).total_cmp(&far(b)));
    let Some(row) = nearest.filter(|row| far(row) <= FINE) else { return false };
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
