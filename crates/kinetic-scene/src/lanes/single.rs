//! One configuration, with lanes over spheres, pairs and obstacles.
//!
//! The same tests with the same thresholds as for a batch (see [`block`](super::block)), turned by a quarter: a body's
//! spheres are compared with an obstacle, or with one sphere of another body, eight at a time.

use std::ops::Range;

use kinetic_kinematics::Motion;

use super::block::{MANY, collect_around, squared};
use super::clusters::Cluster;
use super::dispatch::EightLanes;
use super::kernel::{DIFFERENCE, Numbering, WIDER};
use super::model::{Column, LaneBody, LaneFrame, LaneModel};
use super::trig::{sin_cos, within_a_turn};
use super::vector::{Lanes, Point};

const W: usize = 8;

/// Eight spheres of a body, in its frame or in the root; the last one fills up.
#[derive(Debug, Clone, Copy)]
struct Spheres {
    centers: Point<W>,
    radii: Lanes<W>,
}

/// Eight gates; unused places are pairs that are never near.
#[derive(Debug, Clone)]
struct Gates {
    a: [u32; W],
    b: [u32; W],
    /// Radii, margin and rounding without slides.
    near: Lanes<W>,
    /// Rounding per metre of slides.
    per_slide: Lanes<W>,
}

/// Axes and origin of a frame in the root; the fourth lane is not used.
#[derive(Debug, Clone, Copy)]
struct Placed {
    axes: [Lanes<4>; 3],
    origin: Lanes<4>,
}

impl Placed {
    const IDENTITY: Self = Self {
        axes: [Lanes([1.0, 0.0, 0.0, 0.0]), Lanes([0.0, 1.0, 0.0, 0.0]), Lanes([0.0, 0.0, 1.0, 0.0])],
        origin: Lanes::ZERO,
    };

    #[inline(always)]
    fn direction(&self, column: Column) -> Lanes<4> {
        match column {
            Column::Axis(axis, false) => self.axes[axis],
            Column::Axis(axis, true) => Lanes::ZERO - self.axes[axis],
            Column::General([x, y, z]) => self.axes[0].scale_add(x, self.axes[1].scale_add(y, self.axes[2].scale(z))),
        }
    }

    #[inline(always)]
    fn point(&self, [x, y, z]: [f32; 3]) -> Lanes<4> {
        self.axes[0].scale_add(x, self.axes[1].scale_add(y, self.axes[2].scale_add(z, self.origin)))
    }

    #[inline(always)]
    fn child(&self, frame: &LaneFrame, (value, sine, cosine): (f32, f32, f32)) -> Self {
        let [x, y, z] = frame.columns;
        let (x, y, z) = (self.direction(x), self.direction(y), self.direction(z));
        let origin = self.point(frame.translation);
        match frame.motion {
            Motion::Translation => Self { axes: [x, y, z], origin: z.scale_add(value, origin) },
            Motion::Rotation => {
                let turned_x = y.scale_add(sine, x.scale(cosine));
                let turned_y = x.scale_add(-sine, y.scale(cosine));
                Self { axes: [turned_x, turned_y, z], origin }
            }
        }
    }

    #[inline(always)]
    fn spheres(&self, local: &Spheres) -> Spheres {
        let Spheres { centers: Point { x, y, z }, radii } = *local;
        let [ax, ay, az] = &self.axes;
        // No closure: it would be compiled without the wide instructions.
        let mut centers = [Lanes::ZERO; 3];
        for (k, center) in centers.iter_mut().enumerate() {
            let along_z = z.scale_add(az.0[k], Lanes::splat(self.origin.0[k]));
            *center = x.scale_add(ax.0[k], y.scale_add(ay.0[k], along_z));
        }
        let [x, y, z] = centers;
        Spheres { centers: Point { x, y, z }, radii }
    }
}

