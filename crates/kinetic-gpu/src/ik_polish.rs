//! Answers in single precision made exact: Newton steps in double precision, and the proof that a configuration is an answer.

use kinetic_core::Pose;
use kinetic_kinematics::{KinematicChain, Rigid, jacobian_into};
use nalgebra::{Matrix6, Matrix6xX, Vector3, Vector6};

/// Newton steps; each squares the error.
const MAX_STEPS: usize = 12;
/// Damping of the steps, so that they stay bounded next to singularities.
const DAMPING: f64 = 1e-12;
/// Error of an answer, m and rad: what double precision leaves, with room for arms of tens of metres.
pub(crate) const SOLVED: f64 = 1e-9;

/// A configuration that reaches a pose, checked in double precision.
#[derive(Debug, Clone, PartialEq)]
pub struct BatchIkSolution {
    /// Joint values, inside the limits.
    pub configuration: Vec<f64>,
    /// Distance of the tool from the target, m.
    pub position_error: f64,
    /// Angle between the tool and the target, rad.
    pub rotation_error: f64,
}

/// The answer next to a configuration; `None` where Newton's method finds none inside the limits.
pub(crate) fn polished(chain: &KinematicChain, target: &Pose, start: &[f32]) -> Option<BatchIkSolution> {
    let mut q: Vec<f64> = start.iter().map(|value| f64::from(*value)).collect();
    clamp(chain, &mut q);
    let (mut frames, mut jacobian) = (chain.frame_buffer(), Matrix6xX::zeros(chain.dof()));
    for _ in 0..MAX_STEPS {
        let tip = jacobian_into(chain, &q, &mut frames, jacobian.as_mut_slice()).ok()?;
        let (linear, angular) = error(&tip, target);
        let (position_error, rotation_error) = (linear.norm(), angular.norm());
        if position_error < SOLVED && rotation_error < SOLVED {
            return Some(BatchIkSolution { configuration: q, position_error, rotation_error });
        }
        let normal = &jacobian * jacobian.transpose() + Matrix6::identity() * DAMPING;
        let wanted = Vector6::new(linear.x, linear.y, linear.z, angular.x, angular.y, angular.z);
        let step = jacobian.tr_mul(&normal.cholesky()?.solve(&wanted));
        q.iter_mut().zip(step.iter()).for_each(|(value, step)| *value += step);
        clamp(chain, &mut q);
    }
    None
}

/// Offset and rotation vector from the tool to the target.
fn error(tip: &Rigid, target: &Pose) -> (Vector3<f64>, Vector3<f64>) {
    let turn = target.rotation() * tip.to_pose().rotation().inverse();
    (target.translation() - tip.translation, turn.scaled_axis())
}

/// Moves values into the limits.
pub(crate) fn clamp(chain: &KinematicChain, q: &mut [f64]) {
    for (value, (lower, upper)) in q.iter_mut().zip(chain.bounds()) {
        *value = value.max(*lower).min(*upper);
    }
}
