//! Laws of policies and of their sum, against linear algebra of nalgebra and finite differences.

use std::sync::Arc;

use kinetic_core::rng::SeededRng;
use kinetic_core::{Pose, Result, Shape};
use kinetic_kinematics::{KinematicChain, manipulability};
use kinetic_reactive::rmp::{MotionPolicy, MotionState, POLICIES, Policy, Rmp, TaskSpaces};
use kinetic_robot::Robot;
use kinetic_scene::{LiveScene, Scene};
use nalgebra::{DMatrix, DVector, Vector3};

use crate::cases;
use crate::rmp::support::{ARMS, built_in, free_configuration};

const DT: f64 = 0.002;

/// A scene with objects all around the arm.
fn crowded(robot: &Arc<Robot>, seed: u64) -> LiveScene {
    let (mut scene, mut rng) = (Scene::new(robot).unwrap(), SeededRng::new(seed));
    for index in 0..10 {
        let mut number = |low: f64, high: f64| rng.uniform(low, high);
        let pose = Pose::from_xyz_rpy(
            number(-0.9, 0.9),
            number(-0.9, 0.9),
            number(0.0, 1.2),
            number(-3.0, 3.0),
            number(-1.5, 1.5),
            number(-3.0, 3.0),
        );
        let shape = Shape::cuboid(number(0.02, 0.08), number(0.02, 0.08), number(0.02, 0.08)).unwrap();
        scene.add(&format!("box{index}"), shape, pose).unwrap();
    }
    LiveScene::new(scene)
}

fn velocities(robot: &Robot, part: f64, rng: &mut SeededRng) -> Vec<f64> {
    let limits = robot.limits(&robot.groups[robot.default_group]);
    limits.velocity.iter().map(|most| rng.uniform(-part * most, part * most)).collect()
}

#[test]
fn every_policy_of_the_table_has_its_name_and_acts_with_a_semidefinite_metric() {
    for row in POLICIES {
        let mut acted = 0;
        for name in ARMS {
            let robot = built_in(name);
            for seed in 0..cases(20, 300) as u64 {
                let mut rng = SeededRng::new(seed);
                let scene = crowded(&robot, seed);
                let policy = (row.example)(&scene);
                assert_eq!(policy.name(), row.name);
                let mut rmp = Rmp::new(&robot).unwrap();
                rmp.add(&policy).unwrap();
                let q = robot.random_configuration(&robot.groups[robot.default_group], &mut rng).0;
                let qd = velocities(&robot, 0.3, &mut rng);
                rmp.compute(&q, &qd, DT).unwrap();
                for space in rmp.task_spaces().iter() {
                    let metric = DMatrix::from_row_slice(space.rows, space.rows, space.metric);
                    assert!((&metric - metric.transpose()).amax() <= 1e-12 * metric.amax(), "{name} {}", row.name);
                    let least = metric.clone().symmetric_eigenvalues().min();
                    assert!(least >= -1e-12 * metric.amax(), "{name} {}: eigenvalue {least}", row.name);
                    acted += 1;
                }
            }
        }
        assert!(acted > 0, "{} never acts", row.name);
    }
}

/// `(Σ Jᵀ M J)⁺ Σ Jᵀ M (a − c)` as one stacked least-squares problem in the square roots of the metrics, by its QR
/// decomposition: damping acts on every joint, so that its rank is full; `curved` says whether the curvature counts. With the condition number of the normal equations.
fn stacked(rmp: &Rmp, curved: bool) -> (DVector<f64>, f64) {
    let dof = rmp.dof();
    let rows: usize = rmp.task_spaces().iter().map(|space| space.rows).sum();
    let (mut jacobian, mut wanted) = (DMatrix::zeros(rows, dof), DVector::zeros(rows));
    let mut first = 0;
    for space in rmp.task_spaces().iter() {
        let eigen = DMatrix::from_row_slice(space.rows, space.rows, space.metric).symmetric_eigen();
        let roots = eigen.eigenvalues.map(|value| value.max(0.0).sqrt());
        let root = &eigen.eigenvectors * DMatrix::from_diagonal(&roots) * eigen.eigenvectors.transpose();
        let curvature = if curved { 1.0 } else { 0.0 };
        let left = DVector::from_fn(space.rows, |row, _| space.acceleration[row] - curvature * space.curvature[row]);
        jacobian
            .rows_mut(first, space.rows)
            .copy_from(&(&root * DMatrix::from_row_slice(space.rows, dof, space.jacobian)));
        wanted.rows_mut(first, space.rows).copy_from(&(root * left));
        first += space.rows;
    }
    let values = jacobian.singular_values();
    let qr = jacobian.qr();
    let solution = qr.r().solve_upper_triangular(&(qr.q().transpose() * wanted)).unwrap();
    (solution, (values.max() / values.min()).powi(2))
}

