//! Motions under torque limits, against dense samples and against times that are known by hand.

use kinetic_core::{Control, KineticError, Limits, Pose, StopFlag, SystemClock, TimedTrajectory, Trajectory};
use kinetic_dynamics::{DynamicsModel, Payload, TorqueLimits, gravity_compensation, inverse_dynamics, torque_peak};
use kinetic_robot::Robot;
use kinetic_trajectory::{TIME_LAWS, TimingOptions, time_law, time_parameterize};
use nalgebra::Vector3;

use crate::cases;
use crate::support::Case;

/// Largest |effort| / limit at dense samples.
fn sampled(model: &DynamicsModel, timed: &TimedTrajectory, limits: &[f64]) -> f64 {
    let mut most = 0.0_f64;
    for sample in 0..=4000 {
        let state = timed.sample_at(timed.duration() * f64::from(sample) / 4000.0);
        let tau = inverse_dynamics(model, &state.positions, &state.velocities, &state.accelerations).unwrap();
        most = tau.iter().zip(limits).map(|(effort, limit)| effort.abs() / limit).fold(most, f64::max);
    }
    most
}

fn timed_by(
    torques: &TorqueLimits<'_>,
    law: &str,
    path: &Trajectory,
    limits: &Limits,
    options: &TimingOptions,
) -> Result<TimedTrajectory, KineticError> {
    let control = Control::default();
    torques.time_parameterize(time_law(law)?, (path, &control), limits, options, &mut |_| true)
}

/// A beam of 2 kg m² about a vertical axis, which gravity does not pull, with viscous damping and Coulomb friction.
fn beam(damping: f64, friction: f64) -> DynamicsModel {
    let robot = Robot::from_urdf_string(&format!(
        "<robot name=\"beam\"><link name=\"base\"/><link name=\"beam\"><inertial><mass value=\"1\"/>\
         <inertia ixx=\"2\" iyy=\"2\" izz=\"2\" ixy=\"0\" ixz=\"0\" iyz=\"0\"/></inertial></link>\
         <joint name=\"turn\" type=\"continuous\"><parent link=\"base\"/><child link=\"beam\"/><axis xyz=\"0 0 1\"/>\
         <limit velocity=\"100\" effort=\"3\"/><dynamics damping=\"{damping}\" friction=\"{friction}\"/></joint></robot>"
    ));
    DynamicsModel::from_robot(&robot.unwrap()).unwrap()
}

#[test]
fn the_fastest_turn_of_a_beam_takes_the_time_of_bang_bang_control() {
    let limits = Limits::new(vec![100.0], vec![1000.0]).unwrap();
    let path = Trajectory::from_waypoints(&[[0.0], [1.2]]).unwrap();
    // With friction f, 3 - f accelerates half as much again as the motor and friction, 3 + f, brake.
    for friction in [0.0, 0.6] {
        let (model, inertia) = (beam(0.0, friction), 2.0);
        let torques = TorqueLimits::of_description(&model).unwrap();
        let timed = timed_by(&torques, "totp", &path, &limits, &TimingOptions::default()).unwrap();
        let (up, down) = ((3.0 - friction) / inertia, (3.0 + friction) / inertia);
        let by_hand = (2.0 * 1.2_f64 * (1.0 / up + 1.0 / down)).sqrt();
        assert!(timed.duration() >= by_hand && timed.duration() <= 1.02 * by_hand, "{} {by_hand}", timed.duration());
        assert!(sampled(&model, &timed, &[3.0]) <= 1.0);
        // A trapezoid has the same acceleration up and down.
        let even = timed_by(&torques, "trapezoidal", &path, &limits, &TimingOptions::default()).unwrap();
        let by_hand = 2.0 * (1.2 / up).sqrt();
        assert!(even.duration() >= by_hand && even.duration() <= 1.02 * by_hand, "{} {by_hand}", even.duration());
    }
}

#[test]
fn every_law_keeps_torques_that_it_would_exceed() {
    let robot = Robot::from_name("ur5e").unwrap();
    let group = &robot.groups[robot.default_group];
    let tip = &robot.links[group.tip_link].name;
    let payload = Payload::point(5.0, Vector3::new(0.0, 0.0, 0.2)).unwrap();
    let model = DynamicsModel::from_group(&robot, group).unwrap();
    let model = model.with_payload(tip, &group.tip_from_tcp, &payload).unwrap();
    let torques = TorqueLimits::of_description(&model).unwrap();
    let path = Trajectory::from_waypoints(&[
        [0.0, 0.0, 0.0, 0.0, 0.0, 0.0],
        [0.5, -1.0, -0.6, -0.5, 1.0, 0.0],
        [1.5, -0.1, -0.1, 0.5, -1.0, 1.0],
    ])
    .unwrap();
    let limits = robot.limits(group);
    for law in TIME_LAWS {
        let plain = time_parameterize(&path, law.id, &limits, &TimingOptions::default(), &mut |_| true).unwrap();
        let over = sampled(&model, &plain, model.effort_limits());
        let timed = timed_by(&torques, law.id, &path, &limits, &TimingOptions::default()).unwrap();
        let peak = torques.peak(&timed, &Control::default()).unwrap();
        let now = sampled(&model, &timed, model.effort_limits());
        if law.id == "cubic_spline" {
            assert!(over < 1.0 && timed == plain, "it is slow enough already: {over}");
            continue;
        }
        assert!(over > 1.0 && now <= 1.0, "{}: {over} {now}", law.id);
        assert!(now <= peak.bound && peak.bound <= 1.0 && peak.ratio > 0.99, "{}: {peak:?} {now}", law.id);
        assert!(timed.duration() > plain.duration() && timed.duration() < 1.5 * plain.duration());
    }
}

