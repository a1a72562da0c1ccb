//! FABRIK: forward and backward reaching (Aristidou & Lasenby 2011, "FABRIK: A fast, iterative solver for the inverse
//! kinematics problem"), with joints as in Aristidou, Chrysanthou & Lasenby 2016, "Extending FABRIK with model constraints".
//!
//! The points are the joints' origins. The backward pass drags them, from the target to the base, along straight lines
//! that keep the distances between neighbours; it knows no axes. The forward pass goes from the base to the tool and
//! moves each joint, about its own axis and inside its limits, so that the points behind it come as near as they can to
//! where the backward pass left them. Offsets and fixed joints are in the distances; a sliding joint slides.
//!
//! Reaching knows positions only. For a full pose the end that reaches is the last joint's origin, which the target fixes
//! (it lies on the last axis), and the refinement is a Levenberg–Marquardt descent without escapes on the whole pose from
//! where reaching came to.

use kinetic_core::rng::SeededRng;
use kinetic_kinematics::{Motion, Rigid};
use nalgebra::Vector3;

use super::levenberg::Levenberg;
use super::pose_problem::PoseProblem;
use super::sinusoid::best_angle;
use super::solver::{NumericalSolver, Outcome};

/// Reaching for a full pose ends when the last joint is this near to its place, in parts of the reach: what is left is
/// a matter of orientation.
const LAST_JOINT_DISTANCE_RATIO: f64 = 1e-2;
/// An iteration that comes nearer by less than this part has stalled.
const STALLED_RELATIVE_GAIN: f64 = 1e-3;
/// An iteration that leaves more than this part of the distance is slow.
const SLOW_DISTANCE_RATIO: f64 = 0.8;
/// Iterations in a row without progress before an attempt ends.
const STALLED_ITERATIONS: usize = 8;

/// The solver and its buffers.
pub(super) struct Fabrik {
    frames: Vec<Rigid>,
    /// Positions of the points after the backward pass.
    wanted: Vec<Vector3<f64>>,
    points: Vec<Vector3<f64>>,
    refinement: Levenberg,
    best: Vec<f64>,
    /// What the end counts among the points behind a joint. It grows while reaching is slow: joints at their limits keep
    /// the inner points from where they are wanted for good, and those must not hold the end back.
    emphasis: f64,
}

impl Fabrik {
    pub(super) fn new(problem: &PoseProblem<'_>) -> Self {
        let frames = problem.chain.program().num_frames();
        Self {
            frames: vec![Rigid::identity(); frames],
            wanted: vec![Vector3::zeros(); frames + 1],
            points: vec![Vector3::zeros(); frames + 1],
            refinement: Levenberg::new(problem),
            best: vec![0.0; problem.chain.dof()],
            emphasis: 1.0,
        }
    }

    /// The points of a configuration: the root, the origins of all frames up to the one that carries the tool, and, when
    /// the orientation is free, the tool.
    fn update_points(&mut self, problem: &PoseProblem<'_>, q: &[f64]) {
        problem.chain.program().frames_into(q, &mut self.frames);
        let (carrier, frame_from_tcp) = problem.chain.tip();
        self.points.clear();
        self.points.extend(self.frames[..=carrier].iter().map(|frame| frame.translation));
        if !problem.has_orientation {
            self.points.push(self.frames[carrier].point(&frame_from_tcp.translation));
        }
    }

    /// Drags the points from the target to the first joint.
    fn backward(&mut self, end: &Vector3<f64>) {
        self.wanted.clone_from(&self.points);
        let last = self.points.len() - 1;
        self.wanted[last] = *end;
        for point in (1..last).rev() {
            let length = (self.points[point + 1] - self.points[point]).norm();
            let towards = self.points[point] - self.wanted[point + 1];
            let direction = towards.try_normalize(1e-12).unwrap_or_else(Vector3::zeros);
            self.wanted[point] = self.wanted[point + 1] + direction * length;
        }
    }

    /// Moves the joints from the base to the tool.
    fn forward(&mut self, problem: &PoseProblem<'_>, q: &mut [f64]) {
        for frame in 0..self.frames.len() - 1 {
            let joint = problem.chain.program().frames()[frame].variable;
            q[joint] = self.reached(problem, frame, q[joint]);
            self.update_points(problem, q);
        }
    }

