//! Refined motions: shorter, inside limits and free by sampling that is not the verifier's, the same bytes each time, and never below
//! the time that the slowest joint takes without obstacles.

use std::sync::atomic::{AtomicU64, Ordering};

use kinetic_core::config::motion_limits::MotionLimits;
use kinetic_core::control::Clock;
use kinetic_core::rng::SeededRng;
use kinetic_core::{
    Constraint, Control, Goal, JointValues, KineticError, PlannerConfig, Pose, Refine, Result, Shape, StopFlag,
};
use kinetic_planning::{PlannedTrajectory, Planner, Query};
use kinetic_robot::Robot;
use kinetic_scene::{Margins, Scene};
use kinetic_trajectory::jerk::jerk_limits;
use std::sync::Arc;

use crate::cases;

/// Balls around an arm.
fn scene(robot: &Arc<Robot>, rng: &mut SeededRng) -> Result<Scene> {
    let mut scene = Scene::new(robot)?;
    for index in 0..8 {
        let (angle, radius, height) =
            (std::f64::consts::TAU * rng.unit(), 0.4 + 0.4 * rng.unit(), 0.1 + 0.8 * rng.unit());
        let pose = Pose::from_xyz(radius * angle.cos(), radius * angle.sin(), height);
        scene.add(&format!("ball{index}"), Shape::sphere(0.08)?, pose)?;
    }
    Ok(scene)
}

fn random_free(planner: &Planner, rng: &mut SeededRng) -> Result<JointValues> {
    loop {
        let draw = |(low, high): &(f64, f64)| low.max(-3.0) + rng.unit() * (high.min(3.0) - low.max(-3.0));
        let q: JointValues = planner.chain().bounds().iter().map(draw).collect::<Vec<f64>>().into();
        if !planner.is_in_collision(&q)? {
            return Ok(q);
        }
    }
}

fn refining(planner: &Planner) -> Result<Planner> {
    let config = PlannerConfig { refine: Some(Refine::Trajopt), ..planner.config().clone() };
    planner.clone().with_config(config)
}

/// Rates by central differences of positions at 2,000 instants, and a check at each.
fn judge(planned: &PlannedTrajectory, planner: &Planner, law: &str, what: &str) -> Result<()> {
    let (curve, limits) = (planned.trajectory.curve(), planner.limits()?);
    let margins = Margins::new(planner.config().collision_margin, planner.config().self_margin);
    let mut checker = planner.scene().checker(&planner.group().name, margins)?;
    let (steps, duration) = (2_000, curve.duration());
    let (h, jerk) = (duration / f64::from(steps), jerk_limits(&limits));
    let at = |step: i32| curve.sample((f64::from(step) * h).clamp(0.0, duration), 0);
    for step in 0..=steps {
        let (before, here, after) = (at(step - 1), at(step), at(step + 1));
        assert!(checker.is_free(&here), "{what}: in contact at step {step}");
        for joint in 0..here.len() {
            let (low, high) = planner.chain().bounds()[joint];
            assert!(
                here[joint] >= low - 1e-9 && here[joint] <= high + 1e-9,
                "{what}: joint {joint} at {}",
                here[joint]
            );
            let velocity = (after[joint] - before[joint]).abs() / (2.0 * h);
            let acceleration = (after[joint] - 2.0 * here[joint] + before[joint]).abs() / (h * h);
            assert!(velocity <= limits.velocity[joint] * 1.000_001, "{what}: velocity {velocity}");
            assert!(acceleration <= limits.acceleration[joint] * 1.001, "{what}: acceleration {acceleration}");
            if law != "jerk_limited" {
                continue;
            }
            let further = at(step + 2)[joint];
            let third = (further - 3.0 * after[joint] + 3.0 * here[joint] - before[joint]).abs() / (h * h * h);
            assert!(step + 2 > steps || third <= jerk[joint] * 1.01, "{what}: jerk {third} at {step}");
        }
    }
    Ok(())
}

/// The least time of the slowest joint without obstacles.
fn bound(planned: &PlannedTrajectory, planner: &Planner) -> Result<f64> {
    let (curve, limits) = (planned.trajectory.curve(), planner.limits()?);
    let (from, to) = (curve.sample(0.0, 0), curve.sample(curve.duration(), 0));
    let of = |joint: usize| {
        let (way, v, a) = ((to[joint] - from[joint]).abs(), limits.velocity[joint], limits.acceleration[joint]);
        if way > v * v / a { way / v + v / a } else { 2.0 * (way / a).sqrt() }
    };
    Ok((0..from.len()).map(of).fold(0.0, f64::max))
}

