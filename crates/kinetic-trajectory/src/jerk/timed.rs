//! From the speed along runs to the curve in time.

use kinetic_core::curve::{Coefficients, enclosure, evaluate, extremes, tight_enclosure};
use kinetic_core::{Limits, PiecewisePolynomial, Result};

use super::barrier::Spline;
use super::grid::{Grid, Side};
use super::part::{Part, quickest};
use crate::geometry::PathGeometry;
use crate::ratios::limit_ratios_watched;
use crate::samples::quintic;
use crate::state::{AxisLimits, AxisState, Phases, line_motion};
use crate::watch::Watch;
use crate::wide::{Run, Stretch};

/// What the barrier may cost at the beginning and at the end of every round, as part of the time. After each round limits
/// are tightened where the curve between nodes exceeds them.
const GAPS: [[f64; 2]; 4] = [[1.0, 0.03], [0.03, 0.01], [0.01, 3e-3], [3e-3, 3e-3]];

/// Rounds of making room for the rounding of knots, and the excess that the reserve covers.
const ROUNDS_OF_ROUNDING: i32 = 8;
const ROUNDING: f64 = 2e-9;

/// What a piece too short for the clock may move.
const SHORTEST_WAY: f64 = 1e-13;

/// Nodes and weights of the Gauss–Legendre rule of five points on [0, 1].
const GAUSS: [(f64, f64); 5] = [
    (0.046_910_077_030_668, 0.118_463_442_528_095),
    (0.230_765_344_947_158, 0.239_314_335_249_683),
    (0.5, 0.284_444_444_444_444),
    (0.769_234_655_052_841, 0.239_314_335_249_683),
    (0.953_089_922_969_332, 0.118_463_442_528_095),
];

/// A moment: path parameter, speed and acceleration along the path.
type Moment = [f64; 3];

/// A piece of the curve.
pub(super) struct Piece {
    pub(super) duration: f64,
    /// Path parameter since the run began, at both ends.
    pub(super) offsets: [f64; 2],
    /// The same as a polynomial of time.
    pub(super) law: Coefficients,
    rows: Vec<Coefficients>,
    /// True when its path is straight.
    is_straight: bool,
}

/// The timed curve of the runs so far.
pub(crate) struct Timed<'a> {
    line: &'a PathGeometry,
    knots: Vec<f64>,
    coefficients: Vec<Coefficients>,
    /// Path parameter at which the run of each piece begins, and the parameter since then as a polynomial of time.
    stations: Vec<(f64, Coefficients)>,
    /// Bound on the distance between the curve and the polyline.
    pub(crate) deviation: f64,
}

impl<'a> Timed<'a> {
    pub(crate) fn new(line: &'a PathGeometry) -> Self {
        Self { line, knots: vec![0.0], coefficients: Vec::new(), stations: Vec::new(), deviation: 0.0 }
    }

    /// Appends a run, with stops where these are quicker; `None` when its times cannot be represented.
    pub(crate) fn push_run(&mut self, run: &Run, limits: &Limits) -> Option<()> {
        quickest(self.line, run, limits)?.into_iter().try_for_each(|part| self.push_part(part))
    }

    fn push_part(&mut self, part: Part) -> Option<()> {
        let origin = part.run[0].station;
        for (index, piece) in part.pieces.into_iter().enumerate() {
            self.line.watch.check_at(index).ok()?;
            let end = self.knots[self.knots.len() - 1] + piece.duration;
            self.deviation = self.deviation.max(deviation(self.line, &part.run, &piece));
            // Below the resolution of the clock nothing may move.
            if end > self.knots[self.knots.len() - 1] {
                self.knots.push(end);
                self.coefficients.extend_from_slice(&piece.rows);
                self.stations.push((origin, piece.law));
            } else if piece.offsets[1] - piece.offsets[0] > SHORTEST_WAY {
                return None;
            }
        }
        Some(())
    }

