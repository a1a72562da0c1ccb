//! Executors and drivers that are in use.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use kinetic_core::{KineticError, Result};

/// A flag that is true while something is in use.
pub(crate) struct Claim(Option<Arc<AtomicBool>>);

impl Claim {
    pub(crate) fn take(flag: Option<Arc<AtomicBool>>, name: &str) -> Result<Self> {
        if flag.as_ref().is_some_and(|flag| flag.swap(true, Ordering::SeqCst)) {
            let wanted = "one that is free: an execution runs, which can be stopped, or spliced";
            return Err(KineticError::invalid(name, "one that is in use", wanted));
        }
        Ok(Self(flag))
    }
}

impl Drop for Claim {
    fn drop(&mut self) {
        if let Some(flag) = &self.0 {
            flag.store(false, Ordering::SeqCst);
        }
    }
}
