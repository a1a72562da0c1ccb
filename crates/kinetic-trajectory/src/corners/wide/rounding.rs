//! Rounding of corners as widely as a deviation allows, also beyond their neighbours.
//!
//! A corner at arc length sᵢ where the direction changes by bᵢ becomes curvature bᵢ/hᵢ (1 − |u|), u = (s − sᵢ)/hᵢ, which is
//! a cubic B-spline around an isolated corner: of all curvatures with that deviation the one of least third derivative,
//! up to how it ends. Curvatures of corners are added, so that they may overlap with any widths, and the curve is the
//! polyline plus
//!
//! ```text
//! e(s) = Σ bᵢ hᵢ (1 − |u|)³ / 6
//! ```
//!
//! |e| bounds the distance from the polyline. Where directions go to and fro, as between sampled waypoints, the terms
//! cancel and widths of many segments keep a small deviation. Widths grow from those of isolated corners in turns as long
//! as |e| is inside.

use kinetic_core::curve::Coefficients;
use kinetic_core::{PiecewisePolynomial, Result};

use super::corner_widths::CornerWidths;
use super::curve_segment::{CurveSegment, Run};
use crate::corners::accept::Accept;
use crate::tolerance::{MAX_CORNER_HALVINGS, REVERSAL_COSINE, SHORTEST_CORNER};
use crate::watch::Watch;

/// A corner keeps this part of the way to the next stop straight.
const STRAIGHT_RATIO_AT_STOP: f64 = 0.1;

/// A corner reaches at most so many vertices to each side, or this many allowed deviations if that is more: the curvature
/// of wider corners is nothing beside that of the others, but every one would meet every other.
const MAX_VERTICES_PER_SIDE: usize = 128;
const MAX_WIDTH_PER_DEVIATION: f64 = 12.0;

/// Part of the allowed deviation that is used; the timed curve needs a little of the rest.
const USED_DEVIATION_RATIO: f64 = 0.98;

/// Rounds of making corners narrower until the bound on the deviation is met.
const MAX_NARROWINGS: usize = 200;

/// Curve segments shorter than this part of the widths around are joined with a neighbour.
const SHORTEST_SEGMENT_RATIO: f64 = 1e-6;

/// A polyline: vertices, their arc lengths, and the directions and lengths of its segments.
pub(crate) struct Polyline<'a> {
    pub(crate) vertices: &'a [Vec<f64>],
    pub(crate) arc_lengths: &'a [f64],
    pub(crate) directions: &'a [Vec<f64>],
}

/// Widths hᵢ of all vertices; 0 where the motion stops.
pub(crate) struct Rounding<'a> {
    line: Polyline<'a>,
    /// Change of direction at every vertex, and its length.
    bends: Vec<Vec<f64>>,
    sizes: Vec<f64>,
    widths: Vec<f64>,
    /// No width is larger.
    widest: f64,
    allowed: f64,
    /// The curve along every segment, and a bound on its distance from it.
    segments: Vec<(Run, f64)>,
}

impl<'a> Rounding<'a> {
    /// Rounds the corners within `allowed`, each as `accept` takes it.
    pub(crate) fn new(line: Polyline<'a>, allowed: f64, accept: &mut Accept<'_>, watch: &Watch) -> Result<Self> {
        let count = line.vertices.len();
        let bend = |vertex: usize| -> Vec<f64> {
            if vertex == 0 || vertex + 1 == count {
                return vec![0.0; line.vertices[vertex].len()];
            }
            line.directions[vertex]
                .iter()
                .zip(&line.directions[vertex - 1])
                .map(|(after, before)| after - before)
                .collect()
        };
        let bends: Vec<Vec<f64>> = (0..count).map(bend).collect();
        let sizes = bends.iter().map(|bend| norm(bend)).collect();
        let mut rounding = Self {
            line,
            bends,
            sizes,
            widths: vec![0.0; count],
            widest: 0.0,
            allowed: USED_DEVIATION_RATIO * allowed,
            segments: Vec::new(),
        };
        rounding.isolate();
        watch.check()?;
        rounding.widen(watch)?;
        rounding.shrink_to(allowed, watch)?;
        rounding.persuade(accept, watch)?;
        Ok(rounding)
    }

