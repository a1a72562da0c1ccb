//! `InverseKinematics`: the answers of the functions that it stands for, filtered branches, and ends by time.

use std::sync::Arc;

use kinetic_core::rng::SeededRng;
use kinetic_core::{Control, JointValues, KineticError, ManualClock, Pose, StopFlag};
use kinetic_ik::analytic::{Manipulator, SolveOptions, TolerancePolicy};
use kinetic_ik::{
    IKConfig, IKSolver, IkCache, InverseKinematics, PathMethod, PathOptions, SOLVERS, solve_ik, solve_ik_auto,
    solve_ik_distinct, solve_ik_path,
};
use kinetic_robot::Robot;

fn of(name: &str) -> InverseKinematics {
    InverseKinematics::from_robot(&Robot::from_name(name).unwrap()).unwrap()
}

/// Poses of random configurations inside the limits.
fn targets(ik: &InverseKinematics, count: usize) -> Vec<Pose> {
    let mut rng = SeededRng::new(5);
    let turn = |(low, high): &(f64, f64)| if low.is_finite() && high.is_finite() { (*low, *high) } else { (-3.0, 3.0) };
    let ranges: Vec<(f64, f64)> = ik.chain().bounds().iter().map(turn).collect();
    let mut random = || ranges.iter().map(|(low, high)| rng.uniform(*low, *high)).collect::<Vec<f64>>();
    (0..count).map(|_| ik.chain().tip_pose(&random())).collect()
}

#[test]
fn its_answers_are_those_of_the_functions() {
    for name in ["ur5e", "franka_panda", "baxter_left", "stretch_re2"] {
        let ik = of(name);
        let made = Manipulator::from_chain(ik.chain().clone(), TolerancePolicy::default()).ok();
        let (targets, config) = (targets(&ik, 6), ik.config());
        let seed = JointValues::from(vec![0.2; ik.chain().dof()]);
        for target in &targets {
            for solver in [IKSolver::Auto, IKSolver::SQP, IKSolver::Analytic] {
                for seed in [None, Some(seed.clone())] {
                    let config = IKConfig { solver, seed, ..config.clone() };
                    let plain = solve_ik_auto(made.as_ref(), ik.chain(), target, &config);
                    assert_eq!(format!("{plain:?}"), format!("{:?}", ik.solve(target, &config)), "{name}, {solver}");
                }
            }
        }
        let single: Vec<_> = targets.iter().map(|target| ik.solve(target, &config).ok()).collect();
        assert_eq!(single, ik.solve_batch(&targets, &[], &config).unwrap(), "{name}");
        let seeds = vec![&*seed; targets.len()];
        let seeded = IKConfig { seed: Some(seed.clone()), ..config.clone() };
        let single: Vec<_> = targets.iter().map(|target| ik.solve(target, &seeded).ok()).collect();
        assert_eq!(single, ik.solve_batch(&targets, &seeds, &config).unwrap(), "{name}");
        assert!(matches!(
            ik.solve_batch(&targets, &seeds[1..], &config),
            Err(KineticError::DimensionMismatch { got: 5, .. })
        ));
        let distinct = solve_ik_distinct(ik.chain(), &targets[0], &config);
        assert_eq!(format!("{distinct:?}"), format!("{:?}", ik.solve_distinct(&targets[0], &config)));
    }
}

#[test]
fn the_cache_is_warm_and_remembers() {
    let ik = of("ur5e");
    let config = ik.config().with_solver(IKSolver::Cached);
    let mut cache = IkCache::new(ik.chain().clone());
    cache.warm(1000, 0);
    for target in targets(&ik, 5) {
        assert_eq!(ik.solve(&target, &config).ok(), cache.solve(&target, &config).ok());
    }
}

#[test]
fn auto_stands_for_what_answers() {
    for name in ["ur5e", "franka_panda", "stretch_re2"] {
        let ik = of(name);
        let by = ik.solve(&targets(&ik, 1)[0], &ik.config()).unwrap().solver;
        assert_eq!(ik.auto_solver().id(), by.id(), "{name}");
    }
    let numerical = InverseKinematics::numerical(of("ur5e").chain().clone(), IKConfig::default());
    let target = targets(&numerical, 1)[0];
    assert_eq!(numerical.auto_solver(), IKConfig::dls().solver);
    assert_eq!(
        numerical.solve(&target, &numerical.config()),
        solve_ik(numerical.chain(), &target, &IKConfig::default())
    );
    assert!(matches!(numerical.closed_form(), Err(KineticError::IncompatibleKinematics { .. })));
}

