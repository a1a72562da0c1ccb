//! What published URDF files do against the rules, and extensions: read, with one note per kind.

use kinetic_core::Shape;
use kinetic_robot::limits::DEFAULT_ANGULAR_VELOCITY;
use kinetic_robot::{GeometryShape, JointDynamics, JointType, Robot};

use crate::support::{ARM, TempFolder};

/// The test robot with one part replaced, and the only note that reading it leaves.
#[track_caller]
fn noted(old: &str, new: &str) -> (Robot, String) {
    assert!(ARM.contains(old), "the test robot has no {old}");
    let mut robot = Robot::from_urdf_string(&ARM.replacen(old, new, 1)).unwrap();
    // Nothing of the test robot has a shape.
    robot.notes.retain(|note| !note.contains("without collision shapes"));
    assert_eq!(robot.notes.len(), 1, "{:?}", robot.notes);
    let note = robot.notes[0].clone();
    (robot, note)
}

#[track_caller]
fn assert_contains(note: &str, parts: &[&str]) {
    for part in parts {
        assert!(note.contains(part), "\"{part}\" is not in: {note}");
    }
}

fn without_notes(mut robot: Robot) -> Robot {
    robot.notes.clear();
    robot
}

#[test]
fn extensions_are_passed_over_with_one_note_per_kind() {
    let (robot, note) =
        noted("<link name=\"world\"/>", "<link name='world'/>\n<gazebo reference='upper'><kp>1</kp></gazebo><gazebo/>");
    assert_contains(&note, &["<gazebo> in <robot> is not used", "2 times", "line 4"]);
    assert_eq!(without_notes(robot), without_notes(Robot::from_urdf_string(ARM).unwrap()));
    let (_, note) = noted("<axis xyz=\"0 1 0\"/> <limit velocity", "<calibration rising='1'/><axis/><limit velocity");
    assert_contains(&note, &["<calibration> in <joint>", "joint \"elbow\""]);
}

#[test]
fn damping_and_friction_are_read_and_negative_ones_noted() {
    let with = |dynamics: &str| ARM.replacen("<axis xyz=\"0 1 0\"/>", &format!("<axis xyz=\"0 1 0\"/>{dynamics}"), 1);
    let robot = Robot::from_urdf_string(&with("<dynamics damping='1.5' friction='0.25'/>")).unwrap();
    let found: Vec<_> =
        robot.joints.iter().map(|joint| joint.dynamics).filter(|d| *d != JointDynamics::default()).collect();
    assert_eq!(found, [JointDynamics { damping: 1.5, friction: 0.25, armature: 0.0 }]);
    let robot = Robot::from_urdf_string(&with("<dynamics damping='-1' friction='0.25'/>")).unwrap();
    assert!(robot.joints.iter().any(|joint| joint.dynamics.friction == 0.25 && joint.dynamics.damping == 0.0));
    assert!(robot.notes.iter().any(|note| note.contains("a negative damping")), "{:?}", robot.notes);
}

#[test]
fn a_clean_robot_leaves_no_note_but_that_it_has_no_shapes() {
    let notes = Robot::from_urdf_string(ARM).unwrap().notes;
    assert!(notes.len() == 1 && notes[0].contains("without collision shapes"), "{notes:?}");
}

#[test]
fn a_robot_without_a_name_gets_that_of_its_file() {
    let text = ARM.replace("<robot name=\"tester\">", "<robot>");
    let folder = TempFolder::new();
    let robot = Robot::from_urdf(folder.write("my_arm.urdf", &text)).unwrap();
    assert_eq!(robot.name, "my_arm");
    assert_contains(&robot.notes[0], &["no name"]);
}

#[test]
fn joints_without_limits_move_without_limits() {
    let (robot, note) = noted("<limit lower=\"0.1\" upper=\"0.4\" velocity=\"0.2\" effort=\"10\"/>", "");
    assert_contains(&note, &["<limit> of a prismatic joint is missing", "joint \"rail\""]);
    let limits = robot.joints[robot.joint_index("rail").unwrap()].limits.unwrap();
    assert_eq!((limits.lower, limits.upper), (f64::NEG_INFINITY, f64::INFINITY));
}

