//! What a batch of configurations, each with the same box around it, says about every item.
//!
//! Three thresholds decide each test. Beyond the widest, an item is clear in the whole box: it includes a bound on the
//! motion. Beyond the next it is clear at the configuration itself; that one is wider than the true one by a bound on
//! the rounding. Within the third, which is narrower than the true one, it certainly touches. What lies between the
//! latter two, or is covered by spheres that are larger than the body, is left to double precision, item by item.
//!
//! Bodies that are close to each other on one frame stand in a cluster, which is looked at first.

use super::boxes::Boxes;
use super::clusters::Cluster;
use super::dispatch::Work;
use super::kernel::{Batch, DIFFERENCE, Hit, Numbering, WIDER};
use super::model::LaneModel;
use super::scratch::Scratch;
use super::vector::{Lanes, Point};

/// A question about a batch, and what is found.
pub(super) struct Block<'a> {
    pub(super) batch: &'a Batch,
    /// Lanes that hold a configuration.
    pub(super) used: u16,
    /// Half-widths of the box around the configurations, per variable; `None` for configurations alone.
    pub(super) widths: Option<&'a [f32]>,
    /// Only these, in these lanes; `None` means all.
    pub(super) items: Option<&'a [(u32, u16)]>,
    /// Whether one lane that certainly touches ends the search.
    pub(super) stops_at_hit: bool,
    /// Lanes that certainly touch.
    pub(super) hit: u16,
    /// Items that are not clear, or undecided.
    pub(super) hits: &'a mut Vec<Hit>,
}

impl Work for Block<'_> {
    #[inline(always)]
    fn part<const W: usize>(
        &mut self,
        model: &LaneModel,
        scratch: &mut Scratch<W>,
        first: usize,
        stride: usize,
    ) -> bool {
        scratch.place_frames(model, self.batch, first, stride);
        scratch.bound_motions(model, self.widths);
        let mut work = std::mem::take(&mut scratch.work);
        let mut part = Part { model, scratch, block: self, first, stride };
        let mut is_over = false;
        // One place for the fine tests, so that they are compiled once: the world, then pairs, or given items.
        for phase in [Phase::World, Phase::Pairs] {
            work.clear();
            match (part.block.items, phase) {
                (None, Phase::World) => part.list_world(&mut work),
                (None, Phase::Pairs) => part.list_pairs(&mut work),
                (Some(items), Phase::World) => work.extend_from_slice(items),
                (Some(_), Phase::Pairs) => {}
            }
            // No closure: it would be compiled without the wide instructions.
            for (item, lanes) in &work {
                is_over = part.look_at(*item, *lanes);
                if is_over {
                    break;
                }
            }
            if is_over {
                break;
            }
        }
        part.scratch.work = work;
        is_over
    }
}

#[derive(Debug, Clone, Copy)]
enum Phase {
    World,
    Pairs,
}

impl Block<'_> {
    /// Notes an item; true when nothing more needs to be known.
    #[inline]
    fn note(&mut self, item: u32, open: u16, touching: u16, hit: u16) -> bool {
        let hit = hit & self.used;
        self.hit |= hit;
        let undecided = touching & !self.hit;
        let open = (if self.widths.is_some() { open } else { undecided }) & self.used;
        let is_over = if self.stops_at_hit { self.hit != 0 } else { self.hit == self.used };
        if open != 0 || (is_over && self.stops_at_hit) {
            let touching = touching & self.used;
            self.hits.push(Hit { item, open, touching, deepest: middle_bit(hit) });
        }
        is_over
    }
}

/// The middle one of the bits that are set: of a run of touching lanes, likely the deepest.
pub(super) fn middle_bit(bits: u16) -> u8 {
    let mut rest = bits;
    for _ in 0..bits.count_ones() / 2 {
        rest &= rest - 1;
    }
    if rest == 0 { 0 } else { rest.trailing_zeros() as u8 }
}

