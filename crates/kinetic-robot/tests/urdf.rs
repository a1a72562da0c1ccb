//! Reading a URDF: every element that means something, and the defaults of the rest.

use kinetic_core::Shape;
use kinetic_robot::limits::{DEFAULT_ANGULAR_VELOCITY, DEFAULT_LINEAR_VELOCITY};
use kinetic_robot::{GeometryShape, JointType, Robot, UrdfOptions};
use nalgebra::{Point3, Vector3};

use crate::support::{ARM, TempFolder};

/// Decimal numbers in the texts differ from their binary values by rounding only.
const ROUNDING: f64 = 1e-15;

fn one_joint(joint: &str) -> String {
    format!("<robot name='r'><link name='a'/><link name='b'/>{joint}</robot>")
}

fn shapes(body: &str) -> Robot {
    Robot::from_urdf_string(&format!("<robot name='r'><link name='a'>{body}</link></robot>")).unwrap()
}

fn collision(shape: &str) -> Shape {
    let robot = shapes(&format!("<collision><geometry>{shape}</geometry></collision>"));
    match &robot.links[0].collisions[0].shape {
        GeometryShape::Shape(shape) => shape.clone(),
        GeometryShape::Mesh(mesh) => panic!("a mesh: {mesh:?}"),
    }
}

#[test]
fn links_and_joints_are_in_tree_order_with_indices() {
    let robot = Robot::from_urdf_string(ARM).unwrap();
    let names: Vec<_> = robot.links.iter().map(|link| link.name.as_str()).collect();
    assert_eq!(names, ["world", "upper", "lower", "slide", "tool", "left", "right"]);
    assert_eq!(robot.moving_joint_names(false), ["shoulder", "elbow", "rail", "finger_left"]);
    assert_eq!(robot.moving_joint_names(true), ["shoulder", "elbow", "rail", "finger_left", "finger_right"]);
    assert_eq!(robot.num_variables(), 4);
    assert_eq!(robot.links[0].parent_joint, None);
    for (index, joint) in robot.joints.iter().enumerate() {
        assert!(joint.parent < joint.child);
        assert_eq!(robot.links[joint.child].parent_joint, Some(index));
    }
}

#[test]
fn order_follows_the_joints_of_the_file_and_not_its_links() {
    let robot = Robot::from_urdf_string(
        "<robot name='r'><link name='z'/><link name='b'/><link name='a'/><link name='root'/>
         <joint name='1' type='fixed'><parent link='b'/><child link='z'/></joint>
         <joint name='2' type='fixed'><parent link='root'/><child link='b'/></joint>
         <joint name='3' type='fixed'><parent link='root'/><child link='a'/></joint></robot>",
    )
    .unwrap();
    let names: Vec<_> = robot.links.iter().map(|link| link.name.as_str()).collect();
    assert_eq!(names, ["root", "b", "z", "a"]);
}

#[test]
fn joint_types_limits_and_origins_are_read() {
    let robot = Robot::from_urdf_string(ARM).unwrap();
    let elbow = &robot.joints[robot.joint_index("elbow").unwrap()];
    assert_eq!(elbow.joint_type, JointType::Continuous);
    assert_eq!(elbow.parent_from_joint.translation(), Vector3::new(0.5, 0.0, 0.0));
    assert_eq!(elbow.axis.into_inner(), Vector3::y());
    let limits = elbow.limits.unwrap();
    assert_eq!((limits.lower, limits.upper), (f64::NEG_INFINITY, f64::INFINITY));
    assert_eq!((limits.velocity, limits.effort), (3.0, 20.0));
    let rail = robot.joints[robot.joint_index("rail").unwrap()].limits.unwrap();
    assert_eq!((rail.lower, rail.upper, rail.velocity, rail.effort), (0.1, 0.4, 0.2, 10.0));
    assert_eq!(robot.joints[robot.joint_index("mount").unwrap()].limits, None);
}

#[test]
fn origin_is_fixed_axis_roll_pitch_yaw() {
    let text = one_joint(
        "<joint name='j' type='fixed'><parent link='a'/><child link='b'/>
         <origin xyz='1 -2 3' rpy='1.5707963267948966 0 1.5707963267948966'/></joint>",
    );
    let pose = Robot::from_urdf_string(&text).unwrap().joints[0].parent_from_joint;
    // By hand: roll 90° takes y to z, then yaw 90° leaves z; x goes to y.
    let close = |a: Vector3<f64>, b: Vector3<f64>| (a - b).norm() < ROUNDING;
    assert!(close(pose.rotation() * Vector3::y(), Vector3::z()));
    assert!(close(pose.rotation() * Vector3::x(), Vector3::y()));
    assert_eq!(pose.isometry() * Point3::origin(), Point3::new(1.0, -2.0, 3.0));
}

#[test]
fn an_absent_axis_is_x_and_a_given_one_is_normalised() {
    let axis = |axis: &str| {
        let limit = "<limit lower='0' upper='1' effort='1' velocity='1'/>";
        let joint = format!("<joint name='j' type='revolute'><parent link='a'/><child link='b'/>{axis}{limit}</joint>");
        Robot::from_urdf_string(&one_joint(&joint)).unwrap().joints[0].axis.into_inner()
    };
    assert_eq!(axis(""), Vector3::x());
    assert_eq!(axis("<axis/>"), Vector3::x());
    assert_eq!(axis("<axis xyz='0 0 -5'/>"), -Vector3::z());
    assert!((axis("<axis xyz='3 0 4'/>") - Vector3::new(0.6, 0.0, 0.8)).norm() < ROUNDING);
    for tiny_or_huge in ["<axis xyz='0 1e-300 0'/>", "<axis xyz='0 1e300 0'/>"] {
        assert_eq!(axis(tiny_or_huge), Vector3::y());
    }
}

