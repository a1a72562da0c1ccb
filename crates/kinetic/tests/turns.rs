//! One rule for turns: bounded joints are met exactly, joints without limits at the equivalent nearest to the start that the
//! way there allows, goals of a tool and joint goals with turns at any full turns inside the limits.

use std::f64::consts::{PI, TAU};

use kinetic::core::rng::SeededRng;
use kinetic::planning::{PlanningProblem, ReportOptions};
use kinetic::prelude::*;

use crate::support::{assert_dense_free, robot};

/// Rounding of a few turns, rad.
const ROUNDING: f64 = 1e-12;

/// The arm stretched out, but for its first joint.
const STRETCHED: [f64; 5] = [-0.3, 0.3, 0.0, 0.0, 0.0];

fn at(pan: f64) -> [f64; 6] {
    let [a, b, c, d, e] = STRETCHED;
    [pan, a, b, c, d, e]
}

/// A UR5e that cannot pass a wall in the direction in which it points at `pan`.
fn behind_a_wall(pan: f64) -> Planner {
    let mut scene = Scene::new(&robot("ur5e")).unwrap();
    let tool = Planner::in_scene(scene.clone()).unwrap().fk(&at(pan)).unwrap().translation();
    // The tool of a stretched arm is beside the line through the shoulder.
    let direction = tool.y.atan2(tool.x);
    let (near, far) = (0.16, 2.0);
    let middle = f64::midpoint(near, far);
    let wall = Shape::cuboid(0.5 * (far - near), 0.005, 2.0).unwrap();
    let pose = Pose::from_xyz_rpy(middle * direction.cos(), middle * direction.sin(), 1.0, 0.0, 0.0, direction);
    scene.add("wall", wall, pose).unwrap();
    let config = PlannerConfig { max_iterations: 3_000, timeout: f64::INFINITY, ..PlannerConfig::default() };
    Planner::in_scene(scene).unwrap().with_config(config).unwrap()
}

#[test]
fn a_bounded_joint_ends_exactly_at_its_goal_and_with_turns_at_the_nearest_one_that_is_free() {
    let planner = Planner::new(&robot("ur5e")).unwrap();
    let (start, goal) = (at(3.0), at(-3.0));
    let exact = planner.plan(&start, &Goal::joints(goal)).unwrap();
    assert_eq!(exact.end(), goal);
    assert_eq!(exact.goal_turns, [0; 6]);
    let turned = planner.plan(&start, &Goal::joints_with_turns(goal)).unwrap();
    assert!((turned.end()[0] - (TAU - 3.0)).abs() < ROUNDING, "{:?}", turned.end());
    assert_eq!(turned.end()[1..], goal[1..]);
    assert_eq!(turned.goal_turns, [1, 0, 0, 0, 0, 0]);
    assert!(turned.path_length < 0.3 && exact.path_length > 5.9);
}

#[test]
fn turns_bring_a_goal_outside_the_limits_inside_and_never_leave_them() {
    let planner = Planner::new(&robot("franka_panda")).unwrap();
    let ready = planner.scene().robot().named_pose(planner.group(), "ready").unwrap().clone();
    let mut goal = ready.clone();
    goal[0] = 4.0;
    assert_eq!(planner.plan(&ready, &Goal::joints(goal.clone())).unwrap_err().code(), "JointLimitViolation");
    let turned = planner.plan(&ready, &Goal::joints_with_turns(goal.clone())).unwrap();
    assert!((turned.end()[0] - (4.0 - TAU)).abs() < ROUNDING);
    // No turn of 3 rad is inside ±2.8973.
    goal[0] = 3.0;
    let error = planner.plan(&ready, &Goal::joints_with_turns(goal)).unwrap_err();
    assert_eq!(error.code(), "JointLimitViolation");
}

#[test]
fn what_a_joint_goal_cannot_reach_a_turn_away_is_suggested_and_reached() {
    // From 3.0 to -3.0 the arm would have to pass 0, where the wall is.
    let planner = behind_a_wall(0.0);
    let (start, goal) = (at(3.0), at(-3.0));
    let error = planner.plan(&start, &Goal::joints(goal)).unwrap_err();
    assert_eq!(error.code(), "PlanningTimeout");
    let options = ReportOptions { iterations: 500, timeout: f64::INFINITY, ..ReportOptions::default() };
    let report = planner.explain(&start, &Goal::joints(goal), &error, &options).unwrap();
    let turns = report.suggestions.iter().find(|suggestion| suggestion.change.kind() == "turns").unwrap();
    assert!(turns.solved, "{report}");
    let result = planner.plan(&start, &Goal::joints_with_turns(goal)).unwrap();
    assert!((result.end()[0] - (TAU - 3.0)).abs() < ROUNDING);
    assert_dense_free(planner.scene(), "arm", &result.path, 0.02);
}

