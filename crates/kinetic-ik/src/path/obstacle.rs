//! Obstacles: limits, singularities and jumps that prevent a continuous path.

use std::fmt;

use kinetic_kinematics::{KinematicChain, Rigid};

use super::branch_continuation::{BranchEnd, continue_branch};
use super::candidates::Candidates;
use super::ladder::{Ladder, on_turns};
use super::layers::{Layers, Waypoint};
use super::turns::{excess, lifted, step, turns_inside};
use super::validity::{PathContact, Verdicts};
use crate::solvers::{IKConfig, nearest_ik};
use crate::tolerance::LIMIT_ROUNDING_RAD_M;

/// What prevents a continuous path at a pose.
#[derive(Debug, Clone, PartialEq)]
pub enum Obstacle {
    /// No configuration reaches the pose, limits or not.
    Unreachable {
        /// The pose.
        index: usize,
        /// How far the nearest pose that was found is off: larger of distance, m, and angle, rad.
        error: f64,
    },
    /// Going on takes a joint out of its limits.
    Limit {
        /// The pose.
        index: usize,
        /// The joint.
        joint: String,
        /// How far outside it would be at best, rad or m.
        excess: f64,
        /// Its limits.
        limits: (f64, f64),
    },
    /// Between the pose and the one before the arm meets a singularity, or comes so close to one that a joint has to move
    /// too far.
    Singularity {
        /// The pose.
        index: usize,
        /// The joint that moves farthest.
        joint: String,
        /// How far it would move at least, rad or m.
        step: f64,
        /// How far it may move.
        bound: f64,
    },
    /// The joints move too far from the pose before, without a singularity: poses are far apart, or the start is.
    Jump {
        /// The pose.
        index: usize,
        /// The joint that moves farthest.
        joint: String,
        /// How far it would move at least, rad or m.
        step: f64,
        /// How far it may move.
        bound: f64,
    },
    /// The configurations inside the limits that come next are in collision, or the motions to them are.
    Collision {
        /// The pose.
        index: usize,
        /// A link of the robot, or what it carries.
        link: String,
        /// The other link or object.
        other: String,
        /// Their distance where the margin is missed, m; negative is penetration.
        distance: f64,
        /// The distance that they have to keep, m.
        margin: f64,
    },
    /// Between this pose and the one before, however close, the tool leaves its path by more than its tolerance: as next to a
    /// singularity. For motions between poses, not for lists of poses.
    Deviation {
        /// The pose.
        index: usize,
        /// The joint that moves farthest between both.
        joint: String,
        /// How far the tool is off, m or rad.
        deviation: f64,
        /// How far it may be.
        tolerance: f64,
    },
}

impl Obstacle {
    /// The pose that a continuous path does not get to.
    pub fn index(&self) -> usize {
        match self {
            Self::Unreachable { index, .. }
            | Self::Limit { index, .. }
            | Self::Singularity { index, .. }
            | Self::Jump { index, .. }
            | Self::Collision { index, .. }
            | Self::Deviation { index, .. } => *index,
        }
    }

    /// The same at another pose.
    pub(super) fn at(mut self, pose: usize) -> Self {
        match &mut self {
            Self::Unreachable { index, .. }
            | Self::Limit { index, .. }
            | Self::Singularity { index, .. }
            | Self::Jump { index, .. }
            | Self::Collision { index, .. }
            | Self::Deviation { index, .. } => *index = pose,
        }
        self
    }

