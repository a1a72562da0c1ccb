//! What configurations cost, for planners that look at it.

use std::fmt;
use std::sync::Arc;

use kinetic_core::{CostFunction, KineticError, Result, StateCost};
use kinetic_kinematics::{KinematicChain, manipulability};

use super::holding_torque::HoldingTorque;
use crate::planner_spec::PlannerContext;
use crate::space::Space;
use crate::validity::Validity;

/// The distance to the world at which half of the cost of contact is left, m.
const CLEARANCE_SCALE_M: f64 = 0.05;

/// The manipulability at which half of the cost of a singularity is left.
const MANIPULABILITY_SCALE: f64 = 0.02;

/// What configurations cost.
#[derive(Clone, Default)]
pub(super) enum ConfigurationCost {
    #[default]
    Clearance,
    JointCentring,
    Manipulability(Box<KinematicChain>),
    Torque(Arc<HoldingTorque>),
    Function(CostFunction),
}

impl fmt::Debug for ConfigurationCost {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Clearance => "Clearance",
            Self::JointCentring => "JointCentring",
            Self::Manipulability(_) => "Manipulability",
            Self::Torque(_) => "Torque",
            Self::Function(_) => "Function",
        })
    }
}

impl ConfigurationCost {
    /// The cost that the options state.
    ///
    /// # Errors
    /// [`KineticError::InvalidValue`] for manipulability and torque in a space that is not a robot's, and for torques without limits;
    /// [`KineticError::SeveralTips`].
    pub(super) fn stated(context: &PlannerContext<'_>) -> Result<Option<Self>> {
        let Some(stated) = &context.config.state_cost else { return Ok(None) };
        Ok(Some(match (stated, context.robot, context.dynamics) {
            (StateCost::Clearance, ..) => Self::Clearance,
            (StateCost::JointCentring, ..) => Self::JointCentring,
            (StateCost::Manipulability, Some(robot), _) => {
                robot.robot.check_single_tip(robot.group)?;
                Self::Manipulability(Box::new(robot.chain.clone()))
            }
            (StateCost::Torque, _, Some(dynamics)) => Self::Torque(Arc::new(HoldingTorque::new(dynamics)?)),
            (StateCost::Function(function), ..) => Self::Function(Arc::clone(function)),
            (StateCost::Manipulability | StateCost::Torque, ..) => {
                let wanted = "\"clearance\", \"joint_centring\" or a function in a space that is not a robot's";
                return Err(KineticError::invalid("state_cost", format!("\"{}\"", stated.name()), wanted));
            }
        }))
    }

    /// The cost of a configuration.
    ///
    /// # Errors
    /// [`KineticError::InvalidValue`] for a function whose value is negative or not finite; those of the function.
    pub(super) fn of(&self, space: &Space, q: &[f64], validity: &mut dyn Validity) -> Result<f64> {
        match self {
            Self::Clearance => Ok(validity.clearance(q).map_or(0.0, |far| falling(far, CLEARANCE_SCALE_M))),
            Self::JointCentring => Ok(off_centre(space, q)),
            Self::Manipulability(chain) => Ok(falling(manipulability(chain, q)?, MANIPULABILITY_SCALE)),
            Self::Torque(torque) => torque.of(q),
            Self::Function(function) => {
                let cost = function(q)?;
                if cost >= 0.0 && cost.is_finite() {
                    return Ok(cost);
                }
                Err(KineticError::invalid("cost of a configuration", cost, "a finite number of at least 0"))
            }
        }
    }
}

/// 1 at 0, and 1/2 at the scale.
fn falling(value: f64, scale: f64) -> f64 {
    if value.is_finite() { 1.0 / (1.0 + value.max(0.0) / scale) } else { 0.0 }
}

/// Mean square of the distances from the middle of the range, 1 at the limits; joints without limits count as in the middle.
fn off_centre(space: &Space, q: &[f64]) -> f64 {
    let of_joint = |joint: usize| {
        let (low, high) = (space.lower()[joint], space.upper()[joint]);
        let half = 0.5 * (high - low);
        if half.is_finite() && half > 0.0 { ((q[joint] - 0.5 * (low + high)) / half).powi(2) } else { 0.0 }
    };
    (0..q.len()).map(of_joint).sum::<f64>() / q.len() as f64
}
