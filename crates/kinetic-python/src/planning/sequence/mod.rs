//! Sequences: `SequenceItem`, `SequenceResult` and `Planner.plan_sequence`.

pub(crate) mod item;
pub(crate) mod plan;
pub(crate) mod result;
