//! The four kinds of goals.

use kinetic::prelude::*;

use crate::support::{robot, workcell};

const START: [f64; 6] = [0.4, -1.6, 1.5, -1.5, -1.57, 0.0];

#[test]
fn a_pose_goal_is_reached_to_a_micrometre() {
    let planner = Planner::in_scene(workcell()).unwrap();
    let target = planner.fk(&[0.9, -1.3, 1.6, -1.8, -1.57, 0.4]).unwrap();
    let result = planner.plan(&START, &Goal::pose(target)).unwrap();
    let reached = planner.fk(result.end()).unwrap();
    assert!(reached.translation_distance(&target) < 1.1e-6);
    assert!(reached.rotation_distance(&target) < 1.2e-6);
}

#[test]
fn a_pose_goal_is_met_in_a_branch_that_is_free_when_the_nearest_one_is_not() {
    // Every branch of the closed form is a goal. A ball where the elbow of the nearest ones would be leaves the others.
    let mut scene = Scene::new(&robot("ur5e")).unwrap();
    let elbow_up = [0.4, -1.6, 1.5, -1.5, -1.57, 0.0];
    let target = Planner::in_scene(scene.clone()).unwrap().fk(&elbow_up).unwrap();
    let elbow = scene.link_poses(&elbow_up).unwrap()[scene.robot().link_index("forearm_link").unwrap()];
    scene.add("ball", Shape::sphere(0.05).unwrap(), elbow).unwrap();
    let start = [2.5, -0.7, 1.0, -1.5, -1.57, 0.0];
    let planner = Planner::in_scene(scene).unwrap();
    assert!(planner.is_in_collision(&elbow_up).unwrap());
    let result = planner.plan(&start, &Goal::pose(target)).unwrap();
    assert!(planner.fk(result.end()).unwrap().translation_distance(&target) < 1.1e-6);
    assert!(!planner.is_in_collision(result.end()).unwrap());
}

#[test]
fn a_relative_goal_moves_the_tool_along_its_own_or_the_base_axes() {
    let planner = Planner::new(&robot("ur5e")).unwrap();
    let before = planner.fk(&START).unwrap();
    let offset = Vector3::new(0.0, 0.0, 0.08);
    for (frame, expected) in [(ReferenceFrame::Tool, before.rotation() * offset), (ReferenceFrame::Base, offset)] {
        let result = planner.plan(&START, &Goal::relative(offset, frame)).unwrap();
        let after = planner.fk(result.end()).unwrap();
        assert!((after.translation() - before.translation() - expected).norm() < 1e-5, "{frame:?}");
        assert!(after.rotation_distance(&before) < 1e-5);
    }
}

#[test]
fn a_named_goal_is_the_named_pose_and_an_unknown_name_lists_those_that_exist() {
    let planner = Planner::new(&robot("ur5e")).unwrap();
    let error = planner.plan(&START, &Goal::named("redy")).unwrap_err();
    assert_eq!(error.code(), "NamedConfigNotFound");
    assert!(error.to_string().contains("\"ready\""), "{error}");
}

#[test]
fn an_unreachable_pose_says_so() {
    let planner = Planner::new(&robot("ur5e")).unwrap();
    let error = planner.plan(&START, &Goal::pose(Pose::from_xyz(2.0, 0.0, 0.3))).unwrap_err();
    assert!(matches!(error, KineticError::GoalUnreachable { .. }), "{error}");
}

#[test]
fn a_goal_equal_to_the_start_is_a_motion_of_no_length() {
    let planner = Planner::new(&robot("ur5e")).unwrap();
    let planned = planner.plan_timed(&START, &Goal::joints(START), "trapezoidal").unwrap();
    assert_eq!(planned.result.path_length, 0.0);
    assert_eq!(planned.trajectory.duration(), 0.0);
}
