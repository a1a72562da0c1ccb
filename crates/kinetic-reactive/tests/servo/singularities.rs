//! Arms that stand at singularities, and what is wanted there of the tool. Oracle: which lost directions have an escape is known from the
//! geometry of the arm, and what the tool does is worked out from forward kinematics.

use kinetic_core::Twist;
use kinetic_ik::tasks::{FrameOn, Model, PoseTask, TaskProblem};
use kinetic_kinematics::{KinematicChain, jacobian};
use kinetic_reactive::differential_ik::{TwistCommand, TwistFrame};
use kinetic_reactive::{
    OnStuck, Servo, ServoConfig, ServoStatus, ServoTarget, TargetServo, TargetServoConfig, TargetStatus,
};
use nalgebra::{DMatrix, UnitQuaternion, Vector3};

use super::Bounds;
use crate::support::{live, scene_of};

/// Seconds of a motion.
const DURATION_S: f64 = 6.0;
/// Speeds of twists, m/s and rad/s.
const SPEED: f64 = 0.1;

fn servo_of(name: &str, q: &[f64], config: ServoConfig) -> (Servo, KinematicChain) {
    let scene = live(scene_of(name));
    let chain = KinematicChain::from_robot(&scene.robot(), None).unwrap();
    let mut servo = Servo::new(scene, None, config).unwrap();
    servo.set_state(q, &vec![0.0; q.len()]).unwrap();
    (servo, chain)
}

/// The direction of the tool that is lost at a configuration, by nalgebra; there is exactly one.
fn lost_direction(chain: &KinematicChain, q: &[f64]) -> [f64; 6] {
    let matrix = DMatrix::from_fn(6, q.len(), |row, joint| jacobian(chain, q).unwrap()[(row, joint)]);
    let found = matrix.svd(true, false);
    let (sigma, left) = (found.singular_values, found.u.unwrap());
    let index = sigma.imin();
    assert!(sigma[index] < 1e-9 && sigma.iter().filter(|sigma| **sigma < 1e-3).count() == 1, "{sigma:?}");
    std::array::from_fn(|row| left[(row, index)])
}

fn twist_along(direction: [f64; 6], speed: f64) -> Twist {
    let [x, y, z, a, b, c] = direction.map(|part| speed * part);
    Twist::new(Vector3::new(x, y, z), Vector3::new(a, b, c))
}

/// How far the tool has come along a direction, and off it, from one configuration to another, m and rad.
fn progress(chain: &KinematicChain, from: &[f64], to: &[f64], direction: [f64; 6]) -> f64 {
    let (from, to) = (chain.tip_pose(from), chain.tip_pose(to));
    let way = to.translation() - from.translation();
    let turn = (to.rotation() * from.rotation().inverse()).scaled_axis();
    [way.x, way.y, way.z, turn.x, turn.y, turn.z].iter().zip(direction).map(|(part, along)| part * along).sum()
}

/// Drives a twist; answers with the progress along it, and the statuses that came.
fn drive(name: &str, q: &[f64], direction: [f64; 6], method: &str) -> (f64, Vec<ServoStatus>) {
    let config = ServoConfig { method: method.to_owned(), command_timeout: 1e3, ..ServoConfig::teleop() };
    let (mut servo, chain) = servo_of(name, q, config);
    let bounds = Bounds::of(servo.robot(), servo.config());
    servo.twist(&TwistCommand::new(twist_along(direction, SPEED), TwistFrame::Base)).unwrap();
    let mut statuses = Vec::new();
    while servo.time() < DURATION_S {
        let before = servo.output().state.clone();
        let output = servo.tick().unwrap();
        bounds.assert_tick(&before, &output.state, 0.002, name);
        if statuses.last() != Some(&output.status) {
            statuses.push(output.status);
        }
    }
    (progress(&chain, q, &servo.output().state.positions, direction), statuses)
}

