//! Path geometry of a time law: a path in joint space, parametrised by its arc length along the polyline.
//!
//! Rules for degenerate paths (constants in [`geometry`](self)):
//! - no waypoints: an error;
//! - a waypoint within [`MERGE_TOLERANCE`] of the one before is dropped; start and goal are always reached exactly;
//! - all waypoints the same, or the ends within [`REST_TOLERANCE`] and nothing else: one configuration, length 0;
//! - waypoints that bend a line by at most [`STRAIGHT_TOLERANCE`] in sum are on the line: no stop, no blend;
//! - reversals are corners at which the motion stops.
//!
//! What these rules move is part of [`deviation`](PathGeometry::deviation).

use std::borrow::Cow;

use kinetic_core::error::check_finite;
use kinetic_core::{Control, KineticError, PiecewisePolynomial, Result, Trajectory};

use crate::corners::parabola::Corner;
use crate::corners::wide::{Polyline, Rounding, Run};
use crate::curve_element::CurveElement;
pub use crate::polyline::{MERGE_TOLERANCE, REST_TOLERANCE, STRAIGHT_TOLERANCE};
use crate::polyline::{distance, projection, reduce};
use crate::tolerance::{GOAL_TOLERANCE_RAD_M, POSITION_ROUNDING_RATIO};
use crate::watch::Watch;

/// A segment of the path that is quadratic in the path parameter `s`: straight, or a blend.
#[derive(Debug, Clone, PartialEq)]
pub struct PathElement {
    /// Path parameter at which it begins, measured along the polyline.
    pub arc_length: f64,
    /// Extent in the path parameter.
    pub length: f64,
    /// True when the direction jumps where it begins, or the path does: the motion is at rest there.
    pub starts_at_rest: bool,
    /// Per joint γ, γ′ and γ″ at `arc_length`: position is `γ + γ′ δ + ½ γ″ δ²` at `arc_length + δ`.
    pub shape: Vec<[f64; 3]>,
}

impl PathElement {
    /// True without curvature.
    pub fn is_straight(&self) -> bool {
        self.shape.iter().all(|[_, _, curvature]| *curvature == 0.0)
    }
}

/// A path as polynomials of the path parameter, and a bound on its distance from the waypoints.
pub(crate) struct PathCurve<'a> {
    pub(crate) elements: Cow<'a, [CurveElement]>,
    pub(crate) deviation: f64,
}

/// A path with its corners stopped at or blended. See the [module](self) for its rules.
#[derive(Debug, Clone, PartialEq)]
pub struct PathGeometry {
    dof: usize,
    /// Positions of the corners, ends included.
    pub(crate) vertices: Vec<Vec<f64>>,
    /// Path parameter of each vertex.
    pub(crate) arc_lengths: Vec<f64>,
    /// Length of each segment; differences of arc lengths would lose digits on long paths.
    pub(crate) lengths: Vec<f64>,
    /// Unit direction of each segment.
    pub(crate) directions: Vec<Vec<f64>>,
    /// Indices in the path of the distinct waypoints.
    distinct: Vec<usize>,
    /// Half-length of the blend at each vertex; 0 where the motion stops.
    blends: Vec<f64>,
    pub(crate) waypoint_arc_lengths: Vec<f64>,
    pub(crate) reduction: f64,
    pub(crate) blending: f64,
    /// The path with smooth corners, or as a spline; empty until it was smoothed.
    pub(crate) smooth: Vec<CurveElement>,
    /// The path as a clamped spline; empty unless it was made so.
    pub(crate) clamped: Vec<CurveElement>,
    /// The path with wide corners, from stop to stop; empty until it was rounded.
    runs: Vec<Run>,
    /// Largest distance from the polyline that wide corners were allowed.
    pub(crate) allowed: f64,
    /// Bound on the distance that they have.
    widening: f64,
    /// Path speeds at both ends.
    pub(crate) end_speeds: [f64; 2],
    /// Ends the work on it.
    pub(crate) watch: Watch,
}

