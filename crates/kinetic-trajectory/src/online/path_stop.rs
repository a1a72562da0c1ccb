//! Stops along the path of a running trajectory.

use kinetic_core::curve::{Coefficients, evaluate};
use kinetic_core::{PiecewisePolynomial, Result};

use super::clock::{Clock, ClockSegment, Range, Track};
use super::violations::is_inside;
use crate::check::RELATIVE_TOLERANCE;
use crate::compose::write_between;
use crate::state::{MotionLimits, MotionState};
use crate::totp::compose::{Composition, Motion};

/// The time that the fastest joint needs to brake is cut in this many parts at first.
const SEGMENTS_PER_BRAKING_TIME: f64 = 100.0;

/// What is left of the trajectory is cut in at most this many parts at first.
const MAX_SEGMENTS: f64 = 4000.0;

/// Parts of the acceleration limits that are left for the curve between the ends of parts, and by what the parts are cut,
/// tried in this order. Where a trajectory brakes with all it has, what is left decides when a stop can begin to differ.
const ATTEMPTS: [(f64, f64); 6] = [(0.0, 1.0), (1e-8, 1.0), (1e-7, 1.0), (1e-6, 1.0), (1e-6, 4.0), (1e-6, 16.0)];

/// A stop that is farther from its path than this, rad or m, is cut finer.
const MAX_DEVIATION_RAD_M: f64 = 5e-10;

/// Memory is reserved for this many segments beside the pieces of the trajectory: twenty times those of a usual stop.
const RESERVED_SEGMENTS: usize = 2048;

/// Finds stops along the path, again and again in the same memory.
#[derive(Debug, Clone)]
pub(super) struct PathStops {
    accelerations: Vec<Range>,
    segments: Segments,
    /// The last stop, and one that was cut less finely.
    pub(super) curve: PiecewisePolynomial,
    coarser: PiecewisePolynomial,
    /// Bound on the distance of the last stop from the path.
    pub(super) deviation: f64,
}

impl PathStops {
    /// For stops of `running`.
    pub(super) fn new(running: &PiecewisePolynomial) -> Result<Self> {
        let (dof, segments) = (running.dof(), running.pieces() + RESERVED_SEGMENTS);
        Ok(Self {
            accelerations: Vec::with_capacity(dof),
            segments: Segments {
                knots: Vec::with_capacity(segments + 1),
                coefficients: Vec::with_capacity(segments * dof),
                locals: Vec::with_capacity(dof),
                deviation: 0.0,
            },
            curve: with_room(dof, segments)?,
            coarser: with_room(dof, segments)?,
            deviation: 0.0,
        })
    }

    /// The stop of `running` from `t` on, where it is in `state`; false when there is none inside the limits. The slowest
    /// profile along the path is the one that stops first.
    pub(super) fn plan(
        &mut self,
        running: &PiecewisePolynomial,
        t: f64,
        state: &MotionState,
        limits: &MotionLimits,
    ) -> Result<bool> {
        let Segments { knots, coefficients, .. } = &mut self.segments;
        write_between(running, t, running.duration(), knots, coefficients);
        self.curve.exchange(knots, coefficients)?;
        let is_within = is_inside(&self.curve, limits);
        let part = first_part(running, t, state, limits);
        for (reserve, cut) in ATTEMPTS {
            if !self.brake(running, t, limits, is_within, (reserve, part / cut))? {
                continue;
            }
            if self.deviation > MAX_DEVIATION_RAD_M {
                let deviation = self.deviation;
                std::mem::swap(&mut self.curve, &mut self.coarser);
                let is_found = self.brake(running, t, limits, is_within, (reserve, part / (4.0 * cut)))?;
                if is_found && is_inside(&self.curve, limits) {
                    return Ok(true);
                }
                std::mem::swap(&mut self.curve, &mut self.coarser);
                self.deviation = deviation;
            }
            if is_inside(&self.curve, limits) {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// The slowest profile along the path, as a curve; false where there is none inside the limits.
    fn brake(
        &mut self,
        running: &PiecewisePolynomial,
        t: f64,
        limits: &MotionLimits,
        is_within: bool,
        (reserve, part): (f64, f64),
    ) -> Result<bool> {
        let Self { accelerations, segments, .. } = self;
        accelerations.clear();
        accelerations.extend(limits.axes().iter().map(|axis| axis.acceleration.map(|limit| limit * (1.0 - reserve))));
        segments.clear();
        let track = Track { curve: running, accelerations, is_within };
        let mut clock = Clock { time: t, rate: 1.0 };
        while clock.rate != 0.0 && clock.time < running.duration() {
            let before = clock;
            let part = track.steady(&clock, 0.0, part);
            if !track.advance(&mut clock, 0.0, part, &mut |segment| segments.push(running, segment)) || clock.rate > 1.0
            {
                return Ok(false);
            }
            if clock == before {
                return Ok(false);
            }
        }
        // A trajectory that ends under way has no stop on its path.
        let (piece, offset) = running.locate(clock.time);
        let at = |joint: usize, order: usize| evaluate(running.coefficients(piece, joint), order, offset);
        if (0..running.dof()).any(|joint| (at(joint, 1) * clock.rate).abs() > RELATIVE_TOLERANCE) {
            return Ok(false);
        }
        if segments.knots.len() == 1 {
            let rest = |joint: usize| [at(joint, 0), 0.0, 0.0, 0.0, 0.0, 0.0];
            segments.coefficients.extend((0..running.dof()).map(rest));
        }
        self.curve.exchange(&mut segments.knots, &mut segments.coefficients)?;
        self.deviation = segments.deviation;
        Ok(true)
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
    let part = (longest / SEGMENTS_PER_BRAKING_TIME).max((running.duration() - t) / MAX_SEGMENTS);
    // At its end it stands, and there is nothing to cut.
    if part > 0.0 { part } else { 1.0 }
}

/// Segments of a clock as quintics of time.
#[derive(Debug, Clone)]
struct Segments {
    knots: Vec<f64>,
    coefficients: Vec<Coefficients>,
    /// Of one segment, the Taylor coefficients of every joint where it begins.
    locals: Vec<Coefficients>,
    /// Bound on the distance of the quintics from the path.
    deviation: f64,
}

impl Segments {
    fn clear(&mut self) {
        self.knots.clear();
        self.knots.push(0.0);
        self.coefficients.clear();
        self.deviation = 0.0;
    }

    fn push(&mut self, curve: &PiecewisePolynomial, segment: &ClockSegment) {
        let begin = self.knots[self.knots.len() - 1];
        let end = begin + segment.duration;
        // Below the resolution of the clock nothing moves.
        if !(end > begin) {
            return;
        }
        self.knots.push(end);
        let rows = || (0..curve.dof()).map(|joint| curve.coefficients(segment.piece, joint));
        let degree = |row: &Coefficients| row.iter().rposition(|value| *value != 0.0).unwrap_or(0);
        let ClockSegment { offset, rate: speed, change: acceleration, duration, .. } = *segment;
        let motion = Motion { offset, speed, acceleration, duration };
        let composed = Composition::new(rows().map(degree).max().unwrap_or(0), &motion);
        self.locals.clear();
        self.locals.extend(rows().map(|row| composed.local(row)));
        let square: f64 = self.locals.iter().map(|local| composed.changes(local)[0].powi(2)).sum();
        self.deviation = self.deviation.max(square.sqrt());
        self.coefficients.extend(self.locals.iter().map(|local| composed.coefficients(local)));
    }
}
