//! Results of Cartesian planning.

use std::fmt;

use kinetic_core::{KineticError, Result, TimedTrajectory, Trajectory};
use kinetic_ik::Obstacle;

/// What a Cartesian plan came to: the motion along the path, or along as much of it as can be followed.
#[derive(Debug, Clone)]
pub struct CartesianResult {
    /// Configurations at the samples of the path, from the start on.
    pub path: Trajectory,
    /// The timed motion with its certificate; `None` when no time law was asked for. It rests at both ends, and at moves
    /// without blend radius.
    pub trajectory: Option<TimedTrajectory>,
    /// Part of the path that is followed, by its length; 1 is all of it.
    pub fraction: f64,
    /// Length of the whole path, m; a rotation of 1 rad counts as 0.1 m where it is longer than the translation.
    pub length: f64,
    /// Why it ends before the end.
    pub stop: Option<CartesianStop>,
    /// Bound on the distance of the tool from the path at every instant, m.
    pub deviation: f64,
    /// Bound on the angle between the tool and the path at every instant, rad.
    pub angle: f64,
    /// Bound on the speed of the tool, m/s; 0 without a time law.
    pub tool_speed: f64,
    /// Bound on the angular speed of the tool, rad/s; 0 without a time law.
    pub tool_rotation_speed: f64,
    /// Times on the trajectory, s, and how far along the path the tool is then, m; empty without a time law.
    pub progress: Vec<[f64; 2]>,
    /// Where a [constant speed](super::CartesianConfig::constant_speed) is not held.
    pub speed_losses: Vec<SpeedLoss>,
}

impl CartesianResult {
    /// Takes the trajectory of a path that is followed to its end.
    ///
    /// # Errors
    /// [`CartesianPathIncomplete`](KineticError::CartesianPathIncomplete) where it ends before, or without a time law.
    pub fn take_complete(&mut self) -> Result<TimedTrajectory> {
        let incomplete = || KineticError::CartesianPathIncomplete {
            fraction: self.fraction,
            at: self.stop.as_ref().map_or(0.0, |stop| stop.at),
            move_index: self.stop.as_ref().map_or(0, |stop| stop.move_index),
            kind: self.stop.as_ref().map_or_else(String::new, |stop| stop.obstacle.id().to_owned()),
            reason: self.stop.as_ref().map_or_else(String::new, ToString::to_string),
        };
        if self.stop.is_some() || self.trajectory.is_none() {
            return Err(incomplete());
        }
        self.trajectory.take().ok_or_else(incomplete)
    }

    /// How far along the path the tool is at a time on the trajectory, m, as the length of the path is counted; 0 without a time law.
    pub fn arc_length_at(&self, time: f64) -> f64 {
        let after = self.progress.partition_point(|[known, _]| *known <= time);
        match (after.checked_sub(1).map(|before| self.progress[before]), self.progress.get(after)) {
            (Some([before, from]), Some([after, to])) => from + (to - from) * (time - before) / (after - before),
            (Some([_, arc_length]), None) => arc_length,
            (None, first) => first.map_or(0.0, |[_, arc_length]| *arc_length),
        }
    }
}

/// Why a Cartesian plan ends before the end of its path.
#[derive(Debug, Clone, PartialEq)]
pub struct CartesianStop {
    /// What is in the way. Its index counts samples of the path, from 0 for the first after the start.
    pub obstacle: Obstacle,
    /// How far along the path the motion gets, m.
    pub at: f64,
    /// The move of the path that it does not get through.
    pub move_index: usize,
    /// Least singular value of the Jacobian where the motion ends.
    pub sigma_min: f64,
}

impl fmt::Display for CartesianStop {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "after {:.4} m, in move {}: ", self.at, self.move_index)?;
        match &self.obstacle {
            Obstacle::Unreachable { error, .. } => {
                write!(out, "out of reach, the nearest pose found is off by {error:.1e} (m, rad)")
            }
            Obstacle::Limit { joint, excess, limits: (low, high), .. } => {
                write!(out, "joint \"{joint}\" would leave its limits [{low:.3}, {high:.3}] by {excess:.1e}")
            }
            Obstacle::Singularity { joint, step, bound, .. } => write!(
                out,
                "a singularity (least singular value {:.1e}): joint \"{joint}\" would move by {step:.3} at once, more than \
                 {bound:.3}",
                self.sigma_min
            ),
            Obstacle::Jump { joint, step, bound, .. } => {
                write!(out, "a jump: joint \"{joint}\" would move by {step:.3} at once, more than {bound:.3}")
            }
            Obstacle::Collision { link, other, distance, margin, .. } => {
                write!(out, "\"{link}\" would be {distance:.4} m from \"{other}\", with a margin of {margin:.4} m")
            }
            Obstacle::Deviation { joint, deviation, tolerance, .. } => write!(
                out,
                "the tool would be off the path by {deviation:.1e}, more than {tolerance:.1e} (m, rad), where joint \"{joint}\" \
                 moves too fast for it (least singular value {:.1e})",
                self.sigma_min
            ),
        }
    }
}

/// An interval of the path on which the tool is slower than the constant speed that was asked for.
#[derive(Debug, Clone, PartialEq)]
pub struct SpeedLoss {
    /// Where it begins, m along the path.
    pub from: f64,
    /// Where it ends, m along the path.
    pub to: f64,
    /// Least speed of the tool there, m/s; 0 at a stop.
    pub speed: f64,
    /// The joint that reaches a limit where the tool is slowest, or on the way to a stop; `None` where none does: there the
    /// bound on the speed of the tool keeps more than it has to.
    pub joint: Option<String>,
    /// "velocity" or "acceleration": which limit that is.
    pub quantity: Option<&'static str>,
    /// Whether the interval is the way from or to a stop.
    pub is_at_stop: bool,
}
