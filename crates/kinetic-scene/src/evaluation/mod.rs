//! Distances of the robot's bodies at one configuration, and bounds on their motion around it.
//!
//! **Motion bound.** Let `q` lie in a box of half-widths `radius` around the placed configuration. A point of a body
//! moves from its placed position by applying the joints' displacements as screws about their *placed* axes, the most
//! distal joint first (product of exponentials). A screw about an axis at distance `ρ` by an angle `δ` moves a point by
//! at most `ρ δ` (and at most `2 ρ`), and the joints before it have moved the point by at most `d`, so its distance
//! from the next axis is at most `ρ' + d`. Summing from tip to base bounds the motion of every point of the body's
//! bounding ball. For two bodies only the joints below their common frame count.

mod distance;
mod gradient;
mod nearness;
mod parting;
mod separation;

use std::sync::Arc;

use kinetic_collision::exact::Body;
use kinetic_collision::{ObstacleSet, PreparedShape};
use kinetic_core::{JointLimits, Shape};
use kinetic_kinematics::{JointProgram, Motion, Rigid};
use kinetic_robot::Precomputed;
use nalgebra::{Isometry3, Point3, Rotation3, UnitQuaternion, Vector3};

use crate::lanes::{LaneTree, Parting};
use crate::pairs::{FarSpheres, Kept};
use crate::sweep::Evaluator;
use nearness::Nearness;

/// A convex piece of a body, fixed in the body's frame.
#[derive(Debug, Clone)]
pub(crate) struct Part {
    pub(crate) body: Arc<Body>,
    pub(crate) frame_from_piece: Isometry3<f64>,
    /// Bounding ball in the frame.
    pub(crate) center: Vector3<f64>,
    pub(crate) radius: f64,
}

/// One link or attached body, compiled for a planning group.
#[derive(Debug, Clone)]
pub(crate) struct MovingBody {
    pub(crate) name: String,
    /// Frame of the program that carries it.
    pub(crate) frame: usize,
    /// Bounding ball in the frame; contains all spheres, and so all pieces.
    pub(crate) center: Vector3<f64>,
    pub(crate) radius: f64,
    /// Spheres in the frame, centre and radius, that contain the pieces.
    pub(crate) spheres: Vec<(Vector3<f64>, f64)>,
    /// Convex pieces that decide where the spheres say "perhaps".
    pub(crate) pieces: Vec<Part>,
    /// The spheres *are* the body (a sphere model was given): what they say is exact.
    pub(crate) spheres_are_exact: bool,
    /// Moving frames from the body's to the root, nearest first.
    pub(crate) ancestors: Vec<usize>,
    /// Obstacles this body is checked against, by what it has to keep from them.
    pub(crate) world: Vec<Surroundings>,
    /// Per obstacle what has to be kept from it, m; empty when that is the same for all.
    pub(crate) margins: Vec<f64>,
}

/// Obstacles from which a body keeps the same distance.
#[derive(Debug, Clone)]
pub(crate) struct Surroundings {
    /// Number of the set of obstacles.
    pub(crate) set: usize,
    /// Distance to keep, m; paddings included.
    pub(crate) margin: f64,
    /// Paddings of body and obstacle, m.
    pub(crate) padding: f64,
}

impl MovingBody {
    /// Distance to keep from an obstacle, m; paddings included.
    #[inline]
    pub(crate) fn margin_to(&self, obstacle: u32) -> f64 {
        match self.world.as_slice() {
            [all] => all.margin,
            _ => self.margins.get(obstacle as usize).copied().unwrap_or(0.0),
        }
    }

    /// Ids of all obstacles it is checked against.
    pub(crate) fn obstacles<'a>(&'a self, sets: &'a [Arc<ObstacleSet>]) -> impl Iterator<Item = u32> + 'a {
        self.world.iter().flat_map(|group| sets[group.set].shapes().iter().map(|(id, _)| *id))
    }
}

