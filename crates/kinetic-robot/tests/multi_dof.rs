//! Planar, floating and ball joints as series of joints, and what slides without limits mean.

use kinetic_core::rng::SeededRng;
use kinetic_robot::limits::{LEAST_RANGE, UNBOUNDED_SLIDE};
use kinetic_robot::{JointType, Robot};
use nalgebra::Vector3;

/// An arm of two joints on a base that moves as `kind` says.
fn mobile(kind: &str, axis: &str) -> Robot {
    let text = format!(
        "<robot name='r'><link name='world'/><link name='base'/><link name='upper'/><link name='lower'/><link name='mast'/>
         <joint name='root' type='{kind}'><parent link='world'/><child link='base'/><origin xyz='1 0 0'/>{axis}</joint>
         <joint name='shoulder' type='continuous'><parent link='base'/><child link='upper'/></joint>
         <joint name='elbow' type='revolute'><parent link='upper'/><child link='lower'/><limit lower='0' upper='0'/></joint>
         <joint name='mount' type='fixed'><parent link='base'/><child link='mast'/></joint></robot>"
    );
    Robot::from_urdf_string(&text).unwrap()
}

fn parts(robot: &Robot) -> Vec<(&str, JointType)> {
    robot
        .joints
        .iter()
        .map(|joint| (joint.name.as_str(), joint.joint_type))
        .take_while(|(name, _)| *name != "shoulder")
        .collect()
}

#[test]
fn a_floating_joint_is_three_slides_and_three_turns() {
    let robot = mobile("floating", "");
    let (slide, turn) = (JointType::Prismatic, JointType::Continuous);
    let kinds = [slide, slide, slide, turn, turn, turn];
    let names = ["root/x", "root/y", "root/z", "root/yaw", "root/pitch", "root/roll"];
    assert_eq!(parts(&robot), names.into_iter().zip(kinds).collect::<Vec<_>>());
    assert_eq!(robot.joints[0].parent_from_joint.translation(), Vector3::x());
    assert_eq!(robot.joints[5].child, robot.link_index("base").unwrap());
    assert_eq!(robot.num_variables(), 8);
}

#[test]
fn a_planar_joint_moves_in_the_plane_of_its_axis() {
    let robot = mobile("planar", "<axis xyz='0 3 4'/>");
    assert_eq!(parts(&robot).iter().map(|part| part.0).collect::<Vec<_>>(), ["root/x", "root/y", "root/yaw"]);
    let [x, y, normal] = [0, 1, 2].map(|joint: usize| robot.joints[joint].axis.into_inner());
    // Directions, exact but for rounding.
    assert!((normal - Vector3::new(0.0, 0.6, 0.8)).norm() < 1e-15);
    assert!((x.cross(&y) - normal).norm() < 1e-15);
}

#[test]
fn a_spherical_joint_turns_about_three_axes() {
    let names = ["root/yaw", "root/pitch", "root/roll"];
    assert_eq!(parts(&mobile("spherical", "")).iter().map(|part| part.0).collect::<Vec<_>>(), names);
}

#[test]
fn the_automatic_group_stands_on_what_floats() {
    for kind in ["floating", "planar"] {
        let robot = mobile(kind, "<axis xyz='0 0 1'/>");
        let group = &robot.groups[0];
        assert_eq!(robot.joint_names(group), ["shoulder", "elbow"], "{kind}");
        assert_eq!(group.base_link, robot.link_index("base").unwrap());
    }
    let ball = mobile("spherical", "");
    assert_eq!(ball.dof, 5);
}

#[test]
fn slides_without_limits_have_a_middle_and_bounded_random_values() {
    let robot = mobile("floating", "");
    let whole = kinetic_robot::PlanningGroup {
        variables: (0..robot.num_variables()).collect(),
        joints: robot.active_joints.clone(),
        ..robot.groups[0].clone()
    };
    assert_eq!(*robot.mid_configuration(&whole), [0.0; 8]);
    let mut rng = SeededRng::new(1);
    let mut largest = 0.0_f64;
    for _ in 0..1000 {
        let q = robot.random_configuration(&whole, &mut rng);
        largest = q[..3].iter().fold(largest, |largest, value| largest.max(value.abs()));
        robot.check_limits(&whole, &q, 0.0).unwrap();
    }
    assert!(largest <= UNBOUNDED_SLIDE && largest > 0.9 * UNBOUNDED_SLIDE);
    let sane = robot.sanitised_limits(&whole);
    assert_eq!(sane[0], (-UNBOUNDED_SLIDE, UNBOUNDED_SLIDE));
    assert_eq!(sane[3], (-std::f64::consts::PI, std::f64::consts::PI));
    assert_eq!(sane[7], (-LEAST_RANGE / 2.0, LEAST_RANGE / 2.0));
}
