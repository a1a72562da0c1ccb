//! Errors of goals that say what of a goal they are about.

use kinetic_core::KineticError;

/// An input error that says what of a goal it is about.
pub(crate) fn naming(error: KineticError, place: &str) -> KineticError {
    match error {
        KineticError::DimensionMismatch { context, expected, got } => {
            KineticError::DimensionMismatch { context: format!("{place}: {context}"), expected, got }
        }
        KineticError::NotFinite { context, index, value } => {
            KineticError::NotFinite { context: format!("{place}: {context}"), index, value }
        }
        KineticError::InvalidValue { name, value, wanted } => {
            KineticError::InvalidValue { name: format!("{place}: {name}"), value, wanted }
        }
        // Joint, limits and names say enough.
        other => other,
    }
}
