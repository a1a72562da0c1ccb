//! The tree of large sets of nodes: leaves of a few blocks, each with the box around its nodes.
//!
//! A k-d tree (Bentley, "Multidimensional binary search trees used for associative searching", 1975) says to which leaf a
//! new node belongs; full leaves are halved at the median of their widest joint. A query goes over the boxes of all leaves,
//! sixteen at a time, and then scans those leaves that may hold something nearer. The bound of a box is added up joint
//! after joint like the distance of a node, from steps that are never larger; rounding keeps that order, so that no leaf is
//! passed over wrongly, and the answer is that of the plain scan bit for bit.

#![allow(clippy::inline_always, reason = "what is not inlined is compiled without the wider instructions")]

use super::{LANES, Lanes, lowest};

/// Nodes of a full leaf.
const NODES_PER_LEAF: usize = 128;

/// Blocks of a leaf.
const BLOCKS_PER_LEAF: usize = NODES_PER_LEAF / LANES;

/// Where more than one of so many leaves would be scanned, boxes say too little: nodes are sparse in many dimensions.
const MIN_SKIPPED_LEAVES: usize = 2;

/// No node.
const NO_NODE: u32 = u32::MAX;

/// An inner node of the k-d tree: values of the joint up to `value` go to the first child, others to the second.
#[derive(Debug, Clone, Copy)]
struct Fork {
    joint: usize,
    value: f32,
    children: [Child; 2],
}

#[derive(Debug, Clone, Copy)]
enum Child {
    Fork(usize),
    Leaf(usize),
}

/// Nodes in leaves.
#[derive(Debug, Clone, Default)]
pub(super) struct Leaves {
    dof: usize,
    /// Empty as long as there is one leaf.
    forks: Vec<Fork>,
    /// `dof` rows per block, [`BLOCKS_PER_LEAF`] blocks per leaf.
    rows: Vec<Lanes>,
    /// The nodes of the leaves, [`NODES_PER_LEAF`] each.
    nodes: Vec<u32>,
    /// How many each leaf has.
    sizes: Vec<usize>,
    /// Place of each node among `nodes`; [`NO_NODE`] once it was taken away.
    places: Vec<u32>,
    /// Ends of boxes, `dof` rows per sixteen leaves.
    low: Vec<Lanes>,
    high: Vec<Lanes>,
    /// Memory of queries: squared distances of boxes, and leaves to be scanned.
    bounds: Vec<Lanes>,
    near: Vec<(f32, u32)>,
}

impl Leaves {
    /// Forgets all nodes, keeps the memory, and prepares for keys of so many joints.
    pub(super) fn reset(&mut self, dof: usize) {
        self.dof = dof;
        self.forks.clear();
        self.rows.clear();
        self.nodes.clear();
        self.sizes.clear();
        self.places.clear();
        self.low.clear();
        self.high.clear();
    }

    /// Number of nodes that were added.
    pub(super) fn len(&self) -> usize {
        self.places.len()
    }

    /// Adds the next node; one with an infinite key was taken away.
    pub(super) fn insert(&mut self, key: &[f32]) {
        let node = self.places.len() as u32;
        self.places.push(NO_NODE);
        if !key.iter().all(|value| value.is_finite()) {
            return;
        }
        if self.sizes.is_empty() {
            self.add_leaf();
        }
        let mut leaf = self.leaf_of(key);
        if self.sizes[leaf] == NODES_PER_LEAF {
            self.split(leaf);
            leaf = self.leaf_of(key);
        }
        self.place(leaf, key, node);
    }

    /// Takes a node away: it is nobody's nearest any more.
    pub(super) fn remove(&mut self, node: usize) {
        let place = std::mem::replace(&mut self.places[node], NO_NODE) as usize;
        if place >= self.nodes.len() {
            return;
        }
        let first = place / LANES * self.dof;
        self.rows[first..first + self.dof].iter_mut().for_each(|row| row.0[place % LANES] = f32::INFINITY);
    }

    /// Where a key belongs.
    fn leaf_of(&self, key: &[f32]) -> usize {
        let Some(mut fork) = self.forks.first() else { return 0 };
        loop {
            match fork.children[usize::from(key[fork.joint] > fork.value)] {
                Child::Fork(next) => fork = &self.forks[next],
                Child::Leaf(leaf) => return leaf,
            }
        }
    }

    /// An empty leaf; its number.
    fn add_leaf(&mut self) -> usize {
        let leaf = self.sizes.len();
        self.sizes.push(0);
        self.nodes.resize((leaf + 1) * NODES_PER_LEAF, NO_NODE);
        self.rows.resize((leaf + 1) * BLOCKS_PER_LEAF * self.dof, Lanes([f32::INFINITY; LANES]));
        // Boxes without leaves are infinitely far away from everything.
        let boxes = (leaf / LANES + 1) * self.dof;
        self.low.resize(boxes, Lanes([f32::INFINITY; LANES]));
        self.high.resize(boxes, Lanes([f32::INFINITY; LANES]));
        self.bounds.resize(leaf / LANES + 1, Lanes([f32::INFINITY; LANES]));
        leaf
    }

