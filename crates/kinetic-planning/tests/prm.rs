//! PRM and PRM\*: roadmaps that are kept, what is known of their edges, and costs against shortest paths that are known.

use std::sync::Arc;

use kinetic_core::rng::SeededRng;
use kinetic_core::{ContentHash, Control, KineticError, ManualClock, Minimise, PlannerConfig, StopFlag, SystemClock};
use kinetic_planning::{
    Algorithm, Neighbours, Plan, PlannerContext, PlannerType, Prm, PrmConfig, PrmStar, Problem, Roadmap,
    RoadmapInScope, Validity, path_length,
};

use crate::cases;
use crate::shortest::maze;
use crate::worlds::{BUDGET, Liar, Query, Witness, World, boxed, cube, iterations, problem_set, ring, wall_with_gap};

fn mazes(count: u64) -> impl Iterator<Item = (u64, Query, f64)> {
    (0..).filter_map(|seed| maze(seed).map(|(query, shortest)| (seed, query, shortest))).take(count as usize)
}

/// A roadmap of a query's world.
fn built(query: &Query, seed: u64, vertices: usize, neighbours: Neighbours) -> Roadmap {
    let mut world = query.world.clone();
    Roadmap::build((&query.space, seed), (vertices, neighbours), &mut world, &Control::default()).unwrap()
}

/// The hash of a world: what it holds.
fn content(world: &World) -> ContentHash {
    ContentHash::of_bytes(format!("{:?}", world.obstacles).as_bytes())
}

fn in_world(roadmap: &Roadmap, world: &World) -> RoadmapInScope {
    roadmap.in_scope(content(world))
}

/// Plans in a roadmap, in the world of the query.
fn plan_in(roadmap: &Roadmap, query: &Query) -> Plan {
    let mut planner = Prm::default().with_roadmap(in_world(roadmap, &query.world));
    solve(&mut planner, query, 0).unwrap_or_else(|error| panic!("{}: {error}", query.name))
}

fn solve(planner: &mut dyn Algorithm, query: &Query, seed: u64) -> Result<Plan, KineticError> {
    let problem = Problem::new(&query.space, &query.start, &query.goals, seed).unwrap();
    let plan = planner.plan(&problem, &mut query.world.clone(), &iterations(BUDGET));
    if let Ok(plan) = &plan {
        query.world.assert_path_is_clear(&plan.path, query.name);
    }
    plan
}

/// The same maze with ends elsewhere.
fn with_ends(query: &Query, rng: &mut SeededRng) -> Query {
    let mut other = query.clone();
    let mut free = |out: &mut [f64]| {
        loop {
            query.space.sample_uniform(rng, out);
            if query.world.is_clear(out, 0.0) {
                break;
            }
        }
    };
    free(&mut other.start);
    free(&mut other.goals[0].0);
    other
}

#[test]
fn a_second_query_needs_a_tenth_of_the_checks_and_has_the_same_answer() {
    let (mut firsts, mut seconds) = (0, 0);
    for (seed, query, _) in mazes(cases(8, 60)) {
        let roadmap = built(&query, seed, 600, Neighbours::Fixed(12));
        let (first, second) = (plan_in(&roadmap, &query), plan_in(&roadmap, &query));
        assert_eq!(first.path.as_slice(), second.path.as_slice(), "maze {seed}");
        firsts += first.checks;
        seconds += second.checks;
    }
    assert!(10 * seconds <= firsts, "{firsts} checks, then {seconds}");
}

#[test]
fn queries_in_a_proven_roadmap_need_a_tenth_of_the_checks_of_searches_without_one() {
    let (mut without, mut within) = (0, 0);
    for (seed, query, _) in mazes(cases(4, 40)) {
        let roadmap = built(&query, seed, 600, Neighbours::Fixed(12));
        let counts = in_world(&roadmap, &query.world).prove(&mut query.world.clone(), &Control::default()).unwrap();
        assert_eq!((counts.unproven, counts.vertices), (0, 600));
        let mut rng = SeededRng::new(seed);
        for _ in 0..8 {
            let query = with_ends(&query, &mut rng);
            let Ok(plan) = solve(&mut Prm::default(), &query, seed) else { continue };
            without += plan.checks;
            within += plan_in(&roadmap, &query).checks;
        }
    }
    assert!(10 * within <= without, "{without} checks, with a roadmap {within}");
}

