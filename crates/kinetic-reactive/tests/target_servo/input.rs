//! Stop flags, options, and what is refused.

use kinetic_core::{Pose, Shape, StopFlag};
use kinetic_reactive::{
    Approach, MpcConfig, OnStuck, ServoConfig, ServoTarget, TargetServo, TargetServoConfig, TargetStatus,
};
use kinetic_scene::LiveScene;

use crate::support::{live, scene_of};

const START: [f64; 6] = [-0.8, -1.2, 1.8, -2.0, -1.57, 0.0];
const TARGET: [f64; 6] = [0.8, -1.2, 1.8, -2.0, -1.57, 0.0];

/// The name of an option, and a value that it cannot have.
type Change = (&'static str, fn(&mut TargetServoConfig));

/// A wall that the ur5e does not turn past.
fn wall() -> LiveScene {
    let mut scene = scene_of("ur5e");
    scene.add("wall", Shape::box_from_size(0.5, 0.02, 0.8).unwrap(), Pose::from_xyz(0.6, 0.0, 0.4)).unwrap();
    live(scene)
}

fn begun(config: &TargetServoConfig) -> TargetServo {
    let mut servo = TargetServo::new(wall(), None, config).unwrap();
    servo.set_state(&START, &[0.0; 6]).unwrap();
    servo.set_target(&ServoTarget::Joints(TARGET.to_vec())).unwrap();
    servo
}

fn ticks_until(servo: &mut TargetServo, is_over: impl Fn(&TargetServo) -> bool) -> usize {
    let ticks = (0..30_000).take_while(|_| {
        servo.tick().unwrap();
        !is_over(servo)
    });
    ticks.count()
}

#[test]
fn a_raised_flag_ends_the_plan_and_the_next_tick_plans_again() {
    let mut servo = begun(&TargetServoConfig::default());
    ticks_until(&mut servo, TargetServo::plans_next);
    let stop = StopFlag::default();
    stop.stop();
    assert_eq!(servo.tick_until(&stop).unwrap_err().code(), "Cancelled");
    assert!(servo.plans_next() && servo.plans() == 0);
    servo.tick().unwrap();
    assert_eq!((servo.status(), servo.plans()), (TargetStatus::FollowingPlan, 1));
}

#[test]
fn a_target_may_change_and_end_at_any_time() {
    let mut servo = begun(&TargetServoConfig::default());
    ticks_until(&mut servo, |servo| servo.status() == TargetStatus::FollowingPlan);
    (0..300).for_each(|_| {
        servo.tick().unwrap();
    });
    servo.set_target(&ServoTarget::Joints(START.to_vec())).unwrap();
    assert_eq!((servo.status(), servo.plans()), (TargetStatus::Approaching, 0));
    ticks_until(&mut servo, |servo| servo.status() == TargetStatus::Reached);
    assert_eq!(servo.status(), TargetStatus::Reached);
    servo.stop();
    servo.tick().unwrap();
    assert!(servo.status() == TargetStatus::Idle && servo.error().is_none());
}

#[test]
fn the_same_seed_gives_the_same_bytes() {
    let moved = |seed: u64| {
        let mut servo = begun(&TargetServoConfig { seed, plan_timeout: 20.0, ..TargetServoConfig::default() });
        ticks_until(&mut servo, |servo| servo.status() == TargetStatus::FollowingPlan);
        (0..1000).for_each(|_| {
            servo.tick().unwrap();
        });
        servo.servo().output().state.positions.clone()
    };
    assert_eq!(moved(1), moved(1));
    assert_ne!(moved(1), moved(2));
}

#[test]
fn options_are_read() {
    let until_braking = |change: fn(&mut TargetServoConfig)| {
        let mut config = TargetServoConfig::default();
        change(&mut config);
        let mut servo = begun(&config);
        ticks_until(&mut servo, |servo| servo.status() != TargetStatus::Approaching)
    };
    let by_default = until_braking(|_| ());
    assert_eq!(until_braking(|config| config.stuck_after = 1.0), by_default + 250);
    assert!(until_braking(|config| config.progress = 0.2) < by_default);
    let mut servo = begun(&TargetServoConfig { max_plans: 0, ..TargetServoConfig::default() });
    ticks_until(&mut servo, |servo| servo.status() == TargetStatus::Stuck);
    assert_eq!(servo.stuck_reason().unwrap().to_string(), "the arm comes no nearer to its target after 0 plans");
    let mut near = begun(&TargetServoConfig { position_tolerance: 1.7, ..TargetServoConfig::default() });
    near.tick().unwrap();
    assert_eq!(near.status(), TargetStatus::Reached);
    let mut hurried = begun(&TargetServoConfig { plan_timeout: 1e-9, ..TargetServoConfig::default() });
    ticks_until(&mut hurried, |servo| servo.status() == TargetStatus::Stuck);
    assert!(hurried.stuck_reason().unwrap().to_string().contains("no plan"));
}

#[test]
fn wrong_input_is_refused_by_name() {
    let wrong: [Change; 9] = [
        ("stuck_after", |config| config.stuck_after = 0.0),
        ("progress", |config| config.progress = f64::NAN),
        ("position_tolerance", |config| config.position_tolerance = -1.0),
        ("rotation_tolerance", |config| config.rotation_tolerance = f64::INFINITY),
        ("rotation_weight", |config| config.rotation_weight = -1.0),
        ("plan_clearance", |config| config.plan_clearance = -1.0),
        ("plan_timeout", |config| config.plan_timeout = 0.0),
        ("rate_hz", |config| {
            config.approach = Approach::Servo(ServoConfig { rate_hz: -1.0, ..ServoConfig::teleop() });
        }),
        ("horizon", |config| config.approach = Approach::Mpc(MpcConfig { horizon: 0, ..MpcConfig::default() })),
    ];
    for (name, change) in wrong {
        let mut config = TargetServoConfig::default();
        change(&mut config);
        let error = TargetServo::new(wall(), None, &config).err().unwrap().to_string();
        assert!(error.starts_with(&format!("InvalidValue: {name} = ")), "{name}: {error}");
    }
    assert_eq!(OnStuck::by_name("wait").unwrap_err().code(), "UnknownName");
    assert_eq!(OnStuck::by_name("stop").unwrap(), OnStuck::Stop);
    let mut servo = TargetServo::new(wall(), None, &TargetServoConfig::default()).unwrap();
    assert!(servo.tick().unwrap_err().to_string().contains("set_state"));
    assert_eq!(servo.set_target(&ServoTarget::Joints(vec![0.0; 2])).unwrap_err().code(), "DimensionMismatch");
    assert_eq!(servo.status(), TargetStatus::Idle);
}
