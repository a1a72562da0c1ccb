//! Twists and tasks of robots.

use kinetic_core::rng::SeededRng;
use kinetic_core::{AxisMask, KineticError, Pose, Twist};
use kinetic_ik::tasks::{FrameOn, LookAt, Model, PoseTask, Posture, TaskProblem};
use kinetic_reactive::differential_ik::{
    DifferentialIk, DifferentialIkOptions, OutsideLimits, TaskCommand, TwistCommand, TwistFrame, VELOCITY_SOLVERS,
    VelocityContext,
};
use kinetic_robot::Robot;
use nalgebra::Vector3;

use crate::{cases, plain};

/// Arms of six and seven joints, with sliding joints, and with fewer than six.
const ROBOTS: &[(&str, Option<&str>)] = &[
    ("franka_panda", None),
    ("ur5e", None),
    ("fetch", None),
    ("xarm6", None),
    ("kuka_iiwa14", None),
    ("tiago", None),
    ("ufactory_lite6", None),
    ("stretch_re2", None),
    ("trossen_px100", None),
];

fn ik(name: &str, group: Option<&str>, options: DifferentialIkOptions) -> DifferentialIk {
    DifferentialIk::new(Robot::from_name(name).unwrap(), group, options).unwrap()
}

fn options(method: &str) -> DifferentialIkOptions {
    DifferentialIkOptions { method: method.to_owned(), ..DifferentialIkOptions::default() }
}

fn random_vector(rng: &mut SeededRng, size: f64) -> Vector3<f64> {
    Vector3::from_fn(|_, _| rng.uniform(-size, size))
}

fn random_twist(rng: &mut SeededRng, size: f64) -> Twist {
    Twist::new(random_vector(rng, size), random_vector(rng, size))
}

/// Pose of the tool in the group's base, by plain forward kinematics, and the rotation of the frame there.
fn tool_and_frame(ik: &DifferentialIk, q: &[f64], frame: TwistFrame) -> (Pose, Pose) {
    let full = ik.robot().full_configuration(ik.group(), q).unwrap();
    let links = plain::link_poses(ik.robot(), &full);
    let base_from = |pose: Pose| links[ik.group().base_link].inverse() * pose;
    let tool = base_from(links[ik.group().tip_link] * ik.group().tip_from_tcp);
    let axes = match frame {
        TwistFrame::Base => Pose::identity(),
        TwistFrame::Tool => tool,
        TwistFrame::Link(link) => base_from(links[link]),
    };
    (tool, axes)
}

/// The twist of the tool along the axes of a frame, by central differences.
fn measured(ik: &DifferentialIk, q: &[f64], velocity: &[f64], frame: TwistFrame) -> Twist {
    const STEP: f64 = 1e-6;
    let at = |time: f64| {
        let q: Vec<f64> = q.iter().zip(velocity).map(|(q, v)| q + time * v).collect();
        tool_and_frame(ik, &q, frame).0
    };
    let (before, after) = (at(-STEP), at(STEP));
    let to_frame = tool_and_frame(ik, q, frame).1.rotation().inverse();
    let linear = (after.translation() - before.translation()) / (2.0 * STEP);
    let angular = (after.rotation() * before.rotation().inverse()).scaled_axis() / (2.0 * STEP);
    Twist::new(to_frame * linear, to_frame * angular)
}

fn frame_of(ik: &DifferentialIk, rng: &mut SeededRng) -> TwistFrame {
    match rng.below(3) {
        0 => TwistFrame::Base,
        1 => TwistFrame::Tool,
        _ => TwistFrame::Link(rng.below(ik.robot().links.len())),
    }
}

