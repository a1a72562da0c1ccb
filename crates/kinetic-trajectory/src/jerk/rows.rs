//! Limits of all joints at one value of the path parameter, four joints per SIMD vector.
//!
//! With x = ṡ² a joint's acceleration and jerk are
//!
//! ```text
//! γ″ x + ½ γ′ x′        (γ‴ x + 3/2 γ″ x′ + ½ γ′ x″) √x
//! ```

#![allow(clippy::inline_always, reason = "what is not inlined is compiled without the wide instructions")]

use super::newton::Quadratic;
use crate::lanes::{Lanes, WIDTH};

/// γ′, γ″ and γ‴ of a joint at a place, by its limits of acceleration and of jerk.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct BarrierRow {
    /// Factors of x′ and x.
    pub(crate) acceleration: [f64; 2],
    /// Factors of x″, x′ and x.
    pub(crate) jerk: [f64; 3],
}

impl BarrierRow {
    pub(crate) fn new([_, tangent, curvature, third]: [f64; 4], acceleration: f64, jerk: f64) -> Self {
        Self {
            acceleration: [0.5 * tangent / acceleration, curvature / acceleration],
            jerk: [0.5 * tangent / jerk, 1.5 * curvature / jerk, third / jerk],
        }
    }
}

/// The rows of four joints; those of joints that are not there are 0.
#[derive(Debug, Clone, Copy)]
pub(crate) struct BarrierBlock {
    pub(crate) acceleration: [Lanes; 2],
    pub(crate) jerk: [Lanes; 3],
}

impl BarrierBlock {
    /// Of at most four joints.
    pub(crate) fn new(rows: &[BarrierRow]) -> Self {
        let row = |lane: usize| rows.get(lane).copied().unwrap_or_default();
        let lanes = |value: &dyn Fn(BarrierRow) -> f64| Lanes(std::array::from_fn(|lane| value(row(lane))));
        Self {
            acceleration: [0, 1].map(|factor| lanes(&|row| row.acceleration[factor])),
            jerk: [0, 1, 2].map(|factor| lanes(&|row| row.jerk[factor])),
        }
    }

    /// Blocks of all joints.
    pub(crate) fn all(rows: &[BarrierRow]) -> impl Iterator<Item = Self> {
        rows.chunks(WIDTH).map(Self::new)
    }

    /// The same under limits that are lower by these factors.
    pub(crate) fn tighten(&mut self, acceleration: f64, jerk: f64) {
        self.acceleration = self.acceleration.map(|lanes| lanes * Lanes::splat(acceleration));
        self.jerk = self.jerk.map(|lanes| lanes * Lanes::splat(jerk));
    }

    /// Acceleration by its limit.
    #[inline(always)]
    pub(crate) fn acceleration(&self, at: &NodeState) -> Lanes {
        self.acceleration[1] * Lanes::splat(at.x) + self.acceleration[0] * Lanes::splat(at.slope)
    }

    /// Jerk by its limit and √x.
    #[inline(always)]
    fn jerk_by_speed(&self, at: &NodeState) -> Lanes {
        let [bend, slope, x] = self.jerk;
        x * Lanes::splat(at.x) + slope * Lanes::splat(at.slope) + bend * Lanes::splat(at.bend)
    }

    /// Jerk by its limit.
    #[inline(always)]
    pub(crate) fn jerk(&self, at: &NodeState) -> Lanes {
        self.jerk_by_speed(at) * Lanes::splat(at.speed)
    }
}

/// x, x′ and x″ at a place, √x, and 1 by that.
#[derive(Debug, Clone, Copy)]
pub(crate) struct NodeState {
    pub(crate) x: f64,
    pub(crate) slope: f64,
    pub(crate) bend: f64,
    pub(crate) speed: f64,
    pub(crate) slowness: f64,
}

