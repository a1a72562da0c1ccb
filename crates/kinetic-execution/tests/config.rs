//! Every option does something: each is set to an absurd value and a difference is looked for.

use kinetic_core::{Clock, JointLimits, Result, StopFlag};
use kinetic_execution::{ExecutionConfig, ExecutionResult, Handle, RealTimeExecutor, WatchdogAction, WatchdogConfig};

use crate::support::{Asked, Driver, Robot, Stops, executor, forth, options, simulated_clock};

/// An execution by a driver that takes half a millisecond for most commands and 40 ms for one, of a robot that drifts by 5 mrad
/// per second.
fn run(config: ExecutionConfig) -> (Result<ExecutionResult>, Vec<Asked>) {
    let clock = simulated_clock();
    let driver = Driver::new(&clock, |number, clock| {
        let late = if number == 100 { 0.04 } else { 0.0005 };
        clock.wait_until(clock.now() + late, &StopFlag::default());
        Ok(())
    });
    let robot = Robot::new(&driver, |number, last: &[f64]| Some(vec![last[0] + 1e-5 * number as f64, last[1]]));
    let stops = Stops::new(&clock);
    let executor = executor(config, &clock).with_stop_sink(stops.clone());
    let result = executor.start(&forth(), Box::new(driver), Some(Box::new(robot)));
    let result = result.and_then(Handle::join);
    let asked = stops.asked.lock().unwrap().clone();
    (result, asked)
}

fn code(config: ExecutionConfig) -> &'static str {
    run(config).0.map_or_else(|error| error.code(), |_| "none")
}

#[test]
fn every_option_makes_a_difference() {
    let usual = run(options()).0.unwrap();
    assert_eq!(code(options()), "none");
    let slow = run(ExecutionConfig { rate_hz: 50.0, ..options() }).0.unwrap();
    assert!(slow.commands_sent < usual.commands_sent / 5, "{} {}", slow.commands_sent, usual.commands_sent);
    assert_eq!(code(ExecutionConfig { position_tolerance: 1e-6, ..options() }), "DeviationExceeded");
    assert_eq!(code(ExecutionConfig { velocity_tolerance: 1e-6, ..options() }), "DeviationExceeded");
    assert_eq!(code(ExecutionConfig { command_timeout_ms: 10.0, ..options() }), "CommandTimeout");
    assert_eq!(code(ExecutionConfig { allow_unverified: false, ..options() }), "InvalidTrajectory");
    let limits =
        JointLimits { lower: -0.1, upper: 0.1, velocity: 9.0, effort: f64::INFINITY, acceleration: None, jerk: None };
    assert_eq!(code(ExecutionConfig { joint_limits: Some(vec![limits; 2]), ..options() }), "InvalidTrajectory");
    let half = run(ExecutionConfig { velocity_scale: 0.5, ..options() }).0.unwrap();
    assert!(half.actual_duration > 1.8 * usual.actual_duration, "{}", half.actual_duration);
    for action in [WatchdogAction::ZeroVelocity, WatchdogAction::HoldPosition, WatchdogAction::Abort] {
        let watchdog = Some(WatchdogConfig { timeout_ms: 10.0, action });
        let (result, asked) = run(ExecutionConfig { watchdog, ..options() });
        assert_eq!(result.unwrap_err().code(), "CommandTimeout");
        assert_eq!((asked.len(), asked[0].1), (1, action));
    }
    let clock = simulated_clock();
    let mut driver = Driver::new(&clock, |_, _| Ok(()));
    let required = executor(ExecutionConfig { require_feedback: true, ..options() }, &clock);
    assert_eq!(required.execute(&forth(), &mut driver).unwrap_err().code(), "InvalidTrajectory");
}

