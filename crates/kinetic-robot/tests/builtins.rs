//! Robots inside the library.

use kinetic_core::{KineticError, Shape};
use kinetic_robot::{GeometryShape, Robot, builtin};

/// Degrees of freedom of default groups, from the makers' data sheets (mobile robots: arm and torso).
fn degrees_of_freedom(name: &str) -> usize {
    match name {
        "trossen_px100" | "open_manipulator_x" => 4,
        "xarm5" | "trossen_rx150" | "koch_v1" | "lerobot_so100" | "so_arm100" | "widowx_250" | "stretch_re2" => 5,
        "franka_panda" | "franka_fr3" | "kuka_iiwa7" | "kuka_iiwa14" | "abb_yumi_left" | "abb_yumi_right" | "xarm7"
        | "kinova_gen3" | "baxter_left" | "baxter_right" | "sawyer" | "flexiv_rizon4" => 7,
        "fetch" | "pr2" | "tiago" => 8,
        _ => 6,
    }
}

fn all() -> Vec<Robot> {
    builtin::names()
        .into_iter()
        .map(|name| Robot::from_name(name).unwrap_or_else(|error| panic!("{name}: {error}")))
        .collect()
}

#[test]
fn names_are_sorted_and_are_the_names_of_the_robots() {
    let names = builtin::names();
    assert!(names.is_sorted() && names.len() >= 45, "{names:?}");
    for (robot, name) in all().iter().zip(names) {
        assert_eq!(robot.name, name);
    }
}

#[test]
fn default_groups_have_the_joints_of_the_real_arms() {
    for robot in all() {
        assert_eq!(robot.dof, degrees_of_freedom(&robot.name), "{}", robot.name);
    }
}

#[test]
fn robots_load_from_a_folder_without_files() {
    // Other tests name their files by absolute paths.
    let nowhere = crate::support::TempFolder::new();
    std::env::set_current_dir(&nowhere.0).unwrap();
    let robots = all();
    std::env::set_current_dir(std::env::temp_dir()).unwrap();
    assert!(robots.len() >= 45);
}

#[test]
fn every_named_pose_is_inside_the_limits_and_every_default_group_has_home_and_ready() {
    for robot in all() {
        for pose in &robot.named_poses {
            let group = &robot.groups[pose.group];
            let checked = robot.check_limits(group, &pose.values, 0.0);
            checked.unwrap_or_else(|error| panic!("{}: {} of {}: {error}", robot.name, pose.name, group.name));
        }
        let names = robot.named_pose_names(&robot.groups[robot.default_group]);
        assert!(names.contains(&"home") && names.contains(&"ready"), "{}: {names:?}", robot.name);
    }
}

#[test]
fn limits_are_positive_and_finite() {
    for robot in all() {
        for group in &robot.groups {
            robot.limits(group).check().unwrap_or_else(|error| panic!("{}: {error}", robot.name));
        }
    }
}

#[test]
fn every_robot_has_solid_collision_shapes_and_says_where_it_comes_from() {
    for robot in all() {
        let shapes: Vec<_> = robot.links.iter().flat_map(|link| &link.collisions).collect();
        assert!(shapes.len() >= 5, "{}", robot.name);
        assert!(shapes.iter().all(|geometry| matches!(geometry.shape, GeometryShape::Shape(_))), "{}", robot.name);
        assert!(!robot.provenance.licence.is_empty() && !robot.provenance.source.is_empty(), "{}", robot.name);
    }
}

#[test]
fn shapes_are_the_hulls_of_the_vendors_meshes_or_its_primitives() {
    let is_convex = |shape: &GeometryShape| matches!(shape, GeometryShape::Shape(Shape::Convex { .. }));
    for (name, convex) in [("ur5e", true), ("sawyer", false)] {
        let robot = Robot::from_name(name).unwrap();
        assert!(robot.links.iter().flat_map(|link| &link.collisions).all(|found| is_convex(&found.shape) == convex));
    }
}

#[test]
fn a_robot_says_what_its_inertials_are() {
    for robot in all() {
        let has_inertials = robot.links.iter().any(|link| link.inertial.is_some());
        assert_eq!(has_inertials, robot.provenance.inertials != "none", "{}", robot.name);
        for link in &robot.provenance.estimated_tensors {
            assert!(robot.links.iter().any(|other| other.name == *link && other.inertial.is_some()), "{}", robot.name);
        }
    }
    let xarm6 = Robot::from_name("xarm6").unwrap();
    assert_eq!(xarm6.provenance.estimated_tensors, ["link2", "link3"]);
}

#[test]
fn ur5e_has_the_joints_of_its_maker() {
    let robot = Robot::from_name("ur5e").unwrap();
    let arm = &robot.groups[robot.default_group];
    assert_eq!(
        robot.joint_names(arm),
        ["shoulder_pan_joint", "shoulder_lift_joint", "elbow_joint", "wrist_1_joint", "wrist_2_joint", "wrist_3_joint"]
    );
    let half = std::f64::consts::FRAC_PI_2;
    assert_eq!(robot.named_pose(arm, "home").unwrap().0, [0.0, -half, 0.0, -half, 0.0, 0.0]);
}

#[test]
fn the_second_finger_of_panda_follows_the_first() {
    let robot = Robot::from_name("franka_panda").unwrap();
    let finger = &robot.joints[robot.joint_index("panda_finger_joint2").unwrap()];
    assert_eq!(finger.mimic.map(|mimic| robot.joints[mimic.joint].name.as_str()), Some("panda_finger_joint1"));
    assert_eq!(robot.num_variables(), 8);
}

#[test]
fn unknown_names_come_with_close_ones_and_all() {
    for (wrong, right) in [("ur5", "ur5e"), ("UR-5e", "ur5e"), ("panda", "franka_panda"), ("iiwa14", "kuka_iiwa14")] {
        let Err(KineticError::RobotConfigNotFound { name, close, available }) = Robot::from_name(wrong) else {
            panic!()
        };
        assert_eq!(name, wrong);
        assert_eq!(close.first().map(String::as_str), Some(right));
        assert_eq!(available, builtin::names());
    }
    let Err(KineticError::RobotConfigNotFound { close, .. }) = Robot::from_name("toaster") else { panic!() };
    assert!(close.is_empty(), "{close:?}");
}
