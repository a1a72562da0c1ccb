//! Every width, together and alone, against the plain loop in double precision.

use std::sync::Arc;

use kinetic_collision_simd::{BATCH, Engine, SimdTier};
use kinetic_core::rng::SeededRng;
use kinetic_core::{Pose, Shape};
use kinetic_robot::Robot;

use super::{checker, count, is_free_in_double, random_pose, random_shape, robot};
use crate::exact::PlacedModel;
use crate::{Margins, Scene, Side};

/// A free and a blocked configuration at most `1e-7` apart between two that are one of each.
fn at_the_border(exact: &mut PlacedModel, free: &[f64], blocked: &[f64]) -> [Vec<f64>; 2] {
    let (mut free, mut blocked) = (free.to_vec(), blocked.to_vec());
    while free.iter().zip(&blocked).any(|(a, b)| (a - b).abs() > 1e-7) {
        let middle: Vec<f64> = free.iter().zip(&blocked).map(|(a, b)| 0.5 * (a + b)).collect();
        if is_free_in_double(exact, &middle) { free = middle } else { blocked = middle }
    }
    [free, blocked]
}

#[test]
fn every_width_and_the_plain_loop_give_the_same_verdicts_at_the_border_of_contact_too() {
    // A million configurations with `KINETIC_FULL=1`.
    for name in ["ur5e", "franka_panda", "fetch", "balls"] {
        let (robot, checker) = checker(name, 13);
        check_every_width(&robot, &checker.tiers.exact, 5 * count() / 2 + 5);
    }
}

#[test]
fn every_width_keeps_the_margin_of_each_pair_object_and_link_as_the_plain_loop_does() {
    for name in ["ur5e", "franka_panda", "balls"] {
        for seed in 0..4 {
            let (robot, scene) = scene_with_margins(name, seed);
            let group = &robot.groups[robot.default_group].name;
            let general = Margins::new(0.01, 0.002);
            let anywhere = scene.checker(group, general).expect("a group of the robot");
            let inside = scene.checker_within(group, general, None).expect("a group of the robot");
            let exact = &anywhere.tiers.exact;
            let differ = |margins: &[f64]| margins.iter().any(|margin| *margin != margins[0]);
            assert!(exact.model.bodies.iter().any(|body| differ(&body.margins)), "{name} {seed}");
            let of_pairs: Vec<f64> = exact.model.pairs.iter().map(|pair| pair.margin).collect();
            assert!(differ(&of_pairs), "{name} {seed}");
            for checker in [anywhere, inside] {
                check_every_width(&robot, &checker.tiers.exact, count() / 2 + 5);
            }
        }
    }
}

/// A scene that states margins of pairs, of objects and of links, and paddings; some objects are near for their margin
/// alone.
fn scene_with_margins(name: &str, seed: u64) -> (Arc<Robot>, Scene) {
    let robot = robot(name);
    let mut rng = SeededRng::new(100 + seed);
    let mut scene = Scene::new(&robot).expect("geometry");
    for index in 0..12 {
        let (angle, reach) = (rng.uniform(-3.0, 3.0), if index < 6 { 1.0 } else { 1.7 });
        let mut pose = random_pose(&mut rng, 0.0);
        pose.translation = [reach * f64::cos(angle), reach * f64::sin(angle), rng.uniform(0.0, 1.2)].into();
        // No half-spaces: one is near everything.
        let kind = [0, 1, 2, 3, 5][index % 5];
        scene.add(&format!("o{index}"), random_shape(kind, &mut rng), Pose(pose)).expect("a new name");
    }
    let links: Vec<&str> = robot.links.iter().map(|link| link.name.as_str()).collect();
    for index in 0..12 {
        let object = format!("o{index}");
        let (link, other) = (rng.below(links.len()), rng.below(links.len()));
        // Objects farther away have larger ones.
        let value = rng.uniform(0.0, if index < 6 { 0.08 } else { 0.8 });
        let done = match index % 4 {
            0 => scene.set_margin(links[link], &object, value),
            1 => scene.set_margin_all(&object, value),
            2 => scene.set_margin_of(links[link], Side::World, 0.2 * value),
            _ => scene.set_padding(&object, value),
        };
        done.expect("known names");
        if link != other {
            scene.set_margin(links[link], links[other], rng.uniform(0.0, 0.01)).expect("known names");
        }
        scene.set_margin_of(links[other], Side::Own, rng.uniform(0.0, 0.01)).expect("a known name");
    }
    scene.set_padding(links[links.len() / 2], 0.004).expect("a known name");
    (robot, scene)
}