    fn is_reversal(&self, vertex: usize) -> bool {
        let pair = self.line.directions[vertex - 1].iter().zip(&self.line.directions[vertex]);
        pair.map(|(a, b)| a * b).sum::<f64>() < REVERSAL_COSINE
    }

    /// Widths of isolated corners.
    fn isolate(&mut self) {
        for vertex in 1..self.widths.len().saturating_sub(1) {
            if !self.is_reversal(vertex) {
                self.widths[vertex] = 6.0 * self.allowed / self.sizes[vertex];
            }
        }
        self.keep_to_stops();
    }

    /// Makes corners smaller where neighbours add up, then lets them grow.
    fn widen(&mut self, watch: &Watch) -> Result<()> {
        let most = self.farthest();
        let mut corners = CornerWidths::new(self.line.arc_lengths, &self.bends, &self.widths, self.allowed);
        corners.narrow(watch)?;
        corners.widen(&most, watch)?;
        self.widths = corners.widths;
        self.widest = self.widths.iter().copied().fold(0.0, f64::max);
        Ok(())
    }

    /// No width reaches a stop, and those that are too small are stops themselves.
    fn keep_to_stops(&mut self) {
        let count = self.widths.len();
        for vertex in 1..count.saturating_sub(1) {
            if !(self.widths[vertex] >= SHORTEST_CORNER) {
                self.widths[vertex] = 0.0;
            }
        }
        let most = self.farthest();
        self.widths.iter_mut().zip(most).for_each(|(width, most)| *width = width.min(most));
        self.widest = self.widths.iter().copied().fold(0.0, f64::max);
    }

    /// The largest widths that leave the stops around alone; 0 at stops.
    fn farthest(&self) -> Vec<f64> {
        let (arc_lengths, last) = (self.line.arc_lengths, self.widths.len() - 1);
        let mut most = vec![0.0; last + 1];
        let mut stop = arc_lengths[0];
        for vertex in 1..last {
            stop = if self.widths[vertex] == 0.0 { arc_lengths[vertex] } else { stop };
            most[vertex] = arc_lengths[vertex] - stop;
        }
        stop = arc_lengths[last];
        for vertex in (1..last).rev() {
            stop = if self.widths[vertex] == 0.0 { arc_lengths[vertex] } else { stop };
            let slack = (1.0 - STRAIGHT_RATIO_AT_STOP) * f64::min(most[vertex], stop - arc_lengths[vertex]);
            most[vertex] = slack.min(self.neighbour_limit(vertex).max(MAX_WIDTH_PER_DEVIATION * self.allowed));
        }
        most
    }

    /// Distance of the first vertex that a corner must not reach.
    fn neighbour_limit(&self, vertex: usize) -> f64 {
        let arc_lengths = self.line.arc_lengths;
        let before = vertex.checked_sub(MAX_VERTICES_PER_SIDE).map(|other| arc_lengths[vertex] - arc_lengths[other]);
        let after = arc_lengths.get(vertex + MAX_VERTICES_PER_SIDE).map(|other| other - arc_lengths[vertex]);
        before.into_iter().chain(after).fold(f64::INFINITY, f64::min)
    }

    /// Makes corners narrower until a bound on |e| over every curve segment, by its Bernstein points, is allowed.
    fn shrink_to(&mut self, allowed: f64, watch: &Watch) -> Result<()> {
        let limit = allowed * f64::midpoint(USED_DEVIATION_RATIO, 1.0);
        self.segments = vec![(Run::new(), 0.0); self.line.directions.len()];
        let mut open = vec![true; self.segments.len()];
        for _ in 0..MAX_NARROWINGS {
            let mut factors = vec![1.0_f64; self.widths.len()];
            for segment in (0..open.len()).filter(|segment| open[*segment]) {
                watch.check_at(segment)?;
                self.look_at(segment);
                if self.segments[segment].1 <= limit {
                    continue;
                }
                for curve in &self.segments[segment].0 {
                    let excess = self.largest_distance(segment, curve) / limit;
                    if excess > 1.0 {
                        for vertex in self.near(curve.arc_length, curve.arc_length + curve.length) {
                            factors[vertex] = factors[vertex].min((0.99 / excess).max(0.7));
                        }
                    }
                }
            }
            open.fill(false);
            for vertex in (0..factors.len()).filter(|vertex| factors[*vertex] < 1.0) {
                open[self.segments_under(vertex, self.widths[vertex])].fill(true);
                self.widths[vertex] *= factors[vertex];
            }
            if !open.contains(&true) {
                return Ok(());
            }
        }
        self.widths.fill(0.0);
        (0..self.segments.len()).for_each(|segment| self.look_at(segment));
        Ok(())
    }