struct Part<'a, 'b, const W: usize> {
    model: &'a LaneModel,
    scratch: &'a mut Scratch<W>,
    block: &'a mut Block<'b>,
    first: usize,
    stride: usize,
}

impl<const W: usize> Part<'_, '_, W> {
    /// Lists bodies with obstacles that are near the balls around them. The tip first: it moves farthest and meets
    /// things first.
    #[inline(always)]
    fn list_world(&mut self, work: &mut Vec<(u32, u16)>) {
        let model = self.model;
        let numbering = Numbering::of(model);
        let mut near = std::mem::take(&mut self.scratch.near);
        for (index, cluster) in model.clusters.iter().enumerate().rev() {
            self.scratch.place_cluster(model, index);
            if cluster.boxes.is_empty() {
                continue;
            }
            near.clear();
            let around = cluster.radius + cluster.margin + self.scratch.cluster_pad(cluster);
            let around = around.max(0.0) + self.scratch.cluster_bounds[index];
            self.collect_near(index, &cluster.boxes, around, &mut near);
            if near.len() > MANY * W {
                self.list_near_spheres(index, cluster, &mut near, work);
                continue;
            }
            for obstacle in &near {
                if self.is_near_cluster(index, cluster, *obstacle) {
                    work.extend(cluster.bodies.iter().map(|body| (numbering.obstacle(*body, *obstacle), !0)));
                }
            }
        }
        self.scratch.near = near;
    }

    /// Obstacles whose boxes are within `around` of the centre of a cluster in some lane. Where the box around all lanes
    /// meets many, each lane is asked about on its own: they need not be near each other.
    #[inline(always)]
    fn collect_near(&self, index: usize, boxes: &Boxes, around: f32, near: &mut Vec<u32>) {
        let (lower, upper) = self.scratch.box_around(index, around);
        boxes.collect(&lower, &upper, near);
        if near.len() <= MANY {
            return;
        }
        near.clear();
        let Point { x, y, z } = self.scratch.cluster_centers[index];
        for lane in 0..W {
            collect_around(boxes, [x.0[lane], y.0[lane], z.0[lane]], around, near);
        }
        near.sort_unstable();
        near.dedup();
    }

    /// Lists the bodies of a cluster with obstacles whose boxes are near one of their spheres, lane by lane: among very many
    /// obstacles most that are near a body's ball are far from the body.
    #[inline(always)]
    fn list_near_spheres(&mut self, index: usize, cluster: &Cluster, near: &mut Vec<u32>, work: &mut Vec<(u32, u16)>) {
        let model = self.model;
        let numbering = Numbering::of(model);
        let fixed = cluster.margin + self.scratch.cluster_pad(cluster);
        for body in &cluster.bodies {
            near.clear();
            self.scratch.place_spheres(model, *body);
            let this = &model.bodies[*body];
            let placed = &self.scratch.spheres[this.first_sphere..this.first_sphere + this.spheres.len()];
            for (Point { x, y, z }, (_, radius)) in placed.iter().zip(&this.spheres) {
                let around = (radius + fixed).max(0.0) + self.scratch.cluster_bounds[index];
                for lane in 0..W {
                    collect_around(&cluster.boxes, [x.0[lane], y.0[lane], z.0[lane]], around, near);
                }
            }
            near.sort_unstable();
            near.dedup();
            work.extend(near.iter().map(|obstacle| (numbering.obstacle(*body, *obstacle), !0)));
        }
    }

    #[inline(always)]
    fn is_near_cluster(&self, index: usize, cluster: &Cluster, obstacle: u32) -> bool {
        let other = &self.model.obstacles[obstacle as usize];
        let pad = self.scratch.cluster_pad(cluster) + DIFFERENCE * other.extent;
        let near =
            cluster.radius + cluster.margin_to(obstacle) + other.radius + pad + self.scratch.cluster_bounds[index];
        !other.clearances(self.scratch.cluster_centers[index], Lanes::splat(near)).outside(near).all_positive()
    }

