//! Twelve broken set-ups and more: what the report says about each, and that applying what it found solves them.

use kinetic::core::config::WorkspaceBounds;
use kinetic::planning::report::{BranchFate, Suggestion};
use kinetic::planning::{Change, PlanningProblem, PlanningReport, ReportOptions};
use kinetic::prelude::*;

use crate::support::{assert_dense_free, robot, walled, workcell};

pub(crate) const START: [f64; 6] = [-2.0, -1.6, 1.5, -1.5, -1.57, 0.0];
pub(crate) const GOAL: [f64; 6] = [0.9, -1.3, 1.6, -1.8, -1.57, 0.4];

pub(crate) fn planner(scene: Scene) -> Planner {
    let config = PlannerConfig { max_iterations: 3_000, ..PlannerConfig::default() };
    Planner::in_scene(scene).unwrap().with_config(config).unwrap()
}

pub(crate) fn with(planner: Planner, change: impl FnOnce(&mut PlannerConfig)) -> Planner {
    let mut config = planner.config().clone();
    change(&mut config);
    planner.with_config(config).unwrap()
}

/// Plans, expects the error of that name, and asks why. Every suggestion that claims to solve is held to it.
pub(crate) fn failure(planner: &Planner, start: &[f64], goal: &Goal, code: &str) -> PlanningReport {
    let error = planner.plan(start, goal).unwrap_err();
    assert_eq!(error.code(), code, "{error}");
    let options = ReportOptions { iterations: 3_000, timeout: 60.0, ..ReportOptions::default() };
    let report = planner.explain(start, goal, &error, &options).unwrap();
    assert_eq!(report.reason, code);
    assert!(report.suggestions.iter().all(|suggestion| suggestion.tried), "{report}");
    for suggestion in report.suggestions.iter().filter(|suggestion| suggestion.solved) {
        assert_solves(&suggestion.problem);
    }
    assert!(report.to_string().contains(code), "{report}");
    report
}

/// The changed problem has a plan that a dense walk finds free.
fn assert_solves(problem: &PlanningProblem) {
    let path = problem.solve().unwrap().result.path;
    let margin = problem.config().collision_margin.min(1e-4);
    assert_dense_free(problem.scene(), problem.group(), &path, margin);
}

pub(crate) fn of_kind<'a>(report: &'a PlanningReport, kind: &str) -> &'a Suggestion {
    let found = report.suggestions.iter().find(|suggestion| suggestion.change.kind() == kind);
    found.unwrap_or_else(|| panic!("no {kind} in\n{report}"))
}

pub(crate) fn assert_solved_by(report: &PlanningReport, kind: &str) {
    assert!(of_kind(report, kind).solved, "{kind} in\n{report}");
}

/// Distance of the nearest pair, by the exact checker without margins.
fn distance(scene: &Scene, q: &[f64]) -> f64 {
    scene.checker("arm", Margins::ZERO).unwrap().clearance(q).distance
}

/// A ball through the last wrist at `q`.
fn pierced(q: &[f64]) -> Scene {
    let mut scene = workcell();
    let wrist = scene.link_poses(q).unwrap()[scene.robot().link_index("wrist_3_link").unwrap()];
    scene.add("ball", Shape::sphere(0.05).unwrap(), wrist).unwrap();
    scene
}

#[test]
fn a_start_in_collision_names_pair_and_depth() {
    let planner = planner(pierced(&START));
    let report = failure(&planner, &START, &Goal::joints(GOAL), "StartInCollision");
    let start = report.evidence.start.as_ref().unwrap();
    let tightest = start.tightest().unwrap();
    assert_eq!(tightest.pair.other, "ball");
    assert!((tightest.distance - distance(planner.scene(), &START)).abs() < 1e-9 && tightest.depth() > 0.0);
    assert!(report.evidence.goal.is_none() && report.evidence.search.is_none());
    assert_eq!(report.evidence.pair(), Some(&tightest.pair));
    assert_solved_by(&report, "remove_object");
    assert_solved_by(&report, "start");
}

#[test]
fn a_goal_in_collision_names_pair_and_depth() {
    let report = failure(&planner(pierced(&GOAL)), &START, &Goal::joints(GOAL), "GoalInCollision");
    assert_eq!(report.evidence.goal.as_ref().unwrap().tightest().unwrap().pair.other, "ball");
    assert_solved_by(&report, "goal");
}

