//! Gradients of distances against finite differences, and distances per link against those of pairs.

use kinetic_core::rng::SeededRng;
use kinetic_core::{Pose, Shape};
use kinetic_scene::{Margins, Scene};

use crate::cases;
use crate::support::{boxes, built_in, random_configuration, with_boxes};

/// Step of central differences, rad.
const STEP: f64 = 1e-5;
/// Distances of hulls are exact to 1e-12 of rounding or so, and curved by up to 1/cm: what the step leaves of both.
const TOLERANCE: f64 = 2e-3;

#[test]
fn the_gradient_of_the_least_distance_is_what_finite_differences_say() {
    let (mut world, mut own) = (0, 0);
    for name in ["ur5e", "franka_panda", "fetch"] {
        let robot = built_in(name);
        for seed in 0..cases(60, 3_000) as u64 {
            let mut rng = SeededRng::new(seed);
            // Few objects on even seeds, none on odd ones: then the robot itself is nearest.
            let mut scene = with_boxes(&robot, &boxes(&mut rng, if seed % 2 == 0 { 3 } else { 0 }));
            let link = robot.links[robot.groups[robot.default_group].tip_link].name.clone();
            scene.attach("ball", Shape::sphere(0.03).unwrap(), Pose::from_xyz(0.0, 0.0, 0.1), &link, &[]).unwrap();
            let q = random_configuration(&robot, &mut rng);
            // With a large margin towards the world, the tightest pair is one with an object if there are any.
            let mut checker = scene.checker(&robot.groups[robot.default_group].name, Margins::new(0.5, 0.0)).unwrap();
            let found = checker.distance_gradient(&q);
            if found.clearance.distance < 1e-3 {
                continue;
            }
            let points = found.points.unwrap();
            assert!(((points[1] - points[0]).norm() - found.clearance.distance).abs() < 1e-6, "{name} seed {seed}");
            for joint in 0..q.len() {
                let mut at = |step: f64| {
                    let mut moved = q.clone();
                    moved[joint] += step;
                    checker.clearance(&moved)
                };
                let (before, here, after) = (at(-STEP), at(0.0), at(STEP));
                let slopes = [here.slack() - before.slack(), after.slack() - here.slack()].map(|rise| rise / STEP);
                // At a kink the two sides differ.
                if before.pair != after.pair || (slopes[0] - slopes[1]).abs() > TOLERANCE {
                    continue;
                }
                let slope = f64::midpoint(slopes[0], slopes[1]);
                let gradient = found.gradient[joint];
                assert!(
                    (gradient - slope).abs() < TOLERANCE,
                    "{name} seed {seed} joint {joint}: {gradient} but {slope}"
                );
                if found.clearance.pair.as_ref().unwrap().other.starts_with("box") {
                    world += 1;
                } else {
                    own += 1;
                }
            }
        }
    }
    assert!(world > 200 && own > 200, "{world} towards the world, {own} towards itself");
}

#[test]
fn nothing_to_touch_has_no_gradient() {
    let robot = crate::support::ball_arm();
    let mut scene = Scene::new(&robot).unwrap();
    scene.allow_collision("upper", "tip").unwrap();
    let found = scene.distance_gradient(&[0.1; 3]).unwrap();
    assert_eq!((found.clearance.distance, found.clearance.pair), (f64::INFINITY, None));
    assert_eq!((found.gradient, found.points), (vec![0.0; 3], None));
}

#[test]
fn every_link_has_the_least_of_its_pairs() {
    let robot = built_in("ur5e");
    for seed in 0..cases(60, 3_000) as u64 {
        let mut rng = SeededRng::new(seed);
        let scene = with_boxes(&robot, &boxes(&mut rng, 4));
        let q = random_configuration(&robot, &mut rng);
        let contacts = scene.contacts(&q, 100.0).unwrap();
        for found in scene.link_clearances(&q).unwrap() {
            let mine = contacts.iter().filter(|c| c.pair.link == found.link || c.pair.other == found.link);
            let least = mine.map(|contact| contact.distance).fold(f64::INFINITY, f64::min);
            let told = found.clearance.distance;
            assert!(told == least || (told - least).abs() < 1e-9, "seed {seed}: {found:?} but {least}");
        }
    }
}
