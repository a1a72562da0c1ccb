//! Jacobians against central differences, and measures of them against the singular values.

use kinetic_core::rng::SeededRng;
use kinetic_core::{KineticError, Pose};
use kinetic_kinematics::{
    KinematicChain, LinkJacobian, condition_number, jacobian, jacobian_batch, manipulability, robot_link_poses,
};
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

/// Row after row, as batches write them.
fn row_major(j: &nalgebra::Matrix6xX<f64>) -> Vec<f64> {
    j.transpose().as_slice().to_vec()
}

#[test]
fn jacobians_of_a_batch_have_the_bits_of_single_calls() {
    for name in ["ur5e", "fetch", "abb_yumi_left"] {
        let robot = Robot::from_name(name).unwrap();
        let group = &robot.groups[robot.default_group];
        let chain = KinematicChain::from_group(&robot, group).unwrap();
        let mut rng = SeededRng::new(5);
        // More than the threads take at once, and no multiple of it.
        let configs: Vec<_> = (0..5003).map(|_| robot.random_configuration(group, &mut rng)).collect();
        let flat: Vec<f64> = configs.iter().flatten().copied().collect();
        let mut out = vec![f64::NAN; 6 * flat.len()];
        jacobian_batch(&chain, &flat, &mut out).unwrap();
        let width = 6 * chain.dof();
        for (q, found) in configs.iter().zip(out.chunks_exact(width)) {
            assert_eq!(found, row_major(&jacobian(&chain, q).unwrap()), "{name}");
        }
        let link = &robot.links[group.tip_link].name;
        let of_link = LinkJacobian::new(&robot, group, link, &Pose::identity()).unwrap();
        of_link.batch(&flat, chain.dof(), &mut out).unwrap();
        for (q, found) in configs.iter().zip(out.chunks_exact(width)).step_by(50) {
            assert_eq!(found, row_major(&of_link.at(q).unwrap()), "{name}");
        }
    }
}

#[test]
fn the_jacobian_of_a_link_is_the_difference_of_its_poses_and_zero_for_joints_behind_it() {
    let robot = Robot::from_name("fetch").unwrap();
    let group = &robot.groups[robot.default_group];
    let mut rng = SeededRng::new(6);
    let q = robot.random_configuration(group, &mut rng);
    for (link, moving) in [("elbow_flex_link", 5), ("torso_lift_link", 1)] {
        let of_link = LinkJacobian::new(&robot, group, link, &Pose::from_xyz(0.1, 0.0, 0.2)).unwrap();
        let found = of_link.at(&q).unwrap();
        let origin = |q: &[f64]| {
            let poses = robot_link_poses(&robot, &robot.full_configuration(group, q).unwrap()).unwrap();
            let index = robot.link_index(link).unwrap();
            (poses[group.base_link].inverse() * poses[index] * Pose::from_xyz(0.1, 0.0, 0.2)).translation()
        };
        for joint in 0..group.dof() {
            let (mut before, mut after) = (q.clone(), q.clone());
            before[joint] -= STEP;
            after[joint] += STEP;
            let expected = (origin(&after) - origin(&before)) / (2.0 * STEP);
            assert!((found.column(joint).rows(0, 3) - expected).amax() < TOLERANCE, "{link}, joint {joint}");
            assert_eq!(found.column(joint).amax() == 0.0, joint >= moving, "{link}, joint {joint}");
        }
    }
}

#[test]
fn batches_of_jacobians_refuse_wrong_sizes_and_nan() {
    let robot = Robot::from_name("ur5e").unwrap();
    let group = &robot.groups[robot.default_group];
    let chain = KinematicChain::from_group(&robot, group).unwrap();
    let of_link = LinkJacobian::new(&robot, group, "forearm_link", &Pose::identity()).unwrap();
    let is_size = |error: KineticError| matches!(error, KineticError::DimensionMismatch { .. });
    assert!(is_size(jacobian_batch(&chain, &[0.0; 12], &mut [0.0; 71]).unwrap_err()));
    assert!(is_size(jacobian_batch(&chain, &[0.0; 7], &mut [0.0; 42]).unwrap_err()));
    assert!(is_size(of_link.batch(&[0.0; 12], 6, &mut [0.0; 71]).unwrap_err()));
    assert!(is_size(of_link.batch(&[0.0; 14], 7, &mut [0.0; 72]).unwrap_err()));
    assert!(matches!(jacobian_batch(&chain, &[f64::NAN; 6], &mut [0.0; 36]), Err(KineticError::NotFinite { .. })));
    assert!(matches!(of_link.batch(&[f64::NAN; 6], 6, &mut [0.0; 36]), Err(KineticError::NotFinite { .. })));
    assert!(matches!(
        LinkJacobian::new(&robot, group, "elbow", &Pose::identity()),
        Err(KineticError::LinkNotFound { .. })
    ));
    jacobian_batch(&chain, &[], &mut []).unwrap();
    of_link.batch(&[], 6, &mut []).unwrap();
}
