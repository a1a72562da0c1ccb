//! What trajectory optimisation proposes in worlds with obstacles, judged by the exact checker.

use std::sync::Arc;

use kinetic_core::{Control, Pose, Shape};
use kinetic_gpu::{CpuTrajectoryOptimizer, GpuConfig, GpuTrajectoryOptimizer, SplineProposal};
use kinetic_robot::Robot;
use kinetic_scene::{Margins, Scene};

use crate::collision::group_of;
use crate::support::device;
use crate::trajopt::noisy_lines;

/// A Panda beside a post between start and goal, above a table.
fn post() -> Scene {
    let robot = Arc::new(Robot::from_name("franka_panda").unwrap());
    let mut scene = Scene::new(&robot).unwrap();
    scene.add("table", Shape::cuboid(0.3, 0.6, 0.02).unwrap(), Pose::from_xyz(0.6, 0.0, 0.0)).unwrap();
    scene.add("post", Shape::cuboid(0.04, 0.04, 0.2).unwrap(), Pose::from_xyz(0.55, 0.0, 0.22)).unwrap();
    scene
}

const START: [f64; 7] = [-0.7, 0.4, 0.0, -1.9, 0.0, 2.3, 0.8];
const GOAL: [f64; 7] = [0.7, 0.4, 0.0, -1.9, 0.0, 2.3, 0.8];
const SEEDS: usize = 8;

fn options() -> GpuConfig {
    GpuConfig { control_points: 16, iterations: 60, ..GpuConfig::default() }
}

fn seeds() -> Vec<f64> {
    noisy_lines([&START, &GOAL], options().control_points, SEEDS, 0.5)
}

fn twin_of(scene: &Scene, margins: Margins) -> CpuTrajectoryOptimizer {
    CpuTrajectoryOptimizer::new(scene, &group_of(scene.robot()), margins, &[1.0; 7], options()).unwrap()
}

/// Judges proposals, and returns how many are free.
fn judged(scene: &Scene, margins: Margins, proposals: &[SplineProposal]) -> usize {
    let mut exact = scene.checker(&group_of(scene.robot()), margins).unwrap();
    let group = &scene.robot().groups[scene.robot().default_group];
    for (index, proposal) in proposals.iter().enumerate() {
        let rows = proposal.path.len() / 7;
        assert_eq!(rows, (options().control_points + 3) * 2 + 1);
        assert_eq!((&proposal.path[..7], &proposal.path[(rows - 1) * 7..]), (&START[..], &GOAL[..]), "seed {index}");
        for q in proposal.path.chunks(7) {
            let limits = group.variables.iter().map(|variable| &scene.robot().joint_limits[*variable]);
            assert!(q.iter().zip(limits).all(|(value, limits)| limits.contains(*value, 0.0)), "seed {index}: {q:?}");
            assert!(!proposal.is_free() || exact.is_free(q), "seed {index}: {q:?}");
        }
        assert!(proposal.iterations >= 1 && proposal.iterations <= 60);
    }
    proposals.iter().filter(|proposal| proposal.is_free()).count()
}

#[test]
fn seeds_move_off_a_post_and_the_exact_checker_agrees() {
    let scene = post();
    for margins in [Margins::ZERO, Margins::new(0.02, 0.0)] {
        let twin = twin_of(&scene, margins);
        let first = GpuConfig { iterations: 1, ..options() };
        let group = group_of(scene.robot());
        let before = CpuTrajectoryOptimizer::new(&scene, &group, margins, &[1.0; 7], first).unwrap();
        let before = before.optimize(&seeds(), &Control::default()).unwrap();
        assert!(!before[0].is_free(), "the line collides");
        let proposals = twin.optimize(&seeds(), &Control::default()).unwrap();
        let free = judged(&scene, margins, &proposals);
        eprintln!("{free} of {SEEDS} seeds, {} of them at once", judged(&scene, margins, &before));
        assert!(free > SEEDS / 2, "{free}");
        assert!(proposals.iter().zip(&before).all(|(after, before)| after.is_free() || after.cost <= before.cost));
        let Some(device) = device() else { continue };
        let mut optimizer =
            GpuTrajectoryOptimizer::new(&device, &scene, &group, margins, &[1.0; 7], options()).unwrap();
        let on_device = optimizer.optimize(&seeds(), &Control::default()).unwrap();
        assert!(judged(&scene, margins, &on_device) > SEEDS / 2);
    }
}

#[test]
fn straight_lines_stay_where_nothing_is_near() {
    let robot = Arc::new(Robot::from_name("franka_panda").unwrap());
    let scene = Scene::new(&robot).unwrap();
    let twin = twin_of(&scene, Margins::ZERO);
    let line = noisy_lines([&START, &GOAL], options().control_points, 1, 0.0);
    let proposal = &twin.optimize(&line, &Control::default()).unwrap()[0];
    assert!(proposal.is_free() && proposal.iterations == 1, "{proposal:?}");
    for q in proposal.path.chunks(7) {
        let share = (q[0] - START[0]) / (GOAL[0] - START[0]);
        let on_line = |joint: usize| START[joint] + share * (GOAL[joint] - START[joint]);
        assert!((0..7).all(|joint| (q[joint] - on_line(joint)).abs() < 1e-12), "{q:?}");
    }
}

