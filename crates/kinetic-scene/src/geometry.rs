//! The robot's collision geometry.

use std::sync::{Arc, OnceLock};

use kinetic_collision::exact::Body;
use kinetic_collision::fit;
use kinetic_collision::self_pairs::{self, Relation};
use kinetic_collision::{Sphere, bounding_ball};
use kinetic_core::{ContentHash, Pose, Result, Shape};
use kinetic_kinematics::JointProgram;
use kinetic_robot::{Link, PairFacts, Robot};
use nalgebra::{Isometry3, Point3, Vector3};

use crate::covers::cover;
use crate::evaluation::{MovingBody, Part};
use crate::known::Known;
use crate::mesh_pieces::MeshPieces;
use crate::pairs::{self, Effort, FarSpheres, LinkPair, PairClass};

/// Most spheres of an attached body. What they cannot clear is decided by the shape itself.
const SPHERES_OF_ATTACHED: usize = 16;

/// Shapes of a link with their poses, `link_from_shape`.
pub(crate) type Shapes = Vec<(Pose, Shape)>;

/// Collision geometry of one link, in the link's frame.
#[derive(Debug, Clone, Default)]
pub struct LinkGeometry {
    /// Spheres that contain the link.
    pub spheres: Vec<Sphere>,
    /// Convex pieces; what decides where the spheres say "perhaps".
    pub(crate) pieces: Vec<(Arc<Body>, Pose)>,
    /// True when the spheres are the geometry itself.
    pub spheres_are_exact: bool,
}

impl LinkGeometry {
    /// True for a link that cannot touch anything.
    pub fn is_empty(&self) -> bool {
        self.spheres.is_empty()
    }

    /// Convex pieces with their poses in the link, `link_from_piece`.
    pub fn pieces(&self) -> &[(Arc<Body>, Pose)] {
        &self.pieces
    }

    /// A ball around all pieces.
    pub(crate) fn ball_of_pieces(&self) -> Sphere {
        let ball = |(body, link_from_piece): &(Arc<Body>, Pose)| {
            let ball = body.bounding_ball();
            ((link_from_piece.0 * ball.center).coords, ball.radius)
        };
        let (center, radius) = enclosing_ball(&self.pieces.iter().map(ball).collect::<Vec<_>>());
        Sphere::new(center.into(), radius)
    }

    /// The link as a body of a checker: fixed on a frame of `program`, with no obstacles.
    pub(crate) fn body(&self, name: &str, frame: usize, frame_from_link: &Pose, program: &JointProgram) -> MovingBody {
        let spheres: Vec<(Vector3<f64>, f64)> =
            self.spheres.iter().map(|s| ((frame_from_link.0 * s.center).coords, s.radius)).collect();
        let (center, radius) = enclosing_ball(&spheres);
        MovingBody {
            name: name.to_owned(),
            frame,
            center,
            radius,
            spheres,
            pieces: self.pieces.iter().map(|(body, pose)| piece(body, &(frame_from_link.0 * pose.0))).collect(),
            spheres_are_exact: self.spheres_are_exact,
            ancestors: program.ancestors(frame),
            world: Vec::new(),
            margins: Vec::new(),
        }
    }

    /// Geometry of a body that is attached while a program runs: its cover is rough, and quick to make.
    pub(crate) fn of_attached(shape: &Shape, link_from_shape: &Pose) -> Result<Self> {
        let pieces = vec![(Arc::new(Body::new(shape)?), *link_from_shape)];
        if let Some(ball) = ball(link_from_shape, shape) {
            return Ok(Self { spheres: vec![ball], pieces, spheres_are_exact: true });
        }
        let spheres = fit::cover_by_grid(shape, &link_from_shape.0, SPHERES_OF_ATTACHED)?;
        Ok(Self { spheres, pieces, spheres_are_exact: false })
    }

    /// Geometry from shapes; all of them balls: the spheres are exact.
    fn from_shapes(shapes: &[(Pose, Shape)], given: Option<&[[f64; 4]]>) -> Result<Self> {
        if shapes.is_empty() {
            return Ok(Self::default());
        }
        let mut pieces = Vec::new();
        for (link_from_shape, shape) in shapes {
            pieces.push((Arc::new(Body::new(shape)?), *link_from_shape));
        }
        let balls: Option<Vec<Sphere>> = shapes.iter().map(|(pose, shape)| ball(pose, shape)).collect();
        if let Some(spheres) = balls {
            return Ok(Self { spheres, pieces, spheres_are_exact: true });
        }
        let mut spheres: Vec<Sphere> = given.unwrap_or_default().iter().map(sphere).collect();
        if spheres.is_empty() {
            spheres = cover(shapes)?;
        }
        Ok(Self { spheres, pieces, spheres_are_exact: false })
    }
}

fn sphere([x, y, z, radius]: &[f64; 4]) -> Sphere {
    Sphere::new(Point3::new(*x, *y, *z), *radius)
}

fn ball(pose: &Pose, shape: &Shape) -> Option<Sphere> {
    match shape {
        Shape::Sphere { radius } => Some(Sphere::new(pose.translation().into(), *radius)),
        _ => None,
    }
}

/// Collision geometry of a robot: per link shapes and spheres, and what is done with each pair of links.
#[derive(Debug, Clone)]
pub struct RobotGeometry {
    links: Vec<LinkGeometry>,
    pairs: Vec<LinkPair>,
    /// Per link how far it reaches beyond the one that `pairs` is about, m: links may be scaled.
    growth: Vec<f64>,
    /// Which spheres never meet, once that was asked; and what it depends on.
    far: Arc<OnceLock<Arc<FarSpheres>>>,
    key: u64,
}

