//! The collision model of a planning group: bodies of the robot, obstacles, pairs, and the clearance that each
//! requires.
//!
//! It is plain data in double precision. The single-precision engine is compiled from it, and the exact tier measures
//! with it.

use std::sync::Arc;

use kinetic_collision::exact::Body;
use kinetic_collision::{ObstacleSet, PreparedShape};
use kinetic_core::{JointLimits, Shape};
use kinetic_kinematics::JointProgram;
use kinetic_robot::Precomputed;
use nalgebra::{Isometry3, Vector3};

use crate::model::compound_tree::CompoundTree;
use crate::sphere_distances::{LinkSphereDistances, SphereDistances};

/// A convex piece of a body, fixed in the body's frame.
#[derive(Debug, Clone)]
pub struct ConvexPiece {
    /// The solid.
    pub body: Arc<Body>,
    /// Its pose in the frame that carries the body.
    pub frame_from_piece: Isometry3<f64>,
    /// Centre of its bounding sphere, in the frame.
    pub center: Vector3<f64>,
    /// Radius of its bounding sphere, m.
    pub radius: f64,
}

impl ConvexPiece {
    /// A solid at a pose in a frame.
    pub fn new(body: &Arc<Body>, frame_from_piece: &Isometry3<f64>) -> Self {
        let ball = body.bounding_ball();
        let center = (frame_from_piece * ball.center).coords;
        Self { body: Arc::clone(body), frame_from_piece: *frame_from_piece, center, radius: ball.radius }
    }
}

/// One link or attached body, compiled for a planning group.
#[derive(Debug, Clone)]
pub struct MovingBody {
    /// Name of the link or attached body.
    pub name: String,
    /// Frame of the program that carries it.
    pub frame: usize,
    /// Centre of the bounding sphere in the frame. It contains all `spheres`, and so all pieces.
    pub center: Vector3<f64>,
    /// Radius of the bounding sphere, m.
    pub radius: f64,
    /// Bounding spheres in the frame, centre and radius, that contain the pieces.
    pub spheres: Vec<(Vector3<f64>, f64)>,
    /// Radii of balls around the centres of `spheres` that are inside the body, m; negative where there is none.
    pub inner_radii: Vec<f64>,
    /// Convex pieces, which the exact tier measures where the spheres do not decide.
    pub pieces: Vec<ConvexPiece>,
    /// True when the body is its spheres (a sphere model was given), so that their verdicts are exact.
    pub spheres_are_exact: bool,
    /// Moving frames from the body's to the root, nearest first.
    pub ancestors: Vec<usize>,
    /// Obstacles that this body is checked against, by the clearance that they require.
    pub world: Vec<ObstacleGroup>,
    /// Required clearance per obstacle, m; empty when it is the same for all.
    pub margins: Vec<f64>,
}

/// Obstacles that require the same clearance from a body.
#[derive(Debug, Clone)]
pub struct ObstacleGroup {
    /// Number of the set of obstacles.
    pub set: usize,
    /// Required clearance, m; paddings included.
    pub margin: f64,
    /// Paddings of body and obstacle, m.
    pub padding: f64,
}

impl MovingBody {
    /// Required clearance from an obstacle, m; paddings included.
    #[inline]
    pub fn margin_to(&self, obstacle: u32) -> f64 {
        match self.world.as_slice() {
            [all] => all.margin,
            _ => self.margins.get(obstacle as usize).copied().unwrap_or(0.0),
        }
    }

    /// Ids of all obstacles that it is checked against.
    pub fn obstacles<'a>(&'a self, sets: &'a [Arc<ObstacleSet>]) -> impl Iterator<Item = u32> + 'a {
        self.world.iter().flat_map(|group| sets[group.set].shapes().iter().map(|(id, _)| *id))
    }
}

/// A fixed obstacle.
#[derive(Debug, Clone)]
pub struct Obstacle {
    /// Its name in the scene.
    pub name: String,
    /// The shape as given.
    pub solid: Shape,
    /// The placed shape, for distances of points.
    pub shape: PreparedShape,
    /// The solid, for distances of convex bodies.
    pub body: Arc<Body>,
    /// Pose of the solid in the root frame.
    pub world_from_body: Isometry3<f64>,
    /// Bounding-volume tree of a shape of many pieces.
    pub tree: Option<Arc<CompoundTree>>,
}

/// Two bodies of the robot that may touch.
#[derive(Debug, Clone, Copy)]
pub struct SelfPair {
    /// The first body.
    pub a: usize,
    /// The second body.
    pub b: usize,
    /// Number of ancestors of each below their common frame.
    pub below: (usize, usize),
    /// Required clearance, m; paddings included.
    pub margin: f64,
}

impl SelfPair {
    /// The pair of two of `bodies`.
    pub fn new(bodies: &[MovingBody], a: usize, b: usize, margin: f64) -> Self {
        let (of_a, of_b) = (&bodies[a].ancestors, &bodies[b].ancestors);
        let common = of_a.iter().rev().zip(of_b.iter().rev()).take_while(|(x, y)| x == y).count();
        Self { a, b, below: (of_a.len() - common, of_b.len() - common), margin }
    }
}

/// Bodies, obstacles and required clearances.
///
/// Items are numbered: body `i` against all its obstacles is item `i`, self-collision pair `k` is item `bodies.len() +
/// k`, and body `i` against the single obstacle `o` is item `bodies.len() + pairs.len() + i · world.len() + o`.
#[derive(Debug, Clone)]
pub struct CollisionModel {
    /// Forward kinematics of the group.
    pub program: JointProgram,
    /// Links and attached bodies.
    pub bodies: Vec<MovingBody>,
    /// Obstacles.
    pub world: Vec<Obstacle>,
    /// Sets of obstacles that bodies are checked against; ids index the world.
    pub sets: Vec<Arc<ObstacleSet>>,
    /// Pairs of the robot's bodies: first those to check, then those whose required clearance is proven for all
    /// configurations.
    pub pairs: Vec<SelfPair>,
    /// Number of pairs that are checked.
    pub checked_pairs: usize,
    /// Limits of the variables, when configurations are promised to be inside them.
    pub limits: Option<Vec<JointLimits>>,
    /// Per body its link; attached bodies come last and may be missing.
    pub links: Vec<Option<usize>>,
    /// Proven lower bounds on the distances of links' spheres, when configurations are promised to be inside the limits.
    pub sphere_distances: Option<Arc<LinkSphereDistances>>,
    /// Results that are stored with the robot.
    pub precomputed: Arc<Precomputed>,
}

impl CollisionModel {
    /// A model without limits or precomputed results; `pairs` come with the number of those that are checked.
    pub fn new(
        program: JointProgram,
        bodies: Vec<MovingBody>,
        (world, sets): (Vec<Obstacle>, Vec<Arc<ObstacleSet>>),
        (pairs, checked_pairs): (Vec<SelfPair>, usize),
    ) -> Self {
        Self {
            program,
            bodies,
            world,
            sets,
            pairs,
            checked_pairs,
            limits: None,
            links: Vec::new(),
            sphere_distances: None,
            precomputed: Arc::default(),
        }
    }

    /// Proven lower bounds on the distances of the spheres of a pair's bodies, where there are any.
    pub fn distances_of_spheres(&self, pair: &SelfPair) -> Option<&SphereDistances> {
        self.sphere_distances.as_ref()?.pair((self.link(pair.a)?, self.link(pair.b)?))
    }

    /// The link that a body is, unless it is attached.
    pub fn link(&self, body: usize) -> Option<usize> {
        self.links.get(body).copied().flatten()
    }
}