#[test]
fn a_lazy_roadmap_needs_fewer_checks_for_a_first_query_and_has_the_same_answer() {
    let (mut lazily, mut eagerly) = (0, 0);
    for (seed, query, _) in mazes(cases(6, 60)) {
        let [lazy, eager] = [(); 2].map(|()| built(&query, seed, 400, Neighbours::Fixed(12)));
        let mut world = query.world.clone();
        in_world(&eager, &query.world).sample(&mut world, &Control::default()).unwrap();
        let plans = [plan_in(&lazy, &query), plan_in(&eager, &query)];
        assert_eq!(plans[0].path, plans[1].path, "maze {seed}");
        lazily += plans[0].checks;
        eagerly += plans[1].checks + world.checks;
    }
    assert!(4 * lazily < eagerly, "{lazily} lazily, {eagerly} eagerly");
}

#[test]
fn searches_ask_about_fewer_edges_than_they_make() {
    for is_lazy in [true, false] {
        let config = PrmConfig { is_lazy, ..PrmConfig::default() };
        let (mut checks, mut edges) = (0, 0);
        for (seed, query, _) in mazes(cases(6, 60)) {
            let plan = solve(&mut Prm::new(config).unwrap(), &query, seed).unwrap();
            checks += plan.checks;
            edges += plan.tree_size * config.neighbours;
        }
        assert!(3 * checks < 2 * edges as u64, "lazy {is_lazy}: {checks} checks, {edges} edges");
    }
}

/// Excess of the shortest path in a roadmap of so many vertices over the shortest there is, in the mean over mazes.
fn excess(neighbours: Neighbours, vertices: usize) -> f64 {
    let count = cases(5, 40);
    let of = |(seed, query, shortest): (u64, Query, f64)| {
        let plan = plan_in(&built(&query, seed, vertices, neighbours), &query);
        let ratio = path_length(&plan.path) / shortest;
        assert!(ratio > 1.0 - 1e-6, "maze {seed}: {ratio}");
        ratio - 1.0
    };
    mazes(count).map(of).sum::<f64>() / count as f64
}

#[test]
fn growing_neighbourhoods_approach_the_shortest_path_and_fixed_ones_do_not() {
    let growing = [400, 6_400].map(|vertices| excess(Neighbours::Growing, vertices));
    let fixed = [400, 6_400].map(|vertices| excess(Neighbours::Fixed(4), vertices));
    assert!(growing[1] < 0.5 * growing[0] && growing[1] < 0.015, "growing {growing:?}, fixed {fixed:?}");
    assert!(fixed[1] > 3.0 * growing[1], "growing {growing:?}, fixed {fixed:?}");
}

#[test]
fn the_anytime_search_reports_shorter_and_shorter_paths_down_to_the_shortest() {
    for (seed, query, shortest) in mazes(cases(4, 40)) {
        for is_lazy in [true, false] {
            let problem = Problem::new(&query.space, &query.start, &query.goals, seed).unwrap();
            let mut lengths = Vec::new();
            let mut heard = |plan: &Plan| lengths.push(path_length(&plan.path));
            let mut planner = PrmStar::new(is_lazy);
            let plan = planner.improve(&problem, &mut query.world.clone(), &iterations(8_000), &mut heard).unwrap();
            query.world.assert_path_is_clear(&plan.path, "maze");
            let case = format!("maze {seed}, lazy {is_lazy}, shortest {shortest}: {lengths:?}");
            assert!(lengths.len() > 1 && lengths.is_sorted_by(|a, b| b < a), "{case}");
            let last = path_length(&plan.path);
            assert_eq!(lengths.last(), Some(&last), "{case}");
            assert!(last >= shortest - 1e-6 && last < 1.03 * shortest, "{case}");
        }
    }
}

