//! Long queries end with their control.

use std::sync::Arc;

use kinetic_core::{Control, ManualClock, Pose, Shape, StopFlag};
use kinetic_robot::Robot;
use kinetic_scene::{Checker, Margins, Scene};
use nalgebra::Point3;

/// A ball of 0.1 m on a rail along x, 0.02 mm above a floor of so many cells along each side: the proof of a motion has to look closely
/// at all of it.
fn above_floor(cells: u32) -> Checker {
    let urdf = "<robot name=\"slider\"><link name=\"rail\"/><link name=\"ball\"><collision><geometry><sphere \
        radius=\"0.1\"/></geometry></collision></link><joint name=\"slide\" type=\"prismatic\"><parent link=\"rail\"/>\
        <child link=\"ball\"/><axis xyz=\"1 0 0\"/><limit lower=\"-9\" upper=\"9\" velocity=\"1\" effort=\"1\"/></joint>\
        </robot>";
    let mut scene = Scene::new(&Arc::new(Robot::from_urdf_string(urdf).unwrap())).unwrap();
    let at = |index: u32, half: f64| half * (2.0 * f64::from(index) / f64::from(cells) - 1.0);
    let corners = (0..=cells).flat_map(|x| (0..=cells).map(move |y| Point3::new(at(x, 10.0), at(y, 1.0), 0.0)));
    let faces = (0..cells).flat_map(|x| (0..cells).map(move |y| x * (cells + 1) + y)).flat_map(|first| {
        let next = first + cells + 1;
        [[first, next, first + 1], [next, next + 1, first + 1]]
    });
    let floor = Shape::mesh(&corners.collect::<Vec<_>>(), &faces.collect::<Vec<_>>(), false).unwrap();
    scene.add("floor", floor, Pose::from_xyz(0.0, 0.0, -0.1 - 2e-5)).unwrap();
    let group = &scene.robot().groups[scene.robot().default_group].name;
    scene.checker(group, Margins::ZERO).unwrap()
}

/// Regression 55: near a mesh of many triangles a configuration takes some milliseconds, and queries read the clock first after 2,048 of
/// them.
#[test]
fn queries_read_the_clock_sooner_among_more_pieces() {
    let over = Control::new(Arc::new(ManualClock::with_step(1)), 0.0, u64::MAX, StopFlag::default());
    let looked_at = [2, 32, 100].map(|cells| {
        let mut checker = above_floor(cells);
        checker.obey(Some(&over));
        assert!(!checker.is_motion_free(&[-8.0], &[8.0]), "{cells}: proven although the time was over");
        checker.checks()
    });
    // At most one batch of configurations is looked at before the clock is read again.
    let wanted = [8, 2_048, 20_000].map(|triangles| 2_048 / (1 + triangles / 1_024));
    for (looked_at, wanted) in looked_at.into_iter().zip(wanted) {
        assert!((wanted..wanted + 32).contains(&looked_at), "{looked_at}, not {wanted}");
    }
}
