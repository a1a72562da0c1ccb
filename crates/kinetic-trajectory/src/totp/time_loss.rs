//! Estimate of the time that a profile loses to constant path accelerations, stage by stage.
//!
//! On a stage the path acceleration is constant while what the limits allow changes. In its middle it lies below the largest
//! one that is allowed there (or above the smallest one, where the motion slows down) by some σ, so that over the length h
//! of the stage the squared speed x gains 2 h σ less than it could. That costs time, dT / dx = −½ ∫ x^(−3/2) ds, on this
//! stage and on all that follow, up to the place from which the profile brakes for something else; where it slows down, on
//! all stages before it. On the way the difference shrinks or grows as the limit of the joint that binds depends on
//! speed: from γ′ s̈ + γ″ x = a follows d(δx) / ds = −2 γ″ / γ′ δx. The sum agrees with what dense grids gain to some 20 %.
//!
//! Where braking ends and acceleration begins, it is the stage itself that keeps the speed low: no constant path acceleration
//! holds the limits at both ends of it at a higher speed. There the maximum velocity curve in its middle says how much is missed.

#![allow(clippy::inline_always, reason = "what is not inlined is compiled without the wide instructions")]

use kinetic_core::curve::MAX_DEGREE;
use pulp::{Arch, NullaryFnOnce};

use super::reachability::Profile;
use super::rows::{ElementCoefficients, JointBounds};
use super::stage::{Stage, StageGrid};
use crate::lanes::{Lanes, WIDTH};

/// A squared speed is at its bound to this part of it.
const BOUND_TOLERANCE: f64 = 1e-6;

/// A difference of squared speeds grows on one stage to this multiple at most.
const MAX_DIFFERENCE_GROWTH: f64 = 2.0;

/// Lowest speed from which a straight is looked at, as a part of its highest squared speed.
const MIN_SPEED_RATIO: f64 = 1e-6;

/// Part of what the maximum velocity curve promises at a turning point that counts: most motions cannot use it, since they would
/// have to get there and away from there on the limits, too.
const TURNING_POINT_RATIO: f64 = 0.05;

/// Time that is lost on each stage, and that the profile takes.
pub(crate) struct TimeLosses {
    pub(crate) stages: Vec<f64>,
    pub(crate) duration: f64,
}

impl TimeLosses {
    pub(crate) fn new(grid: &StageGrid<'_>, profile: &Profile) -> Self {
        let looks = Arch::new().dispatch(Looks { grid, profile });
        let mut stages: Vec<f64> = looks.iter().map(|look| look.loss).collect();
        // Time per squared speed that is missed where a stage ends, by all that follows; and where one begins, by all before.
        let (mut later, mut earlier) = (0.0, 0.0);
        for (look, loss) in looks.iter().zip(&mut stages).rev() {
            later = look.passed_on(look.rises, look.slowness[0], later, loss);
        }
        for (look, loss) in looks.iter().zip(&mut stages) {
            *loss += TURNING_POINT_RATIO * look.missed_at_start * earlier;
            earlier = look.passed_on(look.falls, look.slowness[1], earlier, loss);
        }
        Self { stages, duration: looks.iter().map(|look| look.time).sum() }
    }

    pub(crate) fn total(&self) -> f64 {
        self.stages.iter().sum()
    }
}

/// What one stage says of lost time.
#[derive(Debug, Clone, Copy)]
struct StageLoss {
    time: f64,
    /// True where the motion is as fast as what comes before it allows, or what comes after it. A straight can do both.
    rises: bool,
    falls: bool,
    /// Squared speed that it could have gained.
    missed: f64,
    /// Squared speed at its start that a shorter stage would allow.
    missed_at_start: f64,
    /// Part of a difference of squared speeds at one end that arrives at the other, and whether it does.
    carried: f64,
    carries: bool,
    /// Time per difference of squared speeds at the start and at the end.
    slowness: [f64; 2],
    /// Time that is lost by its own speed.
    loss: f64,
}

impl StageLoss {
    /// Adds to `loss` what the missed speed costs here and `beyond`, if it goes on there; returns the price at the other end.
    fn passed_on(&self, goes_on: bool, slowness: f64, beyond: f64, loss: &mut f64) -> f64 {
        if !goes_on {
            return 0.0;
        }
        *loss += self.missed * (0.5 * slowness + beyond);
        let carried = if self.carries { self.carried * beyond } else { 0.0 };
        0.5 * (1.0 + self.carried) * slowness + carried
    }
}

/// What every stage says.
struct Looks<'a, 'b> {
    grid: &'a StageGrid<'b>,
    profile: &'a Profile,
}

impl NullaryFnOnce for Looks<'_, '_> {
    type Output = Vec<StageLoss>;

