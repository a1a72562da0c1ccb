//! Checkers that wait in the scene answer as new ones do, each what it was made for.

use kinetic_core::config::WorkspaceBounds;
use kinetic_core::rng::SeededRng;
use kinetic_scene::{Checker, Margins, Scene};

use crate::cases;
use crate::support::{boxes, built_in, random_configuration, with_boxes};

/// Kinds of questions, more than wait at a time.
fn kinds() -> Vec<(Margins, Option<WorkspaceBounds>)> {
    let small = WorkspaceBounds { min: [-0.5; 3], max: [0.5, 0.5, 1.0] };
    let margins = (0..12).map(|step| Margins::new(0.02 * f64::from(step), 0.0));
    margins.flat_map(|margins| [(margins, None), (margins, Some(small))]).collect()
}

fn ask<T>(scene: &Scene, kind: &(Margins, Option<WorkspaceBounds>), question: impl FnOnce(&mut Checker) -> T) -> T {
    scene.ask_checker_within("arm", kind.0, kind.1.as_ref(), question).unwrap()
}

#[test]
fn waiting_checkers_keep_margins_workspace_and_edits_apart() {
    let robot = built_in("ur5e");
    let mut rng = SeededRng::new(3);
    let mut scene = with_boxes(&robot, &boxes(&mut rng, 6));
    let mut verdicts = [0, 0];
    for _ in 0..cases(20, 2_000) {
        let q = random_configuration(&robot, &mut rng);
        for kind in kinds() {
            let mut new = scene.checker_within("arm", kind.0, kind.1.as_ref()).unwrap();
            let expected = new.is_free(&q);
            assert_eq!(ask(&scene, &kind, |checker| checker.is_free(&q)), expected, "{kind:?}, {q:?}");
            verdicts[usize::from(expected)] += 1;
        }
    }
    assert!(verdicts.iter().all(|count| *count > 20), "{verdicts:?}");
    let kind = (Margins::ZERO, None);
    let q = (0..100).map(|_| random_configuration(&robot, &mut rng));
    let free = q.into_iter().find(|q| ask(&scene, &kind, |checker| checker.is_free(q))).unwrap();
    let before = scene.clone();
    scene.add("around", kinetic_core::Shape::sphere(3.0).unwrap(), kinetic_core::Pose::identity()).unwrap();
    assert!(!ask(&scene, &kind, |checker| checker.is_free(&free)), "the edit is not seen");
    assert!(ask(&before, &kind, |checker| checker.is_free(&free)), "the clone sees the edit");
}

#[test]
fn the_work_for_an_answer_does_not_depend_on_earlier_questions() {
    let robot = built_in("franka_panda");
    for seed in 0..cases(20, 2_000) as u64 {
        let mut rng = SeededRng::new(seed);
        let scene = with_boxes(&robot, &boxes(&mut rng, 6));
        let (from, to) = (random_configuration(&robot, &mut rng), random_configuration(&robot, &mut rng));
        let kind = (Margins::ZERO, None);
        let work = || {
            ask(&scene, &kind, |checker| {
                let before = checker.checks();
                (checker.is_motion_free(&from, &to), checker.checks() - before)
            })
        };
        let first = work();
        ask(&scene, &kind, |checker| checker.is_motion_free(&to, &random_configuration(&robot, &mut rng)));
        assert_eq!(work(), first, "seed {seed}");
    }
}

#[test]
fn questions_inside_a_question_get_a_checker_of_their_own() {
    let robot = built_in("ur5e");
    let scene = with_boxes(&robot, &boxes(&mut SeededRng::new(1), 3));
    let q = robot.neutral_configuration();
    let kind = (Margins::ZERO, None);
    let both = ask(&scene, &kind, |outer| (outer.is_free(&q), ask(&scene, &kind, |inner| inner.is_free(&q))));
    assert_eq!(both.0, both.1);
    assert!(scene.ask_checker_within("nothing", Margins::ZERO, None, |_| ()).is_err());
    assert!(scene.ask_checker_within("arm", Margins::new(f64::NAN, 0.0), None, |_| ()).is_err());
}

#[test]
fn whole_configurations_are_answered_as_by_a_scene_that_holds_the_other_joints_there() {
    let robot = built_in("franka_panda");
    let mut rng = SeededRng::new(17);
    let mut scene = with_boxes(&robot, &boxes(&mut rng, 6));
    let fingers: Vec<usize> = (7..robot.num_variables()).collect();
    let mut verdicts = [0, 0];
    for step in 0..cases(300, 30_000) {
        let mut whole = robot.neutral_configuration();
        whole[..7].copy_from_slice(&random_configuration(&robot, &mut rng)[..7]);
        // Where the scene holds them, or elsewhere, for several steps.
        let open = 0.02 * f64::from(u8::from(step / 5 % 2 == 1));
        for finger in &fingers {
            whole[*finger] = open;
        }
        if step % 3 == 0 {
            let z = 0.8 * rng.unit();
            scene.update_pose("box0", kinetic_core::Pose::from_xyz(0.4, 0.1, z)).unwrap();
        }
        let mut held = scene.without_checkers();
        held.hold(&whole).unwrap();
        let expected = held.check_collision(&whole[..7]).unwrap();
        assert_eq!(scene.check_collision(&whole).unwrap(), expected, "step {step}, {whole:?}");
        let (near, wanted) = (scene.min_distance(&whole).unwrap(), held.min_distance(&whole[..7]).unwrap());
        assert!((near - wanted).abs() < 1e-9, "step {step}: {near}, not {wanted}");
        verdicts[usize::from(expected)] += 1;
    }
    assert!(verdicts.iter().all(|count| *count > 20), "{verdicts:?}");
}
