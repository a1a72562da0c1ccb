//! One configuration, with lanes over spheres, pairs and obstacles.
//!
//! The same tests with the same thresholds as for a batch (see [`block`](super::block)), turned by a quarter: a body's
//! spheres are compared with an obstacle, or with one sphere of another body, eight at a time.

mod brute_force;
mod frames;
mod self_collision;

use std::marker::PhantomData;
use std::ops::Range;

use crate::dispatch::PackedKernel;
use crate::model::KernelModel;
use crate::model::cluster::Cluster;
use crate::model::obstacle::KernelObstacle;
use crate::packed::{Spheres, W};
use crate::rounding::DIFFERENCE_ROUNDING;
use crate::vector::{Lanes, OutlinedKernel, Plain, Point};
use brute_force::BruteForce;
use frames::Frames;
use self_collision::{Meetings, Row};

/// Constants and buffers for one configuration at a time. The spheres of a cluster stand together, body after body.
#[derive(Debug, Clone)]
pub(crate) struct PackedModel {
    local: Vec<Spheres>,
    placed: Vec<Spheres>,
    /// Of which body of its cluster each of them is.
    ranks: Vec<[u32; W]>,
    /// Per cluster its part of these.
    packs: Vec<Range<usize>>,
    is_placed: Vec<bool>,
    /// Per body its rank in the cluster, and the place of its first sphere among those of the cluster.
    rank: Vec<usize>,
    first_place: Vec<usize>,
    rows: Vec<Row>,
    /// Per cluster pair.
    meetings: Vec<Meetings>,
    frames: Frames,
    /// Of the balls around clusters, one after the other and eight together.
    cluster_centers: Vec<[f32; 3]>,
    clusters: Vec<Point<Plain<W>>>,
    /// The obstacles, where there are few; taken out while they are looked at.
    few: Option<Box<BruteForce>>,
    near: Vec<u32>,
    /// How far slides carry, m.
    slide: f32,
    /// Items that are undecided.
    pub(crate) undecided: Vec<u32>,
}

impl PackedModel {
    pub(crate) fn new(model: &KernelModel) -> Self {
        let mut single = Self {
            local: Vec::new(),
            placed: Vec::new(),
            ranks: Vec::new(),
            packs: Vec::new(),
            is_placed: vec![false; model.clusters.len()],
            rank: vec![0; model.bodies.len()],
            first_place: vec![0; model.bodies.len()],
            rows: Row::all(model),
            meetings: Vec::new(),
            frames: Frames::new(&model.frames),
            cluster_centers: vec![[0.0; 3]; model.clusters.len()],
            clusters: vec![Point::ZERO; model.clusters.len().div_ceil(W)],
            few: BruteForce::new(model).map(Box::new),
            near: Vec::new(),
            slide: 0.0,
            undecided: Vec::new(),
        };
        model.clusters.iter().for_each(|cluster| single.add_cluster(model, cluster));
        single.placed.clone_from(&single.local);
        single.meetings =
            (0..model.cluster_pairs.len()).map(|cluster_pair| Meetings::new(model, &single, cluster_pair)).collect();
        single
    }

    /// Takes over other obstacles.
    pub(crate) fn set_obstacles(&mut self, model: &KernelModel) {
        self.few = BruteForce::new(model).map(Box::new);
    }

    /// Takes over where an obstacle is now.
    pub(crate) fn move_obstacle(&mut self, model: &KernelModel, obstacle: u32) {
        if let Some(few) = &mut self.few {
            few.move_obstacle(model, obstacle);
        }
    }

    fn add_cluster(&mut self, model: &KernelModel, cluster: &Cluster) {
        let (mut spheres, mut ranks) = (Vec::new(), Vec::new());
        for (rank, index) in cluster.bodies.iter().enumerate() {
            (self.rank[*index], self.first_place[*index]) = (rank, spheres.len());
            spheres.extend_from_slice(&model.bodies[*index].spheres);
            ranks.resize(spheres.len(), rank as u32);
        }
        let begin = self.local.len();
        self.local.extend(spheres.chunks(W).map(Spheres::new));
        let of_eight = |ranks: &[u32]| std::array::from_fn(|lane| ranks[lane.min(ranks.len() - 1)]);
        self.ranks.extend(ranks.chunks(W).map(of_eight));
        self.packs.push(begin..self.local.len());
    }

    /// The spheres of a body, by the eights of its cluster.
    #[inline(always)]
    fn places_of(&self, model: &KernelModel, body: usize) -> impl Iterator<Item = (usize, u16)> + use<> {
        let begin = self.first_place[body];
        let end = begin + model.bodies[body].spheres.len();
        (begin / W..end.div_ceil(W)).map(move |pack| {
            let (from, to) = (begin.max(pack * W) - pack * W, end.min((pack + 1) * W) - pack * W);
            (pack, ((1 << to) - 1) & !((1 << from) - 1))
        })
    }
}

/// The question about one configuration.
pub(crate) struct OneConfiguration<'a> {
    pub(crate) model: &'a KernelModel,
    pub(crate) single: &'a mut PackedModel,
    pub(crate) q: &'a [f64],
    /// It certainly touches something.
    pub(crate) is_hit: bool,
}

impl PackedKernel for OneConfiguration<'_> {
    #[inline(always)]
    fn work<L: Lanes>(&mut self) {
        self.single.undecided.clear();
        self.place::<L>();
        self.is_hit = self.world::<L>() || self.self_pairs::<L>();
    }
}

