//! Two clusters, the joints between them, and which of their spheres may meet.

use kinetic_core::rng::SeededRng;
use kinetic_core::{ContentHash, ContentHasher};
use kinetic_kinematics::{Motion, Rigid};
use nalgebra::Vector3;

use super::MOST_JOINTS;
use crate::evaluation::Evaluation;
use crate::lanes::clusters::Cluster;
use crate::lanes::gates::Gate;
use crate::lanes::model::{Ancestor, LaneModel};
use crate::pairs::rounded;

/// Fewer pairs of spheres are asked as fast as a table.
const LEAST_PAIRS: usize = 24;

/// Joints that turn less are no reason for a table, rad.
const LEAST_RANGE: f64 = 1e-2;

/// Configurations in which the balls around the clusters are compared, and the part of them in which these must be near each
/// other to be worth a table.
const SAMPLES: usize = 64;
const LEAST_PART: usize = SAMPLES / 4;

/// A joint that turns one of the clusters, rad.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Turn {
    /// Among the moving frames.
    pub(super) frame: usize,
    /// Its pose in the frame of the joint before it, or in the one that carries both clusters.
    pub(super) pose: Rigid,
    /// Its angles, within a turn.
    pub(super) range: (f64, f64),
}

/// A cluster and the joints that turn it, from the frame that carries both clusters on.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct End {
    pub(super) turns: Vec<Turn>,
    /// In its frame: centre and radius.
    pub(super) spheres: Vec<(Vector3<f64>, f64)>,
    /// The ball around all of them.
    ball: (Vector3<f64>, f64),
}

/// Two clusters that are moved against each other by turning joints alone.
#[derive(Debug, Clone, PartialEq)]
pub(in crate::lanes) struct Between {
    pub(super) ends: [End; 2],
    /// Spheres of the first and the second that may meet.
    pub(super) pairs: Vec<(u32, u32)>,
    margin: f64,
}

impl Between {
    /// Those of a gate; `None` where a table would not do, or not be worth its place.
    pub(in crate::lanes) fn of(evaluation: &Evaluation, model: &LaneModel, gate: &Gate) -> Option<Self> {
        let joints = gate.joints_of_large + gate.joints_of_small;
        let (large, small) = (&model.clusters[gate.large], &model.clusters[gate.small]);
        // What is attached comes and goes too fast, and without limits there is no plan.
        let are_links = large.bodies.iter().chain(&small.bodies).all(|body| evaluation.link(*body).is_some());
        if evaluation.limits.is_none() || joints > MOST_JOINTS || !are_links {
            return None;
        }
        let end = |cluster: &Cluster, joints: usize| {
            let turns = turns(evaluation, &cluster.ancestors[..joints])?;
            let ball = (Vector3::from(cluster.center.map(f64::from)), f64::from(cluster.radius));
            Some(End { turns, spheres: Vec::new(), ball })
        };
        let ends = [end(large, gate.joints_of_large)?, end(small, gate.joints_of_small)?];
        let mut between = Self { ends, pairs: Vec::new(), margin: f64::from(gate.margin) };
        between.add_spheres(evaluation, model, gate);
        (between.pairs.len() >= LEAST_PAIRS).then_some(between)
    }

    fn add_spheres(&mut self, evaluation: &Evaluation, model: &LaneModel, gate: &Gate) {
        let sphere = |number: u32| {
            let body = model.bodies.partition_point(|body| body.first_sphere <= number as usize) - 1;
            evaluation.bodies[body].spheres[number as usize - model.bodies[body].first_sphere]
        };
        let mut numbers = Vec::new();
        for (first, candidate) in model.candidates[gate.candidates.clone()].iter().enumerate() {
            self.ends[0].spheres.push(sphere(candidate.sphere));
            for partner in &model.partners[candidate.partners()] {
                let second = numbers.iter().position(|number| number == partner).unwrap_or_else(|| {
                    numbers.push(*partner);
                    self.ends[1].spheres.push(sphere(*partner));
                    numbers.len() - 1
                });
                self.pairs.push((first as u32, second as u32));
            }
        }
    }

