//! Twists and poses of the tool.

use kinetic_core::rng::SeededRng;
use kinetic_core::{Pose, Shape, Twist};
use kinetic_ik::tasks::{FrameOn, Model, PoseTask, TaskProblem};
use kinetic_kinematics::KinematicChain;
use kinetic_reactive::differential_ik::{TwistCommand, TwistFrame};
use kinetic_reactive::{Servo, ServoConfig, ServoStatus};
use kinetic_scene::Scene;
use nalgebra::Vector3;

use super::{Bounds, DISTANCE_TOLERANCE, ROBOTS, assert_clear, checker};
use crate::between::{a_ball, blocked};
use crate::cases;
use crate::support::{cluttered, live, scene_of};

/// Twist of the tool between two states, by finite differences of the forward kinematics.
fn tool_twist(chain: &KinematicChain, before: &[f64], after: &[f64], period: f64) -> [f64; 6] {
    let (from, to) = (chain.tip_pose(before), chain.tip_pose(after));
    let linear = (to.translation() - from.translation()) / period;
    let angular = (to.rotation() * from.rotation().inverse()).scaled_axis() / period;
    [linear.x, linear.y, linear.z, angular.x, angular.y, angular.z]
}

#[test]
fn a_twist_is_tracked_to_a_hundredth_in_either_frame_by_both_methods() {
    let q = [0.0, -0.785, 0.0, -2.356, 0.0, 1.571, 0.785];
    for method in ["qp", "damped"] {
        for frame in [TwistFrame::Base, TwistFrame::Tool] {
            let scene = live(scene_of("franka_panda"));
            let chain = KinematicChain::from_robot(&scene.robot(), None).unwrap();
            let config = ServoConfig { method: method.to_owned(), command_timeout: 1e3, ..ServoConfig::teleop() };
            let mut servo = Servo::new(scene, None, config).unwrap();
            servo.set_state(&q, &[0.0; 7]).unwrap();
            let wanted = [0.05, -0.03, 0.04, 0.1, 0.05, -0.1];
            let twist = Twist::new(Vector3::new(0.05, -0.03, 0.04), Vector3::new(0.1, 0.05, -0.1));
            servo.twist(&TwistCommand::new(twist, frame)).unwrap();
            for tick in 0..500 {
                let before = servo.output().state.positions.clone();
                let output = servo.tick().unwrap();
                assert_eq!(output.status, ServoStatus::NoWarning, "{method} {frame:?} tick {tick}");
                let after = output.state.positions.clone();
                let mut found = tool_twist(&chain, &before, &after, 0.002);
                if frame == TwistFrame::Tool {
                    let turn = chain.tip_pose(&before).rotation().inverse();
                    let [linear, angular] =
                        [0, 3].map(|begin| turn * Vector3::new(found[begin], found[begin + 1], found[begin + 2]));
                    found = [linear.x, linear.y, linear.z, angular.x, angular.y, angular.z];
                }
                let error = found.iter().zip(wanted).map(|(a, b)| (a - b) * (a - b)).sum::<f64>().sqrt();
                let size = wanted.iter().map(|value| value * value).sum::<f64>().sqrt();
                // The first ticks accelerate.
                assert!(tick < 250 || error < 0.01 * size, "{method} {frame:?} tick {tick}: {found:?}");
            }
        }
    }
}

/// A component of one twist, driven to and fro.
fn swung(axis: usize, tick: usize) -> Twist {
    let speed = if axis < 3 { 0.1 } else { 0.15 } * (0.003 * tick as f64).sin();
    let mut components = [0.0; 6];
    components[axis] = speed;
    let [x, y, z, a, b, c] = components;
    Twist::new(Vector3::new(x, y, z), Vector3::new(a, b, c))
}

