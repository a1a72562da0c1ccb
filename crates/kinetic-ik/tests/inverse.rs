//! Numerical IK, re-checked by the plain forward kinematics of the tests.

use kinetic_core::error::reason;
use kinetic_core::rng::SeededRng;
use kinetic_core::{KineticError, Pose};
use kinetic_ik::analytic::{Manipulator, TolerancePolicy};
use kinetic_ik::{
    IKConfig, IKMode, IKSolution, IKSolver, NullSpace, nearest_ik, pairwise_distances, solve_ik, solve_ik_auto,
    solve_ik_batch, solve_ik_branches, solve_ik_distinct, what_stopped,
};
use kinetic_kinematics::{KinematicChain, condition_number, manipulability};
use kinetic_robot::Robot;

use crate::{cases, plain};

fn reached(robot: &Robot, q: &[f64]) -> Pose {
    let group = &robot.groups[robot.default_group];
    let poses = plain::link_poses(robot, &robot.full_configuration(group, q).unwrap());
    poses[group.base_link].inverse() * poses[group.tip_link] * group.tip_from_tcp
}

/// Rounding of independent arithmetic; the angle between two quaternions is good to 1e-8 only.
const ROUNDING: f64 = 1e-7;

#[test]
fn reachable_poses_of_all_built_in_robots_are_solved_inside_limits_and_tolerances() {
    let (mut solved, mut asked) = (0_usize, 0_usize);
    for name in kinetic_robot::builtin::names() {
        let robot = Robot::from_name(name).unwrap();
        let group = &robot.groups[robot.default_group];
        let chain = KinematicChain::from_group(&robot, group).unwrap();
        let config =
            IKConfig { position_tolerance: 1e-6, orientation_tolerance: 1e-6, num_restarts: 20, ..IKConfig::default() };
        let mut rng = SeededRng::new(3);
        let total = cases(200, 10_000);
        let mut own = 0_usize;
        for case in 0..total {
            let goal = reached(&robot, &robot.random_configuration(group, &mut rng));
            let Ok(solution) = solve_ik(&chain, &goal, &config) else { continue };
            own += 1;
            robot.check_limits(group, &solution.joints, 0.0).unwrap();
            let pose = reached(&robot, &solution.joints);
            assert!(pose.translation_distance(&goal) < 1e-6 + 1e-12, "{name}, case {case}");
            assert!(pose.rotation_distance(&goal) < 1e-6 + ROUNDING, "{name}, case {case}");
            assert!(solution.converged && solution.condition_number >= 1.0, "{name}, case {case}");
        }
        assert!(own as f64 >= 0.99 * total as f64, "{name}: {own} of {total}");
        (solved, asked) = (solved + own, asked + total);
    }
    assert!(solved as f64 >= 0.999 * asked as f64, "{solved} of {asked}");
}

#[test]
fn ten_restarts_solve_nearly_all_poses_of_common_arms() {
    for name in ["franka_panda", "kuka_iiwa14", "ur5e", "fetch"] {
        let robot = Robot::from_name(name).unwrap();
        let group = &robot.groups[robot.default_group];
        let chain = KinematicChain::from_group(&robot, group).unwrap();
        assert_eq!(IKConfig::default().num_restarts, 10);
        let mut rng = SeededRng::new(17);
        let total = cases(300, 10_000);
        let solved = (0..total)
            .filter(|_| {
                let goal = reached(&robot, &robot.random_configuration(group, &mut rng));
                solve_ik(&chain, &goal, &IKConfig::default()).is_ok()
            })
            .count();
        assert!(solved as f64 >= 0.99 * total as f64, "{name}: {solved} of {total}");
    }
}

