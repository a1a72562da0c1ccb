//! Robots of a user's own: a planar arm, a gantry, a mobile base with an arm, and two arms, in scenes of their own. What
//! plans for the built-in arms plans for these, and what fails is explained in their units.

use std::fmt::Write as _;
use std::sync::Arc;

use kinetic::planning::{PlanningProblem, ReportOptions};
use kinetic::prelude::*;

use crate::support::assert_dense_free;

/// A link of one box that begins at its joint.
fn bar(name: &str, [x, y, z]: [f64; 3]) -> String {
    let origin = format!("<origin xyz=\"{} 0 0\"/>", x / 2.0);
    let shape = format!("<geometry><box size=\"{x} {y} {z}\"/></geometry>");
    format!("<link name=\"{name}\"><collision>{origin}{shape}</collision></link>")
}

fn joint(name: &str, kind: &str, (parent, child): (&str, &str), xyz: &str, axis: &str, limits: [f64; 2]) -> String {
    let range =
        if kind == "continuous" { String::new() } else { format!("lower=\"{}\" upper=\"{}\"", limits[0], limits[1]) };
    format!(
        "<joint name=\"{name}\" type=\"{kind}\"><parent link=\"{parent}\"/><child link=\"{child}\"/>\
         <origin xyz=\"{xyz}\"/><axis xyz=\"{axis}\"/><limit {range} velocity=\"1\" effort=\"1\"/></joint>"
    )
}

fn load(parts: &[String]) -> Arc<Robot> {
    let text = format!("<robot name=\"own\">{}</robot>", parts.concat());
    Arc::new(Robot::from_urdf_string(&text).unwrap())
}

fn empty(names: &[&str]) -> String {
    names.iter().fold(String::new(), |mut text, name| {
        write!(text, "<link name=\"{name}\"/>").unwrap();
        text
    })
}

/// Three turning joints in a plane, the first without limits.
fn planar() -> Arc<Robot> {
    load(&[
        empty(&["base"]),
        bar("a", [0.4, 0.06, 0.06]),
        bar("b", [0.3, 0.06, 0.06]),
        bar("c", [0.2, 0.06, 0.06]),
        joint("j1", "continuous", ("base", "a"), "0 0 0.1", "0 0 1", [0.0; 2]),
        joint("j2", "revolute", ("a", "b"), "0.4 0 0.08", "0 0 1", [-2.6, 2.6]),
        joint("j3", "revolute", ("b", "c"), "0.3 0 0.08", "0 0 1", [-2.6, 2.6]),
    ])
}

/// Three sliding joints and a turning tool.
fn gantry() -> Arc<Robot> {
    load(&[
        empty(&["base", "x", "y"]),
        bar("z", [0.05, 0.05, 0.05]),
        bar("tool", [0.2, 0.04, 0.04]),
        joint("x", "prismatic", ("base", "x"), "0 0 1", "1 0 0", [-1.0, 1.0]),
        joint("y", "prismatic", ("x", "y"), "0 0 0", "0 1 0", [-1.0, 1.0]),
        joint("z", "prismatic", ("y", "z"), "0 0 0", "0 0 1", [-0.6, 0.0]),
        joint("turn", "continuous", ("z", "tool"), "0 0 -0.1", "0 0 1", [0.0; 2]),
    ])
}

/// A base that drives and turns, with an arm of two links.
fn mobile() -> Arc<Robot> {
    load(&[
        empty(&["world", "px", "py"]),
        bar("body", [0.5, 0.4, 0.3]),
        bar("a", [0.35, 0.06, 0.06]),
        bar("b", [0.3, 0.06, 0.06]),
        joint("px", "prismatic", ("world", "px"), "0 0 0.3", "1 0 0", [-4.0, 4.0]),
        joint("py", "prismatic", ("px", "py"), "0 0 0", "0 1 0", [-4.0, 4.0]),
        joint("yaw", "continuous", ("py", "body"), "0 0 0", "0 0 1", [0.0; 2]),
        joint("s", "revolute", ("body", "a"), "0.25 0 0.22", "0 0 1", [-2.8, 2.8]),
        joint("e", "revolute", ("a", "b"), "0.35 0 0.08", "0 0 1", [-2.5, 2.5]),
    ])
}

