//! Searches of trees for the least distance, one per lane, and when they end.

use super::distance_grid::DistanceBounds;
use crate::vector::Lanes;

/// When a search for the least squared distance ends, given a limit per lane. In lanes whose distance exceeds the limit, the
/// result may be any larger value; lanes with a limit below 0 are left out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Stop {
    /// When nothing nearer is left.
    Exhausted,
    /// When it is known in every lane whether its distance exceeds the limit: elsewhere the result is some value that does
    /// not.
    Decided,
    /// When the distance of some lane does not exceed the limit, or none does not.
    AnyWithin,
}

/// A search of a tree.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Search<L> {
    /// Least squared distance.
    pub(crate) best: L,
    /// What is farther cannot matter; below 0 in lanes that are decided.
    bound: L,
    limit: L,
    stop: Stop,
}

impl<L: Lanes> Search<L> {
    #[inline(always)]
    pub(crate) fn new(limit: L, stop: Stop) -> Self {
        let limit = limit.squared_with_sign(1.0);
        Self { best: L::splat(f32::MAX), bound: limit, limit, stop }
    }

    /// Takes bounds on the least squared distances in; returns a bit per lane that they leave open, and none when the search is over.
    #[inline(always)]
    pub(crate) fn begin_with(&mut self, DistanceBounds { least, most }: DistanceBounds<L>) -> u16 {
        let none = L::splat(-1.0);
        self.limit = (least - self.limit).choose(none, self.limit);
        self.bound = self.limit;
        if self.stop == Stop::Exhausted {
            self.bound = self.bound.min(most);
        } else {
            let farther = most - self.limit;
            self.best = farther.choose(self.best, most);
            self.bound = farther.choose(self.bound, none);
            if self.stop == Stop::AnyWithin && !farther.all_positive() {
                return 0;
            }
        }
        (L::ZERO - self.bound).not_positive()
    }

    /// Values of one kind in decided lanes, and of another in open ones.
    #[inline(always)]
    pub(crate) fn by_lane(&self, decided: L, open: L) -> L {
        (L::ZERO - self.bound).choose(decided, open)
    }

    /// True when nothing at these squared distances or beyond can matter in any lane.
    #[inline(always)]
    pub(crate) fn is_beyond(&self, squared: L) -> bool {
        (squared - self.bound).all_positive()
    }

    /// Takes squared distances in; true when the search is over.
    #[inline(always)]
    pub(crate) fn is_over_with(&mut self, squared: L) -> bool {
        self.best = self.best.min(squared);
        match self.stop {
            Stop::Exhausted => {
                self.bound = self.bound.min(self.best);
                false
            }
            Stop::Decided => {
                self.bound = (self.best - self.limit).choose(self.bound, L::splat(-1.0));
                (L::ZERO - self.bound).all_positive()
            }
            Stop::AnyWithin => !(self.best - self.limit).all_positive(),
        }
    }

    /// The search of one lane.
    #[inline(always)]
    pub(crate) fn of_lane(&self, lane: usize) -> LaneSearch {
        LaneSearch { best: f32::MAX, bound: self.bound.lanes()[lane], stop: self.stop }
    }

    /// Takes the result of a lane in; true when the search is over.
    #[inline(always)]
    pub(crate) fn is_over_with_lane(&mut self, lane: usize, found: LaneSearch) -> bool {
        self.best.lanes_mut()[lane] = found.best;
        self.stop == Stop::AnyWithin && found.best <= found.bound
    }
}

/// A search for one place.
#[derive(Debug, Clone, Copy)]
pub(crate) struct LaneSearch {
    best: f32,
    /// What is farther cannot matter.
    pub(crate) bound: f32,
    stop: Stop,
}

impl LaneSearch {
    /// Takes a squared distance in; true when the search is over.
    #[inline(always)]
    pub(crate) fn is_over_with(&mut self, squared: f32) -> bool {
        self.best = self.best.min(squared);
        if self.stop == Stop::Exhausted {
            self.bound = self.bound.min(self.best);
            return false;
        }
        self.best <= self.bound
    }
}
