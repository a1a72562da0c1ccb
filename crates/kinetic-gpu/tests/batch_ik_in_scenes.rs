//! Inverse kinematics that goes away from collisions: answers are answers, and redundant arms have more free ones.

use std::sync::Arc;

use kinetic_core::rng::SeededRng;
use kinetic_core::{KineticError, Pose, Shape};
use kinetic_gpu::{
    BatchIkOptions, BatchIkSolution, CollisionOptions, CpuInverseKinematics, GpuError, GpuInverseKinematics,
};
use kinetic_kinematics::KinematicChain;
use kinetic_robot::Robot;
use kinetic_scene::{Margins, Scene};

use crate::batch_ik::{solved, targets_of};
use crate::cases;
use crate::support::{device, small_device};
use crate::worlds::{far_balls, primitive_scene};

const OPTIONS: BatchIkOptions = BatchIkOptions { starts: 16, iterations: 60, seed: 1 };
/// Few starts, so that it matters where each of them ends.
const FEW: BatchIkOptions = BatchIkOptions { starts: 2, ..OPTIONS };

fn arm_of(name: &str) -> (Arc<Robot>, KinematicChain) {
    let robot = Arc::new(Robot::from_name(name).unwrap());
    let chain = KinematicChain::auto_detect(&robot).unwrap();
    (robot, chain)
}

/// Boxes around an arm, none of them at its base.
fn among_boxes(robot: &Arc<Robot>, seed: u64) -> Scene {
    let (mut scene, mut rng) = (Scene::new(robot).unwrap(), SeededRng::new(seed));
    for index in 0..60 {
        let (angle, distance) = (rng.uniform(-3.1, 3.1), rng.uniform(0.4, 0.9));
        let at = Pose::from_xyz(distance * angle.cos(), distance * angle.sin(), rng.uniform(0.0, 1.0));
        let [x, y, z] = [(); 3].map(|()| rng.uniform(0.03, 0.1));
        scene.add(&format!("box {index}"), Shape::cuboid(x, y, z).unwrap(), at).unwrap();
    }
    scene
}

/// Poses that free configurations of the scene reach.
fn reachable(scene: &Scene, chain: &KinematicChain, seed: u64, count: usize) -> Vec<Pose> {
    let mut rng = SeededRng::new(seed);
    let mut found = Vec::new();
    while found.len() < count {
        let value = |(low, high): &(f64, f64)| rng.uniform(low.max(-3.1), high.min(3.1));
        let q: Vec<f64> = chain.bounds().iter().map(value).collect();
        if scene.are_free(&q, q.len(), Margins::ZERO).unwrap()[0] {
            found.push(chain.tip_pose(&q));
        }
    }
    found
}

/// Poses with a free answer, and free answers.
fn free_answers(scene: &Scene, answers: &[Vec<BatchIkSolution>]) -> [usize; 2] {
    let is_free =
        |one: &&BatchIkSolution| scene.are_free(&one.configuration, one.configuration.len(), Margins::ZERO).unwrap()[0];
    let free: Vec<usize> = answers.iter().map(|all| all.iter().filter(is_free).count()).collect();
    [free.iter().filter(|count| **count > 0).count(), free.iter().sum()]
}

#[test]
fn more_answers_of_redundant_arms_are_free_and_all_are_answers() {
    for (name, is_redundant) in [("franka_panda", true), ("ur5e", false)] {
        let (robot, chain) = arm_of(name);
        let (mut before, mut after, mut poses) = ([0; 2], [0; 2], 0);
        for seed in 0..3 {
            let scene = among_boxes(&robot, seed);
            let targets = reachable(&scene, &chain, seed, cases(40, 400));
            let (_, start) = targets_of(&chain, 0, 0);
            let mut plain = CpuInverseKinematics::new(&chain, FEW).unwrap();
            let mut clear =
                plain.clone().in_scene(&scene, chain.name(), Margins::ZERO, CollisionOptions::default()).unwrap();
            let [one, other] = [&mut plain, &mut clear].map(|solver| solver.solve(&targets, &start).unwrap());
            solved(&chain, &targets, &one, &start);
            solved(&chain, &targets, &other, &start);
            let (without, with) = (free_answers(&scene, &one), free_answers(&scene, &other));
            before = [before[0] + without[0], before[1] + without[1]];
            after = [after[0] + with[0], after[1] + with[1]];
            poses += targets.len();
        }
        eprintln!("{name}: {before:?} -> {after:?} free poses and answers of {poses} poses");
        if is_redundant {
            // Self-motions leave obstacles.
            assert!(after[0] * 100 >= before[0] * 110, "{name}: {before:?} {after:?}");
            assert!(after[1] * 100 >= before[1] * 110, "{name}: {before:?} {after:?}");
        } else {
            // The answers of other arms are isolated: what is gained on other branches, starts next to free ones lose.
            assert!(after[0] * 100 >= before[0] * 97, "{name}: {before:?} {after:?}");
        }
    }
}

