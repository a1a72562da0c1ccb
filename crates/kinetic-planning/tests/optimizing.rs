//! CHOMP, STOMP and trajopt: trajectories that are improved from a straight line.

use std::sync::Arc;

use kinetic_core::error::reason;
use kinetic_core::{Goal, KineticError, PlannerConfig, Pose, Shape, StateCost, Trajectory};
use kinetic_planning::{
    Algorithm, Chomp, ChompConfig, NearDistances, Planner, PlannerContext, PlannerSpec, PlannerType, Problem, Stomp,
    StompConfig, Trajopt, TrajoptConfig, Validity,
};
use kinetic_robot::Robot;
use kinetic_scene::Scene;

use crate::shortest::query;
use crate::worlds::{BUDGET, Liar, Obstacle, Query, Witness, World, around_a_ball, cube, iterations, wall_with_gap};
use crate::{cases, slides};

fn chomp(config: ChompConfig) -> Box<dyn Algorithm> {
    Box::new(Chomp::new(config).unwrap())
}

fn stomp(config: StompConfig) -> Box<dyn Algorithm> {
    Box::new(Stomp::new(config).unwrap())
}

fn trajopt(config: TrajoptConfig) -> Box<dyn Algorithm> {
    Box::new(Trajopt::new(config).unwrap())
}

