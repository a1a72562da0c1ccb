//! Every row of the table is asked the same.

use std::sync::Arc;

use kinetic_core::{Control, KineticError, ManualClock, PlannerConfig, StopFlag, SystemClock};
use kinetic_planning::{Algorithm, NearDistances, PLANNERS, Plan, PlannerContext, PlannerSpec, PlannerType, Problem};

use crate::worlds::{BUDGET, Query, World, around_a_ball, iterations, problem_set, wall_with_gap};

/// Budget of planners that use it up whatever happens: enough for a first path everywhere.
const ANYTIME_BUDGET: u64 = 2_000;

/// All rows but the one that plans in regions which were grown before: those are asked in `regions.rs`.
fn searching() -> impl Iterator<Item = &'static PlannerSpec> {
    PLANNERS.iter().copied().filter(|spec| spec.id != PlannerType::GCS.id())
}

fn build(spec: &PlannerSpec) -> Box<dyn Algorithm> {
    (spec.build)(&PlannerContext::without_robot(&PlannerConfig::default())).unwrap()
}

fn solve(spec: &PlannerSpec, query: &Query, seed: u64) -> Plan {
    let problem = Problem::new(&query.space, &query.start, &query.goals, seed).unwrap();
    let found = build(spec).plan(&problem, &mut query.world.clone(), &enough(spec));
    found.unwrap_or_else(|error| panic!("{} on {}, seed {seed}: {error}", spec.id, query.name))
}

fn enough(spec: &PlannerSpec) -> Control {
    iterations(if spec.is_anytime { ANYTIME_BUDGET } else { BUDGET })
}

/// The problems of a planner that it is to solve: where it moves to local minima, those that are reached so.
fn problems_of(spec: &PlannerSpec) -> Vec<Query> {
    if spec.is_complete {
        return problem_set();
    }
    let empty = problem_set().swap_remove(0);
    vec![empty, around_a_ball(2, 1.0), around_a_ball(3, -1.0), around_a_ball(7, 1.0)]
}

/// A goal walled in on all sides.
fn unreachable() -> Query {
    let mut query = problem_set().swap_remove(1);
    query.world = wall_with_gap(20.0, 0.1);
    query
}

#[test]
fn names_parse_to_the_row_they_name_and_unknown_ones_list_what_exists() {
    for spec in PLANNERS {
        let planner: PlannerType = spec.id.parse().unwrap();
        assert_eq!((planner.spec().id, planner.id(), planner.to_string()), (spec.id, spec.id, spec.id.to_owned()));
        assert_eq!(planner.resolved(), planner);
        assert!(!spec.summary.is_empty() && !spec.source.is_empty());
    }
    let unknown = "rrt".parse::<PlannerType>().unwrap_err();
    assert!(matches!(unknown, KineticError::UnknownName { name, available, .. }
            if name == "rrt" && available == PlannerType::names() && available.contains(&"rrt_connect".to_owned())));
}

#[test]
fn auto_is_the_default_and_stands_for_rrt_connect() {
    assert_eq!("auto".parse::<PlannerType>().unwrap(), PlannerType::default());
    assert_eq!(PlannerType::Auto.id(), "auto");
    assert_eq!(PlannerType::Auto.resolved(), PlannerType::RRTConnect);
    assert_eq!(PlannerType::Auto.spec().id, "rrt_connect");
}

#[test]
fn every_planner_solves_the_problem_set() {
    for spec in searching() {
        for query in problems_of(spec) {
            let plan = solve(spec, &query, 1);
            let case = format!("{} on {}", spec.id, query.name);
            assert_eq!(plan.path.positions(0), query.start, "{case}");
            let last = plan.path.positions(plan.path.len() - 1);
            assert!(query.space.distance(last, &query.goals[0]) < 1e-12, "{case}: {last:?}");
            query.world.assert_path_is_clear(&plan.path, &case);
            for waypoint in plan.path.iter() {
                assert!(query.space.check("waypoint", waypoint, 0.0).is_ok(), "{case}: {waypoint:?}");
            }
            assert_eq!((plan.goal_index, plan.planner_used), (0, spec.id), "{case}");
            assert_eq!(plan.iterations == 0, query.name == "empty", "{case}");
            assert!(plan.checks > 0, "{case}");
        }
    }
}

