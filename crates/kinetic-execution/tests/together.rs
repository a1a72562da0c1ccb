//! Executions of several groups. Oracle: samples of the parts of the trajectory, and when each driver was called.

use std::sync::Arc;

use kinetic_core::{KineticError, Result, StopFlag, TimedTrajectory, TrajectoryIdentity};
use kinetic_execution::{
    DriverError, ExecutionConfig, ExecutionResult, ExecutionState, GroupDriver, Handle, SimulatedClock, StopMode,
};
use kinetic_trajectory::stack;

use crate::support::{
    Asked, Command, Commands, Driver, PERIOD, Robot, Stops, assert_within_limits, executor, forth, options,
    simulated_clock, timed,
};

/// The command at which things go wrong: both arms move.
const AT: usize = 200;

fn names(prefix: &str) -> Vec<String> {
    (0..2).map(|joint| format!("{prefix}_{joint}")).collect()
}

fn named(timed: TimedTrajectory, prefix: &str) -> TimedTrajectory {
    let identity = TrajectoryIdentity { joint_names: names(prefix), ..TrajectoryIdentity::default() };
    timed.with_identity(identity).unwrap()
}

/// The left arm takes about 1.4 s, the right one about 0.9 s.
fn parts() -> [TimedTrajectory; 2] {
    [named(forth(), "left"), named(timed(&[[0.0, 0.0], [-0.2, 0.5]]), "right")]
}

type Script = Box<dyn FnMut(usize, &SimulatedClock) -> Result<(), DriverError> + Send>;
type Place = Box<dyn FnMut(usize, &[f64]) -> Option<Vec<f64>> + Send>;

fn fine() -> Script {
    Box::new(|_, _| Ok(()))
}

fn follow() -> Place {
    Box::new(|_, last| Some(last.to_vec()))
}

fn refuses() -> Script {
    Box::new(|number, _| if number == AT { Err("no power".into()) } else { Ok(()) })
}

/// Both arms, each with a script, a place and a second channel, unless there is none.
struct Cell {
    commands: [Commands; 2],
    stops: [Arc<Stops>; 2],
    handle: Handle,
}

fn start(config: ExecutionConfig, scripts: [Script; 2], places: [Option<Place>; 2], has_stops: [bool; 2]) -> Cell {
    let clock = simulated_clock();
    let drivers = scripts.map(|script| Driver::new(&clock, script));
    let commands = [0, 1].map(|arm| Arc::clone(&drivers[arm].commands));
    let stops = [0, 1].map(|_| Stops::new(&clock));
    let mut groups = Vec::new();
    for (arm, (driver, place)) in drivers.into_iter().zip(places).enumerate() {
        let robot = place.map(|place| Robot::new(&driver, place));
        let mut group = GroupDriver::new(names(["left", "right"][arm]), Box::new(driver));
        if let Some(robot) = robot {
            group = group.with_feedback(Box::new(robot));
        }
        if has_stops[arm] {
            group = group.with_stop_sink(stops[arm].clone());
        }
        groups.push(group);
    }
    let handle = executor(config, &clock).start_together(&stack(&parts(), None).unwrap(), groups).unwrap();
    Cell { commands, stops, handle }
}

/// The outcome, the result, and of each arm the commands and what its second channel was asked for.
type End = (Result<ExecutionResult>, ExecutionResult, [Vec<Command>; 2], [Vec<Asked>; 2]);

impl Cell {
    fn end(self) -> End {
        let outcome = self.handle.wait(None).unwrap();
        while !self.handle.has_ended() {
            std::thread::yield_now();
        }
        let result = self.handle.result().unwrap();
        let commands = self.commands.map(|commands| commands.lock().unwrap().clone());
        let asked = self.stops.map(|stops| stops.asked.lock().unwrap().clone());
        (outcome, result, commands, asked)
    }
}

/// Seconds since the first command.
fn when(command: &Command) -> f64 {
    command.time - 100.0
}

