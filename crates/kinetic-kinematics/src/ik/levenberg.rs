//! Levenberg–Marquardt with bounds.
//!
//! Minimises `½ ‖e(q)‖²`, `e` = wanted minus reached pose (translation in m, rotation vector in rad), damping
//! proportional to the error (Sugihara 2011, "Solvability-unconcerned inverse kinematics by the Levenberg–Marquardt
//! method", with Chan & Lawrence's weight), steps taken only on joints that are free to move in the step's direction
//! (active set), so that a joint at its limit does not absorb the step.

use kinetic_core::Pose;
use nalgebra::{Matrix3, Rotation3, UnitQuaternion, Vector3};

use super::IKConfig;
use crate::chain::KinematicChain;
use crate::jacobian;
use crate::rigid::Rigid;

/// Damping that stays when the error vanishes: keeps the normal matrix regular at singularities without slowing the
/// quadratic end phase.
const LEAST_DAMPING: f64 = 1e-12;
/// Largest change of one joint in one step, rad or m: the linear model is poor beyond.
const LARGEST_STEP: f64 = 1.0;
/// An attempt whose error has not dropped by a tenth over this many iterations sits in a local minimum.
const STALL_WINDOW: usize = 12;

/// How an attempt ended.
pub(super) struct Outcome {
    pub(super) converged: bool,
    pub(super) iterations: usize,
    pub(super) position_error: f64,
    pub(super) orientation_error: f64,
}

/// Buffers of a solve; nothing is allocated per iteration.
pub(super) struct Workspace {
    frames: Vec<Rigid>,
    jacobian: Vec<f64>,
    normal: Vec<f64>,
    factor: Vec<f64>,
    gradient: Vec<f64>,
    step: Vec<f64>,
    held: Vec<bool>,
    best: Vec<f64>,
}

impl Workspace {
    pub(super) fn new(chain: &KinematicChain) -> Self {
        let n = chain.dof();
        Self {
            frames: vec![Rigid::identity(); chain.program().num_frames()],
            jacobian: vec![0.0; 6 * n],
            normal: vec![0.0; n * n],
            factor: vec![0.0; n * n],
            gradient: vec![0.0; n],
            step: vec![0.0; n],
            held: vec![false; n],
            best: vec![0.0; n],
        }
    }

    /// Improves `q` in place, inside the bounds; leaves the best configuration met in it.
    pub(super) fn solve(&mut self, chain: &KinematicChain, target: &Pose, q: &mut [f64], config: &IKConfig) -> Outcome {
        let target = Rigid::from(target);
        let mut best_cost = f64::INFINITY;
        let (mut window_cost, mut window_start) = (f64::INFINITY, 0);
        let mut outcome = Outcome {
            converged: false,
            iterations: 0,
            position_error: f64::INFINITY,
            orientation_error: f64::INFINITY,
        };
        for iteration in 0..=config.max_iterations {
            let tip = chain.tip_rigid(q, &mut self.frames);
            let error = pose_error(&target, &tip);
            let (position, orientation) = (norm3(&error[..3]), norm3(&error[3..]));
            let cost = 0.5 * (position * position + orientation * orientation);
            if cost < best_cost {
                best_cost = cost;
                self.best.copy_from_slice(q);
                (outcome.position_error, outcome.orientation_error) = (position, orientation);
            }
            outcome.iterations = iteration;
            outcome.converged = position <= config.position_tolerance && orientation <= config.orientation_tolerance;
            if outcome.converged || iteration == config.max_iterations {
                break;
            }
            if iteration - window_start >= STALL_WINDOW {
                if best_cost > 0.9 * window_cost {
                    break;
                }
                (window_cost, window_start) = (best_cost, iteration);
            }
            jacobian::fill(chain, &self.frames, &tip.translation, &mut self.jacobian);
            self.advance(chain, &error, 2.0 * config.damping * cost, q);
        }
        q.copy_from_slice(&self.best);
        outcome
    }