/// All policies of the table at a random state. Limits of acceleration are not reached at gains and speeds this low in some of
/// them, which are those that are compared.
fn all_policies(robot: &Arc<Robot>, seed: u64) -> Option<(Rmp, DVector<f64>)> {
    let mut rng = SeededRng::stream(seed, 3);
    let scene = crowded(robot, seed);
    let mut rmp = Rmp::new(robot).unwrap();
    for row in POLICIES {
        rmp.add(&(row.example)(&scene)).unwrap();
    }
    let q = free_configuration(robot, &mut rng);
    let qd = velocities(robot, 0.1, &mut rng);
    let command = rmp.compute(&q, &qd, DT).unwrap();
    let found = DVector::from_column_slice(&command.accelerations);
    let ranges = rmp.bounds().iter().zip(&q).zip(&qd).map(|((bounds, q), qd)| bounds.accelerations(*q, *qd, DT));
    let is_inside = ranges.zip(found.iter()).all(|((low, high), a)| *a > low + 1e-9 && *a < high - 1e-9);
    is_inside.then_some((rmp, found))
}

#[test]
fn the_sum_is_the_weighted_least_squares_solution_with_curvature() {
    let (mut compared, mut curved) = (0, 0);
    for name in ARMS {
        let robot = built_in(name);
        for seed in 0..cases(100, 300) as u64 {
            let Some((rmp, found)) = all_policies(&robot, seed) else { continue };
            let ((with, condition), (without, _)) = (stacked(&rmp, true), stacked(&rmp, false));
            let error = (&found - &with).amax();
            // What the damping of 1e-12 may change, and rounding.
            let tolerance = (1e-9 + 1e-11 * condition) * (1.0 + with.norm());
            assert!(error < tolerance, "{name} {seed}: off by {error:e}, condition {condition:e}");
            assert!(condition < 1e8, "{name} {seed}: then the comparison says little");
            compared += 1;
            curved += usize::from((&found - without).amax() > 1e-3);
        }
    }
    assert!(compared > 20, "{compared}");
    assert!(5 * curved > compared, "the curvature matters: in {curved} of {compared}");
}

#[test]
fn a_bound_that_is_met_leaves_the_least_sum_among_what_is_allowed() {
    let robot = built_in("ur5e");
    for seed in 0..cases(50, 500) as u64 {
        let mut rng = SeededRng::stream(seed, 4);
        let scene = crowded(&robot, seed);
        let mut rmp = Rmp::new(&robot).unwrap();
        for row in POLICIES {
            rmp.add(&(row.example)(&scene)).unwrap();
        }
        let q = free_configuration(&robot, &mut rng);
        let qd = velocities(&robot, 0.9, &mut rng);
        let command = rmp.compute(&q, &qd, DT).unwrap();
        let cost = |a: &[f64]| -> f64 {
            rmp.task_spaces()
                .iter()
                .map(|space| {
                    let jacobian = DMatrix::from_row_slice(space.rows, a.len(), space.jacobian);
                    let off = jacobian * DVector::from_column_slice(a) + DVector::from_column_slice(space.curvature)
                        - DVector::from_column_slice(space.acceleration);
                    (off.transpose() * DMatrix::from_row_slice(space.rows, space.rows, space.metric) * off)[0]
                })
                .sum()
        };
        let ranges: Vec<(f64, f64)> =
            rmp.bounds().iter().zip(&q).zip(&qd).map(|((bounds, q), qd)| bounds.accelerations(*q, *qd, DT)).collect();
        let best = cost(&command.accelerations);
        for _ in 0..200 {
            let size = rng.uniform(0.0, 1.0).powi(4);
            let other: Vec<f64> = command
                .accelerations
                .iter()
                .zip(&ranges)
                .map(|(a, (low, high))| (a + size * rng.uniform(-1.0, 1.0) * (high - low)).clamp(*low, *high))
                .collect();
            assert!(cost(&other) >= best * (1.0 - 1e-7) - 1e-9, "seed {seed}: {} below {best}", cost(&other));
        }
    }
}

/// What the policy sees of the tool, for comparison.
#[derive(Debug)]
struct Sees(std::sync::mpsc::Sender<([f64; 6], [f64; 6])>);

impl MotionPolicy for Sees {
    fn name(&self) -> &'static str {
        "sees"
    }

    fn evaluate(&mut self, state: &MotionState<'_>, _tasks: &mut TaskSpaces) -> Result<()> {
        self.0.send((state.tool_velocity, state.tool_curvature)).unwrap();
        Ok(())
    }
}