/// Two arms that can reach each other; one tree, so that one group of the tree's joints is both.
fn two_arms() -> Arc<Robot> {
    let mut parts = vec![empty(&["base"])];
    for (side, y) in [("l", 0.4), ("r", -0.4)] {
        let [first, second] = [format!("{side}1"), format!("{side}2")];
        parts.push(bar(&first, [0.35, 0.06, 0.06]));
        parts.push(bar(&second, [0.3, 0.06, 0.06]));
        let shoulder = format!("0 {y} 0.5");
        parts.push(joint(&format!("{side}a"), "revolute", ("base", &first), &shoulder, "0 0 1", [-2.5, 2.5]));
        parts.push(joint(&format!("{side}b"), "revolute", (&first, &second), "0.38 0 0", "0 1 0", [-2.2, 2.2]));
    }
    let robot = load(&parts);
    let config = "[robot]\nname = \"two\"\nurdf = \"-\"\n[planning_group.both]\njoints = [\"la\", \"lb\", \"ra\", \"rb\"]\n\
                  [planning_group.left]\nchain = [\"base\", \"l2\"]\n";
    let mut robot = Robot::clone(&robot);
    kinetic::robot::RobotConfig::from_string(config).unwrap().apply_to_robot(&mut robot).unwrap();
    Arc::new(robot)
}

fn boxed(scene: &mut Scene, name: &str, size: [f64; 3], at: [f64; 3]) {
    let shape = Shape::cuboid(size[0] / 2.0, size[1] / 2.0, size[2] / 2.0).unwrap();
    scene.add(name, shape, Pose::from_xyz(at[0], at[1], at[2])).unwrap();
}

fn planner(scene: &Scene) -> Planner {
    let config = PlannerConfig { max_iterations: 20_000, ..PlannerConfig::default() };
    Planner::in_scene(scene.clone()).unwrap().with_config(config).unwrap()
}

/// A scene for each robot with a start and a goal between which the straight is blocked.
fn cases_of_own() -> Vec<(&'static str, Scene, Vec<f64>, Vec<f64>)> {
    let mut planar_scene = Scene::new(&planar()).unwrap();
    boxed(&mut planar_scene, "post", [0.1, 0.1, 0.4], [0.45, 0.35, 0.2]);
    let mut gantry_scene = Scene::new(&gantry()).unwrap();
    boxed(&mut gantry_scene, "wall", [0.05, 1.2, 0.6], [0.0, -0.35, 0.6]);
    let mut mobile_scene = Scene::new(&mobile()).unwrap();
    for (index, y) in [-2.9, -0.9, 0.3, 3.0].into_iter().enumerate() {
        boxed(&mut mobile_scene, &format!("shelf{index}"), [0.3, 1.2, 1.2], [1.0, y, 0.6]);
    }
    let mut two_scene = Scene::new(&two_arms()).unwrap();
    boxed(&mut two_scene, "post", [0.06, 0.06, 0.3], [0.55, 0.25, 0.5]);
    vec![
        ("planar", planar_scene, vec![0.0, 0.2, 0.1], vec![1.6, -0.2, 0.1]),
        ("gantry", gantry_scene, vec![-0.6, -0.3, -0.4, 0.0], vec![0.6, -0.3, -0.4, 3.0]),
        ("mobile", mobile_scene, vec![-1.0, 0.0, 0.0, 0.5, 0.5], vec![2.2, 0.0, 0.5, -0.5, 0.5]),
        ("two arms", two_scene, vec![0.5, 0.3, -0.2, 0.3], vec![-0.6, -0.3, 0.6, 0.4]),
    ]
}