impl PathGeometry {
    /// The polyline through `path`, stopping at every corner.
    ///
    /// # Errors
    /// [`KineticError::InvalidValue`] for an empty path, or for one so long that its length overflows.
    pub fn polyline(path: &Trajectory) -> Result<Self> {
        if path.is_empty() {
            return Err(KineticError::invalid("path", "0 waypoints", "at least one waypoint"));
        }
        let reduced = reduce(path);
        let corner = |position: &usize| path.positions(reduced.distinct[*position]).to_vec();
        let vertices: Vec<Vec<f64>> = reduced.corners.iter().map(corner).collect();
        let (mut arc_lengths, mut lengths, mut directions) = (vec![0.0], Vec::new(), Vec::new());
        for pair in vertices.windows(2) {
            let length = distance(&pair[0], &pair[1]);
            arc_lengths.push(arc_lengths[arc_lengths.len() - 1] + length);
            lengths.push(length);
            directions.push(pair[0].iter().zip(&pair[1]).map(|(a, b)| (b - a) / length).collect());
        }
        check_finite("length of the path", &arc_lengths)?;
        let waypoint_arc_lengths = arc_lengths_of(path, &reduced.distinct, &reduced.corners, &arc_lengths);
        let blends = vec![0.0; vertices.len()];
        let (dof, reduction) = (path.dof(), reduced.deviation);
        Ok(Self {
            dof,
            vertices,
            arc_lengths,
            lengths,
            directions,
            distinct: reduced.distinct,
            blends,
            waypoint_arc_lengths,
            reduction,
            blending: 0.0,
            smooth: Vec::new(),
            clamped: Vec::new(),
            runs: Vec::new(),
            allowed: 0.0,
            widening: 0.0,
            end_speeds: [0.0; 2],
            watch: Watch::default(),
        })
    }

    /// The same path; rounding and timing it end when `control` is over.
    pub(crate) fn watched(self, control: &Control) -> Self {
        Self { watch: Watch::of(control), ..self }
    }

    /// The same path with its corners rounded by at most `max_deviation` (Euclidean in joint space).
    ///
    /// `accept` sees every blend as a curve in its own parameter; one that it refuses is halved, and dropped after
    /// eight halvings: the motion stops at that corner. With 0 the path stays as it is.
    ///
    /// # Errors
    /// [`KineticError::InvalidValue`] for a negative or infinite deviation.
    pub fn blended(mut self, max_deviation: f64, accept: &mut dyn FnMut(&PiecewisePolynomial) -> bool) -> Result<Self> {
        check_deviation(max_deviation)?;
        self.blending = 0.0;
        for vertex in 1..self.vertices.len().saturating_sub(1) {
            self.watch.check_at(vertex)?;
            let corner = self.corner(vertex);
            let half = corner.fit(max_deviation, accept)?;
            self.blending = self.blending.max(corner.deviation(half));
            self.blends[vertex] = half;
        }
        Ok(self)
    }

    /// The same path with corners of continuous curvature, within `max_deviation`, that may reach beyond their
    /// neighbours: what the jerk-limited law follows, and the time-optimal one where that is faster.
    ///
    /// `accept` sees every segment with the corners that reach into it; where it refuses one they are halved, and
    /// stopped at after eight halvings. With 0 the motion stops at every corner.
    ///
    /// # Errors
    /// [`KineticError::InvalidValue`] for a negative or infinite deviation.
    pub fn rounded(mut self, max_deviation: f64, accept: &mut dyn FnMut(&PiecewisePolynomial) -> bool) -> Result<Self> {
        if !(max_deviation >= 0.0 && max_deviation.is_finite()) {
            return Err(KineticError::invalid("max_deviation", max_deviation, "a finite number of at least 0"));
        }
        (self.runs, self.widening) = self.rounding(max_deviation, accept)?;
        self.allowed = max_deviation;
        Ok(self)
    }

    fn rounding(
        &self,
        max_deviation: f64,
        accept: &mut dyn FnMut(&PiecewisePolynomial) -> bool,
    ) -> Result<(Vec<Run>, f64)> {
        let line = Polyline { vertices: &self.vertices, arc_lengths: &self.arc_lengths, directions: &self.directions };
        Ok(Rounding::new(line, max_deviation, accept, &self.watch)?.into_runs())
    }

    /// The path from stop to stop: with wide corners when it was rounded, else stopping at every corner.
    pub(crate) fn runs(&self) -> Result<Vec<Run>> {
        if self.runs.is_empty() { self.straight_runs() } else { Ok(self.runs.clone()) }
    }

    /// The path from stop to stop, stopping at every corner.
    pub(crate) fn straight_runs(&self) -> Result<Vec<Run>> {
        Ok(self.rounding(0.0, &mut |_| true)?.0)
    }

    /// The shapes that a law may choose from: the path with the corners that it was given, and that with wide corners.
    pub(crate) fn shapes(&self) -> (PathCurve<'_>, Option<PathCurve<'_>>) {
        let given = PathCurve { elements: self.curve_elements(), deviation: self.deviation() };
        if self.runs.iter().all(|run| run.len() < 2) {
            return (given, None);
        }
        let elements = self.runs.iter().flat_map(|run| run.iter().enumerate().map(CurveElement::from)).collect();
        (given, Some(PathCurve { elements, deviation: self.reduction + self.widening }))
    }

