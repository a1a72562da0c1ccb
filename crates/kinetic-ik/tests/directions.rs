//! Directions of capability maps by closed forms. Oracle: the numerical solver.

use kinetic_core::StopFlag;
use kinetic_ik::analytic::{Manipulator, TolerancePolicy};
use kinetic_ik::{IKConfig, solve_directions, solve_ik};
use kinetic_kinematics::reachability::directions;
use kinetic_kinematics::{KinematicChain, ReachabilityConfig, ReachabilityMap};
use kinetic_robot::Robot;
use nalgebra::Vector3;

#[test]
fn closed_form_directions_contain_the_sampled_ones_and_are_all_reachable() {
    let robot = Robot::from_name("ur5e").unwrap();
    let chain = KinematicChain::auto_detect(&robot).unwrap();
    let config = ReachabilityConfig { resolution: 0.2, samples: 20_000, seed: 7 };
    let sampled = ReachabilityMap::sample(&chain, &config, &StopFlag::default()).unwrap();
    let arm = Manipulator::from_chain(chain.clone(), TolerancePolicy::default()).unwrap();
    let mut map = ReachabilityMap::from_parts(0.2, 1024, sampled.cells()[..40].to_vec()).unwrap();
    solve_directions(&mut map, &arm, 4, &StopFlag::default()).unwrap();
    let mut added = 0;
    for (cell, before) in map.cells().iter().zip(sampled.cells()) {
        assert_eq!((cell.index, cell.directions & before.directions), (before.index, before.directions));
        // What was added is confirmed by the numerical solver.
        let new = cell.directions & !before.directions;
        added += new.count_ones();
        for index in (0..64).filter(|index| new >> index & 1 == 1).take(2) {
            assert!(is_confirmed(&chain, map.center(cell), &directions()[index]), "{cell:?}, direction {index}");
        }
    }
    assert!(added > 100, "only {added} directions were added");
}

/// Some roll about the direction has a numerical solution.
fn is_confirmed(chain: &KinematicChain, center: [f64; 3], direction: &Vector3<f64>) -> bool {
    let turn = nalgebra::UnitQuaternion::rotation_between(&Vector3::z(), direction)
        .unwrap_or_else(|| nalgebra::UnitQuaternion::from_axis_angle(&Vector3::x_axis(), std::f64::consts::PI));
    let config = IKConfig { num_restarts: 50, ..IKConfig::default() };
    (0..36).any(|roll| {
        let about =
            nalgebra::UnitQuaternion::from_axis_angle(&Vector3::z_axis(), f64::from(roll) * 10_f64.to_radians());
        let pose = nalgebra::Isometry3::from_parts(center.into(), turn * about).into();
        solve_ik(chain, &pose, &config).is_ok()
    })
}
