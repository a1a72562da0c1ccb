//! BiTRRT: paths through valleys of a cost.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, AtomicUsize, Ordering};

use kinetic_core::{
    Clock, Control, CostFunction, Goal, KineticError, ManualClock, Minimise, Payload, PlannerConfig, Pose, Shape,
    StateCost, StopFlag, Trajectory,
};
use kinetic_dynamics::{DynamicsModel, inverse_dynamics};
use kinetic_planning::{
    Algorithm, Bitrrt, BitrrtConfig, Planner, PlannerContext, PlannerType, PlanningProblem, Problem,
    Query as PlannerQuery, ReportOptions, RrtConnect, Space, Validity, path_length,
};
use kinetic_robot::Robot;
use kinetic_scene::Scene;
use nalgebra::Vector3;

use crate::cases;
use crate::shortest::query;
use crate::worlds::{BUDGET, Liar, Query, World, boxed, cube, iterations, problem_set};

/// A hill in the middle of the square, and a lower one beside it.
fn hills(q: &[f64]) -> f64 {
    let hill = |x: f64, y: f64, width: f64| (-((q[0] - x).powi(2) + (q[1] - y).powi(2)) / width).exp();
    10.0 * hill(0.0, 0.0, 1.0) + 4.0 * hill(0.0, 2.0, 0.3) + 1.0 + q[2..].iter().map(|value| value * value).sum::<f64>()
}

fn over(dof: usize) -> Query {
    let world = World::new(vec![boxed(&vec![-0.2; dof], &vec![0.2; dof])]);
    let (mut start, mut goal) = (vec![0.0; dof], vec![0.0; dof]);
    (start[0], goal[0]) = (-2.5, 2.5);
    query("hills", cube(dof, 3.0), world, &start, &goal)
}

fn function(cost: impl Fn(&[f64]) -> f64 + Send + Sync + 'static) -> CostFunction {
    Arc::new(move |q: &[f64]| Ok(cost(q)))
}

/// The integral of a cost along a path, by the midpoint rule.
fn integral(space: &Space, path: &Trajectory, cost: impl Fn(&[f64]) -> f64) -> f64 {
    let (mut sum, mut q) = (0.0, vec![0.0; space.dof()]);
    for (from, to) in path.segments() {
        let (length, parts) = (space.distance(from, to), 200_u32);
        for part in 0..parts {
            space.interpolate(from, to, (f64::from(part) + 0.5) / f64::from(parts), &mut q);
            sum += cost(&q) * length / f64::from(parts);
        }
    }
    sum
}

/// The largest cost along a path.
fn highest(space: &Space, path: &Trajectory, cost: impl Fn(&[f64]) -> f64) -> f64 {
    let (mut most, mut q) = (0.0_f64, vec![0.0; space.dof()]);
    for (from, to) in path.segments() {
        for part in 0..=100_u32 {
            space.interpolate(from, to, f64::from(part) / 100.0, &mut q);
            most = most.max(cost(&q));
        }
    }
    most
}

fn path(planner: &mut dyn Algorithm, query: &Query, seed: u64) -> Result<Trajectory, KineticError> {
    let problem = Problem::new(&query.space, &query.start, &query.goals, seed).unwrap();
    let path = planner.plan(&problem, &mut query.world.clone(), &iterations(BUDGET))?.path;
    query.world.assert_path_is_clear(&path, query.name);
    Ok(path)
}

#[test]
fn the_integral_of_the_cost_is_lower_than_that_of_rrt_connect() {
    for (dof, ratio) in [(2, 0.8), (4, 0.8)] {
        let query = over(dof);
        let (mut sums, mut peaks) = ([0.0; 2], [0.0; 2]);
        for seed in 0..cases(20, 200) {
            let mut planners: [Box<dyn Algorithm>; 2] =
                [Box::new(Bitrrt::default().with_cost(function(hills))), Box::<RrtConnect>::default()];
            for (which, planner) in planners.iter_mut().enumerate() {
                let path = path(&mut **planner, &query, seed).unwrap();
                sums[which] += integral(&query.space, &path, hills);
                peaks[which] += highest(&query.space, &path, hills);
            }
        }
        assert!(sums[0] < ratio * sums[1], "{dof} joints: integrals {sums:?}");
        assert!(peaks[0] < 0.8 * peaks[1], "{dof} joints: highest costs {peaks:?}");
    }
}

#[test]
fn a_cost_that_is_the_same_everywhere_leaves_a_planner_that_solves_the_problem_set() {
    for query in problem_set() {
        for seed in 0..cases(3, 60) {
            let mut planner = Bitrrt::default().with_cost(function(|_| 3.0));
            path(&mut planner, &query, seed).unwrap_or_else(|error| panic!("{}, seed {seed}: {error}", query.name));
        }
    }
}

