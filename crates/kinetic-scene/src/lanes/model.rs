//! A checker's bodies, pairs and obstacles in the layout of the kernel.

use std::sync::Arc;

use kinetic_core::ContentHash;
use kinetic_kinematics::{Frame, JointProgram, Motion};
use nalgebra::Vector3;

use super::bounds::Bounds;
use super::boxes::Boxes;
use super::clearances::{Between, Clearances};
use super::clusters::Cluster;
use super::gates::{Candidate, Gate, GatePair};
use super::obstacle::{LaneObstacle, single};
use super::reach::{is_reachable, reachable_obstacles};
use super::steady::{is_set, steady_spheres};
use crate::evaluation::{Evaluation, MovingBody, SelfPair};
use crate::known::Known;
use crate::pairs::Kept;

/// Unit roundoff of single precision.
const UNIT: f32 = f32::EPSILON / 2.0;

/// Bound on the rounding of one frame's placement, in unit roundoffs per metre of extent: products of 3 × 3 matrices
/// (3 each), sine and cosine with their argument (6), the constants (1), the translation (4), with room to spare.
const ROUNDOFFS_PER_FRAME: f32 = 16.0;

/// Beyond this coordinate, m or rad, single precision is not asked.
pub(super) const LARGEST_COORDINATE: f64 = 1e4;

/// A column of a constant rotation.
#[derive(Debug, Clone, Copy)]
pub(super) enum Column {
    /// A coordinate axis, perhaps negated: nothing to multiply.
    Axis(usize, bool),
    General([f32; 3]),
}

/// A moving frame.
#[derive(Debug, Clone)]
pub(super) struct LaneFrame {
    pub(super) parent: usize,
    pub(super) columns: [Column; 3],
    pub(super) translation: [f32; 3],
    pub(super) motion: Motion,
    pub(super) variable: usize,
    pub(super) multiplier: f64,
    pub(super) offset: f64,
}

/// A joint above a body.
#[derive(Debug, Clone, Copy)]
pub(super) struct Ancestor {
    pub(super) frame: usize,
    pub(super) variable: usize,
    /// Magnitude of the joint's motion per unit of the variable.
    pub(super) rate: f32,
    pub(super) motion: Motion,
    /// Bound on how far the centre of any sphere moves per unit of the joint, in any configuration; slides not counted.
    pub(super) arm: f32,
}

impl Ancestor {
    /// Bound on the motion by this joint in a box of half-widths `widths`, where slides carry at most `slide`.
    #[inline(always)]
    pub(super) fn bound(&self, widths: &[f32], slide: f32) -> f32 {
        let arm = match self.motion {
            Motion::Translation => self.arm,
            Motion::Rotation => self.rate.mul_add(slide, self.arm),
        };
        // Wider by more than the rounding of sums.
        arm * widths[self.variable] * (1.0 + 1e-5)
    }
}

/// A body: balls in the frame that carries it.
#[derive(Debug, Clone)]
pub(super) struct LaneBody {
    pub(super) frame: usize,
    pub(super) center: [f32; 3],
    pub(super) radius: f32,
    /// Largest distance of a sphere's centre from that of the ball. Spheres move as their centres do.
    pub(super) swing: f32,
    pub(super) spheres: Vec<([f32; 3], f32)>,
    /// Index of its first sphere among those of all bodies.
    pub(super) first_sphere: usize,
    pub(super) ancestors: Vec<Ancestor>,
    /// Index of its first motion bound among those of all bodies.
    pub(super) first_reach: usize,
    /// Largest margin towards the world, paddings included.
    pub(super) margin: f32,
    /// Per obstacle the margin, when they differ.
    pub(super) margins: Vec<f32>,
    /// Rounding of a placed point, per metre of `extent`.
    pub(super) roundoff: f32,
    /// Length of the way from the root to its farthest point, slides not counted, m.
    pub(super) extent: f32,
    /// Its spheres are the body, not more than it.
    pub(super) is_exact: bool,
    /// The tree of the obstacles it must keep clear of.
    pub(super) tree: usize,
}

impl LaneBody {
    /// Margin towards an obstacle, paddings included.
    #[inline(always)]
    pub(super) fn margin_to(&self, obstacle: u32) -> f32 {
        if self.margins.is_empty() { self.margin } else { self.margins[obstacle as usize] }
    }
}

