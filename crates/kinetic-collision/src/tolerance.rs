//! Tolerances and rounding bounds that several files share. Constants of a single algorithm are in its file.

/// Thickness, relative to the extent, up to which points count as coplanar, collinear or equal. Far above the rounding
/// of coordinates (1e-16), far below anything that matters for motion (1e-10 of a metre).
pub const FLATNESS: f64 = 1e-10;

/// Error of the reported distance of a pair without a closed form, which may be that much below the true one, relative
/// to the sum of the bounding radii. Polytopes are exact to rounding; the rim of a cylinder is approached to this.
pub const DISTANCE_ERROR_RATIO: f64 = 1e-6;

/// Added to every radius, m: far above the rounding of cuts and distances, far below a micrometre.
pub(crate) const RADIUS_ROUNDING_M: f64 = 1e-9;
