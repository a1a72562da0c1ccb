//! Paths of arms with more than six joints: a way through samples of the self-motion, then as smooth as it gets.
//!
//! 1. A few poses of the path are solved all along their self-motion: a curve with seven joints, which is walked along from
//!    where the poses before lead to; with eight joints a surface, at samples of the closed form. Dynamic programming finds
//!    ways through these configurations. Where one does not go on between two poses, another pose is looked at.
//! 2. The configurations of the way move along their self-motion until the largest step is least (sequential linear
//!    programming), and configurations between them are added, until every pose has one.
//!
//! Where that does not find a way that is as smooth between the poses that were looked at as at them, the ladder decides,
//! with samples that are followed from pose to pose, and its segments are made smooth. Samples that cost an eigenproblem are
//! few: there, configurations that the numerical solver finds make a second ladder.

mod band;
mod followed;
mod follower;
mod knots;
mod label;
mod polish;
mod program;
mod reach;
mod sampled;
mod sketch;
mod traced;
mod way;

use kinetic_core::{Pose, Result};
use kinetic_kinematics::Rigid;

use super::candidates::distance;
use super::numerical::Numerical;
use super::solve::solve_ik_path_with;
use super::{IKPath, PathOptions, check_targets};
use crate::analytic::{Branches, Manipulator};
use follower::Follower;
use knots::Sample;
use polish::{measured, polish};
use program::Program;
pub(super) use sampled::Sampled;
use sketch::Sketch;
use way::{Setting, Way};

/// A configuration of up to eight joints, zero beyond.
pub(crate) type Row = [f64; 8];

fn row_of(q: &[f64]) -> Row {
    std::array::from_fn(|joint| q.get(joint).copied().unwrap_or(0.0))
}

/// As [`super::solve_ik_path`] for a manipulator with self-motion.
pub(super) fn solve(manipulator: &Manipulator, base_from_tcp: &[Pose], options: &PathOptions) -> Result<IKPath> {
    let chain = manipulator.chain();
    check_targets(chain, base_from_tcp, options)?;
    let quick = if options.tolerance.is_empty() { quick(manipulator, base_from_tcp, options) } else { None };
    let quick = quick.map(|(way, is_sure)| (measured(chain, options, &way.rows), is_sure));
    let quick = quick.filter(|(path, _)| path.keeps(chain, options));
    if let Some((path, true)) = quick {
        return Ok(path);
    }
    let mut path = solve_ik_path_with(&mut Sampled::new(manipulator, options), base_from_tcp, options)?;
    polish(chain, options, &mut path);
    if is_slow(manipulator) && options.tolerance.is_empty() {
        let mut followed = solve_ik_path_with(&mut Numerical::new(chain, options), base_from_tcp, options)?;
        polish(chain, options, &mut followed);
        path = smoother(followed, path);
    }
    Ok(match quick {
        Some((quick, _)) => smoother(quick, path),
        None => path,
    })
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

/// The way through all poses in which steps are smallest, and whether it is as smooth between the poses that were looked
/// at as at them; `None` when none was found.
fn quick(manipulator: &Manipulator, base_from_tcp: &[Pose], options: &PathOptions) -> Option<(Way, bool)> {
    let targets: Vec<Rigid> = base_from_tcp.iter().map(Rigid::from).collect();
    match manipulator.dof() {
        7 => smoothest::<1>(manipulator, &targets, options),
        8 => smoothest::<2>(manipulator, &targets, options),
        _ => None,
    }
}

/// Linear programs at the poses that are looked at first, and at all of them.
const ROUNDS: [usize; 2] = [12, 2];
/// Motion of the tool between poses that are looked at, m and rad added.
const MOTIONS: [f64; 2] = [0.5, 0.2];
/// How much larger steps may be between the poses that were looked at for the way to be sure.
const SURE: f64 = 1.05;
/// And for the poses to be left as they are.
const SAME: f64 = 1.005;
/// Part of the largest step by which two ways may differ that count as one.
const AGREES: f64 = 0.02;
/// How much larger they may be for another look at more poses.
const CLOSE: f64 = 1.5;

/// Everything that the search for one path needs.
struct Search<'a, const D: usize> {
    manipulator: &'a Manipulator,
    setting: Setting<'a>,
    steps: Vec<f64>,
    follower: Follower<'a>,
    program: Program<D>,
}

