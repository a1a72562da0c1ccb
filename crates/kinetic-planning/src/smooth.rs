//! Shorter paths: shortcuts between waypoints, random shortcuts between points on edges, and corner cutting.
//!
//! All of them work on the values as they are (continuous joints stay unwrapped), measure Euclidean length, keep both
//! ends bit for bit, and never return a longer path. Every edge of a result was proven by
//! [`Validity::is_motion_valid`] as it stands; a piece of a proven edge is proven again before it is returned.
//!
//! `control` ends the shortening early, by time or stop flag; its iteration budget is not used. What is returned then
//! is proven like any other result.

mod corner;
mod polyline;
mod random;
mod waypoints;

use kinetic_core::{Control, KineticError, PlannerConfig, Result, Trajectory};

use crate::validity::Validity;
use polyline::Polyline;
use random::RandomShortcut;

/// What [`simplify`] does.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SimplifyOptions {
    /// Most attempts of the random shortcut, over all rounds; 0 switches every kind of shortcut off.
    pub shortcut_iterations: usize,
    /// Whether half of the random shortcuts straighten a single joint (Geraerts and Overmars 2007).
    pub per_joint: bool,
    /// Whether corners are cut.
    pub smooth: bool,
    /// Corners that would move by less stay; Euclidean in joint space, not negative.
    pub tolerance: f64,
    /// Most rounds of shortcuts and corner cutting.
    pub max_rounds: usize,
    /// Seed of the random shortcut.
    pub seed: u64,
}

impl Default for SimplifyOptions {
    fn default() -> Self {
        Self::from(&PlannerConfig::default())
    }
}

impl From<&PlannerConfig> for SimplifyOptions {
    fn from(config: &PlannerConfig) -> Self {
        Self {
            shortcut_iterations: config.shortcut_iterations,
            per_joint: true,
            smooth: config.smooth,
            tolerance: 0.03,
            max_rounds: 5,
            seed: config.seed,
        }
    }
}

/// A simplified path, every edge proven, with the figures of the work.
#[derive(Debug, Clone, PartialEq)]
pub struct Simplified {
    /// The path.
    pub path: Trajectory,
    /// Rounds of shortcuts and corner cutting.
    pub rounds: usize,
    /// Length of the path given.
    pub length_before: f64,
    /// Length of the path returned, at most `length_before`.
    pub length: f64,
    /// Configurations that the validity evaluated.
    pub checks: u64,
}

/// A round that shortens the path by less than this part of its length is the last one.
const LEAST_GAIN: f64 = 1e-3;

/// Sum of the Euclidean lengths of the segments.
pub fn path_length(path: &Trajectory) -> f64 {
    path.path_length()
}

/// Shortens a path and cuts its corners, in rounds, until little is gained.
///
/// # Errors
/// [`KineticError::PlannerOutputInvalid`] naming the first waypoint after which the path *given* is not valid;
/// [`KineticError::InvalidValue`] for a tolerance that is not a number of at least 0.
pub fn simplify(
    path: &Trajectory,
    options: &SimplifyOptions,
    validity: &mut dyn Validity,
    control: &Control,
) -> Result<Simplified> {
    check_tolerance(options.tolerance)?;
    let checks_before = validity.checks();
    let mut line = Polyline::from_path(path);
    let length_before = line.length();
    let with_shortcuts = options.shortcut_iterations > 0;
    let mut random = RandomShortcut::new(options.shortcut_iterations, options.per_joint, options.seed);
    let mut length = length_before;
    let mut rounds = 0;
    if with_shortcuts {
        waypoints::shortcut(&mut line, validity, control);
    }
    let mut stages = vec![line.clone()];
    while rounds < options.max_rounds && line.len() > 2 && !control.is_over(0) {
        random.shortcut(&mut line, validity, control);
        if options.smooth {
            corner::cut(&mut line, options.tolerance, validity, control);
        }
        if with_shortcuts {
            waypoints::straighten(&mut line, validity, control);
        }
        rounds += 1;
        stages.push(line.clone());
        let before = std::mem::replace(&mut length, line.length());
        if length > before * (1.0 - LEAST_GAIN) {
            break;
        }
    }
    let path = proven(stages, path, validity)?;
    Ok(Simplified {
        length: path.path_length(),
        path,
        rounds,
        length_before,
        checks: validity.checks() - checks_before,
    })
}

/// Replaces runs of waypoints by straight edges: between waypoints, from the far end, then between at most `attempts`
/// pairs of random points on the path, ended early by several in a row without gain.
///
/// # Errors
/// [`KineticError::PlannerOutputInvalid`] when the path given is not valid.
pub fn shortcut(
    path: &Trajectory,
    attempts: usize,
    seed: u64,
    validity: &mut dyn Validity,
    control: &Control,
) -> Result<Trajectory> {
    let mut line = Polyline::from_path(path);
    waypoints::shortcut(&mut line, validity, control);
    RandomShortcut::new(attempts, true, seed).shortcut(&mut line, validity, control);
    waypoints::straighten(&mut line, validity, control);
    proven(vec![line], path, validity)
}

/// Cuts corners by B-spline subdivision until no corner would move by more than `tolerance`.
///
/// # Errors
/// [`KineticError::PlannerOutputInvalid`] when the path given is not valid, [`KineticError::InvalidValue`] for a
/// tolerance that is not a number of at least 0.
pub fn smooth_bspline(
    path: &Trajectory,
    tolerance: f64,
    validity: &mut dyn Validity,
    control: &Control,
) -> Result<Trajectory> {
    check_tolerance(tolerance)?;
    let mut line = Polyline::from_path(path);
    corner::cut(&mut line, tolerance, validity, control);
    proven(vec![line], path, validity)
}

fn check_tolerance(tolerance: f64) -> Result<()> {
    if tolerance >= 0.0 {
        return Ok(());
    }
    Err(KineticError::invalid("tolerance", tolerance, "a number of at least 0"))
}

/// Proves what is left to prove of the latest stage. Where a piece of a proven edge is refused (proofs have a finite
/// resolution and effort), an earlier stage takes its place, at last the path given.
fn proven(stages: Vec<Polyline>, given: &Trajectory, validity: &mut dyn Validity) -> Result<Trajectory> {
    if given.len() < 2 {
        return Ok(given.clone());
    }
    for mut line in stages.into_iter().rev() {
        if line.first_refused(validity).is_none() {
            return line.to_path();
        }
    }
    let mut line = Polyline::with_every_waypoint(given);
    match line.first_refused(validity) {
        None => line.to_path(),
        Some(waypoint) => {
            let reason = "the edge to the next waypoint is not valid".to_owned();
            Err(KineticError::PlannerOutputInvalid { waypoint, reason })
        }
    }
}
