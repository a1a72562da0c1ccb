//! Redundant arms: a closed form for every value of the self-motion parameters.

mod choice;
mod grid;
mod locked;
mod swivel;

pub(super) use choice::choose;
pub(super) use grid::{Grid, clamped};
pub(super) use locked::Locked;
pub(super) use swivel::Swivel;