#[test]
fn both_arms_get_commands_of_the_same_instant_and_what_ends_earlier_holds_its_end() {
    let both = start(options(), [fine(), fine()], [Some(follow()), Some(follow())], [true; 2]);
    let (outcome, result, commands, asked) = both.end();
    assert_eq!((outcome.unwrap().state, result.verified), (ExecutionState::Completed, false));
    assert_eq!(commands.each_ref().map(Vec::len), [usize::try_from(result.commands_sent).unwrap(); 2]);
    assert!(asked.iter().all(Vec::is_empty));
    for (arm, part) in parts().iter().enumerate() {
        for (command, other) in commands[arm].iter().zip(&commands[1 - arm]) {
            assert_eq!(command.time, other.time);
            let wanted = part.sample_at(when(command));
            let gap =
                (0..2).map(|joint| (command.positions[joint] - wanted.positions[joint]).abs()).fold(0.0, f64::max);
            // The speed override integrates the time of the trajectory in steps of the period.
            assert!(gap < 1e-9, "arm {arm} at {}: {gap}", when(command));
        }
        assert_eq!(commands[arm].last().unwrap().positions, part.waypoints().last().unwrap().positions.0);
    }
    let whole = [&commands[0], &commands[1]].map(|commands| commands.last().unwrap().positions.clone()).concat();
    assert_eq!(result.final_positions, whole);
}

/// Each arm is on its part, at the same time of it: they stop together.
fn assert_together_on_path(commands: &[Vec<Command>; 2]) {
    let [left, right] = parts();
    let reached = commands[0].last().unwrap().positions[0];
    let (mut low, mut high) = (0.0, left.duration());
    for _ in 0..100 {
        let middle = 0.5 * (low + high);
        if left.sample_at(middle).positions[0] < reached { low = middle } else { high = middle }
    }
    for (part, commands) in [left, right].iter().zip(commands) {
        let (wanted, last) = (part.sample_at(low), commands.last().unwrap());
        assert!(
            (0..2).all(|joint| (last.positions[joint] - wanted.positions[joint]).abs() < 1e-7),
            "{last:?} {wanted:?}"
        );
    }
}

#[test]
fn a_stop_of_the_handle_stops_both_on_the_path() {
    let (said, heard) = std::sync::mpsc::channel();
    let (go, wait) = std::sync::mpsc::channel::<()>();
    let script: Script = Box::new(move |number, _| {
        if number == AT {
            said.send(())?;
            wait.recv()?;
        }
        Ok(())
    });
    let both = start(options(), [script, fine()], [None, None], [true; 2]);
    heard.recv().unwrap();
    both.handle.stop(StopMode::Path);
    go.send(()).unwrap();
    let (outcome, result, commands, _) = both.end();
    assert_eq!(outcome.unwrap().state, ExecutionState::Stopped);
    assert!((result.stop.unwrap().began - (AT + 1) as f64 * PERIOD).abs() < 1e-9);
    assert_eq!(commands[0].len(), commands[1].len());
    assert_together_on_path(&commands);
}

#[test]
fn a_driver_that_refuses_a_command_gets_no_other_and_the_other_arm_stops_on_its_path() {
    for failing in [0, 1] {
        for has_stops in [[true; 2], [false; 2]] {
            let mut scripts = [fine(), fine()];
            scripts[failing] = refuses();
            let (outcome, result, commands, asked) =
                start(options(), scripts, [Some(follow()), Some(follow())], has_stops).end();
            let error = outcome.unwrap_err();
            assert!(error.code() == "CommandFailed" && error.to_string().contains("no power"), "{error}");
            let (failed, other) = (&commands[failing], &commands[1 - failing]);
            assert_eq!(failed.len(), AT + 1, "arm {failing}");
            assert!((result.stop.unwrap().began - (AT + 1) as f64 * PERIOD).abs() < 1e-9, "{result:?}");
            let plain = parts()[1 - failing].sample_at((AT + 1) as f64 * PERIOD);
            let slower = |joint: usize| other[AT + 1].velocities[joint].abs() < plain.velocities[joint].abs();
            assert!(slower(0) && slower(1), "{:?} {plain:?}", other[AT + 1]);
            assert_within_limits(&other[..other.len() - 1], "the other arm");
            assert_eq!(other.last().unwrap().velocities, [0.0, 0.0]);
            // Its own second channel alone is used, in the cycle of the fault.
            assert_eq!((asked[failing].len(), asked[1 - failing].len()), (usize::from(has_stops[failing]), 0));
            if let Some((time, _, positions)) = asked[failing].first() {
                assert_eq!((*time, positions), (failed[AT].time, &failed[AT].positions));
            }
        }
    }
}