#[test]
fn robots_of_ones_own_are_planned_for_and_their_problems_travel() {
    for (name, scene, start, goal) in cases_of_own() {
        let planner = planner(&scene);
        let problem =
            planner.problem(&start, &Goal::joints(goal.clone())).unwrap().with_time_law(Some("totp")).unwrap();
        let solution = problem.solve().unwrap_or_else(|error| panic!("{name}: {error}"));
        let path = &solution.result.path;
        // A joint without limits may go round the other way.
        let straight = start.iter().zip(&goal).map(|(a, b)| (a - b).powi(2)).sum::<f64>().sqrt();
        assert!(path.path_length() > 1.01 * straight, "{name}: the straight was free");
        assert_eq!(solution.result.start(), start, "{name}");
        let turns = path.positions(path.len() - 1).iter().zip(&goal).map(|(a, b)| (a - b) / std::f64::consts::TAU);
        assert!(turns.clone().all(|turn| (turn - turn.round()).abs() < 1e-12), "{name}");
        assert_dense_free(&scene, planner.group().name.as_str(), path, 0.02);
        let read =
            PlanningProblem::from_toml(&problem.with_answer(&solution).unwrap().to_toml().unwrap(), "p").unwrap();
        assert_eq!(read.replay(StopFlag::default()).unwrap().is_same(), Some(true), "{name}");
    }
}

#[test]
fn goals_of_all_kinds_work_for_them() {
    let (_, scene, start, goal) = cases_of_own().swap_remove(0);
    let planner = planner(&scene);
    let pose = planner.fk(&goal).unwrap();
    let region = PoseRegion::new(pose, [0.1, 0.1, 0.0], [0.0, 0.0, 3.0]).unwrap();
    let result = planner.plan(&start, &Goal::region(region)).unwrap();
    let tip = planner.fk(result.end()).unwrap();
    let offset = (pose.0.inverse() * tip.0).translation.vector;
    assert!(offset.x.abs() <= 0.1 + 1e-5 && offset.y.abs() <= 0.1 + 1e-5 && offset.z.abs() < 1e-5, "{offset}");
    // What is out of reach is passed over, in a set of several kinds.
    let set = Goal::any([Goal::pose(Pose::from_xyz(9.0, 0.0, 0.0)), Goal::joints(goal), Goal::region(region)]);
    assert!(planner.plan(&start, &set).unwrap().goal_index > 0);
    let result = planner.plan(&start, &Goal::pose(pose)).unwrap();
    assert!(planner.fk(result.end()).unwrap().translation_distance(&pose) < 1e-6);
}

/// The kinds of changes that solved a plan that fails with this code; each is walked along.
fn solved_by(planner: &Planner, start: &[f64], goal: &Goal, code: &str) -> Vec<&'static str> {
    let error = planner.plan(start, goal).unwrap_err();
    assert_eq!(error.code(), code, "{error}");
    let report = planner.explain(start, goal, &error, &ReportOptions::default()).unwrap();
    let solved = report.suggestions.iter().filter(|suggestion| suggestion.solved);
    solved
        .map(|suggestion| {
            let problem = &suggestion.problem;
            let path = problem.solve().unwrap().result.path;
            assert_dense_free(problem.scene(), problem.group(), &path, problem.config().collision_margin.min(1e-4));
            suggestion.change.kind()
        })
        .collect()
}

