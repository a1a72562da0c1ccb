//! A planner with an optimiser of many trajectories: what is claimed is proven, the cheapest first, and
//! plans that ask at the same time are answered together.

use std::num::NonZeroUsize;
use std::sync::{Arc, Mutex};

use kinetic_core::{Goal, KineticError, PlannerConfig, Pose, Result, Shape};
use kinetic_planning::{BatchOptions, Planner, PlannerType, SharedOptimizer};
use kinetic_robot::Robot;
use kinetic_scene::{BatchTrajectoryOptimizer, OptimizationRequest, Scene, SplineProposal};

const POINTS: usize = 20;
const SEEDS: usize = 48;

/// What an [`Echo`] was asked for.
#[derive(Debug, Default)]
struct Record {
    /// Seeds of each request.
    calls: Vec<usize>,
    versions: Vec<String>,
}

/// Returns what it was given, and claims that all of it is free; the later a seed, the cheaper.
#[derive(Debug, Default)]
struct Echo(Arc<Mutex<Record>>);

impl BatchTrajectoryOptimizer for Echo {
    fn device(&self) -> String {
        "echo".to_owned()
    }

    fn control_points(&self) -> usize {
        POINTS
    }

    fn seeds_per_batch(&self) -> usize {
        SEEDS
    }

