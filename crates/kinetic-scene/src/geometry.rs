//! The robot's collision geometry, and its compilation into a checker for one planning group.

use std::sync::Arc;

use kinetic_collision::exact::ConvexBody;
use kinetic_collision::fit::{self, SphereGenConfig};
use kinetic_collision::self_pairs::{self, Relation};
use kinetic_collision::{ObstacleSet, PreparedShape, Sphere, bounding_ball};
use kinetic_core::config::WorkspaceBounds;
use kinetic_core::{Pose, Result, Shape};
use kinetic_kinematics::{JointProgram, Rigid};
use kinetic_robot::{Link, PairFacts, PlanningGroup, Robot};
use nalgebra::{Isometry3, Point3, Unit, Vector3};

use crate::checker::{Checker, Margins};
use crate::evaluation::{Evaluation, MovingBody, Part, SelfPair, WorldBody};
use crate::pairs::{self, Effort, LinkPair};
use crate::scene::Scene;

/// Most spheres of an attached body. What they cannot clear is decided by the shape itself.
const SPHERES_OF_ATTACHED: usize = 16;

/// Collision geometry of one link, in the link's frame.
#[derive(Debug, Clone, Default)]
pub struct LinkGeometry {
    /// Spheres that contain the link.
    pub spheres: Vec<Sphere>,
    /// Convex pieces; what decides where the spheres say "perhaps".
    pieces: Vec<(Arc<ConvexBody>, Pose)>,
    /// True when the spheres are the geometry itself.
    pub spheres_are_exact: bool,
}

impl LinkGeometry {
    /// True for a link that cannot touch anything.
    pub fn is_empty(&self) -> bool {
        self.spheres.is_empty()
    }

    /// Convex pieces with their poses in the link, `link_from_piece`.
    pub fn pieces(&self) -> &[(Arc<ConvexBody>, Pose)] {
        &self.pieces
    }

