//! Choice of the locked joints of a redundant arm.

use kinetic_kinematics::Motion;

use super::Locked;
use super::locked::Fit;
use crate::analytic::class::DispatchPlan;
use crate::analytic::generic_configuration::{GENERIC_CONFIGURATIONS, jacobian};
use crate::analytic::poe::ProductOfExponentials;
use crate::analytic::policy::TolerancePolicy;
use crate::analytic::six::classes::{ROUNDED_AXES_FACTOR, rank};

/// The choice that leaves the best class; among equals the joints that take part in the self-motion most.
///
/// Joints at the ends are preferred: there one solver serves all values. Sliding joints are always locked. With
/// `wanted` (ascending) there is no choice.
pub(crate) fn choose(
    arm: &ProductOfExponentials,
    wanted: Option<&[usize]>,
    bounds: &[(f64, f64)],
    policy: &TolerancePolicy,
) -> Option<(Vec<usize>, Locked, DispatchPlan)> {
    let count = arm.dof().checked_sub(6)?;
    let outer = match wanted {
        Some(wanted) => vec![wanted.to_vec()],
        None => (0..=count).map(|before| ends(arm.dof(), before, count - before)).collect(),
    };
    let inner =
        if count == 1 && wanted.is_none() { (1..arm.dof() - 1).map(|joint| vec![joint]).collect() } else { vec![] };
    let moving = |least: f64| [outer.clone(), inner.clone()].map(|locks| retained(arm, locks, least));
    // Where the axes are off by rounding, joints move a little that would not move at all: these come last.
    let lists = if wanted.is_some() {
        vec![moving(ZERO_MOBILITY)]
    } else {
        vec![moving(ROUNDING_MOBILITY), moving(ZERO_MOBILITY)]
    };
    let fits = [Fit::Closed, Fit::Nearly(ROUNDED_AXES_FACTOR), Fit::Any];
    let choices = lists.iter().flatten().flat_map(|candidates| fits.map(|fit| (candidates, fit)));
    choices.into_iter().find_map(|(candidates, fit)| best(arm, candidates, bounds, policy, fit))
}

/// Those of the candidates that leave six turning joints, and have a share in the self-motion above `least`.
fn retained(arm: &ProductOfExponentials, mut candidates: Vec<Vec<usize>>, least: f64) -> Vec<Vec<usize>> {
    candidates.retain(|locks| leaves_turning(arm, locks) && mobility(arm, locks) > least);
    candidates
}

/// The candidate with the best class, and among equals with the largest share in the self-motion.
fn best(
    arm: &ProductOfExponentials,
    candidates: &[Vec<usize>],
    bounds: &[(f64, f64)],
    policy: &TolerancePolicy,
    fit: Fit,
) -> Option<(Vec<usize>, Locked, DispatchPlan)> {
    let built = candidates.iter().filter_map(|locks| {
        let (locked, plan) = Locked::new(arm, locks, bounds, policy, fit)?;
        Some((locks.clone(), locked, plan))
    });
    built.min_by(|a, b| {
        let mobilities = [&a.0, &b.0].map(|locks| mobility(arm, locks));
        rank(&a.2).cmp(&rank(&b.2)).then(mobilities[1].total_cmp(&mobilities[0]))
    })
}

/// The first `before` and the last `after` joints.
fn ends(dof: usize, before: usize, after: usize) -> Vec<usize> {
    (0..before).chain(dof - after..dof).collect()
}

fn leaves_turning(arm: &ProductOfExponentials, locks: &[usize]) -> bool {
    let left = arm.screws().iter().enumerate().filter(|(joint, _)| !locks.contains(joint));
    arm.dof() == locks.len() + 6 && left.into_iter().all(|(_, screw)| screw.motion == Motion::Rotation)
}

/// Share in the self-motion of a joint that has none, such as the elbow of an S-R-S arm, whose angle the target tells.
const ZERO_MOBILITY: f64 = 1e-9;

/// A share that axes which are off by rounding may leave.
const ROUNDING_MOBILITY: f64 = 1e-3;

/// How far joints move in a self-motion that moves all joints together by 1, on average: the determinant of the other
/// columns of the Jacobian against all of them (Cauchy–Binet).
fn mobility(arm: &ProductOfExponentials, locks: &[usize]) -> f64 {
    let share = |index: usize| {
        let jacobian = jacobian(arm, index);
        let all = (&jacobian * jacobian.transpose()).determinant().max(0.0).sqrt();
        let others = jacobian.remove_columns_at(locks);
        if all > 0.0 { others.determinant().abs() / all } else { 0.0 }
    };
    (0..GENERIC_CONFIGURATIONS).map(share).sum::<f64>() / GENERIC_CONFIGURATIONS as f64
}
