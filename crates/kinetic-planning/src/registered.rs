//! Planners that were registered at run time.

use std::sync::{PoisonError, RwLock};

use crate::planner_spec::PlannerSpec;

/// In the order in which they were registered. They stay for the rest of the process, as rows of the registry do, so that
/// a planner type is a plain value.
static REGISTERED: RwLock<Vec<&'static PlannerSpec>> = RwLock::new(Vec::new());

/// All of them.
pub(crate) fn planners() -> Vec<&'static PlannerSpec> {
    REGISTERED.read().unwrap_or_else(PoisonError::into_inner).clone()
}

/// Adds one; `None` where its name is taken.
pub(crate) fn add(spec: PlannerSpec, is_taken: bool) -> Option<&'static PlannerSpec> {
    let mut registered = REGISTERED.write().unwrap_or_else(PoisonError::into_inner);
    if is_taken || registered.iter().any(|other| other.id == spec.id) {
        return None;
    }
    let spec: &'static PlannerSpec = Box::leak(Box::new(spec));
    registered.push(spec);
    Some(spec)
}
