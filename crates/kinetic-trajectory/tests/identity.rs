//! Names of what a motion moves, through everything that makes one motion of another. Oracle: the names that were given.

use kinetic_core::{KineticError, Limits, Result, TimedTrajectory, Trajectory, TrajectoryIdentity};
use kinetic_trajectory::online::{splice, stop, stop_on_path};
use kinetic_trajectory::state::AxisLimits;
use kinetic_trajectory::{
    MotionLimits, TIME_LAWS, TimingOptions, blend, concatenate, cubic_spline_time, jerk_limited, path_from_json,
    path_to_json, reverse, stretched, time_parameterize, totp, trajectory_from_csv, trajectory_from_json,
    trajectory_to_csv, trajectory_to_json, trapezoidal,
};

use crate::support::path;

fn of(robot: &str) -> TrajectoryIdentity {
    let joint_names = vec!["shoulder".to_owned(), "elbow, \"left\"".to_owned()];
    TrajectoryIdentity { joint_names, group: Some("arm".to_owned()), robot_name: Some(robot.to_owned()) }
}

fn named(waypoints: &[&[f64]], robot: &str) -> Trajectory {
    path(waypoints).with_identity(of(robot)).unwrap()
}

fn assert_named(timed: &TimedTrajectory, case: &str) {
    assert_eq!(timed.identity().map(|identity| (**identity).clone()), Some(of("ur5e")), "{case}");
}

#[test]
fn time_laws_keep_the_names() {
    let path = named(&[&[0.0, 0.0], &[1.0, 0.5], &[0.3, 0.8]], "ur5e");
    let limits = Limits::new(vec![1.0; 2], vec![4.0; 2]).unwrap();
    for law in TIME_LAWS {
        let timed = time_parameterize(&path, law.id, &limits, &TimingOptions::default(), &mut |_| true).unwrap();
        assert_named(&timed, law.id);
    }
    assert_named(&trapezoidal(&path, 1.0, 4.0).unwrap(), "trapezoidal");
    assert_named(&totp(&path, 1.0, 4.0, 100).unwrap(), "totp");
    assert_named(&jerk_limited(&path, 1.0, 4.0, 40.0).unwrap(), "jerk_limited");
    assert_named(&cubic_spline_time(&path, Some(3.0), None).unwrap(), "cubic");
    let plain = crate::support::path(&[&[0.0, 0.0], &[1.0, 0.5]]);
    assert!(trapezoidal(&plain, 1.0, 4.0).unwrap().identity().is_none());
}

#[test]
fn what_is_made_of_one_motion_keeps_the_names() {
    let timed = jerk_limited(&named(&[&[0.0, 0.0], &[1.0, 0.5]], "ur5e"), 1.0, 4.0, 40.0).unwrap();
    let limits = MotionLimits::new(vec![AxisLimits::symmetric(2.0, 8.0, 80.0); 2]).unwrap();
    assert_named(&reverse(&timed).unwrap(), "reverse");
    assert_named(&stretched(&timed, timed.duration()).unwrap(), "as it is");
    assert_named(&stretched(&timed, 9.0).unwrap(), "slower");
    assert_named(&stop(&timed, 0.4, &limits).unwrap().trajectory, "stop");
    assert_named(&stop_on_path(&timed, 0.4, &limits).unwrap().trajectory, "stop on the path");
}

#[test]
fn motions_of_one_robot_are_joined_and_those_of_two_are_refused() {
    type Join = fn(&TimedTrajectory, &TimedTrajectory) -> Result<TimedTrajectory, KineticError>;
    let spliced: Join = |a, b| splice(a, 0.2, 0.1, b, &MotionLimits::symmetric(&wide()).unwrap());
    let blended: Join = |a, b| blend(a, b, 0.2, &MotionLimits::symmetric(&wide()).unwrap());
    let first = jerk_limited(&named(&[&[0.0, 0.0], &[1.0, 0.5]], "ur5e"), 1.0, 4.0, 40.0).unwrap();
    let second: &[&[f64]] = &[&[1.0, 0.5], &[0.2, 0.9]];
    for (name, join) in [("concatenate", concatenate as Join), ("splice", spliced), ("blend", blended)] {
        let same = jerk_limited(&named(second, "ur5e"), 1.0, 4.0, 40.0).unwrap();
        assert_named(&join(&first, &same).unwrap(), name);
        let unnamed = jerk_limited(&path(second), 1.0, 4.0, 40.0).unwrap();
        assert_named(&join(&first, &unnamed).unwrap(), name);
        let other = jerk_limited(&named(second, "ur10e"), 1.0, 4.0, 40.0).unwrap();
        let error = join(&first, &other).unwrap_err();
        assert_eq!(error.code(), "InvalidValue", "{name}: {error}");
        assert!(error.to_string().contains("ur10e") && error.to_string().contains("ur5e"), "{name}: {error}");
    }
}

fn wide() -> Limits {
    Limits::new(vec![2.0; 2], vec![8.0; 2]).unwrap().with_jerk(vec![80.0; 2]).unwrap()
}

#[test]
fn files_hold_the_names_and_those_without_read_as_before() {
    let path = named(&[&[0.0, 0.0], &[1.0, 0.5]], "ur5e");
    let timed = trapezoidal(&path, 1.0, 4.0).unwrap();
    for (name, text, read) in [
        ("json", trajectory_to_json(&timed, &[]).unwrap(), trajectory_from_json as fn(&str) -> _),
        ("csv", trajectory_to_csv(&timed, &[]).unwrap(), trajectory_from_csv),
    ] {
        let document = read(&text).unwrap();
        assert_named(&document.trajectory, name);
        assert_eq!((document.joint_names, document.trajectory), (of("ur5e").joint_names, timed.clone()));
    }
    let names = of("ur5e").joint_names;
    assert_eq!(trajectory_to_json(&timed, &names).unwrap(), trajectory_to_json(&timed, &[]).unwrap());
    let others = ["a".to_owned(), "b".to_owned()];
    assert_eq!(trajectory_to_json(&timed, &others).unwrap_err().code(), "InvalidValue");
    assert_eq!(trajectory_to_csv(&timed, &others).unwrap_err().code(), "InvalidValue");
    let read = path_from_json(&path_to_json(&path, &[]).unwrap()).unwrap();
    assert_eq!((read.path.identity(), read.joint_names), (path.identity(), names));
    let plain = timed.with_identity(TrajectoryIdentity::default()).unwrap();
    for text in [trajectory_to_json(&plain, &[]).unwrap(), trajectory_to_csv(&plain, &[]).unwrap()] {
        assert!(["joint_names", "group", "robot_name"].iter().all(|key| !text.contains(key)), "{text}");
    }
    assert!(trajectory_from_json(&trajectory_to_json(&plain, &[]).unwrap()).unwrap().trajectory.identity().is_none());
    let named = trajectory_from_json(&trajectory_to_json(&plain, &others).unwrap()).unwrap();
    assert_eq!((named.trajectory.joint_names(), named.trajectory.group()), (&others[..], None));
}
