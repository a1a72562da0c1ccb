use std::f64::consts::TAU;

use kinetic_core::{JointValues, KineticError};
use kinetic_planning::{Problem, Space};

use crate::worlds::cube;

fn error(start: &[f64], goals: &[JointValues]) -> KineticError {
    Problem::new(&cube(2, 1.0), start, goals, 0).unwrap_err()
}

#[test]
fn wrong_starts_and_goals_are_refused_and_named() {
    let good: JointValues = [0.5, 0.5].into();
    assert!(matches!(error(&[0.0, 0.0], &[]), KineticError::InvalidValue { name, .. } if name == "goals"));
    let short = error(&[0.0], std::slice::from_ref(&good));
    assert!(matches!(short, KineticError::DimensionMismatch { context, got: 1, .. } if context == "start"));
    let long = error(&[0.0, 0.0], &[[0.0; 3].into()]);
    assert!(matches!(long, KineticError::DimensionMismatch { context, got: 3, .. } if context == "goal"));
    let nan = error(&[0.0, 0.0], &[good.clone(), [0.0, f64::NAN].into()]);
    assert!(matches!(nan, KineticError::NotFinite { context, index: 1, .. } if context == "goal 1"));
    let outside = error(&[0.0, 1.5], &[good]);
    assert!(matches!(outside, KineticError::JointLimitViolation { name, value: 1.5, .. } if name == "1 of start"));
}

#[test]
fn every_end_outside_its_bounds_is_refused_by_more_than_the_rounding_of_files() {
    let space = cube(2, 1.0);
    let good: JointValues = [0.5, 0.5].into();
    // Files with five decimals put a value at a limit up to 1e-5 outside.
    for (beyond, is_taken) in [(0.9e-5, true), (1.1e-5, false), (1e-3, false)] {
        for (joint, side) in [(0, -1.0), (0, 1.0), (1, -1.0), (1, 1.0)] {
            let mut end = vec![0.0, 0.0];
            end[joint] = side * (1.0 + beyond);
            let start = Problem::new(&space, &end, std::slice::from_ref(&good), 0).is_ok();
            let goals = [good.clone(), end.clone().into()];
            let goal = Problem::new(&space, &[0.0, 0.0], &goals, 0).is_ok();
            assert_eq!((start, goal), (is_taken, is_taken), "{end:?}");
        }
    }
}

#[test]
fn goals_come_nearest_first_and_without_repetitions() {
    let space = Space::from_bounds(&[(f64::NEG_INFINITY, f64::INFINITY), (-1.0, 1.0)]).unwrap();
    let goals: Vec<JointValues> =
        vec![[2.0, 0.0].into(), [0.5, 0.0].into(), [2.0 + TAU, 0.0].into(), [0.5, 0.0].into(), [-0.5, 0.0].into()];
    let problem = Problem::new(&space, &[0.0, 0.0], &goals, 0).unwrap();
    assert_eq!(problem.goals_by_distance(), [1, 4, 0]);
}
