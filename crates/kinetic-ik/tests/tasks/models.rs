//! What may move: subsets, couplings, limit tables, weights, bases.

use kinetic_core::Pose;
use kinetic_core::rng::SeededRng;
use kinetic_ik::tasks::{LimitTable, Model, PoseTask, Posture, TaskOptions, TaskProblem};
use kinetic_kinematics::VirtualBase;
use nalgebra::Vector3;

use super::{exact, reached, robot, tool};
use crate::{cases, plain};

#[test]
fn joints_outside_the_subset_stay_where_they_are() {
    let (robot, group) = robot("franka_panda");
    let q = robot.neutral_configuration();
    let moved = [group.variables[1], group.variables[3], group.variables[5]];
    let mut problem = TaskProblem::new(Model::new(&robot, &moved).unwrap());
    let here = reached(&robot, &q, &tool(&group));
    let target = here.translation() + Vector3::new(0.05, 0.0, -0.05);
    problem.add(PoseTask::position("reach", tool(&group), target), 0, 1.0).unwrap();
    let solution = problem.solve(&q, &Pose::identity(), &TaskOptions::default()).unwrap();
    assert!(solution.converged && (reached(&robot, &solution.q, &tool(&group)).translation() - target).norm() < 1.1e-4);
    for (variable, (now, before)) in solution.q.iter().zip(&q).enumerate() {
        assert!(moved.contains(&variable) || now == before, "joint {variable} moved");
    }
}

#[test]
fn coupled_joints_are_equal_to_the_last_bit() {
    let (robot, group) = robot("kuka_iiwa14");
    let (leader, follower) = (group.variables[1], group.variables[5]);
    let mut rng = SeededRng::new(81);
    for (multiplier, offset) in [(1.0, 0.0), (-0.5, 0.2)] {
        for case in 0..cases(30, 300) {
            let mut q = robot.full_configuration(&group, &robot.random_configuration(&group, &mut rng)).unwrap();
            q[follower] = multiplier * q[leader] + offset;
            let target = reached(&robot, &q, &tool(&group)).translation();
            let model = Model::new(&robot, &group.variables).unwrap();
            let model = model.with_coupling(leader, follower, multiplier, offset).unwrap();
            let mut problem = TaskProblem::new(model);
            problem.add(PoseTask::position("reach", tool(&group), target), 0, 1.0).unwrap();
            let options = TaskOptions { attempts: 20, ..TaskOptions::default() };
            let solution = problem.solve(&robot.neutral_configuration(), &Pose::identity(), &options).unwrap();
            assert!(solution.converged, "case {case}");
            assert_eq!(solution.q[follower], multiplier * solution.q[leader] + offset, "case {case}");
            assert!((reached(&robot, &solution.q, &tool(&group)).translation() - target).norm() < 1.1e-4);
            for (value, limits) in solution.q.iter().zip(&robot.joint_limits) {
                assert!(limits.contains(*value, 0.0), "case {case}");
            }
        }
    }
    let model = Model::new(&robot, &group.variables).unwrap().with_coupling(leader, follower, 1.0, 0.0).unwrap();
    assert_eq!(model.num_columns(), group.dof() - 1);
    for (a, b) in [(leader, follower), (follower, leader), (leader, leader), (leader, 99)] {
        assert!(model.clone().with_coupling(a, b, 1.0, 0.0).is_err(), "{a} {b}");
    }
    assert!(model.with_coupling(leader, group.variables[2], f64::NAN, 0.0).is_err());
}

