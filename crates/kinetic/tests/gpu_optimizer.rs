//! Optimisers on a GPU and on the processor: their paths are free and begin and end where they were asked to.

use std::sync::Arc;

use kinetic::core::{Goal, KineticError, Pose, Shape};
use kinetic::gpu::{ComputeChoice, CpuOptimizer, GpuConfig, GpuError, GpuOptimizer, Surroundings};
use kinetic::planning::BatchOptions;
use kinetic::prelude::*;

const START: [f64; 6] = [-0.8, -1.2, 1.4, -1.8, -1.57, 0.0];
const GOAL: [f64; 6] = [0.9, -1.2, 1.4, -1.8, -1.57, 0.0];
/// A ball on the way of the tool.
const BALL: [[f64; 4]; 1] = [[0.6, 0.1, 0.4, 0.12]];

fn robot() -> Arc<Robot> {
    Robot::builtin("ur5e").unwrap()
}

fn seeded() -> PlannerConfig {
    PlannerConfig { num_seeds: Some(64), seed: 3, timeout: 60.0, ..PlannerConfig::default() }
}

/// Checks a path in a scene that is made here, at many points of it.
fn check(robot: &Arc<Robot>, path: &Trajectory) {
    let mut scene = Scene::new(robot).unwrap();
    scene.add("ball", Shape::sphere(BALL[0][3]).unwrap(), Pose::from_xyz(BALL[0][0], BALL[0][1], BALL[0][2])).unwrap();
    let rows: Vec<Vec<f64>> = path.iter().map(<[f64]>::to_vec).collect();
    assert_eq!((&rows[0][..], &rows[rows.len() - 1][..]), (&START[..], &GOAL[..]));
    for pair in rows.windows(2) {
        for step in 0..=50 {
            let share = f64::from(step) / 50.0;
            let q: Vec<f64> = pair[0].iter().zip(&pair[1]).map(|(a, b)| a + share * (b - a)).collect();
            assert_eq!(scene.are_free(&q, 6, Margins::ZERO).unwrap(), [true]);
        }
    }
}

fn length(path: &Trajectory) -> f64 {
    let rows: Vec<Vec<f64>> = path.iter().map(<[f64]>::to_vec).collect();
    let step = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| (a - b).powi(2)).sum::<f64>().sqrt();
    rows.windows(2).map(|pair| step(&pair[0], &pair[1])).sum()
}

#[test]
fn paths_go_around_balls_and_are_straight_without_them() {
    let robot = robot();
    let optimizer = CpuOptimizer::new(&robot, GpuConfig::speed()).unwrap().with_planner_config(seeded()).unwrap();
    let around = Surroundings { obstacle_spheres: &BALL, ..Surroundings::default() };
    let goal = Goal::joints(GOAL);
    let found = optimizer.optimize(&START, &goal, &around).unwrap();
    check(&robot, &found.path);
    assert!(length(&found.path) > 1.75);
    assert_eq!(optimizer.optimize(&START, &goal, &around).unwrap().path, found.path, "the same again");
    let straight = optimizer.optimize(&START, &goal, &Surroundings::default()).unwrap();
    assert!((length(&straight.path) - 1.7).abs() < 1e-6);
    // From the answer nothing is left to optimise.
    let warm = Surroundings { warm_start: Some(&found.path), ..around };
    let again = optimizer.optimize(&START, &goal, &warm).unwrap();
    check(&robot, &again.path);
    let (starts, goals) = ([START, START], [goal.clone(), goal]);
    let both = optimizer.optimize_batch(&starts, &goals, &around, BatchOptions::default()).unwrap();
    assert!(both.iter().all(|one| one.as_ref().unwrap().path == found.path));
}

#[test]
fn a_gpu_does_the_same_and_where_there_is_none_it_is_said_why() {
    let robot = robot();
    let optimizer = match GpuOptimizer::new(&robot, GpuConfig::speed()) {
        Ok(optimizer) => optimizer.with_planner_config(seeded()).unwrap(),
        Err(error) => {
            assert!(matches!(&error, GpuError::NoAdapter { .. }), "{error}");
            assert!(!GpuOptimizer::gpu_available());
            return;
        }
    };
    assert!(optimizer.is_gpu());
    let around = Surroundings { obstacle_spheres: &BALL, ..Surroundings::default() };
    let found = optimizer.optimize(&START, &Goal::joints(GOAL), &around).unwrap();
    check(&robot, &found.path);
}

#[test]
fn what_cannot_be_optimised_is_refused() {
    let robot = robot();
    let broken = GpuConfig { control_points: 0, ..GpuConfig::quality() };
    let refused = GpuOptimizer::on(&ComputeChoice::Cpu, &robot, broken);
    assert!(
        matches!(refused, Err(GpuError::Input(KineticError::InvalidValue { name, .. })) if name == "control_points")
    );
    let optimizer = CpuOptimizer::new(&robot, GpuConfig::speed()).unwrap();
    let goal = Goal::joints(GOAL);
    for ball in [[0.6, 0.0, 0.4, -0.1], [0.6, f64::NAN, 0.4, 0.1], [0.6, 0.0, 0.4, f64::INFINITY]] {
        let around = Surroundings { obstacle_spheres: &[ball], ..Surroundings::default() };
        assert!(optimizer.optimize(&START, &goal, &around).is_err(), "{ball:?}");
    }
    let elsewhere = Scene::new(&Robot::builtin("franka_panda").unwrap()).unwrap();
    let around = Surroundings { scene: Some(&elsewhere), ..Surroundings::default() };
    assert!(matches!(optimizer.optimize(&START, &goal, &around), Err(KineticError::InvalidValue { .. })));
}