    /// How many spheres a table spares in [`SAMPLES`] configurations; none where the balls around the clusters mostly say
    /// enough.
    pub(super) fn worth(&self) -> usize {
        let mut rng = SeededRng::new(0);
        let near = |_: &usize| {
            let mut center = |end: &End| {
                let turned =
                    |pose: Rigid, turn: &Turn| pose.then(&turn.pose).rotated_z(rng.uniform(turn.range.0, turn.range.1));
                end.turns.iter().fold(Rigid::identity(), turned).point(&end.ball.0)
            };
            let [first, second] = &self.ends;
            (center(first) - center(second)).norm() < first.ball.1 + second.ball.1 + self.margin
        };
        let count = (0..SAMPLES).filter(near).count();
        if count >= LEAST_PART { count * self.pairs.len() } else { 0 }
    }

    /// How many joints are between them.
    pub(super) fn joints(&self) -> usize {
        self.ends.iter().map(|end| end.turns.len()).sum()
    }

    /// Hash of everything that a search with an effort over some cells depends on. Numbers that differ by rounding have the same one: a
    /// bound keeps more than that.
    pub(super) fn content_hash(&self, worth: usize, cells: [usize; MOST_JOINTS]) -> ContentHash {
        let mut hasher = ContentHasher::default();
        let mut add = |value: u64| hasher.word(value);
        add(worth as u64);
        for count in cells {
            add(count as u64);
        }
        add(self.pairs.len() as u64);
        self.pairs.iter().flat_map(|(a, b)| [*a, *b]).for_each(|index| add(index.into()));
        for end in &self.ends {
            add(end.turns.len() as u64);
            // Which frames these are depends on the group and changes no bound.
            for Turn { pose, range, .. } in &end.turns {
                let numbers = pose.rotation.iter().chain(&pose.translation).chain([&range.0, &range.1]);
                numbers.copied().map(rounded).for_each(&mut add);
            }
            add(end.spheres.len() as u64);
            let numbers = end.spheres.iter().flat_map(|(center, radius)| center.iter().chain([radius]));
            numbers.copied().map(rounded).for_each(&mut add);
        }
        hasher.finish()
    }

    /// Different for different ones, most likely.
    pub(super) fn fingerprint(&self) -> u64 {
        let mut print = self.pairs.len() as u64;
        // Firefox's hash: what is found by it is compared.
        let mut add = |value: f64| print = (print.rotate_left(5) ^ value.to_bits()).wrapping_mul(0x517C_C1B7_2722_0A95);
        for end in &self.ends {
            for turn in &end.turns {
                turn.pose.translation.iter().chain([&turn.range.0, &turn.range.1]).copied().for_each(&mut add);
            }
            for (center, radius) in &end.spheres {
                center.iter().chain([radius]).copied().for_each(&mut add);
            }
        }
        print
    }
}

/// The joints of some ancestors, farthest first; `None` if one of them slides or hardly turns.
fn turns(evaluation: &Evaluation, nearest: &[Ancestor]) -> Option<Vec<Turn>> {
    let turn = |ancestor: &Ancestor| {
        let frame = &evaluation.program.frames()[ancestor.frame - 1];
        let limits = evaluation.limits.as_ref().map(|limits| &limits[frame.variable]);
        let ends = limits.map(|limits| [limits.lower, limits.upper].map(|q| frame.multiplier * q + frame.offset));
        let range = ends.map(|[a, b]| (a.min(b), a.max(b)));
        let whole = std::f64::consts::PI;
        let range = range.filter(|(low, high)| -whole <= *low && *high <= whole).unwrap_or((-whole, whole));
        let turns = frame.motion == Motion::Rotation && range.1 - range.0 > LEAST_RANGE;
        turns.then(|| Turn { frame: ancestor.frame - 1, pose: frame.parent_from_frame, range })
    };
    nearest.iter().rev().map(turn).collect()
}
