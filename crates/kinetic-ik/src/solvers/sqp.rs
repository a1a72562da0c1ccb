//! Sequential quadratic programming with joint limits as inequality constraints.
//!
//! Each step is the exact minimum of the linearised, damped pose error over the limits, a trust region and, when asked
//! for, a cone that an axis of the tool must stay in (Nocedal & Wright 2006, chapter 18, with the Gauss–Newton Hessian).
//! The whole set of active limits is found at once, where clamping or holding joints one by one gives the step away.

use kinetic_core::rng::SeededRng;
use kinetic_kinematics::{Motion, Rigid, jacobian};

use super::axis_cone::AxisCone;
use super::gram::{Column, dot};
use super::pose_problem::{PoseProblem, PoseResidual};
use super::quadratic::{ConstraintRow, inverse, minimum};
use super::solver::{NumericalSolver, Outcome};

/// Damping that stays when the error vanishes.
const LEAST_SQP_DAMPING: f64 = 1e-10;
/// Radius of the trust region at the start of a descent, rad or m.
const FIRST_SQP_TRUST_RADIUS_RAD_M: f64 = 1.0;
/// A descent whose trust region is smaller has stalled.
const LEAST_SQP_TRUST_RADIUS_RAD_M: f64 = 1e-4;
/// Weight of leaving the cone in the merit, against pose errors in parts of the reach and rad.
const CONE_WEIGHT: f64 = 10.0;
/// A descent whose merit has not halved over this many iterations is in a local minimum.
const MERIT_STALL_ITERATIONS: usize = 6;

/// The solver and its buffers.
pub(super) struct Sqp {
    frames: Vec<Rigid>,
    columns: Vec<Column>,
    best: Vec<f64>,
    trial: Vec<f64>,
}

/// State of a descent.
struct Point {
    tip: Rigid,
    residual: PoseResidual,
    excess: f64,
}

impl Point {
    fn merit(&self) -> f64 {
        self.residual.cost() + CONE_WEIGHT * self.excess * (1.0 + self.excess)
    }
}

/// The trust region, and whether the merit still falls.
struct Progress {
    radius: f64,
    window_merit: f64,
    window_start: usize,
}

impl Progress {
    fn from(iteration: usize) -> Self {
        Self { radius: FIRST_SQP_TRUST_RADIUS_RAD_M, window_merit: f64::INFINITY, window_start: iteration }
    }

    fn has_stalled(&mut self, iteration: usize, merit: f64) -> bool {
        let in_window = iteration - self.window_start < MERIT_STALL_ITERATIONS;
        let is_slow = !in_window && merit > 0.5 * self.window_merit;
        if !in_window {
            (self.window_merit, self.window_start) = (merit, iteration);
        }
        is_slow || self.radius < LEAST_SQP_TRUST_RADIUS_RAD_M
    }
}

impl Sqp {
    pub(super) fn new(problem: &PoseProblem<'_>) -> Self {
        let n = problem.chain.dof();
        let frames = vec![Rigid::identity(); problem.chain.program().num_frames()];
        Self { frames, columns: vec![[0.0; 6]; n], best: vec![0.0; n], trial: vec![0.0; n] }
    }

    fn evaluate(&mut self, problem: &PoseProblem<'_>, q: &[f64]) -> Point {
        let tip = problem.chain.tip_rigid(q, &mut self.frames);
        let excess = problem.config.tool_axis.map_or(0.0, |cone| cone.excess(&tip));
        Point { tip, residual: problem.residual(&tip), excess }
    }

    /// The step of the quadratic program at `q`, whose frames are at hand; `None` when the cone cannot be reached from
    /// here to first order.
    fn step(&mut self, problem: &PoseProblem<'_>, point: &Point, radius: f64, q: &[f64]) -> Option<Vec<f64>> {
        let n = q.len();
        jacobian::fill(problem.chain, &self.frames, &point.tip.translation, self.columns.as_flattened_mut());
        let mut rows = limits(problem, radius, q);
        rows.extend(problem.config.tool_axis.map(|cone| self.cone_row(problem, &cone, &point.tip)));
        for column in &mut self.columns {
            column[..3].iter_mut().for_each(|part| *part *= problem.scale);
            if !problem.has_orientation {
                column[3..].fill(0.0);
            }
        }
        let damping = 0.5 * problem.config.effective_damping() * point.residual.cost() + LEAST_SQP_DAMPING;
        let (mut hessian, mut gradient) = (vec![0.0; n * n], vec![0.0; n]);
        for i in 0..n {
            gradient[i] = -dot(&self.columns[i], &point.residual.error);
            for j in 0..n {
                hessian[i * n + j] = dot(&self.columns[i], &self.columns[j]);
            }
            hessian[i * n + i] += damping;
        }
        minimum(&inverse(&hessian, n), &gradient, &rows)
    }

