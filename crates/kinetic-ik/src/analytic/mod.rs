//! Closed-form inverse kinematics.
//!
//! [`Manipulator`] is a chain with the solver of its class of arms, and gives all branches of a pose.
//! [`ProductOfExponentials`] is the normal form of the chain, [`Topology`] lists its parallel and intersecting axes under
//! the thresholds of a [`TolerancePolicy`]; [`registry::classes`] lists the classes. [`subproblems`] are the equations that
//! closed forms are composed of, [`postprocess`] the steps after a solve.

pub(crate) mod angles;
mod array_vec;
mod batch_residual;
mod branch_search;
pub mod branches;
mod check;
mod class;
pub mod constant;
mod cos_sin;
mod dh_chain;
mod eigen;
mod generic_configuration;
pub mod manipulator;
mod perturbed;
pub mod poe;
pub mod policy;
pub mod postprocess;
mod redundant;
pub mod registry;
mod roots;
mod self_motion_start;
mod short;
mod six;
pub mod solution;
pub mod solver;
pub mod subproblems;
pub mod topology;
mod windings;

pub use array_vec::ArrayVec;
pub use branches::{Branch, BranchJoints, Branches};
pub use class::DispatchPlan;
pub use cos_sin::CosSin;
pub use manipulator::Manipulator;
pub use poe::{ProductOfExponentials, Screw};
pub use policy::TolerancePolicy;
pub use solution::{Diagnostic, Refinement, Solution, SolveOptions};
pub use solver::{Met, Parameters, Range};
pub use topology::{CommonPoint, Pair, Relation, Topology};