    /// The link as a body of a checker: fixed on a frame of `program`, with neither padding nor obstacles.
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
            padding: 0.0,
            ancestors: program.ancestors(frame),
            world: Arc::default(),
        }
    }

    /// Geometry of a body that is attached while a program runs: its cover is rough, and quick to make.
    pub(crate) fn of_attached(shape: &Shape, link_from_shape: &Pose) -> Result<Self> {
        let pieces = vec![(Arc::new(ConvexBody::new(shape)?), *link_from_shape)];
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
            pieces.push((Arc::new(ConvexBody::new(shape)?), *link_from_shape));
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

/// Spheres that contain all shapes of a link, by construction.
fn cover(shapes: &[(Pose, Shape)]) -> Result<Vec<Sphere>> {
    let placed: Vec<_> = shapes.iter().map(|(pose, shape)| (pose.0, shape)).collect();
    fit::cover_all(&placed, &SphereGenConfig::default())
}

/// Collision geometry of a robot: per link shapes and spheres, and what is done with each pair of links.
#[derive(Debug, Clone)]
pub struct RobotGeometry {
    links: Vec<LinkGeometry>,
    pairs: Vec<LinkPair>,
    padding: f64,
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
        let facts = pairs::facts(robot, &links, &open_pairs(&relations), pairs::fingerprint(robot, &shapes));
        Ok(Self { links, pairs: pairs::classify(relations, &facts), padding: robot.collision.padding })
    }

    /// Geometry per link, in link order.
    pub fn links(&self) -> &[LinkGeometry] {
        &self.links
    }

    /// All pairs of links with geometry, ascending.
    pub fn pairs(&self) -> &[LinkPair] {
        &self.pairs
    }

    /// True when a checker has to look at two links; see [`LinkPair`].
    fn must_be_checked(&self, a: usize, b: usize, own_margin: f64, is_inside: bool) -> bool {
        let pair = (a.min(b), a.max(b));
        let distance = own_margin + 2.0 * self.padding;
        let found = self.pairs.binary_search_by_key(&pair, |known| known.links);
        found.is_ok_and(|index| self.pairs[index].must_be_checked(distance, is_inside))
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

fn relations(robot: &Robot, links: &[LinkGeometry]) -> Vec<((usize, usize), Relation)> {
    let has_geometry: Vec<bool> = links.iter().map(|link| !link.is_empty()).collect();
    self_pairs::relations(robot, &has_geometry)
}

fn open_pairs(relations: &[((usize, usize), Relation)]) -> Vec<(usize, usize)> {
    relations.iter().filter(|(_, relation)| *relation == Relation::Open).map(|(pair, _)| *pair).collect()
}

/// Collision shapes of every link, placed in its frame; balls of the sphere model for links without other shapes.
fn link_shapes(robot: &Robot) -> Result<Vec<Vec<(Pose, Shape)>>> {
    let of_link = |(index, link): (usize, &Link)| {
        let given = robot.sphere_model.as_ref().map_or(&[][..], |model| &model[index]);
        if link.collisions.is_empty() { balls(given) } else { fit::link_shapes(link) }
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

/// Compiles a scene for one planning group.
///
/// `is_inside` promises that it is asked about configurations inside the joint limits only.
pub(crate) fn build_checker(
    scene: &Scene,
    group: &PlanningGroup,
    margins: Margins,
    workspace: Option<&WorkspaceBounds>,
    is_inside: bool,
) -> Result<Checker> {
    let program = JointProgram::compile(scene.robot(), &group.variables, scene.held());
    let world = world_bodies(scene)?;
    let numbered = world.iter().enumerate().map(|(id, body)| (id as u32, body.shape.clone()));
    let everything = Arc::new(ObstacleSet::new(numbered));
    let mut builder = Builder { scene, program, bodies: Vec::new(), carriers: Vec::new(), world, everything };
    builder.add_links();
    builder.add_attached();
    let pairs = builder.self_pairs(margins.own, is_inside);
    if let Some(bounds) = workspace {
        builder.add_workspace(group, bounds, margins.world)?;
    }
    let Builder { program, bodies, world, .. } = builder;
    let mut evaluation = Evaluation::new(program, bodies, world, pairs, (margins.world, margins.own));
    let limits = &scene.robot().joint_limits;
    evaluation.limits = is_inside.then(|| group.variables.iter().map(|variable| limits[*variable]).collect());
    Ok(Checker::new(evaluation, group.name.clone()))
}

fn world_bodies(scene: &Scene) -> Result<Vec<WorldBody>> {
    let body = |(name, object): (&String, &crate::scene::Object)| {
        let body = Arc::new(ConvexBody::new(&object.shape)?);
        let shape = PreparedShape::new(&object.shape, &object.pose.0)?;
        let solid = object.shape.clone();
        Ok(WorldBody { name: name.clone(), solid, shape, body, world_from_body: object.pose.0 })
    };
    scene.objects().iter().map(body).collect()
}

/// What a body of the checker is made from.
enum Carrier {
    Link(usize),
    Attached { link: usize, touch_links: Vec<usize> },
}

struct Builder<'a> {
    scene: &'a Scene,
    program: JointProgram,
    bodies: Vec<MovingBody>,
    carriers: Vec<Carrier>,
    world: Vec<WorldBody>,
    everything: Arc<ObstacleSet>,
}

impl Builder<'_> {
    fn add_links(&mut self) {
        let geometry = self.scene.geometry();
        for (index, link) in geometry.links.iter().enumerate() {
            if !link.is_empty() {
                let (frame, frame_from_link) = self.program.link(index);
                let frame_from_link = frame_from_link.to_pose();
                let name = &self.scene.robot().links[index].name;
                self.add_body(name, frame, &frame_from_link, link, geometry.padding);
                self.carriers.push(Carrier::Link(index));
            }
        }
    }

    fn add_attached(&mut self) {
        for (name, attachment) in self.scene.attached() {
            let link = attachment.link;
            let (frame, frame_from_link) = self.program.link(link);
            let frame_from_link = frame_from_link.to_pose();
            self.add_body(name, frame, &frame_from_link, attachment.geometry(), 0.0);
            self.carriers.push(Carrier::Attached { link, touch_links: attachment.touch_links.clone() });
        }
    }

    fn add_body(&mut self, name: &str, frame: usize, frame_from_link: &Pose, link: &LinkGeometry, padding: f64) {
        let world = if frame == 0 { Arc::default() } else { self.obstacles(name) };
        let body = MovingBody { padding, world, ..link.body(name, frame, frame_from_link, &self.program) };
        self.bodies.push(body);
    }

    /// The objects that a body has to keep clear of.
    fn obstacles(&self, name: &str) -> Arc<ObstacleSet> {
        let allowed = self.scene.allowed();
        let is_kept = |id: u32| !allowed.is_allowed(name, &self.world[id as usize].name);
        if self.everything.shapes().iter().all(|(id, _)| is_kept(*id)) {
            return Arc::clone(&self.everything);
        }
        Arc::new(ObstacleSet::new(self.everything.shapes().iter().filter(|(id, _)| is_kept(*id)).cloned()))
    }

    /// All pairs that may touch in some configuration, those that have to be checked first, and how many these are.
    fn self_pairs(&self, own_margin: f64, is_inside: bool) -> (Vec<SelfPair>, usize) {
        let (mut checked, mut proven) = (Vec::new(), Vec::new());
        for b in 0..self.bodies.len() {
            for a in 0..b {
                if self.is_checked(a, b, own_margin, is_inside) {
                    checked.push(SelfPair::new(&self.bodies, a, b));
                } else if self.is_checked(a, b, own_margin, false) {
                    proven.push(SelfPair::new(&self.bodies, a, b));
                }
            }
        }
        let count = checked.len();
        checked.append(&mut proven);
        (checked, count)
    }

    fn is_checked(&self, a: usize, b: usize, own_margin: f64, is_inside: bool) -> bool {
        let (body_a, body_b) = (&self.bodies[a], &self.bodies[b]);
        if body_a.frame == body_b.frame || self.scene.allowed().is_allowed(&body_a.name, &body_b.name) {
            return false;
        }
        match (&self.carriers[a], &self.carriers[b]) {
            (Carrier::Link(i), Carrier::Link(j)) => {
                self.scene.geometry().must_be_checked(*i, *j, own_margin, is_inside)
            }
            (Carrier::Link(i), Carrier::Attached { link, touch_links })
            | (Carrier::Attached { link, touch_links }, Carrier::Link(i)) => i != link && !touch_links.contains(i),
            (Carrier::Attached { .. }, Carrier::Attached { .. }) => true,
        }
    }

    /// Keeps the group's tool origin inside a box: a point on the tip against six half-spaces, without margin.
    fn add_workspace(&mut self, group: &PlanningGroup, bounds: &WorkspaceBounds, margin: f64) -> Result<()> {
        let mut set = Vec::new();
        for axis in 0..3 {
            for (sign, side, value) in [(1.0, "below", bounds.min[axis]), (-1.0, "above", bounds.max[axis])] {
                let mut normal = Vector3::zeros();
                normal[axis] = sign;
                let shape = Shape::HalfSpace { normal: Unit::new_unchecked(normal), offset: sign * value };
                let prepared = PreparedShape::new(&shape, &Isometry3::identity())?;
                set.push((self.world.len() as u32, prepared.clone()));
                let name = format!("outside of the workspace {side} {}", ["x", "y", "z"][axis]);
                let body = Arc::new(ConvexBody::new(&shape)?);
                let world_from_body = Isometry3::identity();
                self.world.push(WorldBody { name, solid: shape, shape: prepared, body, world_from_body });
            }
        }
        let (frame, frame_from_link) = self.program.link(group.tip_link);
        let center = frame_from_link.then(&Rigid::from(&group.tip_from_tcp)).translation;
        self.bodies.push(MovingBody {
            name: "tool".to_owned(),
            frame,
            center,
            radius: 0.0,
            spheres: vec![(center, 0.0)],
            pieces: Vec::new(),
            spheres_are_exact: true,
            padding: -margin,
            ancestors: self.program.ancestors(frame),
            world: Arc::new(ObstacleSet::new(set)),
        });
        Ok(())
    }
}

fn piece(body: &Arc<ConvexBody>, frame_from_piece: &Isometry3<f64>) -> Part {
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
