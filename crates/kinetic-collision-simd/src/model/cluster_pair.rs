//! Cluster pairs: the self-collision pairs between the bodies of two clusters.

use std::ops::Range;

use kinetic_kinematics::Motion;

use crate::model::cluster::Cluster;
use crate::model::{Ancestor, KernelModel};
use crate::tolerance::DIFFERENCE_ROUNDING_RATIO;

/// The self-collision pairs between the bodies of two clusters.
#[derive(Debug, Clone)]
pub(crate) struct ClusterPair {
    /// The cluster with the smaller bounding sphere, against which the spheres of the larger one are filtered.
    pub(crate) small: usize,
    pub(crate) large: usize,
    /// Required clearance, the largest of its body pairs, m.
    pub(crate) margin: f32,
    /// Distance of the centres up to which the pair has to be tested: radii, required clearance and rounding, without
    /// prismatic displacement.
    pub(crate) near: f32,
    /// Rounding of the difference of two points: without prismatic displacement, and per metre of it.
    pad: f32,
    pub(crate) per_displacement: f32,
    /// Rounding of a point of the smaller cluster that is transformed into the frame of the larger one, likewise.
    transform_pad: f32,
    transform_pad_per_displacement: f32,
    /// Number of joints of each that move it relative to the other.
    pub(crate) joints_of_small: usize,
    pub(crate) joints_of_large: usize,
    /// Range in [`KernelModel::candidates`].
    pub(crate) candidates: Range<usize>,
    /// Centre and half-extents of the bounding box of these, in the frame of the larger cluster.
    pub(crate) around: ([f32; 3], [f32; 3]),
    /// Range in [`KernelModel::body_pairs`].
    pub(crate) pairs: Range<usize>,
}

/// A sphere of the larger cluster that may touch a sphere of the smaller one.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Candidate {
    /// Centre in the frame of the larger cluster.
    pub(crate) center: [f32; 3],
    pub(crate) radius: f32,
    /// Index among the spheres of all bodies.
    pub(crate) sphere: u32,
    pub(crate) body: u32,
    /// Begin and end in [`KernelModel::body_pairs`] of the pairs that its body belongs to.
    pairs: (u32, u32),
    /// Begin and end in [`KernelModel::partners`] of the spheres that it may touch.
    partners: (u32, u32),
}

impl Candidate {
    /// Range in [`KernelModel::body_pairs`].
    #[inline(always)]
    pub(crate) fn pairs(&self) -> Range<usize> {
        self.pairs.0 as usize..self.pairs.1 as usize
    }

    /// Range in [`KernelModel::partners`].
    #[inline(always)]
    pub(crate) fn partners(&self) -> Range<usize> {
        self.partners.0 as usize..self.partners.1 as usize
    }
}

/// A body pair of a cluster pair.
#[derive(Debug, Clone, Copy)]
pub(crate) struct BodyPair {
    /// Index of the self-collision pair.
    pub(crate) pair: u32,
    /// The body in the larger cluster, and that in the smaller one.
    pub(crate) large: u32,
    pub(crate) small: u32,
    pub(crate) margin: f32,
}

impl ClusterPair {
    /// Bound on the rounding of the distance of two points, m.
    #[inline(always)]
    pub(crate) fn rounding(&self, displacement: f32) -> f32 {
        self.per_displacement.mul_add(displacement, self.pad)
    }

    /// Bound on the rounding of the distance of two points, one of which is transformed into the frame of the other, m.
    #[inline(always)]
    pub(crate) fn rounding_of_transformed(&self, displacement: f32) -> f32 {
        self.rounding(displacement) + self.transform_pad_per_displacement.mul_add(displacement, self.transform_pad)
    }
}

