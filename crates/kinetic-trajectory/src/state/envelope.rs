//! The farthest a joint can get in a given time between two velocities and accelerations.
//!
//! For a fixed duration T the motions between two states (velocity, acceleration) under bounds of velocity, acceleration
//! and jerk form a convex set, so that the displacements they reach are an interval. Its upper end, as a function of T,
//! is the envelope; the lower end is that of the mirrored joint. A displacement D can be reached in T exactly when it
//! lies between the two, which answers everything that time-optimal and synchronised motion asks, blocked intervals
//! included (Kröger 2010, *On-Line Trajectory Generation in Robotic Systems*; Berscheid and Kröger 2021, *Jerk-limited
//! Real-time Trajectory Generation with Arbitrary Target States*, work out cases of profiles instead).
//!
//! By Pontryagin's principle the extreme motion has jerk `+ 0 − 0 − 0 +`: acceleration rises from a₀ to α, falls to β
//! and rises to a₁; holds at the acceleration limits, and a cruise at the velocity limit in the middle. With J⁺ and J⁻
//! the jerk bounds and 1/m = 1/2J⁺ + 1/2J⁻, velocity is c₁ + a²/2J⁺ on the first ramp, V − a²/2J⁻ on the middle one and
//! c₃ + a²/2J⁺ on the last, so that without holds
//!
//! ```text
//! V = c₁ + α²/m = c₃ + β²/m            α² − β² = K = m (c₃ − c₁)
//! T = (a₁ − a₀)/J⁺ + 2w/m              w = α − β
//! dD/dT = V − αβ / 2J⁻                 also with holds
//! ```
//!
//! T grows strictly along the family, every regime has its shape in closed form from T, and the stationary points of D
//! are roots of quadratics: the envelope is a list of monotone segments with known ends, on which one root at most is
//! found by bracketing. K < 0 is K > 0 seen backwards in time (p → −p, a → −a).

use super::axis::AxisLimits;

/// Between which velocities and accelerations.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct EnvelopeEnds {
    pub(crate) velocity: [f64; 2],
    pub(crate) acceleration: [f64; 2],
}

/// What is saturated.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Regime {
    /// Nothing: two switches.
    Free,
    /// α is the highest acceleration, held for a while.
    Highest,
    /// β is the lowest acceleration, held for a while.
    Lowest,
    /// Both.
    Both,
    /// The velocity limit.
    Cruise,
}

/// Durations for which one regime holds.
#[derive(Debug, Clone, Copy)]
struct EnvelopePiece {
    from: f64,
    to: f64,
    regime: Regime,
}

/// Two components of at most three and five pieces.
const MAX_ENVELOPE_PIECES: usize = 8;

/// One extreme motion: accelerations α and β, the velocity V at (or extrapolated to) zero acceleration between them,
/// and the times at α, at V and at β.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ExtremeMotion {
    alpha: f64,
    beta: f64,
    peak: f64,
    hold_alpha: f64,
    cruise: f64,
    hold_beta: f64,
}

/// The largest displacement as a function of the duration.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Envelope {
    backwards: bool,
    a: [f64; 2],
    /// Highest and lowest acceleration.
    highest: f64,
    lowest: f64,
    /// 1/J⁺ and 1/J⁻, and m.
    per_rise: f64,
    per_fall: f64,
    m: f64,
    fastest: f64,
    c: [f64; 2],
    k: f64,
    /// (a₁ − a₀) / J⁺.
    base: f64,
    /// The shape at which the cruise begins, and its duration.
    saturated: ExtremeMotion,
    cruise_from: f64,
    pieces: [EnvelopePiece; MAX_ENVELOPE_PIECES],
    len: usize,
}