#[test]
fn a_pose_beyond_the_reach_is_proven_unreachable_and_the_nearest_pose_is_told() {
    let robot = Robot::from_name("ur5e").unwrap();
    let chain = KinematicChain::auto_detect(&robot).unwrap();
    let far = Pose::from_xyz(3.0, 0.0, 0.5);
    let error = solve_ik(&chain, &far, &IKConfig::default()).unwrap_err();
    let KineticError::NoIKSolution { reason } = error else { panic!("{error}") };
    let is_far = matches!(reason, reason::NoIKSolution::OutOfReach { position_error, .. } if position_error > 0.1);
    assert!(is_far, "{reason:?}");
    let reason = reason.to_string();
    assert!(reason.contains("farther than its reach") && reason.contains("nearest pose reached"), "{reason}");
    let nearest = nearest_ik(&chain, &far, &IKConfig::default()).unwrap();
    assert!(!nearest.converged);
    // Fully stretched, a UR5e reaches about 0.95 m.
    assert!(nearest.position_error > 1.9 && nearest.position_error < 2.4, "{}", nearest.position_error);
}

#[test]
fn further_attempts_never_take_the_answer_farther_from_the_target() {
    let mut robot = Robot::from_name("franka_panda").unwrap();
    let free = robot.clone();
    let group = &free.groups[free.default_group];
    // A tenth of each range: poses of the others are hardly ever reached, and nothing proves that.
    for variable in &group.variables {
        let limits = &mut robot.joint_limits[*variable];
        let (middle, half) = (0.5 * (limits.lower + limits.upper), 0.05 * (limits.upper - limits.lower));
        (limits.lower, limits.upper) = (middle - half, middle + half);
    }
    let chain = KinematicChain::auto_detect(&robot).unwrap();
    let (mut rng, mut gains) = (SeededRng::new(29), 0);
    for case in 0..cases(40, 400) {
        let goal = reached(&free, &free.random_configuration(group, &mut rng));
        let mut least = f64::INFINITY;
        for num_restarts in 0..6 {
            let config = IKConfig { num_restarts, ..IKConfig::position_only() };
            let found = nearest_ik(&chain, &goal, &config).unwrap();
            let off = (reached(&robot, &found.joints).translation() - goal.translation()).norm();
            assert!(off <= least + 1e-12, "case {case}, {num_restarts} restarts: {off} after {least}");
            gains += usize::from(off < least - 1e-6 && num_restarts > 0);
            least = off;
        }
    }
    assert!(gains > 0, "no attempt after the first came nearer");
}

#[test]
fn no_pose_that_some_configuration_reaches_is_called_unreachable() {
    for name in kinetic_robot::builtin::names() {
        let robot = Robot::from_name(name).unwrap();
        let group = &robot.groups[robot.default_group];
        let chain = KinematicChain::from_group(&robot, group).unwrap();
        let mut rng = SeededRng::new(23);
        // One iteration and no restarts: hardly any search succeeds, so that nearly each one asks for a proof.
        let config = IKConfig { max_iterations: 1, num_restarts: 0, ..IKConfig::default() };
        for mode in [IKMode::Full6D, IKMode::PositionOnly] {
            for case in 0..cases(50, 2_000) {
                let goal = reached(&robot, &robot.random_configuration(group, &mut rng));
                if let Err(error) = solve_ik(&chain, &goal, &config.clone().with_mode(mode)) {
                    assert!(matches!(error, KineticError::IKNotConverged { .. }), "{name}, case {case}: {error}");
                }
            }
        }
    }
}

#[test]
fn a_pose_outside_the_limits_is_not_converged_and_the_joint_at_its_limit_is_named() {
    let pendulum = r#"<robot name="pendulum"><link name="base"/><link name="rod"/><link name="tip"/>
        <joint name="swing" type="revolute"><parent link="base"/><child link="rod"/><axis xyz="0 0 1"/>
          <limit lower="-1" upper="1" velocity="1" effort="1"/></joint>
        <joint name="end" type="fixed"><parent link="rod"/><child link="tip"/><origin xyz="1 0 0"/></joint></robot>"#;
    let robot = Robot::from_urdf_string(pendulum).unwrap();
    let chain = KinematicChain::extract(&robot, "base", "tip").unwrap();
    let goal = chain.tip_pose(&[1.4]);
    let config = IKConfig::default();
    let error = solve_ik(&chain, &goal, &config).unwrap_err();
    let KineticError::IKNotConverged { iterations, residual } = error else { panic!("{error}") };
    assert!(iterations > 0 && (residual - 0.4).abs() < 1e-3, "{residual}");
    let nearest = nearest_ik(&chain, &goal, &config).unwrap();
    assert!(!nearest.converged && nearest.joints[0] == 1.0);
    let text = what_stopped(&chain, &nearest);
    assert!(text.contains("\"swing\" at its upper limit 1.0"), "{text}");
    let free = IKConfig { check_limits: false, ..config };
    assert!((solve_ik(&chain, &goal, &free).unwrap().joints[0] - 1.4).abs() < 1e-3);
}