impl KernelModel {
    /// Groups the self-collision pairs by the clusters of their bodies.
    pub(crate) fn add_cluster_pairs(&mut self) {
        let between = |pair: usize| {
            let (a, b) = (self.cluster_of[self.pairs[pair].small], self.cluster_of[self.pairs[pair].large]);
            (a.min(b), a.max(b))
        };
        let mut order: Vec<usize> = (0..self.pairs.len()).collect();
        order.sort_by_key(|pair| (between(*pair), *pair));
        let groups = order.chunk_by(|a, b| between(*a) == between(*b));
        let groups: Vec<_> = groups.map(|pairs| (between(pairs[0]), pairs.to_vec())).collect();
        self.cluster_pair_of = vec![0; self.pairs.len()];
        for ((a, b), pairs) in groups {
            self.add_cluster_pair(
                if self.clusters[a].radius <= self.clusters[b].radius { (a, b) } else { (b, a) },
                &pairs,
            );
        }
        let most = self.cluster_pairs.iter().map(|cluster_pair| cluster_pair.candidates.len()).max().unwrap_or(0);
        self.max_candidates = most;
        self.cluster_pair_near = self.cluster_pairs.iter().map(|cluster_pair| cluster_pair.near).collect();
        self.cluster_pair_per_displacement =
            self.cluster_pairs.iter().map(|cluster_pair| cluster_pair.per_displacement).collect();
        self.partner_radii = self.partners.iter().map(|sphere| self.radii[*sphere as usize]).collect();
    }

    fn add_cluster_pair(&mut self, (small, large): (usize, usize), pairs: &[usize]) {
        let first_pair = self.body_pairs.len();
        for pair in pairs {
            let this = self.pairs[*pair];
            let is_as_is = self.cluster_of[this.large] == large;
            let (of_small, of_large) = if is_as_is { (this.small, this.large) } else { (this.large, this.small) };
            let [pair, small, large] = [*pair, of_small, of_large].map(|index| index as u32);
            self.body_pairs.push(BodyPair { pair, large, small, margin: this.margin });
        }
        self.body_pairs[first_pair..].sort_by_key(|pair| pair.large);
        let cluster_pair = self.cluster_pair((small, large), first_pair..self.body_pairs.len());
        // A cluster pair whose spheres can never touch is not tested.
        if !cluster_pair.candidates.is_empty() {
            for pair in pairs {
                self.cluster_pair_of[*pair] = self.cluster_pairs.len() as u32;
            }
            self.cluster_pairs.push(cluster_pair);
        }
    }

    fn cluster_pair(&mut self, (small, large): (usize, usize), pairs: Range<usize>) -> ClusterPair {
        let margin = self.body_pairs[pairs.clone()].iter().map(|pair| pair.margin).fold(f32::MIN, f32::max);
        let candidates = self.add_candidates((small, large), &pairs, margin);
        let (of_small, of_large) = (&self.clusters[small], &self.clusters[large]);
        let pad = (of_small.roundoff + DIFFERENCE_ROUNDING_RATIO) * of_small.extent
            + (of_large.roundoff + DIFFERENCE_ROUNDING_RATIO) * of_large.extent;
        let (joints_of_small, joints_of_large) = (joints_below(of_small, of_large), joints_below(of_large, of_small));
        ClusterPair {
            small,
            large,
            margin,
            near: of_small.radius + of_large.radius + margin + pad,
            pad,
            per_displacement: of_small.roundoff + of_large.roundoff + 2.0 * DIFFERENCE_ROUNDING_RATIO,
            // The rounding of the frame enters once more, relative to the distance of two points of the robot.
            transform_pad: (of_large.roundoff + DIFFERENCE_ROUNDING_RATIO) * (of_small.extent + of_large.extent),
            transform_pad_per_displacement: 2.0 * (of_large.roundoff + DIFFERENCE_ROUNDING_RATIO),
            joints_of_small,
            joints_of_large,
            around: enclosing_box(&self.candidates[candidates.clone()]),
            candidates,
            pairs,
        }
    }

    /// Adds the spheres of the bodies in the larger cluster, each once, except those that the smaller one can never reach.
    fn add_candidates(&mut self, ends: (usize, usize), pairs: &Range<usize>, margin: f32) -> Range<usize> {
        let first = self.candidates.len();
        let ball = self.never_left(ends);
        let mut bodies: Vec<u32> = self.body_pairs[pairs.clone()].iter().map(|pair| pair.large).collect();
        bodies.sort_unstable();
        bodies.dedup();
        for body in bodies {
            let pairs = self.pairs_of(body, pairs);
            let of_body = pairs.0 as usize..pairs.1 as usize;
            // Without proven distances, all spheres of a body have the same partners.
            let is_known = |pair: &BodyPair| !self.pairs[pair.pair as usize].meets_all();
            let differ = self.body_pairs[of_body.clone()].iter().any(is_known);
            let mut partners = (0, 0);
            for index in 0..self.bodies[body as usize].spheres.len() {
                if differ || index == 0 {
                    partners = self.add_partners((body, index), of_body.clone());
                }
                let this = &self.bodies[body as usize];
                let (center, radius) = this.spheres[index];
                let is_reached = ball.is_none_or(|(ball_center, ball_radius)| {
                    distance(center, ball_center) <= ball_radius + radius + margin + 1e-4 * (1.0 + this.extent)
                });
                if is_reached && partners.0 < partners.1 {
                    let sphere = (this.first_sphere + index) as u32;
                    self.candidates.push(Candidate { center, radius, sphere, body, pairs, partners });
                }
            }
        }
        first..self.candidates.len()
    }

