//! Goals that many configurations meet: sets of goals, branches of a pose, regions of poses.

use std::f64::consts::PI;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use kinetic::core::error::reason;
use kinetic::core::{Clock, ManualClock, PoseRegion};
use kinetic::kinematics::analytic::{Manipulator, TolerancePolicy};
use kinetic::prelude::*;

use crate::budgets::caged;
use crate::support::{assert_dense_free, robot, workcell};

const START: [f64; 6] = [0.4, -1.6, 1.5, -1.5, -1.57, 0.0];
const NEAR: [f64; 6] = [0.9, -1.3, 1.6, -1.8, -1.57, 0.4];
const FAR: [f64; 6] = [-2.0, -1.6, 1.5, -1.5, -1.57, 0.0];
/// Inverse kinematics meets poses to 1e-6; the components of a rotation vector may each be off by that.
const MET: f64 = 2e-6;

/// A configuration whose forearm is in the table.
fn blocked() -> Goal {
    Goal::joints([0.0, 0.3, 0.3, -1.5, -1.57, 0.0])
}

fn planner() -> Planner {
    Planner::in_scene(workcell()).unwrap()
}

/// Budget in iterations on a clock that stands.
fn iterations(limit: u64) -> Control {
    Control::new(Arc::new(ManualClock::default()), 1.0, limit, StopFlag::default())
}

#[test]
fn any_goal_of_a_set_ends_the_plan_and_the_result_says_which() {
    let planner = planner();
    let goals = [Goal::joints(FAR), Goal::joints(NEAR)];
    let result = planner.plan(&START, &Goal::any(goals.clone())).unwrap();
    let Goal::Joints(reached) = &goals[result.goal_index] else { panic!() };
    assert_eq!(result.end(), &reached[..]);
    assert_eq!(result.goal_index, 1, "the straight way to the nearer one is free");
    assert_dense_free(planner.scene(), "arm", &result.path, 0.02 - 1e-9);
}

#[test]
fn goals_of_all_kinds_mix_and_unusable_ones_are_passed_over() {
    let planner = planner();
    let pose = planner.fk(&NEAR).unwrap();
    let unreachable = Goal::pose(Pose::from_xyz(3.0, 0.0, 0.0));
    let nowhere = Goal::region(PoseRegion::new(Pose::from_xyz(3.0, 0.0, 0.0), [0.1; 3], [0.1; 3]).unwrap());
    for (usable, index) in [(Goal::joints(NEAR), 3), (Goal::named("ready"), 3), (Goal::pose(pose), 3)] {
        let set = Goal::any([blocked(), unreachable.clone(), nowhere.clone(), usable.clone()]);
        let result = planner.plan(&START, &set).unwrap_or_else(|error| panic!("{usable:?}: {error}"));
        assert_eq!(result.goal_index, index);
        // What is passed over changes nothing.
        assert_eq!(result.path, planner.plan(&START, &usable).unwrap().path);
    }
}

/// Counts the readings of the time, which stands still.
#[derive(Debug, Default)]
struct Readings(AtomicU64);

impl Clock for Readings {
    fn now(&self) -> f64 {
        self.0.fetch_add(1, Ordering::Relaxed);
        0.0
    }
}

/// Regression 61: thousands of poses were resolved without a look at the clock.
#[test]
fn the_clock_is_read_between_the_goals_of_a_set() {
    let planner = planner();
    let pose = Goal::pose(planner.fk(&NEAR).unwrap());
    let readings = |goals: usize| {
        let clock = Arc::new(Readings::default());
        let control = Control::new(Arc::clone(&clock) as Arc<dyn Clock>, 1.0, u64::MAX, StopFlag::default());
        let goal = Goal::any(vec![pose.clone(); goals]);
        planner.solve(Query::new(&START, &goal).with_control(&control)).unwrap();
        clock.0.load(Ordering::Relaxed)
    };
    assert!(readings(50) >= readings(1) + 49);
}

