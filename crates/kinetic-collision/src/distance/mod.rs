//! Signed distances from points to placed shapes.

pub(crate) mod convex;
pub mod point;
pub(crate) mod primitive;
