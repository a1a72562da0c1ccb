//! The whole line, from a robot's name to a verified trajectory.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

mod anytime;
mod bad_input;
mod batch;
mod bench;
mod budgets;
mod check;
mod continuous;
mod deadlines;
mod examples;
mod failures;
mod goal_sets;
mod goals;
#[cfg(feature = "gpu")]
mod gpu_optimizer;
mod held_joints;
mod line;
mod loop_paths;
mod minimise;
mod one_liner;
mod own_algorithms;
mod own_robots;
mod path_tools;
mod plan_execute;
mod problems;
mod reports;
mod running_motions;
mod self_motion;
mod sliding_tool;
mod speed;
mod support;
mod thin_walls;
mod torques;
mod turns;
mod two_faults;
mod weights;
mod whole_robots;

/// Cases of a property: a first slice, or the full count when `KINETIC_FULL=1`.
fn cases(slice: usize, full: usize) -> usize {
    if std::env::var("KINETIC_FULL").is_ok_and(|value| value == "1") { full } else { slice }
}
