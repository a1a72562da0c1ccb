//! Conservative limit check of a piece of a curve, four joints per SIMD vector; it decides most pieces.
//!
//! In the piece's own time u = s / h jerk and acceleration are polynomials on [0, 1], which lie between their Bernstein
//! coefficients, and those of a polynomial are sums of those of its derivative. Speed is at most the smaller one of both ends
//! and what the acceleration adds; positions are near the line between both ends. The sums also tell where the piece ends,
//! which is where the next one has to begin. What this look does not decide is looked at more closely.
//!
//! The loop is compiled for several widths of registers, and `pulp` picks the widest that the processor has. Every lane does
//! what a single joint would, so that the width changes no answer.

#![allow(clippy::inline_always, reason = "what is not inlined is compiled without the wide instructions")]

use std::ops::Range;

use kinetic_core::PiecewisePolynomial;
use kinetic_core::curve::Coefficients;
use pulp::{Arch, NullaryFnOnce};

use crate::lanes::{Lanes, Mask, WIDTH};

/// Limits of one joint, tolerances included; infinite where nothing is asked.
#[derive(Debug, Clone, Copy)]
pub(crate) struct QuickLimits {
    /// Lowest and highest position.
    pub(crate) range: [f64; 2],
    /// Of velocity, acceleration and jerk.
    pub(crate) derivatives: [f64; 3],
    /// Of steps of position, velocity and acceleration.
    pub(crate) steps: [f64; 3],
}

/// Several joints and their limits.
#[derive(Debug, Clone)]
pub(crate) struct LimitBlock {
    /// Joint of the first lane.
    first: usize,
    /// Joints that are not in the block before.
    own: Range<usize>,
    lower: Lanes,
    upper: Lanes,
    velocity: Lanes,
    half_acceleration: Lanes,
    jerk: Lanes,
    /// Of position, velocity and half of the acceleration.
    steps: [Lanes; 3],
}

impl LimitBlock {
    /// All joints in blocks; the last one reaches back into the one before, if need be.
    pub(crate) fn all(limits: &[QuickLimits]) -> Vec<Self> {
        let own = |first: usize| first..(first + WIDTH).min(limits.len());
        (0..limits.len()).step_by(WIDTH).map(|first| Self::new(limits, own(first))).collect()
    }

    fn new(limits: &[QuickLimits], own: Range<usize>) -> Self {
        let first = own.start.min(limits.len().saturating_sub(WIDTH));
        let limits: [QuickLimits; WIDTH] = std::array::from_fn(|lane| limits[(first + lane).min(limits.len() - 1)]);
        let lanes = |value: fn(&QuickLimits) -> f64| Lanes(std::array::from_fn(|lane| value(&limits[lane])));
        Self {
            first,
            own,
            lower: lanes(|limit| limit.range[0]),
            upper: lanes(|limit| limit.range[1]),
            velocity: lanes(|limit| limit.derivatives[0]),
            half_acceleration: lanes(|limit| 0.5 * limit.derivatives[1]),
            jerk: lanes(|limit| limit.derivatives[2]),
            steps: [lanes(|limit| limit.steps[0]), lanes(|limit| limit.steps[1]), lanes(|limit| 0.5 * limit.steps[2])],
        }
    }

    fn is_jerk_limited(&self) -> bool {
        self.jerk.0.iter().any(|limit| limit.is_finite())
    }
}

/// Looks at every piece of a curve; `doubt` hears the pieces and joints that this does not decide: the limits of the joint on
/// the piece, or its step to the piece.
pub(crate) fn look(curve: &PiecewisePolynomial, blocks: &[LimitBlock], doubt: &mut dyn FnMut(usize, usize)) {
    let arch = Arch::new();
    for block in blocks {
        if block.is_jerk_limited() {
            arch.dispatch(BlockCheck::<true> { curve, block, doubt });
        } else {
            arch.dispatch(BlockCheck::<false> { curve, block, doubt });
        }
    }
}

/// One block on all pieces; with `JERK`, jerk and steps of acceleration too.
struct BlockCheck<'a, 'b, const JERK: bool> {
    curve: &'a PiecewisePolynomial,
    block: &'a LimitBlock,
    doubt: &'a mut (dyn FnMut(usize, usize) + 'b),
}

impl<const JERK: bool> NullaryFnOnce for BlockCheck<'_, '_, JERK> {
    type Output = ();

