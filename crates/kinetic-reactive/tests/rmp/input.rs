//! Bad input, failing policies, edits of the scene, determinism, allocations.

use std::sync::Arc;

use allocation_counter::measure;
use kinetic_core::{KineticError, Pose, Result, Shape};
use kinetic_reactive::rmp::{JointCommand, MotionPolicy, MotionState, POLICIES, Policy, Rmp, TaskSpaces};
use kinetic_robot::Robot;
use kinetic_scene::{LiveScene, Scene};

use crate::rmp::support::{Arm, built_in};

const START: [f64; 6] = [0.2, -1.2, 1.3, -1.6, -1.5, 0.1];

fn arm_with_all() -> (Arc<Robot>, LiveScene, Rmp) {
    let robot = built_in("ur5e");
    let live = LiveScene::new(Scene::new(&robot).unwrap());
    live.edit(|scene| scene.add("box", Shape::cuboid(0.1, 0.1, 0.1)?, Pose::from_xyz(0.9, 0.0, 0.3))).unwrap();
    let mut rmp = Rmp::new(&robot).unwrap();
    for row in POLICIES {
        rmp.add(&(row.example)(&live)).unwrap();
    }
    (robot, live, rmp)
}

#[test]
fn bad_input_is_refused_and_the_next_cycle_is_as_if_it_had_not_been() {
    let (_, _, mut rmp) = arm_with_all();
    let (_, _, mut other) = arm_with_all();
    let good = [0.1; 6];
    let refused = |rmp: &mut Rmp, q: &[f64], qd: &[f64], dt: f64| rmp.compute(q, qd, dt).unwrap_err();
    for _ in 0..3 {
        assert_eq!(rmp.compute(&START, &good, 0.002).unwrap(), other.compute(&START, &good, 0.002).unwrap());
        assert!(matches!(refused(&mut rmp, &START[..5], &good, 0.002), KineticError::DimensionMismatch { .. }));
        assert!(matches!(refused(&mut rmp, &START, &good[..2], 0.002), KineticError::DimensionMismatch { .. }));
        assert!(matches!(refused(&mut rmp, &[f64::NAN; 6], &good, 0.002), KineticError::NotFinite { .. }));
        assert!(matches!(refused(&mut rmp, &START, &[f64::INFINITY; 6], 0.002), KineticError::NotFinite { .. }));
        for dt in [0.0, -0.002, f64::NAN, f64::INFINITY, 0.2] {
            assert!(matches!(refused(&mut rmp, &START, &good, dt), KineticError::InvalidValue { .. }), "{dt}");
        }
        let outside = [0.0, -7.0, 0.0, 0.0, 0.0, 0.0];
        assert!(matches!(refused(&mut rmp, &outside, &good, 0.002), KineticError::JointLimitViolation { .. }));
    }
}

#[test]
fn policies_that_cannot_be_are_refused() {
    let (robot, live, mut rmp) = arm_with_all();
    let count = rmp.num_policies();
    let far = Policy::ReachTarget { target: Pose::from_xyz(3.0, 0.0, 0.0), gain: 10.0 };
    assert!(matches!(
        rmp.add(&far).unwrap_err(),
        KineticError::NoIKSolution { .. } | KineticError::IKNotConverged { .. }
    ));
    let nowhere = Policy::ReachTarget { target: Pose::from_xyz(f64::NAN, 0.0, 0.0), gain: 10.0 };
    assert!(matches!(rmp.add(&nowhere).unwrap_err(), KineticError::NotFinite { .. }));
    for value in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        let scene = live.clone();
        let policies = [
            Policy::Damping { coefficient: value },
            Policy::AvoidSelfCollision { gain: value },
            Policy::JointLimitAvoidance { margin: value, gain: 1.0 },
            Policy::JointLimitAvoidance { margin: 0.1, gain: value },
            Policy::SingularityAvoidance { threshold: value, gain: 1.0 },
            Policy::AvoidObstacles { scene, influence_distance: value, gain: 1.0 },
        ];
        for policy in &policies {
            assert!(matches!(rmp.add(policy).unwrap_err(), KineticError::InvalidValue { .. }), "{policy:?}");
        }
    }
    let other = LiveScene::new(Scene::new(&built_in("franka_panda")).unwrap());
    let foreign = Policy::AvoidObstacles { scene: other, influence_distance: 0.2, gain: 1.0 };
    assert!(matches!(rmp.add(&foreign).unwrap_err(), KineticError::InvalidValue { .. }));
    assert_eq!(rmp.num_policies(), count);
    rmp.clear();
    assert_eq!((rmp.num_policies(), rmp.dof()), (0, robot.dof));
    let command = rmp.compute(&START, &[0.0; 6], 0.002).unwrap();
    assert_eq!(command.accelerations.0, [0.0; 6], "nothing is wanted");
}

/// Answers badly in every second cycle.
#[derive(Debug)]
struct Moody {
    cycle: usize,
    badly: fn(&mut TaskSpaces) -> Result<()>,
}

impl MotionPolicy for Moody {
    fn name(&self) -> &'static str {
        "moody"
    }

    fn evaluate(&mut self, _state: &MotionState<'_>, tasks: &mut TaskSpaces) -> Result<()> {
        self.cycle += 1;
        if self.cycle.is_multiple_of(2) { (self.badly)(tasks) } else { Ok(()) }
    }
}