/// Regression 58: the distance of the tightest pair was measured of every configuration in collision, which takes a hundred times as long
/// as a verdict beside large meshes.
#[test]
fn a_goal_in_collision_takes_a_verdict_beside_others_that_are_free() {
    let planner = planner();
    let checks = |goal: Goal| planner.plan(&START, &goal).unwrap().checks;
    let alone = checks(Goal::joints(NEAR));
    for blocked_goals in [1, 10, 100] {
        let goals = std::iter::repeat_with(blocked).take(blocked_goals).chain([Goal::joints(NEAR)]);
        assert_eq!(checks(Goal::any(goals)), alone + blocked_goals as u64);
    }
}

#[test]
fn a_set_that_cannot_be_met_says_why_for_each_goal() {
    let planner = planner();
    let set = Goal::any([blocked(), Goal::pose(Pose::from_xyz(3.0, 0.0, 0.0))]);
    let error = planner.plan(&START, &set).unwrap_err();
    let KineticError::GoalUnreachable { reason } = &error else { panic!("{error}") };
    let reason::GoalUnreachable::Several { goals: 2, codes, .. } = reason else { panic!("{error}") };
    assert_eq!(codes[..], ["GoalInCollision", "GoalUnreachable"]);
    let reason = reason.to_string();
    assert!(reason.contains("goal 1: GoalInCollision") && reason.contains("goal 2: GoalUnreachable"), "{reason}");
    // A set of one is that one.
    let error = planner.plan(&START, &Goal::any([blocked()])).unwrap_err();
    assert!(matches!(error, KineticError::GoalInCollision { .. }), "{error}");
}

#[test]
fn wrong_input_in_a_set_names_the_goal() {
    let planner = planner();
    let refused = |goal: Goal| planner.plan(&START, &Goal::any([Goal::joints(NEAR), goal])).unwrap_err();
    let error = refused(Goal::joints([0.0; 5]));
    assert!(
        matches!(&error, KineticError::DimensionMismatch { context, got: 5, .. } if context.contains("goal 2 of 2"))
    );
    let error = refused(Goal::joints([f64::NAN; 6]));
    assert!(matches!(&error, KineticError::NotFinite { context, .. } if context.contains("goal 2 of 2")), "{error}");
    assert_eq!(refused(Goal::named("redy")).code(), "NamedConfigNotFound");
    assert_eq!(refused(Goal::joints([9.0; 6])).code(), "JointLimitViolation");
    let bad = PoseRegion {
        position_tolerance: [f64::NAN; 3],
        ..PoseRegion::new(Pose::identity(), [0.0; 3], [0.0; 3]).unwrap()
    };
    assert_eq!(refused(Goal::region(bad)).code(), "NotFinite");
    let empty = planner.plan(&START, &Goal::any([])).unwrap_err();
    assert!(matches!(&empty, KineticError::InvalidValue { name, .. } if name == "goal"), "{empty}");
}

#[test]
fn repeated_goals_and_the_start_among_them_are_defined() {
    let planner = planner();
    let once = planner.plan(&START, &Goal::joints(FAR)).unwrap();
    let twice = planner.plan(&START, &Goal::any([Goal::joints(FAR), Goal::joints(FAR)])).unwrap();
    assert_eq!((once.path, once.iterations, twice.goal_index), (twice.path, twice.iterations, 0));
    let there = planner.plan(&START, &Goal::any([Goal::joints(FAR), Goal::joints(START)])).unwrap();
    assert_eq!((there.goal_index, there.path_length), (1, 0.0));
}

#[test]
fn of_the_branches_of_a_pose_the_nearest_free_one_is_reached_where_the_way_is_straight() {
    let planner = Planner::new(&robot("ur5e")).unwrap();
    let mut straight = 0;
    for target in [NEAR, FAR, [1.5, -1.2, 1.4, -1.7, -1.57, 0.0], [0.2, -0.8, 1.0, -1.9, -1.2, 0.3]] {
        let pose = planner.fk(&target).unwrap();
        let result = planner.plan(&START, &Goal::pose(pose)).unwrap();
        let config = IKConfig { rng_seed: 5, ..IKConfig::for_robot(planner.scene().robot()) };
        let arm = Manipulator::from_chain(planner.chain().clone(), TolerancePolicy::default()).unwrap();
        let branches = solve_ik_branches(Some(&arm), planner.chain(), &pose, &config).unwrap();
        let distance = |q: &[f64]| q.iter().zip(START).map(|(a, b)| (a - b) * (a - b)).sum::<f64>().sqrt();
        let is_usable = |q: &JointValues| !planner.is_in_collision(q).unwrap();
        let nearest = branches.iter().map(|branch| &branch.joints).filter(|q| is_usable(q));
        let nearest = nearest.map(|q| distance(q)).fold(f64::INFINITY, f64::min);
        assert!(distance(result.end()) >= nearest - 1e-5);
        if (result.path_length - nearest).abs() < 1e-5 {
            straight += 1;
        }
    }
    assert!(straight >= 3, "{straight} of 4 go straight to the nearest branch");
}

