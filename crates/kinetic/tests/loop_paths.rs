//! Paths of the tool in the loop of planning and execution: a stop on the way, and what is left after it. Oracle: lengths and
//! distances from the whole path, by dense samples of all commands.

use std::f64::consts::PI;
use std::sync::{Arc, Mutex};

use kinetic::core::rng::SeededRng;
use kinetic::execution::{DriverError, FeedbackSource, SimulatedClock};
use kinetic::prelude::*;

use crate::cases;

const START: [f64; 6] = [0.3, -1.2, 1.6, -2.0, -1.5, 0.1];
/// What a path may be left by, m: the tolerance of the planner.
const TOLERANCE_M: f64 = 1e-4;

type Commands = Arc<Mutex<Vec<Vec<f64>>>>;

/// Where the robot was commanded to be last.
struct Follows(Commands, Vec<f64>);

impl FeedbackSource for Follows {
    fn read_positions(&mut self) -> Option<&[f64]> {
        self.1 = self.0.lock().unwrap().last().map_or_else(|| START.to_vec(), Clone::clone);
        Some(&self.1)
    }
}

/// A robot on simulated time; `script` is called with the number of each command and whether the robot stands.
fn executor(commands: &Commands, mut script: impl FnMut(usize, bool) + Send + 'static) -> DriverExecutor {
    let config = ExecutionConfig { rate_hz: 100.0, ..ExecutionConfig::default() };
    let executor = RealTimeExecutor::new(config).unwrap().with_simulated_clock(SimulatedClock::new());
    let theirs = Arc::clone(commands);
    let sink = move |positions: &[f64], velocities: &[f64]| -> std::result::Result<(), DriverError> {
        let number = {
            let mut commands = theirs.lock().unwrap();
            commands.push(positions.to_vec());
            commands.len()
        };
        script(number, velocities.iter().all(|velocity| velocity.abs() < 1e-12));
        Ok(())
    };
    DriverExecutor::new(executor, Box::new(sink), Some(Box::new(Follows(Arc::clone(commands), Vec::new()))))
}

fn around(rng: &mut SeededRng, size: f64) -> Vector3<f64> {
    Vector3::new(rng.uniform(-size, size), rng.uniform(-size, size), rng.uniform(-size, size))
}

fn offset(rng: &mut SeededRng) -> Pose {
    let turn = UnitQuaternion::from_scaled_axis(around(rng, 0.2));
    Pose(Isometry3::from_parts(around(rng, 0.06).into(), turn))
}

/// Two or three moves of any kind, some of them blended.
fn random_path(rng: &mut SeededRng, tip: &Pose) -> CartesianPath {
    let mut path = CartesianPath::new();
    let mut here = *tip;
    for _ in 0..2 + rng.below(2) {
        let goal = Pose(here.0 * offset(rng).0);
        let kind = rng.below(5);
        path = match kind {
            0 => path.line_to(goal),
            1 => path.move_by(Pose(here.0.inverse() * goal.0), MoveFrame::Tool),
            2 => path.arc_to(Pose(here.0 * offset(rng).0), goal),
            3 => {
                let center = here.translation() + around(rng, 0.03);
                let axis = around(rng, 1.0);
                path.then(CartesianMove::Circle { center, axis, angle: rng.uniform(0.3, 1.9 * PI) })
            }
            _ => {
                let point = here.translation() + around(rng, 0.05);
                let (angle, advance) = (rng.uniform(0.2, 0.6), rng.uniform(-0.03, 0.03));
                path.then(CartesianMove::Screw { point, axis: around(rng, 1.0), angle, advance })
            }
        };
        path = path.blended(if rng.below(2) == 0 { 0.01 } else { 0.0 });
        let Ok(so_far) = path.from_start(tip) else { return path };
        here = so_far.pose_at(so_far.length());
    }
    path
}

/// Distance of a tool position from the nearest of dense samples of a path.
fn distance_from(samples: &[Vector3<f64>], position: &Vector3<f64>) -> f64 {
    samples.iter().map(|sample| (sample - position).norm()).fold(f64::INFINITY, f64::min)
}

