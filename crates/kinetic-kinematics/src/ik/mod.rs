//! Inverse kinematics inside joint limits: the numerical solver, and [`solve_ik_auto`], which prefers a closed form.
//!
//! One numerical solver: Levenberg–Marquardt on the pose error with joint limits as an active set, restarted from seeded random
//! configurations. Every answer is re-checked by forward kinematics, and an answer that says converged is inside
//! limits and tolerances.

mod automatic;
mod levenberg;

pub use automatic::solve_ik_auto;

use kinetic_core::rng::SeededRng;
use kinetic_core::{JointValues, KineticError, Pose, Result};
use kinetic_robot::{DEFAULT_IK_DAMPING, Robot};

use crate::chain::KinematicChain;
use levenberg::{Outcome, Workspace};

/// Options of a numerical solve.
#[derive(Debug, Clone, PartialEq)]
pub struct IKConfig {
    /// Configuration of the first attempt; the middle of the limits (0 for continuous joints) when `None`.
    pub seed: Option<JointValues>,
    /// Iterations of one attempt.
    pub max_iterations: usize,
    /// Attempts after the first, from seeded random configurations.
    pub num_restarts: usize,
    /// Largest distance between reached and wanted origin, m.
    pub position_tolerance: f64,
    /// Largest angle between reached and wanted orientation, rad.
    pub orientation_tolerance: f64,
    /// Seed of the restarts.
    pub rng_seed: u64,
    /// Damping per unit of squared pose error (m² and rad²), not negative.
    pub damping: f64,
}

impl Default for IKConfig {
    fn default() -> Self {
        Self {
            seed: None,
            max_iterations: 100,
            num_restarts: 30,
            position_tolerance: 1e-4,
            orientation_tolerance: 1e-3,
            rng_seed: 0,
            damping: DEFAULT_IK_DAMPING,
        }
    }
}

impl IKConfig {
    /// The defaults, with the damping that the robot's configuration prefers.
    pub fn for_robot(robot: &Robot) -> Self {
        Self { damping: robot.ik_preference.damping, ..Self::default() }
    }

    fn check(&self, chain: &KinematicChain) -> Result<()> {
        if let Some(seed) = &self.seed {
            chain.check(seed)?;
        }
        if self.max_iterations == 0 {
            return Err(KineticError::invalid("max_iterations", 0, "at least 1"));
        }
        if !(self.damping.is_finite() && self.damping >= 0.0) {
            return Err(KineticError::invalid("damping", self.damping, "a finite number of at least 0"));
        }
        for (name, value) in
            [("position_tolerance", self.position_tolerance), ("orientation_tolerance", self.orientation_tolerance)]
        {
            if !(value > 0.0 && value.is_finite()) {
                return Err(KineticError::invalid(name, value, "a positive finite number"));
            }
        }
        Ok(())
    }
}

/// An answer of the numerical solver.
#[derive(Debug, Clone, PartialEq)]
pub struct IKSolution {
    /// Joint values inside the limits.
    pub joints: JointValues,
    /// Distance between reached and wanted origin, m.
    pub position_error: f64,
    /// Angle between reached and wanted orientation, rad.
    pub orientation_error: f64,
    /// Iterations over all attempts; 0 for a closed form.
    pub iterations: usize,
    /// Attempts made, the first included; 0 for a closed form.
    pub attempts: usize,
}

/// One configuration that reaches `base_from_tcp`.
///
/// # Errors
/// [`KineticError::IKNotConverged`] with the best residual when no attempt meets the tolerances, and input errors for
/// NaN, wrong sizes or options outside their domain.
pub fn solve_ik(chain: &KinematicChain, base_from_tcp: &Pose, config: &IKConfig) -> Result<IKSolution> {
    let mut found = None;
    let tally = attempts(chain, base_from_tcp, config, &mut |solution| {
        found = Some(solution);
        false
    })?;
    found.ok_or(KineticError::IKNotConverged { iterations: tally.iterations, residual: tally.best_residual })
}

