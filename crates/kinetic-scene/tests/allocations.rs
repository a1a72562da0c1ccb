//! Hot loops allocate nothing once their buffers have grown.

use kinetic_core::Pose;
use kinetic_core::rng::SeededRng;
use kinetic_kinematics::{KinematicChain, Rigid, jacobian};
use kinetic_scene::{LiveScene, Margins, Scene};

use crate::support::{boxes, built_in, random_configuration, with_boxes};
use allocation_counter::measure;

#[test]
fn poses_jacobians_and_queries_do_not_allocate() {
    let robot = built_in("ur5e");
    let mut rng = SeededRng::new(12);
    let scene = with_boxes(&robot, &boxes(&mut rng, 10));
    let mut checker = scene.checker("arm", Margins::new(0.01, 0.0)).unwrap();
    let chain = KinematicChain::auto_detect(&robot).unwrap();
    let mut frames = vec![Rigid::identity(); chain.program().num_frames()];
    let mut columns = vec![0.0; 6 * chain.dof()];
    let motions: Vec<(Vec<f64>, Vec<f64>)> = (0..200)
        .map(|_| {
            let from = random_configuration(&robot, &mut rng);
            let to = from.iter().map(|q| q + rng.uniform(-0.3, 0.3)).collect();
            (from, to)
        })
        .collect();
    let mut one = [false];
    let mut once = || {
        let mut free = 0;
        for (from, to) in &motions {
            let tip = chain.tip_rigid(from, &mut frames);
            jacobian::fill(&chain, &frames, &tip.translation, &mut columns);
            free += usize::from(checker.is_free(from)) + usize::from(checker.is_motion_free(from, to));
            free += usize::from(checker.is_motion_sampled_free(from, to, 32.0));
            checker.are_free_into(from, &mut one);
            free += usize::from(checker.are_all_free(from));
        }
        free
    };
    let free = once();
    assert!(free > 20 && free < 800, "{free}");
    // A proof's buffers change roles from level to level; a few passes let each of them grow.
    for _ in 0..4 {
        once();
    }
    let info = measure(|| {
        once();
    });
    assert_eq!(info.count_total, 0, "{info:?}");
}

/// A planner in a scene takes it with the robot it is for, at every plan.
#[test]
fn a_scene_around_its_own_robot_keeps_the_checkers_that_wait() {
    let robot = built_in("ur5e");
    let scene = with_boxes(&robot, &boxes(&mut SeededRng::new(4), 10));
    let q = vec![0.0; robot.groups[robot.default_group].dof()];
    let ask = || {
        let own = scene.with_robot(&robot).unwrap();
        own.ask_checker_within("arm", Margins::ZERO, None, |checker| checker.is_free(&q)).unwrap()
    };
    let first = measure(|| {
        ask();
    });
    let second = measure(|| {
        ask();
    });
    assert!(first.count_total > 50 && second.count_total < 5, "{first:?}, {second:?}");
}

/// What a copy of all objects would take is a hundred times as much.
#[test]
fn a_move_among_ten_thousand_objects_copies_little_while_a_snapshot_is_in_use() {
    let robot = built_in("ur5e");
    let mut scene = Scene::new(&robot).unwrap();
    for index in 0..10_000 {
        scene.add_sphere(&format!("{index}"), 0.01, [2.0, 0.001 * f64::from(index), 0.0]).unwrap();
    }
    let q = vec![0.0; robot.groups[robot.default_group].dof()];
    let live = LiveScene::new(scene);
    assert!(!live.snapshot().check_collision(&q).unwrap());
    for step in 0..20 {
        let before = live.snapshot();
        let name = format!("{}", 499 * step);
        let edit = measure(|| live.update_pose(&name, Pose::from_xyz(2.0, -1.0, f64::from(step))).unwrap());
        assert!(edit.bytes_total < 10_000, "step {step}: {edit:?}");
        let check = measure(|| assert!(!live.snapshot().check_collision(&q).unwrap()));
        assert!(check.bytes_total < 10_000, "step {step}: {check:?}");
        assert!(!before.check_collision(&q).unwrap());
    }
}
