//! In which durations one joint can get from one state to another, and how.

use super::axis::{AxisLimits, AxisState, Phases};
use super::brake::{Braking, braking};
use super::envelope::{Ends, Envelope};
use super::rest::Rest;

/// Rounds of the search for a duration between both envelopes: one per stretch of an envelope that can bar the way.
const ROUNDS: usize = 40;

/// Everything about one joint's way from one state to another.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Reach {
    brake: Braking,
    brake_time: f64,
    start: AxisState,
    braked: AxisState,
    target: AxisState,
    upper: Envelope,
    /// Of the mirrored joint.
    lower: Envelope,
}

impl Reach {
    /// The way from `start`, which may be outside the limits, to `target`, which must be inside.
    pub(crate) fn new(start: &AxisState, target: &AxisState, limits: &AxisLimits) -> Self {
        let brake = braking(start, limits);
        let braked = brake.iter().fold(*start, |state, (time, jerk)| state.after(*time, *jerk));
        let ends = Ends {
            velocity: [braked.velocity, target.velocity],
            acceleration: [
                braked.acceleration.clamp(limits.acceleration[0], limits.acceleration[1]),
                target.acceleration,
            ],
        };
        let mirrored = Ends { velocity: ends.velocity.map(|v| -v), acceleration: ends.acceleration.map(|a| -a) };
        Self {
            brake,
            brake_time: brake[0].0 + brake[1].0,
            start: *start,
            braked,
            target: *target,
            upper: Envelope::new(&ends, limits),
            lower: Envelope::new(&mirrored, &limits.mirrored()),
        }
    }

    fn displacement(&self) -> f64 {
        self.target.position - self.braked.position
    }

    /// Smallest possible duration of at least `at_least`.
    pub(crate) fn next_duration(&self, at_least: f64) -> f64 {
        let displacement = self.displacement();
        let noise = f64::EPSILON * (self.target.position.abs() + self.braked.position.abs());
        let mut t = (at_least - self.brake_time).max(0.0);
        for _ in 0..ROUNDS {
            let upper = self.upper.next_reaching(displacement, noise, t);
            let lower = self.lower.next_reaching(-displacement, noise, upper);
            if lower <= upper {
                t = upper;
                break;
            }
            t = lower;
        }
        at_least.max(t + self.brake_time)
    }

    /// The fastest way to the target's velocity and acceleration, wherever that is.
    pub(crate) fn fastest_change(&self) -> Phases {
        let mut motion = self.braking_phases();
        let envelope = &self.upper;
        for (duration, sign) in envelope.phases(envelope.shortest()) {
            motion.push(duration, envelope.jerk(sign, false));
        }
        motion
    }

    fn braking_phases(&self) -> Phases {
        let mut motion = Phases::at(self.start);
        for (duration, jerk) in self.brake {
            motion.push(duration, jerk);
        }
        motion
    }

    /// The motion of a possible duration.
    ///
    /// It is the mean, weighted so that it ends at the target, of the two motions that get farthest and least far in
    /// this time. The limits are convex, so that it holds them because both do; at the shortest duration the weight of
    /// one of them is 1.
    pub(crate) fn motion(&self, duration: f64) -> Phases {
        let t = (duration - self.brake_time).max(0.0);
        let (high, low) = (self.upper.displacement(t), -self.lower.displacement(t));
        let weight = if high > low { ((self.displacement() - low) / (high - low)).clamp(0.0, 1.0) } else { 1.0 };
        let mut motion = self.braking_phases();
        if weight == 1.0 || weight == 0.0 {
            let (envelope, mirrored) = if weight == 1.0 { (&self.upper, false) } else { (&self.lower, true) };
            for (duration, sign) in envelope.phases(t) {
                motion.push(duration, envelope.jerk(sign, mirrored));
            }
            return motion;
        }
        let (upper, lower) = (self.upper.phases(t), self.lower.phases(t));
        let (mut up, mut down, mut left) = (0, 0, [upper[0].0, lower[0].0]);
        loop {
            let step = left[0].min(left[1]);
            let jerks = [self.upper.jerk(upper[up].1, false), self.lower.jerk(lower[down].1, true)];
            motion.push(step, weight * jerks[0] + (1.0 - weight) * jerks[1]);
            left = left.map(|rest| rest - step);
            if left[0] <= 0.0 {
                up += 1;
                if up == upper.len() {
                    break;
                }
                left[0] = upper[up].0;
            }
            if left[1] <= 0.0 {
                down += 1;
                if down == lower.len() {
                    break;
                }
                left[1] = lower[down].0;
            }
        }
        motion
    }
}

/// The fastest motion of one joint from rest at 0 to `target`.
pub(crate) fn line_motion(target: &AxisState, limits: &AxisLimits) -> Phases {
    let start = AxisState::default();
    if let Some(rest) = Rest::between(&start, target, limits) {
        let mut motion = Phases::at(start);
        rest.write(rest.duration(), &mut motion);
        return motion;
    }
    let reach = Reach::new(&start, target, limits);
    reach.motion(reach.next_duration(0.0))
}