#[test]
fn crossed_limits_are_put_in_order_and_infinite_ones_are_none() {
    let (robot, note) = noted("lower=\"-1\" upper=\"2\"", "lower='2' upper='-1'");
    assert_eq!((robot.joint_limits[0].lower, robot.joint_limits[0].upper), (-1.0, 2.0));
    assert_contains(&note, &["exchanged", "joint \"shoulder\""]);
    let text = ARM.replace("lower=\"-1\" upper=\"2\" velocity=\"2\"", "lower='-inf' upper='inf' velocity='inf'");
    let limits = Robot::from_urdf_string(&text).unwrap().joint_limits[0];
    assert_eq!((limits.lower, limits.upper, limits.velocity), (f64::NEG_INFINITY, f64::INFINITY, 1.0));
}

#[test]
fn a_negative_speed_is_unknown() {
    let (robot, note) = noted("velocity=\"3\"", "velocity='-3'");
    assert_eq!(robot.joint_limits[1].velocity, DEFAULT_ANGULAR_VELOCITY);
    assert_contains(&note, &["negative velocity limit", "joint \"elbow\""]);
}

#[test]
fn comments_may_be_in_another_encoding() {
    let folder = TempFolder::new();
    let mut bytes = ARM.replace("<link name=\"world\"/>", "<link name=\"world\"/><!-- by Ren# -->").into_bytes();
    let place = bytes.iter().position(|byte| *byte == b'#').unwrap();
    bytes[place] = 0xe9;
    assert_eq!(Robot::from_urdf(folder.write("a.urdf", bytes)).unwrap(), Robot::from_urdf_string(ARM).unwrap());
}

#[test]
fn empty_attributes_count_as_absent() {
    let (robot, note) = noted("xyz=\"0.5 0 0\"", "xyz=\"0.5 0 0\" rpy=' '");
    assert_contains(&note, &["empty attribute \"rpy\" of <origin>"]);
    assert_eq!(without_notes(robot), without_notes(Robot::from_urdf_string(ARM).unwrap()));
}

#[test]
fn sizes_of_zero_become_a_millimetre() {
    let body = "<collision><geometry><box size='1 2 0'/></geometry></collision>
                <collision><geometry><sphere radius='0'/></geometry></collision>";
    let robot = Robot::from_urdf_string(&format!("<robot name='r'><link name='a'>{body}</link></robot>")).unwrap();
    let shapes: Vec<_> = robot.links[0].collisions.iter().map(|geometry| &geometry.shape).collect();
    assert_eq!(*shapes[0], GeometryShape::Shape(Shape::box_from_size(1.0, 2.0, 1e-3).unwrap()));
    assert_eq!(*shapes[1], GeometryShape::Shape(Shape::sphere(1e-3).unwrap()));
    assert_eq!(robot.notes.len(), 2);
}

#[test]
fn an_unknown_shape_lets_the_robot_move_and_refuses_what_needs_the_shape() {
    let link = "<link name='upper'><collision><geometry><plane normal='0 0 1'/></geometry></collision></link>";
    let robot = Robot::from_urdf_string(&ARM.replace("<link name=\"upper\"/>", link)).unwrap();
    assert_contains(&robot.notes[0], &["shape <plane> is not supported; known are box", "link \"upper\""]);
    assert_contains(&robot.notes[1], &["collision meshes are missing", "refuse"]);
    let GeometryShape::Mesh(shape) = &robot.links[1].collisions[0].shape else { panic!() };
    let error = shape.load().unwrap_err();
    assert_contains(&error.to_string(), &["shape <plane> of the description is not supported"]);
}

#[test]
fn a_fourth_scale_is_ignored() {
    let mesh =
        "<link name='upper'><visual><geometry><mesh filename='a.stl' scale='1 2 3 4'/></geometry></visual></link>";
    let robot = Robot::from_urdf_string(&ARM.replace("<link name=\"upper\"/>", mesh)).unwrap();
    let GeometryShape::Mesh(shape) = &robot.links[1].visuals[0].shape else { panic!() };
    assert_eq!(shape.scale, nalgebra::Vector3::new(1.0, 2.0, 3.0));
    assert_contains(&robot.notes[0], &["fourth number"]);
}

