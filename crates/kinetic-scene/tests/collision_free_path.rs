//! Paths without collision, against all sequences of branches with the scene's own verdict about each.

use std::f64::consts::{PI, TAU};
use std::sync::Arc;

use kinetic_core::rng::SeededRng;
use kinetic_core::{JointValues, KineticError, Pose, Shape};
use kinetic_ik::analytic::SolveOptions;
use kinetic_ik::{IKPath, InverseKinematics, Obstacle, PathMethod, PathOptions};
use kinetic_robot::Robot;
use kinetic_scene::{Checker, Margins, Scene};

fn arm(name: &str) -> (Scene, InverseKinematics) {
    let robot = Arc::new(Robot::from_name(name).unwrap());
    let ik = InverseKinematics::from_robot(&robot).unwrap();
    (Scene::new(&robot).unwrap(), ik)
}

fn checker(scene: &Scene, margins: Margins) -> Checker {
    let group = &scene.robot().groups[scene.robot().default_group];
    scene.checker(&group.name, margins).unwrap()
}

/// `to` on the turns nearest to `from`.
fn nearest_turns(from: &[f64], to: &[f64]) -> Vec<f64> {
    from.iter().zip(to).map(|(from, to)| to + TAU * ((from - to) / TAU).round()).collect()
}

/// How many poses any sequence of branches gets to from the start, by trying all of them.
fn farthest(
    scene: &Scene,
    ik: &InverseKinematics,
    targets: &[Pose],
    (start, step): (&[f64], f64),
    margins: Margins,
) -> usize {
    let mut checker = checker(scene, margins);
    let inside = |q: &[f64]| q.iter().zip(ik.chain().bounds()).all(|(q, (low, high))| (low..=high).contains(&q));
    let mut reached = vec![start.to_vec()];
    for (index, target) in targets.iter().enumerate() {
        let branches = ik.solve_all(target, &SolveOptions::default()).unwrap();
        let mut next = Vec::new();
        for branch in &branches {
            let goes = |from: &Vec<f64>| {
                let to = nearest_turns(from, &branch.q);
                let near = from.iter().zip(&to).all(|(from, to)| (from - to).abs() <= step);
                (near && inside(&to) && checker.is_motion_free(from, &to)).then_some(to)
            };
            next.extend(reached.iter().find_map(goes));
        }
        if next.is_empty() {
            return index;
        }
        reached = next;
    }
    targets.len()
}

#[test]
fn a_path_gets_as_far_as_the_best_sequence_of_branches() {
    let mut ends = [0; 3];
    for seed in 0..60 {
        let (mut scene, ik) = arm("ur5e");
        let mut rng = SeededRng::new(seed);
        for index in 0..6 {
            let center = Pose::from_xyz(rng.uniform(-0.7, 0.7), rng.uniform(-0.7, 0.7), rng.uniform(0.0, 0.9));
            scene.add(&format!("ball {index}"), Shape::sphere(0.06).unwrap(), center).unwrap();
        }
        let margins = Margins::new(0.01, 0.0);
        let group = &scene.robot().groups[scene.robot().default_group];
        let start = scene.robot().random_configuration(group, &mut rng);
        if !checker(&scene, margins).is_free(&start) {
            continue;
        }
        let (begin, toward) = (ik.chain().tip_pose(&start), [0.0; 3].map(|_| rng.uniform(-0.02, 0.02)));
        let target = |index: usize| {
            let part = (index + 1) as f64;
            let by = nalgebra::Translation3::new(part * toward[0], part * toward[1], part * toward[2]);
            Pose(by * begin.0)
        };
        let targets: Vec<Pose> = (0..12).map(target).collect();
        // Wide enough for changes of branch between neighbouring poses.
        let step = 2.5;
        let options =
            PathOptions { start: Some(start.clone()), max_joint_step: Some(vec![step; 6]), ..PathOptions::default() };
        let path = scene.collision_free_path(&ik, &targets, &options, margins).unwrap();
        let reached = path.obstacles.first().map_or(targets.len(), Obstacle::index);
        assert_eq!(reached, farthest(&scene, &ik, &targets, (&start, step), margins), "seed {seed}");
        let mut checker = checker(&scene, margins);
        let mut from = start.clone();
        for index in 0..reached.min(path.splits.first().copied().unwrap_or(usize::MAX)) {
            let to = JointValues::from(path.configuration(index).unwrap());
            assert!(checker.is_motion_free(&from, &to), "seed {seed}, pose {index}");
            from = to;
        }
        let is_blocked = path.obstacles.first().is_some_and(|first| first.id() == "collision");
        ends[if path.obstacles.is_empty() { 0 } else { 1 + usize::from(is_blocked) }] += 1;
        if let Some(Obstacle::Collision { distance, margin, other, .. }) = path.obstacles.first() {
            assert!(distance <= margin && !other.is_empty(), "seed {seed}");
        }
    }
    assert!(ends[0] > 3 && ends[2] > 3, "{ends:?}");
}

/// A line of 0.5 m in 60 poses.
fn line() -> Vec<Pose> {
    let begin = Pose::from_xyz_rpy(0.45, -0.25, 0.35, PI, 0.0, 0.0);
    (0..60).map(|index| Pose(nalgebra::Translation3::new(0.0, 0.5 * f64::from(index) / 59.0, 0.0) * begin.0)).collect()
}

