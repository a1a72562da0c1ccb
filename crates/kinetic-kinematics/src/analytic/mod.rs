//! Closed-form inverse kinematics.
//!
//! [`ProductOfExponentials`] is an arm as the solvers see it, [`Topology`] what is special about its axes, under the

pub mod poe;
pub mod policy;
pub mod topology;
mod turn;

pub use poe::{ProductOfExponentials, Screw};
pub use policy::TolerancePolicy;
pub use topology::{CommonPoint, Pair, Relation, Topology};
pub use turn::Turn;
