//! Stops at corners where they are faster than a rounded path.
//!
//! Where a narrow corner allows little speed, the ramps of acceleration around it cost more than those of a full stop. A
//! corner between two straights is compared with its stop on the motion itself: from the fastest moment on the straight before
//! to that on the straight after, in the same states, so that the stop takes the place of the corner and all else stays.

use kinetic_core::Limits;
use kinetic_core::curve::Coefficients;

use super::piece::JerkPiece;
use super::straights::{backwards, forwards, limits_along};
use crate::corners::wide::{CurveSegment, Run};
use crate::geometry::PathGeometry;
use crate::state::{AxisState, Phases, line_motion};
use crate::tolerance::ARC_LENGTH_ROUNDING;

/// Vertices of a path between two arc lengths, without these.
fn vertices_of(line: &PathGeometry, run: &Run) -> std::ops::Range<usize> {
    let last = &run[run.len() - 1];
    let first = line.arc_lengths.partition_point(|arc_length| *arc_length <= run[0].arc_length);
    first..line.arc_lengths.partition_point(|arc_length| *arc_length < last.arc_length + 0.5 * last.length).max(first)
}

/// The motion of `pieces` with stops at the vertices at which these are quicker.
pub(super) fn with_stops(line: &PathGeometry, run: &Run, pieces: Vec<JerkPiece>, limits: &Limits) -> Vec<JerkPiece> {
    let moments = Moments::new(run[0].arc_length, &pieces);
    let stop_at = |vertex: usize| QuickerStop::new(line, run, vertex, &moments, limits);
    let stops: Vec<QuickerStop> = vertices_of(line, run).filter_map(stop_at).collect();
    let mut result = Vec::with_capacity(pieces.len());
    let mut stops = stops.into_iter().peekable();
    for (index, piece) in pieces.into_iter().enumerate() {
        while let Some(stop) = stops.next_if(|stop| stop.pieces.end <= index) {
            result.extend(stop.into_pieces(line, run[0].arc_length));
        }
        if stops.peek().is_none_or(|stop| index < stop.pieces.start) {
            result.push(piece);
        }
    }
    result.extend(stops.flat_map(|stop| stop.into_pieces(line, run[0].arc_length)));
    result
}

/// A stop that is quicker than the pieces in whose place it comes.
struct QuickerStop {
    vertex: usize,
    pieces: std::ops::Range<usize>,
    /// Ways along the segments before and after the vertex.
    displacements: [f64; 2],
    /// From rest to the moment before the corner, backwards, and to that after it.
    motions: [Phases; 2],
}

impl QuickerStop {
    fn new(line: &PathGeometry, run: &Run, vertex: usize, moments: &Moments, limits: &Limits) -> Option<Self> {
        let corner = corner_at(run, line.arc_lengths[vertex])?;
        let [first, last] = [corner - 1, corner + 2].map(|straight| moments.fastest_on(&run[straight]));
        let [before, after] = [moments.0[first], moments.0[last]];
        let displacements = [line.arc_lengths[vertex] - before.arc_length, after.arc_length - line.arc_lengths[vertex]];
        let motions = [
            before.backwards().motion_to(displacements[0], line, vertex - 1, limits),
            after.motion_to(displacements[1], line, vertex, limits),
        ];
        let time: f64 = motions.iter().map(Phases::duration).sum();
        let is_quicker = time < after.time - before.time && motions.iter().all(goes_on);
        is_quicker.then_some(Self { vertex, pieces: first..last, displacements, motions })
    }

    /// Its pieces in a run that begins at arc length `origin`.
    fn into_pieces(self, line: &PathGeometry, origin: f64) -> Vec<JerkPiece> {
        let [braking, leaving] = &self.motions;
        let (at, [displacement, _]) = (line.arc_lengths[self.vertex], self.displacements);
        let [before, after] = [(self.vertex - 1, at - displacement), (self.vertex, at)]
            .map(|(segment, from)| shape_of(line, segment, from - line.arc_lengths[segment]));
        let mut pieces = backwards(braking, displacement, at - displacement - origin, &before);
        pieces.extend(forwards(leaving, at - origin, &after));
        pieces
    }
}

