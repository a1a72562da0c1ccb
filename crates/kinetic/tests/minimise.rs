//! What an anytime planner makes small is a choice.

use kinetic::core::Minimise;
use kinetic::core::rng::SeededRng;
use kinetic::planning::PlanningProblem;
use kinetic::prelude::*;
use kinetic::trajectory::{TimingOptions, time_parameterize};

use crate::support::{assert_dense_free, workcell};

fn planner(minimise: Option<Minimise>) -> Planner {
    let config = PlannerConfig { max_iterations: 1_000, timeout: f64::INFINITY, minimise, ..PlannerConfig::default() };
    Planner::in_scene(workcell()).unwrap().with_config(config).unwrap()
}

/// Free configurations two by two.
fn pairs(count: usize) -> Vec<(JointValues, JointValues)> {
    let planner = planner(None);
    let mut rng = SeededRng::new(9);
    let mut free = || loop {
        let q: JointValues = (0..6).map(|_| rng.uniform(-2.5, 2.5)).collect();
        if !planner.is_in_collision(&q).unwrap() {
            return q;
        }
    };
    (0..count).map(|_| (free(), free())).collect()
}

#[test]
fn minimising_time_gives_quicker_motions_than_the_default_and_than_minimising_length() {
    let mut sums = [0.0; 3];
    let (mut count, mut slower) = (0, 0);
    for (start, goal) in pairs(12) {
        let goal = Goal::joints(goal);
        let plan = |minimise| planner(minimise).plan_timed(&start, &goal, "totp");
        let Ok(first) = plan(None) else { continue };
        let (length, time) = (plan(Some(Minimise::Length)).unwrap(), plan(Some(Minimise::Time)).unwrap());
        assert!(length.result.path_length <= first.result.path_length * (1.0 + 1e-9));
        let durations = [&first, &length, &time].map(|planned| planned.trajectory.duration());
        count += 1;
        slower += usize::from(durations[2] > durations[0] * (1.0 + 1e-6));
        sums.iter_mut().zip(durations).for_each(|(sum, duration)| *sum += duration);
        assert_dense_free(planner(None).scene(), "arm", &time.result.path, 0.02);
    }
    eprintln!("{count} problems: {sums:?} s by default, by length, by time; {slower} slower than the default");
    assert!(count >= 8 && slower == 0, "{slower} of {count}");
    assert!(sums[2] < sums[0] && sums[2] < sums[1], "{sums:?}");
}

#[test]
fn every_path_that_is_heard_of_is_quicker_than_those_before() {
    let planner = planner(Some(Minimise::Time));
    let limits = planner.scene().robot().limits(planner.group());
    let mut checker = planner.scene().checker("arm", Margins::new(0.02, 0.0)).unwrap();
    let (start, goal) = ([-2.0, -1.6, 1.5, -1.5, -1.57, 0.0], [0.9, -1.3, 1.6, -1.8, -1.57, 0.4]);
    let mut heard = Vec::new();
    let mut hear = |better: Improvement| {
        let options = TimingOptions::default();
        let mut is_free = |curve: &_| checker.curve_contact(curve).is_none();
        let timed = time_parameterize(&better.path, "jerk_limited", &limits, &options, &mut is_free);
        heard.push(timed.unwrap().duration());
    };
    let goal = Goal::joints(goal);
    let query = Query::new(&start, &goal).with_time_law("jerk_limited").unwrap().on_improvement(&mut hear);
    let motion = planner.solve(query).unwrap().into_trajectory().unwrap();
    assert!(heard.len() >= 2 && heard.windows(2).all(|pair| pair[1] < pair[0]), "{heard:?}");
    // The law that is asked for is what is made small.
    assert_eq!(motion.duration(), heard[heard.len() - 1]);
}

#[test]
fn the_preset_for_preparation_goes_on_until_its_budget_ends() {
    let config = PlannerConfig { max_iterations: 500, ..PlannerConfig::offline() };
    let planner = Planner::in_scene(workcell()).unwrap().with_config(config).unwrap();
    let mut heard = 0;
    let (start, goal) = ([-2.0, -1.6, 1.5, -1.5, -1.57, 0.0], Goal::joints([0.9, -1.3, 1.6, -1.8, -1.57, 0.4]));
    let mut hear = |_: Improvement| heard += 1;
    let result = planner.solve(Query::new(&start, &goal).on_improvement(&mut hear)).unwrap().result;
    assert_eq!(result.planner_used, "aorrtc");
    assert!(result.iterations >= 500 && heard >= 1, "{} iterations, {heard} paths", result.iterations);
}

#[test]
fn a_planner_that_ends_with_its_first_path_refuses_to_minimise() {
    let error = planner(Some(Minimise::Length))
        .with_planner_type(PlannerType::RRTConnect)
        .plan(&[0.4, -1.6, 1.5, -1.5, -1.57, 0.0], &Goal::named("home"))
        .unwrap_err();
    assert!(matches!(&error, KineticError::InvalidValue { name, .. } if name == "minimise"), "{error}");
    assert!(Minimise::from_name("energy").unwrap_err().to_string().contains("length"));
}

#[test]
fn problem_files_keep_what_is_minimised() {
    let (start, goal) = ([0.4, -1.6, 1.5, -1.5, -1.57, 0.0], Goal::named("home"));
    let plain = planner(None).problem(&start, &goal).unwrap();
    for minimise in Minimise::ALL {
        let problem = planner(Some(minimise)).problem(&start, &goal).unwrap();
        let reread = PlanningProblem::from_toml(&problem.to_toml().unwrap(), "problem.toml").unwrap();
        assert_eq!(reread.config().minimise, Some(minimise));
        assert_ne!(reread.hash().unwrap(), plain.hash().unwrap());
    }
}
