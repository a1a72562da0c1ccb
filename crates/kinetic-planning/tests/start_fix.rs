//! Starts outside their limits or in contact that are moved to a valid configuration.

use std::sync::Arc;

use kinetic_core::rng::SeededRng;
use kinetic_core::{Control, Goal, KineticError, ManualClock, PlannerConfig, Pose, Shape, StopFlag};
use kinetic_planning::{LIMIT_TOLERANCE, Planner, PlannerType, Query};
use kinetic_robot::Robot;
use kinetic_scene::Scene;

use crate::cases;

const START: [f64; 6] = [1.2, -1.0, 1.0, -1.57, 0.0, 0.0];

fn ur5e(fix_start: f64) -> Planner {
    let planner = Planner::new(&Arc::new(Robot::from_name("ur5e").unwrap())).unwrap();
    planner.with_config(PlannerConfig { fix_start, ..PlannerConfig::default() }).unwrap()
}

#[test]
fn a_start_beyond_its_limits_is_brought_back_as_far_as_it_has_to() {
    let goal = Goal::joints(START);
    let wrist = ur5e(0.0).scene().robot().joint_limits[5];
    for beyond in [0.0, 1e-12, 0.5 * LIMIT_TOLERANCE] {
        let start = [1.2, -1.0, 1.0, -1.57, 0.0, wrist.upper + beyond];
        let planned = ur5e(0.2).plan(&start, &goal).unwrap();
        assert!(planned.lead_in.is_none(), "{beyond}: within the tolerance of limits nothing is moved");
        assert_eq!(planned.start(), start);
    }
    for beyond in [2.0 * LIMIT_TOLERANCE, 1e-3, 0.05] {
        let start = [1.2, -1.0, 1.0, -1.57, 0.0, wrist.upper + beyond];
        let refused = ur5e(0.0).plan(&start, &goal);
        assert!(matches!(refused, Err(KineticError::JointLimitViolation { .. })), "{refused:?}");
        let refused = ur5e(0.5 * beyond).plan(&start, &goal);
        assert!(matches!(refused, Err(KineticError::JointLimitViolation { .. })), "{refused:?}");
        let solution = ur5e(0.06).plan_timed(&start, &goal, "totp").unwrap();
        let lead_in = solution.result.lead_in.as_ref().unwrap();
        assert_eq!(lead_in.path.positions(0), start);
        assert_eq!(solution.result.start(), lead_in.path.positions(1));
        assert_eq!(solution.result.start()[5], wrist.upper);
        assert_eq!(solution.result.start()[..5], start[..5]);
        assert!((lead_in.largest_change - beyond).abs() < 1e-12);
        assert_eq!(lead_in.outside_limits, ["wrist_3_joint"]);
        assert!(lead_in.contacts.is_empty() && lead_in.is_proven_free);
        let way = lead_in.trajectory.as_ref().unwrap();
        assert!(way.certificate().is_none() && solution.trajectory.certificate().is_some());
        assert_eq!(way.curve().sample(0.0, 0), start);
    }
}

/// Regression 47: where the search used up its budget, nothing was left to time the way of a start that was moved.
#[test]
fn the_way_of_a_moved_start_is_timed_after_a_search_that_used_up_its_budget() {
    let wrist = ur5e(0.0).scene().robot().joint_limits[5];
    let start = [1.2, -1.0, 1.0, -1.57, 0.0, wrist.upper + 0.02];
    let planner = ur5e(0.06).with_planner_type(PlannerType::RRTStar);
    for law in ["totp", "jerk_limited"] {
        let clock = Arc::new(ManualClock::with_step(100_000));
        let control = Control::new(clock, 1.0, u64::MAX, StopFlag::default());
        let goal = Goal::joints(START);
        let query = Query::new(&start, &goal).with_time_law(law).unwrap().with_control(&control);
        let solution = planner.solve(query).unwrap();
        assert!(solution.trajectory.is_some() && solution.result.lead_in.unwrap().trajectory.is_some());
    }
}

#[test]
fn a_start_in_slight_contact_is_moved_out_of_it_and_no_deeper() {
    let (mut moved, mut refused) = (0, 0);
    for seed in 0..cases(40, 1_000) {
        let mut rng = SeededRng::new(seed);
        let robot = Arc::new(Robot::from_name("ur5e").unwrap());
        let start = robot.random_configuration(&robot.groups[robot.default_group], &mut rng);
        let mut scene = Scene::new(&robot).unwrap();
        let tip = Planner::new(&robot).unwrap().fk(&start).unwrap().translation();
        // A ball about the tool: the contact is some millimetres to some centimetres deep.
        let pose = Pose::from_xyz(tip.x + 0.08, tip.y, tip.z);
        scene.add("ball", Shape::sphere(0.06).unwrap(), pose).unwrap();
        let config = PlannerConfig {
            fix_start: 0.1,
            collision_margin: 0.01,
            max_iterations: 2_000,
            timeout: 60.0,
            ..PlannerConfig::default()
        };
        let planner = Planner::in_scene(scene).unwrap().with_config(config).unwrap();
        let plan = planner.plan(&start, &Goal::joints(start.clone()));
        let in_contact = planner.is_in_collision(&start).unwrap();
        match plan {
            Ok(planned) => assert!(!in_contact && planned.lead_in.is_none(), "seed {seed}"),
            Err(KineticError::GoalInCollision { .. } | KineticError::StartInCollision { .. }) => assert!(in_contact),
            Err(other) => panic!("seed {seed}: {other}"),
        }
        if !in_contact {
            continue;
        }
        // To a goal that the start does not hinder.
        let home = [0.0, -1.57, 0.0, -1.57, 0.0, 0.0];
        if planner.is_in_collision(&home).unwrap() {
            continue;
        }
        match planner.plan(&start, &Goal::joints(home)) {
            Ok(planned) => {
                moved += 1;
                let lead_in = planned.lead_in.as_ref().unwrap();
                let change = |q: &[f64]| q.iter().zip(&*start).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
                assert!(change(planned.start()) <= 0.1 + 1e-12, "seed {seed}");
                assert!((change(planned.start()) - lead_in.largest_change).abs() < 1e-15, "seed {seed}");
                assert!(!planner.is_in_collision(planned.start()).unwrap(), "seed {seed}");
                assert!(!lead_in.is_proven_free && !lead_in.contacts.is_empty(), "seed {seed}");
                // Ten times as dense as it was looked at: by less than a millimetre between two samples.
                let mut checker = planner.scene().checker("arm", kinetic_scene::Margins::new(0.01, 0.0)).unwrap();
                for step in 0..=330 {
                    let part = f64::from(step) / 330.0;
                    let q: Vec<f64> =
                        start.iter().zip(planned.start()).map(|(from, to)| from + part * (to - from)).collect();
                    for contact in checker.contacts(&q, 0.0) {
                        let known = lead_in.contacts.iter().find(|(pair, _)| *pair == contact.pair);
                        let (_, before) = known.unwrap_or_else(|| panic!("seed {seed}: {:?}", contact.pair));
                        assert!(contact.distance >= before - 1e-3, "seed {seed}: {} {before}", contact.distance);
                    }
                }
            }
            Err(KineticError::StartInCollision { .. }) => refused += 1,
            // The search itself may fail where the ball closes the way.
            Err(KineticError::PlanningTimeout { .. }) => {}
            Err(other) => panic!("seed {seed}: {other}"),
        }
    }
    // Random configurations of an arm often touch themselves, too deep for 0.1 rad.
    assert!(moved >= 5, "{moved} moved, {refused} refused");
}
