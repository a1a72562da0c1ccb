//! Limits, order and number of solutions: the steps after a solve, usable alone.

use std::cmp::Ordering;
use std::collections::BinaryHeap;
use std::f64::consts::{PI, TAU};

use kinetic_core::error::check_len;
use kinetic_core::{KineticError, Result};

use super::branches::CLOSED;
use super::solution::Solution;

/// How far two configurations are apart, turns of 2π ignored.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SeedMetric {
    /// Euclidean.
    WrapL2,
    /// Largest single joint.
    WrapLinf,
}

impl std::str::FromStr for SeedMetric {
    type Err = KineticError;

    fn from_str(name: &str) -> Result<Self> {
        match name {
            "wrap_l2" => Ok(Self::WrapL2),
            "wrap_linf" => Ok(Self::WrapLinf),
            _ => Err(KineticError::UnknownName {
                kind: "metric".to_owned(),
                name: name.to_owned(),
                available: vec!["wrap_l2".to_owned(), "wrap_linf".to_owned()],
            }),
        }
    }
}

/// An angle in [−π, π].
pub(crate) fn wrapped(angle: f64) -> f64 {
    if angle.abs() <= PI { angle } else { angle - TAU * (angle / TAU).round() }
}

/// Distance of two configurations of rotating joints.
pub(crate) fn distance(a: &[f64], b: &[f64], metric: SeedMetric) -> f64 {
    let steps = a.iter().zip(b).map(|(a, b)| wrapped(a - b).abs());
    match metric {
        SeedMetric::WrapL2 => steps.map(|step| step * step).sum::<f64>().sqrt(),
        SeedMetric::WrapLinf => steps.fold(0.0, f64::max),
    }
}

/// How far outside a limit rounding may have put a joint value, rad or m: a double root loses half of the digits. Such a
/// value is put onto the limit, and counts where the other joints then bring the tool back to the target.
pub const LIMIT_TOLERANCE: f64 = 1e-6;

/// How far outside a limit a joint value may be for no other joint to have to move, rad or m: what a solution may be off
/// the target.
const ROUNDED: f64 = CLOSED;

/// A value inside its limits, or on the limit that it is outside of by at most `tolerance`.
#[inline]
pub(crate) fn onto(value: f64, (low, high): (f64, f64), tolerance: f64) -> Option<f64> {
    let kept = value.max(low).min(high);
    ((value - kept).abs() <= tolerance).then_some(kept)
}

/// The value nearest to `near` among `angle`, `angle ± 2π`, `± 4π` inside `limits`, the limits included, or on a limit that
/// it is outside of by at most `tolerance`. Of two that are
/// equally near the one with less turns: a wrist that flips is half a turn from its seed on both sides, and rounding
/// does not choose.
pub(crate) fn into_limits(angle: f64, near: f64, limits: Option<(f64, f64)>, tolerance: f64) -> Option<f64> {
    let turns = [0.0, -TAU, TAU, -2.0 * TAU, 2.0 * TAU];
    let limits = limits.unwrap_or((f64::NEG_INFINITY, f64::INFINITY));
    let inside = turns.iter().filter_map(|turn| onto(angle + turn, limits, tolerance));
    // Turns stand in the order of their size.
    inside.fold(None, |best: Option<f64>, value| match best {
        Some(best) if (best - near).abs() <= (value - near).abs() + EQUALLY_NEAR => Some(best),
        _ => Some(value),
    })
}

/// Differences of distances below this are rounding, rad.
const EQUALLY_NEAR: f64 = 1e-9;

/// Keeps solutions inside the limits (`None`: no limits); values on a limit are inside.
///
/// # Errors
/// [`KineticError::DimensionMismatch`] when a solution has another length than `limits`.
pub fn respect_limits(solutions: &[Solution], limits: &[Option<(f64, f64)>]) -> Result<Vec<Solution>> {
    check(solutions, limits.len())?;
    let inside = |q: &f64, limits: &Option<(f64, f64)>| limits.is_none_or(|(low, high)| (low..=high).contains(q));
    let kept = solutions.iter().filter(|solution| solution.q.iter().zip(limits).all(|(q, limits)| inside(q, limits)));
    Ok(kept.cloned().collect())
}

/// Shifts rotating joints by ±2π or ±4π into their limits, least turns first, and onto limits that they are outside of by
/// rounding (1e-10 rad); joints that do not fit, and joints without limits, stay as they are.
///
/// # Errors
/// As [`respect_limits`].
pub fn wrap_to_limits(
    solutions: &[Solution],
    limits: &[Option<(f64, f64)>],
    is_rotation: &[bool],
) -> Result<Vec<Solution>> {
    check(solutions, limits.len())?;
    check_len("is_rotation", is_rotation.len(), limits.len())?;
    let mut out = solutions.to_vec();
    for solution in &mut out {
        for (joint, q) in solution.q.iter_mut().enumerate() {
            if is_rotation[joint] && limits[joint].is_some() {
                *q = into_limits(*q, *q, limits[joint], ROUNDED).unwrap_or(*q);
            }
        }
    }
    Ok(out)
}

