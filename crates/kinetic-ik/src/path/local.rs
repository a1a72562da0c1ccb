//! Local resolution of redundancy (Whitney 1969): from pose to pose, without lookahead.
//!
//! Each pose takes the configuration nearest to that of the pose before ("Resolved motion rate control of manipulators and
//! human prostheses"). Where none is within the bounds, the ladder of this one pose is searched: it finds a configuration
//! that is less near, or the obstacle.

use std::f64::consts::{PI, TAU};

use kinetic_core::{JointValues, Pose, Result};
use kinetic_kinematics::{KinematicChain, Rigid};

use super::candidates::{Candidates, ClosedForm, continued};
use super::numerical::Numerical;
use super::redundant::Sampled;
use super::solve::search_ladder;
use super::turns::turns_inside;
use super::validity::Verdicts;
use super::{IKPath, Obstacle, PathOptions, PathTolerance, check_targets};
use crate::analytic::Manipulator;
use crate::solvers::{IKConfig, solve_ik_auto};
use crate::tolerance::CONTINUATION_ERROR_M_RAD;
use crate::watch::Watch;

/// As [`super::solve_ik_path`] with [`super::PathMethod::Local`].
pub(super) fn solve(
    closed_form: Option<&Manipulator>,
    chain: &KinematicChain,
    base_from_tcp: &[Pose],
    options: &PathOptions,
    verdicts: &mut Verdicts<'_>,
) -> Result<IKPath> {
    check_targets(chain, base_from_tcp, options)?;
    let watch = Watch::new(&options.stop);
    let mut local = LocalPath::new(closed_form, chain, base_from_tcp.len(), options);
    for (index, target) in base_from_tcp.iter().enumerate() {
        watch.check(index)?;
        local.solve_next(index, target, verdicts)?;
    }
    if !local.path.obstacles.is_empty() {
        // A search that time ended does not show that the last pose is out of reach.
        watch.check(base_from_tcp.len())?;
    }
    Ok(local.path)
}

/// A path that is found pose by pose.
struct LocalPath<'a> {
    closed_form: Option<&'a Manipulator>,
    chain: &'a KinematicChain,
    options: &'a PathOptions,
    /// Farthest that a joint moves between poses, rad or m; half a turn where there is no bound.
    steps: Vec<f64>,
    branches: Option<ClosedForm<'a>>,
    rows: Vec<f64>,
    /// Options of the query of every pose; the seed is the configuration of the arm.
    config: IKConfig,
    /// Whether the arm stands at the pose before, so that the step from there is bounded.
    is_bound: bool,
    path: IKPath,
}

impl<'a> LocalPath<'a> {
    fn new(
        closed_form: Option<&'a Manipulator>,
        chain: &'a KinematicChain,
        count: usize,
        options: &'a PathOptions,
    ) -> Self {
        let most = |(joint, step): (usize, f64)| if chain.is_rotation(joint) { step.min(PI) } else { step };
        Self {
            closed_form,
            chain,
            options,
            steps: options.steps(chain).into_iter().enumerate().map(most).collect(),
            branches: closed_form.filter(|arm| arm.lists_all()).map(ClosedForm::new),
            rows: Vec::new(),
            config: IKConfig {
                seed: options.start.clone(),
                rng_seed: options.rng_seed,
                stop: options.stop.clone(),
                ..IKConfig::default()
            },
            is_bound: options.start.is_some(),
            path: IKPath {
                q: Vec::with_capacity(count * chain.dof()),
                dof: chain.dof(),
                success: Vec::with_capacity(count),
                obstacles: Vec::new(),
                splits: Vec::new(),
                largest_step: 0.0,
                length: 0.0,
            },
        }
    }

