//! The exact tier: distances of the robot's bodies at one configuration in double precision, and their motion bounds.
//!
//! **Motion bound.** Let `q` lie in a box of half-widths `radius` around the placed configuration. A point of a body
//! moves from its placed position by applying the joints' displacements as screws about their *placed* axes, the most
//! distal joint first (product of exponentials). A screw about an axis at distance `ρ` by an angle `δ` moves a point by
//! at most `ρ δ` (and at most `2 ρ`), and the joints before it have moved the point by at most `d`, so its distance
//! from the next axis is at most `ρ' + d`. Summing from tip to base bounds the motion of every point of the body's
//! bounding sphere. For two bodies only the joints below their common frame count.

mod distance;
mod gradient;
mod nearness;
mod separated;
mod sphere_witness;
mod witness;

use kinetic_collision_simd::{CollisionModel, ExactTier, MovingBody, SelfPair, SeparationTest};
use kinetic_kinematics::{Motion, Rigid};
use nalgebra::{Isometry3, Point3, Rotation3, UnitQuaternion, Vector3};

use crate::continuous::DistanceQueries;
use nearness::Nearness;
pub(crate) use sphere_witness::ClosestPoints;

/// An item of the collision model; see [`PlacedModel`].
#[derive(Debug, Clone, Copy)]
enum CollisionItem {
    World(usize),
    SelfPair(SelfPair),
    Obstacle(usize, u32),
}

/// A collision model with the poses of one configuration. Items are numbered as [`CollisionModel`] says.
#[derive(Debug, Clone)]
pub(crate) struct PlacedModel {
    pub(crate) model: CollisionModel,
    /// Whether distances include pairs whose required clearance is proven for all configurations.
    pub(crate) is_complete: bool,
    /// Separation test of convex pieces in single precision.
    pub(crate) separation: SeparationTest,
    pub(crate) frames: Vec<Rigid>,
    /// Pairs of bodies in an order that does not depend on which of them are proven to keep their required clearance.
    pub(crate) pair_order: Vec<u32>,
    /// Obstacles near a body, for proximity queries.
    pub(crate) near: Vec<u32>,
    /// Half-widths of the box around the placed configuration.
    radius: Vec<f64>,
    /// Per body, whether its centre and motion bounds are computed.
    bodies_placed: Vec<bool>,
    /// Placed centres of the bodies' bounding spheres.
    centers: Vec<Vector3<f64>>,
    /// Motion bounds, per body one entry per ancestor: the bound including that ancestor's joint.
    motion_bounds: Vec<f64>,
    first_motion_bound: Vec<usize>,
    /// Placed sphere centres of all bodies, computed at the first query.
    spheres: Vec<Vector3<f64>>,
    first_sphere: Vec<usize>,
    spheres_placed: Vec<bool>,
}

impl PlacedModel {
    pub(crate) fn new(model: CollisionModel) -> Self {
        let CollisionModel { program, bodies, world, .. } = &model;
        let starts = |sizes: &mut dyn Iterator<Item = usize>| {
            let mut starts = vec![0];
            for size in sizes {
                starts.push(starts[starts.len() - 1] + size);
            }
            starts
        };
        let mut pair_order: Vec<u32> = (0..model.pairs.len() as u32).collect();
        pair_order.sort_by_key(|pair| (model.pairs[*pair as usize].b, model.pairs[*pair as usize].a));
        let first_motion_bound = starts(&mut bodies.iter().map(|body| body.ancestors.len()));
        let first_sphere = starts(&mut bodies.iter().map(|body| body.spheres.len()));
        Self {
            separation: SeparationTest::new(bodies, world),
            frames: vec![Rigid::identity(); program.num_frames()],
            radius: vec![0.0; program.num_variables()],
            bodies_placed: vec![false; bodies.len()],
            centers: vec![Vector3::zeros(); bodies.len()],
            motion_bounds: vec![0.0; first_motion_bound[bodies.len()]],
            spheres: vec![Vector3::zeros(); first_sphere[bodies.len()]],
            spheres_placed: vec![false; bodies.len()],
            is_complete: false,
            near: Vec::new(),
            pair_order,
            first_motion_bound,
            first_sphere,
            model,
        }
    }

