//! Cubic spline through all waypoints, within a deviation from the polyline.
//!
//! The natural cubic spline over the length of the polyline has continuous curvature and meets every waypoint, but swings
//! out between them. Knots are added on the polyline where it swings too far, or where it is refused: each halves a
//! piece, and with it the distance. Where that does not help, at reversals and at corners that stay refused, the spline
//! ends and begins anew, and the motion stops.

use kinetic_core::curve::{Coefficients, evaluate};
use kinetic_core::error::check_len;
use kinetic_core::{Control, KineticError, Result, Trajectory};

use crate::corners::accept::Accept;
use crate::curve_element::CurveElement;
use crate::geometry::{PathGeometry, check_deviation};
use crate::polyline::{distance, distance_to_segment, reduce};
use crate::tolerance::REVERSAL_COSINE;
use crate::watch::Watch;

/// A segment of the path gets at most this many knots inside.
const MAX_KNOTS_PER_SEGMENT: usize = 24;

/// A knot of the spline.
#[derive(Debug, Clone)]
struct Knot {
    arc_length: f64,
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
        Self::polyline(path)?.into_spline(path, max_deviation, accept)
    }

    /// The natural cubic spline through all waypoints of `path` in a parameter of the caller's own, such as a length in space:
    /// waypoint `i` is met at `parameters[i]`. It rests at both ends only, and how far it is from the polyline is part of
    /// [`deviation`](Self::deviation), without a bound. Timing it ends when `control` is over.
    ///
    /// # Errors
    /// As [`polyline`](Self::polyline); [`kinetic_core::KineticError::DimensionMismatch`] and
    /// [`kinetic_core::KineticError::InvalidValue`] for parameters that do not begin at 0 and grow.
    pub fn spline_over(path: &Trajectory, parameters: &[f64], control: &Control) -> Result<Self> {
        check_len("path parameters", parameters.len(), path.len())?;
        let grows = parameters.windows(2).all(|pair| pair[1] > pair[0]) && parameters.iter().all(|at| at.is_finite());
        if parameters.first() != Some(&0.0) || !grows {
            return Err(KineticError::invalid(
                "path parameters",
                format!("{parameters:?}"),
                "growing numbers from 0 on",
            ));
        }
        let mut geometry = Self::polyline(path)?.watched(control);
        if geometry.lengths.is_empty() {
            return Ok(geometry);
        }
        let last = path.len() - 1;
        let knot = |(index, arc_length): (usize, &f64)| Knot {
            arc_length: *arc_length,
            position: path.positions(index).to_vec(),
            segment: index,
            is_waypoint: true,
            is_stop: index == 0 || index == last,
        };
        let knots: Vec<Knot> = parameters.iter().enumerate().map(knot).collect();
        let pieces = pieces(&knots, SplineEnds::Natural, &geometry.watch)?;
        geometry.blending = pieces.iter().map(deviation).fold(0.0, f64::max);
        geometry.smooth = pieces;
        geometry.waypoint_arc_lengths = parameters.to_vec();
        geometry.reduction = 0.0;
        Ok(geometry)
    }

    /// As [`spline`](Self::spline), of the polyline through the same path.
    pub(crate) fn into_spline(self, path: &Trajectory, max_deviation: f64, accept: &mut Accept<'_>) -> Result<Self> {
        check_deviation(max_deviation)?;
        let mut geometry = self;
        if geometry.lengths.is_empty() {
            return Ok(geometry);
        }
        geometry.watch.check()?;
        let knots = waypoint_knots(path, &geometry.waypoint_arc_lengths);
        let (_, pieces) = fitted(knots, SplineEnds::Natural, max_deviation, accept, &geometry.watch)?;
        geometry.blending = pieces.iter().map(deviation).fold(0.0, f64::max);
        geometry.smooth = pieces;
        Ok(geometry)
    }

    /// A cubic spline through every waypoint of `path` that rests at its ends and at reversals: the shape of the
    /// `cubic_spline` law. With a deviation of 0 it is the polyline; what is refused becomes straight, with a stop at both
    /// ends.
    ///
    /// # Errors
    /// As [`spline`](Self::spline).
    pub fn clamped_spline(
        path: &Trajectory,
        max_deviation: f64,
        accept: &mut dyn FnMut(&kinetic_core::PiecewisePolynomial) -> bool,
    ) -> Result<Self> {
        Self::polyline(path)?.into_clamped_spline(path, max_deviation, accept)
    }

    /// As [`clamped_spline`](Self::clamped_spline), of the polyline through the same path.
    pub(crate) fn into_clamped_spline(
        self,
        path: &Trajectory,
        max_deviation: f64,
        accept: &mut Accept<'_>,
    ) -> Result<Self> {
        check_deviation(max_deviation)?;
        let geometry = self;
        if geometry.lengths.is_empty() || max_deviation == 0.0 {
            return Ok(geometry);
        }
        geometry.watch.check()?;
        let knots = waypoint_knots(path, &geometry.waypoint_arc_lengths);
        let (knots, pieces) = fitted(knots, SplineEnds::Clamped, max_deviation, accept, &geometry.watch)?;
        Ok(geometry.clamped_to(&knots, pieces))
    }

    /// The same path as a clamped spline.
    fn clamped_to(mut self, knots: &[Knot], pieces: Vec<CurveElement>) -> Self {
        self.blending = pieces.iter().map(detour).fold(0.0, f64::max);
        self.clamped = pieces;
        self.waypoint_arc_lengths = knots.iter().filter(|knot| knot.is_waypoint).map(|knot| knot.arc_length).collect();
        self
    }

    /// The same through all waypoints as they are: no knots are added, and it rests at both ends only.
    pub(crate) fn free_spline(path: &Trajectory) -> Result<Self> {
        let geometry = Self::polyline(path)?;
        if geometry.lengths.is_empty() {
            return Ok(geometry);
        }
        let mut knots = waypoint_knots(path, &geometry.waypoint_arc_lengths);
        let last = knots.len() - 1;
        knots[1..last].iter_mut().for_each(|knot| knot.is_stop = false);
        centripetal(&mut knots);
        let pieces = pieces(&knots, SplineEnds::Clamped, &geometry.watch)?;
        Ok(geometry.clamped_to(&knots, pieces))
    }
}

