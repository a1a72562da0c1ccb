//! Calls that may be long end when they are asked to.

use kinetic_core::{KineticError, Pose, Result, StopFlag};
use kinetic_ik::analytic::{Manipulator, SolveOptions, TolerancePolicy};
use kinetic_ik::{
    CcdOptions, IKConfig, IKMode, IKSolver, IkCache, LinkTarget, SOLVERS, bio_ik, ccd, explain_ik, nearest_ik,
    solve_ik, solve_ik_auto, solve_ik_branches, solve_ik_distinct,
};
use kinetic_kinematics::KinematicChain;
use kinetic_robot::Robot;

fn chain(name: &str) -> KinematicChain {
    KinematicChain::auto_detect(&Robot::from_name(name).unwrap()).unwrap()
}

fn stopped() -> StopFlag {
    let stop = StopFlag::default();
    stop.stop();
    stop
}

/// Whatever the solver does, this is not met, and the budget outlasts any patience.
fn endless() -> IKConfig {
    IKConfig {
        max_iterations: usize::MAX,
        num_restarts: usize::MAX,
        position_tolerance: f64::MIN_POSITIVE,
        orientation_tolerance: f64::MIN_POSITIVE,
        stop: stopped(),
        ..IKConfig::default()
    }
}

fn assert_cancelled<T: std::fmt::Debug>(answer: &Result<T>, what: &str) {
    assert!(
        matches!(answer, Err(KineticError::Cancelled { elapsed, .. }) if elapsed.is_finite()),
        "{what}: {answer:?}"
    );
}

#[test]
fn every_numerical_solver_ends_an_attempt_without_end() {
    for name in ["ur5e", "franka_panda", "fetch"] {
        let chain = chain(name);
        let near = chain.tip_pose(&vec![0.3; chain.dof()]);
        for target in [near, Pose::from_xyz(9.0, 0.0, 0.0)] {
            for spec in SOLVERS.iter().filter(|spec| spec.solver.is_numerical()) {
                // Of a position alone, chance may make the error 0.
                for mode in IKMode::ALL.iter().filter(|mode| target != near || **mode != IKMode::PositionOnly) {
                    let config = endless().with_solver(spec.solver).with_mode(*mode);
                    let what = format!("{name}, {}, {mode}", spec.id);
                    assert_cancelled(&solve_ik(&chain, &target, &config), &what);
                    assert_cancelled(&nearest_ik(&chain, &target, &config), &what);
                    assert_cancelled(&solve_ik_distinct(&chain, &target, &config), &what);
                    assert_cancelled(&solve_ik_auto(None, &chain, &target, &config), &what);
                    assert_cancelled(&solve_ik_branches(None, &chain, &target, &config), &what);
                    assert_cancelled(&explain_ik(None, &chain, &target, &config), &what);
                }
            }
            assert_cancelled(&IkCache::new(chain.clone()).solve(&target, &endless()), name);
        }
    }
}

#[test]
fn descents_to_several_targets_end() {
    let chain = chain("ur5e");
    let far = [LinkTarget::position(nalgebra::Vector3::new(0.4, 0.1, 0.4), f64::MIN_POSITIVE)];
    let options = CcdOptions { rtol: 0.0, maxiter: usize::MAX, stop: stopped(), ..CcdOptions::default() };
    assert_cancelled(&ccd(&chain, &far, &options), "ccd");
    assert_cancelled(&bio_ik(&chain, &far, &endless()), "bio_ik");
}

#[test]
fn sweeps_over_a_self_motion_end() {
    for name in ["kuka_iiwa14", "baxter_left", "fetch"] {
        let chain = chain(name);
        let arm = Manipulator::from_chain(chain.clone(), TolerancePolicy::default()).unwrap();
        let target = chain.tip_pose(&vec![0.3; chain.dof()]);
        let options = SolveOptions { samples: Some(1_000), stop: stopped(), ..SolveOptions::default() };
        assert_cancelled(&arm.solve(&target, &options), name);
        assert_cancelled(&arm.explain(&target, &options), name);
        let config = IKConfig { stop: stopped(), ..IKConfig::default() };
        for solver in [IKSolver::Auto, IKSolver::Analytic] {
            let config = config.clone().with_solver(solver);
            // What has been found before anybody looked at the flag is an answer.
            let answer = solve_ik_auto(Some(&arm), &chain, &target, &config);
            assert!(matches!(answer, Ok(_) | Err(KineticError::Cancelled { .. })), "{name}: {answer:?}");
        }
    }
}

#[test]
fn a_flag_that_nobody_sets_changes_nothing() {
    let chain = chain("franka_panda");
    let target = chain.tip_pose(&[0.1, -0.4, 0.3, -1.8, 0.2, 1.4, 0.5]);
    let plain = solve_ik(&chain, &target, &IKConfig::default()).unwrap();
    let watched = IKConfig { stop: StopFlag::default().child(), ..IKConfig::default() };
    assert_eq!(plain, solve_ik(&chain, &target, &watched).unwrap());
    assert_eq!(watched, IKConfig::default());
    assert_ne!(IKConfig { stop: stopped(), ..IKConfig::default() }, IKConfig::default());
}
