//! A planner with an optimiser of many trajectories: what is claimed is proven, the cheapest first, and one plan at a time asks it.

use std::sync::{Arc, Mutex};

use kinetic_core::{Control, Goal, KineticError, PlannerConfig, Pose, Result, Shape};
use kinetic_planning::{Planner, PlannerType, SharedOptimizer};
use kinetic_robot::Robot;
use kinetic_scene::{BatchTrajectoryOptimizer, OptimizationContext, Scene, SplineProposal};

const POINTS: usize = 20;
const SEEDS: usize = 48;

/// Returns what it was given, and claims that all of it is free; the later a seed, the cheaper.
#[derive(Debug, Default)]
struct Echo {
    calls: Vec<usize>,
    versions: Vec<String>,
}

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

    fn optimize(
        &mut self,
        context: &OptimizationContext<'_>,
        initial: &[f64],
        control: &Control,
    ) -> Result<Vec<SplineProposal>> {
        control.check(0)?;
        let seeds = initial.chunks_exact((POINTS + 2) * context.weights.len());
        self.calls.push(seeds.len());
        self.versions.push(format!("{:?}", context.scene.version()));
        let proposal = |(index, path): (usize, &[f64])| SplineProposal {
            path: path.to_vec(),
            least_slack: 0.01,
            cost: -(index as f64),
            iterations: 3,
        };
        Ok(seeds.enumerate().map(proposal).collect())
    }
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

fn shared() -> (Arc<Mutex<Echo>>, SharedOptimizer) {
    let echo = Arc::new(Mutex::new(Echo::default()));
    (echo.clone(), echo)
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
