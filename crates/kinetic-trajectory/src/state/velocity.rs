//! Velocity control of one joint inside a range of positions.
//!
//! The joint changes its velocity as fast as acceleration and jerk allow (the velocity interface of Ruckig; Berscheid and
//! Kröger 2021), goes on at that velocity, and brakes in time to be at rest at the end of the range. Where the way to the end
//! is too short for that, the motion is the fastest one to rest there. Wherever a joint leaves it, for another velocity or
//! for a stop, it still stops inside the range.

use super::axis::{AxisLimits, AxisState, Phases};
use super::reachable_set::ReachableSet;
use super::velocity_change::write_velocity_change;

/// Writes the motion from `start` at the target `velocity` inside `range` (infinite where there is no end) over `motion`. A
/// joint that is beyond the end towards which it is to move stops.
pub(super) fn write_velocity_motion(
    start: &AxisState,
    velocity: f64,
    range: [f64; 2],
    limits: &AxisLimits,
    motion: &mut Phases,
) {
    let (end, sign) = (range[usize::from(velocity > 0.0)], velocity.signum());
    if velocity == 0.0 || sign * (end - start.position) <= 0.0 {
        return write_velocity_change(start, 0.0, limits, motion);
    }
    write_velocity_change(start, velocity, limits, motion);
    let (reached, stop) = (motion.end(), StopFrom::new(velocity, limits));
    let cruise = (end - reached.position - stop.displacement()) / velocity;
    if cruise >= 0.0 {
        // An end that is infinitely far, or farther than time can tell, is never met.
        if cruise.is_finite() {
            motion.push(cruise, 0.0);
            stop.push(motion);
        }
    } else if exceeds(start, velocity, limits) {
        // To slow down to the velocity first would lead too far.
        write_velocity_change(start, 0.0, limits, motion);
    } else {
        write_fastest_to(start, end, velocity, limits, motion);
    }
}

/// The fastest motion to rest at `end`, no faster than `velocity`.
fn write_fastest_to(start: &AxisState, end: f64, velocity: f64, limits: &AxisLimits, motion: &mut Phases) {
    let mut slower = *limits;
    slower.velocity[usize::from(velocity > 0.0)] = velocity;
    let target = AxisState { position: end, ..AxisState::default() };
    let reachable = ReachableSet::new(start, &target, &slower);
    reachable.write(reachable.next_duration(0.0), motion);
}

/// Whether a joint is faster than `velocity` in its direction, or bound to become so.
fn exceeds(start: &AxisState, velocity: f64, limits: &AxisLimits) -> bool {
    let velocities = [start.velocity, start.velocity_where_acceleration_ends(limits)];
    velocities.iter().any(|reached| velocity.signum() * (reached - velocity) > 0.0)
}

/// The fastest stop from a velocity without acceleration: durations of its three phases, and the jerks of the outer two.
struct StopFrom {
    velocity: f64,
    durations: [f64; 3],
    jerks: [f64; 3],
}

impl StopFrom {
    fn new(velocity: f64, limits: &AxisLimits) -> Self {
        let sign = velocity.signum();
        let seen = if sign < 0.0 { limits.mirrored() } else { *limits };
        let (deceleration, fall, rise) = (-seen.acceleration[0], -seen.jerk[0], seen.jerk[1]);
        // Both ramps together take 1 / m of the square of the deceleration between them.
        let m = 2.0 / (1.0 / fall + 1.0 / rise);
        let peak = deceleration.min((m * velocity.abs()).sqrt());
        let hold = ((velocity.abs() - peak * peak / m) / peak).max(0.0);
        Self { velocity, durations: [peak / fall, hold, peak / rise], jerks: [-sign * fall, 0.0, sign * rise] }
    }

    fn displacement(&self) -> f64 {
        let start = AxisState { velocity: self.velocity, ..AxisState::default() };
        let phases = self.durations.iter().zip(&self.jerks);
        phases.fold(start, |state, (duration, jerk)| state.after(*duration, *jerk)).position
    }

    fn push(&self, motion: &mut Phases) {
        for (duration, jerk) in self.durations.iter().zip(&self.jerks) {
            motion.push(*duration, *jerk);
        }
    }
}