    /// Makes the motion slower until limits hold on the curve as it is: knots are rounded, which shows where pieces are
    /// far shorter than the whole.
    pub(crate) fn settle(&mut self, usable: &Limits) -> Result<()> {
        for round in 0..ROUNDS_OF_ROUNDING {
            let found = limit_ratios_watched(&self.curve()?, usable, &self.line.watch)?;
            let slower = found.velocity.max(found.acceleration.sqrt()).max(found.jerk.unwrap_or(0.0).cbrt());
            if slower <= 1.0 + ROUNDING {
                break;
            }
            let slower = slower * (1.0 + ROUNDING * 8.0_f64.powi(round));
            self.knots.iter_mut().for_each(|knot| *knot *= slower);
            self.coefficients.iter_mut().chain(self.stations.iter_mut().map(|(_, law)| law)).for_each(|row| {
                stretch_time(row, slower);
            });
        }
        Ok(())
    }

    pub(crate) fn curve(&self) -> Result<PiecewisePolynomial> {
        PiecewisePolynomial::new(self.line.dof(), self.knots.clone(), self.coefficients.clone())
    }

    /// Times at which the path parameter takes the values `stations` (ascending).
    pub(crate) fn waypoint_times(&self, stations: &[f64]) -> Vec<f64> {
        let (last, pieces) = (stations.len() - 1, self.stations.len());
        let begin = |piece: usize| self.stations[piece].0 + self.stations[piece].1[0];
        let mut piece = 0;
        let mut times: Vec<f64> = Vec::with_capacity(stations.len());
        for (index, station) in stations.iter().enumerate() {
            while piece + 1 < pieces && begin(piece + 1) <= *station {
                piece += 1;
            }
            let span = self.knots[piece + 1] - self.knots[piece];
            let time = self.knots[piece] + first_reaching(&self.stations[piece], *station, span);
            let earliest = times.last().copied().unwrap_or(0.0);
            times.push(match index {
                0 => 0.0,
                _ if index == last => self.knots[pieces],
                _ => time.max(earliest.next_up()),
            });
        }
        times
    }
}

/// Time since a piece began at which it reaches a station, by halving.
fn first_reaching((origin, law): &(f64, Coefficients), station: f64, span: f64) -> f64 {
    let (mut low, mut high) = (0.0, span);
    for _ in 0..50 {
        let middle = f64::midpoint(low, high);
        if origin + evaluate(law, 0, middle) < station { low = middle } else { high = middle }
    }
    if origin + law[0] >= station { 0.0 } else { high }
}

impl Piece {
    /// The same piece `factor` times as long.
    pub(super) fn stretch_time(&mut self, factor: f64) {
        self.duration *= factor;
        for row in self.rows.iter_mut().chain([&mut self.law]) {
            stretch_time(row, factor);
        }
    }

    /// Largest part of a limit that it uses: of velocity, √ of acceleration, ∛ of jerk, so that one factor of time takes
    /// each back to its limit.
    fn ratios(&self, limits: &Limits) -> [f64; 3] {
        let mut found = [0.0_f64; 3];
        let jerk = limits.jerk.as_deref().unwrap_or(&[]);
        for (order, limits) in [&limits.velocity[..], &limits.acceleration[..], jerk].into_iter().enumerate() {
            for (row, limit) in self.rows.iter().zip(limits) {
                let loose = enclosure(row, order + 1, 0.0, self.duration);
                let mut most = loose.1.max(-loose.0) / limit;
                if most > found[order] && most > 0.98 {
                    let tight = extremes(row, order + 1, 0.0, self.duration, 1e-10 * limit);
                    most = tight.high.max(-tight.low) / limit;
                }
                found[order] = found[order].max(most);
            }
        }
        found
    }
}

/// Factor of time after which limits hold that are used by these parts.
pub(super) fn slowing([velocity, acceleration, jerk]: &[f64; 3]) -> f64 {
    velocity.max(acceleration.sqrt()).max(jerk.cbrt())
}

/// A straight from rest to rest.
pub(super) fn straight_pieces(stretch: &Stretch, limits: &Limits) -> Option<Vec<Piece>> {
    let jerk = limits.jerk.as_deref()?;
    let along = |limits: &[f64]| {
        let ratio = |(row, limit): (&Coefficients, &f64)| limit / row[1].abs();
        stretch.shape.iter().zip(limits).map(ratio).fold(f64::INFINITY, f64::min)
    };
    let limits = AxisLimits::symmetric(along(&limits.velocity), along(&limits.acceleration), along(jerk));
    let target = AxisState { position: stretch.length, ..AxisState::default() };
    let motion: Phases = line_motion(&target, &limits);
    let mut pieces = Vec::new();
    for (duration, jerk, state) in motion.iter() {
        let law = [state.position, state.velocity, state.acceleration / 2.0, jerk / 6.0, 0.0, 0.0];
        let row = |shape: &Coefficients| {
            let mut row = law.map(|value| shape[1] * value);
            row[0] += shape[0];
            row
        };
        let end = state.after(duration, jerk).position;
        let rows = stretch.shape.iter().map(row).collect();
        pieces.push(Piece { duration, offsets: [state.position, end], law, rows, is_straight: true });
    }
    Some(pieces)
}

