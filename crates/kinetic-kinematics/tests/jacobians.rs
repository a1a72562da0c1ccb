//! Jacobians against central differences, and measures of them against the singular values.

use kinetic_core::rng::SeededRng;
use kinetic_kinematics::{KinematicChain, condition_number, jacobian, manipulability};
use kinetic_robot::Robot;
use nalgebra::{DMatrix, Vector6};

use crate::cases;

const STEP: f64 = 1e-6;
/// Central differences with this step leave h² ≈ 1e-12 and rounding 1e-16 / h ≈ 1e-10, times arms of a metre.
const TOLERANCE: f64 = 1e-7;

/// Twist of the tool for unit velocity of one joint, by central differences.
fn twist(chain: &KinematicChain, q: &[f64], joint: usize) -> Vector6<f64> {
    let at = |offset: f64| {
        let mut moved = q.to_vec();
        moved[joint] += offset;
        chain.tip_pose(&moved)
    };
    let (before, after) = (at(-STEP), at(STEP));
    let linear = (after.translation() - before.translation()) / (2.0 * STEP);
    let angular = (after.rotation() * before.rotation().inverse()).scaled_axis() / (2.0 * STEP);
    Vector6::new(linear.x, linear.y, linear.z, angular.x, angular.y, angular.z)
}

#[test]
fn jacobians_equal_central_differences_on_every_built_in_arm() {
    for name in kinetic_robot::builtin::names() {
        let robot = Robot::from_name(name).unwrap();
        let group = &robot.groups[robot.default_group];
        let chain = KinematicChain::from_group(&robot, group).unwrap();
        let mut rng = SeededRng::new(1);
        for case in 0..cases(50, 10_000) {
            let q = robot.random_configuration(group, &mut rng);
            let j = jacobian(&chain, &q).unwrap();
            for joint in 0..chain.dof() {
                let error = (j.column(joint) - twist(&chain, &q, joint)).amax();
                assert!(error < TOLERANCE, "{name}, case {case}, joint {joint}: off by {error:e}");
            }
        }
    }
}

#[test]
fn a_prismatic_joint_does_not_turn_the_tool() {
    let robot = Robot::from_name("fetch").unwrap();
    let chain = KinematicChain::auto_detect(&robot).unwrap();
    let j = jacobian(&chain, &vec![0.1; chain.dof()]).unwrap();
    assert_eq!(chain.joint_names()[0], "torso_lift_joint");
    assert_eq!(j.column(0).rows(3, 3).amax(), 0.0);
    assert!((j.column(0).rows(0, 3).norm() - 1.0).abs() < 1e-12);
}

#[test]
fn mimic_joints_add_up_in_the_column_of_their_leader() {
    let joint = |name: &str, parent: &str, child: &str, extra: &str| {
        format!(
            "<joint name=\"{name}\" type=\"revolute\"><parent link=\"{parent}\"/><child link=\"{child}\"/>\
             <origin xyz=\"0.3 0 0.1\"/><axis xyz=\"0 1 0\"/>\
             <limit lower=\"-2\" upper=\"2\" velocity=\"1\" effort=\"1\"/>{extra}</joint>"
        )
    };
    let urdf = format!(
        "<robot name=\"r\"><link name=\"a\"/><link name=\"b\"/><link name=\"c\"/>{}{}</robot>",
        joint("j1", "a", "b", ""),
        joint("j2", "b", "c", "<mimic joint=\"j1\" multiplier=\"-2\" offset=\"0.2\"/>")
    );
    let robot = Robot::from_urdf_string(&urdf).unwrap();
    let chain = KinematicChain::extract(&robot, "a", "c").unwrap();
    assert_eq!(chain.dof(), 1);
    let tool = kinetic_core::Pose::from_xyz(0.2, 0.1, 0.0);
    let chain = chain.with_tcp(&tool);
    let j = jacobian(&chain, &[0.4]).unwrap();
    assert!((j.column(0) - twist(&chain, &[0.4], 0)).amax() < TOLERANCE);
}

#[test]
fn a_sliding_follower_counts_as_often_as_it_moves() {
    let joint = |name: &str, parent: &str, child: &str, axis: &str, extra: &str| {
        format!(
            "<joint name=\"{name}\" type=\"prismatic\"><parent link=\"{parent}\"/><child link=\"{child}\"/>\
             <origin xyz=\"0.3 0 0.1\" rpy=\"0.4 0 0\"/><axis xyz=\"{axis}\"/>\
             <limit lower=\"-2\" upper=\"2\" velocity=\"1\" effort=\"1\"/>{extra}</joint>"
        )
    };
    let urdf = format!(
        "<robot name=\"r\"><link name=\"a\"/><link name=\"b\"/><link name=\"c\"/>{}{}</robot>",
        joint("j1", "a", "b", "0 0 1", ""),
        joint("j2", "b", "c", "1 0 0", "<mimic joint=\"j1\" multiplier=\"-2\" offset=\"0.2\"/>")
    );
    let robot = Robot::from_urdf_string(&urdf).unwrap();
    let chain = KinematicChain::extract(&robot, "a", "c").unwrap();
    let j = jacobian(&chain, &[0.4]).unwrap();
    assert!((j.column(0) - twist(&chain, &[0.4], 0)).amax() < TOLERANCE);
    // The leader's z axis, tilted by 0.4 rad about x, minus twice the follower's x axis.
    let (sine, cosine) = 0.4_f64.sin_cos();
    assert!((j.column(0) - Vector6::new(-2.0, -sine, cosine, 0.0, 0.0, 0.0)).amax() < 1e-12);
}

#[test]
fn manipulability_is_the_product_of_the_singular_values() {
    for name in ["ur5e", "franka_panda", "fetch"] {
        let robot = Robot::from_name(name).unwrap();
        let group = &robot.groups[robot.default_group];
        let chain = KinematicChain::from_group(&robot, group).unwrap();
        let mut rng = SeededRng::new(2);
        for _ in 0..50 {
            let q = robot.random_configuration(group, &mut rng);
            let j = jacobian(&chain, &q).unwrap();
            let singular = DMatrix::from_iterator(6, chain.dof(), j.iter().copied()).singular_values();
            let product: f64 = singular.iter().product();
            assert!((manipulability(&chain, &q).unwrap() - product).abs() < 1e-9);
            let ratio = singular.max() / singular.min();
            assert!((condition_number(&chain, &q).unwrap() / ratio - 1.0).abs() < 1e-6);
        }
    }
}

#[test]
fn a_stretched_arm_is_singular() {
    let robot = Robot::from_name("ur5e").unwrap();
    let chain = KinematicChain::auto_detect(&robot).unwrap();
    let q = [0.0, -1.0, 0.0, 0.5, 0.7, 0.0];
    assert!(manipulability(&chain, &q).unwrap() < 1e-8);
    assert!(condition_number(&chain, &q).unwrap() > 1e6);
}