#[test]
fn a_goal_behind_walls_shows_two_trees_and_the_wall_between_them() {
    let planner = with(planner(walled(&GOAL)), |config| config.max_iterations = 400);
    let report = failure(&planner, &START, &Goal::joints(GOAL), "PlanningTimeout");
    let search = report.evidence.search.as_ref().unwrap();
    assert_eq!(search.iterations, 400);
    assert!(search.trees.iter().all(|tree| tree.nodes.len() > 1 && tree.nodes.len() == tree.parents.len()));
    assert_eq!(search.trees[0].nodes[0].0, START);
    assert_eq!(search.trees[1].nodes[0].0, GOAL);
    let (from, to, least) = search.approach.as_ref().unwrap();
    let norm = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| (a - b) * (a - b)).sum::<f64>().sqrt();
    assert!((norm(from, to) - least).abs() < 1e-12);
    for (a, b) in search.trees[0].nodes.iter().flat_map(|a| search.trees[1].nodes.iter().map(move |b| (a, b))) {
        assert!(norm(a, b) >= *least);
    }
    assert!(search.blocking[0].0.other.starts_with("wall"), "{report}");
    assert!(search.gap.is_some() && !search.solved);
    // Each wall alone is not the only one; other seeds do not help either.
    assert!(!of_kind(&report, "seed").solved, "{report}");
}

#[test]
fn a_margin_that_is_too_large_is_told_with_one_that_works() {
    let mut scene = workcell();
    let tool = scene.link_poses(&START).unwrap()[scene.robot().link_index("tool0").unwrap()];
    scene.add("ball", Shape::sphere(0.02).unwrap(), tool * Pose::from_xyz(0.0, 0.0, 0.07)).unwrap();
    let free = scene.checker("arm", Margins::ZERO).unwrap().world_distance(&START).0;
    assert!(free > 0.005 && free < 0.1, "{free}");
    let planner = with(planner(scene), |config| config.collision_margin = free + 0.01);
    let report = failure(&planner, &START, &Goal::joints(GOAL), "StartInCollision");
    let tightest = report.evidence.start.as_ref().unwrap().tightest().unwrap();
    assert!((tightest.distance - free).abs() < 1e-9 && tightest.depth() == 0.0);
    assert!((tightest.margin.unwrap() - free - 0.01).abs() < 1e-12);
    let Change::CollisionMargin(margin) = of_kind(&report, "collision_margin").change else { panic!("{report}") };
    assert!(margin < free);
    assert_solved_by(&report, "collision_margin");
}

#[test]
fn degrees_are_recognised() {
    let degrees: Vec<f64> = GOAL.iter().map(|value| value.to_degrees()).collect();
    let report = failure(&planner(workcell()), &START, &Goal::joints(degrees.clone()), "JointLimitViolation");
    let outside = &report.evidence.goal.as_ref().unwrap().outside;
    assert_eq!(outside[0].joint, "shoulder_pan_joint");
    assert!((outside[0].amount() - (degrees[0] - outside[0].max)).abs() < 1e-12);
    assert_solved_by(&report, "radians_for_degrees");
    let Goal::Joints(solved) = of_kind(&report, "radians_for_degrees").problem.goal() else { panic!("{report}") };
    assert!(solved.iter().zip(GOAL).all(|(a, b)| (a - b).abs() < 1e-12));
}

#[test]
fn millimetres_are_recognised() {
    let planner = planner(workcell());
    let mut target = planner.fk(&GOAL).unwrap();
    target.0.translation.vector *= 1000.0;
    let report = failure(&planner, &START, &Goal::pose(target), "GoalUnreachable");
    assert!(report.evidence.ik.as_ref().unwrap().report.out_of_reach.is_some(), "{report}");
    assert_solved_by(&report, "metres_for_millimetres");
}

#[test]
fn a_goal_just_outside_a_limit_is_moved_inside() {
    let mut goal = GOAL;
    goal[2] = std::f64::consts::PI + 1e-4;
    let mut scene = Scene::new(&robot("ur5e")).unwrap();
    scene.add("far", Shape::sphere(0.1).unwrap(), Pose::from_xyz(3.0, 0.0, 0.0)).unwrap();
    // The elbow folds the arm into itself there; that is allowed for the sake of the limit.
    for (a, b) in [
        ("upper_arm_link", "wrist_1_link"),
        ("upper_arm_link", "forearm_link"),
        ("upper_arm_link", "wrist_2_link"),
        ("shoulder_link", "wrist_1_link"),
        ("upper_arm_link", "wrist_3_link"),
        ("shoulder_link", "wrist_2_link"),
        ("shoulder_link", "wrist_3_link"),
        ("base_link_inertia", "wrist_1_link"),
        ("base_link_inertia", "wrist_2_link"),
        ("base_link_inertia", "wrist_3_link"),
        ("base_link_inertia", "forearm_link"),
        ("shoulder_link", "forearm_link"),
    ] {
        scene.allow_collision(a, b).unwrap();
    }
    let report = failure(&planner(scene), &START, &Goal::joints(goal), "JointLimitViolation");
    let outside = &report.evidence.goal.as_ref().unwrap().outside;
    assert_eq!((outside.len(), outside[0].joint.as_str()), (1, "elbow_joint"));
    assert!((outside[0].amount() - 1e-4).abs() < 1e-9);
    let Change::GoalAt(inside) = &of_kind(&report, "goal").change else { panic!("{report}") };
    assert!(inside[2] < std::f64::consts::PI && goal[2] - inside[2] < 2e-4);
    assert_solved_by(&report, "goal");
}

