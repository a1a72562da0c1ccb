//! The motion along a run of the path, with stops where these are quicker.

use kinetic_core::Limits;

use super::stops::{all_stops, quicker_stops, split, time_of_stops};
use super::timed::{Piece, curved_pieces, ratios, slowing, straight_pieces};
use crate::geometry::PathGeometry;
use crate::watch::Watch;
use crate::wide::Run;

/// The quickest one of a motion without a stop, that with stops where it tells of them, and that with stops everywhere.
pub(super) fn quickest(line: &PathGeometry, run: &Run, limits: &Limits) -> Option<Vec<Part>> {
    let watch = &line.watch;
    let timed =
        |runs: Vec<Run>| -> Option<Vec<Part>> { runs.into_iter().map(|run| Part::new(run, limits, watch)).collect() };
    let whole = timed(vec![run.clone()]);
    if run.len() == 1 {
        return whole;
    }
    watch.check().ok()?;
    let stops = whole.as_ref().map_or(Vec::new(), |whole| quicker_stops(line, run, &whole[0].pieces, limits));
    let some = if stops.is_empty() { None } else { timed(split(line, run, &stops)) };
    let quickest = quicker(whole, some);
    if quickest.as_ref().is_some_and(|parts| duration(parts) <= time_of_stops(line, run, limits)) {
        return quickest;
    }
    quicker(quickest, timed(all_stops(line, run)))
}

/// A motion from rest to rest.
pub(super) struct Part {
    pub(super) run: Run,
    pub(super) pieces: Vec<Piece>,
}

impl Part {
    /// `None` when its times cannot be represented.
    fn new(run: Run, limits: &Limits, watch: &Watch) -> Option<Self> {
        let mut pieces = if run.len() == 1 && run[0].is_straight() {
            straight_pieces(&run[0], limits)?
        } else {
            curved_pieces(&run, limits, watch)?
        };
        let slower = ratios(&pieces, limits, watch)?.iter().map(slowing).fold(0.0, f64::max);
        if !(slower.is_finite() && slower > 0.0) {
            return None;
        }
        for piece in &mut pieces {
            piece.stretch_time(slower);
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
