//! Proximity queries against the exact tier, and their derivatives against finite differences of exact distances.

use allocation_counter::measure;
use kinetic_core::rng::SeededRng;
use kinetic_core::{KineticError, Pose, Shape};
use kinetic_scene::{Checker, DistancePrecision, Margins, NamedProximity, Proximity, ProximityPartner, Scene};
use nalgebra::Point3;

use crate::cases;
use crate::support::{ball_arm, boxes, built_in, random_configuration, with_boxes};

/// Single precision at sizes of up to 2 m: 2e-5 of the size.
const ERROR: f64 = 4e-5;

/// The arm whose links are spheres.
const BALLS: &str = "an arm of balls";

/// Objects of every kind, a carried ball, and a margin that the scene states.
fn scene_of(name: &str, seed: u64) -> (Scene, Vec<Vec<f64>>) {
    let robot = if name == BALLS { ball_arm() } else { built_in(name) };
    let mut rng = SeededRng::new(seed);
    let mut scene = with_boxes(&robot, &boxes(&mut rng, 4));
    let link = robot.links[robot.groups[robot.default_group].tip_link].name.clone();
    scene.attach("ball", Shape::sphere(0.03).unwrap(), Pose::from_xyz(0.0, 0.0, 0.1), &link, &[]).unwrap();
    let floor = Shape::half_space(nalgebra::Vector3::z(), -0.3).unwrap();
    scene.add("floor", floor, Pose::identity()).unwrap();
    for (index, shape) in
        [Shape::capsule(0.05, 0.1), Shape::cylinder(0.06, 0.1), Shape::sphere(0.07)].into_iter().enumerate()
    {
        let (angle, height) = (rng.uniform(-3.0, 3.0), rng.uniform(0.1, 0.9));
        let pose = Pose::from_xyz_rpy(0.8 * f64::cos(angle), 0.8 * f64::sin(angle), height, angle, 0.4, 0.2);
        scene.add(&format!("round{index}"), shape.unwrap(), pose).unwrap();
    }
    scene.set_margin_all("round0", 0.03).unwrap();
    let rows = (0..8).map(|_| random_configuration(&robot, &mut rng)).collect();
    (scene, rows)
}

/// With distances of their own towards the world and in self-collision, pairs are those of both sides in queries with one distance.
#[test]
fn each_side_has_a_distance_of_its_own() {
    let mut counts = [0; 2];
    for (name, seed) in (0..12).map(|seed| (["ur5e", "franka_panda", "fetch"][seed as usize % 3], seed)) {
        let (scene, rows) = scene_of(name, seed);
        let group = scene.robot().groups[scene.robot().default_group].name.clone();
        let mut checker = scene.checker_within(&group, Margins::ZERO, None).unwrap();
        let mut pairs = |q: &[f64], within: Margins| {
            let mut found = Proximity::default();
            checker.proximity(q, within, DistancePrecision::Exact, &mut found);
            found.pairs().to_vec()
        };
        let is_own = |pair: &kinetic_scene::ProximityPair| matches!(pair.other, ProximityPartner::Body(_));
        for q in &rows {
            for (world, own) in [(0.2, 0.02), (0.02, 0.2), (0.2, f64::NEG_INFINITY), (f64::NEG_INFINITY, 0.2)] {
                let mut expected = if world.is_finite() { pairs(q, world.into()) } else { Vec::new() };
                expected.retain(|pair| !is_own(pair));
                let owned = if own.is_finite() { pairs(q, own.into()) } else { Vec::new() };
                expected.extend(owned.into_iter().filter(is_own));
                assert_eq!(pairs(q, Margins::new(world, own)), expected, "{name}: {world} {own}");
                for pair in &expected {
                    counts[usize::from(is_own(pair))] += 1;
                }
            }
        }
    }
    assert!(counts.iter().all(|count| *count > 50), "{counts:?}");
}