#[test]
fn random_trees_keep_their_torques_with_friction_and_damping() {
    for seed in 0..cases(6, 200) as u64 {
        let case = Case::new(seed);
        let (model, dof) = (&case.model, case.q.len());
        let path = Trajectory::from_waypoints(&[case.q.clone(), case.moved(0.3), case.a.clone()]).unwrap();
        let limits = Limits::new(vec![2.0; dof], vec![6.0; dof]).unwrap();
        let plain = time_parameterize(&path, "totp", &limits, &TimingOptions::default(), &mut |_| true).unwrap();
        // Static efforts along the path, and some room above them.
        let mut efforts = vec![0.0_f64; dof];
        for sample in 0..=500 {
            let q = plain.curve().sample(plain.duration() * f64::from(sample) / 500.0, 0);
            let still = gravity_compensation(model, &q).unwrap();
            efforts.iter_mut().zip(still).for_each(|(most, effort)| *most = most.max(effort.abs()));
        }
        let efforts: Vec<f64> = efforts.iter().map(|most| 1.2 * most + 1.5).collect();
        let torques = TorqueLimits::new(model, &efforts).unwrap();
        for law in ["totp", "jerk_limited"] {
            let timed = timed_by(&torques, law, &path, &limits, &TimingOptions::default()).unwrap();
            let (most, peak) = (sampled(model, &timed, &efforts), torques.peak(&timed, &Control::default()).unwrap());
            assert!(most <= peak.bound && peak.bound <= 1.0, "seed {seed}, {law}: {most} {peak:?}");
        }
    }
}

#[test]
fn torques_that_do_not_bind_change_nothing() {
    let model = beam(0.0, 0.0);
    let limits = Limits::new(vec![1.0], vec![0.5]).unwrap();
    let path = Trajectory::from_waypoints(&[[0.0], [1.2]]).unwrap();
    let torques = TorqueLimits::of_description(&model).unwrap();
    let timed = timed_by(&torques, "totp", &path, &limits, &TimingOptions::default()).unwrap();
    let plain = time_parameterize(&path, "totp", &limits, &TimingOptions::default(), &mut |_| true).unwrap();
    assert_eq!(timed, plain);
    let long = TimingOptions { duration: Some(9.0), ..TimingOptions::default() };
    assert_eq!(timed_by(&torques, "totp", &path, &limits, &long).unwrap().duration(), 9.0);
}

#[test]
fn a_posture_that_no_motor_holds_is_named() {
    let robot = Robot::from_name("ur5e").unwrap();
    let group = &robot.groups[robot.default_group];
    let model = DynamicsModel::from_group(&robot, group).unwrap();
    let limits = robot.limits(group);
    let low = [0.0, -0.1, 0.0, 0.0, 0.0, 0.0];
    let path = Trajectory::from_waypoints(&[[0.0, -1.57, 0.0, 0.0, 0.0, 0.0], low]).unwrap();
    let holding = gravity_compensation(&model, &low).unwrap()[1];
    let torques = TorqueLimits::new(&model, &[150.0, 0.8 * holding.abs(), 150.0, 28.0, 28.0, 28.0]).unwrap();
    for law in ["totp", "trapezoidal"] {
        let error = timed_by(&torques, law, &path, &limits, &TimingOptions::default()).unwrap_err();
        let KineticError::StaticTorqueExceeded { joint, effort, limit, reserve, waypoint_index } = error else {
            panic!("{error}")
        };
        assert_eq!((joint.as_str(), waypoint_index), ("shoulder_lift_joint", 1));
        assert_eq!((limit, reserve), (0.8 * holding.abs(), 0.001));
        assert!(effort.abs() > limit && effort.abs() <= holding.abs() + 1e-9, "{effort} {holding}");
    }
}

