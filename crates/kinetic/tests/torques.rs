//! What bounds on torques are bound to, and motions that torques make small.

use std::sync::Arc;

use kinetic::core::Minimise;
use kinetic::dynamics::TorqueLimits;
use kinetic::prelude::*;
use kinetic::trajectory::{TimingOptions, time_law};

const LOW: [f64; 6] = [0.0; 6];
const HIGH: [f64; 6] = [0.5, -1.0, -0.6, -0.5, 1.0, 0.0];

fn under_torques() -> PlannerConfig {
    PlannerConfig { torque_limits: true, ..PlannerConfig::default() }
}

fn planner(robot: &Robot, config: PlannerConfig) -> Planner {
    Planner::new(&Arc::new(robot.clone())).unwrap().with_config(config).unwrap()
}

#[test]
fn a_bound_on_torques_holds_for_the_dynamics_that_it_was_proven_for() {
    let robot = Robot::from_name("ur5e").unwrap();
    let own = planner(&robot, under_torques());
    let motion = own.plan_timed(&LOW, &Goal::joints(HIGH), "totp").unwrap().trajectory;
    let certificate = motion.certificate().unwrap();
    let bound_of = |planner: &Planner| certificate.torque_ratio_of(planner.dynamics_version().unwrap().unwrap());
    assert!(certificate.max_torque_ratio.is_some() && bound_of(&own) == certificate.max_torque_ratio);
    // The scene's version does not know masses and motors.
    let (mut heavier, mut weaker) = (robot.clone(), robot.clone());
    heavier.links.iter_mut().filter_map(|link| link.inertial.as_mut()).for_each(|inertial| inertial.mass *= 1.5);
    weaker.joint_limits[1].effort *= 0.5;
    for other in [&heavier, &weaker] {
        let other = planner(other, under_torques());
        assert_eq!(other.scene().version(), certificate.scene);
        assert_eq!(bound_of(&other), None);
    }
    let payload = Payload::point(1.0, Vector3::zeros()).unwrap().into();
    let others = [
        PlannerConfig { payload: Some(payload), ..under_torques() },
        PlannerConfig { gravity: Some([0.0, -9.81, 0.0]), ..under_torques() },
    ];
    assert!(others.into_iter().all(|config| bound_of(&planner(&robot, config)).is_none()));
    let plain = planner(&robot, PlannerConfig::default());
    assert_eq!(plain.dynamics_version().unwrap(), None);
    let plain = plain.plan_timed(&LOW, &Goal::joints(HIGH), "totp").unwrap().trajectory;
    assert_eq!(plain.certificate().unwrap().dynamics, None);
}

#[test]
fn gravity_of_a_wall_changes_what_is_held_and_is_refused_without_torques() {
    let robot = Robot::from_name("ur5e").unwrap();
    let gravity = [9.81, 0.0, 0.0];
    let on_wall = planner(&robot, PlannerConfig { gravity: Some(gravity), ..under_torques() });
    let model = on_wall.dynamics().unwrap().unwrap();
    assert_eq!(model.gravity(), &Vector3::from(gravity));
    let motion = on_wall.plan_timed(&LOW, &Goal::joints(HIGH), "totp").unwrap().trajectory;
    let peak = TorqueLimits::of_description(&model).unwrap().peak(&motion, &Control::default()).unwrap();
    assert!(peak.bound <= 1.0 && motion.certificate().unwrap().max_torque_ratio == Some(peak.bound));
    let config = PlannerConfig { gravity: Some(gravity), ..PlannerConfig::default() };
    let error = planner(&robot, config).plan(&LOW, &Goal::joints(HIGH)).unwrap_err();
    assert!(error.code() == "InvalidValue" && error.to_string().contains("gravity"), "{error}");
    let config = PlannerConfig { gravity: Some([f64::NAN, 0.0, 0.0]), ..under_torques() };
    assert!(Planner::new(&Arc::new(robot)).unwrap().with_config(config).is_err());
}

#[test]
fn a_planner_that_minimises_time_under_torques_compares_times_under_torques() {
    let robot = Robot::from_name("ur5e").unwrap();
    let payload = Payload::point(4.0, Vector3::new(0.0, 0.0, 0.2)).unwrap().into();
    let config = PlannerConfig {
        minimise: Some(Minimise::Time),
        payload: Some(payload),
        max_iterations: 200,
        timeout: f64::INFINITY,
        ..under_torques()
    };
    let planner = planner(&robot, config);
    let (model, law) = (planner.dynamics().unwrap().unwrap(), time_law("totp").unwrap());
    let (torques, limits) = (TorqueLimits::of_description(&model).unwrap(), planner.limits().unwrap());
    let mut heard = Vec::new();
    let mut hear = |better: Improvement| {
        let (options, control) = (TimingOptions::default(), Control::default());
        // The world is empty, and corners that touch the robot itself are not on this way.
        let timed = torques.time_parameterize(law, (&better.path, &control), &limits, &options, &mut |_| true);
        heard.push(timed.unwrap().duration());
    };
    let (start, goal) = ([-1.5, -0.6, 0.4, 0.0, 0.5, 0.0], Goal::joints([1.2, -0.9, -0.9, -0.5, 1.0, 0.0]));
    let query = Query::new(&start, &goal).with_time_law("totp").unwrap().on_improvement(&mut hear);
    let motion = planner.solve(query).unwrap().into_trajectory().unwrap();
    assert!(!heard.is_empty() && heard.windows(2).all(|pair| pair[1] < pair[0]), "{heard:?}");
    assert!((motion.duration() - heard[heard.len() - 1]).abs() < 1e-9, "{heard:?} {}", motion.duration());
}
