//! Joint velocities and positions, stops, limits, input.

use kinetic_core::rng::SeededRng;
use kinetic_core::{Pose, Shape};
use kinetic_kinematics::KinematicChain;
use kinetic_reactive::{Servo, ServoConfig, ServoOutput, ServoStatus};
use kinetic_scene::{Checker, LiveScene};

use super::{Bounds, DISTANCE_TOLERANCE, ROBOTS, assert_clear, checker};
use crate::cases;
use crate::support::{cluttered, live, scene_of};

fn run_to_rest(servo: &mut Servo) -> ServoOutput {
    servo.stop();
    for _ in 0..5000 {
        let output = servo.tick().unwrap();
        if output.state.velocities.iter().all(|v| v.abs() < 1e-9) {
            return output.clone();
        }
    }
    panic!("no rest");
}

pub(super) fn random_command(servo: &mut Servo, rng: &mut SeededRng, bounds: &Bounds) {
    let dof = servo.dof();
    match rng.below(4) {
        0 => servo.stop(),
        1 => {
            let joint = rng.below(dof);
            servo.jog_joint(joint, rng.uniform(-3.0, 3.0)).unwrap();
        }
        2 => {
            let velocities: Vec<f64> = bounds.velocity.iter().map(|limit| 1.5 * rng.uniform(-limit, *limit)).collect();
            servo.jog(&velocities).unwrap();
        }
        _ => {
            let state = servo.output().state.clone();
            let positions: Vec<f64> = state.positions.iter().map(|p| p + rng.uniform(-1.5, 1.5)).collect();
            let velocities: Vec<f64> = (0..dof).map(|_| rng.uniform(-1.0, 1.0)).collect();
            servo.track_joints(&positions, &velocities).unwrap();
        }
    }
}

#[test]
fn random_commands_among_obstacles_keep_limits_and_the_stop_distance() {
    let (mut slowed, mut halted, mut free) = (0, 0, 0);
    for seed in 0..cases(20, 2000) as u64 {
        let mut rng = SeededRng::new(seed);
        let name = ROBOTS[rng.below(ROBOTS.len())];
        let (scene, start) = cluttered(name, 1 + rng.below(10), 0.031, &mut rng);
        let scene = live(scene);
        let config = [ServoConfig::teleop(), ServoConfig::tracking()][rng.below(2)].clone();
        let bounds = Bounds::of(&scene.robot(), &config);
        let mut exact = checker(&scene, config.stop_distance - DISTANCE_TOLERANCE);
        let period = config.period();
        let mut servo = Servo::new(scene, None, ServoConfig { command_timeout: 1e3, ..config }).unwrap();
        servo.set_state(&start, &vec![0.0; start.len()]).unwrap();
        for tick in 0..1500 {
            if rng.below(60) == 0 {
                random_command(&mut servo, &mut rng, &bounds);
            }
            let before = servo.output().state.clone();
            let output = servo.tick().unwrap().clone();
            let case = format!("seed {seed}, {name}, tick {tick}, {:?}", output.status);
            assert!(!output.exceeds_limits, "{case}");
            bounds.assert_tick(&before, &output.state, period, &case);
            assert_clear(&mut exact, &before.positions, &output.state.positions, &case);
            match output.status {
                ServoStatus::DecelerateForCollision => slowed += 1,
                ServoStatus::HaltForCollision => halted += 1,
                ServoStatus::NoWarning => free += 1,
                _ => {}
            }
        }
        let rest = run_to_rest(&mut servo);
        assert_clear(
            &mut exact,
            &rest.state.positions,
            &rest.state.positions,
            &format!("seed {seed}, {name}: at rest"),
        );
    }
    assert!(slowed > 100 && halted > 100 && free > 100, "{slowed} {halted} {free}");
}

