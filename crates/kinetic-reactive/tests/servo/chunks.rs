//! Action chunks. Oracles: the targets that were given, the functions that they were taken from, differences for limits,
//! and exact distances.

use kinetic_core::Pose;
use kinetic_core::rng::SeededRng;
use kinetic_reactive::{Servo, ServoConfig, ServoOutput, ServoStatus};

use super::{Bounds, DISTANCE_TOLERANCE, ROBOTS, assert_clear, checker};
use crate::cases;
use crate::support::{cluttered, live, scene_of};

const START: [f64; 6] = [0.0, -1.2, 1.5, -0.3, 1.57, 0.0];

fn servo(config: ServoConfig) -> Servo {
    let mut servo = Servo::new(live(scene_of("ur5e")), None, config).unwrap();
    servo.set_state(&START, &[0.0; 6]).unwrap();
    servo
}

/// The start, with the first joint elsewhere.
fn with_first(value: f64) -> Vec<f64> {
    let mut q = START.to_vec();
    q[0] += value;
    q
}

fn rows(times: &[f64], value: impl Fn(f64) -> f64) -> Vec<Vec<f64>> {
    times.iter().map(|time| with_first(value(*time))).collect()
}

fn times(from: f64, step: f64, count: usize) -> Vec<f64> {
    (0..count).map(|index| from + index as f64 * step).collect()
}

#[test]
fn a_chunk_inside_the_limits_is_followed_exactly() {
    // From rest to rest: 0.4 rad in 2 s.
    let value = |t: f64| 0.2 * (1.0 - (std::f64::consts::PI * (t / 2.0).clamp(0.0, 1.0)).cos());
    let mut servo = servo(ServoConfig::teleop());
    let times = times(0.0, 0.1, 21);
    servo.stream_joints(&rows(&times, value), &times).unwrap();
    for tick in 1..=1000 {
        let output = servo.tick().unwrap();
        let deviation = output.joint_deviations[0];
        let q = output.state.positions[0];
        // A cosine begins with a step of the acceleration, which jerk forbids: it is caught up with.
        if tick > 100 {
            assert!(deviation.abs() < 1e-9, "tick {tick}: {deviation} {output:?}");
            assert_eq!(output.status, ServoStatus::NoWarning, "tick {tick}");
            // The spline is not the cosine, but near it: 5/384 h⁴ times its fourth derivative inside, more at natural ends.
            assert!((q - value(f64::from(tick) * 0.002)).abs() < 1e-3, "tick {tick}: {q}");
        }
        if tick > 100 && tick % 50 == 0 {
            assert!((q - value(f64::from(tick) * 0.002)).abs() < 1e-9, "tick {tick}: {q}");
        }
    }
    assert!((servo.time() - 2.0).abs() < 1e-9);
}

#[test]
fn seams_between_chunks_of_one_motion_are_not_felt() {
    // Straight lines are their own splines: chunks that overlap, come late or early, leave no trace.
    let mut servo = servo(ServoConfig::teleop());
    let mut rng = SeededRng::new(5);
    let mut next = 0.0;
    for tick in 0..2500 {
        let now = servo.time();
        if now >= next {
            let times = times(now + rng.uniform(-0.15, 0.05), 0.04, 12);
            servo.stream_joints(&rows(&times, |t| 0.1 * t), &times).unwrap();
            next = now + rng.uniform(0.02, 0.2);
        }
        let output = servo.tick().unwrap();
        if tick > 200 {
            assert!(output.state.accelerations[0].abs() < 1e-6, "tick {tick}: {output:?}");
            assert!(output.joint_deviations[0].abs() < 1e-9, "tick {tick}: {output:?}");
        }
    }
}