/// Checks over all seeds from `start` to the end of a blind alley of four joints that is open on one side.
fn checks_into_the_alley(start: &[f64; 4], seeds: u64) -> u64 {
    let walls = |axis: usize| {
        let (mut low, mut high) = ([0.0, -1.0, -1.0, -1.0], [2.5, 1.0, 1.0, 1.0]);
        let sides = if axis == 0 { vec![(2.4, 2.5)] } else { vec![(0.1, 1.0), (-1.0, -0.1)] };
        sides
            .into_iter()
            .map(|side| {
                (low[axis], high[axis]) = side;
                boxed(&low, &high)
            })
            .collect::<Vec<_>>()
    };
    let world = World::new((0..4).flat_map(walls).collect());
    let query = query("alley", cube(4, 3.0), world, start, &[2.3, 0.05, 0.05, -0.05]);
    (0..seeds)
        .map(|seed| {
            let problem = Problem::new(&query.space, &query.start, &query.goals, seed).unwrap();
            let mut planner = Bitrrt::default().with_cost(function(|q| 1.0 + q[1].abs()));
            planner.plan(&problem, &mut query.world.clone(), &iterations(BUDGET)).unwrap().checks
        })
        .sum()
}

#[test]
fn the_tree_in_a_narrow_place_gets_most_turns() {
    // With turns one by one, 2,100 checks a seed.
    let seeds = cases(20, 200);
    let checks = checks_into_the_alley(&[-2.0, 2.0, -2.0, 1.0], seeds);
    assert!(checks < 1_500 * seeds, "{checks} checks over {seeds} seeds");
}

#[test]
fn a_tree_that_cannot_grow_does_not_keep_the_turns() {
    // With all turns for the smaller tree, budgets end before the other one comes to the goal.
    let seeds = cases(20, 200);
    let checks = checks_into_the_alley(&[-2.0, 0.0, 0.0, 0.0], seeds);
    assert!(checks < 40_000 * seeds, "{checks} checks over {seeds} seeds");
}

#[test]
fn costs_that_are_not_costs_are_errors() {
    let query = over(2);
    for bad in [f64::NAN, -1.0, f64::INFINITY] {
        // Wrong at the start, and only far from it.
        for from in [-9.0, 0.5] {
            let cost = function(move |q| if q[0] > from { bad } else { 1.0 });
            let refused = path(&mut Bitrrt::default().with_cost(cost), &query, 0).unwrap_err();
            assert!(
                matches!(&refused, KineticError::InvalidValue { name, .. } if name == "cost of a configuration"),
                "{refused}"
            );
        }
    }
    let raises: CostFunction = Arc::new(|_: &[f64]| Err(KineticError::invalid("own", "this", "that")));
    let refused = path(&mut Bitrrt::default().with_cost(raises), &query, 0).unwrap_err();
    assert!(matches!(&refused, KineticError::InvalidValue { name, .. } if name == "own"), "{refused}");
}

#[test]
fn every_edge_of_a_path_is_proven_also_where_quick_answers_lie() {
    for query in problem_set() {
        for seed in 0..cases(2, 60) {
            let mut liar = Liar::new(query.world.clone(), 2);
            let problem = Problem::new(&query.space, &query.start, &query.goals, seed).unwrap();
            let mut planner = Bitrrt::default().with_joint_centring();
            match planner.plan(&problem, &mut liar, &iterations(5_000)) {
                Ok(plan) => liar.witness.assert_proven(&plan.path, query.name),
                Err(KineticError::PlanningTimeout { .. }) => {}
                Err(error) => panic!("{}: {error}", query.name),
            }
        }
    }
}

/// Two hills and nothing in the way.
fn free_hills() -> Query {
    query("free hills", cube(2, 3.0), World::new(vec![]), &[-2.5, 0.1], &[2.5, -0.3])
}

