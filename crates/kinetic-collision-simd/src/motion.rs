//! Motions in configuration space, with bounding boxes of their intervals for continuous collision checking.
//!
//! A motion has a configuration for every parameter, and for every interval a box that contains the configurations in it.

use kinetic_core::PiecewisePolynomial;

/// Distance to a required clearance below which a motion counts as blocked, m. When the motion bound of an undecided
/// interval has shrunk below it, the distance is less than twice this from the required one. 10 µm is far below the
/// accuracy of any model. Whether a motion that comes so close is proven depends on where its intervals lie.
pub const PROOF_RESOLUTION: f64 = 1e-5;

/// As [`PROOF_RESOLUTION`], for timed curves. It is smaller because they follow paths that were proven with other
/// intervals: such a curve must not be refused for where its own intervals lie.
pub const CURVE_RESOLUTION: f64 = 1e-7;

/// Configurations or intervals per batch. It is the same for all register widths, so that results do not depend on the
/// processor.
pub const BATCH: usize = 16;

/// A continuous motion in configuration space over a parameter interval.
pub trait TimedMotion {
    /// Number of intervals in which the motion has one formula each.
    fn pieces(&self) -> usize;

    /// One of these intervals; they ascend.
    fn piece(&self, index: usize) -> (f64, f64);

    /// Writes the configuration at the middle of `[t0, t1]` to `q`, and to `radius` for every joint a bound on how far
    /// it strays from there inside the interval, which lies in one piece.
    fn box_around(&self, t0: f64, t1: f64, q: &mut [f64], radius: &mut [f64]);

    /// Motion bound of an interval, m, below which an undecided pair counts as blocking.
    fn resolution(&self) -> f64 {
        PROOF_RESOLUTION
    }

    /// [`box_around`](Self::box_around) for a batch of intervals: per variable the middles and the half-widths, the
    /// latter rounded to single precision. Returns a bound on their magnitudes; NaN if there is one.
    fn boxes_around(&self, intervals: &[(f64, f64); BATCH], q: &mut [[f64; BATCH]], radius: &mut [[f32; BATCH]])
    -> f64;
}

/// Running maximum of magnitudes. NaN counts as the largest value.
#[derive(Debug, Clone, Copy, Default)]
struct Largest {
    value: f64,
}

impl Largest {
    fn see(&mut self, value: f64) {
        if !self.value.is_nan() && !(value.abs() <= self.value) {
            self.value = value.abs();
        }
    }
}

/// The straight segment `from + t (to − from)`, `t` in [0, 1].
#[derive(Debug, Clone, Copy)]
pub struct SegmentMotion<'a> {
    /// Configuration at `t = 0`.
    pub from: &'a [f64],
    /// Configuration at `t = 1`.
    pub to: &'a [f64],
}

impl TimedMotion for SegmentMotion<'_> {
    fn pieces(&self) -> usize {
        1
    }

    fn piece(&self, _index: usize) -> (f64, f64) {
        (0.0, 1.0)
    }

    #[inline]
    fn box_around(&self, t0: f64, t1: f64, q: &mut [f64], radius: &mut [f64]) {
        let (middle, half) = (f64::midpoint(t0, t1), 0.5 * (t1 - t0));
        for joint in 0..q.len() {
            let step = self.to[joint] - self.from[joint];
            q[joint] = self.from[joint] + middle * step;
            radius[joint] = half * step.abs();
        }
    }

    fn boxes_around(
        &self,
        intervals: &[(f64, f64); BATCH],
        q: &mut [[f64; BATCH]],
        radius: &mut [[f32; BATCH]],
    ) -> f64 {
        let (mut middle, mut half) = ([0.0; BATCH], [0.0; BATCH]);
        for (lane, (t0, t1)) in intervals.iter().enumerate() {
            middle[lane] = 0.5 * (t0 + t1);
            half[lane] = 0.5 * (t1 - t0);
        }
        let mut largest = Largest::default();
        for (variable, (from, to)) in self.from.iter().zip(self.to).enumerate() {
            let step = to - from;
            for lane in 0..BATCH {
                q[variable][lane] = from + middle[lane] * step;
                radius[variable][lane] = (half[lane] * step.abs()) as f32;
            }
            largest.see(*from);
            largest.see(*to);
        }
        largest.value
    }
}

/// A piecewise polynomial in time, or some pieces of it.
#[derive(Debug, Clone, Copy)]
pub struct CurveMotion<'a> {
    curve: &'a PiecewisePolynomial,
    /// Indices of the pieces, ascending; all pieces without a list.
    pieces: Option<&'a [usize]>,
}

