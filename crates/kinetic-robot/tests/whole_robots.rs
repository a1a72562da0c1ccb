//! Built-in robots that are more than one arm: names, groups, followers.

use kinetic_core::KineticError;
use kinetic_robot::{JointType, Robot, builtin};

/// Groups with their number of joints, the default one first; from the makers' descriptions.
const GROUPS: [(&str, &[(&str, usize)]); 8] = [
    ("abb_yumi_left", &[("left_arm", 7), ("right_arm", 7), ("both_arms", 14), ("left_gripper", 1)]),
    ("abb_yumi_right", &[("right_arm", 7), ("left_arm", 7), ("both_arms", 14), ("right_gripper", 1)]),
    ("baxter_left", &[("left_arm", 7), ("right_arm", 7), ("both_arms", 14), ("head", 1)]),
    ("baxter_right", &[("right_arm", 7), ("left_arm", 7), ("both_arms", 14), ("head", 1)]),
    ("fetch", &[("arm_with_torso", 8), ("arm", 7), ("torso", 1), ("head", 2), ("gripper", 2)]),
    (
        "pr2",
        &[
            ("right_arm_with_torso", 8),
            ("left_arm_with_torso", 8),
            ("both_arms_with_torso", 15),
            ("right_arm", 7),
            ("left_arm", 7),
            ("both_arms", 14),
            ("torso", 1),
            ("head", 2),
            ("right_gripper", 1),
        ],
    ),
    ("stretch_re2", &[("arm", 5), ("head", 2), ("gripper", 2)]),
    ("tiago", &[("arm_with_torso", 8), ("arm", 7), ("torso", 1), ("head", 2)]),
];

fn robot(name: &str) -> Robot {
    Robot::from_name(name).unwrap_or_else(|error| panic!("{name}: {error}"))
}

fn joint_names(robot: &Robot, group: &str) -> Vec<String> {
    let names = robot.joint_names(robot.group(group).unwrap());
    names.into_iter().map(str::to_owned).collect()
}

#[test]
fn groups_have_the_joints_of_the_descriptions_and_the_name_selects_the_first() {
    for (name, groups) in GROUPS {
        let robot = robot(name);
        assert_eq!(robot.name, name);
        assert_eq!(robot.groups[robot.default_group].name, groups[0].0, "{name}");
        assert_eq!(robot.dof, groups[0].1, "{name}");
        for (group, dof) in groups {
            assert_eq!(robot.group(group).unwrap().dof(), *dof, "{name}: {group}");
        }
    }
}

#[test]
fn two_names_of_one_robot_differ_in_name_and_default_group_only() {
    for (left, right) in [("baxter_left", "baxter_right"), ("abb_yumi_left", "abb_yumi_right")] {
        let mut renamed = robot(left).with_default_group("right_arm").unwrap();
        right.clone_into(&mut renamed.name);
        assert!(renamed == robot(right), "{left}");
    }
}

#[test]
fn the_folder_of_a_robot_with_names_is_not_a_name_but_close_to_them() {
    for (folder, first) in [("baxter", "baxter_left"), ("abb_yumi", "abb_yumi_left"), ("yumi", "abb_yumi_left")] {
        let Err(KineticError::RobotConfigNotFound { close, .. }) = Robot::from_name(folder) else { panic!("{folder}") };
        assert_eq!(close.first().map(String::as_str), Some(first), "{folder}: {close:?}");
    }
    assert!(!builtin::names().contains(&"baxter"));
}

#[test]
fn a_group_that_does_not_exist_is_refused_under_the_name_that_was_asked_for() {
    let Err(KineticError::GroupNotFound { robot, available, .. }) = robot("baxter_left").with_default_group("arm")
    else {
        panic!()
    };
    assert_eq!(robot, "baxter_left");
    assert!(available.contains(&"both_arms".to_owned()), "{available:?}");
}

