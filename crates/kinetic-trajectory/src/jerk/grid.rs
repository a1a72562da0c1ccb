//! Grid of a part of the path: its intervals, and the limits on each.

#![allow(clippy::inline_always, reason = "what is not inlined is compiled without the wide instructions")]

use kinetic_core::Limits;
use kinetic_core::curve::{Coefficients, evaluate};

use super::nodes::nodes;
use super::rows::{BarrierBlock, BarrierRow};
use crate::corners::wide::{CurveSegment, Run};
use crate::samples::quintic;
use crate::tolerance::ARC_LENGTH_ROUNDING;
use crate::watch::Watch;

/// Part of the time of a full ramp of acceleration that the motion from rest takes to the first node.
const FIRST_NODE_RAMP_RATIO: f64 = 0.3;

/// One side of a node.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Side {
    pub(crate) segment: usize,
    pub(crate) offset: f64,
}

/// What is between two nodes.
#[derive(Debug, Clone)]
pub(crate) struct NodeInterval {
    pub(crate) length: f64,
    pub(crate) sides: [Side; 2],
    /// Where the blocks of rows of its left end, its right end and its middle begin, and where the last ones end. Straights have
    /// none in the middle. Acceleration is the same on both sides of a node and looked at where an interval begins.
    blocks: [usize; 4],
    /// Largest squared speed at its left end and in its middle.
    pub(crate) fastest: [f64; 2],
}

/// Nodes of a run from the end of the first ramp to the beginning of the last.
#[derive(Debug, Clone)]
pub(crate) struct NodeGrid {
    /// Path parameter since the run began.
    pub(crate) nodes: Vec<f64>,
    /// Lengths of the ramps from and to rest.
    pub(crate) ramps: [f64; 2],
    pub(crate) intervals: Vec<NodeInterval>,
    blocks: Vec<BarrierBlock>,
    /// Largest squared speed at the last node.
    pub(crate) last_fastest: f64,
    /// Ends the search.
    pub(crate) watch: Watch,
}

impl NodeGrid {
    pub(crate) fn new(run: &Run, limits: &Limits, jerk: &[f64]) -> Self {
        let length: f64 = run.iter().map(|segment| segment.length).sum();
        let ramp = |segment: &CurveSegment, offset: f64| first_ramp(segment, offset, limits, jerk);
        let last = &run[run.len() - 1];
        let ramps = [ramp(&run[0], 0.0).min(run[0].length / 8.0), ramp(last, last.length).min(last.length / 8.0)];
        let ends = [ramps[0], length - ramps[1]];
        let mut grid = Self {
            nodes: nodes(run, ends, ramps),
            ramps,
            intervals: Vec::new(),
            blocks: Vec::new(),
            last_fastest: f64::INFINITY,
            watch: Watch::default(),
        };
        let mut segments = Locator { run, index: 0, begin: 0.0 };
        for k in 0..grid.nodes.len() - 1 {
            let left = segments.after(grid.nodes[k]);
            let right = segments.before(grid.nodes[k + 1]);
            let sides = [left, right].map(|(segment, offset)| Side { segment, offset });
            grid.push_interval(&IntervalPath::new(run, sides, grid.nodes[k + 1] - grid.nodes[k]), limits, jerk);
        }
        grid.bound_ends(run, jerk);
        grid
    }

    fn push_interval(&mut self, path: &IntervalPath<'_>, limits: &Limits, jerk: &[f64]) {
        let (length, is_straight) = (path.length, path.is_straight());
        let (mut blocks, mut fastest) = ([self.blocks.len(); 4], [0.0; 3]);
        for (place, at) in [0.0, length, 0.5 * length].into_iter().enumerate() {
            let shape: Vec<[f64; 4]> = (0..jerk.len()).map(|joint| path.derivatives(joint, at)).collect();
            fastest[place] = fastest_on(&shape, &limits.velocity);
            if place < 2 || !is_straight {
                self.blocks.extend(BarrierBlock::all(&rows(&shape, is_straight, &limits.acceleration, jerk)));
            }
            blocks[place + 1] = self.blocks.len();
        }
        self.last_fastest = fastest[1];
        self.intervals.push(NodeInterval { length, sides: path.sides, blocks, fastest: [fastest[0], fastest[2]] });
    }

    /// From rest with constant jerk J: ẋ = J t²/2 at J t³/6, which is x^(3/2) = (9/2) J s².
    fn bound_ends(&mut self, run: &Run, jerk: &[f64]) {
        let last = &run[run.len() - 1];
        let most = |segment: &CurveSegment, offset: f64, ramp: f64| {
            (4.5 * path_limit(segment, offset, jerk) * ramp * ramp).powf(2.0 / 3.0)
        };
        let [first, at_last] = [most(&run[0], 0.0, self.ramps[0]), most(last, last.length, self.ramps[1])];
        self.intervals[0].fastest[0] = self.intervals[0].fastest[0].min(first);
        self.last_fastest = self.last_fastest.min(at_last);
    }

    /// The rows of the left end of an interval, of its right end and of its middle.
    #[inline(always)]
    pub(crate) fn blocks(&self, k: usize) -> [&[BarrierBlock]; 3] {
        let [left, right, middle, end] = self.intervals[k].blocks;
        [&self.blocks[left..right], &self.blocks[right..middle], &self.blocks[middle..end]]
    }

