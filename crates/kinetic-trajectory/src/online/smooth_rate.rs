//! A rate whose own change is bounded, so that jerk is: the earliest change to a target that the trajectory ahead allows.
//!
//! A constant rate of at most 1 always holds the limits that the trajectory holds, so that waiting is never wrong. A change is
//! taken only when it holds them to its end (see [`RateCheck`]), and replaced by one that ends sooner where there is one: the
//! slower the motion already is, the harder it may brake.

use std::cell::Cell;

use kinetic_core::curve::{evaluate, extremes};
use kinetic_core::{KineticError, PiecewisePolynomial, Result};

use super::clock::Clock;
use super::rate_check::RateCheck;
use super::rate_profile::{RAMP_SHARES, RateProfile, RateState};
use crate::check::{RELATIVE_TOLERANCE, STEP_TOLERANCE};
use crate::state::AxisLimits;

/// The shortest change that is tried, s: less than a cycle of any controller.
const SHORTEST_CHANGE_S: f64 = 1e-3;

/// Durations that are tried grow by this factor, and the step between the last that does not hold and the first that does is
/// halved this often.
const DURATION_GROWTH: f64 = 1.2;
const DURATION_HALVINGS: usize = 3;

/// Parts of the way to a target that are tried: the lower the rate, the more of the limits is left for going on.
const PARTS_OF_THE_WAY: [f64; 5] = [1.0, 0.5, 0.2, 0.08, 0.03];

/// Instants and parts of changes, times joints, that a cycle looks at in its search, and in improving what it found. A search that
/// is not over by then goes on in the next cycle.
const SEARCH_JOINT_LOOKS: usize = 8000;
const IMPROVEMENT_JOINT_LOOKS: usize = 8000;

/// The bounds of a change that was found are raised by these factors where the limits allow it.
const STEEPER: [f64; 4] = [1.15, 1.08, 1.04, 1.02];

/// Parts of what is left of a change in which it may be replaced by another one.
const SOONER: [f64; 4] = [0.7, 0.85, 0.92, 0.97];

/// A change replaces another one that takes at least this many times as long.
const LEAST_GAIN: f64 = 1.005;

/// How fast a rate changes, and how fast it may.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct SmoothRate {
    limits: Vec<AxisLimits>,
    /// ṙ now.
    pub(super) change: f64,
    /// The change under way, and how much of it has passed, s.
    under_way: Option<(RateProfile, f64)>,
    scan: Scan,
}

/// Where the search for a change stands.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Scan {
    target: f64,
    /// The duration to try next, s, of each part of the way; infinite where all were tried.
    durations: [f64; PARTS_OF_THE_WAY.len()],
}

impl Scan {
    fn new(target: f64) -> Self {
        Self { target, durations: [0.0; PARTS_OF_THE_WAY.len()] }
    }
}

impl SmoothRate {
    /// For a trajectory that holds these limits of acceleration and jerk, joint by joint, itself.
    ///
    /// # Errors
    /// [`KineticError::InvalidValue`] naming joint and quantity where its acceleration steps, or its jerk is larger.
    pub(super) fn new(curve: &PiecewisePolynomial, limits: Vec<AxisLimits>) -> Result<Self> {
        for (joint, axis) in limits.iter().enumerate() {
            check_steps(curve, joint, axis.acceleration[1])?;
            check_jerk(curve, joint, axis.jerk[1])?;
        }
        Ok(Self::unchecked(limits))
    }

    /// For a trajectory that may exceed the limits.
    pub(super) fn unchecked(limits: Vec<AxisLimits>) -> Self {
        Self { limits, change: 0.0, under_way: None, scan: Scan::new(0.0) }
    }

    /// Forgets the change under way: the rate is constant.
    pub(super) fn reset(&mut self) {
        (self.under_way, self.change, self.scan) = (None, 0.0, Scan::new(0.0));
    }

    /// Lets `left` seconds pass while the rate goes to `target`; the clock stays on the trajectory.
    pub(super) fn advance(&mut self, curve: &PiecewisePolynomial, clock: &mut Clock, target: f64, left: f64) {
        self.plan(curve, *clock, target);
        let state = self.pass(clock.rate, left);
        clock.time = (clock.time + state.passed).clamp(0.0, curve.duration());
        clock.rate = state.rate.clamp(0.0, 1.0);
    }