    #[inline(always)]
    fn call(self) -> Vec<StageLoss> {
        let Self { grid, profile } = self;
        let (joints, mut shape) = (JointBounds::all(&grid.limits), ElementCoefficients::default());
        let mut looks = Vec::with_capacity(grid.stages.len());
        for (index, stage) in grid.stages.iter().enumerate() {
            let squares = [profile.squares[index], profile.squares[index + 1]];
            looks.push(if stage.acceleration.is_finite() {
                straight(stage, squares)
            } else {
                let slacks = [0, 1].map(|end| profile.ranges[index + end][1] - squares[end]);
                let columns = shape.of(stage.element, &grid.elements[stage.element], &joints);
                let degree = grid.degrees[stage.element];
                let mut look =
                    curved(&Allowed::new(degree, &joints, columns, stage, squares), stage, squares, slacks[1]);
                if is_turning_point(squares, slacks) {
                    let fastest = maximum_velocity(degree, &joints, columns, stage);
                    look.missed_at_start = (fastest - squares[0]).max(0.0);
                }
                look
            });
        }
        looks
    }
}

/// A straight with its trapezoid loses nothing by itself.
fn straight(stage: &Stage, [start, end]: [f64; 2]) -> StageLoss {
    let most = stage.acceleration;
    let peak = (f64::midpoint(start, end) + most * stage.length).min(stage.fastest).max(start).max(end);
    let speed = peak.sqrt();
    let slowness = |square: f64| (1.0 / square.max(MIN_SPEED_RATIO * peak).sqrt() - 1.0 / speed) / (2.0 * most);
    let ramps = (2.0 * speed - start.sqrt() - end.sqrt()) / most;
    let cruise = (stage.length - (2.0 * peak - start - end) / (2.0 * most)).max(0.0) / speed;
    let above = |square: f64| peak > square * (1.0 + BOUND_TOLERANCE);
    StageLoss {
        time: ramps + cruise,
        rises: above(start),
        falls: above(end),
        missed: 0.0,
        missed_at_start: 0.0,
        carried: 1.0,
        carries: !(above(start) && above(end)) && cruise <= BOUND_TOLERANCE * ramps,
        slowness: [slowness(start), slowness(end)],
        loss: 0.0,
    }
}

/// A stage with one path acceleration, `slack` below the squared speed at its end from which the rest can be held.
fn curved(allowed: &Allowed, stage: &Stage, [start, end]: [f64; 2], slack: f64) -> StageLoss {
    let (h, middle) = (stage.length, f64::midpoint(start, end));
    let time = 2.0 * h / (start.sqrt() + end.sqrt());
    let acceleration = (end - start) / (2.0 * h);
    let [down, up] = [acceleration - allowed.range[0], allowed.range[1] - acceleration].map(|unused| unused.max(0.0));
    let is_free = slack > BOUND_TOLERANCE * end;
    let rises = is_free || up < down;
    let unused = if rises { up } else { down };
    let missed = (2.0 * h * unused).min(if is_free { slack } else { f64::INFINITY });
    let slowness = 0.5 * time / middle;
    // Near its limit a speed is near it before and after, too: what is missed there does not add up.
    let faster = (allowed.fastest - middle).max(0.0);
    let is_fast = faster * allowed.unbent < middle * unused;
    let rate = 2.0 * h * allowed.rates[usize::from(rises)];
    StageLoss {
        time,
        rises: rises && !is_fast,
        falls: !rises && !is_fast,
        missed,
        missed_at_start: 0.0,
        carried: if rate > 0.0 { 1.0 / (1.0 + rate) } else { (1.0 - rate).min(MAX_DIFFERENCE_GROWTH) },
        carries: true,
        slowness: [slowness; 2],
        loss: if is_fast { faster * slowness } else { 0.0 },
    }
}

/// What the limits allow in the middle of a stage.
struct Allowed {
    /// Path accelerations.
    range: [f64; 2],
    /// By how much both ends change per squared speed, in the direction in which they matter: γ″ / γ′ of the joint that binds.
    rates: [f64; 2],
    /// Largest path acceleration on a straight in this direction.
    unbent: f64,
    /// Squared speed.
    fastest: f64,
}

impl Allowed {
    #[inline(always)]
    fn new(
        degree: usize,
        joints: &[JointBounds],
        columns: &[[Lanes; MAX_DEGREE + 1]],
        stage: &Stage,
        [start, end]: [f64; 2],
    ) -> Self {
        let square = f64::midpoint(start, end);
        match degree {
            0..=2 => Self::of_degree::<2>(joints, columns, stage, square),
            3 => Self::of_degree::<3>(joints, columns, stage, square),
            _ => Self::of_degree::<MAX_DEGREE>(joints, columns, stage, square),
        }
    }

