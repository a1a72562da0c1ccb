//! The loop of planning and execution in scripted worlds on simulated time. Oracle: distances between balls by hand, at every
//! command.

use std::sync::{Arc, Mutex};
use std::thread;

use kinetic::core::ManualClock;
use kinetic::execution::{DriverError, ExecutionResult, FeedbackSource, SimulatedClock};
use kinetic::plan_execute::{ProgressListener, SupervisedExecutor};
use kinetic::planning::{Plan, PlannerSpec, Problem};
use kinetic::prelude::*;

use crate::sliding_tool::{add_ball, distance, world};

const START: [f64; 2] = [-1.0, 0.0];
const GOAL: [f64; 2] = [1.0, 0.0];
/// The obstacle of most worlds.
const BALL: [f64; 2] = [0.6, 0.02];
const RADIUS: f64 = 0.15;

/// What was commanded, and what is added to it before it is measured.
#[derive(Default)]
struct Drive {
    commands: Vec<[f64; 2]>,
    offset: f64,
}

type Shared = Arc<Mutex<Drive>>;

struct Measured(Shared, Vec<f64>);

impl FeedbackSource for Measured {
    fn read_positions(&mut self) -> Option<&[f64]> {
        let drive = self.0.lock().unwrap();
        let last = drive.commands.last().unwrap_or(&START);
        self.1 = vec![last[0], last[1] + drive.offset];
        Some(&self.1)
    }
}

/// A robot on simulated time, and something that happens after each command: called with its number and all of them.
fn executor(drive: &Shared, mut script: impl FnMut(usize, [f64; 2]) + Send + 'static) -> DriverExecutor {
    let config = ExecutionConfig { rate_hz: 100.0, ..ExecutionConfig::default() };
    let executor = RealTimeExecutor::new(config).unwrap().with_simulated_clock(SimulatedClock::new());
    let theirs = Arc::clone(drive);
    let sink = move |positions: &[f64], _: &[f64]| -> std::result::Result<(), DriverError> {
        let (position, number) = ([positions[0], positions[1]], {
            let mut drive = theirs.lock().unwrap();
            drive.commands.push([positions[0], positions[1]]);
            drive.commands.len()
        });
        script(number, position);
        Ok(())
    };
    DriverExecutor::new(executor, Box::new(sink), Some(Box::new(Measured(Arc::clone(drive), Vec::new()))))
}

fn run(live: &LiveScene, executor: impl SupervisedExecutor, config: PlanExecuteConfig) -> Result<PlanExecuteResult> {
    let planner = Planner::in_live_scene(live).unwrap();
    PlanExecuteLoop::new(planner, executor).with_config(config)?.move_to(&Goal::joints(GOAL))
}

fn config(replan: ReplanStrategy) -> PlanExecuteConfig {
    PlanExecuteConfig { replan, ..PlanExecuteConfig::default() }
}

/// Number of the command after which something happened.
type Moment = Arc<Mutex<Option<usize>>>;

/// Adds the ball once the robot is beyond `x`; says after which command.
fn appears_at(x: f64, live: &LiveScene) -> (impl FnMut(usize, [f64; 2]) + Send + use<>, Moment) {
    let (live, appeared) = (live.clone(), Arc::new(Mutex::new(None)));
    let said = Arc::clone(&appeared);
    let script = move |number: usize, [now, _]: [f64; 2]| {
        if now > x && said.lock().unwrap().is_none() {
            add_ball(&live, "ball", BALL, RADIUS);
            *said.lock().unwrap() = Some(number);
        }
    };
    (script, appeared)
}

/// The least distance from the ball from a command on.
fn nearest(drive: &Shared, from: usize) -> f64 {
    let drive = drive.lock().unwrap();
    drive.commands[from..].iter().map(|q| distance(q, BALL, RADIUS)).fold(f64::INFINITY, f64::min)
}

/// Where it first stood still, beyond the start.
fn first_rest(drive: &Shared) -> f64 {
    let drive = drive.lock().unwrap();
    drive.commands.windows(2).skip(5).find(|pair| pair[0] == pair[1]).map_or(f64::NAN, |pair| pair[0][0])
}