impl NodeState {
    #[inline(always)]
    pub(crate) fn new(x: f64, slope: f64, bend: f64) -> Self {
        let speed = x.sqrt();
        Self { x, slope, bend, speed, slowness: 1.0 / speed }
    }
}

/// Gradient and curvature of the barrier of one place with respect to x, x′ and x″; the lower half of the matrix.
#[derive(Clone, Copy)]
pub(crate) struct Barrier {
    gradient: [Lanes; 3],
    matrix: [Lanes; 6],
    /// What is left of the limits.
    slack: Lanes,
}

impl Barrier {
    #[inline(always)]
    pub(crate) fn new() -> Self {
        let zero = Lanes::splat(0.0);
        Self { gradient: [zero; 3], matrix: [zero; 6], slack: Lanes::splat(1.0) }
    }

    #[inline(always)]
    pub(crate) fn add_acceleration(&mut self, block: &BarrierBlock, at: &NodeState) {
        let [slope, x] = block.acceleration;
        self.add_ratio(block.acceleration(at), [x, slope]);
    }

    #[inline(always)]
    pub(crate) fn add_jerk(&mut self, block: &BarrierBlock, at: &NodeState) {
        let [bend, slope, x] = block.jerk;
        let (jerk, speed) = (block.jerk_by_speed(at), Lanes::splat(at.speed));
        let by_x = x * speed + Lanes::splat(0.5 * at.slowness) * jerk;
        self.add_ratio(jerk * speed, [by_x, slope * speed, bend * speed]);
    }

    /// − ln (1 − ratio²) of a ratio with this gradient.
    #[inline(always)]
    fn add_ratio<const PARTS: usize>(&mut self, ratio: Lanes, gradient: [Lanes; PARTS]) {
        let slack = Lanes::splat(1.0) - ratio * ratio;
        self.slack = self.slack.min(slack);
        let twice = slack.inverse() * Lanes::splat(2.0);
        let first = ratio * twice;
        let second = twice + first * first;
        let mut place = 0;
        for i in 0..PARTS {
            self.gradient[i] += first * gradient[i];
            let scaled = second * gradient[i];
            for j in 0..=i {
                self.matrix[place] += scaled * gradient[j];
                place += 1;
            }
        }
    }

    /// The same with respect to x and x′ at a place `offset` before, where x″ is the same.
    #[inline(always)]
    pub(crate) fn moved(&self, offset: f64) -> Self {
        let (d, half) = (Lanes::splat(offset), Lanes::splat(0.5 * offset * offset));
        let [gx, gs, gb] = self.gradient;
        let [xx, sx, ss, bx, bs, bb] = self.matrix;
        let (x1, s1, b1) = (sx + d * xx, ss + d * sx, bs + d * bx);
        let (x2, s2, b2) = (bx + d * sx + half * xx, bs + d * ss + half * sx, bb + d * bs + half * bx);
        Self {
            gradient: [gx, gs + d * gx, gb + d * gs + half * gx],
            matrix: [xx, x1, s1 + d * x1, x2, b1 + d * s1 + half * x1, b2 + d * s2 + half * x2],
            slack: self.slack,
        }
    }

    #[inline(always)]
    pub(crate) fn add(&mut self, other: &Self) {
        for i in 0..3 {
            self.gradient[i] += other.gradient[i];
        }
        for i in 0..6 {
            self.matrix[i] += other.matrix[i];
        }
        self.slack = self.slack.min(other.slack);
    }

    /// Sums over the joints; `None` outside the limits.
    #[inline(always)]
    pub(crate) fn sums(&self) -> Option<Quadratic> {
        let is_inside = self.slack.smallest() > 0.0;
        // Plain loops are inlined.
        let (mut gradient, mut matrix) = ([0.0; 3], [0.0; 6]);
        for i in 0..3 {
            gradient[i] = self.gradient[i].sum();
        }
        for i in 0..6 {
            matrix[i] = self.matrix[i].sum();
        }
        is_inside.then_some(Quadratic { gradient, matrix })
    }
}