    /// Works out the curve along a segment anew.
    fn look_at(&mut self, segment: usize) {
        let run = self.curve_segments(self.line.arc_lengths[segment], self.line.arc_lengths[segment + 1]);
        let farthest = run.iter().map(|curve| self.largest_distance(segment, curve)).fold(0.0, f64::max);
        self.segments[segment] = (run, farthest);
    }

    /// Segments that a corner of this width reaches into.
    fn segments_under(&self, vertex: usize, width: f64) -> std::ops::Range<usize> {
        let (arc_lengths, at) = (self.line.arc_lengths, self.line.arc_lengths[vertex]);
        let first = arc_lengths.partition_point(|arc_length| *arc_length <= at - width).max(1) - 1;
        let last = arc_lengths.partition_point(|arc_length| *arc_length < at + width);
        first..last.min(self.line.directions.len())
    }

    /// Bound on |e| over a curve segment of one segment of the polyline.
    fn largest_distance(&self, segment: usize, curve: &CurveSegment) -> f64 {
        let along = curve.arc_length - self.line.arc_lengths[segment];
        let mut squares = [0.0; 4];
        for (joint, row) in curve.shape.iter().enumerate() {
            let direction = self.line.directions[segment][joint];
            let h = curve.length;
            let c = [row[0] - self.line.vertices[segment][joint] - along * direction, (row[1] - direction) * h];
            let (c2, c3) = (row[2] * h * h, row[3] * h * h * h);
            let points = [c[0], c[0] + c[1] / 3.0, c[0] + 2.0 * c[1] / 3.0 + c2 / 3.0, c[0] + c[1] + c2 + c3];
            squares.iter_mut().zip(points).for_each(|(square, point)| *square += point * point);
        }
        squares.into_iter().fold(0.0, f64::max).sqrt()
    }

    /// Vertices whose support meets an interval.
    fn near(&self, from: f64, to: f64) -> Vec<usize> {
        let arc_lengths = &self.line.arc_lengths;
        let first = arc_lengths.partition_point(|arc_length| arc_length + self.widest <= from);
        let last = arc_lengths.partition_point(|arc_length| arc_length - self.widest < to);
        (first..last)
            .filter(|other| {
                let width = self.widths[*other];
                width > 0.0 && arc_lengths[*other] - width < to && arc_lengths[*other] + width > from
            })
            .collect()
    }

    /// Shows each segment to `accept`; halves the corners that reach into one that is refused, finally stops at them.
    fn persuade(&mut self, accept: &mut Accept<'_>, watch: &Watch) -> Result<()> {
        let segments = self.line.directions.len();
        let mut halved = vec![0_usize; self.widths.len()];
        let mut open = vec![true; segments];
        let mut next = 0;
        while let Some(segment) = (next..segments).find(|segment| open[*segment]) {
            open[segment] = false;
            next = segment + 1;
            watch.check_at(segment)?;
            if self.is_straight(segment) || accept(&self.curve(segment)?) {
                continue;
            }
            let before = self.widths.clone();
            for vertex in self.near(self.line.arc_lengths[segment], self.line.arc_lengths[segment + 1]) {
                halved[vertex] += 1;
                self.widths[vertex] =
                    if halved[vertex] > MAX_CORNER_HALVINGS { 0.0 } else { 0.5 * self.widths[vertex] };
            }
            self.keep_to_stops();
            for vertex in (0..before.len()).filter(|vertex| before[*vertex] != self.widths[*vertex]) {
                let reached = self.segments_under(vertex, before[vertex]);
                next = next.min(reached.start);
                open[reached].fill(true);
            }
            (0..segments).filter(|segment| open[*segment]).for_each(|segment| self.look_at(segment));
        }
        Ok(())
    }

    fn is_straight(&self, segment: usize) -> bool {
        self.segments[segment].0.iter().all(CurveSegment::is_straight)
    }

