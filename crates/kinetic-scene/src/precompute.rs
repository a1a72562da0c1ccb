//! Precomputation of results that are stored with a robot, so that programs do not compute them.

use std::sync::Arc;

use kinetic_collision_simd::TABLE_KIND;
use kinetic_core::Result;
use kinetic_robot::{Precomputed, Robot};

use crate::builder;
use crate::margins::Margins;
use crate::pairs::sphere_distances::SPHERE_DISTANCES_KIND;
use crate::scene::Scene;

/// Computes the results about a robot's collision geometry that would otherwise be computed when it is first used:
/// sphere distances of links, and distance tables of links near each other, for each group, without margins.
///
/// # Errors
/// As [`RobotGeometry::new`](crate::geometry::RobotGeometry::new).
pub fn precompute(robot: &Robot) -> Result<Precomputed> {
    let mut results = Precomputed::default();
    let scene = Scene::new(&Arc::new(robot.clone()))?;
    let (key, bytes) = scene.geometry().find_sphere_distances(robot);
    results.insert(SPHERE_DISTANCES_KIND, key, bytes);
    for group in &robot.groups {
        let model = builder::collision_model(&scene.content, group, Margins::ZERO, None, true)?;
        for (key, bytes) in kinetic_collision_simd::find_tables(&model) {
            results.insert(TABLE_KIND, key, bytes);
        }
    }
    Ok(results)
}
