//! Seeds, memory, options, and what is refused.

use kinetic_core::rng::SeededRng;
use kinetic_core::{Pose, Shape};
use kinetic_reactive::{Mpc, MpcConfig, ServoTarget, TargetError};
use kinetic_scene::LiveScene;

use crate::support::{cluttered, live, scene_of};

const START: [f64; 6] = [-0.8, -1.2, 1.8, -2.0, -1.57, 0.0];
const TARGET: [f64; 6] = [0.8, -1.2, 1.8, -2.0, -1.57, 0.0];

/// The name of an option, and another value of it.
type Change = (&'static str, fn(&mut MpcConfig));

/// A post in the way of the ur5e's turn.
fn post() -> LiveScene {
    let mut scene = scene_of("ur5e");
    scene.add("post", Shape::box_from_size(0.05, 0.05, 0.5).unwrap(), Pose::from_xyz(0.55, 0.0, 0.3)).unwrap();
    live(scene)
}

/// Where half a second leads.
fn moved(config: &MpcConfig) -> Vec<f64> {
    let mut mpc = Mpc::new(post(), None, config).unwrap();
    mpc.set_state(&START, &[0.0; 6]).unwrap();
    mpc.set_target(&ServoTarget::Joints(TARGET.to_vec())).unwrap();
    (0..250).for_each(|_| {
        mpc.tick().unwrap();
    });
    mpc.servo().output().state.positions.clone()
}

#[test]
fn the_same_seed_gives_the_same_bytes_and_every_option_is_read() {
    let config = MpcConfig { noise: 0.3, ..MpcConfig::default() };
    let moved_by_default = moved(&config);
    assert_eq!(moved_by_default, moved(&config));
    let others: [Change; 13] = [
        ("seed", |config| config.seed = 1),
        ("horizon", |config| config.horizon = 10),
        ("step", |config| config.step = 0.1),
        ("period", |config| config.period = 0.1),
        ("samples", |config| config.samples = 20),
        ("spans", |config| config.spans = 3),
        ("noise", |config| config.noise = 0.1),
        ("temperature", |config| config.temperature = 1.0),
        ("clearance", |config| config.clearance = 0.3),
        ("clearance_weight", |config| config.clearance_weight = 10.0),
        ("smoothness_weight", |config| config.smoothness_weight = 1.0),
        ("rate_hz", |config| config.servo.rate_hz = 250.0),
        ("stop_distance", |config| config.servo.stop_distance = 0.055),
    ];
    for (name, change) in others {
        let mut other = config.clone();
        change(&mut other);
        assert_ne!(moved_by_default, moved(&other), "{name}");
    }
}

#[test]
fn a_limit_in_the_way_and_turns_of_the_tool_are_weighed() {
    // A joint that begins at the end of its range, and a target behind it.
    let reached = |change: fn(&mut MpcConfig)| {
        let mut config = MpcConfig::default();
        change(&mut config);
        let scene = live(scene_of("franka_panda"));
        let mut mpc = Mpc::new(scene, None, &config).unwrap();
        let start = [0.0, -0.785, 0.0, -2.356, 0.0, 1.571, 2.89];
        mpc.set_state(&start, &[0.0; 7]).unwrap();
        let mut target = mpc.servo_mut().tool_pose().unwrap();
        target.0.rotation =
            kinetic_core::Pose::from_xyz_rpy(0.0, 0.0, 0.0, 0.0, 0.0, -1.5).rotation() * target.rotation();
        target.0.translation.vector.x += 0.1;
        mpc.set_target(&ServoTarget::Pose(target)).unwrap();
        (0..400).for_each(|_| {
            mpc.tick().unwrap();
        });
        mpc.servo().output().state.positions.clone()
    };
    let by_default = reached(|_| ());
    assert_eq!(by_default, reached(|_| ()));
    assert_ne!(by_default, reached(|config| config.limit_weight = 100.0));
    assert_ne!(by_default, reached(|config| config.rotation_weight = 0.01));
}

#[test]
fn ticks_allocate_nothing() {
    let mut rng = SeededRng::new(3);
    let (scene, start) = cluttered("ur5e", 10, 0.05, &mut rng);
    let mut mpc = Mpc::new(live(scene), None, &MpcConfig::default()).unwrap();
    mpc.set_state(&start, &[0.0; 6]).unwrap();
    let mut pose = mpc.servo_mut().tool_pose().unwrap();
    pose.0.translation.vector.z += 0.3;
    let targets = [ServoTarget::Joints(start.iter().map(|q| 0.8 * q).collect()), ServoTarget::Pose(pose)];
    for target in targets {
        mpc.set_target(&target).unwrap();
        (0..1000).for_each(|_| {
            mpc.tick().unwrap();
        });
        let measured = allocation_counter::measure(|| {
            for _ in 0..200 {
                mpc.tick().unwrap();
            }
        });
        assert_eq!(measured.count_total, 0, "{target:?}");
    }
}

#[test]
fn an_arm_inside_the_stop_distance_gets_out_of_it_first() {
    let scene = live(scene_of("ur5e"));
    let mut mpc = Mpc::new(scene.clone(), None, &MpcConfig::default()).unwrap();
    mpc.set_state(&START, &[0.0; 6]).unwrap();
    let tool = mpc.servo_mut().tool_pose().unwrap().translation();
    let group = scene.robot().group_or_default(None).unwrap().name.clone();
    // A ball beside the tool, as near as half the stop distance.
    let mut away = 0.05;
    let mut distance = 0.0;
    while distance < 0.015 {
        away += 0.002;
        let pose = Pose::from_xyz(tool.x + away, tool.y, tool.z - 0.05);
        scene
            .edit(|scene| {
                scene.remove("ball");
                scene.add("ball", Shape::sphere(0.05).unwrap(), pose)
            })
            .unwrap();
        let mut checker = scene.snapshot().checker(&group, kinetic_scene::Margins::new(0.0, 0.0)).unwrap();
        distance = checker.world_distance(&START).0;
    }
    mpc.set_state(&START, &[0.0; 6]).unwrap();
    mpc.set_target(&ServoTarget::Joints(TARGET.to_vec())).unwrap();
    for _ in 0..5000 {
        mpc.tick().unwrap();
    }
    assert!(mpc.error().unwrap().is_within(1e-3, 0.0), "{:?} {:?}", mpc.error(), mpc.servo().output());
}

#[test]
fn wrong_input_is_refused_by_name_and_the_last_target_stays() {
    let mut mpc = Mpc::new(post(), None, &MpcConfig::default()).unwrap();
    assert!(mpc.tick().unwrap_err().to_string().contains("set_state"));
    mpc.set_state(&START, &[0.0; 6]).unwrap();
    assert!(mpc.error().is_none() && !mpc.goes_straight());
    mpc.set_target(&ServoTarget::Joints(TARGET.to_vec())).unwrap();
    let refused = [
        (ServoTarget::Joints(vec![0.0; 5]), "DimensionMismatch"),
        (ServoTarget::Joints(vec![f64::NAN; 6]), "NotFinite"),
        (ServoTarget::Joints(vec![7.0; 6]), "JointLimitViolation"),
        (ServoTarget::Pose(Pose::from_xyz(f64::NAN, 0.0, 0.0)), "NotFinite"),
    ];
    for (target, code) in refused {
        assert_eq!(mpc.set_target(&target).unwrap_err().code(), code);
    }
    assert!(matches!(mpc.error(), Some(TargetError::Joints(error)) if (error - 1.6).abs() < 1e-12));
    mpc.stop();
    assert!(mpc.error().is_none());
    let wrong: [Change; 15] = [
        ("horizon", |config| config.horizon = 1),
        ("samples", |config| config.samples = 7),
        ("samples", |config| config.samples = usize::MAX),
        ("spans", |config| config.spans = 0),
        ("spans", |config| config.spans = 33),
        ("step", |config| config.step = 0.0),
        ("period", |config| config.period = 0.001),
        ("period", |config| config.period = 10.0),
        ("noise", |config| config.noise = f64::NAN),
        ("temperature", |config| config.temperature = -1.0),
        ("rotation_weight", |config| config.rotation_weight = f64::INFINITY),
        ("clearance", |config| config.clearance = -0.1),
        ("limit_weight", |config| config.limit_weight = -0.1),
        ("smoothness_weight", |config| config.smoothness_weight = f64::NAN),
        ("rate_hz", |config| config.servo.rate_hz = 0.0),
    ];
    for (name, change) in wrong {
        let mut config = MpcConfig::default();
        change(&mut config);
        let error = Mpc::new(post(), None, &config).err().unwrap().to_string();
        assert!(error.starts_with(&format!("InvalidValue: {name} = ")), "{name}: {error}");
    }
}
