//! Paths of arms, judged by forward kinematics as the URDF specification reads.

use std::f64::consts::{PI, TAU};

use kinetic_core::Pose;
use kinetic_core::rng::SeededRng;
use kinetic_ik::analytic::{Branches, Manipulator, TolerancePolicy};
use kinetic_ik::path::DEFAULT_TURNING_STEP;
use kinetic_ik::{IKPath, Obstacle, PathOptions, solve_ik_path};
use kinetic_kinematics::{KinematicChain, Rigid};
use kinetic_robot::Robot;

use crate::{cases, plain};

/// What closed forms close to, with the rounding of quaternions.
const CLOSED: f64 = 1e-9;
/// What configurations that are followed numerically close to.
const FOLLOWED: f64 = 1e-8;

pub(super) struct Arm {
    pub(super) robot: Robot,
    pub(super) chain: KinematicChain,
    pub(super) closed_form: Option<Manipulator>,
}

impl Arm {
    pub(super) fn named(name: &str) -> Self {
        Self::of(Robot::from_name(name).unwrap())
    }

    pub(super) fn of(robot: Robot) -> Self {
        let chain = KinematicChain::auto_detect(&robot).unwrap();
        let closed_form = Manipulator::from_chain(chain.clone(), TolerancePolicy::default()).ok();
        Self { robot, chain, closed_form }
    }

    pub(super) fn solve(&self, targets: &[Pose], options: &PathOptions) -> IKPath {
        solve_ik_path(self.closed_form.as_ref(), &self.chain, targets, options).unwrap()
    }

    /// The tool by another forward kinematics.
    pub(super) fn tool(&self, q: &[f64]) -> Pose {
        let group = &self.robot.groups[self.robot.default_group];
        let full = self.robot.full_configuration(group, q).unwrap();
        let poses = plain::link_poses(&self.robot, &full);
        poses[group.base_link].inverse() * poses[group.tip_link] * group.tip_from_tcp
    }

    /// All poses are reached within limits and steps, without a split.
    pub(super) fn check(&self, targets: &[Pose], path: &IKPath, options: &PathOptions, closed: f64, what: &str) {
        assert!(path.success.iter().all(|success| *success), "{what}: {:?}", path.reason());
        assert_eq!((path.reason(), path.splits.len()), (None, 0), "{what}");
        let mut last = options.start.as_ref().map(|start| start.to_vec());
        let mut largest = 0.0_f64;
        for (index, target) in targets.iter().enumerate() {
            let q = path.configuration(index).unwrap();
            let reached = self.tool(q);
            let error = reached.translation_distance(target).max(reached.rotation_distance(target));
            assert!(error < closed, "{what}: pose {index} is off by {error:e}");
            let inside = q.iter().zip(self.chain.bounds()).all(|(q, (low, high))| (low..=high).contains(&q));
            assert!(inside, "{what}: pose {index} {q:?}");
            if let Some(last) = &last {
                largest = q.iter().zip(last).map(|(a, b)| (a - b).abs()).fold(largest, f64::max);
            }
            last = Some(q.to_vec());
        }
        assert!((largest - path.largest_step).abs() < 1e-9, "{what}: {largest} {}", path.largest_step);
    }
}

/// Beside a singularity two branches that differ by less than this, rad, are listed as one: the policy's
/// `subproblem_dedup`.
const MERGED: f64 = 1e-3;

/// A smooth way through random configurations.
fn smooth(arm: &Arm, rng: &mut SeededRng, count: usize) -> Vec<Vec<f64>> {
    let group = &arm.robot.groups[arm.robot.default_group];
    let (a, b) = (arm.robot.random_configuration(group, rng), arm.robot.random_configuration(group, rng));
    let at = |index: usize| a.lerp(&b, index as f64 / (count - 1) as f64).0;
    (0..count).map(at).collect()
}

fn poses(arm: &Arm, way: &[Vec<f64>]) -> Vec<Pose> {
    way.iter().map(|q| arm.tool(q)).collect()
}

#[test]
fn smooth_paths_are_followed_from_their_start_and_without_one() {
    for name in ["ur5e", "abb_irb1200", "ur10e"] {
        let arm = Arm::named(name);
        for case in 0..cases(20, 500) {
            let mut rng = SeededRng::new(case as u64);
            let way = smooth(&arm, &mut rng, 60);
            let targets = poses(&arm, &way);
            let what = format!("{name}, case {case}");
            let options = PathOptions { start: Some(way[0].clone().into()), ..PathOptions::default() };
            let from_start = arm.solve(&targets, &options);
            arm.check(&targets, &from_start, &options, FOLLOWED, &what);
            let free = arm.solve(&targets, &PathOptions::default());
            arm.check(&targets, &free, &PathOptions::default(), FOLLOWED, &what);
            // The way itself is a path: none that is returned has a larger step.
            let step = |pair: &[Vec<f64>]| pair[0].iter().zip(&pair[1]).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
            let largest = way.windows(2).map(step).fold(0.0, f64::max);
            assert!(from_start.largest_step <= largest + MERGED, "{what}: {} {largest}", from_start.largest_step);
            assert!(free.largest_step <= from_start.largest_step + 1e-9, "{what}");
        }
    }
}

