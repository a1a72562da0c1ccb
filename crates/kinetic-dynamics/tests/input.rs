//! Bad input is told by name, never computed with.

use kinetic_core::{KineticError, Pose, Wrench};
use kinetic_dynamics::{
    DynamicsModel, ExternalWrench, Neighbours, Payload, WrenchAxes, forward_dynamics, gravity_compensation,
    inverse_dynamics, torque_vector,
};
use kinetic_robot::Robot;
use nalgebra::{Matrix3, Vector3};

fn ur5e() -> DynamicsModel {
    let robot = Robot::from_name("ur5e").unwrap();
    DynamicsModel::from_group(&robot, &robot.groups[robot.default_group]).unwrap()
}

fn is_size(error: &KineticError) -> bool {
    matches!(error, KineticError::DimensionMismatch { .. })
}

fn is_not_finite(error: &KineticError) -> bool {
    matches!(error, KineticError::NotFinite { .. })
}

fn is_invalid(error: &KineticError) -> bool {
    matches!(error, KineticError::InvalidValue { .. })
}

#[test]
fn wrong_sizes_nan_and_overflow_are_refused() {
    let model = ur5e();
    let (six, five, nan, huge) = ([0.1; 6], [0.1; 5], [f64::NAN; 6], [1e200; 6]);
    assert!(is_size(&gravity_compensation(&model, &five).unwrap_err()));
    assert!(is_size(&inverse_dynamics(&model, &six, &five, &six).unwrap_err()));
    assert!(is_size(&forward_dynamics(&model, &six, &six, &five).unwrap_err()));
    assert!(is_not_finite(&inverse_dynamics(&model, &six, &six, &nan).unwrap_err()));
    assert!(is_not_finite(&inverse_dynamics(&model, &six, &huge, &six).unwrap_err()));
    assert!(is_not_finite(&forward_dynamics(&model, &six, &huge, &six).unwrap_err()));
    assert!(is_size(&model.gravity_batch(&[0.0; 12], &mut [0.0; 11]).unwrap_err()));
    assert!(is_size(&model.forward_dynamics_batch([&[0.0; 7]; 3], &mut [0.0; 7]).unwrap_err()));
    assert!(is_not_finite(&model.clone().with_gravity(Vector3::new(0.0, f64::NAN, 0.0)).unwrap_err()));
    let robot = Robot::from_name("kuka_iiwa14").unwrap();
    let other = DynamicsModel::from_group(&robot, &robot.groups[robot.default_group]).unwrap();
    assert!(is_size(&model.gravity_into(&mut other.data(), &six, &mut [0.0; 6]).unwrap_err()));
}

#[test]
fn payloads_that_no_body_has_are_refused() {
    let zero = Vector3::zeros();
    for mass in [0.0, -1.0] {
        assert!(is_invalid(&Payload::point(mass, zero).unwrap_err()));
    }
    assert!(is_not_finite(&Payload::point(f64::NAN, zero).unwrap_err()));
    let skew = Matrix3::new(1.0, 0.2, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0);
    assert!(is_invalid(&Payload::new(1.0, zero, skew).unwrap_err()));
    let thin = Matrix3::from_diagonal(&Vector3::new(3.0, 1.0, 1.0));
    assert!(is_invalid(&Payload::new(1.0, zero, thin).unwrap_err()));
    let payload = Payload::point(1.0, zero).unwrap();
    let error = ur5e().with_payload("nowhere", &Pose::identity(), &payload).unwrap_err();
    assert!(matches!(error, KineticError::LinkNotFound { .. }));
}

#[test]
fn external_wrenches_need_a_link_and_numbers() {
    let model = ur5e();
    let mut tau = [0.0; 6];
    let mut call = |link, wrench| {
        let external = [ExternalWrench { link, wrench, axes: WrenchAxes::Link }];
        model.inverse_dynamics_into(&mut model.data(), [&[0.0; 6]; 3], &external, &mut tau)
    };
    assert!(is_invalid(&call(1000, Wrench::default()).unwrap_err()));
    assert!(is_not_finite(&call(1, Wrench::new(Vector3::new(f64::NAN, 0.0, 0.0), Vector3::zeros())).unwrap_err()));
}

#[test]
fn joints_that_move_no_mass_have_no_accelerations() {
    let text = |inertial: &str| {
        format!(
            "<robot name=\"r\"><link name=\"a\"/><link name=\"b\">{inertial}</link><link name=\"c\"/>\
             <joint name=\"one\" type=\"continuous\"><parent link=\"a\"/><child link=\"b\"/></joint>\
             <joint name=\"two\" type=\"continuous\"><parent link=\"b\"/><child link=\"c\"/></joint></robot>"
        )
    };
    let bare = Robot::from_urdf_string(&text("")).unwrap();
    assert!(is_invalid(&DynamicsModel::from_robot(&bare).unwrap_err()));
    let inertia = "<inertia ixx=\"1\" iyy=\"1\" izz=\"1\" ixy=\"0\" ixz=\"0\" iyz=\"0\"/>";
    let robot = Robot::from_urdf_string(&text(&format!("<inertial><mass value=\"1\"/>{inertia}</inertial>"))).unwrap();
    let model = DynamicsModel::from_robot(&robot).unwrap();
    let error = forward_dynamics(&model, &[0.0; 2], &[0.0; 2], &[1.0; 2]).unwrap_err();
    assert!(is_invalid(&error) && error.to_string().contains("two"), "{error}");
}

#[test]
fn efforts_of_positions_need_a_time_between_them() {
    let model = ur5e();
    for dt in [0.0, -1.0] {
        let neighbours = Neighbours { before: &[0.0; 6], after: &[0.0; 6], dt };
        assert!(is_invalid(&torque_vector(&model, &[0.0; 6], Some(neighbours)).unwrap_err()));
    }
    let neighbours = Neighbours { before: &[0.0; 5], after: &[0.0; 6], dt: 0.1 };
    assert!(is_size(&torque_vector(&model, &[0.0; 6], Some(neighbours)).unwrap_err()));
}
