//! Splices that leave the running trajectory from its own path. Oracle: differences of commanded positions against the limits, and
//! samples of both trajectories.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use kinetic_core::{KineticError, Limits, TimedTrajectory};
use kinetic_execution::{ExecutionConfig, ExecutionResult, ExecutionState, Handle, SpliceQueue, StopMode};
use kinetic_trajectory::{MotionLimits, online};

use crate::support::{
    Breakpoints, Command, Driver, LIMITS, PERIOD, assert_within_limits, certified, executor, forth, options,
    simulated_clock, timed,
};

/// 50 commands.
const LATENCY: f64 = 50.0 * PERIOD;

/// What is asked, and at which command.
type Act<'a> = (usize, &'a dyn Fn(&Handle));

/// From `forth` at `now` to a trajectory somewhere else.
fn spliced(now: f64) -> TimedTrajectory {
    let limits = Limits::new(vec![LIMITS[0]; 2], vec![LIMITS[1]; 2]).unwrap().with_jerk(vec![LIMITS[2]; 2]).unwrap();
    let next = timed(&[[0.8, 0.4], [-0.2, 0.1]]);
    online::splice(&forth(), now, LATENCY, &next, &MotionLimits::symmetric(&limits).unwrap()).unwrap()
}

/// Runs `forth`; at each of these commands something is asked.
fn run(acts: &[Act<'_>]) -> (Result<ExecutionResult, KineticError>, Vec<Command>) {
    let clock = simulated_clock();
    let (breakpoints, script) = Breakpoints::at(acts.iter().map(|(number, _)| *number).collect());
    let driver = Driver::new(&clock, script);
    let commands = Arc::clone(&driver.commands);
    let handle = executor(options(), &clock).start(&forth(), Box::new(driver), None).unwrap();
    for (_, act) in acts {
        breakpoints.meanwhile(|| act(&handle));
    }
    let result = handle.join();
    let commands = commands.lock().unwrap().clone();
    assert_within_limits(&commands[..commands.len() - 1], "splice");
    (result, commands)
}

fn assert_at_the_end(result: &ExecutionResult) {
    let is_there = result.final_positions.iter().zip([-0.2, 0.1]).all(|(a, b)| (a - b).abs() < 1e-9);
    assert!(is_there, "{result:?}");
}

fn assert_follows(commands: &[Command], from: usize, trajectory: &TimedTrajectory) {
    for (index, command) in
        commands.iter().enumerate().skip(from).take_while(|(_, command)| command.velocities[0] != 0.0)
    {
        let there = trajectory.curve().sample((index - from) as f64 * PERIOD, 0);
        let is_there = command.positions.iter().zip(&there).all(|(a, b)| (a - b).abs() < 1e-9);
        assert!(is_there, "{index}: {:?} {there:?}", command.positions);
    }
}

#[test]
fn a_trajectory_that_begins_on_the_running_one_takes_over_without_a_way_between() {
    // Asked for at once, and before it begins.
    for asked in [300, 250] {
        let trajectory = spliced(300.0 * PERIOD);
        let running = |handle: &Handle| {
            let (followed, time) = handle.running();
            // That command is under way.
            assert_eq!((followed, (time / PERIOD).round()), (forth(), asked as f64 - 1.0));
            handle.splice_at(&trajectory, 300.0 * PERIOD).unwrap();
        };
        let (result, commands) = run(&[
            (asked, &running),
            (400, &|handle| {
                let (followed, time) = handle.running();
                assert_eq!((followed, (time / PERIOD).round()), (trajectory.clone(), 99.0));
            }),
        ]);
        let result = result.unwrap();
        assert_eq!(result.state, ExecutionState::Completed);
        assert_at_the_end(&result);
        assert_follows(&commands, 300, &trajectory);
        assert!((result.expected_duration - result.actual_duration).abs() < 2.0 * PERIOD, "{result:?}");
        assert!((result.actual_duration - 300.0 * PERIOD - trajectory.duration()).abs() < 2.0 * PERIOD);
    }
}

#[test]
fn a_splice_that_comes_while_the_latency_lasts_is_taken_and_one_that_comes_later_stops_the_robot_on_its_path() {
    let trajectory = spliced(300.0 * PERIOD);
    let (in_time, late) = (300 + 45, 300 + 100);
    let (result, commands) = run(&[(in_time, &|handle| handle.splice_at(&trajectory, 300.0 * PERIOD).unwrap())]);
    assert_eq!(result.unwrap().state, ExecutionState::Completed);
    assert_follows(&commands, 300, &trajectory);
    let (result, commands) = run(&[(late, &|handle| handle.splice_at(&trajectory, 300.0 * PERIOD).unwrap())]);
    let error = result.unwrap_err();
    assert!(error.code() == "Aborted" && error.to_string().contains("latency"), "{error}");
    // The path is (s, −s / 2).
    assert!(commands.iter().all(|command| (0.5 * command.positions[0] + command.positions[1]).abs() < 1e-9));
    assert!(commands.last().unwrap().velocities == [0.0, 0.0] && commands.len() > late + 20);
}

#[test]
fn a_slower_execution_takes_over_at_its_speed_and_a_stop_stays_on_what_was_spliced_in() {
    let trajectory = spliced(300.0 * PERIOD);
    let (result, commands) = run(&[
        (100, &|handle| handle.set_speed(0.5).unwrap()),
        (250, &|handle| handle.splice_at(&trajectory, 300.0 * PERIOD).unwrap()),
        (900, &|handle| handle.stop(StopMode::Path)),
    ]);
    let result = result.unwrap();
    assert_eq!((result.state, result.stop.unwrap().mode), (ExecutionState::Stopped, StopMode::Path));
    let last = &commands.last().unwrap().positions;
    let nearest = (0..20_000).map(|sample| trajectory.curve().sample(f64::from(sample) * 1e-4, 0));
    let distance = nearest.map(|q| (q[0] - last[0]).hypot(q[1] - last[1])).fold(f64::INFINITY, f64::min);
    assert!(distance < 1e-4, "{distance}");
}

#[test]
fn what_is_certified_needs_no_permission_and_what_is_not_does() {
    let clock = simulated_clock();
    let (breakpoints, script) = Breakpoints::at(vec![300]);
    let strict = executor(ExecutionConfig::default(), &clock);
    let handle = strict.start(&certified(forth()), Box::new(Driver::new(&clock, script)), None).unwrap();
    breakpoints.meanwhile(|| {
        let bare = spliced(300.0 * PERIOD);
        assert_eq!(handle.splice_at(&bare, 300.0 * PERIOD).unwrap_err().code(), "InvalidTrajectory");
        assert_eq!(handle.splice(&certified(forth())).unwrap_err().code(), "InvalidTrajectory");
        assert_eq!(handle.splice_at(&certified(bare.clone()), f64::NAN).unwrap_err().code(), "InvalidValue");
        handle.splice_at(&certified(bare), 300.0 * PERIOD).unwrap();
    });
    let result = handle.join().unwrap();
    assert_eq!((result.state, result.verified), (ExecutionState::Completed, true));
    assert_at_the_end(&result);
}

#[test]
fn an_execution_that_is_waited_for_takes_splices_from_its_listener() {
    let (clock, queue, told) = (simulated_clock(), SpliceQueue::default(), Arc::new(AtomicUsize::new(0)));
    let trajectory = spliced(300.0 * PERIOD);
    assert_eq!(queue.splice_at(&trajectory, 0.6).unwrap_err().code(), "InvalidValue");
    let (mine, spliced, most) = (queue.clone(), trajectory.clone(), Arc::clone(&told));
    let listener = move |progress: &kinetic_execution::Progress<'_>| {
        if (progress.elapsed / PERIOD).round() == 300.0 {
            mine.splice_at(&spliced, 300.0 * PERIOD).unwrap();
        }
        most.fetch_max(progress.splices, Ordering::SeqCst);
    };
    let mut driver = Driver::new(&clock, |_, _| Ok(()));
    let executor = executor(options(), &clock).with_splices(queue.clone()).with_progress(listener);
    let result = executor.execute(&forth(), &mut driver).unwrap();
    assert_eq!((result.state, told.load(Ordering::SeqCst)), (ExecutionState::Completed, 1));
    assert_follows(&driver.commands.lock().unwrap(), 300, &trajectory);
    assert_eq!(queue.splice_at(&trajectory, 0.6).unwrap_err().code(), "InvalidValue");
}
