//! Deadlines and stops are obeyed inside of everything that may take long: the proof of one motion of a million radians, a
//! time law for very many waypoints, the proof of a long path. Clocks are injected: each reading takes a millisecond.

use std::sync::Arc;

use kinetic::core::control::ManualClock;
use kinetic::core::rng::SeededRng;
use kinetic::planning::{SceneValidity, Validity};
use kinetic::prelude::*;
use kinetic::trajectory::{TIME_LAWS, TimingOptions, time_parameterize, time_parameterize_controlled};

use crate::support::workcell;

/// Seconds per reading of the clock.
const READING: f64 = 1e-3;

fn control(timeout: f64) -> Control {
    Control::new(Arc::new(ManualClock::with_step(1_000_000)), timeout, u64::MAX, StopFlag::default())
}

/// An arm of two bars that turns by a million radians, beside a post.
fn winding() -> Scene {
    let bar = |name: &str| {
        format!(
            "<link name=\"{name}\"><collision><origin xyz=\"0.2 0 0\"/><geometry><box size=\"0.36 0.04 0.04\"/></geometry>\
             </collision></link>"
        )
    };
    let joint = |name: &str, parent: &str, child: &str, x: f64| {
        format!(
            "<joint name=\"{name}\" type=\"revolute\"><parent link=\"{parent}\"/><child link=\"{child}\"/>\
             <origin xyz=\"{x} 0 0.06\"/><axis xyz=\"0 0 1\"/><limit lower=\"-1e6\" upper=\"1e6\" velocity=\"1\" effort=\"1\"/>\
             </joint>"
        )
    };
    let text = format!(
        "<robot name=\"winding\"><link name=\"base\"/>{}{}{}{}</robot>",
        bar("a"),
        bar("b"),
        joint("j1", "base", "a", 0.0),
        joint("j2", "a", "b", 0.4)
    );
    let mut scene = Scene::new(&Arc::new(Robot::from_urdf_string(&text).unwrap())).unwrap();
    // Passed at less than a centimetre in every turn.
    scene.add("post", Shape::cylinder(0.02, 0.5).unwrap(), Pose::from_xyz(0.0, 0.808, 0.0)).unwrap();
    scene
}

#[test]
fn one_motion_of_a_million_radians_does_not_outlast_the_deadline() {
    let scene = winding();
    let mut checker = scene.checker(&scene.robot().groups[0].name.clone(), Margins::ZERO).unwrap();
    let control = control(0.05);
    checker.obey(Some(&control));
    assert!(!checker.is_motion_free(&[-9e5, 0.0], &[9e5, 0.0]), "what was not proven is refused");
    assert!(control.elapsed() < 0.05 + 5.0 * READING, "{}", control.elapsed());
    // Without a control the same question is one that takes its time; a short one does not look.
    assert!(checker.is_motion_free(&[0.0, 0.0], &[0.01, 0.0]));
    assert!(SceneValidity::new(&mut checker).is_valid(&[0.0, 0.0]));
}

#[test]
fn a_plan_over_a_huge_range_ends_at_its_deadline_or_with_a_plan() {
    let planner = Planner::in_scene(winding()).unwrap();
    for (goal, law) in [([9e5, 0.0], None), ([-4e5, 2e5], Some("totp")), ([3.0, 2.0], Some("jerk_limited"))] {
        let control = control(0.3);
        let goal = Goal::joints(goal);
        let query = Query::new(&[0.0, 0.0], &goal).with_control(&control);
        let outcome = match law {
            None => planner.solve(query),
            Some(law) => planner.solve(query.with_time_law(law).unwrap()),
        };
        let elapsed = control.elapsed();
        assert!(elapsed < 0.3 + 0.2, "{goal:?}: {elapsed}");
        if let Err(error) = outcome {
            assert_eq!(error.code(), "PlanningTimeout", "{goal:?}");
        }
    }
}

fn random_walk(waypoints: usize) -> Trajectory {
    let mut rng = SeededRng::new(5);
    let mut q = vec![0.0; 3];
    let mut path = Trajectory::with_dof(3);
    for _ in 0..waypoints {
        path.push_waypoint(&q).unwrap();
        for value in &mut q {
            *value += rng.uniform(-0.1, 0.1);
        }
    }
    path
}

#[test]
fn every_time_law_obeys_deadline_and_stop_and_is_the_same_without() {
    let (path, limits) = (random_walk(12_000), Limits::new(vec![1.0; 3], vec![2.0; 3]).unwrap());
    let options = TimingOptions::default();
    for law in TIME_LAWS {
        for readings in [1, 8, 20] {
            let timeout = f64::from(readings) * READING;
            let control = control(timeout);
            let timed = time_parameterize_controlled(&path, law.id, &limits, &options, &mut |_| true, &control);
            assert_eq!(timed.unwrap_err().code(), "PlanningTimeout", "{}, {readings} readings", law.id);
            // It was the first reading behind the deadline that ended it, and that of the error.
            assert!(control.elapsed() < timeout + 5.0 * READING, "{}: {}", law.id, control.elapsed());
        }
        let stop = StopFlag::default();
        stop.stop();
        let stopped = Control::new(Arc::new(ManualClock::default()), f64::INFINITY, u64::MAX, stop);
        let timed = time_parameterize_controlled(&path, law.id, &limits, &options, &mut |_| true, &stopped);
        assert_eq!(timed.unwrap_err().code(), "Cancelled", "{}", law.id);
        let short = random_walk(20);
        let timed = |control: &Control| {
            time_parameterize_controlled(&short, law.id, &limits, &options, &mut |_| true, control).unwrap()
        };
        let plain = time_parameterize(&short, law.id, &limits, &options, &mut |_| true).unwrap();
        assert_eq!(timed(&control(1e9)).content_hash(), plain.content_hash(), "{}", law.id);
    }
}

#[test]
fn long_paths_from_elsewhere_are_given_up_when_the_call_is_stopped() {
    let planner = Planner::in_scene(workcell()).unwrap();
    let start = [0.4, -1.6, 1.5, -1.5, -1.57, 0.0];
    let mut path = Trajectory::with_dof(6);
    for step in 0..4_000_u32 {
        let mut q = start;
        q[5] += f64::from(step) * 1e-3;
        path.push_waypoint(&q).unwrap();
    }
    let stop = StopFlag::default();
    stop.stop();
    let stopped = Control::new(Arc::new(ManualClock::default()), f64::INFINITY, u64::MAX, stop);
    assert_eq!(planner.check_path_controlled(&path, &stopped).unwrap_err().code(), "Cancelled");
    assert_eq!(planner.simplify(&path, &stopped).unwrap_err().code(), "Cancelled");
    planner.check_path(&path).unwrap();
}
