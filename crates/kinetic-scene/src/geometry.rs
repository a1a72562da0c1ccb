//! The robot's collision geometry, and its compilation into a checker for one planning group.

use std::sync::Arc;

use kinetic_collision::exact::ConvexBody;
use kinetic_collision::fit::{self, SphereGenConfig};
use kinetic_collision::{ObstacleSet, PreparedShape, Sphere, bounding_ball, self_pairs};
use kinetic_core::config::WorkspaceBounds;
use kinetic_core::{Pose, Result, Shape};
use kinetic_kinematics::{JointProgram, Rigid};
use kinetic_robot::{GeometryShape, PlanningGroup, Robot};
use nalgebra::{Isometry3, Point3, Unit, Vector3};

use crate::always::without_always_touching;
use crate::attachment::Attachment;
use crate::checker::{Checker, Margins};
use crate::evaluation::{Evaluation, MovingBody, Part, SelfPair, WorldBody};
use crate::scene::Scene;

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

    /// Geometry from shapes; all of them balls: the spheres are exact.
    fn from_shapes(shapes: &[(Pose, Shape)], given: Option<&[[f64; 4]]>) -> Result<Self> {
        let mut pieces = Vec::new();
        for (link_from_shape, shape) in shapes {
            pieces.push((Arc::new(ConvexBody::new(shape)?), *link_from_shape));
        }
        let balls: Option<Vec<Sphere>> = shapes.iter().map(|(pose, shape)| ball(pose, shape)).collect();
        if let (Some(spheres), false) = (balls, shapes.is_empty()) {
            return Ok(Self { spheres, pieces, spheres_are_exact: true });
        }
        let given = given.unwrap_or_default();
        if shapes.is_empty() {
            return Self::from_spheres(given);
        }
        let mut spheres: Vec<Sphere> = given.iter().map(sphere).collect();
        if spheres.is_empty() {
            spheres = cover(shapes)?;
        }
        Ok(Self { spheres, pieces, spheres_are_exact: false })
    }

    /// Geometry that is a sphere model and nothing else.
    fn from_spheres(given: &[[f64; 4]]) -> Result<Self> {
        let shapes = given
            .iter()
            .map(|[x, y, z, radius]| Ok((Pose::from_xyz(*x, *y, *z), Shape::sphere(*radius)?)))
            .collect::<Result<Vec<_>>>()?;
        if shapes.is_empty() { Ok(Self::default()) } else { Self::from_shapes(&shapes, None) }
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

/// Collision geometry of a robot: per link shapes and spheres, and the pairs of links to check.
#[derive(Debug, Clone)]
pub struct RobotGeometry {
    links: Vec<LinkGeometry>,
    pairs: Vec<(usize, usize)>,
    padding: f64,
}

impl RobotGeometry {
    /// Builds the geometry; loads meshes that the robot refers to.
    ///
    /// # Errors
    /// What loading meshes reports, or a shape that is no solid.
    pub fn new(robot: &Robot) -> Result<Self> {
        let mut links = Vec::with_capacity(robot.links.len());
        for (index, link) in robot.links.iter().enumerate() {
            let mut shapes = Vec::new();
            for geometry in &link.collisions {
                let shape = match &geometry.shape {
                    GeometryShape::Shape(shape) => shape.clone(),
                    GeometryShape::Mesh(mesh) => Shape::convex(&mesh.load()?.vertices, 0.0)?,
                };
                shapes.push((geometry.link_from_shape, shape));
            }
            let given = robot.sphere_model.as_ref().map(|model| model[index].as_slice());
            links.push(LinkGeometry::from_shapes(&shapes, given)?);
        }
        let has_geometry: Vec<bool> = links.iter().map(|link| !link.is_empty()).collect();
        let pairs = without_always_touching(robot, &links, self_pairs::checked_pairs(robot, &has_geometry));
        Ok(Self { links, pairs, padding: robot.collision.padding })
    }

    /// Geometry per link, in link order.
    pub fn links(&self) -> &[LinkGeometry] {
        &self.links
    }

    /// Pairs of links that are checked against each other, as link indices.
    pub fn pairs(&self) -> &[(usize, usize)] {
        &self.pairs
    }
}

/// Compiles a scene for one planning group.
pub(crate) fn build_checker(
    scene: &Scene,
    group: &PlanningGroup,
    margins: Margins,
    workspace: Option<&WorkspaceBounds>,
) -> Result<Checker> {
    let program = JointProgram::compile(scene.robot(), &group.variables, scene.held());
    let world = world_bodies(scene)?;
    let numbered = world.iter().enumerate().map(|(id, body)| (id as u32, body.shape.clone()));
    let everything = Arc::new(ObstacleSet::new(numbered));
    let mut builder = Builder { scene, program, bodies: Vec::new(), carriers: Vec::new(), world, everything };
    builder.add_links();
    builder.add_attached()?;
    let pairs = builder.self_pairs();
    if let Some(bounds) = workspace {
        builder.add_workspace(group, bounds, margins.world)?;
    }
    let Builder { program, bodies, world, .. } = builder;
    let evaluation = Evaluation::new(program, bodies, world, pairs, (margins.world, margins.own));
    Ok(Checker::new(evaluation, group.name.clone()))
}

fn world_bodies(scene: &Scene) -> Result<Vec<WorldBody>> {
    let body = |(name, object): (&String, &crate::scene::Object)| {
        let body = Arc::new(ConvexBody::new(&object.shape)?);
        let shape = PreparedShape::new(&object.shape, &object.pose.0)?;
        Ok(WorldBody { name: name.clone(), shape, body, world_from_body: object.pose.0 })
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

    fn add_attached(&mut self) -> Result<()> {
        for (name, Attachment { shape, link_from_shape, link, touch_links }) in self.scene.attached() {
            let geometry = LinkGeometry::from_shapes(&[(*link_from_shape, shape.clone())], None)?;
            let (frame, frame_from_link) = self.program.link(*link);
            let frame_from_link = frame_from_link.to_pose();
            self.add_body(name, frame, &frame_from_link, &geometry, 0.0);
            self.carriers.push(Carrier::Attached { link: *link, touch_links: touch_links.clone() });
        }
        Ok(())
    }

    fn add_body(&mut self, name: &str, frame: usize, frame_from_link: &Pose, link: &LinkGeometry, padding: f64) {
        let spheres: Vec<(Vector3<f64>, f64)> =
            link.spheres.iter().map(|s| ((frame_from_link.0 * s.center).coords, s.radius)).collect();
        let (center, radius) = enclosing_ball(&spheres);
        let pieces = link.pieces.iter().map(|(body, pose)| piece(body, &(frame_from_link.0 * pose.0))).collect();
        let world = if frame == 0 { Arc::default() } else { self.obstacles(name) };
        let ancestors = self.program.ancestors(frame);
        let spheres_are_exact = link.spheres_are_exact;
        let name = name.to_owned();
        self.bodies.push(MovingBody {
            name,
            frame,
            center,
            radius,
            spheres,
            pieces,
            spheres_are_exact,
            padding,
            ancestors,
            world,
        });
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

    fn self_pairs(&self) -> Vec<SelfPair> {
        let mut pairs = Vec::new();
        for b in 0..self.bodies.len() {
            for a in 0..b {
                if self.is_checked(a, b) {
                    pairs.push(self.pair(a, b));
                }
            }
        }
        pairs
    }

    fn is_checked(&self, a: usize, b: usize) -> bool {
        let (body_a, body_b) = (&self.bodies[a], &self.bodies[b]);
        if body_a.frame == body_b.frame || self.scene.allowed().is_allowed(&body_a.name, &body_b.name) {
            return false;
        }
        match (&self.carriers[a], &self.carriers[b]) {
            (Carrier::Link(i), Carrier::Link(j)) => {
                let pair = (*i.min(j), *i.max(j));
                self.scene.geometry().pairs.binary_search(&pair).is_ok()
            }
            (Carrier::Link(i), Carrier::Attached { link, touch_links })
            | (Carrier::Attached { link, touch_links }, Carrier::Link(i)) => i != link && !touch_links.contains(i),
            (Carrier::Attached { .. }, Carrier::Attached { .. }) => true,
        }
    }

    /// The pair, with the number of joints of each below their common frame.
    fn pair(&self, a: usize, b: usize) -> SelfPair {
        let (of_a, of_b) = (&self.bodies[a].ancestors, &self.bodies[b].ancestors);
        let common = of_a.iter().rev().zip(of_b.iter().rev()).take_while(|(x, y)| x == y).count();
        SelfPair { a, b, below: (of_a.len() - common, of_b.len() - common) }
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
                self.world.push(WorldBody { name, shape: prepared, body, world_from_body: Isometry3::identity() });
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
fn enclosing_ball(spheres: &[(Vector3<f64>, f64)]) -> (Vector3<f64>, f64) {
    let centers: Vec<Point3<f64>> = spheres.iter().map(|(center, _)| Point3::from(*center)).collect();
    let center = bounding_ball(&centers).center.coords;
    let radius = spheres.iter().map(|(c, r)| (c - center).norm() + r).fold(0.0, f64::max);
    (center, radius)
}
