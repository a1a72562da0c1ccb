//! Constraints: proofs of motions against dense samples, projection, plans. The oracle of poses is the chain's forward
//! kinematics, which has Pinocchio as its own.

use std::sync::Arc;

use kinetic_core::rng::SeededRng;
use kinetic_core::{Constraint, Goal, JointValues, KineticError, PlannerConfig};
use kinetic_planning::{ConstraintSet, Planner, Validity};
use kinetic_robot::Robot;
use nalgebra::Vector3;

const TOLERANCE: f64 = 0.1;

fn upright(tolerance: f64) -> Constraint {
    Constraint::Orientation { link: "tool0".to_owned(), axis: -Vector3::z(), tolerance }
}

fn near_table(height: f64) -> Constraint {
    let (point, normal) = (Vector3::new(0.0, 0.0, height), Vector3::z());
    Constraint::Plane { link: "tool0".to_owned(), point, normal, tolerance: 0.02 }
}

fn planner(constraints: Vec<Constraint>) -> Planner {
    let robot = Arc::new(Robot::from_name("ur5e").unwrap());
    let config = PlannerConfig { constraints, timeout: 20.0, ..PlannerConfig::default() };
    Planner::new(&robot).unwrap().with_config(config).unwrap()
}

fn set(planner: &Planner) -> ConstraintSet {
    planner.constraint_set().unwrap().unwrap()
}

fn random(planner: &Planner, rng: &mut SeededRng) -> Vec<f64> {
    planner.scene().robot().random_configuration(planner.group(), rng).0
}

/// The largest deviations on a straight motion, at samples.
fn sampled(set: &mut ConstraintSet, from: &[f64], to: &[f64]) -> f64 {
    let at = |t: f64| from.iter().zip(to).map(|(a, b)| a + t * (b - a)).collect::<Vec<_>>();
    let excess = |t: i32| {
        let worst = set.deviations(&at(f64::from(t) / 1000.0));
        worst.into_iter().map(|(deviation, tolerance)| deviation / tolerance).fold(0.0, f64::max)
    };
    (0..=1000).map(excess).fold(0.0, f64::max)
}

#[test]
fn what_is_proven_is_kept_at_samples_and_what_is_kept_well_is_proven() {
    let planner = planner(vec![upright(TOLERANCE), near_table(0.3)]);
    let (mut set, mut rng) = (set(&planner), SeededRng::new(1));
    let mut counts = [0; 2];
    while counts.iter().any(|count| *count < 100) {
        let mut from = random(&planner, &mut rng);
        if !set.project(&mut from) {
            continue;
        }
        let mut to: Vec<f64> = from.iter().map(|q| q + rng.uniform(-0.3, 0.3)).collect();
        if rng.below(2) == 0 && !set.project(&mut to) {
            continue;
        }
        let (is_proven, most) = (set.holds_along(&from, &to), sampled(&mut set, &from, &to));
        assert!(!is_proven || most <= 1.0, "{from:?} {to:?}: {most}");
        assert!(is_proven || most > 0.98, "{from:?} {to:?}: {most}");
        assert_eq!(is_proven, set.holds_along(&to, &from));
        counts[usize::from(is_proven)] += 1;
    }
}

#[test]
fn a_projection_keeps_constraints_and_ranges_and_leaves_what_keeps_them_well() {
    let narrow = Constraint::Joint { joint_index: 5, min: -0.5, max: 0.25 };
    let planner = planner(vec![upright(TOLERANCE), near_table(0.3), narrow]);
    let (mut set, mut rng) = (set(&planner), SeededRng::new(2));
    let mut found = 0;
    for _ in 0..200 {
        let mut q = random(&planner, &mut rng);
        if !set.project(&mut q) {
            continue;
        }
        found += 1;
        let tool = planner.chain().tip_pose(&q);
        let tilt = (tool.rotation * Vector3::z()).angle(&-Vector3::z());
        assert!(tilt <= TOLERANCE && (tool.translation.z - 0.3).abs() <= 0.02, "{tilt} {}", tool.translation.z);
        assert!((-0.5..=0.25).contains(&q[5]));
        let once = q.clone();
        assert!(set.project(&mut q) && q == once);
    }
    assert!(found > 150, "{found}");
}

#[test]
fn a_plan_keeps_its_constraints_and_says_by_how_much() {
    let planner = planner(vec![upright(TOLERANCE)]);
    let (mut set, mut rng) = (set(&planner), SeededRng::new(3));
    let mut validity = planner.validity(&[0.0; 6]).unwrap();
    let mut free = || loop {
        let mut q = random(&planner, &mut rng);
        if set.project(&mut q) && validity.is_valid(&q) {
            return q;
        }
    };
    let (start, goal) = (free(), free());
    let pose = planner.fk(&goal).unwrap();
    let planned = planner.plan_timed(&start, &Goal::pose(pose), "totp").unwrap();
    assert_eq!(planned.result.planner_used, "cbirrt");
    let certificate = planned.trajectory.certificate().unwrap();
    let [proven] = &certificate.constraints[..] else { panic!("{:?}", certificate.constraints) };
    let curve = planned.trajectory.curve();
    let tilt = |step: i32| {
        let q = curve.sample(curve.duration() * f64::from(step) / 2000.0, 0);
        (planner.chain().tip_pose(&q).rotation * Vector3::z()).angle(&-Vector3::z())
    };
    let most = (0..=2000).map(tilt).fold(0.0, f64::max);
    assert!(most - TOLERANCE <= proven.max_violation + 1e-9 && proven.max_violation <= 0.0, "{most} {proven:?}");
}

#[test]
fn a_start_and_a_goal_that_do_not_keep_constraints_are_refused_by_name() {
    let planner = planner(vec![upright(TOLERANCE)]);
    let mut good = vec![0.0, -1.2, 1.6, -2.0, -1.57, 0.0];
    assert!(set(&planner).project(&mut good));
    let bad: Vec<f64> = good.iter().enumerate().map(|(joint, q)| if joint == 4 { q + 0.4 } else { *q }).collect();
    for (start, goal, wanted) in [(&bad, &good, "start"), (&good, &bad, "goal")] {
        let error = planner.plan(start, &Goal::joints(JointValues(goal.clone()))).unwrap_err();
        let KineticError::ConstraintViolated { context, value, tolerance, .. } = &error else { panic!("{error}") };
        assert_eq!((context.as_str(), *tolerance), (wanted, TOLERANCE));
        assert!(*value > 0.3 && *value < 0.5, "{value}");
    }
}
