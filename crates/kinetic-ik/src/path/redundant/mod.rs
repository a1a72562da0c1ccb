//! Paths of redundant arms: coarse dynamic programming over samples of the self-motion, then sequential linear programming.
//!
//! 1. A few poses of the path, the knots, are sampled over their self-motion: with seven joints a curve, which is sampled by
//!    continuation from the configurations that the knot before leads to; with eight joints a surface, sampled by the
//!    closed form. Dynamic programming finds paths through these samples. Where a path is discontinuous between two knots,
//!    a knot is inserted.
//! 2. The configurations of the path move along their self-motion until the largest step is least (sequential linear
//!    programming), and configurations between them are added, until every pose has one.
//!
//! Where that path is not free, the knots are sampled again with free configurations alone, and get more knots where the path
//! between them is blocked (`between_obstacles`).
//!
//! Where all that finds no path that is as smooth between the knots as at them, the ladder graph is searched, with samples that
//! are continued from pose to pose as vertices, and the segments of its path are smoothed. Samples that cost an eigenproblem
//! are few: for such arms the configurations that the numerical solver finds make a second ladder.

mod between_obstacles;
mod block_tridiagonal;
mod coarse_search;
mod knot_path;
mod knots;
mod label;
mod polish;
mod pose_continuation;
mod projector;
mod sampled;
mod self_motion_curve;
mod step_program;
mod transitions;

use kinetic_core::{Pose, Result};
use kinetic_kinematics::{KinematicChain, Rigid};

use super::candidates::distance;
use super::numerical::Numerical;
use super::solve::search_ladder;
use super::validity::Verdicts;
use super::{IKPath, PathOptions, check_targets};
use crate::analytic::{Branches, Manipulator};
use coarse_search::CoarseSearch;
use knot_path::{KnotPath, PathProblem};
use knots::{KnotSample, Resolution};
use polish::{measured, polish};
use projector::PoseProjector;
pub(super) use sampled::Sampled;
use step_program::StepProgram;

/// A configuration of up to eight joints, zero beyond.
pub(crate) type PaddedJoints = [f64; 8];

/// What says whether a configuration is free.
pub(super) type IsFree<'f> = dyn FnMut(&[f64]) -> bool + 'f;

fn row_of(q: &[f64]) -> PaddedJoints {
    std::array::from_fn(|joint| q.get(joint).copied().unwrap_or(0.0))
}

/// As [`super::solve_ik_path`] for a manipulator with self-motion.
pub(super) fn solve(
    manipulator: &Manipulator,
    base_from_tcp: &[Pose],
    options: &PathOptions,
    verdicts: &mut Verdicts<'_>,
) -> Result<IKPath> {
    let chain = manipulator.chain();
    check_targets(chain, base_from_tcp, options)?;
    let quick = if options.tolerance.is_empty() { quick(manipulator, base_from_tcp, options) } else { None };
    let quick = quick.map(|(path, is_sure)| (measured(chain, options, &path.rows), is_sure));
    let start = options.start.as_deref();
    let quick = quick.filter(|(path, _)| path.keeps(chain, options) && verdicts.is_path_valid(path, start));
    if let Some((path, true)) = quick {
        return Ok(path);
    }
    if verdicts.can_refuse()
        && options.tolerance.is_empty()
        && quick.is_none()
        && let Some(path) = between_obstacles::path(manipulator, base_from_tcp, options, verdicts)
    {
        return Ok(path);
    }
    let mut sampled = Sampled::new(manipulator, options, verdicts.can_refuse());
    let path = search_ladder(&mut sampled, base_from_tcp, options, verdicts)?;
    let mut path = polished(path, chain, options, verdicts);
    if is_slow(manipulator) && options.tolerance.is_empty() {
        let continued = search_ladder(&mut Numerical::new(chain, options), base_from_tcp, options, verdicts)?;
        path = smoother(polished(continued, chain, options, verdicts), path);
    }
    Ok(match quick {
        Some((quick, _)) => smoother(quick, path),
        None => path,
    })
}

/// A path smoothed along its self-motion, where that stays valid.
fn polished(path: IKPath, chain: &KinematicChain, options: &PathOptions, verdicts: &mut Verdicts<'_>) -> IKPath {
    let mut smooth = path.clone();
    polish(chain, options, &mut smooth);
    if verdicts.is_path_valid(&smooth, options.start.as_deref()) { smooth } else { path }
}