/// A run with corners, from rest to rest.
pub(super) fn curved_pieces(run: &Run, limits: &Limits, watch: &Watch) -> Option<Vec<Piece>> {
    let jerk = limits.jerk.as_deref()?;
    let mut grid = Grid::new(run, limits, jerk);
    grid.watch = watch.clone();
    let mut best: Option<(f64, Vec<Piece>)> = None;
    let mut guess = None;
    for (round, gaps) in GAPS.into_iter().enumerate() {
        let spline = Spline::fastest(&grid, guess.take(), gaps)?;
        watch.check().ok()?;
        let pieces = pieces_of(run, &grid, &spline);
        watch.check().ok()?;
        let ratios = ratios(&pieces, limits, watch)?;
        let slower = ratios.iter().map(slowing).fold(0.0, f64::max);
        let time = slower * pieces.iter().map(|piece| piece.duration).sum::<f64>();
        if time.is_finite() && best.as_ref().is_none_or(|(least, _)| time < *least) {
            best = Some((time, pieces));
        }
        if round + 1 == GAPS.len() {
            break;
        }
        guess = Some(spline.into_coefficients());
        // The ramps from and to rest are the first and the last piece.
        for (k, ratios) in ratios[1..ratios.len() - 1].iter().enumerate() {
            grid.tighten(k, ratios);
        }
    }
    best.map(|(_, pieces)| pieces)
}

/// Those of every piece; `None` when the work is over.
pub(super) fn ratios(pieces: &[Piece], limits: &Limits, watch: &Watch) -> Option<Vec<[f64; 3]>> {
    let of = |(index, piece): (usize, &Piece)| watch.check_at(index).ok().map(|()| piece.ratios(limits));
    pieces.iter().enumerate().map(of).collect()
}

/// Pieces between the nodes of a grid, ramps from and to rest included.
fn pieces_of(run: &Run, grid: &Grid, spline: &Spline<'_>) -> Vec<Piece> {
    let last = grid.sides.len() - 1;
    let end = Side { stretch: run.len() - 1, offset: run[run.len() - 1].length, first: 0, count: 0 };
    let mut pieces = Vec::with_capacity(last + 3);
    for k in 0..=last {
        let ([left, right], slopes, bend) = spline.interval(k);
        let h = grid.nodes[k + 1] - grid.nodes[k];
        let moments =
            [[grid.nodes[k], left.sqrt(), 0.5 * slopes[0]], [grid.nodes[k + 1], right.sqrt(), 0.5 * slopes[1]]];
        let speed = |part: f64| (left + part * h * (slopes[0] + 0.5 * part * h * bend)).sqrt();
        let duration: f64 = GAUSS.iter().map(|(part, weight)| weight * h / speed(*part)).sum();
        if k == 0 {
            let start = Side { stretch: 0, offset: 0.0, ..end };
            let time = 3.0 * grid.ramps[0] / moments[0][1];
            pieces.push(piece(run, &[start, grid.sides[0][0]], [[0.0; 3], moments[0]], time));
        }
        pieces.push(piece(run, &grid.sides[k], moments, duration));
        if k == last {
            let time = 3.0 * grid.ramps[1] / moments[1][1];
            let rest = [grid.nodes[k + 1] + grid.ramps[1], 0.0, 0.0];
            pieces.push(piece(run, &[grid.sides[k][1], end], [moments[1], rest], time));
        }
    }
    pieces
}

