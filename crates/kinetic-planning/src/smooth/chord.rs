//! Corners cut by chords as long as fit.
//!
//! A chord joins the points at equal distance from a corner on its two edges. The distance is found by bisection; where it
//! exceeds the shorter edge, the chord begins at the neighbouring waypoint and the corner slides along the other edge.
//! Repeated, this pulls a path taut around what is in its way, with one edge check per attempt: what is left of the two
//! edges was free before.

use super::edge_check::EdgeCheck;
use super::polyline::{Polyline, mix};
use super::{USUAL_TOLERANCE, fineness};

/// Halvings of the distance at usual tolerances. For finer ones it is halved further: a corner close to what it goes around
/// can only be cut by a chord of about that length.
const BISECTIONS: u32 = 3;
const MAX_BISECTIONS: u32 = 12;

/// Corners whose removal would gain less than this part of the path's length stay, at usual tolerances.
const LEAST_CORNER_GAIN: f64 = 6.5e-3;

/// One sweep over the corners that are more than `tolerance` off the straight between their neighbours.
pub(crate) fn cut_corners(line: &mut Polyline, tolerance: f64, edge_check: &mut EdgeCheck<'_>) {
    if line.len() < 3 {
        return;
    }
    let least_gain = LEAST_CORNER_GAIN * fineness(tolerance) * line.length();
    let mut chord = Chord::new(line.dof(), tolerance);
    let mut cut = line.emptied();
    cut.push(line.point(0), false);
    // Whether the edge to the next corner is proven; `None` while it is as it was.
    let mut is_proven = None;
    for index in 1..line.len() - 1 {
        let (corner, next) = (line.point(index), line.point(index + 1));
        let (before, after) = (line.distance(cut.last(), corner), line.distance(corner, next));
        let gain = before + after - line.distance(cut.last(), next);
        let ends = [cut.last(), corner, next];
        let is_sharp = gain > least_gain && chord.is_off(line, ends, before / (before + after), tolerance);
        let found = if is_sharp { chord.longest(ends, (before, after), edge_check) } else { None };
        let Some(reach) = found else {
            cut.push(corner, is_proven.unwrap_or(line.is_proven(index - 1)));
            is_proven = None;
            continue;
        };
        // Distances that differ by rounding can be the same point.
        if reach < before && chord.begin != cut.last() {
            cut.push(&chord.begin, false);
        }
        let ends_on_edge = reach < after && chord.end != next;
        if ends_on_edge {
            cut.push(&chord.end, edge_check.proves);
        }
        is_proven = Some(!ends_on_edge && edge_check.proves);
    }
    let last = line.len() - 1;
    cut.push(line.point(last), is_proven.unwrap_or(line.is_proven(last - 1)));
    *line = cut;
}

/// The chord of a corner, and one in the making.
struct Chord {
    bisections: u32,
    begin: Vec<f64>,
    end: Vec<f64>,
    tried: (Vec<f64>, Vec<f64>),
}

impl Chord {
    fn new(dof: usize, tolerance: f64) -> Self {
        let point = || vec![0.0; dof];
        let finer = (0..MAX_BISECTIONS - BISECTIONS)
            .take_while(|halvings| tolerance * f64::from(1 << halvings) < USUAL_TOLERANCE);
        let bisections = BISECTIONS + finer.count() as u32;
        Self { bisections, begin: point(), end: point(), tried: (point(), point()) }
    }

    /// Whether a corner is more than `tolerance` from the point at fraction `t` of the straight between its neighbours.
    fn is_off(&mut self, line: &Polyline, [from, corner, to]: [&[f64]; 3], t: f64, tolerance: f64) -> bool {
        mix(from, to, t, &mut self.tried.0);
        line.distance(corner, &self.tried.0) > tolerance
    }

    /// The largest distance from the corner found at which the chord is free. `before` and `after` are the lengths of the
    /// corner's edges.
    fn longest(
        &mut self,
        [from, corner, to]: [&[f64]; 3],
        (before, after): (f64, f64),
        edge_check: &mut EdgeCheck<'_>,
    ) -> Option<f64> {
        let whole = before.max(after);
        let (mut free, mut blocked) = (0.0, 2.0 * whole);
        for _ in 0..=self.bisections {
            if free >= whole {
                break;
            }
            let reach = f64::midpoint(free, blocked);
            mix(corner, from, reach / before, &mut self.tried.0);
            mix(corner, to, reach / after, &mut self.tried.1);
            if edge_check.is_free(&self.tried.0, &self.tried.1) {
                free = reach;
                std::mem::swap(&mut self.tried.0, &mut self.begin);
                std::mem::swap(&mut self.tried.1, &mut self.end);
            } else {
                blocked = reach;
            }
        }
        (free > 0.0).then_some(free)
    }
}