/// The path with fewer obstacles, and of those the one with smaller steps.
fn smoother(one: IKPath, other: IKPath) -> IKPath {
    let by_obstacles = one.obstacles.len().cmp(&other.obstacles.len());
    if by_obstacles.then(one.largest_step.total_cmp(&other.largest_step)).is_lt() { one } else { other }
}

/// Whether a sweep of the closed form takes as long as a path.
fn is_slow(manipulator: &Manipulator) -> bool {
    manipulator.dispatch_plan().tier > 0
}

/// The path through all poses in which steps are smallest, and whether it is as smooth between the knots as at them; `None`
/// when none was found.
fn quick(manipulator: &Manipulator, base_from_tcp: &[Pose], options: &PathOptions) -> Option<(KnotPath, bool)> {
    let targets: Vec<Rigid> = base_from_tcp.iter().map(Rigid::from).collect();
    match manipulator.dof() {
        7 => smoothest::<1>(manipulator, &targets, options),
        8 => smoothest::<2>(manipulator, &targets, options),
        _ => None,
    }
}

/// Linear programs at the knots, and at all poses.
const MOST_LINEAR_PROGRAMS: [usize; 2] = [12, 2];
/// How closely a path over surfaces is looked at first where bounds on its steps are given, so that it need not be the smoothest.
const WITHIN_BOUNDS: Resolution = Resolution { motion: 0.5, segments: 8, curve_step: 0.25, surface_step: 0.12 };
/// How closely a path is looked at, first and second.
const RESOLUTIONS: [Resolution; 2] = [
    Resolution { motion: 0.5, segments: 8, curve_step: 0.25, surface_step: 0.08 },
    Resolution { motion: 0.2, segments: 8, curve_step: 0.25, surface_step: 0.08 },
];
/// Largest step between knots against that at knots up to which a path is sure.
const SURE_STEP_RATIO: f64 = 1.05;
/// The same ratio up to which the poses are left as they are.
const UNCHANGED_STEP_RATIO: f64 = 1.005;
/// Relative difference of the largest steps up to which two paths count as one.
const AGREEING_STEP_RATIO: f64 = 0.02;
/// Largest step after knots were added, against that before, up to which a path is pursued.
const PURSUED_STEP_RATIO: f64 = 1.5;

/// State of the search for one path.
struct SelfMotionSearch<'a, const D: usize> {
    manipulator: &'a Manipulator,
    problem: PathProblem<'a>,
    steps: Vec<f64>,
    projector: PoseProjector<'a>,
    program: StepProgram<D>,
}

fn smoothest<const D: usize>(
    manipulator: &Manipulator,
    targets: &[Rigid],
    options: &PathOptions,
) -> Option<(KnotPath, bool)> {
    let mut search = SelfMotionSearch::<D>::new(manipulator, targets, options);
    let plenty = JOINT_MOTION_PER_TOOL_MOTION * largest_motion(targets);
    let mut best: Option<(f64, KnotPath)> = None;
    let first = (D == 2 && options.max_joint_step.is_some()).then_some(WITHIN_BOUNDS);
    for resolution in first.into_iter().chain(RESOLUTIONS) {
        let paths = search.coarse_paths(&resolution, options, None);
        let Some((path, is_sure)) = search.deepest(paths) else { continue };
        let largest = path.largest(&search.problem);
        // Two looks at different poses that find the same are as good as one that is sure.
        let agrees = |best: &(f64, KnotPath)| (largest - best.0).abs() <= AGREEING_STEP_RATIO * largest;
        let is_sure = is_sure || best.as_ref().is_some_and(agrees);
        if is_sure && (largest <= plenty || search.keeps_bounds(&path, options)) {
            return Some((path, true));
        }
        if best.as_ref().is_none_or(|best| largest < best.0) {
            best = Some((largest, path));
        }
    }
    best.map(|(_, path)| (path, false))
}

/// A path is sure when joints move at most so many times as far as the tool, rad per m and rad.
const JOINT_MOTION_PER_TOOL_MOTION: f64 = 1.0;

/// Largest motion of the tool between neighbouring poses, m and rad added.
fn largest_motion(targets: &[Rigid]) -> f64 {
    targets.windows(2).map(|pair| distance(&pair[0], &pair[1])).fold(0.0, f64::max)
}