/// What a spline does at stops.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum SplineEnds {
    /// It has no curvature there, and a speed in its parameter.
    Natural,
    /// It has no speed in its parameter there.
    Clamped,
}

/// The spline with knots added until every piece is accepted; its knots, and its pieces.
fn fitted(
    mut knots: Vec<Knot>,
    ends: SplineEnds,
    max_deviation: f64,
    accept: &mut Accept<'_>,
    watch: &Watch,
) -> Result<(Vec<Knot>, Vec<CurveElement>)> {
    loop {
        if ends == SplineEnds::Clamped {
            centripetal(&mut knots);
        }
        let pieces = pieces(&knots, ends, watch)?;
        let mut refused = Vec::new();
        for (index, piece) in pieces.iter().enumerate() {
            watch.check_at(index)?;
            // From stop to stop a clamped piece is straight, and part of the path.
            let is_straight = ends == SplineEnds::Clamped && knots[index].is_stop && knots[index + 1].is_stop;
            let distance = if ends == SplineEnds::Clamped { detour(piece) } else { deviation(piece) };
            if !is_straight && !is_accepted(piece, distance, max_deviation, accept)? {
                refused.push(index);
            }
        }
        if refused.is_empty() {
            return Ok((knots, pieces));
        }
        watch.check()?;
        knots = refined(&knots, &refused);
    }
}

/// Parameters that grow by the root of the distance between knots: the centripetal spline (Lee 1989, *Choosing nodes in
/// parametric curve interpolation*). Time is then spent where knots are close, at corners, as braking for them takes it.
fn centripetal(knots: &mut [Knot]) {
    for index in 1..knots.len() {
        let chord = distance(&knots[index - 1].position, &knots[index].position);
        knots[index].arc_length = knots[index - 1].arc_length + chord.sqrt();
    }
}

/// The distinct waypoints; reversals are stops.
fn waypoint_knots(path: &Trajectory, arc_lengths: &[f64]) -> Vec<Knot> {
    let distinct = reduce(path).distinct;
    let last = distinct.len() - 1;
    let knot = |index: usize| {
        let position = path.positions(distinct[index]).to_vec();
        let is_stop = index == 0 || index == last || {
            let [before, after] = [index - 1, index + 1].map(|other| path.positions(distinct[other]));
            cosine(before, &position, after) < REVERSAL_COSINE
        };
        Knot { arc_length: arc_lengths[index], position, segment: index, is_waypoint: true, is_stop }
    };
    (0..=last).map(knot).collect()
}

/// Cosine of the turn at `corner`.
fn cosine(before: &[f64], corner: &[f64], after: &[f64]) -> f64 {
    let dot: f64 = (0..corner.len()).map(|j| (corner[j] - before[j]) * (after[j] - corner[j])).sum();
    dot / (distance(before, corner) * distance(corner, after))
}