impl TimedMotion for CurveMotion<'_> {
    fn pieces(&self) -> usize {
        // A curve of zero duration is one configuration, which is one piece.
        self.pieces.map_or(self.curve.pieces().max(1), <[usize]>::len)
    }

    fn piece(&self, index: usize) -> (f64, f64) {
        let (knots, piece) = (self.curve.knots(), self.pieces.map_or(index, |pieces| pieces[index]));
        (knots[piece], knots[(piece + 1).min(knots.len() - 1)])
    }

    fn resolution(&self) -> f64 {
        CURVE_RESOLUTION
    }

    fn box_around(&self, t0: f64, t1: f64, q: &mut [f64], radius: &mut [f64]) {
        let (piece, half) = (self.piece_around(t0, t1), [0.5 * (t1 - t0)]);
        let degree = self.degree(piece);
        let middle = f64::midpoint(t0, t1) - self.curve.knots()[piece];
        for joint in 0..q.len() {
            let row = self.curve.coefficients(piece, joint).map(|coefficient| [coefficient]);
            ([q[joint]], [radius[joint]]) = values_and_strays(row, degree, &[middle], &half);
        }
    }

    fn boxes_around(
        &self,
        intervals: &[(f64, f64); BATCH],
        q: &mut [[f64; BATCH]],
        radius: &mut [[f32; BATCH]],
    ) -> f64 {
        let (mut pieces, mut half, mut middle) = ([0; BATCH], [0.0; BATCH], [0.0; BATCH]);
        let mut degree = 0;
        for (lane, (t0, t1)) in intervals.iter().enumerate() {
            let piece = self.piece_around(*t0, *t1);
            if lane == 0 || piece != pieces[lane - 1] {
                degree = degree.max(self.degree(piece));
            }
            (pieces[lane], half[lane]) = (piece, 0.5 * (t1 - t0));
            middle[lane] = f64::midpoint(*t0, *t1) - self.curve.knots()[piece];
        }
        let mut largest = Largest::default();
        for joint in 0..q.len() {
            let mut powers = [[0.0; BATCH]; 6];
            for lane in 0..BATCH {
                let row = self.curve.coefficients(pieces[lane], joint);
                for power in 0..=degree {
                    powers[power][lane] = row[power];
                }
            }
            let (values, strays) = values_and_strays(powers, degree, &middle, &half);
            for lane in 0..BATCH {
                largest.see(values[lane].abs() + strays[lane]);
                radius[joint][lane] = strays[lane] as f32;
            }
            q[joint] = values;
        }
        largest.value
    }
}

impl<'a> CurveMotion<'a> {
    /// The motion along a whole curve.
    pub fn new(curve: &'a PiecewisePolynomial) -> Self {
        Self { curve, pieces: None }
    }

    /// Some pieces of a curve, in ascending order; their times are those of the curve.
    ///
    /// # Panics
    /// For pieces that the curve does not have.
    pub fn of_pieces(curve: &'a PiecewisePolynomial, pieces: &'a [usize]) -> Self {
        assert!(pieces.iter().all(|piece| *piece < curve.pieces()), "pieces that the curve does not have");
        Self { curve, pieces: Some(pieces) }
    }

    /// The piece that an interval is inside of.
    fn piece_around(self, t0: f64, t1: f64) -> usize {
        self.curve.locate(f64::midpoint(t0, t1)).0
    }

    /// Highest power that a piece has.
    fn degree(self, piece: usize) -> usize {
        let rows = (0..self.curve.dof()).map(|joint| self.curve.coefficients(piece, joint));
        rows.filter_map(|row| row.iter().rposition(|coefficient| *coefficient != 0.0)).max().unwrap_or(0)
    }
}

/// Values of polynomials at `middle`, one per lane, and bounds on how far they deviate from these within `half`.
///
/// The bounds are sums of the magnitudes of the Taylor terms at `middle`. They are exact for quadratics, which most
/// pieces are.
fn values_and_strays<const N: usize>(
    mut powers: [[f64; N]; 6],
    degree: usize,
    middle: &[f64; N],
    half: &[f64; N],
) -> ([f64; N], [f64; N]) {
    // Repeated synthetic division.
    for lowest in 0..degree {
        for power in (lowest..degree).rev() {
            for lane in 0..N {
                powers[power][lane] += middle[lane] * powers[power + 1][lane];
            }
        }
    }
    let mut strays = [0.0; N];
    for power in (1..=degree).rev() {
        for lane in 0..N {
            strays[lane] = (strays[lane] + powers[power][lane].abs()) * half[lane];
        }
    }
    (powers[0], strays)
}
