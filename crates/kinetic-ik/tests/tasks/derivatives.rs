//! The Jacobian of every kind of task against central differences of its error, on every kind of base.

use kinetic_core::constraint::Axis;
use kinetic_core::rng::SeededRng;
use kinetic_core::{AxisMask, Pose};
use kinetic_ik::tasks::{
    FrameOn, LimitAvoidance, LookAt, MassCentre, Model, Payload, PoseTask, Posture, Rows, State, Task,
};
use kinetic_kinematics::VirtualBase;
use kinetic_robot::Robot;
use nalgebra::{UnitQuaternion, Vector3};

use super::{robot, tool};
use crate::cases;

const STEP: f64 = 1e-6;
/// Central differences leave h² and rounding 1e-16 / h, times second derivatives of order 10.
const TOLERANCE: f64 = 1e-7;

fn random_pose(rng: &mut SeededRng) -> Pose {
    let mut number = || rng.uniform(-1.0, 1.0);
    let (x, y, z, roll, pitch, yaw) = (number(), number(), number(), number(), number(), number());
    Pose::from_xyz_rpy(x, y, z, 3.0 * roll, 1.5 * pitch, 3.0 * yaw)
}

fn tasks(robot: &Robot, tip: &FrameOn, rng: &mut SeededRng) -> Vec<Box<dyn Task>> {
    let vector = |rng: &mut SeededRng| Vector3::from_fn(|_, _| rng.uniform(-1.0, 1.0));
    let middle = FrameOn { link: robot.links.len() / 2, link_from_frame: random_pose(rng) };
    let pose = PoseTask::new("pose", tip.clone(), random_pose(rng));
    let masked = PoseTask {
        position_mask: "xz".parse().unwrap(),
        rotation_mask: "y".parse().unwrap(),
        mirror: Some(Axis::X),
        ..PoseTask::new("masked", tip.clone(), random_pose(rng))
    };
    let tolerant = PoseTask { translation_tolerance: [0.05; 3], rotation_tolerance: [0.1, 0.0, 0.2], ..pose.clone() };
    vec![
        Box::new(pose),
        Box::new(masked),
        Box::new(tolerant),
        Box::new(PoseTask::position("position", tip.clone(), vector(rng))),
        Box::new(PoseTask::orientation("orientation", middle.clone(), UnitQuaternion::from_scaled_axis(vector(rng)))),
        Box::new(PoseTask::relative("relative", middle.clone(), tip.clone(), random_pose(rng))),
        Box::new(LookAt {
            name: "look".to_owned(),
            frame: tip.clone(),
            axis: vector(rng),
            point: vector(rng),
            threshold: 1e-3,
        }),
        Box::new(MassCentre {
            name: "balance".to_owned(),
            target: vector(rng),
            mask: AxisMask([true, true, false]),
            payloads: vec![Payload { link: tip.link, link_from_centre: vector(rng), mass: 3.0 }],
            threshold: 1e-3,
        }),
        Box::new(Posture { name: "rest".to_owned(), joints: vec![2, 0], target: vec![0.3, -0.2], threshold: None }),
        Box::new(LimitAvoidance { name: "away".to_owned(), joints: vec![0, 1, 2], share: 0.5 }),
    ]
}

/// Error, and Jacobian row after row.
fn evaluate(task: &dyn Task, state: &State<'_>) -> (Vec<f64>, Vec<f64>) {
    let columns = state.model().num_columns();
    let mut error = vec![f64::NAN; task.num_rows()];
    let mut jacobian = vec![f64::NAN; task.num_rows() * columns];
    let mut scratch = vec![0.0; 12 * columns];
    task.evaluate(state, &mut Rows { error: &mut error, jacobian: &mut jacobian, columns, scratch: &mut scratch });
    (error, jacobian)
}

/// The configuration and base moved by `amount` along one column.
fn moved(model: &Model, q: &[f64], root: &Pose, column: usize, amount: f64) -> (Vec<f64>, Pose) {
    let (mut q, mut step) = (q.to_vec(), [0.0; 6]);
    let planar = [0, 1, 5];
    match model.base() {
        VirtualBase::Planar if column < 3 => step[planar[column]] = amount,
        VirtualBase::Floating if column < 6 => step[column] = amount,
        base => {
            let variable = (0..q.len()).find(|variable| model.column(*variable) == Some(column)).unwrap();
            assert!(column >= base.dof());
            q[variable] += amount;
        }
    }
    let turn = UnitQuaternion::from_scaled_axis(Vector3::new(step[3], step[4], step[5]));
    let motion = Pose(nalgebra::Isometry3::from_parts(Vector3::new(step[0], step[1], step[2]).into(), turn));
    (q, *root * motion)
}

#[test]
fn jacobians_of_all_tasks_equal_central_differences() {
    for (name, base) in
        [("ur5e", VirtualBase::Fixed), ("fetch", VirtualBase::Planar), ("franka_panda", VirtualBase::Floating)]
    {
        let (robot, group) = robot(name);
        let model = Model::new(&robot, &group.variables).unwrap().with_base(base, None).unwrap();
        let mut rng = SeededRng::new(51);
        for case in 0..cases(10, 300) {
            let root = if base == VirtualBase::Fixed { Pose::identity() } else { random_pose(&mut rng) };
            // Away from the limits, where steps would be cut.
            let mut q = robot.random_variables(&mut rng);
            for (value, limits) in q.iter_mut().zip(&robot.joint_limits) {
                let room = if limits.lower.is_finite() { 1e-3 * (limits.upper - limits.lower) } else { 0.0 };
                *value = value.clamp(limits.lower + room, limits.upper - room);
            }
            for task in tasks(&robot, &tool(&group), &mut rng) {
                task.check(&model).unwrap();
                let (error, jacobian) = evaluate(task.as_ref(), &State::new(&model, &q, &root));
                assert!(error.iter().chain(&jacobian).all(|value| value.is_finite()), "{name} {}", task.name());
                for column in 0..model.num_columns() {
                    let at = |amount: f64| {
                        let (q, root) = moved(&model, &q, &root, column, amount);
                        evaluate(task.as_ref(), &State::new(&model, &q, &root)).0
                    };
                    let (after, before) = (at(STEP), at(-STEP));
                    for row in 0..task.num_rows() {
                        let slope = (before[row] - after[row]) / (2.0 * STEP);
                        let gap = (slope - jacobian[row * model.num_columns() + column]).abs();
                        let label = format!("{name}, case {case}, {}, row {row}, column {column}", task.name());
                        // Second derivatives grow near half a turn and close to the point that is looked at.
                        assert!(gap < TOLERANCE * (1.0 + 100.0 * slope.abs()), "{label}: {gap:e} of {slope}");
                    }
                }
            }
        }
    }
}
