//! Motions of two arms, in both modes.

use kinetic_core::{Constraint, Goal, KineticError, PlannerConfig, TimedTrajectory};
use kinetic_planning::{DualArmMode, DualArmPlanner, DualGoal};

use crate::two_arms::{distance_between_arms, robot};

const UP: ([f64; 2], [f64; 2]) = ([1.2, 0.0], [-1.2, 0.0]);

fn down() -> DualGoal {
    DualGoal { left: Goal::named("down"), right: Goal::named("down") }
}

fn planner(mode: DualArmMode) -> DualArmPlanner {
    DualArmPlanner::new(&robot(), "left", "right", mode).unwrap()
}

#[test]
fn arms_pass_each_other_in_both_modes() {
    for mode in DualArmMode::ALL {
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
    for mode in DualArmMode::ALL {
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
    for mode in DualArmMode::ALL {
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
    assert!(matches!(mode("coordinated"), Err(KineticError::UnknownName { available, .. }) if available.len() == 2));
    let new = |left: &str, right: &str| DualArmPlanner::new(&robot(), left, right, DualArmMode::Independent);
    assert!(matches!(new("left", "left"), Err(KineticError::InvalidValue { .. })));
    assert!(matches!(new("left", "tail"), Err(KineticError::GroupNotFound { .. })));
    assert!(matches!(new("left", "both"), Err(KineticError::GroupsShareJoint { .. })));
}