#[test]
fn a_region_is_reached_and_the_same_seed_reaches_the_same_pose() {
    let planner = planner();
    let centre = planner.fk(&NEAR).unwrap();
    for (position, orientation) in
        [([0.05, 0.1, 0.02], [0.0; 3]), ([0.0; 3], [0.0, 0.0, PI]), ([0.1; 3], [0.3; 3]), ([0.0; 3], [0.0; 3])]
    {
        let region = PoseRegion::new(centre, position, orientation).unwrap();
        let result = planner.plan(&FAR, &Goal::region(region)).unwrap();
        let reached = planner.fk(result.end()).unwrap();
        assert!(region.contains(&reached, MET), "{position:?} {orientation:?}: {reached:?}");
        assert_eq!(result.path, planner.plan(&FAR, &Goal::region(region)).unwrap().path);
    }
}

#[test]
fn a_region_whose_centre_is_blocked_is_reached_beside_it() {
    let mut scene = workcell();
    let centre = Planner::in_scene(scene.clone()).unwrap().fk(&NEAR).unwrap();
    let ball = Pose::from(centre.translation());
    scene.add("ball", Shape::sphere(0.03).unwrap(), ball).unwrap();
    let planner = Planner::in_scene(scene.clone()).unwrap();
    assert!(matches!(planner.plan(&FAR, &Goal::pose(centre)), Err(KineticError::GoalInCollision { .. })));
    let region = PoseRegion::new(centre, [0.25, 0.25, 0.05], [0.2; 3]).unwrap();
    let result = planner.plan(&FAR, &Goal::region(region)).unwrap();
    assert!(region.contains(&planner.fk(result.end()).unwrap(), MET));
    assert_dense_free(&scene, "arm", &result.path, 0.02 - 1e-9);
}

#[test]
fn a_region_without_usable_pose_says_what_was_tried() {
    let planner = planner();
    let region = |at: Pose| Goal::region(PoseRegion::new(at, [0.05; 3], [0.1; 3]).unwrap());
    let error = planner.plan(&START, &region(Pose::from_xyz(3.0, 0.0, 0.0))).unwrap_err();
    let KineticError::GoalUnreachable { reason } = &error else { panic!("{error}") };
    let wanted = reason::GoalUnreachable::Region { poses: 256, out_of_reach: 256, in_collision: 0 };
    assert_eq!(*reason, wanted);
}

#[test]
fn a_region_behind_a_closed_wall_ends_with_the_budget() {
    let (planner, start, goal) = caged();
    let Goal::Joints(inside) = goal else { panic!("{goal:?}") };
    let goal = Goal::region(PoseRegion::new(planner.fk(&inside).unwrap(), [0.02; 3], [0.0; 3]).unwrap());
    let error = planner.solve(Query::new(&start, &goal).with_control(&iterations(3_000))).unwrap_err();
    assert!(matches!(error, KineticError::PlanningTimeout { iterations: 3_000, .. }), "{error}");
    // Every reading of the clock costs 0.1 ms.
    let clock = Arc::new(ManualClock::with_step(100_000));
    let control = Control::new(clock, 0.25, u64::MAX, StopFlag::default());
    let error = planner.solve(Query::new(&start, &goal).with_control(&control)).unwrap_err();
    assert!(
        matches!(error, KineticError::PlanningTimeout { elapsed, .. } if (0.25..0.255).contains(&elapsed)),
        "{error}"
    );
}
