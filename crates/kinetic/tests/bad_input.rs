//! Groups without joints, limits that are no numbers, empty budgets, and scenes that change while a plan runs.

use std::sync::Arc;

use kinetic::core::config::WorkspaceBounds;
use kinetic::prelude::*;
use kinetic::robot::RobotConfig;

use crate::support::{robot, workcell};

const START: [f64; 6] = [0.6, -1.2, 1.4, -1.7, -1.57, 0.0];
const TURNED: [f64; 6] = [2.5, -1.2, 1.4, -1.7, -1.57, 0.0];

/// One joint between two links, and a link that is fixed to the second.
const HINGE: &str = "<robot name='hinge'><link name='base'/><link name='arm'/><link name='hand'/>
    <joint name='j' type='revolute'><parent link='base'/><child link='arm'/><axis xyz='0 0 1'/>
    <limit lower='LOWER' upper='1' velocity='1' effort='1'/></joint>
    <joint name='f' type='fixed'><parent link='arm'/><child link='hand'/></joint></robot>";

fn hinge(lower: &str) -> kinetic::core::Result<Robot> {
    Robot::from_urdf_string(&HINGE.replace("LOWER", lower))
}

#[test]
fn groups_without_joints_are_refused_where_they_are_written() {
    let header = "[robot]\nname = 'hinge'\nurdf = 'hinge.urdf'\n[planning_group.none]\n";
    for (entry, wanted) in [
        ("joints = []", "list of joints is empty"),
        ("chain = ['arm', 'hand']", "no joint moves between them"),
        ("chain = ['base', 'base']", "no joint moves between them"),
    ] {
        let config = RobotConfig::from_string(&format!("{header}{entry}\n")).unwrap();
        let error = config.apply_to_robot(&mut hinge("-1").unwrap()).unwrap_err();
        assert!(error.is_input_error() && error.to_string().contains(wanted), "{error}");
        assert!(error.to_string().contains("none"), "{error}");
    }
}

/// The fields of a robot are open: what a program empties is refused when it is planned for.
#[test]
fn a_group_that_a_program_emptied_is_refused() {
    let mut robot = hinge("-1").unwrap();
    (robot.groups[0].joints, robot.groups[0].variables) = (Vec::new(), Vec::new());
    let planner = Planner::new(&Arc::new(robot)).unwrap();
    let error = planner.plan(&[], &Goal::joints([0.0; 0])).unwrap_err();
    assert!(error.is_input_error(), "{error}");
}

#[test]
fn limits_that_are_no_numbers_are_refused_in_files_and_in_programs() {
    let error = hinge("nan").unwrap_err();
    assert!(matches!(error, KineticError::UrdfParse { .. }) && error.to_string().contains("nan"), "{error}");
    for (lower, upper) in [(f64::NAN, 1.0), (-1.0, f64::NAN), (1.0, -1.0), (f64::NEG_INFINITY, 1.0)] {
        let mut robot = hinge("-1").unwrap();
        (robot.joint_limits[0].lower, robot.joint_limits[0].upper) = (lower, upper);
        let planner = Planner::new(&Arc::new(robot)).unwrap();
        let error = planner.plan(&[0.0], &Goal::joints([0.5])).unwrap_err();
        assert!(error.is_input_error(), "[{lower}, {upper}]: {error}");
    }
}

#[test]
fn workspace_bounds_that_are_no_box_are_refused() {
    for (min, max) in [([f64::NAN, 0.0, 0.0], [1.0; 3]), ([0.0; 3], [1.0, f64::NAN, 1.0]), ([0.0; 3], [1.0, 0.0, 1.0])]
    {
        let workspace_bounds = Some(WorkspaceBounds { min, max });
        let config = PlannerConfig { workspace_bounds, ..PlannerConfig::default() };
        let error = Planner::in_scene(workcell()).unwrap().with_config(config).unwrap_err();
        assert!(matches!(&error, KineticError::InvalidValue { name, .. } if name == "workspace_bounds"), "{error}");
    }
}

/// What stands around the robot is copied when a planner is made, so that nobody can change it under a plan.
#[test]
fn a_scene_that_is_edited_while_a_plan_runs_counts_as_it_was() {
    let mut scene = Scene::new(&robot("ur5e")).unwrap();
    scene.add("wall", Shape::cuboid(0.02, 0.4, 0.5).unwrap(), Pose::from_xyz(0.0, 0.7, 0.5)).unwrap();
    let config = PlannerConfig { timeout: f64::INFINITY, max_iterations: 4_000, seed: 1, ..PlannerConfig::default() };
    let planner = Planner::in_scene(scene.clone()).unwrap().with_config(config).unwrap();
    let planner = planner.with_planner_type(PlannerType::AORRTC);
    let goal = Goal::joints(TURNED);
    let alone = planner.plan(&START, &goal).unwrap();
    let mut edits = 0;
    let mut edit = |_: Improvement| {
        let name = format!("block{edits}");
        scene.add(&name, Shape::sphere(0.5).unwrap(), Pose::from_xyz(0.4, 0.4, 0.4)).unwrap();
        edits += 1;
    };
    let edited = planner.solve(Query::new(&START, &goal).on_improvement(&mut edit)).unwrap().result;
    assert!(edits > 1, "nothing was edited while the plan ran");
    assert_eq!(alone.path, edited.path);
    assert!(planner.with_scene(&scene).unwrap().plan(&START, &goal).is_err());
}
