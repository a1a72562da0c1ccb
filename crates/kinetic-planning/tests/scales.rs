//! The same problem in other units: axes that slide by millimetres or by hectometres, and joints that count more or less.

use std::sync::Arc;

use kinetic_core::{Goal, PlannerConfig, Pose, Result, Shape};
use kinetic_planning::{PlannerType, PlanningResult};
use kinetic_scene::Scene;

use crate::slides;

/// Middles and half extents of the walls of a maze between −1 and 1, and the radius of what moves in it.
const WALLS: [[f64; 4]; 3] = [[-0.4, 0.3, 0.1, 0.7], [0.1, -0.35, 0.1, 0.65], [0.6, 0.35, 0.08, 0.65]];
const BALL: f64 = 0.01;
const MARGIN: f64 = 0.02;

/// A path through the maze at a scale.
fn through(id: &str, scale: f64, seed: u64, joint_weights: Option<Vec<f64>>) -> Result<PlanningResult> {
    let mut scene = Scene::new(&Arc::new(slides::robot(scale, BALL * scale)?))?;
    for (index, [x, y, half_x, half_y]) in WALLS.map(|wall| wall.map(|value| value * scale)).into_iter().enumerate() {
        let shape = Shape::cuboid(half_x, half_y, 0.25 * scale)?;
        scene.add(&format!("wall{index}"), shape, Pose::from_xyz(x, y, 0.0))?;
    }
    let config = PlannerConfig {
        collision_margin: MARGIN * scale,
        seed,
        joint_weights,
        // The cost of clearance keeps it out of the maze's gaps for long.
        max_iterations: if id == "bitrrt" { 200_000 } else { 20_000 },
        timeout: f64::INFINITY,
        // The path as the search finds it; and where it goes on, the first one.
        smooth: false,
        shortcut_iterations: 0,
        ..PlannerConfig::default()
    };
    let planner = kinetic_planning::Planner::in_scene(scene)?.with_config(config)?.with_planner_type(id.parse()?);
    planner.plan(&[-0.9 * scale, 0.5 * scale], &Goal::joints([0.9 * scale, 0.6 * scale]))
}

/// Regression 43: steps of one metre, whatever an axis could move, let planners fail on small and on large slides.
#[test]
fn a_search_takes_the_same_iterations_at_every_scale() -> Result<()> {
    for id in ["rrt_connect", "est", "kpiece", "prm", "cbirrt"] {
        for seed in 0..3 {
            let usual = through(id, 1.0, seed, None)?;
            for scale in [1.0 / 4096.0, 1.0 / 64.0, 0.25, 16.0, 1024.0] {
                let scaled = through(id, scale, seed, None)?;
                // Rounding of distances is relative to 1 m in places, so that now and then a sample more is refused.
                let ratio = scaled.iterations as f64 / usual.iterations as f64;
                assert!((0.2..5.0).contains(&ratio), "{id}, seed {seed}, scale {scale}: {ratio}");
                let end = scaled.path.positions(scaled.path.len() - 1);
                assert!((end[0] - 0.9 * scale).abs() <= 1e-9 * scale.max(1.0), "{id}, {scale}");
            }
        }
    }
    Ok(())
}

#[test]
fn planners_solve_a_maze_at_scales_that_are_no_power_of_anything() {
    let planners = PlannerType::names().into_iter().filter(|name| {
        // Those that optimise a trajectory, and those that need regions, are not for mazes.
        !["auto", "gcs", "chomp", "stomp", "trajopt"].contains(&name.as_str())
    });
    for id in planners {
        for scale in [0.003, 30.0] {
            let solved = (0..3).filter(|seed| through(&id, scale, *seed, None).is_ok()).count();
            assert!(solved >= 2, "{id} at scale {scale}: {solved} of 3");
        }
    }
}

#[test]
fn an_axis_that_counts_more_does_not_stop_a_search() {
    for id in ["rrt_connect", "est", "kpiece", "cbirrt"] {
        for weights in [[1.0, 3.0], [30.0, 1.0]] {
            let solved = (0..3).filter(|seed| through(id, 1.0, *seed, Some(weights.to_vec())).is_ok()).count();
            assert!(solved >= 2, "{id}, weights {weights:?}: {solved} of 3");
        }
    }
}