/// The quintics between two moments, seen from the stretches of the two sides.
fn piece(run: &Run, sides: &[Side; 2], moments: [Moment; 2], duration: f64) -> Piece {
    let state = |joint: usize, end: usize| {
        let [position, tangent, curvature, _] = run[sides[end].stretch].derivatives(joint, sides[end].offset);
        let [_, speed, acceleration] = moments[end];
        [position, tangent * speed, curvature * speed * speed + tangent * acceleration]
    };
    let dof = run[0].shape.len();
    let rows = (0..dof).map(|joint| quintic(state(joint, 0), state(joint, 1), duration)).collect();
    let is_straight = sides[0].stretch == sides[1].stretch && run[sides[0].stretch].is_straight();
    let law = quintic(moments[0], moments[1], duration);
    Piece { duration, offsets: [moments[0][0], moments[1][0]], law, rows, is_straight }
}

/// Bound on the distance of a piece from the polyline: from its point of the same path parameter.
///
/// Between two vertices that point is a polynomial of time as well. The difference lies in the convex hull of its
/// Bernstein points. A piece that passes a vertex is cut there.
fn deviation(line: &PathGeometry, run: &Run, piece: &Piece) -> f64 {
    if piece.is_straight {
        return 0.0;
    }
    let [from, to] = piece.offsets.map(|offset| run[0].station + offset);
    let first = line.stations.partition_point(|station| *station <= from).saturating_sub(1);
    let last = line.stations.partition_point(|station| *station < to).clamp(first + 1, line.directions.len());
    let law = (run[0].station, piece.law);
    let reach = |station: f64| first_reaching(&law, station, piece.duration);
    let mut begin = 0.0;
    let mut farthest = 0.0_f64;
    for segment in first..last {
        let end = if segment + 1 < last { reach(line.stations[segment + 1]) } else { piece.duration };
        farthest = farthest.max(distance_from(line, segment, run[0].station, piece, [begin, end]));
        begin = end;
    }
    farthest
}

/// Bound on the distance of a part of a piece from a segment: that from its points of the same path parameter, and how far
/// the parameter runs beyond its ends.
fn distance_from(line: &PathGeometry, segment: usize, origin: f64, piece: &Piece, [begin, end]: [f64; 2]) -> f64 {
    let mut squares = [0.0; 6];
    for (joint, row) in piece.rows.iter().enumerate() {
        let direction = line.directions[segment][joint];
        let mut difference: Coefficients = std::array::from_fn(|power| row[power] - direction * piece.law[power]);
        difference[0] -= line.vertices[segment][joint] + direction * (origin - line.stations[segment]);
        let points = bernstein(&shifted(&difference, begin), end - begin);
        squares.iter_mut().zip(points).for_each(|(square, point)| *square += point * point);
    }
    let from = line.stations[segment] - origin;
    let within = [from, from + line.lengths[segment]];
    squares.into_iter().fold(0.0, f64::max).sqrt() + excess(&piece.law, [begin, end], within)
}

/// How far a polynomial leaves the range `low` to `high` between two times.
fn excess(law: &Coefficients, [begin, end]: [f64; 2], [low, high]: [f64; 2]) -> f64 {
    let beyond = |(least, most): (f64, f64)| (low - least).max(most - high).max(0.0);
    let slack = SHORTEST_WAY * (1.0 + high.abs());
    let loose = beyond(enclosure(law, 0, begin, end));
    if loose <= slack { loose } else { beyond(tight_enclosure(law, 0, begin, end, slack)) }
}

/// The same polynomial in powers of t − `begin`.
fn shifted(row: &Coefficients, begin: f64) -> Coefficients {
    let mut row = *row;
    for lowest in 0..row.len() - 1 {
        for power in (lowest..row.len() - 1).rev() {
            row[power] += begin * row[power + 1];
        }
    }
    row
}

/// The same polynomial, `factor` times as slow.
fn stretch_time(row: &mut Coefficients, factor: f64) {
    let mut scale = 1.0;
    for value in row.iter_mut() {
        *value *= scale;
        scale /= factor;
    }
}

/// Bernstein points of a polynomial on [0, `h`].
fn bernstein(row: &Coefficients, h: f64) -> [f64; 6] {
    const BINOMIAL: [f64; 6] = [1.0, 5.0, 10.0, 10.0, 5.0, 1.0];
    let mut points = *row;
    let mut width = 1.0;
    for (point, binomial) in points.iter_mut().zip(BINOMIAL) {
        *point *= width / binomial;
        width *= h;
    }
    for round in 1..6 {
        for index in (round..6).rev() {
            points[index] += points[index - 1];
        }
    }
    points
}