/// Regression 36: a first temperature in units of the cost accepted every climb of costs of order 10, and few of the same times 10⁴.
#[test]
fn what_is_avoided_does_not_depend_on_the_unit_of_the_cost() {
    let query = free_hills();
    // Regression 49: climbs below 1e-4 were none, so that costs of small numbers were not seen.
    for scale in [1e-200, 1e-12, 1e-4, 0.1, 1.0, 100.0, 1e4, 1e8, 1e200] {
        let mut peaks = 0.0;
        let seeds = cases(20, 200);
        for seed in 0..seeds {
            let mut planner = Bitrrt::default().with_cost(function(move |q| scale * hills(q)));
            peaks += highest(&query.space, &path(&mut planner, &query, seed).unwrap(), hills);
        }
        // The straight line goes over 11, around it is 1.1 at both ends and about 2 on the way.
        assert!(peaks < 4.0 * seeds as f64, "times {scale}: {} in the mean", peaks / seeds as f64);
    }
    // Powers of two change no digit.
    let found = |scale: f64, seed| {
        path(&mut Bitrrt::default().with_cost(function(move |q| scale * hills(q))), &query, seed).unwrap()
    };
    for seed in 0..cases(5, 100) {
        let plain = found(1.0, seed);
        for scale in [2.0_f64.powi(-200), 0.25, 2.0_f64.powi(300)] {
            assert_eq!(found(scale, seed), plain, "times {scale:e}, seed {seed}");
        }
    }
}

#[test]
fn every_option_is_read() {
    let query = free_hills();
    let paths = |config| {
        let planner = || Bitrrt::new(config).unwrap().with_cost(function(hills));
        (0..6).map(|seed| path(&mut planner(), &query, seed).unwrap()).collect::<Vec<_>>()
    };
    // Many samples refine.
    let base = BitrrtConfig { refinement_distance: 0.9, ..BitrrtConfig::default() };
    for variant in [
        BitrrtConfig { range: 0.3, ..base },
        BitrrtConfig { cost_step: 5.0, ..base },
        BitrrtConfig { temperature: 10.0, ..base },
        BitrrtConfig { temperature_rate: 1.0, ..base },
        BitrrtConfig { refinement_ratio: 1e-6, ..base },
        BitrrtConfig { refinement_distance: 0.1, ..base },
    ] {
        assert_ne!(paths(base), paths(variant), "{variant:?}");
    }
}

#[test]
fn options_outside_their_domain_are_refused_by_name() {
    let name = |refused: Result<(), KineticError>| match refused {
        Err(KineticError::InvalidValue { name, .. }) => name,
        other => panic!("{other:?}"),
    };
    let good = BitrrtConfig::default();
    for (field, config) in [
        ("range", BitrrtConfig { range: 0.0, ..good }),
        ("cost_step", BitrrtConfig { cost_step: f64::NAN, ..good }),
        ("temperature", BitrrtConfig { temperature: -1.0, ..good }),
        ("temperature_rate", BitrrtConfig { temperature_rate: 0.0, ..good }),
        ("refinement_ratio", BitrrtConfig { refinement_ratio: f64::INFINITY, ..good }),
        ("refinement_distance", BitrrtConfig { refinement_distance: 0.0, ..good }),
    ] {
        assert_eq!(name(Bitrrt::new(config).map(|_| ())), field);
    }
    let by_length = PlannerConfig { minimise: Some(Minimise::Length), ..PlannerConfig::default() };
    let no_tool = PlannerConfig { state_cost: Some(StateCost::Manipulability), ..PlannerConfig::default() };
    for (field, config) in [("minimise", by_length), ("state_cost", no_tool)] {
        let built = (PlannerType::BiTRRT.spec().build)(&PlannerContext::without_robot(&config)).map(|_| ());
        assert_eq!(name(built), field);
    }
}

/// A UR5e beside a pillar, from one side to the other.
fn beside_a_pillar() -> (Planner, [f64; 6], Goal) {
    let robot = Arc::new(Robot::from_name("ur5e").unwrap());
    let mut scene = Scene::new(&robot).unwrap();
    scene.add("pillar", Shape::cuboid(0.1, 0.1, 1.0).unwrap(), Pose::from_xyz(0.45, 0.25, 0.5)).unwrap();
    let goal = Goal::joints([1.4, -1.2, 0.6, -1.3, 0.3, 0.2]);
    (Planner::in_scene(scene).unwrap(), [0.0, -1.57, 0.0, -1.57, 0.0, 0.0], goal)
}

#[test]
fn auto_looks_at_a_cost_and_planners_that_do_not_refuse_it() {
    let (planner, start, goal) = beside_a_pillar();
    for cost in StateCost::NAMED {
        let config = PlannerConfig { state_cost: Some(cost), timeout: 60.0, ..PlannerConfig::default() };
        let planned = planner.plan_with_config(&start, &goal, config.clone()).unwrap();
        assert_eq!(planned.planner_used, "bitrrt");
        for other in [PlannerType::RRTConnect, PlannerType::AORRTC, PlannerType::KPIECE] {
            let refused = planner.clone().with_planner_type(other).plan_with_config(&start, &goal, config.clone());
            assert!(matches!(refused, Err(KineticError::InvalidValue { name, .. }) if name == "state_cost"));
        }
    }
}

