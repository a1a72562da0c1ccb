//! Discrete check of one configuration, with packs of spheres, cluster pairs and obstacles in the lanes. The tests and
//! their thresholds are those of a batch (see [`query`](super::query)), but lanes hold spheres instead of
//! configurations: a pack of a body's spheres is compared with an obstacle, or with one sphere of another body.

mod brute_force;
mod frames;
mod self_collision;

use std::marker::PhantomData;
use std::ops::Range;

use crate::instructions::PackedKernel;
use crate::model::KernelModel;
use crate::model::cluster::Cluster;
use crate::model::obstacle::KernelObstacle;
use crate::packed::{Spheres, W};
use crate::tolerance::DIFFERENCE_ROUNDING_RATIO;
use crate::vector::{Lanes, OutlinedKernel, Plain, Point};
use brute_force::BruteForce;
use frames::Frames;
use self_collision::{Meetings, Row};

/// Constants and buffers for one configuration at a time. The spheres of a cluster are contiguous, body after body.
#[derive(Debug, Clone)]
pub(crate) struct PackedModel {
    local: Vec<Spheres>,
    placed: Vec<Spheres>,
    /// Per sphere, the radius of the ball around its centre that is inside the body.
    inner_radii: Vec<Plain<W>>,
    /// Per sphere, the rank of its body in the cluster.
    ranks: Vec<[u32; W]>,
    /// Per cluster, its range of packs.
    packs: Vec<Range<usize>>,
    is_placed: Vec<bool>,
    /// Per body, its rank in the cluster, and the position of its first sphere among those of the cluster.
    rank: Vec<usize>,
    first_position: Vec<usize>,
    rows: Vec<Row>,
    /// Per cluster pair.
    meetings: Vec<Meetings>,
    frames: Frames,
    /// Centres of the clusters' bounding spheres, one by one and in packs.
    cluster_centers: Vec<[f32; 3]>,
    clusters: Vec<Point<Plain<W>>>,
    /// The broad phase for few obstacles; taken out while it is used.
    brute_force: Option<Box<BruteForce>>,
    near: Vec<u32>,
    /// Bound on the displacement by all prismatic joints together, m.
    displacement: f32,
    /// Items that are undecided.
    pub(crate) undecided: Vec<u32>,
}

impl PackedModel {
    pub(crate) fn new(model: &KernelModel) -> Self {
        let mut packed = Self {
            local: Vec::new(),
            placed: Vec::new(),
            inner_radii: Vec::new(),
            ranks: Vec::new(),
            packs: Vec::new(),
            is_placed: vec![false; model.clusters.len()],
            rank: vec![0; model.bodies.len()],
            first_position: vec![0; model.bodies.len()],
            rows: Row::all(model),
            meetings: Vec::new(),
            frames: Frames::new(&model.frames),
            cluster_centers: vec![[0.0; 3]; model.clusters.len()],
            clusters: vec![Point::ZERO; model.clusters.len().div_ceil(W)],
            brute_force: BruteForce::new(model).map(Box::new),
            near: Vec::new(),
            displacement: 0.0,
            undecided: Vec::new(),
        };
        model.clusters.iter().for_each(|cluster| packed.add_cluster(model, cluster));
        packed.placed.clone_from(&packed.local);
        packed.meetings =
            (0..model.cluster_pairs.len()).map(|cluster_pair| Meetings::new(model, &packed, cluster_pair)).collect();
        packed
    }

    /// Replaces the obstacles.
    pub(crate) fn set_obstacles(&mut self, model: &KernelModel) {
        self.brute_force = BruteForce::new(model).map(Box::new);
    }

    /// Updates an obstacle that has moved.
    pub(crate) fn move_obstacle(&mut self, model: &KernelModel, obstacle: u32) {
        if let Some(brute_force) = &mut self.brute_force {
            brute_force.move_obstacle(model, obstacle);
        }
    }

