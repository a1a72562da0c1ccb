//! How long do all branches of a pose take, per class of arm?
#![allow(missing_docs, clippy::unwrap_used, reason = "a bench")]

use std::hint::black_box;

use criterion::{Criterion, criterion_group, criterion_main};
use kinetic_core::Pose;
use kinetic_core::rng::SeededRng;
use kinetic_ik::analytic::{Branches, Manipulator, SolveOptions, TolerancePolicy};
use kinetic_kinematics::{KinematicChain, Rigid};
use kinetic_robot::Robot;

/// An arm of the general class: a UR5e whose third and fourth axes are tilted.
const GENERAL: &str = r#"<robot name="general"><link name="l0"/><link name="l1"/><link name="l2"/><link name="l3"/>
<link name="l4"/><link name="l5"/><link name="l6"/>
<joint name="j1" type="continuous"><parent link="l0"/><child link="l1"/><origin xyz="0 0 0.16"/><axis xyz="0 0 1"/></joint>
<joint name="j2" type="continuous"><parent link="l1"/><child link="l2"/><origin xyz="0.02 0.1 0"/><axis xyz="0 1 0"/></joint>
<joint name="j3" type="continuous"><parent link="l2"/><child link="l3"/><origin xyz="0.4 0 0"/><axis xyz="0 1 0.3"/></joint>
<joint name="j4" type="continuous"><parent link="l3"/><child link="l4"/><origin xyz="0.4 0 0"/><axis xyz="0.2 1 0"/></joint>
<joint name="j5" type="continuous"><parent link="l4"/><child link="l5"/><origin xyz="0.03 0.1 0"/><axis xyz="0 0 1"/></joint>
<joint name="j6" type="continuous"><parent link="l5"/><child link="l6"/><origin xyz="0 0.05 0.1"/><axis xyz="0 1 0"/></joint>
</robot>"#;

fn analytic(criterion: &mut Criterion) {
    let general = Robot::from_urdf_string(GENERAL).unwrap();
    let built_in = |name: &str| Robot::from_name(name).unwrap();
    for (label, robot) in [
        ("three_parallel/ur5e", built_in("ur5e")),
        ("spherical/abb_irb1200", built_in("abb_irb1200")),
        ("general", general),
        ("seven/kuka_iiwa14", built_in("kuka_iiwa14")),
        ("seven/franka_panda", built_in("franka_panda")),
        ("eight/fetch", built_in("fetch")),
    ] {
        let chain = KinematicChain::auto_detect(&robot).unwrap();
        let arm = Manipulator::from_chain(chain, TolerancePolicy::default()).unwrap();
        let group = &robot.groups[robot.default_group];
        let mut rng = SeededRng::new(1);
        let poses: Vec<Rigid> =
            (0..256).map(|_| arm.normal_form().pose(&robot.random_configuration(group, &mut rng))).collect();
        let mut next = poses.iter().cycle();
        let mut branches = Branches::default();
        criterion.bench_function(&format!("ik/all_branches/{label}"), |bencher| {
            bencher.iter(|| {
                arm.branches(black_box(next.next().unwrap()), &mut branches);
                branches.as_slice().len()
            });
        });
    }
}

/// The first solution of a redundant arm, from a seed nearby.
fn seeded(criterion: &mut Criterion) {
    for name in ["kuka_iiwa14", "franka_panda", "fetch", "baxter_left"] {
        let robot = Robot::from_name(name).unwrap();
        let arm = Manipulator::from_robot(&robot, None, TolerancePolicy::default()).unwrap();
        let group = &robot.groups[robot.default_group];
        let mut rng = SeededRng::new(2);
        let cases: Vec<(Pose, SolveOptions)> = (0..256)
            .map(|_| {
                let q = robot.random_configuration(group, &mut rng);
                let seed: Vec<f64> = q.iter().map(|q| q + rng.uniform(-0.05, 0.05)).collect();
                let options =
                    SolveOptions { seed: Some(seed.into()), max_solutions: Some(1), ..SolveOptions::default() };
                (arm.fk(&q).unwrap(), options)
            })
            .collect();
        let mut next = cases.iter().cycle();
        criterion.bench_function(&format!("ik/seeded_first/{name}"), |bencher| {
            bencher.iter(|| {
                let (target, options) = next.next().unwrap();
                arm.solve(black_box(target), options)
            });
        });
    }
}

criterion_group!(benches, analytic, seeded);
criterion_main!(benches);
