//! Closed-form inverse kinematics.

pub(crate) mod arms;
mod branches;
mod codegen;
mod linearity;
mod normal_form;
mod options;
mod redundant;
mod short;
mod subproblems;
mod zoo;
