//! Works out what can be stored with a robot, so that programs need not.

use std::sync::Arc;

use kinetic_collision_simd::TABLE_KIND;
use kinetic_core::Result;
use kinetic_robot::{Precomputed, Robot};

use crate::builder;
use crate::margins::Margins;
use crate::pairs::sphere_distances::KIND;
use crate::scene::Scene;

/// The results about a robot's collision geometry that searches would find when it is first used: which spheres of links
/// never meet, and distance tables of links near each other, for each group and links that keep no margin from each other.
///
/// # Errors
/// As [`RobotGeometry::new`](crate::geometry::RobotGeometry::new).
pub fn precompute(robot: &Robot) -> Result<Precomputed> {
    let mut results = Precomputed::default();
    let scene = Scene::new(&Arc::new(robot.clone()))?;
    let (key, bytes) = scene.geometry().find_sphere_distances(robot);
    results.insert(KIND, key, bytes);
    for group in &robot.groups {
        let model = builder::collision_model(&scene.content, group, Margins::ZERO, None, true)?;
        for (key, bytes) in kinetic_collision_simd::find_tables(&model) {
            results.insert(TABLE_KIND, key, bytes);
        }
    }
    Ok(results)
}
