//! Polynomial pieces of the curve in time.

#![allow(clippy::inline_always, reason = "what is not inlined is compiled without the wide instructions")]

use kinetic_core::Limits;
use kinetic_core::curve::{Coefficients, enclosure, extremes};
use pulp::{Arch, NullaryFnOnce};

use crate::lanes::{Lanes, WIDTH};
use crate::quick_check::columns;
use crate::watch::Watch;

/// Part of a limit by which its use is overestimated at most where it is above the limit.
const PIECE_RATIO_RESOLUTION: f64 = 1e-7;

/// A piece of the curve.
pub(super) struct JerkPiece {
    pub(super) duration: f64,
    /// Path parameter since the run began, at both ends.
    pub(super) offsets: [f64; 2],
    /// The same as a polynomial of time.
    pub(super) law: Coefficients,
    /// Of every joint.
    pub(super) rows: Vec<Coefficients>,
    /// True when its path is straight.
    pub(super) is_straight: bool,
}

impl JerkPiece {
    /// The same piece `factor` times as long.
    pub(super) fn scale_time(&mut self, factor: f64) {
        self.duration *= factor;
        for row in self.rows.iter_mut().chain([&mut self.law]) {
            scale_time(row, factor);
        }
    }
}

/// The same polynomial, `factor` times as slow.
pub(super) fn scale_time(row: &mut Coefficients, factor: f64) {
    let mut scale = 1.0;
    for value in row.iter_mut() {
        *value *= scale;
        scale /= factor;
    }
}

/// Factor of time after which limits hold that are used by these parts.
pub(super) fn slowing([velocity, acceleration, jerk]: &[f64; 3]) -> f64 {
    velocity.max(acceleration.sqrt()).max(jerk.cbrt())
}

/// Largest part of a limit that every piece uses: of velocity, acceleration and jerk; an upper bound, and a close one where it is
/// above 1. `None` when the work is over.
pub(super) fn ratios(pieces: &[JerkPiece], limits: &Limits, watch: &Watch) -> Option<Vec<[f64; 3]>> {
    let jerk = limits.jerk.as_deref()?;
    let limits = [&limits.velocity[..], &limits.acceleration, jerk];
    let blocks = JointBlock::all(&limits);
    let arch = Arch::new();
    let of = |(index, piece): (usize, &JerkPiece)| {
        watch.check_at(index).ok()?;
        let loose = arch.dispatch(Loose { piece, blocks: &blocks });
        let is_inside = loose.iter().all(|ratio| *ratio <= 1.0);
        Some(if is_inside { loose } else { close(piece, &limits) })
    };
    pieces.iter().enumerate().map(of).collect()
}

/// Ratios of a piece, by branch and bound where they are above 1.
fn close(piece: &JerkPiece, limits: &[&[f64]; 3]) -> [f64; 3] {
    let mut found = [0.0_f64; 3];
    for (order, limits) in limits.iter().enumerate() {
        for (row, limit) in piece.rows.iter().zip(*limits) {
            let loose = enclosure(row, order + 1, 0.0, piece.duration);
            let mut most = loose.1.max(-loose.0) / limit;
            if most > found[order].max(1.0) {
                let range = extremes(row, order + 1, 0.0, piece.duration, PIECE_RATIO_RESOLUTION * limit);
                most = range.high.max(-range.low) / limit;
            }
            found[order] = found[order].max(most);
        }
    }
    found
}

/// Four joints, and 1 by each of their limits.
struct JointBlock {
    first: usize,
    inverses: [Lanes; 3],
}

impl JointBlock {
    /// All joints in blocks; the last one reaches back into the one before, if need be.
    fn all(limits: &[&[f64]; 3]) -> Vec<Self> {
        let dof = limits[0].len();
        let block = |begin: usize| {
            let first = begin.min(dof.saturating_sub(WIDTH));
            let lane = |list: &[f64], lane: usize| 1.0 / list[(first + lane).min(dof - 1)];
            let inverses = limits.map(|list| Lanes(std::array::from_fn(|joint| lane(list, joint))));
            Self { first, inverses }
        };
        (0..dof).step_by(WIDTH).map(block).collect()
    }
}

