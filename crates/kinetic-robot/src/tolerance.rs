//! Tolerances and rounding bounds that several files share. Constants of a single algorithm are in its file.

/// Room for the last digit of limits and states that were printed and read again, rad or m.
pub(crate) const PRINTED_LIMIT_ROUNDING_RAD_M: f64 = 1e-9;