#[test]
fn two_drivers_that_refuse_leave_nobody_to_brake() {
    let (outcome, _, commands, asked) = start(options(), [refuses(), refuses()], [None, None], [true; 2]).end();
    assert_eq!(outcome.unwrap_err().code(), "CommandFailed");
    assert_eq!((commands.map(|commands| commands.len()), asked.map(|asked| asked.len())), ([AT + 1; 2], [1; 2]));
}

#[test]
fn feedback_of_one_that_is_lost_or_deviates_stops_both_on_the_path() {
    let lost: fn() -> Place = || Box::new(|number, last| (number < AT).then(|| last.to_vec()));
    let jumped: fn() -> Place =
        || Box::new(|number, last| Some(vec![last[0], last[1] + if number >= AT { 0.2 } else { 0.0 }]));
    let config = || ExecutionConfig { require_feedback: true, command_timeout_ms: 99.0, ..options() };
    for (place, code, late) in [(lost, "FeedbackLost", 49), (jumped, "DeviationExceeded", 0)] {
        for arm in [0, 1] {
            let mut places = [Some(follow()), Some(follow())];
            places[arm] = Some(place());
            let (outcome, result, commands, asked) = start(config(), [fine(), fine()], places, [true; 2]).end();
            let error = outcome.unwrap_err();
            assert_eq!(error.code(), code, "{error}");
            let own = names(["left", "right"][arm]);
            match error {
                KineticError::DeviationExceeded { joint, .. } => assert_eq!(joint, own[1]),
                KineticError::FeedbackLost { joints, .. } => assert_eq!(joints, own),
                error => panic!("{error}"),
            }
            assert!((result.stop.unwrap().began - (AT + late) as f64 * PERIOD).abs() < 1e-9, "{result:?}");
            assert!(asked.iter().all(Vec::is_empty) && commands[0].len() == commands[1].len());
            assert_together_on_path(&commands);
        }
    }
}

#[test]
fn a_driver_that_never_returns_is_a_stop_of_both_through_their_second_channels() {
    for has_stops in [[true; 2], [true, false]] {
        let release = StopFlag::default();
        let held = release.clone();
        let block: Script = Box::new(move |number, clock| {
            if number == AT {
                kinetic_core::Clock::wait_until(clock, f64::INFINITY, &held);
            }
            Ok(())
        });
        let both = start(options(), [block, fine()], [None, None], has_stops);
        let error = both.handle.wait(None).unwrap().unwrap_err();
        // Where a robot has no second channel nobody told it to stop.
        assert_eq!(error.code(), if has_stops[1] { "CommandTimeout" } else { "Aborted" }, "{error}");
        let asked = both.stops.each_ref().map(|stops| stops.asked.lock().unwrap().len());
        assert_eq!(asked, has_stops.map(usize::from));
        release.stop();
        both.stops[0].clock.advance(0.0);
        let (_, _, commands, asked) = both.end();
        assert_eq!((commands.map(|commands| commands.len()), asked[0].len()), ([AT + 1, AT], 1));
    }
}

