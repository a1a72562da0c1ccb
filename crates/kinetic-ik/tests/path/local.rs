//! Paths that are chosen from pose to pose.

use kinetic_core::rng::SeededRng;
use kinetic_core::{JointValues, KineticError, Pose, StopFlag};
use kinetic_ik::{IKConfig, IKPath, PathMethod, PathOptions, PathTolerance, solve_ik, solve_ik_auto, solve_ik_path};
use kinetic_robot::Robot;
use nalgebra::Vector3;

use super::robots::Arm;
use crate::cases;

/// What numbers close to, with the rounding of quaternions.
const CLOSED: f64 = 1e-8;

fn from(start: &[f64]) -> PathOptions {
    PathOptions { method: PathMethod::Local, start: Some(start.into()), ..PathOptions::default() }
}

/// A straight way in joint space from one random configuration towards another.
fn way(arm: &Arm, seed: u64, count: usize, step: f64) -> Vec<Vec<f64>> {
    let mut rng = SeededRng::new(seed);
    let group = &arm.robot.groups[arm.robot.default_group];
    let (a, b) = (arm.robot.random_configuration(group, &mut rng), arm.robot.random_configuration(group, &mut rng));
    let far = a.iter().zip(b.iter()).map(|(a, b)| (b - a).abs()).fold(0.0, f64::max);
    (0..count).map(|index| a.lerp(&b, (step * index as f64 / far).min(1.0)).0).collect()
}

fn poses(arm: &Arm, way: &[Vec<f64>]) -> Vec<Pose> {
    way.iter().map(|q| arm.tool(q)).collect()
}

/// Every pose that has a configuration is reached by it, inside the limits; steps are within their bounds wherever
/// success says so.
fn check(arm: &Arm, targets: &[Pose], path: &IKPath, start: &[f64], bound: f64, what: &str) {
    let mut before = Some(start.to_vec());
    for (index, target) in targets.iter().enumerate() {
        let Some(q) = path.configuration(index) else {
            assert!(!path.success[index], "{what}, pose {index}");
            before = None;
            continue;
        };
        let reached = arm.tool(q);
        let error = reached.translation_distance(target).max(reached.rotation_distance(target));
        assert!(error < CLOSED, "{what}: pose {index} is off by {error:e}");
        assert!(q.iter().zip(arm.chain.bounds()).all(|(q, (low, high))| (low..=high).contains(&q)), "{what}: {q:?}");
        let step = |before: &Vec<f64>| before.iter().zip(q).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
        if let (true, Some(before)) = (path.success[index], &before) {
            assert!(step(before) <= bound, "{what}: pose {index}, {}", step(before));
        }
        assert!(path.success[index] || path.splits.contains(&index), "{what}: pose {index}");
        before = Some(q.to_vec());
    }
    assert_eq!(path.obstacles.is_empty(), path.success.iter().all(|success| *success), "{what}");
}

#[test]
fn every_arm_reaches_every_pose_without_a_jump_or_says_where_it_cannot() {
    let arms =
        [("ur5e", 12), ("abb_irb1200", 12), ("franka_panda", 12), ("kuka_iiwa14", 12), ("fetch", 8), ("xarm6", 1)];
    for (name, quick) in arms {
        let arm = Arm::named(name);
        let mut whole = 0;
        for case in 0..cases(quick, 20 * quick) {
            let way = way(&arm, case as u64, 100, 0.02);
            let targets = poses(&arm, &way);
            let path = arm.solve(&targets, &from(&way[0]));
            let what = format!("{name}, seed {case}");
            check(&arm, &targets, &path, &way[0], 1.0, &what);
            assert_eq!(path, arm.solve(&targets, &from(&way[0])), "{what}: the same input gives the same path");
            whole += usize::from(path.obstacles.is_empty());
        }
        assert!(whole * 4 >= cases(quick, 20 * quick) * 3, "{name}: {whole}");
    }
}

