//! Two clusters, the joints between them, and which of their spheres may meet.

use kinetic_core::rng::SeededRng;
use kinetic_core::{ContentHash, ContentHasher};
use kinetic_kinematics::{Motion, Rigid};
use nalgebra::Vector3;

use super::MOST_JOINTS;
use crate::collision_model::CollisionModel;
use crate::model::cluster::Cluster;
use crate::model::cluster_pair::ClusterPair;
use crate::model::{Ancestor, KernelModel};
use crate::stored_results::rounded;

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
pub(crate) struct RevoluteJoint {
    /// Among the moving frames.
    pub(crate) frame: usize,
    /// Its pose in the frame of the joint before it, or in the one that carries both clusters.
    pub(crate) pose: Rigid,
    /// Its angles, within a turn.
    pub(crate) range: (f64, f64),
}

/// A cluster and the joints that turn it, from the frame that carries both clusters on.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct End {
    pub(crate) joints: Vec<RevoluteJoint>,
    /// In its frame: centre and radius.
    pub(crate) spheres: Vec<(Vector3<f64>, f64)>,
    /// The ball around all of them.
    ball: (Vector3<f64>, f64),
}

/// Two clusters that are moved against each other by turning joints alone.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct JointedClusters {
    pub(crate) ends: [End; 2],
    /// Spheres of the first and the second that may meet.
    pub(crate) pairs: Vec<(u32, u32)>,
    margin: f64,
}

impl JointedClusters {
    /// Those of a cluster pair; `None` where a table would not do, or not be worth its place.
    pub(crate) fn of(input: &CollisionModel, model: &KernelModel, cluster_pair: &ClusterPair) -> Option<Self> {
        let joints = cluster_pair.joints_of_large + cluster_pair.joints_of_small;
        let (large, small) = (&model.clusters[cluster_pair.large], &model.clusters[cluster_pair.small]);
        // What is attached comes and goes too fast, and without limits there is no plan.
        let are_links = large.bodies.iter().chain(&small.bodies).all(|body| input.link(*body).is_some());
        if input.limits.is_none() || joints > MOST_JOINTS || !are_links {
            return None;
        }
        let end = |cluster: &Cluster, joints: usize| {
            let joints = revolute_joints(input, &cluster.ancestors[..joints])?;
            let ball = (Vector3::from(cluster.center.map(f64::from)), f64::from(cluster.radius));
            Some(End { joints, spheres: Vec::new(), ball })
        };
        let ends = [end(large, cluster_pair.joints_of_large)?, end(small, cluster_pair.joints_of_small)?];
        let mut between = Self { ends, pairs: Vec::new(), margin: f64::from(cluster_pair.margin) };
        between.add_spheres(input, model, cluster_pair);
        (between.pairs.len() >= LEAST_PAIRS).then_some(between)
    }

    fn add_spheres(&mut self, input: &CollisionModel, model: &KernelModel, cluster_pair: &ClusterPair) {
        let sphere = |number: u32| {
            let body = model.bodies.partition_point(|body| body.first_sphere <= number as usize) - 1;
            input.bodies[body].spheres[number as usize - model.bodies[body].first_sphere]
        };
        let mut numbers = Vec::new();
        for (first, candidate) in model.candidates[cluster_pair.candidates.clone()].iter().enumerate() {
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
    pub(crate) fn worth(&self) -> usize {
        let mut rng = SeededRng::new(0);
        let near = |_: &usize| {
            let mut center = |end: &End| {
                let turned = |pose: Rigid, turn: &RevoluteJoint| {
                    pose.then(&turn.pose).rotated_z(rng.uniform(turn.range.0, turn.range.1))
                };
                end.joints.iter().fold(Rigid::identity(), turned).point(&end.ball.0)
            };
            let [first, second] = &self.ends;
            (center(first) - center(second)).norm() < first.ball.1 + second.ball.1 + self.margin
        };
        let count = (0..SAMPLES).filter(near).count();
        if count >= LEAST_PART { count * self.pairs.len() } else { 0 }
    }

    /// How many joints are between them.
    pub(crate) fn joints(&self) -> usize {
        self.ends.iter().map(|end| end.joints.len()).sum()
    }

    /// Hash of everything that a search with an effort over some cells depends on. Numbers that differ by rounding have the same one: a
    /// bound keeps more than that.
    pub(crate) fn content_hash(&self, worth: usize, cells: [usize; MOST_JOINTS]) -> ContentHash {
        let mut hasher = ContentHasher::default();
        let mut add = |value: u64| hasher.word(value);
        add(worth as u64);
        for count in cells {
            add(count as u64);
        }
        add(self.pairs.len() as u64);
        self.pairs.iter().flat_map(|(a, b)| [*a, *b]).for_each(|index| add(index.into()));
        for end in &self.ends {
            add(end.joints.len() as u64);
            // Which frames these are depends on the group and changes no bound.
            for RevoluteJoint { pose, range, .. } in &end.joints {
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
    pub(crate) fn fingerprint(&self) -> u64 {
        let mut print = self.pairs.len() as u64;
        // Firefox's hash: what is found by it is compared.
        let mut add = |value: f64| print = (print.rotate_left(5) ^ value.to_bits()).wrapping_mul(0x517C_C1B7_2722_0A95);
        for end in &self.ends {
            for turn in &end.joints {
                turn.pose.translation.iter().chain([&turn.range.0, &turn.range.1]).copied().for_each(&mut add);
            }
            for (center, radius) in &end.spheres {
                center.iter().chain([radius]).copied().for_each(&mut add);
            }
        }
        print
    }
}

/// The joints of some ancestors, farthest first; `None` if one of them is prismatic or hardly turns.
fn revolute_joints(input: &CollisionModel, nearest: &[Ancestor]) -> Option<Vec<RevoluteJoint>> {
    let turn = |ancestor: &Ancestor| {
        let frame = &input.program.frames()[ancestor.frame - 1];
        let limits = input.limits.as_ref().map(|limits| &limits[frame.variable]);
        let ends = limits.map(|limits| [limits.lower, limits.upper].map(|q| frame.multiplier * q + frame.offset));
        let range = ends.map(|[a, b]| (a.min(b), a.max(b)));
        let whole = std::f64::consts::PI;
        let range = range.filter(|(low, high)| -whole <= *low && *high <= whole).unwrap_or((-whole, whole));
        let is_revolute = frame.motion == Motion::Rotation && range.1 - range.0 > LEAST_RANGE;
        is_revolute.then(|| RevoluteJoint { frame: ancestor.frame - 1, pose: frame.parent_from_frame, range })
    };
    nearest.iter().rev().map(turn).collect()
}
