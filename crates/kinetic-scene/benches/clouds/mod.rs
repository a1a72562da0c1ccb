//! Clouds of points.

use std::sync::Arc;

use kinetic_core::rng::SeededRng;
use kinetic_core::{Pose, Shape};
use kinetic_robot::Robot;
use kinetic_scene::Scene;
use nalgebra::Point3;

/// `count` points measured on the surfaces of boxes around a robot at `q`, of which none is near it. As a depth camera sees
/// them: with noise.
pub(crate) fn points(robot: &Arc<Robot>, q: &[f64], count: usize) -> Vec<Point3<f64>> {
    let mut rng = SeededRng::new(11);
    let mut probe = Scene::new(robot).unwrap();
    let mut boxes = Vec::new();
    while boxes.len() < 24 {
        let (center, half) = ([0; 3].map(|_| rng.uniform(-1.2, 1.2)), [0; 3].map(|_| rng.uniform(0.05, 0.3)));
        let [x, y, z] = half.map(|half| half + 0.1);
        probe.add("probe", Shape::cuboid(x, y, z).unwrap(), Pose::from_xyz(center[0], center[1], center[2])).unwrap();
        if !probe.check_collision(q).unwrap() {
            boxes.push((center, half));
        }
    }
    let mut point = |index: usize| {
        let (center, half) = boxes[index % boxes.len()];
        let mut place = half.map(|half| rng.uniform(-half, half));
        let side = index / boxes.len() % 6;
        place[side / 2] = half[side / 2] * if side.is_multiple_of(2) { 1.0 } else { -1.0 };
        Point3::from([0, 1, 2].map(|k| center[k] + place[k] + rng.uniform(-0.003, 0.003)))
    };
    (0..count).map(&mut point).collect()
}

/// Cells of 1 cm that contain points; some are listed several times.
pub(crate) fn cells(points: &[Point3<f64>]) -> Vec<[i32; 3]> {
    points.iter().map(|point| [0, 1, 2].map(|k| (point[k] * 100.0).floor() as i32)).collect()
}
