//! Proofs that two links never touch, whatever the joints between them do.
//!
//! The box of the joints between the links is split until in every part the distance at the middle exceeds what the
//! part can change of it (the motion bound of [`exact`](crate::exact)). The method is the one of sweeps along
//! a motion (Schwarzer, Saha, Latombe 2005), over a box instead of a line.

use kinetic_collision_simd::{CollisionModel, ExactTier, SelfPair};
use kinetic_core::JointLimits;
use kinetic_kinematics::JointProgram;
use kinetic_robot::Robot;

use crate::continuous::DistanceQueries;
use crate::exact::PlacedModel;
use crate::link_geometry::LinkGeometry;

/// Room around the limits, rad or m: what printing and rounding of a configuration on its limit may cost.
pub(crate) const LIMIT_ROOM: f64 = 1e-6;

/// Smallest clearance worth a proof, m. Below it lie models that touch but for their rounding.
const LEAST_CLEARANCE: f64 = 1e-4;

/// The part of the joint box that the first [`TRIAL`] configurations have to decide, times the budget. Proofs that end within
/// theirs on the built-in robots decide more, three of them less than ten times as much; most others decide next to nothing.
/// What is given up stays checked.
const PROMISING: f64 = 1e-2;
const TRIAL: usize = 50;

/// Joints between two links for which a configuration counts once.
pub(super) const JOINTS_OF_ONE: usize = 32;

/// How many configurations searches for proofs may look at. One takes about 2 µs; where there are dozens of joints between
/// the links it counts several times.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Effort {
    /// For a pair with at most three joints between the links. Every further joint multiplies what a proof needs.
    pub near: usize,
    /// For any other pair: links that never come near each other need few.
    pub far: usize,
    /// For all pairs of a robot together.
    pub total: usize,
}

impl Effort {
    /// When a robot without stored facts is used for the first time: below a second.
    pub const WHEN_FIRST_USED: Self = Self { near: 10_000, far: 1_000, total: 600_000 };

    /// For facts that are stored with the robot: below a minute.
    pub const TO_STORE: Self = Self { near: 50_000, far: 20_000, total: 5_000_000 };

    pub(super) fn of_pair(&self, joints: usize) -> usize {
        if joints <= 3 { self.near } else { self.far }
    }
}

/// What a search for a proof ended with.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Verdict {
    /// The links keep at least this distance, m, inside the joint limits.
    Apart(f64),
    /// They touch in a configuration that the search met.
    Touching,
    /// Neither was found.
    Unknown,
}

/// A part of the joint box.
pub(super) struct Part {
    pub(super) middle: Vec<f64>,
    pub(super) half: Vec<f64>,
}

/// Looks for a proof in at most `budget` configurations. Half of the least distance that the search meets is what it
/// proves: the whole would never end. `variables` are those of the joints between the links.
pub(super) fn prove(
    robot: &Robot,
    links: &[LinkGeometry],
    (pair, variables): ((usize, usize), &[usize]),
    budget: usize,
) -> (Verdict, usize) {
    let Some(whole) = whole_box(robot, variables) else { return (Verdict::Unknown, 1) };
    let (mut exact, pair) = evaluation_of(robot, links, pair, variables);
    let item = exact.model.bodies.len() as u32;
    exact.place(&whole.middle, &whole.half);
    let mut clearance = 0.5 * exact.excess(item, f64::INFINITY);
    // With the part of the whole box that each is.
    let mut open = vec![(whole, 1.0)];
    let mut decided = 0.0;
    let mut undecided = Vec::new();
    let mut used = 0;
    while let Some((part, share)) = open.pop() {
        used += 1;
        exact.place(&part.middle, &part.half);
        let reach = exact.motion_bound(item);
        undecided.clear();
        if exact.narrow(item, reach + clearance, &mut undecided).is_some() {
            return (Verdict::Touching, used);
        }
        if undecided.is_empty() {
            decided += share;
            continue;
        }
        clearance = clearance.min(0.5 * exact.excess(item, 2.0 * clearance));
        let widest = exact.widest_variable(pair);
        let likely = if used < TRIAL { decided + share } else { decided };
        let is_hopeless = used <= TRIAL && likely * (budget as f64) < PROMISING;
        if clearance < LEAST_CLEARANCE || used >= budget || is_hopeless {
            return (Verdict::Unknown, used);
        }
        match widest {
            Some(variable) => open.extend(split(part, variable).map(|half| (half, 0.5 * share))),
            None => return (Verdict::Apart(clearance), used),
        }
    }
    (Verdict::Apart(clearance), used)
}

/// All values that the variables can take; `None` when they are not bounded.
pub(super) fn whole_box(robot: &Robot, variables: &[usize]) -> Option<Part> {
    let mut whole = Part { middle: Vec::new(), half: Vec::new() };
    for variable in variables {
        let (low, high) = range(robot, *variable)?;
        whole.middle.push(f64::midpoint(low, high));
        whole.half.push(0.5 * (high - low) + LIMIT_ROOM);
    }
    Some(whole)
}

fn range(robot: &Robot, variable: usize) -> Option<(f64, f64)> {
    let JointLimits { lower, upper, .. } = robot.joint_limits[variable];
    if lower.is_finite() && upper.is_finite() {
        return Some((lower, upper));
    }
    // One turn of a joint without limits shows everything, unless another joint follows it with a gear.
    let joint = robot.active_joints[variable];
    let is_followed = robot.joints.iter().any(|other| other.mimic.as_ref().is_some_and(|mimic| mimic.joint == joint));
    let turns = robot.joints[joint].joint_type != kinetic_robot::JointType::Prismatic;
    (turns && !is_followed).then_some((-std::f64::consts::PI, std::f64::consts::PI))
}

pub(super) fn split(part: Part, variable: usize) -> [Part; 2] {
    let Part { middle, mut half } = part;
    half[variable] *= 0.5;
    let shifted = |sign: f64| {
        let mut middle = middle.clone();
        middle[variable] += sign * half[variable];
        Part { middle, half: half.clone() }
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
