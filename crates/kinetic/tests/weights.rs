//! Weights of joints: another way wins, only ratios matter, and files carry them.

use std::sync::Arc;

use kinetic::core::rng::SeededRng;
use kinetic::planning::PlanningProblem;
use kinetic::prelude::*;
use kinetic::scene::robot_document;

use crate::cases;
use crate::support::{robot, workcell};

/// A ball of 5 cm on three sliding joints, and a wall in its way that ends 0.3 m to the left and 0.4 m above it.
const GANTRY: &str = r#"<robot name="gantry">
  <link name="base"/><link name="bridge"/><link name="carriage"/>
  <link name="ball"><collision><geometry><sphere radius="0.05"/></geometry></collision></link>
  <joint name="x" type="prismatic"><parent link="base"/><child link="bridge"/><axis xyz="1 0 0"/>
    <limit lower="-1" upper="1" velocity="1" effort="1"/></joint>
  <joint name="y" type="prismatic"><parent link="bridge"/><child link="carriage"/><axis xyz="0 1 0"/>
    <limit lower="-1" upper="1" velocity="1" effort="1"/></joint>
  <joint name="z" type="prismatic"><parent link="carriage"/><child link="ball"/><axis xyz="0 0 1"/>
    <limit lower="0" upper="1" velocity="1" effort="1"/></joint>
</robot>"#;

const START: [f64; 3] = [-0.5, 0.0, 0.1];
const GOAL: [f64; 3] = [0.5, 0.0, 0.1];

fn gantry(weights: Option<Vec<f64>>) -> Planner {
    let mut scene = Scene::new(&Arc::new(Robot::from_urdf_string(GANTRY).unwrap())).unwrap();
    let wall = Shape::cuboid(0.05, 0.65, 0.25).unwrap();
    // It reaches from y = -1 to 0.3, and up to z = 0.5.
    scene.add("wall", wall, Pose::from_xyz(0.0, -0.35, 0.25)).unwrap();
    let config = PlannerConfig {
        timeout: f64::INFINITY,
        max_iterations: 4_000,
        joint_weights: weights,
        collision_margin: 0.0,
        ..PlannerConfig::default()
    };
    let planner = Planner::in_scene(scene).unwrap().with_config(config).unwrap();
    planner.with_planner_type(PlannerType::AORRTC)
}

/// Least length of a way around an edge at `detour` from the line between start and goal, where one unit of `x` counts
/// `x_weight` and one of the other joint `weight`. The ball rolls about the edges of the wall, which lie at ±5 cm.
fn around(x_weight: f64, weight: f64, detour: f64) -> (f64, f64) {
    let side = |clear: f64| ((0.45 * x_weight).powi(2) + (clear * weight).powi(2)).sqrt();
    // A sharp ball, and one that stays its radius away in both joints.
    let least = 2.0 * side(detour) + 0.1 * x_weight;
    let most = 2.0 * ((0.4 * x_weight).powi(2) + ((detour + 0.05) * weight).powi(2)).sqrt() + 0.2 * x_weight;
    (least, most)
}

#[test]
fn a_dear_joint_makes_another_way_win() {
    // Aside by 0.3 m, or over the top by 0.4 m.
    for (weights, is_aside, bounds) in [
        (None, true, around(1.0, 1.0, 0.3)),
        (Some(vec![1.0, 5.0, 1.0]), false, around(1.0, 1.0, 0.4)),
        (Some(vec![1.0, 1.0, 5.0]), true, around(1.0, 1.0, 0.3)),
        (Some(vec![3.0, 1.0, 0.5]), false, around(3.0, 0.5, 0.4)),
    ] {
        let result = gantry(weights.clone()).plan(&START, &Goal::joints(GOAL)).unwrap();
        let farthest =
            |joint: usize, from: f64| result.path.iter().map(|q| (q[joint] - from).abs()).fold(0.0, f64::max);
        let (aside, above) = (farthest(1, 0.0), farthest(2, 0.1));
        assert_eq!(aside > above, is_aside, "{weights:?}: {aside} aside, {above} up");
        let (least, most) = bounds;
        let length = result.path_length;
        assert!(length >= least && length <= 1.01 * most, "{weights:?}: {length}, from {least} to {most}");
        assert!(result.raw_length >= length);
    }
}

fn ur5e(weights: Option<Vec<f64>>) -> Planner {
    let config = PlannerConfig { joint_weights: weights, max_iterations: 20_000, ..PlannerConfig::default() };
    Planner::in_scene(workcell()).unwrap().with_config(config).unwrap()
}

const FROM: [f64; 6] = [-2.0, -1.6, 1.5, -1.5, -1.57, 0.0];
const TO: [f64; 6] = [0.9, -1.3, 1.6, -1.8, -1.57, 0.4];

#[test]
fn weights_of_one_are_none_and_only_ratios_matter_to_the_path() {
    let plan = |weights| ur5e(weights).plan(&FROM, &Goal::joints(TO)).unwrap();
    let plain = plan(None);
    for weight in [1.0, 4.0, 0.5] {
        let weighted = plan(Some(vec![weight; 6]));
        assert_eq!(weighted.path, plain.path, "{weight}");
        assert_eq!(weighted.path_length, weight * plain.path_length, "powers of two are exact");
        assert_eq!(weighted.raw_length, weight * plain.raw_length);
    }
    // In the length of the robot, too; and what is not a power of two rounds.
    let uneven = plan(Some(vec![3.0, 1.0, 1.0, 1.0, 1.0, 0.2]));
    assert_ne!(uneven.path, plain.path);
    let length = length(&uneven.path, &[3.0, 1.0, 1.0, 1.0, 1.0, 0.2]);
    assert!((uneven.path_length - length).abs() < 1e-12);
}

