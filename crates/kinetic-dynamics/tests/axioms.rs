//! Laws of mechanics that efforts, accelerations and matrices keep, on random trees.

use kinetic_dynamics::{coriolis, forward_dynamics, gravity_compensation, inverse_dynamics, mass_matrix};
use nalgebra::{DMatrix, DVector};

use crate::cases;
use crate::support::{Case, difference, dot};

/// Recursions over ten bodies and back lose a few digits of sixteen.
const ROUNDING: f64 = 1e-11;
/// Accelerations come through a mass matrix whose condition number is up to some 1e5.
const CONDITIONED: f64 = 1e-8;
const STEP: f64 = 1e-6;
/// Central differences leave h² ≈ 1e-12 and rounding 1e-16 / h ≈ 1e-10, times sizes of some hundred.
const DIFFERENCES: f64 = 1e-6;

fn coriolis_matrix(case: &Case) -> DMatrix<f64> {
    let n = case.model.dof();
    let mut out = vec![0.0; n * n];
    case.model.coriolis_matrix_into(&mut case.model.data(), &case.q, &case.v, &mut out).unwrap();
    DMatrix::from_row_slice(n, n, &out)
}

#[test]
fn a_robot_at_rest_needs_the_efforts_against_gravity() {
    for seed in 0..cases(200, 20_000) as u64 {
        let case = Case::new(seed);
        let zero = vec![0.0; case.model.dof()];
        let tau = inverse_dynamics(&case.model, &case.q, &zero, &zero).unwrap();
        let error = difference(&tau, &gravity_compensation(&case.model, &case.q).unwrap());
        assert!(error < ROUNDING, "seed {seed}: off by {error:e}");
    }
}

#[test]
fn efforts_against_gravity_are_the_gradient_of_the_potential_energy() {
    for seed in 0..cases(200, 20_000) as u64 {
        let case = Case::new(seed);
        let mut data = case.model.data();
        let tau = gravity_compensation(&case.model, &case.q).unwrap();
        let mut energy = |joint: usize, step: f64| {
            let mut q = case.q.clone();
            q[joint] += step;
            case.model.potential_energy(&mut data, &q).unwrap()
        };
        let slope = |joint| (energy(joint, STEP) - energy(joint, -STEP)) / (2.0 * STEP);
        let expected: Vec<f64> = (0..case.model.dof()).map(slope).collect();
        let error = difference(&tau, &expected);
        assert!(error < DIFFERENCES, "seed {seed}: off by {error:e}");
    }
}

#[test]
fn accelerations_under_the_efforts_of_a_motion_are_the_motions() {
    for seed in 0..cases(200, 20_000) as u64 {
        let case = Case::new(seed);
        let tau = inverse_dynamics(&case.model, &case.q, &case.v, &case.a).unwrap();
        let error = difference(&case.a, &forward_dynamics(&case.model, &case.q, &case.v, &tau).unwrap());
        assert!(error < CONDITIONED, "seed {seed}: off by {error:e}");
    }
}

#[test]
fn a_robot_under_the_efforts_against_gravity_stays() {
    for seed in 0..cases(200, 20_000) as u64 {
        let case = Case::new(seed);
        let tau = gravity_compensation(&case.model, &case.q).unwrap();
        let zero = vec![0.0; case.model.dof()];
        let a = forward_dynamics(&case.model, &case.q, &zero, &tau).unwrap();
        assert!(difference(&zero, &a) < CONDITIONED, "seed {seed}: {a:?}");
    }
}

#[test]
fn mass_matrices_are_symmetric_positive_definite_and_columns_of_inverse_dynamics() {
    for seed in 0..cases(200, 20_000) as u64 {
        let case = Case::new(seed);
        let m = mass_matrix(&case.model, &case.q).unwrap();
        assert_eq!(m, m.transpose(), "seed {seed}");
        assert!(m.clone().cholesky().is_some(), "seed {seed}: {m}");
        let zero = vec![0.0; case.model.dof()];
        let still = case.model.clone().with_gravity(nalgebra::Vector3::zeros()).unwrap();
        let tau = inverse_dynamics(&still, &case.q, &zero, &case.a).unwrap();
        let expected = &m * DVector::from_column_slice(&case.a);
        let error = difference(&tau, expected.as_slice());
        assert!(error < ROUNDING, "seed {seed}: off by {error:e}");
    }
}

#[test]
fn the_inverse_of_the_mass_matrix_is_its_inverse() {
    for seed in 0..cases(200, 20_000) as u64 {
        let case = Case::new(seed);
        let n = case.model.dof();
        let mut inverse = DMatrix::zeros(n, n);
        let mut data = case.model.data();
        case.model.inverse_mass_matrix_into(&mut data, &case.q, inverse.as_mut_slice()).unwrap();
        let product = inverse * mass_matrix(&case.model, &case.q).unwrap();
        let error = (product - DMatrix::identity(n, n)).amax();
        assert!(error < CONDITIONED, "seed {seed}: off by {error:e}");
    }
}

#[test]
fn kinetic_energy_is_that_of_the_mass_matrix() {
    for seed in 0..cases(200, 20_000) as u64 {
        let case = Case::new(seed);
        let v = DVector::from_column_slice(&case.v);
        let expected = 0.5 * v.dot(&(mass_matrix(&case.model, &case.q).unwrap() * &v));
        let energy = case.model.kinetic_energy(&mut case.model.data(), &case.q, &case.v).unwrap();
        assert!(difference(&[expected], &[energy]) < ROUNDING, "seed {seed}: {energy} {expected}");
    }
}

