//! Leaves, rays, projections and unknown space against loops over all cells.

use std::collections::BTreeSet;

use kinetic_core::rng::SeededRng;
use kinetic_core::{Control, Shape};
use kinetic_perception::{ColumnState, Octree, OctreeLeaf};
use nalgebra::{Point3, Vector3};

use super::{Reference, assert_equal, center, random_cell, tree};

const R: f64 = 0.1;

/// A tree with some large leaves, and what it should know.
fn world(seed: u64) -> (Octree, Reference, SeededRng) {
    let (mut rng, mut tree, mut reference) = (SeededRng::new(seed), tree(R), Reference::default());
    let mut update = |cell: [i32; 3], occupied: bool| {
        tree.update_node(&center(cell, R), occupied).unwrap();
        reference.update(cell, occupied);
    };
    for index in 0..512 {
        update([index & 7, index >> 3 & 7, index >> 6], seed.is_multiple_of(2));
        update([(index & 7) - 8, index >> 3 & 7, (index >> 6) - 8], false);
    }
    for _ in 0..300 {
        update(random_cell(&mut rng, 12), rng.below(2) == 0);
    }
    (tree, reference, rng)
}

fn cells_of(leaf: &OctreeLeaf) -> Vec<[i32; 3]> {
    let edge = (leaf.size / R).round() as i32;
    let low = (leaf.center.coords / R).map(|along| (along - 0.5 * f64::from(edge)).round() as i32);
    (0..edge.pow(3)).map(|i| [low.x + i % edge, low.y + i / edge % edge, low.z + i / edge / edge]).collect()
}

fn distance(point: &Point3<f64>, cell: [i32; 3]) -> f64 {
    (center(cell, R) - point).map(|along| (along.abs() - 0.5 * R).max(0.0)).norm()
}

fn random_point(rng: &mut SeededRng, reach: f64) -> Point3<f64> {
    Point3::from(Vector3::from_fn(|_, _| rng.uniform(-reach, reach)))
}

#[test]
fn leaves_cover_every_known_cell_once() {
    for seed in 0..4 {
        let (tree, reference, _) = world(seed);
        assert_equal(&tree, &reference);
        let mut covered = Vec::new();
        for leaf in tree.leaves() {
            for cell in cells_of(&leaf) {
                assert_eq!(reference.cells.get(&cell), Some(&leaf.log_odds));
                covered.push(cell);
            }
        }
        covered.sort_unstable();
        assert!(covered.iter().eq(reference.cells.keys()));
        let occupied: Vec<_> = reference.cells.iter().filter(|cell| *cell.1 >= 0.0).map(|cell| *cell.0).collect();
        assert_eq!(tree.occupied_cells().unwrap(), occupied);
        let mut leaves: Vec<_> = tree.occupied_leaves().flat_map(|leaf| cells_of(&leaf)).collect();
        leaves.sort_unstable();
        assert_eq!(leaves, occupied);
        assert!(Shape::voxels(&occupied, R).is_ok() && tree.num_leaves() == tree.leaves().count());
    }
}

