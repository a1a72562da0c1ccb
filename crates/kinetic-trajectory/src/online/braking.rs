//! The slowest profile along a trajectory, one segment after another, four joints per SIMD vector.
//!
//! Per segment the trajectory is expanded where it begins; how long it may last, by how much the rate may fall on it, and whether
//! the quintics that are made of it hold the limits are then sums over these coefficients. A segment that does not hold them is
//! made again, with a part of the limits left for what the quintics change: of it alone, so that the others brake with all
//! there is.

#![allow(clippy::inline_always, reason = "what is not inlined is compiled without the wide instructions")]

use kinetic_core::PiecewisePolynomial;
use kinetic_core::curve::{Coefficients, MAX_DEGREE};

use super::clock::AccelerationRange;
use crate::check::RELATIVE_TOLERANCE;
use crate::lanes::{Lanes, WIDTH};
use crate::quick_check::columns;
use crate::state::MotionLimits;
use crate::totp::compose::Composition;

/// The lowest y′ may vary by this part in a segment.
const MAX_SLOPE_BOUND_VARIATION: f64 = 0.015;

/// A segment is halved this often where it varies more.
const MAX_BRAKING_SEGMENT_HALVINGS: usize = 6;

/// Limits of four joints.
#[derive(Debug, Clone)]
struct BrakingBlock {
    /// Joint of the first lane.
    first: usize,
    /// 1 for joints that are not in the block before, 0 for the others.
    own: Lanes,
    acceleration: [Lanes; 2],
    /// Limits with their tolerance; half of the acceleration.
    velocity_bounds: [Lanes; 2],
    half_acceleration_bounds: [Lanes; 2],
    /// Of the piece and of the segment, power by power.
    piece: [Lanes; MAX_DEGREE + 1],
    local: [Lanes; MAX_DEGREE + 1],
    /// The quintics of the segment.
    quintics: [Lanes; MAX_DEGREE + 1],
}

impl BrakingBlock {
    fn new(limits: &MotionLimits, begin: usize) -> Self {
        let dof = limits.dof();
        let first = begin.min(dof.saturating_sub(WIDTH));
        let axis = |lane: usize| &limits.axes()[(first + lane).min(dof - 1)];
        let lanes = |value: &dyn Fn(usize) -> f64| Lanes(std::array::from_fn(value));
        let bounds = |[lowest, highest]: AccelerationRange| {
            let slack = RELATIVE_TOLERANCE * (highest - lowest);
            [lowest - slack, highest + slack]
        };
        let zero = [Lanes::splat(0.0); MAX_DEGREE + 1];
        Self {
            first,
            own: lanes(&|lane| f64::from(u8::from(first + lane >= begin && first + lane < dof))),
            acceleration: [0, 1].map(|side| lanes(&|lane| axis(lane).acceleration[side])),
            velocity_bounds: [0, 1].map(|side| lanes(&|lane| bounds(axis(lane).velocity)[side])),
            half_acceleration_bounds: [0, 1].map(|side| lanes(&|lane| 0.5 * bounds(axis(lane).acceleration)[side])),
            piece: zero,
            local: zero,
            quintics: zero,
        }
    }

    /// Acceleration limits of which `reserve` is left.
    #[inline(always)]
    fn reserved(&self, reserve: f64) -> [Lanes; 2] {
        let [lowest, highest] = self.acceleration;
        [lowest * Lanes::splat(1.0 - reserve), highest * Lanes::splat(1.0 - reserve)]
    }

    /// Lowest y′ on the next `span` of the trajectory, entered with y = `square`: at δ after the entry acceleration is
    /// y α(δ) + y′ (δ α(δ) + ½ v(δ)), whose Bernstein coefficients bound it.
    #[inline(always)]
    fn slope(&self, span: f64, square: f64, reserve: f64) -> Lanes {
        let (mut own, mut by_change) = ([Lanes::splat(0.0); MAX_DEGREE], [Lanes::splat(0.0); MAX_DEGREE]);
        let mut width = 1.0;
        for power in 0..MAX_DEGREE {
            let order = power as f64;
            let velocity = self.local[power + 1] * Lanes::splat((order + 1.0) * width);
            by_change[power] = velocity * Lanes::splat((order + 0.5) * UNSCALED[power]);
            if power > 0 {
                own[power - 1] = velocity * Lanes::splat(order / span * square * UNSCALED[power - 1]);
            }
            width *= span;
        }
        pascal_sums(&mut own);
        pascal_sums(&mut by_change);
        let limits = self.reserved(reserve);
        let mut lowest = Lanes::splat(f64::NEG_INFINITY);
        for power in 0..MAX_DEGREE {
            lowest = lowest.max(bound(limits, own[power], by_change[power]));
        }
        lowest
    }

