//! Tolerances that several laws share. Constants of a single algorithm are in its file.

/// Cosine of the change of direction beyond which a corner is a reversal: it is not rounded, because the motion stops there
/// anyway.
pub(crate) const REVERSAL_COSINE: f64 = -0.996;

/// Shortest half-length or width of a rounded corner, rad or m; below it the motion stops at the corner.
pub(crate) const SHORTEST_CORNER: f64 = 1e-9;

/// Part of the controllable set that a forward pass leaves free at its upper end: at the very corner of the set, the squared
/// speed is known only to the rounding of two nearly parallel rows.
pub(crate) const CONTROLLABLE_SET_MARGIN: f64 = 1e-9;

/// Largest distance of the end of a motion from the goal, rad or m, but for the rounding of large positions. Beyond it, its pieces
/// are too short beside its duration for double precision, and there is no motion.
pub(crate) const GOAL_TOLERANCE_RAD_M: f64 = 1e-10;

/// Rounding of positions that are computed from polynomial pieces, against their size.
pub(crate) const POSITION_ROUNDING_RATIO: f64 = 1e-14;

/// Part of a straight or segment by which its ends may be missed: rounding of arc lengths.
pub(crate) const ARC_LENGTH_ROUNDING: f64 = 1e-9;

/// Part of a limit that is left unused, so that rounding never exceeds it.
pub(crate) const LIMIT_RESERVE: f64 = 1e-9;

/// A corner that is refused is halved this often before it becomes a stop.
pub(crate) const MAX_CORNER_HALVINGS: usize = 8;
