//! Single tasks: reached by forward kinematics that is not the solver's, inside limits; bad input.

use std::f64::consts::PI;

use kinetic_core::constraint::Axis;
use kinetic_core::rng::SeededRng;
use kinetic_core::{AxisMask, Pose, Wrt};
use kinetic_ik::tasks::{
    FrameOn, LookAt, MassCentre, Model, PoseTask, Posture, TaskOptions, TaskProblem, TaskSolution, look_at, move_end,
};
use kinetic_robot::{PlanningGroup, Robot};
use nalgebra::{UnitQuaternion, Vector3};

use super::{exact, reached, robot, tool};
use crate::cases;

fn problem(robot: &Robot, group: &PlanningGroup) -> TaskProblem {
    TaskProblem::new(Model::new(robot, &group.variables).unwrap())
}

fn solve(problem: &TaskProblem, robot: &Robot, attempts: usize) -> TaskSolution {
    let options = TaskOptions { attempts, ..TaskOptions::default() };
    let solution = problem.solve(&robot.neutral_configuration(), &Pose::identity(), &options).unwrap();
    for (value, limits) in solution.q.iter().zip(&robot.joint_limits) {
        assert!(limits.contains(*value, 0.0), "{value} outside {limits:?}");
    }
    solution
}

#[test]
fn random_reachable_poses_are_reached_inside_limits() {
    for name in ["ur5e", "franka_panda", "fetch", "kuka_iiwa14", "kinova_gen3"] {
        let (robot, group) = robot(name);
        let mut rng = SeededRng::new(61);
        let (total, mut solved) = (cases(100, 2000), 0_usize);
        for case in 0..total {
            let q = robot.full_configuration(&group, &robot.random_configuration(&group, &mut rng)).unwrap();
            let target = reached(&robot, &q, &tool(&group));
            let mut problem = problem(&robot, &group);
            problem.add(exact(&group, target), 0, 1.0).unwrap();
            let solution = solve(&problem, &robot, 30);
            if !solution.converged {
                continue;
            }
            solved += 1;
            let pose = reached(&robot, &solution.q, &tool(&group));
            assert!(pose.translation_distance(&target) < 1.1e-7, "{name}, case {case}");
            assert!(pose.rotation_distance(&target) < 1.1e-7 + 1e-8, "{name}, case {case}");
        }
        assert!(solved as f64 >= 0.99 * total as f64, "{name}: {solved} of {total}");
    }
}

#[test]
fn masks_leave_the_other_axes_free_and_tolerances_count_as_reached() {
    let (robot, group) = robot("franka_panda");
    let mut rng = SeededRng::new(62);
    for case in 0..cases(40, 400) {
        let q = robot.full_configuration(&group, &robot.random_configuration(&group, &mut rng)).unwrap();
        let target = reached(&robot, &q, &tool(&group));
        let task = PoseTask {
            position_mask: "xz".parse().unwrap(),
            rotation_mask: "xy".parse().unwrap(),
            translation_tolerance: [0.02, 0.0, 0.0],
            ..exact(&group, target)
        };
        let mut problem = problem(&robot, &group);
        problem.add(task, 0, 1.0).unwrap();
        let solution = solve(&problem, &robot, 30);
        assert!(solution.converged, "case {case}");
        let pose = reached(&robot, &solution.q, &tool(&group));
        let position = target.difference_position(&pose, AxisMask::ALL);
        assert!(position.x.abs() < 0.02 + 1e-6 && position.z.abs() < 1e-6, "case {case}: {position}");
        // What is left of the rotation is about z: the z axes agree.
        assert!((pose.z_axis() - target.z_axis()).norm() < 1e-6, "case {case}");
    }
}

#[test]
fn a_mirror_accepts_the_flipped_grasp() {
    let (robot, group) = robot("ur5e");
    let start = robot.neutral_configuration();
    let here = reached(&robot, &start, &tool(&group));
    let flipped = here.rotated(&UnitQuaternion::from_scaled_axis(Vector3::z() * PI), Wrt::Local);
    let solution = |mirror| {
        let mut problem = problem(&robot, &group);
        problem.add(PoseTask { mirror, ..exact(&group, flipped) }, 0, 1.0).unwrap();
        solve(&problem, &robot, 30)
    };
    assert_eq!(solution(Some(Axis::Z)).q, start, "nothing has to move");
    let turned = solution(None);
    assert!(turned.converged && reached(&robot, &turned.q, &tool(&group)).rotation_distance(&flipped) < 1e-6);
}

