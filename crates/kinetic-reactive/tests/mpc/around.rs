//! Around obstacles that a servo halts at.

use kinetic_core::rng::SeededRng;
use kinetic_core::{Pose, Shape};
use kinetic_kinematics::KinematicChain;
use kinetic_reactive::{Mpc, MpcConfig, ServoTarget};
use kinetic_scene::LiveScene;

use crate::between::{Blocked, a_box, blocked};
use crate::cases;
use crate::servo::{Bounds, DISTANCE_TOLERANCE, assert_clear, checker};

const ROBOTS: [&str; 5] = ["ur5e", "franka_panda", "xarm6", "kuka_iiwa14", "fetch"];

/// Ticks until an arm has to be there: 20 s.
const LONGEST: usize = 10_000;

/// Ways of which a servo goes none to its end, with the seeds that made them.
fn hard_ways(robot: &str, count: usize) -> Vec<(u64, Blocked)> {
    let ways = (0..).map(|seed| (seed, blocked(robot, &mut SeededRng::new(seed), a_box)));
    ways.filter(|(_, way)| !way.is_reached_by_a_servo(&MpcConfig::default().servo, 4000)).take(count).collect()
}

fn begun(way: &Blocked, config: &MpcConfig) -> Mpc {
    let mut mpc = Mpc::new(way.live(), None, config).unwrap();
    mpc.set_state(&way.start, &vec![0.0; way.start.len()]).unwrap();
    mpc.set_target(&ServoTarget::Pose(way.target)).unwrap();
    mpc
}

/// Whether it gets within a millimetre, measured by the forward kinematics.
fn arrives(mpc: &mut Mpc, chain: &KinematicChain, target: &Pose) -> bool {
    (0..LONGEST).any(|_| {
        let reached = chain.tip_pose(&mpc.tick().unwrap().state.positions);
        reached.translation_distance(target) < 1e-3 && reached.rotation_distance(target) < 5e-3
    })
}

#[test]
#[expect(clippy::print_stdout, reason = "the rate of success")]
fn boxes_that_a_servo_halts_at_are_passed() {
    let mut reached = [0, 0];
    for robot in ROBOTS {
        for (seed, way) in hard_ways(robot, cases(2, 40)) {
            let chain = KinematicChain::from_robot(way.scene.robot(), None).unwrap();
            let mut mpc = begun(&way, &MpcConfig { seed, ..MpcConfig::default() });
            let is_there = arrives(&mut mpc, &chain, &way.target);
            reached[usize::from(is_there)] += 1;
            println!("{robot} seed {seed}: {is_there} {:?}", mpc.error());
        }
    }
    let [failed, there] = reached;
    println!("{there} of {}", failed + there);
    // A way that is no local minimum for a second and a half ahead: most are.
    assert!(there >= 4 * failed, "{there} of {}", failed + there);
}

#[test]
fn every_tick_keeps_the_limits_and_the_stop_distance() {
    for robot in ROBOTS {
        for (seed, way) in hard_ways(robot, cases(1, 20)) {
            let config = MpcConfig { seed, ..MpcConfig::default() };
            let bounds = Bounds::of(way.scene.robot(), &config.servo);
            let mut exact = checker(&way.live(), config.servo.stop_distance - DISTANCE_TOLERANCE);
            let mut mpc = begun(&way, &config);
            for tick in 0..4000 {
                let before = mpc.servo().output().state.clone();
                let output = mpc.tick().unwrap().clone();
                let case = format!("{robot} seed {seed}, tick {tick}, {:?}", output.status);
                assert!(!output.exceeds_limits, "{case}");
                bounds.assert_tick(&before, &output.state, config.servo.period(), &case);
                assert_clear(&mut exact, &before.positions, &output.state.positions, &case);
            }
        }
    }
}

#[test]
fn a_box_that_comes_into_the_way_is_seen_and_passed() {
    let scene = LiveScene::new(crate::support::scene_of("ur5e"));
    let start = [-0.8, -1.2, 1.8, -2.0, -1.57, 0.0];
    let target = [0.8, -1.2, 1.8, -2.0, -1.57, 0.0];
    let chain = KinematicChain::from_robot(&scene.robot(), None).unwrap();
    let halfway = chain.tip_pose(&[0.0, -1.2, 1.8, -2.0, -1.57, 0.0]).translation();
    let config = MpcConfig::default();
    let mut mpc = Mpc::new(scene.clone(), None, &config).unwrap();
    mpc.set_state(&start, &[0.0; 6]).unwrap();
    mpc.set_target(&ServoTarget::Joints(target.to_vec())).unwrap();
    for _ in 0..100 {
        mpc.tick().unwrap();
    }
    let post = Shape::box_from_size(0.05, 0.05, 0.2).unwrap();
    scene.edit(|scene| scene.add("post", post, Pose::from_xyz(halfway.x, halfway.y, halfway.z))).unwrap();
    let mut exact = checker(&scene, config.servo.stop_distance - DISTANCE_TOLERANCE);
    for tick in 0..LONGEST {
        let before = mpc.servo().output().state.positions.clone();
        let after = mpc.tick().unwrap().state.positions.clone();
        assert_clear(&mut exact, &before, &after, &format!("tick {tick}"));
    }
    let error = mpc.servo().output().state.positions.iter().zip(target).map(|(q, target)| (q - target).abs());
    assert!(error.fold(0.0, f64::max) < 1e-3, "{:?}", mpc.error());
}
