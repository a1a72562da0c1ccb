//! Plans for every group of the robots that have more than one arm.

use kinetic::prelude::*;

use crate::support::{assert_limits_by_differences, robot};

#[test]
fn every_group_with_home_and_ready_moves_between_them() {
    let mut groups = 0;
    for name in ["abb_yumi_left", "baxter_left", "fetch", "pr2", "stretch_re2", "tiago"] {
        let robot = robot(name);
        let scene = Scene::new(&robot).unwrap();
        for group in &robot.groups {
            let pose = |pose| robot.named_pose(group, pose);
            let (Some(home), Some(ready)) = (pose("home"), pose("ready")) else { continue };
            let planner = Planner::in_scene(scene.clone()).unwrap().with_group(&group.name).unwrap();
            let planned = planner.plan_timed(home, &Goal::joints(ready), kinetic::DEFAULT_TIME_LAW);
            let planned = planned.unwrap_or_else(|error| panic!("{name}: {}: {error}", group.name));
            assert_eq!(planned.result.start(), &home[..], "{name}: {}", group.name);
            assert_eq!(planned.result.end(), &ready[..], "{name}: {}", group.name);
            assert_limits_by_differences(&robot, &group.name, &planned.trajectory);
            groups += 1;
        }
    }
    assert_eq!(groups, 3 + 3 + 2 + 6 + 1 + 2);
}

#[test]
fn arms_that_would_meet_on_the_straight_way_go_around_each_other() {
    let robot = robot("baxter_left");
    let group = robot.group("both_arms").unwrap();
    let ready = robot.named_pose(group, "ready").unwrap();
    let scene = Scene::new(&robot).unwrap();
    let mut checker = scene.checker("both_arms", Margins::ZERO).unwrap();
    // The hands change places in height: the left one goes under the right one, which is above it at the end.
    let (mut start, mut goal) = (ready.0.clone(), ready.0.clone());
    (start[0], start[1], start[7], start[8]) = (-0.35, -0.4, 0.35, -1.4);
    (goal[0], goal[1], goal[7], goal[8]) = (-0.35, -1.4, 0.35, -0.4);
    assert!(checker.is_free(&start) && checker.is_free(&goal), "{:?}", checker.clearance(&start));
    assert!(!checker.is_motion_free(&start, &goal), "the straight way is meant to be blocked");
    let planner = Planner::in_scene(scene.clone()).unwrap().with_group("both_arms").unwrap();
    let result = planner.plan(&start, &Goal::joints(goal.clone())).unwrap();
    for (from, to) in result.path.segments() {
        assert!(checker.is_motion_free(from, to));
    }
}

/// A robot-length configuration in which a group stands at a named pose and the torso at a height.
fn whole(robot: &Robot, group: &str, pose: &str, height: f64) -> Vec<f64> {
    let mut q = robot.neutral_configuration();
    let group = robot.group(group).unwrap();
    for (variable, value) in group.variables.iter().zip(robot.named_pose(group, pose).unwrap().iter()) {
        q[*variable] = *value;
    }
    q[robot.group("torso").unwrap().variables[0]] = height;
    q
}

#[test]
fn mobile_manipulators_plan_with_vectors_of_the_group_and_of_the_robot() {
    for (name, group, high) in [("fetch", "arm", 0.38), ("tiago", "arm", 0.35), ("pr2", "right_arm", 0.31)] {
        let robot = robot(name);
        let planner = Planner::new(&robot).unwrap().with_group(group).unwrap();
        let arm = robot.group(group).unwrap();
        let short = |pose| robot.named_pose(arm, pose).unwrap().clone();
        let neutral = robot.neutral_configuration()[robot.group("torso").unwrap().variables[0]];
        let long = |pose, height| whole(&robot, group, pose, height);
        let by_group = planner.plan(&short("home"), &Goal::joints(short("ready"))).unwrap();
        let by_robot = planner.plan(&long("home", neutral), &Goal::joints(long("ready", neutral))).unwrap();
        assert_eq!(by_group.path, by_robot.path, "{name}: the other joints stand where they stand anyway");
        assert_eq!(by_robot.path.dof(), planner.group().dof(), "{name}: results have the length of the group");
        // A ball where the hand ends with the torso up.
        let mut scene = Scene::new(&robot).unwrap();
        let hand = scene.link_poses(&long("ready", high)).unwrap()[arm.tip_link];
        scene.add("ball", Shape::sphere(0.03).unwrap(), hand).unwrap();
        let planner = planner.clone().with_scene(&scene).unwrap();
        let error = planner.plan(&long("home", high), &Goal::joints(short("ready"))).unwrap_err();
        assert!(matches!(&error, KineticError::GoalInCollision { other, .. } if other == "ball"), "{name}: {error}");
    }
}