    /// "unreachable", "limit", "singularity", "jump", "collision" or "deviation".
    pub fn id(&self) -> &'static str {
        match self {
            Self::Unreachable { .. } => "unreachable",
            Self::Limit { .. } => "limit",
            Self::Singularity { .. } => "singularity",
            Self::Jump { .. } => "jump",
            Self::Collision { .. } => "collision",
            Self::Deviation { .. } => "deviation",
        }
    }

    /// The joint that is in the way.
    pub fn joint(&self) -> Option<&str> {
        match self {
            Self::Unreachable { .. } | Self::Collision { .. } => None,
            Self::Limit { joint, .. }
            | Self::Singularity { joint, .. }
            | Self::Jump { joint, .. }
            | Self::Deviation { joint, .. } => Some(joint),
        }
    }

    /// The pair that misses its margin.
    pub fn pair(&self) -> Option<(&str, &str)> {
        match self {
            Self::Collision { link, other, .. } => Some((link, other)),
            _ => None,
        }
    }

    /// By how much: the error of a pose out of reach, how far outside a limit, how far the joint would move, by how much
    /// the margin is missed, or how far the tool is off.
    pub fn amount(&self) -> f64 {
        match self {
            Self::Unreachable { error, .. } => *error,
            Self::Limit { excess, .. } => *excess,
            Self::Singularity { step, .. } | Self::Jump { step, .. } => *step,
            Self::Collision { distance, margin, .. } => margin - distance,
            Self::Deviation { deviation, .. } => *deviation,
        }
    }
}

impl fmt::Display for Obstacle {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unreachable { index, error } => {
                write!(out, "pose {index} is unreachable: the nearest pose found is off by {error:.1e} (m, rad)")
            }
            Self::Limit { index, joint, excess, limits: (low, high) } => write!(
                out,
                "pose {index} takes joint \"{joint}\" out of its limits [{low:.3}, {high:.3}] by {excess:.3}"
            ),
            Self::Singularity { index, joint, step, bound } => write!(
                out,
                "a singularity before pose {index}: joint \"{joint}\" would move by {step:.3} at once, more than {bound:.3}"
            ),
            Self::Jump { index, joint, step, bound } => write!(
                out,
                "pose {index} is a jump: joint \"{joint}\" would move by {step:.3} at once, more than {bound:.3}"
            ),
            Self::Collision { index, link, other, distance, margin } => write!(
                out,
                "before pose {index} \"{link}\" would be {distance:.4} m from \"{other}\", with a margin of {margin:.4} m"
            ),
            Self::Deviation { index, joint, deviation, tolerance } => write!(
                out,
                "before pose {index} the tool is off its path by {deviation:.1e}, more than {tolerance:.1e} (m, rad): joint \
                 \"{joint}\" moves too far"
            ),
        }
    }
}

/// Why no configuration of a pose is valid. `near`: where to look for the nearest pose.
pub(super) fn of_pose(
    source: &mut dyn Candidates,
    waypoint: &Waypoint,
    near: &[f64],
    index: usize,
    verdicts: &mut Verdicts<'_>,
) -> Obstacle {
    let rows = all_rows(source, waypoint, near);
    let chain = source.chain();
    if let Some(contact) = nearest_contact(chain, &rows, near, verdicts) {
        return collision(index, contact);
    }
    let every = |row: &[f64], joint: usize| turns_to_limits(chain, joint, row[joint]);
    let outside = rows.chunks_exact(chain.dof()).map(|row| {
        let farthest = (0..chain.dof()).map(|joint| (joint, every(row, joint)));
        farthest.fold((0, 0.0), |most, now| if now.1 > most.1 { now } else { most })
    });
    match outside.min_by(|a, b| a.1.total_cmp(&b.1)) {
        Some((joint, excess)) => limit(chain, index, joint, excess),
        None => Obstacle::Unreachable { index, error: nearest_error(chain, &waypoint.target, near) },
    }
}

/// What is in contact at the configuration inside the limits that is nearest to `near`.
fn nearest_contact(
    chain: &KinematicChain,
    rows: &[f64],
    near: &[f64],
    verdicts: &mut Verdicts<'_>,
) -> Option<PathContact> {
    if !verdicts.can_refuse() {
        return None;
    }
    let inside = |row: &[f64]| {
        let turns = |(joint, value): (usize, &f64)| turns_inside(chain, joint, *value);
        row.iter().enumerate().map(turns).collect::<Option<Vec<_>>>().map(|turns| on_turns(row, &turns))
    };
    let far = |q: &Vec<f64>| {
        let steps = (0..q.len()).map(|joint| step(near[joint], q[joint], chain.is_rotation(joint)).abs());
        steps.fold(0.0, f64::max)
    };
    let nearest = rows.chunks_exact(chain.dof()).filter_map(inside).min_by(|a, b| far(a).total_cmp(&far(b)));
    nearest.and_then(|q| verdicts.contact(&q, &q))
}

