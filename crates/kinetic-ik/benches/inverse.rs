//! How long does each numerical solver take for a random reachable pose, from the middle of the limits, and how long do the
//! automatic choice and damped least squares take from the same seeds nearby?
#![allow(missing_docs, clippy::unwrap_used, reason = "a bench")]

use std::hint::black_box;

use criterion::{Criterion, criterion_group, criterion_main};
use kinetic_core::Pose;
use kinetic_core::rng::SeededRng;
use kinetic_ik::analytic::{Manipulator, TolerancePolicy};
use kinetic_ik::{IKConfig, IKSolver, SOLVERS, solve_ik, solve_ik_auto};
use kinetic_kinematics::KinematicChain;
use kinetic_robot::Robot;

/// Poses per robot; each is solved in turn.
const POSES: usize = 1000;

fn inverse(criterion: &mut Criterion) {
    for name in ["ur5e", "franka_panda", "fetch"] {
        let robot = Robot::from_name(name).unwrap();
        let group = &robot.groups[robot.default_group];
        let chain = KinematicChain::from_group(&robot, group).unwrap();
        let mut rng = SeededRng::new(2);
        let poses: Vec<Pose> =
            (0..POSES).map(|_| chain.tip_pose(&robot.random_configuration(group, &mut rng))).collect();
        for spec in SOLVERS.iter().filter(|spec| spec.solver.is_numerical()) {
            // The workhorse is held to what the peers were measured at.
            let tolerance = if spec.id == "dls" { (1e-6, 1e-6) } else { (1e-4, 1e-3) };
            let config = IKConfig::default()
                .with_solver(spec.solver)
                .with_restarts(20)
                .with_position_tolerance(tolerance.0)
                .with_orientation_tolerance(tolerance.1);
            let mut next = poses.iter().cycle();
            criterion.bench_function(&format!("ik/{name}/{}", spec.id), |bencher| {
                bencher.iter(|| solve_ik(&chain, black_box(next.next().unwrap()), &config));
            });
        }
    }
}

/// How far a seed is off at most, rad or m per joint.
const NEAR: f64 = 0.2;

fn near_seed(criterion: &mut Criterion) {
    for name in ["ur5e", "franka_panda", "kuka_iiwa14", "kinova_gen3", "fetch"] {
        let robot = Robot::from_name(name).unwrap();
        let group = &robot.groups[robot.default_group];
        let arm = Manipulator::from_robot(&robot, None, TolerancePolicy::default()).unwrap();
        let mut rng = SeededRng::new(2);
        let cases: Vec<(Pose, IKConfig)> = (0..POSES)
            .map(|_| {
                let q = robot.random_configuration(group, &mut rng);
                let near: Vec<f64> = q.iter().map(|q| q + rng.uniform(-NEAR, NEAR)).collect();
                let seed = robot.clip(group, &near).unwrap();
                (arm.fk(&q).unwrap(), IKConfig::default().with_seed(seed))
            })
            .collect();
        for (label, solver) in [("auto", IKSolver::Auto), ("dls", IKConfig::dls().solver)] {
            let cases: Vec<(Pose, IKConfig)> =
                cases.iter().map(|(pose, config)| (*pose, config.clone().with_solver(solver))).collect();
            let mut next = cases.iter().cycle();
            criterion.bench_function(&format!("ik/near_seed/{name}/{label}"), |bencher| {
                bencher.iter(|| {
                    let (pose, config) = next.next().unwrap();
                    solve_ik_auto(Some(&arm), arm.chain(), black_box(pose), config)
                });
            });
        }
    }
}

criterion_group!(benches, inverse, near_seed);
criterion_main!(benches);