impl Envelope {
    /// The envelope of motions between `ends`, which must be inside the limits and not lead out of them.
    pub(crate) fn new(ends: &EnvelopeEnds, limits: &AxisLimits) -> Self {
        let (per_rise, per_fall) = (1.0 / limits.jerk[1], -1.0 / limits.jerk[0]);
        let c_of = |index: usize| ends.velocity[index] - 0.5 * per_rise * ends.acceleration[index].powi(2);
        let backwards = c_of(1) < c_of(0);
        let ([lowest, highest], [a0, a1]) = (limits.acceleration, ends.acceleration);
        let (lowest, highest) = if backwards { (-highest, -lowest) } else { (lowest, highest) };
        let (a, c) = if backwards { ([-a1, -a0], [c_of(1), c_of(0)]) } else { ([a0, a1], [c_of(0), c_of(1)]) };
        let m = 2.0 / (per_rise + per_fall);
        let empty = ExtremeMotion { alpha: 0.0, beta: 0.0, peak: 0.0, hold_alpha: 0.0, cruise: 0.0, hold_beta: 0.0 };
        let mut envelope = Self {
            backwards,
            a,
            highest,
            lowest,
            per_rise,
            per_fall,
            m,
            fastest: limits.velocity[1],
            c,
            k: m * (c[1] - c[0]),
            base: (a[1] - a[0]) * per_rise,
            saturated: empty,
            cruise_from: 0.0,
            pieces: [EnvelopePiece { from: 0.0, to: 0.0, regime: Regime::Cruise }; MAX_ENVELOPE_PIECES],
            len: 0,
        };
        envelope.saturate();
        envelope.list_pieces();
        envelope
    }

    /// The shape that just reaches the velocity limit.
    fn saturate(&mut self) {
        let v = self.fastest;
        let reach = |c: f64| (self.m * (v - c)).max(0.0).sqrt();
        let alpha = reach(self.c[0]).min(self.highest).max(self.a[0]);
        let beta = (-reach(self.c[1])).max(self.lowest).min(self.a[1]);
        let hold = |c: f64, bound: f64| ((v - c - bound * bound / self.m) / bound.abs()).max(0.0);
        let (hold_alpha, hold_beta) = (hold(self.c[0], self.highest), hold(self.c[1], self.lowest));
        self.saturated = ExtremeMotion { alpha, beta, peak: v, hold_alpha, cruise: 0.0, hold_beta };
        self.cruise_from = self.base + 2.0 * (alpha - beta) / self.m + hold_alpha + hold_beta;
    }

    /// Lists the regimes in order of duration, β falling from a₁ along the branch α = √(K + β²).
    fn list_pieces(&mut self) {
        let (a0, a1, k) = (self.a[0], self.a[1], self.k);
        // α ≥ a₀ leaves out |β| < gap.
        let gap = if a0 > 0.0 { (a0 * a0 - k).max(0.0).sqrt() } else { 0.0 };
        if gap > 0.0 && a1 > gap {
            self.list_branch(a1, gap);
        }
        self.list_branch(if gap > 0.0 { a1.min(-gap) } else { a1 }, self.lowest);
        let alpha = (k + self.lowest * self.lowest).sqrt().max(a0).min(self.highest);
        let lowest = |alpha: f64| self.time_at_lowest(alpha - self.lowest);
        let (from, to) = (lowest(alpha), lowest(self.highest));
        self.push(from, to, Regime::Lowest);
        let peak = |c: f64, bound: f64| c + bound * bound / self.m;
        let both = self.time_at_both(peak(self.c[0], self.highest).max(peak(self.c[1], self.lowest)));
        self.push(both, f64::INFINITY, Regime::Both);
        let from = if self.len > 0 { self.cruise_from.max(self.pieces[self.len - 1].to) } else { self.cruise_from };
        self.cruise_from = from;
        self.add(EnvelopePiece { from, to: f64::INFINITY, regime: Regime::Cruise });
    }

