//! Motion along a curved part of the path, from rest to rest.

use kinetic_core::Limits;

use super::grid::{NodeGrid, Side};
use super::piece::{JerkPiece, ratios, slowing};
use super::spline::Spline;
use crate::corners::wide::Run;
use crate::samples::quintic;
use crate::watch::Watch;

/// What the barrier may cost as part of the time: where the first round begins, and where each one ends.
const FIRST_BARRIER_GAP: f64 = 1.0;
const BARRIER_GAP: f64 = 5e-3;

/// Rounds at most. After each one limits are tightened where the curve between nodes exceeds them.
const MAX_TIGHTENINGS: usize = 3;

/// Factor of time for the limits that is not worth another round.
const ACCEPTED_SLOWDOWN: f64 = 1.003;

/// Nodes and weights of the Gauss–Legendre rule of five points on [0, 1].
const GAUSS: [(f64, f64); 5] = [
    (0.046_910_077_030_668, 0.118_463_442_528_095),
    (0.230_765_344_947_158, 0.239_314_335_249_683),
    (0.5, 0.284_444_444_444_444),
    (0.769_234_655_052_841, 0.239_314_335_249_683),
    (0.953_089_922_969_332, 0.118_463_442_528_095),
];

/// The pieces, and the factor of time after which they hold the limits; `None` when there is no motion.
pub(super) fn curved_pieces(run: &Run, limits: &Limits, watch: &Watch) -> Option<(Vec<JerkPiece>, f64)> {
    let jerk = limits.jerk.as_deref()?;
    let mut grid = NodeGrid::new(run, limits, jerk);
    grid.watch = watch.clone();
    let mut best: Option<(f64, Vec<JerkPiece>, f64)> = None;
    let mut guess = None;
    for round in 0..MAX_TIGHTENINGS {
        let begin = if round == 0 { FIRST_BARRIER_GAP } else { BARRIER_GAP };
        let spline = Spline::fastest(&grid, guess.take(), [begin, BARRIER_GAP])?;
        watch.check().ok()?;
        let pieces = pieces_of(run, &grid, &spline);
        watch.check().ok()?;
        let ratios = ratios(&pieces, limits, watch)?;
        let slower = ratios.iter().map(slowing).fold(0.0, f64::max);
        let time = slower * pieces.iter().map(|piece| piece.duration).sum::<f64>();
        if time.is_finite() && best.as_ref().is_none_or(|(least, ..)| time < *least) {
            best = Some((time, pieces, slower));
        }
        if slower <= ACCEPTED_SLOWDOWN {
            break;
        }
        guess = Some(spline.into_coefficients());
        // The ramps from and to rest are the first and the last piece.
        for (k, ratios) in ratios[1..ratios.len() - 1].iter().enumerate() {
            grid.tighten(k, ratios);
        }
    }
    best.map(|(_, pieces, slower)| (pieces, slower))
}

/// Pieces between the nodes of a grid, ramps from and to rest included.
fn pieces_of(run: &Run, grid: &NodeGrid, spline: &Spline<'_>) -> Vec<JerkPiece> {
    let last = grid.intervals.len() - 1;
    let mut pieces = Vec::with_capacity(last + 3);
    let mut before = MotionMoment::at_rest(run, Side { segment: 0, offset: 0.0 }, 0.0);
    for (k, interval) in grid.intervals.iter().enumerate() {
        let ([left, right], slopes, bend) = spline.interval(k);
        let h = interval.length;
        if k == 0 {
            let begin = MotionMoment::new(run, interval.sides[0], [grid.nodes[0], left.sqrt(), 0.5 * slopes[0]]);
            pieces.push(before.piece_to(&begin, 3.0 * grid.ramps[0] / left.sqrt(), run[0].is_straight()));
            before = begin;
        }
        let end = MotionMoment::new(run, interval.sides[1], [grid.nodes[k + 1], right.sqrt(), 0.5 * slopes[1]]);
        let speed = |part: f64| (left + part * h * (slopes[0] + 0.5 * part * h * bend)).sqrt();
        let duration = GAUSS.iter().map(|(part, weight)| weight * h / speed(*part)).sum();
        let [first, second] = interval.sides.map(|side| side.segment);
        pieces.push(before.piece_to(&end, duration, first == second && run[first].is_straight()));
        before = end;
    }
    let side = Side { segment: run.len() - 1, offset: run[run.len() - 1].length };
    let rest = MotionMoment::at_rest(run, side, grid.nodes[last + 1] + grid.ramps[1]);
    pieces.push(before.piece_to(&rest, 3.0 * grid.ramps[1] / before.law[1], run[side.segment].is_straight()));
    pieces
}

/// A moment of the motion.
struct MotionMoment {
    /// Path parameter, speed and acceleration along the path.
    law: [f64; 3],
    /// Position, velocity and acceleration of every joint.
    states: Vec<[f64; 3]>,
}

impl MotionMoment {
    fn new(run: &Run, side: Side, law: [f64; 3]) -> Self {
        let [_, speed, acceleration] = law;
        let state = |joint: usize| {
            let [position, tangent, curvature, _] = run[side.segment].derivatives(joint, side.offset);
            [position, tangent * speed, curvature * speed * speed + tangent * acceleration]
        };
        Self { law, states: (0..run[0].shape.len()).map(state).collect() }
    }

    fn at_rest(run: &Run, side: Side, parameter: f64) -> Self {
        Self::new(run, side, [parameter, 0.0, 0.0])
    }

    /// The quintics from here to another moment.
    fn piece_to(&self, end: &Self, duration: f64, is_straight: bool) -> JerkPiece {
        let rows = self.states.iter().zip(&end.states).map(|(from, to)| quintic(*from, *to, duration)).collect();
        let (law, offsets) = (quintic(self.law, end.law, duration), [self.law[0], end.law[0]]);
        JerkPiece { duration, offsets, law, rows, is_straight }
    }
}
