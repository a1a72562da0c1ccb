//! Where singularities meet: elbow straight and wrist straight, and all that zeros and right angles make.

use std::f64::consts::{FRAC_PI_2, PI};

use kinetic_core::rng::SeededRng;
use kinetic_ik::analytic::{Manipulator, SolveOptions, TolerancePolicy};
use kinetic_ik::{IKConfig, solve_ik_auto};
use kinetic_kinematics::Rigid;
use kinetic_robot::Robot;

use super::arms::{self, difference, is_same};
use super::zoo;
use crate::cases;

/// What a closed form promises, entry by entry.
const CLOSES: f64 = 1.01e-10;
/// Least singular value from which a pose determines its configuration to [`SAME`], rad or m.
const REGULAR: f64 = 1e-3;
const SAME: f64 = 1e-6;
/// Kinds of arms whose closed form has no word on some poses in which two singularities meet.
const NOT_EXACT: [&str; 2] = ["6R three parallel, offset wrist", "6R spherical elbow"];
const ANGLES: [f64; 4] = [0.0, FRAC_PI_2, -FRAC_PI_2, PI];

/// Pairs and triples of joints.
fn sets(dof: usize) -> Vec<Vec<usize>> {
    let mut out = Vec::new();
    for a in 0..dof {
        for b in a + 1..dof {
            out.push(vec![a, b]);
            out.extend((b + 1..dof).map(|c| vec![a, b, c]));
        }
    }
    out
}

/// Solutions of the poses of `configurations` are true ones, regular configurations are among them, and inverse kinematics
/// answers; how many poses the closed form alone has nothing for.
fn check(arm: &Manipulator, configurations: &[Vec<f64>], what: &str) -> usize {
    let mut empty = 0;
    for (case, q) in configurations.iter().enumerate() {
        let what = format!("{what}, case {case}: {q:?}");
        let target = arm.fk(q).unwrap();
        let at = Some(arm.parameters(q).unwrap()).filter(|at| !at.is_empty());
        let options = SolveOptions { respect_limits: false, at, ..SolveOptions::default() };
        let (found, story) = arm.explain(&target, &options).unwrap();
        for solution in found.iter().filter(|_| arm.dof() >= 6) {
            let off = difference(&arm.normal_form().pose(&solution.q), &Rigid::from(&target));
            assert!(off <= CLOSES, "{what}: {solution:?} is {off:e} off");
        }
        let is_regular = arm.dof() == 6 && arms::conditioning(arm.normal_form(), q) > REGULAR;
        assert!(!is_regular || found.iter().any(|found| is_same(&found.q, q, SAME)), "{what}: {found:?}");
        // The pose was made from a configuration: whoever calls it unreachable is wrong.
        assert!(!story.proves_none() && !story.summary().contains("unreachable"), "{what}: {}", story.summary());
        assert!(found.is_empty() == story.summary().contains("no branch"), "{what}: {}", story.summary());
        empty += usize::from(found.is_empty());
        let answer = solve_ik_auto(Some(arm), arm.chain(), &target, &IKConfig::default());
        assert!(answer.is_ok(), "{what}: {answer:?}");
        let seeded = SolveOptions { seed: Some(q.clone().into()), at: None, max_solutions: Some(1), ..options };
        let nearest = arm.solve(&target, &seeded).unwrap();
        assert!(nearest[0].q.iter().zip(q).all(|(a, b)| (a - b).abs() <= SAME), "{what}: {:?}", nearest[0]);
    }
    empty
}

/// Configurations inside the limits with two or three joints at zero, a right angle or half a turn.
fn special(arm: &Manipulator, rng: &mut SeededRng, most: usize) -> Vec<Vec<f64>> {
    let bounds = arm.chain().bounds();
    let mut out = Vec::new();
    for set in sets(arm.dof()) {
        for values in 0..4usize.pow(set.len() as u32) {
            let mut q: Vec<f64> = bounds.iter().map(|(low, high)| rng.uniform(low.max(-3.0), high.min(3.0))).collect();
            for (place, joint) in set.iter().enumerate() {
                q[*joint] = ANGLES[values / 4usize.pow(place as u32) % 4];
            }
            if q.iter().zip(bounds).all(|(q, (low, high))| low <= q && q <= high) {
                out.push(q);
            }
        }
    }
    // A fixed share, evenly spread.
    let step = (out.len() / most).max(1);
    out.into_iter().step_by(step).collect()
}

#[test]
fn built_in_arms_solve_poses_in_which_singularities_meet() {
    let mut rng = SeededRng::new(5);
    let (mut empty, mut poses) = (0, 0);
    for name in kinetic_robot::builtin::names() {
        let robot = Robot::from_name(name).unwrap();
        let Ok(arm) = Manipulator::from_robot(&robot, None, TolerancePolicy::default()) else { continue };
        let most = if arm.dispatch_plan().tier == 0 { cases(120, 2_000) } else { cases(15, 2_000) };
        let mut all = special(&arm, &mut rng, most);
        let random = all.len();
        let named = robot.named_poses.iter().filter(|pose| pose.group == robot.default_group);
        all.extend(named.map(|pose| pose.values.to_vec()));
        empty += check(&arm, &all, name);
        poses += all.len();
        assert_eq!(check(&arm, &all[random..], name), 0, "{name}: a named pose has no solution");
    }
    assert!(500 * empty <= poses, "the closed forms alone have nothing for {empty} of {poses} poses");
}

#[test]
fn arms_that_nobody_built_solve_poses_in_which_singularities_meet() {
    for (index, (kind, links)) in zoo::KINDS.iter().enumerate() {
        let seed = 4000 + index as u64;
        let mut rng = SeededRng::new(seed);
        let (mut made, mut tried) = (0, 0);
        while made < 2 && tried < 300 {
            tried += 1;
            let arm = zoo::build(&mut rng, links, 0.0);
            if !zoo::can_move(&arm, &mut rng) {
                continue;
            }
            let Ok(arm) = arms::manipulator(&arm) else {
                made += 1;
                continue;
            };
            made += 1;
            let most = if arm.dispatch_plan().tier == 0 { cases(100, 2_000) } else { cases(10, 2_000) };
            let all = special(&arm, &mut rng, most);
            let empty = check(&arm, &all, kind);
            assert!(empty == 0 || NOT_EXACT.contains(kind), "{kind}, arm {tried}: {empty} of {} poses", all.len());
        }
    }
}
