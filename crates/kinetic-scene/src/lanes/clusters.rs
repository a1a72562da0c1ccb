//! Bodies that lie close together on one frame, and the pairs between them.

use std::ops::Range;
use std::sync::Arc;

use nalgebra::Vector3;

use super::boxes::Boxes;
use super::model::{LaneModel, upward};
use super::obstacle::single;
use crate::evaluation::MovingBody;
use crate::geometry::enclosing_ball;

/// Bodies are looked at together when the ball around them is not larger than this part of the robot.
const LARGEST_PART: f32 = 0.12;

/// Bodies on one frame with the same obstacles.
#[derive(Debug, Clone)]
pub(super) struct Cluster {
    pub(super) frame: usize,
    pub(super) center: [f32; 3],
    pub(super) radius: f32,
    pub(super) bodies: Vec<usize>,
    pub(super) boxes: Arc<Boxes>,
    /// Margin towards the world, the largest of its bodies.
    pub(super) margin: f32,
    /// Per obstacle that of its bodies which keeps most from it, when obstacles differ.
    margins: Vec<f32>,
    pub(super) roundoff: f32,
    pub(super) extent: f32,
}

impl Cluster {
    /// The largest margin of its bodies towards an obstacle.
    #[inline(always)]
    pub(super) fn margin_to(&self, obstacle: u32) -> f32 {
        if self.margins.is_empty() { self.margin } else { self.margins[obstacle as usize] }
    }
}

/// Pairs of bodies between two clusters.
#[derive(Debug, Clone)]
pub(super) struct Gate {
    pub(super) clusters: (usize, usize),
    /// The largest of its pairs.
    pub(super) margin: f32,
    /// Range in [`LaneModel::pair_order`].
    pub(super) pairs: Range<usize>,
}

impl LaneModel {
    /// Joins every body with the first cluster that stays small.
    pub(super) fn add_clusters(&mut self, bodies: &[MovingBody]) {
        let size = self.bodies.iter().map(|body| body.extent).fold(0.0, f32::max);
        for index in 0..bodies.len() {
            let joined = (0..self.clusters.len()).find_map(|cluster| self.joined(cluster, bodies, index, size));
            match joined {
                Some((cluster, merged)) => self.clusters[cluster] = merged,
                None => self.clusters.push(self.cluster(bodies, vec![index])),
            }
        }
    }

    /// A cluster with another body in it, if they fit together.
    fn joined(&self, cluster: usize, bodies: &[MovingBody], index: usize, size: f32) -> Option<(usize, Cluster)> {
        let (old, body) = (&self.clusters[cluster], &self.bodies[index]);
        if old.frame != body.frame || !Arc::ptr_eq(&old.boxes, &body.boxes) {
            return None;
        }
        let members = old.bodies.iter().copied().chain([index]).collect();
        let merged = self.cluster(bodies, members);
        (merged.radius <= LARGEST_PART * size).then_some((cluster, merged))
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
            boxes: Arc::clone(&first.boxes),
            margin: most(&|index| self.bodies[index].margin),
            margins: (0..obstacles as u32).map(|id| most(&|index| self.bodies[index].margin_to(id))).collect(),
            roundoff: first.roundoff,
            // Within the ball around all of them.
            extent: most(&|index| self.bodies[index].extent) + 2.0 * radius as f32,
            bodies: members,
        }
    }

    /// Sorts the pairs by the clusters that they are between.
    pub(super) fn add_gates(&mut self) {
        let mut cluster_of = vec![0; self.bodies.len()];
        for (index, cluster) in self.clusters.iter().enumerate() {
            cluster.bodies.iter().for_each(|body| cluster_of[*body] = index);
        }
        let between = |pair: usize| {
            let (a, b) = (cluster_of[self.pairs[pair].small], cluster_of[self.pairs[pair].large]);
            (a.min(b), a.max(b))
        };
        let mut order: Vec<usize> = (0..self.pairs.len()).collect();
        order.sort_by_key(|pair| (between(*pair), *pair));
        let mut gates = Vec::new();
        let mut begin = 0;
        for group in order.chunk_by(|a, b| between(*a) == between(*b)) {
            let margin = group.iter().map(|pair| self.pairs[*pair].margin).fold(f32::MIN, f32::max);
            gates.push(Gate { clusters: between(group[0]), margin, pairs: begin..begin + group.len() });
            begin += group.len();
        }
        (self.gates, self.pair_order) = (gates, order);
    }
}