#[test]
fn a_jump_between_chunks_is_blended_without_overshoot() {
    let mut servo = servo(ServoConfig { blend_time: 0.4, ..ServoConfig::teleop() });
    let first = times(0.0, 0.1, 30);
    servo.stream_joints(&rows(&first, |_| 0.0), &first).unwrap();
    (0..100).for_each(|_| drop(servo.tick().unwrap().clone()));
    let second = times(servo.time(), 0.1, 30);
    servo.stream_joints(&rows(&second, |_| 0.05), &second).unwrap();
    let (mut last, mut hardest) = (0.0, 0.0_f64);
    for _ in 0..300 {
        let output = servo.tick().unwrap();
        let q = output.state.positions[0];
        assert!(q >= last - 1e-12 && q <= 0.05 + 1e-9, "{q} after {last}");
        hardest = hardest.max(output.state.accelerations[0].abs());
        last = q;
    }
    assert!((last - 0.05).abs() < 1e-9, "{last}");
    // The largest second derivative of 10 x³ − 15 x⁴ + 6 x⁵ is 10 / √3.
    let expected = 0.05 * 10.0 / 3.0_f64.sqrt() / (0.4 * 0.4);
    assert!((hardest - expected).abs() < 0.01 * expected, "{hardest} {expected}");
}

#[test]
fn after_its_end_a_chunk_is_left_along_the_fastest_stop() {
    let mut servo = servo(ServoConfig::teleop());
    let times = times(0.0, 0.05, 11);
    servo.stream_joints(&rows(&times, |t| 0.5 * t), &times).unwrap();
    let mut last = f64::NEG_INFINITY;
    for tick in 1..=700 {
        let output = servo.tick().unwrap().clone();
        assert!(output.state.positions[0] >= last - 1e-12, "tick {tick}: it turns back");
        last = output.state.positions[0];
        if tick > 251 {
            assert_eq!(output.status, ServoStatus::NoCommand, "tick {tick}");
        }
    }
    assert!(servo.output().state.velocities[0].abs() < 1e-9);
    // It has braked as fast as an arm that was jogged.
    let robot = servo.robot().clone();
    let bounds = Bounds::of(&robot, servo.config());
    let (acceleration, jerk) = (bounds.acceleration[0], bounds.jerk[0]);
    let longest = 0.5 * (0.5 / acceleration + acceleration / jerk);
    assert!(last > 0.25 && last <= 0.25 + longest + 1e-6, "{last} {longest}");
}

#[test]
fn an_arm_that_is_behind_meets_the_chunk_and_goes_on_with_it() {
    for seed in 0..cases(40, 2000) as u64 {
        let mut rng = SeededRng::new(seed);
        let mut servo = servo(ServoConfig::teleop());
        let (slope, offset) = (rng.uniform(-0.4, 0.4), rng.uniform(-0.6, 0.6));
        let times = times(0.0, 0.1, 60);
        servo.stream_joints(&rows(&times, |t| offset + slope * t), &times).unwrap();
        let mut met = None;
        for tick in 0..2500 {
            let output = servo.tick().unwrap();
            let is_met = output.joint_deviations[0].abs() < 1e-9;
            match met {
                None if is_met && tick > 3 => met = Some(tick),
                Some(at) => assert!(is_met, "seed {seed}: met in tick {at}, lost in {tick}: {output:?}"),
                None => assert_eq!(output.status, ServoStatus::DecelerateForLimits, "seed {seed}"),
            }
        }
        let met = met.unwrap_or_else(|| panic!("seed {seed} never met"));
        // An arm that took the distance at half its limits, from rest to rest, would take longer.
        let bounds = Bounds::of(&servo.robot().clone(), servo.config());
        let (acceleration, jerk) = (bounds.acceleration[0], bounds.jerk[0]);
        let distance = offset.abs() + 0.4;
        let slow = 2.0 * (2.0 * distance / acceleration).sqrt() + 2.0 * acceleration / jerk + distance;
        assert!(f64::from(met) * 0.002 < slow, "seed {seed}: {met} {slow}");
    }
}