/// Constants and buffers for one configuration at a time.
#[derive(Debug, Clone)]
pub(super) struct Single {
    local: Vec<Spheres>,
    /// Per body its part of `local` and `placed`.
    parts: Vec<Range<usize>>,
    gates: Vec<Gates>,
    frames: Vec<Placed>,
    placed: Vec<Spheres>,
    is_placed: Vec<bool>,
    centers: Vec<[f32; 3]>,
    /// Centres of the clusters, coordinate by coordinate.
    clusters: [Vec<f32>; 3],
    near: Vec<u32>,
    /// How far slides carry, m.
    slide: f32,
    /// Items that are undecided.
    pub(super) undecided: Vec<u32>,
}

impl Single {
    pub(super) fn new(model: &LaneModel) -> Self {
        let (mut local, mut parts) = (Vec::new(), Vec::new());
        for body in &model.bodies {
            let begin = local.len();
            local.extend(body.spheres.chunks(W).map(eight));
            parts.push(begin..local.len());
        }
        let chunks = 0..model.gates.len().div_ceil(W);
        Self {
            placed: local.clone(),
            local,
            parts,
            gates: chunks.map(|chunk| eight_gates(model, chunk)).collect(),
            frames: vec![Placed::IDENTITY; model.frames.len() + 1],
            is_placed: vec![false; model.bodies.len()],
            centers: vec![[0.0; 3]; model.bodies.len()],
            clusters: std::array::from_fn(|_| vec![0.0; model.clusters.len()]),
            near: Vec::new(),
            slide: 0.0,
            undecided: Vec::new(),
        }
    }
}

fn eight(spheres: &[([f32; 3], f32)]) -> Spheres {
    let of = |lane: usize| spheres[lane.min(spheres.len() - 1)];
    let coordinate = |k: usize| Lanes(std::array::from_fn(|lane| of(lane).0[k]));
    let centers = Point { x: coordinate(0), y: coordinate(1), z: coordinate(2) };
    Spheres { centers, radii: Lanes(std::array::from_fn(|lane| of(lane).1)) }
}

fn eight_gates(model: &LaneModel, chunk: usize) -> Gates {
    let mut gates = Gates { a: [0; W], b: [0; W], near: Lanes::splat(-1.0), per_slide: Lanes::ZERO };
    for (lane, gate) in model.gates.iter().skip(chunk * W).take(W).enumerate() {
        let (a, b) = gate.clusters;
        let (first, second) = (&model.clusters[a], &model.clusters[b]);
        let pad = |of: f32, extent: f32| (of + DIFFERENCE) * extent;
        (gates.a[lane], gates.b[lane]) = (a as u32, b as u32);
        gates.near.0[lane] = first.radius
            + second.radius
            + gate.margin
            + pad(first.roundoff, first.extent)
            + pad(second.roundoff, second.extent);
        gates.per_slide.0[lane] = first.roundoff + second.roundoff + 2.0 * DIFFERENCE;
    }
    gates
}

/// The question about one configuration.
pub(super) struct OneConfiguration<'a> {
    pub(super) model: &'a LaneModel,
    pub(super) single: &'a mut Single,
    pub(super) q: &'a [f64],
    /// It certainly touches something.
    pub(super) is_hit: bool,
}

impl EightLanes for OneConfiguration<'_> {
    #[inline(always)]
    fn work(&mut self) {
        self.single.undecided.clear();
        self.place();
        self.is_hit = self.world() || self.own_pairs();
    }
}

