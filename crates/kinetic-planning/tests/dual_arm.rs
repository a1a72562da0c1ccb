//! Motions of two arms, in all modes.

use std::f64::consts::{FRAC_PI_2, PI};

use kinetic_core::{Constraint, Goal, KineticError, PlannerConfig, Pose, Shape, TimedTrajectory};
use kinetic_planning::{DualArmMode, DualArmPlanner, DualGoal, GraspTolerance};
use kinetic_scene::Scene;

use crate::two_arms::{distance_between_arms, robot};

const UP: ([f64; 2], [f64; 2]) = ([1.2, 0.0], [-1.2, 0.0]);

/// Modes in which nothing holds the arms together.
const FREE_MODES: [DualArmMode; 2] = [DualArmMode::Independent, DualArmMode::Synchronized];

fn down() -> DualGoal {
    DualGoal { left: Goal::named("down"), right: Goal::named("down") }
}

fn planner(mode: DualArmMode) -> DualArmPlanner {
    DualArmPlanner::new(&robot(), "left", "right", mode).unwrap()
}

#[test]
fn arms_that_hold_nothing_pass_each_other() {
    for mode in FREE_MODES {
        let motion = planner(mode).plan(&UP.0, &UP.1, &down()).unwrap();
        assert!(motion.joined.certificate().is_some());
        let duration = motion.joined.duration();
        assert_eq!((motion.left.duration(), motion.right.duration()), (duration, duration));
        assert_eq!((motion.left.group(), motion.right.group()), (Some("left"), Some("right")));
        assert_eq!(motion.right.joint_names(), ["right_shoulder", "right_elbow"]);
        for i in 0..=1_000 {
            let t = duration * f64::from(i) / 1_000.0;
            let parts = [motion.left.curve().sample(t, 0), motion.right.curve().sample(t, 0)].concat();
            assert_eq!(parts, motion.joined.curve().sample(t, 0));
            assert!(distance_between_arms(&parts) >= 0.0, "{mode:?} at {t}");
        }
        let ends = [motion.left.curve().sample(0.0, 0), motion.right.curve().sample(0.0, 0)];
        assert_eq!(ends, [UP.0.to_vec(), UP.1.to_vec()]);
        let end = motion.joined.curve().sample(duration, 0);
        assert!(end.iter().zip([-1.2, 0.0, 1.2, 0.0]).all(|(end, goal)| (end - goal).abs() < 1e-9));
    }
}

/// How far a motion leaves the straight line between its ends, rad.
fn detour(motion: &TimedTrajectory, to: &[f64]) -> f64 {
    let from = motion.curve().sample(0.0, 0);
    let length = from.iter().zip(to).map(|(a, b)| (b - a).powi(2)).sum::<f64>();
    let off = (0..=500).map(|i| {
        let q = motion.curve().sample(motion.duration() * f64::from(i) / 500.0, 0);
        let t = from.iter().zip(to).zip(&q).map(|((a, b), q)| (b - a) * (q - a)).sum::<f64>() / length;
        from.iter().zip(to).zip(&q).map(|((a, b), q)| (a + t * (b - a) - q).powi(2)).sum::<f64>().sqrt()
    });
    off.fold(0.0, f64::max)
}

#[test]
fn independent_arms_keep_the_paths_that_they_have_alone() {
    let motion = planner(DualArmMode::Independent).plan(&UP.0, &UP.1, &down()).unwrap();
    // Nothing is in the way of either arm alone, so both go straight; one of them waits.
    assert!(detour(&motion.left, &[-1.2, 0.0]) < 1e-6);
    assert!(detour(&motion.right, &[1.2, 0.0]) < 1e-6);
}

