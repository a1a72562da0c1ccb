//! A cubic spline through all waypoints that stays near the polyline between them.
//!
//! The natural cubic spline over the length of the polyline has continuous curvature and meets every waypoint, but swings
//! out between them. Knots are added on the polyline where it swings too far, or where it is refused: each halves a
//! piece, and with it the distance. Where that does not help, at reversals and at corners that stay refused, the spline
//! ends and begins anew, and the motion stops.

use kinetic_core::curve::Coefficients;
use kinetic_core::{Result, Trajectory};

use crate::blend::REVERSAL_COSINE;
use crate::geometry::{PathGeometry, check_deviation};
use crate::polyline::{distance, reduce};
use crate::smooth::{Accept, CurveElement};

/// A segment of the path gets at most this many knots inside.
const MOST_KNOTS: usize = 24;

/// A knot of the spline.
#[derive(Debug, Clone)]
struct Knot {
    station: f64,
    position: Vec<f64>,
    /// Segment of the path that begins here, for waypoints; the one that it lies on, for knots that were added.
    segment: usize,
    is_waypoint: bool,
    /// True where the spline ends and begins anew.
    is_stop: bool,
}

impl PathGeometry {
    /// A cubic spline through every waypoint of `path`, within `max_deviation` of the polyline (Euclidean in joint space).
    ///
    /// Curvature is continuous except at stops. `accept` sees every curved piece; where it keeps refusing, the motion
    /// follows the polyline and stops at its corners, as with a deviation of 0.
    ///
    /// # Errors
    /// As [`polyline`](Self::polyline) and [`smoothed`](Self::smoothed).
    pub fn spline(
        path: &Trajectory,
        max_deviation: f64,
        accept: &mut dyn FnMut(&kinetic_core::PiecewisePolynomial) -> bool,
    ) -> Result<Self> {
        check_deviation(max_deviation)?;
        let mut geometry = Self::polyline(path)?;
        if geometry.lengths.is_empty() {
            return Ok(geometry);
        }
        let mut knots = waypoint_knots(path, &geometry.waypoint_stations);
        loop {
            let pieces = pieces(&knots);
            let mut refused = Vec::new();
            for (index, piece) in pieces.iter().enumerate() {
                if !is_accepted(piece, max_deviation, accept)? {
                    refused.push(index);
                }
            }
            if refused.is_empty() {
                geometry.blending = pieces.iter().map(deviation).fold(0.0, f64::max);
                geometry.smooth = pieces;
                return Ok(geometry);
            }
            knots = refined(&knots, &refused);
        }
    }
}

/// The distinct waypoints; reversals are stops.
fn waypoint_knots(path: &Trajectory, stations: &[f64]) -> Vec<Knot> {
    let distinct = reduce(path).distinct;
    let last = distinct.len() - 1;
    let knot = |index: usize| {
        let position = path.positions(distinct[index]).to_vec();
        let is_stop = index == 0 || index == last || {
            let [before, after] = [index - 1, index + 1].map(|other| path.positions(distinct[other]));
            cosine(before, &position, after) < REVERSAL_COSINE
        };
        Knot { station: stations[index], position, segment: index, is_waypoint: true, is_stop }
    };
    (0..=last).map(knot).collect()
}

/// Cosine of the turn at `corner`.
fn cosine(before: &[f64], corner: &[f64], after: &[f64]) -> f64 {
    let dot: f64 = (0..corner.len()).map(|j| (corner[j] - before[j]) * (after[j] - corner[j])).sum();
    dot / (distance(before, corner) * distance(corner, after))
}

fn is_accepted(piece: &CurveElement, max_deviation: f64, accept: &mut Accept<'_>) -> Result<bool> {
    if piece.degree() <= 1 {
        return Ok(true);
    }
    Ok(deviation(piece) <= max_deviation && accept(&piece.curve()?))
}

