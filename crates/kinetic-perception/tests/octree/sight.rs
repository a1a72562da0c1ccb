//! What is in the way of a view, against samples along the line.

use kinetic_core::KineticError;
use kinetic_core::rng::SeededRng;
use kinetic_perception::{Octree, OctreeConfig, Sight};
use nalgebra::Point3;

const RESOLUTION: f64 = 0.1;

/// A map of free, occupied and unknown cells in a cube of a metre.
fn random_map(rng: &mut SeededRng) -> Octree {
    let mut octree = Octree::new(OctreeConfig { resolution: RESOLUTION, ..OctreeConfig::default() }).unwrap();
    for index in 0..1000 {
        let cell = [index % 10, index / 10 % 10, index / 100];
        let center = Point3::from(cell.map(|at| RESOLUTION * (f64::from(at) + 0.5)));
        match rng.below(40) {
            0 => octree.update_node(&center, true).unwrap(),
            1 => {}
            _ => octree.update_node(&center, false).unwrap(),
        }
    }
    octree
}

fn cell_of(point: &Point3<f64>) -> [i64; 3] {
    [0, 1, 2].map(|axis| (point[axis] / RESOLUTION).floor() as i64)
}

/// By twenty thousand samples; `None` where a cell is only grazed, so that samples may miss it.
fn by_samples(octree: &Octree, from: &Point3<f64>, to: &Point3<f64>, tolerance: f64) -> Option<Sight> {
    let length = (to - from).norm();
    let (mut sight, mut cells) = (Sight::Visible, Vec::new());
    let steps = 20_000;
    for step in 0..=steps {
        let at = from + (to - from) * (f64::from(step) / f64::from(steps));
        let cell = cell_of(&at);
        match cells.last_mut() {
            Some((last, count)) if *last == cell => *count += 1,
            _ => cells.push((cell, 1)),
        }
    }
    let mut distance = 0.0;
    for (index, (cell, count)) in cells.iter().enumerate() {
        let is_between = *cell != cell_of(from) && *cell != cell_of(to);
        let center = Point3::from(cell.map(|at| RESOLUTION * (at as f64 + 0.5)));
        let entered = distance;
        distance += f64::from(*count) * length / f64::from(steps);
        let is_grazed = *count < 20 && index > 0 && index + 1 < cells.len();
        if is_grazed || (entered - (length - tolerance)).abs() < 1e-3 {
            return None;
        }
        if !is_between || entered > length - tolerance {
            continue;
        }
        if octree.is_occupied(&center) {
            return Some(Sight::Occluded);
        }
        if octree.is_unknown(&center) {
            sight = Sight::Unknown;
        }
    }
    Some(sight)
}

#[test]
fn what_is_in_the_way_is_what_samples_along_the_line_find() {
    let mut found = [0; 3];
    for seed in 0..20 {
        let mut rng = SeededRng::new(seed);
        let octree = random_map(&mut rng);
        for _ in 0..50 {
            let mut draw = || Point3::new(rng.uniform(0.0, 1.0), rng.uniform(0.0, 1.0), rng.uniform(0.0, 1.0));
            let (from, to) = (draw(), draw());
            for tolerance in [0.0, 0.173, 0.4] {
                let Some(expected) = by_samples(&octree, &from, &to, tolerance) else { continue };
                let sight = octree.sight(&from, &to, tolerance).unwrap();
                assert_eq!(sight, expected, "seed {seed}, from {from} to {to}, tolerance {tolerance}");
                found[sight as usize] += 1;
            }
        }
    }
    assert!(found.iter().all(|count| *count > 100), "{found:?}");
}

#[test]
fn a_wall_hides_what_is_behind_it_and_not_itself() {
    let mut octree = Octree::new(OctreeConfig { resolution: RESOLUTION, ..OctreeConfig::default() }).unwrap();
    for index in 0..1000 {
        let cell = [index % 10, index / 10 % 10, index / 100];
        let center = Point3::from(cell.map(|at| RESOLUTION * (f64::from(at) + 0.5)));
        octree.update_node(&center, cell[0] == 5).unwrap();
    }
    let camera = Point3::new(0.05, 0.45, 0.45);
    let sight = |x: f64, y: f64, tolerance: f64| octree.sight(&camera, &Point3::new(x, y, 0.45), tolerance).unwrap();
    assert_eq!((sight(0.45, 0.45, 0.0), sight(0.75, 0.45, 0.0)), (Sight::Visible, Sight::Occluded));
    assert_eq!(sight(0.55, 0.45, 0.0), Sight::Visible);
    // Seen at a slant the wall is before itself, by less than a cell's diagonal.
    assert_eq!((sight(0.55, 0.95, 0.0), sight(0.55, 0.95, 0.173)), (Sight::Occluded, Sight::Visible));
    assert_eq!((sight(-0.3, 0.45, 0.0), sight(1e6, 0.45, 0.0)), (Sight::Unknown, Sight::Occluded));
    assert_eq!(sight(0.05, 0.45, 0.0), Sight::Visible);
}

#[test]
fn what_is_no_view_is_refused() {
    let octree = Octree::new(OctreeConfig::default()).unwrap();
    let (here, nan) = (Point3::origin(), Point3::new(0.0, f64::NAN, 0.0));
    assert!(matches!(octree.sight(&nan, &here, 0.0).unwrap_err(), KineticError::NotFinite { .. }));
    assert!(matches!(octree.sight(&here, &nan, 0.0).unwrap_err(), KineticError::NotFinite { .. }));
    for tolerance in [-0.1, f64::NAN] {
        assert!(octree.sight(&here, &here, tolerance).unwrap_err().to_string().contains("tolerance"));
    }
    let far = Point3::new(1e9, 0.0, 0.0);
    assert!(octree.sight(&far, &here, 0.0).unwrap_err().to_string().contains("viewpoint"));
    assert_eq!(octree.sight(&here, &far, 0.0).unwrap(), Sight::Unknown);
}
