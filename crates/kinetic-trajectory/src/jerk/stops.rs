//! Corners at which a stop is quicker than a rounded way.
//!
//! Where a narrow corner allows little speed, the ramps of acceleration around it cost more than those of a full stop. A
//! corner between two straights is compared with its stop on the motion itself: from the fastest moment on the straight before
//! to that on the straight after, in the same states.

use kinetic_core::Limits;

use super::timed::Piece;
use crate::geometry::PathGeometry;
use crate::state::{AxisLimits, AxisState, line_motion};
use crate::wide::{Run, Stretch};

/// Vertices of a path between two stations, without these.
pub(super) fn vertices_of(line: &PathGeometry, run: &Run) -> std::ops::Range<usize> {
    let last = &run[run.len() - 1];
    let first = line.stations.partition_point(|station| *station <= run[0].station);
    first..line.stations.partition_point(|station| *station < last.station + 0.5 * last.length).max(first)
}

/// Vertices inside a run at which a stop is quicker than the motion of `pieces`.
pub(super) fn quicker_stops(line: &PathGeometry, run: &Run, pieces: &[Piece], limits: &Limits) -> Vec<usize> {
    let moments = Moments::new(run[0].station, pieces);
    let is_quicker = |vertex: &usize| {
        corner_at(run, line.stations[*vertex]).is_some_and(|index| {
            let [before, after] = [index - 1, index + 2].map(|straight| moments.fastest_on(&run[straight]));
            let way = [line.stations[*vertex] - before.station, after.station - line.stations[*vertex]];
            let stop = [(way[0], before.backwards(), vertex - 1), (way[1], after, *vertex)];
            let times = stop.map(|(way, moment, segment)| moment.time_from_rest(way, line, segment, limits));
            times[0] + times[1] < after.time - before.time
        })
    };
    vertices_of(line, run).filter(is_quicker).collect()
}

/// Index of the first of the two stretches of a corner between two straights.
fn corner_at(run: &Run, station: f64) -> Option<usize> {
    let next = run.partition_point(|stretch| stretch.station < station);
    let around = run.get(next.checked_sub(2)?..next + 2)?;
    let is_corner = around[0].is_straight() && around[3].is_straight() && around[2].station == station;
    (is_corner && !around[1].is_straight() && !around[2].is_straight()).then_some(next - 1)
}

/// The same path with stops at these vertices, whose corners are between two straights.
pub(super) fn split(line: &PathGeometry, run: &Run, stops: &[usize]) -> Vec<Run> {
    let mut runs = vec![Run::new()];
    let mut stretches = run.iter().peekable();
    let mut stops = stops.iter().peekable();
    while let Some(stretch) = stretches.next() {
        let Some(current) = runs.last_mut() else { break };
        match stops.peek() {
            Some(vertex) if stretches.peek().is_some_and(|next| next.station == line.stations[**vertex]) => {
                // The straight before goes on to the vertex, that after begins there.
                if let Some(before) = current.last_mut() {
                    before.length = line.stations[**vertex] - before.station;
                }
                stretches.next();
                let after = stretches.next().map(|after| after.station + after.length);
                runs.push(after.map(|end| straight(line, **vertex, end)).into_iter().collect());
                stops.next();
            }
            _ => current.push(stretch.clone()),
        }
    }
    runs
}

/// From a vertex straight on to a station.
fn straight(line: &PathGeometry, vertex: usize, end: f64) -> Stretch {
    let row = |(position, direction): (&f64, &f64)| [*position, *direction, 0.0, 0.0, 0.0, 0.0];
    let shape = line.vertices[vertex].iter().zip(&line.directions[vertex]).map(row).collect();
    let station = line.stations[vertex];
    Stretch { station, length: end - station, width: f64::INFINITY, shape }
}

/// The same path with stops at all of its vertices.
pub(super) fn all_stops(line: &PathGeometry, run: &Run) -> Vec<Run> {
    let inside = vertices_of(line, run);
    (inside.start - 1..inside.end).map(|vertex| vec![straight(line, vertex, line.stations[vertex + 1])]).collect()
}

/// Time from rest to rest on every segment of a run.
pub(super) fn time_of_stops(line: &PathGeometry, run: &Run, limits: &Limits) -> f64 {
    let inside = vertices_of(line, run);
    let time = |segment: usize| {
        let target = AxisState { position: line.lengths[segment], ..AxisState::default() };
        line_motion(&target, &limits_along(line, segment, limits)).duration()
    };
    (inside.start - 1..inside.end).map(time).sum()
}

/// Limits of the path parameter on a segment.
fn limits_along(line: &PathGeometry, segment: usize, limits: &Limits) -> AxisLimits {
    let along = |limits: &[f64]| {
        let ratio = |(direction, limit): (&f64, &f64)| limit / direction.abs();
        line.directions[segment].iter().zip(limits).map(ratio).fold(f64::INFINITY, f64::min)
    };
    let jerk = along(limits.jerk.as_deref().unwrap_or(&[]));
    AxisLimits::symmetric(along(&limits.velocity), along(&limits.acceleration), jerk)
}

/// A place on the path, when it is passed, and how.
#[derive(Debug, Clone, Copy)]
struct Moment {
    station: f64,
    time: f64,
    speed: f64,
    acceleration: f64,
}

impl Moment {
    fn backwards(self) -> Self {
        Self { acceleration: -self.acceleration, ..self }
    }

    /// Shortest time from rest to this speed and acceleration, over a way along a segment.
    fn time_from_rest(self, way: f64, line: &PathGeometry, segment: usize, limits: &Limits) -> f64 {
        let target = AxisState { position: way, velocity: self.speed, acceleration: self.acceleration };
        line_motion(&target, &limits_along(line, segment, limits)).duration()
    }
}

/// Where the pieces of a motion begin, and where the last one ends.
struct Moments(Vec<Moment>);

impl Moments {
    fn new(origin: f64, pieces: &[Piece]) -> Self {
        let mut time = 0.0;
        let mut moments: Vec<Moment> = Vec::with_capacity(pieces.len() + 1);
        for piece in pieces {
            let [position, speed, half] = [piece.law[0], piece.law[1], piece.law[2]];
            moments.push(Moment { station: origin + position, time, speed, acceleration: 2.0 * half });
            time += piece.duration;
        }
        let end = pieces.last().map_or(0.0, |piece| piece.offsets[1]);
        moments.push(Moment { station: origin + end, time, speed: 0.0, acceleration: 0.0 });
        Self(moments)
    }

    /// The fastest one on a straight.
    fn fastest_on(&self, straight: &Stretch) -> Moment {
        let slack = ROUNDING * straight.length;
        let first = self.0.partition_point(|moment| moment.station < straight.station - slack);
        let last = self.0.partition_point(|moment| moment.station <= straight.station + straight.length + slack);
        let on = self.0[first.min(self.0.len() - 1)..last.max(first + 1).min(self.0.len())].iter();
        on.copied()
            .fold(self.0[first.min(self.0.len() - 1)], |best, one| if one.speed > best.speed { one } else { best })
    }
}

/// Part of a straight by which its ends may be missed.
const ROUNDING: f64 = 1e-9;
