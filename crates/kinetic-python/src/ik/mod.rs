//! Inverse kinematics: solvers of a robot, paths, closed forms and what belongs to them.

pub(crate) mod acceptance;
pub(crate) mod answer;
pub(crate) mod batch;
pub(crate) mod branches;
pub(crate) mod cache;
pub(crate) mod cone;
pub(crate) mod failure;
pub(crate) mod manipulator;
pub(crate) mod manipulator_keywords;
pub(crate) mod options;
pub(crate) mod path_tolerance;
pub(crate) mod paths;
pub(crate) mod pickle;
pub(crate) mod postprocess;
pub(crate) mod records;
pub(crate) mod robot;
pub(crate) mod targets;
pub(crate) mod tools;
