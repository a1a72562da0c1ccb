//! Barrier: how fast a quantity that must stay positive may fall, and how strongly a policy insists on that.
//!
//! With `k = √gain` the wanted motion is `ẋ ≥ −k x`, under which `x` falls exponentially and never reaches 0 (the exponential
//! barrier of Nguyen and Sreenath 2016; Faverjon and Tournassoud 1987 call it the velocity damper). The part of `ẋ` below it
//! is to vanish three times as fast: `ẍ = −k ẋ − 3 k (ẋ + k x)`, or as `ẋ²/(2 x)`, which still stops before 0, where that
//! is more. The metric is that of Ratliff et al. 2018, section 5: 0 from the
//! influence distance on, growing towards contact, and gated by the velocity, so that what moves away is left alone.

use super::acceleration_bounds::JointBounds;

/// Part of the strongest acceleration that braking counts on: the rest is for other policies, and for derivatives that change on
/// the way.
const BRAKING_SHARE: f64 = 0.4;
/// How much more the metric counts once `x` falls faster than it may by the speed of the gate.
const URGENCY: f64 = 30.0;
/// How much more than what just stops before 0 is wanted: cycles are not infinitely short.
const STOPPING_RESERVE: f64 = 1.2;

/// A barrier on a quantity `x`.
#[derive(Debug, Clone, Copy)]
pub(super) struct Barrier {
    /// Square of the rate at which `x` may fall, 1/s².
    pub(super) gain: f64,
    /// Value of `x` from which on nothing is wanted.
    pub(super) influence: f64,
    /// Speed over which the gate opens.
    pub(super) gate_speed: f64,
    /// Value of `x` below which the metric stops growing.
    pub(super) nearest: f64,
    /// Metric at full gate, half the influence away.
    pub(super) metric: f64,
    /// Metric of the repulsion at rest, at contact.
    pub(super) rest_metric: f64,
}

/// What a barrier wants.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Wanted {
    pub(super) metric: f64,
    pub(super) acceleration: f64,
}

/// The largest acceleration along a derivative by the joints.
pub(super) fn strongest(gradient: &[f64], bounds: &[JointBounds]) -> f64 {
    gradient.iter().zip(bounds).map(|(slope, bounds)| slope.abs() * bounds.acceleration).sum()
}

impl Barrier {
    /// The metric and the acceleration at `x` and `ẋ` for a cycle of `dt`; `None` where there is nothing to want. `strongest` is the
    /// largest `ẍ` that the joints can give together: `x` falls no faster than it can be stopped by a part of that.
    pub(super) fn wanted(&self, (x, xd): (f64, f64), strongest: f64, dt: f64) -> Option<Wanted> {
        let nearness = ((self.influence - x) / self.influence).clamp(0.0, 1.0);
        if nearness == 0.0 {
            return None;
        }
        let rate = self.gain.sqrt();
        let stoppable = (2.0 * BRAKING_SHARE * strongest * x.max(0.0)).sqrt();
        let reserve = xd + (rate * x).min(stoppable);
        let falling = xd.min(0.0);
        // No more than what stops within the cycle: more would throw `x` back, to fall again for ever.
        let stopping = (STOPPING_RESERVE * falling * falling / (2.0 * x.max(0.02 * self.nearest))).min(-falling / dt);
        let braking = (-rate * falling - 3.0 * rate * reserve.min(0.0)).max(stopping);
        let gate = ((self.gate_speed - reserve) / (2.0 * self.gate_speed)).clamp(0.0, 1.0);
        let growth = self.influence / x.max(self.nearest);
        let urgency = 1.0 + URGENCY * (-reserve / self.gate_speed).clamp(0.0, 1.0);
        let moving = self.metric * urgency * gate * gate * nearness * nearness * growth * growth;
        let resting = self.rest_metric * nearness * nearness;
        let repulsion = self.gain * self.influence * nearness * nearness - 2.0 * rate * xd.max(0.0);
        let metric = moving + resting;
        Some(Wanted { metric, acceleration: (moving * braking + resting * repulsion) / metric })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const BARRIER: Barrier =
        Barrier { gain: 16.0, influence: 0.2, gate_speed: 0.1, nearest: 0.005, metric: 1.0, rest_metric: 0.01 };

    #[test]
    fn what_is_held_by_the_barrier_alone_stays_above_zero_but_for_a_fraction_of_the_nearest() {
        for start in [0.02, 0.05, 0.19] {
            for speed in [0.0, -0.1, -0.5] {
                let (mut x, mut xd, dt) = (start, speed, 1e-3);
                for _ in 0..4_000 {
                    let wanted = BARRIER.wanted((x, xd), 100.0, dt).map_or(0.0, |wanted| wanted.acceleration);
                    assert!(wanted.is_finite());
                    xd += wanted * dt;
                    x += xd * dt;
                    assert!(x > -0.2 * BARRIER.nearest, "from {start} at {speed}: {x}");
                }
            }
        }
    }

    #[test]
    fn what_moves_away_is_only_weakly_wanted() {
        let (near, away) = (BARRIER.wanted((0.05, -0.4), 100.0, 1e-3), BARRIER.wanted((0.05, 0.4), 100.0, 1e-3));
        let (Some(near), Some(away)) = (near, away) else { panic!("inside the influence") };
        assert!(near.metric > 50.0 * away.metric && near.acceleration > 0.5);
        assert_eq!(BARRIER.wanted((0.2, -1.0), 100.0, 1e-3), None);
    }
}
