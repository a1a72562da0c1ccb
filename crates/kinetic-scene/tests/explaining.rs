//! Explanations: order, witness points, who decides, and what is not looked at.

use kinetic_core::rng::SeededRng;
use kinetic_core::{Pair, Pose, Shape};
use kinetic_scene::{DecidedBy, Margins, NearPair, Scene};

use crate::cases;
use crate::support::{ball_arm, boxes, built_in, random_configuration, with_boxes};

#[test]
fn near_pairs_come_in_order_with_points_that_are_as_far_apart_as_is_said() {
    for name in ["ur5e", "franka_panda"] {
        let robot = built_in(name);
        let mut decided = [0; 3];
        for seed in 0..cases(60, 5_000) as u64 {
            let mut rng = SeededRng::new(seed);
            let scene = with_boxes(&robot, &boxes(&mut rng, 6));
            let q = random_configuration(&robot, &mut rng);
            let explained = scene.explain(&q, Margins::ZERO, 0.2).unwrap();
            assert_eq!(explained.is_free(), !scene.check_collision(&q).unwrap(), "{name} seed {seed}");
            let slacks: Vec<f64> = explained.near.iter().map(NearPair::slack).collect();
            assert!(slacks.windows(2).all(|two| two[0] <= two[1]), "{name} seed {seed}");
            let contacts = scene.contacts(&q, 0.2).unwrap();
            assert_eq!(contacts.len(), explained.near.len(), "{name} seed {seed}");
            for near in &explained.near {
                let apart = (near.point_on_other - near.point_on_link).norm();
                assert!((apart - near.distance.abs()).abs() < 1e-6, "{name} seed {seed}: {near:?}");
                decided[near.decided_by as usize] += 1;
            }
            let shown = explained.to_string();
            assert!(explained.near.iter().all(|near| shown.contains(&near.to_string())));
        }
        assert!(decided[DecidedBy::Spheres as usize] > 0 && decided[DecidedBy::Exact as usize] > 0, "{decided:?}");
    }
}

#[test]
fn pairs_that_are_not_looked_at_are_named_with_the_reason() {
    let robot = ball_arm();
    let mut scene = Scene::new(&robot).unwrap();
    scene.add("near", Shape::sphere(0.1).unwrap(), Pose::from_xyz(1.1, 0.0, 0.2)).unwrap();
    scene.attach("cup", Shape::sphere(0.02).unwrap(), Pose::from_xyz(0.15, 0.0, 0.0), "tip", &["lower"]).unwrap();
    scene.allow_collision("tip", "near").unwrap();
    let explained = scene.explain(&[0.0; 3], Margins::ZERO, 1.0).unwrap();
    let reason = |a: &str, b: &str| {
        let is_it = |pair: &Pair| (pair.link == a && pair.other == b) || (pair.link == b && pair.other == a);
        let found: Vec<_> = explained.unchecked.iter().filter(|unchecked| is_it(&unchecked.pair)).collect();
        assert_eq!(found.len(), 1, "{a} {b}: {explained}");
        found[0].reason.clone()
    };
    assert_eq!(reason("tip", "near"), "allowed in the scene");
    assert_eq!(reason("upper", "lower"), "one moving joint between them");
    assert_eq!(reason("tip", "cup"), "the link carries it");
    assert_eq!(reason("lower", "cup"), "named as a touch link when it was attached");
    assert!(explained.near.iter().any(|near| near.pair == Pair::new("cup", "near")));
    // What a group does not move is said as well.
    let panda = built_in("franka_panda");
    let mut scene = Scene::new(&panda).unwrap();
    scene.add("floor", Shape::half_space(nalgebra::Vector3::z(), 0.0).unwrap(), Pose::identity()).unwrap();
    let q = panda.mid_configuration(&panda.groups[panda.default_group]);
    let explained = scene.explain(&q, Margins::ZERO, 0.05).unwrap();
    let of_floor = explained.unchecked.iter().find(|unchecked| unchecked.pair.other == "floor").unwrap();
    assert!(of_floor.reason.contains("does not move"), "{}", of_floor.reason);
}

#[test]
fn impossible_questions_are_refused() {
    let scene = Scene::new(&ball_arm()).unwrap();
    for (q, margins, within) in [
        (vec![0.0; 2], Margins::ZERO, 0.1),
        (vec![f64::NAN; 3], Margins::ZERO, 0.1),
        (vec![0.0; 3], Margins::new(-0.1, 0.0), 0.1),
        (vec![0.0; 3], Margins::ZERO, -0.1),
        (vec![0.0; 3], Margins::ZERO, f64::NAN),
    ] {
        assert!(scene.explain(&q, margins, within).unwrap_err().is_input_error());
    }
}
