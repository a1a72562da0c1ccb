//! The trapezoidal time law: full acceleration, cruise, full deceleration.
//!
//! All joints move in step along the path, which is kept exactly: positions are γ(s(t)) with s quadratic in t on every
//! piece and γ quadratic in s, so that the result is a polynomial of degree 4 at most. On straights s(t) is a trapezoid
//! (a triangle when short); the motion stops at corners that are not blended and passes blends at the fastest speeds
//! that the limits allow with two path accelerations per blend. Velocity and acceleration limits of every joint hold at
//! every instant. Acceleration steps, so jerk is not bounded.

use kinetic_core::curve::Coefficients;
use kinetic_core::{KineticError, Limits, PiecewisePolynomial, Result, TimedTrajectory};

use crate::geometry::{PathElement, PathGeometry};
use crate::per_joint::PerJoint;
use crate::speed::{SpeedBounds, SpeedInterval, profile};
use crate::tolerance::LIMIT_RESERVE;
use crate::watch::Watch;

/// Name of the law.
pub const ID: &str = "trapezoidal";

/// Path accelerations per blend.
pub(crate) const STAGES_PER_BLEND: usize = 2;

/// No ramp to full speed is shorter than this part of the whole time. A knot is known to 1e-16 of that time, so that the
/// speed after the shortest ramp is known to 1e-10, inside the reserve; the duration changes by less than this part.
const SHORTEST_RAMP_RATIO: f64 = 1e-6;

/// A phase shorter than this part of the whole time is joined with its neighbour.
pub(crate) const SHORTEST_PHASE_RATIO: f64 = 1e-10;

/// Times a path geometry, corners stopped at or blended as it says.
///
/// # Errors
/// [`KineticError::DimensionMismatch`] or [`KineticError::InvalidValue`] for limits that do not fit, or for numbers so
/// large or small that the times cannot be represented.
pub fn apply(geometry: &PathGeometry, limits: &Limits) -> Result<TimedTrajectory> {
    let limits =
        PerJoint::limits(&limits.velocity.as_slice().into(), &limits.acceleration.as_slice().into(), geometry.dof())?;
    let elements = geometry.elements();
    if elements.is_empty() {
        let curve = PiecewisePolynomial::constant(geometry.start())?;
        return TimedTrajectory::new(curve, vec![0.0], geometry.deviation(), ID);
    }
    let time = time_estimate(&elements, &limits);
    geometry.watch.check()?;
    let intervals = intervals(&elements, &usable(&limits, time), &geometry.watch)?;
    let squared_speeds = profile(&intervals, &geometry.watch)?;
    let phases = phases(&elements, &intervals, &squared_speeds, SHORTEST_PHASE_RATIO * time);
    geometry.watch.check()?;
    let end = phases.last().map_or(0.0, |phase| phase.end);
    if !(end > 0.0 && end.is_finite()) {
        return Err(KineticError::invalid("duration of the path under these limits", end, "a positive finite time"));
    }
    let times = waypoint_times(geometry.waypoint_arc_lengths(), &phases);
    TimedTrajectory::new(curve(geometry.dof(), &elements, &phases, &geometry.watch)?, times, geometry.deviation(), ID)
}

/// Roughly the time of the path: that with a stop between all elements.
fn time_estimate(elements: &[PathElement], limits: &Limits) -> f64 {
    let bounds = SpeedBounds { velocity: &limits.velocity, acceleration: &limits.acceleration };
    let time = |element: &PathElement| {
        let straight = SpeedInterval::straight(0, element, &bounds);
        element.length / straight.fastest.sqrt() + 2.0 * (element.length / straight.acceleration).sqrt()
    };
    elements.iter().map(time).sum()
}

/// The limits less the reserve, and without accelerations that the clock does not resolve over `time`.
pub(crate) fn usable(limits: &Limits, time: f64) -> Limits {
    let velocity: Vec<f64> = limits.velocity.iter().map(|limit| limit * (1.0 - LIMIT_RESERVE)).collect();
    let ramp = SHORTEST_RAMP_RATIO * time;
    let cap = |(limit, velocity): (&f64, &f64)| (limit * (1.0 - LIMIT_RESERVE)).min(velocity / ramp);
    let acceleration = limits.acceleration.iter().zip(&velocity).map(cap).collect();
    Limits { velocity, acceleration, jerk: None }
}

fn intervals(elements: &[PathElement], limits: &Limits, watch: &Watch) -> Result<Vec<SpeedInterval>> {
    let bounds = SpeedBounds { velocity: &limits.velocity, acceleration: &limits.acceleration };
    let mut intervals = Vec::with_capacity(2 * elements.len());
    for (index, element) in elements.iter().enumerate() {
        watch.check_at(index)?;
        if element.is_straight() {
            intervals.push(SpeedInterval::straight(index, element, &bounds));
        } else {
            let part = |part| SpeedInterval::curved(index, element, &bounds, part, STAGES_PER_BLEND);
            intervals.extend((0..STAGES_PER_BLEND).map(part));
        }
    }
    Ok(intervals)
}

/// A segment of one element with one path acceleration.
pub(crate) struct Phase {
    pub(crate) element: usize,
    /// Path parameter since the element began.
    pub(crate) offset: f64,
    /// Path parameter since the path began.
    pub(crate) arc_length: f64,
    /// Path speed at its beginning, and path acceleration.
    pub(crate) speed: f64,
    pub(crate) acceleration: f64,
    /// When it begins and ends.
    pub(crate) time: f64,
    pub(crate) end: f64,
}