fn smoothest<const D: usize>(
    manipulator: &Manipulator,
    targets: &[Rigid],
    options: &PathOptions,
) -> Option<(Way, bool)> {
    let chain = manipulator.chain();
    let start = options.start.as_deref().map(row_of);
    let mut search = Search {
        manipulator,
        setting: Setting { targets, start, dof: chain.dof(), bounds: chain.bounds(), stop: &options.stop },
        steps: options.steps(chain),
        follower: Follower::new(chain),
        program: Program::<D>::new(chain.dof()),
    };
    let plenty = PLENTY * largest_motion(targets);
    let mut best: Option<(f64, Way)> = None;
    for motion in MOTIONS {
        let ways = search.sketched(motion, options);
        let Some((way, is_sure)) = search.deepest(ways) else { continue };
        let largest = way.largest(&search.setting);
        // Two looks at different poses that find the same are as good as one that is sure.
        let agrees = |best: &(f64, Way)| (largest - best.0).abs() <= AGREES * largest;
        if (is_sure || best.as_ref().is_some_and(agrees)) && largest <= plenty {
            return Some((way, true));
        }
        if best.as_ref().is_none_or(|best| largest < best.0) {
            best = Some((largest, way));
        }
    }
    best.map(|(_, way)| (way, false))
}

/// A way is sure when joints move at most so many times as far as the tool, rad per m and rad.
const PLENTY: f64 = 1.0;

/// Largest motion of the tool between neighbouring poses, m and rad added.
fn largest_motion(targets: &[Rigid]) -> f64 {
    targets.windows(2).map(|pair| distance(&pair[0], &pair[1])).fold(0.0, f64::max)
}

impl<const D: usize> Search<'_, D> {
    /// Rough ways through poses with so much motion of the tool between them.
    fn sketched(&mut self, motion: f64, options: &PathOptions) -> Vec<Way> {
        let (chain, targets) = (self.manipulator.chain(), self.setting.targets);
        let knots = knots::knots(targets, motion);
        let (is_curve, is_slow) = (D == 1, is_slow(self.manipulator));
        let mut first: Vec<Sample> = match &self.setting.start {
            Some(_) if is_curve => Vec::new(),
            Some(start) => knots::beside::<D>(start, &targets[0], &mut self.follower),
            None => knots::anywhere(chain, &targets[0], options),
        };
        if is_curve && self.setting.start.is_none() && !is_slow {
            first.extend(knots::samples(self.manipulator, &targets[0], &mut Branches::default()));
        }
        // Along a curve, samples are found from those before; surfaces need samples everywhere.
        let sampler = (!is_curve && !is_slow).then_some(self.manipulator);
        Sketch::new(&self.setting, &mut self.follower, &self.steps, knots, first, sampler, is_curve).ways()
    }

    /// The smoothest of several ways, with a configuration for every pose, and whether it is sure.
    fn deepest(&mut self, ways: Vec<Way>) -> Option<(Way, bool)> {
        let smooth = |raw: Way| {
            let mut way = raw.clone();
            (way.smooth(&self.setting, &mut self.follower, &mut self.program, ROUNDS[0]), way, raw)
        };
        let (mut largest, mut way, mut raw) = ways.into_iter().map(smooth).min_by(|a, b| a.0.total_cmp(&b.0))?;
        let mut is_sure = true;
        loop {
            if let Some(full) = self.full(&way, largest) {
                return Some((full, is_sure));
            }
            if self.setting.stop.is_stopped() {
                return None;
            }
            if way.rows.len() == self.setting.targets.len() {
                return Some((way, false));
            }
            let before = largest;
            let denser = way.denser(&self.setting, &mut self.follower);
            let denser = denser.filter(|denser| denser.largest(&self.setting) <= CLOSE * before);
            raw = raw.denser(&self.setting, &mut self.follower)?;
            is_sure &= denser.is_some();
            way = denser.unwrap_or_else(|| raw.clone());
            largest = way.smooth(&self.setting, &mut self.follower, &mut self.program, ROUNDS[0]);
            is_sure &= largest <= CLOSE * before;
        }
    }

    /// The way with a configuration for every pose; `None` when steps between the knots are larger than `largest`, the
    /// largest at the knots.
    fn full(&mut self, way: &Way, largest: f64) -> Option<Way> {
        let mut full = way.full(&self.setting, &mut self.follower)?;
        let found = full.largest(&self.setting);
        if found > largest * SURE {
            return None;
        }
        if found > largest * SAME {
            full.smooth(&self.setting, &mut self.follower, &mut self.program, ROUNDS[1]);
        }
        Some(full)
    }
}
