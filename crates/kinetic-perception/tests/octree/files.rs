//! Files of `OctoMap`: round trips, a file made by hand, and damaged ones.

use kinetic_core::Control;
use kinetic_core::rng::SeededRng;
use kinetic_perception::{Octree, OctreeConfig};
use nalgebra::Point3;

use super::{center, random_cell, tree};

fn random_tree(seed: u64, count: usize, reach: usize) -> Octree {
    let (mut rng, mut tree) = (SeededRng::new(seed), tree(0.05));
    for _ in 0..count {
        tree.update_node(&center(random_cell(&mut rng, reach), 0.05), rng.below(2) == 0).unwrap();
    }
    tree
}

fn read(bytes: &[u8]) -> kinetic_core::Result<Octree> {
    Octree::from_bytes(bytes, &OctreeConfig::default())
}

fn leaves(tree: &Octree) -> Vec<(Point3<f64>, f64, f32)> {
    tree.leaves().map(|leaf| (leaf.center, leaf.size, leaf.log_odds)).collect()
}

#[test]
fn trees_come_back_from_their_files() {
    for seed in 0..6 {
        let mut tree = random_tree(seed, 1 + 300 * seed as usize, [2, 6, 30][seed as usize % 3]);
        let full = read(&tree.to_ot()).unwrap();
        assert_eq!((leaves(&full), full.num_nodes()), (leaves(&tree), tree.num_nodes()));
        let binary = read(&tree.to_bt()).unwrap();
        tree.to_max_likelihood();
        assert_eq!((leaves(&binary), binary.num_nodes()), (leaves(&tree), tree.num_nodes()));
        assert_eq!(binary.to_bt(), tree.to_bt());
    }
    let empty = tree(0.05);
    assert!(read(&empty.to_bt()).unwrap().is_empty() && read(&empty.to_ot()).unwrap().is_empty());
}

/// A file as `graph2tree` writes it, made by hand: the two cells of a column at the centre of the map, the lower one free.
#[test]
fn a_file_made_by_hand_has_its_cells() {
    let mut bytes = b"# Octomap OcTree binary file\n# (feel free to add / change comments)\n#\nid OcTree\nsize 18\nres 0.25\ndata\n".to_vec();
    // Cells at and above 0 are in octant 7 of the root, then in octant 0 of all levels down to the last.
    bytes.extend([0, 0b1100_0000]);
    bytes.extend([0b11, 0].repeat(14));
    bytes.extend([0b01, 0b10]);
    let tree = read(&bytes).unwrap();
    assert_eq!((tree.config().resolution, tree.num_nodes(), tree.num_leaves()), (0.25, 18, 2));
    let probabilities = [[0, 0, 0], [0, 0, 1]].map(|cell| tree.probability(&center(cell, 0.25)).unwrap());
    assert!((probabilities[0] - 0.1192).abs() < 1e-6 && (probabilities[1] - 0.971).abs() < 1e-6);
    let data = tree.to_bt();
    assert!(data.ends_with(&bytes[bytes.len() - 32..]));
}

/// A tree that is one leaf has no place in a `.bt` file; its eight children have.
#[test]
fn a_root_without_children_is_written_as_eight_leaves() {
    let bytes = b"# Octomap OcTree file\nid OcTree\nsize 1\nres 1\ndata\n\0\0\x80\x3f\0";
    let tree = read(bytes).unwrap();
    assert_eq!((tree.num_nodes(), tree.log_odds(&Point3::new(-9e3, 5.0, 1.0))), (1, Some(1.0)));
    let binary = read(&tree.to_bt()).unwrap();
    assert_eq!((binary.num_nodes(), binary.is_occupied(&Point3::origin())), (1, true));
    assert!(tree.occupied_cells().is_err());
}

#[test]
fn damaged_files_are_refused() {
    let mut rng = SeededRng::new(5);
    let tree = random_tree(1, 60, 4);
    for bytes in [tree.to_bt(), tree.to_ot()] {
        for length in 0..bytes.len() {
            assert!(read(&bytes[..length]).is_err(), "{length} of {} bytes", bytes.len());
        }
        assert!(read(&[&bytes[..], &[0]].concat()).is_err());
        for _ in 0..5_000 {
            let mut flipped = bytes.clone();
            for _ in 0..=rng.below(3) {
                let byte = rng.below(flipped.len());
                flipped[byte] ^= 1 << rng.below(8);
            }
            // Some are other trees: those work.
            if let Ok(mut other) = read(&flipped) {
                let control = Control::default();
                other.update_node(&Point3::origin(), true).unwrap();
                other.insert_cloud(&[Point3::new(0.3, 0.2, 0.1)], &Point3::origin(), 0.2, &control).unwrap();
                assert!(other.num_leaves() <= other.num_nodes());
            }
        }
    }
}

#[test]
fn headers_that_are_none_are_refused() {
    let file = |header: &str| read(&[header.as_bytes(), b"\ndata\n\x01\0"].concat()).unwrap_err().to_string();
    let magic = "# Octomap OcTree binary file";
    let cases = [
        (String::from("P6\nid OcTree\nsize 2\nres 0.1"), "first line"),
        (format!("{magic}\nid ColorOcTree\nsize 2\nres 0.1"), "ColorOcTree"),
        (format!("{magic}\nsize 2\nres 0.1"), "id"),
        (format!("{magic}\nid OcTree\nsize 18446744073709551615\nres 0.1"), "size"),
        (format!("{magic}\nid OcTree\nsize -1\nres 0.1"), "size"),
        (format!("{magic}\nid OcTree\nsize 2\nres NaN"), "resolution"),
        (format!("{magic}\nid OcTree\nsize 2\nres 0"), "resolution"),
        (format!("{magic}\nid OcTree\nsize 2\nres x"), "res"),
        (format!("{magic}\nid OcTree\nsize 3\nres 0.1"), "3 nodes"),
        (format!("{magic}\nid OcTree\nsize 1\nres 0.1"), "more nodes"),
        (format!("{magic}\n#{}\nid OcTree", " ".repeat(1 << 15)), "data"),
    ];
    for (header, word) in cases {
        let error = file(&header);
        assert!(error.contains(word), "{word}: {error}");
    }
}