#[test]
fn simplification_never_makes_a_path_longer_in_the_weights() {
    for seed in 0..cases(10, 200) as u64 {
        let mut rng = SeededRng::new(seed);
        let weights: Vec<f64> = (0..6).map(|_| 10.0_f64.powf(rng.uniform(-2.0, 2.0))).collect();
        let config = PlannerConfig { shortcut_iterations: 0, smooth: false, seed, ..PlannerConfig::default() };
        let raw = ur5e(None).with_config(config).unwrap().plan(&FROM, &Goal::joints(TO)).unwrap().path;
        let planner = ur5e(Some(weights.clone()));
        let control = planner.control(StopFlag::default());
        let simplified = planner.simplify(&raw, &control).unwrap();
        assert_eq!(simplified.length_before, length(&raw, &weights));
        assert_eq!(simplified.length, length(&simplified.path, &weights));
        // Scaled weights round.
        let most = simplified.length_before * (1.0 + 1e-12);
        assert!(simplified.length <= most, "seed {seed}: {} from {}", simplified.length, simplified.length_before);
        assert!(length(&planner.shortcut(&raw, 100, &control).unwrap(), &weights) <= most, "seed {seed}");
    }
}

/// By definition.
fn length(path: &Trajectory, weights: &[f64]) -> f64 {
    let edge = |(a, b): (&[f64], &[f64])| {
        let steps = a.iter().zip(b).zip(weights).map(|((a, b), weight)| weight * (a - b));
        steps.map(|step| step * step).sum::<f64>().sqrt()
    };
    path.segments().map(edge).sum()
}

#[test]
fn the_nearest_goal_is_the_one_that_is_cheap_to_reach() {
    let goals = Goal::any([Goal::joints([-0.5, 0.4, 0.1]), Goal::joints([-0.5, 0.0, 0.4])]);
    for (weights, nearest) in [(vec![1.0, 1.0, 1.0], 1), (vec![1.0, 0.1, 1.0], 0)] {
        let planner = gantry(Some(weights)).with_planner_type(PlannerType::RRTConnect);
        assert_eq!(planner.plan(&START, &goals).unwrap().goal_index, nearest);
    }
}

#[test]
fn wrong_weights_are_refused_by_name() {
    let refused = |weights: Vec<f64>| {
        let config = PlannerConfig { joint_weights: Some(weights), ..PlannerConfig::default() };
        Planner::new(&robot("ur5e")).unwrap().with_config(config).and_then(|p| p.plan(&FROM, &Goal::joints(TO)))
    };
    for (weights, part) in [
        (vec![1.0; 5], "has 5 values, expected 6, one per joint of group \"arm\" (shoulder_pan_joint"),
        (vec![], "has 0 values"),
        (vec![1.0, f64::NAN, 1.0, 1.0, 1.0, 1.0], "joint_weights[1] = NaN"),
        (vec![0.0; 6], "joint_weights[0] = 0"),
        (vec![1.0, 1.0, 1.0, 1.0, 1.0, -2.0], "joint_weights[5] = -2"),
        (vec![f64::INFINITY; 6], "from 1e-3 to 1e3"),
    ] {
        let error = refused(weights).unwrap_err();
        assert!(error.to_string().contains(part), "{error}");
        assert!(error.is_input_error(), "{error}");
    }
}

#[test]
fn a_robots_own_weights_count_and_travel_with_it() {
    let mut own = Robot::clone(&robot("ur5e"));
    own.joint_weights = vec![3.0, 1.0, 1.0, 1.0, 1.0, 0.2];
    let own = Arc::new(own);
    let scene = workcell().with_robot(&own).unwrap();
    let config = PlannerConfig { max_iterations: 20_000, ..PlannerConfig::default() };
    let planner = Planner::in_scene(scene).unwrap().with_config(config).unwrap();
    let weighted = planner.plan(&FROM, &Goal::joints(TO)).unwrap();
    assert_eq!(weighted.path, ur5e(Some(own.joint_weights.clone())).plan(&FROM, &Goal::joints(TO)).unwrap().path);
    let read = robot_document::from_json(&robot_document::to_json(&own).unwrap(), "r").unwrap();
    assert_eq!(read.joint_weights, own.joint_weights);
    assert_ne!(robot_document::fingerprint(&own).unwrap(), robot_document::fingerprint(&robot("ur5e")).unwrap());
    // A problem of either kind is solved alike where it is read again.
    let problem = planner.problem(&FROM, &Goal::joints(TO)).unwrap();
    let other = ur5e(Some(vec![3.0, 1.0, 1.0, 1.0, 1.0, 0.2])).problem(&FROM, &Goal::joints(TO)).unwrap();
    let plain = ur5e(None).problem(&FROM, &Goal::joints(TO)).unwrap();
    let hashes = [&problem, &other, &plain].map(|problem| problem.hash().unwrap());
    assert!(hashes[0] != hashes[1] && hashes[1] != hashes[2] && hashes[0] != hashes[2]);
    for problem in [problem, other] {
        let read = PlanningProblem::from_toml(&problem.to_toml().unwrap(), "problem.toml").unwrap();
        assert_eq!(read.hash().unwrap(), problem.hash().unwrap());
        assert_eq!(read.config(), problem.config());
        assert_eq!(read.solve().unwrap().result.path, weighted.path);
    }
}