fn is_at_goal(joints: &[f64]) -> bool {
    joints.iter().zip(GOAL).all(|(a, b)| (a - b).abs() < 1e-6)
}

#[test]
fn an_undisturbed_motion_is_the_plan() {
    let (live, drive) = (world(), Shared::default());
    let result = run(&live, executor(&drive, |_, _| ()), PlanExecuteConfig::default()).unwrap();
    assert_eq!((result.replans, result.execution.state.name(), result.execution.verified), (0, "Completed", true));
    assert!(is_at_goal(&result.final_joints) && result.total_duration >= result.execution.actual_duration);
    assert!(result.trajectory.certificate().is_some());
}

#[test]
fn an_obstacle_ahead_leads_to_a_stop_before_contact_and_a_way_around_it() {
    let mut rests = Vec::new();
    for strategy in [ReplanStrategy::Immediate, ReplanStrategy::Deferred] {
        let (live, drive) = (world(), Shared::default());
        let (script, appeared) = appears_at(-0.6, &live);
        let result = run(&live, executor(&drive, script), config(strategy)).unwrap();
        let from = appeared.lock().unwrap().unwrap();
        assert_eq!(result.replans, 1, "{strategy:?}");
        assert!(is_at_goal(&result.final_joints));
        assert!(nearest(&drive, from) > 0.0, "{strategy:?}: {}", nearest(&drive, from));
        // Without the loop the robot would have met it.
        assert!(distance(&[BALL[0], 0.0], BALL, RADIUS) < 0.0);
        rests.push(first_rest(&drive));
    }
    assert!(rests[0] > -0.6 && rests[0] < rests[1] - 0.1, "deferred stops are later: {rests:?}");
}

#[test]
fn obstacles_at_any_distance_beyond_braking_are_never_touched() {
    for strategy in [ReplanStrategy::Immediate, ReplanStrategy::Deferred] {
        for step in 0..8 {
            let (live, drive) = (world(), Shared::default());
            let (script, appeared) = appears_at(-0.9 + 0.1 * f64::from(step), &live);
            let result = run(&live, executor(&drive, script), config(strategy)).unwrap();
            let from = appeared.lock().unwrap().unwrap();
            assert!(is_at_goal(&result.final_joints) && result.replans == 1, "{strategy:?} {step}");
            assert!(nearest(&drive, from) > 0.0, "{strategy:?} {step}: {}", nearest(&drive, from));
        }
    }
}

/// The slowest that the robot was between two commands, m/s, away from both ends of the motion.
fn slowest(drive: &Shared) -> f64 {
    let drive = drive.lock().unwrap();
    let is_under_way = |q: &[f64; 2]| [START, GOAL].iter().all(|end| (q[0] - end[0]).hypot(q[1] - end[1]) > 0.2);
    let pairs = drive.commands.windows(2).filter(|pair| is_under_way(&pair[0]));
    pairs.map(|pair| 100.0 * (pair[1][0] - pair[0][0]).hypot(pair[1][1] - pair[0][1])).fold(f64::INFINITY, f64::min)
}

#[test]
fn a_robot_that_leaves_for_another_motion_never_comes_to_rest() {
    let (live, drive) = (world(), Shared::default());
    let (script, appeared) = appears_at(-0.6, &live);
    let result = run(&live, executor(&drive, script), config(ReplanStrategy::Splice)).unwrap();
    let from = appeared.lock().unwrap().unwrap();
    assert_eq!((result.replans, result.splices, result.execution.verified), (1, 1, true));
    assert!(is_at_goal(&result.final_joints) && nearest(&drive, from) > 0.0, "{}", nearest(&drive, from));
    assert!(slowest(&drive) > 0.1, "{}", slowest(&drive));
    assert!(result.execution.stop.is_none());
    // The certificate is of the motion that was followed, in the scene with the ball.
    let certificate = result.trajectory.certificate().unwrap();
    assert_eq!((certificate.scene, certificate.curve), (live.version(), result.trajectory.curve().content_hash()));
    // A stop on the path is what it would have been otherwise.
    let (live, drive) = (world(), Shared::default());
    let (script, _) = appears_at(-0.6, &live);
    run(&live, executor(&drive, script), config(ReplanStrategy::Deferred)).unwrap();
    assert!(slowest(&drive) < 0.01, "{}", slowest(&drive));
}