fn collision(index: usize, PathContact { pair, distance, margin }: PathContact) -> Obstacle {
    Obstacle::Collision { index, link: pair.link, other: pair.other, distance, margin }
}

/// All configurations of all choices of a pose, limits not looked at.
fn all_rows(source: &mut dyn Candidates, waypoint: &Waypoint, previous: &[f64]) -> Vec<f64> {
    let mut rows = Vec::new();
    for choice in &waypoint.choices {
        source.candidates(&waypoint.pose(choice), previous, &mut rows);
    }
    rows
}

fn turns_to_limits(chain: &KinematicChain, joint: usize, value: f64) -> f64 {
    let some_turn = if chain.is_rotation(joint) { (-(1 << 20), 1 << 20) } else { (0, 0) };
    if turns_inside(chain, joint, value).is_some() { 0.0 } else { excess(chain, joint, value, some_turn) }
}

fn nearest_error(chain: &KinematicChain, target: &Rigid, near: &[f64]) -> f64 {
    let config = IKConfig { seed: Some(near.into()), num_restarts: 8, ..IKConfig::default() };
    match nearest_ik(chain, &target.to_pose(), &config) {
        // Next to the edge of the workspace the tolerances of the numerical solver reach what no configuration does.
        Ok(nearest) => nearest.position_error.max(nearest.orientation_error),
        Err(_) => error_at(chain, target, near),
    }
}

/// How far the pose of a configuration is off.
fn error_at(chain: &KinematicChain, target: &Rigid, q: &[f64]) -> f64 {
    let reached = chain.tip_rigid(q, &mut chain.frame_buffer());
    let turn = reached.to_pose().rotation().angle_to(&target.to_pose().rotation());
    (reached.translation - target.translation).norm().max(turn)
}

fn limit(chain: &KinematicChain, index: usize, joint: usize, excess: f64) -> Obstacle {
    Obstacle::Limit { index, joint: chain.joint_names()[joint].clone(), excess, limits: chain.bounds()[joint] }
}

/// Where a path got to, and what it does not get to.
pub(super) struct Edge<'a> {
    pub(super) ladder: &'a Ladder<'a>,
    pub(super) layers: &'a Layers,
    pub(super) steps: &'a [f64],
    pub(super) waypoint: &'a Waypoint,
    pub(super) index: usize,
}

/// A pair of configurations, how far the joint that moves farthest in relation to its bound moves, and which it is.
struct Closest {
    label: usize,
    row: usize,
    joint: usize,
    step: f64,
}