    /// The value of a frame's joint at which the points behind it are nearest to where they are wanted, the next one that
    /// it moves before all others.
    fn reached(&self, problem: &PoseProblem<'_>, frame: usize, value: f64) -> f64 {
        let moved = &problem.chain.program().frames()[frame];
        let (axis, origin) = (self.frames[frame + 1].z_axis(), self.frames[frame + 1].translation);
        let (low, high) = problem.bounds[moved.variable];
        let behind = frame + 2..self.points.len();
        if moved.motion == Motion::Translation {
            let Some(next) = behind.clone().next() else { return value };
            let along = axis.dot(&(self.wanted[next] - self.points[next]));
            return (value + along / moved.multiplier).clamp(low, high);
        }
        let (mut a, mut b) = (0.0, 0.0);
        for point in behind {
            let (reached, wanted) = (self.points[point] - origin, self.wanted[point] - origin);
            let across = reached - axis * axis.dot(&reached);
            let weight = if point == self.points.len() - 1 { self.emphasis } else { 1.0 };
            a += weight * across.dot(&wanted);
            b += weight * axis.cross(&reached).dot(&wanted);
        }
        if a.hypot(b) < 1e-12 {
            return value;
        }
        let limits = ((low - value) * moved.multiplier, (high - value) * moved.multiplier);
        let angle = best_angle(a, b, limits.0.min(limits.1), limits.0.max(limits.1));
        (value + angle / moved.multiplier).clamp(low, high)
    }

    /// Reaches until the end is within `near` of `end`, or stalls; returns the iterations.
    fn forward_backward(
        &mut self,
        problem: &PoseProblem<'_>,
        end: &Vector3<f64>,
        near: f64,
        budget: usize,
        q: &mut [f64],
    ) -> usize {
        self.update_points(problem, q);
        self.emphasis = 1.0;
        let (mut least, mut waited) = (f64::INFINITY, 0);
        for iteration in 0..budget {
            let distance = (self.points[self.points.len() - 1] - end).norm();
            self.emphasis *= if distance > SLOW_DISTANCE_RATIO * least { 2.0 } else { 1.0 };
            waited = if distance < (1.0 - STALLED_RELATIVE_GAIN) * least { 0 } else { waited + 1 };
            least = least.min(distance);
            if distance <= near || waited > STALLED_ITERATIONS {
                return iteration;
            }
            self.backward(end);
            self.forward(problem, q);
        }
        budget
    }
}

impl Fabrik {
    /// Reaches once, and refines where the orientation counts.
    fn attempt_once(&mut self, problem: &PoseProblem<'_>, budget: usize, q: &mut [f64]) -> Outcome {
        if !problem.has_orientation {
            let near = problem.config.position_tolerance;
            let iterations = self.forward_backward(problem, &problem.target.translation, near, budget, q);
            let residual = problem.residual(&problem.chain.tip_rigid(q, &mut self.frames));
            return Outcome { converged: problem.is_met(&residual), iterations, residual };
        }
        let frame_from_tcp = problem.chain.tip().1;
        let end = problem.target.translation
            - problem.target.rotation * (frame_from_tcp.rotation.transpose() * frame_from_tcp.translation);
        let iterations = self.forward_backward(problem, &end, LAST_JOINT_DISTANCE_RATIO / problem.scale, budget, q);
        let refined = self.refinement.descend(problem, q);
        Outcome { iterations: iterations + refined.iterations, ..refined }
    }
}

impl NumericalSolver for Fabrik {
    fn attempt(&mut self, problem: &PoseProblem<'_>, rng: &mut SeededRng, q: &mut [f64]) -> Outcome {
        let budget = problem.config.max_iterations;
        let mut best = Outcome::none();
        let mut iterations = 0;
        loop {
            let outcome = self.attempt_once(problem, budget - iterations, q);
            iterations += outcome.iterations.max(1);
            if outcome.residual.cost() < best.residual.cost() || outcome.converged {
                best = outcome;
                self.best.copy_from_slice(q);
            }
            if outcome.converged || iterations >= budget || problem.is_stopped() {
                q.copy_from_slice(&self.best);
                return Outcome { iterations, ..best };
            }
            // Reaching has stalled: from elsewhere, while the attempt has iterations left.
            problem.random_into(rng, q);
        }
    }
}
