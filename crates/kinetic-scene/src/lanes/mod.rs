//! Proofs of motions for many intervals at once, in single precision.
//!
//! A motion is cut into intervals; a batch of them goes through forward kinematics, covering spheres and motion bounds
//! together, one interval per lane of the processor's wide registers. What single precision cannot prove, and whatever
//! the spheres cannot clear, is left to the double-precision sweep, so the answers are those of the sweep alone: the
//! filter only ever says "this much is free" or "look here first". The layout follows VAMP (Thomason, Kingston,
//! Kavraki 2024, "Motions in Microseconds via Vectorized Sampling-Based Planning"), with the robot compiled when it is
//! loaded instead of generated code, and intervals with motion bounds instead of samples.

#![allow(clippy::inline_always, reason = "what is not inlined is compiled without the wide instructions")]

mod block;
mod bounds;
mod boxes;
mod clear_gate;
mod clearances;
mod clusters;
mod configurations;
mod dispatch;
mod filter;
mod first;
mod gates;
mod kernel;
mod model;
mod obstacle;
mod open_gate;
mod own;
mod parting;
mod reach;
mod registers;
mod samples;
mod scratch;
mod simplex;
mod single;
mod steady;
#[cfg(test)]
mod tests;
mod tree;
mod trig;
mod vector;
mod world;

use kinetic_core::ContentHash;

use crate::evaluation::Evaluation;

pub(crate) use filter::{Filter, Verdict};
pub(crate) use parting::{Parted, Parting};
pub(crate) use tree::LaneTree;

/// What distance tables are called among results that are stored.
pub(crate) const TABLE_KIND: &str = clearances::KIND;

/// Finds the distance tables of a checker anew, to be stored: keys and bytes.
pub(crate) fn find_tables(evaluation: &Evaluation) -> Vec<(ContentHash, Vec<u8>)> {
    model::LaneModel::find_tables(evaluation)
}
