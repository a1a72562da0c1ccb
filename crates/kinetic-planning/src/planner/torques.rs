//! Dynamics of a planner's group, for torque limits.

use kinetic_core::{KineticError, Result};
use kinetic_dynamics::{DynamicsModel, TorqueLimits};

use super::Planner;

impl Planner {
    /// The dynamics of the group, with the payload of the options and those of attached bodies. Joints outside the group stand
    /// where the scene holds them. `None` unless [`torque_limits`](kinetic_core::PlannerConfig::torque_limits) are asked for.
    ///
    /// # Errors
    /// [`KineticError::InvalidValue`] for a robot whose description states no masses, or a payload without torque limits;
    /// [`KineticError::LinkNotFound`] for a payload on another link.
    pub fn dynamics(&self) -> Result<Option<DynamicsModel>> {
        let (config, robot, group) = (self.config(), self.scene().robot(), self.group());
        match (config.torque_limits, &config.payload) {
            (false, None) => Ok(None),
            (false, Some(_)) => {
                let wanted = "none without torque_limits: it would change nothing";
                Err(KineticError::invalid("payload", "given", wanted))
            }
            (true, payload) => {
                let model = DynamicsModel::new(robot, &group.variables, self.scene().held())?;
                let model = self.scene().payloads().try_fold(model, |model, (link, link_from_shape, payload)| {
                    model.with_payload(link, link_from_shape, payload)
                })?;
                let carried = payload.as_ref().map(|mounted| model.clone().with_mounted(robot, group, mounted));
                Ok(Some(carried.unwrap_or(Ok(model))?))
            }
        }
    }
}

/// The limits of a model, where there is one.
pub(crate) fn torque_limits(dynamics: Option<&DynamicsModel>) -> Result<Option<TorqueLimits<'_>>> {
    dynamics.map(TorqueLimits::of_description).transpose()
}
