//! Stops along the path of a running trajectory.

#![allow(clippy::inline_always, reason = "what is not inlined is compiled without the wide instructions")]

use kinetic_core::curve::{Coefficients, evaluate};
use kinetic_core::{PiecewisePolynomial, Result};
use pulp::{Arch, NullaryFnOnce};

use super::braking::Braking;
use super::clock::{AccelerationRange, Clock, MAX_SEGMENT_STRETCH, Track};
use super::smooth_stop::{SmoothStops, StopCurve};
use super::violations::is_piece_inside;
use crate::check::RELATIVE_TOLERANCE;
use crate::state::{MotionLimits, MotionState};
use crate::totp::compose::{Composition, Motion};

/// The time that the fastest joint needs to brake is cut in this many parts at first.
const SEGMENTS_PER_BRAKING_TIME: f64 = 125.0;

/// What is left of the trajectory is cut in at most this many parts at first.
const MAX_FIRST_SEGMENTS: f64 = 5000.0;

/// Parts of the acceleration limits that are left for the curve between the ends of a segment, and by what its time is cut,
/// tried in this order. Where a trajectory brakes with all it has, what is left decides when a stop can begin to differ.
const ATTEMPTS: [(f64, f64); 6] = [(0.0, 1.0), (1e-8, 1.0), (1e-7, 1.0), (1e-6, 1.0), (1e-6, 4.0), (1e-6, 16.0)];

/// The last attempt that leaves more of the limits than the one before: segments that follow begin with it. Shorter times are
/// for one segment alone.
const LAST_RESERVE: usize = 3;

/// A segment that is farther from its path than this, rad or m, is halved, this often at most. The distance falls with the
/// sixth power of its time.
const MAX_DEVIATION_RAD_M: f64 = 5e-10;
const MAX_DEVIATION_HALVINGS: usize = 4;

/// Memory is reserved for this many segments beside the pieces of the trajectory: ten times those of a usual stop.
const RESERVED_SEGMENTS: usize = 2048;

/// The first segment that is looked at lasts at most this many times as long as the one before.
const MAX_GROWTH: f64 = 2.0;

/// Finds stops along the path, again and again in the same memory.
#[derive(Debug, Clone)]
pub(super) struct PathStops {
    accelerations: Vec<AccelerationRange>,
    braking: Braking,
    /// For a trajectory with bounded jerk.
    smooth: Option<SmoothStops>,
    /// Which pieces of the trajectory hold the limits, as far as was looked.
    holds: Vec<Option<bool>>,
    knots: Vec<f64>,
    coefficients: Vec<Coefficients>,
    /// The last stop.
    pub(super) curve: PiecewisePolynomial,
    /// Bound on the distance of the last stop from the path.
    pub(super) deviation: f64,
    /// Whether the last stop holds the limits of jerk.
    pub(super) is_jerk_bounded: bool,
}

/// A stop that is to be found.
struct Search<'a> {
    stops: &'a mut PathStops,
    running: &'a PiecewisePolynomial,
    limits: &'a MotionLimits,
    clock: Clock,
    /// Most seconds of a segment.
    part: f64,
    /// The attempt to begin with, and the time of the last segment.
    attempt: usize,
    last: f64,
}

/// The part of a piece that is ahead.
#[derive(Clone, Copy)]
struct Ahead {
    piece: usize,
    offset: f64,
    rest: f64,
    is_within: bool,
}

impl PathStops {
    /// For stops of `running` within `limits`.
    pub(super) fn new(running: &PiecewisePolynomial, limits: &MotionLimits) -> Result<Self> {
        let (dof, segments) = (running.dof(), running.pieces() + RESERVED_SEGMENTS);
        Ok(Self {
            accelerations: Vec::with_capacity(dof),
            braking: Braking::new(limits),
            smooth: SmoothStops::new(running, limits),
            holds: vec![None; running.pieces()],
            knots: Vec::with_capacity(segments + 1),
            coefficients: Vec::with_capacity(segments * dof),
            curve: with_room(dof, segments)?,
            deviation: 0.0,
            is_jerk_bounded: false,
        })
    }

    /// Leaves jerk free.
    pub(super) fn clear_jerk_limits(&mut self) {
        self.smooth = None;
    }

    /// The stop of `running` from `t` on, where it is in `state`; false when there is none inside the limits of velocity and
    /// acceleration. Those of jerk are held where the trajectory holds them and a stop that does is found; without them the slowest
    /// profile along the path is the one that stops first.
    pub(super) fn plan(
        &mut self,
        running: &PiecewisePolynomial,
        t: f64,
        state: &MotionState,
        limits: &MotionLimits,
    ) -> Result<bool> {
        self.is_jerk_bounded = self.smooth.is_some() && self.find(running, t, limits, None)?;
        Ok(self.is_jerk_bounded || self.find(running, t, limits, Some(state))?)
    }

