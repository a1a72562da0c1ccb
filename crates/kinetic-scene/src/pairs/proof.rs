//! Proofs that two links never touch, by subdivision of the box of the joints between them (Schwarzer, Saha, Latombe
//! 2005). The box is split until in every part the distance at the middle exceeds the motion bound of
//! [`exact`](crate::exact). The method is that of continuous checks along a motion, over a box instead of a line.

use kinetic_collision_simd::{CollisionModel, ExactTier, SelfPair};
use kinetic_core::JointLimits;
use kinetic_kinematics::JointProgram;
use kinetic_robot::Robot;

use crate::continuous::DistanceQueries;
use crate::exact::PlacedModel;
use crate::link_geometry::LinkGeometry;
use crate::tolerance::LIMIT_TOLERANCE_RAD_M;

/// Smallest clearance that is proven, m. Models whose links touch except for rounding are below it.
const MIN_PROVEN_CLEARANCE_M: f64 = 1e-4;

/// Fraction of the joint box that the first [`TRIAL_CONFIGURATIONS`] have to decide, times the budget. On the built-in
/// robots, proofs that end within their budget decide more, three of them less than ten times as much, and most others
/// decide almost nothing. Pairs that are given up remain checked.
const MIN_TRIAL_PROGRESS_RATIO: f64 = 1e-2;
const TRIAL_CONFIGURATIONS: usize = 50;

/// Joints between two links up to which a configuration counts as one evaluation.
pub(super) const MAX_JOINTS_PER_EVALUATION: usize = 32;

/// Budget of searches for proofs, in configurations. One takes about 2 µs; with dozens of joints between the links it
/// counts several times.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Effort {
    /// Budget of a pair with at most three joints between the links. Every further joint multiplies the cost of a proof.
    pub near: usize,
    /// Budget of any other pair. Links that never come near each other need few configurations.
    pub far: usize,
    /// Budget of all pairs of a robot together.
    pub total: usize,
}

impl Effort {
    /// Effort for a robot without stored facts when it is first used: less than a second.
    pub const WHEN_FIRST_USED: Self = Self { near: 10_000, far: 1_000, total: 600_000 };

    /// Effort for facts that are stored with the robot: less than a minute.
    pub const TO_STORE: Self = Self { near: 50_000, far: 20_000, total: 5_000_000 };

    pub(super) fn of_pair(&self, joints: usize) -> usize {
        if joints <= 3 { self.near } else { self.far }
    }
}

/// Result of a search for a proof.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum PairVerdict {
    /// Proven lower bound on the distance of the links inside the joint limits, m.
    Apart(f64),
    /// The links touch in a configuration that the search found.
    Touching,
    /// Neither a proof nor a contact was found.
    Unknown,
}

/// A box of joint values.
pub(super) struct JointBox {
    pub(super) middle: Vec<f64>,
    pub(super) half: Vec<f64>,
}

/// Searches a proof in at most `budget` configurations. It proves half of the least distance found, because a proof of
/// the whole distance would not terminate. `variables` are those of the joints between the links.
pub(super) fn prove(
    robot: &Robot,
    links: &[LinkGeometry],
    (pair, variables): ((usize, usize), &[usize]),
    budget: usize,
) -> (PairVerdict, usize) {
    let Some(whole) = whole_box(robot, variables) else { return (PairVerdict::Unknown, 1) };
    let (mut exact, pair) = evaluation_of(robot, links, pair, variables);
    let item = exact.model.bodies.len() as u32;
    exact.place(&whole.middle, &whole.half);
    let mut clearance = 0.5 * exact.slack(item, f64::INFINITY);
    // Boxes with the fraction of the whole box that each is.
    let mut pending = vec![(whole, 1.0)];
    let mut decided = 0.0;
    let mut undecided = Vec::new();
    let mut used = 0;
    while let Some((joint_box, share)) = pending.pop() {
        used += 1;
        exact.place(&joint_box.middle, &joint_box.half);
        let motion_bound = exact.motion_bound(item);
        undecided.clear();
        if exact.narrow(item, motion_bound + clearance, &mut undecided).is_some() {
            return (PairVerdict::Touching, used);
        }
        if undecided.is_empty() {
            decided += share;
            continue;
        }
        clearance = clearance.min(0.5 * exact.slack(item, 2.0 * clearance));
        let widest = exact.widest_variable(pair);
        let likely = if used < TRIAL_CONFIGURATIONS { decided + share } else { decided };
        let is_hopeless = used <= TRIAL_CONFIGURATIONS && likely * (budget as f64) < MIN_TRIAL_PROGRESS_RATIO;
        if clearance < MIN_PROVEN_CLEARANCE_M || used >= budget || is_hopeless {
            return (PairVerdict::Unknown, used);
        }
        match widest {
            Some(variable) => pending.extend(split(joint_box, variable).map(|half| (half, 0.5 * share))),
            None => return (PairVerdict::Apart(clearance), used),
        }
    }
    (PairVerdict::Apart(clearance), used)
}

/// The box of all values of the variables; `None` when they are not bounded.
pub(super) fn whole_box(robot: &Robot, variables: &[usize]) -> Option<JointBox> {
    let mut whole = JointBox { middle: Vec::new(), half: Vec::new() };
    for variable in variables {
        let (low, high) = range(robot, *variable)?;
        whole.middle.push(f64::midpoint(low, high));
        whole.half.push(0.5 * (high - low) + LIMIT_TOLERANCE_RAD_M);
    }
    Some(whole)
}

fn range(robot: &Robot, variable: usize) -> Option<(f64, f64)> {
    let JointLimits { lower, upper, .. } = robot.joint_limits[variable];
    if lower.is_finite() && upper.is_finite() {
        return Some((lower, upper));
    }
    // One revolution of a joint without limits covers all its poses, unless another joint mimics it with a factor.
    let joint = robot.active_joints[variable];
    let is_followed = robot.joints.iter().any(|other| other.mimic.as_ref().is_some_and(|mimic| mimic.joint == joint));
    let turns = robot.joints[joint].joint_type != kinetic_robot::JointType::Prismatic;
    (turns && !is_followed).then_some((-std::f64::consts::PI, std::f64::consts::PI))
}

pub(super) fn split(joint_box: JointBox, variable: usize) -> [JointBox; 2] {
    let JointBox { middle, mut half } = joint_box;
    half[variable] *= 0.5;
    let shifted = |sign: f64| {
        let mut middle = middle.clone();
        middle[variable] += sign * half[variable];
        JointBox { middle, half: half.clone() }
    };
    [shifted(-1.0), shifted(1.0)]
}

/// The two links alone, moved by the variables between them.
fn evaluation_of(
    robot: &Robot,
    links: &[LinkGeometry],
    pair: (usize, usize),
    variables: &[usize],
) -> (PlacedModel, SelfPair) {
    let program = JointProgram::compile(robot, variables, &robot.neutral_configuration());
    let bodies: Vec<_> = [pair.0, pair.1]
        .into_iter()
        .map(|link| {
            let (frame, frame_from_link) = program.link(link);
            links[link].body(&robot.links[link].name, frame, &frame_from_link.to_pose(), &program)
        })
        .collect();
    let pair = SelfPair::new(&bodies, 0, 1, 0.0);
    let model = CollisionModel::new(program, bodies, Default::default(), (vec![pair], 1));
    (PlacedModel::new(model), pair)
}
