//! `hulls.json` and `spheres.json`: shapes per link, in link frames.
//!
//! `{"links": {"forearm": [{"type": "convex", "vertices": [[x, y, z], …], "radius": r}, …]}}`, with the further types
//! `box` (`half_extents`), `cylinder` and `capsule` (`radius`, `half_height`), and `sphere` (`radius`), each placed by
//! `origin_xyz` and `origin_rpy`; and `{"links": {"forearm": [[x, y, z, radius], …]}, "excess": {"forearm": d}}`. Lengths in m.

use std::collections::BTreeMap;

use kinetic_core::shape::{BesideShape, WithShape};
use kinetic_core::{KineticError, Pose, Result, Shape};
use serde::Deserialize;
use serde::de::{DeserializeOwned, MapAccess};

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

/// Kinds of shapes in files of hulls.
const CONFIG_SHAPE_KINDS: [&str; 5] = ["box", "capsule", "convex", "cylinder", "sphere"];

/// Where a shape is placed in the frame of its link.
#[derive(Default)]
struct Origin {
    xyz: [f64; 3],
    rpy: [f64; 3],
}

impl BesideShape for Origin {
    const KIND: &'static str = "type";
    const KEYS: &'static [&'static str] = &["origin_xyz", "origin_rpy"];

    fn read<'de, A: MapAccess<'de>>(&mut self, key: &str, map: &mut A) -> std::result::Result<(), A::Error> {
        let place = if key == "origin_xyz" { &mut self.xyz } else { &mut self.rpy };
        *place = map.next_value()?;
        Ok(())
    }
}

/// A shape of one of [`CONFIG_SHAPE_KINDS`] with its place. Other kinds are refused while reading, which knows the line.
#[derive(Deserialize)]
#[serde(try_from = "WithShape<Origin>")]
struct ShapePiece(WithShape<Origin>);

impl TryFrom<WithShape<Origin>> for ShapePiece {
    type Error = KineticError;

    fn try_from(piece: WithShape<Origin>) -> Result<Self> {
        if piece.record.check_kind().is_ok_and(|kind| CONFIG_SHAPE_KINDS.contains(&kind)) {
            return Ok(Self(piece));
        }
        let name = piece.record.kind;
        Err(KineticError::unknown_name("hull", name, CONFIG_SHAPE_KINDS))
    }
}

/// Replaces the collision shapes of all links by those of the file; links that it does not name get none.
pub(super) fn apply_hulls(robot: &mut Robot, text: &str, file: &str) -> Result<()> {
    let mut collisions = vec![Vec::new(); robot.links.len()];
    for (name, pieces) in read::<ShapePiece>(text, file)? {
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

fn geometry(ShapePiece(piece): &ShapePiece) -> Result<Geometry> {
    let Origin { xyz: [x, y, z], rpy: [roll, pitch, yaw] } = piece.beside;
    let link_from_shape = Pose::from_xyz_rpy(x, y, z, roll, pitch, yaw);
    Ok(Geometry::new(link_from_shape, GeometryShape::Shape(piece.record.shape()?)))
}
