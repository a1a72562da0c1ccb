//! Chains as data. Oracle: the chain that the data come from.

use kinetic_core::Pose;
use kinetic_core::rng::SeededRng;
use kinetic_kinematics::{ChainParts, KinematicChain, forward_kinematics};
use kinetic_robot::Robot;

use crate::cases;

fn chain(name: &str) -> KinematicChain {
    let robot = Robot::from_name(name).unwrap();
    KinematicChain::auto_detect(&robot).unwrap().with_tcp(&Pose::from_xyz_rpy(0.01, 0.02, 0.1, 0.3, -0.2, 0.1))
}

#[test]
fn a_chain_from_parts_computes_what_the_chain_does_bit_by_bit() {
    // Revolute, sliding, continuous and following joints.
    for name in ["ur5e", "franka_panda", "fetch", "pr2", "stretch_re2"] {
        let chain = chain(name);
        let again = KinematicChain::from_parts(chain.to_parts()).unwrap();
        assert_eq!(again.to_parts(), chain.to_parts(), "{name}");
        let mut rng = SeededRng::new(7);
        for case in 0..cases(20, 1000) {
            let q: Vec<f64> =
                chain.bounds().iter().map(|(low, high)| rng.uniform(low.max(-3.0), high.min(3.0))).collect();
            let pose = forward_kinematics(&chain, &q).unwrap();
            assert_eq!(forward_kinematics(&again, &q).unwrap(), pose, "{name}, case {case}");
        }
    }
}

/// Makes parts useless.
type Spoil = fn(&mut ChainParts);

#[test]
fn parts_that_no_chain_has_are_refused() {
    let good = chain("ur5e").to_parts();
    let spoil: [(&str, Spoil); 9] = [
        ("names", |parts| parts.joint_names.truncate(2)),
        ("bounds", |parts| parts.bounds.truncate(2)),
        ("turns", |parts| parts.turns.clear()),
        ("reversed bounds", |parts| parts.bounds[0] = (1.0, -1.0)),
        ("NaN bounds", |parts| parts.bounds[0] = (f64::NAN, 1.0)),
        ("parent after child", |parts| parts.frames[1].parent = 2),
        ("variable", |parts| parts.frames[0].variable = 6),
        ("no links", |parts| parts.links.clear()),
        ("link", |parts| parts.links[0].0 = 99),
    ];
    for (what, spoil) in spoil {
        let mut parts = good.clone();
        spoil(&mut parts);
        assert!(KinematicChain::from_parts(parts).is_err(), "{what}");
    }
    for spoil in [1.1, f64::NAN, f64::INFINITY, -1.0] {
        let mut parts = good.clone();
        parts.frames[2].parent_from_frame.rotation *= spoil;
        assert!(KinematicChain::from_parts(parts).is_err(), "{spoil}");
    }
    let mut parts = good;
    parts.frames[2].offset = f64::NAN;
    assert!(KinematicChain::from_parts(parts).is_err());
}
