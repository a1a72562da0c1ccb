//! Timed trajectories that a servo follows. Oracles: samples of the trajectory, and the distances and limits of every tick.

use kinetic_core::curve::{Coefficients, PiecewisePolynomial};
use kinetic_core::rng::SeededRng;
use kinetic_core::{Goal, MotionLimits, PlannerConfig, Pose, Shape, TimedTrajectory};
use kinetic_kinematics::KinematicChain;
use kinetic_planning::{Planner, Query};
use kinetic_reactive::{Servo, ServoConfig, ServoStatus};
use kinetic_scene::{Margins, Scene};

use super::{Bounds, DISTANCE_TOLERANCE, ROBOTS, assert_clear, checker};
use crate::cases;
use crate::support::{cluttered, free_configuration, live};

/// What a servo follows exactly.
const PART: f64 = 0.9;
const PART_OF_JERK: f64 = 0.75;
/// How far the arm may be from what it follows exactly, rad or m.
const EXACT: f64 = 1e-6;
/// Samples of a trajectory to which distances are taken.
const SAMPLES: u32 = 2000;

/// A plan that keeps some millimetres more than the stop distance; `None` where there is none.
fn planned(scene: &Scene, start: &[f64], goal: Vec<f64>, bounds: &Bounds, seed: u64) -> Option<TimedTrajectory> {
    let config = PlannerConfig {
        collision_margin: 0.035,
        self_margin: 0.003,
        timeout: 5.0,
        seed,
        limits: MotionLimits {
            velocity: Some(bounds.velocity.clone()),
            jerk: Some(bounds.jerk.iter().map(|limit| PART_OF_JERK * limit).collect()),
            velocity_scaling: PART,
            acceleration_scaling: PART,
            ..MotionLimits::default()
        },
        ..PlannerConfig::default()
    };
    let planner = Planner::in_scene(scene.clone()).unwrap().with_config(config).unwrap();
    let goal = Goal::joints(goal);
    let query = Query::new(start, &goal).with_time_law("jerk_limited").unwrap();
    planner.solve(query).ok().and_then(|solution| solution.into_trajectory().ok())
}

/// A scene with a plan in it.
fn scene_with_plan(name: &str, objects: usize, seed: u64) -> Option<(Scene, Vec<f64>, TimedTrajectory)> {
    let mut rng = SeededRng::new(seed);
    let (scene, start) = cluttered(name, objects, 0.04, &mut rng);
    let goal = free_configuration(&scene, 0.04, &mut rng)?;
    let bounds = Bounds::of(scene.robot(), &ServoConfig::teleop());
    let trajectory = planned(&scene, &start, goal, &bounds, seed)?;
    Some((scene, start, trajectory))
}

fn servo_at(scene: &Scene, start: &[f64]) -> Servo {
    let mut servo = Servo::new(live(scene.clone()), None, ServoConfig::teleop()).unwrap();
    servo.set_state(start, &vec![0.0; start.len()]).unwrap();
    servo
}

fn farthest(one: &[f64], other: &[f64]) -> f64 {
    one.iter().zip(other).map(|(one, other)| (one - other).abs()).fold(0.0, f64::max)
}

/// How far a configuration is from the nearest sample of a trajectory.
fn distance_to(trajectory: &TimedTrajectory, q: &[f64]) -> f64 {
    let time = |sample: u32| f64::from(sample) / f64::from(SAMPLES) * trajectory.duration();
    let distances = (0..=SAMPLES).map(|sample| farthest(&trajectory.curve().sample(time(sample), 0), q));
    distances.fold(f64::INFINITY, f64::min)
}

/// Whether links keep a tenth of a metre from each other all along a trajectory.
fn is_apart(scene: &Scene, trajectory: &TimedTrajectory) -> bool {
    let robot = scene.robot();
    let group = robot.group_or_default(None).unwrap();
    let mut apart = scene.checker(&group.name, Margins::new(0.0, 0.1)).unwrap();
    let time = |sample: u32| f64::from(sample) / 200.0 * trajectory.duration();
    (0..=200).all(|sample| apart.is_free(&trajectory.curve().sample(time(sample), 0)))
}

/// Ticks until the trajectory ends, each with its limits and distances; answers with how many, and the largest distance to the
/// trajectory.
fn run(scene: &Scene, servo: &mut Servo, trajectory: &TimedTrajectory, longest: usize, case: &str) -> (usize, f64) {
    let (scene, config) = (live(scene.clone()), servo.config().clone());
    let bounds = Bounds::of(servo.robot(), &config);
    let mut exact = checker(&scene, config.stop_distance - DISTANCE_TOLERANCE);
    let mut largest: f64 = 0.0;
    for tick in 0..longest {
        if servo.trajectory_time().is_none() {
            return (tick, largest);
        }
        let before = servo.output().state.clone();
        let output = servo.tick().unwrap().clone();
        let case = format!("{case}, tick {tick}, {:?}", output.status);
        assert!(!output.exceeds_limits, "{case}");
        bounds.assert_tick(&before, &output.state, config.period(), &case);
        assert_clear(&mut exact, &before.positions, &output.state.positions, &case);
        if tick % 10 == 0 {
            largest = largest.max(distance_to(trajectory, &output.state.positions));
        }
    }
    panic!(
        "{case}: {longest} ticks, at {:?} of {} s, {:?}",
        servo.trajectory_time(),
        trajectory.duration(),
        servo.output()
    );
}

