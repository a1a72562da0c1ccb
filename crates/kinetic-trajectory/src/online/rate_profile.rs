//! A change of the rate of a clock in three phases of even r̈: away from ṙ, along the largest |ṙ|, back to ṙ = 0.

/// Shares of the time of a change that the first and the last ramp of ṙ take, the first ones the most even. What the trajectory
/// uses of the limits makes one of them harder than the other.
pub(super) const RAMP_SHARES: [[f64; 2]; 18] = [
    [0.5, 0.5],
    [0.35, 0.35],
    [0.2, 0.2],
    [0.1, 0.1],
    [0.05, 0.05],
    [0.7, 0.3],
    [0.85, 0.15],
    [0.95, 0.05],
    [0.5, 0.25],
    [0.5, 0.1],
    [0.3, 0.1],
    [0.2, 0.05],
    [0.3, 0.7],
    [0.15, 0.85],
    [0.25, 0.5],
    [0.1, 0.5],
    [0.1, 0.3],
    [0.05, 0.2],
];

/// What is left of a phase below this time is rounding, s.
const SHORTEST_PHASE_S: f64 = 1e-12;

/// Rates outside 0 to 1 by less than this are rounding.
const RATE_ROUNDING: f64 = 1e-12;

/// The rate r = τ̇ of a clock, and what changes it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct RateState {
    /// Seconds of the trajectory since the change began.
    pub(super) passed: f64,
    pub(super) rate: f64,
    /// ṙ, 1/s.
    pub(super) change: f64,
    /// r̈, 1/s².
    pub(super) bend: f64,
}

/// A change of the rate to a target, at which it ends with ṙ = 0.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct RateProfile {
    /// Where each phase begins; r̈ is that of the phase.
    begins: [RateState; 3],
    durations: [f64; 3],
    pub(super) target: f64,
    /// Bounds of |ṙ|, and of |r̈| in the first and last phase.
    bounds: (f64, [f64; 2]),
}

impl RateProfile {
    /// The fastest change from `rate` and `change` to `target` with |ṙ| ≤ `most`, and |r̈| ≤ `bends` in the first and last phase. Where
    /// the first is the larger one, ṙ may be too large for one of them and too small for the other: there is none then, which
    /// [`is_possible`](Self::is_possible) says.
    pub(super) fn fastest([rate, change]: [f64; 2], target: f64, (most, bends): (f64, [f64; 2])) -> Self {
        // Where the rate ends when ṙ is brought to 0 at once says in which direction the way leads.
        let ends = rate + change * change.abs() / (2.0 * bends[1]);
        let sign = if target >= ends { 1.0 } else { -1.0 };
        let (displacement, signed) = (sign * (target - rate), sign * change);
        let before = signed * signed / (2.0 * bends[0]);
        // Of the square of the peak, for both ramps.
        let ramp = 0.5 / bends[0] + 0.5 / bends[1];
        let peak = ((displacement + before) / ramp).max(0.0).sqrt().min(most).max(signed.max(0.0));
        let hold = if peak > 0.0 { ((displacement + before - ramp * peak * peak) / peak).max(0.0) } else { 0.0 };
        let durations = [(peak - signed) / bends[0], hold, peak / bends[1]];
        let mut state = RateState { passed: 0.0, rate, change, bend: sign * bends[0] };
        let mut begins = [state; 3];
        for (phase, bend) in [(1, 0.0), (2, -sign * bends[1])] {
            state = RateState { bend, ..state.after(durations[phase - 1]) };
            begins[phase] = state;
        }
        Self { begins, durations, target, bounds: (most, bends) }
    }

    /// A change that takes about `duration` where it begins with ṙ = 0, of which the first and the last ramp of ṙ take these parts.
    pub(super) fn within(duration: f64, shares: [f64; 2], [rate, change]: [f64; 2], target: f64) -> Self {
        let even = (target - rate).abs() / (duration * (1.0 - 0.5 * (shares[0] + shares[1])));
        let most = even.max(change.abs());
        Self::fastest([rate, change], target, (most, shares.map(|share| most / (duration * share))))
    }

    /// The same change with the bounds of |ṙ| and of |r̈| in the first and last phase times these factors.
    pub(super) fn scaled(&self, factors: [f64; 3]) -> Self {
        let ((most, [first, last]), RateState { rate, change, .. }) = (self.bounds, self.begins[0]);
        Self::fastest([rate, change], self.target, (factors[0] * most, [factors[1] * first, factors[2] * last]))
    }

    /// r̈ in its first phase.
    pub(super) fn first_bend(&self) -> f64 {
        self.begins[0].bend
    }

    /// Seconds to its end.
    pub(super) fn duration(&self) -> f64 {
        self.durations.iter().sum()
    }

    /// Where each phase begins, and how long it takes.
    pub(super) fn phases(&self) -> impl Iterator<Item = (RateState, f64)> {
        self.begins.into_iter().zip(self.durations)
    }

    /// The state after `t` seconds; past the end the rate is the target.
    pub(super) fn after(&self, t: f64) -> RateState {
        let mut left = t;
        for (begin, duration) in self.phases() {
            if left < duration {
                return begin.after(left);
            }
            left -= duration;
        }
        let end = self.begins[2].after(self.durations[2]);
        RateState { passed: end.passed + left * self.target, rate: self.target, change: 0.0, bend: 0.0 }
    }

    /// The state after `t` seconds, and how long its phase still lasts; `None` at the end.
    pub(super) fn phase_after(&self, t: f64) -> Option<(RateState, f64)> {
        let mut ends = 0.0;
        for (begin, duration) in self.phases() {
            let begins = ends;
            ends += duration;
            if ends - t > SHORTEST_PHASE_S {
                return Some((begin.after((t - begins).max(0.0)), ends - t));
            }
        }
        None
    }

    /// True where it ends at its target, and the rate never leaves 0 to 1: it is extreme at the ends of phases and where ṙ changes its
    /// sign.
    pub(super) fn is_possible(&self) -> bool {
        let end = self.begins[2].after(self.durations[2]);
        let is_rate = |rate: f64| (-RATE_ROUNDING..=1.0 + RATE_ROUNDING).contains(&rate);
        let is_at_target = (end.rate - self.target).abs() <= RATE_ROUNDING;
        is_at_target
            && self.phases().all(|(begin, duration)| {
                let turn = -begin.change / begin.bend;
                let turns = turn > 0.0 && turn < duration;
                is_rate(begin.rate)
                    && is_rate(begin.after(duration).rate)
                    && (!turns || is_rate(begin.after(turn).rate))
            })
    }
}

impl RateState {
    /// After `t` seconds of the same r̈.
    pub(super) fn after(&self, t: f64) -> Self {
        Self {
            passed: self.passed + t * (self.rate + t * (0.5 * self.change + t * self.bend / 6.0)),
            rate: self.rate + t * (self.change + 0.5 * t * self.bend),
            change: self.change + t * self.bend,
            bend: self.bend,
        }
    }
}