    /// Pieces for β from `high` down to `low`.
    fn list_branch(&mut self, high: f64, low: f64) {
        let free = (self.highest * self.highest - self.k).max(0.0).sqrt();
        let highest = |beta: f64| self.time_at_highest(self.highest - beta);
        let parts = [
            (highest(high), highest(low.max(free)), high > free && low < high, Regime::Highest),
            (
                self.time_free(high.min(free)),
                self.time_free(low.max(-free)),
                high.min(free) > low.max(-free),
                Regime::Free,
            ),
            (highest(high.min(-free)), highest(low), low < -free && low < high, Regime::Highest),
        ];
        for (from, to, exists, regime) in parts {
            if exists {
                self.push(from, to, regime);
            }
        }
    }

    /// Adds what of a piece lies before the cruise.
    fn push(&mut self, from: f64, to: f64, regime: Regime) {
        let to = to.min(self.cruise_from);
        if from < to {
            self.add(EnvelopePiece { from, to, regime });
        }
    }

    fn add(&mut self, piece: EnvelopePiece) {
        if self.len < MAX_ENVELOPE_PIECES {
            self.pieces[self.len] = piece;
            self.len += 1;
        }
    }

    fn time_free(&self, beta: f64) -> f64 {
        let alpha = (self.k + beta * beta).sqrt();
        // α − β without cancellation.
        let w = if beta > 0.0 { self.k / (alpha + beta) } else { alpha - beta };
        self.base + 2.0 * w / self.m
    }

    fn time_at_highest(&self, u: f64) -> f64 {
        self.base + ((self.c[1] - self.c[0]) + u * u / self.m) / self.highest
    }

    fn time_at_lowest(&self, u: f64) -> f64 {
        self.base + ((self.c[0] - self.c[1]) + u * u / self.m) / -self.lowest
    }

    fn time_at_both(&self, peak: f64) -> f64 {
        let hold = |c: f64, bound: f64| (peak - c - bound * bound / self.m) / bound.abs();
        let ramps = 2.0 * (self.highest - self.lowest) / self.m;
        self.base + ramps + hold(self.c[0], self.highest) + hold(self.c[1], self.lowest)
    }

    /// The extreme motion of duration `t` in `regime`.
    fn shape(&self, regime: Regime, t: f64) -> ExtremeMotion {
        let (mut alpha, mut beta) = (self.highest, self.lowest);
        let from_start = |alpha: f64| self.c[0] + alpha * alpha / self.m;
        let peak = match regime {
            Regime::Cruise => return ExtremeMotion { cruise: (t - self.cruise_from).max(0.0), ..self.saturated },
            Regime::Free => {
                let w = ((t - self.base) * self.m / 2.0).max(0.0);
                let sum = if w > 0.0 { (self.k / w).min(2.0 * self.highest) } else { 0.0 };
                // β from T, α from β: the change of velocity is met whatever rounding did to T.
                beta = (0.5 * (sum - w)).clamp(self.lowest, self.a[1]);
                alpha = (self.k + beta * beta).sqrt().min(self.highest);
                if alpha < self.a[0] {
                    alpha = self.a[0];
                    beta = (alpha * alpha - self.k).max(0.0).sqrt().copysign(beta).clamp(self.lowest, self.a[1]);
                }
                from_start(alpha)
            }
            Regime::Highest => {
                let u = (self.m * self.highest * (t - self.time_at_highest(0.0))).max(0.0).sqrt();
                beta = (self.highest - u).clamp(self.lowest, self.a[1]);
                self.c[1] + beta * beta / self.m
            }
            Regime::Lowest => {
                let u = (self.m * -self.lowest * (t - self.time_at_lowest(0.0))).max(0.0).sqrt();
                alpha = (self.lowest + u).clamp(self.a[0], self.highest);
                from_start(alpha)
            }
            Regime::Both => (t - self.time_at_both(0.0)) / (1.0 / self.highest - 1.0 / self.lowest),
        };
        let hold = |c: f64, bound: f64| ((peak - c - bound * bound / self.m) / bound.abs()).max(0.0);
        let hold_alpha = if alpha == self.highest { hold(self.c[0], alpha) } else { 0.0 };
        let hold_beta = if beta == self.lowest { hold(self.c[1], beta) } else { 0.0 };
        ExtremeMotion { alpha, beta, peak, hold_alpha, cruise: 0.0, hold_beta }
    }

