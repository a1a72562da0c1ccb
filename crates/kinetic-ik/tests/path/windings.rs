//! Turns of 2π on request, in the order of a seed.

use std::f64::consts::{PI, TAU};

use kinetic_core::Pose;
use kinetic_core::rng::SeededRng;
use kinetic_ik::PathOptions;
use kinetic_ik::analytic::postprocess::windings;
use kinetic_ik::analytic::{Refinement, Solution};

use super::robots::Arm;

fn at(q: &[f64]) -> Solution {
    Solution { q: q.into(), fk_residual: 0.0, refinement_used: Refinement::None }
}

#[test]
fn windings_come_one_by_one_in_the_order_of_the_seed() {
    let mut rng = SeededRng::new(5);
    for case in 0..200 {
        let limits: Vec<Option<(f64, f64)>> =
            (0..3).map(|_| Some((-rng.uniform(1.0, 9.0), rng.uniform(1.0, 9.0)))).collect();
        let random = |rng: &mut SeededRng| [rng.uniform(-3.0, 3.0), rng.uniform(-3.0, 3.0), rng.uniform(-3.0, 3.0)];
        let solutions: Vec<Solution> = (0..3).map(|_| at(&random(&mut rng))).collect();
        let seed = random(&mut rng);
        // All of them: every turn of every joint, filtered and sorted.
        let mut all: Vec<(f64, Vec<f64>)> = Vec::new();
        for solution in &solutions {
            for turns in 0..125 {
                let turn = |joint: u32| f64::from(turns / 5_i32.pow(joint) % 5 - 2) * TAU;
                let q: Vec<f64> = (0..3).map(|joint| solution.q[joint as usize] + turn(joint)).collect();
                if q.iter().zip(&limits).all(|(q, limits)| (limits.unwrap().0..=limits.unwrap().1).contains(q)) {
                    all.push((q.iter().zip(seed).map(|(a, b)| (a - b).powi(2)).sum(), q));
                }
            }
        }
        all.sort_by(|a, b| a.0.total_cmp(&b.0));
        let found = windings(&solutions, &limits, &[true; 3], Some(&seed), 10).unwrap();
        assert_eq!(found.len(), all.len().min(10), "case {case}");
        for (found, (_, wanted)) in found.iter().zip(&all) {
            assert!(found.q.iter().zip(wanted).all(|(a, b)| (a - b).abs() < 1e-12), "case {case}");
        }
    }
}

#[test]
fn sliding_and_endless_joints_have_one_value() {
    let limits = [None, Some((-1.0, 8.0)), Some((-1.0, 8.0))];
    let found = windings(&[at(&[0.5, 0.5, 0.5])], &limits, &[true, false, true], Some(&[13.0, 0.0, 0.0]), 99).unwrap();
    let expected = [[0.5 + 2.0 * TAU, 0.5, 0.5], [0.5 + 2.0 * TAU, 0.5, 0.5 + TAU]];
    assert_eq!(found.len(), 2);
    for (found, wanted) in found.iter().zip(expected) {
        assert!(found.q.iter().zip(wanted).all(|(a, b)| (a - b).abs() < 1e-12));
    }
    assert!(windings(&[at(&[0.0; 3])], &limits, &[true; 3], Some(&[0.0; 2]), 1).is_err());
    assert!(windings(&[at(&[0.0; 2])], &limits, &[true; 3], None, 1).is_err());
    assert_eq!(windings(&[at(&[0.0; 3])], &limits, &[true; 3], None, 0).unwrap(), []);
}

/// The tool spins about its own axis by so much that its joint, with a turn of room on either side, can do it only from the
/// outer turn on the right side.
#[test]
fn a_path_begins_on_the_turn_from_which_it_can_be_finished() {
    let arm = Arm::named("ur5e");
    for spin in [3.4 * PI, -3.4 * PI] {
        let q = [0.3, -1.2, 1.4, -0.9, -1.3, 0.0];
        let targets: Vec<Pose> = (0..=40)
            .map(|step| {
                let mut at = q.to_vec();
                at[5] += spin * f64::from(step) / 40.0;
                arm.tool(&at)
            })
            .collect();
        let path = arm.solve(&targets, &PathOptions::default());
        arm.check(&targets, &path, &PathOptions::default(), 1e-9, "spin");
        let turned = path.configuration(40).unwrap()[5] - path.configuration(0).unwrap()[5];
        assert!((turned - spin).abs() < 1e-6, "{turned}");
    }
}