#[test]
fn seeds_that_do_not_move_stay_where_they_are() {
    let mut scene = post();
    scene.add("wall", Shape::cuboid(0.1, 0.1, 0.1).unwrap(), Pose::from_xyz(0.4, -0.3, 0.4)).unwrap();
    let resting = noisy_lines([&START, &START], options().control_points, 1, 0.0);
    for scene in [post(), scene] {
        let proposal = &twin_of(&scene, Margins::ZERO).optimize(&resting, &Control::default()).unwrap()[0];
        let apart = proposal.path.iter().zip(START.iter().cycle()).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
        assert!(apart < 1e-12 && proposal.cost < 1e-7, "{apart}, {}", proposal.cost);
        let mut exact = scene.checker(&group_of(scene.robot()), Margins::ZERO).unwrap();
        assert_eq!(proposal.is_free(), exact.is_free(&START));
    }
}

#[test]
fn seeds_beyond_the_joint_limits_are_brought_inside() {
    let scene = post();
    let far = noisy_lines([&START, &GOAL], options().control_points, SEEDS, 4.0);
    let group = &scene.robot().groups[scene.robot().default_group];
    let limits = |joint: usize| &scene.robot().joint_limits[group.variables[joint]];
    assert!(far.iter().enumerate().any(|(index, value)| !limits(index % 7).contains(*value, 0.1)));
    judged(&scene, Margins::ZERO, &twin_of(&scene, Margins::ZERO).optimize(&far, &Control::default()).unwrap());
    let Some(device) = device() else { return };
    let options = GpuConfig { iterations: 5, ..options() };
    let mut optimizer =
        GpuTrajectoryOptimizer::new(&device, &scene, &group.name, Margins::ZERO, &[1.0; 7], options).unwrap();
    judged(&scene, Margins::ZERO, &optimizer.optimize(&far, &Control::default()).unwrap());
}

#[test]
fn whole_turns_of_continuous_joints_change_nothing() {
    let robot = Arc::new(Robot::from_name("kinova_gen3").unwrap());
    let mut scene = Scene::new(&robot).unwrap();
    scene.add("ball", Shape::sphere(0.15).unwrap(), Pose::from_xyz(0.5, 0.0, 0.5)).unwrap();
    let group = &robot.groups[robot.default_group];
    let limits = |joint: usize| &robot.joint_limits[group.variables[joint]];
    let turning = (0..group.dof()).find(|joint| limits(*joint).upper == f64::INFINITY).unwrap();
    let twin = CpuTrajectoryOptimizer::new(&scene, &group.name, Margins::ZERO, &[1.0; 7], options()).unwrap();
    let (mut start, mut goal) = ([-0.6, 0.9, 0.0, 0.6, 0.0, 0.3, 0.0], [0.6, 0.9, 0.0, 0.6, 0.0, 0.3, 0.0]);
    let near = twin.optimize(&noisy_lines([&start, &goal], 16, 1, 0.0), &Control::default()).unwrap();
    let turns = 5.0 * std::f64::consts::TAU;
    start[turning] += turns;
    goal[turning] += turns;
    let far = twin.optimize(&noisy_lines([&start, &goal], 16, 1, 0.0), &Control::default()).unwrap();
    assert_eq!(near[0].iterations, far[0].iterations);
    for (index, (near, far)) in near[0].path.iter().zip(&far[0].path).enumerate() {
        let by = if index % 7 == turning { turns } else { 0.0 };
        assert!((near + by - far).abs() < 1e-3, "{index}: {near} {far}");
    }
}

#[test]
fn an_update_follows_the_scene() {
    let (mut scene, line) = (post(), noisy_lines([&START, &GOAL], 16, 2, 0.1));
    let mut twin = twin_of(&scene, Margins::ZERO);
    let before = twin.optimize(&line, &Control::default()).unwrap();
    assert!(!twin.update(&scene).unwrap());
    let mut on_device = device().map(|device| {
        let group = group_of(scene.robot());
        GpuTrajectoryOptimizer::new(&device, &scene, &group, Margins::ZERO, &[1.0; 7], options()).unwrap()
    });
    scene.update_pose("post", Pose::from_xyz(0.5, 0.1, 0.3)).unwrap();
    assert!(twin.update(&scene).unwrap());
    assert_eq!(twin.version(), scene.version());
    let after = twin.optimize(&line, &Control::default()).unwrap();
    assert!(before != after);
    assert!(after == twin_of(&scene, Margins::ZERO).optimize(&line, &Control::default()).unwrap());
    let Some(optimizer) = &mut on_device else { return };
    assert!(optimizer.update(&scene).unwrap());
    let found = optimizer.optimize(&line, &Control::default()).unwrap();
    let group = group_of(scene.robot());
    let mut anew =
        GpuTrajectoryOptimizer::new(&optimizer.device().clone(), &scene, &group, Margins::ZERO, &[1.0; 7], options())
            .unwrap();
    assert!(found == anew.optimize(&line, &Control::default()).unwrap());
    judged(&scene, Margins::ZERO, &found);
}
