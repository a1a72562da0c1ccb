//! Pause, speed, stops and splices. Oracle: differences of commanded positions against the limits, distances from the path,
//! and times at which the driver was called.

use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use kinetic_core::TimedTrajectory;
use kinetic_execution::{ExecutionConfig, ExecutionResult, ExecutionState, Handle, StopMode};

use crate::support::{
    Breakpoints, Command, Driver, LIMITS, PERIOD, assert_within_jerk_limits, assert_within_limits, executor, forth,
    options, simulated_clock, timed,
};

/// What is asked, and at which command.
type Act<'a> = (usize, &'a dyn Fn(&Handle));

/// Runs to the end; at each of these commands something is asked.
fn run(trajectory: &TimedTrajectory, acts: &[Act<'_>]) -> (ExecutionResult, Vec<Command>) {
    let clock = simulated_clock();
    let numbers: Vec<usize> = acts.iter().map(|(number, _)| *number).collect();
    let (breakpoints, script) = Breakpoints::at(numbers);
    let driver = Driver::new(&clock, script);
    let commands = Arc::clone(&driver.commands);
    let handle = executor(options(), &clock).start(trajectory, Box::new(driver), None).unwrap();
    for (_, act) in acts {
        breakpoints.meanwhile(|| act(&handle));
    }
    let result = handle.join().unwrap();
    let commands = commands.lock().unwrap().clone();
    assert_eq!(result.commands_sent, commands.len() as u64);
    assert_eq!(commands.last().unwrap().velocities, [0.0, 0.0]);
    assert_eq!(result.final_positions, commands.last().unwrap().positions);
    (result, commands)
}

/// All but the last command, whose velocity is made zero.
fn moving(commands: &[Command]) -> &[Command] {
    &commands[..commands.len() - 1]
}

/// Distance from the straight path of `forth`.
fn off_path(command: &Command) -> f64 {
    let [x, y] = command.positions[..] else { unreachable!() };
    // The path is (s, −s / 2).
    (0.5 * x + y).abs() / 1.25_f64.sqrt()
}

#[test]
fn a_pause_holds_still_on_the_path_and_is_left_again() {
    let states = Mutex::new(Vec::new());
    let (result, commands) = run(
        &forth(),
        &[
            (300, &|handle| handle.pause()),
            (800, &|handle| {
                states.lock().unwrap().push(handle.state());
                handle.resume();
            }),
        ],
    );
    assert_eq!(
        (result.state, states.lock().unwrap().clone()),
        (ExecutionState::Completed, vec![ExecutionState::Paused])
    );
    assert_within_limits(moving(&commands), "pause");
    assert_within_jerk_limits(moving(&commands), "pause");
    assert!(commands.iter().all(|command| off_path(command) < 1e-9));
    assert_eq!((&commands[700].velocities[..], &commands[700].positions), (&[0.0, 0.0][..], &commands[790].positions));
    let longer = result.actual_duration - forth().duration();
    assert!(longer > 0.8 && longer < 1.4, "{longer}");
    assert_eq!(result.final_positions, [1.0, -0.5]);
}

#[test]
fn speed_changes_within_the_limits() {
    let trajectory = forth();
    let (result, commands) = run(
        &trajectory,
        &[
            (100, &|handle| handle.set_speed(0.25).unwrap()),
            (1000, &|handle| {
                assert_eq!(handle.set_speed(1.5).unwrap_err().code(), "InvalidValue");
                handle.set_speed(1.0).unwrap();
            }),
        ],
    );
    assert_eq!(result.state, ExecutionState::Completed);
    assert_within_limits(moving(&commands), "speed");
    assert_within_jerk_limits(moving(&commands), "speed");
    let fastest = |commands: &[Command]| commands.iter().map(|command| command.velocities[0]).fold(0.0, f64::max);
    assert!(fastest(&commands[400..1000]) < 0.26, "a quarter of 1 rad/s");
    assert!(result.actual_duration > trajectory.duration() + 1.0);
}

#[test]
fn stops_begin_in_the_next_cycle_and_those_on_the_path_and_jerk_limited_hold_the_limits() {
    let before = run(&forth(), &[]).1;
    for number in [20, 100, 350, 500, 640] {
        for mode in [StopMode::Path, StopMode::Jerk, StopMode::Hard] {
            let case = format!("{mode:?} at {number}");
            let (result, commands) = run(&forth(), &[(number, &|handle| handle.stop(mode))]);
            let stop = result.stop.unwrap();
            assert_eq!((stop.mode, stop.within_limits), (mode, mode != StopMode::Hard), "{case}");
            assert!((stop.began - (number + 1) as f64 * PERIOD).abs() < 1e-9, "{case}: {}", stop.began);
            assert_eq!(commands[..=number], before[..=number], "{case}");
            // Near its end the trajectory brakes with all it has: a stop on the path may be its own end.
            if number < 500 {
                assert_eq!(result.state, ExecutionState::Stopped, "{case}");
                let [now, last] = [&commands[number + 1], &before[number + 1]];
                let slower = now.velocities.iter().zip(&last.velocities).any(|(a, b)| a.abs() < b.abs());
                // While velocity is small jerk limits make the difference small, but a difference it is.
                assert!(slower, "{case}: {now:?} {last:?}");
            }
            let slower = commands.len() - number;
            match mode {
                StopMode::Hard => assert_eq!(slower, 2, "{case}"),
                // From 1 rad/s at 4 rad/s²: 0.25 s, and 0.1 s more with 40 rad/s³; what accelerates takes 0.1 s longer.
                _ => assert!((2..260).contains(&slower), "{case}: {slower}"),
            }
            if mode != StopMode::Hard {
                assert_within_limits(moving(&commands), &case);
            }
            if mode == StopMode::Jerk {
                assert_within_jerk_limits(moving(&commands), &case);
            }
            if mode != StopMode::Jerk {
                assert!(commands.iter().all(|command| off_path(command) < 1e-9), "{case}");
            }
        }
    }
}

#[test]
fn a_harder_stop_replaces_a_softer_one_and_not_the_other_way_round() {
    let (result, commands) =
        run(&forth(), &[(300, &|handle| handle.stop(StopMode::Path)), (310, &|handle| handle.stop(StopMode::Hard))]);
    assert_eq!((result.stop.unwrap().mode, commands.len()), (StopMode::Hard, 312));
    let (result, _) = run(
        &forth(),
        &[
            (300, &|handle| handle.stop(StopMode::Jerk)),
            (310, &|handle| {
                assert_eq!(handle.state(), ExecutionState::Stopping);
                handle.stop(StopMode::Path);
                handle.resume();
            }),
        ],
    );
    assert_eq!((result.stop.unwrap().mode, result.state), (StopMode::Jerk, ExecutionState::Stopped));
}

#[test]
fn a_splice_leaves_for_another_trajectory_within_the_limits() {
    let next = timed(&[[0.3, 0.4], [-0.2, 0.1]]);
    let (result, commands) = run(&forth(), &[(300, &|handle| handle.splice(&next).unwrap())]);
    assert_eq!((result.state, result.verified), (ExecutionState::Completed, false));
    assert_eq!(result.final_positions, next.waypoints().last().unwrap().positions.0);
    assert_within_limits(moving(&commands), "splice");
    assert!((result.expected_duration - result.actual_duration).abs() < 2.0 * PERIOD, "{result:?}");
    // A stop on the way there is jerk limited: that way is no path which was checked.
    let (result, commands) =
        run(&forth(), &[(300, &|handle| handle.splice(&next).unwrap()), (320, &|handle| handle.stop(StopMode::Path))]);
    assert_eq!((result.state, result.stop.unwrap().mode), (ExecutionState::Stopped, StopMode::Jerk));
    assert_within_limits(moving(&commands), "stop between");
}

/// Regression 63: a trajectory whose acceleration steps was left in the middle of its acceleration, which the jerk limit does not
/// allow to take back in time.
#[test]
fn a_splice_waits_until_the_velocity_limits_can_be_held() {
    let line = |points: &[[f64; 2]]| {
        let path = kinetic_core::Trajectory::from_waypoints(points).unwrap();
        kinetic_trajectory::trapezoidal(&path, LIMITS[0], LIMITS[1]).unwrap()
    };
    let (moving_path, next) = (line(&[[0.0, 0.0], [1.0, -0.5]]), line(&[[0.3, 0.4], [-0.2, 0.1]]));
    for at in (90..140).step_by(5) {
        let (result, commands) = run(&moving_path, &[(at, &|handle| handle.splice(&next).unwrap())]);
        assert_eq!(result.state, ExecutionState::Completed);
        assert_eq!(result.final_positions, next.waypoints().last().unwrap().positions.0);
        assert_within_limits(moving(&commands), "splice of steps of acceleration");
        let most = commands.iter().flat_map(|command| &command.velocities).fold(0.0_f64, |most, v| most.max(v.abs()));
        assert!(most <= LIMITS[0] + 1e-9, "command {at}: {most}");
    }
}

#[test]
fn what_cannot_be_spliced_is_refused_and_the_execution_goes_on() {
    let moving = forth();
    let (result, _) = run(
        &forth(),
        &[(100, &|handle| {
            let one = kinetic_core::Trajectory::from_waypoints(&[[0.0], [1.0]]).unwrap();
            let one = kinetic_trajectory::trapezoidal(&one, 1.0, 1.0).unwrap();
            assert_eq!(handle.splice(&one).unwrap_err().code(), "DimensionMismatch");
            let still = kinetic_core::PiecewisePolynomial::constant(&[0.0, 0.0]).unwrap();
            let still = TimedTrajectory::new(still, vec![0.0], 0.0, "x").unwrap();
            assert_eq!(handle.splice(&still).unwrap_err().code(), "InvalidTrajectory");
        })],
    );
    assert_eq!((result.state, result.final_positions), (ExecutionState::Completed, vec![1.0, -0.5]));
    let clock = simulated_clock();
    let handle =
        executor(options(), &clock).start(&moving, Box::new(Driver::new(&clock, |_, _| Ok(()))), None).unwrap();
    handle.wait(None).unwrap().unwrap();
    assert_eq!(handle.splice(&moving).unwrap_err().code(), "InvalidValue");
    assert_eq!(handle.result().unwrap().state, ExecutionState::Completed);
}

#[test]
fn a_handle_that_is_dropped_stops_the_robot_and_one_that_is_detached_does_not() {
    for is_detached in [false, true] {
        let clock = simulated_clock();
        let (breakpoints, script) = Breakpoints::at(vec![300]);
        let driver = Driver::new(&clock, script);
        let commands = Arc::clone(&driver.commands);
        let handle = executor(options(), &clock).start(&forth(), Box::new(driver), None).unwrap();
        breakpoints.meanwhile(|| if is_detached { handle.detach() } else { drop(handle) });
        breakpoints.wait_for_the_end();
        // The driver is gone.
        assert_eq!(Arc::strong_count(&commands), 1);
        let commands = commands.lock().unwrap();
        let last = commands.last().unwrap();
        assert_eq!(last.velocities, [0.0, 0.0]);
        assert_eq!(last.positions == [1.0, -0.5], is_detached, "{last:?}");
        assert!(is_detached || (commands.len() > 301 && commands.len() < 450), "{}", commands.len());
        assert_within_limits(moving(&commands), "dropped");
    }
}

#[test]
fn an_executor_and_a_driver_carry_out_one_trajectory_at_a_time() {
    let clock = simulated_clock();
    let (breakpoints, script) = Breakpoints::at(vec![10]);
    let mut driver = Driver::new(&clock, script);
    let in_use = Arc::new(AtomicBool::new(false));
    driver.in_use = Some(Arc::clone(&in_use));
    let first = executor(options(), &clock);
    let handle = first.start(&forth(), Box::new(driver), None).unwrap();
    breakpoints.meanwhile(|| {
        let mut other = Driver::new(&clock, |_, _| Ok(()));
        let error = first.execute(&forth(), &mut other).unwrap_err();
        assert!(error.code() == "InvalidValue" && error.to_string().contains("executor"), "{error}");
        other.in_use = Some(Arc::clone(&in_use));
        let error = executor(options(), &clock).execute(&forth(), &mut other).unwrap_err();
        assert!(error.code() == "InvalidValue" && error.to_string().contains("driver"), "{error}");
        assert!(other.commands.lock().unwrap().is_empty());
        assert!(handle.wait(Some(Duration::ZERO)).is_none() && handle.result().is_none());
    });
    handle.join().unwrap();
    assert!(!in_use.load(std::sync::atomic::Ordering::SeqCst));
    assert!(first.execute(&forth(), &mut Driver::new(&clock, |_, _| Ok(()))).is_ok());
}

#[test]
fn progress_is_told_after_every_command() {
    let clock = simulated_clock();
    let told = Arc::new(Mutex::new(Vec::new()));
    let listener = {
        let told = Arc::clone(&told);
        move |progress: &kinetic_execution::Progress<'_>| {
            told.lock().unwrap().push((progress.elapsed, progress.fraction, progress.positions.to_vec()));
        }
    };
    let mut driver = Driver::new(&clock, |_, _| Ok(()));
    executor(ExecutionConfig { rate_hz: 100.0, ..options() }, &clock)
        .with_progress(listener)
        .execute(&forth(), &mut driver)
        .unwrap();
    let (told, commands) = (told.lock().unwrap(), driver.commands.lock().unwrap());
    assert_eq!(told.len(), commands.len());
    assert!(told.windows(2).all(|pair| pair[1].0 > pair[0].0 && pair[1].1 >= pair[0].1));
    assert_eq!((told[0].1, told.last().unwrap().1, &told.last().unwrap().2[..]), (0.0, 1.0, &[1.0, -0.5][..]));
}
