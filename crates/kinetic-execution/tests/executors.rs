//! The three executors without faults, and what is looked at before the first command.

use std::sync::Arc;

use kinetic_core::{Clock, JointLimits, PiecewisePolynomial, StopFlag, TimedTrajectory, TrajectoryIdentity};
use kinetic_execution::{
    ExecutionConfig, ExecutionState, FeedbackSource, LogExecutor, SimExecutor, TrajectoryExecutor,
};

use crate::support::{Driver, PERIOD, Robot, assert_within_limits, executor, forth, options, simulated_clock};

#[test]
fn a_simulated_execution_ends_at_the_last_waypoint() {
    let trajectory = forth();
    let result = SimExecutor::default().execute(&trajectory).unwrap();
    let cycles = (trajectory.duration() / PERIOD).ceil();
    assert_eq!((result.state, result.verified, result.stop), (ExecutionState::Completed, false, None));
    assert_eq!(result.final_positions, trajectory.waypoints().last().unwrap().positions.0);
    assert_eq!((result.commands_sent as f64, result.missed_cycles), (cycles + 1.0, 0));
    assert!((result.actual_duration - cycles * PERIOD).abs() < 1e-6, "{}", result.actual_duration);
    assert_eq!(result.expected_duration, trajectory.duration());
    // It stands exactly where it was commanded to be.
    assert_eq!(result.max_deviation, Some(0.0));
}

#[test]
fn a_log_holds_the_samples_of_the_trajectory_and_a_last_command_without_velocity() {
    let trajectory = forth();
    let mut log = LogExecutor::new(ExecutionConfig { rate_hz: 100.0, ..ExecutionConfig::default() }).unwrap();
    log.execute(&trajectory).unwrap();
    for command in &log.commands()[..log.len() - 1] {
        let wanted = trajectory.sample_at(command.time);
        for joint in 0..2 {
            assert!((command.positions[joint] - wanted.positions[joint]).abs() < 1e-9, "{command:?}");
            assert!((command.velocities[joint] - wanted.velocities[joint]).abs() < 1e-6, "{command:?}");
        }
    }
    let last = log.commands().last().unwrap();
    assert_eq!((&last.positions[..], &last.velocities[..]), (&[1.0, -0.5][..], &[0.0, 0.0][..]));
    let count = log.len();
    log.execute(&trajectory).unwrap();
    assert_eq!((log.len(), log.commands()[count].time), (2 * count, 0.0));
    log.clear();
    assert!(log.is_empty());
}

#[test]
fn cycles_stand_at_multiples_of_the_period_however_long_commands_take() {
    let (clock, trajectory) = (simulated_clock(), forth());
    let mut driver = Driver::new(&clock, |number, clock| {
        let late = [0.0, 0.0005, 0.0015][number % 3];
        clock.wait_until(clock.now() + late, &StopFlag::default());
        Ok(())
    });
    let result = executor(options(), &clock).execute(&trajectory, &mut driver).unwrap();
    let commands = driver.commands.lock().unwrap();
    for (number, command) in commands.iter().enumerate() {
        let wanted = 100.0 + number as f64 * PERIOD;
        assert!((command.time - wanted).abs() < 1e-9, "{number}: {}", command.time);
    }
    assert_within_limits(&commands[..commands.len() - 1], "on time");
    let last = commands.last().unwrap();
    assert_eq!((&last.positions[..], &last.velocities[..]), (&[1.0, -0.5][..], &[0.0, 0.0][..]));
    assert_eq!((result.commands_sent, result.missed_cycles), (commands.len() as u64, 0));
    assert_eq!((result.jitter.count(), result.max_deviation), (result.commands_sent, None));
    assert!(result.jitter.max() < 1e-6, "{:?}", result.jitter);
}

#[test]
fn feedback_is_compared_and_its_largest_distance_told() {
    let clock = simulated_clock();
    let mut driver = Driver::new(&clock, |_, _| Ok(()));
    let mut robot = Robot::new(&driver, |number, last| {
        let off = if number == 40 { 0.004 } else { 0.001 };
        Some(vec![last[0] + off, last[1]])
    });
    let result = executor(options(), &clock).execute_with_feedback(&forth(), &mut driver, &mut robot).unwrap();
    assert!((result.max_deviation.unwrap() - 0.004).abs() < 1e-12 && robot.read_positions().is_some());
}

fn handmade(rows: [[f64; 6]; 2]) -> TimedTrajectory {
    let curve = PiecewisePolynomial::new(2, vec![0.0, 1.0], rows.to_vec()).unwrap();
    TimedTrajectory::new(curve, vec![0.0, 1.0], 0.0, "handmade").unwrap()
}

