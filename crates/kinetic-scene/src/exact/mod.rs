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
mod separated;
mod witness;

use kinetic_collision_simd::{CollisionModel, ExactTier, MovingBody, SelfPair, SeparationTest};
use kinetic_kinematics::{Motion, Rigid};
use nalgebra::{Isometry3, Point3, Rotation3, UnitQuaternion, Vector3};

use crate::continuous::DistanceQueries;
use nearness::Nearness;

/// What may touch: see [`PlacedModel`].
#[derive(Debug, Clone, Copy)]
enum Item {
    World(usize),
    Own(SelfPair),
    Obstacle(usize, u32),
}

/// A collision model with the poses of one configuration. Items are numbered as [`CollisionModel`] says.
#[derive(Debug, Clone)]
pub(crate) struct PlacedModel {
    pub(crate) model: CollisionModel,
    /// Whether distances concern all pairs, those that are proven to keep their required clearance too.
    pub(crate) is_complete: bool,
    /// Separation test of convex pieces in single precision.
    pub(crate) separation: SeparationTest,
    frames: Vec<Rigid>,
    /// Pairs of bodies in an order that does not depend on which of them are proven to keep their required clearance.
    pub(crate) pair_order: Vec<u32>,
    /// Obstacles near a body, for proximity queries.
    pub(crate) near: Vec<u32>,
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
        let first_reach = starts(&mut bodies.iter().map(|body| body.ancestors.len()));
        let first_sphere = starts(&mut bodies.iter().map(|body| body.spheres.len()));
        Self {
            separation: SeparationTest::new(bodies, world),
            frames: vec![Rigid::identity(); program.num_frames()],
            radius: vec![0.0; program.num_variables()],
            bodies_placed: vec![false; bodies.len()],
            centers: vec![Vector3::zeros(); bodies.len()],
            reaches: vec![0.0; first_reach[bodies.len()]],
            spheres: vec![Vector3::zeros(); first_sphere[bodies.len()]],
            spheres_placed: vec![false; bodies.len()],
            is_complete: false,
            near: Vec::new(),
            pair_order,
            first_reach,
            first_sphere,
            model,
        }
    }

    /// What an item number stands for.
    #[inline]
    fn decode(&self, item: u32) -> Item {
        let (item, bodies, pairs) = (item as usize, self.model.bodies.len(), self.model.pairs.len());
        if item < bodies {
            return Item::World(item);
        }
        if item < bodies + pairs {
            return Item::Own(self.model.pairs[item - bodies]);
        }
        let index = item - bodies - pairs;
        Item::Obstacle(index / self.model.world.len(), (index % self.model.world.len()) as u32)
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
            Item::Own(pair) => (pair.a, self.model.bodies[pair.b].name.clone()),
            Item::Obstacle(body, obstacle) => (body, self.model.world[obstacle as usize].name.clone()),
            Item::World(body) => (body, String::new()),
        };
        (self.model.bodies[body].name.clone(), other)
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
        self.model.pairs[self.model.checked_pairs..].iter().any(|pair| (pair.a, pair.b) == (a, b))
    }

    /// Distance that a finest item must keep, paddings included.
    pub(crate) fn margin(&self, item: u32) -> f64 {
        match self.decode(item) {
            Item::Obstacle(body, obstacle) => self.model.bodies[body].margin_to(obstacle),
            Item::Own(pair) => pair.margin,
            Item::World(_) => 0.0,
        }
    }

    /// The least distances to keep from the world and between own bodies, `None` where there is nothing to keep.
    pub(crate) fn least_margins(&self) -> (Option<f64>, Option<f64>) {
        // The point that is kept inside a workspace is no body.
        let bodies = self.model.bodies.iter().filter(|body| body.radius > 0.0);
        let world = bodies.flat_map(|body| &body.world).filter(|group| !self.model.sets[group.set].is_empty());
        let least = |margins: &mut dyn Iterator<Item = f64>| margins.min_by(f64::total_cmp);
        (least(&mut world.map(|group| group.margin)), least(&mut self.model.pairs.iter().map(|pair| pair.margin)))
    }

    /// Places the frames alone: for queries that need no motion bounds.
    pub(crate) fn place_frames(&mut self, q: &[f64]) {
        self.model.program.frames_into(q, &mut self.frames);
        self.radius.fill(0.0);
        self.bodies_placed.fill(false);
        self.spheres_placed.fill(false);
    }

    /// Centre of a body's bounding ball, where its frame is placed.
    #[inline]
    pub(crate) fn ball_center(&self, body: usize) -> Vector3<f64> {
        let this = &self.model.bodies[body];
        self.frames[this.frame].point(&this.center)
    }

    /// Appends the obstacles that the ball around a body comes within `cutoff` of its required clearance to.
    pub(crate) fn list_near_obstacles(&self, body: usize, cutoff: f64, obstacles: &mut Vec<u32>) {
        let (this, center) = (&self.model.bodies[body], Point3::from(self.ball_center(body)));
        for group in &this.world {
            let reach = this.radius + group.margin + cutoff;
            self.model.sets[group.set].for_each_id_within(&center, reach, |id| obstacles.push(id));
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

    /// Places a body's ball and bounds its motion, unless that is done; late in a proof few bodies are asked for.
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
                    widest = Some(self.model.program.frames()[self.model.bodies[body].ancestors[slot] - 1].variable);
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
        let (this, center) = (&self.model.bodies[body], Point3::from(self.centers[body]));
        for group in &this.world {
            let reach = this.radius + group.margin + cutoff;
            self.model.sets[group.set].for_each_id_within(&center, reach, |id| items.push(first + id));
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
        matches!(self.decode(item), Item::Own(_))
    }

    fn motion_bound(&mut self, item: u32) -> f64 {
        match self.decode(item) {
            Item::World(body) | Item::Obstacle(body, _) => {
                self.place_body(body);
                self.reach_of(body, self.model.bodies[body].ancestors.len())
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
                let margin = self.model.bodies[body].margin_to(obstacle);
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
