//! Motion along a part of the path, with stops where these are faster.

use kinetic_core::Limits;

use super::curved::curved_pieces;
use super::piece::{JerkPiece, ratios, slowing};
use super::stops::{all_stops, time_of_stops, with_stops};
use super::straights::straight_pieces;
use crate::corners::wide::Run;
use crate::geometry::PathGeometry;
use crate::watch::Watch;

/// The quicker one of a motion with stops where it tells that these are quicker, and of that with stops everywhere.
pub(super) fn quickest(line: &PathGeometry, run: &Run, limits: &Limits) -> Option<Vec<Part>> {
    let watch = &line.watch;
    let whole = Part::new(run.clone(), limits, watch);
    if run.len() == 1 {
        return whole.map(|part| vec![part]);
    }
    watch.check().ok()?;
    let with_stops = |Part { run, pieces }| Part { pieces: with_stops(line, &run, pieces, limits), run };
    let quickest = whole.map(|whole| vec![with_stops(whole)]);
    if quickest.as_ref().is_some_and(|parts| duration(parts) <= time_of_stops(line, run, limits)) {
        return quickest;
    }
    quicker(quickest, all_stops(line, run).into_iter().map(|run| Part::new(run, limits, watch)).collect())
}

/// A motion from rest to rest.
pub(super) struct Part {
    pub(super) run: Run,
    pub(super) pieces: Vec<JerkPiece>,
}

impl Part {
    /// `None` when its times cannot be represented.
    fn new(run: Run, limits: &Limits, watch: &Watch) -> Option<Self> {
        let (mut pieces, slower) = if run.len() == 1 && run[0].is_straight() {
            let pieces = straight_pieces(&run[0], limits);
            let slower = ratios(&pieces, limits, watch)?.iter().map(slowing).fold(0.0, f64::max);
            (pieces, slower)
        } else {
            curved_pieces(&run, limits, watch)?
        };
        if !(slower.is_finite() && slower > 0.0) {
            return None;
        }
        for piece in &mut pieces {
            piece.scale_time(slower);
        }
        Some(Self { run, pieces })
    }
}

fn duration(parts: &[Part]) -> f64 {
    parts.iter().flat_map(|part| &part.pieces).map(|piece| piece.duration).sum()
}

fn quicker(one: Option<Vec<Part>>, other: Option<Vec<Part>>) -> Option<Vec<Part>> {
    match (&one, &other) {
        (Some(first), Some(second)) if duration(second) < duration(first) => other,
        (None, Some(_)) => other,
        _ => one,
    }
}
