//! The laws of the batch interface, for every implementation in turn.

use kinetic_core::KineticError;
use kinetic_core::rng::SeededRng;
use kinetic_scene::{BatchCollisionChecker, Checker, Margins, Scene};

use crate::cases;
use crate::support::{boxes, built_in, random_configuration, with_boxes};

const ROWS: usize = 40;

fn scene_of(name: &str, seed: u64) -> (Scene, Checker, Vec<f64>) {
    let robot = built_in(name);
    let mut rng = SeededRng::new(seed);
    let scene = with_boxes(&robot, &boxes(&mut rng, 6));
    let group = robot.groups[robot.default_group].name.clone();
    let checker = scene.checker(&group, Margins::new(0.02, 0.0)).unwrap();
    let rows = (0..ROWS).flat_map(|_| random_configuration(&robot, &mut rng)).collect();
    (scene, checker, rows)
}

fn slacks(checker: &mut dyn BatchCollisionChecker, rows: &[f64]) -> Vec<f64> {
    let mut slacks = vec![0.0; rows.len() / checker.dof()];
    checker.slacks_into(rows, &mut slacks).unwrap();
    slacks
}

/// Verdicts, slacks and gradients agree with each other and with finite differences.
fn holds_the_laws(checker: &mut dyn BatchCollisionChecker, rows: &[f64], case: &str) -> [usize; 2] {
    let dof = checker.dof();
    let count = rows.len() / dof;
    let (mut free, mut found, mut gradients) = (vec![false; count], vec![0.0; count], vec![0.0; rows.len()]);
    checker.free_into(rows, &mut free).unwrap();
    checker.gradients_into(rows, &mut found, &mut gradients).unwrap();
    assert_eq!(found, slacks(checker, rows), "{case}");
    let h = 1e-6;
    let mut compared = 0;
    for row in 0..count {
        assert_eq!(free[row], found[row] > 0.0, "{case}, row {row}: {}", found[row]);
        let q = &rows[row * dof..(row + 1) * dof];
        assert_eq!(slacks(checker, q), [found[row]], "{case}: a row depends on its configuration alone");
        for joint in 0..dof {
            let at = |step: f64| {
                let mut moved = q.to_vec();
                moved[joint] += step;
                moved
            };
            let stencil = [at(-h), at(h), at(-2.0 * h), at(2.0 * h)].concat();
            let [before, after, before2, after2] = slacks(checker, &stencil)[..] else { panic!() };
            let (narrow, wide) = ((after - before) / (2.0 * h), (after2 - before2) / (4.0 * h));
            // Where the two differ, the tightest pair or its features change between the points.
            let one_sided = ((after - found[row]) / h, (found[row] - before) / h);
            if (narrow - wide).abs() < 1e-5 && (one_sided.0 - one_sided.1).abs() < 1e-4 {
                assert!((narrow - gradients[row * dof + joint]).abs() < 1e-4, "{case}, row {row}, joint {joint}");
                compared += 1;
            }
        }
    }
    [free.iter().filter(|free| **free).count(), compared]
}

#[test]
fn a_checker_holds_the_laws_of_the_batch_interface() {
    let (mut free, mut compared, mut all) = (0, 0, 0);
    for name in ["ur5e", "franka_panda", "fetch"] {
        for seed in 0..cases(3, 100) as u64 {
            let (_, mut checker, rows) = scene_of(name, seed);
            let [more_free, more] = holds_the_laws(&mut checker, &rows, &format!("{name} {seed}"));
            (free, compared, all) = (free + more_free, compared + more, all + ROWS);
        }
    }
    assert!(free > all / 20 && free < all * 19 / 20, "{free} of {all}");
    assert!(compared > 4 * all, "{compared} derivatives of {all} configurations");
}

#[test]
fn batches_of_the_wrong_size_and_nan_are_refused() {
    let (_, mut checker, rows) = scene_of("ur5e", 0);
    let mut free = vec![false; ROWS];
    let wrong = checker.free_into(&rows[1..], &mut free).unwrap_err();
    assert!(matches!(&wrong, KineticError::DimensionMismatch { got, .. } if *got == rows.len() - 1), "{wrong}");
    let mut broken = rows.clone();
    broken[8] = f64::NAN;
    let refused = checker.slacks_into(&broken, &mut vec![0.0; ROWS]).unwrap_err();
    assert!(matches!(refused, KineticError::NotFinite { index: 8, .. }), "{refused}");
    let short = checker.gradients_into(&rows, &mut vec![0.0; ROWS], &mut [0.0; 3]).unwrap_err();
    assert!(matches!(short, KineticError::DimensionMismatch { got: 3, .. }), "{short}");
}

/// Regression 22: 0.1 m deep in a box the points of the contact were those of another triangle in the same plane, and the gradient
/// was off by 1e-2.
#[test]
fn gradients_deep_inside_an_obstacle_are_those_of_the_depth() {
    let (_, mut checker, rows) = scene_of("franka_panda", 76);
    let [_, compared] = holds_the_laws(&mut checker, &rows[12 * 7..13 * 7], "franka_panda 76, row 12");
    assert!(compared > 3, "{compared}");
}
