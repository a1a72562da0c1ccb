//! Algorithms and time laws that are not in the registries: what leaves the planner is proven all the same.

use std::f64::consts::PI;

use kinetic::planning::{Plan, PlannerSpec, PlanningProblem, Problem, RrtConnect, register_planner};
use kinetic::prelude::*;
use kinetic::trajectory::{Corners, PathGeometry, TimeLawSpec, stretched, time_law};

use crate::support::{assert_dense_free, workcell};

const START: [f64; 6] = [0.3, -1.6, 1.5, -1.5, -1.57, 0.0];
const FAR: [f64; 6] = [1.6, -1.3, 1.6, -1.8, -1.57, 0.4];

/// Two searches, which meet in a named pose of the robot.
struct ByWay {
    via: JointValues,
}

impl Algorithm for ByWay {
    fn plan(&mut self, problem: &Problem<'_>, validity: &mut dyn Validity, control: &Control) -> Result<Plan> {
        let via = [self.via.clone()];
        let first = Problem::new(problem.space(), problem.start(), &via, problem.seed())?;
        let second = Problem::new(problem.space(), &self.via, problem.goals(), problem.seed())?;
        let mut plan = RrtConnect::default().plan(&first, validity, control)?;
        let rest = RrtConnect::default().plan(&second, validity, control)?;
        plan.path.append(&rest.path)?;
        Ok(Plan { goal_index: rest.goal_index, planner_used: BY_WAY.id, ..plan })
    }
}

static BY_WAY: PlannerSpec = PlannerSpec {
    id: "by_way",
    summary: "by way of the group's pose \"ready\"",
    source: "this test",
    is_anytime: false,
    is_complete: false,
    may_be_simplified: false,
    build: &|context| {
        let at = context.robot.ok_or_else(|| KineticError::invalid("robot", "None", "a robot"))?;
        assert_eq!(at.chain.dof(), at.group.dof());
        let via = at.robot.named_pose(at.group, "ready").cloned();
        Ok(Box::new(ByWay { via: via.ok_or_else(|| KineticError::invalid("pose", "ready", "a pose"))? }))
    },
};

static SHORTENED_BY_WAY: PlannerSpec = PlannerSpec {
    id: "shortened",
    summary: "",
    source: "",
    is_anytime: false,
    is_complete: false,
    may_be_simplified: true,
    build: BY_WAY.build,
};

fn planner(spec: &'static PlannerSpec) -> Planner {
    Planner::in_scene(workcell()).unwrap().with_algorithm(spec)
}

#[test]
fn an_own_algorithm_is_built_for_the_robot_and_its_waypoints_stay() {
    let planner = planner(&BY_WAY);
    let goal = Goal::joints(FAR);
    let Solution { result, trajectory } =
        planner.solve(Query::new(&START, &goal).with_time_law("totp").unwrap()).unwrap();
    let via = planner.scene().robot().named_pose(planner.group(), "ready").unwrap();
    assert!(result.path.iter().any(|q| q == &via[..]), "{:?}", result.path);
    assert_eq!((result.planner_used, planner.planner_type()), ("by_way", PlannerType::Own(&BY_WAY)));
    assert_dense_free(planner.scene(), "arm", &result.path, 0.02 - 1e-9);
    assert!(trajectory.unwrap().certificate().is_some());
}

#[test]
fn only_paths_that_may_be_simplified_are_shortened() {
    let length = |spec| planner(spec).plan(&START, &Goal::joints(FAR)).unwrap().path_length;
    assert!(length(&SHORTENED_BY_WAY) < 0.95 * length(&BY_WAY));
}

/// The straight line, whatever is in the way.
struct Blind;

impl Algorithm for Blind {
    fn plan(&mut self, problem: &Problem<'_>, _: &mut dyn Validity, _: &Control) -> Result<Plan> {
        let path = Trajectory::from_waypoints(&[problem.start(), &problem.goals()[0]])?;
        Ok(Plan {
            path,
            goal_index: 0,
            iterations: 1,
            tree_size: 2,
            checks: 0,
            planner_used: BLIND.id,
            lower_bound: None,
        })
    }
}

