//! Paths of arms with more than six joints: smoother than what is followed numerically, and honest where there is none.

use kinetic_core::Pose;
use kinetic_core::rng::SeededRng;
use kinetic_ik::path::{Numerical, solve_ik_path_with};
use kinetic_ik::{PathOptions, PathTolerance};
use kinetic_robot::Robot;
use nalgebra::Vector3;

use super::robots::Arm;
use crate::cases;

/// What Newton's method closes to, with the rounding of quaternions.
const CLOSED: f64 = 1e-8;
/// By how much of itself the largest step may miss the least one: linear programs end at a gap, and steps between poses
/// that were looked at may be larger by as much.
const GAP: f64 = 0.02;

/// A way through random configurations, straight or bent.
fn way(arm: &Arm, rng: &mut SeededRng, count: usize, is_bent: bool) -> Vec<Vec<f64>> {
    let group = &arm.robot.groups[arm.robot.default_group];
    let ends: [_; 3] = std::array::from_fn(|_| arm.robot.random_configuration(group, rng));
    let at = |index: usize| {
        let part = index as f64 / (count - 1) as f64;
        if is_bent {
            ends[0].lerp(&ends[1], part).lerp(&ends[1].lerp(&ends[2], part), part).0
        } else {
            ends[0].lerp(&ends[1], part).0
        }
    };
    (0..count).map(at).collect()
}

fn poses(arm: &Arm, way: &[Vec<f64>]) -> Vec<Pose> {
    way.iter().map(|q| arm.tool(q)).collect()
}

#[test]
fn steps_are_at_most_those_of_configurations_that_are_followed_numerically() {
    for (name, quick) in [("franka_panda", 8), ("kuka_iiwa14", 6), ("xarm7", 3), ("kinova_gen3", 2), ("fetch", 2)] {
        let arm = Arm::named(name);
        let mut compared = 0;
        for case in 0..cases(quick, 60) {
            let mut rng = SeededRng::new(case as u64);
            let way = way(&arm, &mut rng, 120, case % 2 == 1);
            let targets = poses(&arm, &way);
            let options = PathOptions { start: Some(way[0].clone().into()), ..PathOptions::default() };
            let path = arm.solve(&targets, &options);
            assert_eq!(path, arm.solve(&targets, &options), "the same input gives the same path");
            let mut numerical = Numerical::new(&arm.chain, &options);
            let followed = solve_ik_path_with(&mut numerical, &targets, &options).unwrap();
            let what = format!("{name}, case {case}");
            if path.obstacles.is_empty() {
                arm.check(&targets, &path, &options, CLOSED, &what);
            }
            if followed.obstacles.is_empty() {
                compared += 1;
                assert_eq!(path.reason(), None, "{what}");
                let most = followed.largest_step * (1.0 + GAP);
                assert!(path.largest_step <= most, "{what}: {} {}", path.largest_step, followed.largest_step);
            }
        }
        assert!(compared > 0, "{name}");
    }
}

/// The way that made the poses is a path itself: steps need not be larger than its own by much, and mostly are smaller.
#[test]
fn paths_are_found_where_there_are_some() {
    let arm = Arm::named("franka_panda");
    let (mut found, mut smaller) = (0, 0);
    let total = cases(12, 200);
    for case in 0..total {
        let mut rng = SeededRng::new(1000 + case as u64);
        let way = way(&arm, &mut rng, 150, false);
        let targets = poses(&arm, &way);
        let path = arm.solve(&targets, &PathOptions::default());
        if path.obstacles.is_empty() {
            arm.check(&targets, &path, &PathOptions::default(), CLOSED, &format!("case {case}"));
            let step = |pair: &[Vec<f64>]| pair[0].iter().zip(&pair[1]).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
            let own = way.windows(2).map(step).fold(0.0, f64::max);
            found += 1;
            // Where all joints move evenly, the way that made the poses is itself the best one nearby.
            smaller += usize::from(path.largest_step <= own * (1.0 + GAP));
        }
    }
    assert!(found * 10 >= total * 9, "{found} of {total}");
    assert!(smaller * 10 >= total * 8, "{smaller} of {total}");
}

/// Arms whose samples are cheap and such whose samples cost an eigenproblem, through elbows and wrists that stretch.
#[test]
fn ways_that_exist_from_the_start_are_found_about_as_smooth() {
    for (name, quick) in [("franka_panda", 4), ("kuka_iiwa14", 4), ("xarm7", 2), ("kinova_gen3", 2), ("fetch", 2)] {
        let arm = Arm::named(name);
        let (total, mut found, mut smooth) = (cases(quick, 40), 0, 0);
        for case in 0..total {
            let mut rng = SeededRng::new(case as u64);
            let way = way(&arm, &mut rng, 150, case % 2 == 1);
            let targets = poses(&arm, &way);
            let options = PathOptions { start: Some(way[0].clone().into()), ..PathOptions::default() };
            let path = arm.solve(&targets, &options);
            if path.obstacles.is_empty() {
                arm.check(&targets, &path, &options, CLOSED, &format!("{name}, case {case}"));
                let step =
                    |pair: &[Vec<f64>]| pair[0].iter().zip(&pair[1]).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
                found += 1;
                smooth += usize::from(path.largest_step <= 1.1 * way.windows(2).map(step).fold(0.0, f64::max));
            }
        }
        assert!(found * 20 >= total * 19, "{name}: {found} of {total}");
        // One in ten may end beside another way; of a few, one.
        assert!(smooth + 1 + total / 10 >= total, "{name}: {smooth} of {total}");
    }
}

