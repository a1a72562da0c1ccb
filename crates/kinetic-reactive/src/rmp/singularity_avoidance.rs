//! Singularity avoidance: a barrier on the manipulability of the tool.
//!
//! Yoshikawa 1985: `μ = √det(J Jᵀ)`. Its derivative is `∂μ/∂qₖ = μ ⟨J⁺ᵀ, ∂J/∂qₖ⟩` (Jacobi's formula), with the derivatives of the
//! columns of a geometric Jacobian in closed form; its curvature `q̇ᵀ ∇²μ q̇` is the difference of two such derivatives along the
//! motion.

use kinetic_core::Result;
use kinetic_kinematics::{KinematicChain, Motion, Rigid, jacobian};
use nalgebra::{DMatrix, Vector3};

use super::barrier::{Barrier, Wanted, strongest};
use super::motion_policy::{MotionPolicy, MotionState};
use super::task_space::TaskSpaces;

/// Step of the differences along the motion, rad or m of the fastest joint.
const DIFFERENCE_STEP: f64 = 1e-4;
/// What is added to `J Jᵀ`, relative to its trace, so that its inverse exists at a singularity.
const RELATIVE_GRAM_DAMPING: f64 = 1e-9;

/// Keeps the manipulability of the tool above 0.
#[derive(Debug)]
pub(super) struct SingularityAvoidance {
    threshold: f64,
    barrier: Barrier,
    slopes: ManipulabilitySlopes,
    gradient: Vec<f64>,
    moved: Vec<f64>,
    other: Vec<f64>,
}

impl SingularityAvoidance {
    pub(super) fn new(chain: &KinematicChain, threshold: f64, gain: f64) -> Self {
        // The quantity is μ / threshold: 1 at the threshold.
        let barrier = Barrier { gain, influence: 1.0, gate_speed: 0.2, nearest: 0.02, metric: 0.02, rest_metric: 1e-4 };
        let zeros = vec![0.0; chain.dof()];
        let slopes = ManipulabilitySlopes::new(chain);
        Self { threshold, barrier, slopes, gradient: zeros.clone(), moved: zeros.clone(), other: zeros }
    }

    /// `q̇ᵀ ∇²μ q̇`.
    fn curvature(&mut self, state: &MotionState<'_>) -> f64 {
        let fastest = state.qd.iter().fold(0.0_f64, |fastest, qd| fastest.max(qd.abs()));
        if fastest == 0.0 {
            return 0.0;
        }
        let step = DIFFERENCE_STEP / fastest;
        let mut slope = 0.0;
        for side in [-1.0, 1.0] {
            for ((moved, q), qd) in self.moved.iter_mut().zip(state.q).zip(state.qd) {
                *moved = q + side * step * qd;
            }
            self.slopes.at(state.chain, &self.moved, &mut self.other);
            slope += side * self.other.iter().zip(state.qd).map(|(slope, qd)| slope * qd).sum::<f64>();
        }
        slope / (2.0 * step)
    }
}

impl MotionPolicy for SingularityAvoidance {
    fn name(&self) -> &'static str {
        "singularity_avoidance"
    }

    fn evaluate(&mut self, state: &MotionState<'_>, tasks: &mut TaskSpaces) -> Result<()> {
        let manipulability = self.slopes.manipulability(state.tool_jacobian);
        if manipulability >= self.threshold {
            return Ok(());
        }
        let mut gradient = std::mem::take(&mut self.gradient);
        self.slopes.at(state.chain, state.q, &mut gradient);
        for slope in &mut gradient {
            *slope /= self.threshold;
        }
        let velocity = gradient.iter().zip(state.qd).map(|(slope, qd)| slope * qd).sum();
        let strongest = strongest(&gradient, state.bounds);
        let wanted = self.barrier.wanted((manipulability / self.threshold, velocity), strongest, state.dt);
        if let Some(Wanted { metric, acceleration }) = wanted {
            let curvature = self.curvature(state) / self.threshold;
            tasks.add_scalar(&gradient, curvature, metric, acceleration);
        }
        self.gradient = gradient;
        Ok(())
    }
}

/// Memory for the manipulability and its derivative.
#[derive(Debug)]
struct ManipulabilitySlopes {
    frames: Vec<Rigid>,
    jacobian: Vec<f64>,
    /// `J Jᵀ`, or `Jᵀ J` of arms with fewer than six joints.
    gram: DMatrix<f64>,
    /// `J⁺ᵀ`, 6 × dof, column after column.
    dual: Vec<f64>,
}

impl ManipulabilitySlopes {
    fn new(chain: &KinematicChain) -> Self {
        let (dof, size) = (chain.dof(), chain.dof().min(6));
        Self {
            frames: chain.frame_buffer(),
            jacobian: vec![0.0; 6 * dof],
            gram: DMatrix::zeros(size, size),
            dual: vec![0.0; 6 * dof],
        }
    }

    /// `√det` of the Gram matrix of a Jacobian (columns of six).
    fn manipulability(&mut self, jacobian: &[f64]) -> f64 {
        self.write_gram(jacobian, 0.0);
        factorise(&mut self.gram).max(0.0).sqrt()
    }