    /// A stop with bounded jerk, or one that brakes as hard as the acceleration allows from `state` on.
    fn find(
        &mut self,
        running: &PiecewisePolynomial,
        t: f64,
        limits: &MotionLimits,
        state: Option<&MotionState>,
    ) -> Result<bool> {
        self.knots.clear();
        self.knots.push(0.0);
        self.coefficients.clear();
        self.deviation = 0.0;
        let Some(clock) = self.search(running, t, limits, state) else { return Ok(false) };
        // A trajectory that ends under way has no stop on its path.
        let (piece, offset) = running.locate(clock.time);
        let at = |joint: usize, order: usize| evaluate(running.coefficients(piece, joint), order, offset);
        if (0..running.dof()).any(|joint| (at(joint, 1) * clock.rate).abs() > RELATIVE_TOLERANCE) {
            return Ok(false);
        }
        if self.knots.len() == 1 {
            let rest = |joint: usize| [at(joint, 0), 0.0, 0.0, 0.0, 0.0, 0.0];
            self.coefficients.extend((0..running.dof()).map(rest));
        }
        self.curve.exchange(&mut self.knots, &mut self.coefficients)?;
        Ok(true)
    }

    /// Writes the segments of the stop; answers with the clock at its end, `None` where no change of the rate holds the limits.
    fn search(
        &mut self,
        running: &PiecewisePolynomial,
        t: f64,
        limits: &MotionLimits,
        state: Option<&MotionState>,
    ) -> Option<Clock> {
        if let Some(state) = state {
            let part = first_part(running, t, state, limits);
            let clock = Clock { time: t, rate: 1.0 };
            return Arch::new().dispatch(Search { stops: self, running, limits, clock, part, attempt: 0, last: part });
        }
        let (knots, coefficients) = (&mut self.knots, &mut self.coefficients);
        let mut out = StopCurve { knots, coefficients, deviation: 0.0 };
        let clock = self.smooth.as_mut()?.plan(running, t, limits, &mut out);
        self.deviation = out.deviation;
        clock
    }

    /// True when the trajectory holds the limits from `offset` to the end of a piece.
    fn is_within(&mut self, running: &PiecewisePolynomial, piece: usize, offset: f64, limits: &MotionLimits) -> bool {
        let (rows, duration) = (rows(running, piece), running.piece_duration(piece));
        let whole = *self.holds[piece].get_or_insert_with(|| is_piece_inside(rows, [0.0, duration], limits));
        whole || (offset > 0.0 && is_piece_inside(rows, [offset, duration], limits))
    }
}

/// Coefficients of all joints on a piece.
fn rows(curve: &PiecewisePolynomial, piece: usize) -> &[Coefficients] {
    &curve.all_coefficients()[piece * curve.dof()..(piece + 1) * curve.dof()]
}

impl NullaryFnOnce for Search<'_> {
    type Output = Option<Clock>;

    /// The slowest profile along the path; answers with the clock at its end, `None` where there is none inside the limits.
    #[inline(always)]
    fn call(mut self) -> Option<Clock> {
        let mut entered: Option<Ahead> = None;
        while self.clock.rate != 0.0 && self.clock.time < self.running.duration() {
            let (piece, offset) = self.running.locate(self.clock.time);
            let rest = self.running.piece_duration(piece) - offset;
            if !(rest > 0.0) {
                self.clock.time = self.running.knots()[piece + 1];
                continue;
            }
            let known = entered.filter(|ahead| ahead.piece == piece).map(|ahead| ahead.is_within);
            let is_within = known.unwrap_or_else(|| {
                self.stops.braking.enter(self.running, piece);
                self.stops.is_within(self.running, piece, offset, self.limits)
            });
            let ahead = Ahead { piece, offset, rest, is_within };
            entered = Some(ahead);
            self.stops.braking.expand(offset);
            let clock = self.segment(ahead)?;
            if clock == self.clock || clock.rate > 1.0 {
                return None;
            }
            self.clock = clock;
        }
        Some(self.clock)
    }
}