#[test]
fn boxes_balls_and_the_nearest_are_those_of_a_loop() {
    for seed in 0..4 {
        let (tree, reference, mut rng) = world(seed);
        for _ in 0..60 {
            let (a, b, radius) = (random_point(&mut rng, 1.5), random_point(&mut rng, 1.5), rng.uniform(0.0, 1.0));
            let (low, high) = (a.inf(&b), a.sup(&b));
            let [low_cell, high_cell] = [low, high].map(|corner| corner.coords.map(|along| (along / R).floor() as i32));
            let inside = |cell: [i32; 3]| (0..3).all(|i| (low_cell[i]..=high_cell[i]).contains(&cell[i]));
            let known = |leaves: Vec<OctreeLeaf>, wanted: &dyn Fn([i32; 3]) -> bool| {
                let found: BTreeSet<_> = leaves.iter().flat_map(cells_of).filter(|cell| wanted(*cell)).collect();
                assert!(leaves.iter().all(|leaf| cells_of(leaf).into_iter().any(wanted)));
                assert!(found.iter().eq(reference.cells.keys().filter(|cell| wanted(**cell))));
            };
            known(tree.leaves_in_box(&low, &high).unwrap().collect(), &inside);
            known(tree.leaves_within(&a, radius).unwrap().collect(), &|cell| distance(&a, cell) <= radius);
            let occupied = reference.cells.iter().filter(|cell| *cell.1 >= 0.0);
            let wanted = occupied.map(|cell| distance(&a, *cell.0)).fold(f64::INFINITY, f64::min);
            let (leaf, found) = tree.nearest_occupied(&a).unwrap();
            assert!((found - wanted).abs() < 1e-9 && leaf.is_occupied, "{found} {wanted}");
            // Unknown cells of the box, each in one cube.
            let mut unknown: Vec<[i32; 3]> = Vec::new();
            for cube in tree.unknown_cells(&low, &high).unwrap() {
                let (low, e) = (cube.cell, cube.edge.cast_signed());
                unknown.extend((0..e.pow(3)).map(|i| [low[0] + i % e, low[1] + i / e % e, low[2] + i / e / e]));
            }
            let volume: i32 = (0..3).map(|i| high_cell[i] - low_cell[i] + 1).product();
            let known = reference.cells.keys().filter(|cell| inside(**cell)).count();
            assert!(unknown.iter().all(|cell| inside(*cell) && !reference.cells.contains_key(cell)));
            assert_eq!(unknown.iter().collect::<BTreeSet<_>>().len(), unknown.len());
            assert_eq!(unknown.len() + known, volume as usize);
        }
    }
}

/// The first occupied cell of a ray, from steps much smaller than cells.
fn marched(
    reference: &Reference,
    origin: &Point3<f64>,
    direction: &Vector3<f64>,
    range: f64,
    pass: bool,
) -> Option<[i32; 3]> {
    for step in 0..(range / 1e-4) as i32 {
        let point = origin + direction * (f64::from(step) * 1e-4);
        let cell = [0, 1, 2].map(|axis| (point[axis] / R).floor() as i32);
        match reference.cells.get(&cell) {
            Some(value) if *value >= 0.0 => return Some(cell),
            None if !pass => return None,
            _ => {}
        }
    }
    None
}

#[test]
fn rays_find_the_first_occupied_cell() {
    let mut hits = 0;
    for seed in 0..4 {
        let (tree, reference, mut rng) = world(seed);
        for case in 0..50 {
            let (origin, direction) = (random_point(&mut rng, 1.0), random_point(&mut rng, 1.0).coords);
            let (range, pass) = (rng.uniform(0.1, 2.0), case % 4 != 0);
            let found = tree.cast_ray(&origin, &(direction * 1e200), range, pass).unwrap();
            let wanted = marched(&reference, &origin, &direction.normalize(), range, pass);
            // A march steps over the corners of cells that a ray touches; the ray may find those before.
            if let (Some(found), Some(wanted)) = (found, wanted) {
                let nearer = (found - origin).norm() <= (center(wanted, R) - origin).norm() + 1e-9;
                assert!((found - center(wanted, R)).norm() < 1e-9 || nearer, "seed {seed}, case {case}");
                hits += 1;
            }
            assert!(wanted.is_none() || found.is_some() || !pass, "seed {seed}, case {case}");
        }
    }
    assert!(hits > 30, "{hits}");
    let (tree, ..) = world(0);
    let [origin, x] = [Point3::origin(), Point3::new(1.0, 0.0, 0.0)];
    for bad in [Vector3::zeros(), Vector3::repeat(f64::NAN), Vector3::repeat(f64::INFINITY)] {
        assert!(tree.cast_ray(&origin, &bad, 1.0, true).unwrap_err().to_string().contains("direction"));
    }
    assert!(tree.cast_ray(&origin, &x.coords, f64::NAN, true).unwrap_err().to_string().contains("max_range"));
    // Out of the tree at an unlimited range, through unknown space.
    assert_eq!(tree.cast_ray(&Point3::new(0.0, 0.0, 3.0), &Vector3::z(), f64::INFINITY, true).unwrap(), None);
    assert_eq!(tree.cast_ray(&Point3::new(0.0, 0.0, 1e9), &-Vector3::z(), f64::INFINITY, true).unwrap(), None);
}

