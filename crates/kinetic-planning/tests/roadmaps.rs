//! Roadmaps of planners for robots: what they refuse, and batches.

use std::num::NonZeroUsize;
use std::sync::Arc;

use kinetic_core::{Control, Goal, KineticError, PlannerConfig, Pose, Shape};
use kinetic_planning::{BatchOptions, Planner, PlannerType, PlanningResult};
use kinetic_robot::Robot;
use kinetic_scene::Scene;

/// A wall between two configurations of a `ur5e`.
fn arm() -> (Planner, [f64; 6], [f64; 6]) {
    let mut scene = Scene::new(&Arc::new(Robot::from_name("ur5e").unwrap())).unwrap();
    let wall = Shape::cuboid(0.02, 0.4, 0.5).unwrap();
    scene.add("wall", wall, Pose::from_xyz(0.0, 0.7, 0.5)).unwrap();
    let [start, goal] = [0.6, 2.5].map(|pan| [pan, -1.2, 1.4, -1.7, -1.57, 0.0]);
    (Planner::in_scene(scene).unwrap(), start, goal)
}

#[test]
fn a_planner_keeps_a_roadmap_of_its_own_robot_and_type() {
    let (planner, start, goal) = arm();
    let lazy = PlannerConfig { lazy_roadmap: true, shortcut_iterations: 0, smooth: false, ..PlannerConfig::default() };
    let planner = planner.with_config(lazy).unwrap();
    let roadmap = planner.build_roadmap(300, &Control::default()).unwrap();
    let kept = planner.clone().with_roadmap(&roadmap).unwrap();
    assert_eq!(kept.planner_type(), PlannerType::PRM);
    let first = kept.plan(&start, &Goal::joints(goal)).unwrap();
    let counts = kept.roadmap_counts().unwrap();
    assert!(counts.proven > 0 && counts.refused > 0, "{counts:?}");
    let second = kept.plan(&start, &Goal::joints(goal)).unwrap();
    assert_eq!((first.path, first.iterations), (second.path, second.iterations));
    assert!(second.checks < first.checks, "{} checks, then {}", first.checks, second.checks);
    let name = |refused: Result<Planner, KineticError>| match refused {
        Err(KineticError::InvalidValue { name, .. }) => name,
        other => panic!("{other:?}"),
    };
    assert_eq!(name(planner.clone().with_planner_type(PlannerType::EST).with_roadmap(&roadmap)), "planner_type");
    let other = Planner::new(&Arc::new(Robot::from_name("ur10e").unwrap())).unwrap();
    assert_eq!(name(other.with_roadmap(&roadmap)), "roadmap");
    let weights = PlannerConfig { joint_weights: Some(vec![1.0, 1.0, 1.0, 1.0, 1.0, 2.0]), ..PlannerConfig::default() };
    assert_eq!(name(planner.clone().with_config(weights).unwrap().with_roadmap(&roadmap)), "roadmap");
    // What became of the planner since is looked at again.
    let turned = kept.clone().with_planner_type(PlannerType::KPIECE).plan(&start, &Goal::joints(goal));
    assert!(matches!(turned, Err(KineticError::InvalidValue { name, .. }) if name == "planner_type"));
    let fallback = PlannerConfig { fallback: vec!["rrt_connect".to_owned()], ..PlannerConfig::default() };
    let with_others = kept.with_config(fallback).unwrap();
    assert_eq!(with_others.plan(&start, &Goal::joints(goal)).unwrap().planner_used, "prm");
}

#[test]
fn batches_say_the_same_on_any_number_of_threads() {
    let (planner, start, goal) = arm();
    let (starts, mut goals) = (vec![start; 6], vec![Goal::joints(goal); 2]);
    goals.extend([0.9, 1.8, 2.2, 3.0].map(|pan| Goal::joints([pan, -1.0, 1.2, -1.7, -1.57, 0.3])));
    let answers = [1, 3].map(|threads| {
        let roadmap = planner.build_roadmap(200, &Control::default()).unwrap();
        let kept = planner.clone().with_roadmap(&roadmap).unwrap();
        let options = BatchOptions { threads: NonZeroUsize::new(threads), ..BatchOptions::default() };
        let items = kept.plan_batch(&starts, &goals, options).unwrap();
        let figures = |plan: PlanningResult| (plan.path, plan.checks, plan.iterations, plan.tree_size);
        let items: Vec<_> = items.into_iter().map(|item| item.map(figures).map_err(|error| error.code())).collect();
        (items, kept.roadmap_counts().unwrap(), roadmap.to_bytes())
    });
    assert!(answers[0].1.proven > 0);
    assert_eq!(answers[0], answers[1]);
}