/// What may touch: see [`Evaluation`].
#[derive(Debug, Clone, Copy)]
enum Item {
    World(usize),
    Own(SelfPair),
    Obstacle(usize, u32),
}

/// A fixed obstacle.
#[derive(Debug, Clone)]
pub(crate) struct WorldBody {
    pub(crate) name: String,
    /// As given.
    pub(crate) solid: Shape,
    /// For distances of points.
    pub(crate) shape: PreparedShape,
    /// For distances of convex bodies.
    pub(crate) body: Arc<Body>,
    pub(crate) world_from_body: Isometry3<f64>,
    /// Of an obstacle of many pieces: for distances of many points at once.
    pub(crate) tree: Option<Arc<LaneTree>>,
}

/// Two bodies of the robot that may touch.
#[derive(Debug, Clone, Copy)]
pub(crate) struct SelfPair {
    pub(crate) a: usize,
    pub(crate) b: usize,
    /// How many ancestors of each lie below their common frame.
    pub(crate) below: (usize, usize),
    /// Distance to keep, m; paddings included.
    pub(crate) margin: f64,
}

impl SelfPair {
    /// The pair of two of `bodies`.
    pub(crate) fn new(bodies: &[MovingBody], a: usize, b: usize, margin: f64) -> Self {
        let (of_a, of_b) = (&bodies[a].ancestors, &bodies[b].ancestors);
        let common = of_a.iter().rev().zip(of_b.iter().rev()).take_while(|(x, y)| x == y).count();
        Self { a, b, below: (of_a.len() - common, of_b.len() - common), margin }
    }
}

/// Bodies, obstacles and margins, with the poses of the placed configuration.
///
/// Items are numbered: body `i` against all its obstacles is item `i`, self pair `k` is item `bodies.len() + k`, and body
/// `i` against obstacle `o` alone, which the first stands for, is item `bodies.len() + pairs.len() + i · world.len() + o`.
#[derive(Debug, Clone)]
pub(crate) struct Evaluation {
    pub(crate) program: JointProgram,
    pub(crate) bodies: Vec<MovingBody>,
    pub(crate) world: Vec<WorldBody>,
    /// Sets of obstacles that bodies keep clear of; ids index the world.
    pub(crate) sets: Vec<Arc<ObstacleSet>>,
    /// Pairs of the robot's bodies: first those to check, then those that are proven to keep their margin.
    pub(crate) pairs: Vec<SelfPair>,
    /// How many pairs are checked.
    pub(crate) checked_pairs: usize,
    /// Whether questions about distances concern all pairs.
    pub(crate) is_complete: bool,
    /// Limits of the variables, when configurations are promised to be inside them.
    pub(crate) limits: Option<Vec<JointLimits>>,
    /// Per body its link; bodies that are none come last and may be missing.
    pub(crate) links: Vec<Option<usize>>,
    /// What is known about spheres of links, when configurations are promised to be inside the limits.
    pub(crate) far: Option<Arc<FarSpheres>>,
    /// Results that travel with the robot.
    pub(crate) precomputed: Arc<Precomputed>,
    /// What single precision can say about convex pieces.
    pub(crate) parting: Parting,
    frames: Vec<Rigid>,
    /// Half-widths of the box around the placed configuration.
    radius: Vec<f64>,
    /// Whose centre and motion bounds are computed.
    bodies_placed: Vec<bool>,
    /// Placed ball centres.
    centers: Vec<Vector3<f64>>,
    /// Motion bounds, per body one entry per ancestor: the bound including that ancestor's joint.
    reaches: Vec<f64>,
    first_reach: Vec<usize>,
    /// Placed sphere centres of all bodies, computed when first asked for.
    spheres: Vec<Vector3<f64>>,
    first_sphere: Vec<usize>,
    spheres_placed: Vec<bool>,
}