#[test]
fn pairs_are_those_of_contacts_at_the_distances_of_the_exact_tier() {
    let mut compared = 0;
    for name in ["ur5e", "franka_panda", "fetch", BALLS] {
        for seed in 0..cases(20, 500) as u64 {
            let (scene, rows) = scene_of(name, seed);
            let group = scene.robot().groups[scene.robot().default_group].name.clone();
            let mut checker = scene.checker_within(&group, Margins::ZERO, None).unwrap();
            let mut found = Proximity::default();
            for q in &rows {
                let within = 0.15;
                checker.proximity(q, within, DistancePrecision::Single, &mut found);
                let contacts = checker.contacts(q, within + 2.0 * ERROR);
                for contact in &contacts {
                    let slack = contact.distance - margin_of(&mut checker, q, &contact.pair.other);
                    if slack < within - 2.0 * ERROR {
                        let is_it =
                            |pair: &&kinetic_scene::ProximityPair| checker.proximity_names(pair) == contact.pair;
                        let near =
                            found.pairs().iter().find(is_it).unwrap_or_else(|| panic!("{name} {seed}: {contact:?}"));
                        let precise = if contact.distance > 0.0 { ERROR } else { 1e-6 };
                        assert!(
                            (near.distance - contact.distance).abs() < precise,
                            "{name} {seed}: {near:?} {contact:?}"
                        );
                        compared += 1;
                    }
                }
                for (index, pair) in found.pairs().iter().enumerate() {
                    let names = checker.proximity_names(pair);
                    assert!(contacts.iter().any(|contact| contact.pair == names), "{name} {seed}: {names:?}");
                    let apart = pair.point_on_other - pair.point_on_body;
                    assert!((apart - pair.normal * pair.distance).norm() < 1e-9, "{name} {seed}: {pair:?}");
                    assert!((pair.normal.norm() - 1.0).abs() < 1e-6);
                    assert_eq!(found.gradient(index).len(), q.len());
                }
                let single = found.clone();
                checker.proximity(q, within, DistancePrecision::Exact, &mut found);
                assert!(found.pairs().len().abs_diff(single.pairs().len()) <= 1, "but for one at the bound");
            }
        }
    }
    assert!(compared > 2_000, "{compared}");
}

/// Scans are bounded by spheres, everything else is as in single precision; the derivative is that of the bound.
#[test]
fn bounded_distances_are_at_most_those_of_the_exact_tier() {
    // Spheres reach beyond the links that they contain, those of coarse covers some centimetres.
    const COVER: f64 = 0.1;
    const STEP: f64 = 1e-6;
    let (mut compared, mut below) = (0, 0);
    for (name, seed) in ["ur5e", "franka_panda", "fetch", BALLS].into_iter().zip(0..) {
        let (mut scene, rows) = scene_of(name, 300 + seed);
        let mut rng = SeededRng::new(seed);
        let points: Vec<_> = (0..2_000).map(|_| Point3::from([0; 3].map(|_| rng.uniform(-1.0, 1.0)))).collect();
        scene.add("scan", Shape::point_cloud(&points, 0.005).unwrap(), Pose::identity()).unwrap();
        let group = scene.robot().groups[scene.robot().default_group].name.clone();
        let mut checker = scene.checker_within(&group, Margins::ZERO, None).unwrap();
        let mut at = |q: &[f64], precision| {
            let mut found = Proximity::default();
            checker.proximity(q, 0.3, precision, &mut found);
            found
        };
        for q in &rows {
            let (bounded, exact) = (at(q, DistancePrecision::Bounded), at(q, DistancePrecision::Exact));
            for pair in exact.pairs().iter().filter(|pair| pair.distance - pair.margin < 0.3 - ERROR) {
                let is_it =
                    |bound: &&kinetic_scene::ProximityPair| (bound.body, bound.other) == (pair.body, pair.other);
                let bound = bounded.pairs().iter().find(is_it).expect("a pair that is near");
                assert!(bound.distance <= pair.distance.max(0.0) + ERROR, "{name}: {bound:?} {pair:?}");
                assert!(bound.distance >= pair.distance - COVER, "{name}: {bound:?} {pair:?}");
                below += usize::from(bound.distance < pair.distance - ERROR);
            }
            let mut moved = q.clone();
            moved[1] += STEP;
            let after = at(&moved, DistancePrecision::Bounded);
            for (index, pair) in bounded.pairs().iter().enumerate().filter(|(_, pair)| pair.distance > 1e-3) {
                let is_it = |other: &&kinetic_scene::ProximityPair| {
                    (other.body, other.other) == (pair.body, pair.other)
                        && (other.point_on_body - pair.point_on_body).norm() < 1e-4
                        && (other.point_on_other - pair.point_on_other).norm() < 1e-4
                };
                // Distances in single precision have no such differences.
                let Some(later) = after.pairs().iter().find(is_it).filter(|_| name == BALLS) else { continue };
                let expected = (later.distance - pair.distance) / STEP;
                assert!((bounded.gradient(index)[1] - expected).abs() < 1e-3, "{name}: {pair:?} {expected}");
                compared += 1;
            }
        }
    }
    assert!(below > 50 && compared > 20, "{below} {compared}");
}