#[test]
fn arms_without_closed_form_are_followed_by_numbers() {
    let arm = Arm { closed_form: None, ..Arm::named("franka_panda") };
    for seed in 0..cases(8, 100) {
        let way = way(&arm, seed as u64, 60, 0.02);
        let targets = poses(&arm, &way);
        let path = arm.solve(&targets, &from(&way[0]));
        check(&arm, &targets, &path, &way[0], 1.0, &format!("seed {seed}"));
    }
}

/// The loop that users write: single calls, each seeded with the answer before.
fn looped(arm: &Arm, targets: &[Pose], start: &[f64]) -> Vec<JointValues> {
    let mut config = IKConfig::default().with_seed(start);
    let mut rows = Vec::new();
    for target in targets {
        rows.push(solve_ik_auto(arm.closed_form.as_ref(), &arm.chain, target, &config).unwrap().joints);
        config.seed = rows.last().cloned();
    }
    rows
}

#[test]
fn it_is_the_loop_over_single_calls_where_that_does_not_jump() {
    for name in ["ur5e", "abb_irb1200", "franka_panda", "kuka_iiwa14", "fetch"] {
        let arm = Arm::named(name);
        let (mut agree, total) = (0, cases(12, 200));
        for seed in 0..total {
            let way = way(&arm, seed as u64, 80, 0.01);
            let targets = poses(&arm, &way);
            let path = arm.solve(&targets, &from(&way[0]));
            let rows = looped(&arm, &targets, &way[0]);
            let is_same = |(index, row): (usize, &JointValues)| {
                path.configuration(index).is_some_and(|q| q.iter().zip(row.iter()).all(|(a, b)| (a - b).abs() < 1e-6))
            };
            agree += usize::from(rows.iter().enumerate().all(is_same));
        }
        // Beside singularities the nearest by the largest step and the nearest by the length may be two.
        assert!(agree * 10 >= total * 9, "{name}: {agree} of {total}");
    }
}

/// The least largest step over all branches on all turns, by trying all.
fn least_step(arm: &Arm, target: &Pose, from: &[f64]) -> f64 {
    let options = kinetic_ik::analytic::SolveOptions { turns: true, ..Default::default() };
    let found = arm.closed_form.as_ref().unwrap().solve(target, &options).unwrap();
    let step = |q: &[f64]| q.iter().zip(from).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
    found.iter().map(|solution| step(&solution.q)).fold(f64::INFINITY, f64::min)
}

#[test]
fn each_pose_takes_the_branch_and_turn_of_the_least_largest_step() {
    for name in ["ur5e", "abb_irb1200"] {
        let arm = Arm::named(name);
        for seed in 0..cases(10, 200) {
            let way = way(&arm, seed as u64, 40, 0.05);
            let targets = poses(&arm, &way);
            let path = arm.solve(&targets, &from(&way[0]));
            let mut before = way[0].clone();
            for (index, target) in targets.iter().enumerate().filter(|(index, _)| path.success[*index]) {
                let q = path.configuration(index).unwrap();
                let own = q.iter().zip(&before).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
                let least = least_step(&arm, target, &before);
                assert!(own <= least + 1e-6, "{name}, seed {seed}, pose {index}: {own} where {least} suffices");
                before = q.to_vec();
            }
        }
    }
}

#[test]
fn a_singular_wrist_is_passed_without_a_jump() {
    for name in ["ur5e", "abb_irb1200"] {
        let arm = Arm::named(name);
        let begin = [0.3, -1.0, 1.2, -0.4, -0.5, 0.7];
        let at = |step: usize| {
            let mut q = begin.to_vec();
            // Exactly singular in the middle.
            q[4] += 0.01 * step as f64;
            q[0] += 0.002 * step as f64;
            q
        };
        let targets: Vec<Pose> = (0..=100).map(|step| arm.tool(&at(step))).collect();
        let path = arm.solve(&targets, &from(&begin));
        arm.check(&targets, &path, &from(&begin), CLOSED, name);
        assert!(path.largest_step < 0.02, "{name}: {}", path.largest_step);
    }
}