/// Orders by distance from a seed, closest first; equals keep their order.
///
/// # Errors
/// As [`respect_limits`].
pub fn nearest_to_seed(solutions: &[Solution], seed: &[f64], metric: SeedMetric) -> Result<Vec<Solution>> {
    check(solutions, seed.len())?;
    let mut out = solutions.to_vec();
    out.sort_by(|a, b| distance(&a.q, seed, metric).total_cmp(&distance(&b.q, seed, metric)));
    Ok(out)
}

/// The first `count` solutions.
pub fn take_first(solutions: &[Solution], count: usize) -> Vec<Solution> {
    solutions[..count.min(solutions.len())].to_vec()
}

/// Solutions on other turns of 2π inside the limits, nearest to the seed first, at most `most` of them; without a seed
/// each solution's own values are its seed, so that fewer turns come first.
///
/// An arm with joints of several turns has hundreds of these per pose. They are found one by one in their order, and the
/// rest is never made. Joints without limits take the turn nearest to the seed.
///
/// # Errors
/// As [`respect_limits`], also for a seed of another length.
pub fn windings(
    solutions: &[Solution],
    limits: &[Option<(f64, f64)>],
    is_rotation: &[bool],
    seed: Option<&[f64]>,
    most: usize,
) -> Result<Vec<Solution>> {
    check(solutions, limits.len())?;
    check_len("is_rotation", is_rotation.len(), limits.len())?;
    seed.map_or(Ok(()), |seed| check_len("seed", seed.len(), limits.len()))?;
    let turned: Vec<Turned<'_>> =
        solutions.iter().filter_map(|solution| Turned::new(solution, limits, is_rotation, seed)).collect();
    let first = |(solution, turned): (usize, &Turned<'_>)| turned.choice(solution, vec![0; limits.len()], 0);
    let mut ahead: BinaryHeap<Choice> = turned.iter().enumerate().map(first).collect();
    let mut out = Vec::new();
    while out.len() < most
        && let Some(choice) = ahead.pop()
    {
        let turned = &turned[choice.solution];
        out.push(turned.at(&choice.turns));
        ahead.extend(turned.after(&choice));
    }
    Ok(out)
}

/// A solution with the values that each of its joints can take, nearest to the seed first.
struct Turned<'a> {
    solution: &'a Solution,
    values: Vec<Vec<(f64, f64)>>,
}

/// One of the values of each joint. Every choice has one predecessor: the last joint that is not at its first value, one
/// value back; so that each is met once (Lawler 1972).
struct Choice {
    distance: f64,
    solution: usize,
    turns: Vec<usize>,
    last: usize,
}

impl<'a> Turned<'a> {
    fn new(
        solution: &'a Solution,
        limits: &[Option<(f64, f64)>],
        is_rotation: &[bool],
        seed: Option<&[f64]>,
    ) -> Option<Self> {
        let near = seed.unwrap_or(&solution.q);
        let of = |joint: usize| values(solution.q[joint], near[joint], limits[joint], is_rotation[joint]);
        let values: Vec<_> = (0..limits.len()).map(of).collect();
        values.iter().all(|values| !values.is_empty()).then_some(Self { solution, values })
    }

    fn choice(&self, solution: usize, turns: Vec<usize>, last: usize) -> Choice {
        let squares = self.values.iter().zip(&turns).map(|(values, index)| values[*index].1.powi(2));
        Choice { distance: squares.sum(), solution, turns, last }
    }

    fn at(&self, turns: &[usize]) -> Solution {
        let q: Vec<f64> = self.values.iter().zip(turns).map(|(values, index)| values[*index].0).collect();
        Solution { q: q.into(), ..self.solution.clone() }
    }

    fn after(&self, choice: &Choice) -> Vec<Choice> {
        let can = |joint: &usize| choice.turns[*joint] + 1 < self.values[*joint].len();
        let next = |joint: usize| {
            let mut turns = choice.turns.clone();
            turns[joint] += 1;
            self.choice(choice.solution, turns, joint)
        };
        (choice.last..self.values.len()).filter(can).map(next).collect()
    }
}

/// The values of a joint inside its limits with their distance from `near`, by that distance.
fn values(angle: f64, near: f64, limits: Option<(f64, f64)>, is_rotation: bool) -> Vec<(f64, f64)> {
    let at = |value: f64| (value, (value - near).abs());
    let Some(limits) = limits else {
        let nearest = if is_rotation { angle + TAU * ((near - angle) / TAU).round() } else { angle };
        return vec![at(nearest)];
    };
    let turns: &[f64] = if is_rotation { &[0.0, -1.0, 1.0, -2.0, 2.0] } else { &[0.0] };
    let inside = turns.iter().filter_map(|turn| onto(angle + TAU * turn, limits, ROUNDED));
    let mut out: Vec<(f64, f64)> = inside.map(at).collect();
    out.sort_by(|a, b| a.1.total_cmp(&b.1));
    out
}

impl Ord for Choice {
    /// The nearest is the greatest, as a heap gives the greatest first; of equals the first solution.
    fn cmp(&self, other: &Self) -> Ordering {
        let by_distance = other.distance.total_cmp(&self.distance);
        by_distance.then_with(|| other.solution.cmp(&self.solution)).then_with(|| other.turns.cmp(&self.turns))
    }
}

impl PartialOrd for Choice {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Choice {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Choice {}

fn check(solutions: &[Solution], wanted: usize) -> Result<()> {
    solutions.iter().try_for_each(|solution| check_len("solution", solution.q.len(), wanted))
}
