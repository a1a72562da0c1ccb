//! The instructions of collision checks.

use kinetic::collision::simd;
use pyo3::prelude::*;

use crate::error::Result;

/// The instructions that collision checks of this process use: `"avx512"`, `"avx512half"`, `"avx2"`, `"neon"` or `"scalar"`.
///
/// They are the widest of the processor, or those that the environment variable `KINETIC_SIMD` names when kinetic asks for the
/// first time. Verdicts, and so plans, are the same with all of them; the variable is for measurements of what a
/// processor with fewer of them takes.
///
/// Returns:
///     The name.
///
/// Raises:
///     InputError: The variable names none of this processor's.
#[pyfunction]
#[pyo3(signature = ())]
pub(crate) fn simd_tier() -> Result<&'static str> {
    Ok(simd::simd_tier()?.name())
}