    /// The item with a number.
    #[inline]
    fn decode(&self, item: u32) -> CollisionItem {
        let (item, bodies, pairs) = (item as usize, self.model.bodies.len(), self.model.pairs.len());
        if item < bodies {
            return CollisionItem::World(item);
        }
        if item < bodies + pairs {
            return CollisionItem::SelfPair(self.model.pairs[item - bodies]);
        }
        let index = item - bodies - pairs;
        CollisionItem::Obstacle(index / self.model.world.len(), (index % self.model.world.len()) as u32)
    }

    /// The finest item: for a body against the world, the body against the obstacle that is closest to its margin at the
    /// placed configuration.
    pub(crate) fn finest(&mut self, item: u32) -> u32 {
        let CollisionItem::World(body) = self.decode(item) else { return item };
        let nearest = self.world_slack(body, f64::INFINITY);
        nearest.map_or(item, |(_, obstacle)| self.obstacle_item(body, obstacle))
    }

    /// The number of a body against one obstacle.
    #[inline]
    pub(crate) fn obstacle_item(&self, body: usize, obstacle: u32) -> u32 {
        (self.model.bodies.len() + self.model.pairs.len() + body * self.model.world.len()) as u32 + obstacle
    }

    /// Every body against each of its obstacles, and every pair, proven or not.
    pub(crate) fn finest_items(&self) -> Vec<u32> {
        let pairs = self.model.bodies.len() as u32..(self.model.bodies.len() + self.model.pairs.len()) as u32;
        let of_body = |(body, this): (usize, &MovingBody)| -> Vec<u32> {
            this.obstacles(&self.model.sets).map(|id| self.obstacle_item(body, id)).collect()
        };
        self.model.bodies.iter().enumerate().flat_map(of_body).chain(pairs).collect()
    }

    /// The names of a finest item.
    pub(crate) fn names(&self, item: u32) -> (String, String) {
        let (body, other) = match self.decode(item) {
            CollisionItem::SelfPair(pair) => (pair.a, self.model.bodies[pair.b].name.clone()),
            CollisionItem::Obstacle(body, obstacle) => (body, self.model.world[obstacle as usize].name.clone()),
            CollisionItem::World(body) => (body, String::new()),
        };
        (self.model.bodies[body].name.clone(), other)
    }

    /// The bodies of the robot in an item.
    pub(crate) fn bodies_of(&self, item: u32) -> [Option<usize>; 2] {
        match self.decode(item) {
            CollisionItem::World(body) | CollisionItem::Obstacle(body, _) => [Some(body), None],
            CollisionItem::SelfPair(pair) => [Some(pair.a), Some(pair.b)],
        }
    }

    /// True when two bodies are proven to keep their margin.
    pub(crate) fn is_proven(&self, a: usize, b: usize) -> bool {
        self.model.pairs[self.model.checked_pairs..].iter().any(|pair| (pair.a, pair.b) == (a, b))
    }

    /// Required clearance of a finest item, paddings included.
    pub(crate) fn margin(&self, item: u32) -> f64 {
        match self.decode(item) {
            CollisionItem::Obstacle(body, obstacle) => self.model.bodies[body].margin_to(obstacle),
            CollisionItem::SelfPair(pair) => pair.margin,
            CollisionItem::World(_) => 0.0,
        }
    }

    /// The least required clearances from the world and in self-collision; `None` where there is no such pair.
    pub(crate) fn least_margins(&self) -> (Option<f64>, Option<f64>) {
        // The point that is bound to a workspace is no body.
        let bodies = self.model.bodies.iter().filter(|body| body.radius > 0.0);
        let world = bodies.flat_map(|body| &body.world).filter(|group| !self.model.sets[group.set].is_empty());
        let least = |margins: &mut dyn Iterator<Item = f64>| margins.min_by(f64::total_cmp);
        (least(&mut world.map(|group| group.margin)), least(&mut self.model.pairs.iter().map(|pair| pair.margin)))
    }