impl Search<'_> {
    /// Makes the next segment; answers with the clock at its end, `None` where no change of the rate holds the limits.
    #[inline(always)]
    fn segment(&mut self, ahead: Ahead) -> Option<Clock> {
        for attempt in self.attempt..ATTEMPTS.len() {
            let (reserve, cut) = ATTEMPTS[attempt];
            let (mut time, mut change) = self.change(ahead, reserve, self.part / cut)?;
            if !change.is_finite() {
                // No joint moves here: nothing feels the rate.
                return Some(Clock { rate: 0.0, ..self.clock });
            }
            for halvings in (0..=MAX_DEVIATION_HALVINGS).rev() {
                let (clock, duration) = self.advanced(ahead, time, change);
                let begin = self.stops.knots[self.stops.knots.len() - 1];
                let end = begin + duration;
                // Below the resolution of the clock nothing moves.
                if !(end > begin) {
                    return Some(clock);
                }
                let deviation = self.compose(ahead, change, duration);
                if deviation > MAX_DEVIATION_RAD_M && halvings > 0 && ahead.is_within {
                    time = 0.5 * duration;
                    let span = (self.clock.rate * time).min(ahead.rest);
                    change = 0.5 * self.stops.braking.slope(span, self.clock.rate * self.clock.rate, reserve);
                    continue;
                }
                if self.push(begin, end) {
                    self.stops.deviation = self.stops.deviation.max(deviation);
                    (self.attempt, self.last) = (attempt.min(LAST_RESERVE), time);
                    return Some(clock);
                }
                break;
            }
        }
        None
    }

    /// A time in which the allowed change of the rate hardly varies, and the change per second.
    #[inline(always)]
    fn change(&mut self, ahead: Ahead, reserve: f64, part: f64) -> Option<(f64, f64)> {
        let Ahead { rest, is_within, .. } = ahead;
        if is_within {
            let most = part.min(MAX_SEGMENT_STRETCH * rest / self.clock.rate);
            let (time, slope) =
                self.stops.braking.steady(self.clock.rate, [most, MAX_GROWTH * self.last], rest, reserve);
            return Some((time, 0.5 * slope));
        }
        self.change_outside(ahead, reserve, part)
    }

    /// The same where the trajectory does not hold the limits.
    fn change_outside(&mut self, ahead: Ahead, reserve: f64, part: f64) -> Option<(f64, f64)> {
        let Ahead { piece, offset, rest, .. } = ahead;
        let accelerations = &mut self.stops.accelerations;
        accelerations.clear();
        accelerations
            .extend(self.limits.axes().iter().map(|axis| axis.acceleration.map(|limit| limit * (1.0 - reserve))));
        let track = Track { curve: self.running, accelerations, is_within: false };
        let time = track.steady(&self.clock, 0.0, part);
        let span = (self.clock.rate * time).min(rest);
        Some((time, track.change(piece, [offset, offset + span], self.clock.rate, 0.0)?))
    }

    /// The clock after `time` seconds, or where it stands or reaches the end of the piece before, and how many seconds pass.
    #[inline(always)]
    fn advanced(&self, ahead: Ahead, time: f64, change: f64) -> (Clock, f64) {
        let (rate, rest, knot) = (self.clock.rate, ahead.rest, self.running.knots()[ahead.piece + 1]);
        let to_rest = if change < 0.0 { -rate / change } else { f64::INFINITY };
        let square = rate * rate + 2.0 * change * rest;
        let to_knot = if square < 0.0 { f64::INFINITY } else { 2.0 * rest / (rate + square.sqrt()) };
        let duration = time.min(to_rest).min(to_knot);
        let moved = self.clock.time + duration * (rate + 0.5 * change * duration);
        let time = if duration == to_knot { knot } else { moved.clamp(self.clock.time, knot) };
        let rate = if duration == to_rest { 0.0 } else { (rate + change * duration).max(0.0) };
        (Clock { time, rate }, duration)
    }

    /// Makes the quintics of a segment; answers with a bound on their distance from the path.
    #[inline(always)]
    fn compose(&mut self, ahead: Ahead, change: f64, duration: f64) -> f64 {
        let braking = &mut self.stops.braking;
        let motion = Motion { offset: ahead.offset, speed: self.clock.rate, acceleration: change, duration };
        braking.compose(&Composition::new(braking.degree(), &motion))
    }

    /// Takes the quintics of a segment where they hold the limits.
    #[inline(always)]
    fn push(&mut self, begin: f64, end: f64) -> bool {
        let PathStops { braking, knots, coefficients, .. } = &mut *self.stops;
        let (count, duration) = (coefficients.len(), end - begin);
        braking.write(coefficients);
        let holds =
            braking.is_inside(duration) || is_piece_inside(&coefficients[count..], [0.0, duration], self.limits);
        if holds {
            knots.push(end);
        } else {
            coefficients.truncate(count);
        }
        holds
    }
}

/// A curve of duration 0 in memory for `pieces` pieces.
pub(super) fn with_room(dof: usize, pieces: usize) -> Result<PiecewisePolynomial> {
    let (mut knots, mut coefficients) = (Vec::with_capacity(pieces + 1), Vec::with_capacity(pieces * dof));
    knots.push(0.0);
    coefficients.resize(dof, Coefficients::default());
    PiecewisePolynomial::new(dof, knots, coefficients)
}

/// In what parts the time is cut at first, s.
fn first_part(running: &PiecewisePolynomial, t: f64, state: &MotionState, limits: &MotionLimits) -> f64 {
    let braking = |joint: usize| {
        let ([lowest, highest], velocity) = (limits.axes()[joint].acceleration, state.velocities[joint]);
        velocity.abs() / if velocity > 0.0 { -lowest } else { highest }
    };
    let longest = (0..running.dof()).map(braking).fold(0.0, f64::max);
    let part = (longest / SEGMENTS_PER_BRAKING_TIME).max((running.duration() - t) / MAX_FIRST_SEGMENTS);
    // At its end it stands, and there is nothing to cut.
    if part > 0.0 { part } else { 1.0 }
}