#[test]
fn limit_tables_bind_where_the_other_joint_stands() {
    let (robot, group) = robot("ur5e");
    let (a, b) = (group.variables[0], group.variables[1]);
    // Each may go as far as the other leaves: |a| + |b| <= 1 on the positive side.
    let triangle = |joint, by| LimitTable::new(joint, by, vec![(0.0, -1.0, 1.0), (1.0, -1.0, 0.0)]).unwrap();
    let model = Model::new(&robot, &[a, b]).unwrap();
    let model = model.with_limit_table(triangle(a, b)).unwrap().with_limit_table(triangle(b, a)).unwrap();
    for wanted in [[0.9, 0.9], [3.0, 0.2], [0.3, 0.4], [-2.0, 2.0]] {
        let mut problem = TaskProblem::new(model.clone());
        let joints = vec![a, b];
        problem
            .add(Posture { name: "go".to_owned(), joints, target: wanted.to_vec(), threshold: Some(1e-6) }, 0, 1.0)
            .unwrap();
        let start = vec![0.0; robot.num_variables()];
        let solution = problem.solve(&start, &Pose::identity(), &TaskOptions::default()).unwrap();
        let (x, y) = (solution.q[a], solution.q[b]);
        assert!(x.max(0.0) + y <= 1.0 + 1e-9 && x + y.max(0.0) <= 1.0 + 1e-9, "{wanted:?}: {x} {y}");
        assert!(x >= -1.0 && y >= -1.0, "{wanted:?}: {x} {y}");
        assert_eq!(solution.converged, wanted == [0.3, 0.4], "{wanted:?}");
    }
    let table = |rows| LimitTable::new(a, b, rows);
    assert!(table(vec![]).is_err() && table(vec![(0.0, 1.0, -1.0)]).is_err());
    assert!(table(vec![(1.0, 0.0, 0.0), (0.0, 0.0, 0.0)]).is_err() && table(vec![(f64::NAN, 0.0, 0.0)]).is_err());
    let table = table(vec![(0.0, -1.0, 1.0), (2.0, 0.0, 3.0)]).unwrap();
    assert_eq!([-1.0, 0.0, 1.0, 2.0, 9.0].map(|by| table.bounds(by).1), [1.0, 1.0, 2.0, 3.0, 3.0]);
}

#[test]
fn a_base_brings_far_poses_into_reach_and_moves_as_its_kind_may() {
    let (robot, group) = robot("fetch");
    let q = robot.neutral_configuration();
    for base in [VirtualBase::Planar, VirtualBase::Floating] {
        let target = Pose::from_xyz_rpy(3.0, -2.0, 0.8, 0.1, 0.2, 2.0);
        let model = Model::new(&robot, &group.variables).unwrap().with_base(base, None).unwrap();
        let mut problem = TaskProblem::new(model);
        problem.add(exact(&group, target), 0, 1.0).unwrap();
        let options = TaskOptions { attempts: 10, ..TaskOptions::default() };
        let solution = problem.solve(&q, &Pose::identity(), &options).unwrap();
        assert!(solution.converged, "{base:?}");
        let root = solution.world_from_root;
        let pose = root * reached(&robot, &solution.q, &tool(&group));
        assert!(pose.translation_distance(&target) < 1.1e-7 && pose.rotation_distance(&target) < 1.2e-7);
        if base == VirtualBase::Planar {
            assert!(root.translation().z.abs() < 1e-12 && (root.z_axis() - Vector3::z()).norm() < 1e-12);
        }
    }
}

#[test]
fn weights_decide_who_moves() {
    let (robot, group) = robot("fetch");
    let q = robot.neutral_configuration();
    let here = reached(&robot, &q, &tool(&group)).translation();
    let target = here + Vector3::new(-0.1, 0.05, 0.0);
    let drive = |weight: f64| {
        let model =
            Model::new(&robot, &group.variables).unwrap().with_base(VirtualBase::Planar, Some(&[weight; 3])).unwrap();
        let mut problem = TaskProblem::new(model);
        problem.add(PoseTask::position("reach", tool(&group), target), 0, 1.0).unwrap();
        let solution = problem.solve(&q, &Pose::identity(), &TaskOptions::default()).unwrap();
        assert!(solution.converged);
        solution.world_from_root.translation().norm()
    };
    let (light, even, heavy) = (drive(1e-3), drive(1.0), drive(1e3));
    assert!(heavy < 0.01 && heavy < 0.2 * even && even < light && light > 0.1, "{light} {even} {heavy}");
    let model = Model::new(&robot, &group.variables).unwrap();
    assert!(model.clone().with_base(VirtualBase::Planar, Some(&[1.0])).is_err());
    assert!(model.clone().with_base(VirtualBase::Planar, Some(&[1.0, 0.0, 1.0])).is_err());
    assert!(model.clone().with_joint_weights(&[f64::NAN; 8]).is_err());
    let weights: Vec<f64> = (0..group.dof()).map(|joint| if joint == 1 { 1e6 } else { 1.0 }).collect();
    let mut problem = TaskProblem::new(model.with_joint_weights(&weights).unwrap());
    problem.add(PoseTask::position("reach", tool(&group), here + Vector3::new(0.0, 0.1, 0.0)), 0, 1.0).unwrap();
    let solution = problem.solve(&q, &Pose::identity(), &TaskOptions::default()).unwrap();
    let dear = group.variables[1];
    assert!(solution.converged && (solution.q[dear] - q[dear]).abs() < 1e-3);
    assert_eq!(plain::link_poses(&robot, &solution.q).len(), robot.links.len());
}