/// A wall in front of the ur5e's first joint, and a configuration 20 cm before it.
fn wall() -> (LiveScene, Vec<f64>) {
    let mut scene = scene_of("ur5e");
    scene.add("wall", Shape::box_from_size(0.1, 2.0, 2.0).unwrap(), Pose::from_xyz(0.0, 1.4, 0.0)).unwrap();
    (live(scene), vec![0.0, -0.5, 0.5, 0.0, 0.0, 0.0])
}

#[test]
fn an_arm_jogged_into_a_wall_stops_before_it_and_leaves_at_once() {
    let (scene, start) = wall();
    let mut exact = checker(&scene, 0.0);
    let mut servo = Servo::new(scene, None, ServoConfig { command_timeout: 1e3, ..ServoConfig::teleop() }).unwrap();
    servo.set_state(&start, &[0.0; 6]).unwrap();
    servo.jog_joint(0, 1.0).unwrap();
    let distance = |servo: &Servo, exact: &mut Checker| exact.world_distance(&servo.output().state.positions).0;
    for _ in 0..8000 {
        servo.tick().unwrap();
    }
    let reached = distance(&servo, &mut exact);
    assert!(reached > 0.03 - DISTANCE_TOLERANCE && reached < 0.04, "{reached}");
    assert_eq!(servo.nearest_pair().unwrap().other, "wall");
    // Away from it at full speed.
    servo.jog_joint(0, -1.0).unwrap();
    for _ in 0..500 {
        let output = servo.tick().unwrap();
        assert_eq!(output.status, ServoStatus::NoWarning);
    }
    assert!((servo.output().state.velocities[0] + 1.0).abs() < 1e-9);
}

#[test]
fn speed_falls_with_the_distance_and_the_first_tick_is_checked() {
    let (scene, mut start) = wall();
    let mut exact = checker(&scene, 0.0);
    // 6 cm before the wall.
    while exact.world_distance(&start).0 > 0.06 {
        start[0] += 0.001;
    }
    let mut servo = Servo::new(scene, None, ServoConfig::teleop()).unwrap();
    servo.set_state(&start, &[0.0; 6]).unwrap();
    servo.jog_joint(0, 1.0).unwrap();
    let output = servo.tick().unwrap();
    assert_eq!(output.status, ServoStatus::DecelerateForCollision);
    // The distance is 0.06, stop at 0.03, full speed from 0.15 on.
    assert!((output.scale - 0.25).abs() < 0.01, "{output:?}");
    assert!((output.min_distance - 0.06).abs() < 2e-3);
}

