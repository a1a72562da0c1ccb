//! Warm starts: the trajectory that planners start from first decides where they end, and nothing else of it is believed.

use std::f64::consts::{PI, TAU};
use std::sync::Arc;

use kinetic_core::{Goal, JointValues, KineticError, PlannerConfig, Pose, Shape, Trajectory};
use kinetic_planning::{
    Algorithm, Chomp, ChompConfig, PLANNERS, Plan, Planner, PlannerType, Problem, Space, Stomp, StompConfig, Trajopt,
    TrajoptConfig,
};
use kinetic_robot::Robot;
use kinetic_scene::Scene;

use crate::worlds::{BUDGET, Query, Witness, World, around_a_ball, iterations};

/// All that start from trajectories, with one of them.
fn optimizers() -> [(&'static str, Box<dyn Algorithm>); 3] {
    [
        ("chomp", Box::new(Chomp::new(ChompConfig { num_seeds: 1, ..ChompConfig::default() }).unwrap())),
        ("stomp", Box::new(Stomp::new(StompConfig { num_seeds: 1, ..StompConfig::default() }).unwrap())),
        ("trajopt", Box::new(Trajopt::new(TrajoptConfig { num_seeds: 1, ..TrajoptConfig::default() }).unwrap())),
    ]
}

fn path(points: &[&[f64]]) -> Trajectory {
    let mut path = Trajectory::with_dof(points[0].len());
    for point in points {
        path.push_waypoint(point).unwrap();
    }
    path
}

fn planned(planner: &mut dyn Algorithm, query: &Query, warm_start: Option<&Trajectory>) -> Plan {
    let problem = Problem::new(&query.space, &query.start, &query.goals, 0).unwrap();
    let problem = warm_start.map_or(problem, |path| problem.with_warm_start(path).unwrap());
    let mut witness = Witness::new(query.world.clone());
    let plan = planner.plan(&problem, &mut witness, &iterations(BUDGET)).unwrap();
    witness.assert_proven(&plan.path, query.name);
    assert_eq!(plan.path.positions(0), query.start, "{}", query.name);
    plan
}

fn middle(path: &Trajectory) -> &[f64] {
    path.positions(path.len() / 2)
}

#[test]
fn it_decides_on_which_side_a_ball_is_passed() {
    let query = around_a_ball(2, 1.0);
    let (start, goal) = (&query.start[..], &query.goals[0][..]);
    for (name, mut planner) in optimizers() {
        // The ball reaches from -1.4 to 0.6.
        for side in [-1.3, 0.5] {
            // Its ends are elsewhere: they are moved to those of the problem.
            let by = path(&[&[start[0] - 0.2, 0.1], &[0.3, side], &[goal[0] + 0.1, goal[1]]]);
            let plan = planned(&mut *planner, &query, Some(&by));
            let height = middle(&plan.path)[1];
            assert!(if side < 0.0 { height < -1.2 } else { height > 0.4 }, "{name}, side {side}: {height}");
            assert_eq!(plan.path.positions(plan.path.len() - 1), goal, "{name}");
        }
    }
}

#[test]
fn the_last_path_is_near_the_next_one() {
    let query = around_a_ball(3, 1.0);
    for (name, mut planner) in optimizers() {
        let first = planned(&mut *planner, &query, None);
        let again = planned(&mut *planner, &query, Some(&first.path));
        assert!(again.iterations <= 1 && first.iterations >= 1, "{name}: {} {}", again.iterations, first.iterations);
        assert!(name == "stomp" || first.iterations > 2, "{name}: {}", first.iterations);
    }
}

#[test]
fn it_ends_at_the_goal_that_is_nearest_to_its_end() {
    let mut query = around_a_ball(2, 1.0);
    let far = JointValues(vec![2.0, 1.9]);
    query.goals.push(far.clone());
    for (name, mut planner) in optimizers() {
        let by = path(&[&query.start, &[0.0, 1.6], &[2.1, 1.8]]);
        let plan = planned(&mut *planner, &query, Some(&by));
        assert_eq!(plan.path.positions(plan.path.len() - 1), &far[..], "{name}");
        assert_eq!(plan.goal_index, 1, "{name}");
    }
}

#[test]
fn whole_turns_of_continuous_joints_are_taken_off() {
    let space = Space::from_bounds(&[(f64::NEG_INFINITY, f64::INFINITY), (-3.0, 3.0)]).unwrap();
    let goals = vec![JointValues(vec![1.2, 0.0])];
    let start = vec![-1.2, 0.0];
    let world = || World::new(vec![crate::worlds::boxed(&[-0.2, -0.5], &[0.2, 0.5])]);
    for turns in [0.0, 3.0 * TAU, -2.0 * TAU] {
        let by = path(&[&[-1.2 + turns, 0.0], &[turns, 0.9], &[1.2 + turns, 0.0]]);
        // The long way round, which the straight line does not take.
        let around = path(&[&[-1.2 + turns, 0.0], &[-PI + turns, 0.0], &[1.2 - TAU + turns, 0.0]]);
        for (name, mut planner) in optimizers() {
            let mut plan = |by: &Trajectory| {
                let problem = Problem::new(&space, &start, &goals, 0).unwrap().with_warm_start(by).unwrap();
                let mut witness = Witness::new(world());
                let plan = planner.plan(&problem, &mut witness, &iterations(BUDGET)).unwrap();
                witness.assert_proven(&plan.path, "turns");
                plan.path
            };
            let over = plan(&by);
            assert!(over.positions(over.len() - 1) == &goals[0][..] && middle(&over)[1] > 0.5, "{name}, {turns}");
            let round = plan(&around);
            assert!((round.positions(round.len() - 1)[0] - (1.2 - TAU)).abs() < 1e-12, "{name}, {turns}");
        }
    }
}

const START: [f64; 6] = [-0.8, -1.2, 1.4, -0.3, 0.0, 0.0];
const GOAL: [f64; 6] = [0.8, -1.2, 1.4, -0.3, 0.0, 0.0];

fn planner(post_at: f64) -> Planner {
    let robot = Arc::new(Robot::from_name("ur5e").unwrap());
    let mut scene = Scene::new(&robot).unwrap();
    scene.add("post", Shape::cuboid(0.05, 0.05, 0.3).unwrap(), Pose::from_xyz(post_at, 0.0, 0.3)).unwrap();
    Planner::in_scene(scene).unwrap()
}

#[test]
fn a_motion_is_planned_again_from_where_it_was_after_a_change_of_the_scene() {
    let goal = Goal::joints(GOAL.to_vec());
    let before = planner(0.50).with_planner_type(PlannerType::TRAJOPT).plan(&START, &goal).unwrap();
    let moved = planner(0.51).with_planner_type(PlannerType::TRAJOPT);
    let cold = moved.plan(&START, &goal).unwrap();
    let warm = moved.clone().with_warm_start(&before.path).unwrap().plan(&START, &goal).unwrap();
    assert!(warm.iterations < cold.iterations, "{} {}", warm.iterations, cold.iterations);
    // A planner of no type in particular becomes one that looks at it.
    let auto = planner(0.51).with_warm_start(&before.path).unwrap();
    assert_eq!(auto.plan(&START, &goal).unwrap().path, warm.path);
}

#[test]
fn what_cannot_be_one_is_refused_and_by_planners_that_start_from_nothing() {
    let good = path(&[&START, &GOAL]);
    let refused = |path: &Trajectory| planner(0.5).with_warm_start(path).unwrap_err();
    assert!(matches!(refused(&path(&[&START])), KineticError::InvalidValue { name, .. } if name == "warm_start"));
    assert!(matches!(refused(&Trajectory::with_dof(6)), KineticError::InvalidValue { .. }));
    assert!(matches!(refused(&path(&[&[0.0; 5], &[0.1; 5]])), KineticError::DimensionMismatch { .. }));
    for row in PLANNERS {
        let made = planner(0.5).with_planner_type(row.id.parse().unwrap()).with_warm_start(&good);
        assert_eq!(made.is_ok(), ["chomp", "stomp", "trajopt"].contains(&row.id), "{}", row.id);
    }
    let changed = planner(0.5).with_warm_start(&good).unwrap().with_planner_type(PlannerType::RRTConnect);
    let error = changed.plan(&START, &Goal::joints(GOAL.to_vec())).unwrap_err();
    assert!(matches!(error, KineticError::InvalidValue { name, .. } if name == "planner_type"));
    // A member of a fallback that starts from nothing does without.
    let config =
        PlannerConfig { fallback: vec!["rrt_connect".to_owned()], num_seeds: Some(1), ..PlannerConfig::default() };
    let line = planner(0.5).with_config(config).unwrap().with_warm_start(&good).unwrap();
    line.plan(&START, &Goal::joints(GOAL.to_vec())).unwrap();
}