/// A UR5e on a wall with a load in its hand; gravity pulls along its −x.
fn on_a_wall() -> (Planner, PlannerConfig) {
    let config = PlannerConfig {
        payload: Some(Payload::point(2.0, Vector3::zeros()).unwrap().into()),
        gravity: Some([-9.81, 0.0, 0.0]),
        state_cost: Some(StateCost::Torque),
        smooth: false,
        shortcut_iterations: 0,
        timeout: 60.0,
        ..PlannerConfig::default()
    };
    (Planner::new(&Arc::new(Robot::from_name("ur5e").unwrap())).unwrap(), config)
}

#[test]
fn an_arm_is_held_by_smaller_torques_than_with_rrt_connect() {
    let (planner, config) = on_a_wall();
    let (robot, group) = (planner.scene().robot(), planner.group());
    // Stretched up, then down: half-way it is held by the base joint alone, unless it folds.
    let start = [0.0, -0.15, 0.1, -1.57, -1.57, 0.0];
    let goal = Goal::joints([3.0, -0.15, 0.1, -1.57, -1.57, 0.0]);
    let model = DynamicsModel::from_group(robot, group).unwrap();
    let model = model.with_mounted(robot, group, config.payload.as_ref().unwrap()).unwrap();
    let model = model.with_gravity(config.gravity.unwrap().into()).unwrap();
    // The definition, by inverse dynamics.
    let squares = move |q: &[f64]| {
        let torques = inverse_dynamics(&model, q, &[0.0; 6], &[0.0; 6]).unwrap();
        let ratios = torques.iter().zip(model.effort_limits()).map(|(torque, limit)| (torque / limit).powi(2));
        ratios.sum::<f64>() / 6.0
    };
    let space = Space::from_bounds(planner.chain().bounds()).unwrap();
    let path = |config: PlannerConfig| planner.plan_with_config(&start, &goal, config).unwrap().path;
    let mean = |path: &Trajectory| integral(&space, path, &squares) / path_length(path);
    let (mut light, mut plain) = (0.0, 0.0);
    for seed in 0..cases(6, 60) {
        // Elsewhere payload and gravity would change nothing, and are refused.
        let bare = PlannerConfig { payload: None, gravity: None, state_cost: None, seed, ..config.clone() };
        let own = StateCost::function({
            let squares = squares.clone();
            move |q| Ok(squares(q))
        });
        let by_name = path(PlannerConfig { seed, ..config.clone() });
        let by_function = path(PlannerConfig { state_cost: Some(own), ..bare.clone() });
        let difference = (mean(&by_name) - mean(&by_function)).abs();
        assert!(difference < 1e-9, "seed {seed}: the same cost by name and as a function: {difference}");
        light += mean(&by_name);
        plain += mean(&path(bare));
    }
    assert!(light < 0.6 * plain, "mean squares of torque over limit {light} against {plain}");
}

#[test]
fn a_function_of_the_options_is_the_cost_and_what_it_says_ends_the_plan() {
    let (planner, start, goal) = beside_a_pillar();
    let asked = Arc::new(AtomicUsize::new(0));
    let plan = |value: f64| {
        let asked = Arc::clone(&asked);
        let state_cost = Some(StateCost::function(move |q| {
            assert_eq!(q.len(), 6);
            asked.fetch_add(1, Ordering::Relaxed);
            if value > 9.0 { Err(KineticError::CostFunctionFailed { detail: "is out".to_owned() }) } else { Ok(value) }
        }));
        let config = PlannerConfig { state_cost, timeout: 60.0, ..PlannerConfig::default() };
        // Another planner has its turn after a failure of the search alone.
        let config = PlannerConfig { fallback: vec!["stomp".to_owned()], ..config };
        planner.plan_with_config(&start, &goal, config)
    };
    assert_eq!(plan(1.0).unwrap().planner_used, "bitrrt");
    assert!(asked.load(Ordering::Relaxed) > 10);
    assert!(
        matches!(plan(f64::NAN), Err(KineticError::InvalidValue { name, .. }) if name == "cost of a configuration")
    );
    assert!(matches!(plan(-1.0), Err(KineticError::InvalidValue { name, .. }) if name == "cost of a configuration"));
    assert!(matches!(plan(10.0), Err(KineticError::CostFunctionFailed { detail }) if detail == "is out"));
}