#[test]
fn a_circle_is_followed_in_steps_like_those_of_the_tool() {
    let arm = Arm::named("franka_panda");
    let q = [0.2, 0.4, 0.1, -1.8, 0.3, 1.7, 0.5];
    let start = arm.tool(&q);
    let at = |index: u32| {
        let angle = std::f64::consts::TAU * f64::from(index) / 199.0;
        Pose::from_xyz(0.0, 0.1 * angle.sin(), 0.1 * (angle.cos() - 1.0)) * start
    };
    let targets: Vec<Pose> = (0..200).map(at).collect();
    let options = PathOptions { start: Some(q.into()), ..PathOptions::default() };
    let path = arm.solve(&targets, &options);
    arm.check(&targets, &path, &options, CLOSED, "circle");
    assert!(path.largest_step < 0.02, "{}", path.largest_step);
}

#[test]
fn what_stops_a_redundant_arm_is_named() {
    let arm = Arm::named("franka_panda");
    let q = [0.2, 0.4, 0.1, -1.8, 0.3, 1.7, 0.5];
    let start = arm.tool(&q);
    // Upwards, farther than the arm reaches, and back.
    let up: Vec<f64> = (0..40).map(|step| 0.02 * f64::from(step)).collect();
    let heights: Vec<f64> = up.iter().chain(up.iter().rev()).copied().collect();
    let targets: Vec<Pose> = heights.iter().map(|z| Pose::from_xyz(0.0, 0.0, *z) * start).collect();
    let options = PathOptions { start: Some(q.into()), ..PathOptions::default() };
    let path = arm.solve(&targets, &options);
    assert_eq!((path.obstacles[0].id(), path.splits.len()), ("unreachable", 1), "{:?}", path.obstacles);
    let first = path.obstacles[0].index();
    assert!(path.success[..first].iter().all(|reached| *reached) && !path.success[first]);
    assert!(path.success[path.splits[0]..].iter().all(|reached| *reached));

    // A tool that jumps aside.
    let mut targets = vec![start; 10];
    targets.extend(vec![Pose::from_xyz(0.0, -0.3, 0.0) * start; 10]);
    let options = PathOptions { start: Some(q.into()), max_joint_step: Some(vec![0.05; 7]), ..PathOptions::default() };
    let path = arm.solve(&targets, &options);
    assert_eq!((path.obstacles[0].id(), path.obstacles[0].index()), ("jump", 10), "{:?}", path.obstacles);
    assert_eq!(path.splits, [10]);
}

#[test]
fn limits_that_forbid_a_pose_of_a_redundant_arm_are_named() {
    let mut robot = Robot::from_name("kuka_iiwa14").unwrap();
    let elbow = 3;
    let q = [0.2, 0.6, 0.1, -1.4, 0.3, 0.9, 0.5];
    // The distance from shoulder to wrist tells the elbow's angle, up to its sign.
    (robot.joint_limits[elbow].lower, robot.joint_limits[elbow].upper) = (-1.0, 1.0);
    let arm = Arm::of(robot);
    let path = arm.solve(&[arm.tool(&q)], &PathOptions::default());
    assert_eq!(path.obstacles[0].id(), "limit", "{:?}", path.obstacles);
    assert_eq!(path.obstacles[0].joint(), Some(arm.chain.joint_names()[elbow].as_str()));
    assert!((path.obstacles[0].amount() - 0.4).abs() < 0.05, "{:?}", path.obstacles);
}

#[test]
fn tolerances_of_redundant_arms_are_kept_and_used() {
    let arm = Arm::named("franka_panda");
    let q = [0.2, 0.4, 0.1, -1.8, 0.3, 1.7, 0.5];
    let start = arm.tool(&q);
    let targets: Vec<Pose> = (0..30)
        .map(|step| {
            let turn = 0.15 * f64::from(step);
            Pose::from_xyz(0.0, 0.004 * f64::from(step), 0.0)
                * start
                * Pose::from_xyz_rpy(0.0, 0.0, 0.0, 0.0, 0.0, turn)
        })
        .collect();
    let strict = arm.solve(&targets, &PathOptions::default());
    let options = PathOptions { tolerance: vec![PathTolerance::free_turn(Vector3::z())], ..PathOptions::default() };
    let free = arm.solve(&targets, &options);
    assert_eq!(free.reason(), None);
    assert!(!strict.obstacles.is_empty() || free.largest_step < strict.largest_step);
    for (index, target) in targets.iter().enumerate() {
        let reached = arm.tool(free.configuration(index).unwrap());
        let (wanted, axis) = (target.rotation() * Vector3::z(), reached.rotation() * Vector3::z());
        assert!(reached.translation_distance(target) < CLOSED && (wanted - axis).norm() < CLOSED, "pose {index}");
    }
}
