//! One configuration, with lanes over spheres, pairs and obstacles.
//!
//! The same tests with the same thresholds as for a batch (see [`block`](super::block)), turned by a quarter: a body's
//! spheres are compared with an obstacle, or with one sphere of another body, eight at a time.

use std::ops::Range;

use kinetic_kinematics::Motion;

use super::block::squared;
use super::dispatch::EightLanes;
use super::kernel::{DIFFERENCE, Numbering, WIDER};
use super::model::{Column, LaneBody, LaneFrame, LaneModel};
use super::trig::{sin_cos, within_a_turn};
use super::vector::{Lanes, Plain, Point};

const W: usize = 8;

/// Eight spheres of a body, in its frame or in the root; the last one fills up.
#[derive(Debug, Clone, Copy)]
struct Spheres {
    centers: Point<Plain<W>>,
    radii: Plain<W>,
}

/// Eight gates; unused places are pairs that are never near.
#[derive(Debug, Clone)]
struct Gates {
    a: [u32; W],
    b: [u32; W],
    /// Radii, margin and rounding without slides.
    near: Plain<W>,
    /// Rounding per metre of slides.
    per_slide: Plain<W>,
}

/// Axes and origin of a frame in the root; the fourth lane is not used.
#[derive(Debug, Clone, Copy)]
struct Placed {
    axes: [Plain<4>; 3],
    origin: Plain<4>,
}

impl Placed {
    const IDENTITY: Self = Self {
        axes: [Plain([1.0, 0.0, 0.0, 0.0]), Plain([0.0, 1.0, 0.0, 0.0]), Plain([0.0, 0.0, 1.0, 0.0])],
        origin: Plain::ZERO,
    };

    #[inline(always)]
    fn direction(&self, column: Column) -> Plain<4> {
        match column {
            Column::Axis(axis, false) => self.axes[axis],
            Column::Axis(axis, true) => Plain::ZERO - self.axes[axis],
            Column::General([x, y, z]) => self.axes[0].scale_add(x, self.axes[1].scale_add(y, self.axes[2].scale(z))),
        }
    }

    #[inline(always)]
    fn point(&self, [x, y, z]: [f32; 3]) -> Plain<4> {
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
        let mut centers = [Plain::ZERO; 3];
        for (k, center) in centers.iter_mut().enumerate() {
            let along_z = z.scale_add(az.0[k], Plain::splat(self.origin.0[k]));
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
    let coordinate = |k: usize| Plain(std::array::from_fn(|lane| of(lane).0[k]));
    let centers = Point { x: coordinate(0), y: coordinate(1), z: coordinate(2) };
    Spheres { centers, radii: Plain(std::array::from_fn(|lane| of(lane).1)) }
}

fn eight_gates(model: &LaneModel, chunk: usize) -> Gates {
    let mut gates = Gates { a: [0; W], b: [0; W], near: Plain::splat(-1.0), per_slide: Plain::ZERO };
    for (lane, gate) in model.gates.iter().skip(chunk * W).take(W).enumerate() {
        (gates.a[lane], gates.b[lane]) = (gate.small as u32, gate.large as u32);
        (gates.near.0[lane], gates.per_slide.0[lane]) = (gate.near, gate.per_slide);
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
    fn work<L: Lanes>(&mut self) {
        self.single.undecided.clear();
        self.place();
        self.is_hit = self.world::<L>() || self.own_pairs::<L>();
    }
}

impl OneConfiguration<'_> {
    #[inline(always)]
    fn place(&mut self) {
        let (model, single) = (self.model, &mut *self.single);
        single.slide = 0.0;
        single.is_placed.fill(false);
        for (chunk, frames) in model.frames.chunks(W).enumerate() {
            let mut values = Plain::<W>::ZERO;
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
            let Plain([x, y, z, _]) = single.frames[cluster.frame].point(cluster.center);
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
        let Plain([x, y, z, _]) = frame.point(body.center);
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
    fn world<L: Lanes>(&mut self) -> bool {
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
            cluster.boxes.collect::<L>(&center.map(|c| c - around), &center.map(|c| c + around), &mut near);
            // No closures: they would be compiled without the wide instructions.
            for obstacle in &near {
                for body in &cluster.bodies {
                    is_hit = is_hit || self.body_against_obstacle::<L>(*body, *obstacle);
                }
            }
            if is_hit {
                break;
            }
        }
        self.single.near = near;
        is_hit
    }

    #[inline(always)]
    fn body_against_obstacle<L: Lanes>(&mut self, index: usize, obstacle: u32) -> bool {
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
    fn spheres_against(&self, index: usize, obstacle: u32, gap: f32) -> Plain<W> {
        let other = &self.model.obstacles[obstacle as usize];
        let mut least = Plain::splat(f32::MAX);
        for spheres in &self.single.placed[self.single.parts[index].clone()] {
            let distance = spheres.radii.offset(gap);
            least = least.min(other.clearances(spheres.centers, distance).outside_each(distance));
        }
        least
    }

    #[inline(always)]
    fn own_pairs<L: Lanes>(&mut self) -> bool {
        for chunk in 0..self.single.gates.len() {
            let mut bits = self.near_gates::<L>(chunk);
            while bits != 0 {
                let gate = &self.model.gates[chunk * W + bits.trailing_zeros() as usize];
                bits &= bits - 1;
                for pair in gate.pairs.clone() {
                    if self.own_pair::<L>(self.model.gate_pairs[pair].pair as usize) {
                        return true;
                    }
                }
            }
        }
        false
    }

    /// One bit per gate whose clusters are near each other.
    #[inline(always)]
    fn near_gates<L: Lanes>(&self, chunk: usize) -> u16 {
        let (single, gates) = (&self.single, &self.single.gates[chunk]);
        let mut apart = Plain::<W>::ZERO;
        for coordinates in &single.clusters {
            let mut offset = Plain::<W>::ZERO;
            for lane in 0..W {
                offset.0[lane] = coordinates[gates.a[lane] as usize] - coordinates[gates.b[lane] as usize];
            }
            apart = offset.mul_add(offset, apart);
        }
        let near = gates.per_slide.scale_add(single.slide, gates.near);
        L::not_positive_of(&(apart - near.squared_with_sign(WIDER)))
    }

    #[inline(always)]
    fn own_pair<L: Lanes>(&mut self, index: usize) -> bool {
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
            || self.spheres_of_pair::<L>(index, pair.margin + pad).all_positive()
        {
            return false;
        }
        let is_exact = small.is_exact && large.is_exact;
        let is_hit = is_exact && !self.spheres_of_pair::<L>(index, pair.margin - 2.0 * pad).all_positive();
        self.note(Numbering::of(model).bodies + index as u32, is_hit)
    }

    /// Above 0 where spheres of two bodies are farther apart than their radii and `gap`.
    #[inline(always)]
    fn spheres_of_pair<L: Lanes>(&self, index: usize, gap: f32) -> Plain<W> {
        let (single, pair) = (&self.single, &self.model.pairs[index]);
        let small = &self.model.bodies[pair.small];
        let ball = single.centers[pair.small];
        let mut least = Plain::splat(f32::MAX);
        for spheres in &single.placed[single.parts[pair.large].clone()] {
            // Most spheres of the larger body are far from the whole smaller one.
            let near = spheres.radii.offset(small.radius + gap).squared_with_sign(WIDER);
            let mut bits = L::not_positive_of(&(spheres.centers.minus_fixed(ball).norm_squared() - near));
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
