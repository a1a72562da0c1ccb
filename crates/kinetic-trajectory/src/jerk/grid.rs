//! Where a run is looked at, and what each limit says there.

use kinetic_core::Limits;

use crate::watch::Watch;
use crate::wide::{Run, Stretch};

/// Intervals on half of a corner.
const PARTS_OF_A_CORNER: f64 = 3.0;

/// Intervals between two breaks at most.
const MOST_PARTS: u32 = 64;

/// Breaks of the path that are closer than this part of the spacing around are looked at together.
const CLOSE: f64 = 0.3;

/// Intervals of a long straight at least.
const PARTS_OF_A_STRAIGHT: f64 = 8.0;

/// Neighbouring intervals differ by this factor at most where lengths are graded.
const GROWTH: f64 = 1.6;

/// On curved stretches lengths are graded where the spacing next to one is smaller by more than this factor.
const STEEPEST: f64 = 8.0;

/// Part of the time of a full ramp of acceleration that the motion from rest takes to the first node.
const FIRST_RAMP: f64 = 0.3;

/// Part of a stretch that rounding may move its ends.
const ROUNDING: f64 = 1e-9;

/// γ′, γ″ and γ‴ of a joint, each divided by its limit of velocity, acceleration or jerk as used.
pub(crate) type Row = [f64; 3];

/// One side of a node: the rows of every joint that can matter there.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Side {
    pub(crate) stretch: usize,
    pub(crate) offset: f64,
    /// Where its rows begin, and their number.
    pub(crate) first: usize,
    pub(crate) count: usize,
}

/// Nodes of a run from the end of the first ramp to the beginning of the last.
#[derive(Debug, Clone)]
pub(crate) struct Grid {
    /// Path parameter since the run began.
    pub(crate) nodes: Vec<f64>,
    /// Lengths of the ramps from and to rest.
    pub(crate) ramps: [f64; 2],
    /// The two ends of every interval.
    pub(crate) sides: Vec<[Side; 2]>,
    /// Rows of acceleration: γ′ and γ″ by the limit; the last value is free.
    pub(crate) acceleration: Vec<Row>,
    /// Rows of jerk.
    pub(crate) jerk: Vec<Row>,
    /// Largest squared speed at every node.
    pub(crate) fastest: Vec<f64>,
    /// Ends the search.
    pub(crate) watch: Watch,
}

impl Grid {
    pub(crate) fn new(run: &Run, limits: &Limits, jerk: &[f64]) -> Self {
        let length: f64 = run.iter().map(|stretch| stretch.length).sum();
        let ramp = |stretch: &Stretch, offset: f64| first_ramp(stretch, offset, limits, jerk);
        let last = &run[run.len() - 1];
        let ramps = [ramp(&run[0], 0.0).min(run[0].length / 8.0), ramp(last, last.length).min(last.length / 8.0)];
        let mut grid = Self {
            nodes: Vec::new(),
            ramps,
            sides: Vec::new(),
            acceleration: Vec::new(),
            jerk: Vec::new(),
            fastest: Vec::new(),
            watch: Watch::default(),
        };
        let ends = [ramps[0], length - ramps[1]];
        grid.nodes = nodes(run, ends, ramps);
        let mut stretches = Locator { run, index: 0, begin: 0.0 };
        for k in 0..grid.nodes.len() - 1 {
            let left = stretches.after(grid.nodes[k]);
            let right = stretches.before(grid.nodes[k + 1]);
            let sides = [left, right].map(|(stretch, offset)| grid.side(run, stretch, offset, limits, jerk));
            grid.sides.push(sides);
        }
        grid.bound_speeds(run, limits, jerk);
        grid
    }

