//! Robots whose joints turn without end.

use std::f64::consts::{PI, TAU};

use kinetic::core::rng::SeededRng;
use kinetic::prelude::*;

use crate::cases;
use crate::support::robot;

/// Rounding of a few turns.
const ROUNDING: f64 = 1e-12;

#[test]
fn plans_begin_at_the_start_end_at_the_goal_and_never_turn_farther_than_needed() {
    let mut straight = 0;
    for name in ["kinova_gen3", "jaco2_6dof", "fetch"] {
        let robot = robot(name);
        let planner = Planner::new(&robot).unwrap();
        let bounds = planner.chain().bounds().to_vec();
        let continuous: Vec<usize> = (0..bounds.len()).filter(|joint| bounds[*joint].0.is_infinite()).collect();
        assert!(!continuous.is_empty(), "{name}");
        let mut rng = SeededRng::new(11);
        let mut random = || loop {
            let one = |(low, high): &(f64, f64), rng: &mut SeededRng| {
                if low.is_finite() { rng.uniform(*low, *high) } else { rng.uniform(-9.0, 9.0) }
            };
            let q: Vec<f64> = bounds.iter().map(|bound| one(bound, &mut rng)).collect();
            if !planner.is_in_collision(&q).unwrap() {
                return q;
            }
        };
        for case in 0..cases(10, 300) {
            let (start, goal) = (random(), random());
            let result = planner.plan(&start, &Goal::joints(goal.clone())).unwrap();
            assert_eq!(result.start(), &start[..], "{name}, case {case}");
            for joint in 0..start.len() {
                let turns = (result.end()[joint] - goal[joint]) / TAU;
                let whole = if continuous.contains(&joint) { turns.round() } else { 0.0 };
                assert!((turns - whole).abs() < ROUNDING, "{name}, case {case}, joint {joint}: {turns} turns");
            }
            for (from, to) in result.path.segments() {
                // An edge is shorter than half a turn of any joint: its interpolation is the one that was proven.
                assert!(continuous.iter().all(|joint| (to[*joint] - from[*joint]).abs() <= PI + ROUNDING));
            }
            if result.iterations == 0 {
                straight += 1;
                assert!(continuous.iter().all(|joint| (result.end()[*joint] - start[*joint]).abs() <= PI + ROUNDING));
            }
        }
    }
    assert!(straight >= 5, "{straight} straight motions");
}

#[test]
fn a_goal_some_turns_away_from_the_start_is_the_start() {
    let robot = robot("kinova_gen3");
    let planner = Planner::new(&robot).unwrap();
    let group = robot.groups[robot.default_group].clone();
    let start = robot.named_pose(&group, "home").unwrap().clone();
    let mut goal = start.clone();
    goal[0] += 2.0 * TAU;
    let result = planner.plan(&start, &Goal::joints(goal)).unwrap();
    assert!(result.path_length < ROUNDING, "{}", result.path_length);
}
