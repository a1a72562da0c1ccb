//! Distances and verdicts at single configurations.

use kinetic_core::Shape;
use kinetic_core::rng::SeededRng;
use kinetic_core::{Pair, Pose};
use kinetic_scene::{Margins, Scene};

use crate::cases;
use crate::support::{ball_arm, balls, box_distance, boxes, built_in, random_configuration, with_boxes};

/// Both sides evaluate the same formula in f64.
const TOLERANCE: f64 = 1e-9;

#[test]
fn the_distance_of_a_ball_arm_to_boxes_is_the_formula() {
    let robot = ball_arm();
    for seed in 0..cases(300, 50_000) as u64 {
        let mut rng = SeededRng::new(seed);
        let boxes = boxes(&mut rng, 5);
        let scene = with_boxes(&robot, &boxes);
        let q = random_configuration(&robot, &mut rng);
        let expected = balls(&robot, &q)
            .iter()
            .flat_map(|(_, center, radius)| {
                boxes.iter().map(move |(pose, half)| box_distance(center, pose, half) - radius)
            })
            .fold(f64::INFINITY, f64::min);
        let distance = scene.min_distance(&q).unwrap();
        assert!((distance - expected).abs() < TOLERANCE, "seed {seed}: {distance} instead of {expected}");
        let checker = &mut scene.checker("arm", Margins::ZERO).unwrap();
        let touching = balls(&robot, &q).iter().enumerate().any(|(i, (link, a, radius_a))| {
            balls(&robot, &q)[..i].iter().any(|(other, b, radius_b)| {
                // upper and tip are the only pair that is not adjacent.
                link.abs_diff(*other) == 2 && (a - b).norm() <= radius_a + radius_b
            })
        });
        assert_eq!(checker.is_free(&q), expected > 0.0 && !touching, "seed {seed}");
    }
}

#[test]
fn a_margin_is_kept_exactly_and_only_towards_its_side() {
    let robot = ball_arm();
    let mut scene = Scene::new(&robot).unwrap();
    // Stretched along x: the last ball is at x = 1.1, radius 0.03, height 0.1.
    scene.add("wall", Shape::cuboid(0.1, 1.0, 1.0).unwrap(), Pose::from_xyz(1.28, 0.0, 0.1)).unwrap();
    let q = [0.0; 3];
    assert!((scene.min_distance(&q).unwrap() - 0.05).abs() < TOLERANCE);
    let is_free = |world, own| scene.checker("arm", Margins::new(world, own)).unwrap().is_free(&q);
    assert!(is_free(0.05 - 1e-6, 0.0));
    assert!(!is_free(0.05 + 1e-6, 0.0));
    assert!(is_free(0.0, 0.05 + 1e-6));
    // upper's outer ball at 0.4 and tip's at 1.1: 0.7 apart less both radii.
    assert!(is_free(0.0, 0.62 - 1e-6));
    assert!(!is_free(0.0, 0.62 + 1e-6));
}

#[test]
fn an_empty_scene_is_infinitely_far() {
    let scene = Scene::new(&built_in("ur5e")).unwrap();
    let q = [0.0, -1.57, 1.0, -1.0, -1.57, 0.0];
    assert_eq!(scene.min_distance(&q).unwrap(), f64::INFINITY);
    assert!(!scene.check_collision(&q).unwrap());
}

#[test]
fn spheres_only_say_perhaps_and_hulls_decide() {
    // A plate just above the UR5e's upper arm: inside the spheres' excess, outside the hull.
    let robot = built_in("ur5e");
    let mut rng = SeededRng::new(8);
    let (mut rescued, mut tried) = (0, 0);
    for _ in 0..cases(300, 20_000) {
        let boxes = boxes(&mut rng, 8);
        let scene = with_boxes(&robot, &boxes);
        let q = random_configuration(&robot, &mut rng);
        let Ok(distance) = scene.min_distance(&q) else { panic!("no distance") };
        let world: Vec<_> =
            scene.contacts(&q, 0.0).unwrap().into_iter().filter(|c| c.pair.other.starts_with("box")).collect();
        assert_eq!(distance <= 0.0, !world.is_empty());
        let spheres_touch = sphere_cover_touches(&scene, &q, &boxes);
        // A hull inside its cover: contact of the hull implies contact of the cover.
        assert!(distance > 0.0 || spheres_touch);
        tried += usize::from(spheres_touch);
        rescued += usize::from(spheres_touch && distance > 0.0);
    }
    assert!(rescued > 0 && rescued < tried, "{rescued} of {tried}");
}

fn sphere_cover_touches(scene: &Scene, q: &[f64], boxes: &[(Pose, nalgebra::Vector3<f64>)]) -> bool {
    let poses = scene.link_poses(q).unwrap();
    scene.geometry().links().iter().zip(&poses).skip(2).any(|(link, pose)| {
        link.spheres.iter().any(|sphere| {
            let center = pose.0 * sphere.center;
            boxes.iter().any(|(pose, half)| box_distance(&center, pose, half) <= sphere.radius)
        })
    })
}

#[test]
fn contacts_name_both_things_and_are_sorted() {
    let robot = ball_arm();
    let mut scene = Scene::new(&robot).unwrap();
    scene.add("near", Shape::sphere(0.1).unwrap(), Pose::from_xyz(1.1, 0.0, 0.15)).unwrap();
    scene.add("far", Shape::sphere(0.1).unwrap(), Pose::from_xyz(0.9, 0.0, 0.26)).unwrap();
    let contacts = scene.contacts(&[0.0; 3], 0.05).unwrap();
    assert_eq!(contacts[0].pair, Pair::new("tip", "near"));
    assert!((contacts[0].distance - (0.05 - 0.13)).abs() < TOLERANCE);
    assert!(contacts.iter().any(|contact| contact.pair == Pair::new("lower", "far")));
    assert!(contacts.windows(2).all(|pair| pair[0].distance <= pair[1].distance));
}

/// Turntables less than 2 cm above the plane on which their robots stand, whatever the joints do.
const LOW_TURNTABLES: [(&str, &str); 3] =
    [("lerobot_so100", "shoulder"), ("so_arm100", "shoulder"), ("open_manipulator_x", "link2")];

#[test]
fn home_and_ready_of_every_built_in_robot_are_free_above_a_floor() {
    for name in kinetic_robot::builtin::names() {
        let robot = built_in(name);
        let mut scene = Scene::new(&robot).unwrap();
        let floor = Shape::half_space(nalgebra::Vector3::z(), 0.0).unwrap();
        scene.add("floor", floor, Pose::identity()).unwrap();
        for (_, turntable) in LOW_TURNTABLES.iter().filter(|(robot, _)| *robot == name) {
            scene.allow_collision(turntable, "floor").unwrap();
        }
        let group = &robot.groups[robot.default_group];
        let mut checker = scene.checker(&group.name, Margins::new(0.02, 0.0)).unwrap();
        for pose in ["home", "ready"] {
            let q = robot.named_pose(group, pose).unwrap_or_else(|| panic!("{name} has no pose {pose}"));
            assert!(checker.is_free(q), "{name} {pose}: {:?}", checker.clearance(q));
        }
    }
}
