//! Metric of a planner: the weights of its joints, and the space that is searched.

use std::f64::consts::TAU;

use kinetic_core::config::check_joint_weights;
use kinetic_core::error::check_len;
use kinetic_core::{Result, Trajectory};

use super::Planner;
use crate::space::Space;

/// Spaces that are narrower or wider are scaled as if they were so: squares of weights stay representable.
const LEAST_TURNS: f64 = 1e-12;
const MOST_TURNS: f64 = 1e12;

/// The spaces of a planner.
///
/// Only the ratios of weights and of ranges matter to a search. It runs in a space that is about as wide as that of an arm,
/// whose joints turn about once, so that the ranges and tolerances of planners keep their meaning: for weights in any unit, and
/// for axes that slide by millimetres or by kilometres. Lengths that users see are in the weights given.
#[derive(Debug, Clone)]
pub(crate) struct Metric {
    /// What is searched.
    pub(crate) search: Space,
    /// What is reported.
    pub(crate) given: Space,
    /// Length in the weights given of what is searched with length 1.
    scale: f64,
}

impl Metric {
    /// Length in the weights given.
    pub(crate) fn length(&self, path: &Trajectory) -> f64 {
        self.given.path_length(path)
    }

    /// Length in the weights given, of one in the space that is searched.
    pub(crate) fn length_of_searched(&self, length: f64) -> f64 {
        self.scale * length
    }
}

impl Planner {
    /// How much one radian or metre of each joint of the group counts in distances and lengths:
    /// [`PlannerConfig::joint_weights`](kinetic_core::PlannerConfig::joint_weights), or else
    /// [`Robot::weights`](kinetic_robot::Robot::weights).
    ///
    /// # Errors
    /// [`KineticError::DimensionMismatch`](kinetic_core::KineticError::DimensionMismatch) for weights that are neither of
    /// the group's nor of the robot's length, and [`KineticError::InvalidValue`](kinetic_core::KineticError::InvalidValue)
    /// for weights of a robot that are not between 1e-3 and 1e3.
    pub fn joint_weights(&self) -> Result<Vec<f64>> {
        let (robot, group) = (self.scene().robot(), self.group());
        match &self.config().joint_weights {
            Some(weights) if weights.len() == group.dof() => Ok(weights.clone()),
            Some(weights) if weights.len() == robot.num_variables() => {
                Ok(group.variables.iter().map(|variable| weights[*variable]).collect())
            }
            Some(weights) => {
                let names = robot.joint_names(group).join(", ");
                Err(kinetic_core::KineticError::DimensionMismatch {
                    context: "joint_weights".to_owned(),
                    expected: format!(
                        "{}, one per joint of group \"{}\" ({names}), or {}, one per joint of robot \"{}\"",
                        group.dof(),
                        group.name,
                        robot.num_variables(),
                        robot.name
                    ),
                    got: weights.len(),
                })
            }
            None => {
                // A robot can be changed by hand.
                if !robot.joint_weights.is_empty() {
                    check_len("weights of the robot", robot.joint_weights.len(), robot.num_variables())?;
                    check_joint_weights(&robot.joint_weights)?;
                }
                Ok(robot.weights(group))
            }
        }
    }

    /// The spaces that this planner searches and reports in.
    pub(crate) fn metric(&self) -> Result<Metric> {
        let (space, weights) = (Space::of_chain(self.chain())?, self.joint_weights()?);
        let scale = root_mean_square(weights.iter().copied()) * self.width_factor(&space, &weights);
        let scaled = weights.iter().map(|weight| weight / scale).collect();
        Ok(Metric { search: space.clone().with_weights(scaled)?, given: space.with_weights(weights)?, scale })
    }

    /// By which power of four weighted ranges differ from those of joints that turn once. Steps of four, so that all arms have the
    /// same one, and what is scaled by one is searched alike. What a joint turns beyond a full turn makes a space no wider.
    fn width_factor(&self, space: &Space, weights: &[f64]) -> f64 {
        let width = |joint: usize| {
            let (_, width) = space.sample_interval(joint);
            if self.chain().is_rotation(joint) { width.min(TAU) } else { width }
        };
        let weighted = root_mean_square(weights.iter().enumerate().map(|(joint, weight)| weight * width(joint)));
        let turns = weighted / (TAU * root_mean_square(weights.iter().copied()));
        // A space of a single configuration has no width.
        if turns > 0.0 { 4.0_f64.powf(turns.clamp(LEAST_TURNS, MOST_TURNS).log(4.0).round()) } else { 1.0 }
    }
}

fn root_mean_square(values: impl ExactSizeIterator<Item = f64>) -> f64 {
    let count = values.len() as f64;
    (values.map(|value| value * value).sum::<f64>() / count).sqrt()
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use kinetic_robot::Robot;

    use super::*;

    /// Regression 52: of ranges whose squares overflow, weights became 0.
    #[test]
    fn weights_are_positive_for_ranges_of_any_size() -> Result<()> {
        let mut robot = Robot::from_name("fetch")?;
        let torso = robot.groups[robot.default_group].variables[0];
        for range in [0.0, f64::MIN_POSITIVE, 1e-200, 1e-6, 1.0, 1e6, 1e200, 1.7e308] {
            (robot.joint_limits[torso].lower, robot.joint_limits[torso].upper) = (-0.5 * range, 0.5 * range);
            let metric = Planner::new(&Arc::new(robot.clone()))?.metric()?;
            assert!(metric.search.weights().iter().all(|weight| *weight > 1e-13 && *weight < 1e13), "{range:e}");
        }
        Ok(())
    }

    #[test]
    fn arms_are_searched_in_radians() -> Result<()> {
        let names = ["ur5e", "franka_panda", "kuka_iiwa14", "xarm7", "fetch", "abb_irb1200", "baxter_left", "pr2"];
        for name in names {
            let planner = Planner::new(&Arc::new(Robot::from_name(name)?))?;
            let metric = planner.metric()?;
            let ratio = metric.search.weights()[0] / metric.given.weights()[0];
            let mean_square = planner.joint_weights()?.iter().map(|weight| weight * weight).sum::<f64>()
                / planner.joint_weights()?.len() as f64;
            assert!((ratio * mean_square.sqrt() - 1.0).abs() < 1e-12, "{name}: {ratio}");
            assert!((metric.length_of_searched(ratio) - 1.0).abs() < 1e-12, "{name}");
        }
        Ok(())
    }
}