#[test]
fn unknown_speeds_and_efforts_get_the_documented_defaults() {
    let limits = |kind: &str, limit: &str| {
        let joint = format!("<joint name='j' type='{kind}'><parent link='a'/><child link='b'/>{limit}</joint>");
        Robot::from_urdf_string(&one_joint(&joint)).unwrap().joint_limits[0]
    };
    let unknown = limits("revolute", "<limit upper='1' velocity='0' effort='0'/>");
    assert_eq!((unknown.lower, unknown.upper), (0.0, 1.0));
    assert_eq!((unknown.velocity, unknown.effort), (DEFAULT_ANGULAR_VELOCITY, f64::INFINITY));
    assert_eq!(limits("prismatic", "<limit upper='1'/>").velocity, DEFAULT_LINEAR_VELOCITY);
    assert_eq!(limits("continuous", "").velocity, DEFAULT_ANGULAR_VELOCITY);
    assert_eq!(limits("continuous", "<limit lower='-1' upper='1' velocity='4'/>").upper, f64::INFINITY);
    let stated = limits("revolute", "<limit upper='1' velocity='2' acceleration='9' jerk='90'/>");
    assert_eq!((stated.acceleration, stated.jerk), (Some(9.0), Some(90.0)));
}

#[test]
fn box_size_is_full_lengths_and_becomes_half_extents() {
    let half_extents = Vector3::new(0.1, 0.2, 0.3);
    assert_eq!(collision("<box size='0.2 0.4 0.6'/>"), Shape::Cuboid { half_extents });
}

#[test]
fn cylinder_and_capsule_lengths_are_full_and_become_half_heights() {
    let (radius, half_height) = (0.1, 0.25);
    assert_eq!(collision("<cylinder radius='0.1' length='0.5'/>"), Shape::Cylinder { radius, half_height });
    assert_eq!(collision("<capsule radius='0.1' length='0.5'/>"), Shape::Capsule { radius, half_height });
    assert_eq!(collision("<sphere radius='0.1'/>"), Shape::Sphere { radius });
}

#[test]
fn several_shapes_of_a_link_keep_their_origins() {
    let robot = shapes(
        "<visual><geometry><sphere radius='1'/></geometry></visual>
         <collision><origin xyz='0 0 1'/><geometry><sphere radius='2'/></geometry></collision>
         <collision><origin xyz='0 0 2'/><geometry><box size='2 2 2'/></geometry></collision>",
    );
    let link = &robot.links[0];
    assert_eq!((link.visuals.len(), link.collisions.len()), (1, 2));
    assert_eq!(link.collisions[1].link_from_shape.translation(), Vector3::new(0.0, 0.0, 2.0));
}

#[test]
fn inertials_keep_mass_centre_and_the_full_tensor() {
    let robot = shapes(
        "<inertial><origin xyz='0.1 0.2 0.3' rpy='0 0 0.5'/><mass value='2.5'/>
         <inertia ixx='1' ixy='0.1' ixz='0.2' iyy='2' iyz='0.3' izz='3'/></inertial>",
    );
    let inertial = robot.links[0].inertial.as_ref().unwrap();
    assert_eq!(inertial.mass, 2.5);
    assert_eq!(inertial.link_from_com.translation(), Vector3::new(0.1, 0.2, 0.3));
    assert!((inertial.link_from_com.rpy().2 - 0.5).abs() < ROUNDING);
    assert_eq!(inertial.inertia, inertial.inertia.transpose());
    assert_eq!(inertial.inertia[(0, 1)], 0.1);
    assert_eq!(inertial.inertia[(0, 2)], 0.2);
    assert_eq!(inertial.inertia[(1, 2)], 0.3);
    assert_eq!(inertial.inertia.diagonal(), Vector3::new(1.0, 2.0, 3.0));
}

#[test]
fn file_and_string_give_the_same_robot() {
    let folder = TempFolder::new();
    let path = folder.write("tester.urdf", ARM);
    let from_string = Robot::from_urdf_string(ARM).unwrap();
    assert_eq!(Robot::from_urdf(&path).unwrap(), from_string);
    assert_eq!(Robot::from_file(&path).unwrap(), from_string);
    assert_eq!(Robot::from_file(folder.write("tester.XML", ARM)).unwrap(), from_string);
}

#[test]
fn a_byte_order_mark_is_accepted() {
    assert_eq!(Robot::from_urdf_string(&format!("\u{feff}{}", &ARM[22..])).unwrap().name, "tester");
}

#[test]
fn base_and_tip_options_choose_the_group() {
    let options = UrdfOptions { base: Some("upper".into()), tip: Some("tool".into()), ..UrdfOptions::default() };
    let robot = Robot::from_urdf_string_with(ARM, &options).unwrap();
    assert_eq!(robot.joint_names(&robot.groups[0]), ["elbow", "rail"]);
    assert_eq!(robot.groups[0].variables, [1, 2]);
    assert_eq!(robot.dof, 2);
}

#[test]
fn a_single_link_is_a_robot_with_an_empty_group() {
    let robot = shapes("");
    assert_eq!((robot.dof, robot.num_variables(), robot.groups.len()), (0, 0, 1));
    assert_eq!(robot.neutral_configuration(), Vec::<f64>::new());
}

#[test]
fn robots_can_be_shared_between_threads() {
    fn shareable<T: Send + Sync + 'static>(_: &T) {}
    shareable(&Robot::from_urdf_string(ARM).unwrap());
}
