//! Windings: solutions shifted by multiples of 2π, nearest first.

use std::cmp::Ordering;
use std::collections::BinaryHeap;
use std::f64::consts::TAU;

use kinetic_core::Result;
use kinetic_core::error::check_len;

use super::angles::onto;
use super::solution::{Solution, UNMOVED_LIMIT_TOLERANCE_RAD_M};

/// Solutions on all turns of 2π inside the limits, nearest to the seed first, at most `most` of them; without a seed
/// each solution's own values are its seed, so that fewer turns come first.
///
/// An arm with joints of several turns has hundreds of these per pose. They are found one by one in their order, and the
/// rest is never made. Joints without limits take the turn nearest to the seed.
///
/// # Errors
/// [`kinetic_core::KineticError::DimensionMismatch`] when a solution, `is_rotation` or the seed has another length than
/// `limits`.
pub fn windings(
    solutions: &[Solution],
    limits: &[Option<(f64, f64)>],
    is_rotation: &[bool],
    seed: Option<&[f64]>,
    most: usize,
) -> Result<Vec<Solution>> {
    solutions.iter().try_for_each(|solution| check_len("solution", solution.q.len(), limits.len()))?;
    check_len("is_rotation", is_rotation.len(), limits.len())?;
    seed.map_or(Ok(()), |seed| check_len("seed", seed.len(), limits.len()))?;
    let joint = |joint: usize| Joint { limits: limits[joint], is_rotation: is_rotation[joint], weight: 1.0 };
    let joints: Vec<Joint> = (0..limits.len()).map(joint).collect();
    Ok(Windings::new(solutions, &joints, seed).nearest(most))
}

/// Limits and weight of a joint.
#[derive(Debug, Clone, Copy)]
pub(super) struct Joint {
    /// `None`: it stands at the turn nearest to the seed.
    pub(super) limits: Option<(f64, f64)>,
    pub(super) is_rotation: bool,
    /// Weight of a radian.
    pub(super) weight: f64,
}

/// Solutions with their turns.
pub(super) struct Windings<'a> {
    turned: Vec<Turned<'a>>,
    dof: usize,
}

impl<'a> Windings<'a> {
    pub(super) fn new(solutions: &'a [Solution], joints: &[Joint], seed: Option<&[f64]>) -> Self {
        let turned = solutions.iter().filter_map(|solution| Turned::new(solution, joints, seed)).collect();
        Self { turned, dof: joints.len() }
    }

    /// How many there are.
    pub(super) fn count(&self) -> f64 {
        let of = |turned: &Turned<'_>| turned.turns.iter().map(JointTurns::count).product::<f64>();
        self.turned.iter().map(of).sum()
    }

    /// The nearest `most` of them, in order.
    pub(super) fn nearest(&self, most: usize) -> Vec<Solution> {
        let first = |(solution, turned): (usize, &Turned<'_>)| turned.choice(solution, vec![0; self.dof], 0);
        let mut ahead: BinaryHeap<Choice> = self.turned.iter().enumerate().map(first).collect();
        let mut out = Vec::new();
        while out.len() < most
            && let Some(choice) = ahead.pop()
        {
            let turned = &self.turned[choice.solution];
            out.push(turned.at(&choice.turns));
            ahead.extend(turned.after(&choice));
        }
        out
    }
}

/// The turns of one joint inside its limits, nearest to a value first.
struct JointTurns {
    angle: f64,
    near: f64,
    limits: (f64, f64),
    weight: f64,
    /// The nearest number of turns, and how many there are beyond it: on the side of `near`, and on the other.
    nearest: f64,
    beyond: [f64; 2],
    /// Direction in which `near` lies.
    side: f64,
}

impl JointTurns {
    /// `None` when no turn is inside the limits.
    fn new(angle: f64, near: f64, joint: &Joint) -> Option<Self> {
        let wanted = (near - angle) / TAU;
        let (first, last) = match joint.limits {
            Some((low, high)) if joint.is_rotation => inside(angle, low, high)?,
            Some(limits) => onto(angle, limits, UNMOVED_LIMIT_TOLERANCE_RAD_M).map(|_| (0.0, 0.0))?,
            None if joint.is_rotation => (wanted.round(), wanted.round()),
            None => (0.0, 0.0),
        };
        let nearest = wanted.round().clamp(first, last);
        let (side, beyond) = if wanted > nearest + EQUALLY_NEAR_TURNS {
            (1.0, [last - nearest, nearest - first])
        } else {
            (-1.0, [nearest - first, last - nearest])
        };
        let limits = joint.limits.unwrap_or((f64::NEG_INFINITY, f64::INFINITY));
        Some(Self { angle, near, limits, weight: joint.weight, nearest, beyond, side })
    }

