//! Shapes of maps: each cell once, and nothing else.

use kinetic_core::{Control, KineticError, Shape};
use kinetic_perception::{Octree, OctreeConfig};
use nalgebra::Point3;

fn seen() -> Octree {
    let mut map = Octree::new(OctreeConfig { resolution: 0.1, ..OctreeConfig::default() }).unwrap();
    let wall: Vec<Point3<f64>> = (-8..8).flat_map(|y| (-8..8).map(move |z| at(1.05, y, z))).collect();
    map.insert_cloud(&wall, &Point3::new(0.01, 0.02, 0.03), f64::INFINITY, &Control::default()).unwrap();
    map
}

fn at(x: f64, y: i32, z: i32) -> Point3<f64> {
    Point3::new(x, 0.1 * f64::from(y) + 0.05, 0.1 * f64::from(z) + 0.05)
}

/// Centres of the cells of a shape.
fn cells(shape: &Shape) -> Vec<[i32; 3]> {
    let Shape::Voxels { cells, .. } = shape else { panic!("{shape:?}") };
    cells.iter().copied().collect()
}

#[test]
fn occupied_and_unknown_cells_are_what_queries_say_of_their_centres() {
    let map = seen();
    let (low, high) = (Point3::new(-0.3, -0.35, -0.25), Point3::new(1.55, 0.45, 0.2));
    let center = |cell: &[i32; 3]| Point3::from(cell.map(|index| 0.1 * (f64::from(index) + 0.5)));
    let occupied = cells(&map.occupied_shape().unwrap());
    assert_eq!(occupied.len(), 256);
    assert!(occupied.iter().all(|cell| map.is_occupied(&center(cell))));
    let unknown = cells(&map.unknown_shape(&low, &high).unwrap());
    let (mut expected, mut found) = (Vec::new(), unknown.clone());
    for i in -3..=15 {
        for j in -4..=4 {
            for k in -3..=2 {
                if map.is_unknown(&center(&[i, j, k])) {
                    expected.push([i, j, k]);
                }
            }
        }
    }
    expected.sort_unstable();
    found.sort_unstable();
    assert_eq!(found, expected);
    assert!(expected.len() > 100);
}

#[test]
fn nothing_and_too_much_make_no_shape() {
    let empty = Octree::new(OctreeConfig::default()).unwrap();
    let refused = empty.occupied_shape().unwrap_err();
    assert!(matches!(&refused, KineticError::InvalidValue { name, .. } if name == "occupied cells"), "{refused}");
    let (low, high) = (Point3::new(-100.0, -100.0, -100.0), Point3::new(100.0, 100.0, 100.0));
    let refused = empty.unknown_shape(&low, &high).unwrap_err();
    assert!(matches!(&refused, KineticError::InvalidValue { name, .. } if name == "box"), "{refused}");
    let map = seen();
    let inside = Point3::new(0.5, 0.0, 0.0);
    let refused = map.unknown_shape(&inside, &inside).unwrap_err();
    assert!(matches!(&refused, KineticError::InvalidValue { name, .. } if name == "unknown cells"), "{refused}");
}