impl RobotGeometry {
    /// Builds the geometry; loads meshes that the robot refers to. Which pairs always or never touch is stored with
    /// built-in robots, and found out once per robot and process for others.
    ///
    /// # Errors
    /// What loading meshes reports, or a shape that is no solid.
    pub fn new(robot: &Robot) -> Result<Self> {
        let shapes = link_shapes(robot)?;
        let links = link_geometries(robot, &shapes)?;
        let relations = relations(robot, &links);
        let fingerprint = pairs::fingerprint(robot, &shapes);
        let facts = pairs::facts(robot, (&shapes, &links), &open_pairs(&relations), fingerprint);
        Ok(Self {
            growth: vec![0.0; links.len()],
            key: pairs::with_spheres(fingerprint, &links),
            far: Arc::default(),
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

    /// The same geometry with some links larger or smaller: every shape of link `index` by a factor about its own centre.
    ///
    /// # Errors
    /// What [`LinkGeometry::scaled`] reports.
    pub(crate) fn scaled(&self, factors: &[(usize, f64)]) -> Result<Self> {
        // Nothing is known about other spheres.
        let mut scaled = Self { far: Arc::new(OnceLock::from(Arc::default())), ..self.clone() };
        for (link, factor) in factors {
            scaled.links[*link] = self.links[*link].scaled(*factor)?;
            scaled.growth[*link] = self.links[*link].growth(*factor);
        }
        Ok(scaled)
    }

    /// Which spheres never meet inside the joint limits, as far as that is known. The first call finds out.
    pub(crate) fn far_spheres(&self, robot: &Robot) -> &Arc<FarSpheres> {
        self.far.get_or_init(|| FarSpheres::of(robot, &self.links, &self.checked_pairs(), self.key))
    }

    /// The key and the bytes of what [`far_spheres`](Self::far_spheres) finds, found anew.
    pub(crate) fn find_far_spheres(&self, robot: &Robot) -> (ContentHash, Vec<u8>) {
        let pairs = self.checked_pairs();
        (FarSpheres::key(&pairs, self.key), FarSpheres::find(robot, &self.links, &pairs).to_bytes())
    }

    /// Links of the pairs that are checked.
    fn checked_pairs(&self) -> Vec<(usize, usize)> {
        self.pairs.iter().filter(|pair| pair.class == PairClass::Checked).map(|pair| pair.links).collect()
    }

    /// What is known about two links, in either order.
    pub(crate) fn pair(&self, a: usize, b: usize) -> Option<&LinkPair> {
        let pair = (a.min(b), a.max(b));
        let found = self.pairs.binary_search_by_key(&pair, |known| known.links);
        found.ok().map(|index| &self.pairs[index])
    }

    /// True when a checker has to look at two links that must keep `distance`, m; see [`LinkPair`].
    pub(crate) fn must_be_checked(&self, a: usize, b: usize, distance: f64, is_inside: bool) -> bool {
        let distance = distance + self.growth[a] + self.growth[b];
        self.pair(a, b).is_some_and(|pair| pair.must_be_checked(distance, is_inside))
    }
}

/// Works out which pairs of links always and never touch, for storing with the robot.
///
/// # Errors
/// As [`RobotGeometry::new`].
pub fn find_pair_facts(robot: &Robot, effort: &Effort) -> Result<PairFacts> {
    let shapes = link_shapes(robot)?;
    let links = link_geometries(robot, &shapes)?;
    let open = open_pairs(&relations(robot, &links));
    Ok(pairs::find(robot, &links, &open, pairs::fingerprint(robot, &shapes), effort))
}

/// Shapes, geometry and open pairs of a robot.
#[cfg(test)]
#[expect(clippy::type_complexity, reason = "three lists, for tests alone")]
pub(crate) fn parts_of(robot: &Robot) -> Result<(Vec<Shapes>, Vec<LinkGeometry>, Vec<(usize, usize)>)> {
    let shapes = link_shapes(robot)?;
    let links = link_geometries(robot, &shapes)?;
    let open = open_pairs(&relations(robot, &links));
    Ok((shapes, links, open))
}

fn relations(robot: &Robot, links: &[LinkGeometry]) -> Vec<((usize, usize), Relation)> {
    let has_geometry: Vec<bool> = links.iter().map(|link| !link.is_empty()).collect();
    self_pairs::relations(robot, &has_geometry)
}

fn open_pairs(relations: &[((usize, usize), Relation)]) -> Vec<(usize, usize)> {
    relations.iter().filter(|(_, relation)| *relation == Relation::Open).map(|(pair, _)| *pair).collect()
}

/// Collision shapes of every link, placed in its frame; balls of the sphere model for links without other shapes.
fn link_shapes(robot: &Robot) -> Result<Vec<Vec<(Pose, Shape)>>> {
    let mut meshes = MeshPieces::new(Known::of_user());
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
        LinkGeometry::from_shapes(shapes, robot.sphere_model.as_ref().map(|model| model[index].as_slice()))
    };
    shapes.iter().enumerate().map(of_link).collect()
}

pub(crate) fn piece(body: &Arc<Body>, frame_from_piece: &Isometry3<f64>) -> Part {
    let ball = body.bounding_ball();
    let center = (frame_from_piece * ball.center).coords;
    Part { body: Arc::clone(body), frame_from_piece: *frame_from_piece, center, radius: ball.radius }
}

/// A ball around balls: the smallest around their centres, enlarged until it holds all of them.
pub(crate) fn enclosing_ball(spheres: &[(Vector3<f64>, f64)]) -> (Vector3<f64>, f64) {
    let centers: Vec<Point3<f64>> = spheres.iter().map(|(center, _)| Point3::from(*center)).collect();
    let center = bounding_ball(&centers).center.coords;
    let radius = spheres.iter().map(|(c, r)| (c - center).norm() + r).fold(0.0, f64::max);
    (center, radius)
}