#[test]
fn a_batch_gives_the_answers_of_single_calls_and_goes_on_after_failures() {
    let robot = Robot::from_name("franka_panda").unwrap();
    let group = &robot.groups[robot.default_group];
    let chain = KinematicChain::from_group(&robot, group).unwrap();
    let mut rng = SeededRng::new(29);
    let mut goals: Vec<Pose> =
        (0..100).map(|_| reached(&robot, &robot.random_configuration(group, &mut rng))).collect();
    goals[37] = Pose::from_xyz(9.0, 0.0, 0.0);
    let answers = solve_ik_batch(&chain, &goals, &IKConfig::default()).unwrap();
    for (case, (answer, goal)) in answers.iter().zip(&goals).enumerate() {
        assert_eq!(*answer, solve_ik(&chain, goal, &IKConfig::default()).ok(), "case {case}");
    }
    assert!(answers[37].is_none() && answers[38].is_some());
    goals[5] = Pose::from_xyz(f64::NAN, 0.0, 0.0);
    assert!(solve_ik_batch(&chain, &goals, &IKConfig::default()).unwrap_err().is_input_error());
}

#[test]
fn modes_free_the_orientation_and_say_so() {
    let robot = Robot::from_name("ur5e").unwrap();
    let chain = KinematicChain::auto_detect(&robot).unwrap();
    // At the edge of the workspace, pointing back at the base: the position can be had, the orientation cannot.
    let edge = Pose::from_xyz_rpy(0.9, 0.1, 0.1, 0.0, -1.57, 0.0);
    assert!(solve_ik(&chain, &edge, &IKConfig::default()).is_err());
    let solution = solve_ik(&chain, &edge, &IKConfig::with_fallback()).unwrap();
    assert_eq!((solution.mode_used, solution.degraded), (IKMode::PositionOnly, true));
    let position = solve_ik(&chain, &edge, &IKConfig::position_only()).unwrap();
    assert_eq!(position.mode_used, IKMode::PositionOnly);
    for solution in [solution, position] {
        let pose = reached(&robot, &solution.joints);
        assert!(pose.translation_distance(&edge) < 1e-4 + 1e-12);
        assert!((pose.rotation_distance(&edge) - solution.orientation_error).abs() < ROUNDING);
    }
    let inside = Pose::from_xyz_rpy(0.4, 0.2, 0.4, 3.0, 0.1, 0.5);
    assert_eq!(solve_ik(&chain, &inside, &IKConfig::with_fallback()).unwrap().mode_used, IKMode::Full6D);
}

