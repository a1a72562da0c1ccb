//! Termination of long queries by a [`Control`]: cancellation and time limits. Most queries end so soon that reading
//! the clock would slow them down. Only long ones (a joint that rotates by a million radians, a curve of a million
//! pieces) read it, once in a few hundred configurations.

use kinetic_core::Control;

use crate::collision_model::Obstacle;

/// Configurations after which a query reads the clock for the first time. Shorter queries never depend on the time, so
/// that the outcome of a search does not either.
const CHECKS_BEFORE_FIRST_READING: u64 = 2_048;

/// Configurations from one reading of the clock to the next.
const CHECKS_PER_READING: u64 = 256;

/// Pieces of obstacles (triangles, points, cells) among which a configuration counts as one more.
const PIECES_PER_CHECK: usize = 1_024;

/// Decides when a running query reads its control.
#[derive(Debug, Clone, Default)]
pub struct Termination {
    control: Option<Control>,
    next: u64,
    /// What a configuration counts as beyond one: near large meshes it can take some milliseconds.
    weight: u64,
}

impl Termination {
    /// Sets the control that ends long queries; with `None` no query is ended.
    pub fn obey(&mut self, control: Option<&Control>) {
        self.control = control.cloned();
    }

    /// Takes in the obstacles that queries are about.
    pub fn weigh(&mut self, obstacles: &[Obstacle]) {
        let pieces: usize = obstacles.iter().flat_map(|one| &one.tree).map(|tree| tree.compound().len()).sum();
        self.weight = (pieces / PIECES_PER_CHECK) as u64;
    }

    /// Begins a query, given the number of configurations checked so far.
    pub fn begin(&mut self, checks: u64) {
        self.next = checks.saturating_add(CHECKS_BEFORE_FIRST_READING / (1 + self.weight));
    }

    /// Whether the query should end without a result, given the number of configurations checked so far.
    #[inline]
    pub fn is_over(&mut self, checks: u64) -> bool {
        if checks < self.next {
            return false;
        }
        self.next = checks.saturating_add(CHECKS_PER_READING / (1 + self.weight));
        self.control.as_ref().is_some_and(|control| control.is_over(0))
    }
}
