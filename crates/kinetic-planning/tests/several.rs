//! Several planners for one query: the order in which they are asked, what each may use, and which answer is taken.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use kinetic_core::{Control, Goal, KineticError, PlannerConfig, Pose, Race, Result, Shape};
use kinetic_planning::{Algorithm, Plan, Planner, PlannerSpec, PlannerType, Problem, Query, Validity};
use kinetic_robot::Robot;
use kinetic_scene::Scene;

const HOME: [f64; 6] = [0.0, -1.57, 0.0, -1.57, 0.0, 0.0];
const LEFT: [f64; 6] = [1.2, -1.0, 1.0, -1.57, 0.0, 0.0];
const RIGHT: [f64; 6] = [-0.2, -1.0, 1.0, -1.57, 0.0, 0.0];

/// The iteration budgets that [`GivesUp`] was given, added up.
static SEEN: AtomicU64 = AtomicU64::new(0);

/// Uses its iterations up and finds nothing.
struct GivesUp;

impl Algorithm for GivesUp {
    fn plan(&mut self, _: &Problem<'_>, _: &mut dyn Validity, control: &Control) -> Result<Plan> {
        SEEN.fetch_add(control.max_iterations(), Ordering::Relaxed);
        Err(control.error(control.max_iterations().min(1_000)))
    }
}

static GIVES_UP: PlannerSpec = PlannerSpec {
    id: "gives_up",
    summary: "finds nothing",
    source: "this test",
    is_anytime: false,
    is_complete: false,
    may_be_simplified: true,
    build: &|_| Ok(Box::new(GivesUp)),
};

/// Waits until it is stopped.
struct Waits;

impl Algorithm for Waits {
    fn plan(&mut self, _: &Problem<'_>, _: &mut dyn Validity, control: &Control) -> Result<Plan> {
        while !control.is_over(0) {
            std::thread::yield_now();
        }
        Err(control.error(0))
    }
}

static WAITS: PlannerSpec = PlannerSpec {
    id: "waits",
    summary: "waits until it is stopped",
    source: "this test",
    is_anytime: false,
    is_complete: false,
    may_be_simplified: true,
    build: &|_| Ok(Box::new(Waits)),
};

/// A UR5e with a pillar between [`LEFT`] and [`RIGHT`].
fn beside_a_pillar() -> Planner {
    let mut scene = Scene::new(&Arc::new(Robot::from_name("ur5e").unwrap())).unwrap();
    let pose = Pose::from_xyz(0.45, 0.25, 0.5);
    scene.add("pillar", Shape::cuboid(0.05, 0.05, 0.5).unwrap(), pose).unwrap();
    Planner::in_scene(scene).unwrap()
}

fn config(fallback: &[&str]) -> PlannerConfig {
    PlannerConfig { fallback: fallback.iter().map(|name| (*name).to_owned()).collect(), ..PlannerConfig::default() }
}

/// Regression 30: an optimiser that repaired none of its initial trajectories ended the plan, and no other planner had its turn.
#[test]
fn regression_30_the_next_planner_answers_where_no_trajectory_was_repaired() {
    // The line is in the pillar, and no small change of it is free.
    let one = |fallback: &[&str]| {
        let config = PlannerConfig { num_seeds: Some(1), ..config(fallback) };
        beside_a_pillar().with_planner_type(PlannerType::TRAJOPT).with_config(config).unwrap()
    };
    let goal = Goal::joints(RIGHT);
    let alone = one(&[]).plan(&LEFT, &goal).unwrap_err();
    assert!(matches!(alone, KineticError::PlanningFailed { .. }), "{alone}");
    let found = one(&["rrt_connect"]).plan(&LEFT, &goal).unwrap();
    assert_eq!(found.planner_used, "rrt_connect");
    assert_eq!(found.passed_over, [("trajopt", alone)]);
}

#[test]
fn the_next_planner_answers_where_one_finds_nothing() {
    let goal = Goal::joints(RIGHT);
    let alone = beside_a_pillar().plan(&LEFT, &goal).unwrap();
    let several = beside_a_pillar().with_algorithm(&GIVES_UP).with_config(config(&["rrt_connect", "aorrtc"])).unwrap();
    let found = several.plan(&LEFT, &goal).unwrap();
    assert_eq!(found.planner_used, "rrt_connect");
    assert_eq!(found.path, alone.path);
    assert!(!found.chosen_by_clock);
    assert!(found.iterations > alone.iterations);
    assert!(matches!(found.passed_over[..], [("gives_up", KineticError::PlanningTimeout { .. })]));
}

#[test]
fn each_planner_has_an_equal_share_of_the_iterations_that_are_left() {
    // 900 for three: 300, of which the first uses all, then half of the 600 that are left.
    let config = PlannerConfig { max_iterations: 900, ..config(&["rrt_connect", "cbirrt"]) };
    let planner = beside_a_pillar().with_algorithm(&GIVES_UP).with_config(config).unwrap();
    let before = SEEN.load(Ordering::Relaxed);
    planner.plan(&HOME, &Goal::named("ready")).unwrap();
    // Other tests ask the planner without a budget, which wraps around to less by one each.
    let seen = SEEN.load(Ordering::Relaxed).wrapping_sub(before);
    assert!((290..=300).contains(&seen), "{seen}");
}

