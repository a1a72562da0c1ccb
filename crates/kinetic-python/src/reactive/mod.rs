//! Commands while moving.

pub(crate) mod differential_ik;
pub(crate) mod keywords;
pub(crate) mod mpc;
pub(crate) mod rmp;
mod rmp_custom;
pub(crate) mod servo;
pub(crate) mod target_keywords;
pub(crate) mod target_servo;
