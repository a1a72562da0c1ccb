//! Options in problem files: those rows of the table of options that files hold, in its order.

use std::collections::BTreeMap;
use std::fmt::Write;

use kinetic_core::config::{InFiles, OptionValue};
use kinetic_core::{Constraint, KineticError, PlannerConfig, PlannerOption, Result};
use serde::Deserialize;
use toml::Spanned;

/// What a file states, by name, with its place.
#[derive(Deserialize)]
#[serde(transparent)]
pub(super) struct OptionsEntry(BTreeMap<String, Spanned<OptionValue>>);

impl OptionsEntry {
    /// The configuration without a time budget. `at` adds a place to what is wrong with one option, `at_table` that of the
    /// table to what is wrong with all.
    pub(super) fn config(
        self,
        at: &dyn Fn(usize, KineticError) -> KineticError,
        at_table: &dyn Fn(KineticError) -> KineticError,
    ) -> Result<PlannerConfig> {
        let missing = options_of_files().find(|option| self.is_missing(option));
        let mut config = PlannerConfig { timeout: f64::INFINITY, ..PlannerConfig::default() };
        for (name, value) in self.0 {
            let place = value.span().start;
            let option = option_of_name(&name).map_err(|error| at(place, error))?;
            option.set(&mut config, value.into_inner()).map_err(|error| at(place, error))?;
        }
        if let Some(missing) = missing {
            return Err(at_table(KineticError::invalid(missing.name, "nothing", missing.wanted)));
        }
        config.check().map_err(at_table)?;
        Ok(config)
    }

    fn is_missing(&self, option: &PlannerOption) -> bool {
        option.in_files == InFiles::Always && !self.0.contains_key(option.name)
    }
}

fn options_of_files() -> impl Iterator<Item = &'static PlannerOption> {
    PlannerOption::all().filter(|option| option.in_files != InFiles::Never)
}

fn option_of_name(name: &str) -> Result<&'static PlannerOption> {
    options_of_files()
        .find(|option| option.name == name)
        .ok_or_else(|| KineticError::unknown_name("option", name, options_of_files().map(|option| option.name)))
}

/// # Errors
/// [`KineticError::InvalidValue`] for a constraint that is a function.
pub(super) fn text(config: &PlannerConfig) -> Result<String> {
    if let Some(index) = config.constraints.iter().position(|one| matches!(one, Constraint::Custom(_))) {
        let wanted = "constraints that are data: files hold no functions";
        let given = format!("a function: {}", config.constraints[index]);
        return Err(KineticError::invalid(format!("constraints[{index}]"), given, wanted));
    }
    let mut out = String::from("\n[options]\n");
    for option in options_of_files() {
        let value = option.get(config);
        if option.in_files == InFiles::Always || value != option.default() {
            // Writing into a string does not fail.
            let _ = writeln!(out, "{} = {value}", option.name);
        }
    }
    Ok(out)
}
