//! What does an edit cost, of a scene that nobody else holds and of one whose last content is still in use?
//!
//!     cargo bench -p kinetic-scene --bench editing
//!
//! Small spheres around a Panda. Every edit moves the next object by a millimetre; where it says `check`, one configuration
//! is checked afterwards, on a snapshot in a live scene. Inputs are drawn by fixed seeds.
#![allow(missing_docs, clippy::unwrap_used, reason = "a bench")]

mod worlds;

use std::hint::black_box;
use std::sync::Arc;

use criterion::{Criterion, criterion_group, criterion_main};
use kinetic_core::Pose;
use kinetic_robot::Robot;
use kinetic_scene::{LiveScene, Scene};

/// The objects of a scene in turn, each with where it moves to.
fn moves(scene: &Scene) -> impl Iterator<Item = (String, Pose)> + use<> {
    let nudge = Pose::from_xyz(0.001, 0.0, 0.0);
    let there: Vec<(String, Pose)> =
        scene.objects().iter().map(|(name, object)| (name.clone(), object.pose * nudge)).collect();
    let back: Vec<(String, Pose)> = scene.objects().iter().map(|(name, object)| (name.clone(), object.pose)).collect();
    // Neighbours in the world are no neighbours in name order.
    let stride = 7;
    let order =
        move |moves: Vec<(String, Pose)>| (0..moves.len()).map(move |i| moves[(i * stride) % moves.len()].clone());
    order(there).chain(order(back)).collect::<Vec<_>>().into_iter().cycle()
}

fn editing(criterion: &mut Criterion) {
    let robot = Arc::new(Robot::from_name("franka_panda").unwrap());
    let group = &robot.groups[robot.default_group];
    let q: Vec<f64> = group.variables.iter().map(|variable| robot.neutral_configuration()[*variable]).collect();
    for count in [10, 1_000, 10_000] {
        let mut scene = worlds::spheres_around(&robot, &q, count);
        let q = &worlds::near(&q)[0];
        let mut moves = moves(&scene);
        criterion.bench_function(&format!("edits/{count}_objects/clone"), |bencher| {
            bencher.iter(|| scene.clone());
        });
        criterion.bench_function(&format!("edits/{count}_objects/update_pose/alone"), |bencher| {
            bencher.iter(|| {
                let (name, pose) = moves.next().unwrap();
                scene.update_pose(&name, pose).unwrap();
            });
        });
        criterion.bench_function(&format!("edits/{count}_objects/update_pose/clone_in_use"), |bencher| {
            bencher.iter(|| {
                let (name, pose) = moves.next().unwrap();
                let before = scene.clone();
                scene.update_pose(&name, pose).unwrap();
                before
            });
        });
        criterion.bench_function(&format!("edits/{count}_objects/update_pose_and_check/alone"), |bencher| {
            bencher.iter(|| {
                let (name, pose) = moves.next().unwrap();
                scene.update_pose(&name, pose).unwrap();
                scene.check_collision(black_box(q)).unwrap()
            });
        });
        criterion.bench_function(&format!("edits/{count}_objects/update_pose_and_check/clone_in_use"), |bencher| {
            bencher.iter(|| {
                let (name, pose) = moves.next().unwrap();
                let before = scene.clone();
                scene.update_pose(&name, pose).unwrap();
                (scene.check_collision(black_box(q)).unwrap(), before)
            });
        });
        let live = LiveScene::new(scene);
        criterion.bench_function(&format!("edits/{count}_objects/live/snapshot"), |bencher| {
            bencher.iter(|| live.snapshot());
        });
        criterion.bench_function(&format!("edits/{count}_objects/live/update_pose"), |bencher| {
            bencher.iter(|| {
                let (name, pose) = moves.next().unwrap();
                live.update_pose(&name, pose).unwrap();
            });
        });
        criterion.bench_function(&format!("edits/{count}_objects/live/update_pose_and_check"), |bencher| {
            bencher.iter(|| {
                let (name, pose) = moves.next().unwrap();
                let before = live.snapshot();
                live.update_pose(&name, pose).unwrap();
                (live.snapshot().check_collision(black_box(q)).unwrap(), before)
            });
        });
    }
}

criterion_group!(benches, editing);
criterion_main!(benches);