#[test]
fn the_same_seed_gives_the_same_plan_from_a_new_and_from_a_used_planner() {
    for spec in searching() {
        let mut used = build(spec);
        for query in problems_of(spec) {
            let first = solve(spec, &query, 3);
            assert_eq!(first, solve(spec, &query, 3));
            let problem = Problem::new(&query.space, &query.start, &query.goals, 3).unwrap();
            let again = used.plan(&problem, &mut query.world.clone(), &enough(spec)).unwrap();
            assert_eq!(first.path.as_slice(), again.path.as_slice(), "{} on {}", spec.id, query.name);
            assert_eq!(first, again);
        }
    }
}

#[test]
fn some_other_seed_gives_another_plan() {
    // Planners that move a trajectory to a local minimum begin with the same one whatever the seed is.
    for spec in PLANNERS.iter().filter(|spec| spec.is_complete) {
        // Where the shortest path is straight, anytime planners find it with every seed.
        let is_straight = |query: &&Query| query.name == "empty" || (spec.is_anytime && query.name == "ring");
        for query in problem_set().iter().filter(|query| !is_straight(query)) {
            let paths: Vec<_> = (0..8).map(|seed| solve(spec, query, seed).path).collect();
            assert!(paths.iter().any(|path| *path != paths[0]), "{} on {}", spec.id, query.name);
        }
    }
}

#[test]
fn an_unreachable_goal_ends_at_the_iteration_budget_with_its_figures() {
    let query = unreachable();
    for spec in searching() {
        let problem = Problem::new(&query.space, &query.start, &query.goals, 0).unwrap();
        let error = build(spec).plan(&problem, &mut query.world.clone(), &iterations(500)).unwrap_err();
        assert!(
            matches!(error, KineticError::PlanningTimeout { iterations: 500, elapsed } if elapsed >= 0.0),
            "{}: {error}",
            spec.id
        );
        assert!(error.is_retryable());
    }
}

#[test]
fn the_deadline_of_an_injected_clock_is_kept() {
    // Every reading of the clock takes 1 µs; the deadline is met after that many readings.
    const TICK: u64 = 1_000;
    const TIMEOUT: f64 = 2e-3;
    let query = unreachable();
    for spec in searching() {
        let control = Control::new(Arc::new(ManualClock::with_step(TICK)), TIMEOUT, u64::MAX, StopFlag::default());
        let problem = Problem::new(&query.space, &query.start, &query.goals, 0).unwrap();
        let error = build(spec).plan(&problem, &mut query.world.clone(), &control).unwrap_err();
        let KineticError::PlanningTimeout { elapsed, iterations } = error else { panic!("{}: {error}", spec.id) };
        assert!((TIMEOUT..TIMEOUT + 5e-6).contains(&elapsed), "{}: {elapsed}", spec.id);
        // Optimisers look at the clock at every waypoint.
        assert!(iterations > if spec.is_complete { 100 } else { 0 }, "{}: {iterations}", spec.id);
    }
}

/// A validity that takes a second per question, as told by the clock of the test.
struct Slow {
    world: World,
    clock: Arc<ManualClock>,
}

impl kinetic_planning::Validity for Slow {
    fn near_distances(&mut self, q: &[f64], qd: &[f64], within: f64, out: &mut NearDistances) -> bool {
        self.clock.advance(1_000_000_000);
        self.world.near_distances(q, qd, within, out)
    }

    fn is_valid(&mut self, q: &[f64]) -> bool {
        self.clock.advance(1_000_000_000);
        self.world.is_valid(q)
    }

