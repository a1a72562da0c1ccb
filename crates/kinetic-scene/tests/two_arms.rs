//! Two arms on one body are checked against each other.
//!
//! In each case the arms stand as in `ready`, mirror images of each other, and the first joint of the left arm brings
//! the hands together in the middle; an independent program (Coal on the same hulls) says that they touch.

use kinetic_robot::Robot;
use kinetic_scene::{Margins, Scene};

use crate::support::built_in;

/// Robot, value of the first left joint at which the hands meet, and how link names tell the sides.
type Case = (&'static str, f64, fn(&str) -> Option<Side>);

const CASES: [Case; 3] = [
    ("baxter_left", -0.35, |link| starts(link, "left_", "right_")),
    ("pr2", 0.45, |link| starts(link, "l_", "r_")),
    ("abb_yumi_left", -1.5, |link| match link.strip_prefix("gripper_") {
        // Each gripper has a left and a right finger.
        Some(gripper) => starts(gripper, "l_", "r_"),
        None if link.ends_with("_l") => Some(Side::Left),
        None => link.ends_with("_r").then_some(Side::Right),
    }),
];

#[derive(Debug, Clone, Copy, PartialEq)]
enum Side {
    Left,
    Right,
}

fn starts(link: &str, left: &str, right: &str) -> Option<Side> {
    if link.starts_with(left) {
        return Some(Side::Left);
    }
    link.starts_with(right).then_some(Side::Right)
}

/// The left arm with its hand in the middle, and the right one as its mirror image.
fn hands_together(robot: &Robot, first: f64) -> [Vec<f64>; 2] {
    let pose = |group: &str| robot.named_pose(robot.group(group).unwrap(), "ready").unwrap().0.clone();
    let (mut left, mut right) = (pose("left_arm"), pose("right_arm"));
    (left[0], right[0]) = (first, -first);
    [left, right]
}

/// The scene with the right arm at `q`.
fn holding_right(scene: &Scene, q: &[f64]) -> Scene {
    let mut scene = scene.clone();
    let mut held = scene.held().to_vec();
    for (variable, value) in scene.robot().group("right_arm").unwrap().variables.clone().into_iter().zip(q) {
        held[variable] = *value;
    }
    scene.hold(&held).unwrap();
    scene
}

#[test]
fn hands_that_meet_are_a_contact_for_both_arms_and_for_one_arm_beside_the_other() {
    for (name, first, side) in CASES {
        let robot = built_in(name);
        let scene = Scene::new(&robot).unwrap();
        let [left, right] = hands_together(&robot, first);

        let mut both = scene.checker("both_arms", Margins::ZERO).unwrap();
        let found = both.contacts(&[left.clone(), right.clone()].concat(), 0.0);
        assert!(!found.is_empty(), "{name}");
        for contact in &found {
            let mut sides = [side(&contact.pair.link), side(&contact.pair.other)];
            sides.sort_by_key(|side| *side == Some(Side::Right));
            assert_eq!(sides, [Some(Side::Left), Some(Side::Right)], "{name}: {contact:?}");
        }

        let mut beside = holding_right(&scene, &right).checker("left_arm", Margins::ZERO).unwrap();
        assert!(!beside.is_free(&left), "{name}: the left arm ignores the right one");
        let mut alone = scene.checker("left_arm", Margins::ZERO).unwrap();
        assert!(alone.is_free(&left), "{name}: {:?}", alone.clearance(&left));
    }
}

#[test]
fn a_motion_of_both_arms_through_each_other_is_refused_although_its_ends_are_free() {
    for (name, first, _) in CASES {
        let robot = built_in(name);
        let scene = Scene::new(&robot).unwrap();
        let mut checker = scene.checker("both_arms", Margins::ZERO).unwrap();
        let [left, right] = hands_together(&robot, first);
        let ready = robot.named_pose(robot.group("both_arms").unwrap(), "ready").unwrap().0.clone();
        let middle = [left, right].concat();
        // As far beyond the meeting as `ready` is before it: the motion passes the meeting half way.
        let far: Vec<f64> = middle.iter().zip(&ready).map(|(meet, ready)| 2.0 * meet - ready).collect();
        assert!(checker.is_free(&ready), "{name}");
        assert!(!checker.is_free(&middle), "{name}");
        assert!(!checker.is_motion_free(&ready, &far), "{name}");
    }
}
