//! Commands while moving.

pub(crate) mod rmp;
mod rmp_custom;
