//! Options of a servo that gets to targets.

use kinetic_core::{KineticError, Result};

use crate::mpc::MpcConfig;
use crate::servo::ServoConfig;

/// How an arm goes to a target by itself.
#[derive(Debug, Clone, PartialEq)]
pub enum Approach {
    /// Straight, by a [`Servo`](crate::Servo).
    Servo(ServoConfig),
    /// Past what is in the way, by an [`Mpc`](crate::Mpc).
    Mpc(MpcConfig),
}

impl Approach {
    /// Options of the servo that every tick goes through.
    pub fn servo(&self) -> &ServoConfig {
        match self {
            Self::Servo(servo) => servo,
            Self::Mpc(mpc) => &mpc.servo,
        }
    }

    /// How far ahead it looks, s: it may move away from the target for that long.
    pub(super) fn lookahead(&self) -> f64 {
        match self {
            Self::Servo(_) => 0.0,
            Self::Mpc(mpc) => mpc.horizon as f64 * mpc.step,
        }
    }
}

/// What is done where an arm comes no nearer to its target.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum OnStuck {
    /// A planner finds the way around, which the servo then follows.
    #[default]
    Plan,
    /// The arm stops, and the [status](crate::TargetServo::status) says so.
    Stop,
}

/// Names of what may be done.
const ON_STUCK: [(&str, OnStuck); 2] = [("plan", OnStuck::Plan), ("stop", OnStuck::Stop)];

impl OnStuck {
    /// By its name, `plan` or `stop`.
    ///
    /// # Errors
    /// [`KineticError::UnknownName`] with the names there are.
    pub fn by_name(name: &str) -> Result<Self> {
        let found = ON_STUCK.iter().find(|(known, _)| *known == name);
        found
            .map(|(_, value)| *value)
            .ok_or_else(|| KineticError::unknown_name("on_stuck", name, ON_STUCK.iter().map(|(known, _)| *known)))
    }
}

/// Options of a [`TargetServo`](crate::TargetServo).
#[derive(Debug, Clone, PartialEq)]
pub struct TargetServoConfig {
    /// How the arm goes by itself.
    pub approach: Approach,
    /// What is done where it comes no nearer.
    pub on_stuck: OnStuck,
    /// The arm is stuck when it comes no nearer for so long, s; with an [`Mpc`](crate::Mpc) for the time of its horizon longer.
    pub stuck_after: f64,
    /// What counts as nearer, m: of the distance from the target, with turns of the tool by `rotation_weight`; of joints rad or m.
    pub progress: f64,
    /// What a turn of the tool by 1 rad counts, m.
    pub rotation_weight: f64,
    /// A target counts as reached within this distance, m; of joints rad or m.
    pub position_tolerance: f64,
    /// A target counts as reached within this angle, rad.
    pub rotation_tolerance: f64,
    /// Distance above the stop distance that plans keep, m, where they can; else 1 mm.
    pub plan_clearance: f64,
    /// Time that a tick may spend on a plan, s.
    pub plan_timeout: f64,
    /// Plans per target, and per content of the scene, before the arm gives up.
    pub max_plans: usize,
    /// Seed of the plans.
    pub seed: u64,
}

impl Default for TargetServoConfig {
    fn default() -> Self {
        Self {
            approach: Approach::Servo(MpcConfig::default().servo),
            on_stuck: OnStuck::default(),
            stuck_after: 0.5,
            progress: 0.002,
            rotation_weight: 0.15,
            position_tolerance: 1e-3,
            rotation_tolerance: 5e-3,
            plan_clearance: 0.01,
            plan_timeout: 1.0,
            max_plans: 5,
            seed: 0,
        }
    }
}

impl TargetServoConfig {
    /// Refuses values outside their domain.
    ///
    /// # Errors
    /// [`KineticError::InvalidValue`] naming the option.
    pub fn check(&self) -> Result<()> {
        match &self.approach {
            Approach::Servo(servo) => servo.check()?,
            Approach::Mpc(mpc) => mpc.check()?,
        }
        for (name, value) in [
            ("stuck_after", self.stuck_after),
            ("progress", self.progress),
            ("position_tolerance", self.position_tolerance),
            ("rotation_tolerance", self.rotation_tolerance),
            ("plan_timeout", self.plan_timeout),
        ] {
            if !(value > 0.0 && value.is_finite()) {
                return Err(KineticError::invalid(name, value, "a positive finite number"));
            }
        }
        for (name, value) in [("rotation_weight", self.rotation_weight), ("plan_clearance", self.plan_clearance)] {
            if !(value >= 0.0 && value.is_finite()) {
                return Err(KineticError::invalid(name, value, "a finite number of at least 0"));
            }
        }
        Ok(())
    }
}
