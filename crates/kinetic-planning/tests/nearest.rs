use kinetic_core::rng::SeededRng;
use kinetic_planning::Space;
use kinetic_planning::nearest::NearestNeighbors;

use crate::cases;

/// Keys are single precision: distances below 30 are known to a few times 1e-6.
const KEY_ROUNDING: f64 = 1e-5;

fn space(dof: usize, rng: &mut SeededRng) -> Space {
    let turning = (f64::NEG_INFINITY, f64::INFINITY);
    let bounds: Vec<_> = (0..dof).map(|_| if rng.below(3) == 0 { turning } else { (-3.0, 3.0) }).collect();
    Space::from_bounds(&bounds).unwrap().with_weights((0..dof).map(|_| rng.uniform(0.2, 2.0)).collect()).unwrap()
}

#[test]
fn the_scan_finds_what_a_plain_loop_over_distances_finds() {
    let mut nodes = NearestNeighbors::new();
    for seed in 0..cases(300, 20_000) {
        let mut rng = SeededRng::new(seed);
        let dof = 1 + rng.below(9);
        let space = space(dof, &mut rng);
        nodes.reset(&space);
        let mut points = Vec::new();
        let mut query = vec![0.0; dof];
        for _ in 0..=rng.below(150) {
            let mut q = vec![0.0; dof];
            space.sample_uniform(&mut rng, &mut q);
            nodes.insert(&space, &q);
            points.push(q);
            space.sample_uniform(&mut rng, &mut query);
            let (found, distance) = nodes.nearest(&space, &query).unwrap();
            let least = points.iter().map(|p| space.distance(p, &query)).fold(f64::INFINITY, f64::min);
            let to_found = space.distance(&points[found], &query);
            assert!(to_found <= least + KEY_ROUNDING, "seed {seed}: {to_found} {least}");
            assert!((f64::from(distance) - least).abs() <= KEY_ROUNDING, "seed {seed}: {distance} {least}");
        }
        assert_eq!(nodes.len(), points.len());
    }
}

#[test]
fn the_k_nearest_are_those_of_a_plain_sort() {
    for seed in 0..cases(300, 20_000) {
        let mut rng = SeededRng::new(seed);
        let space = space(1 + rng.below(9), &mut rng);
        let mut nodes = NearestNeighbors::with_tree_from(50);
        nodes.reset(&space);
        let (mut points, mut query) = (vec![vec![0.0; space.dof()]; 1 + rng.below(150)], vec![0.0; space.dof()]);
        for point in &mut points {
            space.sample_uniform(&mut rng, point);
            nodes.insert(&space, point);
        }
        let gone = rng.below(points.len() + 1);
        (0..gone).filter(|node| node % 2 == 0).for_each(|node| nodes.remove(node));
        space.sample_uniform(&mut rng, &mut query);
        let is_left = |node: &usize| *node >= gone || node % 2 == 1;
        let mut sorted: Vec<f64> =
            (0..points.len()).filter(is_left).map(|node| space.distance(&points[node], &query)).collect();
        sorted.sort_by(f64::total_cmp);
        let (count, mut found) = (rng.below(30), Vec::new());
        nodes.k_nearest(&space, &query, count, &mut found);
        assert_eq!(found.len(), count.min(sorted.len()), "seed {seed}");
        let distinct: std::collections::BTreeSet<usize> = found.iter().map(|(node, _)| *node).collect();
        assert!(distinct.len() == found.len() && distinct.iter().all(is_left), "seed {seed}: {found:?}");
        for ((node, distance), expected) in found.iter().zip(&sorted) {
            let exact = space.distance(&points[*node], &query);
            assert!((exact - expected).abs() <= KEY_ROUNDING, "seed {seed}: {exact} {expected}");
            assert!((f64::from(*distance) - expected).abs() <= KEY_ROUNDING, "seed {seed}: {distance} {expected}");
        }
    }
}

#[test]
fn of_equal_nodes_the_first_is_found() {
    let space = Space::from_bounds(&[(-1.0, 1.0); 3]).unwrap();
    let mut nodes = NearestNeighbors::new();
    nodes.reset(&space);
    for index in 0..100 {
        let copies = [[0.5, 0.5, 0.5], [-0.5, 0.5, 0.5]];
        nodes.insert(&space, &copies[usize::from(index < 37)]);
    }
    assert_eq!(nodes.nearest(&space, &[0.5; 3]), Some((37, 0.0)));
    assert_eq!(nodes.nearest(&space, &[0.0, 0.5, 0.5]), Some((0, 0.5)));
}