impl OneConfiguration<'_> {
    #[inline(always)]
    fn place<L: Lanes>(&mut self) {
        let (model, single) = (self.model, &mut *self.single);
        single.slide = single.frames.place::<L>(&model.frames, self.q);
        // Slices, so that where they lie is looked up once.
        let (frames, packs) = (&single.frames, &mut single.clusters[..]);
        let places = single.cluster_centers.iter_mut().zip(&mut single.is_placed);
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
        let single = &mut *self.single;
        if std::mem::replace(&mut single.is_placed[index], true) {
            return;
        }
        let frame = self.model.clusters[index].frame;
        for pack in single.packs[index].clone() {
            single.placed[pack].centers = single.frames.centers::<L>(frame, &single.local[pack]);
        }
    }

    #[inline(always)]
    fn world<L: Lanes>(&mut self) -> bool {
        let Some(few) = self.single.few.take() else { return self.many::<L>() };
        let is_hit = self.few::<L>(&few);
        self.single.few = Some(few);
        is_hit
    }

    /// The clusters against the obstacles around each, the tip first. True when one certainly touches.
    #[inline(always)]
    fn many<L: Lanes>(&mut self) -> bool {
        let model = self.model;
        let mut near = std::mem::take(&mut self.single.near);
        let mut is_hit = false;
        for (index, cluster) in model.clusters.iter().enumerate().rev() {
            let tree = &model.trees[cluster.tree];
            if tree.is_empty() {
                continue;
            }
            near.clear();
            let around = (cluster.radius + cluster.margin + self.pad_of(cluster)).max(0.0);
            let center = self.single.cluster_centers[index];
            tree.collect::<L>(&center.map(|c| c - around), &center.map(|c| c + around), &mut near);
            for obstacle in &near {
                // No closure: it would be compiled without the wide instructions.
                is_hit = is_hit || self.cluster_against_obstacle::<L>(index, *obstacle);
            }
            if is_hit {
                break;
            }
        }
        self.single.near = near;
        is_hit
    }

    /// What rounding can do to the distance of a cluster's points from others.
    #[inline(always)]
    fn pad_of(&self, cluster: &Cluster) -> f32 {
        (cluster.roundoff + DIFFERENCE_ROUNDING) * (cluster.extent + self.single.slide)
    }

    #[inline(always)]
    fn cluster_against_obstacle<L: Lanes>(&mut self, index: usize, obstacle: u32) -> bool {
        let (cluster, other) = (&self.model.clusters[index], &self.model.obstacles[obstacle as usize]);
        let pad = self.pad_of(cluster) + DIFFERENCE_ROUNDING * other.extent;
        let gap = cluster.margin_to(obstacle) + other.radius + pad;
        let packs = self.single.packs[index].clone();
        // The ball around a cluster costs as much as eight of its spheres.
        if packs.len() > 1 {
            let (center, reach) = (Point::<L>::splat(self.single.cluster_centers[index]), cluster.radius + gap);
            if other.clearances(center, L::splat(reach)).outside(reach).all_positive() {
                return false;
            }
        }
        self.place_cluster::<L>(index);
        let mut near = 0;
        for spheres in &self.single.placed[packs] {
            near |= spheres.near_obstacle::<L>(other, gap);
        }
        near != 0 && L::outline(ByBodies { one: self, cluster: index, obstacle, pad, lanes: PhantomData::<L> })
    }

    /// Whether the spheres of a body are farther from an obstacle than their radius and `gap`.
    #[inline(always)]
    fn is_clear_of<L: Lanes>(&self, body: usize, other: &KernelObstacle, gap: f32) -> bool {
        let first = self.single.packs[self.model.cluster_of[body]].start;
        let mut near = 0;
        for (pack, bits) in self.single.places_of(self.model, body) {
            near |= self.single.placed[first + pack].near_obstacle::<L>(other, gap) & bits;
        }
        near == 0
    }

    /// True when it certainly touches.
    #[inline(always)]
    fn note(&mut self, item: u32, is_hit: bool) -> bool {
        if !is_hit {
            self.single.undecided.push(item);
        }
        is_hit
    }
}

/// Looks at the bodies of a cluster one by one: which of them is near an obstacle. True when one certainly touches it.
struct ByBodies<'p, 'a, L> {
    one: &'p mut OneConfiguration<'a>,
    cluster: usize,
    obstacle: u32,
    pad: f32,
    lanes: PhantomData<L>,
}

impl<L: Lanes> OutlinedKernel for ByBodies<'_, '_, L> {
    #[inline(always)]
    fn work(self) -> bool {
        let Self { one, cluster, obstacle, pad, .. } = self;
        let model = one.model;
        let other = &model.obstacles[obstacle as usize];
        for body in &model.clusters[cluster].bodies {
            let fixed = model.bodies[*body].margin_to(obstacle) + other.radius;
            if one.is_clear_of::<L>(*body, other, fixed + pad) {
                continue;
            }
            let is_exact = model.bodies[*body].is_exact && other.is_exact;
            let is_hit = is_exact && !one.is_clear_of::<L>(*body, other, fixed - 2.0 * pad);
            if one.note(model.numbering().obstacle(*body, obstacle), is_hit) {
                return true;
            }
        }
        false
    }
}
