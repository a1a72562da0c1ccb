//! Sequences of motions, planned as one ([`Planner::plan_sequence`](crate::Planner::plan_sequence)).
//!
//! The everyday case of MoveIt's sequences (Pilz industrial motion planner) and of the MoveIt Task Constructor: motions through free
//! space and along Cartesian paths, each of which begins where the one before ended.
//!
//! - [`SequenceItem`], [`SequenceMotion`]: what is asked for;
//! - [`SequenceResult`], [`SequencePart`], [`SequenceBlend`], [`SequenceOutcome`]: what is answered.

mod item;
mod result;

pub use item::{SequenceItem, SequenceMotion};
pub use result::{SequenceBlend, SequenceOutcome, SequencePart, SequenceResult};
