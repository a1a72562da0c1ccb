//! Edge checks of shortening: whether a straight segment may replace a part of a path.

use kinetic_core::Control;

use crate::validity::{Validity, edges};

/// Refused segments that are remembered. Sweeps come back to the corners that the ones before them could not cut.
const REMEMBERED_REFUSALS: usize = 64;

/// Discrete edge checks, or continuous ones at once; false when time is over.
pub(crate) struct EdgeCheck<'a> {
    validity: &'a mut dyn Validity,
    pub(crate) control: &'a Control,
    /// Whether a free segment is proven free.
    pub(crate) proves: bool,
    /// Both ends of the segments that were refused last, as a ring buffer.
    refused: Vec<f64>,
    /// Number of refused segments.
    count: usize,
    /// Of the segment in question, one after the other.
    ends: Vec<f64>,
}

impl<'a> EdgeCheck<'a> {
    pub(crate) fn new(validity: &'a mut dyn Validity, control: &'a Control, proves: bool) -> Self {
        Self { validity, control, proves, refused: Vec::new(), count: 0, ends: Vec::new() }
    }

    pub(crate) fn is_free(&mut self, from: &[f64], to: &[f64]) -> bool {
        if self.was_refused(from, to) || self.control.is_over(0) {
            return false;
        }
        self.ends.clear();
        self.ends.extend_from_slice(from);
        self.ends.extend_from_slice(to);
        let is_free = self.validity.path_may_be_valid(&self.ends, from.len())
            && (!self.proves || self.validity.is_motion_valid(from, to));
        if !is_free {
            self.remember(from, to);
        }
        is_free
    }

    /// Whether all edges of a polyline are free.
    pub(crate) fn is_path_free(&mut self, points: &[f64], dof: usize) -> bool {
        !self.control.is_over(0)
            && self.validity.path_may_be_valid(points, dof)
            && (!self.proves || edges(points, dof).all(|(from, to)| self.validity.is_motion_valid(from, to)))
    }

    /// Whether the same segment, bit for bit, was refused lately.
    fn was_refused(&self, from: &[f64], to: &[f64]) -> bool {
        let dof = from.len();
        // The first values differ nearly always.
        let is_it = |ends: &[f64]| ends[0] == from[0] && ends[..dof] == *from && ends[dof..] == *to;
        dof > 0 && self.refused.chunks_exact(2 * dof).any(is_it)
    }

    fn remember(&mut self, from: &[f64], to: &[f64]) {
        let (dof, place) = (from.len(), self.count % REMEMBERED_REFUSALS);
        self.count += 1;
        if place * 2 * dof >= self.refused.len() {
            self.refused.extend_from_slice(from);
            self.refused.extend_from_slice(to);
            return;
        }
        let ends = &mut self.refused[place * 2 * dof..(place + 1) * 2 * dof];
        ends[..dof].copy_from_slice(from);
        ends[dof..].copy_from_slice(to);
    }
}