#[test]
fn a_start_just_outside_a_limit_is_moved_inside() {
    let mut start = START;
    start[5] = -std::f64::consts::TAU - 0.01;
    let report = failure(&planner(workcell()), &start, &Goal::joints(GOAL), "JointLimitViolation");
    assert_eq!(report.evidence.start.as_ref().unwrap().outside[0].joint, "wrist_3_joint");
    assert_solved_by(&report, "start");
}

#[test]
fn a_pose_out_of_reach_comes_with_the_nearest_one() {
    let planner = planner(workcell());
    let mut target = planner.fk(&GOAL).unwrap();
    target.0.translation.vector *= 1.6;
    let report = failure(&planner, &START, &Goal::pose(target), "GoalUnreachable");
    let ik = report.evidence.ik.as_ref().unwrap();
    assert!(ik.report.branches.is_empty() && ik.report.is_complete, "{report}");
    let nearest = &ik.report.nearest;
    let reached = planner.fk(&nearest.joints).unwrap();
    assert!((reached.translation_distance(&target) - nearest.position_error).abs() < 1e-9);
    assert!(nearest.position_error > 0.05, "{report}");
    assert_eq!(of_kind(&report, "goal_pose").change, Change::GoalPose(ik.report.nearest_pose));
}

/// A gripper as an attached box, which the flange touches, and which stands on a table top.
fn gripping(depth: f64) -> Scene {
    let mut scene = workcell();
    let tool = scene.link_poses(&START).unwrap()[scene.robot().link_index("tool0").unwrap()];
    let grip = Pose::from_xyz(0.0, 0.0, 0.06);
    scene.attach("gripper", Shape::cuboid(0.03, 0.03, 0.05).unwrap(), grip, "tool0", &["wrist_3_link"]).unwrap();
    let below = tool * grip * Pose::from_xyz(0.0, 0.0, 0.05 + 0.01 - depth);
    scene.add("part", Shape::cuboid(0.02, 0.02, 0.01).unwrap(), below).unwrap();
    scene
}

#[test]
fn a_gripper_that_touches_its_part_may_be_allowed_to() {
    let report = failure(&planner(gripping(0.002)), &START, &Goal::joints(GOAL), "StartInCollision");
    let tightest = report.evidence.start.as_ref().unwrap().tightest().unwrap();
    assert_eq!((tightest.pair.link.as_str(), tightest.pair.other.as_str()), ("gripper", "part"));
    assert!((tightest.depth() - 0.002).abs() < 1e-6, "{report}");
    for kind in ["allow_collision", "remove_body", "remove_object"] {
        assert!(of_kind(&report, kind).tried, "{report}");
    }
    assert_solved_by(&report, "remove_object");
}

#[test]
fn a_goal_in_which_the_arm_meets_itself_is_moved_and_not_blamed_on_the_scene() {
    // Folded back at the elbow: the wrist lies in the upper arm.
    let folded = [0.0, -1.57, 3.0, -1.57, 0.0, 0.0];
    let scene = Scene::new(&robot("ur5e")).unwrap();
    let report = failure(&planner(scene), &START, &Goal::joints(folded), "GoalInCollision");
    let contact = report.evidence.goal.as_ref().unwrap().tightest().unwrap();
    let robot = robot("ur5e");
    assert!(robot.link_index(&contact.pair.link).is_ok() && robot.link_index(&contact.pair.other).is_ok());
    assert!(report.suggestions.iter().all(|suggestion| suggestion.change.kind() != "remove_object"), "{report}");
    assert_solved_by(&report, "goal");
}

#[test]
fn a_pose_whose_branches_all_collide_lists_each_with_its_pair() {
    let mut scene = workcell();
    let target = Planner::in_scene(scene.clone()).unwrap().fk(&GOAL).unwrap();
    scene.add("ball", Shape::sphere(0.03).unwrap(), target).unwrap();
    let report = failure(&planner(scene), &START, &Goal::pose(target), "GoalInCollision");
    let ik = report.evidence.ik.as_ref().unwrap();
    assert!(ik.fates.len() >= 4 && ik.free() == 0, "{report}");
    assert_eq!(ik.outside_limits() + ik.in_collision(), ik.fates.len());
    assert!(ik.fates.iter().any(|fate| matches!(fate, BranchFate::InCollision(pair, _) if pair.other == "ball")));
    assert_solved_by(&report, "remove_object");
}