/// Two bodies of the robot.
#[derive(Debug, Clone, Copy)]
pub(super) struct LanePair {
    /// The one with the smaller ball.
    pub(super) small: usize,
    pub(super) large: usize,
    /// Index of each one's motion bound below the common frame; `None` when it does not move against it.
    pub(super) reach_of_small: Option<usize>,
    pub(super) reach_of_large: Option<usize>,
    pub(super) margin: f32,
    /// Where [`LaneModel::meetings`] says, per sphere of the larger one, which of the smaller one it can meet: bit `i` is
    /// set for sphere `i`.
    pub(super) first_meeting: Option<usize>,
    /// Spheres of each that never come near the other; see [`steady`](super::steady).
    pub(super) steady_of_small: u64,
    pub(super) steady_of_large: u64,
}

impl LanePair {
    /// Whether a sphere of one body, and another one of the other body, can come near each other.
    pub(super) fn can_meet(&self, meetings: &[u64], (body, index): (u32, usize), other: usize) -> bool {
        let (of_large, of_small) = if self.large == body as usize { (index, other) } else { (other, index) };
        let can_meet = self.first_meeting.is_none_or(|first| is_set(meetings[first + of_large], of_small));
        can_meet && !is_set(self.steady_of_large, of_large) && !is_set(self.steady_of_small, of_small)
    }

    /// Whether nothing is known about its spheres.
    pub(super) fn meets_all(&self) -> bool {
        self.first_meeting.is_none() && self.steady_of_large | self.steady_of_small == 0
    }
}

/// Everything the kernel reads.
#[derive(Debug, Clone)]
pub(super) struct LaneModel {
    pub(super) frames: Vec<LaneFrame>,
    pub(super) bodies: Vec<LaneBody>,
    pub(super) pairs: Vec<LanePair>,
    pub(super) meetings: Vec<u64>,
    pub(super) clusters: Vec<Cluster>,
    /// Per body its cluster.
    pub(super) cluster_of: Vec<usize>,
    pub(super) gates: Vec<Gate>,
    /// Per gate a table of what its clusters keep from each other, where there is one.
    pub(super) clearances: Vec<Option<Arc<Clearances>>>,
    /// Of every gate, the distance of the centres below which something may be near: fixed, and per metre of slides.
    pub(super) gate_near: Vec<f32>,
    pub(super) gate_per_slide: Vec<f32>,
    pub(super) gate_pairs: Vec<GatePair>,
    pub(super) candidates: Vec<Candidate>,
    /// Spheres that candidates can meet, among those of all bodies, and their radii.
    pub(super) partners: Vec<u32>,
    pub(super) partner_radii: Vec<f32>,
    /// Of one gate.
    pub(super) most_candidates: usize,
    /// Per pair its gate.
    pub(super) gate_of: Vec<u32>,
    /// Radii of all spheres.
    pub(super) radii: Vec<f32>,
    /// Pairs that have item numbers, those that are not checked too.
    pub(super) numbered_pairs: usize,
    pub(super) obstacles: Vec<LaneObstacle>,
    /// Trees of obstacles that bodies keep clear of, each once.
    pub(super) trees: Vec<Arc<Boxes>>,
    pub(super) num_spheres: usize,
    pub(super) num_reaches: usize,
    /// Of the motions of clusters and gates.
    pub(super) bounds: Bounds,
    pub(super) num_variables: usize,
    /// All sizes are small enough for single precision.
    pub(super) is_representable: bool,
}

impl LaneModel {
    pub(super) fn new(evaluation: &Evaluation) -> Self {
        let mut model = Self::without_tables(evaluation);
        model.clearances = Clearances::of(model.betweens(evaluation), Known::of(&evaluation.precomputed));
        model
    }

    /// The clusters of all gates that a table may be about.
    fn betweens(&self, evaluation: &Evaluation) -> impl Iterator<Item = Option<Between>> {
        self.gates.iter().map(|gate| Between::of(evaluation, self, gate))
    }

    /// Finds the tables anew: their keys and bytes.
    pub(super) fn find_tables(evaluation: &Evaluation) -> Vec<(ContentHash, Vec<u8>)> {
        let model = Self::without_tables(evaluation);
        Clearances::find(model.betweens(evaluation))
    }

    fn without_tables(evaluation: &Evaluation) -> Self {
        let Evaluation { program, bodies, pairs, .. } = evaluation;
        let mut model = Self::empty(evaluation);
        let mut lists = Vec::new();
        for body in bodies {
            let tree = model.tree(reachable_obstacles(evaluation, body), &mut lists);
            model.add_body(program, body, tree);
        }
        let checked = &pairs[..evaluation.checked_pairs];
        model.is_representable = model.has_small_extents();
        for pair in checked {
            let lane = model.pair(program, bodies, pair);
            let lane = model.with_meetings(lane, pair, evaluation.kept(pair));
            model.pairs.push(lane);
        }
        model.add_clusters(evaluation);
        model.add_gates();
        model.bounds = Bounds::new(&model);
        model
    }

