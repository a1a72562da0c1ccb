//! Damped least squares: Levenberg–Marquardt with bounds and escapes.
//!
//! Minimises `½ ‖e(q)‖²`, `e` = wanted minus reached pose (translation in parts of the reach, rotation vector in rad),
//! damping proportional to the squared error (Chan & Lawrence 1988; Sugihara 2011, "Solvability-unconcerned inverse
//! kinematics by the Levenberg–Marquardt method"), so that the end phase is Newton's. Limits are an active set: a joint
//! that a step would take over its limit goes as far as the limit, and the step of the others is computed anew for what
//! is left of the error. Joints whose range is almost a turn jump from one limit to the other.
//!
//! A descent that stalls is in a local minimum. It goes on from another configuration while the attempt has
//! iterations left (an escape); most attempts need none, and a descent that fails is noticed after four iterations.

use kinetic_core::rng::SeededRng;
use kinetic_kinematics::{Rigid, jacobian};

use super::gram::{Column, Gram, dot};
use super::pose_problem::{PoseProblem, PoseResidual};
use super::solver::{NumericalSolver, Outcome};

/// Damping that stays when the error vanishes: keeps the normal matrix regular at singularities without slowing the
/// quadratic end phase.
const LEAST_DLS_DAMPING: f64 = 1e-12;
/// Largest change of one joint in one step, rad or m: the linear model is poor beyond.
const LARGEST_DLS_STEP_RAD_M: f64 = 1.0;
/// A descent whose squared error has not halved over this many iterations is in a local minimum.
const COST_STALL_ITERATIONS: usize = 4;
/// Configurations of which a screened escape takes the one nearest to the target.
const SCREENED_STARTS: usize = 6;
/// Part of the joints that a partial escape draws anew.
const REDRAWN_JOINTS_FRACTION: f64 = 0.4;

/// The solver and its buffers; nothing is allocated per iteration.
pub(super) struct Levenberg {
    frames: Vec<Rigid>,
    columns: Vec<Column>,
    step: Vec<f64>,
    free: Vec<bool>,
    best: Vec<f64>,
    drawn: Vec<f64>,
    escapes: usize,
}

/// Progress of the descent since its last start.
struct Descent {
    least: f64,
    window_least: f64,
    window_start: usize,
}

impl Descent {
    fn starting(iteration: usize) -> Self {
        Self { least: f64::INFINITY, window_least: f64::INFINITY, window_start: iteration }
    }

    /// Takes note of a cost; true when the descent has stalled.
    fn stalls(&mut self, iteration: usize, cost: f64) -> bool {
        self.least = self.least.min(cost);
        if iteration - self.window_start < COST_STALL_ITERATIONS {
            return false;
        }
        let stalled = self.least > 0.5 * self.window_least;
        (self.window_least, self.window_start) = (self.least, iteration);
        stalled
    }
}

impl Levenberg {
    pub(super) fn new(problem: &PoseProblem<'_>) -> Self {
        let n = problem.chain.dof();
        Self {
            frames: vec![Rigid::identity(); problem.chain.program().num_frames()],
            columns: vec![[0.0; 6]; n],
            step: vec![0.0; n],
            free: vec![true; n],
            best: vec![0.0; n],
            drawn: vec![0.0; n],
            escapes: 0,
        }
    }

    /// Residual at `q`; leaves the frames for [`advance`](Self::advance).
    fn residual(&mut self, problem: &PoseProblem<'_>, q: &[f64]) -> (Rigid, PoseResidual) {
        let tip = problem.chain.tip_rigid(q, &mut self.frames);
        (tip, problem.residual(&tip))
    }

    /// One damped step inside the bounds.
    fn advance(&mut self, problem: &PoseProblem<'_>, tip: &Rigid, residual: &PoseResidual, q: &mut [f64]) {
        jacobian::fill(problem.chain, &self.frames, &tip.translation, self.columns.as_flattened_mut());
        for column in &mut self.columns {
            column[..3].iter_mut().for_each(|part| *part *= problem.scale);
            if !problem.has_orientation {
                column[3..].fill(0.0);
            }
        }
        let damping = 0.5 * problem.config.effective_damping() * residual.cost() + LEAST_DLS_DAMPING;
        let mut error = residual.error;
        self.hold_blocked(problem, &error, q);
        // Each round but the last holds at least one more joint.
        for _ in 0..=q.len() {
            self.solve_free(&error, damping);
            if !self.hold_crossing(problem, q, &mut error) {
                break;
            }
        }
        for joint in 0..q.len() {
            q[joint] = problem.wrapped_into_bounds(joint, q[joint] + self.step[joint]);
        }
    }

