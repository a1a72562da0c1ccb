//! The table of faults: for each the stop begins within a cycle, or what is stated is done; the error says what; no command
//! follows the stop, and nothing is left running.

use std::sync::Arc;

use kinetic_core::{Clock, KineticError, StopFlag};
use kinetic_execution::{
    DriverError, ExecutionConfig, ExecutionState, Handle, SimulatedClock, WatchdogAction, WatchdogConfig,
};

use crate::support::{
    Asked, Command, Commands, Driver, PERIOD, Robot, Stops, assert_within_limits, executor, forth, options,
    simulated_clock,
};

/// The command at which things go wrong.
const AT: usize = 200;

/// An execution by a driver with a script and a robot, with or without a second channel.
struct Setup {
    clock: Arc<SimulatedClock>,
    commands: Commands,
    stops: Arc<Stops>,
    handle: Handle,
}

fn start(
    config: ExecutionConfig,
    has_stop_sink: bool,
    script: impl FnMut(usize, &SimulatedClock) -> Result<(), DriverError> + Send + 'static,
    place: impl FnMut(usize, &[f64]) -> Option<Vec<f64>> + Send + 'static,
) -> Setup {
    let clock = simulated_clock();
    let driver = Driver::new(&clock, script);
    let (commands, robot) = (Arc::clone(&driver.commands), Robot::new(&driver, place));
    let stops = Stops::new(&clock);
    let executor = executor(config, &clock);
    let executor = if has_stop_sink { executor.with_stop_sink(stops.clone()) } else { executor };
    let handle = executor.start(&forth(), Box::new(driver), Some(Box::new(robot))).unwrap();
    Setup { clock, commands, stops, handle }
}

impl Setup {
    /// The error with which it ended, once the thread of the commands has.
    fn error(self) -> (KineticError, Vec<Command>, Vec<Asked>) {
        let Self { commands, stops, handle, .. } = self;
        let error = handle.join().unwrap_err();
        let commands = commands.lock().unwrap().clone();
        let asked = stops.asked.lock().unwrap().clone();
        (error, commands, asked)
    }
}

#[expect(clippy::unnecessary_wraps, reason = "other robots say nothing at times")]
fn follow(_: usize, last: &[f64]) -> Option<Vec<f64>> {
    Some(last.to_vec())
}

fn takes(seconds: f64) -> impl FnMut(usize, &SimulatedClock) -> Result<(), DriverError> + Send + 'static {
    move |number, clock| {
        if number == AT {
            clock.wait_until(clock.now() + seconds, &StopFlag::default());
        }
        Ok(())
    }
}

#[test]
fn a_driver_that_refuses_a_command_gets_no_other_and_the_robot_is_stopped_at_once() {
    let refuse = |number: usize, _: &SimulatedClock| if number == AT { Err("no power".into()) } else { Ok(()) };
    let (error, commands, asked) = start(options(), true, refuse, follow).error();
    assert_eq!(error.to_string(), "CommandFailed: the command at 0.400 s: no power");
    assert_eq!((commands.len(), asked.len()), (AT + 1, 1));
    assert_eq!((asked[0].0, &asked[0].2), (commands[AT].time, &commands[AT].positions));
    let (error, commands, asked) = start(options(), false, refuse, follow).error();
    assert_eq!((error.code(), commands.len(), asked.len()), ("CommandFailed", AT + 1, 0));
}

#[test]
fn a_driver_that_panics_ends_the_execution_and_not_the_program() {
    let panic = |number: usize, _: &SimulatedClock| if number == AT { panic!("no driver") } else { Ok(()) };
    let (error, commands, asked) = start(options(), true, panic, follow).error();
    assert!(error.code() == "Aborted" && error.to_string().contains("no driver"), "{error}");
    assert_eq!((commands.len(), asked.len()), (AT + 1, 1));
    // What waits for the end in the thread of the driver panics with it, and stops the robot before.
    let clock = simulated_clock();
    let mut driver = Driver::new(&clock, panic);
    let stops = Stops::new(&clock);
    let executor = executor(options(), &clock).with_stop_sink(stops.clone());
    let run = std::panic::AssertUnwindSafe(|| executor.execute(&forth(), &mut driver).map(|_| ()));
    assert!(std::panic::catch_unwind(run).is_err());
    assert_eq!(stops.asked.lock().unwrap().len(), 1);
}

