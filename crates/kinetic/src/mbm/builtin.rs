//! Problems for the built-in robots, whose geometry decides instead of the spheres that come with the data.

use kinetic_core::{KineticError, Result};
use kinetic_planning::Planner;
use kinetic_robot::Robot;

/// Robot of the bench, built-in robot, and the group whose joints have the order of the problem files.
const ROBOTS: [(&str, &str, &str); 3] =
    [("panda", "franka_panda", "arm"), ("fetch", "fetch", "arm_with_torso"), ("baxter", "baxter_left", "both_arms")];

/// How far a start or goal may lie outside the limits, rad or m: files in single precision round them outwards.
const DATA_LIMIT_TOLERANCE_RAD_M: f64 = 1e-5;

fn row(robot: &str) -> Result<&'static (&'static str, &'static str, &'static str)> {
    let wanted = || ROBOTS.map(|(name, ..)| name).join(", ");
    let unknown = || KineticError::invalid("robot with a built-in model", robot, wanted());
    ROBOTS.iter().find(|(name, ..)| *name == robot).ok_or_else(unknown)
}

/// The built-in robot of that name in the bench.
pub(super) fn load(robot: &str) -> Result<Robot> {
    Robot::from_name(row(robot)?.1)
}

/// The group that the problems are about.
pub(super) fn group(robot: &str) -> Result<&'static str> {
    Ok(row(robot)?.2)
}

/// Whether a robot can stand like this among the obstacles: free, and within limits, which may be narrower than those of
/// the robot that the problem was made for.
pub(super) fn can_stand(planner: &Planner, q: &[f64]) -> Result<bool> {
    let is_within = planner.scene().robot().check_limits(planner.group(), q, DATA_LIMIT_TOLERANCE_RAD_M).is_ok();
    Ok(is_within && !planner.is_in_collision(q)?)
}
