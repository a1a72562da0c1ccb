//! Distances of the robot's bodies at one configuration, and bounds on their motion around it.
//!
//! **Motion bound.** Let `q` lie in a box of half-widths `radius` around the placed configuration. A point of a body
//! moves from its placed position by applying the joints' displacements as screws about their *placed* axes, the most
//! distal joint first (product of exponentials). A screw about an axis at distance `ρ` by an angle `δ` moves a point by
//! at most `ρ δ` (and at most `2 ρ`), and the joints before it have moved the point by at most `d`, so its distance
//! from the next axis is at most `ρ' + d`. Summing from tip to base bounds the motion of every point of the body's
//! bounding ball. For two bodies only the joints below their common frame count.

use std::sync::Arc;

use kinetic_collision::exact::{self, ConvexBody};
use kinetic_collision::{ObstacleSet, PreparedShape};
use kinetic_kinematics::{JointProgram, Motion, Rigid};
use nalgebra::{Isometry3, Point3, Rotation3, UnitQuaternion, Vector3};

use crate::sweep::Evaluator;

/// A convex piece of a body, fixed in the body's frame.
#[derive(Debug, Clone)]
pub(crate) struct Part {
    pub(crate) body: Arc<ConvexBody>,
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
    /// Enlarges the body in every test, m.
    pub(crate) padding: f64,
    /// Moving frames from the body's to the root, nearest first.
    pub(crate) ancestors: Vec<usize>,
    /// Obstacles this body is checked against; ids index the checker's world.
    pub(crate) world: Arc<ObstacleSet>,
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
    /// For distances of points.
    pub(crate) shape: PreparedShape,
    /// For distances of convex bodies.
    pub(crate) body: Arc<ConvexBody>,
    pub(crate) world_from_body: Isometry3<f64>,
}

