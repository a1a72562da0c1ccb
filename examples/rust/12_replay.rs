//! A planning problem in a file: saved, solved again, compared to the last bit.

#![allow(clippy::print_stdout, missing_docs, reason = "an example shows what it found, and is no library")]

use std::sync::Arc;

use kinetic::planning::PlanningProblem;
use kinetic::prelude::*;

pub fn main() -> Result<()> {
    let robot = Arc::new(Robot::from_name("ur5e")?);
    let mut scene = Scene::new(&robot)?;
    scene.add_cylinder("post", 0.05, 0.4, Pose::from_xyz(0.45, 0.15, 0.4))?;
    let config = PlannerConfig { seed: 7, ..PlannerConfig::default() };
    let planner = Planner::in_scene(scene)?.with_config(config)?;

    // Robot, scene, start, goal, options and seed, as they are now; the budget is in iterations, so that no clock decides.
    let start = [1.5, -1.57, 1.57, -1.57, -1.57, 0.0];
    let goal = Goal::joints([-1.0, -1.57, 1.57, -1.57, -1.57, 0.0]);
    let problem = planner.problem(&start, &goal)?.with_time_law(Some(kinetic::DEFAULT_TIME_LAW))?;
    let solution = problem.solve()?;
    println!("problem {}", solution.problem_hash);
    println!("answer  {}", solution.result_hash);

    let file = std::env::temp_dir().join(format!("kinetic_example_12_{}.toml", std::process::id()));
    problem.with_answer(&solution)?.save(&file)?;
    let replay = PlanningProblem::load(&file)?.replay(StopFlag::default())?;
    println!("solved again, the same to the last bit: {}", replay.is_same() == Some(true));
    std::fs::remove_file(&file).map_err(|error| KineticError::io(&file, &error))?;
    Ok(())
}
