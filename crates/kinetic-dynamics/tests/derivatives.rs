//! Analytical derivatives against central differences of the algorithms that they are of.

use kinetic_core::Wrench;
use kinetic_core::rng::SeededRng;
use kinetic_dynamics::{
    Derivatives, DynamicsModel, ExternalWrench, WrenchAxes, forward_dynamics, inverse_dynamics, mass_matrix,
};

use crate::cases;
use crate::support::{Case, difference};

const STEP: f64 = 1e-6;
/// Central differences leave h² ≈ 1e-12 and rounding 1e-16 / h ≈ 1e-10, times sizes of some hundred.
const DIFFERENCES: f64 = 1e-6;
/// Accelerations are amplified by the inverse of the mass matrix.
const AMPLIFIED: f64 = 1e-4;

/// By `q`, `v` and the input.
fn derivatives(n: usize, compute: impl FnOnce(&mut Derivatives)) -> [Vec<f64>; 3] {
    let [mut by_q, mut by_v, mut by_input] = [(); 3].map(|()| vec![f64::NAN; n * n]);
    compute(&mut Derivatives { by_q: &mut by_q, by_v: &mut by_v, by_input: &mut by_input });
    [by_q, by_v, by_input]
}

/// Row-major derivatives of `function` by the `which`-th of its three vectors.
fn central(function: &dyn Fn(&[Vec<f64>; 3]) -> Vec<f64>, inputs: [&[f64]; 3], which: usize) -> Vec<f64> {
    let n = inputs[0].len();
    let mut out = vec![0.0; n * n];
    for column in 0..n {
        let at = |step: f64| {
            let mut moved = inputs.map(<[f64]>::to_vec);
            moved[which][column] += step;
            function(&moved)
        };
        for (row, (high, low)) in at(STEP).iter().zip(at(-STEP)).enumerate() {
            out[row * n + column] = (high - low) / (2.0 * STEP);
        }
    }
    out
}

/// A case on a base that moves in every way.
fn on_moving_base(seed: u64) -> (Case, DynamicsModel) {
    let mut case = Case::new(seed);
    let mut vector = || nalgebra::Vector3::from_fn(|_, _| case.rng.uniform(-1.0, 1.0));
    let motion = kinetic_dynamics::BaseMotion {
        acceleration: vector(),
        angular_velocity: vector(),
        angular_acceleration: vector(),
    };
    let model = case.model.clone().with_base_motion(motion).unwrap();
    (case, model)
}

#[test]
fn derivatives_of_inverse_dynamics_equal_central_differences() {
    for seed in 0..cases(100, 10_000) as u64 {
        let (case, model) = on_moving_base(seed);
        let inputs = [&case.q[..], &case.v, &case.a];
        let found = derivatives(model.dof(), |out| {
            model.inverse_dynamics_derivatives_into(&mut model.data(), inputs, out).unwrap();
        });
        let function = |[q, v, a]: &[Vec<f64>; 3]| inverse_dynamics(&model, q, v, a).unwrap();
        for (which, found) in found.iter().take(2).enumerate() {
            let error = difference(&central(&function, inputs, which), found);
            assert!(error < DIFFERENCES, "seed {seed}, by input {which}: off by {error:e}");
        }
        let mass = mass_matrix(&model, &case.q).unwrap();
        assert!(difference(mass.as_slice(), &found[2]) < 1e-12, "seed {seed}");
    }
}

#[test]
fn derivatives_of_forward_dynamics_equal_central_differences() {
    for seed in 0..cases(100, 10_000) as u64 {
        let (case, model) = on_moving_base(seed);
        let inputs = [&case.q[..], &case.v, &case.a];
        let mut a = vec![0.0; model.dof()];
        let found = derivatives(model.dof(), |out| {
            model.forward_dynamics_derivatives_into(&mut model.data(), inputs, &mut a, out).unwrap();
        });
        let function = |[q, v, tau]: &[Vec<f64>; 3]| forward_dynamics(&model, q, v, tau).unwrap();
        assert_eq!(a, function(&inputs.map(<[f64]>::to_vec)), "seed {seed}");
        for (which, found) in found.iter().enumerate() {
            let error = difference(&central(&function, inputs, which), found);
            assert!(error < AMPLIFIED, "seed {seed}, by input {which}: off by {error:e}");
        }
    }
}

/// Wrenches on some links, in both kinds of axes.
fn wrenches(case: &mut Case) -> Vec<ExternalWrench> {
    let links = case.robot.links.len();
    let vector = |rng: &mut SeededRng| nalgebra::Vector3::from_fn(|_, _| rng.uniform(-5.0, 5.0));
    (0..3)
        .map(|_| {
            let (force, torque) = (vector(&mut case.rng), vector(&mut case.rng));
            let axes = if case.rng.below(2) == 0 { WrenchAxes::Link } else { WrenchAxes::Root };
            ExternalWrench { link: case.rng.below(links), wrench: Wrench::new(force, torque), axes }
        })
        .collect()
}

#[test]
fn derivatives_under_wrenches_equal_central_differences() {
    for seed in 0..cases(100, 10_000) as u64 {
        let (mut case, model) = on_moving_base(seed);
        let external = wrenches(&mut case);
        let inputs = [&case.q[..], &case.v, &case.a];
        let mut data = model.data();
        let inverse = derivatives(model.dof(), |out| {
            model.inverse_dynamics_derivatives_under_into(&mut data, inputs, &external, out).unwrap();
        });
        let mut a = vec![0.0; model.dof()];
        let forward = derivatives(model.dof(), |out| {
            model.forward_dynamics_derivatives_under_into(&mut data, inputs, &external, &mut a, out).unwrap();
        });
        let efforts = |[q, v, a]: &[Vec<f64>; 3]| {
            let mut tau = vec![0.0; q.len()];
            model.inverse_dynamics_into(&mut model.data(), [q, v, a], &external, &mut tau).unwrap();
            tau
        };
        let accelerations = |[q, v, tau]: &[Vec<f64>; 3]| {
            let mut a = vec![0.0; q.len()];
            model.forward_dynamics_into(&mut model.data(), [q, v, tau], &external, &mut a).unwrap();
            a
        };
        for which in 0..3 {
            let error = difference(&central(&efforts, inputs, which), &inverse[which]);
            assert!(error < DIFFERENCES, "seed {seed}, inverse by input {which}: off by {error:e}");
            let error = difference(&central(&accelerations, inputs, which), &forward[which]);
            assert!(error < AMPLIFIED, "seed {seed}, forward by input {which}: off by {error:e}");
        }
    }
}
