//! Constraints: proofs of motions against dense samples, projection, plans. The oracle of poses is the chain's forward
//! kinematics, which has Pinocchio as its own.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use kinetic_core::constraint::Axis;
use kinetic_core::rng::SeededRng;
use kinetic_core::{
    Clock, Constraint, Control, Goal, JointValues, KineticError, ManualClock, PiecewisePolynomial, PlannerConfig,
    PoseRegion, Prefer, StopFlag, Trajectory,
};
use kinetic_planning::{ConstraintSet, Planner, PlanningProblem, Query as PlannerQuery, ReportOptions, Validity};
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

/// One constraint of every kind that links are about, met at `q`, with a tolerance of 1.
fn one_of_each_kind(planner: &Planner, q: &[f64]) -> Vec<Constraint> {
    let poses = planner.scene().link_poses(q).unwrap();
    let robot = planner.scene().robot();
    let pose = |name: &str| poses[robot.links.iter().position(|link| link.name == name).unwrap()];
    let (tool, elbow) = (pose("tool0"), pose("forearm_link"));
    let (at, z) = (tool.translation(), tool.rotation() * Vector3::z());
    let (link, other) = (|| "tool0".to_owned(), || "forearm_link".to_owned());
    let link_axis = Vector3::new(0.3, -0.5, 0.8);
    let middle = (at - elbow.translation()).norm();
    vec![
        Constraint::Orientation { link: link(), axis: z, tolerance: 1.0 },
        Constraint::FreeAxis { link: link(), link_axis, axis: tool.rotation() * link_axis, tolerance: 1.0 },
        Constraint::FixedOrientation { link: link(), rotation: tool.rotation(), tolerance: 1.0 },
        Constraint::PositionBound { link: link(), axis: Axis::Y, min: at.y - 1.0, max: at.y + 1.0 },
        Constraint::Plane { link: link(), point: at, normal: Vector3::new(1.0, 2.0, -0.5), tolerance: 1.0 },
        Constraint::Line { link: link(), point: at, direction: Vector3::new(1.0, 2.0, -0.5), tolerance: 1.0 },
        Constraint::Box { link: link(), pose: tool, half_extents: Vector3::repeat(1.0) },
        Constraint::Distance { link_a: other(), link_b: link(), min: middle - 1.0, max: middle + 1.0 },
        Constraint::RelativePose {
            link_a: other(),
            link_b: link(),
            pose: elbow.inverse() * tool,
            position_tolerance: 1.0,
            orientation_tolerance: 1.0,
        },
    ]
}

fn set_of(planner: &Planner, constraint: Constraint) -> ConstraintSet {
    let config = PlannerConfig { constraints: vec![constraint], ..PlannerConfig::default() };
    set(&planner.clone().with_config(config).unwrap())
}

/// Straight motions and cubic curves, long and short, of constraints whose tolerances are a little wider, and a little narrower,
/// than the largest deviation at samples.
#[test]
fn tolerances_are_proven_from_just_above_the_largest_deviation_on() {
    let planner = planner(Vec::new());
    let mut rng = SeededRng::new(11);
    for case in 0..300 {
        // Off the limits, which motions do not leave either.
        let middle: Vec<f64> = random(&planner, &mut rng).iter().map(|q| 0.8 * q).collect();
        let scale = [0.3, 0.03, 0.003][case % 3];
        let moved = |rng: &mut SeededRng| middle.iter().map(|q| q + rng.uniform(-scale, scale)).collect::<Vec<_>>();
        let (from, to) = (moved(&mut rng), moved(&mut rng));
        let bend: Vec<f64> = middle.iter().map(|_| rng.uniform(-scale, scale)).collect();
        let coefficients =
            from.iter().zip(&to).zip(&bend).map(|((a, b), bend)| [*a, b - a - bend, 0.0, *bend, 0.0, 0.0]);
        let curve = PiecewisePolynomial::new(6, vec![0.0, 1.0], coefficients.collect()).unwrap();
        let kinds = one_of_each_kind(&planner, &middle);
        let wide = kinds[case / 3 % kinds.len()].clone();
        let mut unit = set_of(&planner, wide.clone());
        let largest = |q: &dyn Fn(f64) -> Vec<f64>, set: &mut ConstraintSet| {
            (0..=2000).map(|step| set.deviations(&q(f64::from(step) / 2000.0))[0].0).fold(0.0, f64::max)
        };
        let straight = |t: f64| from.iter().zip(&to).map(|(a, b)| a + t * (b - a)).collect::<Vec<_>>();
        let on_line = largest(&straight, &mut unit);
        let on_curve = largest(&|t| curve.sample(t, 0), &mut unit);
        for (factor, is_wide) in [(1.03, true), (0.97, false)] {
            let mut set = set_of(&planner, wide.with_tolerance_scaled(factor * on_line));
            assert_eq!(set.holds_along(&from, &to), is_wide, "case {case}, {wide}, {factor} times {on_line}");
            let tolerance = factor * on_curve;
            let mut set = set_of(&planner, wide.with_tolerance_scaled(tolerance));
            let outcome = set.bound_along(&curve, &Control::default()).unwrap();
            assert_eq!(outcome.is_ok(), is_wide, "case {case}, {wide}, {factor} times {on_curve}");
            if let Ok(bounds) = outcome {
                // What is certified is no less than what samples have.
                assert!(bounds[0] >= on_curve - tolerance - 1e-12 && bounds[0] <= 0.0, "case {case}, {wide}");
            }
        }
    }
}