    fn corner(&self, vertex: usize) -> Corner<'_> {
        Corner {
            position: &self.vertices[vertex],
            before: &self.directions[vertex - 1],
            after: &self.directions[vertex],
            lengths: [self.lengths[vertex - 1], self.lengths[vertex]],
        }
    }

    /// Number of joints.
    pub fn dof(&self) -> usize {
        self.dof
    }

    /// Length of the polyline, Euclidean in joint space.
    pub fn length(&self) -> f64 {
        self.arc_lengths[self.arc_lengths.len() - 1]
    }

    /// Where the path begins.
    pub fn start(&self) -> &[f64] {
        &self.vertices[0]
    }

    /// Whether a motion along the path ends at its goal.
    pub(crate) fn is_at_goal(&self, end: &[f64]) -> bool {
        let largest = self.vertices.iter().flatten().fold(0.0_f64, |most, value| most.max(value.abs()));
        let tolerance = GOAL_TOLERANCE_RAD_M.max(POSITION_ROUNDING_RATIO * largest);
        let goal = &self.vertices[self.vertices.len() - 1];
        end.iter().zip(goal).all(|(end, goal)| (end - goal).abs() <= tolerance)
    }

    /// Number of corners that are blended.
    pub fn blend_count(&self) -> usize {
        self.blends.iter().filter(|half| **half > 0.0).count()
    }

    /// Bound on the distance between this curve and the path it was made from, Euclidean in joint space.
    pub fn deviation(&self) -> f64 {
        self.reduction + self.blending
    }

    /// Path parameter of every distinct waypoint of the path, strictly increasing; 0 first, the length last. A clamped spline
    /// has a parameter of its own.
    pub fn waypoint_arc_lengths(&self) -> &[f64] {
        &self.waypoint_arc_lengths
    }

    /// Path parameter of the waypoint with this index in the path; of the one that stands for it, if it was merged.
    pub(crate) fn arc_length_of(&self, waypoint: usize) -> f64 {
        let position = self.distinct.partition_point(|index| *index <= waypoint).saturating_sub(1);
        self.waypoint_arc_lengths[position]
    }

    /// The path as a list of quadratic elements from start to end; empty when the length is 0.
    pub fn elements(&self) -> Vec<PathElement> {
        let mut elements = Vec::with_capacity(2 * self.directions.len());
        for segment in 0..self.directions.len() {
            if self.blends[segment] > 0.0 {
                elements.push(self.blend_element(segment));
            }
            elements.extend(self.straight_element(segment));
        }
        elements
    }

    fn blend_element(&self, vertex: usize) -> PathElement {
        let half = self.blends[vertex];
        PathElement {
            arc_length: self.arc_lengths[vertex] - half,
            length: 2.0 * half,
            starts_at_rest: false,
            shape: self.corner(vertex).shape(half),
        }
    }

    /// What the blends leave of a segment; nothing when each takes half.
    fn straight_element(&self, segment: usize) -> Option<PathElement> {
        let (skipped, length) = (self.blends[segment], self.lengths[segment]);
        let length = length - skipped - self.blends[segment + 1];
        let row = |(position, direction): (&f64, &f64)| [position + skipped * direction, *direction, 0.0];
        (length > 0.0).then(|| PathElement {
            arc_length: self.arc_lengths[segment] + skipped,
            length,
            starts_at_rest: skipped == 0.0,
            shape: self.vertices[segment].iter().zip(&self.directions[segment]).map(row).collect(),
        })
    }
}

/// Refuses a deviation that is not a distance.
pub(crate) fn check_deviation(max_deviation: f64) -> Result<()> {
    if max_deviation >= 0.0 && max_deviation.is_finite() {
        return Ok(());
    }
    Err(KineticError::invalid("max_deviation", max_deviation, "a finite number of at least 0"))
}

/// Path parameters of the distinct waypoints: those between two corners by projection on the line between them.
fn arc_lengths_of(path: &Trajectory, distinct: &[usize], corners: &[usize], arc_lengths: &[f64]) -> Vec<f64> {
    let mut result = vec![0.0];
    for (segment, ends) in corners.windows(2).enumerate() {
        let [a, b] = [ends[0], ends[1]].map(|corner| path.positions(distinct[corner]));
        for waypoint in ends[0] + 1..ends[1] {
            let along = projection(path.positions(distinct[waypoint]), a, b);
            result.push(arc_lengths[segment] + along * (arc_lengths[segment + 1] - arc_lengths[segment]));
        }
        result.push(arc_lengths[segment + 1]);
    }
    result
}

impl From<&PathElement> for CurveElement {
    fn from(element: &PathElement) -> Self {
        let row = |[position, tangent, curvature]: &[f64; 3]| [*position, *tangent, curvature / 2.0, 0.0, 0.0, 0.0];
        let shape = element.shape.iter().map(row).collect();
        Self { arc_length: element.arc_length, length: element.length, starts_at_rest: element.starts_at_rest, shape }
    }
}
