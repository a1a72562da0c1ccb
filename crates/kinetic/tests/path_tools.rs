//! Paths that come from elsewhere: proven, shortened and smoothed in the scene of a planner.

use kinetic::prelude::*;

use crate::support::{assert_dense_free, workcell};

/// Beside the shelf and under it.
const START: [f64; 6] = [-0.6, -1.6, 1.5, -1.5, -1.57, 0.0];
const GOAL: [f64; 6] = [1.1, -0.9, 1.6, -2.2, -1.57, 0.0];

/// A planner that leaves paths as the search found them, and such a path.
fn raw() -> (Planner, Trajectory) {
    let planner = Planner::in_scene(workcell()).unwrap();
    let config = PlannerConfig { shortcut_iterations: 0, smooth: false, seed: 3, ..PlannerConfig::default() };
    let searcher = planner.clone().with_config(config).unwrap();
    let mut path = searcher.plan(&START, &Goal::joints(GOAL)).unwrap().path;
    // There and back, so that there are corners whatever the search found.
    let back = searcher.plan(&GOAL, &Goal::joints([0.4, -1.6, 1.5, -1.5, -1.57, 0.5])).unwrap().path;
    for q in back.iter().skip(1) {
        path.push_waypoint(q).unwrap();
    }
    (planner, path)
}

fn control(planner: &Planner) -> Control {
    planner.control(StopFlag::default())
}

#[test]
fn what_comes_back_is_free_keeps_its_ends_and_is_not_longer() {
    let (planner, path) = raw();
    planner.check_path(&path).unwrap();
    let results = [
        planner.simplify(&path, &control(&planner)).unwrap().path,
        planner.shortcut(&path, 50, &control(&planner)).unwrap(),
        planner.smooth_bspline(&path, 0.05, &control(&planner)).unwrap(),
    ];
    for (index, result) in results.iter().enumerate() {
        assert_dense_free(planner.scene(), "arm", result, 0.02);
        planner.check_path(result).unwrap();
        assert_eq!(result.positions(0), path.positions(0), "{index}");
        assert_eq!(result.positions(result.len() - 1), path.positions(path.len() - 1), "{index}");
        assert!(result.path_length() <= path.path_length() * (1.0 + 1e-12), "{index}");
        assert_ne!(result, &path, "{index} did nothing");
    }
    assert!(results[0].path_length() < 0.9 * path.path_length());
    assert_eq!(results[1], planner.shortcut(&path, 50, &control(&planner)).unwrap());
}

#[test]
fn paths_that_are_none_of_the_group_are_refused() {
    let (planner, path) = raw();
    let all = |path: &Trajectory| {
        let control = control(&planner);
        [
            planner.check_path(path).unwrap_err(),
            planner.simplify(path, &control).unwrap_err(),
            planner.shortcut(path, 10, &control).unwrap_err(),
            planner.smooth_bspline(path, 0.1, &control).unwrap_err(),
        ]
    };
    for error in all(&Trajectory::from_waypoints(&[[0.0; 7]]).unwrap()) {
        assert!(matches!(error, KineticError::DimensionMismatch { got: 7, .. }), "{error}");
    }
    for error in all(&Trajectory::with_dof(6)) {
        assert!(matches!(error, KineticError::InvalidValue { .. }), "{error}");
    }
    let mut outside = START;
    outside[2] = 3.5;
    for error in all(&Trajectory::from_waypoints(&[START, outside]).unwrap()) {
        assert!(matches!(error, KineticError::JointLimitViolation { value: 3.5, .. }), "{error}");
    }
    let error = planner.smooth_bspline(&path, f64::NAN, &control(&planner)).unwrap_err();
    assert!(matches!(error, KineticError::InvalidValue { .. }), "{error}");
}

#[test]
fn a_path_that_touches_is_refused_with_the_pair() {
    let (planner, _) = raw();
    let through = Trajectory::from_waypoints(&[START, GOAL]).unwrap();
    let expected = planner.scene().checker("arm", Margins::new(0.02, 0.0)).unwrap().first_contact(&START, &GOAL);
    assert!(expected.is_some(), "the straight line is free");
    for error in [
        planner.check_path(&through).unwrap_err(),
        planner.simplify(&through, &control(&planner)).unwrap_err(),
        planner.smooth_bspline(&through, 0.1, &control(&planner)).unwrap_err(),
    ] {
        assert!(matches!(error, KineticError::CollisionDetected { .. }), "{error}");
    }
}

#[test]
fn a_path_of_one_free_waypoint_is_a_path_and_of_one_in_collision_is_none() {
    let planner = Planner::in_scene(workcell()).unwrap();
    let one = Trajectory::from_waypoints(&[START]).unwrap();
    assert_eq!(planner.simplify(&one, &control(&planner)).unwrap().path, one);
    let in_table = [0.0, 0.3, 0.0, -1.5, -1.57, 0.0];
    assert!(planner.is_in_collision(&in_table).unwrap());
    assert!(planner.check_path(&Trajectory::from_waypoints(&[in_table]).unwrap()).is_err());
}

#[test]
fn a_stop_gives_back_the_path_proven() {
    let (planner, path) = raw();
    let stop = StopFlag::default();
    stop.stop();
    assert_eq!(planner.simplify(&path, &planner.control(stop)).unwrap().path, path);
}