#[test]
fn a_path_through_a_singular_wrist_changes_branch_without_a_jump() {
    for (name, fourth) in [("ur5e", -0.4), ("abb_irb1200", -0.4), ("abb_irb1200", 4.0)] {
        let mut robot = Robot::from_name(name).unwrap();
        if fourth > PI {
            // The angle is inside the limits on another turn than the one that closed forms name.
            (robot.joint_limits[3].lower, robot.joint_limits[3].upper) = (2.0, 6.0);
        }
        let arm = Arm::of(robot);
        let begin = [0.3, -1.0, 1.2, fourth, -0.5, 0.7];
        let way: Vec<Vec<f64>> = (0..=100)
            .map(|step| {
                let mut q = begin.to_vec();
                // Exactly singular in the middle.
                q[4] += 0.01 * f64::from(step);
                q[0] += 0.002 * f64::from(step);
                q
            })
            .collect();
        let targets = poses(&arm, &way);
        let options = PathOptions { start: Some(begin.into()), ..PathOptions::default() };
        let path = arm.solve(&targets, &options);
        arm.check(&targets, &path, &options, FOLLOWED, name);
        assert!(path.largest_step < 0.02, "{name}: {}", path.largest_step);
    }
}

#[test]
fn a_corner_at_a_singular_wrist_is_named_with_pose_and_joint() {
    let arm = Arm::named("abb_irb1200");
    // Moving joint 5 leans the flange in the plane that joint 4 sets: one plane before, another after.
    let leaning = |plane: f64, angle: f64| [0.2, 0.3, -0.2, plane, angle, -plane];
    let mut targets: Vec<Pose> = (1..=10).rev().map(|step| arm.tool(&leaning(0.0, 0.03 * f64::from(step)))).collect();
    targets.extend((1..=10).map(|step| arm.tool(&leaning(PI / 2.0, 0.03 * f64::from(step)))));
    let options = PathOptions { start: Some(leaning(0.0, 0.3).into()), ..PathOptions::default() };
    let path = arm.solve(&targets, &options);
    assert_eq!((path.splits.as_slice(), path.obstacles.len()), (&[10][..], 1), "{:?}", path.obstacles);
    let Obstacle::Singularity { index, joint, step, bound } = &path.obstacles[0] else {
        panic!("{:?}", path.obstacles)
    };
    assert_eq!((*index, *bound), (10, DEFAULT_TURNING_STEP));
    assert!(["joint_4", "joint_6"].contains(&joint.as_str()), "{joint}");
    assert!((step - PI / 2.0).abs() < 0.01, "{step}");
    let failed: Vec<usize> = (0..20).filter(|index| !path.success[*index]).collect();
    assert_eq!(failed, [10]);
    assert!(path.reason().unwrap().contains("singularity"));
}

#[test]
fn a_joint_that_winds_beyond_its_limit_is_named_and_fits_without_a_start() {
    let arm = Arm::named("ur5e");
    let at = |angle: f64| [0.3, -1.0, 1.2, -0.4, 0.8, angle];
    // Two and a half turns of the last joint, whose limits are two turns from its middle to each side.
    // 63 steps make more than one turn, 62 less.
    let (step, beyond, count) = (0.1, 63, 157);
    let targets: Vec<Pose> = (0..count).map(|index| arm.tool(&at(step * f64::from(index)))).collect();
    let options = PathOptions { start: Some(at(0.0).into()), ..PathOptions::default() };
    let path = arm.solve(&targets, &options);
    let Obstacle::Limit { index, joint, excess, limits } = &path.obstacles[0] else { panic!("{:?}", path.obstacles) };
    assert_eq!((*index, joint.as_str(), limits.1), (beyond, "wrist_3_joint", arm.chain.bounds()[5].1));
    assert!((excess - (step * beyond as f64 - limits.1)).abs() < 1e-9, "{excess}");
    assert_eq!(path.splits.len(), 1, "after the split the turns start over: {:?}", path.splits);
    assert!(path.splits[0] <= beyond);
    let free = arm.solve(&targets[..119], &PathOptions::default());
    arm.check(&targets[..free.success.len()], &free, &PathOptions::default(), CLOSED, "without a start");
    assert!((free.configuration(0).unwrap()[5] + TAU).abs() < 1e-6, "begins a turn below");
}