#[test]
fn refined_motions_are_shorter_inside_limits_free_and_the_same_each_time() -> Result<()> {
    // Regression 45: jerk limits that are not stated did not hold after refinement.
    for (name, law, jerk) in [
        ("ur5e", "totp", None),
        ("ur5e", "jerk_limited", None),
        ("franka_panda", "jerk_limited", Some(500.0)),
        ("franka_panda", "trapezoidal", None),
        ("fetch", "totp", None),
    ] {
        let robot = Arc::new(Robot::from_name(name)?);
        let mut rng = SeededRng::new(7);
        let (mut shorter, mut all, mut over) = (0, 0, [0.0, 0.0]);
        for case in 0..cases(6, 300) {
            let world = scene(&robot, &mut rng)?;
            let jerk = jerk.map(|jerk| vec![jerk; robot.groups[robot.default_group].dof()]);
            let limits = MotionLimits { jerk, ..MotionLimits::default() };
            let config =
                PlannerConfig { max_iterations: 20_000, timeout: f64::INFINITY, limits, ..PlannerConfig::default() };
            let planner = Planner::new(&robot)?.with_scene(&world)?.with_config(config)?;
            let (start, goal) = (random_free(&planner, &mut rng)?, random_free(&planner, &mut rng)?);
            let goal = Goal::Joints(goal);
            let Ok(plain) = planner.plan_timed(&start, &goal, law) else { continue };
            let refining = refining(&planner)?;
            let refined = refining.plan_timed(&start, &goal, law)?;
            let what = format!("{name}, {law}, case {case}");
            judge(&refined, &planner, law, &what)?;
            assert_eq!(refined.result.path, plain.result.path, "{what}: the path stays");
            let (before, after) = (plain.trajectory.duration(), refined.trajectory.duration());
            let certificate = refined.trajectory.certificate().expect("a certificate");
            assert!(certificate.max_velocity_ratio <= 1.0 + 1e-9 && certificate.max_acceleration_ratio <= 1.0 + 1e-9);
            let least = bound(&refined, &planner)?;
            assert!(after <= before && after >= least * (1.0 - 1e-9), "{what}: {before} to {after}, at least {least}");
            assert_eq!(refined.result.unrefined_duration.is_some(), after < before, "{what}");
            if let Some(duration) = refined.result.unrefined_duration {
                assert_eq!(duration, before, "{what}");
                assert!(refined.result.checks > plain.result.checks, "{what}: queries and proofs are counted");
                assert_eq!(refined.trajectory.law, "trajopt");
                shorter += 1;
            }
            all += 1;
            over = [over[0] + before / least - 1.0, over[1] + after / least - 1.0];
            let again = refining.plan_timed(&start, &goal, law)?;
            assert_eq!(again.trajectory.curve(), refined.trajectory.curve(), "{what}");
        }
        assert!(all >= 3 && shorter >= 1, "{name}, {law}: {shorter} of {all}");
        // What corners and the polyline cost on the panda is mostly gone.
        assert!(name != "franka_panda" || over[1] < 0.7 * over[0], "{law}: {over:?} over the bounds");
    }
    Ok(())
}

#[test]
fn what_is_not_refined_is_said() -> Result<()> {
    let robot = Arc::new(Robot::from_name("ur5e")?);
    let planner = Planner::new(&robot)?;
    let with =
        |config: PlannerConfig| planner.clone().with_config(PlannerConfig { refine: Some(Refine::Trajopt), ..config });
    let bent = Constraint::Joint { joint_index: 0, min: -1.0, max: 1.0 };
    let constrained = with(PlannerConfig { constraints: vec![bent], ..PlannerConfig::default() });
    let loaded = with(PlannerConfig { torque_limits: true, ..PlannerConfig::default() });
    for (refused, beside) in [(constrained, "constraints"), (loaded, "torque limits")] {
        let error = refused.map(|_| ()).unwrap_err();
        let KineticError::InvalidValue { name, wanted, .. } = &error else { panic!("{error}") };
        assert_eq!(name, "refine");
        assert!(wanted.contains(beside), "{error}");
    }
    let home = robot.named_pose(&robot.groups[robot.default_group], "home").expect("a pose").to_vec();
    let still = with(PlannerConfig::default())?.plan_timed(&home, &Goal::Joints(home.clone().into()), "totp")?;
    assert_eq!(still.result.unrefined_duration, None);
    let untimed = with(PlannerConfig::default())?.solve(Query::new(&home, &Goal::named("ready")))?;
    assert!(untimed.trajectory.is_none() && untimed.result.unrefined_duration.is_none());
    Ok(())
}