#[test]
fn the_curvature_of_the_tool_is_its_acceleration_at_constant_joint_velocities() {
    const STEP_S: f64 = 1e-4;
    for name in ARMS {
        let robot = built_in(name);
        let chain = KinematicChain::auto_detect(&robot).unwrap();
        let (send, receive) = std::sync::mpsc::channel();
        let mut rmp = Rmp::new(&robot).unwrap();
        rmp.add_custom(Box::new(Sees(send)));
        let mut rng = SeededRng::new(8);
        for case in 0..cases(30, 500) {
            let q = free_configuration(&robot, &mut rng);
            let qd = velocities(&robot, 0.3, &mut rng);
            rmp.compute(&q, &qd, DT).unwrap();
            let (velocity, curvature) = receive.recv().unwrap();
            let at = |time: f64| chain.tip_pose(&q.iter().zip(&qd).map(|(q, qd)| q + time * qd).collect::<Vec<_>>());
            let [before, here, after] = [at(-STEP_S), at(0.0), at(STEP_S)];
            let linear = (after.translation() - before.translation()) / (2.0 * STEP_S);
            let bend = (after.translation() - 2.0 * here.translation() + before.translation()) / (STEP_S * STEP_S);
            let turn = |from: &Pose, to: &Pose| (to.rotation() * from.rotation().inverse()).scaled_axis() / STEP_S;
            let turning = (turn(&here, &after) - turn(&before, &here)) / STEP_S;
            assert!((Vector3::from_column_slice(&velocity[..3]) - linear).amax() < 1e-5, "{name} {case}");
            assert!((Vector3::from_column_slice(&curvature[..3]) - bend).amax() < 1e-4, "{name} {case}");
            assert!((Vector3::from_column_slice(&curvature[3..]) - turning).amax() < 1e-3, "{name} {case}");
        }
    }
}

#[test]
fn the_curvature_of_a_distance_is_its_second_derivative_above_a_flat_floor() {
    const STEP_S: f64 = 2e-4;
    let (mut compared, mut alike) = (0, 0);
    for name in ["ur5e", "franka_panda", "fetch"] {
        let robot = built_in(name);
        let mut scene = Scene::new(&robot).unwrap();
        scene.add("floor", Shape::half_space(Vector3::z(), -0.2).unwrap(), Pose::identity()).unwrap();
        let live = LiveScene::new(scene.clone());
        let mut rmp = Rmp::new(&robot).unwrap();
        rmp.add(&Policy::AvoidObstacles { scene: live, influence_distance: 2.0, gain: 10.0 }).unwrap();
        let mut rng = SeededRng::new(9);
        for _ in 0..cases(40, 500) {
            let q = free_configuration(&robot, &mut rng);
            let qd = velocities(&robot, 0.2, &mut rng);
            let near = |time: f64| -> Vec<(String, f64)> {
                let q: Vec<f64> = q.iter().zip(&qd).map(|(q, qd)| q + time * qd).collect();
                let found = scene.contacts(&q, 2.2).unwrap();
                let floor = found.into_iter().filter(|contact| contact.pair.other == "floor");
                floor.map(|contact| (contact.pair.link, contact.distance)).collect()
            };
            let times = [near(-STEP_S), near(0.0), near(STEP_S)];
            if times[1].iter().any(|(_, distance)| *distance < 0.02) {
                continue;
            }
            rmp.compute(&q, &qd, DT).unwrap();
            for space in rmp.task_spaces().iter() {
                // The pair that has this derivative along the motion.
                let slope: f64 = space.jacobian.iter().zip(&qd).map(|(slope, qd)| slope * qd).sum();
                let of =
                    |index: usize, link: &str| times[index].iter().find(|(name, _)| name == link).map(|found| found.1);
                let second = times[1].iter().find_map(|(link, here)| {
                    let (before, after) = (of(0, link)?, of(2, link)?);
                    let is_it = ((after - before) / (2.0 * STEP_S) - slope).abs() < 1e-4;
                    is_it.then_some((after - 2.0 * here + before) / (STEP_S * STEP_S))
                });
                let Some(second) = second else { continue };
                compared += 1;
                alike += usize::from((second - space.curvature[0]).abs() < 2e-2 + 0.02 * second.abs());
            }
        }
    }
    // Round links roll on their lowest point, which is another one in the next moment.
    assert!(compared > 100 && alike * 10 > compared * 8, "{alike} of {compared}");
}

#[test]
fn a_nearly_singular_arm_is_led_away_from_the_singularity() {
    for name in ARMS {
        let robot = built_in(name);
        let chain = KinematicChain::auto_detect(&robot).unwrap();
        let mut rng = SeededRng::new(11);
        let mut led = 0;
        for seed in 0..cases(40, 400) {
            let mut q = free_configuration(&robot, &mut rng);
            let (mut qd, before) = (vec![0.0; q.len()], manipulability(&chain, &q).unwrap());
            if before < 1e-4 {
                continue;
            }
            let mut rmp = Rmp::new(&robot).unwrap();
            rmp.add(&Policy::SingularityAvoidance { threshold: 2.0 * before, gain: 10.0 }).unwrap();
            for _ in 0..100 {
                let command = rmp.compute(&q, &qd, 0.005).unwrap();
                (q, qd) = (command.positions.0, command.velocities.0);
            }
            let after = manipulability(&chain, &q).unwrap();
            assert!(after > before, "{name} {seed}: from {before} to {after}");
            led += 1;
        }
        assert!(led > 0, "{name}");
    }
}
