//! Reachable durations of one joint between two states, and the motions that take them.

use super::axis::{AxisLimits, AxisState, Phases};
use super::brake::{BrakePhases, braking};
use super::envelope::{Envelope, EnvelopeEnds};
use super::rest::Rest;

/// Rounds of the search for a duration between both envelopes: one per segment of an envelope that can bar the way.
const MAX_SEARCH_STEPS: usize = 40;

/// Durations in which one joint can get from one state to another, and the motions that take them.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ReachableSet {
    brake: BrakePhases,
    brake_time: f64,
    start: AxisState,
    braked: AxisState,
    target: AxisState,
    upper: Envelope,
    /// Of the mirrored joint.
    lower: Envelope,
}

impl ReachableSet {
    /// The way from `start`, which may be outside the limits, to `target`, which must be inside.
    pub(crate) fn new(start: &AxisState, target: &AxisState, limits: &AxisLimits) -> Self {
        let brake = braking(start, limits);
        let braked = brake.iter().fold(*start, |state, (time, jerk)| state.after(*time, *jerk));
        let ends = EnvelopeEnds {
            velocity: [braked.velocity, target.velocity],
            acceleration: [
                braked.acceleration.clamp(limits.acceleration[0], limits.acceleration[1]),
                target.acceleration,
            ],
        };
        let mirrored =
            EnvelopeEnds { velocity: ends.velocity.map(|v| -v), acceleration: ends.acceleration.map(|a| -a) };
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
        for _ in 0..MAX_SEARCH_STEPS {
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

    /// Roughly the time that it takes: which joint is the slowest.
    pub(crate) fn estimate(&self, limits: &AxisLimits) -> f64 {
        let change = (self.target.velocity - self.braked.velocity).abs();
        self.displacement().abs() / limits.velocity[1] + change / limits.acceleration[1] + self.brake_time
    }

    fn write_braking(&self, motion: &mut Phases) {
        motion.restart(self.start);
        for (duration, jerk) in self.brake {
            motion.push(duration, jerk);
        }
    }

    /// Writes the motion of a possible duration over `motion`.
    ///
    /// It is the mean, weighted so that it ends at the target, of the two motions that get farthest and least far in
    /// this time. The limits are convex, so that it holds them because both do; at the shortest duration the weight of
    /// one of them is 1.
    pub(crate) fn write(&self, duration: f64, motion: &mut Phases) {
        let t = (duration - self.brake_time).max(0.0);
        let shapes = [self.upper.extreme(t), self.lower.extreme(t)];
        let (high, low) = (self.upper.displacement_of(&shapes[0]), -self.lower.displacement_of(&shapes[1]));
        let weight = if high > low { ((self.displacement() - low) / (high - low)).clamp(0.0, 1.0) } else { 1.0 };
        self.write_braking(motion);
        if weight == 1.0 || weight == 0.0 {
            let (envelope, shape, mirrored) =
                if weight == 1.0 { (&self.upper, &shapes[0], false) } else { (&self.lower, &shapes[1], true) };
            for (duration, sign) in envelope.phases(shape) {
                motion.push(duration, envelope.jerk(sign, mirrored));
            }
            return;
        }
        self.write_mean(weight, [self.upper.phases(&shapes[0]), self.lower.phases(&shapes[1])], motion);
    }

    /// Appends the mean of two motions of the same duration, step by step where either changes its jerk.
    fn write_mean(&self, weight: f64, [upper, lower]: [[(f64, f64); 7]; 2], motion: &mut Phases) {
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
    let reachable = ReachableSet::new(&start, target, limits);
    let mut motion = Phases::at(start);
    reachable.write(reachable.next_duration(0.0), &mut motion);
    motion
}
