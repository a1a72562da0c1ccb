//! Corners with ramps of curvature: rounded ones, and ones that pass the waypoint exactly.
//!
//! A blend cuts the corner: curvature rises linearly over a short ramp, stays, and falls again, which makes a cubic, a
//! parabola and a cubic. The parabola is what speed wants, since it has the least curvature of all blends of its length;
//! the ramps make curvature continuous. At a waypoint that must be met exactly the path swings out to the far side and
//! passes the waypoint in the mean direction: two quintics. Both leave the polyline by a known part of their length, so
//! that a deviation asked for is a length to choose.

use std::borrow::Cow;

use kinetic_core::curve::{Coefficients, evaluate};
use kinetic_core::{PiecewisePolynomial, Result};

use crate::corners::accept::Accept;
use crate::corners::parabola::MAX_BLEND_RATIO;
use crate::curve_element::CurveElement;
use crate::geometry::{PathGeometry, check_deviation};
use crate::tolerance::{MAX_CORNER_HALVINGS, REVERSAL_COSINE, SHORTEST_CORNER};

/// Part of a blend that each ramp of curvature takes: curvature is 1 / (1 − ramp) of that of a parabola as long.
const CURVATURE_RAMP_RATIO: f64 = 0.05;

/// Largest distance of a blend from the polyline, in half-lengths and lengths of the change of direction. It grows until
/// the middle of the blend, where it is twice the integral of (½ − w) times the curvature over w from 0 to ½.
const BLEND_DEVIATION: f64 = 2.0
    * (1.0 / 8.0 - CURVATURE_RAMP_RATIO / 4.0 + CURVATURE_RAMP_RATIO * CURVATURE_RAMP_RATIO / 6.0)
    / (1.0 - CURVATURE_RAMP_RATIO);

/// The same for a corner that is passed exactly: the extreme of [`SWING`] at w = (6 − √6) / 5, rounded up.
const SWING_DEVIATION: f64 = 0.066_948;

/// How far a corner that is passed exactly swings out, as a polynomial of w from w³ on.
///
/// Position, tangent and curvature vanish at w = 0; at w = 1, the waypoint, the position vanishes, the tangent has turned
/// half of the way, and the third derivative vanishes, so that both halves fit in it too.
const SWING: [f64; 3] = [-1.0, 1.5, -0.5];

impl PathGeometry {
    /// The same path with corners of continuous curvature, within `max_deviation` (Euclidean in joint space).
    ///
    /// Corners are cut, except at the waypoints of the path whose indices are in `through`: these are met exactly (to the
    /// tolerances of the [rules](crate::geometry)). `accept` sees every corner as a curve; one that it refuses is halved,
    /// and dropped after eight halvings: the motion stops there, as it does at reversals. With 0 it stops at all corners.
    ///
    /// # Errors
    /// [`KineticError::InvalidValue`](kinetic_core::KineticError::InvalidValue) for a negative or infinite deviation.
    pub fn smoothed(
        mut self,
        max_deviation: f64,
        through: &[usize],
        accept: &mut dyn FnMut(&PiecewisePolynomial) -> bool,
    ) -> Result<Self> {
        check_deviation(max_deviation)?;
        let mut exact: Vec<f64> = through.iter().map(|waypoint| self.arc_length_of(*waypoint)).collect();
        exact.sort_by(f64::total_cmp);
        self.blending = 0.0;
        self.smooth = Vec::with_capacity(2 * self.lengths.len());
        let mut used = 0.0;
        let mut at_rest = true;
        for segment in 0..self.lengths.len() {
            self.watch.check_at(segment)?;
            let corner = if segment + 1 < self.lengths.len() {
                self.fit_corner(segment + 1, max_deviation, &exact, accept)?
            } else {
                Vec::new()
            };
            let next = corner.iter().map(|element| element.length).sum::<f64>() / 2.0;
            self.push_straight(segment, used, next, at_rest);
            used = next;
            at_rest = corner.is_empty();
            self.smooth.extend(corner);
        }
        Ok(self)
    }

    /// The path as polynomials of the path parameter, from start to end; empty when the length is 0.
    pub fn curve_elements(&self) -> Cow<'_, [CurveElement]> {
        if self.smooth.is_empty() {
            return self.elements().iter().map(CurveElement::from).collect();
        }
        Cow::Borrowed(&self.smooth)
    }

    /// Elements of the corner at a vertex; none for a stop. Adds to the deviation.
    fn fit_corner(
        &mut self,
        vertex: usize,
        max_deviation: f64,
        exact: &[f64],
        accept: &mut Accept<'_>,
    ) -> Result<Vec<CurveElement>> {
        let arc_length = self.arc_lengths[vertex];
        // Waypoints that are met may lie on the straights beside the corner, too.
        let [before, after] =
            [exact.partition_point(|at| *at < arc_length), exact.partition_point(|at| *at <= arc_length)];
        let slack = [before.checked_sub(1).map(|index| exact[index]), exact.get(after).copied()]
            .into_iter()
            .flatten()
            .fold(f64::INFINITY, |slack, at| slack.min((at - arc_length).abs()));
        let corner = SmoothCorner {
            position: &self.vertices[vertex],
            before: &self.directions[vertex - 1],
            after: &self.directions[vertex],
            lengths: [self.lengths[vertex - 1], self.lengths[vertex]],
            arc_length,
            slack,
            exact: before < after,
        };
        let (elements, deviation) = corner.fit(max_deviation, accept)?;
        self.blending = self.blending.max(deviation);
        Ok(elements)
    }

    fn push_straight(&mut self, segment: usize, before: f64, after: f64, starts_at_rest: bool) {
        let length = self.lengths[segment] - before - after;
        if !(length > 0.0) {
            return;
        }
        let row = |(position, direction): (&f64, &f64)| [position + before * direction, *direction, 0.0, 0.0, 0.0, 0.0];
        let shape = self.vertices[segment].iter().zip(&self.directions[segment]).map(row).collect();
        self.smooth.push(CurveElement {
            arc_length: self.arc_lengths[segment] + before,
            length,
            starts_at_rest,
            shape,
        });
    }
}

