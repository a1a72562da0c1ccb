//! Against the same search in double precision alone.

use std::sync::Arc;

use kinetic_collision_simd::SegmentMotion;
use kinetic_core::rng::SeededRng;
use kinetic_core::{Pose, Shape};
use kinetic_robot::Robot;

use crate::{Margins, Scene};

fn count() -> usize {
    if std::env::var("KINETIC_FULL").is_ok_and(|value| value == "1") { 20_000 } else { 150 }
}

#[test]
fn the_first_contact_is_the_one_that_double_precision_alone_finds() {
    for name in ["ur5e", "franka_panda", "fetch"] {
        let robot = Arc::new(Robot::from_name(name).expect("built in"));
        let group = &robot.groups[robot.default_group];
        let mut scene = Scene::new(&robot).expect("geometry");
        let mut rng = SeededRng::new(21);
        for index in 0..12 {
            let (angle, reach, height) = (rng.uniform(-3.0, 3.0), rng.uniform(0.5, 1.0), rng.uniform(0.0, 1.2));
            let pose = Pose::from_xyz_rpy(reach * f64::cos(angle), reach * f64::sin(angle), height, angle, 0.3, 0.0);
            let shape = match index % 3 {
                0 => Shape::cuboid(0.05, 0.1, 0.002),
                1 => Shape::cylinder(0.04, 0.2),
                _ => Shape::sphere(0.08),
            };
            scene.add(&format!("o{index}"), shape.expect("sizes are positive"), pose).expect("a new name");
        }
        let mut checker = scene.checker(&group.name, Margins::new(0.005, 0.0)).expect("a group of the robot");
        let (mut free, mut blocked) = (0, 0);
        for case in 0..count() {
            let from = robot.random_configuration(group, &mut rng).0;
            let to: Vec<f64> = from.iter().map(|q| q + rng.uniform(-0.6, 0.6)).collect();
            let motion = SegmentMotion { from: &from, to: &to };
            let tiers = &mut checker.tiers;
            let found = tiers.first_contact(&motion);
            let expected = tiers.continuous.first_contact(&mut tiers.exact, &motion);
            assert_eq!(found.map(|b| b.t), expected.map(|b| b.t), "{name} case {case}: {found:?}, {expected:?}");
            free += usize::from(found.is_none());
            blocked += usize::from(found.is_some_and(|found| found.t > 0.0));
        }
        assert!(free > count() / 20 && blocked > count() / 20, "{name}: {free} free, {blocked} blocked on the way");
    }
}