#[test]
fn an_axis_points_at_a_point_from_wherever_the_frame_is() {
    let (robot, group) = robot("franka_panda");
    let mut rng = SeededRng::new(63);
    let q = robot.neutral_configuration();
    for case in 0..cases(60, 600) {
        let point = Vector3::from_fn(|_, _| rng.uniform(-2.0, 2.0));
        let axis = Vector3::from_fn(|_, _| rng.uniform(-1.0, 1.0)).normalize();
        let options = TaskOptions { attempts: 10, ..TaskOptions::default() };
        let solution =
            look_at(&robot, &group, &q, (None, axis), &point, &options).unwrap().require_converged().unwrap();
        let pose = reached(&robot, &solution.q, &tool(&group));
        let view = (point - pose.translation()).normalize();
        assert!((pose.rotation() * axis - view).norm() < 1.1e-4, "case {case}");
    }
    // Straight away from where it looks: no direction is shorter than another.
    let tip = reached(&robot, &q, &tool(&group));
    let behind = tip.translation() - tip.z_axis();
    let options = TaskOptions { attempts: 10, ..TaskOptions::default() };
    assert!(look_at(&robot, &group, &q, (None, Vector3::z()), &behind, &options).unwrap().converged);
}

#[test]
fn relative_moves_of_the_tool_are_in_the_frame_that_they_name() {
    let (robot, group) = robot("ur5e");
    let ready = robot.named_pose(&group, "ready").unwrap();
    let q = robot.full_configuration(&group, ready).unwrap();
    let before = reached(&robot, &q, &tool(&group));
    let down = Vector3::new(0.0, 0.1, -0.1);
    for wrt in [Wrt::World, Wrt::Local] {
        let options = TaskOptions { attempts: 20, ..TaskOptions::default() };
        let moved = move_end(&robot, &group, &q, |pose| pose.translated(&down, wrt), &options).unwrap();
        let moved = moved.require_converged().unwrap();
        let after = reached(&robot, &moved.q, &tool(&group));
        let axes = if wrt == Wrt::World { UnitQuaternion::identity() } else { before.rotation() };
        assert!((after.translation() - before.translation() - axes * down).norm() < 1.1e-4);
        assert!(after.rotation_distance(&before) < 1.1e-3);
    }
    let far = move_end(
        &robot,
        &group,
        &q,
        |pose| pose.translated(&Vector3::repeat(5.0), Wrt::World),
        &TaskOptions::default(),
    );
    assert_eq!(far.unwrap().require_converged().unwrap_err().code(), "IKNotConverged");
}

/// Centre of gravity by plain forward kinematics.
fn centre(robot: &Robot, q: &[f64]) -> Vector3<f64> {
    let poses = crate::plain::link_poses(robot, q);
    let (mut sum, mut total) = (Vector3::zeros(), 0.0);
    for (link, pose) in robot.links.iter().zip(&poses) {
        if let Some(inertial) = &link.inertial {
            sum += (*pose * inertial.link_from_com).translation() * inertial.mass;
            total += inertial.mass;
        }
    }
    sum / total
}

#[test]
fn the_centre_of_gravity_comes_to_a_point() {
    let (robot, group) = robot("franka_panda");
    let mut rng = SeededRng::new(64);
    for case in 0..cases(30, 300) {
        let target = centre(&robot, &robot.random_variables(&mut rng));
        let task = |mask: &str| MassCentre {
            name: "balance".to_owned(),
            target,
            mask: mask.parse().unwrap(),
            payloads: Vec::new(),
            threshold: 1e-6,
        };
        for mask in ["xyz", "xy", "z"] {
            let mut problem = problem(&robot, &group);
            problem.add(task(mask), 0, 1.0).unwrap();
            let solution = solve(&problem, &robot, 20);
            let gap = centre(&robot, &solution.q) - target;
            let left: AxisMask = mask.parse().unwrap();
            assert!(solution.converged && left.apply(&gap).norm() < 1.1e-6, "case {case}, {mask}: {gap}");
        }
    }
}

#[test]
fn two_arms_hold_an_object_between_them() {
    let (robot, left) = robot("baxter_left");
    let right = robot.groups.iter().find(|group| group.name.contains("right")).unwrap().clone();
    let joints: Vec<usize> = left.variables.iter().chain(&right.variables).copied().collect();
    let q = robot.neutral_configuration();
    let tip = |group: &PlanningGroup| FrameOn::link(group.tip_link);
    let between = Pose::from_xyz_rpy(0.0, 0.0, 0.4, PI, 0.0, 0.0);
    let target = Pose::from_xyz(0.7, 0.2, 0.3).translation();
    let mut problem = TaskProblem::new(Model::new(&robot, &joints).unwrap());
    let hold = PoseTask::relative("hold", tip(&left), tip(&right), between);
    problem.add(PoseTask { position_threshold: 1e-6, rotation_threshold: 1e-6, ..hold }, 0, 1.0).unwrap();
    problem.add(PoseTask::position("carry", tip(&left), target), 0, 1.0).unwrap();
    let options = TaskOptions { attempts: 30, ..TaskOptions::default() };
    let solution = problem.solve(&q, &Pose::identity(), &options).unwrap();
    assert!(solution.converged, "{:?}", solution.tasks);
    let (a, b) = (reached(&robot, &solution.q, &tip(&left)), reached(&robot, &solution.q, &tip(&right)));
    let held = a.inverse() * b;
    assert!(held.translation_distance(&between) < 1.1e-6 && held.rotation_distance(&between) < 1.2e-6);
    assert!((a.translation() - target).norm() < 1.1e-4);
}