#[test]
fn a_driver_that_is_late_once_is_waited_for_and_cycles_are_left_out() {
    let Setup { commands, handle, .. } = start(options(), true, takes(0.0301), follow);
    assert!(handle.wait(None).unwrap().is_ok() && !handle.watchdog_has_fired());
    let result = handle.join().unwrap();
    let commands = commands.lock().unwrap();
    assert_eq!((result.state, result.missed_cycles), (ExecutionState::Completed, 15));
    // The schedule holds: the next command is at a multiple of the period, where the trajectory is then.
    let next = &commands[AT + 1];
    assert!((next.time - 100.0 - 416.0 * 1e-3 - 16.0 * 1e-3).abs() < 1e-9, "{}", next.time);
    let wanted = forth().sample_at(next.time - 100.0);
    assert!((next.positions[0] - wanted.positions[0]).abs() < 1e-9);
    assert_eq!(result.final_positions, [1.0, -0.5]);
}

#[test]
fn a_driver_that_is_always_slower_than_the_period_gets_as_many_commands_as_it_takes() {
    let slow = |_: usize, clock: &SimulatedClock| {
        clock.wait_until(clock.now() + 0.005, &StopFlag::default());
        Ok(())
    };
    let Setup { commands, handle, .. } = start(options(), true, slow, follow);
    let result = handle.join().unwrap();
    let commands = commands.lock().unwrap();
    assert_eq!(result.state, ExecutionState::Completed);
    assert!(commands.windows(2).all(|pair| (pair[1].time - pair[0].time - 0.006).abs() < 1e-9));
    assert_eq!(result.missed_cycles, 2 * (result.commands_sent - 1));
    assert!((result.actual_duration - forth().duration()).abs() < 0.007);
}

#[test]
fn a_call_that_lasts_too_long_is_noticed_while_it_lasts() {
    let (error, commands, asked) = start(options(), true, takes(0.15), follow).error();
    assert_eq!(error.code(), "CommandTimeout", "{error}");
    assert_eq!((commands.len(), asked.len()), (AT + 1, 1));
    let late = asked[0].0 - commands[AT].time;
    assert!(late > 0.1 - 1e-9 && late < 0.1 + PERIOD + 1e-9, "{late}");
    assert_eq!((asked[0].1, &asked[0].2), (WatchdogAction::ZeroVelocity, &commands[AT].positions));
}

#[test]
fn a_call_that_never_returns_is_stopped_and_told_while_it_blocks() {
    for watchdog in [None, Some(WatchdogConfig { timeout_ms: 20.0, action: WatchdogAction::Abort })] {
        let release = StopFlag::default();
        let held = release.clone();
        let block = move |number: usize, clock: &SimulatedClock| {
            if number == AT {
                clock.wait_until(f64::INFINITY, &held);
            }
            Ok(())
        };
        let setup = start(ExecutionConfig { watchdog, ..options() }, true, block, follow);
        // The driver has not returned, and will not until it is released.
        let error = setup.handle.wait(None).unwrap().unwrap_err();
        assert_eq!((error.code(), setup.handle.state()), ("CommandTimeout", ExecutionState::Aborted));
        assert!(setup.handle.result().is_none() && setup.handle.watchdog_has_fired());
        let asked = setup.stops.asked.lock().unwrap().clone();
        let late = asked[0].0 - setup.commands.lock().unwrap()[AT].time;
        let limit = if watchdog.is_some() { 0.02 } else { 0.1 };
        assert!(asked.len() == 1 && late > limit - PERIOD - 1e-9 && late < limit + PERIOD, "{late}");
        release.stop();
        setup.clock.advance(0.0);
        let (again, commands, asked) = setup.error();
        assert_eq!((again, commands.len(), asked.len()), (error, AT + 1, 1));
    }
}

#[test]
fn without_a_second_channel_later_commands_are_blocked() {
    let clock = simulated_clock();
    let driver = Driver::new(&clock, |number, clock| {
        if number == AT {
            clock.wait_until(clock.now() + 0.2, &StopFlag::default());
        }
        Ok(())
    });
    let commands = Arc::clone(&driver.commands);
    let handle = executor(options(), &clock).start(&forth(), Box::new(driver), None).unwrap();
    let error = handle.join().unwrap_err();
    assert!(error.code() == "Aborted" && error.to_string().contains("without a stop sink"), "{error}");
    assert_eq!(commands.lock().unwrap().len(), AT + 1);
}

/// What is the same for every fault of the robot, of which the driver knows nothing: the stop begins in the cycle of the fault,
/// is on the path and within limits, and nothing follows it.
fn assert_stops_on_path(setup: Setup, code: &str, fault: usize) {
    let plain = {
        let clock = simulated_clock();
        let mut driver = Driver::new(&clock, |_, _| Ok(()));
        executor(options(), &clock).execute(&forth(), &mut driver).unwrap();
        driver.commands.lock().unwrap().clone()
    };
    let (error, commands, asked) = setup.error();
    assert_eq!(error.code(), code, "{error}");
    assert_eq!(commands[..fault], plain[..fault], "{code}");
    let slower = commands[fault].velocities[0].abs() < plain[fault].velocities[0].abs();
    assert!(slower, "{code}: {:?} {:?}", commands[fault], plain[fault]);
    assert_within_limits(&commands[..commands.len() - 1], code);
    assert!(commands.len() > fault + 10 && commands.len() < fault + 200, "{code}: {}", commands.len());
    assert_eq!((&commands.last().unwrap().velocities[..], asked.len()), (&[0.0, 0.0][..], 0));
}