    /// The same at an instant, `at` after the segment begins.
    #[inline(always)]
    fn slope_at(&self, at: f64, square: f64, reserve: f64) -> Lanes {
        let [_, c1, c2, c3, c4, c5] = self.local;
        let s = Lanes::splat;
        let half_velocity =
            s(0.5) * (c1 + s(at) * (s(2.0) * c2 + s(at) * (s(3.0) * c3 + s(at) * (s(4.0) * c4 + s(5.0 * at) * c5))));
        let acceleration = s(2.0) * c2 + s(at) * (s(6.0) * c3 + s(at) * (s(12.0) * c4 + s(20.0 * at) * c5));
        bound(self.reserved(reserve), acceleration * s(square), half_velocity)
    }

    /// Composes the quintics; answers with the sum of the squares of what that changes of positions.
    #[inline(always)]
    fn compose(&mut self, composed: &Composition) -> f64 {
        self.quintics = composed.lanes(&self.local);
        let change = composed.position_changes(&self.local) * self.own;
        (change * change).sum()
    }

    /// True where velocity and acceleration of the quintics stay inside the limits for `duration`: they lie between their
    /// Bernstein coefficients, and those of velocity are sums of those of acceleration.
    #[inline(always)]
    fn is_inside(&self, duration: f64) -> bool {
        let c = &self.quintics;
        let fourth = c[4] * Lanes::splat(2.0 * duration * duration);
        let j0 = c[3] * Lanes::splat(duration);
        let j1 = j0 + fourth;
        let j2 = j1 + fourth + c[5] * Lanes::splat(10.0 * duration * duration * duration);
        let (mut acceleration, mut velocity) = (c[2], c[1]);
        let (mut lowest, mut highest) = ([velocity, acceleration], [velocity, acceleration]);
        for jerk in [j0, j1, j2, Lanes::splat(0.0)] {
            velocity += acceleration * Lanes::splat(0.5 * duration);
            acceleration += jerk;
            lowest = [lowest[0].min(velocity), lowest[1].min(acceleration)];
            highest = [highest[0].max(velocity), highest[1].max(acceleration)];
        }
        let [velocity, acceleration] = [self.velocity_bounds, self.half_acceleration_bounds];
        let above = velocity[0].at_most(lowest[0]).and(acceleration[0].at_most(lowest[1]));
        above.and(highest[0].at_most(velocity[1])).and(highest[1].at_most(acceleration[1])).is_all()
    }
}

/// 1 / C(4, power).
const UNSCALED: [f64; MAX_DEGREE] = [1.0, 1.0 / 4.0, 1.0 / 6.0, 1.0 / 4.0, 1.0];

/// Bernstein coefficients of degree 4 from scaled coefficients of powers: Pascal's triangle.
#[inline(always)]
fn pascal_sums(list: &mut [Lanes; MAX_DEGREE]) {
    for row in 1..MAX_DEGREE {
        for power in (row..MAX_DEGREE).rev() {
            let lower = list[power - 1];
            list[power] += lower;
        }
    }
}

/// Least x with `own` + `factor` · x inside the limits; where nothing depends on x, none.
#[inline(always)]
fn bound([lowest, highest]: [Lanes; 2], own: Lanes, factor: Lanes) -> Lanes {
    let mut bound = own;
    for lane in 0..WIDTH {
        let limit = if factor.0[lane] > 0.0 { lowest.0[lane] } else { highest.0[lane] };
        let least = (limit - own.0[lane]) / factor.0[lane];
        bound.0[lane] = if factor.0[lane] == 0.0 { f64::NEG_INFINITY } else { least };
    }
    bound
}

/// All joints of a trajectory that holds its limits where they are asked.
#[derive(Debug, Clone)]
pub(super) struct Braking {
    blocks: Vec<BrakingBlock>,
    dof: usize,
    /// The highest power that occurs on the piece.
    degree: usize,
}

