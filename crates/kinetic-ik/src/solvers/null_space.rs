//! Null space objectives of redundant arms, by gradient projection (Liégeois 1977).
//!
//! A solution of a redundant arm can move without moving the tool. From the solution found
//! the objective is followed downhill along such motion by gradient projection, each step is brought back
//! to the target by Newton's method, and kept only when the objective is smaller, the target met and the limits held.
//! So an objective cannot change whether a solve converges, and cannot make its own measure worse.

use kinetic_kinematics::{Rigid, jacobian};

use super::config::NullSpace;
use super::gram::{Column, Gram, dot};
use super::pose_problem::PoseProblem;

/// Steps along the self-motion at most.
const MOST_SELF_MOTION_STEPS: usize = 100;
/// Newton steps that bring one of them back to the target.
const MOST_SELF_MOTION_CORRECTIONS: usize = 8;
/// First length of a step, rad: the self-motion is curved.
const FIRST_SELF_MOTION_STEP_RAD: f64 = 0.2;
/// Steps shorter than this gain nothing.
const LEAST_SELF_MOTION_STEP_RAD: f64 = 1e-4;
/// Damping of the projections, relative to squared lengths of order 1.
const PROJECTION_DAMPING: f64 = 1e-10;
/// Half of the difference over which manipulability is differentiated, rad.
const MANIPULABILITY_DIFFERENCE_RAD: f64 = 1e-5;

/// Moves `q`, which meets the target, to where the objective is better and the target met.
pub(super) fn improve(problem: &PoseProblem<'_>, objective: NullSpace, q: &mut [f64]) {
    let mut motion = SelfMotion::new(problem);
    let (mut length, mut cost) = (FIRST_SELF_MOTION_STEP_RAD, motion.cost(objective, q));
    let mut trial = q.to_vec();
    for _ in 0..MOST_SELF_MOTION_STEPS {
        let direction = motion.downhill(objective, q);
        let slope = direction.iter().fold(0.0_f64, |largest, part| largest.max(part.abs()));
        if slope < 1e-9 || length < LEAST_SELF_MOTION_STEP_RAD {
            return;
        }
        for joint in 0..q.len() {
            trial[joint] = q[joint] + direction[joint] * (length / slope).min(1.0);
        }
        let better = if motion.correct(&mut trial) { motion.cost(objective, &trial) } else { f64::INFINITY };
        if better < cost {
            q.copy_from_slice(&trial);
            cost = better;
            length = (1.5 * length).min(1.0);
        } else {
            length *= 0.4;
        }
    }
}

/// Motion of the joints that leaves the tool where it is.
pub(super) struct SelfMotion<'a> {
    problem: &'a PoseProblem<'a>,
    frames: Vec<Rigid>,
    /// The Jacobian where [`fill`](Self::fill) was asked for it.
    pub(super) columns: Vec<Column>,
    gradient: Vec<f64>,
}

impl<'a> SelfMotion<'a> {
    pub(super) fn new(problem: &'a PoseProblem<'a>) -> Self {
        let n = problem.chain.dof();
        let frames = vec![Rigid::identity(); problem.chain.program().num_frames()];
        Self { problem, frames, columns: vec![[0.0; 6]; n], gradient: vec![0.0; n] }
    }

    /// The measure, smaller is better.
    fn cost(&mut self, objective: NullSpace, q: &[f64]) -> f64 {
        let weights = |joint: usize| self.weight_and_centre(objective, joint);
        match objective {
            NullSpace::Manipulability => -self.log_manipulability(q),
            NullSpace::MinimalDisplacement | NullSpace::JointCentering => (0..q.len())
                .map(|joint| {
                    let (weight, centre) = weights(joint);
                    0.5 * weight * (q[joint] - centre).powi(2)
                })
                .sum(),
        }
    }

    /// Target and weight of a joint in a quadratic objective.
    fn weight_and_centre(&self, objective: NullSpace, joint: usize) -> (f64, f64) {
        let (low, high) = self.problem.chain.bounds()[joint];
        match objective {
            NullSpace::JointCentering if (high - low).is_finite() && high > low => {
                (1.0 / (0.5 * (high - low)).powi(2), f64::midpoint(low, high))
            }
            // A joint without limits has no middle.
            NullSpace::JointCentering => (0.0, 0.0),
            _ => (self.problem.chain.weights()[joint].powi(2), self.problem.seed[joint]),
        }
    }