#[test]
fn random_chunks_among_obstacles_keep_limits_and_the_stop_distance() {
    let (mut halted, mut late, mut exact_ticks) = (0, 0, 0);
    for seed in 0..cases(48, 1000) as u64 {
        let mut rng = SeededRng::new(seed);
        let name = ROBOTS[rng.below(ROBOTS.len())];
        let (scene, start) = cluttered(name, 1 + rng.below(8), 0.04, &mut rng);
        let scene = live(scene);
        let config = [ServoConfig::teleop(), ServoConfig::tracking()][rng.below(2)].clone();
        let bounds = Bounds::of(&scene.robot(), &config);
        let mut exact = checker(&scene, config.stop_distance - DISTANCE_TOLERANCE);
        let mut servo = Servo::new(scene, None, config.clone()).unwrap();
        servo.set_state(&start, &vec![0.0; start.len()]).unwrap();
        let mut next = 0.0;
        for tick in 0..1200 {
            if servo.time() >= next {
                random_chunk(&mut servo, &mut rng);
                next = servo.time() + rng.uniform(0.0, 0.3);
            }
            let before = servo.output().state.clone();
            let output = servo.tick().unwrap().clone();
            let case = format!("seed {seed}, {name}, tick {tick}, {:?}", output.status);
            assert!(!output.exceeds_limits, "{case}");
            bounds.assert_tick(&before, &output.state, config.period(), &case);
            assert_clear(&mut exact, &before.positions, &output.state.positions, &case);
            halted += usize::from(output.status == ServoStatus::HaltForCollision);
            late += usize::from(output.status == ServoStatus::DecelerateForLimits);
            exact_ticks += usize::from(output.status == ServoStatus::NoWarning && output.scale == 1.0);
        }
    }
    assert!(halted > 20 && late > 50 && exact_ticks > 50, "{halted} {late} {exact_ticks}");
}

/// Of joints or of the tool, overlapping, late or early, noisy, beyond limits.
fn random_chunk(servo: &mut Servo, rng: &mut SeededRng) {
    let (now, count) = (servo.time(), 1 + rng.below(12));
    let times: Vec<f64> = times(now + rng.uniform(-0.1, 0.2), rng.uniform(0.02, 0.1), count);
    if times[count - 1] < now {
        assert_eq!(
            servo.stream_joints(&vec![vec![0.0; servo.dof()]; count], &times).unwrap_err().code(),
            "InvalidValue"
        );
        return;
    }
    if rng.below(3) == 0 {
        let pose = servo.tool_pose().unwrap();
        let mut along = |reach: f64| rng.uniform(-reach, reach);
        let step = Pose::from_xyz_rpy(along(0.05), along(0.05), along(0.05), along(0.2), along(0.2), along(0.2));
        let poses: Vec<Pose> = (0..count).scan(pose, |at, _| Some(std::mem::replace(at, *at * step))).collect();
        servo.stream_poses(&poses, &times).unwrap();
        return;
    }
    let mut at = servo.output().state.positions.clone();
    let reach = [0.01, 0.1, 0.5][rng.below(3)];
    let rows: Vec<Vec<f64>> = (0..count)
        .map(|_| {
            for value in &mut at {
                *value += rng.uniform(-reach, reach);
            }
            at.clone()
        })
        .collect();
    servo.stream_joints(&rows, &times).unwrap();
}

#[test]
fn poses_are_followed_along_their_spline() {
    let mut servo = servo(ServoConfig::teleop());
    let start = servo.tool_pose().unwrap();
    // A circle of 5 cm in 3 s, once round, while the tool turns by half a radian and back.
    let pose = |t: f64| {
        let angle = std::f64::consts::TAU * t / 3.0;
        let turn = Pose::from_xyz_rpy(0.0, 0.0, 0.0, 0.25 * (1.0 - angle.cos()), 0.0, 0.0);
        Pose::from_xyz(0.05 * (angle.cos() - 1.0), 0.05 * angle.sin(), 0.0) * start * turn
    };
    let mut next = 0.0;
    let (mut farthest, mut most_turned) = (0.0_f64, 0.0_f64);
    for tick in 1..=1500 {
        if servo.time() >= next {
            let times = times(next, 0.05, 8);
            let poses: Vec<Pose> = times.iter().map(|t| pose(*t)).collect();
            servo.stream_poses(&poses, &times).unwrap();
            next += 0.2;
        }
        let output = servo.tick().unwrap().clone();
        let (is, wanted) = (servo.tool_pose().unwrap(), pose(f64::from(tick) * 0.002));
        if tick > 250 {
            farthest = farthest.max(is.translation_distance(&wanted));
            most_turned = most_turned.max(is.rotation_distance(&wanted));
            assert!(output.tool_deviation[0] < 1e-3, "tick {tick}: {output:?}");
        }
    }
    // A twentieth of a second of the circle is 5 mm, 105 mm/s: within one percent of that per second.
    assert!(farthest < 1e-3 && most_turned < 5e-3, "{farthest} {most_turned}");
}

