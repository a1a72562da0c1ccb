//! Servo. Oracles: differences of commands for limits, exact distances of the scene for clearances, and the times of a stop
//! worked out by hand.

mod chunks;
mod filters;
mod hour;
mod joints;
mod moving_obstacles;
mod singularities;
mod tool;
mod trajectories;

use kinetic_reactive::ServoConfig;
use kinetic_robot::Robot;
use kinetic_scene::{Checker, LiveScene, Margins};
use kinetic_trajectory::MotionState;
use kinetic_trajectory::jerk::DEFAULT_JERK_PER_ACCELERATION;

const ROBOTS: [&str; 5] = ["ur5e", "franka_panda", "xarm6", "kuka_iiwa14", "fetch"];

/// At the stop distance it is kept to this, m.
pub(crate) const DISTANCE_TOLERANCE: f64 = 2e-4;

/// Limits of a servo with default options.
pub(crate) struct Bounds {
    positions: Vec<(f64, f64)>,
    velocity: Vec<f64>,
    acceleration: Vec<f64>,
    jerk: Vec<f64>,
}

impl Bounds {
    pub(crate) fn of(robot: &Robot, config: &ServoConfig) -> Self {
        let group = robot.group_or_default(None).unwrap();
        let limits = robot.limits(group);
        let fastest = config.max_delta_per_tick * config.rate_hz;
        let jerk = limits.jerk.clone();
        Self {
            positions: robot.position_limits(group),
            velocity: limits.velocity.iter().map(|limit| limit.min(fastest)).collect(),
            jerk: jerk.unwrap_or_else(|| {
                limits.acceleration.iter().map(|limit| DEFAULT_JERK_PER_ACCELERATION * limit).collect()
            }),
            acceleration: limits.acceleration,
        }
    }

    /// A tick with constant jerk in each phase: the mean of its jerk is the difference of accelerations, and what it covers lies
    /// between what the extreme jerks cover.
    pub(crate) fn assert_tick(&self, before: &MotionState, after: &MotionState, period: f64, case: &str) {
        for joint in 0..before.dof() {
            let (from, to) = (before.axis(joint), after.axis(joint));
            let jerk = (to.acceleration - from.acceleration) / period;
            assert!(jerk.abs() <= self.jerk[joint] * (1.0 + 1e-6) + 1e-6, "{case}: joint {joint} jerk {jerk}");
            assert!(to.velocity.abs() <= self.velocity[joint] * (1.0 + 1e-9) + 1e-9, "{case}: joint {joint} {to:?}");
            assert!(to.acceleration.abs() <= self.acceleration[joint] * (1.0 + 1e-9) + 1e-9, "{case}: joint {joint}");
            let (low, high) = self.positions[joint];
            assert!(to.position >= low - 1e-8 && to.position <= high + 1e-8, "{case}: joint {joint} {to:?}");
            let [least, most] = [-self.jerk[joint], self.jerk[joint]].map(|jerk| from.after(period, jerk));
            let slack = 1e-9;
            assert!(to.velocity >= least.velocity - slack && to.velocity <= most.velocity + slack, "{case}: {joint}");
            assert!(to.position >= least.position - slack && to.position <= most.position + slack, "{case}: {joint}");
        }
    }
}

pub(crate) fn checker(scene: &LiveScene, margin: f64) -> Checker {
    let snapshot = scene.snapshot();
    let group = snapshot.robot().group_or_default(None).unwrap().name.clone();
    snapshot.checker(&group, Margins::new(margin, 0.0)).unwrap()
}

/// Refuses a motion that does not keep its margins, but for the resolution of proofs.
pub(crate) fn assert_clear(exact: &mut Checker, from: &[f64], to: &[f64], case: &str) {
    if exact.is_motion_free(from, to) {
        return;
    }
    for part in [0.0, 0.25, 0.5, 0.75, 1.0] {
        let q: Vec<f64> = from.iter().zip(to).map(|(from, to)| from + part * (to - from)).collect();
        let clearance = exact.clearance(&q);
        assert!(clearance.distance - clearance.margin > -1e-5, "{case}: {clearance:?}");
    }
}