    /// Looks for a change to `target` from now on, or for one that ends sooner than the one under way.
    pub(super) fn plan(&mut self, curve: &PiecewisePolynomial, clock: Clock, target: f64) {
        if (clock.rate, self.change) == (target, 0.0) {
            self.under_way = None;
            return;
        }
        if self.scan.target != target {
            self.scan = Scan::new(target);
        }
        let now = [clock.rate, self.change];
        let left = self.left().filter(|(profile, _)| profile.target == target).map(|(_, left)| left);
        let mut scan = self.scan;
        let check = RateCheck {
            curve,
            limits: &self.limits,
            time: clock.time,
            looks: Cell::new(SEARCH_JOINT_LOOKS / self.limits.len().max(1)),
        };
        let found = match left {
            Some(left) => sooner(&check, now, target, left),
            None => scan.go_on(&check, now, self.under_way.is_some()).map(|profile| steepest(&check, profile)),
        };
        self.scan = scan;
        if let Some(profile) = found {
            self.under_way = Some((profile, 0.0));
        }
    }

    /// The change under way, and how long it still takes.
    pub(super) fn left(&self) -> Option<(&RateProfile, f64)> {
        self.under_way.as_ref().map(|(profile, passed)| (profile, profile.duration() - passed))
    }

    /// Lets `duration` seconds pass from `rate` on; answers with the state at their end.
    pub(super) fn pass(&mut self, rate: f64, duration: f64) -> RateState {
        let Some((profile, passed)) = &mut self.under_way else {
            return RateState { passed: rate * duration, rate, change: 0.0, bend: 0.0 };
        };
        let before = profile.after(*passed).passed;
        *passed += duration;
        let state = profile.after(*passed);
        if *passed >= profile.duration() {
            self.under_way = None;
        }
        self.change = state.change;
        RateState { passed: state.passed - before, ..state }
    }

    /// The state at `rate`, and for how long r̈ stays as it is, `most` seconds at most. The state has no part in what has
    /// passed before.
    pub(super) fn phase(&mut self, rate: f64, most: f64) -> (RateState, f64) {
        let phase = self.under_way.as_ref().and_then(|(profile, passed)| profile.phase_after(*passed));
        if let Some((state, left)) = phase {
            return (RateState { passed: 0.0, ..state }, left.min(most));
        }
        self.reset();
        (RateState { passed: 0.0, rate, change: 0.0, bend: 0.0 }, most)
    }
}

impl Scan {
    /// The change that ends first of those to the target that hold the limits, or else of those that go a part of the way; where
    /// a change is under way, only those to the target itself. Each part of the way has half of the looks that are left.
    fn go_on(&mut self, check: &RateCheck, now: [f64; 2], is_under_way: bool) -> Option<RateProfile> {
        let start = (now, check.bends_now(now));
        let parts = if is_under_way { 1 } else { PARTS_OF_THE_WAY.len() };
        for part in 0..parts {
            let looks = check.looks.get();
            check.looks.set(looks.div_ceil(2));
            if let Some(found) = self.go_on_with(part, check, start) {
                *self = Self::new(self.target);
                return Some(found);
            }
            check.looks.set(looks / 2 + check.looks.get());
        }
        if self.durations[..parts].iter().all(|duration| duration.is_infinite()) {
            *self = Self::new(self.target);
        }
        None
    }

    /// Durations grow from what the speed of now and the limits of acceleration leave possible to what is left of the trajectory.
    fn go_on_with(&mut self, part: usize, check: &RateCheck, start: ([f64; 2], [f64; 2])) -> Option<RateProfile> {
        let rate = start.0[0];
        let target = rate + PARTS_OF_THE_WAY[part] * (self.target - rate);
        let longest = 2.0 * (check.curve.duration() - check.time) / rate.max(target);
        let mut duration = self.durations[part].max(shortest(check, (target - rate).abs()));
        let mut failed = 0.0;
        while failed < longest {
            duration = duration.min(longest);
            if let Some(found) = of_duration(check, start, target, duration) {
                return Some(shorter(check, start, found, [failed, duration]));
            }
            if check.is_spent() {
                self.durations[part] = duration;
                return None;
            }
            failed = duration;
            duration *= DURATION_GROWTH;
        }
        self.durations[part] = f64::INFINITY;
        None
    }
}