#[test]
fn the_slowest_controller_says_how_fast_both_go() {
    let clock = simulated_clock();
    let mut groups = Vec::new();
    let mut kept = Vec::new();
    for (prefix, scaling) in [("left", 1.0), ("right", 0.25)] {
        let driver = Driver::new(&clock, |_, _| Ok(()));
        let mut robot = Robot::new(&driver, |_, last: &[f64]| Some(last.to_vec()));
        robot.scaling = scaling;
        kept.push(Arc::clone(&driver.commands));
        groups.push(GroupDriver::new(names(prefix), Box::new(driver)).with_feedback(Box::new(robot)));
    }
    let result = executor(options(), &clock).execute_together(&stack(&parts(), None).unwrap(), groups).unwrap();
    assert_eq!(result.state, ExecutionState::Completed);
    assert!(result.actual_duration > 3.0 * forth().duration(), "{}", result.actual_duration);
    assert!(kept[0].lock().unwrap().iter().all(|command| command.velocities[0] < 0.26));
}

#[test]
fn drivers_get_their_joints_by_name_in_their_own_order() {
    let clock = simulated_clock();
    let driver = Driver::new(&clock, |_, _| Ok(()));
    let mixed = ["right_1", "left_0"].map(str::to_owned).to_vec();
    let rest = ["left_1", "right_0"].map(str::to_owned).to_vec();
    let commands = Arc::clone(&driver.commands);
    let groups = vec![
        GroupDriver::new(mixed, Box::new(driver)),
        GroupDriver::new(rest, Box::new(Driver::new(&clock, |_, _| Ok(())))),
    ];
    let result = executor(options(), &clock).execute_together(&stack(&parts(), None).unwrap(), groups).unwrap();
    let [left_0, _, _, right_1] = result.final_positions[..] else { panic!("{result:?}") };
    assert_eq!(commands.lock().unwrap().last().unwrap().positions, [right_1, left_0]);
    assert!((left_0 - 1.0).abs() < 1e-9 && (right_1 - 0.5).abs() < 1e-9, "{result:?}");
}

#[test]
fn drivers_that_share_joints_lack_them_or_have_others_are_refused_before_the_first_command() {
    let clock = simulated_clock();
    let whole = stack(&parts(), None).unwrap();
    let refused = |trajectory: &TimedTrajectory, joints: &[Vec<String>]| {
        let drivers = joints.iter().map(|_| Driver::new(&clock, |_, _| Ok(()))).collect::<Vec<_>>();
        let commands: Vec<Commands> = drivers.iter().map(|driver| Arc::clone(&driver.commands)).collect();
        let groups =
            joints.iter().zip(drivers).map(|(names, driver)| GroupDriver::new(names.clone(), Box::new(driver)));
        let error = executor(options(), &clock).execute_together(trajectory, groups.collect()).unwrap_err();
        assert!(commands.iter().all(|commands| commands.lock().unwrap().is_empty()));
        error
    };
    let other = vec!["left_0".to_owned(), "elbow".to_owned()];
    for (joints, code, wanted) in [
        (vec![names("left"), names("left"), names("right")], "InvalidValue", "left_0"),
        (vec![names("left")], "InvalidTrajectory", "right_0"),
        (vec![], "InvalidTrajectory", "left_0"),
        (vec![other, names("right")], "InvalidTrajectory", "elbow"),
        (vec![names("left"), names("right"), vec![]], "InvalidValue", "joint_names"),
    ] {
        let error = refused(&whole, &joints);
        assert!(error.code() == code && error.to_string().contains(wanted), "{error}");
    }
    assert_eq!(refused(&forth(), &[names("left")]).code(), "InvalidTrajectory", "joints without names");
    // Feedback is required of every group.
    let config = ExecutionConfig { require_feedback: true, ..options() };
    let driver = Driver::new(&clock, |_, _| Ok(()));
    let robot = Robot::new(&driver, |_, last: &[f64]| Some(last.to_vec()));
    let groups = vec![
        GroupDriver::new(names("left"), Box::new(driver)).with_feedback(Box::new(robot)),
        GroupDriver::new(names("right"), Box::new(Driver::new(&clock, |_, _| Ok(())))),
    ];
    assert!(executor(config, &clock).execute_together(&whole, groups).unwrap_err().to_string().contains("feedback"));
}
