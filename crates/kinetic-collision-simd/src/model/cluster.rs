//! Clusters: bodies that lie close together on one frame, with a common bounding sphere.

use nalgebra::Vector3;

use crate::collision_model::{CollisionModel, MovingBody};
use crate::model::{Ancestor, KernelModel};
use crate::rounding::{single, upward};
use kinetic_collision::ball::enclosing_ball;

/// Largest radius of a cluster's bounding sphere, relative to the extent of the robot.
const MAX_RADIUS_RATIO: f32 = 0.12;

/// Bodies on one frame with the same obstacles.
#[derive(Debug, Clone)]
pub(crate) struct Cluster {
    pub(crate) frame: usize,
    pub(crate) center: [f32; 3],
    pub(crate) radius: f32,
    pub(crate) bodies: Vec<usize>,
    /// Index of the tree of obstacles that they are checked against.
    pub(crate) tree: usize,
    /// Required clearance from the world, the largest of its bodies.
    pub(crate) margin: f32,
    /// Required clearance per obstacle, the largest of its bodies; empty when it is the same for all.
    margins: Vec<f32>,
    pub(crate) roundoff: f32,
    pub(crate) extent: f32,
    /// The joints above its frame, nearest first, with the longest arm of its bodies.
    pub(crate) ancestors: Vec<Ancestor>,
}

impl Cluster {
    /// Required clearance from an obstacle, the largest of its bodies.
    #[inline(always)]
    pub(crate) fn margin_to(&self, obstacle: u32) -> f32 {
        if self.margins.is_empty() { self.margin } else { self.margins[obstacle as usize] }
    }
}

impl KernelModel {
    /// Adds every body to the first cluster that stays small with it, or to a new one.
    pub(crate) fn add_clusters(&mut self, input: &CollisionModel) {
        let bodies = &input.bodies;
        let size = self.bodies.iter().map(|body| body.extent).fold(0.0, f32::max);
        for index in 0..bodies.len() {
            // Attached bodies have clusters of their own, so that results about links stay valid when they are attached
            // and detached.
            let is_alike = |cluster: &usize| {
                input.link(self.clusters[*cluster].bodies[0]).is_some() == input.link(index).is_some()
            };
            let joined =
                (0..self.clusters.len()).filter(is_alike).find_map(|cluster| self.joined(cluster, bodies, index, size));
            match joined {
                Some((cluster, merged)) => self.clusters[cluster] = merged,
                None => self.clusters.push(self.cluster(bodies, vec![index])),
            }
        }
        self.cluster_of = vec![0; bodies.len()];
        for (index, cluster) in self.clusters.iter().enumerate() {
            cluster.bodies.iter().for_each(|body| self.cluster_of[*body] = index);
        }
    }

    /// Takes over the obstacle trees and required clearances of the bodies, after the obstacles were replaced.
    pub(crate) fn set_obstacles_of_clusters(&mut self) {
        let Self { clusters, bodies, .. } = self;
        for cluster in clusters {
            let margins = cluster.bodies.iter().map(|index| bodies[*index].margin);
            cluster.margin = margins.fold(f32::MIN, f32::max);
            cluster.tree = bodies[cluster.bodies[0]].tree;
        }
    }

    /// A cluster extended by a body, if it stays small enough.
    fn joined(&self, cluster: usize, bodies: &[MovingBody], index: usize, size: f32) -> Option<(usize, Cluster)> {
        let (old, body) = (&self.clusters[cluster], &self.bodies[index]);
        if old.frame != body.frame || old.tree != body.tree {
            return None;
        }
        let members = old.bodies.iter().copied().chain([index]).collect();
        let merged = self.cluster(bodies, members);
        (merged.radius <= MAX_RADIUS_RATIO * size).then_some((cluster, merged))
    }

    fn cluster(&self, bodies: &[MovingBody], members: Vec<usize>) -> Cluster {
        let balls: Vec<(Vector3<f64>, f64)> =
            members.iter().map(|index| (bodies[*index].center, bodies[*index].radius)).collect();
        let (center, radius) = match balls[..] {
            [ball] => ball,
            _ => enclosing_ball(&balls),
        };
        let most = |value: &dyn Fn(usize) -> f32| members.iter().map(|index| value(*index)).fold(f32::MIN, f32::max);
        let first = &self.bodies[members[0]];
        let obstacles = members.iter().map(|index| self.bodies[*index].margins.len()).max().unwrap_or(0);
        Cluster {
            frame: first.frame,
            center: single(&center),
            radius: upward(radius),
            tree: first.tree,
            margin: most(&|index| self.bodies[index].margin),
            margins: (0..obstacles as u32).map(|id| most(&|index| self.bodies[index].margin_to(id))).collect(),
            roundoff: first.roundoff,
            // Every point is within the common bounding sphere.
            extent: most(&|index| self.bodies[index].extent) + 2.0 * radius as f32,
            ancestors: self.longest_arms(&members),
            bodies: members,
        }
    }

    /// The joints above bodies on one frame, each with the longest lever arm.
    fn longest_arms(&self, members: &[usize]) -> Vec<Ancestor> {
        let mut ancestors = self.bodies[members[0]].ancestors.clone();
        for (slot, ancestor) in ancestors.iter_mut().enumerate() {
            let arms = members.iter().map(|index| self.bodies[*index].ancestors[slot].arm);
            ancestor.arm = arms.fold(ancestor.arm, f32::max);
        }
        ancestors
    }
}
