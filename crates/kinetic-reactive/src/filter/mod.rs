//! Filters of commands: twists, poses' errors or joint velocities before they are solved for, never integrated positions.
//!
//! Each component has a state of its own, and a constant command passes every filter unchanged once it has settled (a DC gain
//! of 1). A filter is made by name from [`COMMAND_FILTERS`] and [`FilterOptions`].

mod butterworth;
mod command_filter;
mod exponential;
mod one_euro;
mod registry;

pub use command_filter::{CommandFilter, FilterOptions};
pub use registry::{COMMAND_FILTERS, CommandFilterSpec};
