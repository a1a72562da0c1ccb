//! Closed-form inverse kinematics.

pub(crate) mod arms;
mod normal_form;
mod subproblems;