#[test]
fn what_cannot_be_reached_says_how_far_off_each_task_is_and_which_limits_hold() {
    let (robot, group) = robot("franka_panda");
    let mut problem = problem(&robot, &group);
    problem.add(PoseTask::position("far", tool(&group), Vector3::new(3.0, 0.0, 0.5)), 0, 1.0).unwrap();
    let joints = group.variables.clone();
    let target = joints.iter().map(|joint| robot.joint_limits[*joint].upper + 1.0).collect();
    problem.add(Posture { name: "beyond".to_owned(), joints, target, threshold: Some(0.1) }, 1, 1.0).unwrap();
    let solution = solve(&problem, &robot, 3);
    assert!(!solution.converged);
    let far = &solution.tasks[0];
    let tip = reached(&robot, &solution.q, &tool(&group)).translation();
    let gap = (tip - Vector3::new(3.0, 0.0, 0.5)).norm();
    assert!(far.name == "far" && !far.met && (far.residuals[0].value - gap).abs() < 1e-9);
    for limit in &solution.active_limits {
        let joint = robot.moving_joint_names(false).iter().position(|name| *name == limit.joint).unwrap();
        let limits = &robot.joint_limits[joint];
        assert_eq!(limit.value, if limit.upper { limits.upper } else { limits.lower });
        assert_eq!(solution.q[joint], limit.value);
    }
}

#[test]
fn bad_input_is_refused_by_name() {
    let (robot, group) = robot("ur5e");
    let q = robot.neutral_configuration();
    let mut problem = problem(&robot, &group);
    let solve = |problem: &TaskProblem, q: &[f64], options: &TaskOptions| {
        problem.solve(q, &Pose::identity(), options).unwrap_err().to_string()
    };
    let plain = TaskOptions::default();
    assert!(solve(&problem, &q, &plain).contains("at least one task"));
    let mut refuse = |task: PoseTask, weight: f64| problem.add(task, 0, weight).unwrap_err().to_string();
    let good = || PoseTask::new("reach", tool(&group), Pose::identity());
    assert!(refuse(PoseTask { target: Pose::from_xyz(f64::NAN, 0.0, 0.0), ..good() }, 1.0).contains("reach"));
    assert!(refuse(PoseTask { frame: FrameOn::link(99), ..good() }, 1.0).contains("99"));
    let free = PoseTask { position_mask: AxisMask::NONE, rotation_mask: AxisMask::NONE, ..good() };
    assert!(refuse(free, 1.0).contains("mask"));
    assert!(refuse(PoseTask { position_threshold: 0.0, ..good() }, 1.0).contains("threshold"));
    assert!(refuse(PoseTask { rotation_tolerance: [-1.0, 0.0, 0.0], ..good() }, 1.0).contains("tolerance"));
    assert!(refuse(good(), 0.0).contains("weight"));
    let look = LookAt {
        name: "look".to_owned(),
        frame: tool(&group),
        axis: Vector3::zeros(),
        point: Vector3::x(),
        threshold: 1.0,
    };
    assert!(problem.add(look, 0, 1.0).unwrap_err().to_string().contains("axis"));
    problem.add(good(), 0, 1.0).unwrap();
    assert!(solve(&problem, &q[1..], &plain).contains("robot"));
    assert!(solve(&problem, &vec![f64::NAN; q.len()], &plain).contains("start"));
    for options in [
        TaskOptions { max_iterations: 0, ..plain.clone() },
        TaskOptions { attempts: 0, ..plain.clone() },
        TaskOptions { step: 1.5, ..plain.clone() },
        TaskOptions { random_range: f64::NAN, ..plain.clone() },
        TaskOptions { largest_step: 0.0, ..plain.clone() },
        TaskOptions { singular_value: -1.0, ..plain.clone() },
        TaskOptions { damping: f64::INFINITY, ..plain.clone() },
    ] {
        assert!(solve(&problem, &q, &options).starts_with("InvalidValue"));
    }
    let mut still = TaskProblem::new(Model::new(&robot, &[]).unwrap());
    still.add(good(), 0, 1.0).unwrap();
    assert!(solve(&still, &q, &plain).contains("at least one joint"));
    assert!(Model::new(&robot, &[0, 0]).is_err() && Model::new(&robot, &[77]).is_err());
}