/// Two bodies of the robot that may touch.
#[derive(Debug, Clone, Copy)]
pub(crate) struct SelfPair {
    pub(crate) a: usize,
    pub(crate) b: usize,
    /// How many ancestors of each lie below their common frame.
    pub(crate) below: (usize, usize),
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
    pub(crate) pairs: Vec<SelfPair>,
    pub(crate) world_margin: f64,
    pub(crate) self_margin: f64,
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
    pub(crate) fn new(
        program: JointProgram,
        bodies: Vec<MovingBody>,
        world: Vec<WorldBody>,
        pairs: Vec<SelfPair>,
        margins: (f64, f64),
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
            pairs,
            world_margin: margins.0,
            self_margin: margins.1,
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

    /// The names of an item at the placed configuration; for a body against the world, of its nearest obstacle.
    pub(crate) fn names(&mut self, item: u32) -> (String, String) {
        let (body, obstacle) = match self.decode(item) {
            Item::Own(pair) => return (self.bodies[pair.a].name.clone(), self.bodies[pair.b].name.clone()),
            Item::Obstacle(body, obstacle) => (body, Some(obstacle)),
            Item::World(body) => (body, self.world_distance(body, f64::INFINITY).map(|(_, obstacle)| obstacle)),
        };
        let other = obstacle.map_or_else(String::new, |id| self.world[id as usize].name.clone());
        (self.bodies[body].name.clone(), other)
    }

    /// Margin that an item must keep, padding included.
    pub(crate) fn margin(&self, item: u32) -> f64 {
        match self.decode(item) {
            Item::World(body) | Item::Obstacle(body, _) => self.world_margin + self.bodies[body].padding,
            Item::Own(pair) => self.self_margin + self.bodies[pair.a].padding + self.bodies[pair.b].padding,
        }
    }

    /// Signed distance of a body to one obstacle; `None` when it is more than `cutoff`.
    fn obstacle_distance(&mut self, body: usize, obstacle: u32, cutoff: f64) -> Option<f64> {
        self.place_body(body);
        let shape = &self.world[obstacle as usize].shape;
        let this = &self.bodies[body];
        if !shape.is_within(&Point3::from(self.centers[body]), this.radius + cutoff) {
            return None;
        }
        self.place_spheres(body);
        let (this, shape) = (&self.bodies[body], &self.world[obstacle as usize].shape);
        let first = self.first_sphere[body];
        let mut best = f64::INFINITY;
        for (index, (_, radius)) in this.spheres.iter().enumerate() {
            best = best.min(shape.signed_distance(&Point3::from(self.spheres[first + index])) - radius);
        }
        if this.spheres_are_exact {
            return (best <= cutoff).then_some(best);
        }
        if best > perhaps(cutoff) { None } else { self.exact_obstacle_distance(body, obstacle, cutoff) }
    }

    /// As [`obstacle_distance`](Self::obstacle_distance) on the convex pieces.
    fn exact_obstacle_distance(&self, body: usize, obstacle: u32, cutoff: f64) -> Option<f64> {
        let this = &self.bodies[body];
        let other = &self.world[obstacle as usize];
        let frame = isometry(&self.frames[this.frame]);
        let mut best = None;
        let mut limit = cutoff;
        for piece in &this.pieces {
            let world_from_piece = frame * piece.frame_from_piece;
            let found = exact::distance(&piece.body, &world_from_piece, &other.body, &other.world_from_body, limit);
            if let Some(found) = found {
                (best, limit) = (Some(found.distance), found.distance);
            }
        }
        best
    }

    /// Signed distance of a body to its nearest obstacle and that obstacle; `None` when it is `cutoff` or more.
    pub(crate) fn world_distance(&mut self, body: usize, cutoff: f64) -> Option<(f64, u32)> {
        self.place_body(body);
        let center = Point3::from(self.centers[body]);
        let this = &self.bodies[body];
        if !this.world.has_within(&center, this.radius, cutoff) {
            return None;
        }
        self.place_spheres(body);
        let this = &self.bodies[body];
        let mut best = None;
        let mut limit = if this.spheres_are_exact { cutoff } else { perhaps(cutoff) };
        for (index, (_, radius)) in this.spheres.iter().enumerate() {
            let center = Point3::from(self.spheres[self.first_sphere[body] + index]);
            if let Some(found) = this.world.min_distance(&center, *radius, limit) {
                (best, limit) = (Some(found), found.0);
            }
        }
        if this.spheres_are_exact { best } else { best.and_then(|_| self.exact_world_distance(body, cutoff)) }
    }

    /// As [`world_distance`](Self::world_distance) on the convex pieces.
    fn exact_world_distance(&self, body: usize, cutoff: f64) -> Option<(f64, u32)> {
        let this = &self.bodies[body];
        let frame = isometry(&self.frames[this.frame]);
        let mut best = None;
        let mut limit = cutoff;
        for piece in &this.pieces {
            let center = Point3::from(self.frames[this.frame].point(&piece.center));
            let world_from_piece = frame * piece.frame_from_piece;
            this.world.for_each_within(&center, piece.radius + cutoff, |id, _| {
                let other = &self.world[id as usize];
                let found = exact::distance(&piece.body, &world_from_piece, &other.body, &other.world_from_body, limit);
                if let Some(found) = found.filter(|found| found.distance < limit) {
                    (best, limit) = (Some((found.distance, id)), found.distance);
                }
            });
        }
        best
    }

    /// Signed distances of a body to every obstacle within `reach`, as `(distance, obstacle)`.
    pub(crate) fn world_distances(&self, body: usize, reach: f64) -> Vec<(f64, u32)> {
        let this = &self.bodies[body];
        let frame = isometry(&self.frames[this.frame]);
        let mut found = Vec::new();
        for (id, _) in this.world.shapes() {
            let other = &self.world[*id as usize];
            let distance = |piece: &Part| {
                let world_from_piece = frame * piece.frame_from_piece;
                exact::distance(&piece.body, &world_from_piece, &other.body, &other.world_from_body, reach)
            };
            let least = this.pieces.iter().filter_map(distance).map(|s| s.distance).min_by(f64::total_cmp);
            found.extend(least.map(|distance| (distance, *id)));
        }
        found
    }

    /// Signed distance of two bodies; `None` when it is more than `cutoff`.
    pub(crate) fn self_distance(&mut self, pair: SelfPair, cutoff: f64) -> Option<f64> {
        let SelfPair { a, b, .. } = pair;
        self.place_body(a);
        self.place_body(b);
        let coarse = (self.centers[a] - self.centers[b]).norm() - self.bodies[a].radius - self.bodies[b].radius;
        if coarse > cutoff {
            return None;
        }
        if self.bodies[a].spheres_are_exact && self.bodies[b].spheres_are_exact {
            return self.sphere_distance(a, b, cutoff);
        }
        let spheres = self.sphere_distance(a, b, perhaps(cutoff));
        spheres.and_then(|_| self.exact_self_distance(a, b, cutoff))
    }

    /// Least distance between the spheres of two bodies; the larger body's spheres are culled by the smaller's ball.
    fn sphere_distance(&mut self, a: usize, b: usize, cutoff: f64) -> Option<f64> {
        self.place_spheres(a);
        self.place_spheres(b);
        let (small, large) = if self.bodies[a].radius <= self.bodies[b].radius { (a, b) } else { (b, a) };
        let mut best = f64::INFINITY;
        for (i, (_, r_large)) in self.bodies[large].spheres.iter().enumerate() {
            let p = &self.spheres[self.first_sphere[large] + i];
            let limit = cutoff.min(best);
            if (p - self.centers[small]).norm() - r_large - self.bodies[small].radius > limit {
                continue;
            }
            for (j, (_, r_small)) in self.bodies[small].spheres.iter().enumerate() {
                let q = &self.spheres[self.first_sphere[small] + j];
                best = best.min((p - q).norm() - r_large - r_small);
            }
        }
        (best <= cutoff).then_some(best)
    }

    fn exact_self_distance(&self, a: usize, b: usize, cutoff: f64) -> Option<f64> {
        let (frame_a, frame_b) = (&self.frames[self.bodies[a].frame], &self.frames[self.bodies[b].frame]);
        let (root_from_a, root_from_b) = (isometry(frame_a), isometry(frame_b));
        let mut best = None;
        let mut limit = cutoff;
        for piece_a in &self.bodies[a].pieces {
            let (center_a, pose_a) = (frame_a.point(&piece_a.center), root_from_a * piece_a.frame_from_piece);
            for piece_b in &self.bodies[b].pieces {
                let apart = (center_a - frame_b.point(&piece_b.center)).norm() - piece_a.radius - piece_b.radius;
                if apart > limit {
                    continue;
                }
                let pose_b = root_from_b * piece_b.frame_from_piece;
                if let Some(found) = exact::distance(&piece_a.body, &pose_a, &piece_b.body, &pose_b, limit) {
                    (best, limit) = (Some(found.distance), found.distance);
                }
            }
        }
        best
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

    fn reach_of(&self, body: usize, joints: usize) -> f64 {
        if joints == 0 { 0.0 } else { self.reaches[self.first_reach[body] + joints - 1] }
    }
}

impl Evaluator for Evaluation {
    fn num_items(&self) -> usize {
        self.bodies.len() + self.pairs.len()
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
        let margin = self.margin(item);
        let limit = cutoff + margin;
        let found = match self.decode(item) {
            // Strictly below the limit is reported; one ulp more makes "at most" of it.
            Item::World(body) => self.world_distance(body, limit.next_up()).map(|(distance, _)| distance),
            Item::Own(pair) => self.self_distance(pair, limit),
            Item::Obstacle(body, obstacle) => self.obstacle_distance(body, obstacle, limit),
        };
        found.map_or(f64::INFINITY, |distance| distance - margin)
    }

    fn narrow(&mut self, item: u32, cutoff: f64, open: &mut Vec<u32>) -> Option<u32> {
        let Item::World(body) = self.decode(item) else {
            let excess = self.excess(item, cutoff);
            if excess <= cutoff {
                open.push(item);
            }
            return (excess <= 0.0).then_some(item);
        };
        self.place_body(body);
        let first = (self.bodies.len() + self.pairs.len() + body * self.world.len()) as u32;
        let reach = self.bodies[body].radius + self.margin(item) + cutoff;
        let before = open.len();
        let this = &self.bodies[body];
        this.world.for_each_within(&Point3::from(self.centers[body]), reach, |id, _| open.push(first + id));
        // Decide the obstacles near the ball one by one, keeping the undecided at the front.
        let mut kept = before;
        for index in before..open.len() {
            let candidate = open[index];
            let excess = self.excess(candidate, cutoff);
            if excess <= 0.0 {
                return Some(candidate);
            }
            if excess <= cutoff {
                open[kept] = candidate;
                kept += 1;
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