    fn is_motion_valid(&mut self, from: &[f64], to: &[f64]) -> bool {
        self.clock.advance(1_000_000_000);
        self.world.is_motion_valid(from, to)
    }

    fn checks(&self) -> u64 {
        self.world.checks
    }
}

#[test]
fn no_further_question_is_asked_after_the_deadline() {
    let query = unreachable();
    for spec in searching() {
        let clock = Arc::new(ManualClock::default());
        let control = Control::new(clock.clone(), 10.5, u64::MAX, StopFlag::default());
        let mut slow = Slow { world: query.world.clone(), clock };
        let problem = Problem::new(&query.space, &query.start, &query.goals, 0).unwrap();
        let error = build(spec).plan(&problem, &mut slow, &control).unwrap_err();
        assert!(matches!(error, KineticError::PlanningTimeout { elapsed: 11.0, .. }), "{}: {error}", spec.id);
        assert_eq!(slow.world.checks, 11);
    }
}

/// Sets a stop flag at the given question.
struct Stopping {
    world: World,
    stop: StopFlag,
    at: u64,
}

impl Stopping {
    fn count(&self) {
        if self.world.checks == self.at {
            self.stop.stop();
        }
    }
}

impl kinetic_planning::Validity for Stopping {
    fn near_distances(&mut self, q: &[f64], qd: &[f64], within: f64, out: &mut NearDistances) -> bool {
        if self.world.checks == self.at {
            self.stop.stop();
        }
        self.world.near_distances(q, qd, within, out)
    }

    fn is_valid(&mut self, q: &[f64]) -> bool {
        self.count();
        self.world.is_valid(q)
    }

    fn is_motion_valid(&mut self, from: &[f64], to: &[f64]) -> bool {
        self.count();
        self.world.is_motion_valid(from, to)
    }

    fn checks(&self) -> u64 {
        self.world.checks
    }
}

#[test]
fn a_stop_flag_cancels_before_the_next_question() {
    let query = unreachable();
    for spec in searching() {
        let stop = StopFlag::default();
        let control = Control::new(Arc::new(SystemClock::default()), f64::INFINITY, BUDGET, stop.clone());
        let mut validity = Stopping { world: query.world.clone(), stop, at: 2_000 };
        let problem = Problem::new(&query.space, &query.start, &query.goals, 0).unwrap();
        let error = build(spec).plan(&problem, &mut validity, &control).unwrap_err();
        assert!(matches!(error, KineticError::Cancelled { iterations, .. } if iterations > 0), "{error}");
        assert_eq!(validity.world.checks, 2_001, "{}", spec.id);
    }
}

#[test]
fn an_invalid_start_or_goal_is_reported_without_a_search() {
    for spec in searching() {
        let query = &problem_set()[1];
        for (start, goal, wanted) in [([0.0, -1.0], [2.0, 0.0], "start"), ([2.0, 0.0], [0.0, -1.0], "goal")] {
            let goals = [goal.into()];
            let problem = Problem::new(&query.space, &start, &goals, 0).unwrap();
            let mut world = query.world.clone();
            let error = build(spec).plan(&problem, &mut world, &iterations(BUDGET)).unwrap_err();
            assert!(
                matches!(&error, KineticError::PlanningFailed { reason } if reason.to_string().contains(wanted)),
                "{error}"
            );
            assert!(world.checks <= 3, "{}", spec.id);
        }
    }
}

#[test]
fn a_configuration_outside_its_domain_is_refused() {
    let config = PlannerConfig { timeout: 0.0, ..PlannerConfig::default() };
    for spec in PLANNERS {
        let refused = (spec.build)(&PlannerContext::without_robot(&config)).map(|_| ());
        assert!(matches!(refused, Err(KineticError::InvalidValue { name, .. }) if name == "timeout"));
    }
}