#[test]
fn edges_whose_ends_are_exact_are_proven_in_few_steps_at_a_hundredth_of_a_millimetre() {
    let planner = planner(Vec::new());
    let mut rng = SeededRng::new(12);
    let mut proven = 0;
    for _ in 0..200 {
        let from = random(&planner, &mut rng);
        let tool = planner.fk(&from).unwrap();
        let plane = Constraint::Plane {
            link: "tool0".to_owned(),
            point: tool.translation(),
            normal: Vector3::z(),
            tolerance: 1e-9,
        };
        let mut to: Vec<f64> = from.iter().map(|q| q + rng.uniform(-0.004, 0.004)).collect();
        if !set_of(&planner, plane.clone()).project(&mut to) {
            continue;
        }
        // Six joints that move by 4 mrad, with links of together 1.5 m: less than 1.5 (6 · 0.004)² / 8 m off.
        let mut set = set_of(&planner, plane.with_tolerance_scaled(1.1e5));
        assert!(set.holds_along(&from, &to), "{from:?} {to:?}");
        proven += 1;
    }
    assert!(proven > 150, "{proven}");
}

/// The sum of the first two joints near 0.3, as a function.
fn sum_of_two(tolerance: f64, rates: Vec<f64>) -> Constraint {
    let residual = |q: &[f64], out: &mut [f64]| {
        out[0] = q[0] + q[1] - 0.3;
        Ok(())
    };
    Constraint::custom("sum", 1, rates, tolerance, residual).unwrap()
}

#[test]
fn a_function_is_kept_along_the_timed_motion() {
    let rates = vec![1.0, 1.0, 0.0, 0.0, 0.0, 0.0];
    let planner = planner(vec![sum_of_two(0.02, rates)]);
    let start = planner.project(&[1.0, -0.9, 0.5, -1.0, 1.0, 0.0]).unwrap();
    let goal = planner.project(&[0.3, -0.5, 1.2, -1.5, 0.5, 0.4]).unwrap();
    let planned = planner.plan_timed(&start, &Goal::joints(goal), "totp").unwrap();
    let curve = planned.trajectory.curve();
    let off = |step: i32| {
        let q = curve.sample(curve.duration() * f64::from(step) / 2000.0, 0);
        (q[0] + q[1] - 0.3).abs()
    };
    let most = (0..=2000).map(off).fold(0.0, f64::max);
    let proven = &planned.trajectory.certificate().unwrap().constraints[0];
    assert!(most - 0.02 <= proven.max_violation + 1e-12 && proven.max_violation <= 0.0, "{most} {proven:?}");
}