#[test]
fn a_pose_goal_goes_on_to_turns_that_are_farther_where_the_nearest_cannot_be_reached() {
    // -0.05 is nearer to 3.0 than -0.05 + 2π is, but behind the wall.
    let planner = behind_a_wall(1.5);
    let planner =
        planner.clone().with_config(PlannerConfig { max_iterations: 20_000, ..planner.config().clone() }).unwrap();
    let target = planner.fk(&at(-0.05)).unwrap();
    let result = planner.plan(&at(3.0), &Goal::pose(target)).unwrap();
    assert!(result.end()[0] > PI, "{:?}", result.end());
    assert!(planner.fk(result.end()).unwrap().translation_distance(&target) < 1.1e-6);
    assert!(result.goal_turns.is_empty(), "no values were stated");
    assert_dense_free(planner.scene(), "arm", &result.path, 0.02);
}

#[test]
fn joints_without_limits_end_at_the_equivalent_nearest_to_the_start_and_the_result_says_by_how_many_turns() {
    for name in ["kinova_gen3", "jaco2_6dof", "fetch"] {
        let robot = robot(name);
        let planner = Planner::new(&robot).unwrap();
        let bounds = planner.chain().bounds().to_vec();
        let mut rng = SeededRng::new(3);
        let mut random = || loop {
            let one = |(low, high): &(f64, f64), rng: &mut SeededRng| {
                if low.is_finite() { rng.uniform(*low, *high) } else { rng.uniform(-9.0, 9.0) }
            };
            let q: Vec<f64> = bounds.iter().map(|bound| one(bound, &mut rng)).collect();
            if !planner.is_in_collision(&q).unwrap() {
                return q;
            }
        };
        let mut turned = 0;
        for case in 0..40 {
            let (start, goal) = (random(), random());
            let result = planner.plan(&start, &Goal::joints(goal.clone())).unwrap();
            for joint in 0..start.len() {
                let turns = (result.end()[joint] - goal[joint]) / TAU;
                assert!(
                    (turns - result.goal_turns[joint] as f64).abs() < ROUNDING,
                    "{name}, case {case}, joint {joint}"
                );
                turned += usize::from(result.goal_turns[joint] != 0);
                if bounds[joint].0.is_infinite() {
                    let way = (result.end()[joint] - start[joint]).abs();
                    assert!(way <= PI + ROUNDING, "{name}, case {case}, joint {joint}: {way} rad");
                } else {
                    assert_eq!(result.end()[joint], goal[joint], "{name}, case {case}");
                }
            }
        }
        assert!(turned > 10, "{name}: {turned}");
    }
}

#[test]
fn turns_travel_with_problem_files_and_count_in_their_hash() {
    let planner = Planner::new(&robot("ur5e")).unwrap();
    let (start, goal) = (at(3.0), at(-3.0));
    let exact = planner.problem(&start, &Goal::joints(goal)).unwrap().hash().unwrap();
    let turned = Goal::joints_with_turns(goal);
    for goal in [turned.clone(), Goal::any([Goal::named("home"), turned])] {
        let problem = planner.problem(&start, &goal).unwrap();
        let reread = PlanningProblem::from_toml(&problem.to_toml().unwrap(), "problem.toml").unwrap();
        assert_eq!(reread.goal(), &goal);
        assert_eq!(reread.hash().unwrap(), problem.hash().unwrap());
        assert_ne!(problem.hash().unwrap(), exact);
        assert_eq!(reread.solve().unwrap().result_hash, problem.solve().unwrap().result_hash);
    }
    let text = planner.problem(&start, &Goal::named("home")).unwrap().to_toml().unwrap();
    let odd = text.replace("named = \"home\"", "named = \"home\"\nturns = true");
    assert!(PlanningProblem::from_toml(&odd, "problem.toml").unwrap_err().to_string().contains("turns"));
}
