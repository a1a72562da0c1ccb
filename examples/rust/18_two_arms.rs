//! Two arms of one robot: goals of each, motions of both, and two robots in a cell.

#![allow(clippy::print_stdout, missing_docs, reason = "an example shows what it found, and is no library")]

use std::sync::Arc;

use kinetic::prelude::*;
use kinetic::robot::CellMember;

pub fn main() -> Result<()> {
    let robot = Robot::builtin("abb_yumi_left")?;

    // Both arms are one planning group; configurations are the left arm's, then the right one's.
    let planner = Planner::new(&robot)?.with_groups(&["left_arm", "right_arm"])?;
    let home = named(&robot, "left_arm+right_arm", "home")?;
    let ready = || Goal::groups([("left_arm", Goal::named("ready")), ("right_arm", Goal::named("ready"))]);
    let both = planner.plan_timed(&home, &ready(), "totp")?.trajectory;
    println!("both arms: {:.3} s, {} joints, group {:?}", both.duration(), both.dof(), both.group());

    // A group without a goal stays; a tool pose is that of its own group.
    let lift = Goal::relative(Pose::from_xyz(0.0, 0.0, 0.1), ReferenceFrame::Base);
    let one = planner.plan_timed(&home, &Goal::groups([("left_arm", lift)]), "totp")?.trajectory;
    println!("left arm alone: {:.3} s", one.duration());

    // Each arm on a path of its own, or both on one path: trajectories of one duration.
    for mode in [DualArmMode::Independent, DualArmMode::Synchronized] {
        let arms = DualArmPlanner::new(&robot, "left_arm", "right_arm", mode)?;
        let goal = DualGoal { left: Goal::named("ready"), right: Goal::named("ready") };
        let motion = arms.plan(&home[..7], &home[7..], &goal)?;
        println!("{}: {:.3} s and {:.3} s", mode.id(), motion.left.duration(), motion.right.duration());
    }

    // Two robots in a cell are planned as one. The first one stands at the origin, the second one faces it.
    let arm = Robot::builtin("ur5e")?;
    let at = |prefix, world_from_root| CellMember { prefix, robot: &arm, world_from_root };
    let facing = Pose::from_xyz_rpy(1.1, 0.0, 0.0, 0.0, 0.0, std::f64::consts::PI);
    let cell = Arc::new(Robot::compose("cell", &[at("a_", Pose::identity()), at("b_", facing)])?);
    let planner = Planner::new(&cell)?.with_groups(&["a_arm", "b_arm"])?;
    let goal = Goal::groups([("a_arm", Goal::named("ready")), ("b_arm", Goal::named("ready"))]);
    let handover = planner.plan_timed(&named(&cell, "a_arm+b_arm", "home")?, &goal, "totp")?.trajectory;
    println!("cell of {} links: {:.3} s", cell.links.len(), handover.duration());
    Ok(())
}

fn named(robot: &Robot, group: &str, name: &str) -> Result<JointValues> {
    let group = robot.resolve_group(group)?;
    robot.named_configuration(&group, name).ok_or_else(|| KineticError::NamedConfigNotFound {
        name: name.to_owned(),
        group: group.name.clone(),
        available: robot.named_pose_names(&group).into_iter().map(str::to_owned).collect(),
    })
}