#[test]
fn in_free_space_a_trajectory_is_followed_exactly_and_in_its_time() {
    let mut followed = 0;
    for seed in 0..cases(10, 200) as u64 {
        let name = ROBOTS[seed as usize % ROBOTS.len()];
        let Some((scene, start, trajectory)) = scene_with_plan(name, 0, seed) else { continue };
        // No pair of the robot's own links may slow it either, nor the stops beside its path.
        if !is_apart(&scene, &trajectory) {
            continue;
        }
        let config = ServoConfig { self_slowdown_distance: 0.002, ..ServoConfig::teleop() };
        let mut servo = Servo::new(live(scene), None, config).unwrap();
        servo.set_state(&start, &vec![0.0; start.len()]).unwrap();
        servo.follow_trajectory(trajectory.clone()).unwrap();
        let period = servo.config().period();
        let case = format!("seed {seed}, {name}");
        let mut tick = 0;
        while servo.trajectory_time().is_some() {
            tick += 1;
            let output = servo.tick().unwrap().clone();
            let wanted = trajectory.curve().sample(f64::from(tick) * period, 0);
            let error = farthest(&wanted, &output.state.positions);
            assert!(error < EXACT, "{case}, tick {tick}: {error:e} {:?}", output.status);
            // Where a joint's jerk changes inside a tick, it may be late by what is too little to matter.
            let is_free = matches!(output.status, ServoStatus::NoWarning | ServoStatus::DecelerateForLimits);
            assert!(is_free, "{case}, tick {tick}: {:?}", output.status);
        }
        assert!(f64::from(tick) * period < trajectory.duration() + 1.01 * period, "{case}, tick {tick}");
        followed += 1;
    }
    assert!(followed >= cases(3, 40), "{followed}");
}

#[test]
#[expect(clippy::print_stdout, reason = "how much slower the arm is")]
fn among_obstacles_it_is_followed_to_its_end_near_its_path() {
    for seed in 0..cases(15, 400) as u64 {
        let name = ROBOTS[seed as usize % ROBOTS.len()];
        let Some((scene, start, trajectory)) = scene_with_plan(name, 6, seed) else { continue };
        let mut servo = servo_at(&scene, &start);
        servo.follow_trajectory(trajectory.clone()).unwrap();
        let case = format!("seed {seed}, {name}");
        let (ticks, largest) = run(&scene, &mut servo, &trajectory, 20_000, &case);
        let slower = ticks as f64 * servo.config().period() / trajectory.duration();
        println!("{case}: {slower:.2} times its duration of {:.2} s, at most {largest:.4} off", trajectory.duration());
        assert_at_end(&servo, &trajectory, &case);
    }
}

/// After its end the arm stands there.
fn assert_at_end(servo: &Servo, trajectory: &TimedTrajectory, case: &str) {
    let end = trajectory.curve().sample(trajectory.duration(), 0);
    assert!(farthest(&end, &servo.output().state.positions) < 2e-3, "{case}");
}

#[test]
fn from_elsewhere_the_arm_goes_to_the_start_first() {
    for seed in 0..cases(5, 100) as u64 {
        let name = ROBOTS[seed as usize % ROBOTS.len()];
        let Some((scene, start, trajectory)) = scene_with_plan(name, 0, seed) else { continue };
        let group = scene.robot().group_or_default(None).unwrap();
        let ranges = scene.robot().position_limits(group);
        let elsewhere: Vec<f64> =
            start.iter().zip(ranges).map(|(q, (low, high))| (q - 0.2 * q.signum()).clamp(low, high)).collect();
        let mut servo = servo_at(&scene, &start);
        // The way to the start may lead through the arm itself, which the servo does not go around.
        let mut apart = scene.checker(&group.name, Margins::new(0.0, 0.012)).unwrap();
        if !apart.is_motion_free(&elsewhere, &start) {
            continue;
        }
        servo.set_state(&elsewhere, &vec![0.0; elsewhere.len()]).unwrap();
        servo.follow_trajectory(trajectory.clone()).unwrap();
        let case = format!("seed {seed}, {name}");
        servo.tick().unwrap();
        assert_eq!(servo.trajectory_time(), Some(0.0), "{case}");
        run(&scene, &mut servo, &trajectory, 20_000, &case);
        assert_at_end(&servo, &trajectory, &case);
    }
}

