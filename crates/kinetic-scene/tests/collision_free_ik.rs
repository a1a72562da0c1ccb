//! Branches without collision, against the plain list of branches and one question to the scene about each.

use std::sync::Arc;

use kinetic_core::rng::SeededRng;
use kinetic_core::{JointValues, KineticError, Pose, Shape};
use kinetic_ik::InverseKinematics;
use kinetic_ik::analytic::SolveOptions;
use kinetic_robot::Robot;
use kinetic_scene::{Margins, Scene};

fn crowded(name: &str) -> (Scene, InverseKinematics) {
    let robot = Arc::new(Robot::from_name(name).unwrap());
    let ik = InverseKinematics::from_robot(&robot).unwrap();
    let mut scene = Scene::new(&robot).unwrap();
    let shelf = Shape::box_from_size(2.0, 2.0, 0.02).unwrap();
    scene.add("shelf", shelf, Pose::from_xyz(0.0, 0.0, 0.75)).unwrap();
    let post = Shape::box_from_size(0.05, 0.05, 1.0).unwrap();
    scene.add("post", post, Pose::from_xyz(0.3, 0.3, 0.5)).unwrap();
    (scene, ik)
}

fn targets(scene: &Scene, ik: &InverseKinematics, count: usize) -> Vec<Pose> {
    let robot = scene.robot();
    let group = &robot.groups[robot.default_group];
    let mut rng = SeededRng::new(11);
    (0..count).map(|_| ik.chain().tip_pose(&robot.random_configuration(group, &mut rng))).collect()
}

#[test]
fn they_are_the_free_ones_of_all_branches_in_their_order() {
    for name in ["ur5e", "kuka_iiwa14"] {
        let (scene, ik) = crowded(name);
        let group = scene.robot().groups[scene.robot().default_group].name.clone();
        let mut num_dropped = 0;
        for target in targets(&scene, &ik, 12) {
            for (margins, respect_limits) in
                [(Margins::ZERO, true), (Margins::new(0.04, 0.01), true), (Margins::ZERO, false)]
            {
                let seed = Some(JointValues::from(vec![0.1; ik.chain().dof()]));
                let options = SolveOptions { seed, respect_limits, ..SolveOptions::default() };
                let mut checker = scene.checker(&group, margins).unwrap();
                let every = ik.solve_all(&target, &options).unwrap();
                let wanted: Vec<_> =
                    every.iter().filter(|branch| checker.is_free(&branch.q)).map(|one| &one.q).collect();
                let found = scene.collision_free_branches(&ik, &target, &options, margins).unwrap();
                assert_eq!(wanted, found.iter().map(|branch| &branch.q).collect::<Vec<_>>(), "{name}");
                let first = SolveOptions { max_solutions: Some(1), ..options };
                let first = scene.collision_free_branches(&ik, &target, &first, margins).unwrap();
                assert_eq!(first.len(), wanted.len().min(1), "{name}");
                assert!(first.iter().all(|branch| checker.is_free(&branch.q)), "{name}");
                num_dropped += usize::from(!wanted.is_empty() && wanted.len() < every.len());
            }
        }
        assert!(num_dropped > 5, "{name}: {num_dropped}");
    }
}

#[test]
fn chains_of_other_groups_and_wrong_margins_are_refused() {
    let (scene, ik) = crowded("ur5e");
    let target = ik.chain().tip_pose(&[0.1, -1.2, 1.3, -0.4, 0.5, 0.6]);
    let (_, other) = crowded("kuka_iiwa14");
    let options = SolveOptions::default();
    let error = scene.collision_free_branches(&other, &target, &options, Margins::ZERO).unwrap_err();
    assert!(matches!(error, KineticError::DimensionMismatch { got: 7, .. }), "{error}");
    let error = scene.collision_free_branches(&ik, &target, &options, Margins::new(-0.1, 0.0)).unwrap_err();
    assert!(matches!(error, KineticError::InvalidValue { .. }), "{error}");
}

#[test]
fn batches_have_free_answers_wherever_a_branch_is_free() {
    let (scene, ik) = crowded("ur5e");
    let group = scene.robot().groups[scene.robot().default_group].name.clone();
    let (targets, margins, config) = (targets(&scene, &ik, 60), Margins::new(0.02, 0.0), ik.config());
    let free = |q: &[f64]| Ok(scene.are_free(q, q.len(), margins)? == [true]);
    let found = ik.solve_batch_where(&targets, &[], &config, &free).unwrap();
    let plain = ik.solve_batch(&targets, &[], &config).unwrap();
    let mut checker = scene.checker(&group, margins).unwrap();
    let (mut some, mut moved) = (0, 0);
    for ((target, found), plain) in targets.iter().zip(&found).zip(&plain) {
        let branches = scene.collision_free_branches(&ik, target, &SolveOptions::default(), margins).unwrap();
        assert_eq!(found.is_some(), !branches.is_empty());
        let Some(found) = found else { continue };
        assert!(checker.is_free(&found.joints));
        some += 1;
        moved += usize::from(plain.as_ref().is_some_and(|plain| !checker.is_free(&plain.joints)));
    }
    assert!(some > 20 && moved > 3, "{some} free, {moved} of them not the nearest");
}
