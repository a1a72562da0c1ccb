//! Nearest neighbours by a linear scan, and for many nodes by one of the leaves of a k-d tree.
//!
//! Coordinates are weighted single-precision keys, grouped in blocks of sixteen nodes with the values of one joint
//! side by side, so that the compiler scans a block with vector instructions, the widest that the processor has. Trees of
//! motion planning are small; up to some thousand nodes this is faster than any tree, and inserting costs nothing. Beyond
//! [`TREE_FROM`] nodes only those leaves are scanned that can hold the answer (`leaves.rs`), which is the same one.

#![allow(clippy::inline_always, reason = "what is not inlined is compiled without the wider instructions")]

mod leaves;

use std::f64::consts::TAU;

use pulp::{Arch, NullaryFnOnce};

use crate::space::Space;
use leaves::Leaves;

/// Nodes from which on there is a tree; by the measurement in `benches/planning.rs`.
pub const TREE_FROM: usize = 4_096;

/// Nodes per block.
const LANES: usize = 16;

/// One value per node of a block.
#[derive(Debug, Clone, Copy)]
#[repr(align(64))]
struct Lanes([f32; LANES]);

/// The nodes of a tree, with queries for the nearest to a configuration in the metric of [`Space::distance`].
///
/// Distances are compared in single precision. Equal ones go to the node inserted first; every lane adds its
/// joints in the same order whatever the vector width, so that the answer is the same on every machine.
#[derive(Debug, Clone)]
pub struct NearestNeighbors {
    /// `dof` rows per block.
    rows: Vec<Lanes>,
    query: Vec<f32>,
    /// Weighted full turn of continuous joints; infinite for others.
    periods: Vec<f32>,
    len: usize,
    tree_from: usize,
    /// The same nodes, as soon as there are many.
    leaves: Leaves,
}

impl Default for NearestNeighbors {
    fn default() -> Self {
        Self::with_tree_from(TREE_FROM)
    }
}

impl NearestNeighbors {
    /// An empty set.
    pub fn new() -> Self {
        Self::default()
    }

    /// An empty set that gets a tree at another size than [`TREE_FROM`]; the answers are the same.
    pub fn with_tree_from(tree_from: usize) -> Self {
        Self { rows: Vec::new(), query: Vec::new(), periods: Vec::new(), len: 0, tree_from, leaves: Leaves::default() }
    }

    /// Forgets all nodes, keeps the memory, and prepares for a space.
    pub fn reset(&mut self, space: &Space) {
        self.leaves.reset(space.dof());
        self.len = 0;
        self.rows.clear();
        self.query.clear();
        self.query.resize(space.dof(), 0.0);
        self.periods.clear();
        self.periods.extend((0..space.dof()).map(|joint| {
            if space.is_continuous(joint) { (TAU * space.weights()[joint]) as f32 } else { f32::INFINITY }
        }));
    }

    /// Number of nodes.
    pub fn len(&self) -> usize {
        self.len
    }

    /// True without nodes.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Adds the next node; nodes are numbered from 0 in the order of insertion.
    pub fn insert(&mut self, space: &Space, q: &[f64]) {
        let (block, lane) = (self.len / LANES, self.len % LANES);
        if lane == 0 {
            // Lanes without a node are infinitely far away.
            self.rows.resize((block + 1) * space.dof(), Lanes([f32::INFINITY; LANES]));
        }
        for joint in 0..space.dof() {
            self.rows[block * space.dof() + joint].0[lane] = key(space, joint, q[joint]);
        }
        self.len += 1;
        if self.len > self.tree_from {
            self.catch_up();
        }
    }

    /// Gives the tree the nodes that it does not have.
    fn catch_up(&mut self) {
        let dof = self.query.len();
        for node in self.leaves.len()..self.len {
            let (block, lane) = (node / LANES, node % LANES);
            let rows = &self.rows[block * dof..(block + 1) * dof];
            self.query.iter_mut().zip(rows).for_each(|(value, row)| *value = row.0[lane]);
            self.leaves.insert(&self.query);
        }
    }