    /// Adds the rows of one side of a node. On a straight all joints are in proportion: one of them rules.
    fn side(&mut self, run: &Run, stretch: usize, offset: f64, limits: &Limits, jerk: &[f64]) -> Side {
        let first = self.acceleration.len();
        let shape = &run[stretch];
        let straight = shape.is_straight();
        let (mut most_acceleration, mut most_jerk) = (0.0_f64, 0.0_f64);
        for joint in 0..limits.dof() {
            let [_, tangent, curvature, third] = shape.derivatives(joint, offset);
            let (a, j) = (limits.acceleration[joint], jerk[joint]);
            if straight {
                most_acceleration = most_acceleration.max(tangent.abs() / a);
                most_jerk = most_jerk.max(tangent.abs() / j);
            } else {
                self.acceleration.push([0.5 * tangent / a, curvature / a, 0.0]);
                self.jerk.push([0.5 * tangent / j, 1.5 * curvature / j, third / j]);
            }
        }
        if straight {
            self.acceleration.push([0.5 * most_acceleration, 0.0, 0.0]);
            self.jerk.push([0.5 * most_jerk, 0.0, 0.0]);
        }
        Side { stretch, offset, first, count: self.acceleration.len() - first }
    }

    fn bound_speeds(&mut self, run: &Run, limits: &Limits, jerk: &[f64]) {
        let at = |side: &Side| {
            let ratio =
                |joint: usize| run[side.stretch].derivatives(joint, side.offset)[1].abs() / limits.velocity[joint];
            (0..limits.dof()).map(ratio).fold(0.0, f64::max).powi(-2)
        };
        let last = self.sides.len();
        self.fastest = (0..=last).map(|node| at(&self.sides[node.min(last - 1)][usize::from(node == last)])).collect();
        // From rest with constant jerk J: ẋ = J t²/2 at J t³/6, which is x^(3/2) = (9/2) J s².
        for (node, ramp, stretch, offset) in
            [(0, self.ramps[0], 0, 0.0), (last, self.ramps[1], run.len() - 1, run[run.len() - 1].length)]
        {
            let most = path_limit(&run[stretch], offset, jerk);
            self.fastest[node] = self.fastest[node].min((4.5 * most * ramp * ramp).powf(2.0 / 3.0));
        }
    }
}

/// Largest derivative of the path parameter that a limit allows where the path is straight.
fn path_limit(stretch: &Stretch, offset: f64, limits: &[f64]) -> f64 {
    let ratio = |joint: usize| limits[joint] / stretch.derivatives(joint, offset)[1].abs();
    (0..limits.len()).map(ratio).fold(f64::INFINITY, f64::min)
}

fn first_ramp(stretch: &Stretch, offset: f64, limits: &Limits, jerk: &[f64]) -> f64 {
    let (a, j) = (path_limit(stretch, offset, &limits.acceleration), path_limit(stretch, offset, jerk));
    j * (FIRST_RAMP * a / j).powi(3) / 6.0
}

/// Finds the stretch of ascending places of a run.
struct Locator<'a> {
    run: &'a Run,
    index: usize,
    /// Path parameter at which the stretch begins, since the run began.
    begin: f64,
}

impl Locator<'_> {
    /// The stretch that goes on after `at`, and how far into it that is.
    fn after(&mut self, at: f64) -> (usize, f64) {
        self.advance(|end, length| end <= at + ROUNDING * length);
        (self.index, (at - self.begin).max(0.0))
    }

    /// The stretch that leads to `at`, and how far into it that is.
    fn before(&mut self, at: f64) -> (usize, f64) {
        self.advance(|end, length| end < at - ROUNDING * length);
        (self.index, (at - self.begin).min(self.run[self.index].length))
    }

    fn advance(&mut self, passed: impl Fn(f64, f64) -> bool) {
        while self.index + 1 < self.run.len() {
            let length = self.run[self.index].length.min(self.run[self.index + 1].length);
            let end = self.run[self.index + 1].station - self.run[0].station;
            if !passed(end, length) {
                break;
            }
            self.index += 1;
            self.begin = end;
        }
    }
}