/// A joint that begins in the middle of its turns meets its limit: the path that looks ahead begins on another turn.
#[test]
fn a_dead_end_that_a_look_ahead_avoids_is_named_with_its_pose() {
    let arm = Arm::named("ur5e");
    let at = |angle: f64| [0.3, -1.0, 1.2, -0.4, 0.8, angle];
    // Almost two turns: they fit between the limits, and not between the middle and a limit.
    let targets: Vec<Pose> = (0..120).map(|step| arm.tool(&at(0.1 * f64::from(step)))).collect();
    let free = PathOptions { method: PathMethod::Local, ..PathOptions::default() };
    let local = arm.solve(&targets, &free);
    let global = arm.solve(&targets, &PathOptions::default());
    arm.check(&targets, &global, &PathOptions::default(), CLOSED, "global");
    let obstacle = &local.obstacles[0];
    assert_eq!((obstacle.id(), obstacle.joint()), ("limit", Some("wrist_3_joint")), "{:?}", local.obstacles);
    // The first pose is reached on the turn in the middle; what is left to the limit decides where the path ends.
    let first = local.configuration(0).unwrap()[5];
    let room = arm.chain.bounds()[5].1 - first;
    assert_eq!(obstacle.index(), (0..120).filter(|step| 0.1 * f64::from(*step) <= room).count());
    assert_eq!(local.splits[0], obstacle.index());
    assert!(local.success[..obstacle.index()].iter().all(|success| *success) && !local.success[obstacle.index()]);
}

/// A redundant arm that walks into a limit where the path chosen together keeps clear of it.
#[test]
fn a_redundant_arm_may_end_where_a_path_chosen_together_goes_on() {
    let (mut ends, mut named) = (0, 0);
    let arm = Arm::named("kuka_iiwa14");
    for seed in 0..cases(30, 100) {
        let way = way(&arm, seed as u64, 200, 0.03);
        let targets = poses(&arm, &way);
        let local = arm.solve(&targets, &from(&way[0]));
        let Some(obstacle) = local.obstacles.first() else { continue };
        let options = PathOptions { start: Some(way[0].clone().into()), ..PathOptions::default() };
        let global = arm.solve(&targets, &options);
        if global.obstacles.is_empty() {
            arm.check(&targets, &global, &options, CLOSED, &format!("seed {seed}"));
            ends += 1;
            named +=
                usize::from(!local.success[obstacle.index()] && local.success[..obstacle.index()].iter().all(|s| *s));
        }
    }
    assert!(ends > 0);
    assert_eq!(ends, named);
}

#[test]
fn poses_out_of_reach_are_named_once_and_the_path_starts_anew() {
    for name in ["ur5e", "franka_panda"] {
        let arm = Arm::named(name);
        let way = way(&arm, 3, 1, 0.0);
        let near = arm.tool(&way[0]);
        let far = Pose::from_xyz(9.0, 0.0, 0.0);
        for options in [from(&way[0]), PathOptions { method: PathMethod::Local, ..PathOptions::default() }] {
            let path = arm.solve(&[near, far, far, near], &options);
            let indices: Vec<_> = path.obstacles.iter().map(|obstacle| (obstacle.id(), obstacle.index())).collect();
            assert_eq!(indices, [("unreachable", 1)], "{name}");
            assert_eq!((path.success.as_slice(), path.splits.as_slice()), (&[true, false, false, true][..], &[3][..]));
            assert!(path.configuration(1).is_none() && path.configuration(2).is_none(), "{name}");
        }
    }
}

/// Jumps are judged as by the ladder: same kind, same pose, same bound.
#[test]
fn a_tool_that_jumps_is_judged_as_by_the_global_method() {
    for (name, dof) in [("ur5e", 6), ("franka_panda", 7)] {
        let arm = Arm::named(name);
        let q = [0.2, 0.4, 0.1, -1.8, 0.3, 1.7, 0.5];
        let start = arm.tool(&q[..dof]);
        let mut targets = vec![start; 5];
        targets.extend(vec![Pose::from_xyz(0.0, -0.2, 0.0) * start; 5]);
        let bounded = PathOptions { max_joint_step: Some(vec![0.05; dof]), ..from(&q[..dof]) };
        let local = arm.solve(&targets, &bounded);
        let global = arm.solve(&targets, &PathOptions { method: PathMethod::Global, ..bounded });
        let facts = |path: &IKPath| (path.obstacles[0].id(), path.obstacles[0].index(), path.splits.clone());
        assert_eq!(facts(&local), facts(&global), "{name}");
        assert_eq!(local.success, global.success, "{name}");
    }
}

