//! Efforts of trajectories against their limits, compared with dense samples.

use kinetic_core::curve::PiecewisePolynomial;
use kinetic_core::{Control, KineticError, ManualClock, StopFlag, TimedTrajectory};
use kinetic_dynamics::{DynamicsModel, check_trajectory_feasibility, inverse_dynamics};

use crate::cases;
use crate::support::Case;

const TOLERANCE: f64 = 1e-2;
const SAMPLES: usize = 400;

/// Two pieces of random polynomials, of which the second need not continue the first.
fn random_curve(case: &mut Case) -> PiecewisePolynomial {
    let n = case.model.dof();
    let mut row = || [1.0, 0.5, 0.25, 0.1, 0.05, 0.02].map(|size| case.rng.uniform(-size, size));
    PiecewisePolynomial::new(n, vec![0.0, 0.7, 1.2], (0..2 * n).map(|_| row()).collect()).unwrap()
}

/// Largest effort of each joint at dense samples of a piece.
fn largest(model: &DynamicsModel, curve: &PiecewisePolynomial, piece: usize) -> Vec<f64> {
    let mut most = vec![0.0_f64; model.dof()];
    for sample in 0..=SAMPLES {
        let s = curve.piece_duration(piece) * sample as f64 / SAMPLES as f64;
        let at = |order| {
            let value = |joint| kinetic_core::curve::evaluate(curve.coefficients(piece, joint), order, s);
            (0..model.dof()).map(value).collect::<Vec<f64>>()
        };
        let tau = inverse_dynamics(model, &at(0), &at(1), &at(2)).unwrap();
        most.iter_mut().zip(tau).for_each(|(most, effort)| *most = most.max(effort.abs()));
    }
    most
}

#[test]
fn what_exceeds_its_limit_is_found_and_what_keeps_it_is_not_reported() {
    for seed in 0..cases(10, 500) as u64 {
        let mut case = Case::new(seed);
        let curve = random_curve(&mut case);
        let model = &case.model;
        let most = [largest(model, &curve, 0), largest(model, &curve, 1)];
        let trajectory = TimedTrajectory::new(curve, vec![0.0, 1.2], 0.0, "test").unwrap();
        for share in [0.5, 0.95, 1.05, 2.0] {
            let limits: Vec<f64> = most[0].iter().map(|effort| effort * share + 1e-6).collect();
            let found =
                check_trajectory_feasibility(model, &trajectory, &limits, TOLERANCE, &Control::default()).unwrap();
            for (piece, most) in most.iter().enumerate() {
                for (joint, (limit, most)) in limits.iter().zip(most).enumerate() {
                    let name = &model.joint_names()[joint];
                    let record = found.iter().find(|record| record.piece == piece && record.joint == *name);
                    assert!(record.is_some() || *most <= limit * (1.0 + TOLERANCE), "seed {seed}: {most} over {limit}");
                    let Some(record) = record else { continue };
                    // Samples may miss the largest effort a little.
                    assert!(
                        record.effort.abs() > *limit && record.effort.abs() >= most / (1.0 + TOLERANCE),
                        "seed {seed}"
                    );
                    assert!(record.effort.abs() <= most * 1.01 + 1e-9, "seed {seed}: {} {most}", record.effort);
                }
            }
        }
    }
}

#[test]
fn a_peak_between_waypoints_is_found() {
    let robot = kinetic_robot::Robot::from_name("ur5e").unwrap();
    let model = DynamicsModel::from_group(&robot, &robot.groups[robot.default_group]).unwrap();
    // Slowly from 57° above the horizontal, where gravity pulls most, to 57° below it.
    let mut rows = vec![[0.0; 6]; 6];
    rows[1] = [-1.0, 0.0, 6.0 / 400.0, -4.0 / 8000.0, 0.0, 0.0];
    let curve = PiecewisePolynomial::new(6, vec![0.0, 20.0], rows).unwrap();
    let ends = [0.0, 20.0].map(|time| {
        let [q, v, a] = [0, 1, 2].map(|order| curve.sample(time, order));
        inverse_dynamics(&model, &q, &v, &a).unwrap()[1].abs()
    });
    let trajectory = TimedTrajectory::new(curve, vec![0.0, 20.0], 0.0, "test").unwrap();
    let mut limits = vec![f64::INFINITY; 6];
    limits[1] = ends[0].max(ends[1]) * 1.05;
    let found = check_trajectory_feasibility(&model, &trajectory, &limits, TOLERANCE, &Control::default()).unwrap();
    assert_eq!(found.len(), 1);
    assert!(found[0].joint == "shoulder_lift_joint" && found[0].time > 5.0 && found[0].time < 15.0, "{found:?}");
}

#[test]
fn limits_and_tolerances_that_make_no_sense_are_refused() {
    let case = Case::new(0);
    let curve = PiecewisePolynomial::constant(&case.q).unwrap();
    let trajectory = TimedTrajectory::new(curve, vec![0.0], 0.0, "test").unwrap();
    let check = |limits: &[f64], tolerance| {
        check_trajectory_feasibility(&case.model, &trajectory, limits, tolerance, &Control::default())
    };
    let limits = vec![1e9; case.q.len()];
    assert_eq!(check(&limits, 1e-3).unwrap(), []);
    assert!(matches!(check(&limits[1..], 1e-3).unwrap_err(), KineticError::DimensionMismatch { .. }));
    assert!(matches!(check(&limits, 0.0).unwrap_err(), KineticError::InvalidValue { .. }));
    assert!(matches!(check(&vec![f64::NAN; case.q.len()], 1e-3).unwrap_err(), KineticError::InvalidValue { .. }));
}

#[test]
fn a_deadline_and_a_stop_end_the_search() {
    let mut case = Case::new(1);
    let trajectory = TimedTrajectory::new(random_curve(&mut case), vec![0.0, 1.2], 0.0, "test").unwrap();
    let limits = vec![1e6; case.model.dof()];
    let check = |control: &Control| check_trajectory_feasibility(&case.model, &trajectory, &limits, TOLERANCE, control);
    // Every reading of the clock costs a second.
    let clock = std::sync::Arc::new(ManualClock::with_step(1_000_000_000));
    let late = check(&Control::new(clock.clone(), 0.5, u64::MAX, StopFlag::default())).unwrap_err();
    assert!(matches!(late, KineticError::PlanningTimeout { .. }), "{late}");
    let stop = StopFlag::default();
    stop.stop();
    let stopped = check(&Control::new(clock, f64::INFINITY, u64::MAX, stop)).unwrap_err();
    assert!(matches!(stopped, KineticError::Cancelled { .. }), "{stopped}");
}
