//! Strict priorities: what is below never harms what is above, and gets what is left.

use kinetic_core::rng::SeededRng;
use kinetic_core::{Pose, Result};
use kinetic_ik::tasks::{Limit, LimitAvoidance, Model, PoseTask, Posture, Rows, State, Task, TaskOptions, TaskProblem};
use nalgebra::Vector3;

use super::{exact, reached, robot, tool};
use crate::cases;

#[test]
fn the_level_above_is_as_good_with_the_level_below_as_without() {
    let (robot, group) = robot("franka_panda");
    let mut rng = SeededRng::new(71);
    let options = TaskOptions { max_iterations: 200, ..TaskOptions::default() };
    let (total, mut followed) = (cases(40, 400), 0);
    for case in 0..total {
        let q = robot.full_configuration(&group, &robot.random_configuration(&group, &mut rng)).unwrap();
        let rest = robot.random_configuration(&group, &mut rng);
        let near: Vec<f64> = q.iter().map(|value| value + rng.uniform(-0.2, 0.2)).collect();
        let target = reached(&robot, &q, &tool(&group));
        let mut problem = TaskProblem::new(Model::new(&robot, &group.variables).unwrap());
        problem.add(exact(&group, target), 0, 1.0).unwrap();
        let alone = problem.solve(&near, &Pose::identity(), &options).unwrap();
        let posture = Posture {
            name: "rest".to_owned(),
            joints: group.variables.clone(),
            target: rest.0.clone(),
            threshold: None,
        };
        problem.add(posture, 1, 1.0).unwrap();
        if !alone.converged {
            continue;
        }
        // From where the pose is met already: on the way there the posture does not count.
        let both = problem.solve(&alone.q, &Pose::identity(), &options).unwrap();
        assert!(both.converged, "case {case}: the posture took the pose away");
        let pose = reached(&robot, &both.q, &tool(&group));
        assert!(pose.translation_distance(&target) < 1.1e-7, "case {case}");
        assert!(pose.rotation_distance(&target) < 1.2e-7, "case {case}");
        let away = |q: &[f64]| group.variables.iter().zip(&rest.0).map(|(v, r)| (q[*v] - r).powi(2)).sum::<f64>();
        assert!(away(&both.q) <= away(&alone.q), "case {case}: the posture is not followed");
        followed += usize::from(away(&both.q) < 0.99 * away(&alone.q));
    }
    // The elbow has one degree of freedom left; it nearly always brings something.
    assert!(followed * 2 > total, "{followed} of {total}");
}

#[test]
fn of_two_positions_that_exclude_each_other_the_first_is_kept_and_the_second_as_near_as_it_can_be() {
    let (robot, group) = robot("franka_panda");
    let q = robot.neutral_configuration();
    let here = reached(&robot, &q, &tool(&group)).translation();
    let (first, second) = (here + Vector3::new(0.05, 0.1, 0.0), here + Vector3::new(0.0, -0.1, 0.1));
    let position = |name: &str, target| {
        let task = PoseTask::position(name, tool(&group), target);
        PoseTask { position_threshold: 1e-6, ..task }
    };
    for (levels, wanted) in [([0, 1], first), ([1, 0], second)] {
        let mut problem = TaskProblem::new(Model::new(&robot, &group.variables).unwrap());
        problem.add(position("first", first), levels[0], 1.0).unwrap();
        problem.add(position("second", second), levels[1], 1.0).unwrap();
        let solution = problem.solve(&q, &Pose::identity(), &TaskOptions::default()).unwrap();
        let reached = reached(&robot, &solution.q, &tool(&group)).translation();
        assert!((reached - wanted).norm() < 1.1e-6, "{levels:?}");
        assert!(!solution.converged && solution.tasks[0].met && !solution.tasks[1].met);
    }
    // On one level the weights decide: the point divides the way as they say.
    for (weight, part) in [(1.0, 0.5), (3.0, 0.25)] {
        let mut problem = TaskProblem::new(Model::new(&robot, &group.variables).unwrap());
        problem.add(position("first", first), 0, weight).unwrap();
        problem.add(position("second", second), 0, 1.0).unwrap();
        let solution = problem.solve(&q, &Pose::identity(), &TaskOptions::default()).unwrap();
        let reached = reached(&robot, &solution.q, &tool(&group)).translation();
        assert!((reached - (first + (second - first) * part)).norm() < 1e-3, "weight {weight}: {reached}");
    }
}