#[test]
fn where_no_motion_can_be_spliced_in_the_robot_stops_before_contact() {
    let (mut splices, mut stops) = (0, 0);
    for step in 0..12 {
        let (live, drive) = (world(), Shared::default());
        let (script, appeared) = appears_at(-0.9 + 0.1 * f64::from(step), &live);
        let result = run(&live, executor(&drive, script), config(ReplanStrategy::Splice));
        let from = appeared.lock().unwrap().unwrap();
        // What appears nearer than the robot can stop is no case of this.
        assert!(step > 8 || nearest(&drive, from) > 0.0, "{step}: {}", nearest(&drive, from));
        let Ok(result) = result else { continue };
        assert!(is_at_goal(&result.final_joints) && result.replans == 1, "{step}");
        splices += result.splices;
        stops += usize::from(slowest(&drive) < 0.01);
        assert!((result.splices == 1) != (slowest(&drive) < 0.01), "{step}");
    }
    assert!(splices >= 3 && stops >= 1, "{splices} {stops}");
    // Without a replan that is allowed, none is spliced in.
    let (live, drive) = (world(), Shared::default());
    let (script, appeared) = appears_at(-0.6, &live);
    let options = PlanExecuteConfig { max_replans: 0, ..config(ReplanStrategy::Splice) };
    let error = run(&live, executor(&drive, script), options).unwrap_err();
    assert!(error.code() == "Aborted" && nearest(&drive, appeared.lock().unwrap().unwrap()) > 0.0, "{error}");
}

#[test]
fn what_appears_on_a_motion_that_was_spliced_in_is_avoided_as_well() {
    let (live, drive) = (world(), Shared::default());
    let theirs = live.clone();
    let second = Arc::new(Mutex::new(None));
    let said = Arc::clone(&second);
    let script = move |_, [x, y]: [f64; 2]| {
        if x > -0.6 && theirs.revision() == 0 {
            add_ball(&theirs, "ball", BALL, RADIUS);
        } else if theirs.revision() == 1 && (x > -0.2 || y.abs() > 0.05) {
            // Ahead on the way around the first one.
            *said.lock().unwrap() = Some([x + 0.5, y + 0.25 * y.signum()]);
            add_ball(&theirs, "second", [x + 0.5, y + 0.25 * y.signum()], 0.1);
        }
    };
    let result = run(&live, executor(&drive, script), config(ReplanStrategy::Splice)).unwrap();
    assert!(is_at_goal(&result.final_joints) && result.execution.verified, "{result:?}");
    let (commands, second) = (&drive.lock().unwrap().commands, second.lock().unwrap().unwrap());
    assert!(commands.iter().all(|q| distance(q, BALL, RADIUS) > 0.0 && distance(q, second, 0.1) > 0.0));
}

#[test]
fn what_is_passed_and_what_is_beside_the_way_changes_nothing() {
    for center in [[-0.7, 0.02], [0.4, 0.6]] {
        let (live, drive) = (world(), Shared::default());
        let theirs = live.clone();
        let script = move |_, [x, _]: [f64; 2]| {
            if x > -0.4 && theirs.revision() == 0 {
                add_ball(&theirs, "ball", center, RADIUS);
            }
        };
        let result = run(&live, executor(&drive, script), PlanExecuteConfig::default()).unwrap();
        assert_eq!((result.replans, live.revision()), (0, 1));
    }
}

