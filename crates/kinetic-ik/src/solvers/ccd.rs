//! Cyclic coordinate descent: one joint at a time, from the tool to the base, each to where the targets together are
//! nearest (Wang & Chen 1991, "A combined optimization method for solving the inverse kinematics problem").
//!
//! Squared position errors and squared (Frobenius) rotation errors are `c − 2 (A cos δ + B sin δ)` in the angle δ of a
//! turning joint, and a parabola in the travel of a sliding one, so that several targets of both kinds have one minimum
//! in closed form. Joints that several frames follow (mimic) get a search along the joint. Limits are hard: the best value
//! inside them is taken. A target's norm decides when it is met; what descends is the Euclidean one, whose descent cannot
//! stop at a kink.

use kinetic_core::rng::SeededRng;
use kinetic_core::{JointValues, KineticError, Result, StopFlag};
use kinetic_kinematics::{KinematicChain, Motion, Rigid};
use nalgebra::{Matrix3, Vector3};

use super::pose_problem::PoseProblem;
use super::sinusoid::best_angle;
use super::solver::{NumericalSolver, Outcome};
use super::targets::{LinkTarget, TargetSet, Wanted};
use super::{IKConfig, pose_problem};
use crate::watch::Watch;

/// Options of [`ccd`].
#[derive(Debug, Clone, PartialEq)]
pub struct CcdOptions {
    /// Joints that move, as indices into the configuration; all of them when `None`.
    pub joints: Option<Vec<usize>>,
    /// The descent has stalled when a sweep improves the cost by less than this part.
    pub rtol: f64,
    /// Sweeps over all joints at most.
    pub maxiter: usize,
    /// Evaluations of a search along one joint at most.
    pub line_search_maxiter: usize,
    /// Start; the middle of the limits when `None`.
    pub seed: Option<JointValues>,
    /// Ends the descent early: with [`KineticError::Cancelled`], or as after the last sweep when its time is over.
    pub stop: StopFlag,
}

impl Default for CcdOptions {
    fn default() -> Self {
        Self { joints: None, rtol: 1e-6, maxiter: 500, line_search_maxiter: 500, seed: None, stop: StopFlag::default() }
    }
}

impl CcdOptions {
    fn check(&self, chain: &KinematicChain) -> Result<()> {
        if let Some(joint) = self.joints.iter().flatten().find(|joint| **joint >= chain.dof()) {
            return Err(KineticError::invalid("joint", joint, format!("0 to {}", chain.dof() - 1)));
        }
        if self.joints.as_ref().is_some_and(Vec::is_empty) {
            return Err(KineticError::invalid("joints", "none", "at least one joint to move"));
        }
        for (name, value) in [("maxiter", self.maxiter), ("line_search_maxiter", self.line_search_maxiter)] {
            if value == 0 {
                return Err(KineticError::invalid(name, value, "at least 1"));
            }
        }
        if !(self.rtol >= 0.0 && self.rtol.is_finite()) {
            return Err(KineticError::invalid("rtol", self.rtol, "a finite number of at least 0"));
        }
        Ok(())
    }
}

/// Joint values inside the limits at which all targets are met.
///
/// # Errors
/// [`KineticError::IKNotConverged`] with the largest error (m or rad) where the descent stalled or ran out of sweeps, and
/// input errors.
pub fn ccd(chain: &KinematicChain, targets: &[LinkTarget], options: &CcdOptions) -> Result<JointValues> {
    let config = IKConfig { seed: options.seed.clone(), ..IKConfig::default() };
    config.check(chain)?;
    options.check(chain)?;
    let set = TargetSet::new(chain, targets, 1.0 / pose_problem::reach_bound(chain).max(1e-3))?;
    let mut sweep = Sweep::new(chain, options.line_search_maxiter);
    let joints = options.joints.clone().unwrap_or_else(|| (0..chain.dof()).collect());
    let mut q = config.start(chain);
    let (watch, mut before) = (Watch::new(&options.stop), sweep.cost(&set, &q));
    for iteration in 0..options.maxiter {
        if set.is_met(&sweep.frames) {
            return Ok(q.into());
        }
        watch.check_cancelled(iteration)?;
        if options.stop.is_out_of_time() {
            return Err(KineticError::IKNotConverged { iterations: iteration, residual: set.residual(&sweep.frames) });
        }
        let after = sweep.run(&set, chain.bounds(), &joints, &mut q);
        if before - after <= options.rtol * before && !set.is_met(&sweep.frames) {
            return Err(KineticError::IKNotConverged {
                iterations: iteration + 1,
                residual: set.residual(&sweep.frames),
            });
        }
        before = after;
    }
    if set.is_met(&sweep.frames) {
        return Ok(q.into());
    }
    Err(KineticError::IKNotConverged { iterations: options.maxiter, residual: set.residual(&sweep.frames) })
}

