//! Tolerances and limits that several modules share.

/// Tolerance of joint limits, rad or m, for printing and rounding of a configuration on its limit.
pub(crate) const LIMIT_TOLERANCE_RAD_M: f64 = 1e-6;

/// Robots in a memory cache of results about link pairs; an entry has some kilobytes.
pub(crate) const MAX_CACHED_ROBOTS: usize = 64;