#[test]
fn each_null_space_objective_improves_its_measure_and_none_changes_convergence() {
    for name in ["franka_panda", "kuka_iiwa14", "fetch"] {
        let robot = Robot::from_name(name).unwrap();
        let group = &robot.groups[robot.default_group];
        let chain = KinematicChain::from_group(&robot, group).unwrap();
        let mut rng = SeededRng::new(31);
        let mut better = [0_usize; 3];
        let total = cases(40, 1_000);
        let mut solved = 0_usize;
        for case in 0..total {
            let goal = reached(&robot, &robot.random_configuration(group, &mut rng));
            let seed = robot.random_configuration(group, &mut rng);
            let config = IKConfig::default().with_seed(seed.clone());
            let plain = solve_ik(&chain, &goal, &config);
            solved += usize::from(plain.is_ok());
            for (index, objective) in NullSpace::ALL.iter().enumerate() {
                let used = solve_ik(&chain, &goal, &config.clone().with_null_space(*objective));
                assert_eq!(plain.is_ok(), used.is_ok(), "{name}, case {case}, {objective}");
                let (Ok(plain), Ok(used)) = (&plain, used) else { continue };
                robot.check_limits(group, &used.joints, 0.0).unwrap();
                assert!(reached(&robot, &used.joints).translation_distance(&goal) < 1e-4 + 1e-12);
                let measure = |q: &[f64]| match objective {
                    NullSpace::Manipulability => manipulability(&chain, q).unwrap(),
                    NullSpace::MinimalDisplacement => -q.iter().zip(&*seed).map(|(q, s)| (q - s).powi(2)).sum::<f64>(),
                    NullSpace::JointCentering => -off_centre(&chain, q),
                };
                let (before, after) = (measure(&plain.joints), measure(&used.joints));
                assert!(after >= before - 1e-9, "{name}, case {case}, {objective}: {before} to {after}");
                better[index] += usize::from(after > before + 1e-6);
            }
        }
        for (objective, better) in NullSpace::ALL.iter().zip(better) {
            assert!(better * 10 >= solved * 8, "{name}: {objective} improves {better} of {solved}");
        }
    }
}

/// Half of the squared distance from the middle of the limits, in parts of half the range.
fn off_centre(chain: &KinematicChain, q: &[f64]) -> f64 {
    let part = |(q, (low, high)): (&f64, &(f64, f64))| {
        if (high - low).is_finite() { ((q - f64::midpoint(*low, *high)) / (0.5 * (high - low))).powi(2) } else { 0.0 }
    };
    0.5 * q.iter().zip(chain.bounds()).map(part).sum::<f64>()
}

#[test]
fn the_condition_number_is_that_of_the_jacobian() {
    let robot = Robot::from_name("ur5e").unwrap();
    let group = &robot.groups[robot.default_group];
    let chain = KinematicChain::from_group(&robot, group).unwrap();
    let mut rng = SeededRng::new(37);
    for case in 0..50 {
        let goal = reached(&robot, &robot.random_configuration(group, &mut rng));
        let solution = solve_ik(&chain, &goal, &IKConfig::default()).unwrap();
        let expected = condition_number(&chain, &solution.joints).unwrap();
        assert!((solution.condition_number / expected - 1.0).abs() < 1e-5, "case {case}");
        assert_eq!(solution.degraded, expected > 1000.0, "case {case}");
    }
    // Straight elbow and straight wrist: singular.
    let straight = chain.tip_pose(&[0.3, -1.0, 0.0, 0.4, 0.0, 0.2]);
    let config = IKConfig { seed: Some([0.3, -1.0, 0.0, 0.4, 0.0, 0.2].into()), ..IKConfig::default() };
    assert!(solve_ik(&chain, &straight, &config).unwrap().degraded);
}

#[test]
fn names_of_solvers_are_those_that_configurations_may_prefer() {
    for name in kinetic_robot::IK_SOLVERS {
        assert!(IKSolver::names().iter().any(|known| known == name), "{name}");
    }
    for name in IKSolver::names() {
        assert_eq!(name.parse::<IKSolver>().unwrap().id(), name);
    }
    let error = "newton".parse::<IKSolver>().unwrap_err();
    assert!(error.to_string().contains("dls"), "{error}");
}