/// Regression 46: of motions as small as the rounding of their values, refinement made errors.
#[test]
fn a_motion_that_is_tiny_beside_its_values_stays_where_rounding_exceeds_a_limit() -> Result<()> {
    let robot = Arc::new(Robot::from_name("ur5e")?);
    let planner = Planner::new(&robot)?;
    let (refining, mut rng) = (refining(&planner)?, SeededRng::new(3));
    for case in 0..cases(10, 300) {
        let start = random_free(&planner, &mut rng)?;
        for (size, law) in [1e-4, 1e-5, 1e-6, 1e-7].into_iter().flat_map(|size| LAWS.map(|law| (size, law))) {
            let goal: Vec<f64> = start.iter().map(|value| value + size * (2.0 * rng.unit() - 1.0)).collect();
            let goal = Goal::joints(goal);
            let Ok(plain) = planner.plan_timed(&start, &goal, law) else { continue };
            let refined = refining.plan_timed(&start, &goal, law)?;
            assert!(refined.trajectory.duration() <= plain.trajectory.duration(), "case {case}, {size}, {law}");
        }
    }
    Ok(())
}

const LAWS: [&str; 4] = ["totp", "trapezoidal", "jerk_limited", "cubic_spline"];

/// A clock that is read so many times at 0, and stands still at a later time after that.
#[derive(Debug)]
struct SteppingClock {
    readings: AtomicU64,
    later: f64,
}

impl Clock for SteppingClock {
    fn now(&self) -> f64 {
        let is_left =
            self.readings.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |left| left.checked_sub(1)).is_ok();
        if is_left { 0.0 } else { self.later }
    }

    fn wait_until(&self, _: f64, _: &StopFlag) -> bool {
        true
    }
}

/// Regression 24: a refinement went on after the budget and left nothing of the grace to the verification.
#[test]
fn a_budget_that_ends_during_refinement_ends_it_and_leaves_a_motion() -> Result<()> {
    let robot = Arc::new(Robot::from_name("franka_panda")?);
    let mut rng = SeededRng::new(7);
    let world = scene(&robot, &mut rng)?;
    let planner = Planner::new(&robot)?.with_scene(&world)?;
    let refining = refining(&planner)?;
    let (start, goal) = (random_free(&planner, &mut rng)?, Goal::Joints(random_free(&planner, &mut rng)?));
    let solve = |planner: &Planner, readings: u64, budget: f64| {
        let clock = SteppingClock { readings: readings.into(), later: budget + 1e-3 };
        let control = Control::new(Arc::new(clock), budget, 20_000, StopFlag::default());
        planner.solve(Query::new(&start, &goal).with_time_law("totp")?.with_control(&control))
    };
    for budget in [0.01, 1.0] {
        let (mut durations, mut late) = (Vec::new(), 0);
        for readings in (1..600).step_by(3).filter(|readings| solve(&planner, *readings, budget).is_ok()) {
            // A step of more than the grace inside the verification is an error.
            let solution = match solve(&refining, readings, budget) {
                Err(KineticError::PlanningTimeout { .. }) if budget > 0.5 => {
                    late += 1;
                    continue;
                }
                solution => solution?,
            };
            let timed = solution.trajectory.expect("a time law was stated");
            assert!(timed.certificate().is_some(), "{readings} readings");
            durations.push(timed.duration());
        }
        assert!(durations.iter().all(|duration| *duration <= durations[0]), "{durations:?}");
        assert!(20 * late < durations.len(), "{late} errors, {} motions", durations.len());
        durations.dedup();
        assert!(durations.len() > 2, "unrefined, partly refined and refined: {durations:?}");
    }
    Ok(())
}
