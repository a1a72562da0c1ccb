//! Arms and worlds for the tests of policies, and the loop that plays the controller.

use std::sync::Arc;

use kinetic_core::PiecewisePolynomial;
use kinetic_core::curve::Coefficients;
use kinetic_core::rng::SeededRng;
use kinetic_reactive::rmp::{JointCommand, Rmp};
use kinetic_robot::Robot;
use kinetic_scene::{Margins, Scene};

pub(crate) const ARMS: [&str; 5] = ["franka_panda", "ur5e", "fetch", "xarm6", "kuka_iiwa14"];

/// Rounding of positions and velocities of some radians.
const ROUNDING: f64 = 1e-9;

pub(crate) fn built_in(name: &str) -> Arc<Robot> {
    Arc::new(Robot::from_name(name).unwrap())
}

/// A random configuration in which the robot does not touch itself.
pub(crate) fn free_configuration(robot: &Arc<Robot>, rng: &mut SeededRng) -> Vec<f64> {
    let group = &robot.groups[robot.default_group];
    let mut checker = Scene::new(robot).unwrap().checker(&group.name, Margins::new(0.0, 0.001)).unwrap();
    loop {
        let q = robot.random_configuration(group, rng).0;
        if checker.is_free(&q) {
            return q;
        }
    }
}

/// An arm that does what it is told.
#[derive(Debug, Clone)]
pub(crate) struct Arm {
    pub(crate) q: Vec<f64>,
    pub(crate) qd: Vec<f64>,
}

impl Arm {
    pub(crate) fn at(q: &[f64]) -> Self {
        Self { q: q.to_vec(), qd: vec![0.0; q.len()] }
    }

    /// One cycle. Every command is finite, is where the acceleration leads, and keeps the limits.
    pub(crate) fn step(&mut self, rmp: &mut Rmp, dt: f64) -> JointCommand {
        let command = rmp.compute(&self.q, &self.qd, dt).unwrap();
        for (joint, bounds) in rmp.bounds().iter().enumerate() {
            let (p, v, a) = (command.positions[joint], command.velocities[joint], command.accelerations[joint]);
            assert!(p.is_finite() && v.is_finite() && a.is_finite(), "joint {joint}");
            assert!(p >= bounds.lower - ROUNDING && p <= bounds.upper + ROUNDING, "joint {joint}: position {p}");
            assert!(v.abs() <= bounds.velocity + ROUNDING, "joint {joint}: velocity {v}");
            assert!(a.abs() <= bounds.acceleration + ROUNDING, "joint {joint}: acceleration {a}");
            assert!((v - self.qd[joint] - a * dt).abs() < ROUNDING);
            assert!((p - self.q[joint] - (self.qd[joint] + 0.5 * a * dt) * dt).abs() < ROUNDING);
        }
        self.q.copy_from_slice(&command.positions);
        self.qd.copy_from_slice(&command.velocities);
        command
    }
}

/// The motion of a cycle as a curve.
pub(crate) fn cycle_curve(before: &Arm, command: &JointCommand, dt: f64) -> PiecewisePolynomial {
    let rows: Vec<Coefficients> = (0..before.q.len())
        .map(|joint| [before.q[joint], before.qd[joint], 0.5 * command.accelerations[joint], 0.0, 0.0, 0.0])
        .collect();
    PiecewisePolynomial::new(before.q.len(), vec![0.0, dt], rows).unwrap()
}
