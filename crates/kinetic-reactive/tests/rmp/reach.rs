//! Free targets are reached to a millimetre, and the arm comes to rest there.

use kinetic_core::rng::SeededRng;
use kinetic_kinematics::KinematicChain;
use kinetic_reactive::rmp::{Policy, Rmp};

use crate::cases;
use crate::rmp::support::{ARMS, Arm, built_in, free_configuration};

const DT: f64 = 0.005;

#[test]
fn free_targets_are_reached_from_random_starts() {
    let mut failed = Vec::new();
    for name in ARMS {
        let robot = built_in(name);
        let chain = KinematicChain::auto_detect(&robot).unwrap();
        for seed in 0..cases(10, 300) as u64 {
            let mut rng = SeededRng::new(seed);
            let start = free_configuration(&robot, &mut rng);
            let target = chain.tip_pose(&free_configuration(&robot, &mut rng));
            let mut rmp = Rmp::new(&robot).unwrap();
            rmp.add(&Policy::ReachTarget { target, gain: 10.0 }).unwrap();
            rmp.add(&Policy::JointLimitAvoidance { margin: 0.1, gain: 10.0 }).unwrap();
            rmp.add(&Policy::Damping { coefficient: 1.0 }).unwrap();
            let mut arm = Arm::at(&start);
            let mut cycle = 0;
            let is_there = |arm: &Arm| {
                let reached = chain.tip_pose(&arm.q);
                reached.translation_distance(&target) < 1e-3
                    && reached.rotation_distance(&target) < 1e-2
                    && arm.qd.iter().all(|qd| qd.abs() < 1e-2)
            };
            while cycle < 4_000 && !is_there(&arm) {
                arm.step(&mut rmp, DT);
                cycle += 1;
            }
            if !is_there(&arm) {
                let reached = chain.tip_pose(&arm.q);
                failed.push((name, seed, reached.translation_distance(&target), reached.rotation_distance(&target)));
            }
        }
    }
    assert!(failed.is_empty(), "{} not reached: {failed:?}", failed.len());
}