    /// Places the frames alone, for queries that need no motion bounds.
    pub(crate) fn place_frames(&mut self, q: &[f64]) {
        self.model.program.frames_into(q, &mut self.frames);
        self.radius.fill(0.0);
        self.bodies_placed.fill(false);
        self.spheres_placed.fill(false);
    }

    /// Placed centre of a body's bounding sphere.
    #[inline]
    pub(crate) fn ball_center(&self, body: usize) -> Vector3<f64> {
        let this = &self.model.bodies[body];
        self.frames[this.frame].point(&this.center)
    }

    /// Appends the obstacles from which the slack of a body's bounding sphere is at most `cutoff`.
    /// All of them for a configuration with NaN, whose distances are unknown.
    pub(crate) fn list_near_obstacles(&self, body: usize, cutoff: f64, obstacles: &mut Vec<u32>) {
        let (this, center) = (&self.model.bodies[body], Point3::from(self.ball_center(body)));
        if !center.coords.sum().is_finite() {
            return obstacles.extend(this.obstacles(&self.model.sets));
        }
        for group in &this.world {
            let near = this.radius + group.margin + cutoff;
            self.model.sets[group.set].for_each_id_within(&center, near, |id| obstacles.push(id));
        }
    }

    fn place_spheres(&mut self, body: usize) {
        if std::mem::replace(&mut self.spheres_placed[body], true) {
            return;
        }
        let this = &self.model.bodies[body];
        let frame = &self.frames[this.frame];
        let first = self.first_sphere[body];
        for (index, (center, _)) in this.spheres.iter().enumerate() {
            self.spheres[first + index] = frame.point(center);
        }
    }

    /// Places a body's bounding sphere and computes its motion bounds, unless that is done. It is done lazily, because
    /// late in a proof few bodies are needed.
    #[inline]
    fn place_body(&mut self, body: usize) {
        if std::mem::replace(&mut self.bodies_placed[body], true) {
            return;
        }
        let this = &self.model.bodies[body];
        self.centers[body] = self.frames[this.frame].point(&this.center);
        self.bound_motion(body);
    }

    /// Motion bounds of one body: entry `k` includes its nearest `k + 1` joints.
    fn bound_motion(&mut self, body: usize) {
        let this = &self.model.bodies[body];
        let mut moved = 0.0;
        for (slot, ancestor) in this.ancestors.iter().enumerate() {
            let frame = &self.model.program.frames()[ancestor - 1];
            let width = self.radius[frame.variable] * frame.multiplier.abs();
            moved += match frame.motion {
                Motion::Translation => width,
                Motion::Rotation => {
                    let pose = &self.frames[*ancestor];
                    let arm = pose.z_axis().cross(&(self.centers[body] - pose.translation)).norm();
                    (arm + this.radius + moved) * width.min(2.0)
                }
            };
            self.motion_bounds[self.first_motion_bound[body] + slot] = moved;
        }
    }

    /// The variable whose range in the box moves the two bodies most relative to each other, which is the one to split.
    /// `None` when the box is a point.
    pub(crate) fn widest_variable(&mut self, pair: SelfPair) -> Option<usize> {
        let mut widest = None;
        let mut most = 0.0;
        for (body, joints) in [(pair.a, pair.below.0), (pair.b, pair.below.1)] {
            self.place_body(body);
            let mut inner = 0.0;
            for slot in 0..joints {
                let outer = self.motion_bounds[self.first_motion_bound[body] + slot];
                if outer - inner > most {
                    most = outer - inner;
                    widest = Some(self.model.program.frames()[self.model.bodies[body].ancestors[slot] - 1].variable);
                }
                inner = outer;
            }
        }
        widest
    }

    fn motion_bound_of(&self, body: usize, joints: usize) -> f64 {
        if joints == 0 { 0.0 } else { self.motion_bounds[self.first_motion_bound[body] + joints - 1] }
    }

