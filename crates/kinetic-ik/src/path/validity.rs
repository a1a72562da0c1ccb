//! Validity of the vertices and edges of the ladder graph: collisions and margins, as a function of whoever knows them.

use std::collections::{HashMap, HashSet};

use kinetic_core::Pair;

use super::IKPath;

/// What refuses configurations and the motions between them. A scene is one; chains know nothing of obstacles.
pub trait PathValidity {
    /// Whether the arm may stand at `q`, which is inside the limits.
    fn is_valid(&mut self, q: &[f64]) -> bool;

    /// Whether the arm may move from `from` to `to` on a straight line in joint space, ends included.
    fn is_motion_valid(&mut self, from: &[f64], to: &[f64]) -> bool;

    /// What is in the way of a motion that is not valid, for reports.
    fn contact(&mut self, from: &[f64], to: &[f64]) -> Option<PathContact>;
}

/// A pair that misses its margin.
#[derive(Debug, Clone, PartialEq)]
pub struct PathContact {
    /// The pair.
    pub pair: Pair,
    /// Its signed distance, m.
    pub distance: f64,
    /// The distance that it has to keep, m.
    pub margin: f64,
}

/// The validity of a path, where one was asked for.
pub(super) struct Verdicts<'v>(Option<&'v mut dyn PathValidity>);

impl<'v> Verdicts<'v> {
    /// Everything is valid.
    pub(super) fn none() -> Self {
        Self(None)
    }

    pub(super) fn of(validity: &'v mut dyn PathValidity) -> Self {
        Self(Some(validity))
    }

    /// Whether anything can be refused.
    pub(super) fn can_refuse(&self) -> bool {
        self.0.is_some()
    }

    pub(super) fn is_valid(&mut self, q: &[f64]) -> bool {
        self.0.as_mut().is_none_or(|validity| validity.is_valid(q))
    }

    pub(super) fn is_motion_valid(&mut self, from: &[f64], to: &[f64]) -> bool {
        self.0.as_mut().is_none_or(|validity| validity.is_motion_valid(from, to))
    }

    pub(super) fn contact(&mut self, from: &[f64], to: &[f64]) -> Option<PathContact> {
        self.0.as_mut()?.contact(from, to)
    }

    /// Whether all configurations of a path are valid, and all motions inside its segments. `start`: where the arm stands.
    pub(super) fn is_path_valid(&mut self, path: &IKPath, start: Option<&[f64]>) -> bool {
        let mut before = start;
        (0..path.success.len()).all(|index| {
            let now = path.configuration(index);
            let from = before.filter(|_| !path.splits.contains(&index));
            before = now;
            match (from, now) {
                _ if !self.can_refuse() => true,
                (Some(from), Some(now)) => self.is_motion_valid(from, now),
                (None, Some(now)) => self.is_valid(now),
                (_, None) => true,
            }
        })
    }
}

/// Validity of the edges between the rows of neighbouring layers, found when it is needed and remembered.
///
/// Most edges are on no path that is returned, so that searches take edges for valid until the path that they find is looked
/// at, as lazy planners do (Bohlin & Kavraki 2000). Where an edge of it is refused, those beside it are likely to be refused
/// too: the edges between these two layers are then looked at while the ladder is searched.
pub(super) struct Edges<'e, 'v> {
    pub(super) verdicts: &'e mut Verdicts<'v>,
    known: HashMap<(usize, usize), bool>,
    /// Layers into which an edge was refused.
    refusing: HashSet<usize>,
}

impl<'e, 'v> Edges<'e, 'v> {
    pub(super) fn new(verdicts: &'e mut Verdicts<'v>) -> Self {
        Self { verdicts, known: HashMap::new(), refusing: HashSet::new() }
    }

    /// Whether a search may use an edge into `layer`, as far as is known.
    #[inline]
    pub(super) fn may_be_valid(
        &mut self,
        layer: usize,
        rows: (usize, usize),
        motion: impl FnOnce() -> [Vec<f64>; 2],
    ) -> bool {
        if !self.verdicts.can_refuse() || !self.refusing.contains(&layer) {
            return true;
        }
        self.is_known_valid(rows, motion)
    }

    /// Whether an edge into `layer` is valid.
    pub(super) fn is_valid(
        &mut self,
        layer: usize,
        rows: (usize, usize),
        motion: impl FnOnce() -> [Vec<f64>; 2],
    ) -> bool {
        let is_valid = !self.verdicts.can_refuse() || self.is_known_valid(rows, motion);
        if !is_valid {
            self.refusing.insert(layer);
        }
        is_valid
    }

    fn is_known_valid(&mut self, rows: (usize, usize), motion: impl FnOnce() -> [Vec<f64>; 2]) -> bool {
        if let Some(known) = self.known.get(&rows) {
            return *known;
        }
        let [from, to] = motion();
        let is_valid = self.verdicts.is_motion_valid(&from, &to);
        self.known.insert(rows, is_valid);
        is_valid
    }
}
