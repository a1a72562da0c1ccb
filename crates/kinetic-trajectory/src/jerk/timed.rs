//! The curve in time from the squared path speed.

use kinetic_core::curve::{Coefficients, enclosure, evaluate, tight_enclosure};
use kinetic_core::{Limits, PiecewisePolynomial, Result};

use super::part::{Part, quickest};
use super::piece::{JerkPiece, scale_time};
use crate::corners::wide::Run;
use crate::geometry::PathGeometry;
use crate::ratios::limit_ratios_watched;

/// Rounds of repairs of the rounding of knots, and the part above a limit that the reserve makes up for.
const MAX_ROUNDING_REPAIRS: i32 = 8;
const LIMIT_ROUNDING: f64 = 2e-9;

/// What a piece too short for the clock may move.
const SHORTEST_PIECE_RAD_M: f64 = 1e-13;

/// The timed curve of the runs so far.
pub(crate) struct Timed<'a> {
    line: &'a PathGeometry,
    knots: Vec<f64>,
    coefficients: Vec<Coefficients>,
    /// Path parameter at which the run of each piece begins, and the parameter since then as a polynomial of time.
    arc_lengths: Vec<(f64, Coefficients)>,
    /// Bound on the distance between the curve and the polyline.
    pub(crate) deviation: f64,
}

impl<'a> Timed<'a> {
    pub(crate) fn new(line: &'a PathGeometry) -> Self {
        Self { line, knots: vec![0.0], coefficients: Vec::new(), arc_lengths: Vec::new(), deviation: 0.0 }
    }

    /// Appends a run, with stops where these are quicker; `None` when its times cannot be represented.
    pub(crate) fn push_run(&mut self, run: &Run, limits: &Limits) -> Option<()> {
        quickest(self.line, run, limits)?.into_iter().try_for_each(|part| self.push_part(part))
    }

    fn push_part(&mut self, part: Part) -> Option<()> {
        let origin = part.run[0].arc_length;
        for (index, piece) in part.pieces.into_iter().enumerate() {
            self.line.watch.check_at(index).ok()?;
            let end = self.knots[self.knots.len() - 1] + piece.duration;
            self.deviation = self.deviation.max(deviation(self.line, &part.run, &piece));
            // Below the resolution of the clock nothing may move.
            if end > self.knots[self.knots.len() - 1] {
                self.knots.push(end);
                self.coefficients.extend_from_slice(&piece.rows);
                self.arc_lengths.push((origin, piece.law));
            } else if piece.offsets[1] - piece.offsets[0] > SHORTEST_PIECE_RAD_M {
                return None;
            }
        }
        Some(())
    }

    /// The curve, made slower until limits hold on it as it is: knots are rounded, which shows where pieces are far shorter than
    /// the whole.
    pub(crate) fn repair(&mut self, usable: &Limits) -> Result<PiecewisePolynomial> {
        let mut curve = self.curve()?;
        for round in 0..MAX_ROUNDING_REPAIRS {
            let found = limit_ratios_watched(&curve, usable, &self.line.watch)?;
            let slower = found.velocity.max(found.acceleration.sqrt()).max(found.jerk.unwrap_or(0.0).cbrt());
            if slower <= 1.0 + LIMIT_ROUNDING {
                break;
            }
            let slower = slower * (1.0 + LIMIT_ROUNDING * 8.0_f64.powi(round));
            self.knots.iter_mut().for_each(|knot| *knot *= slower);
            self.coefficients.iter_mut().chain(self.arc_lengths.iter_mut().map(|(_, law)| law)).for_each(|row| {
                scale_time(row, slower);
            });
            curve = self.curve()?;
        }
        Ok(curve)
    }

    fn curve(&self) -> Result<PiecewisePolynomial> {
        PiecewisePolynomial::new(self.line.dof(), self.knots.clone(), self.coefficients.clone())
    }