    /// Holds joints that stand at a limit and that the gradient pushes outside.
    fn hold_blocked(&mut self, problem: &PoseProblem<'_>, error: &Column, q: &[f64]) {
        for joint in 0..q.len() {
            let (low, high) = problem.bounds[joint];
            let outward = dot(&self.columns[joint], error);
            let blocked = (q[joint] <= low && outward < 0.0) || (q[joint] >= high && outward > 0.0);
            self.free[joint] = problem.jumps[joint] || !blocked;
            self.step[joint] = 0.0;
        }
    }

    /// Solves `(J Jᵀ + damping) y = e`, step `Jᵀ y`, on the free joints; no joint moves more than [`LARGEST_DLS_STEP_RAD_M`].
    fn solve_free(&mut self, error: &Column, damping: f64) {
        let mut gram = Gram::new(damping);
        for (column, _) in self.columns.iter().zip(&self.free).filter(|(_, free)| **free) {
            gram.add(column);
        }
        let y = gram.solve(error);
        let mut largest = LARGEST_DLS_STEP_RAD_M;
        for joint in (0..self.step.len()).filter(|joint| self.free[*joint]) {
            self.step[joint] = dot(&self.columns[joint], &y);
            largest = largest.max(self.step[joint].abs());
        }
        for joint in (0..self.step.len()).filter(|joint| self.free[*joint]) {
            self.step[joint] *= LARGEST_DLS_STEP_RAD_M / largest;
        }
    }

    /// Stops free joints that would cross a limit there and takes what they do off the error; true if there are any.
    fn hold_crossing(&mut self, problem: &PoseProblem<'_>, q: &[f64], error: &mut Column) -> bool {
        let mut any = false;
        for joint in 0..q.len() {
            let (low, high) = problem.bounds[joint];
            let to = q[joint] + self.step[joint];
            if !self.free[joint] || problem.jumps[joint] || (low <= to && to <= high) {
                continue;
            }
            self.step[joint] = to.clamp(low, high) - q[joint];
            self.free[joint] = false;
            for (part, column) in error.iter_mut().zip(&self.columns[joint]) {
                *part -= column * self.step[joint];
            }
            any = true;
        }
        any
    }

    /// Another start, of three kinds in turn: random; the nearest of a few random ones; the best so far with some joints
    /// drawn anew. Poses that one kind is slow for are quick for another.
    fn escape(&mut self, problem: &PoseProblem<'_>, rng: &mut SeededRng, q: &mut [f64]) {
        self.escapes += 1;
        match self.escapes % 4 {
            2 => self.screened(problem, rng, q),
            3 => {
                problem.random_into(rng, &mut self.drawn);
                for joint in 0..q.len() {
                    q[joint] = if rng.unit() < REDRAWN_JOINTS_FRACTION { self.drawn[joint] } else { self.best[joint] };
                }
            }
            _ => problem.random_into(rng, q),
        }
    }

    /// The random configuration of several whose pose is nearest to the target.
    fn screened(&mut self, problem: &PoseProblem<'_>, rng: &mut SeededRng, q: &mut [f64]) {
        let mut nearest = f64::INFINITY;
        for _ in 0..SCREENED_STARTS {
            let mut drawn = std::mem::take(&mut self.drawn);
            problem.random_into(rng, &mut drawn);
            let cost = self.residual(problem, &drawn).1.cost();
            if cost < nearest {
                nearest = cost;
                q.copy_from_slice(&drawn);
            }
            self.drawn = drawn;
        }
    }
}

impl Levenberg {
    /// One descent from `q`, without escapes: it ends where it stalls.
    pub(super) fn descend(&mut self, problem: &PoseProblem<'_>, q: &mut [f64]) -> Outcome {
        self.run(problem, None, q)
    }

    /// Descends; a descent that stalls ends the run, or goes on elsewhere when there is randomness for escapes.
    fn run(&mut self, problem: &PoseProblem<'_>, mut escapes: Option<&mut SeededRng>, q: &mut [f64]) -> Outcome {
        let mut best_cost = f64::INFINITY;
        let mut outcome = Outcome::none();
        let mut descent = Descent::starting(0);
        for iteration in 0..=problem.config.max_iterations {
            let (tip, residual) = self.residual(problem, q);
            let cost = residual.cost();
            outcome.iterations = iteration;
            if problem.is_met(&residual) {
                return Outcome { converged: true, residual, ..outcome };
            }
            if cost < best_cost {
                best_cost = cost;
                self.best.copy_from_slice(q);
                outcome.residual = residual;
            }
            if !descent.stalls(iteration, cost) {
                self.advance(problem, &tip, &residual, q);
                continue;
            }
            let Some(rng) = escapes.as_deref_mut().filter(|_| !problem.is_stopped()) else { break };
            self.escape(problem, rng, q);
            descent = Descent::starting(iteration);
        }
        q.copy_from_slice(&self.best);
        outcome
    }
}

impl NumericalSolver for Levenberg {
    fn attempt(&mut self, problem: &PoseProblem<'_>, rng: &mut SeededRng, q: &mut [f64]) -> Outcome {
        self.run(problem, Some(rng), q)
    }
}