/// Places between `ends` at which a run is looked at: its breaks, unless they are too close, and places between.
fn nodes(run: &Run, ends: [f64; 2], ramps: [f64; 2]) -> Vec<f64> {
    let spacing: Vec<f64> = (0..run.len()).map(|index| spacing(run, index)).collect();
    let kept = kept_breaks(run, ends, &spacing);
    let mut nodes = vec![ends[0]];
    for (place, pair) in kept.windows(2).enumerate() {
        let [(from, index), (to, next)] = [pair[0], pair[1]];
        let before = if index == 0 { 0.5 * ramps[0] } else { spacing[index - 1] };
        let after = if place + 2 == kept.len() { 0.5 * ramps[1] } else { spacing[next] };
        if run[index].is_straight() {
            let widest = (run[index].length / PARTS_OF_A_STRAIGHT).max(before.min(after));
            nodes.extend_from_slice(&graded(from, to, [before, after], widest)[1..]);
        } else if STEEPEST * before.min(after) < spacing[index] {
            // Out of a narrow corner speed changes by orders of magnitude: no polynomial follows that in one step.
            nodes.extend_from_slice(&graded(from, to, [before, after], spacing[index])[1..]);
        } else {
            nodes.extend_from_slice(&even(from, to, spacing[index])[1..]);
        }
    }
    nodes
}

/// Breaks of a run that are not too close to each other, each with the stretch that begins there; both ends.
fn kept_breaks(run: &Run, ends: [f64; 2], spacing: &[f64]) -> Vec<(f64, usize)> {
    let mut kept = vec![(ends[0], 0)];
    for index in 1..run.len() {
        let near = spacing[index - 1].min(spacing[index]) * CLOSE;
        let at = run[index].station - run[0].station;
        if at - kept[kept.len() - 1].0 > near && ends[1] - at > near {
            kept.push((at, index));
        }
    }
    kept.push((ends[1], run.len() - 1));
    kept
}

/// Offsets from `from` to `to` at equal distances of at most `widest`, unless that is too many.
fn even(from: f64, to: f64, widest: f64) -> Vec<f64> {
    let mut parts = 1_u32;
    while f64::from(parts) * widest < to - from && parts < MOST_PARTS {
        parts += 1;
    }
    let inner = (1..parts).map(|part| from + (to - from) * f64::from(part) / f64::from(parts));
    std::iter::once(from).chain(inner).chain([to]).collect()
}

/// Spacing on a curved stretch, a part of the width of its narrowest corner; infinite on a straight.
fn spacing(run: &Run, index: usize) -> f64 {
    if run[index].is_straight() {
        return f64::INFINITY;
    }
    run[index].width / PARTS_OF_A_CORNER
}

/// Offsets from `from` to `to` whose distances grow from `ends[0]` and shrink to `ends[1]`, none above `widest`.
fn graded(from: f64, to: f64, ends: [f64; 2], widest: f64) -> Vec<f64> {
    let (mut left, mut right) = (vec![from], vec![to]);
    let mut steps = ends.map(|step| (step * GROWTH).min(widest));
    loop {
        let (a, b) = (left[left.len() - 1], right[right.len() - 1]);
        // The smaller step next, so that both meet at the same spacing.
        let side = usize::from(steps[1] < steps[0]);
        if b - a <= 1.5 * steps[side] {
            break;
        }
        if side == 0 {
            left.push(a + steps[0]);
        } else {
            right.push(b - steps[1]);
        }
        steps[side] = (steps[side] * GROWTH).min(widest);
    }
    left.extend(right.into_iter().rev());
    left
}

impl Grid {
    /// Tightens limits on interval `k` by the ratios that the curve has there.
    pub(crate) fn tighten(&mut self, k: usize, [velocity, acceleration, jerk]: &[f64; 3]) {
        for side in &self.sides[k] {
            for index in side.first..side.first + side.count {
                self.acceleration[index] = self.acceleration[index].map(|value| value * acceleration.max(1.0));
                self.jerk[index] = self.jerk[index].map(|value| value * jerk.max(1.0));
            }
        }
        for node in [k, k + 1] {
            self.fastest[node] /= velocity.max(1.0).powi(2);
        }
    }
}
