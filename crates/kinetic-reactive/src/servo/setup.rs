//! A servo from a scene and options.

use std::sync::Arc;

use kinetic_core::error::check_len;
use kinetic_core::{Limits, Result};
use kinetic_robot::{PlanningGroup, Robot};
use kinetic_scene::LiveScene;
use kinetic_trajectory::jerk::DEFAULT_JERK_PER_ACCELERATION;

use super::Servo;
use super::command::LastCommand;
use super::config::ServoConfig;
use super::filters::CommandFilters;
use super::guard::{Guard, StopMargins};
use super::held_axes::HeldAxes;
use super::motion::Motions;
use super::output::ServoOutput;
use super::tool::Tool;
use super::trajectory::TrajectoryFollower;

impl Servo {
    /// A servo of the joints of a planning group, of the robot's default group without a name. It follows edits of the scene.
    /// The state of the arm has to be [set](Self::set_state) before the first tick.
    ///
    /// # Errors
    /// [`kinetic_core::KineticError::GroupNotFound`]; [`kinetic_core::KineticError::InvalidValue`] for options outside
    /// their domain and limits that are not positive; [`kinetic_core::KineticError::DimensionMismatch`] for lists of limits
    /// of the wrong length.
    pub fn new(scene: LiveScene, group: Option<&str>, config: ServoConfig) -> Result<Self> {
        Self::of_robot(&scene.robot(), scene, group, config)
    }

    /// The same for a version of the scene's robot with another tool or default group.
    ///
    /// # Errors
    /// As [`new`](Self::new), and [`kinetic_core::KineticError::InvalidValue`] for the scene of another robot.
    pub fn of_robot(robot: &Arc<Robot>, scene: LiveScene, group: Option<&str>, config: ServoConfig) -> Result<Self> {
        config.check()?;
        let snapshot = scene.snapshot().with_robot(robot)?;
        let group = robot.group_or_default(group)?;
        let limits = joint_limits(robot, group, &config)?;
        let positions = robot.position_limits(group).into_iter().map(|(low, high)| [low, high]).collect();
        let dof = limits.dof();
        let margins = StopMargins {
            world: config.stop_distance + config.obstacle_speed * longest_stop(&limits, &config),
            own: config.self_stop_distance,
            world_zone: config.slowdown_distance - config.stop_distance,
            own_zone: config.self_slowdown_distance - config.self_stop_distance,
            error: config.tracking_error,
        };
        let motions = Motions::new(&limits, positions, config.period(), config.tracking_error)?;
        let tool = Tool::new(&snapshot, group, &config, &motions)?;
        Ok(Self {
            tool,
            guard: Guard::new(scene, &group.name, margins)?,
            trajectory: TrajectoryFollower::new(motions.limits()),
            held_axes: HeldAxes::default(),
            motions,
            filters: CommandFilters::new(dof, &config)?,
            command: LastCommand::new(dof, config.blend_time),
            output: ServoOutput::before_the_first_tick(dof),
            is_placed: false,
            num_ticks: 0,
            halted_ticks: 0,
            kept_by: None,
            is_at_bound: false,
            has_stop: false,
            config,
        })
    }
}

/// Limits of the options, else of the robot; no joint moves farther in a tick than it may.
fn joint_limits(robot: &Robot, group: &PlanningGroup, config: &ServoConfig) -> Result<Limits> {
    let own = robot.limits(group);
    let dof = own.dof();
    let choose = |name: &str, given: &Vec<f64>, own: Vec<f64>| {
        if given.is_empty() {
            return Ok(own);
        }
        check_len(name, given.len(), dof)?;
        Ok(given.clone())
    };
    let acceleration = choose("acceleration_limits", &config.acceleration_limits, own.acceleration)?;
    let by_default = || acceleration.iter().map(|limit| DEFAULT_JERK_PER_ACCELERATION * limit).collect();
    let jerk = choose("jerk_limits", &config.jerk_limits, own.jerk.unwrap_or_else(by_default))?;
    let mut velocity = choose("velocity_limits", &config.velocity_limits, own.velocity)?;
    for limit in &mut velocity {
        *limit = limit.min(config.max_delta_per_tick * config.rate_hz);
    }
    Limits::new(velocity, acceleration)?.with_jerk(jerk)
}

/// A bound on the time in which obstacles come closer before the arm stands: a command is late, a tick passes, and the slowest
/// joint stops from full speed while its acceleration is the largest.
fn longest_stop(limits: &Limits, config: &ServoConfig) -> f64 {
    let jerk = limits.jerk.as_deref().unwrap_or(&[]);
    let joints = limits.velocity.iter().zip(&limits.acceleration).zip(jerk);
    let longest = joints.map(|((velocity, acceleration), jerk)| velocity / acceleration + 2.0 * acceleration / jerk);
    config.command_latency + config.period() + longest.fold(0.0, f64::max)
}
