//! What a sensor sees and a scene knows otherwise: the robot itself, what it carries, and objects with a shape of their own.

use std::sync::Arc;

use kinetic_collision::exact::Body;
use kinetic_collision::{Aabb, PreparedShape};
use kinetic_core::{KineticError, Pose, Result, Shape};
use kinetic_robot::Robot;
use nalgebra::Point3;

use super::cell_answers::{CellAnswer, CellAnswers};
use crate::link_geometry::LinkGeometry;
use crate::scene::Scene;

/// Bodies whose points are no obstacles.
#[derive(Debug, Clone, PartialEq)]
pub struct KnownBodies {
    /// Where the robot stood when the points were measured (default group or robot length): points on its links and on what
    /// it carries are dropped. `None` for a robot that is not in view.
    pub robot_at: Option<Vec<f64>>,
    /// Points within this distance of a link or of what it carries are on the robot, m.
    pub robot_padding: f64,
    /// Larger or smaller distances for links by name, m: for cables and covers that the model does not have.
    pub link_paddings: Vec<(String, f64)>,
    /// Objects of the scene whose points are dropped.
    pub objects: Vec<String>,
    /// Points within this distance of such an object are on it, m.
    pub object_padding: f64,
}

impl Default for KnownBodies {
    fn default() -> Self {
        Self {
            robot_at: None,
            robot_padding: 0.03,
            link_paddings: Vec::new(),
            objects: Vec::new(),
            object_padding: 0.03,
        }
    }
}

/// A body at its place, with the distance within which points are on it.
struct PlacedKnownBody {
    shape: PreparedShape,
    padding: f64,
}

/// The known bodies of a scene at their places.
pub(super) struct PlacedKnownBodies {
    bodies: Vec<PlacedKnownBody>,
    /// Box around all of them, with their paddings.
    bounds: Option<Aabb>,
    /// What is known of the cells of a grid over the box.
    cells: Option<CellAnswers>,
}

impl PlacedKnownBodies {
    /// # Errors
    /// [`KineticError::InvalidValue`] for a padding that is negative or not finite, [`KineticError::LinkNotFound`],
    /// [`KineticError::ObjectNotFound`], and those of the configuration.
    pub(super) fn new(scene: &Scene, known: &KnownBodies) -> Result<Self> {
        check_paddings(known)?;
        let mut bodies = Vec::new();
        let paddings = link_paddings(scene, known)?;
        if let Some(q) = &known.robot_at {
            let poses = scene.link_poses(q)?;
            for (link, geometry) in scene.geometry().links().iter().enumerate() {
                add_geometry(geometry, &poses[link], paddings[link], &mut bodies)?;
            }
            for attachment in scene.attached().values() {
                let padding = paddings[attachment.link];
                add_geometry(attachment.geometry(), &poses[attachment.link], padding, &mut bodies)?;
            }
        }
        for name in &known.objects {
            let object = scene.object(name)?;
            let shape = object.prepared.body.prepared(&object.pose.0)?;
            bodies.push(PlacedKnownBody { shape, padding: known.object_padding });
        }
        let boxes = bodies.iter().map(|body| body.shape.aabb().grown(body.padding));
        let bounds = boxes.reduce(|all, next| all.union(&next));
        Ok(Self { cells: bounds.as_ref().and_then(CellAnswers::over), bodies, bounds })
    }

    /// True for a point on one of the bodies (robot's root frame).
    pub(super) fn contain(&mut self, point: &Point3<f64>) -> bool {
        let Self { bodies, bounds, cells } = self;
        if !bounds.is_some_and(|Aabb { min, max }| (0..3).all(|axis| (min[axis]..=max[axis]).contains(&point[axis]))) {
            return false;
        }
        let answer = cells.as_mut().map_or(CellAnswer::Both, |cells| {
            cells.of(point, |place, grown| {
                bodies.iter().any(|body| body.padding + grown >= 0.0 && body.has_within(place, body.padding + grown))
            })
        });
        match answer {
            CellAnswer::On => true,
            CellAnswer::Off => false,
            CellAnswer::Both => bodies.iter().any(|body| body.has_within(point, body.padding)),
        }
    }
}

impl PlacedKnownBody {
    fn has_within(&self, point: &Point3<f64>, reach: f64) -> bool {
        let (ball, farthest) = (self.shape.bounding_ball(), self.shape.bounding_ball().radius + reach);
        (point - ball.center).norm_squared() <= farthest * farthest && self.shape.is_within(point, reach)
    }
}

/// Adds the pieces of a link, or its spheres where they are the link.
fn add_geometry(
    geometry: &LinkGeometry,
    root_from_link: &Pose,
    padding: f64,
    bodies: &mut Vec<PlacedKnownBody>,
) -> Result<()> {
    let ball = |center: Point3<f64>, radius| {
        let shape = Arc::new(Body::new(&Shape::Sphere { radius })?);
        Ok((shape, Pose::from_xyz(center.x, center.y, center.z)))
    };
    let pieces = if geometry.spheres_are_exact {
        geometry.spheres.iter().map(|sphere| ball(sphere.center, sphere.radius)).collect::<Result<_>>()?
    } else {
        geometry.pieces().to_vec()
    };
    for (body, link_from_piece) in pieces {
        let shape = body.prepared(&(root_from_link.0 * link_from_piece.0))?;
        bodies.push(PlacedKnownBody { shape, padding });
    }
    Ok(())
}

impl KnownBodies {
    /// Refuses paddings outside their domain, and links that a robot does not have.
    ///
    /// # Errors
    /// [`KineticError::InvalidValue`] naming the padding, [`KineticError::LinkNotFound`].
    pub(crate) fn check(&self, robot: &Robot) -> Result<()> {
        check_paddings(self)?;
        self.link_paddings.iter().try_for_each(|(link, _)| robot.link_index(link).map(drop))
    }
}

fn check_paddings(known: &KnownBodies) -> Result<()> {
    let of_links = known.link_paddings.iter().map(|(link, padding)| (format!("padding of link \"{link}\""), *padding));
    let others = [("robot_padding", known.robot_padding), ("object_padding", known.object_padding)];
    let all = others.into_iter().map(|(name, padding)| (name.to_owned(), padding)).chain(of_links);
    for (name, padding) in all {
        if !(padding.is_finite() && padding >= 0.0) {
            return Err(KineticError::invalid(name, padding, "a number of at least 0 (m)"));
        }
    }
    Ok(())
}

/// Padding per link.
fn link_paddings(scene: &Scene, known: &KnownBodies) -> Result<Vec<f64>> {
    let mut paddings = vec![known.robot_padding; scene.robot().links.len()];
    for (link, padding) in &known.link_paddings {
        paddings[scene.robot().link_index(link)?] = *padding;
    }
    Ok(paddings)
}
