//! Inverse kinematics of paths: many poses in one call, with one choice of branches for all of them.
//!
//! The configurations of every pose are the vertices of a layer of a ladder graph, as in the Descartes planner (De Maeyer,
//! Moyaers & Demeester 2017); an edge joins two of them when no joint moves farther than its bound. The path that is returned has, of all paths through the ladder, the least largest
//! step of a joint, and of those the least length. Where there is none, [`Obstacle`] says what stands in the way, and
//! the path is split into as few segments as possible.
//!
//! With [`PathMethod::Local`] each pose takes the configuration nearest to that of the pose before, as a loop over
//! [`crate::solve_ik_auto`] does, under the same bounds and with the same obstacles; it runs into
//! dead ends that the ladder avoids.

mod branch_continuation;
mod candidates;
mod cartesian_path;
mod freed_path;
mod freedom_curve;
mod freedom_search;
mod ladder;
mod layers;
mod local;
mod method;
mod numerical;
mod obstacle;
mod redundant;
mod remaining;
mod solve;
mod tolerance;
pub mod tool_path;
mod turns;
mod validity;

pub use candidates::{Candidates, ClosedForm};
pub use cartesian_path::{CartesianMove, CartesianPath, MoveFrame};
pub use freed_path::FreedPath;
pub use freedom_curve::FreedomCurve;
pub use freedom_search::{FoundFreedom, FreedomSearch};
pub use method::PathMethod;
pub use numerical::Numerical;
pub use obstacle::Obstacle;
pub use solve::{solve_ik_path_with, solve_ik_path_with_where};
pub use tolerance::{PathTolerance, SwingTwist};
pub use tool_path::ToolPath;
pub use validity::{PathContact, PathValidity};

use kinetic_core::error::check_len;
use kinetic_core::{JointValues, KineticError, Pose, Result, StopFlag};
use kinetic_kinematics::KinematicChain;

use self::solve::search_ladder;
use self::validity::Verdicts;
use crate::analytic::{Manipulator, Met};

/// Largest step of a turning joint unless another is asked for, rad: far below a change of branch, far above the steps of
/// a path that is sampled for execution.
pub const DEFAULT_TURNING_STEP: f64 = 1.0;
/// Largest step of a sliding joint unless another is asked for, m.
pub const DEFAULT_SLIDING_STEP: f64 = 0.1;

/// Options of [`solve_ik_path`].
#[derive(Debug, Clone, Default)]
pub struct PathOptions {
    /// Whether the configurations are chosen together or from pose to pose.
    pub method: PathMethod,
    /// Where the arm stands: the step to the first pose is bound as all others, and turns of 2π are counted from here.
    /// With `None` the path may begin in any configuration of the first pose, on any turn inside the limits.
    pub start: Option<JointValues>,
    /// Largest step of each joint between neighbouring poses, rad or m; [`DEFAULT_TURNING_STEP`] and
    /// [`DEFAULT_SLIDING_STEP`] when `None`. Joints turn the short way, so that π and more is no bound. Of arms with self-motion, a
    /// path as smooth between the poses that are looked at first as at them ends the search when it is within bounds that are given.
    pub max_joint_step: Option<Vec<f64>>,
    /// What poses leave free: nothing when empty; one element for all poses, or one per pose.
    pub tolerance: Vec<PathTolerance>,
    /// Whether the answer of the global method ends at its first obstacle: poses after it are not looked at, and of the poses before it only
    /// configurations to which steps lead from the start. For paths that are followed from a start as far as they go; paths of arms
    /// with self-motion are looked at to their ends.
    pub ends_at_obstacle: bool,
    /// Seed of random starts, which arms without closed form need.
    pub rng_seed: u64,
    /// Ends the computation early, with [`KineticError::Cancelled`] or, when its time is over, [`KineticError::IKTimeout`].
    pub stop: StopFlag,
}

impl PathOptions {
    pub(crate) fn check(&self, chain: &KinematicChain, num_targets: usize) -> Result<()> {
        if let Some(start) = &self.start {
            chain.check(start)?;
        }
        if let Some(steps) = &self.max_joint_step {
            check_len("max_joint_step", steps.len(), chain.dof())?;
            if let Some(step) = steps.iter().find(|step| !(**step > 0.0)) {
                return Err(KineticError::invalid("max_joint_step", step, "positive numbers, rad or m"));
            }
        }
        if self.tolerance.len() > 1 {
            check_len("list of tolerances", self.tolerance.len(), num_targets)?;
        }
        self.tolerance.iter().try_for_each(PathTolerance::check)
    }

    /// What the pose leaves free.
    pub(crate) fn tolerance_of(&self, index: usize) -> PathTolerance {
        match self.tolerance[..] {
            [] => PathTolerance::default(),
            [one] => one,
            _ => self.tolerance[index],
        }
    }

    /// Largest step of each joint.
    pub(crate) fn steps(&self, chain: &KinematicChain) -> Vec<f64> {
        let default = |joint| if chain.is_rotation(joint) { DEFAULT_TURNING_STEP } else { DEFAULT_SLIDING_STEP };
        self.max_joint_step.clone().unwrap_or_else(|| (0..chain.dof()).map(default).collect())
    }
}

