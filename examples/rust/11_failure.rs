//! A plan that fails: what was in the way, and which changes help.

#![allow(clippy::print_stdout, missing_docs, reason = "an example shows what it found, and is no library")]

use std::sync::Arc;

use kinetic::planning::ReportOptions;
use kinetic::prelude::*;

pub fn main() -> Result<()> {
    let robot = Arc::new(Robot::from_name("ur5e")?);
    let mut scene = Scene::new(&robot)?;
    scene.add_cylinder("post", 0.05, 0.4, Pose::from_xyz(0.45, 0.15, 0.4))?;
    let planner = Planner::in_scene(scene)?;
    let start = [1.5, -1.57, 1.57, -1.57, -1.57, 0.0];
    let goal = Goal::joints([0.3, -1.57, 1.57, -1.57, -1.57, 0.0]);

    // Errors are typed: what a program needs to go on is in their fields.
    let Err(error) = planner.plan(&start, &goal) else { panic!("the goal touches the post, and yet there is a plan") };
    match &error {
        KineticError::GoalInCollision { .. } => println!("{}: another goal is needed", error.code()),
        _ if error.is_retryable() => println!("{}: another seed or more time may help", error.code()),
        _ => println!("{}", error.code()),
    }

    // For people; every fact of it is in `evidence`, every change in `suggestions`.
    let report = planner.explain(&start, &goal, &error, &ReportOptions::default())?;
    println!("{report}");
    if let Some(helpful) = report.suggestions.iter().find(|suggestion| suggestion.solved) {
        let length = helpful.problem.solve()?.result.path_length;
        println!("with {}: a path of {length:.2} rad", helpful.change);
    }
    Ok(())
}