    #[inline(always)]
    fn call(self) {
        let Self { curve, block, doubt } = self;
        let knots = curve.knots();
        let mut before = EndState::start(&columns(&curve.all_coefficients()[..curve.dof()], block.first));
        for (piece, rows) in curve.all_coefficients().chunks_exact(curve.dof()).enumerate() {
            let h = if piece + 1 < knots.len() { knots[piece + 1] - knots[piece] } else { 0.0 };
            let c = columns(rows, block.first);
            let goes_on = before.meets::<JERK>(&c, block);
            let (holds, end) = look_at::<JERK>(&c, h, block);
            let decided = goes_on.and(holds);
            if !decided.is_all() {
                report(block, piece, decided, doubt);
            }
            before = end;
        }
    }
}

#[cold]
#[inline(never)]
fn report(block: &LimitBlock, piece: usize, decided: Mask, doubt: &mut dyn FnMut(usize, usize)) {
    for (lane, decided) in decided.0.into_iter().enumerate() {
        let joint = block.first + lane;
        if decided == 0 && block.own.contains(&joint) {
            doubt(piece, joint);
        }
    }
}

/// Coefficients of the joints of a block, power by power; without a joint, of the last one.
#[inline(always)]
pub(crate) fn columns(rows: &[Coefficients], first: usize) -> [Lanes; 6] {
    if let Some(rows) = rows[first..].first_chunk() {
        return transposed(rows);
    }
    let mut padded = [rows[rows.len() - 1]; WIDTH];
    padded[..rows.len()].copy_from_slice(rows);
    transposed(&padded)
}

#[inline(always)]
fn transposed(rows: &[Coefficients; WIDTH]) -> [Lanes; 6] {
    let mut columns = [Lanes::splat(0.0); 6];
    for lane in 0..WIDTH {
        for power in 0..6 {
            columns[power].0[lane] = rows[lane][power];
        }
    }
    columns
}

/// Position, velocity and half of the acceleration at an end of a piece.
#[derive(Clone, Copy)]
struct EndState([Lanes; 3]);

impl EndState {
    #[inline(always)]
    fn start(c: &[Lanes; 6]) -> Self {
        Self([c[0], c[1], c[2]])
    }

    /// Where the next piece begins here.
    #[inline(always)]
    fn meets<const JERK: bool>(&self, c: &[Lanes; 6], block: &LimitBlock) -> Mask {
        let step = |order: usize| (c[order] - self.0[order]).abs();
        let mask = step(0).at_most(block.steps[0]).and(step(1).at_most(block.steps[1]));
        if JERK { mask.and(step(2).at_most(block.steps[2])) } else { mask }
    }
}

/// Where a piece holds its limits, and its end. Sums that are no number hold nothing.
#[inline(always)]
fn look_at<const JERK: bool>(c: &[Lanes; 6], h: f64, block: &LimitBlock) -> (Mask, EndState) {
    // Bernstein coefficients of jerk · h / 6, and of half of the acceleration.
    let fourth = c[4] * Lanes::splat(2.0 * h * h);
    let j0 = c[3] * Lanes::splat(h);
    let j1 = j0 + fourth;
    let j2 = j1 + fourth + c[5] * Lanes::splat(10.0 * h * h * h);
    let a0 = c[2];
    let a1 = a0 + j0;
    let a2 = a1 + j1;
    let a3 = a2 + j2;
    // Their sums are what velocity gains, and the sums of those what position gains.
    let (s2, s3) = (a0 + a1, a0 + a1 + a2);
    let s4 = s3 + a3;
    let velocity = c[1] + s4 * Lanes::splat(0.5 * h);
    let position = c[0] + c[1] * Lanes::splat(h) + ((a0 + s2) + (s3 + s4)) * Lanes::splat(0.1 * h * h);
    let hardest = a0.abs().max(a1.abs()).max(a2.abs()).max(a3.abs());
    let fastest = c[1].abs().min(velocity.abs()) + hardest * Lanes::splat(2.0 * h);
    // From the line between both ends a position is off by at most h² / 8 times the acceleration.
    let bulge = hardest * Lanes::splat(0.25 * h * h);
    let mut mask = hardest.at_most(block.half_acceleration).and(fastest.at_most(block.velocity));
    if JERK {
        let most = block.jerk * Lanes::splat(h * (1.0 / 6.0));
        mask = mask.and(j0.abs().max(j1.abs()).max(j2.abs()).at_most(most));
    }
    let (low, high) = (c[0].min(position) - bulge, c[0].max(position) + bulge);
    mask = mask.and(block.lower.at_most(low)).and(high.at_most(block.upper));
    (mask, EndState([position, velocity, a3]))
}