    fn count(&self) -> f64 {
        1.0 + self.beyond[0] + self.beyond[1]
    }

    /// The value that is `index`-th nearest: first from one side and the other in turn, then from the side that is left.
    fn value(&self, index: usize) -> f64 {
        let (index, [own, other]) = (index as f64, self.beyond);
        let (pair, is_own) = ((0.5 * index).ceil(), index % 2.0 == 1.0);
        let turns = match pair {
            pair if pair <= own.min(other) => {
                if is_own {
                    pair
                } else {
                    -pair
                }
            }
            _ if own > other => index - other,
            _ => own - index,
        };
        let value = self.angle + TAU * (self.nearest + self.side * turns);
        value.max(self.limits.0).min(self.limits.1)
    }
}

/// Part of a turn below which two turns are equally near.
const EQUALLY_NEAR_TURNS: f64 = 1e-12;

/// The first and the last number of turns with which an angle is inside its limits, the limits included, or outside of one
/// by rounding.
fn inside(angle: f64, low: f64, high: f64) -> Option<(f64, f64)> {
    let is_inside = |turns: &f64| onto(angle + TAU * turns, (low, high), UNMOVED_LIMIT_TOLERANCE_RAD_M).is_some();
    let (first, last) = (((low - angle) / TAU).floor(), ((high - angle) / TAU).ceil());
    let first = [first - 1.0, first, first + 1.0].into_iter().find(is_inside)?;
    let last = [last + 1.0, last, last - 1.0].into_iter().find(is_inside)?;
    Some((first, last))
}

/// A solution with the turns of each of its joints.
struct Turned<'a> {
    solution: &'a Solution,
    turns: Vec<JointTurns>,
}

/// One of the turns of each joint. Every choice has one predecessor: the last joint that is not at its first value, one
/// value back; so that each is met once (Lawler 1972).
struct Choice {
    distance: f64,
    solution: usize,
    turns: Vec<usize>,
    last: usize,
}

impl<'a> Turned<'a> {
    fn new(solution: &'a Solution, joints: &[Joint], seed: Option<&[f64]>) -> Option<Self> {
        let near = seed.unwrap_or(&solution.q);
        let of = |(joint, limits): (usize, &Joint)| JointTurns::new(solution.q[joint], near[joint], limits);
        let turns = joints.iter().enumerate().map(of).collect::<Option<Vec<_>>>()?;
        Some(Self { solution, turns })
    }

    fn choice(&self, solution: usize, turns: Vec<usize>, last: usize) -> Choice {
        let joints = self.turns.iter().zip(&turns);
        let squares = joints.map(|(joint, index)| (joint.weight * (joint.value(*index) - joint.near)).powi(2));
        Choice { distance: squares.sum(), solution, turns, last }
    }

    fn at(&self, turns: &[usize]) -> Solution {
        let q: Vec<f64> = self.turns.iter().zip(turns).map(|(joint, index)| joint.value(*index)).collect();
        Solution { q: q.into(), ..self.solution.clone() }
    }

    fn after(&self, choice: &Choice) -> Vec<Choice> {
        let can = |joint: &usize| ((choice.turns[*joint] + 1) as f64) < self.turns[*joint].count();
        let next = |joint: usize| {
            let mut turns = choice.turns.clone();
            turns[joint] += 1;
            self.choice(choice.solution, turns, joint)
        };
        (choice.last..self.turns.len()).filter(can).map(next).collect()
    }
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