#[test]
fn an_obstacle_on_the_way_halts_it_until_it_is_gone() {
    let (scene, start, trajectory) = scene_with_plan("ur5e", 0, 10).unwrap();
    let chain = KinematicChain::from_robot(scene.robot(), None).unwrap();
    let middle = chain.tip_pose(&trajectory.curve().sample(0.6 * trajectory.duration(), 0)).translation();
    let live = live(scene);
    let mut servo = Servo::new(live.clone(), None, ServoConfig::teleop()).unwrap();
    servo.set_state(&start, &[0.0; 6]).unwrap();
    servo.follow_trajectory(trajectory.clone()).unwrap();
    let ball = Pose::from_xyz(middle.x, middle.y, middle.z);
    live.edit(|scene| scene.add("ball", Shape::sphere(0.05).unwrap(), ball)).unwrap();
    (0..10_000).for_each(|_| {
        servo.tick().unwrap();
    });
    let halted = servo.trajectory_time().unwrap();
    assert!(halted > 0.1 && halted < 0.6 * trajectory.duration(), "{halted}");
    assert!(servo.output().state.velocities.iter().all(|velocity| velocity.abs() < 1e-3), "{:?}", servo.output());
    assert!(servo.output().min_distance >= servo.config().stop_distance - DISTANCE_TOLERANCE);
    live.edit(|scene| Ok(scene.remove("ball"))).unwrap();
    (0..10_000).for_each(|_| {
        servo.tick().unwrap();
    });
    assert_eq!(servo.trajectory_time(), None);
    assert_at_end(&servo, &trajectory, "without the ball");
}

#[test]
fn a_trajectory_faster_than_the_limits_takes_longer() {
    let (scene, start, trajectory) = scene_with_plan("ur5e", 0, 0).unwrap();
    let curve = trajectory.curve();
    let knots: Vec<f64> = curve.knots().iter().map(|time| time / 3.0).collect();
    let scaled = |row: &Coefficients| {
        let mut row = *row;
        row.iter_mut().zip(0..).for_each(|(value, power)| *value *= 3.0_f64.powi(power));
        row
    };
    let rows = curve.all_coefficients().iter().map(scaled).collect();
    let fast = PiecewisePolynomial::new(6, knots, rows).unwrap();
    let end = fast.duration();
    let fast = TimedTrajectory::new(fast, vec![0.0, end], 0.0, "scaled").unwrap();
    let mut servo = servo_at(&scene, &start);
    servo.follow_trajectory(fast.clone()).unwrap();
    let (ticks, _) = run(&scene, &mut servo, &fast, 20_000, "three times as fast");
    assert!(ticks as f64 * servo.config().period() > 0.6 * trajectory.duration());
    assert_at_end(&servo, &fast, "three times as fast");
}

#[test]
fn another_command_replaces_it_and_wrong_input_is_refused() {
    let (scene, start, trajectory) = scene_with_plan("ur5e", 0, 0).unwrap();
    let mut servo = Servo::new(live(scene.clone()), None, ServoConfig::teleop()).unwrap();
    assert!(servo.follow_trajectory(trajectory.clone()).unwrap_err().to_string().contains("set_state"));
    servo.set_state(&start, &[0.0; 6]).unwrap();
    let (_, _, longer) = scene_with_plan("franka_panda", 0, 1).unwrap();
    assert_eq!(servo.follow_trajectory(longer).unwrap_err().code(), "DimensionMismatch");
    let (_, _, other) = scene_with_plan("xarm6", 0, 2).unwrap();
    let error = servo.follow_trajectory(other).unwrap_err().to_string();
    assert!(error.contains("joints of the trajectory") && error.contains("shoulder_pan_joint"), "{error}");
    assert_eq!(servo.trajectory_time(), None);
    servo.follow_trajectory(trajectory).unwrap();
    servo.stop();
    assert_eq!(servo.trajectory_time(), None);
}

#[test]
fn ticks_along_a_trajectory_allocate_nothing() {
    let (scene, start, trajectory) = scene_with_plan("ur5e", 6, 5).unwrap();
    let mut servo = servo_at(&scene, &start);
    let mut counted = u64::MAX;
    // Buffers grow on the first two ways; they are swapped.
    for _ in 0..3 {
        servo.set_state(&start, &[0.0; 6]).unwrap();
        servo.follow_trajectory(trajectory.clone()).unwrap();
        let ticks = || {
            (0..600).for_each(|_| {
                servo.tick().unwrap();
            });
        };
        counted = allocation_counter::measure(ticks).count_total;
        assert!(servo.trajectory_time().unwrap() > 0.5);
    }
    assert_eq!(counted, 0);
}