/// Bound on the distance between a piece and its chord.
///
/// A cubic less its chord has the Bernstein coefficients 0, b₁, b₂, 0, and 3 w (1 − w) is at most ¾.
fn deviation(piece: &CurveElement) -> f64 {
    let h = piece.length;
    let norm =
        |value: &dyn Fn(&Coefficients) -> f64| piece.shape.iter().map(|row| value(row).powi(2)).sum::<f64>().sqrt();
    let first = norm(&|row| -h * h * (row[2] + row[3] * h) / 3.0);
    let second = norm(&|row| -h * h * (row[2] + 2.0 * row[3] * h) / 3.0);
    0.75 * first.max(second)
}

/// A knot in the middle of every refused piece; segments with too many of them become straight, with stops at both ends.
fn refined(knots: &[Knot], refused: &[usize]) -> Vec<Knot> {
    let mut inside = vec![0_usize; knots.len()];
    knots.iter().filter(|knot| !knot.is_waypoint).for_each(|knot| inside[knot.segment] += 1);
    let mut result: Vec<Knot> = Vec::with_capacity(knots.len() + refused.len());
    let given_up = |segment: usize, refused: &[usize]| {
        inside[segment] >= MOST_KNOTS && refused.iter().any(|piece| knots[*piece].segment == segment)
    };
    let straight: Vec<bool> = (0..knots.len()).map(|segment| given_up(segment, refused)).collect();
    for (index, knot) in knots.iter().enumerate() {
        if knot.is_waypoint {
            let next_to_straight = straight[knot.segment] || (knot.segment > 0 && straight[knot.segment - 1]);
            result.push(Knot { is_stop: knot.is_stop || next_to_straight, ..knot.clone() });
        } else if !straight[knot.segment] {
            result.push(knot.clone());
        }
        if refused.binary_search(&index).is_ok() && !straight[knot.segment] {
            result.push(middle(knot, &knots[index + 1]));
        }
    }
    result
}

fn middle(a: &Knot, b: &Knot) -> Knot {
    Knot {
        station: f64::midpoint(a.station, b.station),
        position: a.position.iter().zip(&b.position).map(|(a, b)| f64::midpoint(*a, *b)).collect(),
        segment: a.segment,
        is_waypoint: false,
        is_stop: false,
    }
}

/// The natural cubic splines between stops.
fn pieces(knots: &[Knot]) -> Vec<CurveElement> {
    let mut pieces = Vec::with_capacity(knots.len());
    let stops: Vec<usize> = (0..knots.len()).filter(|index| knots[*index].is_stop).collect();
    for ends in stops.windows(2) {
        let span = &knots[ends[0]..=ends[1]];
        let moments = moments(span);
        for (index, pair) in span.windows(2).enumerate() {
            let length = pair[1].station - pair[0].station;
            let row = |joint: usize| {
                let [m0, m1] = [moments[index][joint], moments[index + 1][joint]];
                let [p0, p1] = [pair[0].position[joint], pair[1].position[joint]];
                let slope = (p1 - p0) / length - length * (2.0 * m0 + m1) / 6.0;
                [p0, slope, m0 / 2.0, (m1 - m0) / (6.0 * length), 0.0, 0.0]
            };
            let shape = (0..pair[0].position.len()).map(row).collect();
            pieces.push(CurveElement { station: pair[0].station, length, starts_at_rest: index == 0, shape });
        }
    }
    pieces
}

/// Second derivatives at the knots of one span, zero at its ends: a tridiagonal system, by elimination.
fn moments(span: &[Knot]) -> Vec<Vec<f64>> {
    let (dof, last) = (span[0].position.len(), span.len() - 1);
    let mut moments = vec![vec![0.0; dof]; span.len()];
    let mut factors = vec![0.0; span.len()];
    let length = |index: usize| span[index + 1].station - span[index].station;
    for index in 1..last {
        let (before, after) = (length(index - 1), length(index));
        let pivot = 2.0 * (before + after) - before * factors[index - 1];
        factors[index] = after / pivot;
        for joint in 0..dof {
            let slope = |at: usize, h: f64| (span[at + 1].position[joint] - span[at].position[joint]) / h;
            let bend = 6.0 * (slope(index, after) - slope(index - 1, before));
            moments[index][joint] = (bend - before * moments[index - 1][joint]) / pivot;
        }
    }
    for index in (1..last).rev() {
        for joint in 0..dof {
            moments[index][joint] -= factors[index] * moments[index + 1][joint];
        }
    }
    moments
}