    /// Adds the configuration of the next pose.
    fn solve_next(&mut self, index: usize, target: &Pose, verdicts: &mut Verdicts<'_>) -> Result<()> {
        let tolerance = self.options.tolerance_of(index);
        let nearest = if tolerance.is_strict() { self.nearest(target) } else { None };
        match nearest {
            Some(q) if self.is_within_step_bounds(&q) && self.is_free(&q, verdicts) => self.append(index, q, true),
            nearest => self.solve_by_ladder(index, target, tolerance, nearest, verdicts)?,
        }
        Ok(())
    }

    /// The configuration nearest to where the arm stands, inside the limits; without a start, the one that single calls give.
    fn nearest(&mut self, target: &Pose) -> Option<JointValues> {
        match (&self.config.seed, &mut self.branches) {
            (Some(from), Some(branches)) => {
                self.rows.clear();
                branches.candidates(&Rigid::from(target), from, &mut self.rows);
                nearest_row(self.chain, from, &self.rows)
            }
            (Some(from), None) if self.closed_form.is_none() => continued(self.chain, &Rigid::from(target), from),
            _ => self.single(target),
        }
    }

    /// What a single call answers, as near to the pose as closed forms come.
    fn single(&self, target: &Pose) -> Option<JointValues> {
        let found = solve_ik_auto(self.closed_form, self.chain, target, &self.config).ok()?;
        if found.position_error.max(found.orientation_error) <= CONTINUATION_ERROR_M_RAD {
            return Some(found.joints);
        }
        continued(self.chain, &Rigid::from(target), &found.joints)
    }

    /// Whether the step to `q` is within its bounds.
    fn is_within_step_bounds(&self, q: &[f64]) -> bool {
        let Some(from) = self.config.seed.as_ref().filter(|_| self.is_bound) else { return true };
        (0..q.len()).all(|joint| (q[joint] - from[joint]).abs() <= self.steps[joint])
    }

    /// Whether the way to `q` is valid, or `q` itself where the path begins.
    fn is_free(&self, q: &[f64], verdicts: &mut Verdicts<'_>) -> bool {
        match self.config.seed.as_ref().filter(|_| self.is_bound) {
            Some(from) => verdicts.is_motion_valid(from, q),
            None => verdicts.is_valid(q),
        }
    }

    /// What the ladder of a single pose finds: a configuration within the bounds, or what stands in the way. The path then
    /// goes on from the configuration that is `nearest`.
    fn solve_by_ladder(
        &mut self,
        index: usize,
        target: &Pose,
        tolerance: PathTolerance,
        nearest: Option<JointValues>,
        verdicts: &mut Verdicts<'_>,
    ) -> Result<()> {
        let options = PathOptions {
            start: self.config.seed.clone().filter(|_| self.is_bound),
            max_joint_step: self.options.max_joint_step.clone(),
            tolerance: if tolerance.is_strict() { Vec::new() } else { vec![tolerance] },
            rng_seed: self.options.rng_seed,
            stop: self.options.stop.clone(),
            ..PathOptions::default()
        };
        let mut source =
            LayerVertices { known: nearest.clone().map(|q| (Rigid::from(target), q)), source: self.source(&options) };
        let mut found = search_ladder(&mut source, &[*target], &options, verdicts)?;
        let q = found.configuration(0).map(JointValues::from);
        let obstacle = found.obstacles.pop().map(|obstacle| obstacle.at(index));
        match (q, obstacle) {
            (Some(q), None) => self.append(index, q, true),
            (Some(q), obstacle) => {
                self.path.obstacles.extend(obstacle);
                let nearest = nearest.filter(|nearest| verdicts.is_valid(nearest));
                self.append(index, nearest.unwrap_or(q), false);
            }
            (None, obstacle) => self.skip(obstacle),
        }
        Ok(())
    }