    fn optimize(&mut self, requests: &[OptimizationRequest<'_>]) -> Vec<Result<Vec<SplineProposal>>> {
        let mut record = self.0.lock().unwrap();
        requests.iter().map(|request| answer(request, &mut record)).collect()
    }
}

fn answer(request: &OptimizationRequest<'_>, record: &mut Record) -> Result<Vec<SplineProposal>> {
    request.control.check(0)?;
    let seeds = request.initial.chunks_exact((POINTS + 2) * request.context.weights.len());
    record.calls.push(seeds.len());
    record.versions.push(format!("{:?}", request.context.scene.version()));
    let proposal = |(index, path): (usize, &[f64])| SplineProposal {
        path: path.to_vec(),
        least_slack: 0.01,
        cost: -(index as f64),
        iterations: 3,
    };
    Ok(seeds.enumerate().map(proposal).collect())
}

const START: [f64; 6] = [-0.8, -1.2, 1.4, -0.3, 0.0, 0.0];
const GOAL: [f64; 6] = [0.8, -1.2, 1.4, -0.3, 0.0, 0.0];

/// A planner in a scene where the straight line collides.
fn planner() -> Planner {
    let robot = Arc::new(Robot::from_name("ur5e").unwrap());
    let mut scene = Scene::new(&robot).unwrap();
    scene.add("post", Shape::cuboid(0.05, 0.05, 0.3).unwrap(), Pose::from_xyz(0.5, 0.0, 0.3)).unwrap();
    Planner::in_scene(scene).unwrap()
}

fn shared() -> (Arc<Mutex<Record>>, SharedOptimizer) {
    let echo = Echo::default();
    (Arc::clone(&echo.0), SharedOptimizer::new(echo))
}

#[test]
fn what_is_claimed_free_is_proven_before_it_is_a_path() {
    let (echo, optimizer) = shared();
    let planner = planner().with_optimizer(&optimizer).unwrap();
    assert_eq!(planner.planner_type(), PlannerType::TRAJOPT);
    let planned = planner.plan(&START, &Goal::joints(GOAL.to_vec())).unwrap();
    assert_eq!(planned.planner_used, "trajopt");
    assert_eq!(planned.path.len(), POINTS + 2, "a proposal as it is");
    assert!(planned.path_length > 1.6 + 0.05, "not the line, which collides");
    assert_eq!(echo.lock().unwrap().calls, [SEEDS]);
    // The same seed has the same path, from another optimiser too.
    let again = planner.clone().with_optimizer(&shared().1).unwrap();
    assert_eq!(again.plan(&START, &Goal::joints(GOAL.to_vec())).unwrap().path, planned.path);
}

#[test]
fn a_line_that_is_free_needs_no_optimiser_and_each_plan_has_the_scene_as_it_is() {
    let (echo, optimizer) = shared();
    let planner = planner().with_optimizer(&optimizer).unwrap();
    let near = START.map(|value| value + 0.01);
    assert_eq!(planner.plan(&START, &Goal::joints(near.to_vec())).unwrap().path.len(), 2);
    assert!(echo.lock().unwrap().calls.is_empty());
    planner.plan(&START, &Goal::joints(GOAL.to_vec())).unwrap();
    let mut robot_scene = Scene::new(&Arc::new(Robot::from_name("ur5e").unwrap())).unwrap();
    robot_scene.add("wall", Shape::cuboid(0.05, 0.05, 0.4).unwrap(), Pose::from_xyz(0.5, 0.0, 0.4)).unwrap();
    let elsewhere = planner.with_scene(&robot_scene).unwrap();
    elsewhere.plan(&START, &Goal::joints(GOAL.to_vec())).unwrap();
    let versions = echo.lock().unwrap().versions.clone();
    assert_eq!(versions.last(), Some(&format!("{:?}", robot_scene.version())));
    assert_ne!(versions[0], versions[versions.len() - 1]);
}

#[test]
fn other_planners_refuse_an_optimiser_and_seeds_and_time_are_bounded() {
    let (echo, optimizer) = shared();
    let other = planner().with_planner_type(PlannerType::RRTConnect);
    assert!(
        matches!(other.with_optimizer(&optimizer), Err(KineticError::InvalidValue { name, .. }) if name == "planner_type")
    );
    let changed = planner().with_optimizer(&optimizer).unwrap().with_planner_type(PlannerType::RRTConnect);
    assert!(changed.plan(&START, &Goal::joints(GOAL.to_vec())).is_err(), "an optimiser that nobody would ask");
    // One seed, the line, is not enough.
    let config = PlannerConfig { num_seeds: Some(1), ..PlannerConfig::default() };
    let few = planner().with_optimizer(&optimizer).unwrap().with_config(config).unwrap();
    let failure = few.plan(&START, &Goal::joints(GOAL.to_vec())).unwrap_err();
    assert!(matches!(failure, KineticError::PlanningFailed { .. }), "{failure}");
    assert_eq!(echo.lock().unwrap().calls, [1]);
}

#[test]
fn a_batch_in_many_scenes_has_what_each_plan_has_alone() {
    let (record, optimizer) = shared();
    let planner = planner().with_optimizer(&optimizer).unwrap();
    let in_scene = |index: u32| {
        let mut scene = Scene::new(planner.scene().robot()).unwrap();
        let post = Shape::cuboid(0.05, 0.05, 0.3).unwrap();
        scene.add("post", post, Pose::from_xyz(0.5, 0.02 * f64::from(index), 0.3)).unwrap();
        scene
    };
    let scenes: Vec<Scene> = (0..6).map(in_scene).collect();
    let goals = vec![Goal::joints(GOAL.to_vec()); scenes.len()];
    let options = |threads| BatchOptions { threads, scenes: Some(&scenes), ..BatchOptions::default() };
    let paths = |threads: Option<usize>| -> Vec<_> {
        let items = planner.plan_batch(&[START; 6], &goals, options(threads.and_then(NonZeroUsize::new))).unwrap();
        items.into_iter().map(|item| item.unwrap().path).collect()
    };
    let together = paths(None);
    assert_eq!(together, paths(Some(1)));
    for (scene, (goal, path)) in scenes.iter().zip(goals.iter().zip(&together)) {
        let alone = planner.clone().with_scene(scene).unwrap();
        assert_eq!(alone.plan(&START, goal).unwrap().path, *path);
    }
    assert_ne!(together[0], together[5], "the scenes differ");
    assert_eq!(record.lock().unwrap().calls.len(), 18);
    let few = planner.plan_batch(&[START; 5], &goals[..5], options(None)).unwrap_err();
    assert!(matches!(&few, KineticError::DimensionMismatch { context, .. } if context == "list of scenes"), "{few}");
    let other = [Scene::new(&Arc::new(Robot::from_name("franka_panda").unwrap())).unwrap()];
    let options = BatchOptions { scenes: Some(&other), ..BatchOptions::default() };
    let items = planner.plan_batch(&[START], &goals[..1], options).unwrap();
    assert!(matches!(&items[0], Err(KineticError::InvalidValue { name, .. }) if name == "scene"), "{items:?}");
}