#[test]
fn a_claim_does_not_outlive_what_it_was_proven_for() {
    for (seed, query, _) in mazes(cases(6, 60)) {
        let roadmap = built(&query, seed, 800, Neighbours::Fixed(12));
        let before = plan_in(&roadmap, &query);
        assert!(in_world(&roadmap, &query.world).counts().proven > 0);
        // A box in the middle of the longest edge of the path.
        let mut blocked = query.clone();
        let length = |edge: &(&[f64], &[f64])| query.space.distance(edge.0, edge.1);
        let longest = before.path.segments().max_by(|a, b| length(a).total_cmp(&length(b))).unwrap();
        let mut middle = [0.0; 2];
        query.space.interpolate(longest.0, longest.1, 0.5, &mut middle);
        let wide = [0, 1].map(|axis| (middle[axis] - 0.05, middle[axis] + 0.05));
        blocked.world.obstacles.push(boxed(&wide.map(|side| side.0), &wide.map(|side| side.1)));
        let counts = in_world(&roadmap, &blocked.world).counts();
        assert_eq!((counts.proven, counts.refused), (0, 0), "maze {seed}");
        // The oracle of `solve` knows the box. There may be no way round it.
        let problem = Problem::new(&query.space, &query.start, &query.goals, 0).unwrap();
        let mut planner = Prm::default().with_roadmap(in_world(&roadmap, &blocked.world));
        match planner.plan(&problem, &mut blocked.world.clone(), &iterations(5_000)) {
            Ok(plan) => blocked.world.assert_path_is_clear(&plan.path, "maze with a box"),
            Err(error) => assert!(matches!(error, KineticError::PlanningTimeout { .. }), "{error}"),
        }
        // What was refused with the box is free without it.
        let after = plan_in(&roadmap, &query);
        assert_eq!(after.path.as_slice(), before.path.as_slice(), "maze {seed}");
    }
}

#[test]
fn answers_do_not_depend_on_the_order_of_queries() {
    for (seed, query, _) in mazes(cases(4, 40)) {
        let mut rng = SeededRng::new(seed);
        let queries: Vec<Query> = (0..6).map(|_| with_ends(&query, &mut rng)).collect();
        // The small one has no path for most, and grows.
        for (vertices, is_lazy) in [(300, false), (300, true), (40, false), (40, true)] {
            let case = format!("maze {seed}, {vertices} vertices, lazy {is_lazy}");
            let new = || built(&query, seed, vertices, Neighbours::Fixed(8));
            let solve_one = |roadmap: &Roadmap, query: &Query| {
                let problem = Problem::new(&query.space, &query.start, &query.goals, 0).unwrap();
                let planner = Prm::new(PrmConfig { is_lazy, ..PrmConfig::default() }).unwrap();
                let mut planner = planner.with_roadmap(in_world(roadmap, &query.world));
                let plan = planner.plan(&problem, &mut query.world.clone(), &iterations(3_000));
                plan.map(|plan| (plan.path, plan.iterations, plan.tree_size)).map_err(|error| error.code())
            };
            let alone: Vec<_> = queries.iter().map(|query| solve_one(&new(), query)).collect();
            let (roadmap, other, proven) = (new(), new(), new());
            let in_turn: Vec<_> = queries.iter().map(|query| solve_one(&roadmap, query)).collect();
            let mut backwards: Vec<_> = queries.iter().rev().map(|query| solve_one(&other, query)).collect();
            backwards.reverse();
            in_world(&proven, &query.world).prove(&mut query.world.clone(), &Control::default()).unwrap();
            let with_proofs: Vec<_> = queries.iter().map(|query| solve_one(&proven, query)).collect();
            assert_eq!(alone, in_turn, "{case}");
            assert_eq!(alone, backwards, "{case}");
            assert_eq!(alone, with_proofs, "{case}");
            assert_eq!(roadmap.len(), vertices);
        }
    }
}