#[test]
fn components_that_are_zero_do_not_drift() {
    for (name, axis) in ROBOTS.into_iter().flat_map(|name| (0..6).map(move |axis| (name, axis))) {
        let scene = live(scene_of(name));
        let robot = scene.robot();
        let chain = KinematicChain::from_robot(&robot, None).unwrap();
        let group = robot.group_or_default(None).unwrap();
        let start = robot.named_pose(group, "ready").or_else(|| robot.named_pose(group, "home")).unwrap().0.clone();
        for frame in [TwistFrame::Base, TwistFrame::Tool] {
            let mut servo = Servo::new(scene.clone(), None, ServoConfig::teleop()).unwrap();
            servo.set_state(&start, &vec![0.0; start.len()]).unwrap();
            let first = chain.tip_pose(&start);
            for tick in 0..3000 {
                servo.twist(&TwistCommand::new(swung(axis, tick), frame)).unwrap();
                let output = servo.tick().unwrap();
                if output.status != ServoStatus::NoWarning {
                    break;
                }
                let now = chain.tip_pose(&output.state.positions);
                let mut way = now.translation() - first.translation();
                if frame == TwistFrame::Tool && axis < 3 {
                    way = first.rotation().inverse() * way;
                }
                if axis < 3 {
                    way[axis] = 0.0;
                }
                let turned = if axis < 3 { now.rotation_distance(&first) } else { 0.0 };
                let case = format!("{name} axis {axis} {frame:?} tick {tick}: {way:?} {turned}");
                assert!(way.norm() < 1e-3 && turned < 1e-2, "{case}");
            }
        }
    }
}

#[test]
fn a_tool_that_is_let_go_comes_to_rest_and_does_not_swing_back() {
    for name in ROBOTS {
        let scene = live(scene_of(name));
        let robot = scene.robot();
        let chain = KinematicChain::from_robot(&robot, None).unwrap();
        let group = robot.group_or_default(None).unwrap();
        let start = robot.named_pose(group, "ready").or_else(|| robot.named_pose(group, "home")).unwrap().0.clone();
        let mut servo = Servo::new(scene, None, ServoConfig::teleop()).unwrap();
        servo.set_state(&start, &vec![0.0; start.len()]).unwrap();
        let (mut farthest, mut last) = (0.0_f64, 0.0);
        for tick in 0..1500 {
            let speed = if tick < 300 { 0.1 } else { 0.0 };
            let twist = Twist::new(Vector3::new(0.0, 0.0, -speed), Vector3::zeros());
            servo.twist(&TwistCommand::new(twist, TwistFrame::Base)).unwrap();
            let output = servo.tick().unwrap();
            last = chain.tip_pose(&start).translation().z - chain.tip_pose(&output.state.positions).translation().z;
            farthest = farthest.max(last);
        }
        assert!(farthest > 0.02 && farthest - last < 3e-4, "{name}: {farthest} {last}");
    }
}

#[test]
fn a_pose_is_reached_to_a_tenth_of_a_millimetre() {
    for (seed, name) in ["ur5e", "franka_panda", "xarm6", "kuka_iiwa14"].into_iter().enumerate() {
        let mut rng = SeededRng::new(seed as u64);
        let (scene, start) = cluttered(name, 0, 0.0, &mut rng);
        let chain = KinematicChain::from_robot(scene.robot(), None).unwrap();
        let config = ServoConfig { command_timeout: 1e3, ..ServoConfig::tracking() };
        let mut servo = Servo::new(live(scene), None, config).unwrap();
        servo.set_state(&start, &vec![0.0; start.len()]).unwrap();
        // A pose near by, of a configuration.
        let near: Vec<f64> = start.iter().map(|q| q + rng.uniform(-0.1, 0.1)).collect();
        let target = chain.tip_pose(&near);
        servo.track_pose(&target).unwrap();
        for _ in 0..1000 {
            servo.tick().unwrap();
        }
        let reached = servo.tool_pose().unwrap();
        assert!(reached.translation_distance(&target) < 1e-4, "{name}: {:?}", servo.output());
        assert!(reached.rotation_distance(&target) < 1e-3, "{name}");
    }
}