impl Evaluation {
    /// The distances that the spheres of a pair's bodies keep from each other, where something is known about them.
    pub(crate) fn kept(&self, pair: &SelfPair) -> Option<&Kept> {
        self.far.as_ref()?.pair((self.link(pair.a)?, self.link(pair.b)?))
    }

    /// The link that a body is, unless it is attached.
    pub(crate) fn link(&self, body: usize) -> Option<usize> {
        self.links.get(body).copied().flatten()
    }

    pub(crate) fn new(
        program: JointProgram,
        bodies: Vec<MovingBody>,
        (world, sets): (Vec<WorldBody>, Vec<Arc<ObstacleSet>>),
        (pairs, checked_pairs): (Vec<SelfPair>, usize),
    ) -> Self {
        let starts = |sizes: &mut dyn Iterator<Item = usize>| {
            let mut starts = vec![0];
            for size in sizes {
                starts.push(starts[starts.len() - 1] + size);
            }
            starts
        };
        let first_reach = starts(&mut bodies.iter().map(|body| body.ancestors.len()));
        let first_sphere = starts(&mut bodies.iter().map(|body| body.spheres.len()));
        Self {
            parting: Parting::new(&bodies, &world),
            frames: vec![Rigid::identity(); program.num_frames()],
            radius: vec![0.0; program.num_variables()],
            bodies_placed: vec![false; bodies.len()],
            centers: vec![Vector3::zeros(); bodies.len()],
            reaches: vec![0.0; first_reach[bodies.len()]],
            spheres: vec![Vector3::zeros(); first_sphere[bodies.len()]],
            spheres_placed: vec![false; bodies.len()],
            program,
            bodies,
            world,
            sets,
            pairs,
            checked_pairs,
            is_complete: false,
            limits: None,
            links: Vec::new(),
            far: None,
            precomputed: Arc::default(),
            first_reach,
            first_sphere,
        }
    }

    /// What an item number stands for.
    #[inline]
    fn decode(&self, item: u32) -> Item {
        let (item, bodies, pairs) = (item as usize, self.bodies.len(), self.pairs.len());
        if item < bodies {
            return Item::World(item);
        }
        if item < bodies + pairs {
            return Item::Own(self.pairs[item - bodies]);
        }
        let index = item - bodies - pairs;
        Item::Obstacle(index / self.world.len(), (index % self.world.len()) as u32)
    }

    /// The finest item: for a body against the world, the body against the obstacle that is closest to its margin at the
    /// placed configuration.
    pub(crate) fn finest(&mut self, item: u32) -> u32 {
        let Item::World(body) = self.decode(item) else { return item };
        let nearest = self.world_excess(body, f64::INFINITY);
        nearest.map_or(item, |(_, obstacle)| self.obstacle_item(body, obstacle))
    }

    /// The number of a body against one obstacle.
    #[inline]
    pub(crate) fn obstacle_item(&self, body: usize, obstacle: u32) -> u32 {
        (self.bodies.len() + self.pairs.len() + body * self.world.len()) as u32 + obstacle
    }

    /// Every body against each of its obstacles, and every pair, proven or not.
    pub(crate) fn finest_items(&self) -> Vec<u32> {
        let pairs = self.bodies.len() as u32..(self.bodies.len() + self.pairs.len()) as u32;
        let of_body = |(body, this): (usize, &MovingBody)| -> Vec<u32> {
            this.obstacles(&self.sets).map(|id| self.obstacle_item(body, id)).collect()
        };
        self.bodies.iter().enumerate().flat_map(of_body).chain(pairs).collect()
    }

    /// The names of a finest item.
    pub(crate) fn names(&self, item: u32) -> (String, String) {
        let (body, other) = match self.decode(item) {
            Item::Own(pair) => (pair.a, self.bodies[pair.b].name.clone()),
            Item::Obstacle(body, obstacle) => (body, self.world[obstacle as usize].name.clone()),
            Item::World(body) => (body, String::new()),
        };
        (self.bodies[body].name.clone(), other)
    }