    fn write_gram(&mut self, jacobian: &[f64], relative_damping: f64) {
        let (dof, size) = (jacobian.len() / 6, self.gram.nrows());
        for row in 0..size {
            for column in 0..size {
                self.gram[(row, column)] = if dof < 6 {
                    (0..6).map(|axis| jacobian[6 * row + axis] * jacobian[6 * column + axis]).sum()
                } else {
                    jacobian.chunks_exact(6).map(|of_joint| of_joint[row] * of_joint[column]).sum()
                };
            }
        }
        let damping = relative_damping * self.gram.trace();
        for index in 0..size {
            self.gram[(index, index)] += damping;
        }
    }

    /// Writes `∂μ/∂q`.
    fn at(&mut self, chain: &KinematicChain, q: &[f64], out: &mut [f64]) {
        let tip = chain.tip_rigid(q, &mut self.frames).translation;
        let mut jacobian = std::mem::take(&mut self.jacobian);
        jacobian::fill(chain, &self.frames, &tip, &mut jacobian);
        self.write_gram(&jacobian, RELATIVE_GRAM_DAMPING);
        let manipulability = factorise(&mut self.gram).max(0.0).sqrt();
        out.fill(0.0);
        if manipulability == 0.0 {
            self.jacobian = jacobian;
            return;
        }
        self.write_dual(&jacobian);
        self.jacobian = jacobian;
        self.add_slopes(chain, &tip, out);
        for slope in out {
            *slope *= manipulability;
        }
    }

    /// `J⁺ᵀ = (J Jᵀ)⁻¹ J`, or `J (Jᵀ J)⁻¹`.
    fn write_dual(&mut self, jacobian: &[f64]) {
        let dof = jacobian.len() / 6;
        self.dual.copy_from_slice(jacobian);
        if dof < 6 {
            for axis in 0..6 {
                let mut row = [0.0; 6];
                for (joint, value) in row.iter_mut().enumerate().take(dof) {
                    *value = jacobian[6 * joint + axis];
                }
                substitute(&self.gram, &mut row[..dof]);
                for (joint, value) in row.iter().enumerate().take(dof) {
                    self.dual[6 * joint + axis] = *value;
                }
            }
        } else {
            self.dual.chunks_exact_mut(6).for_each(|column| substitute(&self.gram, column));
        }
    }

    /// Adds `⟨J⁺ᵀ, ∂J/∂qₖ⟩` for every joint `k`, from the derivatives of the column of every frame by every other.
    fn add_slopes(&self, chain: &KinematicChain, tip: &Vector3<f64>, out: &mut [f64]) {
        let frames = chain.program().frames();
        let axis = |index: usize| self.frames[index + 1].z_axis() * frames[index].multiplier;
        for (of, frame) in frames.iter().enumerate() {
            let dual = &self.dual[6 * frame.variable..6 * frame.variable + 6];
            let (linear, angular) = (Vector3::from_column_slice(&dual[..3]), Vector3::from_column_slice(&dual[3..]));
            let (z, arm) = (axis(of), tip - self.frames[of + 1].translation);
            for (by, other) in frames.iter().enumerate() {
                let turn = axis(by);
                // A chain: frames are in its order. What lies before turns the axis and carries the origin along; what
                // lies behind moves the tool alone.
                let slope = match (frame.motion, other.motion, by < of) {
                    (Motion::Rotation, Motion::Rotation, true) => {
                        linear.dot(&turn.cross(&z.cross(&arm))) + angular.dot(&turn.cross(&z))
                    }
                    (Motion::Rotation, Motion::Rotation, false) => {
                        linear.dot(&z.cross(&turn.cross(&(tip - self.frames[by + 1].translation))))
                    }
                    (Motion::Rotation, Motion::Translation, false) => linear.dot(&z.cross(&turn)),
                    (Motion::Translation, Motion::Rotation, true) => linear.dot(&turn.cross(&z)),
                    (Motion::Rotation, Motion::Translation, true) | (Motion::Translation, _, _) => 0.0,
                };
                out[other.variable] += slope;
            }
        }
    }
}

/// Lower Cholesky factor in place; the determinant of the matrix, 0 where it is not positive definite.
fn factorise(matrix: &mut DMatrix<f64>) -> f64 {
    let mut determinant = 1.0;
    for column in 0..matrix.ncols() {
        for row in column..matrix.nrows() {
            let known: f64 = (0..column).map(|index| matrix[(row, index)] * matrix[(column, index)]).sum();
            let rest = matrix[(row, column)] - known;
            if row == column {
                if rest <= 0.0 {
                    return 0.0;
                }
                determinant *= rest;
                matrix[(row, row)] = rest.sqrt();
            } else {
                matrix[(row, column)] = rest / matrix[(column, column)];
            }
        }
    }
    determinant
}

/// Solves with a lower Cholesky factor in place.
fn substitute(factor: &DMatrix<f64>, x: &mut [f64]) {
    let count = x.len();
    for row in 0..count {
        let known: f64 = (0..row).map(|index| factor[(row, index)] * x[index]).sum();
        x[row] = (x[row] - known) / factor[(row, row)];
    }
    for row in (0..count).rev() {
        let known: f64 = (row + 1..count).map(|index| factor[(index, row)] * x[index]).sum();
        x[row] = (x[row] - known) / factor[(row, row)];
    }
}