    /// Takes the step if the merit falls, and sizes the trust region by whether it did.
    fn advance(
        &mut self,
        problem: &PoseProblem<'_>,
        point: Point,
        step: &[f64],
        progress: &mut Progress,
        q: &mut [f64],
    ) -> Point {
        for joint in 0..q.len() {
            let (low, high) = problem.bounds[joint];
            self.trial[joint] = (q[joint] + step[joint]).clamp(low, high);
        }
        let trial = std::mem::take(&mut self.trial);
        let next = self.evaluate(problem, &trial);
        let is_better = next.merit() < point.merit();
        if is_better {
            q.copy_from_slice(&trial);
        }
        self.trial = trial;
        if is_better {
            progress.radius = (2.0 * progress.radius).min(FIRST_SQP_TRUST_RADIUS_RAD_M);
            return next;
        }
        progress.radius *= 0.25;
        // The frames of the point that stays, for the next program.
        self.evaluate(problem, q)
    }

    /// The cone, linearised: `cos ∠ + ∇ cos ∠ · d ≥ cos max_angle`.
    fn cone_row(&self, problem: &PoseProblem<'_>, cone: &AxisCone, tip: &Rigid) -> ConstraintRow {
        let axis = tip.rotation * cone.tool_axis.into_inner();
        let mut normal = vec![0.0; self.columns.len()];
        for (index, frame) in problem.chain.program().frames().iter().enumerate() {
            if frame.motion == Motion::Rotation {
                let z = self.frames[index + 1].z_axis() * frame.multiplier;
                normal[frame.variable] += z.cross(&axis).dot(&cone.base_axis);
            }
        }
        ConstraintRow { normal, offset: cone.max_angle.cos() - axis.dot(&cone.base_axis) }
    }
}

/// Limits and trust region as rows.
fn limits(problem: &PoseProblem<'_>, radius: f64, q: &[f64]) -> Vec<ConstraintRow> {
    let n = q.len();
    let mut rows = Vec::with_capacity(2 * n + 1);
    for joint in 0..n {
        let (low, high) = problem.bounds[joint];
        for (sign, slack) in [(1.0, (q[joint] - low).min(radius)), (-1.0, (high - q[joint]).min(radius))] {
            let mut normal = vec![0.0; n];
            normal[joint] = sign;
            rows.push(ConstraintRow { normal, offset: -slack });
        }
    }
    rows
}

impl NumericalSolver for Sqp {
    fn attempt(&mut self, problem: &PoseProblem<'_>, rng: &mut SeededRng, q: &mut [f64]) -> Outcome {
        let mut outcome = Outcome::none();
        let mut point = self.evaluate(problem, q);
        let (mut best, mut progress) = (f64::INFINITY, Progress::from(0));
        for iteration in 0..=problem.config.max_iterations {
            outcome.iterations = iteration;
            let merit = point.merit();
            if merit < best {
                best = merit;
                self.best.copy_from_slice(q);
                outcome.residual = point.residual;
            }
            if problem.is_met(&point.residual) && point.excess <= 0.0 {
                return Outcome { converged: true, residual: point.residual, ..outcome };
            }
            let step = if progress.has_stalled(iteration, merit) {
                None
            } else {
                self.step(problem, &point, progress.radius, q)
            };
            if let Some(step) = step {
                point = self.advance(problem, point, &step, &mut progress, q);
            } else if problem.is_stopped() {
                break;
            } else {
                // A local minimum: another start, while the attempt has iterations left.
                problem.random_into(rng, q);
                point = self.evaluate(problem, q);
                progress = Progress::from(iteration);
            }
        }
        q.copy_from_slice(&self.best);
        outcome
    }
}