impl OneConfiguration<'_> {
    #[inline(always)]
    fn place(&mut self) {
        let (model, single) = (self.model, &mut *self.single);
        single.slide = 0.0;
        single.is_placed.fill(false);
        for (chunk, frames) in model.frames.chunks(W).enumerate() {
            let mut values = Lanes::<W>::ZERO;
            for (lane, frame) in frames.iter().enumerate() {
                let value = frame.multiplier * self.q[frame.variable] + frame.offset;
                if frame.motion == Motion::Translation {
                    values.0[lane] = value as f32;
                    single.slide += (value as f32).abs();
                } else {
                    values.0[lane] = within_a_turn(value);
                }
            }
            let (sines, cosines) = sin_cos(values);
            for (lane, frame) in frames.iter().enumerate() {
                let state = (values.0[lane], sines.0[lane], cosines.0[lane]);
                single.frames[chunk * W + lane + 1] = single.frames[frame.parent].child(frame, state);
            }
        }
        for (index, cluster) in model.clusters.iter().enumerate() {
            let Lanes([x, y, z, _]) = single.frames[cluster.frame].point(cluster.center);
            for (all, value) in single.clusters.iter_mut().zip([x, y, z]) {
                all[index] = value;
            }
        }
    }

    #[inline(always)]
    fn place_body(&mut self, index: usize) {
        let single = &mut *self.single;
        if std::mem::replace(&mut single.is_placed[index], true) {
            return;
        }
        let body = &self.model.bodies[index];
        let frame = single.frames[body.frame];
        let Lanes([x, y, z, _]) = frame.point(body.center);
        single.centers[index] = [x, y, z];
        for chunk in single.parts[index].clone() {
            single.placed[chunk] = frame.spheres(&single.local[chunk]);
        }
    }

    #[inline(always)]
    fn rounding(&self, body: &LaneBody) -> f32 {
        body.roundoff * (body.extent + self.single.slide)
    }

    #[inline(always)]
    fn world(&mut self) -> bool {
        let model = self.model;
        let mut near = std::mem::take(&mut self.single.near);
        let mut is_hit = false;
        for (index, cluster) in model.clusters.iter().enumerate().rev() {
            if cluster.boxes.is_empty() {
                continue;
            }
            near.clear();
            let pad = (cluster.roundoff + DIFFERENCE) * (cluster.extent + self.single.slide);
            let around = (cluster.radius + cluster.margin + pad).max(0.0);
            let center: [f32; 3] = std::array::from_fn(|k| self.single.clusters[k][index]);
            cluster.boxes.collect(&center.map(|c| c - around), &center.map(|c| c + around), &mut near);
            if near.len() > MANY {
                is_hit = self.near_spheres(cluster, &mut near);
            } else {
                // No closures: they would be compiled without the wide instructions.
                for obstacle in &near {
                    for body in &cluster.bodies {
                        is_hit = is_hit || self.body_against_obstacle(*body, *obstacle);
                    }
                }
            }
            if is_hit {
                break;
            }
        }
        self.single.near = near;
        is_hit
    }

    /// The bodies of a cluster against obstacles whose boxes are near one of their spheres: among very many obstacles most
    /// that are near a body's ball are far from the body.
    #[inline(always)]
    fn near_spheres(&mut self, cluster: &Cluster, near: &mut Vec<u32>) -> bool {
        let fixed = cluster.margin + (cluster.roundoff + DIFFERENCE) * (cluster.extent + self.single.slide);
        for body in &cluster.bodies {
            near.clear();
            self.place_body(*body);
            for Spheres { centers: Point { x, y, z }, radii } in &self.single.placed[self.single.parts[*body].clone()] {
                for lane in 0..W {
                    let around = (radii.0[lane] + fixed).max(0.0);
                    collect_around(&cluster.boxes, [x.0[lane], y.0[lane], z.0[lane]], around, near);
                }
            }
            near.sort_unstable();
            near.dedup();
            for obstacle in near.iter() {
                if self.body_against_obstacle(*body, *obstacle) {
                    return true;
                }
            }
        }
        false
    }

    #[inline(always)]
    fn body_against_obstacle(&mut self, index: usize, obstacle: u32) -> bool {
        let model = self.model;
        let (body, other) = (&model.bodies[index], &model.obstacles[obstacle as usize]);
        self.place_body(index);
        let pad = self.rounding(body) + DIFFERENCE * (other.extent + body.extent + self.single.slide);
        let fixed = body.margin_to(obstacle) + other.radius;
        if self.spheres_against(index, obstacle, fixed + pad).all_positive() {
            return false;
        }
        let is_exact = body.is_exact && other.is_exact;
        let is_hit = is_exact && !self.spheres_against(index, obstacle, fixed - 2.0 * pad).all_positive();
        self.note(Numbering::of(model).obstacle(index, obstacle), is_hit)
    }

    /// Above 0 where spheres of a body are farther from an obstacle than their radius and `gap`.
    #[inline(always)]
    fn spheres_against(&self, index: usize, obstacle: u32, gap: f32) -> Lanes<W> {
        let other = &self.model.obstacles[obstacle as usize];
        let mut least = Lanes::splat(f32::MAX);
        for spheres in &self.single.placed[self.single.parts[index].clone()] {
            let distance = spheres.radii.offset(gap);
            least = least.min(other.clearances(spheres.centers, distance).outside_each(distance));
        }
        least
    }

    #[inline(always)]
    fn own_pairs(&mut self) -> bool {
        for chunk in 0..self.single.gates.len() {
            let mut bits = self.near_gates(chunk);
            while bits != 0 {
                let gate = &self.model.gates[chunk * W + bits.trailing_zeros() as usize];
                bits &= bits - 1;
                for pair in gate.pairs.clone() {
                    if self.own_pair(self.model.pair_order[pair]) {
                        return true;
                    }
                }
            }
        }
        false
    }

    /// One bit per gate whose clusters are near each other.
    #[inline(always)]
    fn near_gates(&self, chunk: usize) -> u16 {
        let (single, gates) = (&self.single, &self.single.gates[chunk]);
        let mut apart = Lanes::<W>::ZERO;
        for coordinates in &single.clusters {
            let mut offset = Lanes::<W>::ZERO;
            for lane in 0..W {
                offset.0[lane] = coordinates[gates.a[lane] as usize] - coordinates[gates.b[lane] as usize];
            }
            apart = offset.mul_add(offset, apart);
        }
        let near = gates.per_slide.scale_add(single.slide, gates.near);
        (apart - near.squared_with_sign(WIDER)).not_positive()
    }

    #[inline(always)]
    fn own_pair(&mut self, index: usize) -> bool {
        let model = self.model;
        let pair = &model.pairs[index];
        let (small, large) = (&model.bodies[pair.small], &model.bodies[pair.large]);
        self.place_body(pair.small);
        self.place_body(pair.large);
        let pad = self.rounding(small) + self.rounding(large);
        let (ball, other) = (self.single.centers[pair.small], self.single.centers[pair.large]);
        let [x, y, z] = [ball[0] - other[0], ball[1] - other[1], ball[2] - other[2]];
        let apart = x * x + y * y + z * z;
        if apart > squared(small.radius + large.radius + pair.margin + pad)
            || self.spheres_of_pair(index, pair.margin + pad).all_positive()
        {
            return false;
        }
        let is_exact = small.is_exact && large.is_exact;
        let is_hit = is_exact && !self.spheres_of_pair(index, pair.margin - 2.0 * pad).all_positive();
        self.note(Numbering::of(model).bodies + index as u32, is_hit)
    }

    /// Above 0 where spheres of two bodies are farther apart than their radii and `gap`.
    #[inline(always)]
    fn spheres_of_pair(&self, index: usize, gap: f32) -> Lanes<W> {
        let (single, pair) = (&self.single, &self.model.pairs[index]);
        let small = &self.model.bodies[pair.small];
        let ball = single.centers[pair.small];
        let mut least = Lanes::splat(f32::MAX);
        for spheres in &single.placed[single.parts[pair.large].clone()] {
            // Most spheres of the larger body are far from the whole smaller one.
            let near = spheres.radii.offset(small.radius + gap).squared_with_sign(WIDER);
            let mut bits = (spheres.centers.minus_fixed(ball).norm_squared() - near).not_positive();
            while bits != 0 {
                let lane = bits.trailing_zeros() as usize;
                bits &= bits - 1;
                let Point { x, y, z } = spheres.centers;
                let (center, radius) = ([x.0[lane], y.0[lane], z.0[lane]], spheres.radii.0[lane]);
                for others in &single.placed[single.parts[pair.small].clone()] {
                    let near = others.radii.offset(radius + gap).squared_with_sign(WIDER);
                    least = least.min(others.centers.minus_fixed(center).norm_squared() - near);
                }
            }
        }
        least
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