    /// Lists pairs of bodies between clusters that are near each other. Without branches on each gate: which are near
    /// is hard to foresee.
    #[inline(always)]
    fn list_pairs(&mut self, work: &mut Vec<(u32, u16)>) {
        let model = self.model;
        let first = Numbering::of(model).bodies;
        let mut near = std::mem::take(&mut self.scratch.near);
        near.clear();
        near.resize(model.gates.len(), 0);
        let mut count = 0;
        for (index, gate) in model.gates.iter().enumerate() {
            near[count] = index as u32;
            count += usize::from(!self.is_gate_clear(gate.clusters, gate.margin));
        }
        for gate in &near[..count] {
            let pairs = model.gates[*gate as usize].pairs.clone();
            work.extend(model.pair_order[pairs].iter().map(|pair| (first + *pair as u32, !0)));
        }
        self.scratch.near = near;
    }

    #[inline(always)]
    fn is_gate_clear(&self, (a, b): (usize, usize), margin: f32) -> bool {
        let (model, scratch) = (self.model, &self.scratch);
        let (first, second) = (&model.clusters[a], &model.clusters[b]);
        let pad = scratch.cluster_pad(first) + scratch.cluster_pad(second);
        let reach = scratch.cluster_bounds[a] + scratch.cluster_bounds[b];
        let near = squared(first.radius + second.radius + margin + pad + reach);
        scratch.cluster_centers[a].minus(scratch.cluster_centers[b]).norm_squared().offset(-near).all_positive()
    }

    /// The fine tests of one item.
    #[inline(always)]
    fn look_at(&mut self, item: u32, lanes: u16) -> bool {
        let numbering = Numbering::of(self.model);
        if item < numbering.bodies + numbering.pairs {
            return self.own_pair((item - numbering.bodies) as usize, lanes);
        }
        let index = item - numbering.bodies - numbering.pairs;
        self.body_against_obstacle((index / numbering.obstacles) as usize, index % numbering.obstacles, lanes)
    }

    #[inline(always)]
    fn body_against_obstacle(&mut self, index: usize, obstacle: u32, lanes: u16) -> bool {
        let model = self.model;
        let (body, other) = (&model.bodies[index], &model.obstacles[obstacle as usize]);
        let pad = self.scratch.rounding(body) + DIFFERENCE * (other.extent + body.extent + self.scratch.slide);
        let fixed = body.margin_to(obstacle) + other.radius;
        let reach = self.scratch.bounds[body.first_reach + body.ancestors.len()];
        let is_exact = body.is_exact && other.is_exact;
        self.scratch.place_spheres(model, index);
        let mut found = [0; 3];
        for (stage, gap) in gaps(fixed, pad, reach).into_iter().enumerate() {
            if stage == 0 && reach == 0.0 {
                continue;
            }
            if stage == 2 && !is_exact {
                break;
            }
            let mut least = Lanes::splat(f32::MAX);
            let placed = &self.scratch.spheres[body.first_sphere..body.first_sphere + body.spheres.len()];
            for (center, (_, radius)) in placed.iter().zip(&body.spheres) {
                least = least.min(other.clearances(*center, Lanes::splat(radius + gap)).outside(radius + gap));
            }
            if least.all_positive() {
                break;
            }
            found[stage] = least.not_positive();
        }
        self.note(Numbering::of(model).obstacle(index, obstacle), lanes, found)
    }

    #[inline(always)]
    fn own_pair(&mut self, index: usize, lanes: u16) -> bool {
        let model = self.model;
        let pair = &model.pairs[index];
        let (small, large) = (&model.bodies[pair.small], &model.bodies[pair.large]);
        let pad = self.scratch.rounding(small) + self.scratch.rounding(large);
        let reach = self.scratch.bounds[pair.bound_of_small] + self.scratch.bounds[pair.bound_of_large];
        let is_exact = small.is_exact && large.is_exact;
        self.scratch.place_center(model, pair.small);
        self.scratch.place_spheres(model, pair.large);
        let mut found = [0; 3];
        for (stage, gap) in gaps(pair.margin, pad, reach).into_iter().enumerate() {
            if stage == 0 && reach == 0.0 {
                continue;
            }
            if stage == 2 && !is_exact {
                break;
            }
            let least = self.spheres_of_pair(pair.small, pair.large, gap);
            if least.all_positive() {
                break;
            }
            found[stage] = least.not_positive();
        }
        self.note(Numbering::of(model).bodies + index as u32, lanes, found)
    }