/// The obstacle appears at a command and vanishes when the robot stands; what was commanded then is compared with the path.
fn stopped_on(path: &CartesianPath, at: usize, replan: ReplanStrategy) -> (PlanExecuteResult, Vec<Pose>) {
    let robot = Arc::new(Robot::from_name("ur5e").unwrap());
    let live = LiveScene::new(Scene::new(&robot).unwrap());
    let planner = Planner::in_live_scene(&live).unwrap();
    let commands = Commands::default();
    let (theirs, robot_is, whole) = (live.clone(), planner.clone(), path.clone());
    let script = move |number: usize, stands: bool| {
        if number == at {
            // At the end of the path: the robot is not there yet.
            let tip = robot_is.fk(&START).unwrap();
            let tool = whole.from_start(&tip).unwrap();
            let end = tool.pose_at(tool.length());
            theirs.edit(|scene| scene.add("ball", Shape::sphere(0.01)?, end)).unwrap();
        } else if number > at && stands {
            theirs.edit(|scene| Ok(scene.remove("ball"))).unwrap();
        }
    };
    let config = PlanExecuteConfig { replan, ..PlanExecuteConfig::default() };
    let mut moving = PlanExecuteLoop::new(planner.clone(), executor(&commands, script)).with_config(config).unwrap();
    let result = moving
        .move_cartesian(path, &CartesianConfig::default())
        .unwrap_or_else(|error| panic!("{error}: {path:?}, stopped at {at}, {:?}", commands.lock().unwrap().last()));
    let tools = commands.lock().unwrap().iter().map(|q| planner.fk(q).unwrap()).collect();
    (result, tools)
}

#[test]
fn after_a_stop_the_tool_goes_along_what_is_left_and_nothing_twice() {
    let planner = Planner::new(&Arc::new(Robot::from_name("ur5e").unwrap())).unwrap();
    let tip = planner.fk(&START).unwrap();
    let (mut stopped, mut seed) = (0, 0);
    while stopped < cases(4, 60) {
        seed += 1;
        assert!(seed < 10 * cases(4, 60) as u64, "{stopped} paths alone can be followed");
        let mut rng = SeededRng::new(seed);
        let path = random_path(&mut rng, &tip);
        let whole = planner.plan_cartesian(&START, &path, &CartesianConfig::default());
        let Ok(whole) = whole else { continue };
        let Some(motion) = whole.trajectory.as_ref().filter(|_| whole.stop.is_none()) else { continue };
        // Between a tenth and six tenths of the way.
        let at = (rng.uniform(0.1, 0.6) * motion.duration() * 100.0).round();
        let at = usize::from((0..10_000_u16).find(|number| f64::from(*number) >= at).unwrap());
        let (result, tools) = stopped_on(&path, at, ReplanStrategy::Immediate);
        if result.replans == 0 {
            // The ball touched nothing of the rest of the way, or the robot was standing between two moves.
            continue;
        }
        stopped += 1;
        let tool = path.from_start(&tip).unwrap();
        let samples: Vec<_> = (0..=20_000).map(|i| tool.pose_at(tool.length() * f64::from(i) / 20_000.0)).collect();
        let positions: Vec<_> = samples.iter().map(Pose::translation).collect();
        let in_blend = 0.375 * 0.01;
        let corners = tool.corners();
        let is_near_corner = |position: &Vector3<f64>| {
            corners.iter().any(|[begin, end]| {
                let middle = tool.pose_at(f64::midpoint(*begin, *end)).translation();
                (middle - position).norm() < 0.02
            })
        };
        for position in tools.iter().map(Pose::translation) {
            let most = if is_near_corner(&position) { in_blend } else { TOLERANCE_M + 1e-5 };
            let off = distance_from(&positions, &position);
            assert!(off <= most, "seed {seed}: {off} m off the path {path:?}");
        }
        let travelled: f64 = tools.windows(2).map(|w| w[0].translation_distance(&w[1])).sum();
        let length: f64 = positions.windows(2).map(|w| (w[1] - w[0]).norm()).sum();
        assert!((travelled - length).abs() < 0.02 * length + 1e-3, "seed {seed}: {travelled} m instead of {length} m");
        let (end, goal) = (tools.last().unwrap(), samples.last().unwrap());
        assert!(end.translation_distance(goal) < TOLERANCE_M && end.rotation_distance(goal) < 1e-3, "seed {seed}");
    }
}

