//! How much time a profile loses, stage by stage.
//!
//! On a stage the path acceleration is constant while what the limits allow changes. In its middle it lies below the largest
//! one that is allowed there (or above the smallest one, where the motion slows down) by some σ, so that over the length h
//! of the stage the squared speed x gains 2 h σ less than it could. That costs time, dT / dx = −½ ∫ x^(−3/2) ds, on this
//! stage and on all that follow, up to the place from which the profile brakes for something else; where it slows down, on
//! all stages before it. On the way the difference shrinks or grows as the limit of the joint that binds depends on
//! speed: from γ′ s̈ + γ″ x = a follows d(δx) / ds = −2 γ″ / γ′ δx. The sum agrees with what dense grids gain to some 20 %.

use kinetic_core::curve::{Coefficients, MAX_DEGREE};

use super::reach::Profile;
use super::stage::{Grid, Stage};

/// A squared speed is at its bound to this part of it.
const AT_BOUND: f64 = 1e-6;

/// A difference of squared speeds grows on one stage to this multiple at most.
const MOST_GROWTH: f64 = 2.0;

/// Lowest speed from which a straight is looked at, as a part of its highest squared speed.
const SLOWEST: f64 = 1e-6;

/// Time that is lost on each stage, and that the profile takes.
pub(crate) struct Losses {
    pub(crate) stages: Vec<f64>,
    pub(crate) duration: f64,
}

impl Losses {
    pub(crate) fn new(grid: &Grid<'_>, profile: &Profile) -> Self {
        let look = |(index, stage): (usize, &Stage)| {
            let squares = [profile.squares[index], profile.squares[index + 1]];
            let room = profile.ranges[index + 1][1] - squares[1];
            if stage.acceleration.is_finite() { straight(stage, squares) } else { curved(grid, stage, squares, room) }
        };
        let looks: Vec<Look> = grid.stages.iter().enumerate().map(look).collect();
        let mut stages: Vec<f64> = looks.iter().map(|look| look.lost).collect();
        // Time per squared speed that is missed where a stage ends, by all that follows; and where one begins, by all before.
        let (mut later, mut earlier) = (0.0, 0.0);
        for (look, lost) in looks.iter().zip(&mut stages).rev() {
            later = look.passed_on(look.rises, look.slowness[0], later, lost);
        }
        for (look, lost) in looks.iter().zip(&mut stages) {
            earlier = look.passed_on(look.falls, look.slowness[1], earlier, lost);
        }
        Self { stages, duration: looks.iter().map(|look| look.time).sum() }
    }

    pub(crate) fn total(&self) -> f64 {
        self.stages.iter().sum()
    }
}

/// What one stage says of lost time.
#[derive(Debug, Clone, Copy)]
struct Look {
    time: f64,
    /// True where the motion is as fast as what comes before it allows, or what comes after it. A straight can do both.
    rises: bool,
    falls: bool,
    /// Squared speed that it could have gained.
    missed: f64,
    /// Part of a difference of squared speeds at one end that arrives at the other, and whether it does.
    carried: f64,
    carries: bool,
    /// Time per difference of squared speeds at the start and at the end.
    slowness: [f64; 2],
    /// Time that is lost by its own speed.
    lost: f64,
}

impl Look {
    /// Adds to `lost` what the missed speed costs here and `beyond`, if it goes on there; returns the price at the other end.
    fn passed_on(&self, goes_on: bool, slowness: f64, beyond: f64, lost: &mut f64) -> f64 {
        if !goes_on {
            return 0.0;
        }
        *lost += self.missed * (0.5 * slowness + beyond);
        let carried = if self.carries { self.carried * beyond } else { 0.0 };
        0.5 * (1.0 + self.carried) * slowness + carried
    }
}