    /// Above 0 where all spheres of two bodies are farther apart than their radii and `gap`.
    #[inline(always)]
    fn spheres_of_pair(&mut self, small: usize, large: usize, gap: f32) -> Lanes<W> {
        let model = self.model;
        let ball = self.scratch.centers[small];
        let (large, of_small) = (&model.bodies[large], &model.bodies[small]);
        let mut least = Lanes::splat(f32::MAX);
        // Most spheres of the larger body are far from the whole smaller one. First all of them, without branches.
        let mut near = [0_u8; FILTERED];
        for (chunk, spheres) in large.spheres.chunks(FILTERED).enumerate() {
            let first = large.first_sphere + chunk * FILTERED;
            let mut count = 0;
            for (index, (_, radius)) in spheres.iter().enumerate() {
                let apart = ball.minus(self.scratch.spheres[first + index]).norm_squared();
                near[count] = index as u8;
                count += usize::from(!apart.offset(-squared(radius + of_small.radius + gap)).all_positive());
            }
            if count > 0 {
                self.scratch.place_spheres(model, small);
            }
            let placed = &self.scratch.spheres[of_small.first_sphere..of_small.first_sphere + of_small.spheres.len()];
            for index in &near[..count] {
                let center = self.scratch.spheres[first + *index as usize];
                let radius = spheres[*index as usize].1;
                for (other, (_, other_radius)) in placed.iter().zip(&of_small.spheres) {
                    let near = squared(radius + other_radius + gap);
                    least = least.min(center.minus(*other).norm_squared().offset(-near));
                }
            }
        }
        least
    }

    /// With lanes numbered in the batch, and only those in `lanes`.
    #[inline(always)]
    fn note(&mut self, item: u32, lanes: u16, [open, touching, hit]: [u16; 3]) -> bool {
        if open | touching == 0 {
            return false;
        }
        // Without motion the first of the three is not asked: it is the second.
        let (open, touching, hit) = (self.in_batch(open | touching), self.in_batch(touching), self.in_batch(hit));
        self.block.note(item, open & lanes, touching & lanes, hit & lanes)
    }

    #[inline(always)]
    fn in_batch(&self, lanes: u16) -> u16 {
        if self.stride == 1 {
            return lanes;
        }
        let mut placed = 0;
        for lane in 0..W {
            placed |= (lanes >> lane & 1) << (self.first + lane * self.stride);
        }
        placed
    }
}

/// Appends the obstacles whose boxes are within `around` of a point.
#[inline(always)]
pub(super) fn collect_around(boxes: &Boxes, [x, y, z]: [f32; 3], around: f32, near: &mut Vec<u32>) {
    let (lower, upper) = ([x - around, y - around, z - around], [x + around, y + around, z + around]);
    boxes.collect(&lower, &upper, near);
}

/// So many obstacles near the box around all lanes that a box around each is worth its time.
pub(super) const MANY: usize = 48;

/// Spheres of a body that are filtered at once.
const FILTERED: usize = 32;

/// Distances to keep: in the whole box, at the configuration for certain, and those below which there is contact for
/// certain.
#[inline(always)]
fn gaps(fixed: f32, pad: f32, reach: f32) -> [f32; 3] {
    [fixed + pad + reach, fixed + pad, fixed - 2.0 * pad]
}

/// The square of a distance, widened for the rounding of squares; nothing is nearer than a negative one. The widening
/// is less than any bound on the rounding of positions: where things must certainly touch, that bound is taken twice.
#[inline(always)]
pub(super) fn squared(distance: f32) -> f32 {
    if distance > 0.0 { distance * distance * WIDER } else { -1.0 }
}
