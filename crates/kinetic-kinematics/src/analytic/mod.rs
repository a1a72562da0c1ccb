//! Closed-form inverse kinematics.
//!
//! [`ProductOfExponentials`] is an arm as the solvers see it, [`Topology`] what is special about its axes, under the
//! thresholds of a [`TolerancePolicy`]. [`subproblems`] are the equations that closed forms are put together from.

mod few;
pub mod poe;
pub mod policy;
mod roots;
pub mod subproblems;
pub mod topology;
mod turn;

pub use few::Few;
pub use poe::{ProductOfExponentials, Screw};
pub use policy::TolerancePolicy;
pub use topology::{CommonPoint, Pair, Relation, Topology};
pub use turn::Turn;