/// The margin that the scene states for an object.
fn margin_of(checker: &mut Checker, q: &[f64], other: &str) -> f64 {
    assert_eq!(checker.dof(), q.len());
    if other == "round0" { 0.03 } else { 0.0 }
}

#[test]
fn derivatives_are_those_of_finite_differences() {
    const STEP: f64 = 1e-5;
    let mut compared = 0;
    for name in ["ur5e", "franka_panda", "fetch", BALLS] {
        for seed in 0..cases(10, 300) as u64 {
            let (scene, rows) = scene_of(name, 100 + seed);
            let group = scene.robot().groups[scene.robot().default_group].name.clone();
            let mut checker = scene.checker_within(&group, Margins::ZERO, None).unwrap();
            let (mut found, mut moved) = (Proximity::default(), Proximity::default());
            let q = &rows[0];
            checker.proximity(q, 0.2, DistancePrecision::Single, &mut found);
            for joint in 0..q.len() {
                let mut at = |step: f64| {
                    let mut q = q.clone();
                    q[joint] += step;
                    checker.proximity(&q, 0.25, DistancePrecision::Exact, &mut moved);
                    moved.clone()
                };
                let (before, here, after) = (at(-STEP), at(0.0), at(STEP));
                for (index, pair) in found.pairs().iter().enumerate() {
                    let of = |all: &Proximity| {
                        let same = all.pairs().iter().find(|p| (p.body, p.other) == (pair.body, pair.other));
                        same.map(|pair| pair.distance)
                    };
                    let (Some(before), Some(here), Some(after)) = (of(&before), of(&here), of(&after)) else {
                        continue;
                    };
                    let slopes = [here - before, after - here].map(|rise| rise / STEP);
                    // At a kink the two sides differ; the witness of parallel faces is any point of them.
                    if pair.distance < 1e-3 || (slopes[0] - slopes[1]).abs() > 2e-3 {
                        continue;
                    }
                    let slope = f64::midpoint(slopes[0], slopes[1]);
                    let gradient = found.gradient(index)[joint];
                    assert!(
                        (gradient - slope).abs() < 6e-3,
                        "{name} {seed} joint {joint}: {gradient} but {slope}, {pair:?}"
                    );
                    compared += 1;
                }
            }
        }
    }
    assert!(compared > 300, "{compared}");
}