static BLIND: PlannerSpec = PlannerSpec {
    id: "blind",
    summary: "",
    source: "",
    is_anytime: false,
    is_complete: false,
    may_be_simplified: false,
    build: &|_| Ok(Box::new(Blind)),
};

#[test]
fn a_path_that_touches_something_is_refused_whoever_made_it() {
    let planner = planner(&BLIND);
    // Pillar and shelf stand between the two.
    match planner.plan(&[-2.0, -1.6, 1.5, -1.5, -1.57, 0.0], &Goal::joints([0.9, -1.3, 1.6, -1.8, -1.57, 0.4])) {
        Err(KineticError::CollisionDetected { other, .. }) => {
            assert_eq!(other, "pillar", "the first thing that is met");
        }
        other => panic!("{other:?}"),
    }
    let free = planner.plan(&START, &Goal::joints([0.35, -1.6, 1.5, -1.5, -1.57, 0.0])).unwrap();
    assert_eq!(free.num_waypoints(), 2);
}

/// Paths whose ends are not those of the problem.
struct Elsewhere {
    is_start_wrong: bool,
    goal_index: usize,
}

impl Algorithm for Elsewhere {
    fn plan(&mut self, problem: &Problem<'_>, _: &mut dyn Validity, _: &Control) -> Result<Plan> {
        let mut start = problem.start().to_vec();
        start[0] += if self.is_start_wrong { 1e-3 } else { 0.0 };
        let mut end = problem.goals()[0].to_vec();
        end[5] += if self.is_start_wrong { 0.0 } else { 1e-3 };
        let path = Trajectory::from_waypoints(&[start, end])?;
        let goal_index = self.goal_index;
        Ok(Plan {
            path,
            goal_index,
            iterations: 1,
            tree_size: 2,
            checks: 0,
            planner_used: "elsewhere",
            lower_bound: None,
        })
    }
}

#[test]
fn a_path_that_begins_or_ends_elsewhere_is_refused() {
    use kinetic::core::error::reason::PlannerOutputInvalid as Reason;
    let spec = |build| PlannerSpec { id: "elsewhere", summary: "", source: "", build, ..BLIND };
    let near = Goal::joints([0.35, -1.6, 1.5, -1.5, -1.57, 0.0]);
    let refused = |spec: PlannerSpec| {
        let planner = Planner::in_scene(workcell()).unwrap().with_algorithm(Box::leak(Box::new(spec)));
        match planner.plan(&START, &near) {
            Err(KineticError::PlannerOutputInvalid { waypoint, reason }) => (waypoint, reason),
            other => panic!("{other:?}"),
        }
    };
    let of_start = spec(&|_| Ok(Box::new(Elsewhere { is_start_wrong: true, goal_index: 0 })));
    assert_eq!(refused(of_start), (0, Reason::NotAtStart));
    let of_goal = spec(&|_| Ok(Box::new(Elsewhere { is_start_wrong: false, goal_index: 0 })));
    assert_eq!(refused(of_goal), (1, Reason::NotAtGoal { goal: 0, goals: 1 }));
    let of_number = spec(&|_| Ok(Box::new(Elsewhere { is_start_wrong: false, goal_index: 7 })));
    assert_eq!(refused(of_number), (1, Reason::NotAtGoal { goal: 7, goals: 1 }));
}

#[test]
fn a_registered_planner_is_known_by_its_name() {
    let spec = |id| PlannerSpec { id, ..BY_WAY };
    let registered = register_planner(spec("by_way_of_ready")).unwrap();
    assert_eq!("by_way_of_ready".parse::<PlannerType>().unwrap(), registered);
    assert!(PlannerType::names().contains(&"by_way_of_ready".to_owned()));
    let planner = Planner::in_scene(workcell()).unwrap().with_planner_type(registered);
    let problem = planner.problem(&START, &Goal::joints(FAR)).unwrap();
    let read = PlanningProblem::from_toml(&problem.to_toml().unwrap(), "memory").unwrap();
    assert_eq!(read.planner_type(), registered);
    let path = read.solve().unwrap().result.path;
    assert_eq!(path, planner.plan(&START, &Goal::joints(FAR)).unwrap().path);
}