#[test]
fn a_reset_set_is_empty_and_takes_another_dimension() {
    let mut nodes = NearestNeighbors::new();
    let (plane, line) = (Space::from_bounds(&[(-1.0, 1.0); 2]).unwrap(), Space::from_bounds(&[(-1.0, 1.0)]).unwrap());
    nodes.reset(&plane);
    (0..40).for_each(|_| nodes.insert(&plane, &[0.0, 0.0]));
    nodes.reset(&line);
    assert!(nodes.is_empty());
    assert_eq!(nodes.nearest(&line, &[0.0]), None);
    nodes.insert(&line, &[0.75]);
    assert_eq!(nodes.nearest(&line, &[0.5]), Some((0, 0.25)));
}

#[test]
fn nodes_that_were_taken_away_are_not_found_and_the_others_keep_their_numbers() {
    for seed in 0..cases(50, 2_000) {
        let mut rng = SeededRng::new(seed);
        let space = space(1 + rng.below(6), &mut rng);
        let mut nodes = NearestNeighbors::new();
        nodes.reset(&space);
        let mut points = vec![vec![0.0; space.dof()]; 60];
        for point in &mut points {
            space.sample_uniform(&mut rng, point);
            nodes.insert(&space, point);
        }
        let is_gone: Vec<bool> = points.iter().map(|_| rng.below(2) == 0).collect();
        (0..60).filter(|node| is_gone[*node]).for_each(|node| nodes.remove(node));
        let mut query = vec![0.0; space.dof()];
        space.sample_uniform(&mut rng, &mut query);
        let (found, distance) = nodes.nearest(&space, &query).unwrap();
        let left = (0..60).filter(|node| !is_gone[*node]).map(|node| space.distance(&points[node], &query));
        let least = left.fold(f64::INFINITY, f64::min);
        assert!(!is_gone[found] && (f64::from(distance) - least).abs() <= KEY_ROUNDING, "seed {seed}");
    }
}

/// A value of a few, so that many distances are equal, or any.
fn coordinate(rng: &mut SeededRng, is_coarse: bool) -> f64 {
    let value = rng.uniform(-3.0, 3.0);
    if is_coarse { value.round() } else { value }
}

#[test]
fn the_tree_finds_what_the_scan_finds_bit_for_bit() {
    for seed in 0..cases(40, 2_000) {
        let mut rng = SeededRng::new(seed);
        let space = space(1 + rng.below(9), &mut rng);
        let is_coarse = rng.below(2) == 0;
        // From the first node on, and taking over nodes of which some are gone.
        let sizes = [usize::MAX, 0, rng.below(900)];
        let mut sets = sizes.map(NearestNeighbors::with_tree_from);
        for set in &mut sets {
            set.reset(&space);
        }
        let mut q = vec![0.0; space.dof()];
        let (mut point, mut count) = (q.clone(), 0);
        for _ in 0..1_500 {
            // Clusters: half of the nodes lie beside the one before.
            let is_near = rng.below(2) == 0;
            for value in &mut point {
                *value = if is_near { *value + rng.uniform(-0.1, 0.1) } else { coordinate(&mut rng, is_coarse) };
                *value = if is_coarse { value.round() } else { *value };
            }
            for set in &mut sets {
                set.insert(&space, &point);
            }
            count += 1;
            if rng.below(8) == 0 {
                // Perhaps a second time.
                let gone = rng.below(count);
                for set in &mut sets {
                    set.remove(gone);
                }
            }
            for value in &mut q {
                *value = coordinate(&mut rng, is_coarse);
            }
            let [scanned, others @ ..] = &mut sets;
            let wanted = scanned.nearest(&space, &q).map(|(node, distance)| (node, distance.to_bits()));
            for other in others {
                let found = other.nearest(&space, &q).map(|(node, distance)| (node, distance.to_bits()));
                assert_eq!(found, wanted, "seed {seed}, node {count}");
            }
        }
    }
}

#[test]
fn the_tree_takes_any_number_of_equal_nodes() {
    let space = Space::from_bounds(&[(-1.0, 1.0); 2]).unwrap();
    let mut nodes = NearestNeighbors::with_tree_from(0);
    nodes.reset(&space);
    (0..1_000).for_each(|_| nodes.insert(&space, &[0.5, 0.5]));
    nodes.insert(&space, &[-0.5, 0.5]);
    assert_eq!(nodes.nearest(&space, &[0.4, 0.5]).unwrap().0, 0);
    assert_eq!(nodes.nearest(&space, &[-0.4, 0.5]).unwrap().0, 1_000);
    (0..999).for_each(|node| nodes.remove(node));
    assert_eq!(nodes.nearest(&space, &[0.5, 0.5]), Some((999, 0.0)));
    nodes.remove(999);
    nodes.remove(1_000);
    assert_eq!(nodes.nearest(&space, &[0.5, 0.5]), Some((0, f32::INFINITY)));
    nodes.reset(&space);
    assert_eq!(nodes.nearest(&space, &[0.5, 0.5]), None);
}