#[test]
fn policies_that_answer_badly_are_named_and_the_next_cycle_works() {
    let bad: [fn(&mut TaskSpaces) -> Result<()>; 5] = [
        |_| Err(KineticError::invalid("mood", "bad", "good")),
        |tasks| {
            tasks.add_joint(0, 1.0, f64::NAN);
            Ok(())
        },
        |tasks| {
            tasks.add_joint(0, -1.0, 0.0);
            Ok(())
        },
        |tasks| {
            let task = tasks.add(2);
            task.metric.copy_from_slice(&[1.0, 0.5, 0.0, 1.0]);
            Ok(())
        },
        |tasks| {
            tasks.add_joint(0, 1e200, 1e200);
            Ok(())
        },
    ];
    for badly in bad {
        let (_, _, mut rmp) = arm_with_all();
        rmp.add_custom(Box::new(Moody { cycle: 0, badly }));
        let mut arm = Arm::at(&START);
        for _ in 0..3 {
            arm.step(&mut rmp, 0.002);
            let error = rmp.compute(&arm.q, &arm.qd, 0.002).unwrap_err();
            assert!(matches!(error, KineticError::InvalidValue { .. } | KineticError::NotFinite { .. }), "{error}");
        }
    }
}

#[test]
fn edits_of_the_scene_arrive_in_the_next_cycle() {
    let robot = built_in("ur5e");
    let live = LiveScene::new(Scene::new(&robot).unwrap());
    let mut rmp = Rmp::new(&robot).unwrap();
    rmp.add(&Policy::AvoidObstacles { scene: live.clone(), influence_distance: 0.2, gain: 20.0 }).unwrap();
    let spaces = |rmp: &mut Rmp| {
        rmp.compute(&START, &[0.0; 6], 0.002).unwrap();
        rmp.task_spaces().len()
    };
    let tool = live.snapshot().link_poses(&START).unwrap().last().unwrap().translation();
    let near = Pose::from_xyz(tool.x + 0.2, tool.y, tool.z);
    assert_eq!(spaces(&mut rmp), 0);
    live.edit(|scene| scene.add("ball", Shape::sphere(0.05)?, near)).unwrap();
    let count = spaces(&mut rmp);
    assert!(count > 0);
    live.edit(|scene| scene.update_pose("ball", Pose::from_xyz(5.0, 0.0, 0.0))).unwrap();
    assert_eq!(spaces(&mut rmp), 0);
    live.edit(|scene| scene.update_pose("ball", near)).unwrap();
    assert_eq!(spaces(&mut rmp), count);
    // A body in the hand that reaches down to a table.
    live.edit(|scene| {
        scene.remove("ball");
        scene.add("table", Shape::box_from_size(4.0, 4.0, 0.02)?, Pose::from_xyz(0.0, 0.0, tool.z - 0.5))?;
        scene.allow_collision("table", "base_link_inertia")
    })
    .unwrap();
    let without = spaces(&mut rmp);
    live.edit(|scene| scene.attach("stick", Shape::box_from_size(0.02, 0.02, 0.7)?, Pose::identity(), "tool0", &[]))
        .unwrap();
    assert!(spaces(&mut rmp) > without);
}

#[test]
fn two_runs_have_the_same_bits() {
    let run = || {
        let (_, live, mut rmp) = arm_with_all();
        let mut arm = Arm::at(&START);
        for cycle in 0..400 {
            let pose = Pose::from_xyz(0.9 - 0.0005 * f64::from(cycle), 0.0, 0.3);
            live.edit(|scene| scene.update_pose("box", pose)).unwrap();
            arm.step(&mut rmp, 0.002);
        }
        arm.q
    };
    assert_eq!(run(), run());
}

#[test]
fn a_cycle_allocates_nothing_once_buffers_have_grown() {
    let (_, _, mut rmp) = arm_with_all();
    let (mut command, mut next) = (JointCommand::default(), JointCommand::default());
    let mut run = || {
        rmp.compute_into(&START, &[0.0; 6], 0.002, &mut next).unwrap();
        for _ in 0..100 {
            rmp.compute_into(&next.positions, &next.velocities, 0.002, &mut command).unwrap();
            std::mem::swap(&mut command, &mut next);
        }
    };
    run();
    let counted = measure(run);
    assert_eq!(counted.count_total, 0);
}

#[test]
fn limits_hold_for_any_measured_state_that_they_can_hold_for() {
    let (robot, _, mut rmp) = arm_with_all();
    let mut rng = kinetic_core::rng::SeededRng::new(5);
    let group = &robot.groups[robot.default_group];
    for _ in 0..crate::cases(300, 5_000) {
        // At full speed towards a limit, as close as braking allows.
        let q: Vec<f64> = robot.random_configuration(group, &mut rng).0;
        let mut arm = Arm::at(&q);
        let dt = rng.uniform(0.001, 0.02);
        for (joint, bounds) in rmp.bounds().iter().enumerate() {
            let speed = rng.uniform(-bounds.velocity, bounds.velocity);
            let room = if speed > 0.0 { bounds.upper - q[joint] } else { q[joint] - bounds.lower };
            let fastest = (2.0 * bounds.acceleration * (room - 3.0 * speed.abs() * dt).max(0.0)).sqrt();
            arm.qd[joint] = speed.clamp(-fastest, fastest);
        }
        for _ in 0..20 {
            arm.step(&mut rmp, dt);
        }
    }
}
