//! Model builder: a scene compiled to the collision model of one planning group.

use std::collections::BTreeMap;
use std::sync::Arc;

use kinetic_collision::exact::Body;
use kinetic_collision::{ObstacleSet, PreparedShape, ResolvedACM};
use kinetic_collision_simd::{CollisionModel, ConvexPiece, MovingBody, Obstacle, ObstacleGroup, SelfPair};
use kinetic_core::config::WorkspaceBounds;
use kinetic_core::{Result, Shape};
use kinetic_kinematics::{JointProgram, Rigid};
use kinetic_robot::PlanningGroup;
use nalgebra::{Isometry3, Unit, Vector3};

use crate::content::{Object, SceneContent};
use crate::link_geometry::LinkGeometry;
use crate::margins::{Margins, Required, Side};
use crate::pairs::PairClass;
use crate::prepared::PreparedObject;

/// The source of a checker's body.
pub(crate) enum Carrier {
    Link(usize),
    Attached { link: usize, touch_links: Vec<usize> },
}

/// Bodies, obstacles and their required clearances, while a collision model is built.
pub(crate) struct Builder<'a> {
    content: &'a SceneContent,
    pub(crate) program: JointProgram,
    margins: Margins,
    pub(crate) bodies: Vec<MovingBody>,
    pub(crate) carriers: Vec<Carrier>,
    pub(crate) world: Vec<Obstacle>,
    /// The set of all obstacles, then subsets of it.
    pub(crate) sets: Vec<Arc<ObstacleSet>>,
    /// Indices of the subsets, by their ids.
    subsets: BTreeMap<Vec<u32>, usize>,
    /// Allowed collisions, with bodies numbered before obstacles.
    allowed: ResolvedACM,
    /// Padding per obstacle, m.
    paddings: Vec<f64>,
}

impl<'a> Builder<'a> {
    /// Collects the bodies of a group and the obstacles around them.
    ///
    /// # Errors
    /// For a shape that is no solid.
    pub(crate) fn new(content: &'a SceneContent, group: &PlanningGroup, margins: Margins) -> Result<Self> {
        let program = JointProgram::compile(&content.robot, &group.variables, &content.held);
        let world = world_bodies(content)?;
        let numbered = world.iter().enumerate().map(|(id, body)| (id as u32, body.shape.clone()));
        let sets = vec![Arc::new(ObstacleSet::new(numbered))];
        let paddings = world.iter().map(|object| content.margins.padding(&object.name, 0.0)).collect();
        let mut builder = Self {
            content,
            program,
            margins,
            bodies: Vec::new(),
            carriers: Vec::new(),
            world,
            sets,
            subsets: BTreeMap::new(),
            allowed: ResolvedACM::default(),
            paddings,
        };
        builder.add_links();
        builder.add_attached();
        let of_bodies = builder.bodies.iter().map(|body| body.name.as_str());
        let names: Vec<&str> = of_bodies.chain(builder.world.iter().map(|object| object.name.as_str())).collect();
        builder.allowed = content.allowed.resolve(&names);
        for body in 0..builder.bodies.len() {
            builder.surround(body);
        }
        Ok(builder)
    }

    /// The collision model of all pairs that have to be checked. With `is_inside`, it is valid for configurations
    /// inside the joint limits only.
    pub(crate) fn finish(self, is_inside: bool) -> CollisionModel {
        let pairs = self.self_pairs(is_inside);
        let link = |carrier: &Carrier| match carrier {
            Carrier::Link(link) => Some(*link),
            Carrier::Attached { .. } => None,
        };
        let links = self.carriers.iter().map(link).collect();
        let mut model = CollisionModel::new(self.program, self.bodies, (self.world, self.sets), pairs);
        model.links = links;
        model
    }

    fn add_links(&mut self) {
        for (index, link) in self.content.geometry.links().iter().enumerate() {
            if !link.is_empty() {
                self.add_body(&self.content.robot.links[index].name, index, link);
                self.carriers.push(Carrier::Link(index));
            }
        }
    }

    fn add_attached(&mut self) {
        for (name, attachment) in self.content.attached.iter() {
            let link = attachment.link;
            self.add_body(name, link, attachment.geometry());
            self.carriers.push(Carrier::Attached { link, touch_links: attachment.touch_links.clone() });
        }
    }

    fn add_body(&mut self, name: &str, link: usize, geometry: &LinkGeometry) {
        let (frame, frame_from_link) = self.program.link(link);
        let body = geometry.body(name, frame, &frame_from_link.to_pose(), &self.program);
        self.bodies.push(body);
    }

    /// Finds the obstacles that a body is checked against, and groups them by required clearance.
    fn surround(&mut self, body: usize) {
        if self.bodies[body].frame == 0 || self.world.is_empty() {
            return;
        }
        let ids = 0..self.world.len() as u32;
        let required: Vec<Option<Required>> =
            ids.map(|id| (!self.is_allowed_near(body, id)).then(|| self.required_from(body, id))).collect();
        let groups = grouped(&required);
        if groups.len() > 1 {
            let margin = |required: &Option<Required>| required.as_ref().map_or(0.0, Required::total);
            self.bodies[body].margins = required.iter().map(margin).collect();
        }
        let surroundings = |(required, ids): (&Required, Vec<u32>)| ObstacleGroup {
            set: self.subset(ids),
            margin: required.total(),
            padding: required.padding,
        };
        let world = groups.into_iter().map(surroundings).collect();
        self.bodies[body].world = world;
    }

