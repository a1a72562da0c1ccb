//! EST and KPIECE: out of a trap that samples of the space do not lead out of.

use std::collections::BTreeSet;
use std::sync::Arc;

use kinetic_core::rng::SeededRng;
use kinetic_core::{KineticError, Minimise, PlannerConfig, Projection};
use kinetic_kinematics::KinematicChain;
use kinetic_planning::{
    Algorithm, Est, EstConfig, Kpiece, KpieceConfig, Plan, PlannerContext, PlannerType, Problem, RobotContext, Space,
    Validity,
};
use kinetic_robot::Robot;

use crate::cases;
use crate::shortest::query;
use crate::worlds::{BUDGET, Liar, Obstacle, Query, Witness, World, boxed, cube, iterations, problem_set};

fn both() -> [(&'static str, Box<dyn Algorithm>); 2] {
    [("est", Box::<Est>::default()), ("kpiece", Box::<Kpiece>::default())]
}

fn solve(planner: &mut dyn Algorithm, query: &Query, seed: u64, limit: u64) -> Result<Plan, KineticError> {
    let problem = Problem::new(&query.space, &query.start, &query.goals, seed).unwrap();
    let plan = planner.plan(&problem, &mut query.world.clone(), &iterations(limit));
    if let Ok(plan) = &plan {
        query.world.assert_path_is_clear(&plan.path, query.name);
    }
    plan
}

/// A trap in a square (Yershova, Jaillet, Siméon and `LaValle`, ICRA 2005): a room whose one way out is a narrow channel that
/// leads away from the goal, and back inside. Its walls go through along all other axes, which are short.
fn bug_trap(dof: usize) -> Query {
    let wall = |low: [f64; 2], high: [f64; 2]| {
        let (mut lower, mut upper) = (vec![-2.0; dof], vec![2.0; dof]);
        lower[..2].copy_from_slice(&low);
        upper[..2].copy_from_slice(&high);
        boxed(&lower, &upper)
    };
    let world = World::new(vec![
        wall([-3.0, 2.8], [3.0, 3.0]),
        wall([-3.0, -3.0], [3.0, -2.8]),
        wall([2.8, -3.0], [3.0, 3.0]),
        wall([-3.0, 0.25], [-2.8, 3.0]),
        wall([-3.0, -3.0], [-2.8, -0.25]),
        // The channel reaches into the room.
        wall([-3.0, 0.25], [0.5, 0.45]),
        wall([-3.0, -0.45], [0.5, -0.25]),
    ]);
    let (mut bounds, mut start, mut goal) = (vec![(-1.0, 1.0); dof], vec![0.0; dof], vec![0.0; dof]);
    (bounds[0], bounds[1]) = ((-12.0, 12.0), (-12.0, 12.0));
    (start[0], start[1], goal[0]) = (-2.0, 2.0, 9.0);
    query("bug trap", Space::from_bounds(&bounds).unwrap(), world, &start, &goal)
}

/// Checks that a plain RRT takes (`LaValle` 1998: the nearest node is extended towards a uniform sample, one in twenty of them the
/// goal), at most `most`.
fn plain_rrt(query: &Query, seed: u64, range: f64, most: u64) -> u64 {
    let (mut rng, mut world) = (SeededRng::new(seed), query.world.clone());
    let (mut nodes, mut sample) = (vec![query.start.clone()], vec![0.0; query.space.dof()]);
    let mut step = sample.clone();
    while world.checks() < most {
        if rng.below(20) == 0 {
            sample.copy_from_slice(&query.goals[0]);
        } else {
            query.space.sample_uniform(&mut rng, &mut sample);
        }
        let far = |node: &Vec<f64>| query.space.distance(node, &sample);
        let near = nodes.iter().min_by(|a, b| far(a).total_cmp(&far(b))).unwrap();
        query.space.steer(near, &sample, range, &mut step);
        if world.is_motion_valid(near, &step) {
            nodes.push(step.clone());
            if query.space.distance(&step, &query.goals[0]) < range && world.is_motion_valid(&step, &query.goals[0]) {
                break;
            }
        }
    }
    world.checks()
}

#[test]
fn a_bug_trap_is_left_with_checks_with_which_a_plain_rrt_does_not_leave_it() {
    let query = bug_trap(2);
    let seeds = cases(10, 200);
    // Cells as narrow as the channel.
    let fine = KpieceConfig { splits: 80, ..KpieceConfig::default() };
    let planners: [(&str, Box<dyn Algorithm>); 2] =
        [("est", Box::<Est>::default()), ("kpiece", Box::new(Kpiece::new(fine).unwrap()))];
    for (name, mut planner) in planners {
        let mut rrt_fails = 0;
        for seed in 0..seeds {
            let plan =
                solve(&mut *planner, &query, seed, 150_000).unwrap_or_else(|error| panic!("{name}, {seed}: {error}"));
            rrt_fails += u64::from(plain_rrt(&query, seed, 1.0, plan.checks) >= plan.checks);
        }
        assert!(10 * rrt_fails >= 9 * seeds, "{name}: the plain RRT fails in {rrt_fails} of {seeds}");
    }
}

#[test]
fn the_tool_is_a_projection_of_its_own() {
    let robot = Arc::new(Robot::from_name("ur5e").unwrap());
    let chain = KinematicChain::from_group(&robot, &robot.groups[robot.default_group]).unwrap();
    let space = Space::from_bounds(chain.bounds()).unwrap();
    let world = World::new(vec![Obstacle::Ball { centre: vec![0.0; 6], radius: 1.5 }]);
    let query = Query { name: "ur5e", space, world, start: vec![-1.2; 6], goals: vec![[1.2; 6].into()] };
    let path = |planner: Kpiece| {
        let mut planner = planner;
        solve(&mut planner, &query, 1, BUDGET).unwrap().path
    };
    let tool = path(Kpiece::default().with_tool_projection(&chain));
    let (joints, random) = (path(Kpiece::default()), path(Kpiece::default().with_random_projection()));
    assert!(tool != joints && joints != random && random != tool);
    // By name, and where none is stated.
    let group = &robot.groups[robot.default_group];
    let by_name = |projection| {
        let config = PlannerConfig { projection, ..PlannerConfig::default() };
        let context = PlannerContext {
            config: &config,
            robot: Some(RobotContext { robot: &robot, group, chain: &chain }),
            limits: None,
            dynamics: None,
            roadmap: None,
            regions: None,
            optimizer: None,
        };
        let mut planner = (PlannerType::KPIECE.spec().build)(&context).unwrap();
        solve(&mut *planner, &query, 1, BUDGET).unwrap().path
    };
    assert_eq!(by_name(None), tool);
    assert_eq!(by_name(Some(Projection::Tool)), tool);
    assert_eq!(by_name(Some(Projection::Joints)), joints);
    assert_eq!(by_name(Some(Projection::Random)), random);
}

/// Cells of half a unit that the motions of a search end in, outside the place where it began.
struct Explored {
    world: World,
    cells: BTreeSet<(i64, i64)>,
}

impl Validity for Explored {
    fn is_valid(&mut self, q: &[f64]) -> bool {
        self.world.is_valid(q)
    }

    fn is_motion_valid(&mut self, from: &[f64], to: &[f64]) -> bool {
        let is_valid = self.world.is_motion_valid(from, to);
        if is_valid {
            self.cells.insert(((to[0] * 2.0).floor() as i64, (to[1] * 2.0).floor() as i64));
        }
        is_valid
    }

    fn checks(&self) -> u64 {
        self.world.checks()
    }
}

/// A goal that is walled in, so that searches go on, far from the start in the first two joints; the others have short ranges.
fn walled_goal(dof: usize) -> Query {
    let (mut low, mut high) = (vec![-2.0; dof], vec![2.0; dof]);
    (low[0], high[0]) = (8.0, 8.1);
    (low[1], high[1]) = (-13.0, 13.0);
    let (mut bounds, mut goal) = (vec![(-1.0, 1.0); dof], vec![0.0; dof]);
    (bounds[0], bounds[1], goal[0]) = ((-12.0, 12.0), (-12.0, 12.0), 11.0);
    let space = Space::from_bounds(&bounds).unwrap();
    query("walled goal", space, World::new(vec![boxed(&low, &high)]), &vec![0.0; dof], &goal)
}

/// Cells of the first two joints that searches of some iterations reach, over a few seeds.
fn cells(planner: impl Fn() -> Box<dyn Algorithm>, query: &Query, limit: u64) -> usize {
    let reached = |seed| {
        let mut explored = Explored { world: query.world.clone(), cells: BTreeSet::new() };
        let problem = Problem::new(&query.space, &query.start, &query.goals, seed).unwrap();
        let ended = planner().plan(&problem, &mut explored, &iterations(limit));
        assert!(matches!(ended, Err(KineticError::PlanningTimeout { .. })));
        explored.cells.len()
    };
    (0..cases(4, 40)).map(reached).sum()
}

#[test]
fn sparse_neighbourhoods_are_drawn_more_often() {
    // In a neighbourhood of next to nothing, every node is alone and all are drawn alike.
    let explored = |neighbourhood| {
        let config = EstConfig { neighbourhood, ..EstConfig::default() };
        cells(|| Box::new(Est::new(config).unwrap()), &walled_goal(2), 2_000)
    };
    let (by_density, alike) = (explored(0.5), explored(1e-6));
    assert!(4 * by_density > 5 * alike, "{by_density} {alike}");
}

#[test]
fn the_projection_says_what_is_explored() {
    let dof = 6;
    let mut query = walled_goal(dof);
    (query.space, query.world) = (
        cube(dof, 12.0),
        World::new(vec![boxed(&[8.0, -13.0, -13.0, -13.0, -13.0, -13.0], &[8.1, 13.0, 13.0, 13.0, 13.0, 13.0])]),
    );
    let joints = cells(|| Box::<Kpiece>::default(), &query, 2_000);
    let random = cells(|| Box::new(Kpiece::default().with_random_projection()), &query, 2_000);
    assert!(10 * joints > 11 * random, "{joints} cells by the joints, {random} by random directions");
}

#[test]
fn every_edge_of_a_path_is_proven_also_where_quick_answers_lie() {
    for query in problem_set() {
        for seed in 0..cases(2, 60) {
            for (name, mut planner) in both() {
                let case = format!("{name} on {}, seed {seed}", query.name);
                let problem = Problem::new(&query.space, &query.start, &query.goals, seed).unwrap();
                let mut witness = Witness::new(query.world.clone());
                if let Ok(plan) = planner.plan(&problem, &mut witness, &iterations(BUDGET)) {
                    witness.assert_proven(&plan.path, &case);
                }
                for honest_once_in in [0, 2] {
                    let mut liar = Liar::new(query.world.clone(), honest_once_in);
                    match planner.plan(&problem, &mut liar, &iterations(5_000)) {
                        Ok(plan) => liar.witness.assert_proven(&plan.path, &case),
                        Err(KineticError::PlanningTimeout { .. }) => {}
                        Err(error) => panic!("{case}: {error}"),
                    }
                }
                let mut liar = Liar::new(query.world.clone(), 2);
                let _ = planner.plan_lazily(&problem, &mut liar, &iterations(5_000));
                assert!(liar.witness.proofs.is_empty(), "{case}: a lazy plan asks for no proof");
            }
        }
    }
}

#[test]
fn of_several_goals_a_reachable_one_is_found_and_named() {
    let mut query = problem_set().swap_remove(1);
    query.goals = vec![[0.0, -2.0].into(), [2.0, -1.0].into(), [0.0, -2.0].into()];
    for seed in 0..cases(10, 200) {
        for (name, mut planner) in both() {
            assert_eq!(solve(&mut *planner, &query, seed, BUDGET).unwrap().goal_index, 1, "{name}, seed {seed}");
        }
    }
}

#[test]
fn every_option_is_read() {
    let mut query = problem_set().swap_remove(2);
    query.world.offers_partial = true;
    let est =
        |config| (0..4).map(|seed| solve(&mut Est::new(config).unwrap(), &query, seed, BUDGET)).collect::<Vec<_>>();
    let base = EstConfig::default();
    for variant in
        [EstConfig { range: 0.7, ..base }, EstConfig { neighbourhood: 0.2, ..base }, EstConfig { link: 1.0, ..base }]
    {
        assert_ne!(est(base), est(variant), "{variant:?}");
    }
    let kpiece =
        |config| (0..4).map(|seed| solve(&mut Kpiece::new(config).unwrap(), &query, seed, BUDGET)).collect::<Vec<_>>();
    let base = KpieceConfig::default();
    for variant in [
        KpieceConfig { range: 0.7, ..base },
        KpieceConfig { border_fraction: 0.4, ..base },
        KpieceConfig { goal_bias: 0.3, ..base },
        KpieceConfig { min_partial: 0.9, ..base },
        KpieceConfig { link: 0.5, ..base },
        KpieceConfig { splits: 7, ..base },
    ] {
        assert_ne!(kpiece(base), kpiece(variant), "{variant:?}");
    }
}

#[test]
fn options_outside_their_domain_are_refused_by_name() {
    let name = |refused: Result<(), KineticError>| match refused {
        Err(KineticError::InvalidValue { name, .. }) => name,
        other => panic!("{other:?}"),
    };
    let (est, kpiece) = (EstConfig::default(), KpieceConfig::default());
    for (field, config) in [
        ("range", EstConfig { range: 0.0, ..est }),
        ("neighbourhood", EstConfig { neighbourhood: 1.5, ..est }),
        ("link", EstConfig { link: f64::NAN, ..est }),
    ] {
        assert_eq!(name(Est::new(config).map(|_| ())), field);
    }
    for (field, config) in [
        ("range", KpieceConfig { range: -1.0, ..kpiece }),
        ("border_fraction", KpieceConfig { border_fraction: 1.1, ..kpiece }),
        ("goal_bias", KpieceConfig { goal_bias: 1.0, ..kpiece }),
        ("min_partial", KpieceConfig { min_partial: 0.0, ..kpiece }),
        ("link", KpieceConfig { link: 0.0, ..kpiece }),
        ("splits", KpieceConfig { splits: 0, ..kpiece }),
    ] {
        assert_eq!(name(Kpiece::new(config).map(|_| ())), field);
    }
    let by_length = PlannerConfig { minimise: Some(Minimise::Length), ..PlannerConfig::default() };
    let no_tool = PlannerConfig { projection: Some(Projection::Tool), ..PlannerConfig::default() };
    let build =
        |planner: PlannerType, config| name((planner.spec().build)(&PlannerContext::without_robot(config)).map(|_| ()));
    assert_eq!(build(PlannerType::EST, &by_length), "minimise");
    assert_eq!(build(PlannerType::KPIECE, &by_length), "minimise");
    assert_eq!(build(PlannerType::KPIECE, &no_tool), "projection");
}