/// A corner: its position and arc length, the unit directions and lengths of the segments before and after it.
struct SmoothCorner<'a> {
    position: &'a [f64],
    before: &'a [f64],
    after: &'a [f64],
    lengths: [f64; 2],
    arc_length: f64,
    /// Largest half-length that leaves the waypoints beside it alone.
    slack: f64,
    /// True when the waypoint itself must be met.
    exact: bool,
}

impl SmoothCorner<'_> {
    /// Elements of the longest corner within `max_deviation` that `accept` takes, and its deviation; none for a stop.
    fn fit(&self, max_deviation: f64, accept: &mut Accept<'_>) -> Result<(Vec<CurveElement>, f64)> {
        let cosine: f64 = self.before.iter().zip(self.after).map(|(a, b)| a * b).sum();
        if cosine < REVERSAL_COSINE {
            return Ok((Vec::new(), 0.0));
        }
        let bend = self.before.iter().zip(self.after).map(|(a, b)| (b - a) * (b - a)).sum::<f64>().sqrt();
        let deviation = bend * if self.exact { SWING_DEVIATION } else { BLEND_DEVIATION };
        let mut half = self.lengths.iter().fold(max_deviation / deviation, |half, length| {
            if half >= length / 2.0 { length / 2.0 } else { half.min(MAX_BLEND_RATIO * length) }
        });
        half = half.min(self.slack);
        for _ in 0..=MAX_CORNER_HALVINGS {
            if !(half >= SHORTEST_CORNER) {
                break;
            }
            let elements = if self.exact { self.swing(half) } else { self.blend(half) };
            if accept(&joined(&elements)?) {
                return Ok((elements, half * deviation));
            }
            half /= 2.0;
        }
        Ok((Vec::new(), 0.0))
    }

    /// The corner cut: curvature up, constant, down.
    fn blend(&self, half: f64) -> Vec<CurveElement> {
        let (ramp, peak) = (2.0 * half * CURVATURE_RAMP_RATIO, 0.5 / (half * (1.0 - CURVATURE_RAMP_RATIO)));
        let lengths = [ramp, 2.0 * half - 2.0 * ramp, ramp];
        let curvatures = [[0.0, peak / ramp], [peak, 0.0], [peak, -peak / ramp]];
        let mut states: Vec<[f64; 2]> = (0..self.position.len())
            .map(|joint| [self.position[joint] - half * self.before[joint], self.before[joint]])
            .collect();
        let mut arc_length = self.arc_length - half;
        let mut elements = Vec::with_capacity(lengths.len());
        for (length, [curvature, slope]) in lengths.into_iter().zip(curvatures) {
            let row = |joint: usize| {
                let ([position, tangent], bend) = (states[joint], self.after[joint] - self.before[joint]);
                [position, tangent, bend * curvature / 2.0, bend * slope / 6.0, 0.0, 0.0]
            };
            let element = self.element(arc_length, length, row);
            for (state, row) in states.iter_mut().zip(&element.shape) {
                *state = [0, 1].map(|order| evaluate(row, order, length));
            }
            arc_length += length;
            elements.push(element);
        }
        elements
    }

    /// The corner met: [`SWING`] along the change of direction, then its mirror image.
    fn swing(&self, half: f64) -> Vec<CurveElement> {
        let powers = [half.powi(-2), half.powi(-3), half.powi(-4)];
        let [c3, c4, c5] = [0, 1, 2].map(|power| SWING[power] * powers[power]);
        let before = |joint: usize| {
            let bend = self.after[joint] - self.before[joint];
            let start = self.position[joint] - half * self.before[joint];
            [start, self.before[joint], 0.0, bend * c3, bend * c4, bend * c5]
        };
        // The mirror image about w = 1 in powers of δ / half; SWING(1 − w) expanded, position along the second leg.
        let after = |joint: usize| {
            let (bend, mean) =
                (self.after[joint] - self.before[joint], f64::midpoint(self.before[joint], self.after[joint]));
            let [m2, m4, m5] = [1.0 / half, -powers[1], 0.5 * powers[2]];
            [self.position[joint], mean, bend * m2, 0.0, bend * m4, bend * m5]
        };
        vec![self.element(self.arc_length - half, half, before), self.element(self.arc_length, half, after)]
    }

    fn element(&self, arc_length: f64, length: f64, row: impl Fn(usize) -> Coefficients) -> CurveElement {
        let shape = (0..self.position.len()).map(row).collect();
        CurveElement { arc_length, length, starts_at_rest: false, shape }
    }
}

/// Neighbouring elements as one curve.
fn joined(elements: &[CurveElement]) -> Result<PiecewisePolynomial> {
    let mut knots = vec![0.0];
    let mut end = 0.0;
    for element in elements {
        end += element.length;
        knots.push(end);
    }
    let dof = elements.first().map_or(0, |element| element.shape.len());
    PiecewisePolynomial::new(dof, knots, elements.iter().flat_map(|element| element.shape.clone()).collect())
}