    /// Index of the set with these ids (ascending). Most bodies share it, with the same required clearance.
    fn subset(&mut self, ids: Vec<u32>) -> usize {
        if ids.len() == self.world.len() {
            return 0;
        }
        if let Some(known) = self.subsets.get(&ids) {
            return *known;
        }
        let shapes = self.sets[0].shapes();
        let made = ObstacleSet::new(ids.iter().map(|id| shapes[*id as usize].clone()));
        self.subsets.insert(ids, self.sets.len());
        self.sets.push(Arc::new(made));
        self.sets.len() - 1
    }

    /// True when an obstacle may be touched by anything.
    pub(crate) fn is_ghost(&self, obstacle: u32) -> bool {
        self.content.allowed.names().any(|name| name == self.world[obstacle as usize].name)
    }

    /// True when the collision of a body and an obstacle is allowed.
    pub(crate) fn is_allowed_near(&self, body: usize, obstacle: u32) -> bool {
        self.allowed.is_allowed(body, self.bodies.len() + obstacle as usize)
    }

    /// True when the collision of two bodies is allowed.
    pub(crate) fn is_allowed(&self, a: usize, b: usize) -> bool {
        self.allowed.is_allowed(a, b)
    }

    /// Padding of a body, m.
    fn padding(&self, body: usize) -> f64 {
        padding(self.content, &self.bodies[body].name, matches!(self.carriers[body], Carrier::Link(_)))
    }

    /// Required clearance of a body from an obstacle.
    pub(crate) fn required_from(&self, body: usize, obstacle: u32) -> Required {
        let (name, other) = (&self.bodies[body].name, &self.world[obstacle as usize].name);
        let paddings = (self.padding(body), self.paddings[obstacle as usize]);
        self.content.margins.required((name, paddings.0), (other, paddings.1), Side::World, self.margins)
    }

    /// Required clearance between two bodies.
    pub(crate) fn required_between(&self, a: usize, b: usize) -> Required {
        let (name, other) = (&self.bodies[a].name, &self.bodies[b].name);
        let paddings = (self.padding(a), self.padding(b));
        self.content.margins.required((name, paddings.0), (other, paddings.1), Side::Own, self.margins)
    }

    /// All pairs that may touch in some configuration, those that have to be checked first, and how many these are.
    fn self_pairs(&self, is_inside: bool) -> (Vec<SelfPair>, usize) {
        let (mut checked, mut proven) = (Vec::new(), Vec::new());
        for b in 0..self.carriers.len() {
            for a in 0..b {
                let margin = self.required_between(a, b).total();
                if self.is_checked(a, b, margin, is_inside) {
                    checked.push(SelfPair::new(&self.bodies, a, b, margin));
                } else if self.is_checked(a, b, margin, false) {
                    proven.push(SelfPair::new(&self.bodies, a, b, margin));
                }
            }
        }
        let count = checked.len();
        checked.append(&mut proven);
        (checked, count)
    }

    fn is_checked(&self, a: usize, b: usize, margin: f64, is_inside: bool) -> bool {
        if self.why_unchecked(a, b).is_some() {
            return false;
        }
        match (&self.carriers[a], &self.carriers[b]) {
            (Carrier::Link(i), Carrier::Link(j)) => self.content.geometry.must_be_checked(*i, *j, margin, is_inside),
            _ => true,
        }
    }

    /// Why two bodies are never compared; `None` when they may be.
    pub(crate) fn why_unchecked(&self, a: usize, b: usize) -> Option<Unchecked> {
        if self.is_allowed(a, b) {
            return Some(Unchecked::Allowed);
        }
        match (&self.carriers[a], &self.carriers[b]) {
            (Carrier::Link(i), Carrier::Link(j)) => match self.content.geometry.pair(*i, *j) {
                Some(pair) if matches!(pair.class, PairClass::Checked | PairClass::Never) => self.of_frames(a, b),
                _ => Some(Unchecked::Links(*i, *j)),
            },
            (Carrier::Link(i), Carrier::Attached { link, .. }) | (Carrier::Attached { link, .. }, Carrier::Link(i))
                if i == link =>
            {
                Some(Unchecked::Carried)
            }
            (Carrier::Link(i), Carrier::Attached { touch_links, .. })
            | (Carrier::Attached { touch_links, .. }, Carrier::Link(i))
                if touch_links.contains(i) =>
            {
                Some(Unchecked::TouchLink)
            }
            _ => self.of_frames(a, b),
        }
    }

    fn of_frames(&self, a: usize, b: usize) -> Option<Unchecked> {
        (self.bodies[a].frame == self.bodies[b].frame).then_some(Unchecked::Unmoved)
    }