#[test]
fn random_twists_among_obstacles_keep_limits_and_the_stop_distance() {
    for seed in 0..cases(10, 1000) as u64 {
        let mut rng = SeededRng::new(seed);
        let name = ROBOTS[rng.below(ROBOTS.len())];
        let (scene, start) = cluttered(name, 1 + rng.below(10), 0.031, &mut rng);
        let scene = live(scene);
        let method = ["qp", "damped"][rng.below(2)].to_owned();
        let config = ServoConfig { method, command_timeout: 1e3, ..ServoConfig::teleop() };
        let bounds = Bounds::of(&scene.robot(), &config);
        let mut exact = checker(&scene, config.stop_distance - DISTANCE_TOLERANCE);
        let mut servo = Servo::new(scene, None, config).unwrap();
        servo.set_state(&start, &vec![0.0; start.len()]).unwrap();
        for tick in 0..1000 {
            if tick % 100 == 0 {
                let mut draw = |most: f64| {
                    Vector3::new(rng.uniform(-most, most), rng.uniform(-most, most), rng.uniform(-most, most))
                };
                let twist = Twist::new(draw(1.0), draw(2.0));
                servo.twist(&TwistCommand::new(twist, [TwistFrame::Base, TwistFrame::Tool][tick / 100 % 2])).unwrap();
            }
            let before = servo.output().state.clone();
            let output = servo.tick().unwrap().clone();
            let case = format!("seed {seed}, {name}, tick {tick}, {:?}", output.status);
            assert!(!output.exceeds_limits, "{case}");
            bounds.assert_tick(&before, &output.state, 0.002, &case);
            assert_clear(&mut exact, &before.positions, &output.state.positions, &case);
        }
    }
}

#[test]
fn poses_in_reach_are_reached_without_running_past_them() {
    let (mut reached, mut moving, mut all) = (0, 0, 0);
    for seed in 0..cases(100, 1000) as u64 {
        let mut rng = SeededRng::new(seed);
        let name = ROBOTS[rng.below(ROBOTS.len())];
        let scene = scene_of(name);
        let robot = scene.robot().clone();
        let group = robot.group_or_default(None).unwrap().clone();
        let chain = KinematicChain::from_robot(&robot, None).unwrap();
        let start = robot.random_configuration(&group, &mut rng).0;
        let mut goal = start.clone();
        for value in &mut goal {
            *value += rng.uniform(-0.5, 0.5);
        }
        let preset = [ServoConfig::teleop, ServoConfig::tracking, ServoConfig::precise][rng.below(3)];
        let mut servo = Servo::new(live(scene), None, preset()).unwrap();
        if servo.set_state(&start, &vec![0.0; start.len()]).is_err() {
            continue;
        }
        let target = chain.tip_pose(&goal);
        let mut is_there_after = |seconds: f64| {
            while servo.time() < seconds {
                servo.track_pose(&target).unwrap();
                servo.tick().unwrap();
            }
            let pose = servo.tool_pose().unwrap();
            let is_there = pose.translation_distance(&target) < 1e-3 && pose.rotation_distance(&target) < 1e-2;
            let velocities = &servo.output().state.velocities;
            (is_there, velocities.iter().fold(0.0_f64, |most, velocity| most.max(velocity.abs())))
        };
        // One that arrives may still be on its last millimetre; two seconds later it stands there.
        let (is_there, _) = is_there_after(8.0);
        let (stays, fastest) = is_there_after(10.0);
        all += 1;
        reached += usize::from(is_there);
        let case = format!("seed {seed}, {name}, {} Hz", preset().rate_hz);
        assert!(!is_there || (stays && fastest < 0.05), "{case}: {stays} {fastest}");
        moving += usize::from(fastest > 0.05);
    }
    // Limits, links and singularities may be in the way; some arms do not come to rest there.
    assert!(3 * reached > 2 * all && 10 * moving < all, "{reached} reached and {moving} moving of {all}");
}

