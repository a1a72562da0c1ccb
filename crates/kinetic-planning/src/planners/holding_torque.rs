//! Torques that hold a robot still, relative to its effort limits.

use std::sync::{Mutex, PoisonError};

use kinetic_core::{KineticError, Result};
use kinetic_dynamics::{DynamicsData, DynamicsModel, TorqueLimits};

/// The mean square of the joint torques against gravity, each relative to the effort limit of its joint.
pub(super) struct HoldingTorque {
    model: DynamicsModel,
    /// Buffers, and the torques.
    work: Mutex<(DynamicsData, Vec<f64>)>,
}

impl HoldingTorque {
    /// # Errors
    /// [`KineticError::InvalidValue`] for a robot whose description states no effort limits, or one that is 0.
    pub(super) fn new(model: &DynamicsModel) -> Result<Self> {
        TorqueLimits::of_description(model)?;
        if model.effort_limits().contains(&0.0) {
            let wanted = "effort limits above 0, which torques are compared with";
            return Err(KineticError::invalid("effort limits", 0.0, wanted));
        }
        let work = Mutex::new((model.data(), vec![0.0; model.dof()]));
        Ok(Self { model: model.clone(), work })
    }

    /// # Errors
    /// Those of the configuration.
    pub(super) fn of(&self, q: &[f64]) -> Result<f64> {
        let mut work = self.work.lock().unwrap_or_else(PoisonError::into_inner);
        let (data, torques) = &mut *work;
        self.model.gravity_into(data, q, torques)?;
        let ratios = torques.iter().zip(self.model.effort_limits()).map(|(torque, limit)| torque / limit);
        Ok(ratios.map(|ratio| ratio * ratio).sum::<f64>() / q.len() as f64)
    }
}
