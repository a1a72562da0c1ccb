//! Batches: the same bits as one call after another.

use kinetic_core::KineticError;
use kinetic_core::rng::SeededRng;
use kinetic_kinematics::{KinematicChain, Rigid, fk_batch, fk_batch_matrices};
use kinetic_robot::Robot;

use crate::cases;
use crate::programs::random_tree;

fn one_by_one(chain: &KinematicChain, configs: &[f64], n: usize) -> Vec<Rigid> {
    let mut frames = vec![Rigid::identity(); chain.program().num_frames()];
    (0..n).map(|row| chain.tip_rigid(&configs[row * chain.dof()..(row + 1) * chain.dof()], &mut frames)).collect()
}

#[test]
fn a_batch_over_a_random_tree_has_the_bits_of_single_calls() {
    for seed in 0..cases(300, 20_000) as u64 {
        let mut rng = SeededRng::new(seed);
        let robot = random_tree(&mut rng);
        let tip = &robot.links[1 + rng.below(robot.links.len() - 1)].name;
        let chain = KinematicChain::extract(&robot, &robot.links[0].name, tip).unwrap();
        let n = rng.below(40);
        // Now and then an angle that goes to the standard library, beside others that do not.
        let mut draw = || if rng.below(30) == 0 { 1e7 } else { rng.uniform(-10.0, 10.0) };
        let configs: Vec<f64> = (0..n * chain.dof()).map(|_| draw()).collect();
        assert_eq!(fk_batch(&chain, &configs, n).unwrap(), one_by_one(&chain, &configs, n), "seed {seed}");
    }
}

#[test]
fn a_batch_that_several_threads_share_has_the_bits_of_single_calls() {
    for name in ["ur5e", "fetch"] {
        let robot = Robot::from_name(name).unwrap();
        let chain = KinematicChain::auto_detect(&robot).unwrap();
        let mut rng = SeededRng::new(3);
        let n = 9003;
        let configs: Vec<f64> = (0..n * chain.dof()).map(|_| rng.uniform(-3.0, 3.0)).collect();
        let expected = one_by_one(&chain, &configs, n);
        assert_eq!(fk_batch(&chain, &configs, n).unwrap(), expected);
        let mut matrices = vec![0.0; 16 * n];
        fk_batch_matrices(&chain, &configs, &mut matrices).unwrap();
        for (pose, matrix) in expected.iter().zip(matrices.chunks_exact(16)) {
            let error = (nalgebra::Matrix4::from_row_slice(matrix) - pose.to_pose().to_matrix()).amax();
            assert!(error < 1e-14, "{name}: a matrix is off by {error:e}");
        }
    }
}

#[test]
fn batches_of_the_wrong_size_or_with_nan_are_refused() {
    let robot = Robot::from_name("ur5e").unwrap();
    let chain = KinematicChain::auto_detect(&robot).unwrap();
    let error = fk_batch(&chain, &[0.0; 11], 2).unwrap_err();
    assert!(matches!(error, KineticError::DimensionMismatch { got: 11, .. }), "{error}");
    let mut configs = [0.0; 12];
    configs[7] = f64::NAN;
    let error = fk_batch(&chain, &configs, 2).unwrap_err();
    assert!(matches!(error, KineticError::NotFinite { index: 7, .. }), "{error}");
    assert_eq!(fk_batch(&chain, &[], 0).unwrap(), []);
}