/// Regression 20: a range of a joint of the right arm was taken for one of a joint that the single arm does not have.
#[test]
fn constraints_are_those_of_both_arms_in_every_mode() {
    let range = Constraint::Joint { joint_index: 2, min: -1.3, max: 1.3 };
    let config = PlannerConfig { constraints: vec![range.clone()], ..PlannerConfig::default() };
    for mode in FREE_MODES {
        let motion = planner(mode).with_config(config.clone()).unwrap().plan(&UP.0, &UP.1, &down()).unwrap();
        let certificate = motion.joined.certificate().unwrap();
        assert_eq!(certificate.constraints.len(), 1);
        assert!(certificate.constraints[0].max_violation <= 0.0);
        let times = (0..=500).map(|step| motion.joined.duration() * f64::from(step) / 500.0);
        let values = times.map(|time| motion.joined.curve().sample(time, 0)[2]);
        assert!(values.into_iter().all(|value| (-1.3 - 1e-5..=1.3 + 1e-5).contains(&value)), "{}", mode.id());
    }
}

#[test]
fn the_same_seed_gives_the_same_motion() {
    for mode in FREE_MODES {
        let plan = || planner(mode).plan(&UP.0, &UP.1, &down()).unwrap().joined.content_hash();
        assert_eq!(plan(), plan());
    }
}

#[test]
fn bad_input_is_refused_with_the_arm() {
    let planner = planner(DualArmMode::default());
    let KineticError::DimensionMismatch { context, .. } = planner.plan(&UP.0, &[0.0; 3], &down()).unwrap_err() else {
        panic!()
    };
    assert_eq!(context, "start of group \"right\"");
    let touching = planner.plan(&[0.0, 0.0], &[0.0, 0.0], &down());
    assert!(matches!(touching, Err(KineticError::StartInCollision { .. })));
    let touching = DualArmPlanner::new(&robot(), "left", "right", DualArmMode::Independent).unwrap();
    let touching = touching.plan(&[0.0, 0.0], &[0.0, 0.0], &down());
    assert!(matches!(touching, Err(KineticError::StartInCollision { .. })));
    let mode = |name: &str| name.parse::<DualArmMode>();
    assert_eq!(mode("coordinated"), Ok(DualArmMode::Coordinated));
    assert!(matches!(mode("together"), Err(KineticError::UnknownName { available, .. }) if available.len() == 3));
    let new = |left: &str, right: &str| DualArmPlanner::new(&robot(), left, right, DualArmMode::Independent);
    assert!(matches!(new("left", "left"), Err(KineticError::InvalidValue { .. })));
    assert!(matches!(new("left", "tail"), Err(KineticError::GroupNotFound { .. })));
    assert!(matches!(new("left", "both"), Err(KineticError::GroupsShareJoint { .. })));
}

/// Both arms of a parallelogram: upper links at the same angle in the plane, lower ones upwards.
fn parallelogram(angle: f64) -> ([f64; 2], [f64; 2]) {
    ([angle, FRAC_PI_2 - angle], [angle - PI, FRAC_PI_2 - angle])
}

/// A bar on both lower links of a parallelogram at `angle`.
fn with_bar(angle: f64) -> Scene {
    let mut scene = Scene::new(&robot()).unwrap();
    let root_from_bar = Pose::from_xyz(0.4 * angle.cos(), 0.4 * angle.sin() + 0.35, 0.2);
    scene.add("bar", Shape::cuboid(0.5, 0.02, 0.02).unwrap(), root_from_bar).unwrap();
    let (left, right) = parallelogram(angle);
    let body = scene.robot().clone();
    let full = scene_values(&body, &left, &right);
    scene.attach_existing("bar", "left_lower", &full, Some(&["right_lower"])).unwrap();
    scene
}

fn scene_values(robot: &kinetic_robot::Robot, left: &[f64], right: &[f64]) -> Vec<f64> {
    let value = |name: &str| match name {
        "left_shoulder" => left[0],
        "left_elbow" => left[1],
        "right_shoulder" => right[0],
        _ => right[1],
    };
    robot.active_joints.iter().map(|joint| value(&robot.joints[*joint].name)).collect()
}