    /// Keeps the group's tool origin inside a box: a point on the tip against six half-spaces, without margin.
    ///
    /// # Errors
    /// None for bounds that were checked.
    pub(crate) fn add_workspace(&mut self, group: &PlanningGroup, bounds: &WorkspaceBounds) -> Result<()> {
        let mut set = Vec::new();
        for axis in 0..3 {
            for (sign, side, value) in [(1.0, "below", bounds.min[axis]), (-1.0, "above", bounds.max[axis])] {
                let mut normal = Vector3::zeros();
                normal[axis] = sign;
                let shape = Shape::HalfSpace { normal: Unit::new_unchecked(normal), offset: sign * value };
                let prepared = PreparedShape::new(&shape, &Isometry3::identity())?;
                set.push((self.world.len() as u32, prepared.clone()));
                let name = format!("outside of the workspace {side} {}", ["x", "y", "z"][axis]);
                let body = Arc::new(Body::new(&shape)?);
                let world_from_body = Isometry3::identity();
                self.world.push(Obstacle { name, solid: shape, shape: prepared, body, world_from_body, tree: None });
            }
        }
        self.sets.push(Arc::new(ObstacleSet::new(set)));
        let (frame, frame_from_link) = self.program.link(group.tip_link);
        let center = frame_from_link.then(&Rigid::from(&group.tip_from_tcp)).translation;
        let point = Arc::new(Body::new(&Shape::Sphere { radius: 0.0 })?);
        self.bodies.push(MovingBody {
            name: "tool".to_owned(),
            frame,
            center,
            radius: 0.0,
            spheres: vec![(center, 0.0)],
            inner_radii: vec![0.0],
            pieces: vec![ConvexPiece::new(
                &point,
                &Isometry3::from_parts(center.into(), nalgebra::UnitQuaternion::identity()),
            )],
            spheres_are_exact: true,
            ancestors: self.program.ancestors(frame),
            world: vec![ObstacleGroup { set: self.sets.len() - 1, margin: 0.0, padding: 0.0 }],
            margins: Vec::new(),
        });
        Ok(())
    }
}

/// Why two bodies of the robot are never compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Unchecked {
    /// The object may be touched by anything.
    Ghost,
    /// The scene allows it.
    Allowed,
    /// The class of the two links; see [`PairClass`](crate::pairs::PairClass).
    Links(usize, usize),
    /// One carries the other.
    Carried,
    /// Named when the body was attached.
    TouchLink,
    /// The group does not move the two relative to each other.
    Unmoved,
}

/// Ids of obstacles by required clearance, the group of the first obstacle first.
fn grouped(required: &[Option<Required>]) -> Vec<(&Required, Vec<u32>)> {
    let mut groups: Vec<(&Required, Vec<u32>)> = Vec::new();
    let mut known = BTreeMap::new();
    for (id, required) in required.iter().enumerate() {
        let Some(required) = required else { continue };
        // Compared bit by bit; zeros of both signs make two groups, which is harmless.
        let group = *known.entry((required.total().to_bits(), required.padding.to_bits())).or_insert_with(|| {
            groups.push((required, Vec::new()));
            groups.len() - 1
        });
        groups[group].1.push(id as u32);
    }
    groups
}

/// Padding of a link or an attached body, m.
pub(crate) fn padding(content: &SceneContent, name: &str, is_link: bool) -> f64 {
    content.margins.padding(name, if is_link { content.robot.collision.padding } else { 0.0 })
}

/// The objects of a scene as obstacles of a collision model.
///
/// # Errors
/// For a shape that is no solid.
pub(crate) fn world_bodies(content: &SceneContent) -> Result<Vec<Obstacle>> {
    let body = |(name, object): (&String, &Object)| {
        let PreparedObject { body, tree, .. } = object.prepared.clone();
        let shape = body.prepared(&object.pose.0)?;
        let solid = object.shape.clone();
        Ok(Obstacle { name: name.clone(), solid, shape, body, world_from_body: object.pose.0, tree })
    };
    content.objects.iter().map(body).collect()
}

/// The collision model of a planning group, optionally with a workspace box for the tool's origin.
///
/// # Errors
/// As [`Builder::new`].
pub(crate) fn collision_model(
    content: &SceneContent,
    group: &PlanningGroup,
    margins: Margins,
    workspace: Option<&WorkspaceBounds>,
    is_inside: bool,
) -> Result<CollisionModel> {
    let mut builder = Builder::new(content, group, margins)?;
    if let Some(bounds) = workspace {
        builder.add_workspace(group, bounds)?;
    }
    let mut model = builder.finish(is_inside);
    let limits = &content.robot.joint_limits;
    model.sphere_distances = is_inside.then(|| Arc::clone(content.geometry.sphere_distances(&content.robot)));
    model.precomputed = Arc::clone(&content.robot.collision.precomputed);
    model.limits = is_inside.then(|| group.variables.iter().map(|variable| limits[*variable]).collect());
    Ok(model)
}
