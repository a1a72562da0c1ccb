//! The target of rollouts.

use kinetic_core::{Pose, Twist};
use kinetic_kinematics::{KinematicChain, Rigid};
use nalgebra::UnitQuaternion;

use crate::rotation_vector::way_to;
use crate::target::ServoTarget;

/// The target with what is worked out once.
#[derive(Debug, Clone)]
pub(super) struct RolloutTarget {
    target: ServoTarget,
    rotation: UnitQuaternion<f64>,
}

impl RolloutTarget {
    pub(super) fn joints(q: &[f64]) -> Self {
        Self { target: ServoTarget::Joints(q.to_vec()), rotation: UnitQuaternion::identity() }
    }

    /// Takes another target over without allocation where the old one is of its kind.
    pub(super) fn set(&mut self, target: &ServoTarget) {
        if let ServoTarget::Pose(pose) = target {
            self.rotation = pose.rotation();
        }
        match (&mut self.target, target) {
            (ServoTarget::Joints(own), ServoTarget::Joints(given)) => own.clone_from(given),
            (own, given) => *own = given.clone(),
        }
    }

    pub(super) fn target(&self) -> &ServoTarget {
        &self.target
    }

    /// How far `q` is: m, with turns of the tool by `rotation_weight` m per rad; of joints their Euclidean distance.
    pub(super) fn distance(
        &self,
        chain: Option<&KinematicChain>,
        q: &[f64],
        frames: &mut [Rigid],
        rotation_weight: f64,
    ) -> f64 {
        match (&self.target, chain) {
            (ServoTarget::Pose(pose), Some(chain)) => {
                let (linear, turn) = way_to(&chain.tip_rigid(q, frames), &pose.translation(), &self.rotation);
                linear.norm() + rotation_weight * turn.norm()
            }
            (ServoTarget::Joints(wanted), _) => {
                wanted.iter().zip(q).map(|(wanted, q)| (wanted - q) * (wanted - q)).sum::<f64>().sqrt()
            }
            (ServoTarget::Pose(_), None) => 0.0,
        }
    }

    /// The twist along the axes of the base that takes the tool straight to the pose, `gain` times what is left per second.
    pub(super) fn twist(&self, pose: &Pose, base_from_tool: &Rigid, gain: f64) -> Twist {
        let (linear, turn) = way_to(base_from_tool, &pose.translation(), &self.rotation);
        Twist::new(gain * linear, gain * turn)
    }
}