    /// Tightens limits on interval `k` by the ratios that the curve has there.
    pub(crate) fn tighten(&mut self, k: usize, ratios: &[f64; 3]) {
        let [velocity, acceleration, jerk] = ratios.map(|ratio| ratio.max(1.0));
        let [first, .., end] = self.intervals[k].blocks;
        self.blocks[first..end].iter_mut().for_each(|block| block.tighten(acceleration, jerk));
        let slower = velocity * velocity;
        self.intervals[k].fastest.iter_mut().for_each(|fastest| *fastest /= slower);
        match self.intervals.get_mut(k + 1) {
            Some(next) => {
                next.fastest[0] /= slower;
                let [first, end, ..] = next.blocks;
                self.blocks[first..end].iter_mut().for_each(|block| block.tighten(acceleration, 1.0));
            }
            None => self.last_fastest /= slower,
        }
    }
}

/// The path on an interval.
struct IntervalPath<'a> {
    run: &'a Run,
    sides: [Side; 2],
    length: f64,
    /// Over breaks of the path, quintics that agree with it at both ends: what the curve in time sees of it. Its own third
    /// derivative is another one on every segment.
    quintics: Option<Vec<Coefficients>>,
}

impl<'a> IntervalPath<'a> {
    fn new(run: &'a Run, sides: [Side; 2], length: f64) -> Self {
        let mut path = Self { run, sides, length, quintics: None };
        if sides[0].segment != sides[1].segment {
            let quintic_of = |joint: usize| {
                let [start, end] = sides.map(|side| {
                    let [position, tangent, curvature, _] = run[side.segment].derivatives(joint, side.offset);
                    [position, tangent, curvature]
                });
                quintic(start, end, length)
            };
            path.quintics = Some((0..run[0].shape.len()).map(quintic_of).collect());
        }
        path
    }

    fn is_straight(&self) -> bool {
        self.quintics.is_none() && self.run[self.sides[0].segment].is_straight()
    }

    /// γ and its first three derivatives, `at` since the interval began.
    fn derivatives(&self, joint: usize, at: f64) -> [f64; 4] {
        match &self.quintics {
            Some(quintics) => [0, 1, 2, 3].map(|order| evaluate(&quintics[joint], order, at)),
            None => self.run[self.sides[0].segment].derivatives(joint, self.sides[0].offset + at),
        }
    }
}

/// Rows of all joints. On a straight all joints are in proportion: one of them rules.
fn rows(shape: &[[f64; 4]], is_straight: bool, acceleration: &[f64], jerk: &[f64]) -> Vec<BarrierRow> {
    let row =
        |(joint, derivatives): (usize, &[f64; 4])| BarrierRow::new(*derivatives, acceleration[joint], jerk[joint]);
    let rows = shape.iter().enumerate().map(row);
    if is_straight { vec![rows.fold(BarrierRow::default(), ruling)] } else { rows.collect() }
}

/// Largest squared speed.
fn fastest_on(shape: &[[f64; 4]], velocity: &[f64]) -> f64 {
    let ratio = |([_, tangent, ..], limit): (&[f64; 4], &f64)| tangent.abs() / limit;
    let slowest = shape.iter().zip(velocity).map(ratio).fold(0.0, f64::max);
    1.0 / (slowest * slowest)
}

/// Of two rows of a straight the factors that are larger.
fn ruling(one: BarrierRow, other: BarrierRow) -> BarrierRow {
    let mut most = one;
    most.acceleration[0] = one.acceleration[0].max(other.acceleration[0].abs());
    most.jerk[0] = one.jerk[0].max(other.jerk[0].abs());
    most
}

/// Largest derivative of the path parameter that a limit allows where the path is straight.
fn path_limit(segment: &CurveSegment, offset: f64, limits: &[f64]) -> f64 {
    let ratio = |joint: usize| limits[joint] / segment.derivatives(joint, offset)[1].abs();
    (0..limits.len()).map(ratio).fold(f64::INFINITY, f64::min)
}

fn first_ramp(segment: &CurveSegment, offset: f64, limits: &Limits, jerk: &[f64]) -> f64 {
    let (a, j) = (path_limit(segment, offset, &limits.acceleration), path_limit(segment, offset, jerk));
    j * (FIRST_NODE_RAMP_RATIO * a / j).powi(3) / 6.0
}

/// Finds the segment of ascending places of a run.
struct Locator<'a> {
    run: &'a Run,
    index: usize,
    /// Path parameter at which the segment begins, since the run began.
    begin: f64,
}

impl Locator<'_> {
    /// The segment that goes on after `at`, and how far into it that is.
    fn after(&mut self, at: f64) -> (usize, f64) {
        self.advance(|end, length| end <= at + ARC_LENGTH_ROUNDING * length);
        (self.index, (at - self.begin).max(0.0))
    }

    /// The segment that leads to `at`, and how far into it that is.
    fn before(&mut self, at: f64) -> (usize, f64) {
        self.advance(|end, length| end < at - ARC_LENGTH_ROUNDING * length);
        (self.index, (at - self.begin).min(self.run[self.index].length))
    }

    fn advance(&mut self, passed: impl Fn(f64, f64) -> bool) {
        while self.index + 1 < self.run.len() {
            let length = self.run[self.index].length.min(self.run[self.index + 1].length);
            let end = self.run[self.index + 1].arc_length - self.run[0].arc_length;
            if !passed(end, length) {
                break;
            }
            self.index += 1;
            self.begin = end;
        }
    }
}