/// A branch that goes along the whole line in an empty scene, and a scene with a ball where its wrist is at the end: the ball
/// is met on the way, and not before pose 10.
fn blocked_half_way(empty: &Scene, ik: &InverseKinematics, targets: &[Pose], margins: Margins) -> (Scene, IKPath) {
    let robot = Arc::clone(empty.robot());
    let wrist = kinetic_kinematics::KinematicChain::extract(&robot, &robot.links[0].name, "wrist_1_link").unwrap();
    for branch in ik.solve_all(&targets[0], &SolveOptions::default()).unwrap() {
        let options = PathOptions { start: Some(branch.q.clone()), ..PathOptions::default() };
        let alone = empty.collision_free_path(ik, targets, &options, Margins::ZERO).unwrap();
        let Some(last) = alone.configuration(59).filter(|_| alone.reason().is_none()) else { continue };
        let mut scene = Scene::new(&robot).unwrap();
        let center = wrist.tip_pose(&last[..4]).0.translation;
        scene.add("ball", Shape::sphere(0.02).unwrap(), Pose(center.into())).unwrap();
        let mut checker = checker(&scene, margins);
        if (0..10).all(|index| checker.is_free(alone.configuration(index).unwrap())) {
            return (scene, alone);
        }
    }
    panic!("every branch is blocked from the beginning");
}

#[test]
fn a_branch_that_is_blocked_half_way_is_left_for_one_that_goes_through() {
    let ((empty, ik), targets, margins) = (arm("ur5e"), line(), Margins::new(0.01, 0.0));
    let (scene, alone) = blocked_half_way(&empty, &ik, &targets, margins);
    let mut checker = checker(&scene, margins);
    let around = scene.collision_free_path(&ik, &targets, &PathOptions::default(), margins).unwrap();
    assert_eq!(around.reason(), None);
    let rows: Vec<&[f64]> = around.q.chunks_exact(6).collect();
    assert!(rows.windows(2).all(|pair| checker.is_motion_free(pair[0], pair[1])));
    // From the blocked branch there is no way on, by either method, and the report names the ball.
    for method in [PathMethod::Global, PathMethod::Local] {
        let start = Some(alone.configuration(0).unwrap().into());
        let options = PathOptions { method, start, ..PathOptions::default() };
        let stuck = scene.collision_free_path(&ik, &targets, &options, margins).unwrap();
        let first = &stuck.obstacles[0];
        assert_eq!((first.id(), first.pair().map(|pair| pair.1)), ("collision", Some("ball")), "{first}");
        assert!(first.index() >= 10, "{first}");
        // What is said to be reached is free, and so are the steps.
        let rows: Vec<&[f64]> = stuck.q.chunks_exact(6).collect();
        for index in (1..rows.len()).filter(|index| stuck.success[*index]) {
            let is_step = stuck.success[index - 1] && !stuck.splits.contains(&index);
            assert!(checker.is_free(rows[index]), "pose {index}");
            assert!(!is_step || checker.is_motion_free(rows[index - 1], rows[index]), "pose {index}");
        }
    }
}

#[test]
fn arms_with_self_motion_move_out_of_the_way() {
    let (empty, ik) = arm("franka_panda");
    let start = JointValues::from(vec![0.2, 0.4, 0.1, -1.8, 0.3, 1.7, 0.5]);
    let begin = ik.chain().tip_pose(&start);
    let target = |index: usize| Pose(nalgebra::Translation3::new(0.0, 0.004 * index as f64, 0.0) * begin.0);
    let targets: Vec<Pose> = (1..60).map(target).collect();
    let options = PathOptions { start: Some(start.clone()), ..PathOptions::default() };
    let alone = empty.collision_free_path(&ik, &targets, &options, Margins::ZERO).unwrap();
    assert_eq!(alone.reason(), None);
    let robot = Arc::clone(empty.robot());
    let elbow = kinetic_kinematics::KinematicChain::extract(&robot, &robot.links[0].name, "panda_link4").unwrap();
    let q = alone.configuration(58).unwrap();
    let ball = elbow.tip_pose(&q[..4]);
    let mut scene = Scene::new(&robot).unwrap();
    scene.add("ball", Shape::sphere(0.02).unwrap(), Pose(ball.0.translation.into())).unwrap();
    let margins = Margins::new(0.005, 0.0);
    let mut checker = checker(&scene, margins);
    assert!(!checker.is_free(q) && checker.is_free(&start));
    let around = scene.collision_free_path(&ik, &targets, &options, margins).unwrap();
    assert_eq!(around.reason(), None);
    let mut from = start.0.clone();
    for row in around.q.chunks_exact(7) {
        assert!(checker.is_motion_free(&from, row));
        from = row.to_vec();
    }
    for (row, target) in around.q.chunks_exact(7).zip(&targets) {
        assert!(ik.chain().tip_pose(row).translation_distance(target) < 1e-7);
    }
}

#[test]
fn chains_of_other_groups_and_wrong_margins_are_refused() {
    let ((scene, ik), targets) = (arm("ur5e"), line());
    let (_, other) = arm("kuka_iiwa14");
    let options = PathOptions::default();
    let error = scene.collision_free_path(&other, &targets, &options, Margins::ZERO).unwrap_err();
    assert!(matches!(error, KineticError::DimensionMismatch { got: 7, .. }), "{error}");
    let error = scene.collision_free_path(&ik, &targets, &options, Margins::new(-0.1, 0.0)).unwrap_err();
    assert!(matches!(error, KineticError::InvalidValue { .. }), "{error}");
}