    /// The bodies of the robot in an item.
    pub(crate) fn bodies_of(&self, item: u32) -> [Option<usize>; 2] {
        match self.decode(item) {
            Item::World(body) | Item::Obstacle(body, _) => [Some(body), None],
            Item::Own(pair) => [Some(pair.a), Some(pair.b)],
        }
    }

    /// True when two bodies are proven to keep their margin.
    pub(crate) fn is_proven(&self, a: usize, b: usize) -> bool {
        self.pairs[self.checked_pairs..].iter().any(|pair| (pair.a, pair.b) == (a, b))
    }

    /// Distance that a finest item must keep, paddings included.
    pub(crate) fn margin(&self, item: u32) -> f64 {
        match self.decode(item) {
            Item::Obstacle(body, obstacle) => self.bodies[body].margin_to(obstacle),
            Item::Own(pair) => pair.margin,
            Item::World(_) => 0.0,
        }
    }

    /// The least distances to keep from the world and between own bodies, `None` where there is nothing to keep.
    pub(crate) fn least_margins(&self) -> (Option<f64>, Option<f64>) {
        // The point that is kept inside a workspace is no body.
        let bodies = self.bodies.iter().filter(|body| body.radius > 0.0);
        let world = bodies.flat_map(|body| &body.world).filter(|group| !self.sets[group.set].is_empty());
        let least = |margins: &mut dyn Iterator<Item = f64>| margins.min_by(f64::total_cmp);
        (least(&mut world.map(|group| group.margin)), least(&mut self.pairs.iter().map(|pair| pair.margin)))
    }

    fn place_spheres(&mut self, body: usize) {
        if std::mem::replace(&mut self.spheres_placed[body], true) {
            return;
        }
        let this = &self.bodies[body];
        let frame = &self.frames[this.frame];
        let first = self.first_sphere[body];
        for (index, (center, _)) in this.spheres.iter().enumerate() {
            self.spheres[first + index] = frame.point(center);
        }
    }

    /// Places a body's ball and bounds its motion, unless that is done; late in a proof few bodies are asked for.
    #[inline]
    fn place_body(&mut self, body: usize) {
        if std::mem::replace(&mut self.bodies_placed[body], true) {
            return;
        }
        let this = &self.bodies[body];
        self.centers[body] = self.frames[this.frame].point(&this.center);
        self.bound_motion(body);
    }

    /// Motion bounds of one body: entry `k` includes its nearest `k + 1` joints.
    fn bound_motion(&mut self, body: usize) {
        let this = &self.bodies[body];
        let mut moved = 0.0;
        for (slot, ancestor) in this.ancestors.iter().enumerate() {
            let frame = &self.program.frames()[ancestor - 1];
            let width = self.radius[frame.variable] * frame.multiplier.abs();
            moved += match frame.motion {
                Motion::Translation => width,
                Motion::Rotation => {
                    let pose = &self.frames[*ancestor];
                    let arm = pose.z_axis().cross(&(self.centers[body] - pose.translation)).norm();
                    (arm + this.radius + moved) * width.min(2.0)
                }
            };
            self.reaches[self.first_reach[body] + slot] = moved;
        }
    }

    /// The variable whose part of the box moves the two bodies most against each other: the one to split. `None` when
    /// the box is a point.
    pub(crate) fn widest_variable(&mut self, pair: SelfPair) -> Option<usize> {
        let mut widest = None;
        let mut most = 0.0;
        for (body, joints) in [(pair.a, pair.below.0), (pair.b, pair.below.1)] {
            self.place_body(body);
            let mut inner = 0.0;
            for slot in 0..joints {
                let outer = self.reaches[self.first_reach[body] + slot];
                if outer - inner > most {
                    most = outer - inner;
                    widest = Some(self.program.frames()[self.bodies[body].ancestors[slot] - 1].variable);
                }
                inner = outer;
            }
        }
        widest
    }