#[test]
fn an_impossible_budget_is_told_with_one_that_is_enough() {
    let planner = with(planner(workcell()), |config| config.max_iterations = 1);
    let report = failure(&planner, &START, &Goal::joints(GOAL), "PlanningTimeout");
    assert_eq!(report.evidence.search.as_ref().unwrap().iterations, 1);
    assert_solved_by(&report, "more_iterations");
}

#[test]
fn a_tool_outside_its_workspace_is_told_by_side() {
    let bounds = WorkspaceBounds { min: [-2.0, -2.0, -2.0], max: [0.0, 2.0, 2.0] };
    let planner = with(planner(workcell()), |config| config.workspace_bounds = Some(bounds));
    let x = planner.fk(&GOAL).unwrap().translation();
    let report = failure(&planner, &START, &Goal::joints(GOAL), "GoalInCollision");
    let pair = report.evidence.pair().unwrap();
    assert!(pair.other.starts_with("outside of the workspace"), "{report} at {x}");
    assert_solved_by(&report, "no_workspace_bounds");
}

#[test]
fn evidence_alone_tries_nothing_and_a_stop_ends_the_tries() {
    let planner = planner(pierced(&START));
    let error = planner.plan(&START, &Goal::joints(GOAL)).unwrap_err();
    let options = ReportOptions { tries: false, ..ReportOptions::default() };
    let report = planner.explain(&START, &Goal::joints(GOAL), &error, &options).unwrap();
    assert!(report.suggestions.is_empty() && report.evidence.start.is_some());
    let options = ReportOptions::default();
    options.stop.stop();
    let report = planner.explain(&START, &Goal::joints(GOAL), &error, &options).unwrap();
    assert!(!report.suggestions.is_empty());
    assert!(report.suggestions.iter().all(|suggestion| !suggestion.tried && !suggestion.solved));
}

#[test]
fn the_same_failure_has_the_same_report() {
    let planner = with(planner(walled(&GOAL)), |config| config.max_iterations = 200);
    let error = planner.plan(&START, &Goal::joints(GOAL)).unwrap_err();
    let options = ReportOptions { iterations: 200, timeout: f64::INFINITY, ..ReportOptions::default() };
    let report = || planner.explain(&START, &Goal::joints(GOAL), &error, &options).unwrap();
    let (a, b) = (report(), report());
    let (mut first, mut second) = (a.evidence.search.unwrap(), b.evidence.search.unwrap());
    (first.elapsed, second.elapsed) = (0.0, 0.0);
    assert_eq!(first, second);
    let solved = |report: &[Suggestion]| report.iter().map(|s| (s.change.clone(), s.solved)).collect::<Vec<_>>();
    assert_eq!(solved(&a.suggestions), solved(&b.suggestions));
}

#[test]
fn inverse_kinematics_lists_branches_with_the_limits_they_miss() {
    use kinetic::kinematics::analytic::{Manipulator, TolerancePolicy};
    use kinetic::kinematics::{IkChange, explain_ik};

    let planner = Planner::new(&robot("ur5e")).unwrap();
    let chain = planner.chain();
    let arm = Manipulator::from_chain(chain.clone(), TolerancePolicy::default()).unwrap();
    let target = planner.fk(&GOAL).unwrap();
    let report = explain_ik(Some(&arm), chain, &target, &IKConfig::default()).unwrap();
    // A UR5e reaches most poses in eight ways.
    assert_eq!((report.branches.len(), report.outside_limits(), report.is_complete), (8, 0, true));
    for branch in &report.branches {
        assert!(chain.tip_pose(&branch.joints).translation_distance(&target) < 1e-6);
    }
    let mut far = target;
    far.0.translation.vector *= 2.0;
    let report = explain_ik(Some(&arm), chain, &far, &IKConfig::default()).unwrap();
    assert!(report.branches.is_empty() && report.out_of_reach.is_some());
    let reached = chain.tip_pose(&report.nearest.joints);
    assert!((reached.translation_distance(&far) - report.nearest.position_error).abs() < 1e-9);
    for tried in &report.suggestions {
        let Some(joints) = &tried.answer else { continue };
        let missed = chain.tip_pose(joints).translation_distance(&tried.target);
        assert!(missed <= tried.config.position_tolerance, "{}: {missed}", tried.change);
    }
    let solved = |wanted: &dyn Fn(&IkChange) -> bool| {
        report.suggestions.iter().any(|tried| wanted(&tried.change) && tried.answer.is_some())
    };
    assert!(solved(&|change| matches!(change, IkChange::Tolerances(..))), "{report}");
    assert!(!solved(&|change| matches!(change, IkChange::PositionOnly)), "{report}");
}
