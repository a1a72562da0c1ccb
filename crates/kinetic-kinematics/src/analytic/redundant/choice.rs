//! Which joints of an arm with more than six are locked.

use nalgebra::{DMatrix, Vector3};

use super::Locked;
use super::locked::Fit;
use crate::analytic::poe::ProductOfExponentials;
use crate::analytic::policy::TolerancePolicy;
use crate::analytic::registry::{DispatchPlan, rank};
use crate::program::Motion;
use crate::rigid::Rigid;

/// Against the tolerances of 1e-8: angles rounded to four digits.
const ROUNDED: f64 = 3e3;

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
    for candidates in [outer, inner] {
        for fit in [Fit::Closed, Fit::Nearly(ROUNDED), Fit::Any] {
            let is_fit = |locks: &&Vec<usize>| leaves_turning(arm, locks) && mobility(arm, locks) > STILL;
            let fitting = candidates.iter().filter(is_fit);
            let built = fitting.filter_map(|locks| {
                let (locked, plan) = Locked::new(arm, locks, bounds, policy, fit)?;
                Some((locks.clone(), locked, plan))
            });
            let best = built.min_by(|a, b| {
                let mobilities = [&a.0, &b.0].map(|locks| mobility(arm, locks));
                rank(&a.2).cmp(&rank(&b.2)).then(mobilities[1].total_cmp(&mobilities[0]))
            });
            if best.is_some() {
                return best;
            }
        }
    }
    None
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
const STILL: f64 = 1e-9;

/// Configurations at which the share in the self-motion is measured.
const PLACES: usize = 16;

/// How far joints move in a self-motion that moves all joints together by 1, on average: the determinant of the other
/// columns of the Jacobian against all of them (Cauchy–Binet).
fn mobility(arm: &ProductOfExponentials, locks: &[usize]) -> f64 {
    let share = |place: usize| {
        let jacobian = jacobian(arm, place);
        let all = (&jacobian * jacobian.transpose()).determinant().max(0.0).sqrt();
        let rest = jacobian.remove_columns_at(locks);
        if all > 0.0 { rest.determinant().abs() / all } else { 0.0 }
    };
    (0..PLACES).map(share).sum::<f64>() / PLACES as f64
}

/// The twists of the joints at one of a sequence of configurations without pattern.
fn jacobian(arm: &ProductOfExponentials, place: usize) -> DMatrix<f64> {
    let mut out = DMatrix::zeros(6, arm.dof());
    let mut moved = Rigid::identity();
    for (column, screw) in arm.screws().iter().enumerate() {
        let here = screw.moved(&moved);
        let (linear, angular) = match screw.motion {
            Motion::Rotation => (here.axis.cross(&-here.point), here.axis),
            Motion::Translation => (here.axis, Vector3::zeros()),
        };
        out.view_mut((0, column), (3, 1)).copy_from(&linear);
        out.view_mut((3, column), (3, 1)).copy_from(&angular);
        // Multiples of the square roots of primes are spread evenly (Weyl).
        let prime = [2.0_f64, 3.0, 5.0, 7.0, 11.0, 13.0, 17.0, 19.0][column % 8];
        let turn = (prime.sqrt() * (place + 1) as f64).fract();
        let value = if screw.motion == Motion::Rotation { (turn - 0.5) * std::f64::consts::TAU } else { turn - 0.5 };
        moved = moved.then(&screw.exp(value));
    }
    out
}