    /// Times at which the path parameter takes the values `arc_lengths` (ascending).
    pub(crate) fn waypoint_times(&self, arc_lengths: &[f64]) -> Vec<f64> {
        let (last, pieces) = (arc_lengths.len() - 1, self.arc_lengths.len());
        let begin = |piece: usize| self.arc_lengths[piece].0 + self.arc_lengths[piece].1[0];
        let mut piece = 0;
        let mut times: Vec<f64> = Vec::with_capacity(arc_lengths.len());
        for (index, arc_length) in arc_lengths.iter().enumerate() {
            while piece + 1 < pieces && begin(piece + 1) <= *arc_length {
                piece += 1;
            }
            let span = self.knots[piece + 1] - self.knots[piece];
            let time = self.knots[piece] + first_reaching(&self.arc_lengths[piece], *arc_length, span);
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

/// Time since a piece began at which it reaches an arc length, by halving.
fn first_reaching((origin, law): &(f64, Coefficients), arc_length: f64, span: f64) -> f64 {
    let (mut low, mut high) = (0.0, span);
    for _ in 0..50 {
        let middle = f64::midpoint(low, high);
        if origin + evaluate(law, 0, middle) < arc_length { low = middle } else { high = middle }
    }
    if origin + law[0] >= arc_length { 0.0 } else { high }
}

/// Bound on the distance of a piece from the polyline: from its point of the same path parameter.
///
/// Between two vertices that point is a polynomial of time as well. The difference lies in the convex hull of its
/// Bernstein points. A piece that passes a vertex is cut there.
fn deviation(line: &PathGeometry, run: &Run, piece: &JerkPiece) -> f64 {
    if piece.is_straight {
        return 0.0;
    }
    let [from, to] = piece.offsets.map(|offset| run[0].arc_length + offset);
    let first = line.arc_lengths.partition_point(|arc_length| *arc_length <= from).saturating_sub(1);
    let last = line.arc_lengths.partition_point(|arc_length| *arc_length < to).clamp(first + 1, line.directions.len());
    let law = (run[0].arc_length, piece.law);
    let time_at = |arc_length: f64| first_reaching(&law, arc_length, piece.duration);
    let mut begin = 0.0;
    let mut farthest = 0.0_f64;
    for segment in first..last {
        let end = if segment + 1 < last { time_at(line.arc_lengths[segment + 1]) } else { piece.duration };
        farthest = farthest.max(distance_from(line, segment, run[0].arc_length, piece, [begin, end]));
        begin = end;
    }
    farthest
}

/// Bound on the distance of a part of a piece from a segment: that from its points of the same path parameter, and how far
/// the parameter runs beyond its ends.
fn distance_from(line: &PathGeometry, segment: usize, origin: f64, piece: &JerkPiece, [begin, end]: [f64; 2]) -> f64 {
    let mut squares = [0.0; 6];
    for (joint, row) in piece.rows.iter().enumerate() {
        let direction = line.directions[segment][joint];
        let mut difference: Coefficients = std::array::from_fn(|power| row[power] - direction * piece.law[power]);
        difference[0] -= line.vertices[segment][joint] + direction * (origin - line.arc_lengths[segment]);
        let points = bernstein(&shifted(&difference, begin), end - begin);
        squares.iter_mut().zip(points).for_each(|(square, point)| *square += point * point);
    }
    let from = line.arc_lengths[segment] - origin;
    let within = [from, from + line.lengths[segment]];
    squares.into_iter().fold(0.0, f64::max).sqrt() + hausdorff_distance(&piece.law, [begin, end], within)
}

/// One-sided Hausdorff distance of a polynomial between two times from the range `low` to `high`.
fn hausdorff_distance(law: &Coefficients, [begin, end]: [f64; 2], [low, high]: [f64; 2]) -> f64 {
    let beyond = |(least, most): (f64, f64)| (low - least).max(most - high).max(0.0);
    let slack = SHORTEST_PIECE_RAD_M * (1.0 + high.abs());
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
