//! Dynamics of a planner's group, for torque limits.

use kinetic_core::{ContentHash, KineticError, Result, StateCost};
use kinetic_dynamics::{DynamicsModel, TorqueLimits};

use super::Planner;

impl Planner {
    /// The dynamics of the group, with the payload of the options and those of attached bodies. Joints outside the group stand
    /// where the scene holds them. `None` unless [`torque_limits`](kinetic_core::PlannerConfig::torque_limits) are asked for.
    ///
    /// # Errors
    /// [`KineticError::InvalidValue`] for a robot whose description states no masses, and for a payload or gravity without torque
    /// limits or costs; [`KineticError::LinkNotFound`] for a payload on another link.
    pub fn dynamics(&self) -> Result<Option<DynamicsModel>> {
        if !self.config().torque_limits {
            return self.refuse_without_torques().map(|()| None);
        }
        self.loaded_model().map(Some)
    }

    /// The dynamics of the group, where configurations cost torques.
    pub(super) fn dynamics_of_cost(&self) -> Result<Option<DynamicsModel>> {
        self.costs_torque().then(|| self.loaded_model()).transpose()
    }

    fn costs_torque(&self) -> bool {
        self.config().state_cost == Some(StateCost::Torque)
    }

    /// The dynamics of the group with all that it carries.
    fn loaded_model(&self) -> Result<DynamicsModel> {
        let (config, robot, group) = (self.config(), self.scene().robot(), self.group());
        let mut model = DynamicsModel::new(robot, &group.variables, self.scene().held())?;
        for (link, link_from_shape, payload) in self.scene().payloads() {
            model = model.with_payload(link, link_from_shape, payload)?;
        }
        if let Some(mounted) = &config.payload {
            model = model.with_mounted(robot, group, mounted)?;
        }
        if let Some(gravity) = config.gravity {
            model = model.with_gravity(gravity.into())?;
        }
        Ok(model)
    }

    /// Identifies the dynamics that bounds on torques are proven for now, as
    /// [`Certificate::dynamics`](kinetic_core::Certificate::dynamics) has it; `None` without torque limits.
    ///
    /// # Errors
    /// As [`dynamics`](Self::dynamics), and for a description that states no effort limits.
    pub fn dynamics_version(&self) -> Result<Option<ContentHash>> {
        let dynamics = self.now()?.dynamics()?;
        Ok(torque_limits(dynamics.as_ref())?.as_ref().map(TorqueLimits::content_hash))
    }

    fn refuse_without_torques(&self) -> Result<()> {
        let config = self.config();
        if self.costs_torque() {
            return Ok(());
        }
        let given = [("payload", config.payload.is_some()), ("gravity", config.gravity.is_some())];
        match given.into_iter().find(|(_, is_given)| *is_given) {
            None => Ok(()),
            Some((name, _)) => Err(KineticError::invalid(
                name,
                "given",
                "none without torque_limits or the state_cost torque: it would change nothing",
            )),
        }
    }
}

/// The limits of a model, where there is one.
pub(crate) fn torque_limits(dynamics: Option<&DynamicsModel>) -> Result<Option<TorqueLimits<'_>>> {
    dynamics.map(TorqueLimits::of_description).transpose()
}