#[test]
fn projections_take_the_worst_of_each_column() {
    for seed in 0..4 {
        let (tree, reference, _) = world(seed);
        for (low, high) in [(-0.35, 0.42), (0.0, 0.0), (-99.0, 1e9)] {
            let map = tree.project(low, high).unwrap();
            let heights = ((low / R).floor() as i32)..=((high / R).floor().min(1e6) as i32);
            for (index, state) in map.columns.iter().enumerate() {
                let (x, y) =
                    ((index % map.size[0]) as i32 + map.origin[0], (index / map.size[0]) as i32 + map.origin[1]);
                let column = reference.cells.iter().filter(|(cell, _)| cell[0] == x && cell[1] == y);
                let values: Vec<f32> =
                    column.filter(|(cell, _)| heights.contains(&cell[2])).map(|cell| *cell.1).collect();
                let wanted = match values.iter().copied().reduce(f32::max) {
                    None => ColumnState::Unknown,
                    Some(value) if value >= 0.0 => ColumnState::Occupied,
                    Some(_) => ColumnState::Free,
                };
                assert_eq!(*state, wanted, "seed {seed}, column {x}, {y}");
            }
        }
    }
    let (tree, ..) = world(0);
    assert!(tree.project(50.0, 60.0).unwrap().columns.is_empty() && tree.project(1e9, 1e9).unwrap().columns.is_empty());
    assert!(tree.project(1.0, 0.0).is_err() && tree.project(f64::NAN, 1.0).is_err());
}

#[test]
fn decay_leads_to_unknown() {
    let (mut tree, mut reference, _) = world(2);
    tree.decay(0.5, 0.3).unwrap();
    reference.cells.values_mut().for_each(|value| *value *= 0.5);
    reference.cells.retain(|_, value| value.abs() > 0.3);
    assert_equal(&tree, &reference);
    tree.decay(0.0, 0.0).unwrap();
    assert!(tree.is_empty() && tree.num_nodes() == 0);
    for (factor, bound) in [(-0.1, 0.0), (1.1, 0.0), (f64::NAN, 0.0), (0.5, -1.0), (0.5, f64::NAN)] {
        assert!(tree.decay(factor, bound).is_err());
    }
}

#[test]
fn what_is_too_much_is_refused() {
    let mut tree = tree(R);
    tree.insert_cloud(
        &[Point3::new(3_000.0, 3_000.0, 10.0)],
        &Point3::new(-3_000.0, -3_000.0, 0.0),
        f64::INFINITY,
        &Control::default(),
    )
    .unwrap();
    assert!(tree.project(-1e3, 1e3).unwrap_err().to_string().contains("projection"));
    let far = Point3::new(3_000.0, 3_000.0, 3_000.03);
    assert!(tree.unknown_cells(&-far, &far).is_err() || cfg!(debug_assertions));
    assert!(tree.unknown_cells(&far, &-far).unwrap_err().to_string().contains("box"));
    assert!(tree.nearest_occupied(&Point3::new(f64::NAN, 0.0, 0.0)).is_none());
    assert!(tree.leaves_within(&Point3::origin(), -1.0).is_err());
    assert!(tree.leaves_in_box(&Point3::new(1e9, 0.0, 0.0), &Point3::new(2e9, 1.0, 1.0)).unwrap().next().is_none());
}