/// Halves the step between a duration of which no change holds the limits and that of the change that was found.
fn shorter(
    check: &RateCheck,
    start: ([f64; 2], [f64; 2]),
    mut found: RateProfile,
    [mut failed, mut duration]: [f64; 2],
) -> RateProfile {
    check.looks.set(IMPROVEMENT_JOINT_LOOKS / check.limits.len().max(1));
    for _ in 0..DURATION_HALVINGS {
        let middle = f64::midpoint(failed, duration);
        match of_duration(check, start, found.target, middle) {
            Some(better) => (found, duration) = (better, middle),
            None => failed = middle,
        }
    }
    found
}

/// Seconds that a change of the rate takes at least at the speed of now.
fn shortest(check: &RateCheck, difference: f64) -> f64 {
    let (piece, offset) = check.curve.locate(check.time);
    let time = |(joint, axis): (usize, &AxisLimits)| {
        let velocity = evaluate(check.curve.coefficients(piece, joint), 1, offset).abs();
        velocity * difference / (axis.acceleration[1] - axis.acceleration[0])
    };
    check.limits.iter().enumerate().map(time).fold(SHORTEST_CHANGE_S, f64::max)
}

/// The fastest change of about this duration that holds the limits.
fn of_duration(
    check: &RateCheck,
    (now, bends): ([f64; 2], [f64; 2]),
    target: f64,
    duration: f64,
) -> Option<RateProfile> {
    let profiles = RAMP_SHARES.iter().map(|shares| RateProfile::within(duration, *shares, now, target));
    let fastest = |best: Option<RateProfile>, profile: RateProfile| {
        let is_faster = best.is_none_or(|best| profile.duration() < best.duration());
        let begins = (bends[0]..=bends[1]).contains(&profile.first_bend());
        if is_faster && begins && check.holds(&profile) { Some(profile) } else { best }
    };
    profiles.fold(None, fastest)
}

/// Raises the bounds of |ṙ| and |r̈| one after the other as far as the limits hold.
fn steepest(check: &RateCheck, mut profile: RateProfile) -> RateProfile {
    for factor in STEEPER {
        for factors in [[factor; 3], [factor, 1.0, 1.0], [1.0, factor, 1.0], [1.0, 1.0, factor]] {
            let steeper = profile.scaled(factors);
            if steeper.duration() < profile.duration() && check.holds(&steeper) {
                profile = steeper;
            }
        }
    }
    profile
}

/// A change that holds the limits and takes less than `left` seconds.
fn sooner(check: &RateCheck, now: [f64; 2], target: f64, left: f64) -> Option<RateProfile> {
    let bends = check.bends_now(now);
    let found = SOONER.iter().find_map(|part| of_duration(check, (now, bends), target, part * left));
    found.filter(|profile| LEAST_GAIN * profile.duration() < left)
}

/// Refuses a curve whose acceleration steps: its jerk is infinite there at any speed.
fn check_steps(curve: &PiecewisePolynomial, joint: usize, limit: f64) -> Result<()> {
    for piece in 1..curve.pieces() {
        let step = step_of_acceleration(curve, piece, joint);
        if !(step <= STEP_TOLERANCE * limit) {
            let name = format!("step of the acceleration of joint {joint} at {} s", curve.knots()[piece]);
            return Err(KineticError::invalid(name, step, "none: a trajectory with bounded jerk (jerk_limited)"));
        }
    }
    Ok(())
}

/// By how much the acceleration of a joint steps where a piece begins.
fn step_of_acceleration(curve: &PiecewisePolynomial, piece: usize, joint: usize) -> f64 {
    let before = evaluate(curve.coefficients(piece - 1, joint), 2, curve.piece_duration(piece - 1));
    (evaluate(curve.coefficients(piece, joint), 2, 0.0) - before).abs()
}

/// Refuses a curve whose jerk is above the limit.
fn check_jerk(curve: &PiecewisePolynomial, joint: usize, limit: f64) -> Result<()> {
    for piece in 0..curve.pieces() {
        let (row, tolerance) = (curve.coefficients(piece, joint), RELATIVE_TOLERANCE * limit);
        let range = extremes(row, 3, 0.0, curve.piece_duration(piece), tolerance);
        let largest = range.high.max(-range.low);
        if !(largest <= limit * (1.0 + 2.0 * RELATIVE_TOLERANCE)) {
            return Err(KineticError::invalid(
                format!("jerk of joint {joint}"),
                largest,
                format!("at most the limit {limit}"),
            ));
        }
    }
    Ok(())
}
