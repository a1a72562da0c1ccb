//! Bounds on the acceleration of a joint over one cycle, so that limits of position, velocity and acceleration hold now and later.
//!
//! The acceleration is constant over the cycle. A position limit holds later when the joint can still stop before it: with
//! `q' + q̇'²/(2 A) + q̇' dt ≤ upper` after the cycle, braking with `A` keeps the inequality (it becomes slacker by `A dt²` per
//! cycle), so that there is always an admissible acceleration. The last term is the way of one more cycle: it covers the end of
//! the braking inside a cycle, and cycles that vary. (Del Prete 2018, "Joint position and velocity bounds in discrete-time
//! acceleration/torque control of robot manipulators", has the exact viable set; this one lies inside it.)

/// Limits of one joint.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct JointBounds {
    /// Lowest position; −∞ for a continuous joint.
    pub lower: f64,
    /// Highest position.
    pub upper: f64,
    /// Largest speed.
    pub velocity: f64,
    /// Largest acceleration.
    pub acceleration: f64,
}

impl JointBounds {
    /// Lowest and highest acceleration for a cycle of `dt` from position `q` and velocity `qd`; the first is not above the second.
    /// From a state that no acceleration leads back from in time, the strongest braking.
    pub fn accelerations(&self, q: f64, qd: f64, dt: f64) -> (f64, f64) {
        let Self { lower, upper, velocity, acceleration } = *self;
        let most = self.fastest(upper - q, qd, dt).min(velocity);
        let least = -self.fastest(q - lower, -qd, dt).min(velocity);
        let within = |target: f64| ((target - qd) / dt).clamp(-acceleration, acceleration);
        let (low, high) = (within(least), within(most));
        if low <= high {
            return (low, high);
        }
        let braking = within(0.0);
        (braking, braking)
    }

    /// Highest velocity after the cycle from which the joint stops `room` ahead of where it is now.
    fn fastest(&self, room: f64, qd: f64, dt: f64) -> f64 {
        let left = room - 0.5 * qd * dt;
        if left <= 0.0 {
            // Only by going back during the cycle.
            return 2.0 * left / dt;
        }
        if left.is_infinite() {
            return f64::INFINITY;
        }
        // The positive root of v²/(2 A) + (3/2) v dt = left, in the form without cancellation.
        let b = 1.5 * dt;
        2.0 * left / (b + (b * b + 2.0 * left / self.acceleration).sqrt())
    }
}