#[test]
fn shares_of_a_budget_add_up_to_it() {
    for parts in 1..7_u32 {
        for budget in [1_u64, 7, 100, 12_345] {
            let (control, mut used) = (Control::default().with_max_iterations(budget), 0);
            for place in 0..parts {
                used += control.share(used, parts - place).max_iterations();
            }
            assert_eq!(used, budget);
        }
    }
    assert_eq!(Control::default().share(5, 3).max_iterations(), u64::MAX);
}

#[test]
fn a_race_has_the_least_path_of_all_and_the_same_bytes_each_time() {
    let goal = Goal::joints(RIGHT);
    let mut winners = Vec::new();
    for seed in 0..super::cases(12, 200) {
        let options = PlannerConfig { seed, max_iterations: 3_000, timeout: 1e3, ..PlannerConfig::default() };
        let alone = |planner: PlannerType| {
            let planner = beside_a_pillar().with_planner_type(planner).with_config(options.clone()).unwrap();
            planner.plan(&LEFT, &goal).unwrap()
        };
        let singles = [PlannerType::RRTConnect, PlannerType::AORRTC].map(alone);
        let least = singles.iter().min_by(|a, b| a.path_length.total_cmp(&b.path_length)).unwrap();
        let options = PlannerConfig { fallback: vec!["aorrtc".to_owned()], race: Race::Best, ..options };
        let race = beside_a_pillar().with_planner_type(PlannerType::RRTConnect).with_config(options).unwrap();
        let (mut reported, mut last) = (0, None);
        let mut report = |better: kinetic_planning::Improvement| {
            reported += 1;
            last = Some(better.path);
        };
        let found = race.solve(Query::new(&LEFT, &goal).on_improvement(&mut report)).unwrap().result;
        assert_eq!(found.planner_used, least.planner_used, "seed {seed}");
        assert_eq!(found.path, least.path, "seed {seed}");
        assert_eq!((reported, last.unwrap()), (1, found.path.clone()), "seed {seed}");
        assert!(!found.chosen_by_clock);
        assert_eq!(race.plan(&LEFT, &goal).unwrap().path, found.path, "seed {seed}");
        winners.push(found.planner_used);
    }
    assert!(winners.contains(&"aorrtc"));
}

#[test]
fn equal_answers_are_those_of_the_planner_that_was_asked_for() {
    let options = PlannerConfig { race: Race::Best, max_iterations: 1_000, ..config(&["rrt_connect", "gives_up_not"]) };
    assert!(matches!(
        beside_a_pillar().with_config(options.clone()),
        Err(KineticError::UnknownName { name, .. }) if name == "gives_up_not"
    ));
    let options = PlannerConfig { fallback: vec!["rrt_connect".to_owned()], ..options };
    let race = beside_a_pillar().with_algorithm(&GIVES_UP).with_config(options).unwrap();
    assert_eq!(race.plan(&LEFT, &Goal::joints(RIGHT)).unwrap().planner_used, "rrt_connect");
}

#[test]
fn what_is_wrong_with_the_query_is_said_whichever_planner_meets_it() {
    let goal = Goal::joints(RIGHT);
    let endless = PlannerConfig { race: Race::Best, ..config(&["aorrtc"]) };
    let refused = beside_a_pillar().with_config(endless).unwrap().plan(&LEFT, &goal);
    assert!(matches!(refused, Err(KineticError::InvalidValue { name, .. }) if name.contains("max_iterations")));
    for race in [Race::Off, Race::Best, Race::First] {
        let options = PlannerConfig { race, max_iterations: 500, ..config(&["aorrtc"]) };
        let planner = beside_a_pillar().with_config(options).unwrap();
        let folded = [0.0, 0.0, 3.1, 0.0, 0.0, 0.0];
        let refused = planner.plan(&folded, &goal);
        assert!(matches!(refused, Err(KineticError::StartInCollision { .. })), "{refused:?}");
        let late = planner.clone().with_config(PlannerConfig { timeout: 1e-9, ..planner.config().clone() }).unwrap();
        assert!(matches!(late.plan(&LEFT, &goal), Err(KineticError::PlanningTimeout { .. })));
    }
}

#[test]
fn the_first_answer_of_a_race_ends_the_other_planners() {
    let options = PlannerConfig { race: Race::First, timeout: 600.0, ..config(&["rrt_connect"]) };
    let planner = beside_a_pillar().with_algorithm(&WAITS).with_config(options).unwrap();
    let mut reported = 0;
    let (goal, mut count) = (Goal::joints(RIGHT), |_| reported += 1);
    let found = planner.solve(Query::new(&LEFT, &goal).on_improvement(&mut count)).unwrap().result;
    assert_eq!((found.planner_used, found.chosen_by_clock), ("rrt_connect", true));
    assert!(matches!(found.passed_over[..], [("waits", KineticError::Cancelled { .. })]), "{:?}", found.passed_over);
    assert_eq!(reported, 1);
    // What the caller stops is stopped in all of them.
    let stop = kinetic_core::StopFlag::default();
    let control = planner.control(stop.clone());
    stop.stop();
    let stopped = planner.solve(Query::new(&LEFT, &goal).with_control(&control));
    assert!(matches!(stopped, Err(KineticError::Cancelled { .. })), "{stopped:?}");
}

#[test]
fn a_race_without_other_planners_is_refused() {
    for race in [Race::Best, Race::First] {
        let options = PlannerConfig { race, max_iterations: 500, ..PlannerConfig::default() };
        let refused = beside_a_pillar().with_config(options).map(|_| ());
        assert!(matches!(refused, Err(KineticError::InvalidValue { name, .. }) if name == "race"));
    }
}
