//! How long does a validity query take: one configuration, one proven motion?
#![allow(missing_docs, clippy::unwrap_used, reason = "a bench")]

mod worlds;

use std::hint::black_box;
use std::sync::Arc;

use criterion::{BatchSize, Criterion, criterion_group, criterion_main};
use kinetic_core::rng::SeededRng;
use kinetic_core::{Pose, Shape};
use kinetic_robot::Robot;
use kinetic_scene::{Checker, DistancePrecision, Margins, Proximity, Scene, SimdTier};

/// Ten boxes around the arm, placed by the seed.
fn cluttered(robot: &Arc<Robot>) -> Scene {
    let mut scene = Scene::new(robot).unwrap();
    let mut rng = SeededRng::new(5);
    for index in 0..10 {
        let (angle, height) = (rng.uniform(-3.0, 3.0), rng.uniform(-0.2, 1.0));
        let reach = rng.uniform(0.5, 0.9);
        let pose = Pose::from_xyz_rpy(reach * f64::cos(angle), reach * f64::sin(angle), height, 0.0, 0.0, angle);
        scene.add(&format!("box{index}"), Shape::cuboid(0.06, 0.06, 0.06).unwrap(), pose).unwrap();
    }
    scene
}

/// Free configurations, and free motions of half a radian from them.
fn free_cases(robot: &Robot, checker: &mut Checker) -> Vec<(Vec<f64>, Vec<f64>)> {
    let group = &robot.groups[robot.default_group];
    let mut rng = SeededRng::new(6);
    let mut cases = Vec::new();
    while cases.len() < 64 {
        let from = robot.random_configuration(group, &mut rng).0;
        let step: Vec<f64> = from.iter().map(|_| rng.uniform(-1.0, 1.0)).collect();
        let norm = step.iter().map(|s| s * s).sum::<f64>().sqrt();
        let to: Vec<f64> = from.iter().zip(&step).map(|(q, s)| q + 0.5 * s / norm).collect();
        if checker.is_motion_free(&from, &to) {
            cases.push((from, to));
        }
    }
    cases
}

fn validity(criterion: &mut Criterion) {
    for name in ["ur5e", "franka_panda"] {
        let robot = Arc::new(Robot::from_name(name).unwrap());
        // Scenes around a robot that is known share its geometry.
        let unknown = || Arc::new(Robot::clone(&robot));
        criterion.bench_function(&format!("scene/{name}/new"), |bencher| {
            bencher.iter_batched(unknown, |robot| Scene::new(&robot).unwrap(), BatchSize::LargeInput);
        });
        criterion
            .bench_function(&format!("scene/{name}/again"), |bencher| bencher.iter(|| Scene::new(&robot).unwrap()));
        let group = robot.groups[robot.default_group].name.clone();
        let scene = cluttered(&robot);
        criterion.bench_function(&format!("checker/{name}/build"), |bencher| {
            bencher.iter(|| scene.checker(&group, Margins::ZERO).unwrap());
        });
        let mut checker = scene.checker(&group, Margins::ZERO).unwrap();
        let cases = free_cases(&robot, &mut checker);
        let mut next = cases.iter().cycle();
        criterion.bench_function(&format!("configuration/{name}/free/10_boxes"), |bencher| {
            bencher.iter(|| checker.is_free(black_box(&next.next().unwrap().0)));
        });
        let mut next = cases.iter().cycle();
        criterion.bench_function(&format!("motion/{name}/free_half_radian/10_boxes"), |bencher| {
            bencher.iter(|| {
                let (from, to) = next.next().unwrap();
                checker.is_motion_free(black_box(from), to)
            });
        });
    }
}