    fn add_cluster(&mut self, model: &KernelModel, cluster: &Cluster) {
        let (mut spheres, mut inner_radii, mut ranks) = (Vec::new(), Vec::new(), Vec::new());
        for (rank, index) in cluster.bodies.iter().enumerate() {
            (self.rank[*index], self.first_position[*index]) = (rank, spheres.len());
            let body = &model.bodies[*index];
            spheres.extend_from_slice(&body.spheres);
            inner_radii.extend_from_slice(&model.inner_radii[body.first_sphere..][..body.spheres.len()]);
            ranks.resize(spheres.len(), rank as u32);
        }
        let begin = self.local.len();
        self.local.extend(spheres.chunks(W).map(Spheres::new));
        let filled = |radii: &[f32]| Plain(std::array::from_fn(|lane| radii[lane.min(radii.len() - 1)]));
        self.inner_radii.extend(inner_radii.chunks(W).map(filled));
        let of_pack = |ranks: &[u32]| std::array::from_fn(|lane| ranks[lane.min(ranks.len() - 1)]);
        self.ranks.extend(ranks.chunks(W).map(of_pack));
        self.packs.push(begin..self.local.len());
    }

    /// The packs of its cluster that contain spheres of a body, with a bit per sphere.
    #[inline(always)]
    fn packs_of(&self, model: &KernelModel, body: usize) -> impl Iterator<Item = (usize, u16)> + use<> {
        let begin = self.first_position[body];
        let end = begin + model.bodies[body].spheres.len();
        (begin / W..end.div_ceil(W)).map(move |pack| {
            let (from, to) = (begin.max(pack * W) - pack * W, end.min((pack + 1) * W) - pack * W);
            (pack, ((1 << to) - 1) & !((1 << from) - 1))
        })
    }
}

/// A query about one configuration.
pub(crate) struct OneConfiguration<'a> {
    pub(crate) model: &'a KernelModel,
    pub(crate) packed: &'a mut PackedModel,
    pub(crate) q: &'a [f64],
    /// Output: true when something certainly touches.
    pub(crate) is_hit: bool,
}

impl PackedKernel for OneConfiguration<'_> {
    #[inline(always)]
    fn run<L: Lanes>(&mut self) {
        self.packed.undecided.clear();
        self.place::<L>();
        self.is_hit = self.world::<L>() || self.self_pairs::<L>();
    }
}

