//! Limits, seeds, caps, the story of a solve, and the steps after it.

use std::f64::consts::{PI, TAU};

use kinetic_core::rng::SeededRng;
use kinetic_core::{KineticError, Pose};
use kinetic_ik::analytic::postprocess::{SeedMetric, nearest_to_seed, respect_limits, take_first, wrap_to_limits};
use kinetic_ik::analytic::{Manipulator, Refinement, Solution, SolveOptions, TolerancePolicy};
use kinetic_kinematics::KinematicChain;
use kinetic_robot::Robot;

use super::arms::{self, Lie, is_same};
use crate::cases;

fn ur5e() -> (Robot, Manipulator) {
    let robot = Robot::from_name("ur5e").unwrap();
    let arm = Manipulator::from_robot(&robot, None, TolerancePolicy::default()).unwrap();
    (robot, arm)
}

fn raw() -> SolveOptions {
    SolveOptions { respect_limits: false, ..SolveOptions::default() }
}

#[test]
fn solutions_lie_inside_limits_and_the_raw_set_keeps_the_rest() {
    let (robot, arm) = ur5e();
    let group = &robot.groups[robot.default_group];
    let mut rng = SeededRng::new(31);
    let mut dropped = 0;
    for case in 0..cases(50, 1_000) {
        let target = arm.fk(&robot.random_configuration(group, &mut rng)).unwrap();
        let (solutions, story) = arm.explain(&target, &SolveOptions::default()).unwrap();
        let all = arm.solve(&target, &raw()).unwrap();
        assert_eq!(story.raw_candidates, all.len(), "case {case}");
        assert_eq!(story.final_count + story.dropped_by_limits, all.len(), "case {case}");
        dropped += story.dropped_by_limits;
        for solution in &solutions {
            robot.check_limits(group, &solution.q, 0.0).unwrap();
            assert!(all.iter().any(|known| is_same(&known.q, &solution.q, 1e-12)), "case {case}");
        }
    }
    // The elbow of a UR5e turns by ±π only, which takes nothing away: limits are whole turns.
    assert_eq!(dropped, 0);
}

#[test]
fn joints_are_turned_into_limits_by_whole_turns_or_dropped() {
    let arm = arms::arm(&mut SeededRng::new(32), &[Lie::Meets, Lie::Parallel, Lie::Parallel, Lie::Meets, Lie::Meets]);
    let chain = arms::chain(&arm);
    let manipulator = Manipulator::from_chain(chain, TolerancePolicy::default()).unwrap();
    let q = [0.5; 6];
    let solutions = manipulator.solve(&manipulator.fk(&q).unwrap(), &SolveOptions::default()).unwrap();
    assert!(solutions.iter().flat_map(|solution| solution.q.iter()).all(|q| q.abs() <= PI), "endless joints stay");
    let limits: Vec<_> = std::iter::once(Some((4.0, 8.0))).chain((1..6).map(|_| None)).collect();
    let turned = wrap_to_limits(&solutions, &limits, &[true; 6]).unwrap();
    let kept = respect_limits(&turned, &limits).unwrap();
    assert!(!kept.is_empty() && kept.len() < solutions.len() + 1);
    for solution in &kept {
        assert!((4.0..=8.0).contains(&solution.q[0]));
        assert!(solutions.iter().any(|known| is_same(&known.q, &solution.q, 1e-12)));
    }
    let at = |value: f64| Solution { q: vec![value].into(), fk_residual: 0.0, refinement_used: Refinement::None };
    assert_eq!(
        respect_limits(&[at(1.0), at(1.0 + 1e-12)], &[Some((-1.0, 1.0))]).unwrap().len(),
        1,
        "a limit is inside"
    );
    let wrapped = wrap_to_limits(&[at(0.5)], &[Some((4.0 * PI, 4.0 * PI + 1.0))], &[true]).unwrap();
    assert!((wrapped[0].q[0] - 0.5 - 2.0 * TAU).abs() < 1e-12);
    assert_eq!(wrap_to_limits(&[at(0.5)], &[Some((6.0, 7.0))], &[false]).unwrap()[0].q[0], 0.5, "sliding joints stay");
    assert!(respect_limits(&[at(0.0)], &[None, None]).is_err());
}