    /// Takes a node away: it is nobody's nearest any more. The others keep their numbers.
    pub fn remove(&mut self, node: usize) {
        let (block, lane) = (node / LANES, node % LANES);
        let dof = self.query.len();
        self.rows[block * dof..(block + 1) * dof].iter_mut().for_each(|row| row.0[lane] = f32::INFINITY);
        if node < self.leaves.len() {
            self.leaves.remove(node);
        }
    }

    /// The node nearest to `q`, and its distance in single precision; `None` without nodes. When
    /// all were taken away, some node at an infinite distance.
    #[inline]
    pub fn nearest(&mut self, space: &Space, q: &[f64]) -> Option<(usize, f32)> {
        if self.is_empty() {
            return None;
        }
        for joint in 0..space.dof() {
            self.query[joint] = key(space, joint, q[joint]);
        }
        let (node, squared) = Arch::new().dispatch(Scan(self, space));
        Some((node, squared.sqrt()))
    }

    /// The node at the least squared distance, and that.
    #[inline(always)]
    fn scan(&mut self, space: &Space) -> (usize, f32) {
        if self.leaves.len() > 0
            && let Some(found) = self.leaves.nearest(&self.query, &self.periods, space.has_continuous())
        {
            return found;
        }
        if space.has_continuous() { self.scan_with(|a, period| a.min(period - a)) } else { self.scan_with(|a, _| a) }
    }

    /// The least squared distance; `wrapped` turns a difference in [0, period) into the shorter way round.
    #[inline(always)]
    fn scan_with(&self, wrapped: impl Fn(f32, f32) -> f32) -> (usize, f32) {
        let mut least = [f32::INFINITY; LANES];
        let mut found = [0_u32; LANES];
        for (block, rows) in self.rows.chunks_exact(self.query.len()).enumerate() {
            let squared = self.squared_distances(rows, &wrapped);
            for lane in 0..LANES {
                let nearer = squared[lane] < least[lane];
                least[lane] = if nearer { squared[lane] } else { least[lane] };
                found[lane] = if nearer { block as u32 } else { found[lane] };
            }
        }
        for (lane, found) in found.iter_mut().enumerate() {
            *found = *found * LANES as u32 + lane as u32;
        }
        lowest(least, found)
    }

    /// Squared distances of the nodes of a block.
    #[inline(always)]
    fn squared_distances(&self, rows: &[Lanes], wrapped: impl Fn(f32, f32) -> f32) -> [f32; LANES] {
        let mut squared = [0.0_f32; LANES];
        for ((row, query), period) in rows.iter().zip(&self.query).zip(&self.periods) {
            for lane in 0..LANES {
                let step = wrapped((row.0[lane] - query).abs(), *period);
                squared[lane] += step * step;
            }
        }
        squared
    }

    /// Writes the `count` nodes nearest to `q` with their distances in single precision, the nearest first, of equally near ones
    /// the one inserted first; fewer where there are fewer. A linear scan, whatever the number of nodes.
    pub fn k_nearest(&mut self, space: &Space, q: &[f64], count: usize, found: &mut Vec<(usize, f32)>) {
        found.clear();
        if count == 0 || self.is_empty() {
            return;
        }
        for joint in 0..space.dof() {
            self.query[joint] = key(space, joint, q[joint]);
        }
        Arch::new().dispatch(Collect { nodes: self, has_continuous: space.has_continuous(), count, found });
        for (_, distance) in found {
            *distance = distance.sqrt();
        }
    }

    /// Writes the nodes within a distance of `q`, compared in single precision, in the order of insertion. A linear scan, whatever
    /// the number of nodes.
    pub fn within(&mut self, space: &Space, q: &[f64], radius: f64, found: &mut Vec<usize>) {
        found.clear();
        if self.is_empty() {
            return;
        }
        for joint in 0..space.dof() {
            self.query[joint] = key(space, joint, q[joint]);
        }
        let most = (radius * radius) as f32;
        Arch::new().dispatch(Gather { nodes: self, has_continuous: space.has_continuous(), most, found });
    }