#[test]
fn a_stop_of_one_call_is_none_of_the_next() {
    let ik = of("ur5e");
    ik.config().stop.stop();
    assert!(!ik.config().stop.is_stopped());
}

#[test]
fn what_is_not_reached_is_answered_by_the_nearest_or_told() {
    let ik = of("ur5e");
    let far = Pose::from_xyz(3.0, 0.0, 0.0);
    for solver in [IKSolver::Auto, IKSolver::Analytic, IKSolver::SQP] {
        let config = ik.config().with_solver(solver);
        let error = ik.solve(&far, &config).unwrap_err();
        let nearest = ik.nearest(&far, &config).unwrap();
        let off = ik.chain().tip_pose(&nearest.joints).translation_distance(&far);
        assert!(!nearest.converged && (off - nearest.position_error).abs() < 1e-9 && off < 2.2, "{off}");
        let told = ik.what_stopped(&far, &config, &error).unwrap();
        // Numerical searches say it themselves; a closed form does not.
        assert_eq!(told.is_some(), solver == IKSolver::Analytic, "{solver}: {error}");
        let report = ik.explain(&far, &config).unwrap();
        assert!(report.out_of_reach.is_some() && !report.suggestions.is_empty());
        assert!(ik.look_into(&far, &config).unwrap().suggestions.is_empty());
    }
    let wrong = IKConfig { max_iterations: 0, ..ik.config() };
    assert!(matches!(ik.nearest(&far, &wrong), Err(KineticError::InvalidValue { .. })));
}

/// Any property that some branches have.
fn is_low(q: &[f64]) -> bool {
    q[1] < 0.3
}

#[test]
fn accepted_branches_are_those_of_the_whole_list_in_its_order() {
    for (name, turns) in [("ur5e", false), ("ur5e", true), ("kuka_iiwa14", false), ("abb_irb1200", true)] {
        let ik = of(name);
        let mut some_dropped = false;
        for target in targets(&ik, 8) {
            let seed = Some(JointValues::from(vec![0.2; ik.chain().dof()]));
            let all = SolveOptions { seed, turns, ..SolveOptions::default() };
            let listed = ik.solve_all(&target, &all).unwrap();
            let wanted: Vec<_> = listed.iter().filter(|branch| is_low(&branch.q)).map(|branch| &branch.q).collect();
            let accepted = ik.solve_all_where(&target, &all, &mut |q| Ok(is_low(q))).unwrap();
            assert_eq!(wanted, accepted.iter().map(|branch| &branch.q).collect::<Vec<_>>(), "{name}");
            some_dropped |= !wanted.is_empty() && wanted.len() < listed.len();
            for most in [0, 1, 3] {
                let few = SolveOptions { max_solutions: Some(most), ..all.clone() };
                let accepted = ik.solve_all_where(&target, &few, &mut |q| Ok(is_low(q))).unwrap();
                assert_eq!(accepted.len(), most.min(wanted.len()), "{name}, {most}");
                assert!(accepted.iter().all(|branch| is_low(&branch.q)));
                // The samples of a self-motion that are looked at depend on how many are wanted.
                if ik.closed_form().unwrap().ranges().is_empty() {
                    assert!(accepted.iter().zip(&wanted).all(|(branch, q)| branch.q == **q), "{name}");
                }
            }
        }
        assert!(some_dropped, "{name}");
    }
    let ik = of("ur5e");
    let refuse = &mut |_: &[f64]| Err(KineticError::Other("no answer".to_owned()));
    let target = targets(&ik, 1)[0];
    assert_eq!(ik.solve_all_where(&target, &SolveOptions::default(), refuse).unwrap_err().code(), "Other");
}

/// Seconds that pass at every look at the clock.
const STEP: f64 = 0.25;

/// A flag whose time is over after some looks at the clock.
fn flag_after(looks: u32) -> StopFlag {
    let clock = Arc::new(ManualClock::with_step(250_000_000));
    Control::new(clock, STEP * (f64::from(looks) + 1.0), u64::MAX, StopFlag::default()).stop_flag()
}

