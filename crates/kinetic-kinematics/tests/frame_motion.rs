//! Velocities and bias accelerations against central differences of poses along a curve, and against the derivative of the
//! Jacobian, which another routine writes as a matrix.

use kinetic_core::rng::SeededRng;
use kinetic_kinematics::{JointProgram, Rigid, TreeKinematics};
use kinetic_robot::Robot;
use nalgebra::{DVector, Vector3};

use crate::cases;

/// Second differences with this step leave h² ≈ 1e-8 times fourth derivatives, and rounding 1e-16 / h² ≈ 1e-8.
const STEP_S: f64 = 1e-4;
const TOLERANCE: f64 = 2e-5;

fn random(count: usize, most: f64, rng: &mut SeededRng) -> Vec<f64> {
    (0..count).map(|_| rng.uniform(-most, most)).collect()
}

#[test]
fn bias_accelerations_are_those_of_finite_differences_at_constant_joint_velocities() {
    for name in ["ur5e", "franka_panda", "fetch", "tiago", "xarm6", "kuka_iiwa14"] {
        let robot = Robot::from_name(name).unwrap();
        let variables: Vec<usize> = (0..robot.num_variables()).collect();
        let program = JointProgram::compile(&robot, &variables, &robot.neutral_configuration());
        let mut rng = SeededRng::new(3);
        for case in 0..cases(20, 1_000) {
            let (q, qd) = (robot.random_variables(&mut rng), random(variables.len(), 1.0, &mut rng));
            let at = |time: f64| -> Vec<Rigid> {
                program.frame_poses(&q.iter().zip(&qd).map(|(q, qd)| q + time * qd).collect::<Vec<_>>())
            };
            let [before, here, after] = [at(-STEP_S), at(0.0), at(STEP_S)];
            let mut motions = program.motion_buffer();
            program.motions_into(&here, &qd, &mut motions);
            for (index, motion) in motions.iter().enumerate() {
                let local = Vector3::from_column_slice(&random(3, 0.5, &mut rng));
                let [p, now, n] = [&before, &here, &after].map(|frames| frames[index].point(&local));
                let arm = now - here[index].translation;
                let velocity = (n - p) / (2.0 * STEP_S);
                let acceleration = (n - 2.0 * now + p) / (STEP_S * STEP_S);
                assert!((motion.velocity_at(&arm) - velocity).amax() < TOLERANCE, "{name}, case {case}, frame {index}");
                let error = (motion.bias_at(&arm) - acceleration).amax();
                assert!(error < TOLERANCE, "{name}, case {case}, frame {index}: off by {error:e}");
            }
        }
    }
}

#[test]
fn bias_accelerations_are_the_derivative_of_the_jacobian_times_the_velocities() {
    for name in ["ur5e", "franka_panda", "fetch", "tiago"] {
        let robot = Robot::from_name(name).unwrap();
        let group = &robot.groups[robot.default_group];
        let tree = TreeKinematics::from_group(&robot, group, &robot.neutral_configuration()).unwrap();
        let link = &robot.links[group.tip_link].name;
        let (carrier, frame_from_link) = tree.program().link(group.tip_link);
        let mut rng = SeededRng::new(4);
        for case in 0..cases(50, 1_000) {
            let (q, qd) = (robot.random_configuration(group, &mut rng), random(tree.dof(), 2.0, &mut rng));
            let derivative = tree.jacobian_derivative(&q, &qd, link, &kinetic_core::Pose::identity()).unwrap();
            let expected = derivative * DVector::from_column_slice(&qd);
            let (frames, mut motions) = (tree.program().frame_poses(&q), tree.program().motion_buffer());
            tree.program().motions_into(&frames, &qd, &mut motions);
            let motion = motions[carrier];
            let linear = motion.bias_at(&(frames[carrier].rotation * frame_from_link.translation));
            for axis in 0..3 {
                assert!((linear[axis] - expected[axis]).abs() < 1e-10, "{name}, case {case}");
                assert!((motion.angular_bias[axis] - expected[3 + axis]).abs() < 1e-10, "{name}, case {case}");
            }
        }
    }
}
