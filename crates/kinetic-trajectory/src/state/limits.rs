//! Limits of all joints of a motion, and the states from which they can be held.

use kinetic_core::{KineticError, Limits, Result};

use super::axis::AxisLimits;
use super::motion_state::MotionState;

/// Limits of all joints, checked.
#[derive(Debug, Clone, PartialEq)]
pub struct MotionLimits(Vec<AxisLimits>);

impl MotionLimits {
    /// Limits of each joint.
    ///
    /// # Errors
    /// [`KineticError::InvalidValue`] naming joint and quantity where the lowest value is not negative, the highest not
    /// positive, or one not finite.
    pub fn new(axes: Vec<AxisLimits>) -> Result<Self> {
        for (joint, axis) in axes.iter().enumerate() {
            let quantities = [("velocity", axis.velocity), ("acceleration", axis.acceleration), ("jerk", axis.jerk)];
            for (quantity, [lowest, highest]) in quantities {
                if !(highest > 0.0 && highest.is_finite()) {
                    let name = format!("highest {quantity} of joint {joint}");
                    return Err(KineticError::invalid(name, highest, "a positive finite number"));
                }
                if !(lowest < 0.0 && lowest.is_finite()) {
                    let name = format!("lowest {quantity} of joint {joint}");
                    return Err(KineticError::invalid(name, lowest, "a negative finite number"));
                }
            }
        }
        Ok(Self(axes))
    }

    /// The same limits in both directions.
    ///
    /// # Errors
    /// [`KineticError::InvalidValue`] naming the joint for a limit that is not positive and finite, or for limits
    /// without jerk.
    pub fn symmetric(limits: &Limits) -> Result<Self> {
        limits.check()?;
        let Some(jerk) = &limits.jerk else {
            return Err(KineticError::invalid("jerk limits", "none", "a positive finite number per joint"));
        };
        let axis =
            |joint: usize| AxisLimits::symmetric(limits.velocity[joint], limits.acceleration[joint], jerk[joint]);
        Self::new((0..limits.dof()).map(axis).collect())
    }

    /// Number of joints.
    pub fn dof(&self) -> usize {
        self.0.len()
    }

    /// Limits of each joint.
    pub fn axes(&self) -> &[AxisLimits] {
        &self.0
    }

    /// Whether a joint, its velocity inside the limits, is bound to leave them: its acceleration cannot be taken back in time. Laws
    /// whose acceleration steps are in such states where they end a phase of acceleration; motions from there
    /// [brake](crate::state) when they are outside.
    pub fn is_bound_to_leave(&self, state: &MotionState) -> bool {
        self.0.iter().enumerate().any(|(joint, limits)| {
            let axis = state.axis(joint);
            let [now, later] = [axis.velocity, axis.velocity_where_acceleration_ends(limits)];
            let is_inside = |velocity: f64| is_in_range(velocity, limits.velocity, START_ROUNDING_RATIO);
            is_inside(now) && !is_inside(later)
        })
    }

    /// Refuses a state from which the limits cannot be held, naming joint and quantity.
    pub(crate) fn check_start(&self, start: &MotionState) -> Result<()> {
        start.check("start", self.dof())?;
        for (joint, limits) in self.0.iter().enumerate() {
            let state = start.axis(joint);
            let named = |quantity: &str| format!("start {quantity} of joint {joint}");
            check_range(|| named("velocity"), state.velocity, limits.velocity, START_ROUNDING_RATIO)?;
            check_range(|| named("acceleration"), state.acceleration, limits.acceleration, START_ROUNDING_RATIO)?;
            let name = || format!("velocity after the start of joint {joint} is left with its acceleration");
            let velocity = state.velocity_where_acceleration_ends(limits);
            check_range(name, velocity, limits.velocity, START_ROUNDING_RATIO)?;
        }
        Ok(())
    }
}

/// Rounding of a target, against the range between the limits.
pub(super) const TARGET_ROUNDING_RATIO: f64 = 1e-12;
/// Rounding of a state of a trajectory that holds the limits, likewise.
const START_ROUNDING_RATIO: f64 = 1e-9;

fn is_in_range(value: f64, [lowest, highest]: [f64; 2], rounding: f64) -> bool {
    let slack = rounding * (highest - lowest);
    value >= lowest - slack && value <= highest + slack
}

pub(super) fn check_range(name: impl Fn() -> String, value: f64, range: [f64; 2], rounding: f64) -> Result<()> {
    let [lowest, highest] = range;
    if is_in_range(value, range, rounding) {
        return Ok(());
    }
    Err(KineticError::invalid(name(), value, format!("in [{lowest}, {highest}]")))
}
