//! The stored sphere models contain the hulls: by sampling their surface and volume, independently of how the covers
//! were made.

use kinetic_core::rng::SeededRng;
use kinetic_core::{Pose, Shape};
use kinetic_robot::{GeometryShape, Link};
use kinetic_scene::Scene;
use nalgebra::{Point3, Vector3};

use crate::cases;
use crate::support::built_in;

/// Stored numbers are rounded outwards; sampled points carry f64 rounding.
const TOLERANCE: f64 = 1e-9;

fn unit(rng: &mut SeededRng) -> Vector3<f64> {
    loop {
        let v = Vector3::from_fn(|_, _| rng.uniform(-1.0, 1.0));
        if v.norm() > 0.1 && v.norm() < 1.0 {
            return v.normalize();
        }
    }
}

/// A point of the shape: a random mix of few vertices (on faces, edges and inside), moved by the rounding radius.
fn sample(shape: &Shape, rng: &mut SeededRng) -> Point3<f64> {
    match shape {
        Shape::Convex { vertices, radius } => {
            let mut point = Vector3::zeros();
            let mut total = 0.0;
            for _ in 0..=rng.below(4) {
                let weight = rng.unit() + 1e-3;
                point += vertices[rng.below(vertices.len())].coords * weight;
                total += weight;
            }
            Point3::from(point / total + unit(rng) * *radius)
        }
        Shape::Cuboid { half_extents } => {
            let mut corner = || if rng.below(2) == 0 { -1.0 } else { rng.uniform(-1.0, 1.0) };
            Point3::from(half_extents.component_mul(&Vector3::new(corner(), corner(), -corner())))
        }
        Shape::Sphere { radius } => Point3::from(unit(rng) * *radius),
        Shape::Cylinder { radius, half_height } => {
            // The rims are what a cover may miss first.
            let (angle, height) = (rng.uniform(0.0, std::f64::consts::TAU), rng.uniform(-2.0, 2.0).clamp(-1.0, 1.0));
            Point3::new(radius * angle.cos(), radius * angle.sin(), half_height * height)
        }
        other => panic!("no sampler for {other:?}"),
    }
}

fn shapes(link: &Link) -> Vec<(Pose, Shape)> {
    let shape = |geometry: &kinetic_robot::Geometry| match &geometry.shape {
        GeometryShape::Shape(shape) => (geometry.link_from_shape, shape.clone()),
        GeometryShape::Mesh(_) => panic!("a built-in robot has no meshes"),
    };
    link.collisions.iter().map(shape).collect()
}

#[test]
fn every_point_of_every_built_in_hull_is_inside_a_stored_sphere() {
    let mut rng = SeededRng::new(9);
    for name in kinetic_robot::builtin::names() {
        let robot = built_in(name);
        assert!(robot.sphere_model.is_some(), "{name} has no stored spheres");
        let scene = Scene::new(&robot).unwrap();
        for (link, geometry) in robot.links.iter().zip(scene.geometry().links()) {
            for (link_from_shape, shape) in shapes(link) {
                for _ in 0..cases(300, 100_000) {
                    let point = link_from_shape.0 * sample(&shape, &mut rng);
                    let is_inside = |s: &kinetic_collision::Sphere| (point - s.center).norm() <= s.radius + TOLERANCE;
                    assert!(geometry.spheres.iter().any(is_inside), "{name}, {}: {point} is outside", link.name);
                }
            }
        }
    }
}

#[test]
fn the_default_arms_stay_within_the_budget_of_spheres() {
    // COL-01's default is for an arm without gripper; the Panda's hand counts here.
    for (name, most) in [("ur5e", 64), ("kinova_gen3", 64), ("franka_panda", 80)] {
        let scene = Scene::new(&built_in(name)).unwrap();
        let count: usize = scene.geometry().links().iter().map(|link| link.spheres.len()).sum();
        assert!(count <= most, "{name} has {count} spheres");
    }
}