#[test]
fn a_mass_without_tensor_is_a_point_mass() {
    let (robot, note) =
        noted("<link name=\"upper\"/>", "<link name='upper'><inertial><mass value='2'/></inertial></link>");
    let inertial = robot.links[1].inertial.clone().unwrap();
    assert_eq!((inertial.mass, inertial.inertia.norm()), (2.0, 0.0));
    assert_contains(&note, &["<inertia> is missing", "link \"upper\""]);
}

#[test]
fn a_follower_of_nothing_is_independent() {
    for leader in ["nobody", "mount"] {
        let (robot, note) = noted("<mimic joint=\"finger_left\"/>", &format!("<mimic joint='{leader}'/>"));
        assert_eq!(robot.moving_joint_names(false).len(), 5);
        assert_contains(&note, &[&format!("\"{leader}\""), "independent", "joint \"finger_right\""]);
    }
}

#[test]
fn a_follower_whose_range_contradicts_its_leader_leaves_the_leader_its_range() {
    for multiplier in ["-1", "-0.5"] {
        let mimic = format!("<mimic joint='finger_left' multiplier='{multiplier}'/>");
        let (robot, note) = noted("<mimic joint=\"finger_left\"/>", &mimic);
        let limits = robot.joint_limits[3];
        assert_eq!((limits.lower, limits.upper), (0.0, 0.04));
        assert_contains(&note, &["\"finger_right\" (line", "follows \"finger_left\"", "ignored"]);
    }
}

#[test]
fn prefixes_comments_and_late_declarations_are_put_right() {
    let text =
        format!("\n<!-- a -- b -->\n{}", ARM.replace("<link name=\"world\"/>", "<link name=\"world\"/><sensor:imu/>"));
    let robot = Robot::from_urdf_string(&text).unwrap();
    assert_contains(&robot.notes[0], &["not well-formed"]);
    assert_contains(&robot.notes[1], &["<imu> in <robot>", "line 5"]);
    assert_eq!(without_notes(robot), without_notes(Robot::from_urdf_string(ARM).unwrap()));
}

#[test]
fn materials_are_found_by_name_wherever_they_are_defined() {
    let visual = |material: &str| format!("<visual><geometry><sphere radius='1'/></geometry>{material}</visual>");
    let text = format!(
        "<robot name='r'><link name='a'>{}{}{}{}{}</link>
         <material name='red'><color rgba='1 0 0 1'/></material><material name='red'><color rgba='0 1 0 1'/></material></robot>",
        visual("<material name='red'/>"),
        visual("<material name='skin'><texture filename='package://r/skin.png'/></material>"),
        visual("<material name='skin'/>"),
        visual("<material name='nowhere'/>"),
        visual("<material><color rgba='1 2 3'/></material>"),
    );
    let robot = Robot::from_urdf_string(&text).unwrap();
    let material = |index: usize| robot.links[0].visuals[index].material.clone();
    assert_eq!(material(0).unwrap().color, Some([1.0, 0.0, 0.0, 1.0]));
    assert_eq!(material(1), material(2));
    assert_eq!(material(2).unwrap().texture.as_deref(), Some("package://r/skin.png"));
    assert_eq!((material(3).unwrap().color, material(4)), (None, None));
    assert_eq!(robot.notes.len(), 3, "{:?}", robot.notes);
}

#[test]
fn a_joint_type_stays_what_the_file_says() {
    let text = ARM.replace("<limit lower=\"-1\" upper=\"2\" velocity=\"2\" effort=\"30\"/>", "");
    assert_eq!(Robot::from_urdf_string(&text).unwrap().joints[0].joint_type, JointType::Revolute);
}

#[test]
fn a_world_that_nothing_defines_is_a_link_without_a_body() {
    let text = r#"<robot name="post"><link name="base"/><joint name="weld" type="fixed"><parent link="world"/>
        <child link="base"/><origin xyz="0 0 0.5"/></joint></robot>"#;
    let robot = Robot::from_urdf_string(text).unwrap();
    assert_contains(&robot.notes[0], &["world", "not defined"]);
    assert_eq!(robot.links[0].name, "world");
    assert!(robot.links[0].inertial.is_none() && robot.links[0].collisions.is_empty());
    assert_eq!(robot.joint_index("weld").map(|index| robot.joints[index].parent), Ok(0));
}