#[test]
fn the_tool_moves_as_commanded_by_finite_differences() {
    for (name, group) in ROBOTS {
        for spec in VELOCITY_SOLVERS {
            let mut ik = ik(name, *group, options(spec.name));
            let (mut rng, mut exact) = (SeededRng::new(1), 0);
            for case in 0..cases(60, 3000) {
                let q = ik.robot().random_configuration(ik.group(), &mut rng).0;
                let frame = frame_of(&ik, &mut rng);
                let mut command = TwistCommand::new(random_twist(&mut rng, 0.05), frame);
                if rng.below(2) == 0 {
                    command.rotation_mask = AxisMask([rng.below(2) == 0, false, rng.below(2) == 0]);
                }
                let posture: Vec<f64> = q.iter().map(|_| rng.uniform(-0.1, 0.1)).collect();
                command.context.posture = Some(&posture);
                let mut velocity = vec![f64::NAN; ik.dof()];
                let outcome = ik.twist(&q, &command, &mut velocity).unwrap();
                let (lower, upper) = ik.velocity_bounds(&q, None).unwrap();
                for joint in 0..velocity.len() {
                    assert!(velocity[joint] >= lower[joint] && velocity[joint] <= upper[joint], "{name}, case {case}");
                }
                if outcome.damping > 0.0 || outcome.limit.is_some() || command.num_rows() > ik.dof() {
                    continue;
                }
                exact += 1;
                let reached = measured(&ik, &q, &velocity, frame);
                let gap = command.position_mask.apply(&(reached.linear - command.twist.linear)).norm()
                    + command.rotation_mask.apply(&(reached.angular - command.twist.angular)).norm();
                assert!(gap < 1e-7, "{name}, {}, case {case}, {frame:?}: {gap:e}", spec.name);
            }
            assert!(exact >= cases(15, 700) || ik.dof() < 6, "{name}: {exact}");
        }
    }
}

#[test]
fn a_robot_that_is_driven_at_random_stays_inside_all_its_limits() {
    for (name, group) in ROBOTS {
        for spec in VELOCITY_SOLVERS {
            let mut ik = ik(name, *group, options(spec.name));
            let (robot, dof, period) = (ik.robot().clone(), ik.dof(), ik.options().period);
            let limits = robot.limits(ik.group());
            let positions = robot.position_limits(ik.group());
            let mut rng = SeededRng::new(2);
            for case in 0..cases(3, 100) {
                let mut q = robot.random_configuration(ik.group(), &mut rng).0;
                let mut previous = vec![0.0; dof];
                let mut twist = random_twist(&mut rng, 1.0);
                for cycle in 0..400 {
                    if cycle % 100 == 0 {
                        twist = random_twist(&mut rng, 2.0);
                    }
                    let context = VelocityContext { previous: Some(&previous), ..VelocityContext::default() };
                    let command = TwistCommand { context, ..TwistCommand::new(twist, TwistFrame::Tool) };
                    let mut velocity = vec![0.0; dof];
                    ik.twist(&q, &command, &mut velocity).unwrap();
                    for joint in 0..dof {
                        let label = format!("{name}, {}, case {case}, cycle {cycle}, joint {joint}", spec.name);
                        assert!(velocity[joint].abs() <= limits.velocity[joint] * (1.0 + 1e-9), "{label}");
                        let change = (velocity[joint] - previous[joint]).abs();
                        assert!(change <= limits.acceleration[joint] * period * (1.0 + 1e-9) + 1e-12, "{label}");
                        q[joint] += period * velocity[joint];
                        let (lower, upper) = positions[joint];
                        assert!(q[joint] >= lower - 1e-12 && q[joint] <= upper + 1e-12, "{label}: {}", q[joint]);
                    }
                    previous = velocity;
                }
            }
        }
    }
}

#[test]
fn a_start_outside_its_limits_is_no_error_and_comes_back() {
    for (name, group) in ROBOTS {
        for spec in VELOCITY_SOLVERS {
            let mut ik =
                ik(name, *group, DifferentialIkOptions { outside_limits: OutsideLimits::Return, ..options(spec.name) });
            let (robot, period) = (ik.robot().clone(), ik.options().period);
            let positions = robot.position_limits(ik.group());
            for joint in (0..ik.dof()).filter(|joint| positions[*joint].0.is_finite()) {
                for (start, is_upper) in [(positions[joint].1 + 0.05, true), (positions[joint].0 - 0.05, false)] {
                    let mut q = robot.mid_configuration(ik.group()).0;
                    q[joint] = start;
                    let mut previous = vec![0.0; ik.dof()];
                    let is_outside =
                        |value: f64| value > positions[joint].1 + 1e-9 || value < positions[joint].0 - 1e-9;
                    let mut cycles = 0;
                    while is_outside(q[joint]) {
                        let context = VelocityContext { previous: Some(&previous), ..VelocityContext::default() };
                        let command = TwistCommand { context, ..TwistCommand::new(Twist::default(), TwistFrame::Base) };
                        let mut velocity = vec![0.0; ik.dof()];
                        ik.twist(&q, &command, &mut velocity).unwrap();
                        assert_eq!(velocity[joint] < 0.0, is_upper, "{name}, {}, joint {joint}", spec.name);
                        q.iter_mut().zip(&velocity).for_each(|(q, v)| *q += period * v);
                        previous = velocity;
                        cycles += 1;
                        assert!(cycles < 1000, "{name}, {}, joint {joint} stays at {}", spec.name, q[joint]);
                    }
                }
            }
        }
    }
}

