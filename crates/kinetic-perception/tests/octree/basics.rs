//! Single cells: values, clamping, pruning, borders.

use kinetic_core::rng::SeededRng;
use kinetic_perception::{Octree, OctreeConfig};
use nalgebra::Point3;

use super::{Reference, assert_equal, center, random_cell, tree};

#[test]
fn updates_are_those_of_a_plain_map() {
    for seed in 0..12 {
        let (mut rng, mut tree, mut reference) = (SeededRng::new(seed), tree(0.1), Reference::default());
        let reach = [2, 5, 40][seed as usize % 3];
        for _ in 0..3_000 {
            let (cell, occupied) = (random_cell(&mut rng, reach), rng.below(3) == 0);
            tree.update_node(&center(cell, 0.1), occupied).unwrap();
            reference.update(cell, occupied);
        }
        assert_equal(&tree, &reference);
        // Reading a file merges equal leaves.
        let again = Octree::from_bytes(&tree.to_ot(), tree.config()).unwrap();
        let counts = |tree: &Octree| (tree.num_nodes(), tree.num_leaves());
        assert_eq!(counts(&tree), counts(&again), "pruned already");
    }
}

#[test]
fn log_odds_are_those_of_the_paper_and_clamped() {
    let (mut tree, point) = (tree(0.05), Point3::new(0.31, -0.22, 1.07));
    assert!(tree.is_unknown(&point) && !tree.is_occupied(&point) && tree.is_empty());
    tree.update_node(&point, true).unwrap();
    let hit = (0.7_f64 / 0.3).ln() as f32;
    assert!((tree.log_odds(&point).unwrap() - hit).abs() < 1e-6);
    assert!((tree.probability(&point).unwrap() - 0.7).abs() < 1e-6);
    assert!(tree.is_occupied(&point) && !tree.is_unknown(&point));
    for _ in 0..20 {
        tree.update_node(&point, true).unwrap();
    }
    assert!((tree.probability(&point).unwrap() - 0.971).abs() < 1e-6);
    for _ in 0..20 {
        tree.update_node(&point, false).unwrap();
    }
    assert!((tree.probability(&point).unwrap() - 0.1192).abs() < 1e-6 && !tree.is_occupied(&point));
    // One path of 17 nodes from the root to the cell.
    assert_eq!((tree.num_nodes(), tree.num_leaves()), (17, 1));
    tree.clear();
    assert_eq!((tree.num_nodes(), tree.num_leaves(), tree.is_empty()), (0, 0, true));
}

#[test]
fn eight_equal_cells_become_one_leaf_and_part_again() {
    let (mut tree, mut reference) = (tree(1.0), Reference::default());
    let cells: Vec<[i32; 3]> = (0..64).map(|index| [index & 3, index >> 2 & 3, index >> 4]).collect();
    for cell in &cells {
        tree.update_node(&center(*cell, 1.0), false).unwrap();
        reference.update(*cell, false);
    }
    // Two levels merged: 4 × 4 × 4 cells from 0 are one node.
    assert_eq!((tree.num_nodes(), tree.num_leaves()), (15, 1));
    let bytes = tree.memory_bytes();
    for _ in 0..100 {
        tree.update_node(&center([3, 0, 2], 1.0), true).unwrap();
        tree.update_node(&center([3, 0, 2], 1.0), false).unwrap();
        reference.update([3, 0, 2], true);
        reference.update([3, 0, 2], false);
    }
    assert_equal(&tree, &reference);
    assert!(tree.memory_bytes() <= bytes + 4096, "freed nodes are used again");
}

#[test]
fn points_on_borders_belong_to_the_upper_cell() {
    let mut tree = tree(0.25);
    tree.update_node(&Point3::new(0.25, -0.25, 0.0), true).unwrap();
    assert!(tree.is_occupied(&center([1, -1, 0], 0.25)));
    tree.update_node(&Point3::new(-1e-17, 0.0, 0.0), true).unwrap();
    assert!(tree.is_occupied(&center([-1, 0, 0], 0.25)));
}

#[test]
fn points_beyond_the_tree_are_refused_by_updates_and_unknown_to_queries() {
    let mut tree = tree(0.5);
    let inside = [-16_384.0, 16_384.0 - 1e-9];
    for value in inside {
        tree.update_node(&Point3::new(value, 0.0, value), true).unwrap();
        assert!(tree.is_occupied(&Point3::new(value, 0.0, value)));
    }
    for value in [16_384.0, -16_384.1, 1e300, f64::INFINITY, f64::NEG_INFINITY, f64::NAN] {
        for axis in 0..3 {
            let mut point = Point3::origin();
            point[axis] = value;
            let error = tree.update_node(&point, true).unwrap_err();
            assert!(error.is_input_error() && error.to_string().contains("point"), "{error}");
            assert!(tree.is_unknown(&point) && !tree.is_occupied(&point));
        }
    }
    assert_eq!(tree.num_leaves(), 2);
}

#[test]
fn sensor_models_that_are_none_are_refused_by_name() {
    let good = OctreeConfig::default();
    let bad = [
        (OctreeConfig { resolution: 0.0, ..good }, "resolution"),
        (OctreeConfig { resolution: -0.1, ..good }, "resolution"),
        (OctreeConfig { resolution: f64::NAN, ..good }, "resolution"),
        (OctreeConfig { resolution: 1e-300, ..good }, "resolution"),
        (OctreeConfig { resolution: f64::INFINITY, ..good }, "resolution"),
        (OctreeConfig { hit: 0.5, ..good }, "hit"),
        (OctreeConfig { hit: 1.0, ..good }, "hit"),
        (OctreeConfig { miss: 0.5, ..good }, "miss"),
        (OctreeConfig { miss: 0.0, ..good }, "miss"),
        (OctreeConfig { clamp_min: 0.98, ..good }, "clamp_max"),
        (OctreeConfig { clamp_min: f64::NAN, ..good }, "clamp_min"),
        (OctreeConfig { clamp_max: 1.0, ..good }, "clamp_max"),
        (OctreeConfig { occupancy_threshold: 0.1, ..good }, "occupancy_threshold"),
        (OctreeConfig { occupancy_threshold: 0.98, ..good }, "occupancy_threshold"),
    ];
    for (config, name) in bad {
        let error = kinetic_perception::Octree::new(config).unwrap_err().to_string();
        assert!(error.contains(name), "{name}: {error}");
    }
}
