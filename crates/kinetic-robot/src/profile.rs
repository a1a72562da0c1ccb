//! Profiles: named options of planning that a robot's `kinetic.toml` states.

use kinetic_core::{KineticError, PlannerConfig, PlannerOption, Result};

use crate::robot::Robot;

impl Robot {
    /// The options of `base` with what a profile of this robot states instead.
    ///
    /// # Errors
    /// [`KineticError::UnknownName`] with the profiles that there are; for a profile that was made by hand, errors of
    /// [`PlannerOption::of_name`], [`PlannerOption::set`] and [`PlannerConfig::check`].
    pub fn profile(&self, name: &str, base: PlannerConfig) -> Result<PlannerConfig> {
        let profile =
            self.profiles.get(name).ok_or_else(|| KineticError::unknown_name("profile", name, self.profiles.keys()))?;
        let mut config = base;
        for (option, value) in profile {
            PlannerOption::of_name(option)?.set(&mut config, value.clone())?;
        }
        config.check()?;
        Ok(config)
    }
}