/// Every primitive with every width that this processor has.
fn widths(criterion: &mut Criterion) {
    for name in ["ur5e", "franka_panda"] {
        let robot = Arc::new(Robot::from_name(name).unwrap());
        let group = robot.groups[robot.default_group].name.clone();
        let scene = cluttered(&robot);
        let mut checker = scene.checker_within(&group, Margins::ZERO, None).unwrap();
        let cases = free_cases(&robot, &mut checker);
        let rows = cases.iter().flat_map(|(from, _)| from.clone()).collect::<Vec<f64>>();
        let mut free = vec![false; cases.len()];
        for tier in SimdTier::available() {
            let mut checker = checker.clone().with_simd_tier(tier).unwrap();
            criterion.bench_function(&format!("configurations/{name}/64_free/10_boxes/{tier:?}"), |bencher| {
                bencher.iter(|| checker.are_free_into(black_box(&rows), &mut free));
            });
            let mut next = cases.iter().cycle();
            criterion.bench_function(&format!("configuration/{name}/free/10_boxes/{tier:?}"), |bencher| {
                bencher.iter(|| checker.is_free(black_box(&next.next().unwrap().0)));
            });
            let mut next = cases.iter().cycle();
            criterion.bench_function(&format!("motion/{name}/free_half_radian/10_boxes/{tier:?}"), |bencher| {
                bencher.iter(|| {
                    let (from, to) = next.next().unwrap();
                    checker.is_motion_free(black_box(from), to)
                });
            });
            let mut next = cases.iter().cycle();
            criterion.bench_function(&format!("motion_sampled/{name}/free_half_radian/10_boxes/{tier:?}"), |bencher| {
                bencher.iter(|| {
                    let (from, to) = next.next().unwrap();
                    checker.is_motion_sampled_free(black_box(from), to, 32.0)
                });
            });
        }
    }
}

/// All pairs closer than a distance, along motions as a servo makes them: 64 steps of 2 ms at half a radian per second.
fn proximity(criterion: &mut Criterion) {
    for name in ["ur5e", "franka_panda"] {
        let robot = Arc::new(Robot::from_name(name).unwrap());
        let group = robot.groups[robot.default_group].name.clone();
        let scene = cluttered(&robot);
        let mut checker = scene.checker_within(&group, Margins::ZERO, None).unwrap();
        let cases = free_cases(&robot, &mut checker);
        let step = |(from, to): &(Vec<f64>, Vec<f64>), k: usize| -> Vec<f64> {
            from.iter().zip(to).map(|(from, to)| from + 0.002 * k as f64 * (to - from)).collect()
        };
        let steps: Vec<Vec<f64>> =
            cases.iter().take(16).flat_map(|case| (0..64).map(|k| step(case, k)).collect::<Vec<_>>()).collect();
        let mut found = Proximity::default();
        for within in [0.05, 0.1, 0.2] {
            let pairs: usize = steps
                .iter()
                .map(|q| {
                    checker.proximity(q, within, DistancePrecision::Single, &mut found);
                    found.pairs().len()
                })
                .sum();
            eprintln!("{name}: {:.1} pairs within {within} m", pairs as f64 / steps.len() as f64);
            for precision in [DistancePrecision::Single, DistancePrecision::Exact] {
                let mut next = steps.iter().cycle();
                criterion.bench_function(&format!("proximity/{name}/10_boxes/{within}/{precision:?}"), |bencher| {
                    bencher.iter(|| {
                        checker.proximity(black_box(next.next().unwrap()), within, precision, &mut found);
                    });
                });
            }
        }
    }
}

/// How a query grows with the number of obstacles within reach: small spheres at random places of a hollow ball.
fn growth(criterion: &mut Criterion) {
    let robot = Arc::new(Robot::from_name("franka_panda").unwrap());
    let group = robot.groups[robot.default_group].name.clone();
    let neutral = robot.groups[robot.default_group].variables.iter().map(|v| robot.neutral_configuration()[*v]);
    let q: Vec<f64> = neutral.collect();
    for count in [10, 100, 1_000, 10_000] {
        let scene = worlds::spheres_around(&robot, &q, count);
        let mut checker = scene.checker_within(&group, Margins::ZERO, None).unwrap();
        let cases = worlds::near(&q);
        let mut next = cases.iter().cycle();
        criterion.bench_function(&format!("configuration/franka_panda/{count}_spheres"), |bencher| {
            bencher.iter(|| checker.is_free(black_box(next.next().unwrap())));
        });
    }
}

criterion_group!(benches, proximity, validity, widths, proximity, growth);
criterion_main!(benches);