#[test]
fn an_obstacle_that_appears_within_the_braking_distance_stops_the_arm_hard_and_can_be_left() {
    let scene = live(scene_of("ur5e"));
    let robot = scene.robot();
    let config = ServoConfig { command_timeout: 1e3, ..ServoConfig::teleop() };
    let bounds = Bounds::of(&robot, &config);
    let mut servo = Servo::new(scene.clone(), None, config).unwrap();
    servo.set_state(&[0.0, -0.5, 0.5, 0.0, 0.0, 0.0], &[0.0; 6]).unwrap();
    servo.jog_joint(0, 2.0).unwrap();
    for _ in 0..600 {
        servo.tick().unwrap();
    }
    let state = servo.output().state.clone();
    assert!((state.velocities[0] - 2.0).abs() < 1e-9);
    // A wall that the arm would reach in a stop that takes jerk into account, and does not in a harder one.
    let hard = 2.0 * 2.0 / (2.0 * bounds.acceleration[0]);
    let mut stopped = state.positions.clone();
    stopped[0] += hard;
    let tip = KinematicChain::from_robot(&robot, None).unwrap().tip_pose(&stopped).translation();
    let with_wall = |angle: f64| {
        let mut trial = scene.snapshot();
        let pose = Pose::from_xyz_rpy(0.0, 0.0, 0.0, 0.0, 0.0, angle) * Pose::from_xyz(tip.x.hypot(tip.y), 0.0, tip.z);
        trial.add("wall", Shape::box_from_size(0.2, 0.02, 0.2).unwrap(), pose).unwrap();
        trial
    };
    let mut angle = tip.y.atan2(tip.x);
    while checker(&live(with_wall(angle)), 0.0).world_distance(&stopped).0 < 0.01 {
        angle += 0.002;
    }
    scene
        .edit(|own| {
            *own = with_wall(angle);
            Ok(())
        })
        .unwrap();
    let mut exact = checker(&scene, 0.0);
    // Deceleration begins at once; from then on jerk need not be exceeded any more.
    let first = servo.tick().unwrap();
    assert_eq!((first.status, first.exceeds_limits), (ServoStatus::EmergencyStop, true));
    assert_eq!(first.state.accelerations[0], -bounds.acceleration[0]);
    let mut before = first.state.clone();
    while servo.output().state.velocities[0] > 1e-9 {
        let output = servo.tick().unwrap().clone();
        assert_ne!(output.status, ServoStatus::NoWarning);
        if !output.exceeds_limits {
            bounds.assert_tick(&before, &output.state, 0.002, "braking");
        }
        assert!(exact.is_free(&output.state.positions));
        before = output.state;
    }
    // Not nearer, and away from it at full speed.
    assert_eq!(servo.tick().unwrap().status, ServoStatus::EmergencyStop);
    servo.jog_joint(0, -1.0).unwrap();
    for _ in 0..600 {
        assert!(!servo.tick().unwrap().exceeds_limits);
    }
    assert!((servo.output().state.velocities[0] + 1.0).abs() < 1e-9, "{:?}", servo.output());
}

#[test]
fn inside_the_stop_distance_only_motion_away_is_allowed_and_contact_is_refused() {
    let (scene, mut start) = wall();
    let mut exact = checker(&scene, 0.0);
    while exact.world_distance(&start).0 > 0.01 {
        start[0] += 0.001;
    }
    let before = exact.world_distance(&start).0;
    let mut servo = Servo::new(scene, None, ServoConfig::teleop()).unwrap();
    servo.set_state(&start, &[0.0; 6]).unwrap();
    for _ in 0..200 {
        servo.jog_joint(0, 0.5).unwrap();
        assert_eq!(servo.tick().unwrap().status, ServoStatus::EmergencyStop);
    }
    assert_eq!(servo.output().state.positions, start);
    for _ in 0..500 {
        servo.jog_joint(0, -0.5).unwrap();
        assert!(!servo.tick().unwrap().exceeds_limits);
    }
    assert!(exact.world_distance(&servo.output().state.positions).0 > before + 0.1);
    while exact.world_distance(&start).0 > -0.01 {
        start[0] += 0.001;
    }
    let error = servo.set_state(&start, &[0.0; 6]).unwrap_err();
    assert_eq!(error.code(), "StartInCollision");
    assert!(error.to_string().contains("wall"), "{error}");
}

#[test]
fn silence_stops_the_arm_smoothly() {
    let scene = live(scene_of("ur5e"));
    let config = ServoConfig::teleop();
    let bounds = Bounds::of(&scene.robot(), &config);
    let mut servo = Servo::new(scene, None, config.clone()).unwrap();
    servo.set_state(&[0.0, -1.57, 1.57, 0.0, 0.0, 0.0], &[0.0; 6]).unwrap();
    servo.jog_joint(5, 1.0).unwrap();
    let mut moved = 0;
    for tick in 0..600 {
        let before = servo.output().state.clone();
        let output = servo.tick().unwrap().clone();
        bounds.assert_tick(&before, &output.state, config.period(), &format!("tick {tick}"));
        moved += i32::from(output.status == ServoStatus::NoWarning);
    }
    // 0.1 s at 500 Hz, the tick of the command included.
    assert_eq!(moved, 51);
    assert!(servo.output().state.velocities[5].abs() < 1e-9);
    assert_eq!(servo.output().status, ServoStatus::NoCommand);
}

