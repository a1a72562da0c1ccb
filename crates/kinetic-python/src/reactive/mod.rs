//! Commands while moving.

pub(crate) mod differential_ik;
pub(crate) mod keywords;
pub(crate) mod rmp;
mod rmp_custom;
pub(crate) mod servo;
