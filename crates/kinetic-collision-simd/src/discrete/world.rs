//! A block's clusters against the obstacles around them.

use crate::discrete::query::{Chunk, gaps};
use crate::model::cluster::Cluster;
use crate::model::obstacle_tree::CHILDREN;
use crate::rounding::DIFFERENCE_ROUNDING;
use crate::vector::{Lanes, OutlinedKernel, Point};

/// A block's clusters against the obstacles, with a place to list what is near.
pub(crate) struct World<'p, 'a, 'b, L> {
    pub(crate) chunk: &'p mut Chunk<'a, 'b, L>,
    pub(crate) work: &'p mut Vec<(u32, u32)>,
}

impl<L: Lanes> OutlinedKernel for World<'_, '_, '_, L> {
    #[inline(always)]
    fn work(self) -> bool {
        self.chunk.world(self.work)
    }
}

/// Lists the bodies of a cluster that are near an obstacle.
struct Bodies<'p, 'a, 'b, L> {
    chunk: &'p mut Chunk<'a, 'b, L>,
    cluster: &'p Cluster,
    /// What rounding and motion can do to a distance, m.
    pad: f32,
    obstacle: u32,
    work: &'p mut Vec<(u32, u32)>,
}

impl<L: Lanes> OutlinedKernel for Bodies<'_, '_, '_, L> {
    #[inline(always)]
    fn work(self) -> bool {
        let Self { chunk, cluster, pad, obstacle, work } = self;
        for body in &cluster.bodies {
            chunk.placement.place_center(chunk.model, *body);
            let this = &chunk.model.bodies[*body];
            let near = this.radius + this.margin_to(obstacle) + pad;
            if chunk.is_near_ball(chunk.placement.centers[*body], near, obstacle) {
                work.push((*body as u32, obstacle));
            }
        }
        false
    }
}

/// A body and an obstacle.
struct Item<'p, 'a, 'b, L> {
    chunk: &'p mut Chunk<'a, 'b, L>,
    body: u32,
    obstacle: u32,
}

impl<L: Lanes> OutlinedKernel for Item<'_, '_, '_, L> {
    #[inline(always)]
    fn work(self) -> bool {
        self.chunk.body_against_obstacle(self.body as usize, self.obstacle)
    }
}

impl<L: Lanes> Chunk<'_, '_, L> {
    /// Cluster after cluster, the tip first. True when nothing more needs to be known.
    #[inline(always)]
    fn world(&mut self, work: &mut Vec<(u32, u32)>) -> bool {
        let model = self.model;
        let steps = if self.block.items.is_some() { 1 } else { model.clusters.len() };
        // One place for the fine tests, so that they are compiled once: for a cluster, or for given items.
        for step in (0..steps).rev() {
            work.clear();
            match self.block.items {
                Some(items) => work.extend_from_slice(&items.world),
                None => self.list_obstacles(step, work),
            }
            for (body, obstacle) in work.iter() {
                if L::outline(Item { chunk: self, body: *body, obstacle: *obstacle }) {
                    return true;
                }
            }
        }
        false
    }

    /// Places a cluster and lists its bodies with the obstacles that are near the balls around them.
    #[inline(always)]
    fn list_obstacles(&mut self, index: usize, work: &mut Vec<(u32, u32)>) {
        let model = self.model;
        let cluster = &model.clusters[index];
        self.placement.place_cluster(model, index);
        let tree = &model.trees[cluster.tree];
        if tree.is_empty() {
            return;
        }
        let pad = self.placement.cluster_pad(cluster) + self.placement.bounds[index];
        let around = (cluster.radius + cluster.margin).max(0.0) + pad;
        let center = self.placement.cluster_centers[index];
        // Taken out of the buffers only where it is needed.
        let (mut few, mut many) = ([0; CHILDREN], Vec::new());
        let near = if let Some(count) = tree.few(center, around, &mut few) {
            &few[..count]
        } else {
            many = std::mem::take(&mut self.placement.near);
            many.clear();
            tree.collect_near(center, around, &mut many);
            &many[..]
        };
        for obstacle in near {
            if !self.is_near_ball(center, cluster.radius + cluster.margin_to(*obstacle) + pad, *obstacle) {
                continue;
            }
            if let [body] = cluster.bodies[..] {
                work.push((body as u32, *obstacle));
            } else {
                L::outline(Bodies { chunk: self, cluster, pad, obstacle: *obstacle, work });
            }
        }
        if many.capacity() > 0 {
            self.placement.near = many;
        }
    }

    /// True when an obstacle is nearer to a point than `near`, in some lane.
    #[inline(always)]
    fn is_near_ball(&self, center: Point<L>, near: f32, obstacle: u32) -> bool {
        let other = &self.model.obstacles[obstacle as usize];
        let near = near + other.radius + DIFFERENCE_ROUNDING * other.extent;
        !other.clearances(center, L::splat(near)).outside(near).all_positive()
    }

    #[inline(always)]
    fn body_against_obstacle(&mut self, index: usize, obstacle: u32) -> bool {
        let model = self.model;
        let (body, other) = (&model.bodies[index], &model.obstacles[obstacle as usize]);
        let pad =
            self.placement.rounding(body) + DIFFERENCE_ROUNDING * (other.extent + body.extent + self.placement.slide);
        let fixed = body.margin_to(obstacle) + other.radius;
        let reach = self.bound_of(index, body.ancestors.len());
        let is_exact = body.is_exact && other.is_exact;
        self.placement.place_spheres(model, index);
        let spheres = body.first_sphere..body.first_sphere + body.spheres.len();
        let (placed, radii) = (&self.placement.spheres[spheres.clone()], &model.radii[spheres]);
        let [in_box, near, touching] = gaps(fixed, pad, reach);
        let mut found = [0; 3];
        if reach > 0.0 {
            let least = other.least_clearance(placed, radii, in_box);
            if least.all_positive() {
                return false;
            }
            found[0] = least.not_positive();
        }
        let [near, touching] = other.least_clearances(placed, radii, [near, touching]);
        found[1] = near.not_positive();
        if is_exact {
            found[2] = touching.not_positive();
        }
        self.note(model.numbering().obstacle(index, obstacle), found)
    }
}