#[test]
fn a_closed_form_asked_for_by_name_must_fit_the_arm() {
    let robot = Robot::from_name("ur5e").unwrap();
    let chain = KinematicChain::auto_detect(&robot).unwrap();
    let goal = Pose::from_xyz_rpy(0.4, 0.2, 0.4, 3.0, 0.1, 0.5);
    for solver in [IKSolver::Analytic, IKSolver::Subproblem] {
        let solution = solve_ik(&chain, &goal, &IKConfig::default().with_solver(solver)).unwrap();
        assert_eq!((solution.solver, solution.iterations), (solver, 0));
        assert!(reached(&robot, &solution.joints).translation_distance(&goal) < 1e-9);
    }
    for solver in [IKSolver::OPW, IKSolver::Subproblem7DOF { num_samples: 36 }] {
        let error = solve_ik(&chain, &goal, &IKConfig::default().with_solver(solver)).unwrap_err();
        let KineticError::IncompatibleKinematics { reason } = error else { panic!("{error}") };
        let reason = reason.to_string();
        assert!(reason.contains(solver.id()) && reason.contains("six_r.three_parallel"), "{reason}");
    }
    let sampled = |name: &str, num_samples: usize| {
        let robot = Robot::from_name(name).unwrap();
        let chain = KinematicChain::auto_detect(&robot).unwrap();
        let config = IKConfig::default().with_solver(IKSolver::Subproblem7DOF { num_samples });
        let group = &robot.groups[robot.default_group];
        let goal = chain.tip_pose(&robot.mid_configuration(group));
        solve_ik(&chain, &goal, &config).map(|solution| (solution.position_error, solution.solver))
    };
    let (error, solver) = sampled("kuka_iiwa14", 12).unwrap();
    assert!(error < 1e-9 && solver == IKSolver::Subproblem7DOF { num_samples: 12 }, "{error}");
    // An eighth joint; and a joint that follows another.
    for name in ["fetch", "stretch_re2"] {
        assert!(matches!(sampled(name, 12), Err(KineticError::IncompatibleKinematics { .. })), "{name}");
    }
    assert!(sampled("kuka_iiwa14", 0).unwrap_err().is_input_error());
}

#[test]
fn a_preference_is_taken_where_it_fits_and_passed_over_where_it_does_not() {
    let mut robot = Robot::from_name("ur5e").unwrap();
    let chain = KinematicChain::auto_detect(&robot).unwrap();
    let closed_form = Manipulator::from_robot(&robot, None, TolerancePolicy::default()).unwrap();
    let goal = Pose::from_xyz_rpy(0.4, 0.2, 0.4, 3.0, 0.1, 0.5);
    let mut solver = |preferred: &str| {
        preferred.clone_into(&mut robot.ik_preference.solver);
        solve_ik_auto(Some(&closed_form), &chain, &goal, &IKConfig::for_robot(&robot)).unwrap().solver.id()
    };
    assert_eq!(["auto", "opw", "analytic", "dls"].map(&mut solver), ["analytic", "analytic", "analytic", "dls"]);
    // Only "auto" is replaced by a closed form.
    let named =
        |solver: IKSolver| solve_ik_auto(Some(&closed_form), &chain, &goal, &IKConfig::default().with_solver(solver));
    assert_eq!(named(IKSolver::SQP).unwrap().solver, IKSolver::SQP);
    assert!(named(IKSolver::Cached).unwrap_err().is_input_error());
}

#[test]
fn limits_that_are_the_wrong_way_round_are_refused() {
    let mut robot = Robot::from_name("ur5e").unwrap();
    (robot.joint_limits[1].lower, robot.joint_limits[1].upper) = (1.0, -1.0);
    let chain = KinematicChain::auto_detect(&robot).unwrap();
    let error = solve_ik(&chain, &Pose::from_xyz(0.4, 0.2, 0.4), &IKConfig::default()).unwrap_err();
    assert!(error.is_input_error() && error.to_string().contains("shoulder_lift_joint"), "{error}");
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
    let apart = pairwise_distances(&chain, &found);
    for solution in &found {
        assert!(reached(&robot, &solution.joints).translation_distance(&goal) < 1e-6);
        robot.check_limits(group, &solution.joints, 0.0).unwrap();
    }
    assert!((0..8).all(|a| (0..8).all(|b| if a == b { apart[(a, b)] == 0.0 } else { apart[(a, b)] > 1e-3 })));
}