#[test]
fn functions_that_fail_end_the_plan_with_their_error() {
    let start = [0.5, -0.2, 0.5, -1.0, 1.0, 0.0];
    let goal = Goal::joints(vec![1.0, -0.7, 1.2, -1.5, 0.5, 0.4]);
    let detail = |constraint: Constraint| match planner(vec![constraint]).plan_timed(&start, &goal, "totp").unwrap_err()
    {
        KineticError::ConstraintFunctionFailed { constraint, detail } => {
            assert_eq!(constraint, "sum");
            detail
        }
        other => panic!("{other}"),
    };
    let full = vec![1.0, 1.0, 0.0, 0.0, 0.0, 0.0];
    let of = |residual: fn(&[f64]) -> f64| {
        let write = move |q: &[f64], out: &mut [f64]| {
            out[0] = residual(q);
            Ok(())
        };
        Constraint::custom("sum", 1, vec![1.0; 6], 0.02, write).unwrap()
    };
    assert!(detail(of(|_| f64::NAN)).contains("NaN at index 0"));
    assert!(detail(of(|q| if q[2] > 0.6 { f64::INFINITY } else { q[0] + q[1] - 0.3 })).contains("inf at index 0"));
    // A slope of 1 where 0.5 is stated.
    let error = planner(vec![sum_of_two(0.02, vec![0.5; 6])]).project(&[1.0, -0.2, 0.5, -1.0, 1.0, 0.0]).unwrap_err();
    let KineticError::ConstraintFunctionFailed { detail: rate, .. } = error else { panic!("{error}") };
    assert!(rate.contains("rate"), "{rate}");
    let raises = Constraint::custom("sum", 1, full, 0.02, |_, _| {
        Err(KineticError::ConstraintFunctionFailed { constraint: "sum".to_owned(), detail: "is out".to_owned() })
    });
    assert_eq!(detail(raises.unwrap()), "is out");
    let few = Planner::new(&Arc::new(Robot::from_name("ur5e").unwrap())).unwrap();
    let config = PlannerConfig { constraints: vec![sum_of_two(0.02, vec![1.0])], ..PlannerConfig::default() };
    let error = few.with_config(config).unwrap().plan(&start, &goal).unwrap_err();
    assert!(matches!(error, KineticError::DimensionMismatch { got: 1, .. }), "{error}");
}

/// Regression 59: a waypoint outside the range of a joint was said to be a collision, of links that do not touch.
#[test]
fn a_path_outside_the_range_of_a_joint_is_refused_for_it() {
    let range = Constraint::Joint { joint_index: 0, min: -0.1, max: 0.1 };
    let planner = planner(vec![range]);
    let inside = [0.05, -1.2, 1.5, -1.0, 1.0, 0.0];
    for (first, second) in [(0.05, 0.5), (0.5, 0.05), (0.5, 0.6)] {
        let ends = [first, second]
            .map(|turn| std::array::from_fn::<f64, 6, _>(|joint| if joint == 0 { turn } else { inside[joint] }));
        let path = Trajectory::from_waypoints(&ends).unwrap();
        let refused = planner.check_path(&path).unwrap_err();
        assert!(
            matches!(&refused, KineticError::ConstraintViolated { value, tolerance, .. }
                if (value - first.max(second)).abs() < 1e-12 && (tolerance - 0.1).abs() < 1e-12),
            "{refused}"
        );
        assert_eq!(planner.simplify(&path, &Control::default()).unwrap_err(), refused);
    }
}

/// Regression 57: the goals of a region were looked at one after the other without a look at the clock.
#[test]
fn a_slow_function_of_many_goals_is_asked_once_more_after_the_deadline_at_most() {
    let (clock, asked) = (Arc::new(ManualClock::default()), Arc::new(AtomicU32::new(0)));
    let residual = {
        let (clock, asked) = (Arc::clone(&clock), Arc::clone(&asked));
        move |q: &[f64], out: &mut [f64]| {
            clock.advance(10_000_000);
            asked.fetch_add(1, Ordering::Relaxed);
            out[0] = q[0];
            Ok(())
        }
    };
    let rates = vec![1.0, 0.0, 0.0, 0.0, 0.0, 0.0];
    let slow = Constraint::custom("turn", 1, rates, 3.0, residual).unwrap();
    let start = [0.5, -1.2, 1.5, -1.0, 1.0, 0.0];
    for prefer in [Prefer::Distance, Prefer::Time, Prefer::Clearance] {
        let planner = planner(vec![slow.clone()]);
        let region =
            PoseRegion::new(planner.fk(&[0.9, -1.0, 1.4, -1.2, 1.1, 0.2]).unwrap(), [0.1; 3], [0.3; 3]).unwrap();
        let planner =
            planner.clone().with_config(PlannerConfig { prefer: Some(prefer), ..planner.config().clone() }).unwrap();
        for calls in [2_u32, 5, 20] {
            asked.store(0, Ordering::Relaxed);
            let timeout = 0.01 * f64::from(calls) - 0.005;
            let control = Control::new(Arc::clone(&clock) as Arc<dyn Clock>, timeout, u64::MAX, StopFlag::default());
            let goal = Goal::region(region);
            let planned = planner.solve(PlannerQuery::new(&start, &goal).with_control(&control));
            assert!(matches!(planned, Err(KineticError::PlanningTimeout { .. })), "{prefer:?} {calls}");
            assert_eq!(asked.load(Ordering::Relaxed), calls, "{prefer:?}");
        }
    }
}

