//! How long do poses and Jacobians take?
#![allow(missing_docs, clippy::unwrap_used, reason = "a bench")]

use std::hint::black_box;

use criterion::{Criterion, criterion_group, criterion_main};
use kinetic_core::rng::SeededRng;
use kinetic_kinematics::{KinematicChain, Rigid, fk_batch_matrices, jacobian, manipulability};
use kinetic_robot::Robot;

fn kinematics(criterion: &mut Criterion) {
    for name in ["ur5e", "franka_panda", "fetch"] {
        let robot = Robot::from_name(name).unwrap();
        let group = &robot.groups[robot.default_group];
        let chain = KinematicChain::from_group(&robot, group).unwrap();
        let mut rng = SeededRng::new(1);
        let configurations: Vec<_> = (0..256).map(|_| robot.random_configuration(group, &mut rng)).collect();
        let mut next = configurations.iter().cycle();
        let mut frames = vec![Rigid::identity(); chain.program().num_frames()];
        criterion.bench_function(&format!("fk/{name}/tool_pose"), |bencher| {
            bencher.iter(|| chain.tip_rigid(black_box(next.next().unwrap()), &mut frames));
        });
        let mut next = configurations.iter().cycle();
        let mut links = vec![Rigid::identity(); chain.program().num_links()];
        criterion.bench_function(&format!("fk/{name}/all_links"), |bencher| {
            bencher.iter(|| {
                chain.program().frames_into(black_box(next.next().unwrap()), &mut frames);
                chain.program().links_into(&frames, &mut links);
            });
        });
        let flat: Vec<f64> = configurations.iter().flat_map(|q| q.iter().copied()).collect();
        let mut matrices = vec![0.0; 16 * configurations.len()];
        criterion.bench_function(&format!("fk/{name}/batch_of_256"), |bencher| {
            bencher.iter(|| fk_batch_matrices(&chain, black_box(&flat), &mut matrices));
        });
        let mut next = configurations.iter().cycle();
        criterion.bench_function(&format!("manipulability/{name}"), |bencher| {
            bencher.iter(|| manipulability(&chain, black_box(next.next().unwrap())));
        });
        let mut next = configurations.iter().cycle();
        let mut columns = vec![0.0; 6 * chain.dof()];
        criterion.bench_function(&format!("jacobian/{name}/in_place"), |bencher| {
            bencher.iter(|| {
                let tip = chain.tip_rigid(black_box(next.next().unwrap()), &mut frames);
                jacobian::fill(&chain, &frames, &tip.translation, &mut columns);
            });
        });
    }
}

criterion_group!(benches, kinematics);
criterion_main!(benches);
