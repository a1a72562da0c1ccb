//! Scalar twins of the shaders: the same single-precision arithmetic in the same order, on the processor.

pub(crate) mod distances;
pub(crate) mod fk_collide;
pub(crate) mod ik_lm;
pub(crate) mod kinematics;
pub(crate) mod reduction;
pub(crate) mod rnea;
pub(crate) mod spline_cost;
pub(crate) mod spline_descent;
mod spline_smoothness;
