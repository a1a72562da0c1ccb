//! Rounded corners of polylines in joint space, one file per shape.
//!
//! | shape | file | continuity | deviation | laws that follow it |
//! |---|---|---|---|---|
//! | parabola | [`parabola`] | tangent; curvature steps | up to half a segment, within the allowed deviation | `trapezoidal`, and `totp` from rest to rest |
//! | curvature ramp (cubic, parabola, cubic) | `curvature_ramp` | curvature | as the parabola | `totp` with moving ends or exact waypoints |
//! | two quintics through the waypoint | `curvature_ramp` | curvature | swings to the far side, within the allowed deviation; the waypoint is met | `totp` with exact waypoints |
//! | wide corner (cubic pieces) | `wide` | curvature | within the allowed deviation, also beyond neighbouring corners | `jerk_limited`, and `totp` where it is faster |
//!
//! The spline through all waypoints (`spline.rs`) has no corners. The uniform cubic B-spline that
//! `kinetic_planning::round_corners` puts into paths ends as edges of a polyline, not as a curve that a law follows.

pub(crate) mod accept;
pub(crate) mod curvature_ramp;
pub mod parabola;
pub(crate) mod wide;
