//! Profiles in a `kinetic.toml`: `[profiles.NAME]` with options of planning.

use kinetic_core::{PlannerConfig, PlannerOption, Result};

use super::{RobotConfig, schema};
use crate::model::Profile;
use crate::robot::Robot;

impl RobotConfig {
    /// Takes on the profiles: options that exist, with values inside their domains.
    pub(super) fn profiles(&self, robot: &mut Robot) -> Result<()> {
        for (name, options) in schema::in_order(&self.document.profiles) {
            let (mut config, mut profile) = (PlannerConfig::default(), Profile::new());
            for (option, value) in schema::in_order(options.as_ref()) {
                let at_option = |error| self.at(value.span(), format!("profiles: \"{name}\": {error}"));
                let row = PlannerOption::of_name(option).map_err(at_option)?;
                row.set(&mut config, value.as_ref().clone()).map_err(at_option)?;
                row.check(&config).map_err(at_option)?;
                profile.insert(option.clone(), value.as_ref().clone());
            }
            config.check().map_err(|error| self.at(options.span(), format!("profiles: \"{name}\": {error}")))?;
            robot.profiles.insert(name.clone(), profile);
        }
        Ok(())
    }
}