#[test]
fn both_arms_are_the_left_arm_and_then_the_right_one_in_joints_and_poses() {
    for name in ["abb_yumi_left", "baxter_right", "pr2"] {
        let robot = robot(name);
        let sides = [robot.group("left_arm").unwrap(), robot.group("right_arm").unwrap()];
        let both = robot.group("both_arms").unwrap();
        assert_eq!(both.joints, sides.map(|side| side.joints.clone()).concat(), "{name}");
        for pose in ["home", "ready"] {
            let arms = sides.map(|side| robot.named_pose(side, pose).unwrap().0.clone()).concat();
            assert_eq!(robot.named_pose(both, pose).unwrap().0, arms, "{name}: {pose}");
        }
    }
}

#[test]
fn arms_are_posed_in_the_frames_that_their_makers_use() {
    for (name, group, base, tip) in [
        ("baxter_left", "left_arm", "torso", "left_gripper"),
        ("baxter_left", "right_arm", "torso", "right_gripper"),
        ("abb_yumi_left", "left_arm", "yumi_base_link", "yumi_link_7_l"),
        ("pr2", "right_arm_with_torso", "base_link", "r_wrist_roll_link"),
        ("pr2", "left_arm", "torso_lift_link", "l_wrist_roll_link"),
        ("tiago", "arm_with_torso", "base_link", "arm_tool_link"),
        ("stretch_re2", "arm", "base_link", "link_grasp_center"),
    ] {
        let robot = robot(name);
        let group = robot.group(group).unwrap();
        let ends = (robot.links[group.base_link].name.as_str(), robot.links[group.tip_link].name.as_str());
        assert_eq!(ends, (base, tip), "{name}: {}", group.name);
    }
    // The maker numbers the third joint of an arm 7.
    let order = [1, 2, 7, 3, 4, 5, 6].map(|number| format!("yumi_joint_{number}_l"));
    assert_eq!(joint_names(&robot("abb_yumi_left"), "left_arm"), order);
}

#[test]
fn the_telescope_of_stretch_moves_as_one() {
    let robot = robot("stretch_re2");
    assert_eq!(
        joint_names(&robot, "arm"),
        ["joint_lift", "joint_arm_l3", "joint_wrist_yaw", "joint_wrist_pitch", "joint_wrist_roll"]
    );
    let leader = robot.joint_index("joint_arm_l3").unwrap();
    for name in ["joint_arm_l2", "joint_arm_l1", "joint_arm_l0"] {
        let mimic = robot.joints[robot.joint_index(name).unwrap()].mimic.unwrap();
        assert_eq!((mimic.joint, mimic.multiplier, mimic.offset), (leader, 1.0, 0.0), "{name}");
    }
    let limits = robot.joint_limits[robot.joints[leader].variable.unwrap()];
    assert_eq!((limits.lower, limits.upper), (0.0, 0.13), "a quarter of the extension");
}

#[test]
fn fingers_of_pr2_and_yumi_follow_one_another() {
    for (name, leader, followers) in [
        ("pr2", "r_gripper_l_finger_joint", &["r_gripper_r_finger_joint", "r_gripper_l_finger_tip_joint"][..]),
        ("pr2", "l_gripper_l_finger_joint", &["l_gripper_r_finger_joint", "l_gripper_r_finger_tip_joint"]),
        ("abb_yumi_left", "gripper_l_joint", &["gripper_l_joint_m"]),
    ] {
        let robot = robot(name);
        let leader = robot.joint_index(leader).unwrap();
        for follower in followers {
            let mimic = robot.joints[robot.joint_index(follower).unwrap()].mimic.unwrap();
            assert_eq!((mimic.joint, mimic.multiplier), (leader, 1.0), "{name}: {follower}");
        }
    }
}

#[test]
fn wheels_are_joints_of_their_own_that_no_group_moves() {
    for (name, wheels) in [
        ("pr2", &["fl_caster_rotation_joint", "br_caster_r_wheel_joint"][..]),
        ("tiago", &["wheel_left_joint", "wheel_right_joint"]),
        ("stretch_re2", &["joint_left_wheel", "joint_right_wheel"]),
        ("fetch", &["l_wheel_joint", "r_wheel_joint"]),
    ] {
        let robot = robot(name);
        for wheel in wheels {
            let index = robot.joint_index(wheel).unwrap();
            assert_eq!(robot.joints[index].joint_type, JointType::Continuous, "{name}: {wheel}");
            assert!(robot.groups.iter().all(|group| !group.joints.contains(&index)), "{name}: {wheel}");
        }
    }
}