#[test]
fn a_start_outside_its_limits_moves_back_in_and_not_further_out() {
    let scene = live(scene_of("franka_panda"));
    let robot = scene.robot();
    let (low, high) = robot.position_limits(robot.group_or_default(None).unwrap())[6];
    let mut start = vec![0.0, -0.5, 0.0, -2.0, 0.0, 1.5, high + 0.05];
    let mut servo = Servo::new(scene, None, ServoConfig::teleop()).unwrap();
    servo.set_state(&start, &[0.0; 7]).unwrap();
    servo.jog_joint(6, 0.5).unwrap();
    let output = servo.tick().unwrap();
    assert_eq!(output.status, ServoStatus::JointBound);
    assert_eq!(output.state.positions, start);
    for _ in 0..100 {
        servo.jog_joint(6, -2.0).unwrap();
        servo.tick().unwrap();
    }
    assert!(servo.output().state.positions[6] < high && servo.output().state.velocities[6] < -1.9);
    // Exactly on a limit.
    start[6] = low;
    servo.set_state(&start, &[0.0; 7]).unwrap();
    servo.jog_joint(6, -1.0).unwrap();
    assert_eq!(servo.tick().unwrap().state.positions[6], low);
}

#[test]
fn joints_that_are_tracked_arrive_and_follow_a_moving_target() {
    let scene = live(scene_of("franka_panda"));
    let config = ServoConfig { slowdown_distance: 0.03, ..ServoConfig::teleop() };
    let mut servo = Servo::new(scene, None, config).unwrap();
    let start = [0.0, -0.5, 0.0, -2.0, 0.0, 1.5, 0.7];
    servo.set_state(&start, &[0.0; 7]).unwrap();
    let target = |t: f64| -> (Vec<f64>, Vec<f64>) {
        let wave = |joint: usize| 0.2 * (0.8 * t + joint as f64).sin();
        let rate = |joint: usize| 0.16 * (0.8 * t + joint as f64).cos();
        ((0..7).map(|joint| start[joint] + wave(joint)).collect(), (0..7).map(rate).collect())
    };
    for tick in 0..3000 {
        // The target of the end of this tick.
        let (positions, velocities) = target(f64::from(tick + 1) * 0.002);
        servo.track_joints(&positions, &velocities).unwrap();
        let output = servo.tick().unwrap();
        if tick > 1500 {
            let error = output.state.positions.iter().zip(&positions).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
            assert!(error < 1e-9, "tick {tick}: {error}");
        }
    }
}

#[test]
fn ticks_allocate_nothing() {
    let mut rng = SeededRng::new(3);
    let (scene, start) = cluttered("ur5e", 10, 0.05, &mut rng);
    let mut servo =
        Servo::new(live(scene), None, ServoConfig { command_timeout: 1e3, ..ServoConfig::teleop() }).unwrap();
    servo.set_state(&start, &[0.0; 6]).unwrap();
    let mut drive = |servo: &mut Servo, ticks: usize| {
        for tick in 0..ticks {
            if tick % 50 == 0 {
                let velocities: Vec<f64> = (0..6).map(|_| rng.uniform(-1.0, 1.0)).collect();
                servo.jog(&velocities).unwrap();
            }
            servo.tick().unwrap();
        }
    };
    drive(&mut servo, 2000);
    servo.jog(&[0.3, -0.2, 0.1, 0.0, 0.5, 0.2]).unwrap();
    let measured = allocation_counter::measure(|| {
        for _ in 0..200 {
            servo.tick().unwrap();
        }
    });
    assert_eq!(measured.count_total, 0);
}

