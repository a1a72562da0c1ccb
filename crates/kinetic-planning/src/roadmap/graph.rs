//! The graph of a roadmap: configurations, and edges between near ones.

use std::f64::consts::E;

use kinetic_core::rng::SeededRng;

use crate::nearest::NearestNeighbors;
use crate::sampler::{Sampler, SamplerKind};
use crate::space::Space;

const NONE: u32 = u32::MAX;

/// The least length of an edge, so that no way through equal configurations is free of cost.
const LEAST_LENGTH: f64 = 1e-9;

/// How many vertices a new one is connected with.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Neighbours {
    /// So many of the nearest.
    Fixed(usize),
    /// e (1 + 1/d) ln n of n in d dimensions (Karaman and Frazzoli 2011).
    Growing,
}

impl Neighbours {
    #[allow(clippy::cast_sign_loss, reason = "a logarithm of at least 1")]
    pub(crate) fn of(self, vertices: usize, dof: usize) -> usize {
        match self {
            Self::Fixed(count) => count,
            Self::Growing => (E * (1.0 + 1.0 / dof as f64) * (vertices as f64 + 1.0).ln()).ceil() as usize,
        }
    }
}

/// Vertices and edges in flat arrays: they are added at the end and never taken away, so that a copy which grows keeps the
/// numbers of what it began with.
#[derive(Debug, Clone)]
pub(crate) struct RoadmapGraph {
    space: Space,
    seed: u64,
    sampler: Sampler,
    values: Vec<f64>,
    /// Both ends of each edge, the one with the lower number first.
    ends: Vec<[u32; 2]>,
    lengths: Vec<f64>,
    /// Per vertex the half of an edge that leaves it, and per half the next one that leaves the same vertex. Halves 2 e and
    /// 2 e + 1 leave the lower and the higher end of edge e.
    first: Vec<u32>,
    next: Vec<u32>,
    nearest: NearestNeighbors,
    near: Vec<(usize, f32)>,
}

impl RoadmapGraph {
    /// A graph without vertices, whose samples follow from the seed.
    pub(crate) fn new(space: &Space, seed: u64) -> Self {
        let mut nearest = NearestNeighbors::new();
        nearest.reset(space);
        Self {
            space: space.clone(),
            seed,
            sampler: Sampler::new(SamplerKind::Halton, space, seed),
            values: Vec::new(),
            ends: Vec::new(),
            lengths: Vec::new(),
            first: Vec::new(),
            next: Vec::new(),
            nearest,
            near: Vec::new(),
        }
    }

    pub(crate) fn space(&self) -> &Space {
        &self.space
    }

    pub(crate) fn seed(&self) -> u64 {
        self.seed
    }

    /// Number of vertices.
    pub(crate) fn len(&self) -> usize {
        self.first.len()
    }

    /// Number of edges.
    pub(crate) fn edges(&self) -> usize {
        self.ends.len()
    }

    /// The configurations, one after the other.
    pub(crate) fn values(&self) -> &[f64] {
        &self.values
    }

    pub(crate) fn vertex(&self, vertex: usize) -> &[f64] {
        let dof = self.space.dof();
        &self.values[vertex * dof..(vertex + 1) * dof]
    }

    /// Both ends of an edge, the lower number first.
    pub(crate) fn ends(&self, edge: usize) -> [usize; 2] {
        self.ends[edge].map(|end| end as usize)
    }

    pub(crate) fn length(&self, edge: usize) -> f64 {
        self.lengths[edge]
    }

    /// Writes the motion that an edge stands for: from its lower end, the higher one unwrapped from there.
    pub(crate) fn motion_into(&self, edge: usize, from: &mut Vec<f64>, to: &mut Vec<f64>) {
        let [low, high] = self.ends(edge);
        from.clear();
        from.extend_from_slice(self.vertex(low));
        to.resize(from.len(), 0.0);
        self.space.unwrap_into(from, self.vertex(high), to);
    }

    /// The edges that leave a vertex, with the vertices at their other ends.
    pub(crate) fn neighbours(&self, vertex: usize) -> impl Iterator<Item = (usize, usize)> + '_ {
        let half = |half: u32| (half != NONE).then_some(half);
        std::iter::successors(half(self.first[vertex]), move |at| half(self.next[*at as usize])).map(|half| {
            let (edge, side) = ((half / 2) as usize, (half % 2) as usize);
            (edge, self.ends[edge][1 - side] as usize)
        })
    }

    /// Writes the next sample of the sequence.
    pub(crate) fn draw_into(&mut self, out: &mut [f64]) {
        self.sampler.next_into(out);
    }

    /// Ends building: samples to come are of another sequence, so that they follow from the seed whatever was drawn before.
    pub(crate) fn completed(mut self) -> Self {
        let seed = SeededRng::stream(self.seed, 1).next_u64();
        self.sampler = Sampler::new(SamplerKind::Halton, &self.space, seed);
        self
    }

    /// Adds a vertex without edges; its number.
    pub(crate) fn add(&mut self, q: &[f64]) -> usize {
        self.values.extend_from_slice(q);
        self.first.push(NONE);
        self.nearest.insert(&self.space, q);
        self.len() - 1
    }

    /// Adds a vertex and edges to those `count` nearest to it that `takes` accepts; its number.
    pub(crate) fn add_connected(&mut self, q: &[f64], count: usize, takes: impl Fn(usize) -> bool) -> usize {
        let mut near = std::mem::take(&mut self.near);
        self.nearest.k_nearest(&self.space, q, count, &mut near);
        let vertex = self.add(q);
        for (other, _) in near.iter().filter(|(other, _)| takes(*other)) {
            self.join(*other, vertex);
        }
        self.near = near;
        vertex
    }

    /// Adds an edge between a vertex and one with a higher number.
    pub(crate) fn join(&mut self, low: usize, high: usize) {
        let edge = self.edges() as u32;
        for (vertex, half) in [(low, 2 * edge), (high, 2 * edge + 1)] {
            self.next.push(self.first[vertex]);
            self.first[vertex] = half;
        }
        self.ends.push([low as u32, high as u32]);
        self.lengths.push(self.space.distance(self.vertex(low), self.vertex(high)).max(LEAST_LENGTH));
    }
}