/// Compares every width, together and alone, with the plain loop: at `count` configurations, and between a free and a
/// blocked one.
fn check_every_width(robot: &Robot, exact: &PlacedModel, count: usize) {
    let (name, mut exact) = (&robot.name, exact.clone());
    let group = &robot.groups[robot.default_group];
    let mut rng = SeededRng::new(14);
    let mut rows: Vec<Vec<f64>> = (0..count).map(|_| robot.random_configuration(group, &mut rng).0).collect();
    let mut plain: Vec<bool> = rows.iter().map(|q| is_free_in_double(&mut exact, q)).collect();
    let (mut free, mut blocked) = (Vec::new(), Vec::new());
    rows.iter()
        .zip(&plain)
        .for_each(|(q, is_free)| if *is_free { free.push(q.clone()) } else { blocked.push(q.clone()) });
    for (free, blocked) in free.iter().zip(&blocked).take(count / 50) {
        for q in at_the_border(&mut exact, free, blocked) {
            plain.push(is_free_in_double(&mut exact, &q));
            rows.push(q);
        }
    }
    assert!(free.len() > 10 && blocked.len() > 10, "{name}: {} free of {}", free.len(), rows.len());
    for tier in SimdTier::available() {
        let mut engine = Engine::with_tier(&exact.model, tier);
        for (batch, plain) in rows.chunks(BATCH).zip(plain.chunks(BATCH)) {
            let found = engine.free_configurations(&mut exact, &batch.concat(), batch.len()).expect("small");
            let found: Vec<bool> = (0..batch.len()).map(|lane| found >> lane & 1 == 1).collect();
            assert_eq!(found, plain, "{name} {tier:?}: {batch:?}");
            for (q, plain) in batch.iter().zip(plain) {
                let alone = engine.is_free(&mut exact, q);
                assert!(alone.is_none_or(|alone| alone == *plain), "{name} {tier:?} alone: {q:?}");
            }
        }
    }
}

#[test]
fn a_batch_among_many_obstacles_is_answered_alike_together_and_one_by_one() {
    let robot = robot("franka_panda");
    let mut scene = Scene::new(&robot).expect("geometry");
    let mut rng = SeededRng::new(31);
    for index in 0..600 {
        let [x, y, z] = [0; 3].map(|_| rng.uniform(-0.9, 0.9));
        let shape = Shape::sphere(0.004).expect("positive");
        scene.add(&format!("s{index}"), shape, Pose::from_xyz(x, y, z + 0.4)).expect("a new name");
    }
    let group = &robot.groups[robot.default_group];
    let rows: Vec<f64> = (0..320).flat_map(|_| robot.random_configuration(group, &mut rng).0).collect();
    let checker = scene.checker(&group.name, Margins::ZERO).expect("a group");
    // The scalar tier keeps to blocks, others ask far configurations one by one.
    let answers = SimdTier::available().into_iter().map(|tier| {
        let mut checker = checker.clone().with_simd_tier(tier).expect("available");
        checker.are_free(&rows)
    });
    let answers: Vec<Vec<bool>> = answers.collect();
    assert!(answers.iter().all(|of_tier| *of_tier == answers[0]));
    assert!(answers[0].contains(&true) && answers[0].contains(&false));
}