/// Wrists whose outer axes meet: the direction that is lost is turned about in no time, either way.
#[test]
fn a_singular_wrist_turns_its_axes_and_follows() {
    let wrist = [0.3, -0.4, 0.6, 0.4, 0.0, 0.2];
    let cases = [
        ("ur5e", [0.0, -1.2, 1.5, -1.0, 0.0, 0.0]),
        ("abb_irb1200", wrist),
        ("kuka_kr6", wrist),
        ("staubli_tx260", wrist),
        ("meca500", wrist),
    ];
    for (name, q) in &cases {
        let chain = KinematicChain::from_robot(scene_of(name).robot(), None).unwrap();
        let lost = lost_direction(&chain, q);
        for (sign, method) in [(1.0, "qp"), (-1.0, "qp"), (1.0, "damped")] {
            let direction = lost.map(|part| sign * part);
            let (way, statuses) = drive(name, q, direction, method);
            assert!(way > 0.1, "{name} {method} {sign}: {way} {statuses:?}");
            assert!(!statuses.contains(&ServoStatus::SingularityLockup), "{name} {method} {sign}: {statuses:?}");
        }
    }
}

/// Arms that are stretched out: inwards the elbow bends, outwards there is no way.
#[test]
fn a_stretched_arm_draws_in_and_is_locked_outwards() {
    let cases: [(&str, &[f64]); 3] = [
        ("ur5e", &[0.0, -1.0, 0.0, -1.0, 1.2, 0.0]),
        ("ur5e", &[0.4, -0.6, 0.0, -0.8, -1.2, 0.2]),
        ("kuka_iiwa14", &[0.0, 0.8, 0.3, 0.0, 0.4, 1.0, 0.1]),
    ];
    for (name, q) in cases {
        let chain = KinematicChain::from_robot(scene_of(name).robot(), None).unwrap();
        let lost = lost_direction(&chain, q);
        // A bent elbow has brought the tool inwards.
        let mut bent = q.to_vec();
        bent[if name == "ur5e" { 2 } else { 3 }] += if name == "ur5e" { 0.3 } else { -0.3 };
        let base = chain.tip_pose(q).translation();
        let shoulder = Vector3::new(0.0, 0.0, if name == "ur5e" { 0.1625 } else { 0.36 });
        let outwards = Vector3::new(lost[0], lost[1], lost[2]).dot(&(base - shoulder)).signum();
        for method in ["qp", "damped"] {
            let (way, statuses) = drive(name, q, lost.map(|part| -outwards * part), method);
            assert!(way > 0.3, "{name} {method} inwards: {way} {statuses:?}");
            assert!(!statuses.contains(&ServoStatus::SingularityLockup), "{name} {method}: {statuses:?}");
            let (way, statuses) = drive(name, q, lost.map(|part| outwards * part), method);
            assert!(way.abs() < 5e-3, "{name} {method} outwards: {way} {statuses:?}");
            assert_eq!(statuses.last(), Some(&ServoStatus::SingularityLockup), "{name} {method}: {statuses:?}");
        }
    }
}

/// Who turns back while the elbow bends is not drawn in farther: the way inwards is none outwards.
#[test]
fn a_stretched_arm_that_is_to_turn_back_stops_drawing_in() {
    let q = [0.0, -1.0, 0.0, -1.0, 1.2, 0.0];
    let config = ServoConfig { command_timeout: 1e3, ..ServoConfig::teleop() };
    let (mut servo, chain) = servo_of("ur5e", &q, config.clone());
    let lost = lost_direction(&chain, &q);
    let mut bent = q;
    bent[2] += 0.3;
    let inwards = lost.map(|part| part * progress(&chain, &q, &bent, lost).signum());
    let tick = |servo: &mut Servo, speed: f64| {
        servo.twist(&TwistCommand::new(twist_along(inwards, speed), TwistFrame::Base)).unwrap();
        servo.tick().unwrap().clone()
    };
    for turn in [20, 40, 80, 120] {
        servo.set_state(&q, &[0.0; 6]).unwrap();
        let mut before = servo.output().state.clone();
        for _ in 0..turn {
            before = tick(&mut servo, SPEED).state;
        }
        let moving = before.velocities.iter().any(|velocity| velocity.abs() > 1e-3);
        assert!(moving, "{turn}");
        let at_turn = progress(&chain, &q, &before.positions, inwards);
        let mut farthest = at_turn;
        for _ in 0..1000 {
            farthest = farthest.max(progress(&chain, &q, &tick(&mut servo, -SPEED).state.positions, inwards));
        }
        let end = progress(&chain, &q, &servo.output().state.positions, inwards);
        // What it takes to brake; taken on, the way would draw in by 2.2 mm before the tool followed.
        assert!(farthest < 1.5e-3 && end < at_turn + 1e-4, "{turn}: {at_turn} {farthest} {end}");
    }
}