#[test]
fn the_branches_of_a_pose_are_those_of_many_restarts_and_a_redundant_arm_has_many() {
    let robot = Robot::from_name("ur5e").unwrap();
    let chain = KinematicChain::auto_detect(&robot).unwrap();
    let closed_form = Manipulator::from_robot(&robot, None, TolerancePolicy::default()).unwrap();
    let goal = Pose::from_xyz_rpy(0.4, 0.2, 0.4, 3.0, 0.1, 0.5);
    let config = IKConfig { num_restarts: 100, ..IKConfig::default() };
    let branches = solve_ik_branches(Some(&closed_form), &chain, &goal, &config).unwrap();
    let searched = solve_ik_distinct(&chain, &goal, &config).unwrap();
    assert_eq!((branches.len(), searched.len()), (8, 8));
    for found in &searched {
        let both =
            |branch: &&IKSolution| pairwise_distances(&chain, &[(*branch).clone(), found.clone()])[(0, 1)] < 1e-3;
        assert_eq!(branches.iter().filter(both).count(), 1);
    }
    let panda = Robot::from_name("franka_panda").unwrap();
    let chain = KinematicChain::auto_detect(&panda).unwrap();
    let closed_form = Manipulator::from_robot(&panda, None, TolerancePolicy::default()).unwrap();
    let goal = Pose::from_xyz_rpy(0.5, 0.1, 0.5, 3.0, 0.1, 0.5);
    let branches = solve_ik_branches(Some(&closed_form), &chain, &goal, &config).unwrap();
    assert!(branches.len() >= 16, "{}", branches.len());
    for branch in &branches {
        assert!(chain.tip_pose(&branch.joints).translation_distance(&goal) < 1e-6);
    }
    let out_of_reach = Pose::from_xyz(2.0, 0.0, 0.3);
    let error = solve_ik_branches(Some(&closed_form), &chain, &out_of_reach, &config).unwrap_err();
    assert!(matches!(error, KineticError::NoIKSolution { .. }), "{error}");
}

/// How far a search that ends within 1e-7 m and rad stays from the branch that it found, rad.
const SAME: f64 = 1e-3;

/// Without a closed form at hand five of eight branches were found by restarts, and nothing said so.
#[test]
fn branches_are_all_listed_without_a_closed_form_at_hand_and_without_a_seed() {
    let robot = Robot::from_name("ur5e").unwrap();
    let chain = KinematicChain::auto_detect(&robot).unwrap();
    let mut rng = SeededRng::new(7);
    let config = IKConfig::for_robot(&robot);
    let (tight, num_restarts) = (1e-7, 300);
    let many = IKConfig {
        num_restarts,
        position_tolerance: tight,
        orientation_tolerance: tight,
        ..IKConfig::for_robot(&robot)
    };
    for _ in 0..10 {
        let q: Vec<f64> = chain.bounds().iter().map(|(low, high)| rng.uniform(*low, *high)).collect();
        let goal = chain.tip_pose(&q);
        let branches = solve_ik_branches(None, &chain, &goal, &config).unwrap();
        let searched = solve_ik_distinct(&chain, &goal, &many).unwrap();
        for found in &searched {
            let apart = |branch: &IKSolution| pairwise_distances(&chain, &[branch.clone(), found.clone()])[(0, 1)];
            assert!(branches.iter().any(|branch| apart(branch) < SAME), "{q:?}: {:?} is missing", found.joints);
        }
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

#[test]
fn a_chain_rebuilt_from_its_parts_gives_the_same_answer() {
    for name in ["ur5e", "franka_panda", "fetch", "pr2", "stretch_re2"] {
        let chain = KinematicChain::auto_detect(&Robot::from_name(name).unwrap()).unwrap();
        let again = KinematicChain::from_parts(chain.to_parts()).unwrap();
        let q: Vec<f64> = chain.bounds().iter().map(|(low, high)| 0.3 * low.max(-3.0) + 0.7 * high.min(3.0)).collect();
        let target = chain.tip_pose(&q);
        let config = IKConfig::dls();
        assert_eq!(solve_ik(&again, &target, &config).unwrap(), solve_ik(&chain, &target, &config).unwrap(), "{name}");
    }
}
