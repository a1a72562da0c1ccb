//! Width of the interval that the rows of a stage leave the squared speed at its end.
//!
//! Compilers do not see that comparing and selecting lane by lane is one instruction, so that it is spelled out here.

#![allow(clippy::inline_always, reason = "what is not inlined is compiled without the wide instructions")]

use super::row::SpeedRange;
use super::rows::Steep;
use crate::lanes::{Lanes, WIDTH};

/// Registers that hold four numbers.
pub(super) trait Registers: Copy {
    /// Width of the interval that the rows leave x₁ at x₀ = `x`, and its derivative.
    fn width(self, rows: Steep<'_>, x: f64, end: SpeedRange) -> (f64, f64);
}

/// Registers of any processor.
#[derive(Debug, Clone, Copy)]
pub(super) struct Plain;

impl Registers for Plain {
    #[inline(always)]
    fn width(self, rows: Steep<'_>, x: f64, end: SpeedRange) -> (f64, f64) {
        let at = Lanes::splat(x);
        let mut low = [Lanes::splat(end[0]), Lanes::splat(0.0)];
        let mut high = [Lanes::splat(end[1]), Lanes::splat(0.0)];
        let mut narrow = |at_start: Lanes, under: Lanes, over: Lanes| {
            for lane in 0..WIDTH {
                let (raises, lowers) = (under.0[lane] > low[0].0[lane], over.0[lane] < high[0].0[lane]);
                low[0].0[lane] = if raises { under.0[lane] } else { low[0].0[lane] };
                low[1].0[lane] = if raises { at_start.0[lane] } else { low[1].0[lane] };
                high[0].0[lane] = if lowers { over.0[lane] } else { high[0].0[lane] };
                high[1].0[lane] = if lowers { at_start.0[lane] } else { high[1].0[lane] };
            }
        };
        for row in rows.accelerations {
            let change = row.at_start * at;
            narrow(row.at_start, Lanes::splat(0.0) - row.most - change, row.most - change);
        }
        for row in rows.others {
            let change = row.at_start * at;
            narrow(row.at_start, row.low - change, row.high - change);
        }
        let [low, low_slope] = first_of(low, |one, other| one > other);
        let [high, high_slope] = first_of(high, |one, other| one < other);
        (high - low, low_slope - high_slope)
    }
}

/// The lane that comes before all others, and what belongs to it.
#[inline(always)]
fn first_of([values, slopes]: [Lanes; 2], is_before: impl Fn(f64, f64) -> bool) -> [f64; 2] {
    let pair = |lane: usize| [values.0[lane], slopes.0[lane]];
    let first = |one: [f64; 2], other: [f64; 2]| if is_before(other[0], one[0]) { other } else { one };
    first(first(pair(0), pair(1)), first(pair(2), pair(3)))
}

#[cfg(target_arch = "x86_64")]
mod avx2 {
    use pulp::f64x4;
    use pulp::x86::V3;

    use super::{Lanes, Registers, SpeedRange, Steep};

    #[inline(always)]
    fn load(lanes: &Lanes) -> f64x4 {
        let [a, b, c, d] = lanes.0;
        f64x4(a, b, c, d)
    }

    /// Bounds and their slopes. Closures over these are not always compiled with the wide instructions: there are none.
    #[derive(Clone, Copy)]
    struct WidthBounds {
        values: f64x4,
        slopes: f64x4,
    }

    impl WidthBounds {
        #[inline(always)]
        fn of(simd: V3, value: f64) -> Self {
            Self { values: simd.splat_f64x4(value), slopes: simd.splat_f64x4(0.0) }
        }

        /// Takes the other one where that is smaller.
        #[inline(always)]
        fn tighten(&mut self, simd: V3, values: f64x4, slopes: f64x4) {
            let is_tighter = simd.cmp_lt_f64x4(values, self.values);
            self.values = simd.select_f64x4(is_tighter, values, self.values);
            self.slopes = simd.select_f64x4(is_tighter, slopes, self.slopes);
        }

        /// The smallest of the four, and its slope.
        #[inline(always)]
        fn tightest(mut self, simd: V3) -> (f64, f64) {
            let (f64x4(a, b, c, d), f64x4(e, f, g, h)) = (self.values, self.slopes);
            self.tighten(simd, f64x4(b, a, d, c), f64x4(f, e, h, g));
            let (f64x4(a, b, c, d), f64x4(e, f, g, h)) = (self.values, self.slopes);
            self.tighten(simd, f64x4(c, d, a, b), f64x4(g, h, e, f));
            (self.values.0, self.slopes.0)
        }
    }

    impl Registers for V3 {
        #[inline(always)]
        fn width(self, rows: Steep<'_>, x: f64, end: SpeedRange) -> (f64, f64) {
            let at = self.splat_f64x4(x);
            // With the sign of the low side turned, both are smallest numbers.
            let (mut low, mut high) = (WidthBounds::of(self, -end[0]), WidthBounds::of(self, end[1]));
            for row in rows.accelerations {
                let (at_start, most) = (load(&row.at_start), load(&row.most));
                let change = self.mul_f64x4(at_start, at);
                low.tighten(self, self.add_f64x4(most, change), at_start);
                high.tighten(self, self.sub_f64x4(most, change), at_start);
            }
            for row in rows.others {
                let at_start = load(&row.at_start);
                let change = self.mul_f64x4(at_start, at);
                low.tighten(self, self.sub_f64x4(change, load(&row.low)), at_start);
                high.tighten(self, self.sub_f64x4(load(&row.high), change), at_start);
            }
            let (low, low_slope) = low.tightest(self);
            let (high, high_slope) = high.tightest(self);
            (high + low, low_slope - high_slope)
        }
    }
}

#[cfg(all(test, target_arch = "x86_64"))]
mod tests {
    use kinetic_core::rng::SeededRng;

    use super::super::rows::{RowBlock, Symmetric};
    use super::*;

    #[test]
    fn all_registers_give_the_same_bits() {
        let Some(wide) = pulp::x86::V3::try_new() else { return };
        let mut rng = SeededRng::new(3);
        for case in 0..1000 {
            let mut lanes = |low, high| Lanes(std::array::from_fn(|_| rng.uniform(low, high)));
            let accelerations = [0; 3].map(|_| Symmetric { at_start: lanes(-2.0, 2.0), most: lanes(0.0, 3.0) });
            let others =
                [0; 2].map(|_| RowBlock { at_start: lanes(-2.0, 2.0), low: lanes(-3.0, 0.0), high: lanes(0.0, 3.0) });
            let rows = Steep { accelerations: &accelerations, others: &others };
            let (x, end) = (rng.uniform(0.0, 2.0), [rng.uniform(0.0, 0.5), rng.uniform(0.5, 2.0)]);
            let bits = |(width, slope): (f64, f64)| [width.to_bits(), slope.to_bits()];
            assert_eq!(bits(Plain.width(rows, x, end)), bits(wide.width(rows, x, end)), "case {case}");
        }
    }
}
