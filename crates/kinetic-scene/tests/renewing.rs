//! A checker that was in another world before answers as a new one does, whatever was edited.

use std::sync::Arc;

use kinetic_core::rng::SeededRng;
use kinetic_core::{Pose, Shape};
use kinetic_robot::Robot;
use kinetic_scene::{Checker, Margins, Scene, Side};

use crate::cases;
use crate::support::{ball_arm, boxes, built_in, random_configuration};

/// What is compared: verdicts, distances to the last bit, and the work for them.
fn answers(checker: &mut Checker, questions: &[Vec<f64>]) -> Vec<String> {
    let before = checker.checks();
    let mut said = vec![format!("{:?}", checker.least_margins())];
    for pair in questions.windows(2) {
        let (from, to) = (&pair[0], &pair[1]);
        said.push(format!("{} {:?}", checker.is_free(from), checker.clearance(from)));
        said.push(format!("{:?} {:?}", checker.contacts(from, 0.05), checker.world_distance(from)));
        said.push(format!("{} {}", checker.is_motion_sampled_free(from, to, 8.0), checker.is_motion_free(from, to)));
        said.push(format!("{:?}", checker.first_contact(from, to)));
    }
    said.push(format!("{} checks", checker.checks() - before));
    said
}

/// One edit of a scene, of any kind.
fn edit(scene: &mut Scene, rng: &mut SeededRng) -> String {
    let links: Vec<String> = scene.robot().links.iter().map(|link| link.name.clone()).collect();
    let mut pick = |names: &[String]| (!names.is_empty()).then(|| names[rng.below(names.len())].clone());
    let (link, other) = (pick(&links).unwrap(), pick(&links).unwrap());
    let object = pick(&scene.objects().keys().cloned().collect::<Vec<_>>());
    let kind = rng.below(11);
    // What cannot be done is refused, and nothing changes.
    let _ = match (kind, object) {
        (0, _) => {
            scene.clear();
            Ok(())
        }
        (1, Some(object)) => scene.update_pose(&object, Pose::from_xyz(rng.uniform(-1.0, 1.0), 0.3, 0.4)),
        (2, Some(object)) => scene.allow_collision(&link, &object),
        (3, Some(object)) => scene.set_margin_of(&object, Side::World, rng.uniform(0.0, 0.1)),
        (4, Some(object)) => scene.set_padding(&object, 0.03),
        (5, _) => scene.set_margin_of(&link, Side::World, rng.uniform(0.0, 0.1)),
        (6, _) => scene.set_padding(&link, 0.01),
        (7, _) => scene.allow_collision(&link, &other),
        (8, _) => scene.attach("tool", Shape::sphere(0.04).unwrap(), Pose::from_xyz(0.0, 0.0, 0.1), &link, &[&other]),
        (9, _) => scene.hold(&scene.robot().neutral_configuration()),
        _ => {
            let name = format!("box{}", rng.below(6));
            let (pose, half) = boxes(rng, 1)[0];
            scene.add(&name, Shape::cuboid(half.x, half.y, half.z).unwrap(), pose)
        }
    };
    format!("edit {kind}")
}

fn agrees(robot: &Arc<Robot>, seed: u64) {
    let mut rng = SeededRng::new(seed);
    let group = robot.groups[robot.default_group].name.clone();
    let mut scene = Scene::new(robot).unwrap();
    let mut story = Vec::new();
    for step in 0..30 {
        story.push(edit(&mut scene, &mut rng));
        let questions: Vec<_> = (0..3).map(|_| random_configuration(robot, &mut rng)).collect();
        let margins = Margins::new(if step % 5 == 4 { 0.02 } else { 0.0 }, 0.0);
        let mut new = scene.checker_within(&group, margins, None).unwrap();
        let expected = answers(&mut new, &questions);
        let given = scene.ask_checker_within(&group, margins, None, |checker| answers(checker, &questions)).unwrap();
        assert_eq!(given, expected, "{}, seed {seed}, after {story:?}", robot.name);
    }
}

#[test]
fn answers_after_edits_are_those_of_a_new_checker() {
    for seed in 0..cases(4, 200) as u64 {
        agrees(&ball_arm(), seed);
        agrees(&built_in("franka_panda"), seed);
    }
}

#[test]
fn versions_of_a_scene_that_live_at_once_keep_their_worlds() {
    let robot = built_in("ur5e");
    let empty = Scene::new(&robot).unwrap();
    let mut rng = SeededRng::new(5);
    let questions: Vec<_> = (0..4).map(|_| random_configuration(&robot, &mut rng)).collect();
    let ask = |scene: &Scene| scene.ask_checker_within("arm", Margins::ZERO, None, |c| answers(c, &questions)).unwrap();
    let new = |scene: &Scene| answers(&mut scene.checker_within("arm", Margins::ZERO, None).unwrap(), &questions);
    let mut scenes = Vec::new();
    for count in 1..6 {
        let mut scene = empty.clone();
        for (index, (pose, half)) in boxes(&mut rng, count).into_iter().enumerate() {
            scene.add(&format!("box{index}"), Shape::cuboid(half.x, half.y, half.z).unwrap(), pose).unwrap();
        }
        assert_eq!(ask(&scene), new(&scene));
        if count % 2 == 0 {
            scenes.push(scene);
        }
    }
    for scene in &scenes {
        assert_eq!(ask(scene), new(scene));
    }
    assert_eq!(ask(&empty), new(&empty));
}