#[test]
fn tasks_are_brought_about_and_obstacles_kept_away_from() {
    let mut scene = scene_of("franka_panda");
    let robot = scene.robot().clone();
    let group = robot.group_or_default(None).unwrap().clone();
    let start = vec![0.0, -0.785, 0.0, -2.356, 0.0, 1.571, 0.785];
    let chain = KinematicChain::from_robot(&robot, None).unwrap();
    let wanted = chain.tip_pose(&[0.3, -0.5, 0.2, -2.2, 0.1, 1.8, 0.6]);
    let tip = FrameOn { link: group.tip_link, link_from_frame: group.tip_from_tcp };
    // From the root of the robot, where the base of the group stands.
    let root_from_target = wanted;
    let mut problem = TaskProblem::new(Model::new(&robot, &group.variables).unwrap());
    problem.add(PoseTask::new("reach", tip, root_from_target), 0, 1.0).unwrap();
    let ball = wanted.translation() - chain.tip_pose(&start).translation();
    let drive = |scene: Scene| {
        let scene = live(scene);
        let mut exact = checker(&scene, 0.03 - DISTANCE_TOLERANCE);
        let mut servo = Servo::new(scene, None, ServoConfig::teleop()).unwrap();
        assert_eq!(servo.track_tasks(&problem, 2.0).unwrap_err().code(), "InvalidValue");
        servo.set_state(&start, &[0.0; 7]).unwrap();
        let outcome = servo.track_tasks(&problem, 2.0).unwrap();
        assert!((outcome.achieved - 1.0).abs() < 1e-6, "{outcome:?}");
        for _ in 0..3000 {
            servo.track_tasks(&problem, 2.0).unwrap();
            let before = servo.output().state.positions.clone();
            let after = servo.tick().unwrap().state.positions.clone();
            assert_clear(&mut exact, &before, &after, "tasks");
        }
        assert!(servo.track_tasks(&problem, 1e4).unwrap_err().to_string().contains("gain"));
        let reached = chain.tip_pose(&servo.output().state.positions);
        (reached.translation_distance(&wanted), reached.rotation_distance(&wanted))
    };
    let (distance, angle) = drive(scene.clone());
    assert!(distance < 1e-4 && angle < 1e-3, "{distance} {angle}");
    // A ball at the target: the arm stops before it.
    let beyond = wanted.translation() + 0.1 * ball.normalize();
    scene.add("ball", Shape::sphere(0.06).unwrap(), Pose::from_xyz(beyond.x, beyond.y, beyond.z)).unwrap();
    let (distance, _) = drive(scene);
    assert!(distance > 0.01, "{distance}");
}

/// Speed of a twist, m/s.
const SPEED: f64 = 0.25;

/// The largest speed of a tool that is driven along a random line until a joint or another link is in the way.
fn largest_speed(seed: u64) -> f64 {
    let mut rng = SeededRng::new(seed);
    let (scene, start) = cluttered(ROBOTS[seed as usize % ROBOTS.len()], 0, 0.0, &mut rng);
    let chain = KinematicChain::from_robot(scene.robot(), None).unwrap();
    let mut servo = Servo::new(live(scene), None, ServoConfig::teleop()).unwrap();
    servo.set_state(&start, &vec![0.0; start.len()]).unwrap();
    let way = Vector3::new(rng.uniform(-1.0, 1.0), rng.uniform(-1.0, 1.0), rng.uniform(-1.0, 1.0)).normalize();
    let command = TwistCommand::new(Twist::new(SPEED * way, Vector3::zeros()), TwistFrame::Base);
    let mut largest: f64 = 0.0;
    for _ in 0..3000 {
        let before = servo.output().state.positions.clone();
        servo.twist(&command).unwrap();
        let output = servo.tick().unwrap();
        if matches!(output.status, ServoStatus::JointBound | ServoStatus::HaltForCollision) {
            break;
        }
        let [x, y, z, ..] = tool_twist(&chain, &before, &output.state.positions, 0.002);
        largest = largest.max(Vector3::new(x, y, z).norm());
    }
    largest
}

/// Most lines end at a singularity, of the reach or of a wrist.
#[test]
fn tools_do_not_shoot_through_singularities() {
    let mut speeds: Vec<f64> = (0..cases(60, 2000) as u64).map(largest_speed).collect();
    speeds.sort_by(f64::total_cmp);
    let part = |percent: usize| speeds[(speeds.len() - 1) * percent / 100] / SPEED;
    assert!(part(50) < 1.1 && part(90) < 1.35 && part(98) < 2.0 && part(100) < 3.0, "{speeds:?}");
}

/// The tool slides along a ball: a null space that kept it on its way would swing, and have to be slowed down.
#[test]
fn poses_behind_a_ball_are_reached_in_three_seconds() {
    let count = cases(10, 60);
    let ways = ["franka_panda", "kuka_iiwa14", "ur5e"].map(|name| {
        let ways = (0..count as u64).map(|seed| blocked(name, &mut SeededRng::new(seed), a_ball));
        ways.filter(|way| way.is_reached_by_a_servo(&ServoConfig::teleop(), 1500)).count()
    });
    let reached: usize = ways.iter().sum();
    assert!(reached * 100 > 65 * 3 * count, "{ways:?} of {count} each");
}