#[test]
fn without_a_start_the_path_begins_where_a_single_call_does() {
    for name in ["ur5e", "franka_panda", "xarm6"] {
        let arm = Arm::named(name);
        let target = arm.tool(&way(&arm, 5, 1, 0.0)[0]);
        let options = PathOptions { method: PathMethod::Local, ..PathOptions::default() };
        let path = arm.solve(&[target], &options);
        let single = match &arm.closed_form {
            Some(form) => solve_ik_auto(Some(form), &arm.chain, &target, &IKConfig::default()),
            None => solve_ik(&arm.chain, &target, &IKConfig::default()),
        };
        let (q, single) = (path.configuration(0).unwrap(), single.unwrap().joints);
        assert!(q.iter().zip(single.iter()).all(|(a, b)| (a - b).abs() < 1e-2), "{name}: {q:?} {single:?}");
        assert_eq!((path.reason(), path.splits.len()), (None, 0));
    }
}

#[test]
fn tolerances_are_used_from_pose_to_pose() {
    let arm = Arm::named("ur5e");
    let q = [0.3, -1.2, 1.6, -2.0, -1.5, 0.1];
    let start = arm.tool(&q);
    let targets: Vec<Pose> = (0..20)
        .map(|step| {
            let turn = Pose::from_xyz_rpy(0.0, 0.0, 0.0, 0.0, 0.0, 0.5 * f64::from(step));
            Pose::from_xyz(0.0, -0.004 * f64::from(step), 0.0) * start * turn
        })
        .collect();
    assert!(!arm.solve(&targets, &from(&q)).obstacles.is_empty());
    let options = PathOptions { tolerance: vec![PathTolerance::free_turn(Vector3::z())], ..from(&q) };
    let path = arm.solve(&targets, &options);
    assert_eq!(path.reason(), None);
    for (index, target) in targets.iter().enumerate() {
        let reached = arm.tool(path.configuration(index).unwrap());
        let (wanted, axis) = (target.rotation() * Vector3::z(), reached.rotation() * Vector3::z());
        assert!(reached.translation_distance(target) < CLOSED && (wanted - axis).norm() < CLOSED, "pose {index}");
    }
}

#[test]
fn a_stop_ends_it_and_bad_input_is_refused() {
    let arm = Arm::named("franka_panda");
    let q = [0.2, 0.4, 0.1, -1.8, 0.3, 1.7, 0.5];
    let stop = StopFlag::default();
    stop.stop();
    let solve =
        |targets: &[Pose], options: &PathOptions| solve_ik_path(arm.closed_form.as_ref(), &arm.chain, targets, options);
    let stopped = solve(&[arm.tool(&q); 10], &PathOptions { stop, ..from(&q) });
    assert!(matches!(stopped, Err(KineticError::Cancelled { .. })));
    assert!(solve(&[], &from(&q)).unwrap_err().is_input_error());
    assert!(solve(&[arm.tool(&q)], &from(&[0.0; 3])).unwrap_err().is_input_error());
    let error = "both".parse::<PathMethod>().unwrap_err();
    assert!(error.to_string().contains("global") && error.to_string().contains("local"), "{error}");
}

#[test]
fn a_start_outside_the_limits_is_left_by_one_step() {
    let mut robot = Robot::from_name("franka_panda").unwrap();
    (robot.joint_limits[6].lower, robot.joint_limits[6].upper) = (-1.0, 1.0);
    let arm = Arm::of(robot);
    let q = [0.2, 0.4, 0.1, -1.8, 0.3, 1.7, 1.05];
    let path = arm.solve(&[arm.tool(&q)], &from(&q));
    check(&arm, &[arm.tool(&q)], &path, &q, 1.0, "start outside");
    assert_eq!(path.reason(), None);
}