#[test]
fn a_path_is_not_left_for_another_motion() {
    let down = CartesianPath::new().move_by(Pose::from_xyz(0.0, 0.0, -0.2), MoveFrame::Base);
    let (result, tools) = stopped_on(&down, 30, ReplanStrategy::Splice);
    assert_eq!((result.replans, result.splices), (1, 0));
    let off = |pose: &Pose| (pose.translation() - tools[0].translation()).xy().norm();
    assert!(tools.iter().map(off).fold(0.0, f64::max) < TOLERANCE_M);
}

#[test]
fn a_path_that_cannot_be_followed_is_not_begun() {
    let planner = Planner::new(&Arc::new(Robot::from_name("ur5e").unwrap())).unwrap();
    let far = CartesianPath::new().move_by(Pose::from_xyz(2.0, 0.0, 0.0), MoveFrame::Base);
    let commands = Commands::default();
    let mut moving = PlanExecuteLoop::new(planner, executor(&commands, |_, _| ()));
    let error = moving.move_cartesian(&far, &CartesianConfig::default()).unwrap_err();
    assert_eq!(error.code(), "CartesianPathIncomplete", "{error}");
    assert!(error.to_string().contains("% of the path can be followed: after"), "{error}");
    assert!(commands.lock().unwrap().is_empty());
}

#[test]
fn what_is_left_of_a_path_begins_where_the_tool_is_and_ends_at_its_end() {
    let planner = Planner::new(&Arc::new(Robot::from_name("ur5e").unwrap())).unwrap();
    let tip = planner.fk(&START).unwrap();
    for seed in 0..cases(200, 5_000) as u64 {
        let mut rng = SeededRng::new(seed);
        let path = random_path(&mut rng, &tip);
        let Ok(tool) = path.from_start(&tip) else { continue };
        let arc_length = rng.uniform(0.0, 1.0) * tool.length();
        let left =
            planner.remaining_path(&START, &path, arc_length).unwrap().from_start(&tool.pose_at(arc_length)).unwrap();
        let is_cut = tool.corners().iter().any(|[begin, end]| *begin < arc_length && arc_length < *end);
        // Lengths of a rest may count otherwise: a rotation where it is longer than the translation. So poses are looked for.
        let pose_of = |part: f64| tool.pose_at(arc_length + part * (tool.length() - arc_length));
        let samples: Vec<Pose> = (0..=2_000).map(|i| pose_of(f64::from(i) / 2_000.0)).collect();
        // The orientation along the rest of an arc is one between the same poses, and need not be the same.
        let has_arc = path.moves().iter().any(|(next, _)| matches!(next, CartesianMove::Arc { .. }));
        let lever = if has_arc { 0.005 } else { 0.1 };
        let apart = |a: &Pose, b: &Pose| a.translation_distance(b).max(lever * a.rotation_distance(b));
        for step in 0..=10 {
            let found = left.pose_at(f64::from(step) / 10.0 * left.length());
            let off = samples.iter().map(|pose| apart(pose, &found)).fold(f64::INFINITY, f64::min);
            assert!(
                off < tool.length() / 2_000.0 || is_cut,
                "seed {seed} at {arc_length}, {step}: {off} m off {path:?}"
            );
        }
        let [end, goal] = [left.pose_at(left.length()), tool.pose_at(tool.length())];
        assert!(end.translation_distance(&goal) < 1e-9 && end.rotation_distance(&goal) < 1e-7, "seed {seed}: {path:?}");
    }
    let down = CartesianPath::new().move_by(Pose::from_xyz(0.0, 0.0, -0.2), MoveFrame::Base);
    for arc_length in [-0.1, 0.3, f64::NAN] {
        assert_eq!(planner.remaining_path(&START, &down, arc_length).unwrap_err().code(), "InvalidValue");
    }
    assert!(planner.remaining_path(&START, &down, 0.2).unwrap().moves().is_empty());
    assert_eq!(planner.remaining_path(&[0.0], &down, 0.1).unwrap_err().code(), "DimensionMismatch");
}
