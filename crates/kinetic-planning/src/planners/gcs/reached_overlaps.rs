//! The overlaps that a search for the shortest way (Dijkstra 1959) has reached.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// The shortest known way to an overlap.
#[derive(Debug, Clone)]
pub(super) struct ReachedOverlap {
    pub(super) cost: f64,
    pub(super) before: Option<usize>,
    pub(super) start: usize,
    is_settled: bool,
}

impl Default for ReachedOverlap {
    fn default() -> Self {
        Self { cost: f64::INFINITY, before: None, start: 0, is_settled: false }
    }
}

/// The overlaps that a search knows a way to, by state.
pub(super) struct ReachedOverlaps {
    pub(super) states: Vec<ReachedOverlap>,
    /// States to settle by cost, and of equal costs the lowest state first. Costs are not negative, so that their bits are in their order;
    /// a state that was reached again at less cost is in it twice.
    open: BinaryHeap<Reverse<(u64, usize)>>,
}

impl ReachedOverlaps {
    pub(super) fn new(states: usize) -> Self {
        Self { states: vec![ReachedOverlap::default(); states], open: BinaryHeap::new() }
    }

    /// Whether a way that costs so much would be the shortest to a state.
    pub(super) fn is_shorter(&self, state: usize, cost: f64) -> bool {
        !self.states[state].is_settled && cost < self.states[state].cost
    }

    /// Takes the shortest way to a state: after another state, from a start.
    pub(super) fn reach(&mut self, state: usize, cost: f64, before: Option<usize>, start: usize) {
        self.open.push(Reverse((cost.to_bits(), state)));
        self.states[state] = ReachedOverlap { cost, before, start, is_settled: false };
    }

    /// Settles the state of least cost, where it may lead to less than a known cost.
    pub(super) fn settle_next(&mut self, below: f64) -> Option<usize> {
        while let Some(Reverse((cost, state))) = self.open.pop() {
            if f64::from_bits(cost) >= below {
                return None;
            }
            if !self.states[state].is_settled {
                self.states[state].is_settled = true;
                return Some(state);
            }
        }
        None
    }
}