fn limits(upper: f64, velocity: f64) -> JointLimits {
    let effort = f64::INFINITY;
    JointLimits { lower: -3.0, upper, velocity, effort, acceleration: Some(5.0), jerk: None }
}

#[test]
fn trajectories_that_cannot_be_carried_out_are_refused_before_the_first_command() {
    let forth = forth();
    let identity = |names: [&str; 2]| {
        let joint_names = names.map(str::to_owned).to_vec();
        forth.clone().with_identity(TrajectoryIdentity { joint_names, ..TrajectoryIdentity::default() }).unwrap()
    };
    let still = TimedTrajectory::new(PiecewisePolynomial::constant(&[0.0, 0.0]).unwrap(), vec![0.0], 0.0, "x").unwrap();
    let row = |v: f64, a: f64| [0.0, v, a, 0.0, 0.0, 0.0];
    let limited = |upper, velocity| {
        let joint_limits = Some(vec![limits(3.0, 2.0), limits(upper, velocity)]);
        ExecutionConfig { joint_limits, ..options() }
    };
    let few = ExecutionConfig { joint_limits: Some(vec![limits(1.0, 1.0)]), ..options() };
    let required = ExecutionConfig { require_feedback: true, ..options() };
    let cases = [
        ("empty trajectory", still, options()),
        ("certificate", forth.clone(), ExecutionConfig::default()),
        ("shoulder, wrist", identity(["shoulder", "wrist"]), options()),
        ("begins with joint \"1\"", handmade([row(0.0, 0.0), row(1.0, -0.5)]), options()),
        ("ends with joint \"0\"", handmade([row(0.0, 0.5), row(0.0, 0.0)]), options()),
        ("position of joint \"1\"", crate::support::timed(&[[0.0, 0.0], [1.0, 0.5]]), limited(0.4, 2.0)),
        ("velocity of joint \"1\"", forth.clone(), limited(3.0, 0.2)),
        ("joint limits", forth.clone(), few),
        ("feedback is required", forth.clone(), required),
    ];
    for (wanted, trajectory, config) in cases {
        let clock = simulated_clock();
        let mut driver = Driver::new(&clock, |_, _| Ok(()));
        driver.joint_names = vec!["shoulder".to_owned(), "elbow".to_owned()];
        let error = executor(config, &clock).execute(&trajectory, &mut driver).unwrap_err();
        assert_eq!(error.code(), "InvalidTrajectory", "{error}");
        assert!(error.to_string().contains(wanted), "{wanted}: {error}");
        assert!(driver.commands.lock().unwrap().is_empty(), "{wanted}");
    }
    let clock = simulated_clock();
    let mut driver = Driver::new(&clock, |_, _| Ok(()));
    driver.joint_names = vec!["shoulder".to_owned(), "elbow".to_owned()];
    let named = identity(["shoulder", "elbow"]);
    assert!(executor(limited(3.0, 2.0), &clock).execute(&named, &mut driver).is_ok());
}

#[test]
fn a_robot_that_stands_elsewhere_or_says_nothing_gets_no_command() {
    for (place, code) in [(Some(vec![0.0, 0.2]), "DeviationExceeded"), (None, "FeedbackLost")] {
        let clock = simulated_clock();
        let mut driver = Driver::new(&clock, |_, _| Ok(()));
        let mut robot = Robot::new(&driver, move |_, _: &[f64]| place.clone());
        let config = ExecutionConfig { require_feedback: true, ..options() };
        let error = executor(config, &clock).execute_with_feedback(&forth(), &mut driver, &mut robot).unwrap_err();
        assert_eq!(error.code(), code);
        assert!(driver.commands.lock().unwrap().is_empty() && Arc::strong_count(&clock) > 1);
    }
}

/// A robot at the start of the trajectory that does not stand still.
struct Sliding;

impl FeedbackSource for Sliding {
    fn read_positions(&mut self) -> Option<&[f64]> {
        Some(&[0.0, 0.0])
    }

    fn read_velocities(&mut self) -> Option<&[f64]> {
        Some(&[0.0, -0.6])
    }
}

#[test]
fn a_robot_that_moves_before_the_first_command_gets_none() {
    let clock = simulated_clock();
    let mut driver = Driver::new(&clock, |_, _| Ok(()));
    let error = executor(options(), &clock).execute_with_feedback(&forth(), &mut driver, &mut Sliding).unwrap_err();
    assert_eq!(error.to_string(), "DeviationExceeded: velocity of joint \"1\" is off by -0.6; at most 0.5");
    assert!(driver.commands.lock().unwrap().is_empty());
}