/// A motion from rest that never goes back, so that it stays between both ends of its way.
fn goes_on(motion: &Phases) -> bool {
    let slack = -ARC_LENGTH_ROUNDING * ARC_LENGTH_ROUNDING * motion.end().velocity.abs();
    motion.iter().all(|(duration, jerk, state)| {
        let end = state.after(duration, jerk);
        let turns = state.acceleration < 0.0 && end.acceleration > 0.0;
        let lowest = if turns { state.velocity - state.acceleration.powi(2) / (2.0 * jerk) } else { end.velocity };
        lowest.min(state.velocity) >= slack
    })
}

/// Index of the first of the two segments of a corner between two straights.
fn corner_at(run: &Run, arc_length: f64) -> Option<usize> {
    let next = run.partition_point(|segment| segment.arc_length < arc_length);
    let around = run.get(next.checked_sub(2)?..next + 2)?;
    let is_corner = around[0].is_straight() && around[3].is_straight() && around[2].arc_length == arc_length;
    (is_corner && !around[1].is_straight() && !around[2].is_straight()).then_some(next - 1)
}

/// From a vertex straight on to an arc length.
fn straight(line: &PathGeometry, vertex: usize, end: f64) -> CurveSegment {
    let arc_length = line.arc_lengths[vertex];
    CurveSegment { arc_length, length: end - arc_length, width: f64::INFINITY, shape: shape_of(line, vertex, 0.0) }
}

/// A segment from `along` after its beginning.
fn shape_of(line: &PathGeometry, segment: usize, along: f64) -> Vec<Coefficients> {
    let row = |(position, direction): (&f64, &f64)| [position + along * direction, *direction, 0.0, 0.0, 0.0, 0.0];
    line.vertices[segment].iter().zip(&line.directions[segment]).map(row).collect()
}

/// The same path with stops at all of its vertices.
pub(super) fn all_stops(line: &PathGeometry, run: &Run) -> Vec<Run> {
    let inside = vertices_of(line, run);
    (inside.start - 1..inside.end).map(|vertex| vec![straight(line, vertex, line.arc_lengths[vertex + 1])]).collect()
}

/// Time from rest to rest on every segment of a run.
pub(super) fn time_of_stops(line: &PathGeometry, run: &Run, limits: &Limits) -> f64 {
    let inside = vertices_of(line, run);
    let time = |segment: usize| {
        let target = AxisState { position: line.lengths[segment], ..AxisState::default() };
        line_motion(&target, &limits_along(line.directions[segment].iter().copied(), limits)).duration()
    };
    (inside.start - 1..inside.end).map(time).sum()
}

/// A place on the path, when it is passed, and how.
#[derive(Debug, Clone, Copy)]
struct StopMoment {
    arc_length: f64,
    time: f64,
    speed: f64,
    acceleration: f64,
}

impl StopMoment {
    fn backwards(self) -> Self {
        Self { acceleration: -self.acceleration, ..self }
    }

    /// The fastest motion from rest to this speed and acceleration, over a way along a segment.
    fn motion_to(self, displacement: f64, line: &PathGeometry, segment: usize, limits: &Limits) -> Phases {
        let target = AxisState { position: displacement, velocity: self.speed, acceleration: self.acceleration };
        line_motion(&target, &limits_along(line.directions[segment].iter().copied(), limits))
    }
}

/// Where the pieces of a motion begin, and where the last one ends.
struct Moments(Vec<StopMoment>);

impl Moments {
    fn new(origin: f64, pieces: &[JerkPiece]) -> Self {
        let mut time = 0.0;
        let mut moments: Vec<StopMoment> = Vec::with_capacity(pieces.len() + 1);
        for piece in pieces {
            let [position, speed, half] = [piece.law[0], piece.law[1], piece.law[2]];
            moments.push(StopMoment { arc_length: origin + position, time, speed, acceleration: 2.0 * half });
            time += piece.duration;
        }
        let end = pieces.last().map_or(0.0, |piece| piece.offsets[1]);
        moments.push(StopMoment { arc_length: origin + end, time, speed: 0.0, acceleration: 0.0 });
        Self(moments)
    }

    /// Index of the fastest one on a straight.
    fn fastest_on(&self, straight: &CurveSegment) -> usize {
        let slack = ARC_LENGTH_ROUNDING * straight.length;
        let first = self.0.partition_point(|moment| moment.arc_length < straight.arc_length - slack);
        let last = self.0.partition_point(|moment| moment.arc_length <= straight.arc_length + straight.length + slack);
        let first = first.min(self.0.len() - 1);
        (first..last.clamp(first + 1, self.0.len()))
            .fold(first, |best, one| if self.0[one].speed > self.0[best].speed { one } else { best })
    }
}