    /// Displacement of a shape: ∫ v da / jerk over the ramps, and the holds.
    pub(crate) fn displacement_of(&self, shape: &ExtremeMotion) -> f64 {
        let ExtremeMotion { alpha, beta, peak, .. } = *shape;
        let ([a0, a1], [c1, c3]) = (self.a, self.c);
        let cubes = |x: f64, y: f64| x * x * x - y * y * y;
        let rises = c1 * (alpha - a0) + c3 * (a1 - beta) + self.per_rise / 6.0 * (cubes(alpha, a0) + cubes(a1, beta));
        let fall = peak * (alpha - beta) - self.per_fall / 6.0 * cubes(alpha, beta);
        let at_alpha = c1 + 0.5 * self.per_rise * alpha * alpha;
        let at_beta = peak - 0.5 * self.per_fall * beta * beta;
        let (h, g) = (shape.hold_alpha, shape.hold_beta);
        let holds = h * (at_alpha + 0.5 * alpha * h) + g * (at_beta + 0.5 * beta * g);
        self.per_rise * rises + self.per_fall * fall + holds + peak * shape.cruise
    }

    /// Index of the piece that holds `t`, or of the next one.
    fn piece_at(&self, t: f64) -> usize {
        (0..self.len - 1).find(|index| t <= self.pieces[*index].to).unwrap_or(self.len - 1)
    }

    /// The extreme motion of duration `t`, which must be possible.
    pub(crate) fn extreme(&self, t: f64) -> ExtremeMotion {
        let piece = &self.pieces[self.piece_at(t)];
        self.shape(piece.regime, t.max(piece.from))
    }

    /// Smallest possible duration ≥ `t` in which `displacement`, known to `noise`, is not beyond the envelope.
    pub(crate) fn next_reaching(&self, displacement: f64, noise: f64, t: f64) -> f64 {
        for index in self.piece_at(t)..self.len {
            let piece = &self.pieces[index];
            let from = t.max(piece.from);
            if let Some(found) = self.first_reaching(piece, from, displacement, noise) {
                return found;
            }
        }
        f64::INFINITY
    }

    /// The same within one piece.
    fn first_reaching(&self, piece: &EnvelopePiece, from: f64, displacement: f64, noise: f64) -> Option<f64> {
        let lack = |t: f64| {
            let shape = self.shape(piece.regime, t);
            (displacement - self.displacement_of(&shape), shape)
        };
        let (mut left, mut lacking) = (from, lack(from).0);
        if lacking <= noise + self.resolution(displacement, from) {
            return Some(from);
        }
        if piece.regime == Regime::Cruise {
            return Some(from + lacking / self.fastest);
        }
        let stationary = self.stationary(piece.regime);
        for right in stationary.into_iter().filter(|t| *t > from && *t < piece.to).chain([piece.to]) {
            let lack_right = lack(right).0;
            if lack_right <= 0.0 {
                return Some(self.root(piece.regime, displacement, [left, right], [lacking, lack_right]));
            }
            (left, lacking) = (right, lack_right);
        }
        None
    }