    fn reach_of(&self, body: usize, joints: usize) -> f64 {
        if joints == 0 { 0.0 } else { self.reaches[self.first_reach[body] + joints - 1] }
    }

    /// Appends a body against each obstacle that the ball around it comes within `cutoff` of its margin to.
    #[inline]
    fn list_near(&mut self, body: usize, cutoff: f64, items: &mut Vec<u32>) {
        self.place_body(body);
        let first = self.obstacle_item(body, 0);
        let (this, center) = (&self.bodies[body], Point3::from(self.centers[body]));
        for group in &this.world {
            let reach = this.radius + group.margin + cutoff;
            self.sets[group.set].for_each_id_within(&center, reach, |id| items.push(first + id));
        }
    }
}

impl Evaluator for Evaluation {
    fn num_items(&self) -> usize {
        self.bodies.len() + if self.is_complete { self.pairs.len() } else { self.checked_pairs }
    }

    fn is_own(&self, item: u32) -> bool {
        matches!(self.decode(item), Item::Own(_))
    }

    fn place(&mut self, q: &[f64], radius: &[f64]) {
        self.program.frames_into(q, &mut self.frames);
        self.radius.copy_from_slice(radius);
        self.bodies_placed.fill(false);
        self.spheres_placed.fill(false);
    }

    fn reach(&mut self, item: u32) -> f64 {
        match self.decode(item) {
            Item::World(body) | Item::Obstacle(body, _) => {
                self.place_body(body);
                self.reach_of(body, self.bodies[body].ancestors.len())
            }
            Item::Own(pair) => {
                self.place_body(pair.a);
                self.place_body(pair.b);
                self.reach_of(pair.a, pair.below.0) + self.reach_of(pair.b, pair.below.1)
            }
        }
    }

    fn excess(&mut self, item: u32, cutoff: f64) -> f64 {
        let (found, margin) = match self.decode(item) {
            Item::World(body) => (self.world_excess(body, cutoff).map(|(excess, _)| excess), 0.0),
            Item::Own(pair) => (self.self_distance(pair, cutoff + pair.margin), pair.margin),
            Item::Obstacle(body, obstacle) => {
                let margin = self.bodies[body].margin_to(obstacle);
                (self.obstacle_distance(body, obstacle, cutoff + margin), margin)
            }
        };
        found.map_or(f64::INFINITY, |distance| distance - margin)
    }

    fn is_within(&mut self, item: u32, cutoff: f64) -> bool {
        match self.decode(item) {
            Item::World(body) => self.world_excess(body, cutoff).is_some(),
            _ => self.is_nearer(item, cutoff),
        }
    }

    fn narrow(&mut self, item: u32, cutoff: f64, open: &mut Vec<u32>) -> Option<u32> {
        let before = open.len();
        match self.decode(item) {
            Item::World(body) => self.list_near(body, cutoff, open),
            _ => open.push(item),
        }
        // Keeps the undecided at the front.
        let mut kept = before;
        for index in before..open.len() {
            let candidate = open[index];
            match self.nearness(candidate, cutoff) {
                Nearness::Clear => {}
                Nearness::Open => {
                    open[kept] = candidate;
                    kept += 1;
                }
                Nearness::Blocked => return Some(candidate),
            }
        }
        open.truncate(kept);
        None
    }
}

/// The cutoff up to which covering spheres have to say "perhaps". A union of balls can be deeper in an obstacle than each
/// of its balls, so that depths of balls bound nothing; contact of balls does.
#[inline]
fn perhaps(cutoff: f64) -> f64 {
    cutoff.max(0.0).next_up()
}

/// As a quaternion pose, for the exact tier.
fn isometry(rigid: &Rigid) -> Isometry3<f64> {
    let rotation = UnitQuaternion::from_rotation_matrix(&Rotation3::from_matrix_unchecked(rigid.rotation));
    Isometry3::from_parts(rigid.translation.into(), rotation)
}