    #[inline(always)]
    fn of_degree<const DEGREE: usize>(
        joints: &[JointBounds],
        columns: &[[Lanes; MAX_DEGREE + 1]],
        stage: &Stage,
        square: f64,
    ) -> Self {
        let at = Lanes::splat(stage.offset + 0.5 * stage.length);
        let [mut low, mut high] = [f64::NEG_INFINITY, f64::INFINITY].map(Lanes::splat);
        let (mut low_rate, mut high_rate) = (Lanes::splat(0.0), Lanes::splat(0.0));
        let (mut unbent, mut slowness) = (Lanes::splat(f64::INFINITY), Lanes::splat(0.0));
        for (four, columns) in joints.iter().zip(columns) {
            let [tangent, curvature] = slopes::<DEGREE>(columns, at);
            slowness = slowness.max(tangent.abs() * four.slowness);
            let per_tangent = tangent.inverse();
            let (own, rate) = (four.acceleration * per_tangent.abs(), curvature * per_tangent);
            unbent = own.min(unbent);
            let centre = rate * Lanes::splat(-square);
            for lane in 0..WIDTH {
                let (under, over) = (centre.0[lane] - own.0[lane], centre.0[lane] + own.0[lane]);
                let (raises, lowers) = (under > low.0[lane], over < high.0[lane]);
                low.0[lane] = if raises { under } else { low.0[lane] };
                low_rate.0[lane] = if raises { -rate.0[lane] } else { low_rate.0[lane] };
                high.0[lane] = if lowers { over } else { high.0[lane] };
                high_rate.0[lane] = if lowers { rate.0[lane] } else { high_rate.0[lane] };
            }
        }
        let (mut lowest, mut highest) = (0, 0);
        for lane in 1..WIDTH {
            lowest = if low.0[lane] > low.0[lowest] { lane } else { lowest };
            highest = if high.0[lane] < high.0[highest] { lane } else { highest };
        }
        let slowest = slowness.largest();
        Self {
            range: [low.0[lowest], high.0[highest]],
            rates: [low_rate.0[lowest], high_rate.0[highest]],
            unbent: unbent.smallest(),
            fastest: 1.0 / (slowest * slowest),
        }
    }
}

/// Whether a motion ends to brake for this stage where it begins, and could be faster where it ends.
fn is_turning_point([start, end]: [f64; 2], [start_slack, end_slack]: [f64; 2]) -> bool {
    start_slack <= BOUND_TOLERANCE * start && end_slack > BOUND_TOLERANCE * end
}

/// Largest squared speed at which some path acceleration holds all limits in the middle of a stage: the maximum velocity curve
/// (Bobrow, Dubowsky and Gibson 1985).
#[inline(always)]
fn maximum_velocity(degree: usize, joints: &[JointBounds], columns: &[[Lanes; MAX_DEGREE + 1]], stage: &Stage) -> f64 {
    let at = Lanes::splat(stage.offset + 0.5 * stage.length);
    let mut slowness = Lanes::splat(0.0);
    let mut fastest = Lanes::splat(f64::INFINITY);
    for (index, (four, column)) in joints.iter().zip(columns).enumerate() {
        let (bound, slow) = AccelerationBounds::of(degree, four, column, at);
        slowness = slowness.max(slow);
        for lane in 0..WIDTH {
            fastest = bound.crossing(bound.rate.0[lane], bound.most.0[lane]).min(fastest);
        }
        for (before, column) in joints.iter().zip(columns).take(index) {
            let (other, _) = AccelerationBounds::of(degree, before, column, at);
            for lane in 0..WIDTH {
                fastest = bound.crossing(other.rate.0[lane], other.most.0[lane]).min(fastest);
            }
        }
    }
    let slowness = slowness.largest();
    fastest.smallest().min(1.0 / (slowness * slowness))
}

/// Of four joints γ″ / γ′ and the path acceleration that each allows on a straight.
struct AccelerationBounds {
    rate: Lanes,
    most: Lanes,
}

impl AccelerationBounds {
    /// Of four joints, and |γ′| by their velocities.
    #[inline(always)]
    fn of(degree: usize, four: &JointBounds, columns: &[Lanes; MAX_DEGREE + 1], at: Lanes) -> (Self, Lanes) {
        let [tangent, curvature] = match degree {
            0..=2 => slopes::<2>(columns, at),
            3 => slopes::<3>(columns, at),
            _ => slopes::<MAX_DEGREE>(columns, at),
        };
        let bounds = Self { rate: curvature / tangent, most: four.acceleration / tangent.abs() };
        (bounds, tangent.abs() * four.slowness)
    }

    /// Squared speeds from which one of two joints bounds the path acceleration from below by more than the other does from
    /// above, −r s − a = −r′ s + a′, for each of four joints and another one.
    #[inline(always)]
    fn crossing(&self, rate: f64, most: f64) -> Lanes {
        (self.most + Lanes::splat(most)) / (self.rate - Lanes::splat(rate)).abs()
    }
}

/// First and second derivative.
#[inline(always)]
fn slopes<const DEGREE: usize>(columns: &[Lanes; MAX_DEGREE + 1], at: Lanes) -> [Lanes; 2] {
    let (mut first, mut second) = (Lanes::splat(0.0), Lanes::splat(0.0));
    for power in (2..=DEGREE).rev() {
        let factor = power as f64;
        first = first * at + Lanes::splat(factor) * columns[power];
        second = second * at + Lanes::splat(factor * (factor - 1.0)) * columns[power];
    }
    [first * at + columns[1], second]
}