#[test]
fn the_power_of_the_efforts_is_the_rate_of_the_energy_and_what_friction_takes() {
    for seed in 0..cases(200, 20_000) as u64 {
        let case = Case::new(seed);
        let (model, mut data) = (case.model.clone(), case.model.data());
        let mut energy = |step: f64| {
            let v: Vec<f64> = case.v.iter().zip(&case.a).map(|(v, a)| v + step * a).collect();
            let q = case.moved(step);
            model.kinetic_energy(&mut data, &q, &v).unwrap() + model.potential_energy(&mut data, &q).unwrap()
        };
        let rate = (energy(STEP) - energy(-STEP)) / (2.0 * STEP);
        let free = model.clone().with_friction(false);
        let power = dot(&inverse_dynamics(&free, &case.q, &case.v, &case.a).unwrap(), &case.v);
        assert!(difference(&[power], &[rate]) < DIFFERENCES, "seed {seed}: {power} {rate}");
        let taken = dot(&inverse_dynamics(&case.model, &case.q, &case.v, &case.a).unwrap(), &case.v) - power;
        assert!(taken >= 0.0, "seed {seed}: friction gives {taken}");
    }
}

#[test]
fn the_coriolis_matrix_gives_the_efforts_and_the_rate_of_the_mass_matrix() {
    for seed in 0..cases(200, 20_000) as u64 {
        let case = Case::new(seed);
        let c = coriolis_matrix(&case);
        let tau = &c * DVector::from_column_slice(&case.v);
        let expected = coriolis(&case.model, &case.q, &case.v).unwrap();
        let error = difference(&expected, tau.as_slice());
        assert!(error < ROUNDING, "seed {seed}: off by {error:e}");
        // Ṁ − 2 C is skew exactly when Ṁ = C + Cᵀ.
        let at = |step: f64| mass_matrix(&case.model, &case.moved(step)).unwrap();
        let rate = (at(STEP) - at(-STEP)) / (2.0 * STEP);
        let error = difference(rate.as_slice(), (&c + c.transpose()).as_slice());
        assert!(error < DIFFERENCES, "seed {seed}: off by {error:e}");
    }
}

#[test]
fn an_external_wrench_takes_what_its_power_says() {
    use kinetic_core::Wrench;
    use kinetic_dynamics::{ExternalWrench, WrenchAxes};
    for seed in 0..cases(200, 20_000) as u64 {
        let mut case = Case::new(seed);
        let link = case.rng.below(case.robot.links.len());
        let six: Vec<f64> = (0..6).map(|_| case.rng.uniform(-5.0, 5.0)).collect();
        let wrench = Wrench::from_slice(&six).unwrap();
        let mut data = case.model.data();
        let mut tau = vec![0.0; case.model.dof()];
        let free = inverse_dynamics(&case.model, &case.q, &case.v, &case.a).unwrap();
        let tree = case.model.tree();
        let pose = tree.link_pose(&case.q, &case.robot.links[link].name).unwrap();
        for axes in [WrenchAxes::Link, WrenchAxes::Root] {
            let external = [ExternalWrench { link, wrench, axes }];
            let inputs = [&case.q[..], &case.v, &case.a];
            case.model.inverse_dynamics_into(&mut data, inputs, &external, &mut tau).unwrap();
            let twist = tree
                .point_velocity(&case.q, &case.v, &case.robot.links[link].name, &nalgebra::Vector3::zeros())
                .unwrap();
            let turned = |vector| if axes == WrenchAxes::Link { pose.rotation() * vector } else { vector };
            let power = turned(wrench.force).dot(&twist.fixed_rows::<3>(0).into_owned())
                + turned(wrench.torque).dot(&twist.fixed_rows::<3>(3).into_owned());
            let taken = dot(&free, &case.v) - dot(&tau, &case.v);
            assert!(
                difference(&[dot(&free, &case.v), power], &[dot(&free, &case.v), taken]) < ROUNDING,
                "seed {seed}: {power} {taken}"
            );
        }
    }
}

#[test]
fn dynamic_manipulability_of_six_joints_is_the_quotient_of_the_determinants() {
    use kinetic_kinematics::MoveTarget;
    let robot = kinetic_robot::Robot::from_name("ur5e").unwrap();
    let model = kinetic_dynamics::DynamicsModel::from_group(&robot, &robot.groups[robot.default_group]).unwrap();
    let target = MoveTarget::new("tool0");
    let mut rng = kinetic_core::rng::SeededRng::new(1);
    for _ in 0..20 {
        let q: Vec<f64> = (0..6).map(|_| rng.uniform(-2.0, 2.0)).collect();
        let jacobian = model.tree().jacobian(&q, std::slice::from_ref(&target)).unwrap();
        let expected = jacobian.determinant().abs() / mass_matrix(&model, &q).unwrap().determinant();
        let found = model.dynamic_manipulability(&q, &target).unwrap();
        assert!(difference(&[expected], &[found]) < CONDITIONED, "{found} {expected}");
    }
    // Stretched: the wrist's first joint, elbow and shoulder in line.
    assert!(model.dynamic_manipulability(&[0.0; 6], &target).unwrap() < CONDITIONED);
}
