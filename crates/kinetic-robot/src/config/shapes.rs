//! `hulls.json` and `spheres.json`: shapes per link, in link frames.
//!
//! `{"links": {"forearm": [{"type": "convex", "vertices": [[x, y, z], …], "radius": r}, …]}}`, with the further types
//! `box` (`half_extents`), `cylinder` and `capsule` (`radius`, `half_height`), and `sphere` (`radius`), each placed by
//! `origin_xyz` and `origin_rpy`; and `{"links": {"forearm": [[x, y, z, radius], …]}, "excess": {"forearm": d}}`. Lengths in m.

use std::collections::BTreeMap;

use kinetic_core::{KineticError, Pose, Result, Shape};
use nalgebra::Point3;
use serde::Deserialize;
use serde::de::DeserializeOwned;

use super::fault;
use crate::lines::Lines;
use crate::model::{Geometry, GeometryShape};
use crate::robot::Robot;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct PerLink<T> {
    links: BTreeMap<String, Vec<T>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct SphereFile {
    links: BTreeMap<String, Vec<[f64; 4]>>,
    /// How far the balls of a link reach beyond its shapes at most, m; for people and tables.
    #[serde(default)]
    excess: BTreeMap<String, f64>,
}

#[derive(Deserialize)]
#[serde(tag = "type", rename_all = "snake_case", deny_unknown_fields)]
enum Piece {
    Convex {
        vertices: Vec<[f64; 3]>,
        radius: f64,
    },
    Box {
        half_extents: [f64; 3],
        #[serde(default)]
        origin_xyz: [f64; 3],
        #[serde(default)]
        origin_rpy: [f64; 3],
    },
    Cylinder {
        radius: f64,
        half_height: f64,
        #[serde(default)]
        origin_xyz: [f64; 3],
        #[serde(default)]
        origin_rpy: [f64; 3],
    },
    Capsule {
        radius: f64,
        half_height: f64,
        #[serde(default)]
        origin_xyz: [f64; 3],
        #[serde(default)]
        origin_rpy: [f64; 3],
    },
    Sphere {
        radius: f64,
        #[serde(default)]
        origin_xyz: [f64; 3],
        #[serde(default)]
        origin_rpy: [f64; 3],
    },
}

/// Replaces the collision shapes of all links by those of the file; links that it does not name get none.
pub(super) fn apply_hulls(robot: &mut Robot, text: &str, file: &str) -> Result<()> {
    let mut collisions = vec![Vec::new(); robot.links.len()];
    for (name, pieces) in read::<Piece>(text, file)? {
        let link = link_index(robot, text, file, &name)?;
        let geometries: Result<Vec<Geometry>> = pieces.iter().map(geometry).collect();
        collisions[link] = geometries.map_err(|error| about_link(text, file, &name, &error))?;
    }
    for (link, collisions) in robot.links.iter_mut().zip(collisions) {
        link.collisions = collisions;
    }
    Ok(())
}

/// Sets the sphere model from the file; links that it does not name get no balls.
pub(super) fn apply_spheres(robot: &mut Robot, text: &str, file: &str) -> Result<()> {
    let mut model = vec![Vec::new(); robot.links.len()];
    let document: SphereFile = parsed(text, file)?;
    for (name, excess) in &document.excess {
        link_index(robot, text, file, name)?;
        kinetic_core::error::check_finite("excess", &[*excess])
            .map_err(|error| about_link(text, file, name, &error))?;
    }
    for (name, balls) in document.links {
        let link = link_index(robot, text, file, &name)?;
        for ball in &balls {
            let checked = kinetic_core::error::check_finite("ball", ball).and_then(|()| Shape::sphere(ball[3]));
            checked.map_err(|error| about_link(text, file, &name, &error))?;
        }
        model[link] = balls;
    }
    robot.sphere_model = Some(model);
    Ok(())
}

fn read<T: DeserializeOwned>(text: &str, file: &str) -> Result<BTreeMap<String, Vec<T>>> {
    parsed::<PerLink<T>>(text, file).map(|document| document.links)
}

fn parsed<T: DeserializeOwned>(text: &str, file: &str) -> Result<T> {
    serde_json::from_str(text).map_err(|error| fault(file.to_owned(), error.line() as u32, error.to_string()))
}

fn link_index(robot: &Robot, text: &str, file: &str, name: &str) -> Result<usize> {
    robot.link_index(name).map_err(|error| about_link(text, file, name, &error))
}

/// Error at the first line that names the link.
fn about_link(text: &str, file: &str, name: &str, error: &KineticError) -> KineticError {
    let line = text.find(&format!("\"{name}\"")).map_or(0, |offset| Lines::new(text).line(offset));
    fault(file.to_owned(), line, format!("link \"{name}\": {error}"))
}

fn geometry(piece: &Piece) -> Result<Geometry> {
    let (shape, link_from_shape) = match piece {
        Piece::Convex { vertices, radius } => {
            let points: Vec<Point3<f64>> = vertices.iter().map(|vertex| Point3::from(*vertex)).collect();
            (Shape::convex(&points, *radius)?, Pose::identity())
        }
        Piece::Box { half_extents: [x, y, z], origin_xyz, origin_rpy } => {
            (Shape::cuboid(*x, *y, *z)?, placed(origin_xyz, origin_rpy))
        }
        Piece::Cylinder { radius, half_height, origin_xyz, origin_rpy } => {
            (Shape::cylinder(*radius, *half_height)?, placed(origin_xyz, origin_rpy))
        }
        Piece::Capsule { radius, half_height, origin_xyz, origin_rpy } => {
            (Shape::capsule(*radius, *half_height)?, placed(origin_xyz, origin_rpy))
        }
        Piece::Sphere { radius, origin_xyz, origin_rpy } => (Shape::sphere(*radius)?, placed(origin_xyz, origin_rpy)),
    };
    Ok(Geometry::new(link_from_shape, GeometryShape::Shape(shape)))
}

fn placed([x, y, z]: &[f64; 3], [roll, pitch, yaw]: &[f64; 3]) -> Pose {
    Pose::from_xyz_rpy(*x, *y, *z, *roll, *pitch, *yaw)
}