    /// One damped step on the free joints, kept inside the bounds.
    fn advance(&mut self, chain: &KinematicChain, error: &[f64; 6], damping: f64, q: &mut [f64]) {
        let n = chain.dof();
        for i in 0..n {
            let column = &self.jacobian[6 * i..6 * i + 6];
            self.gradient[i] = dot6(column, error);
            for j in 0..=i {
                let value = dot6(column, &self.jacobian[6 * j..6 * j + 6]);
                self.normal[i * n + j] = value;
                self.normal[j * n + i] = value;
            }
        }
        let damping = damping + LEAST_DAMPING;
        for i in 0..n {
            let (low, high) = chain.bounds()[i];
            let outward = self.gradient[i];
            self.held[i] = (q[i] <= low && outward < 0.0) || (q[i] >= high && outward > 0.0);
        }
        // Each round holds at least one more joint, so n rounds suffice.
        for _ in 0..n {
            self.solve_free(n, damping);
            if !self.hold_blocked(chain, q) {
                break;
            }
        }
        let largest = self.step.iter().fold(0.0_f64, |largest, step| largest.max(step.abs()));
        let scale = if largest > LARGEST_STEP { LARGEST_STEP / largest } else { 1.0 };
        for (i, value) in q.iter_mut().enumerate() {
            let (low, high) = chain.bounds()[i];
            *value = (*value + scale * self.step[i]).clamp(low, high);
        }
    }

    /// Holds joints that stand at a limit and whose step points outside; true when one was added.
    fn hold_blocked(&mut self, chain: &KinematicChain, q: &[f64]) -> bool {
        let mut added = false;
        for i in 0..q.len() {
            let (low, high) = chain.bounds()[i];
            let blocked = (q[i] <= low && self.step[i] < 0.0) || (q[i] >= high && self.step[i] > 0.0);
            if blocked && !self.held[i] {
                self.held[i] = true;
                added = true;
            }
        }
        added
    }

    /// Solves `(JᵀJ + damping) step = Jᵀe` on the free joints by Cholesky; held joints get a step of 0.
    fn solve_free(&mut self, n: usize, damping: f64) {
        self.factor.copy_from_slice(&self.normal);
        self.step.copy_from_slice(&self.gradient);
        for i in 0..n {
            if self.held[i] {
                for j in 0..n {
                    self.factor[i * n + j] = 0.0;
                    self.factor[j * n + i] = 0.0;
                }
                self.factor[i * n + i] = 1.0;
                self.step[i] = 0.0;
            }
            self.factor[i * n + i] += damping;
        }
        cholesky_solve(&mut self.factor, &mut self.step, n);
    }
}

/// Solves `A x = b` in place for a symmetric positive definite `A` (row-major, n × n).
fn cholesky_solve(a: &mut [f64], b: &mut [f64], n: usize) {
    for i in 0..n {
        for j in 0..=i {
            let mut sum = a[i * n + j];
            for k in 0..j {
                sum -= a[i * n + k] * a[j * n + k];
            }
            // The damping keeps the diagonal positive up to rounding; the floor absorbs the rounding.
            a[i * n + j] = if i == j { sum.max(f64::MIN_POSITIVE).sqrt() } else { sum / a[j * n + j] };
        }
        let mut sum = b[i];
        for k in 0..i {
            sum -= a[i * n + k] * b[k];
        }
        b[i] = sum / a[i * n + i];
    }
    for i in (0..n).rev() {
        let mut sum = b[i];
        for k in i + 1..n {
            sum -= a[k * n + i] * b[k];
        }
        b[i] = sum / a[i * n + i];
    }
}

/// Translation difference and rotation vector that turns `reached` into `target`, in the base frame.
fn pose_error(target: &Rigid, reached: &Rigid) -> [f64; 6] {
    let translation = target.translation - reached.translation;
    let rotation = rotation_vector(&(target.rotation * reached.rotation.transpose()));
    [translation.x, translation.y, translation.z, rotation.x, rotation.y, rotation.z]
}

/// Logarithm of a rotation matrix.
fn rotation_vector(rotation: &Matrix3<f64>) -> Vector3<f64> {
    let axis = Vector3::new(
        rotation[(2, 1)] - rotation[(1, 2)],
        rotation[(0, 2)] - rotation[(2, 0)],
        rotation[(1, 0)] - rotation[(0, 1)],
    );
    let (sine2, cosine2) = (axis.norm(), rotation.trace() - 1.0);
    // Away from 0 and π the antisymmetric part is well conditioned; near π the quaternion is.
    if cosine2 < -1.9 {
        return UnitQuaternion::from_rotation_matrix(&Rotation3::from_matrix_unchecked(*rotation)).scaled_axis();
    }
    let factor = if sine2 > 1e-9 { sine2.atan2(cosine2) / sine2 } else { 0.5 };
    axis * factor
}

fn dot6(a: &[f64], b: &[f64]) -> f64 {
    (0..6).map(|i| a[i] * b[i]).sum()
}

fn norm3(v: &[f64]) -> f64 {
    (v[0] * v[0] + v[1] * v[1] + v[2] * v[2]).sqrt()
}