/// Distinct configurations that reach `base_from_tcp`, from all attempts, nearest to the seed first.
///
/// Two configurations are the same when no joint differs by more than 1e-3 rad (or m), turns of 2π ignored. This is a
/// search by restarts: it may miss branches.
///
/// # Errors
/// As [`solve_ik`].
pub fn solve_ik_distinct(chain: &KinematicChain, base_from_tcp: &Pose, config: &IKConfig) -> Result<Vec<IKSolution>> {
    let mut found: Vec<IKSolution> = Vec::new();
    let tally = attempts(chain, base_from_tcp, config, &mut |solution| {
        if !found.iter().any(|known| is_same(chain, &known.joints, &solution.joints)) {
            found.push(solution);
        }
        true
    })?;
    if found.is_empty() {
        return Err(KineticError::IKNotConverged { iterations: tally.iterations, residual: tally.best_residual });
    }
    let seed = start(chain, config);
    found.sort_by(|a, b| largest_step(&a.joints, &seed).total_cmp(&largest_step(&b.joints, &seed)));
    Ok(found)
}

/// Largest change of a single joint.
fn largest_step(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(x, y)| (x - y).abs()).fold(0.0, f64::max)
}

/// Configurations closer than this are one solution: far above the solver's tolerance, far below two branches.
const SAME_SOLUTION: f64 = 1e-3;

fn is_same(chain: &KinematicChain, a: &[f64], b: &[f64]) -> bool {
    let turn = std::f64::consts::TAU;
    let differs = |joint: usize| {
        let step = a[joint] - b[joint];
        let wraps = chain.is_rotation(joint);
        let step = if wraps { step - turn * (step / turn).round() } else { step };
        step.abs() > SAME_SOLUTION
    };
    !(0..chain.dof()).any(differs)
}

struct Tally {
    iterations: usize,
    best_residual: f64,
}

/// Runs attempt after attempt and hands solutions to `accept`, until it answers `false`.
fn attempts(
    chain: &KinematicChain,
    base_from_tcp: &Pose,
    config: &IKConfig,
    accept: &mut dyn FnMut(IKSolution) -> bool,
) -> Result<Tally> {
    config.check(chain)?;
    base_from_tcp.check_finite("target pose")?;
    let mut workspace = Workspace::new(chain);
    let mut rng = SeededRng::new(config.rng_seed);
    let mut tally = Tally { iterations: 0, best_residual: f64::INFINITY };
    let mut q = start(chain, config);
    for attempt in 0..=config.num_restarts {
        let outcome = workspace.solve(chain, base_from_tcp, &mut q, config);
        tally.iterations += outcome.iterations;
        tally.best_residual = tally.best_residual.min(outcome.position_error.max(outcome.orientation_error));
        if outcome.converged && !accept(solution(&q, &outcome, tally.iterations, attempt + 1)) {
            break;
        }
        random_into(chain, &mut rng, &mut q);
    }
    Ok(tally)
}

fn solution(q: &[f64], outcome: &Outcome, iterations: usize, attempts: usize) -> IKSolution {
    IKSolution {
        joints: q.into(),
        position_error: outcome.position_error,
        orientation_error: outcome.orientation_error,
        iterations,
        attempts,
    }
}

/// The seed inside the limits.
fn start(chain: &KinematicChain, config: &IKConfig) -> Vec<f64> {
    let clamp = |(joint, value): (usize, f64)| {
        let (low, high) = chain.bounds()[joint];
        value.clamp(low, high)
    };
    match &config.seed {
        Some(seed) => seed.iter().copied().enumerate().map(clamp).collect(),
        None => chain.bounds().iter().map(|(low, high)| middle(*low, *high)).collect(),
    }
}

fn middle(low: f64, high: f64) -> f64 {
    if low.is_finite() && high.is_finite() { f64::midpoint(low, high) } else { 0.0_f64.clamp(low, high) }
}

fn random_into(chain: &KinematicChain, rng: &mut SeededRng, q: &mut [f64]) {
    for (value, (low, high)) in q.iter_mut().zip(chain.bounds()) {
        let finite = low.is_finite() && high.is_finite();
        *value = if finite { rng.uniform(*low, *high) } else { rng.uniform(-1.0, 1.0) * std::f64::consts::PI };
    }
}
