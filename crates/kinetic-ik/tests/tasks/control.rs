//! Solves that are stopped, what columns drive, and what a solve says that did not converge.

use std::sync::Arc;

use kinetic_core::control::ManualClock;
use kinetic_core::{Control, KineticError, Pose, StopFlag};
use kinetic_ik::tasks::{Model, PoseTask, TaskOptions, TaskProblem, TaskSolution};
use kinetic_kinematics::VirtualBase;
use nalgebra::Vector3;

use super::{robot, tool};

/// A point that is out of reach, so that a solve goes on for as long as it may.
fn out_of_reach(name: &str) -> (TaskProblem, Vec<f64>) {
    let (robot, group) = robot(name);
    let mut problem = TaskProblem::new(Model::new(&robot, &group.variables).unwrap());
    problem.add(PoseTask::position("reach", tool(&group), Vector3::new(0.0, 9.0, 0.5)), 0, 1.0).unwrap();
    (problem, robot.neutral_configuration())
}

fn control(timeout: f64, max_iterations: u64, stop: StopFlag) -> Control {
    Control::new(Arc::new(ManualClock::with_step(1_000_000)), timeout, max_iterations, stop)
}

#[test]
fn a_solve_ends_when_it_is_stopped_out_of_time_or_out_of_iterations() {
    let (problem, q) = out_of_reach("ur5e");
    let options = TaskOptions { attempts: 1_000_000, ..TaskOptions::default() };
    let solve = |control: Control| problem.solve_with(&q, &Pose::identity(), &options, &control);
    let stopped = StopFlag::default();
    stopped.stop();
    assert!(matches!(solve(control(1e9, u64::MAX, stopped)), Err(KineticError::Cancelled { .. })));
    for control in [control(0.05, u64::MAX, StopFlag::default()), control(1e9, 500, StopFlag::default())] {
        let Err(KineticError::PlanningTimeout { iterations, .. }) = solve(control) else { panic!("it went on") };
        assert!(iterations <= 500, "{iterations}");
    }
}

#[test]
fn a_solve_that_is_not_stopped_is_the_same_as_without_control() {
    let (problem, q) = out_of_reach("franka_panda");
    let options = TaskOptions { attempts: 3, ..TaskOptions::default() };
    let plain = problem.solve(&q, &Pose::identity(), &options).unwrap();
    let control = control(1e9, u64::MAX, StopFlag::default());
    assert_eq!(problem.solve_with(&q, &Pose::identity(), &options, &control).unwrap(), plain);
}

#[test]
fn what_is_missing_names_tasks_and_joints() {
    let (problem, q) = out_of_reach("franka_panda");
    let solution = problem.solve(&q, &Pose::identity(), &TaskOptions::default()).unwrap();
    let missing = solution.what_is_missing().unwrap();
    assert!(missing.starts_with("task \"reach\" is not met, position off by "), "{missing}");
    for limit in &solution.active_limits {
        assert!(missing.contains(&format!("\"{}\" stands at its ", limit.joint)), "{missing}");
    }
    let met = TaskSolution { converged: true, ..solution };
    assert_eq!(met.what_is_missing(), None);
}

#[test]
fn every_moved_joint_has_a_driver_with_the_multiplier_of_its_coupling() {
    let (robot, group) = robot("kuka_iiwa14");
    let (leader, follower) = (group.variables[1], group.variables[4]);
    let moved: Vec<usize> = group.variables[..6].to_vec();
    let model = Model::new(&robot, &moved).unwrap().with_base(VirtualBase::Planar, None).unwrap();
    let model = model.with_coupling(leader, follower, -0.5, 0.1).unwrap();
    let leaders: Vec<usize> = model.leaders().collect();
    assert_eq!(leaders, [0, 1, 2, 3, 5].map(|index| group.variables[index]));
    for (column, variable) in leaders.iter().enumerate() {
        assert_eq!(model.driver(*variable), Some((3 + column, 1.0)));
        assert_eq!(model.column(*variable), Some(3 + column));
    }
    assert_eq!(model.driver(follower), Some((3 + 1, -0.5)));
    assert_eq!(model.driver(group.variables[6]), None);
}
