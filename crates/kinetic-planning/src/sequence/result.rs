//! Results of sequences.

use kinetic_core::{KineticError, TimedTrajectory};

use crate::cartesian::CartesianResult;
use crate::result::PlanningResult;

/// A sequence of motions as one.
#[derive(Debug, Clone)]
pub struct SequenceResult {
    /// All items, one after the other, at rest between them or blended, with one certificate; without where an item does not avoid
    /// collisions.
    pub trajectory: TimedTrajectory,
    /// What each item came to.
    pub parts: Vec<SequencePart>,
}

impl SequenceResult {
    /// When each item begins, and when the last one ends, s: one moment more than there are items.
    pub fn boundaries(&self) -> Vec<f64> {
        let begins = self.parts.iter().map(|part| part.begin);
        begins.chain(self.parts.last().map(|part| part.end)).collect()
    }
}

/// One item of a sequence that was planned.
#[derive(Debug, Clone)]
pub struct SequencePart {
    /// When it begins in the whole motion, s.
    pub begin: f64,
    /// When it ends in the whole motion, s; in the middle of a blend where there is one.
    pub end: f64,
    /// How its end is rounded into the next item; `None` where no radius was asked for.
    pub blend: Option<SequenceBlend>,
    /// The motion of this item alone, with its own certificate.
    pub trajectory: TimedTrajectory,
    /// What it came to.
    pub outcome: SequenceOutcome,
}

/// How the end of an item is rounded.
#[derive(Debug, Clone, PartialEq)]
pub struct SequenceBlend {
    /// The radius that was asked for, m.
    pub asked: f64,
    /// The radius inside of which the motion is blended, and proven, m; 0 where it stops.
    pub radius: f64,
    /// Why that is less than what was asked for.
    pub reason: Option<KineticError>,
}

/// What an item of a sequence came to.
#[derive(Debug, Clone)]
pub enum SequenceOutcome {
    /// A motion through free space.
    Free {
        /// The path and the figures of the search.
        result: Box<PlanningResult>,
        /// Configurations that meet the goal from which the Cartesian items that follow were planned; 0 where none follow.
        starts_tried: u64,
        /// From how many of them these items can be followed.
        starts_followed: u64,
    },
    /// A motion along a path of the tool.
    Cartesian(Box<CartesianResult>),
}
