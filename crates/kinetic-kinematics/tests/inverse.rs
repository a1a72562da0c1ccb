//! Numerical IK, re-checked by the plain forward kinematics of the tests.

use kinetic_core::rng::SeededRng;
use kinetic_core::{KineticError, Pose};
use kinetic_kinematics::analytic::{Manipulator, TolerancePolicy};
use kinetic_kinematics::{IKConfig, KinematicChain, solve_ik, solve_ik_auto, solve_ik_distinct};
use kinetic_robot::Robot;

use crate::{cases, plain};

fn reached(robot: &Robot, q: &[f64]) -> Pose {
    let group = &robot.groups[robot.default_group];
    let poses = plain::link_poses(robot, &robot.full_configuration(group, q).unwrap());
    poses[group.base_link].inverse() * poses[group.tip_link] * group.tip_from_tcp
}

#[test]
fn random_reachable_poses_are_solved_inside_limits_and_tolerances() {
    for name in kinetic_robot::builtin::names() {
        let robot = Robot::from_name(name).unwrap();
        let group = &robot.groups[robot.default_group];
        let chain = KinematicChain::from_group(&robot, group).unwrap();
        // Fewer than six joints leave the error more local minima, in which an attempt ends.
        let num_restarts = if chain.dof() < 6 { 100 } else { 30 };
        let config =
            IKConfig { position_tolerance: 1e-6, orientation_tolerance: 1e-6, num_restarts, ..IKConfig::default() };
        let mut rng = SeededRng::new(3);
        let (total, mut solved) = (cases(200, 10_000), 0_usize);
        for case in 0..total {
            let goal = reached(&robot, &robot.random_configuration(group, &mut rng));
            let Ok(solution) = solve_ik(&chain, &goal, &config) else { continue };
            solved += 1;
            robot.check_limits(group, &solution.joints, 0.0).unwrap();
            let pose = reached(&robot, &solution.joints);
            // Independent arithmetic may differ from the solver's by rounding.
            assert!(pose.translation_distance(&goal) < 1.001e-6, "{name}, case {case}");
            assert!(pose.rotation_distance(&goal) < 1.001e-6 + 1e-7, "{name}, case {case}");
        }
        assert!(solved as f64 >= 0.995 * total as f64, "{name}: {solved} of {total}");
    }
}

#[test]
fn an_unreachable_pose_is_not_converged_and_says_how_far_off() {
    let robot = Robot::from_name("ur5e").unwrap();
    let chain = KinematicChain::auto_detect(&robot).unwrap();
    let error = solve_ik(&chain, &Pose::from_xyz(3.0, 0.0, 0.5), &IKConfig::default()).unwrap_err();
    let KineticError::IKNotConverged { iterations, residual } = error else { panic!("{error}") };
    assert!(iterations > 0);
    assert!(residual > 1.9 && residual < 3.1, "{residual}");
}

#[test]
fn the_same_seed_gives_the_same_bytes_and_the_first_attempt_starts_at_the_seed() {
    let robot = Robot::from_name("franka_panda").unwrap();
    let group = &robot.groups[robot.default_group];
    let chain = KinematicChain::from_group(&robot, group).unwrap();
    let mut rng = SeededRng::new(4);
    let q = robot.random_configuration(group, &mut rng);
    let goal = chain.tip_pose(&q);
    let config = IKConfig { rng_seed: 7, ..IKConfig::default() };
    assert_eq!(solve_ik(&chain, &goal, &config).unwrap(), solve_ik(&chain, &goal, &config).unwrap());
    let at_goal = IKConfig { seed: Some(q.clone()), ..IKConfig::default() };
    let solution = solve_ik(&chain, &goal, &at_goal).unwrap();
    assert_eq!(solution.joints, q);
    assert_eq!(solution.iterations, 0);
}