    /// Durations at which V = αβ / 2J⁻, ascending; not a number where there are fewer.
    fn stationary(&self, regime: Regime) -> [f64; 2] {
        let quarter = 0.25 * self.per_rise;
        let mut times = match regime {
            // x = w²: (1/2J⁻ + 1/4J⁺) x² + (c₁ + c₃) x + K²/4J⁺ = 0.
            Regime::Free => quadratic(0.5 * self.per_fall + quarter, self.c[0] + self.c[1], quarter * self.k * self.k)
                .map(|x| self.base + 2.0 * x.sqrt() / self.m),
            Regime::Highest => quadratic(1.0 / self.m, -0.5 * self.per_fall * self.highest, self.c[1])
                .map(|beta| self.time_at_highest(self.highest - beta)),
            Regime::Lowest => quadratic(1.0 / self.m, -0.5 * self.per_fall * self.lowest, self.c[0])
                .map(|alpha| self.time_at_lowest(alpha - self.lowest)),
            Regime::Both => [self.time_at_both(0.5 * self.per_fall * self.highest * self.lowest), f64::NAN],
            Regime::Cruise => [f64::NAN; 2],
        };
        if times[1] < times[0] {
            times.swap(0, 1);
        }
        times
    }

    /// What rounding does to displacements in duration `t`.
    fn resolution(&self, displacement: f64, t: f64) -> f64 {
        4.0 * f64::EPSILON * (displacement.abs() + t * (self.c[0].abs() + self.c[1].abs()))
    }

    /// Where a monotone segment of the envelope meets `displacement`: Newton's method, halving where it leaves the
    /// bracket or does not halve the bracket's larger part.
    fn root(&self, regime: Regime, displacement: f64, [mut left, mut right]: [f64; 2], lacks: [f64; 2]) -> f64 {
        let close = self.resolution(displacement, right);
        let mut t = left + (right - left) * (lacks[0] / (lacks[0] - lacks[1]));
        for _ in 0..80 {
            let shape = self.shape(regime, t);
            let lack = displacement - self.displacement_of(&shape);
            if lack.abs() <= close || right - left <= 2.0 * f64::EPSILON * right {
                return t;
            }
            if lack > 0.0 {
                left = t;
            } else {
                right = t;
            }
            let slope = shape.peak - 0.5 * self.per_fall * shape.alpha * shape.beta;
            let newton = t + lack / slope;
            t = if newton > left && newton < right { newton } else { f64::midpoint(left, right) };
        }
        right
    }

    /// Phases of an extreme motion: durations, and the signs of the jerk.
    pub(crate) fn phases(&self, shape: &ExtremeMotion) -> [(f64, f64); 7] {
        let ExtremeMotion { alpha, beta, .. } = *shape;
        let middle = if shape.cruise > 0.0 { 0.0_f64.clamp(beta.min(alpha), alpha.max(beta)) } else { beta };
        let mut phases = [
            ((alpha - self.a[0]) * self.per_rise, 1.0),
            (shape.hold_alpha, 0.0),
            ((alpha - middle) * self.per_fall, -1.0),
            (shape.cruise, 0.0),
            ((middle - beta) * self.per_fall, -1.0),
            (shape.hold_beta, 0.0),
            ((self.a[1] - beta) * self.per_rise, 1.0),
        ];
        if self.backwards {
            phases.reverse();
        }
        phases
    }

    /// Jerk of a sign, as the joint itself sees it.
    pub(crate) fn jerk(&self, sign: f64, mirrored: bool) -> f64 {
        let jerk = match sign {
            1.0 => 1.0 / self.per_rise,
            -1.0 => -1.0 / self.per_fall,
            _ => 0.0,
        };
        if mirrored { -jerk } else { jerk }
    }
}

/// Real roots of a x² + b x + c with a > 0, ascending, without cancellation; not a number where there are none.
fn quadratic(a: f64, b: f64, c: f64) -> [f64; 2] {
    let discriminant = b * b - 4.0 * a * c;
    if !(discriminant >= 0.0) {
        return [f64::NAN; 2];
    }
    let q = -0.5 * (b + discriminant.sqrt().copysign(b));
    let (x, y) = (q / a, if q == 0.0 { 0.0 } else { c / q });
    [x.min(y), x.max(y)]
}