    /// Frames and obstacles, without bodies.
    fn empty(evaluation: &Evaluation) -> Self {
        let Evaluation { program, bodies, pairs, world, .. } = evaluation;
        Self {
            frames: program.frames().iter().map(frame).collect(),
            bodies: Vec::with_capacity(bodies.len()),
            pairs: Vec::new(),
            meetings: Vec::new(),
            clusters: Vec::new(),
            cluster_of: Vec::new(),
            gates: Vec::new(),
            clearances: Vec::new(),
            gate_near: Vec::new(),
            gate_per_slide: Vec::new(),
            gate_pairs: Vec::new(),
            candidates: Vec::new(),
            partners: Vec::new(),
            partner_radii: Vec::new(),
            most_candidates: 0,
            gate_of: Vec::new(),
            radii: Vec::new(),
            numbered_pairs: pairs.len(),
            obstacles: world.iter().map(LaneObstacle::of_body).collect(),
            trees: Vec::new(),
            num_spheres: 0,
            num_reaches: 0,
            bounds: Bounds::default(),
            num_variables: program.num_variables(),
            is_representable: false,
        }
    }

    fn add_body(&mut self, program: &JointProgram, body: &MovingBody, tree: usize) {
        let ancestors: Vec<Ancestor> = ancestors(program, body);
        let way: f64 =
            body.ancestors.iter().map(|index| program.frames()[index - 1].parent_from_frame.translation.norm()).sum();
        let extent = (way + body.center.norm() + body.radius) as f32;
        let lane = LaneBody {
            frame: body.frame,
            center: single(&body.center),
            radius: upward(body.radius),
            swing: upward(body.spheres.iter().map(|(center, _)| (center - body.center).norm()).fold(0.0, f64::max)),
            spheres: body.spheres.iter().map(|(center, radius)| (single(center), upward(*radius))).collect(),
            first_sphere: self.num_spheres,
            first_reach: self.num_reaches,
            margin: largest_margin(body),
            margins: body.margins.iter().map(|margin| upward(*margin)).collect(),
            roundoff: UNIT * ROUNDOFFS_PER_FRAME * (ancestors.len() + 2) as f32,
            extent,
            is_exact: body.spheres_are_exact,
            tree,
            ancestors,
        };
        self.num_spheres += lane.spheres.len();
        self.num_reaches += lane.ancestors.len();
        self.radii.extend(lane.spheres.iter().map(|(_, radius)| *radius));
        self.bodies.push(lane);
    }

    /// Puts other obstacles around the bodies, of each of which `evaluation` says that it keeps one distance from all of
    /// them.
    pub(super) fn surround(&mut self, evaluation: &Evaluation) {
        self.obstacles.clear();
        self.obstacles.extend(evaluation.world.iter().map(LaneObstacle::of_body));
        self.trees.clear();
        let mut lists = Vec::new();
        for (index, body) in evaluation.bodies.iter().enumerate() {
            // Bodies of one frame keep the same obstacles.
            let neighbour = (0..index).find(|other| self.bodies[*other].frame == body.frame);
            let tree = match neighbour {
                Some(neighbour) => self.bodies[neighbour].tree,
                None => self.tree(reachable_obstacles(evaluation, body), &mut lists),
            };
            let this = &mut self.bodies[index];
            (this.tree, this.margin) = (tree, largest_margin(body));
        }
        self.is_representable = self.has_small_extents();
        self.surround_clusters();
    }

    /// Takes over where an obstacle is now. False when that is not all that changes: a body comes to reach it, or single
    /// precision does not.
    pub(super) fn move_obstacle(&mut self, evaluation: &Evaluation, obstacle: u32) -> bool {
        let moved = LaneObstacle::of_body(&evaluation.world[obstacle as usize]);
        let corners = (moved.lower, moved.upper);
        self.obstacles[obstacle as usize] = moved;
        for (number, tree) in self.trees.iter_mut().enumerate() {
            let mut bodies = (0..self.bodies.len()).filter(|body| self.bodies[*body].tree == number);
            let is_new = |body| is_reachable(evaluation, &evaluation.bodies[body], obstacle);
            if !Arc::make_mut(tree).refit(obstacle, corners) && bodies.any(is_new) {
                return false;
            }
        }
        self.is_representable && self.obstacles[obstacle as usize].extent < LARGEST_COORDINATE as f32
    }

    /// Number of the tree of some obstacles; most bodies have the same ones. `lists` are those of the trees.
    fn tree(&mut self, obstacles: Vec<u32>, lists: &mut Vec<Vec<u32>>) -> usize {
        if let Some(known) = lists.iter().position(|ids| *ids == obstacles) {
            return known;
        }
        self.trees.push(Arc::new(Boxes::new(&self.obstacles, &obstacles)));
        lists.push(obstacles);
        lists.len() - 1
    }