    /// Descent direction of the objective that keeps the tool in place to first order and joints off their limits.
    fn downhill(&mut self, objective: NullSpace, q: &[f64]) -> Vec<f64> {
        for joint in 0..q.len() {
            self.gradient[joint] = if objective == NullSpace::Manipulability {
                self.manipulability_slope(q, joint)
            } else {
                let (weight, centre) = self.weight_and_centre(objective, joint);
                weight * (q[joint] - centre)
            };
        }
        self.fill(q);
        let mut free = vec![true; q.len()];
        loop {
            let direction = self.projected(&free);
            let leaves = |joint: &usize| {
                let (low, high) = self.problem.bounds[*joint];
                free[*joint]
                    && ((q[*joint] <= low && direction[*joint] < 0.0) || (q[*joint] >= high && direction[*joint] > 0.0))
            };
            match (0..q.len()).find(leaves) {
                Some(joint) => free[joint] = false,
                None => return direction,
            }
        }
    }

    /// `−(1 − J⁺ J) g` over the free joints.
    fn projected(&self, free: &[bool]) -> Vec<f64> {
        let (mut gram, mut moved) = (Gram::new(PROJECTION_DAMPING), [0.0; 6]);
        for (joint, column) in self.columns.iter().enumerate().filter(|(joint, _)| free[*joint]) {
            gram.add(column);
            (0..6).for_each(|i| moved[i] += column[i] * self.gradient[joint]);
        }
        let y = gram.solve(&moved);
        let part = |joint: usize| dot(&self.columns[joint], &y) - self.gradient[joint];
        (0..free.len()).map(|joint| if free[joint] { part(joint) } else { 0.0 }).collect()
    }

    /// Brings `q` back to the target, inside the limits; false when that fails.
    fn correct(&mut self, q: &mut [f64]) -> bool {
        for joint in 0..q.len() {
            let (low, high) = self.problem.bounds[joint];
            q[joint] = q[joint].clamp(low, high);
        }
        for _ in 0..MOST_SELF_MOTION_CORRECTIONS {
            let tip = self.fill(q);
            let residual = self.problem.residual(&tip);
            if self.problem.is_met(&residual) {
                return true;
            }
            let mut gram = Gram::new(PROJECTION_DAMPING);
            for column in &self.columns {
                gram.add(column);
            }
            let y = gram.solve(&residual.error);
            for joint in 0..q.len() {
                let (low, high) = self.problem.bounds[joint];
                q[joint] = (q[joint] + dot(&self.columns[joint], &y)).clamp(low, high);
            }
        }
        false
    }

    /// The Jacobian of what counts at `q`, positions in parts of the reach.
    pub(super) fn fill(&mut self, q: &[f64]) -> Rigid {
        let problem = self.problem;
        let tip = problem.chain.tip_rigid(q, &mut self.frames);
        jacobian::fill(problem.chain, &self.frames, &tip.translation, self.columns.as_flattened_mut());
        for column in &mut self.columns {
            column[..3].iter_mut().for_each(|part| *part *= problem.scale);
            if !problem.has_orientation {
                column[3..].fill(0.0);
            }
        }
        tip
    }

    fn manipulability_slope(&mut self, q: &[f64], joint: usize) -> f64 {
        let mut shifted = q.to_vec();
        shifted[joint] = q[joint] + MANIPULABILITY_DIFFERENCE_RAD;
        let above = self.log_manipulability(&shifted);
        shifted[joint] = q[joint] - MANIPULABILITY_DIFFERENCE_RAD;
        (self.log_manipulability(&shifted) - above) / (2.0 * MANIPULABILITY_DIFFERENCE_RAD)
    }

    /// Logarithm of Yoshikawa's measure; very small at singularities.
    fn log_manipulability(&mut self, q: &[f64]) -> f64 {
        let chain = self.problem.chain;
        let tip = chain.tip_rigid(q, &mut self.frames);
        let mut columns = vec![[0.0; 6]; q.len()];
        jacobian::fill(chain, &self.frames, &tip.translation, columns.as_flattened_mut());
        let mut gram = Gram::new(0.0);
        for column in &columns {
            gram.add(column);
        }
        0.5 * gram.log_determinant()
    }
}