#[test]
fn what_was_changed_is_said() {
    let mut servo = servo(ServoConfig::teleop());
    let say = |servo: &mut Servo, ticks: usize| -> ServoOutput {
        (0..ticks).for_each(|_| drop(servo.tick().unwrap().clone()));
        servo.output().clone()
    };
    // Before its first time the arm stands.
    let chunk = times(0.1, 0.1, 50);
    servo.stream_joints(&rows(&chunk, |_| 0.0), &chunk).unwrap();
    assert_eq!(say(&mut servo, 40).status, ServoStatus::NoCommand);
    assert_eq!(say(&mut servo, 40).status, ServoStatus::NoWarning);
    // Beyond the range of a joint.
    let high = servo.robot().position_limits(servo.robot().group_or_default(None).unwrap())[5].1;
    let chunk = times(servo.time(), 0.5, 10);
    let beyond: Vec<Vec<f64>> = chunk
        .iter()
        .map(|_| {
            let mut q = START.to_vec();
            q[5] = high + 0.1;
            q
        })
        .collect();
    servo.stream_joints(&beyond, &chunk).unwrap();
    let output = say(&mut servo, 2000);
    assert_eq!(output.status, ServoStatus::JointBound, "{output:?}");
    assert!((output.joint_deviations[5] - 0.1).abs() < 1e-6, "{output:?}");
    // Another command ends chunks.
    servo.jog_joint(0, 0.1).unwrap();
    assert_eq!(say(&mut servo, 1).joint_deviations, vec![0.0; 6]);
}

#[test]
fn chunks_that_are_none_are_refused_and_the_command_goes_on() {
    let mut servo = servo(ServoConfig { command_timeout: 1e3, ..ServoConfig::teleop() });
    servo.jog_joint(0, 0.1).unwrap();
    (0..100).for_each(|_| drop(servo.tick().unwrap().clone()));
    let mut refuse = |rows: &[Vec<f64>], times: &[f64], what: &str| {
        let error = servo.stream_joints(rows, times).unwrap_err().to_string();
        assert!(error.contains(what), "{error}");
        assert_eq!(servo.tick().unwrap().status, ServoStatus::NoWarning);
        assert!((servo.output().state.velocities[0] - 0.1).abs() < 1e-9);
    };
    let q = START.to_vec();
    refuse(&[], &[], "0 targets");
    refuse(std::slice::from_ref(&q), &[], "1");
    refuse(&[q.clone(), q[..5].to_vec()], &[1.0, 2.0], "chunk positions 1");
    refuse(&[q.clone(), q.clone()], &[1.0, 1.0], "chunk time 1");
    refuse(&[q.clone(), q.clone()], &[1.0, f64::NAN], "chunk times");
    refuse(&[q.clone(), vec![f64::INFINITY; 6]], &[1.0, 2.0], "positions");
    refuse(&[q.clone(), q.clone()], &[0.0, 0.1], "time of the servo");
    assert!(servo.stream_poses(&[], &[]).is_err());
    // One target alone is a chunk.
    servo.stream_joints(&[q], &[servo.time() + 0.5]).unwrap();
    servo.tick().unwrap();
}

#[test]
fn ticks_with_chunks_allocate_nothing() {
    let mut servo = servo(ServoConfig::teleop());
    let chunk = |servo: &mut Servo| {
        let times = times(servo.time(), 0.05, 40);
        servo.stream_joints(&rows(&times, |t| 0.3 * (3.0 * t).sin()), &times).unwrap();
    };
    chunk(&mut servo);
    (0..300).for_each(|_| drop(servo.tick().unwrap().clone()));
    chunk(&mut servo);
    let measured = allocation_counter::measure(|| {
        for _ in 0..300 {
            servo.tick().unwrap();
        }
    });
    assert_eq!(measured.count_total, 0);
}