    /// The curve along a segment without the straights at its ends, in its own parameter.
    fn curve(&self, segment: usize) -> Result<PiecewisePolynomial> {
        let run = &self.segments[segment].0;
        let is_bent = |curve: &CurveSegment| !curve.is_straight();
        let first = run.iter().position(is_bent).unwrap_or(0);
        let bent = &run[first..=run.iter().rposition(is_bent).unwrap_or(first)];
        let mut knots = vec![0.0];
        knots.extend(bent.iter().map(|curve| curve.arc_length + curve.length - bent[0].arc_length));
        let coefficients = bent.iter().flat_map(|curve| curve.shape.iter().copied()).collect();
        PiecewisePolynomial::new(self.line.vertices[0].len(), knots, coefficients)
    }

    /// The whole path, from stop to stop, and a bound on its distance from the polyline.
    pub(crate) fn into_runs(self) -> (Vec<Run>, f64) {
        let mut runs: Vec<Run> = Vec::new();
        let mut farthest = 0.0_f64;
        for (segment, (run, distance)) in self.segments.into_iter().enumerate() {
            farthest = farthest.max(distance);
            match runs.last_mut() {
                Some(last) if self.widths[segment] > 0.0 => last.extend(run),
                _ => runs.push(run),
            }
        }
        (runs, farthest)
    }

    /// Polynomials between two arc lengths.
    fn curve_segments(&self, from: f64, to: f64) -> Vec<CurveSegment> {
        let near = self.near(from, to);
        let mut breaks: Vec<f64> = vec![from, to];
        for vertex in &near {
            let (at, width) = (self.line.arc_lengths[*vertex], self.widths[*vertex]);
            breaks.extend([at - width, at, at + width].into_iter().filter(|at| *at > from && *at < to));
        }
        breaks.sort_by(f64::total_cmp);
        let shortest =
            near.iter().fold(to - from, |least, vertex| least.min(self.widths[*vertex])) * SHORTEST_SEGMENT_RATIO;
        let mut distinct = vec![from];
        for at in breaks {
            if at - distinct[distinct.len() - 1] > shortest && to - at > shortest {
                distinct.push(at);
            }
        }
        distinct.push(to);
        distinct.windows(2).map(|pair| self.curve_segment(pair[0], pair[1], &near)).collect()
    }

    fn curve_segment(&self, from: f64, to: f64, near: &[usize]) -> CurveSegment {
        let middle = f64::midpoint(from, to);
        let segment = self
            .line
            .arc_lengths
            .partition_point(|arc_length| *arc_length <= middle)
            .clamp(1, self.line.directions.len())
            - 1;
        let along = from - self.line.arc_lengths[segment];
        let row = |(position, direction): (&f64, &f64)| [position + along * direction, *direction, 0.0, 0.0, 0.0, 0.0];
        let mut shape: Vec<Coefficients> =
            self.line.vertices[segment].iter().zip(&self.line.directions[segment]).map(row).collect();
        let mut narrowest = f64::INFINITY;
        // The only ones that are wide enough, which keeps work in proportion to the length of the path.
        let first = near.partition_point(|vertex| self.line.arc_lengths[*vertex] + self.widest <= middle);
        let last = near.partition_point(|vertex| self.line.arc_lengths[*vertex] - self.widest < middle);
        for vertex in &near[first..last.max(first)] {
            let (at, width) = (self.line.arc_lengths[*vertex], self.widths[*vertex]);
            if (middle - at).abs() < width {
                narrowest = narrowest.min(width);
                // (1 − |u|) h = rest + side · δ.
                let side = if middle < at { 1.0 } else { -1.0 };
                let rest = width - side * (at - from);
                let scale = 1.0 / (6.0 * width * width);
                let cubic = [rest * rest * rest, 3.0 * rest * rest * side, 3.0 * rest, side].map(|value| value * scale);
                for (row, bend) in shape.iter_mut().zip(&self.bends[*vertex]) {
                    row.iter_mut().zip(cubic).for_each(|(value, cubic)| *value += bend * cubic);
                }
            }
        }
        CurveSegment { arc_length: from, length: to - from, width: narrowest, shape }
    }
}

fn norm(vector: &[f64]) -> f64 {
    vector.iter().map(|x| x * x).sum::<f64>().sqrt()
}