/// A straight with its trapezoid loses nothing by itself.
fn straight(stage: &Stage, [start, end]: [f64; 2]) -> Look {
    let most = stage.acceleration;
    let peak = (f64::midpoint(start, end) + most * stage.length).min(stage.fastest).max(start).max(end);
    let speed = peak.sqrt();
    let slowness = |square: f64| (1.0 / square.max(SLOWEST * peak).sqrt() - 1.0 / speed) / (2.0 * most);
    let ramps = (2.0 * speed - start.sqrt() - end.sqrt()) / most;
    let cruise = (stage.length - (2.0 * peak - start - end) / (2.0 * most)).max(0.0) / speed;
    let above = |square: f64| peak > square * (1.0 + AT_BOUND);
    Look {
        time: ramps + cruise,
        rises: above(start),
        falls: above(end),
        missed: 0.0,
        carried: 1.0,
        carries: !(above(start) && above(end)) && cruise <= AT_BOUND * ramps,
        slowness: [slowness(start), slowness(end)],
        lost: 0.0,
    }
}

/// A stage with one path acceleration, `room` below the squared speed at its end from which the rest can be held.
fn curved(grid: &Grid<'_>, stage: &Stage, [start, end]: [f64; 2], room: f64) -> Look {
    let (h, middle) = (stage.length, f64::midpoint(start, end));
    let time = 2.0 * h / (start.sqrt() + end.sqrt());
    let acceleration = (end - start) / (2.0 * h);
    let allowed = Allowed::new(grid, stage, middle);
    let [down, up] = [acceleration - allowed.range[0], allowed.range[1] - acceleration].map(|unused| unused.max(0.0));
    let is_free = room > AT_BOUND * end;
    let rises = is_free || up < down;
    let unused = if rises { up } else { down };
    let missed = (2.0 * h * unused).min(if is_free { room } else { f64::INFINITY });
    let slowness = 0.5 * time / middle;
    // Near its limit a speed is near it before and after, too: what is missed there does not add up.
    let faster = (allowed.fastest - middle).max(0.0);
    let is_fast = faster * allowed.unbent < middle * unused;
    let rate = 2.0 * h * allowed.rates[usize::from(rises)];
    Look {
        time,
        rises: rises && !is_fast,
        falls: !rises && !is_fast,
        missed,
        carried: if rate > 0.0 { 1.0 / (1.0 + rate) } else { (1.0 - rate).min(MOST_GROWTH) },
        carries: true,
        slowness: [slowness; 2],
        lost: if is_fast { faster * slowness } else { 0.0 },
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
    fn new(grid: &Grid<'_>, stage: &Stage, square: f64) -> Self {
        match grid.degrees[stage.element] {
            0..=2 => Self::of_degree::<2>(grid, stage, square),
            3 => Self::of_degree::<3>(grid, stage, square),
            _ => Self::of_degree::<MAX_DEGREE>(grid, stage, square),
        }
    }

    fn of_degree<const DEGREE: usize>(grid: &Grid<'_>, stage: &Stage, square: f64) -> Self {
        let (element, limits) = (&grid.elements[stage.element], &grid.limits);
        let at = stage.offset + 0.5 * stage.length;
        let mut found =
            Self { range: [f64::NEG_INFINITY, f64::INFINITY], rates: [0.0; 2], unbent: f64::INFINITY, fastest: 0.0 };
        let mut slowness = 0.0_f64;
        for (joint, row) in element.shape.iter().enumerate() {
            let [tangent, curvature] = slopes::<DEGREE>(row, at);
            slowness = slowness.max(tangent.abs() / limits.velocity[joint]);
            let per_tangent = 1.0 / tangent.abs();
            let (own, rate) = (limits.acceleration[joint] * per_tangent, curvature / tangent);
            found.unbent = found.unbent.min(own);
            let centre = -rate * square;
            if centre - own > found.range[0] {
                (found.range[0], found.rates[0]) = (centre - own, -rate);
            }
            if centre + own < found.range[1] {
                (found.range[1], found.rates[1]) = (centre + own, rate);
            }
        }
        found.fastest = 1.0 / (slowness * slowness);
        found
    }
}

/// First and second derivative.
#[inline]
fn slopes<const DEGREE: usize>(row: &Coefficients, at: f64) -> [f64; 2] {
    let (mut first, mut second) = (0.0, 0.0);
    for power in (2..=DEGREE).rev() {
        let factor = power as f64;
        first = first * at + factor * row[power];
        second = second * at + factor * (factor - 1.0) * row[power];
    }
    [first * at + row[1], second]
}
