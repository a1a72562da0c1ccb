//! Limits of groups, and the values that stand in for what a model does not state.

use std::f64::consts::PI;

use kinetic_core::{JointLimits, Limits};

use crate::model::{JointType, PlanningGroup};
use crate::robot::Robot;

/// Speed of a turning joint whose model states none (or 0, which means unknown), rad/s.
pub const DEFAULT_ANGULAR_VELOCITY: f64 = 1.0;

/// Speed of a sliding joint whose model states none (or 0), m/s: the reduced speed of ISO 10218-1.
pub const DEFAULT_LINEAR_VELOCITY: f64 = 0.25;

/// Where a model states no acceleration limit, a joint reaches its full speed in this time, s.
pub const SECONDS_TO_FULL_SPEED: f64 = 0.5;

/// Random values of a sliding joint without limits (a part of a floating or planar joint) lie within this distance of 0,
/// m. A convention: no distance is the right one.
pub const UNBOUNDED_SLIDE: f64 = 1.0;

/// Width that [`Robot::sanitised_limits`] gives to a range of a single value, rad or m.
pub const LEAST_RANGE: f64 = 1e-3;

/// Default speed for a type of joint.
pub(crate) fn default_velocity(joint_type: JointType) -> f64 {
    if joint_type == JointType::Prismatic { DEFAULT_LINEAR_VELOCITY } else { DEFAULT_ANGULAR_VELOCITY }
}

/// The stated acceleration limit, or the default.
pub(crate) fn acceleration(limits: &JointLimits) -> f64 {
    // An absurd speed must not become an infinite acceleration.
    limits.acceleration.unwrap_or((limits.velocity / SECONDS_TO_FULL_SPEED).min(f64::MAX))
}

impl Robot {
    /// Limits of a group's joints, for time laws and validators.
    ///
    /// Accelerations follow [`SECONDS_TO_FULL_SPEED`] where the model states none. Jerk is limited when the model
    /// states it for every joint of the group.
    pub fn limits(&self, group: &PlanningGroup) -> Limits {
        Limits {
            velocity: self.velocity_limits(group),
            acceleration: self.acceleration_limits(group),
            jerk: self.jerk_limits(group),
        }
    }

    /// Largest jerk per joint, rad/s³ or m/s³; `None` unless the model states it for every joint of the group.
    pub fn jerk_limits(&self, group: &PlanningGroup) -> Option<Vec<f64>> {
        self.limits_of(group).map(|limits| limits.jerk).collect()
    }

    /// Lowest and highest position per joint, rad or m; infinite for continuous joints.
    pub fn position_limits(&self, group: &PlanningGroup) -> Vec<(f64, f64)> {
        self.limits_of(group).map(|limits| (limits.lower, limits.upper)).collect()
    }

    /// Largest speed per joint, rad/s or m/s.
    pub fn velocity_limits(&self, group: &PlanningGroup) -> Vec<f64> {
        self.limits_of(group).map(|limits| limits.velocity).collect()
    }

    /// Largest acceleration per joint, rad/s² or m/s²: stated, or full speed after [`SECONDS_TO_FULL_SPEED`].
    pub fn acceleration_limits(&self, group: &PlanningGroup) -> Vec<f64> {
        self.limits_of(group).map(acceleration).collect()
    }

    /// Largest effort per joint, Nm or N; infinite where unknown.
    pub fn effort_limits(&self, group: &PlanningGroup) -> Vec<f64> {
        self.limits_of(group).map(|limits| limits.effort).collect()
    }

    /// How much one radian or metre of each joint counts in distances and lengths: 1, unless the model states another
    /// weight.
    pub fn weights(&self, group: &PlanningGroup) -> Vec<f64> {
        let weight = |variable: &usize| self.joint_weights.get(*variable).copied().unwrap_or(1.0);
        group.variables.iter().map(weight).collect()
    }

    fn limits_of<'a>(&'a self, group: &'a PlanningGroup) -> impl Iterator<Item = &'a JointLimits> {
        group.variables.iter().map(|variable| &self.joint_limits[*variable])
    }

    /// Position limits per joint for methods that need finite intervals with an inside, rad or m.
    ///
    /// What is infinite becomes π for turning joints and [`UNBOUNDED_SLIDE`] for sliding ones (one-sided ranges as far
    /// from their finite end); a range narrower than [`LEAST_RANGE`] is widened to it about its middle. The configuration
    /// of a joint may therefore be up to half of [`LEAST_RANGE`] outside its true limits.
    pub fn sanitised_limits(&self, group: &PlanningGroup) -> Vec<(f64, f64)> {
        group.variables.iter().map(|variable| widened(self.finite_range(*variable))).collect()
    }

    /// The range of a variable, with finite ends in place of infinite ones.
    pub(crate) fn finite_range(&self, variable: usize) -> (f64, f64) {
        let JointLimits { lower, upper, .. } = self.joint_limits[variable];
        let slides = self.joints[self.active_joints[variable]].joint_type == JointType::Prismatic;
        let half = if slides { UNBOUNDED_SLIDE } else { PI };
        match (lower.is_finite(), upper.is_finite()) {
            (true, true) => (lower, upper),
            (true, false) => (lower, lower + 2.0 * half),
            (false, true) => (upper - 2.0 * half, upper),
            (false, false) => (-half, half),
        }
    }
}

fn widened((lower, upper): (f64, f64)) -> (f64, f64) {
    if upper - lower >= LEAST_RANGE {
        return (lower, upper);
    }
    let middle = f64::midpoint(lower, upper);
    (middle - LEAST_RANGE / 2.0, middle + LEAST_RANGE / 2.0)
}