#[test]
fn poses_out_of_reach_are_marked_and_the_path_goes_on_behind_them() {
    let arm = Arm::named("ur5e");
    let start = arm.tool(&[0.3, -1.2, 1.6, -0.4, 0.8, 0.1]);
    // Out along x and back.
    let out: Vec<f64> = (0..60).map(|step| 0.02 * f64::from(step)).collect();
    let way: Vec<f64> = out.iter().chain(out.iter().rev()).copied().collect();
    let targets: Vec<Pose> = way.iter().map(|x| Pose::from_xyz(*x, 0.0, 0.0) * start).collect();
    let path = arm.solve(&targets, &PathOptions::default());
    let mut branches = Branches::default();
    let reached = |target: &Pose, branches: &mut Branches| {
        arm.closed_form.as_ref().unwrap().branches(&Rigid::from(target), branches);
        !branches.as_slice().is_empty()
    };
    let expected: Vec<bool> = targets.iter().map(|target| reached(target, &mut branches)).collect();
    assert!(expected.contains(&false) && expected[0]);
    assert_eq!(path.success, expected);
    let first = expected.iter().position(|reached| !reached).unwrap();
    let Obstacle::Unreachable { index, error } = path.obstacles[0] else { panic!("{:?}", path.obstacles) };
    assert_eq!((index, path.obstacles.len()), (first, 1));
    assert!(error > 1e-4 && error < 0.1, "{error}: just out of reach");
    assert_eq!(path.splits, [expected.iter().rposition(|reached| !reached).unwrap() + 1]);
    assert!(path.configuration(first).is_none() && path.configuration(first - 1).is_some());
}

#[test]
fn a_pose_that_limits_forbid_names_the_joint() {
    let mut robot = Robot::from_name("ur5e").unwrap();
    let elbow = 2;
    (robot.joint_limits[elbow].lower, robot.joint_limits[elbow].upper) = (2.8, 3.0);
    let arm = Arm::of(robot);
    let q = [0.3, -1.2, 1.6, -0.4, 0.8, 0.1];
    let path = arm.solve(&[arm.tool(&q)], &PathOptions::default());
    let Obstacle::Limit { index, joint, excess, limits } = &path.obstacles[0] else { panic!("{:?}", path.obstacles) };
    assert_eq!((*index, joint.as_str(), *limits), (0, "elbow_joint", (2.8, 3.0)));
    // Elbow up and elbow down, by mirror symmetry 1.6 and −1.6; other shoulders fold the elbow further or less.
    assert!(*excess > 0.0 && *excess <= 1.2 + 1e-9, "{excess}");
    assert!(!path.success[0] && path.configuration(0).is_none());
}

#[test]
fn a_far_start_is_a_jump() {
    let arm = Arm::named("ur5e");
    let q = [0.3, -1.2, 1.6, -0.4, 0.8, 0.1];
    let away = [0.3, -1.2, 1.6, -0.4, 0.8, 1.6];
    let options = PathOptions { start: Some(away.into()), ..PathOptions::default() };
    let path = arm.solve(&[arm.tool(&q), arm.tool(&q)], &options);
    let Obstacle::Jump { index, joint, step, .. } = &path.obstacles[0] else { panic!("{:?}", path.obstacles) };
    assert_eq!((*index, joint.as_str()), (0, "wrist_3_joint"));
    assert!((step - 1.5).abs() < 1e-9);
    assert_eq!((path.success.as_slice(), path.splits.as_slice()), (&[false, true][..], &[0][..]));
}

#[test]
fn arms_without_closed_form_are_followed_numerically() {
    for name in ["franka_panda", "fetch"] {
        let arm = Arm::named(name);
        let closed_form = None;
        for case in 0..cases(3, 50) {
            let mut rng = SeededRng::new(50 + case as u64);
            let way = smooth(&arm, &mut rng, 80);
            let targets = poses(&arm, &way);
            let options = PathOptions { start: Some(way[0].clone().into()), ..PathOptions::default() };
            let path = solve_ik_path(closed_form, &arm.chain, &targets, &options).unwrap();
            let again = solve_ik_path(closed_form, &arm.chain, &targets, &options).unwrap();
            assert_eq!(path, again, "the same seed gives the same path");
            // Followed by least steps a redundant arm may run into a limit; then it says so.
            if path.obstacles.is_empty() {
                arm.check(&targets, &path, &options, FOLLOWED, &format!("{name}, case {case}"));
            } else {
                assert!(path.obstacles.iter().all(|obstacle| obstacle.id() != "unreachable"), "{:?}", path.obstacles);
            }
            let free = solve_ik_path(closed_form, &arm.chain, &targets, &PathOptions::default()).unwrap();
            if free.obstacles.is_empty() {
                arm.check(&targets, &free, &PathOptions::default(), FOLLOWED, &format!("{name}, case {case}"));
            }
        }
    }
}