#[test]
fn a_roadmap_without_a_path_grows_for_one_query_alone() {
    for (seed, query, _) in mazes(cases(4, 40)) {
        let roadmap = built(&query, seed, 5, Neighbours::Fixed(12));
        let configurations = roadmap.configurations().to_vec();
        let plan = plan_in(&roadmap, &query);
        // More than the stored configurations and the two ends.
        assert!(plan.tree_size > configurations.len() + 2, "maze {seed}: {}", plan.tree_size);
        assert_eq!(roadmap.configurations(), configurations);
        assert_eq!(plan.path.as_slice(), plan_in(&roadmap, &query).path.as_slice());
    }
}

#[test]
fn a_stored_roadmap_gives_the_same_answers_with_the_same_checks() {
    for (seed, query, _) in mazes(cases(4, 40)) {
        let roadmap = built(&query, seed, 300, Neighbours::Fixed(12));
        plan_in(&roadmap, &query);
        let bytes = roadmap.to_bytes();
        let stored = Roadmap::from_bytes(&bytes, "maze").unwrap();
        assert_eq!(stored.to_bytes(), bytes);
        let counts = |roadmap: &Roadmap| in_world(roadmap, &query.world).counts();
        assert_eq!(counts(&stored), counts(&roadmap));
        let mut rng = SeededRng::new(seed);
        for _ in 0..4 {
            let query = with_ends(&query, &mut rng);
            let solved = [&roadmap, &stored].map(|roadmap| {
                let mut planner = Prm::default().with_roadmap(in_world(roadmap, &query.world));
                let problem = Problem::new(&query.space, &query.start, &query.goals, 7).unwrap();
                planner.plan(&problem, &mut query.world.clone(), &iterations(3_000)).map_err(|error| error.code())
            });
            assert_eq!(solved[0], solved[1], "maze {seed}");
        }
    }
}

#[test]
fn damaged_files_are_refused_and_malformed_ones_never_panic() {
    let query = ring();
    let roadmap = built(&query, 0, 20, Neighbours::Fixed(4));
    plan_in(&roadmap, &query);
    let bytes = roadmap.to_bytes();
    let is_refused = |bytes: &[u8], case: String| match Roadmap::from_bytes(bytes, "x.roadmap") {
        Err(KineticError::FileParse { file, .. }) => assert_eq!(file, "x.roadmap", "{case}"),
        other => panic!("{case}: {other:?}"),
    };
    let mut rng = SeededRng::new(0);
    for case in 0..cases(300, 20_000) {
        let mut damaged = bytes.clone();
        let place = rng.below(damaged.len());
        damaged[place] ^= 1 << rng.below(8);
        is_refused(&damaged, format!("case {case}: byte {place}"));
        is_refused(&bytes[..place], format!("case {case}: the first {place} bytes"));
    }
    // With a checksum that fits, the content may still be nonsense, or a roadmap with other numbers.
    let mut read_back = 0;
    let checksum = ContentHash::of_bytes(&[]).to_string().len();
    for _ in 0..cases(2_000, 100_000) {
        let mut content = bytes[..bytes.len() - checksum].to_vec();
        for _ in 0..=rng.below(3) {
            let place = 18 + rng.below(content.len() - 18);
            content[place] = [0, 1, 0x7f, 0xff, rng.below(256) as u8][rng.below(5)];
        }
        let seal = ContentHash::of_bytes(&content).to_string();
        content.extend_from_slice(seal.as_bytes());
        if let Ok(read) = Roadmap::from_bytes(&content, "x") {
            read_back += 1;
            let problem = Problem::new(&query.space, &query.start, &query.goals, 0).unwrap();
            let mut planner = Prm::default().with_roadmap(in_world(&read, &query.world));
            let _ = planner.plan(&problem, &mut query.world.clone(), &iterations(200));
        }
    }
    assert!(read_back > 10, "{read_back}");
}