    /// Lists the spheres that a sphere of the larger cluster may touch.
    fn add_partners(&mut self, of_large: (u32, usize), pairs: Range<usize>) -> (u32, u32) {
        let first = self.partners.len() as u32;
        let Self { body_pairs, bodies, partners, pairs: of_bodies, meetings, .. } = self;
        for pair in &body_pairs[pairs] {
            let small = &bodies[pair.small as usize];
            let meets = |index: &usize| of_bodies[pair.pair as usize].can_meet(meetings, of_large, *index);
            let met = (0..small.spheres.len()).filter(meets).map(|index| (small.first_sphere + index) as u32);
            partners.extend(met);
        }
        (first, self.partners.len() as u32)
    }

    /// Begin and end of the pairs of a body of the larger cluster, which are contiguous.
    fn pairs_of(&self, body: u32, pairs: &Range<usize>) -> (u32, u32) {
        let sorted = &self.body_pairs[pairs.clone()];
        let begin = pairs.start + sorted.partition_point(|pair| pair.large < body);
        let end = pairs.start + sorted.partition_point(|pair| pair.large <= body);
        (begin as u32, end as u32)
    }

    /// A sphere in the frame of the larger cluster that always contains the smaller one, given as centre and radius. It
    /// exists when one cluster is on the chain to the other with only revolute joints between them. The origin of the
    /// joint next to the larger cluster is fixed in both frames.
    fn never_left(&self, (small, large): (usize, usize)) -> Option<([f32; 3], f32)> {
        let (of_small, of_large) = (&self.clusters[small], &self.clusters[large]);
        let (below_small, below_large) = (joints_below(of_small, of_large), joints_below(of_large, of_small));
        let between = match (below_small, below_large) {
            (_, 0) => &of_small.ancestors[..below_small],
            (0, _) => &of_large.ancestors[..below_large],
            _ => return None,
        };
        if between.iter().any(|joint| joint.motion == Motion::Translation) {
            return None;
        }
        let translation = |joint: &Ancestor| self.frames[joint.frame - 1].translation;
        let (first, others) = between.split_last()?;
        let length: f32 = others.iter().map(|joint| distance(translation(joint), [0.0; 3])).sum();
        let (origin, from) =
            if below_large == 0 { (translation(first), [0.0; 3]) } else { ([0.0; 3], translation(first)) };
        Some((origin, distance(of_small.center, from) + length + of_small.radius))
    }
}

/// Number of joints above a cluster that are not above the other.
fn joints_below(this: &Cluster, other: &Cluster) -> usize {
    let both = this.ancestors.iter().rev().zip(other.ancestors.iter().rev());
    this.ancestors.len() - both.take_while(|(a, b)| a.frame == b.frame).count()
}

/// Centre and half-extents of the bounding box of spheres, enlarged by more than rounding.
fn enclosing_box(spheres: &[Candidate]) -> ([f32; 3], [f32; 3]) {
    let end = |k: usize, sign: f32| spheres.iter().map(|s| sign * s.center[k] + s.radius).fold(f32::MIN, f32::max);
    let ends: [[f32; 2]; 3] = std::array::from_fn(|k| [-end(k, -1.0), end(k, 1.0)]);
    let rounding = |[lower, upper]: [f32; 2]| 4.0 * f32::EPSILON * (lower.abs() + upper.abs());
    (ends.map(|[lower, upper]| 0.5 * (lower + upper)), ends.map(|ends| 0.5 * (ends[1] - ends[0]) + rounding(ends)))
}

fn distance(a: [f32; 3], b: [f32; 3]) -> f32 {
    (0..3).map(|k| (a[k] - b[k]) * (a[k] - b[k])).sum::<f32>().sqrt()
}