#[test]
fn singular_configurations_give_bounded_velocities_and_can_be_left() {
    for (name, group) in ROBOTS {
        for spec in VELOCITY_SOLVERS {
            let mut ik = ik(name, *group, options(spec.name));
            let (robot, period) = (ik.robot().clone(), ik.options().period);
            let start = robot.clip(ik.group(), &vec![0.0; ik.dof()]).unwrap().0;
            let mut rng = SeededRng::new(3);
            let still = TwistCommand::new(Twist::default(), TwistFrame::Base);
            let before = ik.singularity(&start, &still).unwrap().sigma;
            let (mut farthest, mut travel) = (before, 0.0_f64);
            for _ in 0..20 {
                let (mut q, twist) = (start.clone(), random_twist(&mut rng, 0.3));
                for cycle in 0..200 {
                    if cycle % 10 == 0 {
                        farthest = farthest.max(ik.singularity(&q, &still).unwrap().sigma);
                    }
                    let mut velocity = vec![0.0; ik.dof()];
                    ik.twist(&q, &TwistCommand::new(twist, TwistFrame::Base), &mut velocity).unwrap();
                    assert!(
                        velocity.iter().all(|value| value.is_finite() && value.abs() < 30.0),
                        "{name}: {velocity:?}"
                    );
                    q.iter_mut().zip(&velocity).for_each(|(q, v)| *q += period * v);
                }
                travel = travel.max(q.iter().zip(&start).map(|(q, start)| (q - start).abs()).sum());
            }
            assert!(travel > 0.3, "{name}, {}: {travel}", spec.name);
            // What keeps the direction waits at limits for another one.
            assert!(
                spec.name == "damped" || before > 0.1 || farthest > before + 0.01,
                "{name}: {before} to {farthest}"
            );
        }
    }
}

fn tool(ik: &DifferentialIk) -> FrameOn {
    FrameOn { link: ik.group().tip_link, link_from_frame: ik.group().tip_from_tcp }
}

#[test]
fn tasks_are_brought_about_and_the_second_level_takes_nothing_from_the_first() {
    for name in ["franka_panda", "kuka_iiwa14", "ur5e"] {
        for spec in VELOCITY_SOLVERS {
            let mut ik = ik(name, None, options(spec.name));
            let robot = ik.robot().clone();
            let mut rng = SeededRng::new(4);
            for case in 0..cases(5, 100) {
                let mut q: Vec<f64> = robot.random_configuration(ik.group(), &mut rng).0;
                // Away from the limits: what is tested is not who gives way.
                let middle = robot.mid_configuration(ik.group()).0;
                q.iter_mut().zip(&middle).for_each(|(q, middle)| *q = middle + 0.3 * (*q - middle).clamp(-2.0, 2.0));
                let full = robot.full_configuration(ik.group(), &q).unwrap();
                let tip = plain::link_poses(&robot, &full)[ik.group().tip_link] * ik.group().tip_from_tcp;
                let goal = tip.translation() + random_vector(&mut rng, 0.02);
                let mut problem = TaskProblem::new(Model::new(&robot, &ik.group().variables).unwrap());
                problem.add(PoseTask::position("reach", tool(&ik), goal), 0, 1.0).unwrap();
                let look = LookAt {
                    name: "look".to_owned(),
                    frame: tool(&ik),
                    axis: Vector3::z(),
                    point: tip.translation() + tip.rotation() * Vector3::new(0.02, 0.01, 0.5),
                    threshold: 1e-3,
                };
                problem.add(look, 1, 1.0).unwrap();
                let command = TaskCommand::new(&problem, 5.0);
                let mut was_damped = false;
                for cycle in 0..300 {
                    let mut velocity = vec![0.0; ik.dof()];
                    let outcome = ik.tasks(&q, &command, &mut velocity).unwrap();
                    was_damped |= outcome.damping > 0.0 || outcome.limit.is_some();
                    if cycle == 0 && !was_damped {
                        let reached = measured(&ik, &q, &velocity, TwistFrame::Base).linear;
                        let root_from_base = plain::link_poses(&robot, &full)[ik.group().base_link];
                        let wanted = (goal - tip.translation()) * 5.0;
                        let gap = (root_from_base.rotation() * reached - wanted).norm();
                        assert!(gap < 1e-7, "{name}, {}, case {case}: {gap:e}", spec.name);
                    }
                    q.iter_mut().zip(&velocity).for_each(|(q, v)| *q += 0.01 * v);
                }
                let full = robot.full_configuration(ik.group(), &q).unwrap();
                let end = plain::link_poses(&robot, &full)[ik.group().tip_link] * ik.group().tip_from_tcp;
                let gap = (end.translation() - goal).norm();
                assert!(was_damped || gap < 1e-5, "{name}, {}, case {case}: {gap:e} left", spec.name);
            }
        }
    }
}

