//! Out of dead ends.

use kinetic_core::rng::SeededRng;
use kinetic_core::{Pose, Shape};
use kinetic_kinematics::KinematicChain;
use kinetic_reactive::{
    Approach, MpcConfig, OnStuck, ServoTarget, StuckReason, TargetServo, TargetServoConfig, TargetStatus,
};

use crate::between::{Blocked, a_dead_end, blocked};
use crate::cases;
use crate::servo::{Bounds, DISTANCE_TOLERANCE, assert_clear, checker};

const ROBOTS: [&str; 5] = ["ur5e", "franka_panda", "xarm6", "kuka_iiwa14", "fetch"];

/// Ticks until an arm has to be there: 60 s.
const LONGEST: usize = 30_000;

/// Ways into a dead end of which a servo goes none to its end, with the seeds that made them.
fn dead_ends(robot: &str, count: usize) -> Vec<(u64, Blocked)> {
    let ways = (0..).map(|seed| (seed, blocked(robot, &mut SeededRng::new(seed), a_dead_end)));
    ways.filter(|(_, way)| !way.is_reached_by_a_servo(&MpcConfig::default().servo, 4000)).take(count).collect()
}

fn begun(way: &Blocked, config: &TargetServoConfig) -> TargetServo {
    let mut servo = TargetServo::new(way.live(), None, config).unwrap();
    servo.set_state(&way.start, &vec![0.0; way.start.len()]).unwrap();
    servo.set_target(&ServoTarget::Pose(way.target)).unwrap();
    servo
}

/// Ticks until it has arrived or given up, each with its limits and distances.
fn run(servo: &mut TargetServo, way: &Blocked, case: &str) {
    let config = servo.servo().config().clone();
    let bounds = Bounds::of(way.scene.robot(), &config);
    let mut exact = checker(&way.live(), config.stop_distance - DISTANCE_TOLERANCE);
    for tick in 0..LONGEST {
        let before = servo.servo().output().state.clone();
        let output = servo.tick().unwrap().clone();
        let case = format!("{case}, tick {tick}, {:?} {:?}", output.status, servo.status());
        assert!(!output.exceeds_limits, "{case}");
        bounds.assert_tick(&before, &output.state, config.period(), &case);
        assert_clear(&mut exact, &before.positions, &output.state.positions, &case);
        if matches!(servo.status(), TargetStatus::Reached | TargetStatus::Stuck) {
            return;
        }
    }
}

#[test]
#[expect(clippy::print_stdout, reason = "how many plans there were")]
fn a_planner_leads_out_of_walls_that_a_servo_halts_at() {
    for robot in ROBOTS {
        for (seed, way) in dead_ends(robot, cases(2, 40)) {
            let chain = KinematicChain::from_robot(way.scene.robot(), None).unwrap();
            let mut config = TargetServoConfig { seed, plan_timeout: 20.0, ..TargetServoConfig::default() };
            if seed.is_multiple_of(2) {
                config.approach = Approach::Mpc(MpcConfig { seed, ..MpcConfig::default() });
            }
            let mut servo = begun(&way, &config);
            run(&mut servo, &way, &format!("{robot} seed {seed}"));
            let reached = chain.tip_pose(&servo.servo().output().state.positions);
            let case = format!("{robot} seed {seed}: {:?}, plans {}", servo.stuck_reason(), servo.plans());
            println!("{case}");
            assert_eq!(servo.status(), TargetStatus::Reached, "{case}");
            assert!(reached.translation_distance(&way.target) < 1.001e-3, "{case}");
            assert!(servo.plans() > 0 || matches!(config.approach, Approach::Mpc(_)), "{case}");
        }
    }
}

#[test]
fn an_arm_that_is_not_to_plan_says_that_it_is_stuck() {
    let (seed, way) = dead_ends("ur5e", 1).remove(0);
    let config = TargetServoConfig { on_stuck: OnStuck::Stop, ..TargetServoConfig::default() };
    let mut servo = begun(&way, &config);
    run(&mut servo, &way, &format!("seed {seed}"));
    assert_eq!(servo.status(), TargetStatus::Stuck);
    assert_eq!(servo.stuck_reason(), Some(&StuckReason::NoProgress));
    let mut stand = || {
        (0..1000).for_each(|_| {
            servo.tick().unwrap();
        });
        assert_eq!(servo.status(), TargetStatus::Stuck);
        servo.servo().output().state.positions.clone()
    };
    // It brakes, and then stands.
    assert_eq!(stand(), stand());
}

#[test]
fn an_arm_without_a_way_says_so_and_tries_again_when_the_scene_is_edited() {
    let scene = crate::support::live(crate::support::scene_of("ur5e"));
    let start = [-0.8, -1.2, 1.8, -2.0, -1.57, 0.0];
    let chain = KinematicChain::from_robot(&scene.robot(), None).unwrap();
    let target = chain.tip_pose(&[0.8, -1.2, 1.8, -2.0, -1.57, 0.0]);
    let there = target.translation();
    // A ball at the target: nothing reaches it.
    let ball = Pose::from_xyz(there.x, there.y, there.z);
    scene.edit(|scene| scene.add("ball", Shape::sphere(0.1).unwrap(), ball)).unwrap();
    let mut servo = TargetServo::new(scene.clone(), None, &TargetServoConfig::default()).unwrap();
    servo.set_state(&start, &[0.0; 6]).unwrap();
    servo.set_target(&ServoTarget::Pose(target)).unwrap();
    let settle = |servo: &mut TargetServo| {
        for _ in 0..LONGEST {
            servo.tick().unwrap();
            if matches!(servo.status(), TargetStatus::Reached | TargetStatus::Stuck) {
                break;
            }
        }
        servo.status()
    };
    assert_eq!(settle(&mut servo), TargetStatus::Stuck);
    let reason = servo.stuck_reason().cloned();
    assert!(matches!(reason, Some(StuckReason::NoPlan(_))), "{reason:?}");
    scene.edit(|scene| Ok(scene.remove("ball"))).unwrap();
    servo.tick().unwrap();
    assert_eq!(servo.status(), TargetStatus::Approaching);
    assert_eq!(settle(&mut servo), TargetStatus::Reached);
    assert!(servo.plans() <= 1);
}