#[test]
fn devices_compute_what_the_twin_does_and_repeat_it() {
    let (Some(device), Some(small)) = (device(), small_device()) else { return };
    for name in ["franka_panda", "fetch"] {
        let (robot, chain) = arm_of(name);
        let scene = primitive_scene(&robot, 5);
        let (targets, start) = targets_of(&chain, 4, 30);
        let margins = Margins::new(0.01, 0.0);
        let on = |device| {
            let solver = GpuInverseKinematics::new(device, &chain, OPTIONS).unwrap();
            let mut solver = solver.in_scene(&scene, chain.name(), margins, CollisionOptions::default()).unwrap();
            solver.solve(&targets, &start).unwrap()
        };
        let found = on(&device);
        assert!(found == on(&device), "{name}: the same bytes again");
        assert!(found == on(&small), "{name}: the same bytes under small limits");
        let plain = CpuInverseKinematics::new(&chain, OPTIONS).unwrap();
        let mut twin = plain.in_scene(&scene, chain.name(), margins, CollisionOptions::default()).unwrap();
        let wanted = twin.solve(&targets, &start).unwrap();
        let [on_device, by_twin] = [&found, &wanted].map(|answers| solved(&chain, &targets, answers, &start));
        // Drivers round differently, so that single starts end on other branches.
        assert!(on_device.abs_diff(by_twin) <= 2, "{name}: {on_device} and {by_twin} of 30");
        assert!(by_twin >= 20, "{name}: {by_twin} of 30");
    }
}

#[test]
fn tools_and_bases_beside_the_root_are_where_they_are_without_a_scene() {
    let tool = Pose::from_xyz_rpy(0.03, -0.02, 0.1, 0.4, -0.3, 0.2);
    for name in ["fetch", "franka_panda", "abb_yumi_left"] {
        let (robot, chain) = arm_of(name);
        let chain = chain.with_tcp(&tool);
        let scene = Scene::new(&robot).unwrap();
        let (targets, start) = targets_of(&chain, 6, 30);
        let mut plain = CpuInverseKinematics::new(&chain, OPTIONS).unwrap();
        let mut clear =
            plain.clone().in_scene(&scene, chain.name(), Margins::ZERO, CollisionOptions::default()).unwrap();
        let [without, with] = [&mut plain, &mut clear].map(|solver| {
            let found = solver.solve(&targets, &start).unwrap();
            solved(&chain, &targets, &found, &start)
        });
        assert!(with + 2 >= without && with >= 20, "{name}: {without} {with}");
    }
}

#[test]
fn wrong_groups_and_options_have_typed_errors() {
    let (robot, chain) = arm_of("franka_panda");
    let (scene, options) = (Scene::new(&robot).unwrap(), CollisionOptions::default());
    let solver = CpuInverseKinematics::new(&chain, OPTIONS).unwrap();
    let of = |scene: &Scene, group: &str, options| solver.clone().in_scene(scene, group, Margins::ZERO, options).err();
    assert!(matches!(of(&scene, "no group", options), Some(KineticError::GroupNotFound { .. })));
    let (other, _) = arm_of("ur5e");
    let elsewhere = Scene::new(&other).unwrap();
    let group = &other.groups[other.default_group].name;
    assert!(matches!(of(&elsewhere, group, options), Some(KineticError::InvalidValue { .. })));
    let broken = CollisionOptions { resolution: f64::NAN };
    assert!(matches!(of(&scene, chain.name(), broken), Some(KineticError::InvalidValue { .. })));
    let Some(device) = device() else { return };
    let solver = GpuInverseKinematics::new(&device, &chain, OPTIONS).unwrap();
    let refused = solver.in_scene(&elsewhere, group, Margins::ZERO, options);
    assert!(matches!(refused, Err(GpuError::Input(KineticError::InvalidValue { .. }))));
    // Regression 31: loops that a driver ends early.
    let crowd = far_balls(&robot, 10_000);
    let solver = GpuInverseKinematics::new(&device, &chain, OPTIONS).unwrap();
    let mut solver = solver.in_scene(&crowd, chain.name(), Margins::ZERO, options).unwrap();
    let (targets, start) = targets_of(&chain, 1, 1);
    if let Err(error) = solver.solve(&targets, &start) {
        let of_scene = |name: &str| name == "obstacles of the scene";
        assert!(
            matches!(&error, GpuError::Input(KineticError::InvalidValue { name, .. }) if of_scene(name)),
            "{error}"
        );
        assert!(device.info().is_software());
    }
}