#[test]
fn a_posture_on_the_second_level_is_approached_while_the_tool_stands() {
    let mut ik = ik("franka_panda", None, options("qp"));
    let robot = ik.robot().clone();
    let mut q = vec![0.0, -0.785, 0.0, -2.356, 0.0, 1.571, 0.785];
    let full = robot.full_configuration(ik.group(), &q).unwrap();
    let tip = plain::link_poses(&robot, &full)[ik.group().tip_link] * ik.group().tip_from_tcp;
    let mut problem = TaskProblem::new(Model::new(&robot, &ik.group().variables).unwrap());
    problem.add(PoseTask::new("stand", tool(&ik), tip), 0, 1.0).unwrap();
    let mut target = q.clone();
    target[0] += 0.4;
    let joints = ik.group().variables.clone();
    problem.add(Posture { name: "rest".to_owned(), joints, target: target.clone(), threshold: None }, 1, 1.0).unwrap();
    let distance = |q: &[f64]| q.iter().zip(&target).map(|(q, t)| (q - t).powi(2)).sum::<f64>().sqrt();
    let before = distance(&q);
    for _ in 0..200 {
        let mut velocity = vec![0.0; 7];
        ik.tasks(&q, &TaskCommand::new(&problem, 2.0), &mut velocity).unwrap();
        q.iter_mut().zip(&velocity).for_each(|(q, v)| *q += 0.01 * v);
    }
    assert!(distance(&q) < 0.95 * before, "{} of {before}", distance(&q));
    let full = robot.full_configuration(ik.group(), &q).unwrap();
    let end = plain::link_poses(&robot, &full)[ik.group().tip_link] * ik.group().tip_from_tcp;
    assert!((end.translation() - tip.translation()).norm() < 1e-4);
}

#[test]
fn joints_outside_the_group_stand_where_the_robot_says() {
    let mut ik = ik("fetch", Some("arm"), options("qp"));
    let robot = ik.robot().clone();
    let mut rng = SeededRng::new(5);
    for _ in 0..20 {
        let full = robot.random_variables(&mut rng);
        let q: Vec<f64> = ik.group().variables.iter().map(|variable| full[*variable]).collect();
        let command = TwistCommand::new(random_twist(&mut rng, 0.05), TwistFrame::Base);
        let (mut of_robot, mut of_group, mut again) = (vec![0.0; ik.dof()], vec![0.0; ik.dof()], vec![0.0; ik.dof()]);
        ik.twist(&q, &command, &mut of_group).unwrap();
        ik.twist(&full, &command, &mut of_robot).unwrap();
        ik.twist(&q, &command, &mut again).unwrap();
        assert_eq!(of_group, again);
        // The torso is below the base of the arm.
        assert!(of_robot.iter().zip(&of_group).all(|(a, b)| (a - b).abs() < 1e-9));
    }
}