#[test]
fn arms_that_hold_a_bar_move_as_a_parallelogram() {
    let (start, end) = (1.2, 1.9);
    let planner = DualArmPlanner::in_scene(with_bar(start), "left", "right", DualArmMode::Coordinated).unwrap();
    let tolerance = GraspTolerance { position: 1e-4, orientation: 1e-4 };
    let planner = planner.with_grasp_tolerance(tolerance).unwrap();
    let (left, right) = parallelogram(start);
    let place = |angle: f64| Pose::from_xyz(0.4 * angle.cos(), 0.4 * angle.sin() + 0.35, 0.2);
    let (goal_left, goal_right) = parallelogram(end);
    let goal = DualGoal { left: Goal::joints(goal_left.to_vec()), right: Goal::joints(goal_right.to_vec()) };
    let motions =
        [planner.plan(&left, &right, &goal).unwrap(), planner.plan_object(&left, &right, "bar", &place(end)).unwrap()];
    for motion in motions {
        let certificate = motion.joined.certificate().unwrap();
        let [Constraint::RelativePose { position_tolerance, .. }] =
            certificate.constraints.iter().map(|proven| proven.constraint.clone()).collect::<Vec<_>>()[..]
        else {
            panic!("{:?}", certificate.constraints)
        };
        assert_eq!(position_tolerance, 1e-4);
        assert!(certificate.constraints[0].max_violation <= 0.0);
        for step in 0..=1000 {
            let q = motion.joined.curve().sample(motion.joined.duration() * f64::from(step) / 1000.0, 0);
            let (left, right) = parallelogram(q[0]);
            let off = q.iter().zip([left, right].concat()).map(|(q, wanted)| (q - wanted).abs()).fold(0.0, f64::max);
            // A millionth of a radian of a 0.4 m link is far below the tolerance of 0.1 mm.
            assert!(off < 1e-3, "{step}: {q:?}");
        }
        let ends = [0.0, motion.joined.duration()].map(|time| motion.joined.curve().sample(time, 0));
        assert_eq!(ends[0], [left, right].concat());
        let wanted = [goal_left, goal_right].concat();
        assert!(ends[1].iter().zip(wanted).all(|(q, wanted)| (q - wanted).abs() < 1e-5), "{:?}", ends[1]);
    }
}

#[test]
fn goals_that_break_the_grasp_and_objects_that_nobody_holds_are_refused() {
    let planner = DualArmPlanner::in_scene(with_bar(1.2), "left", "right", DualArmMode::Coordinated).unwrap();
    let (left, right) = parallelogram(1.2);
    let apart = DualGoal { left: Goal::joints(parallelogram(1.5).0.to_vec()), right: Goal::joints(right.to_vec()) };
    let KineticError::ConstraintViolated { context, value, .. } = planner.plan(&left, &right, &apart).unwrap_err()
    else {
        panic!()
    };
    // The left elbow is 0.8 sin(0.15) away from where it was.
    assert_eq!(context, "goal");
    assert!((value - 0.8 * 0.15_f64.sin()).abs() < 1e-9 || (value - 0.3).abs() < 1e-9, "{value}");
    let unknown = planner.plan_object(&left, &right, "table", &Pose::identity()).unwrap_err();
    assert!(matches!(unknown, KineticError::UnknownName { available, .. } if available == ["bar"]));
    let free = DualArmPlanner::in_scene(with_bar(1.2), "left", "right", DualArmMode::Synchronized).unwrap();
    assert!(matches!(
        free.plan_object(&left, &right, "bar", &Pose::identity()),
        Err(KineticError::InvalidValue { name, .. }) if name == "mode"
    ));
    for bad in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        let tolerance = GraspTolerance { position: bad, orientation: 0.1 };
        assert!(planner.clone().with_grasp_tolerance(tolerance).is_err());
    }
}