#[test]
fn a_deferred_stop_is_dropped_when_the_obstacle_has_gone() {
    let undisturbed = Shared::default();
    run(&world(), executor(&undisturbed, |_, _| ()), PlanExecuteConfig::default()).unwrap();
    let (live, drive) = (world(), Shared::default());
    let theirs = live.clone();
    let script = move |_, [x, _]: [f64; 2]| {
        if x > -0.6 && theirs.revision() == 0 {
            add_ball(&theirs, "ball", BALL, RADIUS);
        } else if x > -0.3 && theirs.revision() == 1 {
            theirs.edit(|scene| Ok(scene.remove("ball"))).unwrap();
        }
    };
    let result = run(&live, executor(&drive, script), config(ReplanStrategy::Deferred)).unwrap();
    assert_eq!((result.replans, live.revision()), (0, 2));
    assert_eq!(drive.lock().unwrap().commands, undisturbed.lock().unwrap().commands);
}

#[test]
fn an_obstacle_on_the_robot_stops_it_and_is_the_error() {
    let (live, drive) = (world(), Shared::default());
    let theirs = live.clone();
    let script = move |_, [x, y]: [f64; 2]| {
        if x > 0.0 && theirs.revision() == 0 {
            add_ball(&theirs, "ball", [x, y], 1.0);
        }
    };
    let error = run(&live, executor(&drive, script), PlanExecuteConfig::default()).unwrap_err();
    assert_eq!(error.code(), "StartInCollision", "{error}");
    let drive = drive.lock().unwrap();
    let last = drive.commands.len() - 1;
    assert!(drive.commands[last][0] < 0.9 && drive.commands[last][0] - drive.commands[last - 1][0] < 0.01);
}

#[test]
fn motions_that_are_blocked_too_often_are_given_up() {
    let (live, drive) = (world(), Shared::default());
    let theirs = live.clone();
    // A ball ahead of the robot, anew for each motion.
    let script = move |number: usize, [x, y]: [f64; 2]| {
        if number.is_multiple_of(60) {
            let name = format!("ball {number}");
            add_ball(&theirs, &name, [x + 0.45, y], 0.1);
        }
    };
    let options = PlanExecuteConfig { max_replans: 0, ..PlanExecuteConfig::default() };
    let error = run(&live, executor(&drive, script), options).unwrap_err();
    assert!(error.code() == "Aborted" && error.to_string().contains("max_replans"), "{error}");
}

#[test]
fn a_robot_that_is_measured_elsewhere_is_replanned_from_there() {
    let (live, drive) = (world(), Shared::default());
    let theirs = Arc::clone(&drive);
    let script = move |number: usize, _| {
        if number == 80 {
            theirs.lock().unwrap().offset = 0.3;
        }
    };
    let result = run(&live, executor(&drive, script), PlanExecuteConfig::default());
    // The offset stays: the second motion begins where the robot is measured to be, and is measured 0.3 m beside it again.
    assert_eq!(result.unwrap_err().code(), "DeviationExceeded");
    let drive = drive.lock().unwrap();
    assert!(drive.commands.len() > 80);
}

/// A robot whose measurements are true again from the second motion on.
struct Settling(DriverExecutor, Shared, Arc<Mutex<Vec<Vec<f64>>>>);

impl SupervisedExecutor for Settling {
    fn execute(
        &mut self,
        motion: &TimedTrajectory,
        stop: &StopFlag,
        listener: ProgressListener,
    ) -> Result<ExecutionResult> {
        self.2.lock().unwrap().push(motion.curve().sample(0.0, 0));
        if let Some(last) = self.1.lock().unwrap().commands.last_mut() {
            // The robot is where it was measured.
            last.copy_from_slice(&motion.curve().sample(0.0, 0));
        }
        self.1.lock().unwrap().offset = 0.0;
        self.0.execute(motion, stop, listener)
    }

    fn measured_positions(&mut self) -> Option<Vec<f64>> {
        self.0.measured_positions()
    }

    fn is_simulated(&self) -> bool {
        true
    }
}

