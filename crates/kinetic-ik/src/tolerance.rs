//! Tolerances that several solvers share.
//!
//! Those of closed forms that users set are in [`TolerancePolicy`](crate::analytic::TolerancePolicy). Constants of a single
//! algorithm are in its file.

/// A joint value within this distance of a limit is at the limit: the rounding of sums of a few turns.
pub(crate) const LIMIT_ROUNDING_RAD_M: f64 = 1e-9;

/// Pose error of closed forms, to which numerical corrections converge as well.
pub(crate) const CLOSED_FORM_ERROR_M_RAD: f64 = 1e-11;

/// Pose error of configurations that Levenberg–Marquardt continues from pose to pose.
pub(crate) const CONTINUATION_ERROR_M_RAD: f64 = 1e-9;

/// Configurations as near as this are one, rad or m.
pub(crate) const SAME_CONFIGURATION_RAD_M: f64 = 1e-4;