#[test]
fn every_edge_of_a_path_is_proven_also_where_quick_answers_lie() {
    for query in problem_set() {
        for seed in 0..cases(2, 60) {
            for is_lazy in [true, false] {
                let case = format!("{}, seed {seed}, lazy {is_lazy}", query.name);
                let problem = Problem::new(&query.space, &query.start, &query.goals, seed).unwrap();
                let mut planner = Prm::new(PrmConfig { is_lazy, ..PrmConfig::default() }).unwrap();
                let mut witness = Witness::new(query.world.clone());
                let plan = planner.plan(&problem, &mut witness, &iterations(BUDGET)).unwrap();
                witness.assert_proven(&plan.path, &case);
                for honest_once_in in [0, 2] {
                    let mut liar = Liar::new(query.world.clone(), honest_once_in);
                    match planner.plan(&problem, &mut liar, &iterations(2_000)) {
                        Ok(plan) => liar.witness.assert_proven(&plan.path, &case),
                        Err(KineticError::PlanningTimeout { .. }) => {}
                        Err(error) => panic!("{case}: {error}"),
                    }
                }
            }
        }
    }
}

#[test]
fn paths_in_a_kept_roadmap_begin_at_any_turn_of_a_continuous_joint() {
    let query = ring();
    let roadmap = built(&query, 0, 200, Neighbours::Fixed(8));
    let mut witness = Witness::new(query.world.clone());
    for turn in [0.0, 3.0, -7.0, 100.0] {
        let start = [0.5 + turn * std::f64::consts::TAU, 0.0];
        let problem = Problem::new(&query.space, &start, &query.goals, 0).unwrap();
        let mut planner = Prm::default().with_roadmap(in_world(&roadmap, &query.world));
        let plan = planner.plan(&problem, &mut witness, &iterations(BUDGET)).unwrap();
        assert_eq!(plan.path.positions(0), start);
        // Those of the first query were proven where they are used there; a query a turn away proves them there.
        witness.assert_proven(&plan.path, &format!("turn {turn}"));
    }
}

/// Refuses everything from the moment on in which it is stopped, as a checker does whose deadline has passed.
struct CutShort {
    world: World,
    stop: StopFlag,
    at: u64,
}

impl CutShort {
    fn answer(&mut self, answer: bool) -> bool {
        if self.world.checks >= self.at {
            self.stop.stop();
        }
        answer && !self.stop.is_stopped()
    }
}

impl Validity for CutShort {
    fn is_valid(&mut self, q: &[f64]) -> bool {
        let answer = self.world.is_valid(q);
        self.answer(answer)
    }

    fn is_motion_valid(&mut self, from: &[f64], to: &[f64]) -> bool {
        let answer = self.world.is_motion_valid(from, to);
        self.answer(answer)
    }

    fn checks(&self) -> u64 {
        self.world.checks
    }
}

#[test]
fn what_a_deadline_cut_short_is_not_learnt() {
    for (seed, query, _) in mazes(cases(3, 20)) {
        let (fresh, cut) =
            (built(&query, seed, 300, Neighbours::Fixed(8)), built(&query, seed, 300, Neighbours::Fixed(8)));
        let scope = in_world(&cut, &query.world);
        for at in (1..400).step_by(7) {
            let stop = StopFlag::default();
            let control = Control::new(Arc::new(SystemClock::default()), f64::INFINITY, u64::MAX, stop.clone());
            let mut validity = CutShort { world: query.world.clone(), stop, at };
            let problem = Problem::new(&query.space, &query.start, &query.goals, 0).unwrap();
            let _ = Prm::default().with_roadmap(scope.clone()).plan(&problem, &mut validity, &control);
            let stop = StopFlag::default();
            let control = Control::new(Arc::new(SystemClock::default()), f64::INFINITY, u64::MAX, stop.clone());
            let mut validity = CutShort { world: query.world.clone(), stop, at };
            let _ = scope.prove(&mut validity, &control);
        }
        let of =
            |roadmap: &Roadmap| in_world(roadmap, &query.world).prove(&mut query.world.clone(), &Control::default());
        assert_eq!(of(&cut).unwrap(), of(&fresh).unwrap(), "maze {seed}");
    }
}