#[test]
fn a_replanned_motion_begins_at_the_measured_state() {
    let (live, drive, starts) = (world(), Shared::default(), Arc::new(Mutex::new(Vec::new())));
    let theirs = Arc::clone(&drive);
    let script = move |number: usize, _| {
        if number == 80 {
            theirs.lock().unwrap().offset = 0.3;
        }
    };
    let settling = Settling(executor(&drive, script), Arc::clone(&drive), Arc::clone(&starts));
    let result = run(&live, settling, PlanExecuteConfig::default()).unwrap();
    assert!(result.replans == 1 && is_at_goal(&result.final_joints));
    let starts = starts.lock().unwrap();
    assert!((starts[1][1] - 0.3).abs() < 1e-9, "{starts:?}");
    // The motion that was left after 80 commands, 10 ms apart, counts.
    assert!(result.total_duration > result.execution.actual_duration + 0.79, "{result:?}");
}

#[test]
fn holding_lasts_until_the_scene_lets_the_robot_through_or_the_time_is_over() {
    let blocked = || {
        let live = world();
        add_ball(&live, "ball", GOAL, RADIUS);
        live
    };
    let hold =
        |timeout: f64| PlanExecuteConfig { recovery: RecoveryStrategy::Hold, timeout, ..PlanExecuteConfig::default() };
    let still = || executor(&Shared::default(), |_, _| ());
    assert_eq!(run(&blocked(), still(), PlanExecuteConfig::default()).unwrap_err().code(), "GoalInCollision");
    let live = blocked();
    thread::scope(|scope| {
        scope.spawn(|| live.edit(|scene| Ok(scene.remove("ball"))).unwrap());
        assert!(is_at_goal(&run(&live, still(), hold(f64::INFINITY)).unwrap().final_joints));
    });
    // Each reading of the clock is a second: a hold of 30 s is over after as many looks at it.
    let planner = Planner::in_live_scene(&blocked()).unwrap();
    let planner = planner.with_config(PlannerConfig { timeout: 1e4, ..PlannerConfig::default() }).unwrap();
    let mut held = PlanExecuteLoop::new(planner, still()).with_config(hold(30.0)).unwrap();
    held = held.with_clock(Arc::new(ManualClock::with_step(1_000_000_000)));
    assert_eq!(held.move_to(&Goal::joints(GOAL)).unwrap_err().code(), "PlanningTimeout");
}

struct Straight;

impl Algorithm for Straight {
    fn plan(&mut self, problem: &Problem<'_>, validity: &mut dyn Validity, control: &Control) -> Result<Plan> {
        control.check(100)?;
        let path = Trajectory::from_waypoints(&[problem.start(), &problem.goals()[0]])?;
        assert!(validity.is_motion_valid(path.positions(0), path.positions(1)));
        let checks = validity.checks();
        Ok(Plan {
            path,
            goal_index: 0,
            iterations: 100,
            tree_size: 2,
            checks,
            planner_used: SPEC.id,
            lower_bound: None,
        })
    }
}

/// A straight line, which takes 100 iterations.
static SPEC: PlannerSpec = PlannerSpec {
    id: "straight",
    summary: "the straight line",
    source: "Euclid",
    is_anytime: false,
    is_complete: false,
    may_be_simplified: true,
    build: &|_| Ok(Box::new(Straight)),
};

#[test]
fn a_relaxed_retry_has_four_times_the_budget_once() {
    let move_with = |max_iterations: u64, recovery: RecoveryStrategy| {
        let options = PlannerConfig { max_iterations, ..PlannerConfig::default() };
        let planner = Planner::in_live_scene(&world()).unwrap().with_algorithm(&SPEC).with_config(options).unwrap();
        let executor = executor(&Shared::default(), |_, _| ());
        let options = PlanExecuteConfig { recovery, ..PlanExecuteConfig::default() };
        PlanExecuteLoop::new(planner, executor).with_config(options).unwrap().move_to(&Goal::joints(GOAL))
    };
    assert!(move_with(50, RecoveryStrategy::Abort).is_err());
    assert!(is_at_goal(&move_with(50, RecoveryStrategy::RelaxedRetry).unwrap().final_joints));
    assert!(move_with(20, RecoveryStrategy::RelaxedRetry).is_err());
}

