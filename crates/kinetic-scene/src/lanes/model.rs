//! A checker's bodies, pairs and obstacles in the layout of the kernel.

use kinetic_kinematics::{Frame, JointProgram, Motion};
use nalgebra::Vector3;

use super::obstacle::{LaneObstacle, single};
use crate::evaluation::{Evaluation, MovingBody, SelfPair};

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
}

/// A body: balls in the frame that carries it.
#[derive(Debug, Clone)]
pub(super) struct LaneBody {
    pub(super) frame: usize,
    pub(super) center: [f32; 3],
    pub(super) radius: f32,
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
    /// Obstacles it must keep clear of.
    pub(super) obstacles: Vec<u32>,
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
}

/// Everything the kernel reads.
#[derive(Debug, Clone)]
pub(super) struct LaneModel {
    pub(super) frames: Vec<LaneFrame>,
    pub(super) bodies: Vec<LaneBody>,
    pub(super) pairs: Vec<LanePair>,
    /// Pairs that have item numbers, those that are not checked too.
    pub(super) numbered_pairs: usize,
    pub(super) obstacles: Vec<LaneObstacle>,
    pub(super) num_spheres: usize,
    pub(super) num_reaches: usize,
    pub(super) num_variables: usize,
}

impl LaneModel {
    pub(super) fn new(evaluation: &Evaluation) -> Self {
        let Evaluation { program, bodies, pairs, world, .. } = evaluation;
        let mut model = Self {
            frames: program.frames().iter().map(frame).collect(),
            bodies: Vec::with_capacity(bodies.len()),
            pairs: Vec::new(),
            numbered_pairs: pairs.len(),
            obstacles: world.iter().map(LaneObstacle::of_body).collect(),
            num_spheres: 0,
            num_reaches: 0,
            num_variables: program.num_variables(),
        };
        for body in bodies {
            model.add_body(program, body);
        }
        let checked = &pairs[..evaluation.checked_pairs];
        model.pairs = checked.iter().map(|pair| model.pair(bodies, pair)).collect();
        model
    }

    fn add_body(&mut self, program: &JointProgram, body: &MovingBody) {
        let ancestors: Vec<Ancestor> = body.ancestors.iter().map(|index| ancestor(program, *index)).collect();
        let way: f64 =
            body.ancestors.iter().map(|index| program.frames()[index - 1].parent_from_frame.translation.norm()).sum();
        let extent = (way + body.center.norm() + body.radius) as f32;
        let mut obstacles: Vec<u32> = body.obstacles().collect();
        obstacles.sort_unstable();
        obstacles.dedup();
        let lane = LaneBody {
            frame: body.frame,
            center: single(&body.center),
            radius: upward(body.radius),
            spheres: body.spheres.iter().map(|(center, radius)| (single(center), upward(*radius))).collect(),
            first_sphere: self.num_spheres,
            first_reach: self.num_reaches,
            margin: body.world.iter().map(|group| upward(group.margin)).fold(f32::NEG_INFINITY, f32::max).max(0.0),
            margins: body.margins.iter().map(|margin| upward(*margin)).collect(),
            roundoff: UNIT * ROUNDOFFS_PER_FRAME * (ancestors.len() + 2) as f32,
            extent,
            obstacles,
            ancestors,
        };
        self.num_spheres += lane.spheres.len();
        self.num_reaches += lane.ancestors.len();
        self.bodies.push(lane);
    }

    fn pair(&self, bodies: &[MovingBody], pair: &SelfPair) -> LanePair {
        let reach = |body: usize, below: usize| (below > 0).then(|| self.bodies[body].first_reach + below - 1);
        let ends = [(pair.a, pair.below.0), (pair.b, pair.below.1)];
        let [(small, below_small), (large, below_large)] =
            if bodies[pair.a].radius <= bodies[pair.b].radius { ends } else { [ends[1], ends[0]] };
        LanePair {
            small,
            large,
            reach_of_small: reach(small, below_small),
            reach_of_large: reach(large, below_large),
            margin: upward(pair.margin),
        }
    }

    /// True when all sizes are small enough for single precision.
    pub(super) fn is_representable(&self) -> bool {
        let limit = LARGEST_COORDINATE as f32;
        self.bodies.iter().all(|body| body.extent < limit) && self.obstacles.iter().all(|o| o.extent < limit)
    }
}

/// Rounded to single precision, not downwards.
fn upward(value: f64) -> f32 {
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

fn ancestor(program: &JointProgram, index: usize) -> Ancestor {
    let frame = &program.frames()[index - 1];
    Ancestor { frame: index, variable: frame.variable, rate: upward(frame.multiplier.abs()), motion: frame.motion }
}
