//! Cartesian planning: `CartesianPath`, `CartesianConfig`, `CartesianResult` and the calls of `Planner`.

pub(crate) mod config;
pub(crate) mod path;
pub(crate) mod plan;
pub(crate) mod result;