#[test]
fn three_levels_each_get_what_those_above_leave() {
    let (robot, group) = robot("franka_panda");
    let q = robot.neutral_configuration();
    let here = reached(&robot, &q, &tool(&group));
    let target = here.translation() + Vector3::new(0.1, 0.1, -0.1);
    let mut problem = TaskProblem::new(Model::new(&robot, &group.variables).unwrap());
    let position = PoseTask { position_threshold: 1e-6, ..PoseTask::position("position", tool(&group), target) };
    let tilt = PoseTask {
        rotation_mask: "xy".parse().unwrap(),
        rotation_threshold: 1e-6,
        ..PoseTask::orientation("upright", tool(&group), here.rotation())
    };
    problem
        .add(LimitAvoidance { name: "away".to_owned(), joints: group.variables.clone(), share: 0.5 }, 2, 1.0)
        .unwrap();
    problem.add(tilt, 1, 1.0).unwrap();
    problem.add(position, 0, 1.0).unwrap();
    let solution = problem.solve(&q, &Pose::identity(), &TaskOptions::default()).unwrap();
    assert!(solution.converged, "{:?}", solution.tasks);
    assert_eq!(solution.tasks.iter().map(|task| task.priority).collect::<Vec<_>>(), [0, 1, 2]);
    let pose = reached(&robot, &solution.q, &tool(&group));
    assert!((pose.translation() - target).norm() < 1.1e-6 && (pose.z_axis() - here.z_axis()).norm() < 1.1e-6);
}

#[test]
fn limit_avoidance_moves_joints_inwards_in_the_null_space() {
    let (robot, group) = robot("franka_panda");
    let mut rng = SeededRng::new(72);
    let share = 0.5;
    let outward = |q: &[f64]| -> f64 {
        let part = |variable: &usize| {
            let limits = &robot.joint_limits[*variable];
            let middle = f64::midpoint(limits.lower, limits.upper);
            (q[*variable] - middle).powi(2)
        };
        group.variables.iter().map(part).sum()
    };
    for case in 0..cases(20, 200) {
        let q = robot.full_configuration(&group, &robot.random_configuration(&group, &mut rng)).unwrap();
        let mut problem = TaskProblem::new(Model::new(&robot, &group.variables).unwrap());
        problem.add(exact(&group, reached(&robot, &q, &tool(&group))), 0, 1.0).unwrap();
        problem
            .add(LimitAvoidance { name: "away".to_owned(), joints: group.variables.clone(), share }, 1, 1.0)
            .unwrap();
        let solution = problem.solve(&q, &Pose::identity(), &TaskOptions::default()).unwrap();
        assert!(solution.converged && outward(&solution.q) <= outward(&q) + 1e-9, "case {case}");
    }
}

/// A task from outside: keeps a link above a height, with a row that acts only below it.
#[derive(Debug)]
struct Above {
    link: usize,
    height: f64,
}

impl Task for Above {
    fn name(&self) -> &'static str {
        "above"
    }

    fn num_rows(&self) -> usize {
        1
    }

    fn limits(&self) -> Vec<Limit> {
        vec![Limit { what: "height", rows: 0..1, tolerance: 1e-6 }]
    }

    fn evaluate(&self, state: &State<'_>, rows: &mut Rows<'_>) {
        let link = state.link(self.link);
        rows.free(0);
        if link.translation.z < self.height {
            state.point_jacobian(self.link, &link.translation, &mut rows.scratch[..6 * rows.columns]);
            rows.error[0] = self.height - link.translation.z;
            for column in 0..rows.columns {
                rows.jacobian[column] = rows.scratch[6 * column + 2];
            }
        }
    }

    fn check(&self, model: &Model) -> Result<()> {
        model.check_link(self.link)
    }
}

#[test]
fn a_task_from_outside_is_a_task_like_any_other() {
    let (robot, group) = robot("franka_panda");
    let ready = robot.named_pose(&group, "ready").unwrap();
    let q = robot.full_configuration(&group, ready).unwrap();
    let elbow = robot.link_index("panda_link4").unwrap();
    let heights = |q: &[f64]| crate::plain::link_poses(&robot, q)[elbow].translation().z;
    let height = heights(&q) + 0.02;
    let here = reached(&robot, &q, &tool(&group)).translation();
    let mut problem = TaskProblem::new(Model::new(&robot, &group.variables).unwrap());
    problem.add(Above { link: elbow, height }, 0, 1.0).unwrap();
    problem.add(PoseTask::position("stay", tool(&group), here), 1, 1.0).unwrap();
    let solution = problem.solve(&q, &Pose::identity(), &TaskOptions::default()).unwrap();
    assert!(solution.converged, "{:?}", solution.tasks);
    assert!(heights(&solution.q) > height - 1.1e-6);
    assert!((reached(&robot, &solution.q, &tool(&group)).translation() - here).norm() < 1.1e-4);
    assert!(problem.add(Above { link: 1000, height }, 0, 1.0).is_err());
}