impl<'a, const D: usize> SelfMotionSearch<'a, D> {
    fn new(manipulator: &'a Manipulator, targets: &'a [Rigid], options: &'a PathOptions) -> Self {
        let chain = manipulator.chain();
        let start = options.start.as_deref().map(row_of);
        Self {
            manipulator,
            problem: PathProblem { targets, start, dof: chain.dof(), bounds: chain.bounds(), stop: &options.stop },
            steps: options.steps(chain),
            projector: PoseProjector::new(chain),
            program: StepProgram::<D>::new(chain.dof()),
        }
    }

    /// Coarse paths through knots, through configurations that are free, where something says so.
    fn coarse_paths(
        &mut self,
        resolution: &Resolution,
        options: &PathOptions,
        is_free: Option<&mut IsFree<'_>>,
    ) -> Vec<KnotPath> {
        let (chain, targets) = (self.manipulator.chain(), self.problem.targets);
        let knots = knots::knots(targets, resolution);
        let (is_curve, is_slow) = (D == 1, is_slow(self.manipulator));
        let mut first: Vec<KnotSample> = match &self.problem.start {
            Some(_) if is_curve => Vec::new(),
            Some(start) => knots::neighbours::<D>(start, &targets[0], &mut self.projector),
            None => knots::numerical_samples(chain, &targets[0], options),
        };
        if is_curve && self.problem.start.is_none() && !is_slow {
            first.extend(knots::samples(self.manipulator, &targets[0], &mut Branches::default()));
        }
        // Along a curve, samples are found from those before; surfaces need samples everywhere.
        let sampler = (!is_curve && !is_slow).then_some(self.manipulator);
        let spacing = if is_curve { resolution.curve_step } else { resolution.surface_step };
        let mut search = CoarseSearch::new(
            &self.problem,
            &mut self.projector,
            &self.steps,
            knots,
            first,
            sampler,
            (is_curve, spacing),
        );
        search.is_free = is_free;
        search.paths()
    }

    /// Whether steps are within bounds that were given.
    fn keeps_bounds(&self, path: &KnotPath, options: &PathOptions) -> bool {
        options.max_joint_step.as_ref().is_some_and(|steps| path.keeps(&self.problem, steps))
    }

    /// The smoothest of several paths, with a configuration for every pose, and whether it is sure.
    fn deepest(&mut self, paths: Vec<KnotPath>) -> Option<(KnotPath, bool)> {
        let smooth = |raw: KnotPath| {
            let mut path = raw.clone();
            (path.smooth(&self.problem, &mut self.projector, &mut self.program, MOST_LINEAR_PROGRAMS[0]), path, raw)
        };
        let (mut largest, mut path, mut raw) = paths.into_iter().map(smooth).min_by(|a, b| a.0.total_cmp(&b.0))?;
        let mut is_sure = true;
        loop {
            if let Some(full) = self.full(&path, largest) {
                return Some((full, is_sure));
            }
            if self.problem.stop.is_stopped() {
                return None;
            }
            if path.rows.len() == self.problem.targets.len() {
                return Some((path, false));
            }
            let before = largest;
            let denser = path.denser(&self.problem, &mut self.projector);
            let denser = denser.filter(|denser| denser.largest(&self.problem) <= PURSUED_STEP_RATIO * before);
            raw = raw.denser(&self.problem, &mut self.projector)?;
            is_sure &= denser.is_some();
            path = denser.unwrap_or_else(|| raw.clone());
            largest = path.smooth(&self.problem, &mut self.projector, &mut self.program, MOST_LINEAR_PROGRAMS[0]);
            is_sure &= largest <= PURSUED_STEP_RATIO * before;
        }
    }

    /// The path with a configuration for every pose; `None` when steps between the knots are larger than `largest`, the
    /// largest at the knots.
    fn full(&mut self, path: &KnotPath, largest: f64) -> Option<KnotPath> {
        let mut full = path.full(&self.problem, &mut self.projector)?;
        let found = full.largest(&self.problem);
        if found > largest * SURE_STEP_RATIO {
            return None;
        }
        if found > largest * UNCHANGED_STEP_RATIO {
            full.smooth(&self.problem, &mut self.projector, &mut self.program, MOST_LINEAR_PROGRAMS[1]);
        }
        Some(full)
    }
}