    /// Puts a node into a leaf that has room.
    fn place(&mut self, leaf: usize, key: &[f32], node: u32) {
        let place = leaf * NODES_PER_LEAF + self.sizes[leaf];
        let is_first = self.sizes[leaf] == 0;
        self.sizes[leaf] += 1;
        self.nodes[place] = node;
        self.places[node as usize] = place as u32;
        let (block, lane) = (place / LANES * self.dof, place % LANES);
        let (boxes, of_leaf) = (leaf / LANES * self.dof, leaf % LANES);
        for (joint, value) in key.iter().enumerate() {
            self.rows[block + joint].0[lane] = *value;
            let (low, high) = (&mut self.low[boxes + joint].0[of_leaf], &mut self.high[boxes + joint].0[of_leaf]);
            *low = if is_first { *value } else { low.min(*value) };
            *high = if is_first { *value } else { high.max(*value) };
        }
    }

    fn key(&self, place: usize, joint: usize) -> f32 {
        self.rows[place / LANES * self.dof + joint].0[place % LANES]
    }

    /// The values of a joint in a full leaf; those of nodes that were taken away are infinite and left out.
    fn keys(&self, leaf: usize, joint: usize) -> impl Iterator<Item = f32> + '_ {
        let places = leaf * NODES_PER_LEAF..(leaf + 1) * NODES_PER_LEAF;
        places.map(move |place| self.key(place, joint)).filter(|key| key.is_finite())
    }

    fn width(&self, leaf: usize, joint: usize) -> f32 {
        let keys = || self.keys(leaf, joint);
        keys().fold(f32::NEG_INFINITY, f32::max) - keys().fold(f32::INFINITY, f32::min)
    }

    /// Halves a full leaf at the median of its widest joint. Where all its nodes are equal, it stays, and those to come go
    /// to the other one.
    fn split(&mut self, leaf: usize) {
        let joint = (1..self.dof).fold(
            0,
            |best, joint| {
                if self.width(leaf, joint) > self.width(leaf, best) { joint } else { best }
            },
        );
        let mut sorted: Vec<f32> = self.keys(leaf, joint).collect();
        sorted.sort_unstable_by(f32::total_cmp);
        let value = middle(&sorted);
        let other = self.add_leaf();
        self.hang(leaf, Fork { joint, value, children: [Child::Leaf(leaf), Child::Leaf(other)] });
        if value > f32::NEG_INFINITY || sorted.len() < NODES_PER_LEAF {
            self.share(leaf, other, joint, value);
        }
    }

    /// Puts a fork where a leaf hung.
    fn hang(&mut self, leaf: usize, fork: Fork) {
        let place = self.forks.len();
        let children = self.forks.iter_mut().flat_map(|fork| &mut fork.children);
        for child in children {
            if matches!(child, Child::Leaf(found) if *found == leaf) {
                *child = Child::Fork(place);
            }
        }
        self.forks.push(fork);
    }

    /// Shares the nodes of a leaf with an empty one.
    fn share(&mut self, leaf: usize, other: usize, joint: usize, value: f32) {
        let first = leaf * NODES_PER_LEAF;
        let kept: Vec<(Vec<f32>, u32)> = (first..first + NODES_PER_LEAF)
            .filter(|place| self.key(*place, joint).is_finite())
            .map(|place| ((0..self.dof).map(|joint| self.key(place, joint)).collect(), self.nodes[place]))
            .collect();
        let rows = leaf * BLOCKS_PER_LEAF * self.dof;
        self.rows[rows..rows + BLOCKS_PER_LEAF * self.dof].fill(Lanes([f32::INFINITY; LANES]));
        self.sizes[leaf] = 0;
        for (key, node) in kept {
            self.place(if key[joint] > value { other } else { leaf }, &key, node);
        }
    }
    /// The node at the least squared distance from a key, and that; the lowest number among equal ones. `None` where so many
    /// leaves may hold it that a plain scan is faster. `periods` are full turns of keys, infinite for joints that do not
    /// wrap.
    #[inline(always)]
    pub(super) fn nearest(&mut self, query: &[f32], periods: &[f32], wraps: bool) -> Option<(usize, f32)> {
        if wraps {
            self.nearest_with(
                query,
                periods,
                |a, period| a.min(period - a),
                |least, most, period| least.min((period - most).max(0.0)),
            )
        } else {
            self.nearest_with(query, periods, |a, _| a, |least, _, _| least)
        }
    }

    /// `wrapped` turns a difference in [0, period) into the shorter way round, `least_wrapped` the ends of an interval of
    /// differences into the least of their shorter ways.
    #[inline(always)]
    fn nearest_with(
        &mut self,
        query: &[f32],
        periods: &[f32],
        wrapped: impl Fn(f32, f32) -> f32 + Copy,
        least_wrapped: impl Fn(f32, f32, f32) -> f32 + Copy,
    ) -> Option<(usize, f32)> {
        if self.sizes.is_empty() {
            return None;
        }
        self.bound(query, periods, least_wrapped);
        let first = self.least_bound();
        let mut best = Best { least: [f32::INFINITY; LANES], found: [0; LANES] };
        self.scan(first, &mut best, query, periods, wrapped);
        let mut least = best.least();
        let mut near = std::mem::take(&mut self.near);
        near.clear();
        for (block, bounds) in self.bounds[..self.sizes.len().div_ceil(LANES)].iter().enumerate() {
            if least_of(&bounds.0) <= least {
                let leaves = bounds.0.iter().enumerate().filter(|(_, bound)| **bound <= least);
                near.extend(leaves.map(|(lane, bound)| (*bound, (block * LANES + lane) as u32)));
            }
        }
        if MIN_SKIPPED_LEAVES * near.len() > self.sizes.len() {
            self.near = near;
            return None;
        }
        near.sort_unstable_by(|a, b| a.0.total_cmp(&b.0));
        for (bound, leaf) in &near {
            // At an equal distance there may be a node with a lower number.
            if *bound > least {
                break;
            }
            if *leaf as usize != first {
                self.scan(*leaf as usize, &mut best, query, periods, wrapped);
                least = best.least();
            }
        }
        self.near = near;
        Some(lowest(best.least, best.found))
    }

    /// Squared distances of all boxes, or less.
    #[inline(always)]
    fn bound(&mut self, query: &[f32], periods: &[f32], least_wrapped: impl Fn(f32, f32, f32) -> f32) {
        let boxes = self.low.chunks_exact(self.dof).zip(self.high.chunks_exact(self.dof));
        for ((lows, highs), bounds) in boxes.zip(&mut self.bounds) {
            let mut squared = [0.0_f32; LANES];
            for (((low, high), query), period) in lows.iter().zip(highs).zip(query).zip(periods) {
                for lane in 0..LANES {
                    let (below, above) = (low.0[lane] - query, query - high.0[lane]);
                    let least = below.max(above).max(0.0);
                    let most = (-below).max(-above);
                    let step = least_wrapped(least, most, *period);
                    squared[lane] += step * step;
                }
            }
            bounds.0 = squared;
        }
        // Lanes without a leaf.
        if let Some(last) = self.bounds.get_mut(self.sizes.len() / LANES) {
            last.0[self.sizes.len() % LANES..].fill(f32::INFINITY);
        }
    }

    /// The leaf whose box is nearest.
    fn least_bound(&self) -> usize {
        let mut least = (f32::INFINITY, 0);
        for (block, bounds) in self.bounds[..self.sizes.len().div_ceil(LANES)].iter().enumerate() {
            let here = least_of(&bounds.0);
            if here < least.0 {
                let lane = bounds.0.iter().position(|bound| *bound == here).unwrap_or(0);
                least = (here, block * LANES + lane);
            }
        }
        least.1
    }

    /// Takes the nodes of a leaf into account.
    #[allow(clippy::needless_bitwise_bool, reason = "lanes without branches")]
    #[inline(always)]
    fn scan(&self, leaf: usize, best: &mut Best, query: &[f32], periods: &[f32], wrapped: impl Fn(f32, f32) -> f32) {
        let first = leaf * BLOCKS_PER_LEAF;
        for block in first..first + self.sizes[leaf].div_ceil(LANES) {
            let rows = &self.rows[block * self.dof..(block + 1) * self.dof];
            let nodes = &self.nodes[block * LANES..(block + 1) * LANES];
            let mut squared = [0.0_f32; LANES];
            for ((row, query), period) in rows.iter().zip(query).zip(periods) {
                for lane in 0..LANES {
                    let step = wrapped((row.0[lane] - query).abs(), *period);
                    squared[lane] += step * step;
                }
            }
            let Best { least, found } = best;
            for lane in 0..LANES {
                let is_lower = (squared[lane] == least[lane]) & (nodes[lane] < found[lane]);
                let is_nearer = (squared[lane] < least[lane]) | is_lower;
                least[lane] = if is_nearer { squared[lane] } else { least[lane] };
                found[lane] = if is_nearer { nodes[lane] } else { found[lane] };
            }
        }
    }
}

/// The nearest nodes so far, one per lane.
struct Best {
    least: [f32; LANES],
    found: [u32; LANES],
}

impl Best {
    #[inline(always)]
    fn least(&self) -> f32 {
        least_of(&self.least)
    }
}

/// The least of the lanes' values, folded as [`lowest`] does.
#[inline(always)]
fn least_of(lanes: &[f32; LANES]) -> f32 {
    let mut least = *lanes;
    let mut half = LANES / 2;
    while half > 0 {
        for lane in 0..half {
            least[lane] = if least[lane + half] < least[lane] { least[lane + half] } else { least[lane] };
        }
        half /= 2;
    }
    least[0]
}

/// The median of ascending keys; the one before where it is the last one too, so that something is left above; −∞ where
/// all are equal, or there is none.
fn middle(sorted: &[f32]) -> f32 {
    let Some(last) = sorted.last() else { return f32::NEG_INFINITY };
    let half = &sorted[..sorted.len().div_ceil(2)];
    half.iter().rev().find(|key| *key < last).copied().unwrap_or(f32::NEG_INFINITY)
}