/// Memory of sweeps over the joints.
struct Sweep {
    /// Frames of the configuration at hand.
    frames: Vec<Rigid>,
    /// Per joint the frame that it moves, when it is one alone.
    carried: Vec<Option<usize>>,
    line_search_maxiter: usize,
}

impl Sweep {
    fn new(chain: &KinematicChain, line_search_maxiter: usize) -> Self {
        let frames = chain.program().frames();
        let carried = |joint: usize| {
            let mut own = (0..frames.len()).filter(|frame| frames[*frame].variable == joint);
            own.next().filter(|_| own.next().is_none())
        };
        Self {
            frames: vec![Rigid::identity(); chain.program().num_frames()],
            carried: (0..chain.dof()).map(carried).collect(),
            line_search_maxiter,
        }
    }

    fn cost(&mut self, set: &TargetSet<'_>, q: &[f64]) -> f64 {
        set.chain.program().frames_into(q, &mut self.frames);
        set.cost(&self.frames)
    }

    /// A sweep, and the same motion on and on, twice as far each time, while that helps (the pattern move of Hooke &
    /// Jeeves 1961): coordinate descent alone creeps along valleys that run askew to the joints. Returns the cost.
    fn run(&mut self, set: &TargetSet<'_>, bounds: &[(f64, f64)], joints: &[usize], q: &mut [f64]) -> f64 {
        let before = q.to_vec();
        let mut least = self.sweep(set, bounds, joints, q);
        let motion: Vec<f64> = q.iter().zip(&before).map(|(after, before)| after - before).collect();
        let (mut stretch, mut trial) = (1.0, q.to_vec());
        loop {
            for joint in joints {
                let (low, high) = bounds[*joint];
                trial[*joint] = (q[*joint] + stretch * motion[*joint]).clamp(low, high);
            }
            let cost = self.cost(set, &trial);
            if !(cost < least) {
                break;
            }
            least = cost;
            q.copy_from_slice(&trial);
            stretch *= 2.0;
        }
        self.cost(set, q)
    }

    /// Moves each joint once, the last one first; returns the cost.
    fn sweep(&mut self, set: &TargetSet<'_>, bounds: &[(f64, f64)], joints: &[usize], q: &mut [f64]) -> f64 {
        for joint in joints.iter().rev() {
            q[*joint] = match self.carried[*joint] {
                Some(frame) => self.closed_form(set, bounds[*joint], frame, q[*joint]),
                None => self.search(set, bounds[*joint], *joint, q),
            };
            set.chain.program().frames_into(q, &mut self.frames);
        }
        set.cost(&self.frames)
    }

    /// The best value of a joint that moves one frame.
    fn closed_form(&self, set: &TargetSet<'_>, (low, high): (f64, f64), frame: usize, value: f64) -> f64 {
        let moved = &set.chain.program().frames()[frame];
        let (axis, origin) = (self.frames[frame + 1].z_axis(), self.frames[frame + 1].translation);
        let (mut a, mut b, mut weights) = (0.0, 0.0, 0.0);
        for target in set.targets.iter().filter(|target| target.frame > frame) {
            let (weight, pose) = (set.square_weight(target), target.pose(&self.frames));
            let (of_cosine, of_sine) = match (&target.wanted, moved.motion) {
                (Wanted::Position(wanted), Motion::Rotation) => {
                    position_terms(&axis, &(pose.translation - origin), &(wanted - origin))
                }
                (Wanted::Rotation(wanted), Motion::Rotation) => {
                    rotation_terms(&axis, &(pose.rotation * wanted.transpose()))
                }
                (Wanted::Position(wanted), Motion::Translation) => {
                    weights += weight;
                    (axis.dot(&(wanted - pose.translation)), 0.0)
                }
                (Wanted::Rotation(_), Motion::Translation) => (0.0, 0.0),
            };
            a += weight * of_cosine;
            b += weight * of_sine;
        }
        let multiplier = moved.multiplier;
        match moved.motion {
            Motion::Translation if weights > 0.0 => (value + a / weights / multiplier).clamp(low, high),
            Motion::Rotation if a.hypot(b) > 1e-12 => {
                let limits = ((low - value) * multiplier, (high - value) * multiplier);
                let (from, to) = (limits.0.min(limits.1), limits.0.max(limits.1));
                (value + best_angle(a, b, from, to) / multiplier).clamp(low, high)
            }
            _ => value,
        }
    }