#[test]
fn a_seed_orders_and_a_cap_takes_the_closest() {
    let (robot, arm) = ur5e();
    let group = &robot.groups[robot.default_group];
    let mut rng = SeededRng::new(33);
    for case in 0..cases(50, 1_000) {
        let q = robot.random_configuration(group, &mut rng);
        let options = SolveOptions { seed: Some(q.clone()), ..SolveOptions::default() };
        let target = arm.fk(&q).unwrap();
        let solutions = arm.solve(&target, &options).unwrap();
        let far = |solution: &Solution| solution.q.iter().zip(&*q).map(|(a, b)| (a - b).powi(2)).sum::<f64>().sqrt();
        assert!(far(&solutions[0]) < 1e-6, "case {case}: the seed itself, on its turn");
        let (one, story) = arm.explain(&target, &SolveOptions { max_solutions: Some(1), ..options }).unwrap();
        assert_eq!(one, solutions[..1]);
        assert_eq!(story.dropped_by_max_solutions, solutions.len() - 1);
    }
}

#[test]
fn configurations_are_the_joint_values_of_the_solutions() {
    let (robot, arm) = ur5e();
    let group = &robot.groups[robot.default_group];
    let mut rng = SeededRng::new(4);
    for case in 0..50 {
        let (q, seed) = (robot.random_configuration(group, &mut rng), robot.random_configuration(group, &mut rng));
        let target = arm.fk(&q).unwrap();
        for options in [
            SolveOptions::default(),
            raw(),
            SolveOptions { seed: Some(seed), max_solutions: Some(3), ..SolveOptions::default() },
        ] {
            let solutions = arm.solve(&target, &options).unwrap();
            let values: Vec<f64> = solutions.iter().flat_map(|solution| solution.q.iter().copied()).collect();
            assert_eq!(arm.configurations(&target, &options).unwrap(), values, "case {case}, {options:?}");
        }
    }
    let unreachable = Pose::from_xyz(9.0, 0.0, 0.0);
    assert!(arm.configurations(&unreachable, &SolveOptions::default()).unwrap().is_empty());
}

#[test]
fn a_smooth_path_is_tracked_without_jumps_of_branch() {
    let (_, arm) = ur5e();
    let at = |t: f64| [0.5 * t, -1.2 + 0.3 * t, 1.4 - 0.2 * t, -1.0 + 0.4 * t, 1.3 + 0.2 * t, 7.0 * t];
    let mut last = at(0.0).to_vec();
    for step in 0..=200 {
        // The last joint leaves (−π, π]: its turn is followed.
        let q = at(f64::from(step) / 200.0);
        let options = SolveOptions {
            seed: Some(last.clone().into()),
            max_solutions: Some(1),
            respect_limits: false,
            ..SolveOptions::default()
        };
        let found = arm.solve(&arm.fk(&q).unwrap(), &options).unwrap();
        assert!(found[0].q.iter().zip(q).all(|(a, b)| (a - b).abs() < 1e-7), "step {step}");
        last = found[0].q.to_vec();
    }
}