#[test]
fn wrong_input_is_refused_by_name_and_the_next_good_tick_works() {
    let scene = live(scene_of("ur5e"));
    let mut servo = Servo::new(scene.clone(), None, ServoConfig::teleop()).unwrap();
    assert!(servo.tick().unwrap_err().to_string().contains("set_state"));
    servo.set_state(&[0.0, -1.57, 1.57, 0.0, 0.0, 0.0], &[0.0; 6]).unwrap();
    assert_eq!(servo.jog(&[0.0; 5]).unwrap_err().code(), "DimensionMismatch");
    assert_eq!(servo.jog(&[f64::NAN; 6]).unwrap_err().code(), "NotFinite");
    assert_eq!(servo.track_joints(&[f64::INFINITY; 6], &[0.0; 6]).unwrap_err().code(), "NotFinite");
    assert_eq!(servo.set_state(&[0.0; 6], &[f64::NAN; 6]).unwrap_err().code(), "NotFinite");
    assert!(servo.jog_joint(6, 0.1).unwrap_err().to_string().contains("one of 6 joints"));
    servo.jog_joint(0, 0.1).unwrap();
    assert_eq!(servo.tick().unwrap().status, ServoStatus::NoWarning);
    let wrong = [
        ("rate_hz", ServoConfig { rate_hz: 0.0, ..ServoConfig::default() }),
        ("stop_distance", ServoConfig { stop_distance: -1.0, ..ServoConfig::default() }),
        ("slowdown_distance", ServoConfig { slowdown_distance: 0.01, ..ServoConfig::default() }),
        ("max_delta_per_tick", ServoConfig { max_delta_per_tick: f64::NAN, ..ServoConfig::default() }),
        ("velocity_limits", ServoConfig { velocity_limits: vec![1.0], ..ServoConfig::default() }),
        ("velocity", ServoConfig { velocity_limits: vec![0.0; 6], ..ServoConfig::default() }),
    ];
    for (name, config) in wrong {
        let error = Servo::new(scene.clone(), None, config).err().unwrap().to_string();
        assert!(error.contains(name), "{error}");
    }
    assert_eq!(Servo::new(scene, Some("legs"), ServoConfig::default()).err().unwrap().code(), "GroupNotFound");
    assert!(ServoConfig::preset("fast").unwrap_err().to_string().contains("teleop"));
}

#[test]
fn margins_and_paddings_that_the_scene_states_are_kept_and_can_be_left() {
    // 3 cm of the scene's own, and a padding, around a wall that stands 1 cm before the arm's stop distance.
    for (margin, padding) in [(Some(0.08), None), (None, Some(0.02)), (Some(0.0), None)] {
        let (scene, mut start) = wall();
        let kept = margin.unwrap_or(0.03) + padding.unwrap_or(0.0);
        scene
            .edit(|own| {
                own.set_padding("wall", padding)?;
                own.set_margin_all("wall", margin)
            })
            .unwrap();
        let mut exact = checker(&live(scene.snapshot().without_margins()), 0.0);
        // Plain distance, with the padding taken off.
        let mut distance = |q: &[f64]| exact.world_distance(q).0 + padding.unwrap_or(0.0);
        let config = ServoConfig { command_timeout: 1e3, ..ServoConfig::teleop() };
        let mut servo = Servo::new(scene, None, config).unwrap();
        servo.set_state(&start, &[0.0; 6]).unwrap();
        servo.jog_joint(0, 1.0).unwrap();
        for _ in 0..8000 {
            servo.tick().unwrap();
        }
        let reached = distance(&servo.output().state.positions);
        assert!(reached > kept - DISTANCE_TOLERANCE && reached < kept + 0.01, "{margin:?} {padding:?}: {reached}");
        // Inside it motion leads away, and not further in.
        while distance(&start) > 0.5 * kept + 0.5 * padding.unwrap_or(0.0) + 0.003 {
            start[0] += 0.0005;
        }
        servo.set_state(&start, &[0.0; 6]).unwrap();
        servo.jog_joint(0, 1.0).unwrap();
        if kept > 0.01 {
            assert_eq!(servo.tick().unwrap().status, ServoStatus::EmergencyStop, "{margin:?} {padding:?}");
            assert_eq!(servo.output().state.positions, start);
        }
        servo.jog_joint(0, -1.0).unwrap();
        for _ in 0..600 {
            assert!(!servo.tick().unwrap().exceeds_limits);
        }
        assert!((servo.output().state.velocities[0] + 1.0).abs() < 1e-9, "{margin:?} {padding:?}");
    }
}

