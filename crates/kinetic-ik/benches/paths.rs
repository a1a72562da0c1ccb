//! How long do 1000 poses along a path take, all in one call, and in a loop of single calls?
#![allow(missing_docs, clippy::unwrap_used, reason = "a bench")]

use std::hint::black_box;

use criterion::{Criterion, criterion_group, criterion_main};
use kinetic_core::Pose;
use kinetic_core::rng::SeededRng;
use kinetic_ik::analytic::{Manipulator, TolerancePolicy};
use kinetic_ik::{IKConfig, PathMethod, PathOptions, PathTolerance, solve_ik_auto, solve_ik_path};
use kinetic_kinematics::KinematicChain;
use kinetic_robot::Robot;
use nalgebra::Vector3;

const POSES: usize = 1000;

/// Configurations of single calls, each seeded with the one before.
fn looped(arm: Option<&Manipulator>, chain: &KinematicChain, targets: &[Pose], start: &[f64]) -> Vec<f64> {
    let mut config = IKConfig::default().with_seed(start);
    for target in targets {
        config.seed = solve_ik_auto(arm, chain, target, &config).ok().map(|found| found.joints);
    }
    config.seed.unwrap().to_vec()
}

fn paths(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("ik_path");
    group.sample_size(10);
    for name in ["ur5e", "abb_irb1200", "franka_panda", "kuka_iiwa14", "fetch"] {
        let robot = Robot::from_name(name).unwrap();
        let chain = KinematicChain::auto_detect(&robot).unwrap();
        let arm = Manipulator::from_chain(chain.clone(), TolerancePolicy::default()).ok();
        let joints = &robot.groups[robot.default_group];
        let mut rng = SeededRng::new(1);
        let (a, b) = (robot.random_configuration(joints, &mut rng), robot.random_configuration(joints, &mut rng));
        let at = |index: usize| chain.tip_pose(&a.lerp(&b, index as f64 / POSES as f64));
        let targets: Vec<Pose> = (0..POSES).map(at).collect();
        let start = PathOptions { start: Some(a.clone()), ..PathOptions::default() };
        let local = PathOptions { method: PathMethod::Local, ..start.clone() };
        let free_axis =
            PathOptions { tolerance: vec![PathTolerance::free_turn(Vector3::z())], ..PathOptions::default() };
        let mut cases = vec![("start", start), ("any_start", PathOptions::default()), ("local", local)];
        if arm.is_some() {
            cases.push(("free_axis", free_axis));
        }
        for (label, options) in cases {
            let targets = if label == "free_axis" { &targets[..100] } else { &targets[..] };
            group.bench_function(format!("{name}/{label}/{}", targets.len()), |bencher| {
                bencher
                    .iter(|| solve_ik_path(arm.as_ref(), &chain, black_box(targets), &options).unwrap().largest_step);
            });
        }
        group.bench_function(format!("{name}/loop/{POSES}"), |bencher| {
            bencher.iter(|| looped(arm.as_ref(), &chain, black_box(&targets), &a));
        });
    }
    group.finish();
}

criterion_group!(benches, paths);
criterion_main!(benches);