/// The knot `duration` after `time`, rounded down: a piece that is cut short by rounding holds its limits, one that is
/// prolonged need not.
pub(crate) fn knot_after(time: f64, duration: f64) -> f64 {
    let end = time + duration;
    if end - time > duration { end.next_down() } else { end }
}

/// A part of an interval: its length, and the squared speeds at its ends.
pub(crate) type IntervalPart = (f64, f64, f64);

fn phases(elements: &[PathElement], intervals: &[SpeedInterval], x: &[f64], shortest: f64) -> Vec<Phase> {
    let mut phases: Vec<Phase> = Vec::with_capacity(2 * intervals.len());
    let mut time = 0.0;
    for (index, interval) in intervals.iter().enumerate() {
        let (parts, count) = parts(interval, x[index], x[index + 1], shortest);
        let mut offset = interval.offset;
        for (length, start, end) in parts.into_iter().take(count) {
            let duration = 2.0 * length / (start.sqrt() + end.sqrt());
            let arc_length = elements[interval.element].arc_length + offset;
            // Clamped, since the difference of nearly equal squares over a short length is mostly rounding.
            let acceleration = ((end - start) / (2.0 * length)).clamp(-interval.acceleration, interval.acceleration);
            let (element, speed) = (interval.element, start.sqrt());
            let end = knot_after(time, duration);
            // Below the resolution of the clock nothing moves.
            if end > time {
                phases.push(Phase { element, offset, arc_length, speed, acceleration, time, end });
                time = end;
            }
            offset += length;
        }
    }
    phases
}

/// The phases of an interval and their number: one on a blend, up to three on a straight.
fn parts(interval: &SpeedInterval, start: f64, end: f64, shortest: f64) -> ([IntervalPart; 3], usize) {
    if interval.acceleration.is_infinite() {
        return ([(interval.length, start, end); 3], 1);
    }
    trapezoid((interval.length, start, end), interval.acceleration, interval.fastest, shortest)
}

/// The phases of a straight and their number, with at most `a` and squared speeds of at most `fastest`.
pub(crate) fn trapezoid(
    (length, start, end): IntervalPart,
    a: f64,
    fastest: f64,
    shortest: f64,
) -> ([IntervalPart; 3], usize) {
    let mut phases = [(length, start, end); 3];
    let peak = (f64::midpoint(start, end) + a * length).min(fastest).max(start).max(end);
    let ramp = |x: f64| if peak.sqrt() - x.sqrt() > a * shortest { (peak - x) / (2.0 * a) } else { 0.0 };
    let (mut up, mut down) = (ramp(start), ramp(end));
    if up + down > 0.0 && length - up - down <= peak.sqrt() * shortest {
        // A triangle: what rounding left for the cruise goes to the ramps, which become gentler by it.
        up = length * up / (up + down);
        down = length - up;
    }
    // A ramp that was too short is part of the phase beside it, which begins or ends at the speed it finds.
    let (mut count, mut from) = (0, start);
    for (extent, to) in [(up, peak), (length - up - down, peak), (down, end)] {
        if extent > 0.0 {
            phases[count] = (extent, from, to);
            (count, from) = (count + 1, to);
        }
    }
    phases[count - 1].2 = end;
    (phases, count)
}

fn curve(dof: usize, elements: &[PathElement], phases: &[Phase], watch: &Watch) -> Result<PiecewisePolynomial> {
    let mut knots: Vec<f64> = phases.iter().map(|phase| phase.time).collect();
    knots.extend(phases.last().map(|phase| phase.end));
    let mut coefficients = Vec::with_capacity(phases.len() * dof);
    for (index, phase) in phases.iter().enumerate() {
        watch.check_at(index)?;
        coefficients.extend(elements[phase.element].shape.iter().map(|shape| compose(shape, phase)));
    }
    PiecewisePolynomial::new(dof, knots, coefficients)
}

/// γ(s(t)) of one joint: with δ = v t + ½ u t², γ + γ′ δ + ½ γ″ δ².
fn compose([position, tangent, curvature]: &[f64; 3], phase: &Phase) -> Coefficients {
    let (at, v, u) = (phase.offset, phase.speed, phase.acceleration);
    let slope = tangent + curvature * at;
    [
        position + at * (tangent + 0.5 * curvature * at),
        slope * v,
        0.5 * (slope * u + curvature * v * v),
        0.5 * curvature * v * u,
        0.125 * curvature * u * u,
        0.0,
    ]
}

/// Times at which the path parameter takes the values `arc_lengths` (ascending).
pub(crate) fn waypoint_times(arc_lengths: &[f64], phases: &[Phase]) -> Vec<f64> {
    let mut current = 0;
    let last = arc_lengths.len() - 1;
    let end = phases.last().map_or(0.0, |phase| phase.end);
    let mut times: Vec<f64> = Vec::with_capacity(arc_lengths.len());
    for (index, arc_length) in arc_lengths.iter().enumerate() {
        while current + 1 < phases.len() && phases[current + 1].arc_length <= *arc_length {
            current += 1;
        }
        let phase = &phases[current];
        let along = (arc_length - phase.arc_length).max(0.0);
        let root = (phase.speed * phase.speed + 2.0 * phase.acceleration * along).max(0.0).sqrt();
        let elapsed = if along > 0.0 { 2.0 * along / (phase.speed + root) } else { 0.0 };
        times.push(if index == last { end } else { (phase.time + elapsed).min(phase.end) });
    }
    times
}
