//! The input of a distance table: two clusters, the joints between them, and which of their spheres may touch.

use kinetic_core::rng::SeededRng;
use kinetic_core::{ContentHash, ContentHasher};
use kinetic_kinematics::{Motion, Rigid};
use nalgebra::Vector3;

use super::MAX_TABLE_JOINTS;
use crate::collision_model::CollisionModel;
use crate::model::cluster::Cluster;
use crate::model::cluster_pair::ClusterPair;
use crate::model::{Ancestor, KernelModel};
use crate::stored_results::rounded;

/// Number of sphere pairs from which on a table is faster than testing them.
const MIN_SPHERE_PAIRS: usize = 24;

/// Range of a joint from which on it is an axis of a table, rad.
const MIN_JOINT_RANGE_RAD: f64 = 1e-2;

/// Random configurations in which the bounding spheres are compared, and the number of them in which these must overlap
/// for a table to be worth its time.
const NEARNESS_SAMPLES: usize = 64;
const MIN_NEAR_SAMPLES: usize = NEARNESS_SAMPLES / 4;

/// A revolute joint that moves one of the clusters.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct RevoluteJoint {
    /// Index of the moving frame.
    pub(crate) frame: usize,
    /// Its pose in the frame of the joint before it, or in the one that carries both clusters.
    pub(crate) pose: Rigid,
    /// Its range, within [-π, π], rad.
    pub(crate) range: (f64, f64),
}

/// A cluster and the chain of joints from the common frame to it.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct ClusterChain {
    pub(crate) joints: Vec<RevoluteJoint>,
    /// Centre and radius of each sphere, in the frame of the cluster.
    pub(crate) spheres: Vec<(Vector3<f64>, f64)>,
    /// Bounding sphere of the cluster.
    ball: (Vector3<f64>, f64),
}

/// Two clusters with only revolute joints between them.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct JointedClusters {
    pub(crate) chains: [ClusterChain; 2],
    /// Spheres of the first and the second that may meet.
    pub(crate) pairs: Vec<(u32, u32)>,
    margin: f64,
}

impl JointedClusters {
    /// The clusters of a cluster pair; `None` where a table is not possible, or not worth its memory.
    pub(crate) fn of(input: &CollisionModel, model: &KernelModel, cluster_pair: &ClusterPair) -> Option<Self> {
        let joints = cluster_pair.joints_of_large + cluster_pair.joints_of_small;
        let (large, small) = (&model.clusters[cluster_pair.large], &model.clusters[cluster_pair.small]);
        // Attached bodies change too often, and a group without limits is not planned for.
        let are_links = large.bodies.iter().chain(&small.bodies).all(|body| input.link(*body).is_some());
        if input.limits.is_none() || joints > MAX_TABLE_JOINTS || !are_links {
            return None;
        }
        let chain = |cluster: &Cluster, joints: usize| {
            let joints = revolute_joints(input, &cluster.ancestors[..joints])?;
            let ball = (Vector3::from(cluster.center.map(f64::from)), f64::from(cluster.radius));
            Some(ClusterChain { joints, spheres: Vec::new(), ball })
        };
        let chains = [chain(large, cluster_pair.joints_of_large)?, chain(small, cluster_pair.joints_of_small)?];
        let mut jointed = Self { chains, pairs: Vec::new(), margin: f64::from(cluster_pair.margin) };
        jointed.add_spheres(input, model, cluster_pair);
        (jointed.pairs.len() >= MIN_SPHERE_PAIRS).then_some(jointed)
    }

    fn add_spheres(&mut self, input: &CollisionModel, model: &KernelModel, cluster_pair: &ClusterPair) {
        let sphere = |number: u32| {
            let body = model.bodies.partition_point(|body| body.first_sphere <= number as usize) - 1;
            input.bodies[body].spheres[number as usize - model.bodies[body].first_sphere]
        };
        let mut numbers = Vec::new();
        for (first, candidate) in model.candidates[cluster_pair.candidates.clone()].iter().enumerate() {
            self.chains[0].spheres.push(sphere(candidate.sphere));
            for partner in &model.partners[candidate.partners()] {
                let second = numbers.iter().position(|number| number == partner).unwrap_or_else(|| {
                    numbers.push(*partner);
                    self.chains[1].spheres.push(sphere(*partner));
                    numbers.len() - 1
                });
                self.pairs.push((first as u32, second as u32));
            }
        }
    }