/// A path in joint space along a list of poses.
#[derive(Debug, Clone, PartialEq)]
pub struct IKPath {
    /// Configurations, one after the other, `dof` values each; NaN where no configuration inside the limits was found.
    pub q: Vec<f64>,
    /// Number of values of a configuration.
    pub dof: usize,
    /// Per pose: it is reached, and the step to it from the pose before (from the start, for the first) is within its
    /// bounds. True everywhere exactly when there are no obstacles.
    pub success: Vec<bool>,
    /// What prevents one continuous path, in order: how far a path from the last obstacle (or the start) gets at best,
    /// and what ends it there.
    pub obstacles: Vec<Obstacle>,
    /// Poses at which the returned path starts anew: after a jump, or after poses that are not reached. As few as
    /// possible, then where the segments' largest step and length are least.
    pub splits: Vec<usize>,
    /// Largest step of a joint inside the segments, rad or m.
    pub largest_step: f64,
    /// Sum of the Euclidean lengths of the steps inside the segments.
    pub length: f64,
}

impl IKPath {
    /// The configuration of a pose; `None` where none was found.
    pub fn configuration(&self, index: usize) -> Option<&[f64]> {
        self.q.chunks_exact(self.dof.max(1)).nth(index).filter(|q| !q.iter().any(|value| value.is_nan()))
    }

    /// Why there is no continuous path: the first obstacle in words, and how many more there are.
    pub fn reason(&self) -> Option<String> {
        let first = self.obstacles.first()?;
        Some(match self.obstacles.len() - 1 {
            0 => first.to_string(),
            1 => format!("{first}; and 1 more obstacle"),
            more => format!("{first}; and {more} more obstacles"),
        })
    }
}

/// Configurations along `base_from_tcp`, chosen together.
///
/// With a closed form all branches of every pose are known, and what is returned is the best path there is: least
/// largest step of a joint (rad or m), then least length. Turns of 2π follow by continuity; with limits of several turns
/// the path stays inside them.
///
/// Arms with self-motion (closed form at sampled values of it) move along it until the largest step is least near the best
/// path through the samples. Without closed form the branches are those that [`crate::solve_ik`] finds from seeded random
/// starts at the first pose and continues from pose to pose; the best path through these is returned. In both cases better
/// paths may exist. All this is [`PathMethod::Global`], and what [`PathMethod::Local`] gives up. A path that cannot be continuous is no error: see [`IKPath::obstacles`].
///
/// # Errors
/// [`KineticError::InvalidValue`] for no poses, steps that are not positive or tolerances outside their domain,
/// [`KineticError::NotFinite`], [`KineticError::DimensionMismatch`], [`KineticError::Cancelled`] and
/// [`KineticError::IKTimeout`].
pub fn solve_ik_path(
    closed_form: Option<&Manipulator>,
    chain: &KinematicChain,
    base_from_tcp: &[Pose],
    options: &PathOptions,
) -> Result<IKPath> {
    solve(closed_form, chain, base_from_tcp, options, &mut Verdicts::none())
}

/// As [`solve_ik_path`], through configurations and along steps between them that `validity` takes: a branch that is blocked
/// half-way is not taken when another one goes through. What is in the way otherwise is [`Obstacle::Collision`].
///
/// Of arms with self-motion the path without obstacles is returned where it is valid. Where it is not, valid configurations of
/// the self-motion are the vertices of the ladder, and linear programs smooth its path only as long as it stays valid.
///
/// # Errors
/// As [`solve_ik_path`].
pub fn solve_ik_path_where(
    closed_form: Option<&Manipulator>,
    chain: &KinematicChain,
    base_from_tcp: &[Pose],
    options: &PathOptions,
    validity: &mut dyn PathValidity,
) -> Result<IKPath> {
    solve(closed_form, chain, base_from_tcp, options, &mut Verdicts::of(validity))
}

fn solve(
    closed_form: Option<&Manipulator>,
    chain: &KinematicChain,
    base_from_tcp: &[Pose],
    options: &PathOptions,
    verdicts: &mut Verdicts<'_>,
) -> Result<IKPath> {
    let closed_form = closed_form.filter(|manipulator| manipulator.met() == Met::Pose);
    if options.method == PathMethod::Local {
        return local::solve(closed_form, chain, base_from_tcp, options, verdicts);
    }
    match closed_form {
        Some(manipulator) if manipulator.lists_all() => {
            search_ladder(&mut ClosedForm::new(manipulator), base_from_tcp, options, verdicts)
        }
        Some(manipulator) => {
            let options = PathOptions { ends_at_obstacle: false, ..options.clone() };
            redundant::solve(manipulator, base_from_tcp, &options, verdicts)
        }
        None => search_ladder(&mut Numerical::new(chain, options), base_from_tcp, options, verdicts),
    }
}

/// Refuses poses and options that make no sense.
fn check_targets(chain: &KinematicChain, base_from_tcp: &[Pose], options: &PathOptions) -> Result<()> {
    if base_from_tcp.is_empty() {
        return Err(KineticError::invalid("targets", "an empty list", "at least one pose"));
    }
    base_from_tcp.iter().enumerate().try_for_each(|(index, target)| target.check_finite(&format!("target {index}")))?;
    options.check(chain, base_from_tcp.len())
}
