//! Shorter paths: shortcuts between waypoints, chords across corners, random shortcuts between points on edges, and corners
//! rounded by subdivision.
//!
//! All of them work on the values as they are (continuous joints stay unwrapped), measure Euclidean length, weighted where a
//! [`Space`] says so, keep both ends bit for bit, and never return a longer path. They check edges with [`Validity::path_may_be_valid`]; the proof comes last:
//! every edge of a result was proven by [`Validity::is_motion_valid`] as it stands. Where an edge is refused, its ends move
//! outwards a little; where that does not help, that part of the path goes back to what was given, and is shortened once more
//! with a proof for every step.
//!
//! `control` ends the shortening early, by time or stop flag; its iteration budget is not used. What is returned then
//! is proven like any other result.

mod chord;
mod corner;
mod edge_check;
mod polyline;
mod random;
mod repair;
mod waypoints;

use kinetic_core::error::check_len;
use kinetic_core::{Control, KineticError, PlannerConfig, Result, Trajectory};

use crate::space::Space;
use crate::validity::Validity;
use edge_check::EdgeCheck;
use polyline::Polyline;
use random::RandomShortcut;
use repair::repair;

/// What [`simplify`] does.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SimplifyOptions {
    /// Most attempts of random shortcuts, over all rounds; 0 switches every kind of shortcut off.
    pub shortcut_iterations: usize,
    /// Whether half of the random shortcuts straighten a single joint (Geraerts and Overmars 2007).
    pub per_joint: bool,
    /// Whether corners are cut.
    pub smooth: bool,
    /// Corners that are less than this off the straight between their neighbours stay; a length in joint space, not
    /// negative.
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
            tolerance: USUAL_TOLERANCE,
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
    /// Length of the path given, Euclidean or in the metric of the options.
    pub length_before: f64,
    /// Length of the path returned, measured alike; at most `length_before`.
    pub length: f64,
    /// Configurations that the validity evaluated.
    pub checks: u64,
}

const USUAL_TOLERANCE: f64 = 0.03;

/// Random shortcuts gain at least this part of a path's length, at usual tolerances; down to the other one at finer ones,
/// since each also leaves two more waypoints.
const SHORTCUT_GAIN: f64 = 4e-3;
const FINEST_SHORTCUT_GAIN: f64 = 1e-3;

/// A round that shortens the path by less than this part of its length is the last one, at usual tolerances; down to the other
/// one at finer ones.
const LEAST_ROUND_GAIN: f64 = 1e-2;
const FINEST_ROUND_GAIN: f64 = 1e-3;

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
    simplify_weighted(path, &vec![1.0; path.dof()], options, validity, control)
}

/// As [`simplify`], with lengths in the metric of a space.
///
/// # Errors
/// As [`simplify`], and [`KineticError::DimensionMismatch`] for a path of another space.
pub fn simplify_in(
    space: &Space,
    path: &Trajectory,
    options: &SimplifyOptions,
    validity: &mut dyn Validity,
    control: &Control,
) -> Result<Simplified> {
    check_len("path", path.dof(), space.dof())?;
    simplify_weighted(path, space.weights(), options, validity, control)
}

fn simplify_weighted(
    path: &Trajectory,
    weights: &[f64],
    options: &SimplifyOptions,
    validity: &mut dyn Validity,
    control: &Control,
) -> Result<Simplified> {
    check_tolerance(options.tolerance)?;
    let checks_before = validity.checks();
    let (mut rounds, given) = (0, Polyline::with_every_waypoint(path, weights));
    let line = reworked(&given, validity, control, &mut |line, edge_check| {
        rounds += shorten(line, options, edge_check);
    })?;
    let (length, length_before) = (line.length(), given.length());
    Ok(Simplified { path: line.to_path()?, rounds, length_before, length, checks: validity.checks() - checks_before })
}

/// What a gain that is worth an attempt is multiplied by: what a corner costs in length falls with the square of its
/// distance from the straight, and so does this below the usual tolerance.
fn fineness(tolerance: f64) -> f64 {
    (tolerance / USUAL_TOLERANCE).min(1.0).powi(2)
}

/// The rounds of [`simplify`]; how many there were.
fn shorten(line: &mut Polyline, options: &SimplifyOptions, edge_check: &mut EdgeCheck<'_>) -> usize {
    let mut attempts = options.shortcut_iterations;
    let with_shortcuts = attempts > 0;
    let least_gain = (SHORTCUT_GAIN * fineness(options.tolerance)).max(FINEST_SHORTCUT_GAIN);
    let least_round_gain = (LEAST_ROUND_GAIN * fineness(options.tolerance)).max(FINEST_ROUND_GAIN);
    let mut random = RandomShortcut::new(options.per_joint, least_gain, options.seed);
    if with_shortcuts {
        waypoints::shortcut(line, edge_check);
    }
    let mut length = line.length();
    let mut rounds = 0;
    while rounds < options.max_rounds && line.len() > 2 && !edge_check.control.is_over(0) {
        if options.smooth {
            chord::cut_corners(line, options.tolerance, edge_check);
        }
        random.shortcut(line, &mut attempts, edge_check);
        rounds += 1;
        let before = std::mem::replace(&mut length, line.length());
        if length > before * (1.0 - least_round_gain) {
            break;
        }
    }
    rounds
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
    shortcut_weighted(path, &vec![1.0; path.dof()], (attempts, seed), validity, control)
}

/// As [`shortcut`], with lengths in the metric of a space.
///
/// # Errors
/// As [`shortcut`], and [`KineticError::DimensionMismatch`] for a path of another space.
pub fn shortcut_in(
    space: &Space,
    path: &Trajectory,
    attempts: usize,
    seed: u64,
    validity: &mut dyn Validity,
    control: &Control,
) -> Result<Trajectory> {
    check_len("path", path.dof(), space.dof())?;
    shortcut_weighted(path, space.weights(), (attempts, seed), validity, control)
}

fn shortcut_weighted(
    path: &Trajectory,
    weights: &[f64],
    (attempts, seed): (usize, u64),
    validity: &mut dyn Validity,
    control: &Control,
) -> Result<Trajectory> {
    let given = Polyline::with_every_waypoint(path, weights);
    let line = reworked(&given, validity, control, &mut |line, edge_check| {
        let mut attempts = attempts;
        waypoints::shortcut(line, edge_check);
        RandomShortcut::new(true, FINEST_SHORTCUT_GAIN, seed).shortcut(line, &mut attempts, edge_check);
        waypoints::shortcut(line, edge_check);
    })?;
    line.to_path()
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
    let given = Polyline::with_every_waypoint(path, &vec![1.0; path.dof()]);
    reworked(&given, validity, control, &mut |line, edge_check| corner::cut(line, tolerance, edge_check))?.to_path()
}

fn check_tolerance(tolerance: f64) -> Result<()> {
    if tolerance >= 0.0 {
        return Ok(());
    }
    Err(KineticError::invalid("tolerance", tolerance, "a number of at least 0"))
}

/// Applies `rework` with discrete edge checks and proves the result; where parts had to go back to what was given, once more with
/// proofs to what is left.
fn reworked(
    given: &Polyline,
    validity: &mut dyn Validity,
    control: &Control,
    rework: &mut dyn FnMut(&mut Polyline, &mut EdgeCheck<'_>),
) -> Result<Polyline> {
    if given.len() < 2 {
        return Ok(given.clone());
    }
    let mut line = given.without_repetitions();
    for proves in [false, true] {
        rework(&mut line, &mut EdgeCheck::new(validity, control, proves));
        if repair(&mut line, given, validity, control)? {
            break;
        }
    }
    Ok(line)
}
