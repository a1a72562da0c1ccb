//! Reachability maps against arms whose workspace has a formula.

use kinetic_core::{KineticError, StopFlag};
use kinetic_kinematics::reachability::{Cell, directions};
use kinetic_kinematics::{KinematicChain, ReachabilityConfig, ReachabilityMap};
use kinetic_robot::Robot;
use nalgebra::Vector3;

use crate::cases;

/// Two links of 1 m and 0.5 m on a ball joint of two axes: reaches the shell between 0.5 m and 1.5 m, the tool's z axis
/// along the second link.
fn ball_and_elbow() -> KinematicChain {
    let joint = |name: &str, parent: &str, child: &str, z: f64, axis: &str| {
        format!(
            "<link name=\"{child}\"/><joint name=\"{name}\" type=\"continuous\"><parent link=\"{parent}\"/>\
             <child link=\"{child}\"/><origin xyz=\"0 0 {z}\"/><axis xyz=\"{axis}\"/></joint>"
        )
    };
    let urdf = format!(
        "<robot name=\"r\"><link name=\"a\"/>{}{}{}<link name=\"tip\"/><joint name=\"end\" type=\"fixed\">\
         <parent link=\"d\"/><child link=\"tip\"/><origin xyz=\"0 0 0.5\"/></joint></robot>",
        joint("j1", "a", "b", 0.0, "0 0 1"),
        joint("j2", "b", "c", 0.0, "0 1 0"),
        joint("j3", "c", "d", 1.0, "0 1 0"),
    );
    KinematicChain::extract(&Robot::from_urdf_string(&urdf).unwrap(), "a", "tip").unwrap()
}

fn sampled(chain: &KinematicChain, config: &ReachabilityConfig) -> ReachabilityMap {
    ReachabilityMap::sample(chain, config, &StopFlag::default()).unwrap()
}

#[test]
fn the_map_of_two_links_is_the_shell_between_their_difference_and_sum() {
    let config = ReachabilityConfig { resolution: 0.1, samples: cases(400_000, 4_000_000), seed: 1 };
    let map = sampled(&ball_and_elbow(), &config);
    // A cube on the border reaches at most its diagonal beyond it.
    let diagonal = 0.1 * 3.0_f64.sqrt();
    for cell in map.cells() {
        let radius = Vector3::from(map.center(cell)).norm();
        assert!((0.5 - diagonal / 2.0..=1.5 + diagonal / 2.0).contains(&radius), "{cell:?}");
        assert!(cell.count > 0 && cell.directions != 0);
    }
    let shell = |outer: f64, inner: f64| 4.0 / 3.0 * std::f64::consts::PI * (outer.powi(3) - inner.powi(3));
    assert!(map.volume() > shell(1.5, 0.5) && map.volume() < shell(1.5 + diagonal, 0.5 - diagonal));
    assert!(map.is_reachable(1.0, 0.0, 0.0) && map.is_reachable(0.0, 0.6, 0.9));
    assert!(
        !map.is_reachable(0.1, 0.1, 0.1) && !map.is_reachable(2.0, 0.0, 0.0) && !map.is_reachable(f64::NAN, 0.0, 0.0)
    );
    assert_eq!(map.cells().iter().map(|cell| cell.count).sum::<u64>(), map.samples() as u64);
}

#[test]
fn cells_know_the_directions_that_geometry_allows() {
    let config = ReachabilityConfig { resolution: 0.05, samples: 2_000_000, seed: 2 };
    let map = sampled(&ball_and_elbow(), &config);
    // At the outer border the arm is stretched: the tool points outwards, so only into one half.
    let cell = map.cell_at([1.47, 0.01, 0.01]).unwrap();
    for (index, direction) in directions().iter().enumerate().filter(|(index, _)| cell.directions >> index & 1 == 1) {
        // The stretched elbow leaves 20 degrees, and the nearest of 64 directions is up to 20 degrees off.
        assert!(direction.x > 0.7, "direction {index}: {direction}");
    }
    assert!(map.dexterity_at(1.47, 0.01, 0.01) > 0.0 && map.dexterity_at(3.0, 0.0, 0.0) == 0.0);
}

#[test]
fn the_same_seed_gives_the_same_map_and_another_a_similar_one() {
    let robot = Robot::from_name("ur5e").unwrap();
    let chain = KinematicChain::auto_detect(&robot).unwrap();
    let config = ReachabilityConfig { resolution: 0.1, samples: 100_000, seed: 5 };
    let map = sampled(&chain, &config);
    assert_eq!(map, sampled(&chain, &config));
    let other = sampled(&chain, &ReachabilityConfig { seed: 6, ..config });
    assert_ne!(map, other);
    assert!((map.volume() / other.volume() - 1.0).abs() < 0.05, "{} and {}", map.volume(), other.volume());
}

#[test]
fn directions_are_evenly_spread_unit_vectors() {
    let all = directions();
    assert!(all.iter().all(|direction| (direction.norm() - 1.0).abs() < 1e-12));
    for (index, direction) in all.iter().enumerate() {
        let others = all.iter().enumerate().filter(|(other, _)| *other != index);
        let nearest = others.map(|(_, other)| direction.angle(other)).fold(f64::INFINITY, f64::min);
        // 64 caps of equal area have a radius of 14.4 degrees.
        assert!((15.0..30.0).contains(&nearest.to_degrees()), "direction {index}: {}", nearest.to_degrees());
    }
}

#[test]
fn maps_that_cannot_be_made_are_refused() {
    let chain = ball_and_elbow();
    let make = |config: ReachabilityConfig| ReachabilityMap::sample(&chain, &config, &StopFlag::default()).unwrap_err();
    for resolution in [0.0, -1.0, f64::NAN, f64::INFINITY, 1e-5] {
        let error = make(ReachabilityConfig { resolution, ..ReachabilityConfig::default() });
        assert!(matches!(error, KineticError::InvalidValue { .. }), "{error}");
    }
    let error = make(ReachabilityConfig { samples: 0, ..ReachabilityConfig::default() });
    assert!(matches!(error, KineticError::InvalidValue { .. }), "{error}");
    let stop = StopFlag::default();
    stop.stop();
    let error = ReachabilityMap::sample(&chain, &ReachabilityConfig::default(), &stop).unwrap_err();
    assert!(matches!(error, KineticError::Cancelled { .. }), "{error}");
    let cell = Cell { index: [0; 3], count: 1, directions: 1 };
    let error = ReachabilityMap::from_parts(0.1, 1, vec![cell, cell]).unwrap_err();
    assert!(matches!(error, KineticError::InvalidValue { .. }), "{error}");
}
