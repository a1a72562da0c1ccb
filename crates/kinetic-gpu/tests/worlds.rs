//! Random scenes, and slacks in double precision from closed forms.

use std::sync::Arc;

use kinetic_collision_simd::CollisionModel;
use kinetic_core::rng::SeededRng;
use kinetic_core::{Pose, Shape};
use kinetic_robot::Robot;
use kinetic_scene::{Margins, Scene};
use nalgebra::{Point3, Vector3};

/// A random pose within a cube of two metres.
pub(crate) fn random_pose(rng: &mut SeededRng) -> Pose {
    let mut number = |size: f64| rng.uniform(-size, size);
    Pose::from_xyz_rpy(number(1.0), number(1.0), number(1.0), number(3.0), number(1.5), number(3.0))
}

/// One shape of a kind that has a closed form.
pub(crate) fn primitive(kind: usize, rng: &mut SeededRng) -> Shape {
    let mut number = |low: f64, high: f64| rng.uniform(low, high);
    match kind {
        0 => Shape::sphere(number(0.02, 0.2)),
        1 => Shape::cuboid(number(0.01, 0.2), number(0.01, 0.2), number(0.01, 0.2)),
        2 => Shape::capsule(number(0.02, 0.1), number(0.02, 0.3)),
        3 => Shape::cylinder(number(0.02, 0.1), number(0.02, 0.3)),
        _ => Shape::half_space(Vector3::new(number(-1.0, 1.0), number(-1.0, 1.0), 1.0), number(-1.2, -0.8)),
    }
    .unwrap()
}

/// One shape of a kind that has no closed form.
pub(crate) fn voxelised(kind: usize, rng: &mut SeededRng) -> Shape {
    let mut point = || Point3::new(rng.uniform(-0.2, 0.2), rng.uniform(-0.1, 0.1), rng.uniform(-0.2, 0.2));
    let points: Vec<Point3<f64>> = (0..12).map(|_| point()).collect();
    match kind {
        0 => Shape::convex(&points, 0.01).unwrap(),
        1 => Shape::voxels(&[[0, 0, 0], [1, 0, 0], [1, 2, 0], [3, 2, 1]], 0.05).unwrap(),
        2 => Shape::PointCloud { points: points.into(), radius: 0.02 },
        _ => Shape::Mesh { vertices: points[..4].into(), triangles: [[0, 1, 2], [0, 2, 3]].into(), is_solid: false },
    }
}

/// Small balls far away from a robot.
pub(crate) fn far_balls(robot: &Arc<Robot>, count: usize) -> Scene {
    let mut scene = Scene::new(robot).unwrap();
    for index in 0..count {
        let at = Pose::from_xyz(30.0 + 0.1 * index as f64, 0.0, 0.0);
        scene.add(&format!("far {index:05}"), Shape::sphere(0.01).unwrap(), at).unwrap();
    }
    scene
}

/// A scene of twenty primitives, with margins and paddings of its own.
pub(crate) fn primitive_scene(robot: &Arc<Robot>, seed: u64) -> Scene {
    let mut rng = SeededRng::new(seed);
    let mut scene = Scene::new(robot).unwrap();
    for index in 0..20 {
        let shape = primitive(index % 5, &mut rng);
        let pose = if index % 5 == 4 { Pose::identity() } else { random_pose(&mut rng) };
        scene.add(&format!("object {index}"), shape, pose).unwrap();
    }
    scene.set_padding("object 3", Some(0.01)).unwrap();
    let link = robot.links[robot.links.len() - 1].name.clone();
    scene.allow_collision(&link, "object 1").unwrap();
    let carried = Shape::cuboid(0.03, 0.02, 0.08).unwrap();
    scene.attach("carried", carried, Pose::from_xyz(0.0, 0.05, 0.05), &link, &[]).unwrap();
    scene.allow_collision("carried", "object 6").unwrap();
    scene
}

/// The margins of the tests.
pub(crate) const MARGINS: Margins = Margins { world: 0.02, own: 0.005 };

/// The least slack of spheres, by the exact distances of placed shapes and forward kinematics in double precision.
pub(crate) fn least_slack(model: &CollisionModel, q: &[f64]) -> f64 {
    let frames = model.program.frame_poses(q);
    let placed: Vec<Vec<(Point3<f64>, f64)>> = model
        .bodies
        .iter()
        .map(|body| body.spheres.iter().map(|(c, r)| (Point3::from(frames[body.frame].point(c)), *r)).collect())
        .collect();
    let mut least = f64::INFINITY;
    for (body, spheres) in model.bodies.iter().zip(&placed) {
        for (shape, margin) in body.world.iter().flat_map(|group| {
            model.sets[group.set].shapes().iter().map(|(id, _)| (&model.world[*id as usize].shape, group.margin))
        }) {
            for (center, radius) in spheres {
                least = least.min(shape.signed_distance(center) - radius - margin);
            }
        }
    }
    for pair in &model.pairs[..model.checked_pairs] {
        for (a, ra) in &placed[pair.a] {
            for (b, rb) in &placed[pair.b] {
                least = least.min((a - b).norm() - ra - rb - pair.margin);
            }
        }
    }
    least
}