    /// All configurations of a pose, or a sample of them.
    fn source(&self, options: &PathOptions) -> Box<dyn Candidates + 'a> {
        match self.closed_form {
            Some(arm) if arm.lists_all() => Box::new(ClosedForm::new(arm)),
            Some(arm) => Box::new(Sampled::new(arm, options, false)),
            None => Box::new(Numerical::new(self.chain, options)),
        }
    }

    /// The arm goes to a configuration, or jumps there.
    fn append(&mut self, index: usize, q: JointValues, is_continuous: bool) {
        let is_first = index == 0 && self.options.start.is_none();
        match self.config.seed.as_ref().filter(|_| self.is_bound && is_continuous) {
            Some(from) => measure(from, &q, &mut self.path),
            None if is_first => {}
            None => self.path.splits.push(index),
        }
        self.path.q.extend_from_slice(&q);
        self.path.success.push(is_continuous);
        (self.config.seed, self.is_bound) = (Some(q), true);
    }

    /// The pose is not reached, and the path starts anew at the next one that is. Of several in a row the first says why.
    fn skip(&mut self, obstacle: Option<Obstacle>) {
        let is_again = self.path.success.last() == Some(&false) && !self.is_bound;
        self.path.obstacles.extend(obstacle.filter(|_| !is_again));
        self.path.q.extend((0..self.path.dof).map(|_| f64::NAN));
        self.path.success.push(false);
        self.is_bound = false;
    }
}

/// The configurations of a source, and one that is known.
struct LayerVertices<'a> {
    known: Option<(Rigid, JointValues)>,
    source: Box<dyn Candidates + 'a>,
}

impl Candidates for LayerVertices<'_> {
    fn chain(&self) -> &KinematicChain {
        self.source.chain()
    }

    fn candidates(&mut self, base_from_tcp: &Rigid, previous: &[f64], out: &mut Vec<f64>) {
        if let Some((_, q)) = self.known.as_ref().filter(|(pose, _)| pose == base_from_tcp) {
            out.extend_from_slice(q);
        }
        self.source.candidates(base_from_tcp, previous, out);
    }
}

/// Adds a step to the measures of a path.
fn measure(from: &[f64], to: &[f64], path: &mut IKPath) {
    let steps = to.iter().zip(from).map(|(to, from)| (to - from).abs());
    let (most, squares) = steps.fold((0.0, 0.0), |(most, sum), step| (f64::max(most, step), sum + step * step));
    path.largest_step = path.largest_step.max(most);
    path.length += squares.sqrt();
}

/// Largest steps that differ by less are the same: branches often share the joint that moves farthest.
const SAME_LARGEST_STEP_RAD_M: f64 = 1e-9;

/// Of configurations on the turns inside the limits that are nearest to `from`, the one whose largest weighted step is least,
/// and of those the one of least travel.
fn nearest_row(chain: &KinematicChain, from: &[f64], rows: &[f64]) -> Option<JointValues> {
    let mut best: Option<(f64, f64, JointValues)> = None;
    for row in rows.chunks_exact(from.len()) {
        let Some(q) = turned(chain, from, row) else { continue };
        let steps = (0..q.len()).map(|joint| chain.weights()[joint] * (q[joint] - from[joint]).abs());
        let (largest, travel) = (steps.fold(0.0, f64::max), chain.travel(from, &q));
        let is_nearer = |(least, length, _): &(f64, f64, JointValues)| {
            largest < least - SAME_LARGEST_STEP_RAD_M
                || (largest <= least + SAME_LARGEST_STEP_RAD_M && travel < *length)
        };
        if best.as_ref().is_none_or(is_nearer) {
            best = Some((largest, travel, q));
        }
    }
    best.map(|(.., q)| q)
}

/// `row` on the turns inside the limits nearest to `from`, when there are some.
fn turned(chain: &KinematicChain, from: &[f64], row: &[f64]) -> Option<JointValues> {
    let value = |joint: usize| {
        let (low, high) = turns_inside(chain, joint, row[joint])?;
        let turns = ((from[joint] - row[joint]) / TAU).round().clamp(f64::from(low), f64::from(high));
        let (low, high) = chain.bounds()[joint];
        Some((row[joint] + TAU * turns).clamp(low, high))
    };
    (0..row.len()).map(value).collect::<Option<Vec<f64>>>().map(JointValues::from)
}