#[test]
fn the_story_tells_reached_unreachable_filtered_and_capped_apart() {
    let (_, arm) = ur5e();
    let (none, story) = arm.explain(&Pose::from_xyz(3.0, 0.0, 0.0), &SolveOptions::default()).unwrap();
    assert!(none.is_empty() && story.summary().starts_with("unreachable"), "{}", story.summary());
    assert!(story.max_fk_residual.is_nan());
    let target = arm.fk(&[0.1, -1.0, 1.2, -0.5, 0.8, 0.2]).unwrap();
    let (all, story) = arm.explain(&target, &SolveOptions::default()).unwrap();
    assert_eq!(all.len(), 8);
    assert!(story.summary().starts_with("reached: 8 of 8"), "{}", story.summary());
    assert!(story.max_fk_residual < story.fk_atol && !story.refinement_engaged);
    let (_, story) = arm.explain(&target, &SolveOptions { max_solutions: Some(3), ..SolveOptions::default() }).unwrap();
    assert!(story.summary().contains("capped: 5"), "{}", story.summary());
    let mut narrow = Robot::from_name("ur5e").unwrap();
    narrow.joint_limits[2].lower = 3.0;
    let narrow = Manipulator::from_robot(&narrow, None, TolerancePolicy::default()).unwrap();
    let (none, story) = narrow.explain(&target, &SolveOptions::default()).unwrap();
    assert!(none.is_empty() && story.summary().starts_with("all filtered"), "{}", story.summary());
}

#[test]
fn a_near_miss_is_refined_only_when_asked_and_says_so() {
    let (_, arm) = ur5e();
    // Stretched out and beyond it by a nanometre: no branch closes to 1e-10, one nearly does.
    let stretched = arm.normal_form().pose(&[0.3, -0.4, 0.0, 0.6, 1.1, 0.2]);
    let shoulder = arm.normal_form().screws()[1].exp(0.0).translation;
    let outwards = (stretched.translation - shoulder).normalize();
    let mut target = stretched;
    target.translation += outwards * 1e-9;
    let target = target.to_pose();
    let options = SolveOptions { allow_refinement: true, ..SolveOptions::default() };
    let (refined, story) = arm.explain(&target, &options).unwrap();
    assert!(arm.solve(&target, &SolveOptions::default()).unwrap().len() <= refined.len());
    for solution in refined.iter().filter(|solution| solution.refinement_used == Refinement::Lm) {
        assert!(solution.fk_residual <= 1e-5 && story.refinement_engaged);
    }
}

#[test]
fn bad_input_is_refused() {
    let (robot, arm) = ur5e();
    assert!(matches!(
        arm.solve(&Pose::from_xyz(f64::NAN, 0.0, 0.0), &SolveOptions::default()),
        Err(KineticError::NotFinite { .. })
    ));
    let options = SolveOptions { seed: Some([0.0; 3].into()), ..SolveOptions::default() };
    assert!(matches!(arm.solve(&Pose::identity(), &options), Err(KineticError::DimensionMismatch { .. })));
    assert!(arm.fk(&[0.0; 5]).is_err());
    let policy = TolerancePolicy { axis_parallel: -1.0, ..TolerancePolicy::default() };
    assert!(Manipulator::from_robot(&robot, None, policy).is_err());
    assert!(Manipulator::from_robot(&robot, Some("leg"), TolerancePolicy::default()).is_err());
    let short = KinematicChain::extract(&robot, "shoulder_link", "wrist_1_link").unwrap();
    let error = Manipulator::from_chain(short, TolerancePolicy::default()).unwrap_err();
    assert!(matches!(error, KineticError::IncompatibleKinematics { .. }), "{error}");
}

#[test]
fn the_helpers_order_stably_and_name_unknown_metrics() {
    let at = |q: [f64; 2]| Solution { q: q.into(), fk_residual: 0.0, refinement_used: Refinement::None };
    let solutions = [at([3.0, 0.0]), at([0.5, 0.5]), at([0.6, 0.0]), at([0.0, 0.6])];
    let order = |metric| -> Vec<f64> {
        nearest_to_seed(&solutions, &[TAU, 0.0], metric).unwrap().iter().map(|solution| solution.q[0]).collect()
    };
    assert_eq!(order(SeedMetric::WrapL2), [0.6, 0.0, 0.5, 3.0]);
    assert_eq!(order(SeedMetric::WrapLinf), [0.5, 0.6, 0.0, 3.0]);
    assert!("wrap_l3".parse::<SeedMetric>().unwrap_err().to_string().contains("wrap_linf"));
    assert_eq!(take_first(&solutions, 0).len(), 0);
    assert_eq!(take_first(&solutions, 9).len(), 4);
}
