//! How long do efforts, accelerations and mass matrices take?
#![allow(missing_docs, clippy::unwrap_used, reason = "a bench")]

use std::hint::black_box;

use criterion::{Criterion, criterion_group, criterion_main};
use kinetic_core::rng::SeededRng;
use kinetic_dynamics::{Derivatives, DynamicsModel};
use kinetic_robot::Robot;

/// Configurations, velocities and accelerations that a bench goes through in turn.
const STATES: usize = 256;

fn dynamics(criterion: &mut Criterion) {
    for name in ["ur5e", "franka_panda", "kuka_iiwa14"] {
        let robot = Robot::from_name(name).unwrap();
        let model = DynamicsModel::from_group(&robot, &robot.groups[robot.default_group]).unwrap();
        let (n, mut data) = (model.dof(), model.data());
        let mut rng = SeededRng::new(1);
        let mut vectors =
            || (0..STATES).map(|_| (0..n).map(|_| rng.uniform(-2.0, 2.0)).collect()).collect::<Vec<Vec<f64>>>();
        let [q, v, a] = [(); 3].map(|()| vectors());
        let (mut out, mut matrix, mut next) = (vec![0.0; n], vec![0.0; n * n], (0..STATES).cycle());
        criterion.bench_function(&format!("dynamics/{name}/inverse_dynamics"), |bencher| {
            bencher.iter(|| {
                let k = black_box(next.next().unwrap());
                model.inverse_dynamics_into(&mut data, [&q[k], &v[k], &a[k]], &[], &mut out)
            });
        });
        criterion.bench_function(&format!("dynamics/{name}/gravity"), |bencher| {
            bencher.iter(|| model.gravity_into(&mut data, &q[black_box(next.next().unwrap())], &mut out));
        });
        criterion.bench_function(&format!("dynamics/{name}/mass_matrix"), |bencher| {
            bencher.iter(|| model.mass_matrix_into(&mut data, &q[black_box(next.next().unwrap())], &mut matrix));
        });
        criterion.bench_function(&format!("dynamics/{name}/forward_dynamics"), |bencher| {
            bencher.iter(|| {
                let k = black_box(next.next().unwrap());
                model.forward_dynamics_into(&mut data, [&q[k], &v[k], &a[k]], &[], &mut out)
            });
        });
        let mut by = [(); 3].map(|()| vec![0.0; n * n]);
        criterion.bench_function(&format!("dynamics/{name}/inverse_dynamics_derivatives"), |bencher| {
            bencher.iter(|| {
                let (k, [by_q, by_v, by_input]) = (black_box(next.next().unwrap()), &mut by);
                let mut out = Derivatives { by_q, by_v, by_input };
                model.inverse_dynamics_derivatives_into(&mut data, [&q[k], &v[k], &a[k]], &mut out)
            });
        });
    }
}

criterion_group!(benches, dynamics);
criterion_main!(benches);