#[test]
fn a_robot_that_drifts_jumps_or_is_nowhere_is_stopped_in_the_same_cycle() {
    let jumped = |number: usize, last: &[f64]| {
        let off = if number >= AT { 0.2 } else { 0.0 };
        Some(vec![last[0], last[1] + off])
    };
    assert_stops_on_path(start(options(), true, takes(0.0), jumped), "DeviationExceeded", AT);
    let nowhere = |number: usize, last: &[f64]| Some(vec![if number >= AT { f64::NAN } else { last[0] }, last[1]]);
    assert_stops_on_path(start(options(), true, takes(0.0), nowhere), "DeviationExceeded", AT);
    // 1 mrad per cycle more each cycle: 0.5 rad/s, and after 0.1 rad it is 100 cycles later.
    let drifts =
        |number: usize, last: &[f64]| Some(vec![last[0] + 0.00099 * number.saturating_sub(AT) as f64, last[1]]);
    let config = ExecutionConfig { velocity_tolerance: 9.0, ..options() };
    assert_stops_on_path(start(config, true, takes(0.0), drifts), "DeviationExceeded", AT + 102);
}

#[test]
fn a_robot_that_is_too_fast_is_stopped_before_it_is_far_away() {
    // 0.6 rad/s beside what is commanded: seen over 20 ms, at 0.012 rad.
    let fast = |number: usize, last: &[f64]| Some(vec![last[0] + 0.0012 * number.saturating_sub(AT) as f64, last[1]]);
    let (error, commands, _) = start(options(), true, takes(0.0), fast).error();
    assert!(error.to_string().contains("velocity"), "{error}");
    assert!(commands.len() > AT + 5, "{}", commands.len());
    let KineticError::DeviationExceeded { joint, quantity, value, limit } = error else { panic!("{error}") };
    assert_eq!((joint.as_str(), quantity.as_str(), limit), ("0", "velocity", 0.5));
    assert!(value > 0.5 && value <= 0.6 + 1e-9, "{value}");
}

#[test]
fn required_feedback_that_is_lost_stops_the_robot_and_a_short_gap_does_not() {
    let config = || ExecutionConfig { require_feedback: true, command_timeout_ms: 99.0, ..options() };
    let lost = |number: usize, last: &[f64]| (number < AT).then(|| last.to_vec());
    // 99 ms are over with the fiftieth cycle after the last that was heard.
    assert_stops_on_path(start(config(), true, takes(0.0), lost), "FeedbackLost", AT + 49);
    let gap = |number: usize, last: &[f64]| (!(AT..=AT + 40).contains(&number)).then(|| last.to_vec());
    assert!(start(config(), true, takes(0.0), gap).handle.join().is_ok());
    assert!(start(options(), true, takes(0.0), lost).handle.join().is_ok(), "it is not required");
}

#[test]
fn a_clock_that_jumps_ahead_ends_the_execution_and_one_that_goes_back_does_not() {
    let jump = |seconds: f64| {
        move |number: usize, clock: &SimulatedClock| {
            if number == AT {
                clock.advance(seconds);
            }
            Ok(())
        }
    };
    let (error, commands, asked) = start(options(), true, jump(10.0), follow).error();
    assert_eq!((error.code(), commands.len(), asked.len()), ("CommandTimeout", AT + 1, 1), "{error}");
    let Setup { commands, handle, .. } = start(options(), true, jump(-10.0), follow);
    let result = handle.join().unwrap();
    assert_eq!((result.state, result.missed_cycles), (ExecutionState::Completed, 0));
    let commands = commands.lock().unwrap();
    assert_within_limits(&commands[..commands.len() - 1], "back");
}

#[test]
fn the_trajectory_slows_down_with_the_controller() {
    let clock = simulated_clock();
    let mut driver = Driver::new(&clock, |_, _| Ok(()));
    let mut robot = Robot::new(&driver, follow);
    robot.scaling = 0.25;
    let result = executor(options(), &clock).execute_with_feedback(&forth(), &mut driver, &mut robot).unwrap();
    assert_eq!(result.state, ExecutionState::Completed);
    assert!(result.actual_duration > 3.0 * forth().duration(), "{}", result.actual_duration);
    let commands = driver.commands.lock().unwrap();
    assert_within_limits(&commands[..commands.len() - 1], "slow");
    assert!(commands.iter().all(|command| command.velocities[0] < 0.26));
}