#[test]
fn names_of_planners_are_taken_once() {
    let named = |id| register_planner(PlannerSpec { id, ..BY_WAY });
    named("taken_once").unwrap();
    for (id, wanted) in [
        ("taken_once", "no planner has"),
        ("rrt_connect", "no planner has"),
        ("auto", "no planner has"),
        ("", "letter"),
        ("By Way", "letter"),
        ("2nd", "letter"),
    ] {
        let error = named(id).unwrap_err();
        assert!(error.is_input_error() && error.to_string().contains(wanted), "{id}: {error}");
    }
}

#[test]
fn a_problem_file_cannot_name_an_own_algorithm_without_a_name() {
    let error = planner(&BLIND).problem(&START, &Goal::joints(FAR)).unwrap_err();
    let KineticError::InvalidValue { value, wanted, .. } = &error else { panic!("{error}") };
    assert_eq!(value, "\"blind\"");
    assert!(wanted.contains("rrt_connect"), "{wanted}");
}

fn law(id: &'static str, apply: fn(&PathGeometry, &Limits) -> Result<TimedTrajectory>) -> TimeLawSpec {
    let corners = Corners::Parabolas;
    TimeLawSpec { id, summary: "", source: "", bounds_jerk: false, corners, moving_ends: false, apply }
}

fn slow(path: &PathGeometry, limits: &Limits) -> Result<TimedTrajectory> {
    let fast = (time_law("trapezoidal")?.apply)(path, limits)?;
    stretched(&fast, 2.0 * fast.duration())
}

/// Uses more than the limits it is given.
fn reckless(path: &PathGeometry, limits: &Limits) -> Result<TimedTrajectory> {
    let twice = |values: &[f64]| values.iter().map(|value| 2.0 * value).collect();
    let limits = Limits { velocity: twice(&limits.velocity), acceleration: twice(&limits.acceleration), jerk: None };
    (time_law("trapezoidal")?.apply)(path, &limits)
}

#[test]
fn the_motion_of_an_own_time_law_is_certified_or_refused() {
    let planner = Planner::in_scene(workcell()).unwrap();
    let goal = Goal::joints(FAR);
    let with = |law: &TimeLawSpec| planner.solve(Query::new(&START, &goal).with_time_law_spec(law));
    let plain = planner.plan_timed(&START, &goal, "trapezoidal").unwrap().trajectory;
    let slow = with(&law("slow", slow)).unwrap().into_trajectory().unwrap();
    assert!((slow.duration() - 2.0 * plain.duration()).abs() < 1e-9);
    let ratio = slow.certificate().unwrap().max_velocity_ratio;
    assert!(ratio <= 0.5 + 1e-9, "{ratio}");
    let error = with(&law("reckless", reckless)).unwrap_err();
    assert!(matches!(error, KineticError::TrajectoryLimitExceeded { .. }), "{error}");
}

#[test]
fn a_query_without_a_time_law_has_no_trajectory() {
    let planner = Planner::in_scene(workcell()).unwrap();
    let goal = Goal::joints([0.4 * PI, -1.3, 1.6, -1.8, -1.57, 0.4]);
    let solution = planner.solve(Query::new(&START, &goal)).unwrap();
    assert!(solution.trajectory.is_none());
    let error = solution.into_trajectory().unwrap_err();
    assert!(error.is_input_error() && error.to_string().contains("time law"), "{error}");
}

#[test]
fn other_threads_own_validities_with_the_answers_of_the_planner() {
    let planner = Planner::in_scene(workcell()).unwrap();
    let rows: Vec<[f64; 6]> = (0..40).map(|k| [0.1 * f64::from(k) - 2.0, -1.4, 1.5, -1.5, -1.57, 0.2]).collect();
    let threads: Vec<_> = rows
        .chunks(10)
        .map(|chunk| {
            let (mut validity, chunk) = (planner.validity(&START).unwrap(), chunk.to_vec());
            std::thread::spawn(move || chunk.iter().map(|q| validity.is_valid(q)).collect::<Vec<_>>())
        })
        .collect();
    let found: Vec<bool> = threads.into_iter().flat_map(|thread| thread.join().unwrap()).collect();
    let expected: Vec<bool> = rows.iter().map(|q| !planner.is_in_collision(q).unwrap()).collect();
    assert!(found == expected && expected.contains(&true) && expected.contains(&false), "{found:?} {expected:?}");
}