#[test]
fn joints_that_are_off_by_the_tracking_error_keep_the_stop_distance_too() {
    for seed in 0..cases(6, 300) as u64 {
        let mut rng = SeededRng::new(seed);
        let name = ROBOTS[rng.below(ROBOTS.len())];
        let error = [0.001, 0.003, 0.01][rng.below(3)];
        let (scene, start) = cluttered(name, 1 + rng.below(8), 0.2, &mut rng);
        let scene = live(scene);
        let config = ServoConfig { tracking_error: error, command_timeout: 1e3, ..ServoConfig::teleop() };
        let bounds = Bounds::of(&scene.robot(), &config);
        let mut exact = checker(&scene, 0.0);
        let mut servo = Servo::new(scene, None, config).unwrap();
        servo.set_state(&start, &vec![0.0; start.len()]).unwrap();
        for tick in 0..1500 {
            if rng.below(60) == 0 {
                random_command(&mut servo, &mut rng, &bounds);
            }
            servo.tick().unwrap();
            // Where the real arm may be: every joint off by the whole error.
            let sign = |draw: usize| if draw == 0 { -error } else { error };
            let off: Vec<f64> = servo.output().state.positions.iter().map(|q| q + sign(rng.below(2))).collect();
            let distance = exact.world_distance(&off).0;
            assert!(distance > 0.03 - DISTANCE_TOLERANCE, "seed {seed}, {name}, tick {tick}: {distance}");
        }
    }
}

#[test]
fn an_arm_that_may_be_off_stops_farther_from_a_wall() {
    let error = 0.005;
    let (scene, start) = wall();
    let mut exact = checker(&scene, 0.0);
    let config = ServoConfig { tracking_error: error, command_timeout: 1e3, ..ServoConfig::teleop() };
    let mut servo = Servo::new(scene, None, config).unwrap();
    servo.set_state(&start, &[0.0; 6]).unwrap();
    servo.jog_joint(0, 1.0).unwrap();
    for _ in 0..8000 {
        servo.tick().unwrap();
    }
    let rest = servo.output().state.positions.clone();
    let nominal = exact.world_distance(&rest).0;
    assert!(nominal > 0.032 && nominal < 0.06, "{nominal}");
    // All joints off by the whole error, either way each.
    for signs in 0..64 {
        let off: Vec<f64> = rest
            .iter()
            .enumerate()
            .map(|(joint, q)| if signs >> joint & 1 == 0 { q + error } else { q - error })
            .collect();
        assert!(exact.world_distance(&off).0 > 0.03);
    }
}

#[test]
fn a_start_that_is_too_close_for_the_tracking_error_can_be_left() {
    let (scene, mut start) = wall();
    let mut exact = checker(&scene, 0.0);
    while exact.world_distance(&start).0 > 0.035 {
        start[0] += 0.001;
    }
    let config = ServoConfig { tracking_error: 0.03, command_timeout: 1e3, ..ServoConfig::teleop() };
    let mut servo = Servo::new(scene, None, config).unwrap();
    servo.set_state(&start, &[0.0; 6]).unwrap();
    servo.jog_joint(0, 0.5).unwrap();
    assert_eq!(servo.tick().unwrap().status, ServoStatus::EmergencyStop);
    servo.jog_joint(0, -1.0).unwrap();
    for _ in 0..600 {
        servo.tick().unwrap();
    }
    assert!((servo.output().state.velocities[0] + 1.0).abs() < 1e-9, "{:?}", servo.output());
}