    #[inline(always)]
    fn gather_with(&self, most: f32, found: &mut Vec<usize>, wrapped: impl Fn(f32, f32) -> f32) {
        for (block, rows) in self.rows.chunks_exact(self.query.len()).enumerate() {
            let squared = self.squared_distances(rows, &wrapped);
            if squared.iter().any(|distance| *distance <= most) {
                let lanes = (0..LANES).filter(|lane| squared[*lane] <= most);
                found.extend(lanes.map(|lane| block * LANES + lane));
            }
        }
    }

    #[inline(always)]
    fn collect_with(&self, count: usize, found: &mut Vec<(usize, f32)>, wrapped: impl Fn(f32, f32) -> f32) {
        let mut farthest = f32::INFINITY;
        for (block, rows) in self.rows.chunks_exact(self.query.len()).enumerate() {
            let squared = self.squared_distances(rows, &wrapped);
            // Nodes that were taken away are infinitely far, and never below.
            if !squared.iter().any(|distance| *distance < farthest) {
                continue;
            }
            for (lane, distance) in squared.into_iter().enumerate() {
                if distance < farthest {
                    let place = found.partition_point(|(_, nearer)| *nearer <= distance);
                    found.insert(place, (block * LANES + lane, distance));
                    found.truncate(count);
                    farthest = if found.len() == count { found[count - 1].1 } else { f32::INFINITY };
                }
            }
        }
    }
}

/// A scan for several nodes, to be compiled for wider registers as [`Scan`] is.
struct Collect<'a> {
    nodes: &'a NearestNeighbors,
    has_continuous: bool,
    count: usize,
    found: &'a mut Vec<(usize, f32)>,
}

impl NullaryFnOnce for Collect<'_> {
    type Output = ();

    #[inline(always)]
    fn call(self) {
        if self.has_continuous {
            self.nodes.collect_with(self.count, self.found, |a, period| a.min(period - a));
        } else {
            self.nodes.collect_with(self.count, self.found, |a, _| a);
        }
    }
}

/// A scan for the nodes within a distance, likewise.
struct Gather<'a> {
    nodes: &'a NearestNeighbors,
    has_continuous: bool,
    /// The square of the distance.
    most: f32,
    found: &'a mut Vec<usize>,
}

impl NullaryFnOnce for Gather<'_> {
    type Output = ();

    #[inline(always)]
    fn call(self) {
        if self.has_continuous {
            self.nodes.gather_with(self.most, self.found, |a, period| a.min(period - a));
        } else {
            self.nodes.gather_with(self.most, self.found, |a, _| a);
        }
    }
}

/// A scan to be compiled for wider registers. Not a closure, which the compiler may leave a function of its own, without
/// them.
struct Scan<'a>(&'a mut NearestNeighbors, &'a Space);

impl NullaryFnOnce for Scan<'_> {
    type Output = (usize, f32);

    #[inline(always)]
    fn call(self) -> (usize, f32) {
        self.0.scan(self.1)
    }
}

/// The least of the lanes' answers; the lowest node number among equal ones. Halves are folded onto each other without
/// branches: which lane wins is as good as random.
#[inline(always)]
fn lowest(mut least: [f32; LANES], mut nodes: [u32; LANES]) -> (usize, f32) {
    let mut half = LANES / 2;
    while half > 0 {
        for lane in 0..half {
            let (a, b) = (least[lane], least[lane + half]);
            let (node_a, node_b) = (nodes[lane], nodes[lane + half]);
            let takes_b = b < a || (b == a && node_b < node_a);
            least[lane] = if takes_b { b } else { a };
            nodes[lane] = if takes_b { node_b } else { node_a };
        }
        half /= 2;
    }
    (nodes[0] as usize, least[0])
}

/// The weighted coordinate; continuous joints are first brought into one turn.
#[inline]
fn key(space: &Space, joint: usize, value: f64) -> f32 {
    (space.weights()[joint] * space.unwrapped(joint, 0.0, value)) as f32
}