#[test]
fn distinct_solutions_differ_and_all_reach_the_pose() {
    let robot = Robot::from_name("ur5e").unwrap();
    let group = &robot.groups[robot.default_group];
    let chain = KinematicChain::from_group(&robot, group).unwrap();
    let goal = Pose::from_xyz_rpy(0.4, 0.2, 0.4, 3.0, 0.1, 0.5);
    let config =
        IKConfig { num_restarts: 100, position_tolerance: 1e-7, orientation_tolerance: 1e-7, ..IKConfig::default() };
    let found = solve_ik_distinct(&chain, &goal, &config).unwrap();
    // A UR arm reaches such a pose in eight ways (two shoulders, two wrists, two elbows).
    assert_eq!(found.len(), 8);
    for solution in &found {
        assert!(reached(&robot, &solution.joints).translation_distance(&goal) < 1e-6);
        robot.check_limits(group, &solution.joints, 0.0).unwrap();
    }
}

#[test]
fn nan_and_wrong_sizes_are_refused() {
    let robot = Robot::from_name("ur5e").unwrap();
    let chain = KinematicChain::auto_detect(&robot).unwrap();
    let error = solve_ik(&chain, &Pose::from_xyz(f64::NAN, 0.0, 0.0), &IKConfig::default()).unwrap_err();
    assert!(matches!(error, KineticError::NotFinite { .. }), "{error}");
    let config = IKConfig { seed: Some([0.0; 3].into()), ..IKConfig::default() };
    let error = solve_ik(&chain, &Pose::identity(), &config).unwrap_err();
    assert!(matches!(error, KineticError::DimensionMismatch { .. }), "{error}");
    let config = IKConfig { max_iterations: 0, ..IKConfig::default() };
    assert!(solve_ik(&chain, &Pose::identity(), &config).unwrap_err().is_input_error());
}

#[test]
fn the_robots_damping_reaches_the_solver() {
    let mut robot = Robot::from_name("ur5e").unwrap();
    let chain = KinematicChain::auto_detect(&robot).unwrap();
    let goal = Pose::from_xyz_rpy(0.4, 0.2, 0.4, 3.0, 0.1, 0.5);
    let iterations = |robot: &Robot| solve_ik(&chain, &goal, &IKConfig::for_robot(robot)).unwrap().iterations;
    let before = iterations(&robot);
    robot.ik_preference.damping = 20.0;
    assert!(iterations(&robot) > before, "heavier damping takes shorter steps");
    robot.ik_preference.damping = -1.0;
    assert!(solve_ik(&chain, &goal, &IKConfig::for_robot(&robot)).unwrap_err().is_input_error());
}

#[test]
fn the_automatic_solver_takes_the_branch_nearest_to_the_seed_and_falls_back_to_numbers() {
    let robot = Robot::from_name("ur5e").unwrap();
    let group = &robot.groups[robot.default_group];
    let chain = KinematicChain::from_group(&robot, group).unwrap();
    let closed_form = Manipulator::from_robot(&robot, None, TolerancePolicy::default()).unwrap();
    let mut rng = SeededRng::new(9);
    for case in 0..cases(50, 1_000) {
        let q = robot.random_configuration(group, &mut rng);
        let goal = reached(&robot, &q);
        let beside: Vec<f64> = q.iter().map(|q| q + rng.uniform(-0.01, 0.01)).collect();
        let config = IKConfig { seed: Some(beside.into()), ..IKConfig::default() };
        let solution = solve_ik_auto(Some(&closed_form), &chain, &goal, &config).unwrap();
        robot.check_limits(group, &solution.joints, 0.0).unwrap();
        assert!(solution.iterations == 0 && solution.position_error < 1e-9, "case {case}");
        let largest = solution.joints.iter().zip(q.iter()).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
        // Within 0.01 rad of a branch another one may be as near; then the step is as small.
        assert!(largest < 0.05, "case {case}: {largest}");
    }
    let panda = Robot::from_name("franka_panda").unwrap();
    let chain = KinematicChain::auto_detect(&panda).unwrap();
    let goal = chain.tip_pose(&panda.neutral_configuration()[..7]);
    assert!(solve_ik_auto(None, &chain, &goal, &IKConfig::default()).unwrap().attempts > 0);
}
