//! The robot's collision geometry.

use std::sync::{Arc, OnceLock};

use kinetic_collision::Sphere;
use kinetic_collision::exact::Body;
use kinetic_collision::self_pairs::{self, Relation};
use kinetic_collision_simd::{LinkSphereDistances, StoredResults};
use kinetic_core::{ContentHash, Pose, Result, Shape};
use kinetic_robot::{Link, PairFacts, Robot};
use nalgebra::Point3;

use crate::bounding_spheres::bounding_spheres;
use crate::link_geometry::ball;
use crate::mesh_pieces::MeshPieces;
use crate::pairs::sphere_distances;
use crate::pairs::{self, Effort, LinkPair, PairClass};

pub use crate::link_geometry::LinkGeometry;

/// Collision geometry of a robot: shapes and spheres per link, and the class of each pair of links.
#[derive(Debug, Clone)]
pub struct RobotGeometry {
    links: Vec<LinkGeometry>,
    pairs: Vec<LinkPair>,
    /// Per link, how far a scaled one extends beyond the one that `pairs` was computed for, m.
    growth: Vec<f64>,
    /// Proven distances of spheres, computed at the first query.
    sphere_distances: Arc<OnceLock<Arc<LinkSphereDistances>>>,
    key: u64,
}

impl RobotGeometry {
    /// Builds the geometry; loads meshes that the robot refers to. The pairs that always or never touch are stored with
    /// built-in robots, and computed once per robot and process for others.
    ///
    /// # Errors
    /// What loading meshes reports, or a shape that is no solid.
    pub fn new(robot: &Robot) -> Result<Self> {
        let shapes = link_shapes(robot)?;
        let links = link_geometries(robot, &shapes)?;
        let relations = relations(robot, &links);
        let fingerprint = pairs::fingerprint(robot, &shapes);
        let facts = pairs::facts(robot, (&shapes, &links), &undecided_pairs(&relations), fingerprint);
        Ok(Self {
            growth: vec![0.0; links.len()],
            key: pairs::with_spheres(fingerprint, &links),
            sphere_distances: Arc::default(),
            links,
            pairs: pairs::classify(relations, &facts),
        })
    }

    /// Geometry per link, in link order.
    pub fn links(&self) -> &[LinkGeometry] {
        &self.links
    }

    /// A number that changes with joints, their ranges, shapes and spheres.
    pub(crate) fn key(&self) -> u64 {
        self.key
    }

    /// All pairs of links with geometry, ascending.
    pub fn pairs(&self) -> &[LinkPair] {
        &self.pairs
    }

    /// Scales every shape of some links by a factor about its own centre, given link indices and factors.
    ///
    /// # Errors
    /// What [`LinkGeometry::scaled`] reports.
    pub(crate) fn scaled(&self, factors: &[(usize, f64)]) -> Result<Self> {
        // Proven distances are not valid for other spheres.
        let mut scaled = Self { sphere_distances: Arc::new(OnceLock::from(Arc::default())), ..self.clone() };
        for (link, factor) in factors {
            scaled.links[*link] = self.links[*link].scaled(*factor)?;
            scaled.growth[*link] = self.links[*link].growth(*factor);
        }
        Ok(scaled)
    }

    /// Proven distances of spheres inside the joint limits. The first call computes them.
    pub(crate) fn sphere_distances(&self, robot: &Robot) -> &Arc<LinkSphereDistances> {
        self.sphere_distances
            .get_or_init(|| sphere_distances::cached_or_found(robot, &self.links, &self.checked_pairs(), self.key))
    }

    /// Computes the [`sphere_distances`](Self::sphere_distances) anew, as key and bytes to be stored.
    pub(crate) fn find_sphere_distances(&self, robot: &Robot) -> (ContentHash, Vec<u8>) {
        let pairs = self.checked_pairs();
        (
            sphere_distances::key_of(&pairs, self.key),
            sphere_distances::to_bytes(&sphere_distances::find(robot, &self.links, &pairs)),
        )
    }

    /// Links of the pairs that are checked.
    fn checked_pairs(&self) -> Vec<(usize, usize)> {
        self.pairs.iter().filter(|pair| pair.class == PairClass::Checked).map(|pair| pair.links).collect()
    }

    /// The pair of two links, in either order.
    pub(crate) fn pair(&self, a: usize, b: usize) -> Option<&LinkPair> {
        let pair = (a.min(b), a.max(b));
        let found = self.pairs.binary_search_by_key(&pair, |known| known.links);
        found.ok().map(|index| &self.pairs[index])
    }

