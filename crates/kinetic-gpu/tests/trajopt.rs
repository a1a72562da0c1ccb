//! Trajectory optimisation: the device against its twin, step by step, and the same bytes however seeds are divided.

use std::sync::Arc;

use kinetic_core::Control;
use kinetic_core::rng::SeededRng;
use kinetic_gpu::{CpuTrajectoryOptimizer, GpuConfig, GpuDevice, GpuTrajectoryOptimizer, SplineProposal};
use kinetic_robot::Robot;
use kinetic_scene::Scene;

use crate::cases;
use crate::collision::{group_of, rows_of};
use crate::robots::random_robot;
use crate::support::{device, small_device};
use crate::worlds::{MARGINS, primitive_scene};

/// Few control points and samples, for tests on software adapters.
pub(crate) fn short(iterations: u32) -> GpuConfig {
    GpuConfig { control_points: 8, iterations, ..GpuConfig::default() }
}

pub(crate) fn twin_with(scene: &Scene, options: GpuConfig) -> CpuTrajectoryOptimizer {
    let group = group_of(scene.robot());
    let weights = weights_of(scene);
    CpuTrajectoryOptimizer::new(scene, &group, MARGINS, &weights, options).unwrap()
}

pub(crate) fn device_with(device: &Arc<GpuDevice>, scene: &Scene, options: GpuConfig) -> GpuTrajectoryOptimizer {
    let group = group_of(scene.robot());
    GpuTrajectoryOptimizer::new(device, scene, &group, MARGINS, &weights_of(scene), options).unwrap()
}

pub(crate) fn weights_of(scene: &Scene) -> Vec<f64> {
    let dof = scene.robot().groups[scene.robot().default_group].dof();
    (0..dof).map(|joint| 1.0 / (1.0 + 0.2 * joint as f64)).collect()
}

/// Lines between two configurations with noise at their control points, the first without.
pub(crate) fn noisy_lines(ends: [&[f64]; 2], points: usize, count: usize, spread: f64) -> Vec<f64> {
    let (dof, mut rng, mut seeds) = (ends[0].len(), SeededRng::new(3), Vec::new());
    for seed in 0..count {
        let noise: Vec<f64> = (0..dof).map(|_| spread * rng.uniform(-1.0, 1.0)).collect();
        for row in 0..points + 2 {
            let t = row as f64 / (points + 1) as f64;
            let bow = if seed == 0 { 0.0 } else { (std::f64::consts::PI * t).sin() };
            let ends_at = |joint: usize| if row == points + 1 { ends[1][joint] } else { ends[0][joint] };
            let between = |joint: usize| ends[0][joint] + t * (ends[1][joint] - ends[0][joint]) + bow * noise[joint];
            let is_end = row == 0 || row == points + 1;
            seeds.extend((0..dof).map(|joint| if is_end { ends_at(joint) } else { between(joint) }));
        }
    }
    seeds
}

/// Seeds between random configurations of a robot.
fn seeds_of(robot: &Robot, options: &GpuConfig, count: usize) -> Vec<f64> {
    let dof = robot.groups[robot.default_group].dof();
    // Leaders of slow followers have limits far beyond what single precision holds well.
    let ends: Vec<f64> = rows_of(robot, 5, 2).iter().map(|value| value.clamp(-6.0, 6.0)).collect();
    noisy_lines([&ends[..dof], &ends[dof..]], options.control_points, count, 0.3)
}

fn unbounded() -> Control {
    Control::default()
}

/// Largest differences of costs, slacks and joint values.
fn apart(found: &[SplineProposal], wanted: &[SplineProposal]) -> [f64; 3] {
    assert_eq!(found.len(), wanted.len());
    let mut worst = [0.0_f64; 3];
    for (a, b) in found.iter().zip(wanted) {
        assert_eq!(a.path.len(), b.path.len());
        assert_eq!(a.iterations, b.iterations);
        let joints = a.path.iter().zip(&b.path).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
        let differences = [(a.cost - b.cost).abs() / (1e-3 + b.cost), (a.least_slack - b.least_slack).abs(), joints];
        worst.iter_mut().zip(differences).for_each(|(worst, difference)| *worst = worst.max(difference));
    }
    worst
}

/// Scenes around random robots and built-in ones.
fn scenes(count: u64) -> Vec<Scene> {
    let built_in = ["ur5e", "franka_panda"].map(|name| Arc::new(Robot::from_name(name).unwrap()));
    let random = (0..count).map(random_robot).filter(|robot| !robot.groups.is_empty());
    built_in.into_iter().chain(random).enumerate().map(|(seed, robot)| primitive_scene(&robot, seed as u64)).collect()
}

#[test]
fn the_first_steps_on_the_device_are_those_of_the_twin() {
    let Some(device) = device() else { return };
    let (mut joints, mut moved) = (0, 0);
    for scene in scenes(cases(16, 100) as u64) {
        let name = scene.robot().name.clone();
        for (iterations, tolerances) in [(1, [1e-3, 1e-5, 1e-6]), (3, [2e-2, 1e-3, 5e-3])] {
            let options = short(iterations);
            let seeds = seeds_of(scene.robot(), &options, 4);
            let wanted = twin_with(&scene, options).optimize(&seeds, &unbounded()).unwrap();
            let found = device_with(&device, &scene, options).optimize(&seeds, &unbounded()).unwrap();
            let worst = apart(&found, &wanted);
            eprintln!("{name}, {iterations} iterations: {worst:?}");
            assert!(worst.iter().zip(tolerances).all(|(worst, most)| *worst < most), "{name}: {worst:?}");
            moved += wanted.iter().filter(|proposal| proposal.iterations == 3).count();
        }
        joints = joints.max(weights_of(&scene).len());
    }
    assert!(joints > 7 && moved > 10, "{joints} joints, {moved} moved");
}

#[test]
fn seeds_have_the_same_bytes_again_and_however_they_are_divided() {
    let (Some(device), Some(small)) = (device(), small_device()) else { return };
    let robot = Arc::new(Robot::from_name("franka_panda").unwrap());
    let scene = primitive_scene(&robot, 1);
    let options = short(12);
    let seeds = seeds_of(&robot, &options, 40);
    let mut optimizer = device_with(&device, &scene, options);
    let found = optimizer.optimize(&seeds, &unbounded()).unwrap();
    assert_eq!(found.len(), 40);
    assert!(found.iter().any(|proposal| proposal.iterations > 10), "more than one dispatch");
    assert!(optimizer.optimize(&seeds, &unbounded()).unwrap() == found, "again");
    let width = seeds.len() / 40;
    for seed in [0, 17, 39] {
        let alone = optimizer.optimize(&seeds[seed * width..(seed + 1) * width], &unbounded()).unwrap();
        assert!(alone == found[seed..=seed], "seed {seed}");
    }
    assert!(device_with(&small, &scene, options).optimize(&seeds, &unbounded()).unwrap() == found, "small limits");
}

#[test]
fn the_twin_has_the_same_bytes_however_seeds_are_divided() {
    let robot = Arc::new(Robot::from_name("ur5e").unwrap());
    let scene = primitive_scene(&robot, 4);
    let options = short(20);
    let seeds = seeds_of(&robot, &options, 9);
    let twin = twin_with(&scene, options);
    let found = twin.optimize(&seeds, &unbounded()).unwrap();
    for (seed, proposal) in seeds.chunks(seeds.len() / 9).zip(&found) {
        assert!(twin.optimize(seed, &unbounded()).unwrap() == std::slice::from_ref(proposal));
    }
}
