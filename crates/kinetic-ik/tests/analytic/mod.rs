//! Closed-form inverse kinematics.

pub(crate) mod arms;
mod branches;
mod limits;
mod linearity;
mod nearest;
mod normal_form;
mod options;
mod redundant;
mod short;
mod singular;
mod subproblems;
mod zoo;