/// Never met, and with a budget that outlasts any patience.
fn endless(looks: u32) -> IKConfig {
    IKConfig {
        max_iterations: usize::MAX,
        num_restarts: usize::MAX,
        position_tolerance: f64::MIN_POSITIVE,
        orientation_tolerance: f64::MIN_POSITIVE,
        stop: flag_after(looks),
        ..IKConfig::default()
    }
}

#[test]
fn numerical_searches_end_with_the_nearest_when_time_is_over() {
    for name in ["ur5e", "franka_panda", "fetch"] {
        let ik = of(name);
        let target = ik.chain().tip_pose(&vec![0.3; ik.chain().dof()]);
        for spec in SOLVERS.iter().filter(|spec| spec.solver.is_numerical()) {
            for looks in [0, 1, 20] {
                let config = endless(looks).with_solver(spec.solver);
                let error = ik.solve(&target, &config).unwrap_err();
                let KineticError::IKNotConverged { residual, .. } = error else {
                    panic!("{name}, {}: {error}", spec.id)
                };
                let nearest = ik.nearest(&target, &endless(looks).with_solver(spec.solver)).unwrap();
                let found = ik.chain().tip_pose(&nearest.joints);
                assert!(!nearest.converged && residual.is_finite(), "{name}, {}", spec.id);
                assert!((found.translation_distance(&target) - nearest.position_error).abs() < 1e-9);
            }
        }
        let cached = ik.solve(&target, &endless(3).with_solver(IKSolver::Cached));
        assert!(matches!(cached, Err(KineticError::IKNotConverged { .. })), "{name}: {cached:?}");
        let batch = ik.solve_batch(&[target, target], &[], &IKConfig { stop: flag_after(0), ..ik.config() });
        assert_eq!(batch.unwrap(), [None, None], "{name}");
    }
}

#[test]
fn a_collection_of_answers_ends_with_what_was_found_in_time() {
    let ik = of("ur5e");
    let target = ik.chain().tip_pose(&[0.3, -1.0, 1.2, -0.5, 0.8, 0.2]);
    let endless = |looks| IKConfig { num_restarts: usize::MAX, stop: flag_after(looks), ..IKConfig::default() };
    let few = ik.solve_distinct(&target, &endless(2)).unwrap().len();
    let many = ik.solve_distinct(&target, &endless(200)).unwrap().len();
    assert!(1 <= few && few < many && many <= 8 * 32, "{few}, {many}");
}

#[test]
fn sweeps_and_paths_that_time_ends_are_no_answer() {
    let is_out_of_time = |error: KineticError| matches!(error, KineticError::IKTimeout { .. });
    for name in ["kuka_iiwa14", "baxter_left"] {
        let ik = of(name);
        let target = ik.chain().tip_pose(&vec![0.3; ik.chain().dof()]);
        let options = SolveOptions { samples: Some(1_000), stop: flag_after(5), ..SolveOptions::default() };
        assert!(is_out_of_time(ik.solve_all(&target, &options).unwrap_err()), "{name}");
    }
    for (name, method) in [
        ("ur5e", PathMethod::Global),
        ("franka_panda", PathMethod::Global),
        ("stretch_re2", PathMethod::Global),
        ("ur5e", PathMethod::Local),
        ("franka_panda", PathMethod::Local),
        ("stretch_re2", PathMethod::Local),
    ] {
        let ik = of(name);
        let q: Vec<f64> = ik.chain().bounds().iter().map(|(low, high)| 0.3_f64.clamp(*low, *high)).collect();
        let mut targets = vec![ik.chain().tip_pose(&q); 30];
        for (index, target) in targets.iter_mut().enumerate() {
            *target = *target * Pose::from_xyz(0.0, 0.0, 1e-3 * index as f64);
        }
        let options = |looks| PathOptions { method, stop: flag_after(looks), ..PathOptions::default() };
        for looks in [0, 3] {
            assert!(is_out_of_time(ik.solve_path(&targets, &options(looks)).unwrap_err()), "{name}, {method:?}");
        }
        let unhurried = ik.solve_path(&targets, &options(u32::MAX)).unwrap();
        let plain = PathOptions { method, ..PathOptions::default() };
        let found = solve_ik_path(ik.closed_form().ok(), ik.chain(), &targets, &plain).unwrap();
        assert_eq!(format!("{found:?}"), format!("{unhurried:?}"), "{name}, {method:?}");
    }
}