    /// The best value along a joint by samples and golden section (Kiefer 1953).
    fn search(&mut self, set: &TargetSet<'_>, (low, high): (f64, f64), joint: usize, q: &mut [f64]) -> f64 {
        let value = q[joint];
        let (low, high) = (low.max(value - std::f64::consts::PI), high.min(value + std::f64::consts::PI));
        let at = |sweep: &mut Self, q: &mut [f64], to: f64| {
            q[joint] = to;
            sweep.cost(set, q)
        };
        let samples = 24.min(self.line_search_maxiter);
        let (mut best, mut least) = (value, at(self, q, value));
        for sample in 0..=samples {
            let to = low + (high - low) * sample as f64 / samples as f64;
            let cost = at(self, q, to);
            if cost < least {
                (best, least) = (to, cost);
            }
        }
        let width = (high - low) / samples as f64;
        let (mut from, mut to) = ((best - width).max(low), (best + width).min(high));
        let golden = 0.5 * (5.0_f64.sqrt() - 1.0);
        for _ in samples..self.line_search_maxiter {
            let (left, right) = (to - golden * (to - from), from + golden * (to - from));
            if to - from < 1e-12 {
                break;
            }
            if at(self, q, left) < at(self, q, right) { to = right } else { from = left }
        }
        let middle = f64::midpoint(from, to);
        let chosen = if at(self, q, middle) < least { middle } else { best };
        q[joint] = value;
        chosen
    }
}

/// `A` and `B` of a point at `reached` that shall be at `wanted`, both seen from a point of the axis.
fn position_terms(axis: &Vector3<f64>, reached: &Vector3<f64>, wanted: &Vector3<f64>) -> (f64, f64) {
    let across = reached - axis * axis.dot(reached);
    (across.dot(wanted), axis.cross(reached).dot(wanted))
}

/// `A` and `B` of an orientation, from `m` = reached · wantedᵀ: `3 − tr(Rot(δ) m)` is half the squared Frobenius distance,
/// which is the squared angle to second order.
fn rotation_terms(axis: &Vector3<f64>, m: &Matrix3<f64>) -> (f64, f64) {
    let turned = Vector3::new(m[(1, 2)] - m[(2, 1)], m[(2, 0)] - m[(0, 2)], m[(0, 1)] - m[(1, 0)]);
    (0.5 * (m.trace() - axis.dot(&(m * axis))), 0.5 * axis.dot(&turned))
}

/// A sweep that improves the cost by less than this part has stalled.
const SWEEP_STALLED_RELATIVE_GAIN: f64 = 1e-5;

/// The registry's solver: the pose of the tool as targets.
pub(super) struct CyclicDescent {
    sweep: Sweep,
    joints: Vec<usize>,
}

impl CyclicDescent {
    pub(super) fn new(problem: &PoseProblem<'_>) -> Self {
        let sweep = Sweep::new(problem.chain, CcdOptions::default().line_search_maxiter);
        Self { sweep, joints: (0..problem.chain.dof()).collect() }
    }
}

impl NumericalSolver for CyclicDescent {
    fn attempt(&mut self, problem: &PoseProblem<'_>, _: &mut SeededRng, q: &mut [f64]) -> Outcome {
        let mut outcome = Outcome::none();
        let Ok(set) = TargetSet::new(problem.chain, &pose_targets(problem), problem.scale) else {
            return outcome;
        };
        let mut before = self.sweep.cost(&set, q);
        loop {
            let tip = self.sweep.frames[problem.chain.tip().0].then(problem.chain.tip().1);
            outcome.residual = problem.residual(&tip);
            outcome.converged = problem.is_met(&outcome.residual);
            let is_over = outcome.iterations == problem.config.max_iterations || problem.is_stopped();
            if outcome.converged || is_over {
                return outcome;
            }
            let after = self.sweep.run(&set, &problem.bounds, &self.joints, q);
            outcome.iterations += 1;
            if before - after <= SWEEP_STALLED_RELATIVE_GAIN * before {
                outcome.residual =
                    problem.residual(&self.sweep.frames[problem.chain.tip().0].then(problem.chain.tip().1));
                outcome.converged = problem.is_met(&outcome.residual);
                return outcome;
            }
            before = after;
        }
    }
}

/// Parts of the target pose that must be met, as targets.
pub(super) fn pose_targets(problem: &PoseProblem<'_>) -> Vec<LinkTarget> {
    let config = problem.config;
    let position = LinkTarget::position(problem.target.translation, config.position_tolerance);
    let rotation = LinkTarget::rotation(problem.target.to_pose().rotation(), config.orientation_tolerance);
    if problem.has_orientation { vec![position, rotation] } else { vec![position] }
}
