//! Batches: every pose on its own, the same bytes for any number of threads.

use kinetic_core::rng::SeededRng;
use kinetic_core::{Control, ManualClock, Pose, StopFlag};
use kinetic_ik::tasks::{BatchOptions, Initial, TaskOptions, batch_inverse_kinematics};
use kinetic_kinematics::VirtualBase;
use kinetic_robot::{PlanningGroup, Robot};

use super::{reached, robot, tool};
use crate::cases;

fn in_base(robot: &Robot, group: &PlanningGroup, q: &[f64]) -> Pose {
    let base = kinetic_ik::tasks::FrameOn::link(group.base_link);
    reached(robot, q, &base).inverse() * reached(robot, q, &tool(group))
}

fn targets(robot: &Robot, group: &PlanningGroup, count: usize) -> Vec<Pose> {
    let mut rng = SeededRng::new(91);
    let draw = |rng: &mut SeededRng| robot.full_configuration(group, &robot.random_configuration(group, rng)).unwrap();
    (0..count).map(|_| in_base(robot, group, &draw(&mut rng))).collect()
}

#[test]
fn random_poses_are_reached_within_the_thresholds() {
    for name in ["ur5e", "franka_panda", "fetch"] {
        let (robot, group) = robot(name);
        let targets = targets(&robot, &group, cases(100, 2000));
        let mut options = BatchOptions::from_configuration(robot.neutral_configuration());
        options.solver.attempts = 20;
        let solutions = batch_inverse_kinematics(&robot, &group, &targets, &options, &Control::default()).unwrap();
        let solved = solutions.iter().filter(|solution| solution.success).count();
        assert!(solved as f64 >= 0.99 * targets.len() as f64, "{name}: {solved}");
        for (solution, target) in solutions.iter().zip(&targets) {
            let pose = in_base(&robot, &group, &solution.q);
            let is_there = pose.translation_distance(target) < 1.001e-3 && pose.rotation_distance(target) < 0.017_46;
            assert_eq!(solution.success, is_there);
            assert!((1..=20).contains(&solution.attempts));
        }
    }
}

#[test]
fn answers_depend_on_the_seed_and_not_on_the_threads() {
    let (robot, group) = robot("franka_panda");
    let targets = targets(&robot, &group, 23);
    let solve = |threads, rng_seed| {
        let mut options = BatchOptions::from_configuration(robot.neutral_configuration());
        options.initial = Initial::Random(robot.neutral_configuration());
        options.solver = TaskOptions { attempts: 5, rng_seed, ..options.solver };
        options.threads = Some(threads);
        batch_inverse_kinematics(&robot, &group, &targets, &options, &Control::default()).unwrap()
    };
    let one = solve(1, 7);
    for threads in [2, 3, 8, 40] {
        assert_eq!(solve(threads, 7), one, "{threads} threads");
    }
    assert_ne!(solve(1, 8), one);
}

#[test]
fn every_pose_may_have_its_own_start() {
    let (robot, group) = robot("ur5e");
    let mut rng = SeededRng::new(92);
    let starts: Vec<Vec<f64>> = (0..20).map(|_| robot.random_variables(&mut rng)).collect();
    let targets: Vec<Pose> = starts.iter().map(|q| in_base(&robot, &group, q)).collect();
    let mut options = BatchOptions::from_configuration(Vec::new());
    options.initial = Initial::Each(starts.clone());
    let solutions = batch_inverse_kinematics(&robot, &group, &targets, &options, &Control::default()).unwrap();
    // Each starts where it shall end.
    assert!(solutions.iter().zip(&starts).all(|(solution, start)| solution.success && solution.q == *start));
}

#[test]
fn what_cannot_work_is_refused_and_a_stop_is_heard() {
    let (robot, group) = robot("ur5e");
    let targets = targets(&robot, &group, 3);
    let plain = BatchOptions::from_configuration(robot.neutral_configuration());
    let solve = |options: &BatchOptions, targets: &[Pose]| {
        batch_inverse_kinematics(&robot, &group, targets, options, &Control::default())
    };
    assert!(solve(&plain, &[]).unwrap().is_empty());
    let refused = |options: BatchOptions| solve(&options, &targets).unwrap_err().code();
    assert_eq!(refused(BatchOptions { joints: Some(Vec::new()), ..plain.clone() }), "InvalidValue");
    assert_eq!(
        refused(BatchOptions { initial: Initial::Each(vec![vec![0.0; 6]]), ..plain.clone() }),
        "DimensionMismatch"
    );
    assert_eq!(refused(BatchOptions { initial: Initial::Same(vec![0.0; 2]), ..plain.clone() }), "DimensionMismatch");
    assert_eq!(refused(BatchOptions { base_weights: Some(vec![1.0]), ..plain.clone() }), "DimensionMismatch");
    assert_eq!(solve(&plain, &[Pose::from_xyz(f64::NAN, 0.0, 0.0)]).unwrap_err().code(), "NotFinite");
    let stop = StopFlag::default();
    stop.stop();
    let control = Control::new(std::sync::Arc::new(ManualClock::default()), f64::INFINITY, u64::MAX, stop);
    let error = batch_inverse_kinematics(&robot, &group, &targets, &plain, &control).unwrap_err();
    assert_eq!(error.code(), "Cancelled");
    // A base alone can move too.
    let wheels = BatchOptions { joints: Some(Vec::new()), base: VirtualBase::Floating, ..plain };
    let solutions = solve(&wheels, &targets).unwrap();
    assert!(solutions.iter().all(|solution| solution.success && solution.q == robot.neutral_configuration()));
}
