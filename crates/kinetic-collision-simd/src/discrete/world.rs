//! Collision of a chunk with the world: its clusters against the obstacles near them.

use kinetic_collision::CHILDREN_PER_NODE;

use crate::discrete::query::{Chunk, gaps};
use crate::model::cluster::Cluster;
use crate::tolerance::DIFFERENCE_ROUNDING_RATIO;
use crate::vector::{Lanes, OutlinedKernel, Point};

/// Tests the clusters of a chunk against the obstacles, with a buffer for near pairs of body and obstacle.
pub(crate) struct World<'p, 'a, 'b, L> {
    pub(crate) chunk: &'p mut Chunk<'a, 'b, L>,
    pub(crate) near_items: &'p mut Vec<(u32, u32)>,
}

impl<L: Lanes> OutlinedKernel for World<'_, '_, '_, L> {
    #[inline(always)]
    fn run(self) -> bool {
        self.chunk.world(self.near_items)
    }
}

/// Lists the bodies of a cluster that are near an obstacle.
struct NearBodies<'p, 'a, 'b, L> {
    chunk: &'p mut Chunk<'a, 'b, L>,
    cluster: &'p Cluster,
    /// Bound on the change of a distance by rounding and motion, m.
    pad: f32,
    obstacle: u32,
    near_items: &'p mut Vec<(u32, u32)>,
}

impl<L: Lanes> OutlinedKernel for NearBodies<'_, '_, '_, L> {
    #[inline(always)]
    fn run(self) -> bool {
        let Self { chunk, cluster, pad, obstacle, near_items } = self;
        for body in &cluster.bodies {
            chunk.placement.place_center(chunk.model, *body);
            let this = &chunk.model.bodies[*body];
            let near = this.radius + this.margin_to(obstacle) + pad;
            if chunk.is_alone(*body, obstacle) || chunk.is_near_ball(chunk.placement.centers[*body], near, obstacle) {
                near_items.push((*body as u32, obstacle));
            }
        }
        false
    }
}

/// Tests a body against an obstacle.
struct BodyAgainstObstacle<'p, 'a, 'b, L> {
    chunk: &'p mut Chunk<'a, 'b, L>,
    body: u32,
    obstacle: u32,
}

impl<L: Lanes> OutlinedKernel for BodyAgainstObstacle<'_, '_, '_, L> {
    #[inline(always)]
    fn run(self) -> bool {
        self.chunk.body_against_obstacle(self.body as usize, self.obstacle)
    }
}

impl<L: Lanes> Chunk<'_, '_, L> {
    /// Tests cluster after cluster, the tip first. True when the query is answered.
    #[inline(always)]
    fn world(&mut self, near_items: &mut Vec<(u32, u32)>) -> bool {
        let model = self.model;
        let steps = if self.query.items.is_some() { 1 } else { model.clusters.len() };
        // One loop serves both clusters and given items, so that the tests of bodies are compiled once.
        for step in (0..steps).rev() {
            near_items.clear();
            match self.query.items {
                Some(items) => near_items.extend_from_slice(&items.world),
                None => self.list_obstacles(step, near_items),
            }
            for (body, obstacle) in near_items.iter() {
                if L::outline(BodyAgainstObstacle { chunk: self, body: *body, obstacle: *obstacle }) {
                    return true;
                }
            }
        }
        false
    }

    /// Places a cluster and lists its bodies with the obstacles that are near their bounding spheres.
    #[inline(always)]
    fn list_obstacles(&mut self, index: usize, near_items: &mut Vec<(u32, u32)>) {
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
        // The buffer is taken out only when the tree has more than one node.
        let (mut of_node, mut of_tree) = ([0; CHILDREN_PER_NODE], Vec::new());
        let near = if let Some(count) = tree.collect_near_in_single_node(center, around, &mut of_node) {
            &of_node[..count]
        } else {
            of_tree = std::mem::take(&mut self.placement.near);
            of_tree.clear();
            tree.collect_near(center, around, &mut of_tree);
            &of_tree[..]
        };
        for obstacle in near {
            if let [body] = cluster.bodies[..]
                && self.is_alone(body, *obstacle)
            {
                near_items.push((body as u32, *obstacle));
                continue;
            }
            if !self.is_near_ball(center, cluster.radius + cluster.margin_to(*obstacle) + pad, *obstacle) {
                continue;
            }
            if let [body] = cluster.bodies[..] {
                near_items.push((body as u32, *obstacle));
            } else {
                L::outline(NearBodies { chunk: self, cluster, pad, obstacle: *obstacle, near_items });
            }
        }
        if of_tree.capacity() > 0 {
            self.placement.near = of_tree;
        }
    }

    /// True for a body of one sphere and an obstacle that is searched: the search for its ball would be done again for the sphere.
    #[inline(always)]
    fn is_alone(&self, body: usize, obstacle: u32) -> bool {
        self.model.bodies[body].spheres.len() == 1 && self.model.obstacles[obstacle as usize].is_searched()
    }

    /// True when an obstacle is nearer to a point than `near`, in some lane.
    #[inline(always)]
    fn is_near_ball(&self, center: Point<L>, near: f32, obstacle: u32) -> bool {
        let other = &self.model.obstacles[obstacle as usize];
        let near = near + other.radius + DIFFERENCE_ROUNDING_RATIO * other.extent;
        other.is_any_within(center, near)
    }

    #[inline(always)]
    fn body_against_obstacle(&mut self, index: usize, obstacle: u32) -> bool {
        let model = self.model;
        let (body, other) = (&model.bodies[index], &model.obstacles[obstacle as usize]);
        let pad = self.placement.rounding(body)
            + DIFFERENCE_ROUNDING_RATIO * (other.extent + body.extent + self.placement.displacement);
        let fixed = body.margin_to(obstacle) + other.radius;
        let motion_bound = self.bound_of(index, body.ancestors.len());
        let may_touch = body.has_inner_ball && other.is_exact;
        self.placement.place_spheres(model, index);
        let spheres = body.first_sphere..body.first_sphere + body.spheres.len();
        let (placed, radii) = (&self.placement.spheres[spheres.clone()], &model.radii[spheres.clone()]);
        let [in_box, near, touching] = gaps(fixed, pad, motion_bound);
        let mut found = [0; 3];
        if motion_bound > 0.0 {
            let least = other.least_clearance(placed, radii, in_box);
            if least.all_positive() {
                return false;
            }
            found[0] = least.not_positive();
        }
        let inner_radii = &model.inner_radii[spheres];
        let [near, touching] = other.least_clearances(placed, [radii, inner_radii], [near, touching], may_touch);
        found[1] = near.not_positive();
        if may_touch {
            found[2] = touching.not_positive();
        }
        self.note(model.numbering().obstacle(index, obstacle), found)
    }
}
