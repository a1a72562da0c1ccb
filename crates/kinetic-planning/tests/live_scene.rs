//! Planners in a live scene: every question is about one content, the one that it names.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};
use std::thread::scope;

use kinetic_core::{Control, Goal, KineticError, Pose, Shape};
use kinetic_planning::{BatchOptions, Planner};
use kinetic_robot::Robot;
use kinetic_scene::{LiveScene, Scene};

const START: [f64; 6] = [0.6, -1.2, 1.4, -1.7, -1.57, 0.0];
const GOAL: [f64; 6] = [2.5, -1.2, 1.4, -1.7, -1.57, 0.0];

fn live() -> LiveScene {
    let mut scene = Scene::new(&Arc::new(Robot::from_name("ur5e").unwrap())).unwrap();
    scene.add("wall", Shape::cuboid(0.02, 0.3, 0.3).unwrap(), wall(0.7)).unwrap();
    LiveScene::new(scene)
}

fn wall(y: f64) -> Pose {
    Pose::from_xyz(0.0, y, 0.3)
}

#[test]
fn a_plan_sees_the_edits_made_before_it_and_names_its_content() {
    let live = live();
    let planner = Planner::in_live_scene(&live).unwrap();
    let goal = Goal::joints(GOAL);
    for y in [0.7, 0.9, 1.1] {
        live.update_pose("wall", wall(y)).unwrap();
        let planned = planner.plan_timed(&START, &goal, "totp").unwrap();
        let fixed = Planner::in_scene(live.snapshot()).unwrap().plan_timed(&START, &goal, "totp").unwrap();
        assert_eq!(planned.result.scene_version, live.version());
        assert_eq!(planned.trajectory.certificate().unwrap().scene, live.version());
        assert_eq!(planned.content_hash(), fixed.content_hash(), "a plan in a snapshot, y = {y}");
        let again = planner.certify(&planned.trajectory, &Control::default()).unwrap();
        assert_eq!(again.certificate().unwrap().scene, live.version());
        planner.check_path(&planned.result.path).unwrap();
        assert_eq!(planner.problem(&START, &goal).unwrap().scene().version(), live.version());
    }
    live.add("at the start", Shape::sphere(0.3).unwrap(), planner.fk(&START).unwrap()).unwrap();
    assert!(planner.is_in_collision(&START).unwrap());
    assert!(matches!(planner.plan(&START, &goal), Err(KineticError::StartInCollision { .. })));
    let batch = planner.plan_batch(&[START], &[goal], BatchOptions::default()).unwrap();
    assert!(matches!(batch[0], Err(KineticError::StartInCollision { .. })));
}

#[test]
fn a_planner_moves_between_fixed_and_live_scenes_of_its_robot() {
    let live = live();
    let planner = Planner::new(&live.robot()).unwrap().with_live_scene(&live).unwrap();
    let fixed = planner.clone().with_scene(&live.snapshot()).unwrap();
    let kept = planner.now().unwrap().into_owned();
    live.add("at the start", Shape::sphere(0.3).unwrap(), planner.fk(&START).unwrap()).unwrap();
    let verdicts = [&planner, &fixed, &kept].map(|planner| planner.is_in_collision(&START).unwrap());
    assert_eq!(verdicts, [true, false, false]);
    let other = LiveScene::new(Scene::new(&Arc::new(Robot::from_name("ur10e").unwrap())).unwrap());
    assert!(planner.with_live_scene(&other).unwrap_err().is_input_error());
}

#[test]
fn joints_that_are_held_elsewhere_count_in_later_questions() {
    let robot = Arc::new(Robot::from_name("fetch").unwrap());
    let live = LiveScene::new(Scene::new(&robot).unwrap());
    let planner = Planner::in_live_scene(&live).unwrap().with_group("arm").unwrap();
    let (q, mut held) = ([0.0; 7], robot.neutral_configuration());
    let joint = |variable: &usize| robot.joints[robot.active_joints[*variable]].name.as_str();
    for (value, variable) in q.iter().zip(&planner.group().variables) {
        held[*variable] = *value;
    }
    live.hold(&held).unwrap();
    let hand = live.snapshot().link_poses(&held).unwrap()[robot.link_index("gripper_link").unwrap()];
    live.add("at the hand", Shape::sphere(0.05).unwrap(), hand).unwrap();
    assert!(planner.is_in_collision(&q).unwrap());
    let lift = (0..held.len()).find(|variable| joint(variable) == "torso_lift_joint").unwrap();
    held[lift] = 0.35;
    live.hold(&held).unwrap();
    assert!(!planner.is_in_collision(&q).unwrap());
}

#[test]
fn plans_beside_edits_are_made_in_contents_that_were_published() {
    let live = live();
    let published = Mutex::new(BTreeMap::from([(live.version(), live.snapshot())]));
    let planner = Planner::in_live_scene(&live).unwrap();
    let goal = Goal::joints(GOAL);
    let planned = scope(|scope| {
        let editor = scope.spawn(|| {
            for step in 0..200 {
                let edited = live.edit(|scene| {
                    scene.update_pose("wall", wall(0.9 + 0.001 * f64::from(step % 100)))?;
                    published.lock().unwrap().insert(scene.version(), scene.clone());
                    Ok(())
                });
                edited.unwrap();
            }
        });
        let plans = [0, 1].map(|_| {
            scope.spawn(|| (0..4).map(|_| planner.plan_timed(&START, &goal, "totp").unwrap()).collect::<Vec<_>>())
        });
        editor.join().unwrap();
        plans.map(|plans| plans.join().unwrap()).concat()
    });
    let published = published.into_inner().unwrap();
    for planned in planned {
        let scene = &published[&planned.result.scene_version];
        assert_eq!(planned.trajectory.certificate().unwrap().scene, scene.version());
        // The content that it names is the one that it was planned in.
        let again = Planner::in_scene(scene.clone()).unwrap().plan_timed(&START, &goal, "totp").unwrap();
        assert_eq!(planned.content_hash(), again.content_hash());
    }
}