/// Regression 56: the cost was asked for along whole edges without a look at the clock.
#[test]
fn a_slow_cost_is_asked_once_more_after_the_deadline_at_most() {
    let (planner, start, goal) = beside_a_pillar();
    let (clock, asked) = (Arc::new(ManualClock::default()), Arc::new(AtomicU32::new(0)));
    let state_cost = Some(StateCost::function({
        let (clock, asked) = (Arc::clone(&clock), Arc::clone(&asked));
        move |q| {
            clock.advance(10_000_000);
            asked.fetch_add(1, Ordering::Relaxed);
            Ok(q[0] * q[0])
        }
    }));
    let planner = planner.with_config(PlannerConfig { state_cost, ..PlannerConfig::default() }).unwrap();
    for calls in [1_u32, 2, 7, 30] {
        asked.store(0, Ordering::Relaxed);
        let timeout = 0.01 * f64::from(calls) - 0.005;
        let control = Control::new(Arc::clone(&clock) as Arc<dyn Clock>, timeout, u64::MAX, StopFlag::default());
        let planned = planner.solve(PlannerQuery::new(&start, &goal).with_control(&control));
        assert!(matches!(planned, Err(KineticError::PlanningTimeout { .. })), "{calls}");
        assert_eq!(asked.load(Ordering::Relaxed), calls);
    }
}

#[test]
fn a_problem_file_says_that_there_was_a_function() {
    let (planner, start, goal) = beside_a_pillar();
    let state_cost = Some(StateCost::function(|q| Ok(q[0].abs())));
    let config = PlannerConfig { state_cost, ..PlannerConfig::default() };
    let problem = planner.with_config(config).unwrap().problem(&start, &goal).unwrap();
    assert_eq!(problem.solve().unwrap().result.planner_used, "bitrrt");
    let again = PlanningProblem::from_toml(&problem.to_toml().unwrap(), "problem.toml").unwrap();
    let error = again.solve().unwrap_err();
    assert!(error.to_string().contains("files hold its name alone"), "{error}");
}

#[test]
fn torques_without_effort_limits_are_refused() {
    let (planner, config) = on_a_wall();
    let mut limits = Robot::clone(planner.scene().robot());
    limits.joint_limits.iter_mut().for_each(|limit| limit.effort = f64::INFINITY);
    let planner = Planner::new(&Arc::new(limits)).unwrap();
    let start = planner.scene().robot().named_configuration(planner.group(), "home").unwrap();
    let refused = planner.plan_with_config(&start, &Goal::named("ready"), config).unwrap_err();
    assert!(matches!(&refused, KineticError::InvalidValue { name, .. } if name == "effort limits"), "{refused}");
}

#[test]
fn an_arm_keeps_farther_from_the_world_than_with_rrt_connect() {
    // Beyond this, the distance to the world is of no interest, m.
    const FAR: f64 = 0.5;
    let (planner, start, goal) = beside_a_pillar();
    let space = Space::from_bounds(planner.chain().bounds()).unwrap();
    let mean_clearance = |state_cost, seed| {
        let as_found =
            PlannerConfig { smooth: false, shortcut_iterations: 0, timeout: 60.0, ..PlannerConfig::default() };
        let path =
            planner.plan_with_config(&start, &goal, PlannerConfig { state_cost, seed, ..as_found }).unwrap().path;
        let validity = std::cell::RefCell::new(planner.validity(&start).unwrap());
        let near = |q: &[f64]| validity.borrow_mut().clearance(q).unwrap().min(FAR);
        integral(&space, &path, near) / path_length(&path)
    };
    let (mut avoiding, mut plain) = (0.0, 0.0);
    for seed in 0..cases(6, 60) {
        avoiding += mean_clearance(Some(StateCost::Clearance), seed);
        plain += mean_clearance(None, seed);
    }
    assert!(avoiding > plain, "mean clearance {avoiding} against {plain}");
}

#[test]
fn the_search_of_a_report_sees_the_cost_of_the_search_that_failed() {
    let (planner, start, goal) = beside_a_pillar();
    for seed in 0..5 {
        let config = PlannerConfig {
            state_cost: Some(StateCost::Clearance),
            smooth: false,
            shortcut_iterations: 0,
            timeout: 60.0,
            seed,
            ..PlannerConfig::default()
        };
        let planner = planner.clone().with_config(config).unwrap();
        let found = planner.plan(&start, &goal).unwrap();
        let failed = KineticError::PlanningTimeout { elapsed: 0.0, iterations: 1 };
        let options = ReportOptions { tries: false, timeout: 60.0, ..ReportOptions::default() };
        let search = planner.explain(&start, &goal, &failed, &options).unwrap().evidence.search.unwrap();
        assert_eq!((search.solved, search.iterations), (true, found.iterations), "seed {seed}");
    }
}
