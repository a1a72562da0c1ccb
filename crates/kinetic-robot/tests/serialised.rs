//! Robots as text through serde: everything comes back, infinite limits and names of meshes included.

use kinetic_robot::{Robot, builtin};

fn again(robot: &Robot) -> Robot {
    serde_json::from_str(&serde_json::to_string(robot).unwrap()).unwrap()
}

#[test]
fn built_in_robots_come_back_equal() {
    for name in builtin::names() {
        let robot = Robot::from_name(name).unwrap();
        assert_eq!(again(&robot), robot, "{name}");
    }
}

#[test]
fn robots_with_meshes_and_endless_joints_come_back_equal() {
    let urdf = r#"<robot name="one"><link name="base"><inertial><mass value="2"/><inertia ixx="1" ixy="0" ixz="0"
        iyy="1" iyz="0" izz="1"/></inertial><visual><geometry><mesh filename="package://one/base.stl" scale="1 2 -1"/>
        </geometry><material name="red"><color rgba="1 0 0 1"/></material></visual></link><link name="hand"/>
        <joint name="turn" type="continuous"><parent link="base"/><child link="hand"/><axis xyz="0 0.6 0.8"/>
        </joint></robot>"#;
    let robot = Robot::from_urdf_string(urdf).unwrap();
    assert!(robot.joint_limits[0].lower == f64::NEG_INFINITY && robot.joint_limits[0].upper == f64::INFINITY);
    assert_eq!(again(&robot), robot);
}
