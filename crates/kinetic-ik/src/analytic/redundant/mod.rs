//! Arms with more than six joints: a closed form for every value of what their self-motion is measured by.

mod choice;
mod grid;
mod locked;
mod swivel;

pub(super) use choice::choose;
pub(super) use grid::{Grid, clamped};
pub(super) use locked::Locked;
pub(super) use swivel::Swivel;