    /// Appends the items of a body and each obstacle from which the slack of its bounding sphere is at most `cutoff`.
    #[inline]
    fn list_near(&mut self, body: usize, cutoff: f64, items: &mut Vec<u32>) {
        self.place_body(body);
        let first = self.obstacle_item(body, 0);
        let (this, center) = (&self.model.bodies[body], Point3::from(self.centers[body]));
        for group in &this.world {
            let near = this.radius + group.margin + cutoff;
            self.model.sets[group.set].for_each_id_within(&center, near, |id| items.push(first + id));
        }
    }
}

impl ExactTier for PlacedModel {
    fn num_items(&self) -> usize {
        self.model.bodies.len() + if self.is_complete { self.model.pairs.len() } else { self.model.checked_pairs }
    }

    fn place(&mut self, q: &[f64], radius: &[f64]) {
        self.model.program.frames_into(q, &mut self.frames);
        self.radius.copy_from_slice(radius);
        self.bodies_placed.fill(false);
        self.spheres_placed.fill(false);
    }

    fn misses_margin(&mut self, item: u32) -> bool {
        self.nearness(item, 0.0) == Nearness::Blocked
    }
}

impl DistanceQueries for PlacedModel {
    fn is_self(&self, item: u32) -> bool {
        matches!(self.decode(item), CollisionItem::SelfPair(_))
    }

    fn motion_bound(&mut self, item: u32) -> f64 {
        match self.decode(item) {
            CollisionItem::World(body) | CollisionItem::Obstacle(body, _) => {
                self.place_body(body);
                self.motion_bound_of(body, self.model.bodies[body].ancestors.len())
            }
            CollisionItem::SelfPair(pair) => {
                self.place_body(pair.a);
                self.place_body(pair.b);
                self.motion_bound_of(pair.a, pair.below.0) + self.motion_bound_of(pair.b, pair.below.1)
            }
        }
    }

    fn slack(&mut self, item: u32, cutoff: f64) -> f64 {
        let (found, margin) = match self.decode(item) {
            CollisionItem::World(body) => (self.world_slack(body, cutoff).map(|(slack, _)| slack), 0.0),
            CollisionItem::SelfPair(pair) => (self.self_distance(pair, cutoff + pair.margin), pair.margin),
            CollisionItem::Obstacle(body, obstacle) => {
                let margin = self.model.bodies[body].margin_to(obstacle);
                (self.obstacle_distance(body, obstacle, cutoff + margin), margin)
            }
        };
        found.map_or(f64::INFINITY, |distance| distance - margin)
    }

    fn is_within(&mut self, item: u32, cutoff: f64) -> bool {
        match self.decode(item) {
            CollisionItem::World(body) => self.world_slack(body, cutoff).is_some(),
            _ => self.is_nearer(item, cutoff),
        }
    }

    fn narrow(&mut self, item: u32, cutoff: f64, undecided: &mut Vec<u32>) -> Option<u32> {
        let before = undecided.len();
        match self.decode(item) {
            CollisionItem::World(body) => self.list_near(body, cutoff, undecided),
            _ => undecided.push(item),
        }
        // Moves the undecided items to the front.
        let mut front = before;
        for index in before..undecided.len() {
            let candidate = undecided[index];
            match self.nearness(candidate, cutoff) {
                Nearness::Clear => {}
                Nearness::Undecided => {
                    undecided[front] = candidate;
                    front += 1;
                }
                Nearness::Blocked => return Some(candidate),
            }
        }
        undecided.truncate(front);
        None
    }
}

/// The distance of bounding spheres up to which a pair is undecided at a cutoff. A union of spheres can penetrate an
/// obstacle deeper than each of its spheres, so that penetration depths of spheres are no bound; contact of spheres is.
#[inline]
fn perhaps(cutoff: f64) -> f64 {
    cutoff.max(0.0).next_up()
}

/// Converts a pose to a quaternion pose, which exact distances need.
fn isometry(rigid: &Rigid) -> Isometry3<f64> {
    let rotation = UnitQuaternion::from_rotation_matrix(&Rotation3::from_matrix_unchecked(rigid.rotation));
    Isometry3::from_parts(rigid.translation.into(), rotation)
}