impl OneConfiguration<'_> {
    #[inline(always)]
    fn place<L: Lanes>(&mut self) {
        let (model, packed) = (self.model, &mut *self.packed);
        packed.displacement = packed.frames.place::<L>(&model.frames, self.q);
        // Slices, so that their addresses are loaded once.
        let (frames, packs) = (&packed.frames, &mut packed.clusters[..]);
        let places = packed.cluster_centers.iter_mut().zip(&mut packed.is_placed);
        for (index, (cluster, (center, is_placed))) in model.clusters.iter().zip(places).enumerate() {
            *is_placed = false;
            *center = frames.point::<L>(cluster.frame, cluster.center);
            let Point { x, y, z } = &mut packs[index / W];
            [x.0[index % W], y.0[index % W], z.0[index % W]] = *center;
        }
    }

    /// Places the spheres of a cluster.
    #[inline(always)]
    fn place_cluster<L: Lanes>(&mut self, index: usize) {
        let packed = &mut *self.packed;
        if std::mem::replace(&mut packed.is_placed[index], true) {
            return;
        }
        let frame = self.model.clusters[index].frame;
        for pack in packed.packs[index].clone() {
            packed.placed[pack].centers = packed.frames.centers::<L>(frame, &packed.local[pack]);
        }
    }

    #[inline(always)]
    fn world<L: Lanes>(&mut self) -> bool {
        let Some(brute_force) = self.packed.brute_force.take() else { return self.search_trees::<L>() };
        let is_hit = self.brute_force::<L>(&brute_force);
        self.packed.brute_force = Some(brute_force);
        is_hit
    }

    /// Tests the clusters against the near obstacles of their trees, the tip first. True when one certainly touches.
    #[inline(always)]
    fn search_trees<L: Lanes>(&mut self) -> bool {
        let model = self.model;
        let mut near = std::mem::take(&mut self.packed.near);
        let mut is_hit = false;
        for (index, cluster) in model.clusters.iter().enumerate().rev() {
            let tree = &model.trees[cluster.tree];
            if tree.is_empty() {
                continue;
            }
            near.clear();
            let around = (cluster.radius + cluster.margin + self.pad_of(cluster)).max(0.0);
            let center = self.packed.cluster_centers[index];
            tree.collect::<L>(&center.map(|c| c - around), &center.map(|c| c + around), &mut near);
            for obstacle in &near {
                // No closure: it would be compiled without the wide instructions.
                is_hit = is_hit || self.cluster_against_obstacle::<L>(index, *obstacle);
            }
            if is_hit {
                break;
            }
        }
        self.packed.near = near;
        is_hit
    }

    /// Bound on the rounding of distances from points of a cluster, m.
    #[inline(always)]
    fn pad_of(&self, cluster: &Cluster) -> f32 {
        (cluster.roundoff + DIFFERENCE_ROUNDING_RATIO) * (cluster.extent + self.packed.displacement)
    }

    #[inline(always)]
    fn cluster_against_obstacle<L: Lanes>(&mut self, index: usize, obstacle: u32) -> bool {
        let (cluster, other) = (&self.model.clusters[index], &self.model.obstacles[obstacle as usize]);
        let pad = self.pad_of(cluster) + DIFFERENCE_ROUNDING_RATIO * other.extent;
        let gap = cluster.margin_to(obstacle) + other.radius + pad;
        let packs = self.packed.packs[index].clone();
        // The test of the bounding sphere costs as much as that of one pack of spheres.
        if packs.len() > 1 {
            let (center, near) = (Point::<L>::splat(self.packed.cluster_centers[index]), cluster.radius + gap);
            if !other.is_any_within(center, near) {
                return false;
            }
        }
        self.place_cluster::<L>(index);
        let mut near = 0;
        for spheres in &self.packed.placed[packs] {
            near |= spheres.near_obstacle::<L>(&spheres.radii, other, gap);
        }
        near != 0 && L::outline(ByBodies { one: self, cluster: index, obstacle, pad, lanes: PhantomData::<L> })
    }

    /// Whether a sphere of a body, or with `is_inner` a ball inside of it, is no farther from an obstacle than `gap`.
    #[inline(always)]
    fn is_near<L: Lanes>(&self, body: usize, other: &KernelObstacle, gap: f32, is_inner: bool) -> bool {
        let first = self.packed.packs[self.model.cluster_of[body]].start;
        let mut near = 0;
        for (pack, bits) in self.packed.packs_of(self.model, body) {
            let spheres = &self.packed.placed[first + pack];
            let radii = if is_inner { &self.packed.inner_radii[first + pack] } else { &spheres.radii };
            near |= spheres.near_obstacle::<L>(radii, other, gap) & bits;
        }
        near != 0
    }

    /// Records an item that is not clear; true when it certainly touches.
    #[inline(always)]
    fn note(&mut self, item: u32, is_hit: bool) -> bool {
        if !is_hit {
            self.packed.undecided.push(item);
        }
        is_hit
    }
}

/// Tests the bodies of a cluster against an obstacle one by one. True when one certainly touches it.
struct ByBodies<'p, 'a, L> {
    one: &'p mut OneConfiguration<'a>,
    cluster: usize,
    obstacle: u32,
    pad: f32,
    lanes: PhantomData<L>,
}

impl<L: Lanes> OutlinedKernel for ByBodies<'_, '_, L> {
    #[inline(always)]
    fn run(self) -> bool {
        let Self { one, cluster, obstacle, pad, .. } = self;
        let model = one.model;
        let other = &model.obstacles[obstacle as usize];
        for body in &model.clusters[cluster].bodies {
            let fixed = model.bodies[*body].margin_to(obstacle) + other.radius;
            if !one.is_near::<L>(*body, other, fixed + pad, false) {
                continue;
            }
            let may_touch = model.bodies[*body].has_inner_ball && other.is_exact;
            let is_hit = may_touch && one.is_near::<L>(*body, other, fixed - 2.0 * pad, true);
            if one.note(model.numbering().obstacle(*body, obstacle), is_hit) {
                return true;
            }
        }
        false
    }
}