#[test]
fn files_hold_the_record_of_a_function_and_problems_refuse_it() {
    let constraint = sum_of_two(0.02, vec![1.0; 6]);
    let record = constraint.fields().into_iter().map(|(name, value)| (name.to_owned(), value)).collect();
    let read = Constraint::from_fields(constraint.kind(), record).unwrap();
    assert_ne!(read, constraint);
    assert_eq!(read.to_string(), constraint.to_string());
    let start = [0.5, -0.2, 0.5, -1.0, 1.0, 0.0];
    assert!(matches!(planner(vec![read]).plan(&start, &Goal::named("home")), Err(KineticError::InvalidValue { .. })));
    let problem: PlanningProblem = planner(vec![constraint]).problem(&start, &Goal::named("home")).unwrap();
    let error = problem.to_toml().unwrap_err();
    assert!(error.to_string().contains("a function"), "{error}");
}

#[test]
fn a_start_off_the_constraints_is_projected_on_request_and_suggested_otherwise() {
    let planner = planner(vec![upright(TOLERANCE)]);
    let goal = planner.project(&[0.5, -1.2, 1.6, -2.0, -1.57, 0.0]).unwrap();
    let tilted = [0.0, -1.2, 1.6, -2.0, -1.4, 0.0];
    let error = planner.plan(&tilted, &Goal::joints(goal.clone())).unwrap_err();
    let config = PlannerConfig { project_start: true, ..planner.config().clone() };
    let projecting = planner.clone().with_config(config).unwrap();
    let planned = projecting.plan(&tilted, &Goal::joints(goal.clone())).unwrap();
    assert_eq!(planned.path.positions(0), &planner.project(&tilted).unwrap()[..]);
    assert_eq!(projecting.plan(&goal, &Goal::joints(goal.clone())).unwrap().path.positions(0), &goal[..]);
    let options = ReportOptions { stop: StopFlag::default(), ..ReportOptions::default() };
    let report = planner.explain(&tilted, &Goal::joints(goal), &error, &options).unwrap();
    let solved = |kind: &str| report.suggestions.iter().any(|one| one.change.kind() == kind && one.solved);
    assert!(solved("projected_start") && solved("constraint"), "{:?}", report.suggestions);
}

/// Regression 26: samples of a joint without limits lay in one turn, and their projections at the border of an interval on
/// another one; a goal was refused by its value on a turn on which no motion ends.
#[test]
fn joints_without_limits_keep_intervals_on_any_turn() {
    const TURN: &str = r#"<robot name="turn"><link name="base"/><link name="tip"/>
      <joint name="j" type="continuous"><parent link="base"/><child link="tip"/><origin xyz="0 0 0.1"/><axis xyz="0 0 1"/>
      <limit velocity="1" effort="1"/></joint></robot>"#;
    let robot = Arc::new(Robot::from_urdf_string(TURN).unwrap());
    let planned = |[low, high]: [f64; 2], start: f64, goal: f64| {
        let constraints = vec![Constraint::Joint { joint_index: 0, min: low, max: high }];
        let config = PlannerConfig { constraints, max_iterations: 2_000, ..PlannerConfig::default() };
        let planner = Planner::new(&robot).unwrap().with_config(config).unwrap();
        planner.plan(&[start], &Goal::joints(vec![goal]))
    };
    for ([low, high], start, goal) in
        [([3.0, 9.0], 3.1, 8.9), ([3.0, 7.0], 3.1, 6.9), ([4.0, 9.0], 4.1, 8.9), ([-10.0, -3.0], -3.2, -9.0)]
    {
        let motion = planned([low, high], start, goal).unwrap();
        assert_eq!(motion.end(), [goal], "{low} to {high}");
        assert!((0..motion.path.len()).all(|row| (low..=high).contains(&motion.path.positions(row)[0])));
    }
    let motion = planned([3.0, 3.3], 3.13, -3.12).unwrap();
    assert!((motion.end()[0] - (std::f64::consts::TAU - 3.12)).abs() < 1e-12, "{:?}", motion.end());
    let error = planned([3.0, 3.1], 3.05, -3.12).unwrap_err();
    assert!(matches!(error, KineticError::ConstraintViolated { .. }), "{error}");
}
