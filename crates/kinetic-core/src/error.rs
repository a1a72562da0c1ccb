//! The one error type of kinetic.
//!
//! Every variant carries what was given, what was wanted and what is possible as fields. All variants stand in one table
//! (`error/rows.rs`), one row each, from which the enum, its messages and the following questions are made:
//! [`KineticError::code`], [`KineticError::family`], [`KineticError::is_retryable`] and [`KineticError::fields`].

mod field;
pub mod reason;
mod rows;
mod table;
mod text;

use std::path::PathBuf;

pub use self::field::{FieldSpec, FieldValue, ReasonSpec};
pub use self::rows::KineticError;

/// Result with [`KineticError`], unless another error is named: `Result<T, E>` is that of the standard library.
pub type Result<T, E = KineticError> = std::result::Result<T, E>;

/// The group an error belongs to; Python maps each to one exception class.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ErrorFamily {
    /// The caller gave something that cannot be used.
    Input,
    /// Inverse kinematics found no answer.
    InverseKinematics,
    /// Planning found no answer, or found that there is none.
    Planning,
    /// A motion was not carried out as planned.
    Execution,
    /// A file could not be read or written.
    Files,
}

/// What the table of errors says about a variant of [`KineticError`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct ErrorSpec {
    /// The variant's name.
    pub code: &'static str,
    /// The group it belongs to.
    pub family: ErrorFamily,
    /// Whether the same call may succeed with a larger budget or another seed.
    pub is_retryable: bool,
    /// When it is raised, as Markdown.
    pub documentation: &'static str,
    /// The fields, in the order of their declaration.
    pub fields: &'static [FieldSpec],
}

impl KineticError {
    /// The variant's name: stable, for programs.
    pub fn code(&self) -> &'static str {
        self.spec().code
    }

    /// True when the same call may succeed with a larger budget or another seed.
    pub fn is_retryable(&self) -> bool {
        self.spec().is_retryable
    }

    /// True when the caller gave something that cannot be used.
    pub fn is_input_error(&self) -> bool {
        self.family() == ErrorFamily::Input
    }

    /// The group this error belongs to.
    pub fn family(&self) -> ErrorFamily {
        self.spec().family
    }

    /// An [`Io`](Self::Io) error for `path`.
    pub fn io(path: impl Into<PathBuf>, source: &std::io::Error) -> Self {
        Self::Io { path: path.into(), kind: source.kind(), detail: source.to_string() }
    }

    /// An [`InvalidValue`](Self::InvalidValue) error.
    pub fn invalid(name: impl Into<String>, value: impl ToString, wanted: impl Into<String>) -> Self {
        Self::InvalidValue { name: name.into(), value: value.to_string(), wanted: wanted.into() }
    }

    /// An [`UnknownName`](Self::UnknownName) error.
    pub fn unknown_name(
        kind: impl Into<String>,
        name: impl Into<String>,
        available: impl IntoIterator<Item: Into<String>>,
    ) -> Self {
        let available = available.into_iter().map(Into::into).collect();
        Self::UnknownName { kind: kind.into(), name: name.into(), available }
    }
}

impl std::error::Error for KineticError {}

/// Numbers that [`check_finite`] looks at before it may end.
const FINITE_BLOCK: usize = 256;

/// Refuses NaN and infinities.
///
/// # Errors
/// [`KineticError::NotFinite`] naming `context` and the first offending index.
pub fn check_finite(context: &str, values: &[f64]) -> Result<()> {
    // In blocks without an early end, which compilers turn into vector instructions.
    let are_finite = |block: &[f64]| block.iter().fold(true, |all, value| all & value.is_finite());
    if values.chunks(FINITE_BLOCK).all(are_finite) {
        return Ok(());
    }
    match values.iter().position(|value| !value.is_finite()) {
        None => Ok(()),
        Some(index) => Err(KineticError::NotFinite { context: context.to_owned(), index, value: values[index] }),
    }
}

/// Refuses a vector of the wrong length.
///
/// # Errors
/// [`KineticError::DimensionMismatch`] naming `context` and both sizes.
pub fn check_len(context: &str, got: usize, expected: usize) -> Result<()> {
    if got == expected {
        return Ok(());
    }
    Err(KineticError::DimensionMismatch { context: context.to_owned(), expected: expected.to_string(), got })
}