    fn pair(&self, program: &JointProgram, bodies: &[MovingBody], pair: &SelfPair) -> LanePair {
        let reach = |body: usize, below: usize| (below > 0).then(|| self.bodies[body].first_reach + below - 1);
        let (steady_of_a, steady_of_b) = steady_spheres(program, bodies, pair);
        let ends = [(pair.a, pair.below.0, steady_of_a), (pair.b, pair.below.1, steady_of_b)];
        let [(small, below_small, steady_of_small), (large, below_large, steady_of_large)] =
            if bodies[pair.a].radius <= bodies[pair.b].radius { ends } else { [ends[1], ends[0]] };
        LanePair {
            small,
            large,
            reach_of_small: reach(small, below_small),
            reach_of_large: reach(large, below_large),
            margin: upward(pair.margin),
            first_meeting: None,
            steady_of_small,
            steady_of_large,
        }
    }

    /// Notes which spheres of a pair can meet; those that cannot meet any are as good as steady.
    fn with_meetings(&mut self, lane: LanePair, pair: &SelfPair, kept: Option<&Kept>) -> LanePair {
        let (large, small) = (self.bodies[lane.large].spheres.len(), self.bodies[lane.small].spheres.len());
        let Some(kept) = kept.filter(|_| large <= 64 && small <= 64) else { return lane };
        let is_far = |of_large: usize, of_small: usize| {
            let (a, b) = if pair.a == lane.large { (of_large, of_small) } else { (of_small, of_large) };
            kept.distance(a, b) > lane.margin
        };
        let first_meeting = Some(self.meetings.len());
        let mut steady_of_large = lane.steady_of_large;
        for of_large in 0..large {
            let meets = (0..small).filter(|of_small| !is_far(of_large, *of_small));
            let meets = meets.fold(0_u64, |bits, of_small| bits | 1 << of_small);
            steady_of_large |= u64::from(meets == 0) << of_large;
            self.meetings.push(meets);
        }
        LanePair { first_meeting, steady_of_large, ..lane }
    }

    fn has_small_extents(&self) -> bool {
        let limit = LARGEST_COORDINATE as f32;
        self.bodies.iter().all(|body| body.extent < limit) && self.obstacles.iter().all(|o| o.extent < limit)
    }
}

/// The largest distance that a body keeps from an obstacle.
fn largest_margin(body: &MovingBody) -> f32 {
    body.world.iter().map(|group| upward(group.margin)).reduce(f32::max).unwrap_or(0.0)
}

/// Rounded to single precision, not downwards.
pub(super) fn upward(value: f64) -> f32 {
    (value as f32).next_up()
}

fn frame(frame: &Frame) -> LaneFrame {
    let rotation = &frame.parent_from_frame.rotation;
    LaneFrame {
        parent: frame.parent,
        columns: std::array::from_fn(|k| column(&rotation.column(k).into_owned())),
        translation: single(&frame.parent_from_frame.translation),
        motion: frame.motion,
        variable: frame.variable,
        multiplier: frame.multiplier,
        offset: frame.offset,
    }
}

fn column(column: &Vector3<f64>) -> Column {
    match (0..3).find(|k| column[*k].abs() == 1.0) {
        Some(axis) => Column::Axis(axis, column[axis] < 0.0),
        None => Column::General(single(column)),
    }
}

/// The joints above a body, nearest first.
///
/// The centre of a sphere is some way from the origin of its own frame, and at most the length of the way from frame to
/// frame more from those above. From the axis of a frame, which is its z axis, the next origin is as far as its x and y
/// say.
fn ancestors(program: &JointProgram, body: &MovingBody) -> Vec<Ancestor> {
    let farthest = |distance: fn(&Vector3<f64>) -> f64| {
        body.spheres.iter().map(|(center, _)| distance(center)).fold(0.0, f64::max)
    };
    let (mut from_origin, mut from_axis) = (farthest(Vector3::norm), farthest(|center| center.xy().norm()));
    let mut ancestors = Vec::with_capacity(body.ancestors.len());
    for index in &body.ancestors {
        let frame = &program.frames()[index - 1];
        let rate = frame.multiplier.abs();
        let arm = match frame.motion {
            Motion::Translation => rate,
            Motion::Rotation => rate * from_axis,
        };
        let arm = upward(arm * (1.0 + 1e-6));
        let rate = upward(rate);
        ancestors.push(Ancestor { frame: *index, variable: frame.variable, rate, motion: frame.motion, arm });
        let way = &frame.parent_from_frame.translation;
        from_axis = way.xy().norm() + from_origin;
        from_origin += way.norm();
    }
    ancestors
}