impl Edge<'_> {
    /// Why no label of the ladder's last layer has a step to the pose.
    pub(super) fn obstacle(&self, source: &mut dyn Candidates, verdicts: &mut Verdicts<'_>) -> Obstacle {
        let ahead = all_rows(source, self.waypoint, &self.rows_behind());
        if let Some(contact) = self.contact(source.chain(), &ahead, verdicts) {
            return collision(self.index, contact);
        }
        if let Some((joint, excess)) = self.least_excess(source.chain(), &ahead) {
            return limit(source.chain(), self.index, joint, excess);
        }
        let Some(closest) = self.closest(source.chain(), &ahead) else {
            let from = self.layers.row(self.ladder.label(self.ladder.last().start).row);
            let error = nearest_error(source.chain(), &self.waypoint.target, from);
            return Obstacle::Unreachable { index: self.index, error };
        };
        let (from, to) =
            (self.layers.row(self.ladder.label(closest.label).row), &ahead[closest.row * self.layers.dof..]);
        let end = continue_branch(source, from, &to[..self.layers.dof]);
        self.blocked(source.chain(), &closest, end)
    }

    /// What is in the way of the smallest step that is within its bounds and inside the limits: without collisions there would
    /// be no obstacle.
    fn contact(&self, chain: &KinematicChain, ahead: &[f64], verdicts: &mut Verdicts<'_>) -> Option<PathContact> {
        if !verdicts.can_refuse() {
            return None;
        }
        let mut least: Option<(f64, [Vec<f64>; 2])> = None;
        for label in self.ladder.last() {
            let from = self.layers.row(self.ladder.label(label).row);
            for row in ahead.chunks_exact(self.layers.dof) {
                let ratio = (0..row.len()).map(|joint| self.ratio(chain, joint, from, row)).fold(0.0, f64::max);
                let is_inside = self.worst_excess(chain, label, from, row).1 <= LIMIT_ROUNDING_RAD_M;
                if ratio <= 1.0 && is_inside && least.as_ref().is_none_or(|least| ratio < least.0) {
                    let from = on_turns(from, self.ladder.turns(label));
                    let to = (0..row.len()).map(|joint| lifted(row[joint], from[joint], chain.is_rotation(joint)));
                    least = Some((ratio, [to.collect(), from]));
                }
            }
        }
        let (_, [to, from]) = least?;
        verdicts.contact(&from, &to)
    }

    fn blocked(&self, chain: &KinematicChain, closest: &Closest, end: BranchEnd) -> Obstacle {
        let (index, joint) = (self.index, chain.joint_names()[closest.joint].clone());
        let (step, bound) = (closest.step, self.steps[closest.joint]);
        match end {
            BranchEnd::Singular => Obstacle::Singularity { index, joint, step, bound },
            BranchEnd::Regular => Obstacle::Jump { index, joint, step, bound },
        }
    }

    fn rows_behind(&self) -> Vec<f64> {
        self.ladder.last().flat_map(|label| self.layers.row(self.ladder.label(label).row).iter().copied()).collect()
    }

    /// Among steps within the bounds, how far a joint is outside its limits at least, and which.
    fn least_excess(&self, chain: &KinematicChain, ahead: &[f64]) -> Option<(usize, f64)> {
        let mut least: Option<(usize, f64)> = None;
        for label in self.ladder.last() {
            let from = self.layers.row(self.ladder.label(label).row);
            for row in ahead.chunks_exact(self.layers.dof) {
                let ratios = (0..row.len()).map(|joint| self.ratio(chain, joint, from, row));
                if ratios.fold(0.0, f64::max) > 1.0 {
                    continue;
                }
                let worst = self.worst_excess(chain, label, from, row);
                if worst.1 > LIMIT_ROUNDING_RAD_M && least.is_none_or(|least| worst.1 < least.1) {
                    least = Some(worst);
                }
            }
        }
        least
    }

    fn worst_excess(&self, chain: &KinematicChain, label: usize, from: &[f64], row: &[f64]) -> (usize, f64) {
        let outside = (0..row.len()).map(|joint| {
            let value = lifted(row[joint], from[joint], chain.is_rotation(joint));
            (joint, excess(chain, joint, value, self.ladder.turns(label)[joint]))
        });
        outside.fold((0, 0.0), |most, now| if now.1 > most.1 { now } else { most })
    }

    /// The step of a joint divided by its bound.
    fn ratio(&self, chain: &KinematicChain, joint: usize, from: &[f64], to: &[f64]) -> f64 {
        step(from[joint], to[joint], chain.is_rotation(joint)).abs() / self.steps[joint]
    }

    fn closest(&self, chain: &KinematicChain, ahead: &[f64]) -> Option<Closest> {
        let mut best: Option<(f64, Closest)> = None;
        for label in self.ladder.last() {
            let from = self.layers.row(self.ladder.label(label).row);
            for (row, to) in ahead.chunks_exact(self.layers.dof).enumerate() {
                let ratios = (0..to.len()).map(|joint| (joint, self.ratio(chain, joint, from, to)));
                let (joint, ratio) = ratios.fold((0, 0.0), |most, now| if now.1 > most.1 { now } else { most });
                if best.as_ref().is_none_or(|best| ratio < best.0) {
                    let step = step(from[joint], to[joint], chain.is_rotation(joint)).abs();
                    best = Some((ratio, Closest { label, row, joint, step }));
                }
            }
        }
        best.map(|(_, closest)| closest)
    }
}
