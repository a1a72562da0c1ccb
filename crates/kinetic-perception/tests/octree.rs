//! The occupancy octree against a plain map from cells to log-odds.

use std::collections::BTreeMap;

use kinetic_core::rng::SeededRng;
use kinetic_perception::{Octree, OctreeConfig};
use nalgebra::{Point3, Vector3};

mod basics;
mod files;
mod insertion;
mod queries;
mod shape;
mod sight;

/// What a tree should know, cell by cell.
#[derive(Default, Clone)]
pub(crate) struct Reference {
    pub(crate) cells: BTreeMap<[i32; 3], f32>,
}

impl Reference {
    pub(crate) fn update(&mut self, cell: [i32; 3], occupied: bool) {
        let [hit, miss, min, max] = [0.7_f64, 0.4, 0.1192, 0.971].map(|p| (p / (1.0 - p)).ln() as f32);
        let value = self.cells.entry(cell).or_insert(0.0);
        *value = (*value + if occupied { hit } else { miss }).clamp(min, max);
    }

    /// The nodes of the pruned tree, level by level: all of them, and those that are leaves.
    pub(crate) fn node_counts(&self) -> (usize, usize) {
        // A cube with its value, and whether it is a leaf.
        let mut level: BTreeMap<[i32; 3], (f32, bool)> =
            self.cells.iter().map(|(cell, value)| (cell.map(|along| along + 32768), (*value, true))).collect();
        let (mut nodes, mut leaves) = (0, 0);
        for _ in 0..16 {
            let mut parents: BTreeMap<[i32; 3], Vec<(f32, bool)>> = BTreeMap::new();
            for (cell, node) in &level {
                parents.entry(cell.map(|along| along >> 1)).or_default().push(*node);
            }
            let merged = |children: &[(f32, bool)]| {
                let is_pruned = children.len() == 8 && children.iter().all(|child| child.1 && *child == children[0]);
                (children.iter().map(|child| child.0).fold(f32::MIN, f32::max), is_pruned)
            };
            level = parents.iter().map(|(cell, children)| (*cell, merged(children))).collect();
            for children in parents.values().filter(|children| !merged(children).1) {
                nodes += children.len();
                leaves += children.iter().filter(|child| child.1).count();
            }
        }
        let root_is_leaf = level.values().filter(|node| node.1).count();
        (nodes + level.len(), leaves + root_is_leaf)
    }
}

pub(crate) fn tree(resolution: f64) -> Octree {
    Octree::new(OctreeConfig { resolution, ..OctreeConfig::default() }).unwrap()
}

pub(crate) fn center(cell: [i32; 3], resolution: f64) -> Point3<f64> {
    Point3::from(Vector3::from(cell.map(|along| (f64::from(along) + 0.5) * resolution)))
}

/// Checks a tree cell by cell, and beside the cells that are known.
pub(crate) fn assert_equal(tree: &Octree, reference: &Reference) {
    let resolution = tree.config().resolution;
    for (cell, value) in &reference.cells {
        assert_eq!(tree.log_odds(&center(*cell, resolution)), Some(*value), "{cell:?}");
        for axis in 0..3 {
            for step in [-1, 1] {
                let mut beside = *cell;
                beside[axis] += step;
                let known = reference.cells.get(&beside).copied();
                assert_eq!(tree.log_odds(&center(beside, resolution)), known, "{beside:?}");
            }
        }
    }
    assert_eq!((tree.num_nodes(), tree.num_leaves()), reference.node_counts());
}

/// A random cell near the origin, often one of few.
pub(crate) fn random_cell(rng: &mut SeededRng, reach: usize) -> [i32; 3] {
    [(); 3].map(|()| rng.below(2 * reach) as i32 - reach as i32)
}
