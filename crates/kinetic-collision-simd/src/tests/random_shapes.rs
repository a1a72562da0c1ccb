//! Random poses and shapes of every kind, for the tests of this crate and of `kinetic-scene`.

use kinetic_collision::convex_hull;
use kinetic_core::Shape;
use kinetic_core::rng::SeededRng;
use nalgebra::{Isometry3, Point3, Quaternion, UnitQuaternion, Vector3};

pub(crate) fn random_pose(rng: &mut SeededRng, half: f64) -> Isometry3<f64> {
    let rotation = UnitQuaternion::new_normalize(Quaternion::from([0; 4].map(|_| rng.uniform(-1.0, 1.0))));
    Isometry3::from_parts(Vector3::from_fn(|_, _| rng.uniform(-half, half)).into(), rotation)
}

/// A closed surface: the hull of random points.
pub(crate) fn random_mesh(rng: &mut SeededRng, is_solid: bool) -> Shape {
    let points: Vec<Point3<f64>> =
        (0..40).map(|_| Point3::from(Vector3::from_fn(|_, _| rng.uniform(-0.2, 0.2)))).collect();
    let hull = convex_hull(&points).expect("points");
    let faces: Vec<[u32; 3]> = hull.faces().iter().map(|face| face.map(|corner| corner as u32)).collect();
    Shape::mesh(hull.vertices(), &faces, is_solid).expect("a hull is closed")
}

pub(crate) fn random_shape(kind: usize, rng: &mut SeededRng) -> Shape {
    match kind % 11 {
        6 => return random_mesh(rng, false),
        7 => return random_mesh(rng, true),
        8 => {
            let heights: Vec<f64> = (0..30).map(|_| rng.uniform(0.0, 0.2)).collect();
            return Shape::height_field(&heights, [5, 6], [0.05, 0.04], -0.05).expect("a grid");
        }
        9 => {
            let mut index = || i32::try_from(rng.below(6)).expect("small") - 3;
            let cells: Vec<[i32; 3]> = (0..40).map(|_| [index(), index(), index()]).collect();
            return Shape::voxels(&cells, 0.04).expect("cells");
        }
        10 => {
            let points: Vec<Point3<f64>> =
                (0..60).map(|_| Point3::from(Vector3::from_fn(|_, _| rng.uniform(-0.2, 0.2)))).collect();
            return Shape::point_cloud(&points, rng.uniform(0.0, 0.04)).expect("points");
        }
        _ => {}
    }
    let mut size = || rng.uniform(0.02, 0.2);
    match kind % 11 {
        0 => Shape::sphere(size()),
        1 => Shape::cuboid(size(), size(), size()),
        2 => Shape::cylinder(size(), size()),
        3 => Shape::capsule(size(), size()),
        4 => Shape::half_space(Vector3::new(size(), -size(), 0.3), -1.0 - size()),
        _ => {
            let corners: Vec<Point3<f64>> =
                (0..12).map(|_| Point3::from(Vector3::from_fn(|_, _| rng.uniform(-0.1, 0.1)))).collect();
            Shape::convex(&corners, 0.01)
        }
    }
    .expect("sizes are positive")
}