#[test]
fn building_ends_with_its_budget() {
    let (_, query, _) = mazes(1).next().unwrap();
    let build = |vertices, control: &Control| {
        let options = (vertices, Neighbours::Fixed(4));
        Roadmap::build((&query.space, 0), options, &mut query.world.clone(), control)
    };
    // Each reading of the clock takes a millisecond.
    let clock = || Arc::new(ManualClock::with_step(1_000_000));
    let some = build(1_000, &Control::new(clock(), 0.1, u64::MAX, StopFlag::default())).unwrap();
    assert!((20..100).contains(&some.len()), "{}", some.len());
    let whole = build(1_000, &Control::default()).unwrap();
    assert!(whole.configurations().starts_with(some.configurations()), "a longer budget begins with the same vertices");
    let stop = StopFlag::default();
    stop.stop();
    let stopped = build(1_000, &Control::new(clock(), 1.0, u64::MAX, stop));
    assert!(matches!(stopped, Err(KineticError::Cancelled { .. })));
    for vertices in [0, usize::MAX] {
        let refused = build(vertices, &Control::default());
        assert!(matches!(refused, Err(KineticError::InvalidValue { name, .. }) if name == "vertices"));
    }
    let full = World::new(vec![boxed(&[-9.0; 2], &[9.0; 2])]);
    let nothing = Roadmap::build((&cube(2, 3.0), 0), (9, Neighbours::Growing), &mut full.clone(), &iterations(500));
    assert!(matches!(nothing, Err(KineticError::PlanningTimeout { iterations: 500, .. })));
}

#[test]
fn a_roadmap_of_another_space_is_not_searched() {
    let query = problem_set().swap_remove(1);
    let other = Query { space: cube(2, 4.0), ..query.clone() };
    let roadmap = built(&other, 0, 50, Neighbours::Fixed(4));
    assert_eq!(plan_in(&roadmap, &query), solve(&mut Prm::default(), &query, 0).unwrap());
    assert_eq!(in_world(&roadmap, &query.world).counts().proven, 0);
}

#[test]
fn every_option_is_read_and_its_domain_kept() {
    let query = problem_set().swap_remove(2);
    let plans =
        |config: PrmConfig| (0..4).map(|seed| solve(&mut Prm::new(config).unwrap(), &query, seed)).collect::<Vec<_>>();
    let base = PrmConfig::default();
    for variant in [PrmConfig { neighbours: 5, ..base }, PrmConfig { is_lazy: true, ..base }] {
        assert_ne!(plans(base), plans(variant), "{variant:?}");
    }
    let name = |refused: Result<(), KineticError>| match refused {
        Err(KineticError::InvalidValue { name, .. }) => name,
        other => panic!("{other:?}"),
    };
    assert_eq!(name(Prm::new(PrmConfig { neighbours: 0, ..base }).map(|_| ())), "neighbours");
    let build = |planner: PlannerType, config: &PlannerConfig| {
        name((planner.spec().build)(&PlannerContext::without_robot(config)).map(|_| ()))
    };
    let minimise = |what| PlannerConfig { minimise: Some(what), ..PlannerConfig::default() };
    assert_eq!(build(PlannerType::PRM, &minimise(Minimise::Length)), "minimise");
    assert_eq!(build(PlannerType::PRMStar, &minimise(Minimise::Time)), "minimise");
    let endless = PlannerConfig { timeout: f64::INFINITY, ..PlannerConfig::default() };
    assert_eq!(build(PlannerType::PRMStar, &endless), "timeout");
}

#[test]
fn of_several_goals_a_reachable_one_is_found_and_named() {
    let mut query = problem_set().swap_remove(1);
    query.world = wall_with_gap(1.5, 0.6);
    query.goals = vec![[0.0, -2.0].into(), [2.0, -1.0].into(), [0.0, -2.0].into()];
    for seed in 0..cases(6, 200) {
        assert_eq!(solve(&mut Prm::default(), &query, seed).unwrap().goal_index, 1, "seed {seed}");
    }
}