fn is_accepted(piece: &CurveElement, distance: f64, max_deviation: f64, accept: &mut Accept<'_>) -> Result<bool> {
    if piece.degree() <= 1 {
        return Ok(true);
    }
    Ok(distance <= max_deviation && accept(&piece.curve()?))
}

/// Bound on the distance of a piece from its chord as a set: how it is parametrised does not matter.
///
/// Distance from a segment is convex, and the outer two of the four Bézier points are on it: at most ¾ of the farther one
/// of the inner two.
fn detour(piece: &CurveElement) -> f64 {
    let h = piece.length;
    let point = |value: fn(&Coefficients, f64) -> f64| piece.shape.iter().map(|row| value(row, h)).collect::<Vec<_>>();
    let start = point(|row, _| row[0]);
    let first = point(|row, h| row[0] + row[1] * h / 3.0);
    let second = point(|row, h| row[0] + h * (2.0 * row[1] + row[2] * h) / 3.0);
    let end = point(|row, h| evaluate(row, 0, h));
    0.75 * distance_to_segment(&first, &start, &end).max(distance_to_segment(&second, &start, &end))
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
        inside[segment] >= MAX_KNOTS_PER_SEGMENT && refused.iter().any(|piece| knots[*piece].segment == segment)
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
        arc_length: f64::midpoint(a.arc_length, b.arc_length),
        position: a.position.iter().zip(&b.position).map(|(a, b)| f64::midpoint(*a, *b)).collect(),
        segment: a.segment,
        is_waypoint: false,
        is_stop: false,
    }
}

/// The cubic splines between stops.
fn pieces(knots: &[Knot], ends: SplineEnds, watch: &Watch) -> Result<Vec<CurveElement>> {
    let mut pieces = Vec::with_capacity(knots.len());
    let stops: Vec<usize> = (0..knots.len()).filter(|index| knots[*index].is_stop).collect();
    for stop in stops.windows(2) {
        let span = &knots[stop[0]..=stop[1]];
        let moments = moments(span, ends, watch)?;
        for (index, pair) in span.windows(2).enumerate() {
            watch.check_at(index)?;
            let length = pair[1].arc_length - pair[0].arc_length;
            let row = |joint: usize| {
                let [m0, m1] = [moments[index][joint], moments[index + 1][joint]];
                let [p0, p1] = [pair[0].position[joint], pair[1].position[joint]];
                let slope = (p1 - p0) / length - length * (2.0 * m0 + m1) / 6.0;
                [p0, slope, m0 / 2.0, (m1 - m0) / (6.0 * length), 0.0, 0.0]
            };
            let shape = (0..pair[0].position.len()).map(row).collect();
            pieces.push(CurveElement { arc_length: pair[0].arc_length, length, starts_at_rest: index == 0, shape });
        }
    }
    Ok(pieces)
}

/// Second derivatives at the knots of one span: a tridiagonal system, by elimination.
fn moments(span: &[Knot], ends: SplineEnds, watch: &Watch) -> Result<Vec<Vec<f64>>> {
    let (dof, last) = (span[0].position.len(), span.len() - 1);
    let mut moments = vec![vec![0.0; dof]; span.len()];
    let mut factors = vec![0.0; span.len()];
    let length = |index: usize| span[index + 1].arc_length - span[index].arc_length;
    let slope = |at: usize, joint: usize| (span[at + 1].position[joint] - span[at].position[joint]) / length(at);
    for index in 0..=last {
        watch.check_at(index)?;
        let is_end = index == 0 || index == last;
        if is_end && ends == SplineEnds::Natural {
            continue;
        }
        let before = if index > 0 { length(index - 1) } else { 0.0 };
        let after = if index < last { length(index) } else { 0.0 };
        let factor = if index > 0 { factors[index - 1] } else { 0.0 };
        let pivot = 2.0 * (before + after) - before * factor;
        factors[index] = after / pivot;
        for joint in 0..dof {
            let [into, out] =
                [(index > 0).then(|| slope(index - 1, joint)), (index < last).then(|| slope(index, joint))];
            let bend = 6.0 * (out.unwrap_or(0.0) - into.unwrap_or(0.0));
            let known = if index > 0 { before * moments[index - 1][joint] } else { 0.0 };
            moments[index][joint] = (bend - known) / pivot;
        }
    }
    for index in (0..last).rev() {
        watch.check_at(index)?;
        for joint in 0..dof {
            moments[index][joint] -= factors[index] * moments[index + 1][joint];
        }
    }
    Ok(moments)
}