#[test]
fn units_are_told_apart_by_what_joints_do() {
    let free = |robot: &Arc<Robot>| planner(&Scene::new(robot).unwrap());
    let (start, far) = ([0.0, 0.0, -0.3, 0.0], "JointLimitViolation");
    // Millimetres for sliding joints; what turns is left alone.
    let goal = Goal::joints([500.0, 300.0, -200.0, 1.0]);
    let kinds = solved_by(&free(&gantry()), &start, &goal, far);
    assert_eq!(kinds[0], "metres_for_millimetres");
    // Millimetres and degrees, as teach pendants show them.
    let goal = Goal::joints([500.0, 300.0, -200.0, 90.0]);
    let planner = free(&gantry());
    let error = planner.plan(&start, &goal).unwrap_err();
    let report = planner.explain(&start, &goal, &error, &ReportOptions::default()).unwrap();
    let change = &report.suggestions[0];
    assert!(change.solved && change.change.kind() == "metres_and_radians", "{report}");
    let Goal::Joints(values) = change.problem.goal() else { panic!("{report}") };
    let wanted = [0.5, 0.3, -0.2, std::f64::consts::FRAC_PI_2];
    assert!(values.iter().zip(wanted).all(|(a, b)| (a - b).abs() < 1e-12), "{report}");
    // Degrees beside a sliding joint in metres, which stays.
    let planner = free(&mobile());
    let (start, goal) = ([0.0; 5], Goal::joints([1.5, -0.5, 30.0, 45.0, -60.0]));
    let error = planner.plan(&start, &goal).unwrap_err();
    let report = planner.explain(&start, &goal, &error, &ReportOptions::default()).unwrap();
    let change = &report.suggestions[0];
    assert!(change.solved && change.change.kind() == "radians_for_degrees", "{report}");
    let Goal::Joints(values) = change.problem.goal() else { panic!("{report}") };
    assert_eq!(values[..2], [1.5, -0.5]);
    assert!((values[4] + 60.0_f64.to_radians()).abs() < 1e-12);
}

#[test]
fn what_is_in_the_way_of_them_is_named_and_solved() {
    let cases = cases_of_own();
    let (_, gantry_scene, start, goal) = &cases[1];
    let goal = Goal::joints(goal.clone());
    // A goal in the wall.
    let inside = Goal::joints([0.0, -0.3, -0.4, 0.0]);
    let kinds = solved_by(&planner(gantry_scene), start, &inside, "GoalInCollision");
    assert!(kinds.contains(&"remove_object") && kinds.contains(&"goal"), "{kinds:?}");
    // A workspace that ends before the goal.
    let bounds = kinetic::core::config::WorkspaceBounds { min: [-0.9, -0.9, 0.0], max: [0.4, 0.9, 2.0] };
    let config = PlannerConfig { workspace_bounds: Some(bounds), ..planner(gantry_scene).config().clone() };
    let kinds = solved_by(&planner(gantry_scene).with_config(config).unwrap(), start, &goal, "GoalInCollision");
    assert!(kinds.contains(&"no_workspace_bounds"), "{kinds:?}");
    // Too few iterations.
    let config = PlannerConfig { max_iterations: 2, ..planner(gantry_scene).config().clone() };
    let kinds = solved_by(&planner(gantry_scene).with_config(config).unwrap(), start, &goal, "PlanningTimeout");
    assert!(kinds.contains(&"more_iterations"), "{kinds:?}");
    // Arms through each other.
    let scene = Scene::new(&two_arms()).unwrap();
    let crossed = Goal::joints([-1.2, 0.0, 1.2, 0.0]);
    let kinds = solved_by(&planner(&scene), &[0.5, 0.3, -0.2, 0.3], &crossed, "GoalInCollision");
    assert_eq!(kinds, ["goal"]);
    // A floor nearer than the margin.
    let mut scene = Scene::new(&mobile()).unwrap();
    scene.add("floor", Shape::half_space(Vector3::z(), 0.14).unwrap(), Pose::identity()).unwrap();
    let there = Goal::joints([1.0, 0.0, 0.5, 0.5, 0.5]);
    let kinds = solved_by(&planner(&scene), &[0.0; 5], &there, "StartInCollision");
    assert!(kinds.contains(&"collision_margin") && kinds.contains(&"allow_collision"), "{kinds:?}");
}