/// Elbow and wrist of a ur5e at once.
#[test]
fn where_two_singularities_meet_the_tool_follows_too() {
    let q = [0.0, -1.0, 0.0, -1.0, 0.0, 0.0];
    for (axis, sign, method) in (0..6).flat_map(|axis| [(axis, 1.0, "qp"), (axis, -1.0, "qp"), (axis, 1.0, "damped")]) {
        let mut direction = [0.0; 6];
        direction[axis] = sign;
        let (way, statuses) = drive("ur5e", &q, direction, method);
        assert!(way > 0.1, "axis {axis} {sign} {method}: {way} {statuses:?}");
    }
}

#[test]
fn poses_and_tasks_behind_a_singularity_are_reached() {
    // What is wanted is a turn about the axis that a singular wrist has lost.
    let q = [0.0, -1.2, 1.5, -1.0, 0.0, 0.0];
    let config = ServoConfig { command_timeout: 1e3, ..ServoConfig::teleop() };
    let (mut servo, chain) = servo_of("ur5e", &q, config.clone());
    let [.., a, b, c] = lost_direction(&chain, &q);
    let axis = Vector3::new(a, b, c).normalize();
    let mut target = chain.tip_pose(&q);
    target.0.rotation = UnitQuaternion::from_scaled_axis(0.4 * axis) * target.0.rotation;
    servo.track_pose(&target).unwrap();
    while servo.time() < DURATION_S {
        servo.tick().unwrap();
    }
    let reached = servo.tool_pose().unwrap();
    assert!(reached.translation_distance(&target) < 1e-3 && reached.rotation_distance(&target) < 1e-2, "{reached:?}");

    // An arm on its way out is not stuck, though the tool comes no nearer at first.
    let [x, y, z, ..] = lost_direction(&chain, &q).map(|part| 0.3 * part);
    let mut along = chain.tip_pose(&q);
    along.0.translation.vector += Vector3::new(x, y, z);
    along.0.rotation = UnitQuaternion::from_scaled_axis(0.3 * Vector3::new(a, b, c)) * along.0.rotation;
    let options = TargetServoConfig { on_stuck: OnStuck::Stop, ..TargetServoConfig::default() };
    let mut patient = TargetServo::new(live(scene_of("ur5e")), None, &options).unwrap();
    patient.set_state(&q, &[0.0; 6]).unwrap();
    patient.set_target(&ServoTarget::Pose(along)).unwrap();
    for _ in 0..3000 {
        patient.tick().unwrap();
    }
    assert_eq!(patient.status(), TargetStatus::Reached, "{:?}", patient.error());

    let (mut servo, _) = servo_of("ur5e", &q, config);
    let group = servo.robot().group_or_default(None).unwrap().clone();
    let tip = FrameOn { link: group.tip_link, link_from_frame: group.tip_from_tcp };
    let mut problem = TaskProblem::new(Model::new(servo.robot(), &group.variables).unwrap());
    problem.add(PoseTask::new("reach", tip, target), 0, 1.0).unwrap();
    while servo.time() < DURATION_S {
        servo.track_tasks(&problem, 2.0).unwrap();
        servo.tick().unwrap();
    }
    let reached = servo.tool_pose().unwrap();
    assert!(reached.translation_distance(&target) < 1e-3 && reached.rotation_distance(&target) < 1e-2, "{reached:?}");
}