#[test]
fn a_time_that_is_not_over_changes_nothing() {
    for name in ["ur5e", "franka_panda", "baxter_left"] {
        let ik = of(name);
        for target in targets(&ik, 5) {
            let timed = IKConfig { stop: flag_after(u32::MAX), ..ik.config() };
            assert_eq!(ik.solve(&target, &ik.config()).ok(), ik.solve(&target, &timed).ok(), "{name}");
        }
    }
}

#[test]
fn a_stop_from_outside_is_told_from_the_end_of_time() {
    let ik = of("ur5e");
    let control = Control::new(Arc::new(ManualClock::default()), 1.0, u64::MAX, StopFlag::default());
    let config = endless(0).with_control(&control);
    config.stop.stop();
    let target = ik.chain().tip_pose(&[0.3; 6]);
    let answer = ik.solve(&target, &config.with_solver(IKSolver::SQP));
    assert!(matches!(answer, Err(KineticError::Cancelled { .. })), "{answer:?}");
}

#[test]
fn what_may_take_long_is_known_beforehand() {
    let (fast, slow) = (of("ur5e"), of("baxter_left"));
    assert!(!fast.may_take_long(&fast.config()) && slow.may_take_long(&slow.config()));
    let many = fast.config().with_restarts(1_000_000);
    assert!(fast.may_take_long(&many));
    let few = fast.first_attempts(&many).unwrap();
    assert!(few.num_restarts > 0 && !fast.may_take_long(&few));
    assert!(fast.first_attempts(&many.with_max_iterations(1_000_000)).is_none());
    assert!(slow.first_attempts(&slow.config()).is_none());
}

#[test]
fn a_batch_has_the_nearest_answers_that_are_accepted() {
    let low = |q: &[f64]| q[1] < 0.0;
    for (name, solver) in [("ur5e", IKSolver::Auto), ("kuka_iiwa14", IKSolver::Auto), ("ur5e", IKConfig::dls().solver)]
    {
        let ik = of(name);
        let (targets, seed) = (targets(&ik, 24), vec![0.2; ik.chain().dof()]);
        let is_closed = solver == IKSolver::Auto;
        let (seeds, config) = (vec![&seed[..]; targets.len()], IKConfig { solver, num_restarts: 30, ..ik.config() });
        let every = ik.solve_batch(&targets, &seeds, &config).unwrap();
        let found = ik.solve_batch_where(&targets, &seeds, &config, &|q| Ok(low(q))).unwrap();
        let options = SolveOptions { seed: Some(JointValues::from(seed.clone())), ..SolveOptions::default() };
        let (mut others, mut none) = (0, 0);
        for ((target, every), found) in targets.iter().zip(every).zip(found) {
            if let Some(found) = &found {
                assert!(low(&found.joints) && found.converged, "{name}");
                let reached = ik.chain().tip_pose(&found.joints);
                assert!((reached.translation() - target.translation()).norm() < 1e-4, "{name}");
            }
            if let (Some(first), true) = (&every, every.as_ref().is_some_and(|first| low(&first.joints))) {
                assert_eq!(Some(first), found.as_ref(), "{name}: the answer itself where it is accepted");
                continue;
            }
            others += usize::from(found.is_some());
            none += usize::from(found.is_none());
            if let (true, Ok(branches)) = (is_closed, ik.solve_all(target, &options)) {
                let nearest = branches.iter().find(|branch| low(&branch.q));
                assert_eq!(nearest.is_some(), found.is_some(), "{name}");
                if name != "ur5e" {
                    // Of a self-motion there are other samples nearer.
                    continue;
                }
                let apart = |q: &JointValues| {
                    let other = &found.as_ref().unwrap().joints;
                    q.iter().zip(other.iter()).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max)
                };
                assert!(nearest.is_none_or(|nearest| apart(&nearest.q) < 1e-6), "{name}: the nearest branch");
            }
        }
        assert!(others > 3, "{name}: {others} others, {none} without");
        let refuse = |_: &[f64]| Ok(false);
        assert!(ik.solve_batch_where(&targets, &[], &config, &refuse).unwrap().iter().all(Option::is_none), "{name}");
        let fail = |_: &[f64]| Err(KineticError::Other("no".to_owned()));
        assert_eq!(ik.solve_batch_where(&targets, &[], &config, &fail).unwrap_err().code(), "Other", "{name}");
    }
}
