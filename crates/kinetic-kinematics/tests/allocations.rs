//! Forward kinematics and Jacobians into memory of the caller: nothing is allocated, and wrong sizes are told.

use kinetic_core::KineticError;
use kinetic_core::rng::SeededRng;
use kinetic_kinematics::{
    FrameVelocity, KinematicChain, Rigid, TreeKinematics, forward_kinematics, forward_kinematics_into, jacobian,
    jacobian_into,
};
use kinetic_robot::Robot;

/// Calls per robot that are counted.
const CALLS: usize = 100;

#[test]
fn kinematics_into_buffers_allocate_nothing_and_have_the_bits_of_the_others() {
    for name in ["ur5e", "franka_panda", "fetch", "abb_yumi_left"] {
        let robot = Robot::from_name(name).unwrap();
        let chain = KinematicChain::auto_detect(&robot).unwrap();
        let mut rng = SeededRng::new(3);
        let group = &robot.groups[robot.default_group];
        let configs: Vec<_> = (0..CALLS).map(|_| robot.random_configuration(group, &mut rng)).collect();
        let mut frames = chain.frame_buffer();
        let mut columns = vec![0.0; 6 * chain.dof()];
        let mut poses = Vec::with_capacity(CALLS);
        let mut jacobians = Vec::with_capacity(CALLS * columns.len());
        let counted = allocation_counter::measure(|| {
            for q in &configs {
                poses.push(forward_kinematics_into(&chain, q, &mut frames).unwrap());
                let tip = jacobian_into(&chain, q, &mut frames, &mut columns).unwrap();
                assert_eq!(Some(&tip.to_pose()), poses.last());
                jacobians.extend_from_slice(&columns);
            }
        });
        assert_eq!(counted.count_total, 0, "{name}");
        for (index, q) in configs.iter().enumerate() {
            assert_eq!(poses[index], forward_kinematics(&chain, q).unwrap(), "{name}");
            let columns = &jacobians[index * columns.len()..][..columns.len()];
            assert_eq!(columns, jacobian(&chain, q).unwrap().as_slice(), "{name}");
        }
    }
}

#[test]
fn velocities_of_all_links_allocate_nothing_and_are_those_of_single_points() {
    for name in ["ur5e", "fetch", "pr2"] {
        let robot = Robot::from_name(name).unwrap();
        let all: Vec<usize> = (0..robot.num_variables()).collect();
        let tree = TreeKinematics::new(&robot, &all, &robot.neutral_configuration()).unwrap();
        let mut rng = SeededRng::new(4);
        let q = robot.random_variables(&mut rng);
        let qd: Vec<f64> = q.iter().map(|_| rng.uniform(-1.0, 1.0)).collect();
        let (mut frames, mut velocities) = (tree.frame_buffer(), tree.velocity_buffer());
        let mut links = vec![FrameVelocity::zero(); robot.links.len()];
        let counted = allocation_counter::measure(|| {
            for _ in 0..CALLS {
                tree.place(&q, &mut frames).unwrap();
                tree.frame_velocities_into(&frames, &qd, &mut velocities).unwrap();
                tree.link_velocities_into(&frames, &velocities, &mut links).unwrap();
            }
        });
        assert_eq!(counted.count_total, 0, "{name}");
        for (link, velocity) in robot.links.iter().zip(&links) {
            let expected = tree.point_velocity(&q, &qd, &link.name, &nalgebra::Vector3::zeros()).unwrap();
            assert_eq!(velocity.linear, expected.fixed_rows::<3>(0), "{name}, {}", link.name);
            assert_eq!(velocity.angular, expected.fixed_rows::<3>(3), "{name}, {}", link.name);
        }
    }
}

#[test]
fn buffers_and_configurations_of_wrong_sizes_are_told() {
    let chain = KinematicChain::auto_detect(&Robot::from_name("ur5e").unwrap()).unwrap();
    let (mut frames, mut columns) = (chain.frame_buffer(), [0.0; 36]);
    let is_size = |error: KineticError| matches!(error, KineticError::DimensionMismatch { .. });
    let short: &mut [Rigid] = &mut frames.clone()[1..];
    assert!(is_size(forward_kinematics_into(&chain, &[0.0; 6], short).unwrap_err()));
    assert!(is_size(forward_kinematics_into(&chain, &[0.0; 5], &mut frames).unwrap_err()));
    assert!(is_size(jacobian_into(&chain, &[0.0; 6], short, &mut columns).unwrap_err()));
    assert!(is_size(jacobian_into(&chain, &[0.0; 6], &mut frames, &mut columns[1..]).unwrap_err()));
    let error = jacobian_into(&chain, &[f64::NAN; 6], &mut frames, &mut columns).unwrap_err();
    assert!(matches!(error, KineticError::NotFinite { .. }), "{error}");
}