/// Bounds on the ratios of a piece by Bernstein coefficients.
struct Loose<'a> {
    piece: &'a JerkPiece,
    blocks: &'a [JointBlock],
}

impl NullaryFnOnce for Loose<'_> {
    type Output = [f64; 3];

    #[inline(always)]
    fn call(self) -> [f64; 3] {
        let mut found = [Lanes::splat(0.0); 3];
        for block in self.blocks {
            let most = most(&columns(&self.piece.rows, block.first), self.piece.duration);
            for order in 0..3 {
                found[order] = found[order].max(most[order] * block.inverses[order]);
            }
        }
        [found[0].largest(), found[1].largest(), found[2].largest()]
    }
}

/// Largest Bernstein coefficients of velocity, acceleration and jerk. Those of a polynomial are sums of those of its derivative.
#[inline(always)]
fn most(c: &[Lanes; 6], h: f64) -> [Lanes; 3] {
    // Of jerk · h / 6, of half of the acceleration, and of velocity.
    let fourth = c[4] * Lanes::splat(2.0 * h * h);
    let mut jerks = [c[3] * Lanes::splat(h); 3];
    jerks[1] += fourth;
    jerks[2] = jerks[1] + fourth + c[5] * Lanes::splat(10.0 * h * h * h);
    let (mut half, mut velocity) = (c[2], c[1]);
    let mut most = [velocity.abs(), half.abs(), Lanes::splat(0.0)];
    for jerk in jerks {
        velocity += half * Lanes::splat(0.5 * h);
        half += jerk;
        most = [most[0].max(velocity.abs()), most[1].max(half.abs()), most[2].max(jerk.abs())];
    }
    velocity += half * Lanes::splat(0.5 * h);
    [most[0].max(velocity.abs()), most[1] * Lanes::splat(2.0), most[2] * Lanes::splat(6.0 / h)]
}

#[cfg(test)]
mod tests {
    use super::*;
    use kinetic_core::rng::SeededRng;

    #[test]
    fn ratios_are_those_of_the_extremes_where_they_are_above_one_and_no_smaller_elsewhere() {
        let mut outside = 0;
        for seed in 0..500 {
            let mut rng = SeededRng::new(seed);
            let dof = 1 + rng.below(9);
            let rows = (0..dof).map(|_| std::array::from_fn(|_| rng.uniform(-1.0, 1.0))).collect();
            let duration = 10.0_f64.powf(rng.uniform(-2.0, 0.5));
            let piece = JerkPiece { duration, offsets: [0.0, 1.0], law: [0.0; 6], rows, is_straight: false };
            let mut list = || (0..dof).map(|_| 10.0_f64.powf(rng.uniform(-1.0, 2.0))).collect::<Vec<f64>>();
            let limits = Limits::new(list(), list()).and_then(|limits| limits.with_jerk(list())).expect("positive");
            let lists = [&limits.velocity[..], &limits.acceleration, limits.jerk.as_deref().unwrap_or(&[])];
            let exact: [f64; 3] = std::array::from_fn(|order| {
                let most = |(row, limit): (&Coefficients, &f64)| {
                    let range = extremes(row, order + 1, 0.0, duration, 1e-12 * limit);
                    range.high.max(-range.low) / limit
                };
                piece.rows.iter().zip(lists[order]).map(most).fold(0.0, f64::max)
            });
            let found = ratios(&[piece], &limits, &Watch::default()).expect("nothing ends it")[0];
            let is_above = exact.iter().any(|ratio| *ratio > 1.0);
            for (found, exact) in found.into_iter().zip(exact) {
                assert!(found >= exact * (1.0 - 1e-12), "seed {seed}: {found} {exact}");
                assert!(exact <= 1.0 || found <= exact + 2.0 * PIECE_RATIO_RESOLUTION, "seed {seed}: {found} {exact}");
                outside += usize::from(is_above);
            }
        }
        assert!(outside > 150, "few were above their limits: {outside}");
    }
}