impl Braking {
    pub(super) fn new(limits: &MotionLimits) -> Self {
        let blocks = (0..limits.dof()).step_by(WIDTH).map(|begin| BrakingBlock::new(limits, begin)).collect();
        Self { blocks, dof: limits.dof(), degree: MAX_DEGREE }
    }

    /// Goes to another piece.
    #[inline(always)]
    pub(super) fn enter(&mut self, curve: &PiecewisePolynomial, piece: usize) {
        let rows = &curve.all_coefficients()[piece * self.dof..(piece + 1) * self.dof];
        let degree = |row: &Coefficients| row.iter().rposition(|value| *value != 0.0).unwrap_or(0);
        self.degree = rows.iter().map(degree).max().unwrap_or(0);
        for block in &mut self.blocks {
            block.piece = columns(rows, block.first);
        }
    }

    pub(super) fn degree(&self) -> usize {
        self.degree
    }

    /// Expands the piece where a segment begins.
    #[inline(always)]
    pub(super) fn expand(&mut self, offset: f64) {
        for block in &mut self.blocks {
            block.local = block.piece;
            for lowest in 0..MAX_DEGREE {
                for power in (lowest..MAX_DEGREE).rev() {
                    let higher = block.local[power + 1];
                    block.local[power] += Lanes::splat(offset) * higher;
                }
            }
        }
    }

    /// Lowest y′, at most 0, on the next `span`.
    #[inline(always)]
    pub(super) fn slope(&self, span: f64, square: f64, reserve: f64) -> f64 {
        // A plain loop: closures of iterators are compiled without the wide instructions.
        let mut lowest = f64::NEG_INFINITY;
        for block in &self.blocks {
            lowest = lowest.max(block.slope(span, square, reserve).largest());
        }
        lowest.min(0.0)
    }

    #[inline(always)]
    fn slope_at(&self, at: f64, square: f64, reserve: f64) -> f64 {
        let mut lowest = f64::NEG_INFINITY;
        for block in &self.blocks {
            lowest = lowest.max(block.slope_at(at, square, reserve).largest());
        }
        lowest.min(0.0)
    }

    /// True when the lowest y′ at these instants hardly differs from `slope`.
    #[inline(always)]
    fn is_like(&self, slope: f64, instants: [f64; 3], square: f64, reserve: f64) -> bool {
        for at in instants {
            if !((self.slope_at(at, square, reserve) - slope).abs() <= MAX_SLOPE_BOUND_VARIATION * slope.abs()) {
                return false;
            }
        }
        true
    }

    /// A time of at most `most` seconds in which the lowest y′ hardly varies, and that y′; of the piece `rest` is left. Halving
    /// begins at `first`.
    #[inline(always)]
    pub(super) fn steady(&self, rate: f64, [most, first]: [f64; 2], rest: f64, reserve: f64) -> (f64, f64) {
        let square = rate * rate;
        let (mut time, mut halvings) = (most, 0);
        while halvings < MAX_BRAKING_SEGMENT_HALVINGS && time > first {
            time *= 0.5;
            halvings += 1;
        }
        let mut slope = self.slope((rate * time).min(rest), square, reserve);
        while halvings < MAX_BRAKING_SEGMENT_HALVINGS && slope.is_finite() {
            let span = (rate * time).min(rest);
            if self.is_like(slope, [0.0, 0.5 * span, span], square, reserve) {
                break;
            }
            time *= 0.5;
            halvings += 1;
            slope = self.slope((rate * time).min(rest), square, reserve);
        }
        (time, slope)
    }

    /// Composes the quintics of a segment; answers with a bound on their distance from the path.
    #[inline(always)]
    pub(super) fn compose(&mut self, composed: &Composition) -> f64 {
        let mut square = 0.0;
        for block in &mut self.blocks {
            square += block.compose(composed);
        }
        square.sqrt()
    }

    /// True when the quintics of the segment hold the limits for `duration`, as far as a look at bounds says.
    #[inline(always)]
    pub(super) fn is_inside(&self, duration: f64) -> bool {
        for block in &self.blocks {
            if !block.is_inside(duration) {
                return false;
            }
        }
        true
    }

    /// Appends the quintics of the segment, joint after joint.
    #[inline(always)]
    pub(super) fn write(&self, coefficients: &mut Vec<Coefficients>) {
        for block in &self.blocks {
            for lane in 0..WIDTH {
                if block.own.0[lane] > 0.0 {
                    coefficients.push(block.quintics.map(|column| column.0[lane]));
                }
            }
        }
    }
}
