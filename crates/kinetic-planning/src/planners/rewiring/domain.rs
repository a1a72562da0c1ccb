//! Domains of options that planners with rewired trees have in common.

use kinetic_core::{KineticError, Minimise, PlannerConfig, Result};

use crate::space::Space;

/// Joints up to which the default range holds.
const USUAL_DOF: f64 = 8.0;

/// The longest edge of an extension in a space: `range`, in inverse proportion to the number of joints where there are more
/// than eight, as that of [`RrtConnect::default`](crate::RrtConnect::default).
pub(in crate::planners) fn default_range(range: f64, space: &Space) -> f64 {
    range / (space.dof() as f64 / USUAL_DOF).max(1.0)
}

/// Refuses a length that is not positive and finite.
pub(in crate::planners) fn check_length(name: &'static str, length: f64) -> Result<()> {
    if length > 0.0 && length.is_finite() {
        return Ok(());
    }
    Err(KineticError::invalid(name, length, "a positive finite number"))
}

/// Refuses a search without end, and costs that planner `id` does not make small.
pub(in crate::planners) fn check_budget(config: &PlannerConfig, id: &str) -> Result<()> {
    if config.timeout.is_infinite() && config.max_iterations == u64::MAX {
        let wanted = format!("a budget of time or iterations for {id}");
        return Err(KineticError::invalid("timeout", config.timeout, wanted));
    }
    match config.minimise {
        Some(minimise @ Minimise::Time) => {
            let wanted = format!("\"length\" or None: {id} rewires by length; aorrtc makes the time small");
            Err(KineticError::invalid("minimise", format!("\"{}\"", minimise.name()), wanted))
        }
        None | Some(Minimise::Length) => Ok(()),
    }
}