#[test]
fn a_twist_allocates_nothing() {
    let mut ik = ik("franka_panda", None, options("qp"));
    let q = [0.0, -0.785, 0.0, -2.356, 0.0, 1.571, 0.785];
    let rows: Vec<f64> = (0..70).map(|index| f64::from(index % 7) - 3.0).collect();
    let context = VelocityContext { rows: &rows, row_bounds: &[-0.1; 10], ..VelocityContext::default() };
    let twist = Twist::new(Vector3::new(0.9, 0.2, -0.5), Vector3::zeros());
    for frame in [TwistFrame::Base, TwistFrame::Tool, TwistFrame::Link(3)] {
        let command = TwistCommand { context, ..TwistCommand::new(twist, frame) };
        let mut velocity = [0.0; 7];
        ik.twist(&q, &command, &mut velocity).unwrap();
        let counted = allocation_counter::measure(|| {
            ik.twist(&q, &command, &mut velocity).unwrap();
        });
        assert_eq!(counted.count_total, 0, "{frame:?}");
    }
}

#[test]
fn what_cannot_be_used_is_refused_by_name() {
    let robot = || Robot::from_name("ur5e").unwrap();
    let refused = |change: fn(&mut DifferentialIkOptions)| {
        let mut options = DifferentialIkOptions::default();
        change(&mut options);
        DifferentialIk::new(robot(), None, options).unwrap_err().to_string()
    };
    assert!(refused(|o| o.method = "newton".to_owned()).contains("damped"));
    assert!(refused(|o| o.period = 0.0).contains("period"));
    assert!(refused(|o| o.period = f64::NAN).contains("period"));
    assert!(refused(|o| o.velocity_scale = 2.0).contains("velocity scaling"));
    assert!(refused(|o| o.damping.singular_value = -1.0).contains("singular_value"));
    let error = DifferentialIk::new(robot(), Some("leg"), DifferentialIkOptions::default()).unwrap_err();
    assert!(matches!(error, KineticError::GroupNotFound { .. }));
    assert!(TwistFrame::by_name(&robot(), "elbow").unwrap_err().to_string().contains("forearm_link"));

    let mut ik = ik("ur5e", None, DifferentialIkOptions::default());
    let (q, command) = ([0.1; 6], TwistCommand::new(Twist::default(), TwistFrame::Base));
    let mut out = [0.0; 6];
    assert!(ik.twist(&[0.0; 4], &command, &mut out).is_err());
    assert!(ik.twist(&[f64::NAN; 6], &command, &mut out).is_err());
    assert!(ik.twist(&q, &command, &mut [0.0; 5]).is_err());
    let far = TwistCommand { frame: TwistFrame::Link(999), ..command };
    assert!(ik.twist(&q, &far, &mut out).unwrap_err().to_string().contains("link"));
    let nan = TwistCommand::new(Twist::new(Vector3::repeat(f64::NAN), Vector3::zeros()), TwistFrame::Base);
    assert!(ik.twist(&q, &nan, &mut out).unwrap_err().to_string().contains("twist"));
    let context = VelocityContext { previous: Some(&[0.0; 3]), ..VelocityContext::default() };
    assert!(ik.twist(&q, &TwistCommand { context, ..command }, &mut out).unwrap_err().to_string().contains("previous"));

    let mut problem = TaskProblem::new(Model::new(ik.robot(), &[0, 1, 2]).unwrap());
    problem.add(PoseTask::new("tool", tool(&ik), Pose::identity()), 0, 1.0).unwrap();
    let error = ik.tasks(&q, &TaskCommand::new(&problem, 1.0), &mut out).unwrap_err().to_string();
    assert!(error.contains("joints of the task problem"), "{error}");
    let mut problem = TaskProblem::new(Model::new(ik.robot(), &ik.group().variables).unwrap());
    assert!(ik.tasks(&q, &TaskCommand::new(&problem, 0.0), &mut out).unwrap_err().to_string().contains("gain"));
    assert!(ik.tasks(&q, &TaskCommand::new(&problem, 1e4), &mut out).unwrap_err().to_string().contains("gain"));
    ik.tasks(&q, &TaskCommand::new(&problem, 1.0), &mut out).unwrap();
    assert_eq!(out, [0.0; 6]);
    for priority in 0..3 {
        let frame = tool(&ik);
        problem.add(PoseTask::position("p", frame, Vector3::zeros()), priority, 1.0).unwrap();
    }
    assert!(ik.tasks(&q, &TaskCommand::new(&problem, 1.0), &mut out).unwrap_err().to_string().contains("levels"));
}