#[test]
fn motions_that_begin_under_way_are_timed_by_rows_alone() {
    let model = beam(0.0, 0.0);
    let limits = Limits::new(vec![10.0], vec![1000.0]).unwrap();
    let path = Trajectory::from_waypoints(&[[0.0], [1.2]]).unwrap();
    let torques = TorqueLimits::of_description(&model).unwrap();
    let options = TimingOptions { start_velocity: Some(vec![0.5]), ..TimingOptions::default() };
    let timed = timed_by(&torques, "totp", &path, &limits, &options).unwrap();
    assert!((timed.sample_at(0.0).velocities[0] - 0.5).abs() < 1e-9);
    assert!(sampled(&model, &timed, &[3.0]) <= 1.0);
}

#[test]
fn a_peak_is_bounded_and_reached() {
    for seed in 0..cases(5, 200) as u64 {
        let case = Case::new(seed);
        let limits = vec![2.0; case.q.len()];
        let path = Trajectory::from_waypoints(&[case.q.clone(), case.a.clone()]).unwrap();
        let joint_limits = Limits::new(limits.clone(), limits.clone()).unwrap();
        let timed = time_parameterize(&path, "totp", &joint_limits, &TimingOptions::default(), &mut |_| true).unwrap();
        let peak = torque_peak(&case.model, &timed, &limits, 1e-3, &Control::default()).unwrap();
        let most = sampled(&case.model, &timed, &limits);
        assert!(most <= peak.bound && peak.bound <= 1.001 * peak.ratio, "seed {seed}: {most} {peak:?}");
        let state = timed.sample_at(peak.time);
        let tau = inverse_dynamics(&case.model, &state.positions, &state.velocities, &state.accelerations).unwrap();
        let joint = case.model.joint_names().iter().position(|name| *name == peak.joint).unwrap();
        // At a knot, where accelerations step, the sample may be that of the other piece.
        assert!(tau[joint].abs() <= peak.effort.abs() * (1.0 + 1e-9) && peak.effort.abs() / 2.0 == peak.ratio);
    }
}

#[test]
fn limits_that_make_no_sense_and_a_stop_are_refused() {
    let model = beam(0.1, 0.1);
    assert!(matches!(TorqueLimits::new(&model, &[]).unwrap_err(), KineticError::DimensionMismatch { .. }));
    for bad in [-1.0, f64::NAN] {
        assert!(matches!(TorqueLimits::new(&model, &[bad]).unwrap_err(), KineticError::InvalidValue { .. }));
    }
    let torques = TorqueLimits::of_description(&model).unwrap();
    let stop = StopFlag::default();
    stop.stop();
    let control = Control::new(std::sync::Arc::new(SystemClock::default()), f64::INFINITY, u64::MAX, stop);
    let path = Trajectory::from_waypoints(&[[0.0], [1.2]]).unwrap();
    let limits = Limits::new(vec![10.0], vec![1000.0]).unwrap();
    let totp = time_law("totp").unwrap();
    let stopped = torques.time_parameterize(totp, (&path, &control), &limits, &TimingOptions::default(), &mut |_| true);
    assert!(matches!(stopped.unwrap_err(), KineticError::Cancelled { .. }));
}

#[test]
fn a_hash_names_everything_that_efforts_depend_on() {
    let robot = Robot::from_name("ur5e").unwrap();
    let group = &robot.groups[robot.default_group];
    let model = DynamicsModel::from_group(&robot, group).unwrap();
    let (plain, tip) = (model.content_hash(), &robot.links[group.tip_link].name);
    let (mut heavier, mut weaker, mut geared) = (robot.clone(), robot.clone(), robot.clone());
    heavier.links.iter_mut().filter_map(|link| link.inertial.as_mut()).for_each(|inertial| inertial.mass *= 1.001);
    weaker.joint_limits[2].effort *= 0.9;
    geared.joints.iter_mut().for_each(|joint| joint.dynamics.armature += 0.1);
    let payload = Payload::point(0.1, Vector3::zeros()).unwrap();
    let own_limits: Vec<f64> = model.effort_limits().iter().map(|limit| 0.9 * limit).collect();
    let others = [
        DynamicsModel::from_group(&heavier, group).unwrap().content_hash(),
        DynamicsModel::from_group(&weaker, group).unwrap().content_hash(),
        DynamicsModel::from_group(&geared, group).unwrap().content_hash(),
        model.clone().with_payload(tip, &Pose::identity(), &payload).unwrap().content_hash(),
        model.clone().with_gravity(Vector3::new(0.0, 9.81, 0.0)).unwrap().content_hash(),
        model.clone().with_friction(false).content_hash(),
        TorqueLimits::new(&model, &own_limits).unwrap().content_hash(),
    ];
    let different: std::collections::HashSet<_> = others.iter().chain([&plain]).collect();
    assert_eq!(different.len(), others.len() + 1);
    assert_eq!(TorqueLimits::of_description(&model).unwrap().content_hash(), plain);
    assert_eq!(DynamicsModel::from_group(&robot.clone(), group).unwrap().content_hash(), plain);
}