/// All, with a number of initial trajectories.
fn optimizers(num_seeds: u64) -> [(&'static str, Box<dyn Algorithm>); 3] {
    [
        ("chomp", chomp(ChompConfig { num_seeds, ..ChompConfig::default() })),
        ("stomp", stomp(StompConfig { num_seeds, ..StompConfig::default() })),
        ("trajopt", trajopt(TrajoptConfig { num_seeds, ..TrajoptConfig::default() })),
    ]
}

fn run(planner: &mut dyn Algorithm, query: &Query, seed: u64) -> Result<Trajectory, KineticError> {
    let problem = Problem::new(&query.space, &query.start, &query.goals, seed).unwrap();
    let mut witness = Witness::new(query.world.clone());
    let plan = planner.plan(&problem, &mut witness, &iterations(BUDGET))?;
    witness.assert_proven(&plan.path, query.name);
    assert_eq!(plan.path.positions(0), query.start, "{}", query.name);
    Ok(plan.path)
}

/// Largest second difference of a path, over the step of time squared, but for some waypoints at both ends.
fn largest_acceleration(path: &Trajectory, left_out: usize) -> f64 {
    let steps = (path.len() - 1) as f64;
    let at = |index: usize| path.positions(index);
    let second = |index: usize| {
        let rows = at(index - 1).iter().zip(at(index)).zip(at(index + 1));
        rows.map(|((a, b), c)| (a - 2.0 * b + c).powi(2)).sum::<f64>().sqrt()
    };
    (1 + left_out..path.len() - 1 - left_out).map(second).fold(0.0, f64::max) * steps * steps
}

#[test]
fn the_first_initial_trajectory_is_the_straight_line_and_it_gives_way_to_a_ball() {
    for dof in [2, 3, 7] {
        let query = around_a_ball(dof, 1.0);
        for (name, mut planner) in optimizers(1) {
            let path = run(&mut *planner, &query, 0).unwrap_or_else(|error| panic!("{name}, {dof} joints: {error}"));
            // On the side where the line was nearer to the outside; with seven joints there are others.
            let highest = path.iter().map(|q| q[1]).fold(f64::NEG_INFINITY, f64::max);
            assert!(dof > 3 || (0.5..1.5).contains(&highest), "{name}, {dof} joints: {highest}");
        }
    }
}

#[test]
fn those_that_go_down_gradients_have_paths_with_the_mirror_symmetry_of_the_world() {
    for name in ["chomp", "trajopt"] {
        for dof in [2, 3] {
            let paths = [1.0, -1.0].map(|side| {
                let mut planner = optimizers(1).into_iter().find(|(known, _)| *known == name).unwrap().1;
                run(&mut *planner, &around_a_ball(dof, side), 0).unwrap()
            });
            assert_eq!(paths[0].len(), paths[1].len(), "{name}");
            for (up, down) in paths[0].iter().zip(paths[1].iter()) {
                assert!((up[0] - down[0]).abs() < 1e-9 && (up[1] + down[1]).abs() < 1e-9, "{name}: {up:?} {down:?}");
            }
        }
    }
}

/// Samples of a uniform cubic B-spline at rest, two per interval, have third differences that vanish but where intervals meet.
#[test]
fn trajopt_returns_a_b_spline_at_rest_of_as_many_control_points_as_asked() {
    for (control_points, samples_per_interval) in [(24, 2), (8, 8), (10, 10)] {
        let config = TrajoptConfig { control_points, samples_per_interval, num_seeds: 1, ..TrajoptConfig::default() };
        let path = run(&mut *trajopt(config), &around_a_ball(2, 1.0), 0).unwrap();
        // Nothing was added, as the samples are dense enough.
        assert_eq!(path.len(), (control_points + 3) * samples_per_interval + 1);
        let at = |index: usize| path.positions(index)[1];
        let third = |index: usize| at(index + 3) - 3.0 * at(index + 2) + 3.0 * at(index + 1) - at(index);
        let jumps = (0..path.len() - 4).filter(|index| (third(*index) - third(index + 1)).abs() > 1e-9);
        // With n samples per interval, third differences are equal where all four samples lie in one interval.
        let inside = |index: &usize| index % samples_per_interval + 4 <= samples_per_interval;
        assert_eq!(jumps.filter(inside).count(), 0, "{control_points} control points");
        // At rest: the way out of the end grows with the third power of time.
        let ratio = (at(2) - at(0)) / (at(1) - at(0));
        assert!((ratio - 8.0).abs() < 1e-6 || samples_per_interval < 3, "{ratio}");
    }
}

#[test]
fn trajectories_have_equal_steps_of_time_and_stay_smooth() {
    let query = around_a_ball(2, 1.0);
    for (name, mut planner) in optimizers(1) {
        let path = run(&mut *planner, &query, 0).unwrap();
        let waypoints = match name {
            "chomp" => ChompConfig::default().waypoints + 2,
            "stomp" => StompConfig::default().waypoints + 2,
            // Two samples for each of the intervals.
            _ => 2 * (TrajoptConfig::default().control_points + 3) + 1,
        };
        assert_eq!(path.len(), waypoints, "{name}");
        // A spline at rest takes its speed up in the first intervals.
        let largest = largest_acceleration(&path, if name == "trajopt" { 6 } else { 0 });
        // The half sine of height 1 around the ball has π²; a path of two edges has over 100.
        assert!(largest < 60.0, "{name}: {largest}");
    }
}

#[test]
fn further_initial_trajectories_leave_local_minima() {
    // The line runs into the flat face of a wall at right angles: there is no gradient along it.
    let query = query("wall", cube(2, 3.0), wall_with_gap(1.5, 1.4), &[-2.0, -1.0], &[2.0, -1.0]);
    let mut solved = [0; 3];
    let seeds = cases(4, 20);
    for seed in 0..seeds {
        for (which, (name, mut planner)) in optimizers(200).into_iter().enumerate() {
            run(&mut *planner, &query, seed).unwrap_or_else(|error| panic!("{name}, seed {seed}: {error}"));
            solved[which] += u64::from(run(&mut *optimizers(1)[which].1, &query, seed).is_ok());
        }
    }
    assert!(solved[0] == 0 && solved[2] == 0, "the straight line alone has no way out for a gradient: {solved:?}");
}

#[test]
fn bounds_hold_where_the_way_around_leads_along_them() {
    for (dof, half) in [(2, 1.05), (3, 1.02)] {
        // Between the ball and the bound there is a gap of 0.25 or 0.22.
        let mut centre = vec![0.0; dof];
        centre[1] = -0.2;
        let world = World::new(vec![Obstacle::Ball { centre, radius: 1.0 }]);
        let mut low = vec![-3.0; dof];
        let mut high = vec![3.0; dof];
        (low[1], high[1]) = (-half, half);
        let (mut start, mut goal) = (vec![0.0; dof], vec![0.0; dof]);
        (start[0], goal[0]) = (-2.0, 2.0);
        let space = kinetic_planning::Space::new(low, high).unwrap();
        let query = query("along a bound", space, world, &start, &goal);
        for (name, mut planner) in optimizers(50) {
            let path = run(&mut *planner, &query, 0).unwrap_or_else(|error| panic!("{name}: {error}"));
            assert!(path.iter().all(|q| q[1].abs() <= half), "{name}");
        }
    }
}

#[test]
fn every_edge_of_a_path_is_proven_also_where_quick_answers_lie() {
    let query = around_a_ball(2, 1.0);
    for (name, mut planner) in optimizers(u64::MAX) {
        let mut liar = Liar::new(query.world.clone(), 2);
        let problem = Problem::new(&query.space, &query.start, &query.goals, 1).unwrap();
        let path = planner.plan(&problem, &mut liar, &iterations(BUDGET)).unwrap().path;
        liar.witness.assert_proven(&path, name);
    }
}

/// A world that knows verdicts alone.
struct Verdicts(World);

impl Validity for Verdicts {
    fn is_valid(&mut self, q: &[f64]) -> bool {
        self.0.is_valid(q)
    }

    fn is_motion_valid(&mut self, from: &[f64], to: &[f64]) -> bool {
        self.0.is_motion_valid(from, to)
    }

    fn checks(&self) -> u64 {
        self.0.checks
    }
}

#[test]
fn chomp_and_trajopt_need_distances_and_stomp_does_not() {
    let query = around_a_ball(2, 1.0);
    let problem = Problem::new(&query.space, &query.start, &query.goals, 0).unwrap();
    let mut verdicts = Verdicts(query.world.clone());
    for mut planner in [chomp(ChompConfig::default()), trajopt(TrajoptConfig::default())] {
        let refused = planner.plan(&problem, &mut verdicts, &iterations(BUDGET)).unwrap_err();
        let asks = matches!(&refused, KineticError::InvalidValue { wanted, .. } if wanted.contains("distances"));
        assert!(asks, "{refused}");
    }
    let path = stomp(StompConfig::default()).plan(&problem, &mut verdicts, &iterations(BUDGET)).unwrap().path;
    query.world.assert_path_is_clear(&path, "verdicts alone");
}

#[test]
fn stomp_lowers_costs_that_have_no_derivatives() {
    // Steps, so that a gradient is 0 almost everywhere: a plateau of cost across the line, cheaper above it.
    let step = |q: &[f64]| if q[0].abs() < 1.0 && q[1] < 0.8 { 1.0 } else { 0.0 };
    let query = query("plateau", cube(2, 3.0), World::default(), &[-2.0, 0.0], &[2.0, 0.0]);
    let sum = |path: &Trajectory| path.iter().map(step).sum::<f64>() / path.len() as f64;
    for seed in 0..cases(5, 50) {
        let config = StompConfig { num_seeds: 1, ..StompConfig::default() };
        let mut careful = Stomp::new(config).unwrap().with_cost(Arc::new(move |q: &[f64]| Ok(step(q))));
        let path = run(&mut careful, &query, seed).unwrap();
        // Along the straight line it is a half.
        assert!(sum(&path) < 0.25, "seed {seed}: {}", sum(&path));
        let plain = run(&mut *stomp(config), &query, seed).unwrap();
        assert_eq!(plain.len(), 2, "without a cost nothing is better than the line");
    }
}

#[test]
fn what_was_found_before_the_budget_ended_is_the_answer() {
    let query = query("free", cube(2, 3.0), World::default(), &[-2.0, 0.0], &[2.0, 0.0]);
    let problem = Problem::new(&query.space, &query.start, &query.goals, 0).unwrap();
    for budget in [1, 2, 50] {
        let mut planner = Stomp::default().with_cost(Arc::new(|q: &[f64]| Ok(1.0 + q[1].abs())));
        let plan = planner.plan(&problem, &mut query.world.clone(), &iterations(budget)).unwrap();
        assert_eq!(plan.iterations, budget);
    }
    // A cost that fails later is an error all the same.
    let asked = std::sync::atomic::AtomicU64::new(0);
    let fails = move |_: &[f64]| {
        let count = asked.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
        Ok(if count < 5_000 { 1.0 } else { f64::NAN })
    };
    let error = run(&mut Stomp::default().with_cost(Arc::new(fails)), &query, 0).unwrap_err();
    assert!(matches!(&error, KineticError::InvalidValue { .. }), "{error}");
}

#[test]
fn where_the_start_is_the_goal_nothing_moves() {
    let query = query("there", cube(2, 3.0), World::default(), &[1.0, -1.0], &[1.0, -1.0]);
    let costed: Box<dyn Algorithm> = Box::new(Stomp::default().with_cost(Arc::new(|q: &[f64]| Ok(9.0 - q[0]))));
    for (name, mut planner) in optimizers(1).into_iter().chain([("stomp with a cost", costed)]) {
        let path = run(&mut *planner, &query, 0).unwrap();
        assert!(path.iter().all(|q| q == query.start), "{name}: {path:?}");
    }
}

#[test]
fn costs_that_are_not_costs_are_errors() {
    let query = around_a_ball(2, 1.0);
    for bad in [f64::NAN, -1.0, f64::INFINITY] {
        let mut planner = Stomp::default().with_cost(Arc::new(move |_: &[f64]| Ok(bad)));
        let refused = run(&mut planner, &query, 0).unwrap_err();
        assert!(
            matches!(&refused, KineticError::InvalidValue { name, .. } if name == "cost of a configuration"),
            "{refused}"
        );
    }
}

/// With more iterations it finds the folded configurations.
static HURRIED: PlannerSpec = PlannerSpec {
    id: "hurried",
    summary: "trajopt with one initial trajectory and two iterations",
    source: "",
    is_anytime: false,
    is_complete: false,
    may_be_simplified: false,
    build: &|_| Ok(trajopt(TrajoptConfig { num_seeds: 1, iterations_per_seed: 2, ..TrajoptConfig::default() })),
};

#[test]
fn trajectories_that_cannot_be_repaired_end_with_the_least_cost_and_what_is_in_the_way() {
    let walled = query("walled in", cube(2, 3.0), wall_with_gap(20.0, 0.1), &[-2.0, -1.0], &[2.0, -1.0]);
    for (name, mut planner) in optimizers(3) {
        let error = run(&mut *planner, &walled, 0).unwrap_err();
        let KineticError::PlanningFailed { reason: reason::PlanningFailed::NotRepaired { planner, seeds: 3, cost } } =
            error
        else {
            panic!("{name}: {error}")
        };
        assert!(planner == name && cost.is_finite() && cost > 0.0, "{name}: {cost}");
    }
    let robot = Arc::new(Robot::from_name("ur5e").unwrap());
    let mut scene = Scene::new(&robot).unwrap();
    // A wall with a window that the arm fits through only when it is folded.
    let (start, goal) = ([0.6, -1.2, 1.4, -1.7, -1.57, 0.0], [2.5, -1.2, 1.4, -1.7, -1.57, 0.0]);
    for (name, half, y, z) in
        [("left", [1.0, 3.0], 1.3, 0.0), ("right", [1.0, 3.0], -1.3, 0.0), ("top", [0.3, 1.0], 0.0, 1.7)]
    {
        let part = Shape::cuboid(0.02, half[0], half[1]).unwrap();
        scene.add(name, part, Pose::from_xyz(0.0, y, z)).unwrap();
    }
    for name in ["chomp", "stomp", "trajopt"] {
        let planner = Planner::in_scene(scene.clone()).unwrap();
        let planner = match name {
            "trajopt" => planner.with_algorithm(&HURRIED),
            name => planner.with_planner_type(name.parse::<PlannerType>().unwrap()),
        };
        let config = PlannerConfig { num_seeds: Some(1), timeout: 600.0, ..PlannerConfig::default() };
        let error = planner.plan_with_config(&start, &Goal::joints(goal), config);
        let error = error.unwrap_err();
        let KineticError::PlanningFailed {
            reason: reason::PlanningFailed::NotRepairedNear { seeds: 1, other, missing, .. },
        } = &error
        else {
            panic!("{name}: {error}")
        };
        assert!(["left", "right", "top"].contains(&other.as_str()) && *missing > 0.0, "{name}: {error}");
    }
}

/// Regression 51: `stomp` looked at waypoints alone, and told of a wall between two of them as if it were nearly passed.
#[test]
fn what_is_missing_is_told_of_the_whole_trajectory() {
    // Half of the wall, the ball and the margin, m: every path crosses the middle of the wall.
    let (half, ball, margin) = (0.1, 0.1, 0.02);
    let mut scene = Scene::new(&Arc::new(slides::robot(2.0, ball).unwrap())).unwrap();
    scene.add("wall", Shape::cuboid(half, 4.0, 0.5).unwrap(), Pose::identity()).unwrap();
    for name in ["chomp", "stomp", "trajopt"] {
        let planner = Planner::in_scene(scene.clone()).unwrap();
        let planner = planner.with_planner_type(name.parse::<PlannerType>().unwrap());
        for seed in 0..3 {
            let config = PlannerConfig {
                num_seeds: Some(2),
                timeout: 600.0,
                collision_margin: margin,
                seed,
                ..PlannerConfig::default()
            };
            let error = planner.plan_with_config(&[-1.5, 0.0], &Goal::joints([1.5, 0.1]), config).unwrap_err();
            let KineticError::PlanningFailed { reason: reason::PlanningFailed::NotRepairedNear { missing, .. } } =
                &error
            else {
                panic!("{name}: {error}")
            };
            let all = half + ball + margin;
            assert!(*missing > 0.7 * all && *missing <= all + 1e-9, "{name}, seed {seed}: {missing} of {all}");
        }
    }
}

#[test]
fn options_outside_their_domain_are_refused() {
    let zero = ChompConfig { num_seeds: 0, ..ChompConfig::default() };
    assert!(matches!(Chomp::new(zero), Err(KineticError::InvalidValue { name, .. }) if name == "num_seeds"));
    let zero = StompConfig { rollouts: 0, ..StompConfig::default() };
    assert!(matches!(Stomp::new(zero), Err(KineticError::InvalidValue { name, .. }) if name == "rollouts"));
    for waypoints in [0, 1001] {
        let wrong = ChompConfig { waypoints, ..ChompConfig::default() };
        assert!(matches!(Chomp::new(wrong), Err(KineticError::InvalidValue { name, .. }) if name == "waypoints"));
    }
    for wrong in [f64::NAN, -1.0, 0.0] {
        let wrong = ChompConfig { clearance: wrong, ..ChompConfig::default() };
        assert!(matches!(Chomp::new(wrong), Err(KineticError::InvalidValue { name, .. }) if name == "clearance"));
    }
    for (name, wrong) in [
        ("num_seeds", TrajoptConfig { num_seeds: 0, ..TrajoptConfig::default() }),
        ("iterations_per_seed", TrajoptConfig { iterations_per_seed: 0, ..TrajoptConfig::default() }),
        ("control_points", TrajoptConfig { control_points: 0, ..TrajoptConfig::default() }),
        ("control_points", TrajoptConfig { control_points: usize::MAX, ..TrajoptConfig::default() }),
        ("samples_per_interval", TrajoptConfig { samples_per_interval: 101, ..TrajoptConfig::default() }),
        ("clearance", TrajoptConfig { clearance: f64::INFINITY, ..TrajoptConfig::default() }),
        ("largest_change", TrajoptConfig { largest_change: 0.0, ..TrajoptConfig::default() }),
    ] {
        let refused = Trajopt::new(wrong).unwrap_err();
        assert!(matches!(&refused, KineticError::InvalidValue { name: given, .. } if given == name), "{refused}");
    }
    let config = PlannerConfig { minimise: Some(kinetic_core::Minimise::Length), ..PlannerConfig::default() };
    for planner in [PlannerType::CHOMP, PlannerType::STOMP, PlannerType::TRAJOPT] {
        let refused = (planner.spec().build)(&PlannerContext::without_robot(&config)).map(|_| ());
        assert!(matches!(refused, Err(KineticError::InvalidValue { name, .. }) if name == "minimise"));
    }
}

/// The smallest splines: one control point, one sample per interval.
#[test]
fn splines_of_one_control_point_give_way() {
    let config = TrajoptConfig { control_points: 1, samples_per_interval: 1, num_seeds: 1, ..TrajoptConfig::default() };
    let path = run(&mut *trajopt(config), &around_a_ball(2, 1.0), 0).unwrap();
    assert!(path.iter().any(|q| q[1] > 0.5), "{path:?}");
}

/// Gradients of distances of arms by central differences, self-collisions and several kinds of shapes among them.
#[test]
fn distances_of_robots_have_the_derivatives_that_their_jacobians_say() {
    let mut compared = 0;
    for name in ["franka_panda", "ur5e", "fetch"] {
        let robot = Arc::new(Robot::from_name(name).unwrap());
        let mut scene = Scene::new(&robot).unwrap();
        scene.add("box", Shape::cuboid(0.1, 0.2, 0.3).unwrap(), Pose::from_xyz(0.5, 0.1, 0.6)).unwrap();
        scene.add("ball", Shape::sphere(0.1).unwrap(), Pose::from_xyz(0.2, 0.5, 0.9)).unwrap();
        let group = &robot.groups[robot.default_group];
        let mut checker = scene.checker(&group.name, kinetic_scene::Margins::ZERO).unwrap();
        let mut validity = kinetic_planning::SceneValidity::new(&mut checker);
        let mut rng = kinetic_core::rng::SeededRng::new(11);
        let still = vec![0.0; group.dof()];
        let (mut near, mut beside) = (NearDistances::default(), NearDistances::default());
        for case in 0..cases(60, 2000) {
            let q = robot.random_configuration(group, &mut rng).0;
            let step: Vec<f64> = q.iter().map(|_| rng.uniform(-1.0, 1.0) * 1e-3).collect();
            assert!(validity.near_distances(&q, &still, 0.2, &mut near));
            let slacks: Vec<Vec<f64>> = [1.0, -1.0]
                .map(|sign| {
                    let moved: Vec<f64> = q.iter().zip(&step).map(|(q, step)| q + sign * step).collect();
                    validity.near_distances(&moved, &still, 0.2, &mut beside);
                    beside.iter().map(|(pair, _)| pair.slack).collect()
                })
                .into();
            // Pairs that come or go would be compared with others.
            if slacks.iter().any(|list| list.len() != near.iter().count()) {
                continue;
            }
            for (index, (pair, jacobian)) in near.iter().enumerate() {
                let rate = |axis: usize| -> f64 {
                    let row = &jacobian[axis * q.len()..][..q.len()];
                    pair.direction[axis] * row.iter().zip(&step).map(|(j, step)| j * step).sum::<f64>()
                };
                let predicted = rate(0) + rate(1) + rate(2);
                let sides = [slacks[0][index] - pair.slack, pair.slack - slacks[1][index]];
                let [low, high] = [sides[0].min(sides[1]), sides[0].max(sides[1])];
                // Single precision, and the second order of steps of a milliradian; where the nearest features change in between,
                // the derivative is that of one side. Deep overlaps change their face.
                if pair.slack > 0.0 {
                    let is_between = predicted > low - 2e-5 && predicted < high + 2e-5;
                    assert!(is_between, "{name}, case {case}: {predicted}, sides {sides:?}");
                    compared += 1;
                }
            }
        }
    }
    assert!(compared > 300, "{compared}");
}

#[test]
fn arms_are_led_around_what_stands_in_their_way() {
    let robot = Arc::new(Robot::from_name("ur5e").unwrap());
    let mut scene = Scene::new(&robot).unwrap();
    scene.add("wall", Shape::cuboid(0.02, 0.4, 0.25).unwrap(), Pose::from_xyz(0.0, 0.7, 0.25)).unwrap();
    let (start, goal) = ([0.6, -1.2, 1.4, -1.7, -1.57, 0.0], [2.5, -1.2, 1.4, -1.7, -1.57, 0.0]);
    for planner_type in [PlannerType::CHOMP, PlannerType::STOMP, PlannerType::TRAJOPT] {
        let planner = Planner::in_scene(scene.clone()).unwrap().with_planner_type(planner_type);
        for seed in 0..cases(2, 20) {
            let config = PlannerConfig { seed, timeout: 600.0, max_iterations: 20_000, ..PlannerConfig::default() };
            let planned = planner.plan_with_config(&start, &Goal::joints(goal), config.clone()).unwrap();
            assert_eq!(planned.planner_used, planner_type.id());
            let again = planner.plan_with_config(&start, &Goal::joints(goal), config).unwrap();
            assert_eq!(planned.path, again.path, "{planner_type}, seed {seed}");
        }
    }
    // A cost of configurations is for those that look at it.
    let config = PlannerConfig { state_cost: Some(StateCost::JointCentring), ..PlannerConfig::default() };
    let planner = Planner::in_scene(scene).unwrap().with_planner_type(PlannerType::CHOMP);
    let refused = planner.plan_with_config(&start, &Goal::joints(goal), config).unwrap_err();
    assert!(matches!(&refused, KineticError::InvalidValue { name, .. } if name == "state_cost"), "{refused}");
}