#[test]
fn a_batch_is_each_configuration_alone_whatever_the_number_of_rows() {
    let (scene, rows) = scene_of("ur5e", 7);
    let rows: Vec<Vec<f64>> =
        (0..200).map(|k| rows[k % rows.len()].iter().map(|q| q + 1e-3 * k as f64).collect()).collect();
    let batch = |count: usize| -> NamedProximity {
        scene.proximity_batch(&rows[..count].concat(), 6, 0.1, DistancePrecision::Exact).unwrap()
    };
    let (all, few) = (batch(200), batch(10));
    assert!(all.found.pairs().starts_with(few.found.pairs()));
    for (row, q) in rows.iter().enumerate().step_by(17) {
        let alone = scene.proximity(q, 0.1, DistancePrecision::Exact).unwrap();
        let first = all.found.pairs().partition_point(|pair| pair.configuration < row);
        for (index, pair) in alone.found.pairs().iter().enumerate() {
            let other = all.found.pairs()[first + index];
            assert_eq!((other.configuration, other.distance), (row, pair.distance));
            assert_eq!(all.names[first + index], alone.names[index]);
            assert_eq!(all.found.gradient(first + index), alone.found.gradient(index));
        }
    }
    // The same bytes again, also in single precision.
    let single = || scene.proximity_batch(&rows.concat(), 6, 0.1, DistancePrecision::Single).unwrap();
    assert_eq!(single(), single());
    assert!(single().found.pairs().len() > 200);
}

#[test]
fn queries_of_a_checker_do_not_allocate() {
    let (scene, rows) = scene_of("ur5e", 3);
    let mut checker = scene.checker_within("arm", Margins::ZERO, None).unwrap();
    let mut found = Proximity::default();
    let mut rng = SeededRng::new(3);
    let more = (0..200).map(|_| random_configuration(scene.robot(), &mut rng));
    let free: Vec<Vec<f64>> = rows.into_iter().chain(more).filter(|q| checker.is_free(q)).collect();
    assert!(free.len() > 20);
    let mut once = || {
        for q in &free {
            checker.proximity(q, 0.2, DistancePrecision::Single, &mut found);
        }
    };
    once();
    let info = measure(once);
    assert_eq!(info.count_total, 0, "{info:?}");
}

#[test]
fn what_cannot_be_asked_is_named() {
    let (scene, rows) = scene_of("ur5e", 1);
    for within in [-0.1, f64::NAN, f64::INFINITY] {
        let error = scene.proximity(&rows[0], within, DistancePrecision::Single).unwrap_err();
        assert!(matches!(&error, KineticError::InvalidValue { name, .. } if name == "within"), "{error}");
    }
    let error = scene.proximity_batch(&[0.0; 14], 7, 0.1, DistancePrecision::Single).unwrap_err();
    assert!(matches!(error, KineticError::DimensionMismatch { .. }), "{error}");
    let error = scene.proximity_batch(&[f64::NAN; 6], 6, 0.1, DistancePrecision::Single).unwrap_err();
    assert!(matches!(error, KineticError::NotFinite { .. }), "{error}");
    assert!(scene.proximity_batch(&[], 6, 0.1, DistancePrecision::Single).unwrap().names.is_empty());
}

#[test]
fn a_configuration_with_nan_is_near_everything() {
    for name in ["ur5e", BALLS] {
        let (scene, rows) = scene_of(name, 1);
        let group = scene.robot().groups[scene.robot().default_group].name.clone();
        let mut checker = scene.checker_within(&group, Margins::ZERO, None).unwrap();
        let mut found = Proximity::default();
        for precision in [DistancePrecision::Single, DistancePrecision::Bounded, DistancePrecision::Exact] {
            checker.proximity(&vec![f64::NAN; rows[0].len()], 0.1, precision, &mut found);
            let obstacles = found.pairs().iter().filter(|pair| matches!(pair.other, ProximityPartner::Obstacle(_)));
            assert!(obstacles.clone().count() >= scene.objects().len(), "{name}");
            assert!(found.pairs().iter().all(|pair| pair.distance == f64::NEG_INFINITY), "{name}");
        }
    }
}