#[test]
fn a_raised_flag_stops_the_robot_on_its_path() {
    let (live, drive, stop) = (world(), Shared::default(), StopFlag::default());
    let raised = stop.clone();
    let script = move |number: usize, _| {
        if number == 90 {
            raised.stop();
        }
    };
    let mut moving =
        PlanExecuteLoop::new(Planner::in_live_scene(&live).unwrap(), executor(&drive, script)).with_stop_flag(stop);
    assert_eq!(moving.move_to(&Goal::joints(GOAL)).unwrap_err().code(), "Cancelled");
    let commands = &drive.lock().unwrap().commands;
    let [before, last] = [commands[commands.len() - 2], commands[commands.len() - 1]];
    assert!(last[0] < 0.9 && (last[0] - before[0]).abs() < 0.01 && last[1] == 0.0, "{before:?} {last:?}");
}

/// A robot that is watched by a thread of its own, as on the wall clock; keeps the flag that stops it.
struct Watched(DriverExecutor, Arc<Mutex<StopFlag>>);

impl SupervisedExecutor for Watched {
    fn execute(
        &mut self,
        motion: &TimedTrajectory,
        stop: &StopFlag,
        listener: ProgressListener,
    ) -> Result<ExecutionResult> {
        *self.1.lock().unwrap() = stop.clone();
        self.0.execute(motion, stop, listener)
    }

    fn measured_positions(&mut self) -> Option<Vec<f64>> {
        self.0.measured_positions()
    }

    fn is_simulated(&self) -> bool {
        false
    }
}

#[test]
fn a_thread_watches_where_time_does_not_stand_still() {
    let (live, drive, flag) = (world(), Shared::default(), Arc::new(Mutex::new(StopFlag::default())));
    let (mut appear, appeared) = appears_at(-0.6, &live);
    let theirs = Arc::clone(&flag);
    let mut has_waited = false;
    // The command after the change returns once the thread has seen it.
    let script = move |number: usize, position: [f64; 2]| {
        appear(number, position);
        if position[0] > -0.6 && !has_waited {
            has_waited = true;
            while !theirs.lock().unwrap().is_stopped() {
                thread::yield_now();
            }
        }
    };
    let result = run(&live, Watched(executor(&drive, script), flag), PlanExecuteConfig::default()).unwrap();
    assert!(result.replans == 1 && is_at_goal(&result.final_joints));
    let from = appeared.lock().unwrap().unwrap();
    assert!(nearest(&drive, from) > 0.0, "{}", nearest(&drive, from));
}

#[test]
fn bad_options_and_a_robot_that_nobody_knows_are_refused() {
    let live = world();
    let named = [
        ("latency", PlanExecuteConfig { latency: -1.0, ..PlanExecuteConfig::default() }),
        ("timeout", PlanExecuteConfig { timeout: f64::NAN, ..PlanExecuteConfig::default() }),
        ("time law", PlanExecuteConfig { time_law: "magic".to_owned(), ..PlanExecuteConfig::default() }),
    ];
    for (name, options) in named {
        let error = run(&live, executor(&Shared::default(), |_, _| ()), options).unwrap_err();
        assert!(error.to_string().contains(name), "{error}");
    }
    let blind = || {
        let executor = RealTimeExecutor::new(ExecutionConfig::default()).unwrap();
        let executor = executor.with_simulated_clock(SimulatedClock::new());
        let sink = |_: &[f64], _: &[f64]| -> std::result::Result<(), DriverError> { Ok(()) };
        PlanExecuteLoop::new(
            Planner::in_live_scene(&live).unwrap(),
            DriverExecutor::new(executor, Box::new(sink), None),
        )
    };
    assert_eq!(blind().move_to(&Goal::joints(GOAL)).unwrap_err().code(), "InvalidValue");
    let mut told = blind().with_joints(START.to_vec());
    assert!(is_at_goal(&told.move_to(&Goal::joints(GOAL)).unwrap().final_joints));
    // And remembers where it went.
    assert!(told.move_to(&Goal::joints(START)).unwrap().final_joints[0] < -0.9);
}