    /// Number of sphere tests that a table saves in [`NEARNESS_SAMPLES`] configurations; 0 where the bounding spheres
    /// alone decide most.
    pub(crate) fn spared_tests(&self) -> usize {
        let mut rng = SeededRng::new(0);
        let near = |_: &usize| {
            let mut center = |chain: &ClusterChain| {
                let moved = |pose: Rigid, joint: &RevoluteJoint| {
                    pose.then(&joint.pose).rotated_z(rng.uniform(joint.range.0, joint.range.1))
                };
                chain.joints.iter().fold(Rigid::identity(), moved).point(&chain.ball.0)
            };
            let [first, second] = &self.chains;
            (center(first) - center(second)).norm() < first.ball.1 + second.ball.1 + self.margin
        };
        let count = (0..NEARNESS_SAMPLES).filter(near).count();
        if count >= MIN_NEAR_SAMPLES { count * self.pairs.len() } else { 0 }
    }

    /// Number of joints between the clusters.
    pub(crate) fn joints(&self) -> usize {
        self.chains.iter().map(|chain| chain.joints.len()).sum()
    }

    /// Hash of everything that a search over some cells with a given effort depends on. Numbers that differ by rounding
    /// have the same hash, because bounds leave room for more than that.
    pub(crate) fn content_hash(&self, spared_tests: usize, cells: [usize; MAX_TABLE_JOINTS]) -> ContentHash {
        let mut hasher = ContentHasher::default();
        let mut add = |value: u64| hasher.word(value);
        add(spared_tests as u64);
        for count in cells {
            add(count as u64);
        }
        add(self.pairs.len() as u64);
        self.pairs.iter().flat_map(|(a, b)| [*a, *b]).for_each(|index| add(index.into()));
        for chain in &self.chains {
            add(chain.joints.len() as u64);
            // The index of the frame is left out, because it depends on the group and changes no bound.
            for RevoluteJoint { pose, range, .. } in &chain.joints {
                let numbers = pose.rotation.iter().chain(&pose.translation).chain([&range.0, &range.1]);
                numbers.copied().map(rounded).for_each(&mut add);
            }
            add(chain.spheres.len() as u64);
            let numbers = chain.spheres.iter().flat_map(|(center, radius)| center.iter().chain([radius]));
            numbers.copied().map(rounded).for_each(&mut add);
        }
        hasher.finish()
    }

    /// Hash for lookup in memory.
    pub(crate) fn fingerprint(&self) -> u64 {
        let mut print = self.pairs.len() as u64;
        // The hash function of Firefox. Collisions are harmless, because entries are compared.
        let mut add = |value: f64| print = (print.rotate_left(5) ^ value.to_bits()).wrapping_mul(0x517C_C1B7_2722_0A95);
        for chain in &self.chains {
            for joint in &chain.joints {
                joint.pose.translation.iter().chain([&joint.range.0, &joint.range.1]).copied().for_each(&mut add);
            }
            for (center, radius) in &chain.spheres {
                center.iter().chain([radius]).copied().for_each(&mut add);
            }
        }
        print
    }
}

/// The joints of some ancestors, farthest first; `None` if one of them is prismatic or has hardly any range.
fn revolute_joints(input: &CollisionModel, nearest: &[Ancestor]) -> Option<Vec<RevoluteJoint>> {
    let joint = |ancestor: &Ancestor| {
        let frame = &input.program.frames()[ancestor.frame - 1];
        let limits = input.limits.as_ref().map(|limits| &limits[frame.variable]);
        let ends = limits.map(|limits| [limits.lower, limits.upper].map(|q| frame.multiplier * q + frame.offset));
        let range = ends.map(|[a, b]| (a.min(b), a.max(b)));
        let whole = std::f64::consts::PI;
        let range = range.filter(|(low, high)| -whole <= *low && *high <= whole).unwrap_or((-whole, whole));
        let is_revolute = frame.motion == Motion::Rotation && range.1 - range.0 > MIN_JOINT_RANGE_RAD;
        is_revolute.then(|| RevoluteJoint { frame: ancestor.frame - 1, pose: frame.parent_from_frame, range })
    };
    nearest.iter().rev().map(joint).collect()
}