    /// True when two links with this required clearance, m, have to be checked; see [`LinkPair`].
    pub(crate) fn must_be_checked(&self, a: usize, b: usize, distance: f64, is_inside: bool) -> bool {
        let distance = distance + self.growth[a] + self.growth[b];
        self.pair(a, b).is_some_and(|pair| pair.must_be_checked(distance, is_inside))
    }
}

/// Computes which pairs of links always and never touch, for storing with the robot.
///
/// # Errors
/// As [`RobotGeometry::new`].
pub fn find_pair_facts(robot: &Robot, effort: &Effort) -> Result<PairFacts> {
    let shapes = link_shapes(robot)?;
    let links = link_geometries(robot, &shapes)?;
    let undecided = undecided_pairs(&relations(robot, &links));
    Ok(pairs::find(robot, &links, &undecided, pairs::fingerprint(robot, &shapes), effort))
}

/// Shapes, geometry and undecided pairs of a robot.
#[cfg(test)]
#[expect(clippy::type_complexity, reason = "three lists, for tests alone")]
pub(crate) fn parts_of(
    robot: &Robot,
) -> Result<(Vec<crate::link_geometry::Shapes>, Vec<LinkGeometry>, Vec<(usize, usize)>)> {
    let shapes = link_shapes(robot)?;
    let links = link_geometries(robot, &shapes)?;
    let undecided = undecided_pairs(&relations(robot, &links));
    Ok((shapes, links, undecided))
}

fn relations(robot: &Robot, links: &[LinkGeometry]) -> Vec<((usize, usize), Relation)> {
    let has_geometry: Vec<bool> = links.iter().map(|link| !link.is_empty()).collect();
    self_pairs::relations(robot, &has_geometry)
}

fn undecided_pairs(relations: &[((usize, usize), Relation)]) -> Vec<(usize, usize)> {
    relations.iter().filter(|(_, relation)| *relation == Relation::Open).map(|(pair, _)| *pair).collect()
}

/// Collision shapes of every link, placed in its frame; spheres of the sphere model for links without other shapes.
fn link_shapes(robot: &Robot) -> Result<Vec<Vec<(Pose, Shape)>>> {
    let mut meshes = MeshPieces::new(StoredResults::of_user());
    let of_link = |(index, link): (usize, &Link)| {
        let given = robot.sphere_model.as_ref().map_or(&[][..], |model| &model[index]);
        if link.collisions.is_empty() { balls(given) } else { meshes.link_shapes(link) }
    };
    robot.links.iter().enumerate().map(of_link).collect()
}

fn balls(given: &[[f64; 4]]) -> Result<Vec<(Pose, Shape)>> {
    given.iter().map(|[x, y, z, radius]| Ok((Pose::from_xyz(*x, *y, *z), Shape::sphere(*radius)?))).collect()
}

fn link_geometries(robot: &Robot, shapes: &[Vec<(Pose, Shape)>]) -> Result<Vec<LinkGeometry>> {
    let of_link = |(index, shapes): (usize, &Vec<(Pose, Shape)>)| {
        link_geometry(shapes, robot.sphere_model.as_ref().map(|model| model[index].as_slice()))
    };
    shapes.iter().enumerate().map(of_link).collect()
}

/// Geometry from shapes. When all shapes are spheres, the bounding spheres are exact.
fn link_geometry(shapes: &[(Pose, Shape)], given: Option<&[[f64; 4]]>) -> Result<LinkGeometry> {
    if shapes.is_empty() {
        return Ok(LinkGeometry::default());
    }
    let mut pieces = Vec::new();
    for (link_from_shape, shape) in shapes {
        pieces.push((Arc::new(Body::new(shape)?), *link_from_shape));
    }
    let balls: Option<Vec<Sphere>> = shapes.iter().map(|(pose, shape)| ball(pose, shape)).collect();
    if let Some(spheres) = balls {
        return Ok(LinkGeometry::of_spheres(spheres, pieces));
    }
    let mut spheres: Vec<Sphere> = given.unwrap_or_default().iter().map(sphere).collect();
    if spheres.is_empty() {
        spheres = bounding_spheres(shapes)?;
    }
    Ok(LinkGeometry::within_spheres(spheres, pieces))
}

fn sphere([x, y, z, radius]: &[f64; 4]) -> Sphere {
    Sphere::new(Point3::new(*x, *y, *z), *radius)
}