#[test]
fn the_timeout_factor_says_how_long_a_controller_may_stand_still() {
    let mut durations = Vec::new();
    for timeout_factor in [1.5, 3.0] {
        let clock = simulated_clock();
        let mut driver = Driver::new(&clock, |_, _| Ok(()));
        let mut robot = Robot::new(&driver, |_, last: &[f64]| Some(last.to_vec()));
        robot.scaling = 0.0;
        let config = ExecutionConfig { timeout_factor, ..options() };
        let error = executor(config, &clock).execute_with_feedback(&forth(), &mut driver, &mut robot).unwrap_err();
        assert_eq!(error.code(), "ExecutionTimeout", "{error}");
        durations.push(driver.commands.lock().unwrap().len() as f64 * crate::support::PERIOD);
    }
    let wanted = [1.5, 3.0].map(|factor| factor * forth().duration());
    assert!(durations.iter().zip(wanted).all(|(a, b)| (a - b).abs() < 0.02), "{durations:?} {wanted:?}");
}

#[test]
fn options_outside_their_domain_are_refused_by_name() {
    let usual = ExecutionConfig::default;
    let watchdog = Some(WatchdogConfig { timeout_ms: 0.0, action: WatchdogAction::Abort });
    let infinity = f64::INFINITY;
    let free =
        JointLimits { lower: -1.0, upper: 1.0, velocity: infinity, effort: infinity, acceleration: None, jerk: None };
    let limited = |limits| ExecutionConfig { joint_limits: Some(vec![free, limits]), ..usual() };
    for (name, config) in [
        ("rate_hz", ExecutionConfig { rate_hz: 0.0, ..usual() }),
        ("rate_hz", ExecutionConfig { rate_hz: 1e6, ..usual() }),
        ("command_timeout_ms", ExecutionConfig { command_timeout_ms: 2.0, ..usual() }),
        ("position_tolerance", ExecutionConfig { position_tolerance: f64::NAN, ..usual() }),
        ("velocity_tolerance", ExecutionConfig { velocity_tolerance: -1.0, ..usual() }),
        ("timeout_factor", ExecutionConfig { timeout_factor: 0.9, ..usual() }),
        ("command_timeout_ms", ExecutionConfig { command_timeout_ms: f64::INFINITY, ..usual() }),
        ("watchdog timeout_ms", ExecutionConfig { watchdog, ..usual() }),
        (
            "watchdog timeout_ms",
            ExecutionConfig { rate_hz: 10.0, command_timeout_ms: 500.0, ..ExecutionConfig::safe(Vec::new()) },
        ),
        ("velocity_scale", ExecutionConfig { velocity_scale: 1.1, ..usual() }),
        ("real_time_priority", ExecutionConfig { real_time_priority: Some(0), ..usual() }),
        ("real_time_priority", ExecutionConfig { real_time_priority: Some(99), ..usual() }),
        ("range", limited(JointLimits { lower: f64::NAN, ..free })),
        ("range", limited(JointLimits { lower: 2.0, ..free })),
        ("velocity", limited(JointLimits { velocity: f64::NAN, ..free })),
        ("acceleration", limited(JointLimits { acceleration: Some(0.0), ..free })),
        ("jerk", limited(JointLimits { jerk: Some(-1.0), ..free })),
    ] {
        let error = RealTimeExecutor::new(config).err().unwrap();
        assert!(error.code() == "InvalidValue" && error.to_string().contains(name), "{error}");
    }
}

#[test]
fn safe_options_are_tighter_than_the_usual_ones() {
    let (safe, usual) = (ExecutionConfig::safe(Vec::new()), ExecutionConfig::default());
    assert_eq!((usual.rate_hz, usual.position_tolerance, usual.velocity_tolerance), (500.0, 0.1, 0.5));
    assert_eq!((usual.timeout_factor, usual.command_timeout_ms), (2.0, 100.0));
    assert_eq!((usual.joint_limits, usual.require_feedback, usual.watchdog), (None, false, None));
    assert_eq!((safe.position_tolerance, safe.velocity_tolerance, safe.command_timeout_ms), (0.05, 0.3, 50.0));
    assert!(safe.joint_limits.is_some() && safe.require_feedback && !safe.allow_unverified);
    assert_eq!(safe.watchdog, Some(WatchdogConfig { timeout_ms: 50.0, action: WatchdogAction::ZeroVelocity }));
}
