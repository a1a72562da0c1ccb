//! MotionBenchMaker problems (Chamzas et al., RA-L 2021): the bench that is this project's pulse.
//!
//! Reads a folder with `problems/<robot>/<family>.json.gz` and `models/<robot>/model.json`, plans every valid problem,
//! and reports times and lengths; see the command `kinetic bench mbm`.

mod builtin;
mod files;
mod model;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use kinetic_core::{Goal, KineticError, PlannerConfig, Result, Shape, Trajectory};
use kinetic_planning::{Planner, PlannerType, Query, Solution};
use kinetic_robot::Robot;
use kinetic_scene::{Margins, Scene};
use serde::Serialize;

pub use files::write_paths;

/// Which model of the robot is planned for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Model {
    /// The spheres of `models/<robot>/model.json`.
    Given,
    /// The built-in robot with its own geometry.
    Builtin,
}

/// What a cylinder of a problem is planned against.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Cylinders {
    /// What VAMP uses: a capsule, in family `box` the enclosing cuboid.
    Vamp,
    /// The flat-ended cylinder.
    Exact,
}

/// What to run.
#[derive(Debug, Clone)]
pub struct Options {
    /// Folder with `problems/` and `models/`.
    pub data: PathBuf,
    /// Robot of the bench: `panda`, `ur5`, `fetch` or `baxter`.
    pub robot: String,
    /// Model of the robot.
    pub model: Model,
    /// Treatment of cylinders.
    pub cylinders: Cylinders,
    /// Seed of every plan.
    pub seed: u64,
    /// Who plans.
    pub planner: PlannerType,
    /// Budget of a problem, s: anytime planners use it up.
    pub timeout: f64,
}

/// The time a problem may take where nothing else is said, s.
pub const TIMEOUT: f64 = 10.0;

impl Options {
    /// The given model of a robot, cylinders as the planner VAMP takes them, the default planner, 10 s and seed 1.
    pub fn new(data: impl Into<PathBuf>, robot: impl Into<String>) -> Self {
        Self {
            data: data.into(),
            robot: robot.into(),
            model: Model::Given,
            cylinders: Cylinders::Vamp,
            seed: 1,
            planner: PlannerType::Auto,
            timeout: TIMEOUT,
        }
    }
}

/// Result of one problem. Times in µs; lengths Euclidean in joint space.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct Row {
    /// Problem family.
    pub family: String,
    /// Index of the problem in its family.
    pub index: u64,
    /// Start and goal are free, and within the limits of a built-in robot; other problems are not planned.
    pub valid: bool,
    /// A proven path was found.
    pub solved: bool,
    /// What the call takes beside the following three.
    pub setup_us: f64,
    /// Search.
    pub plan_us: f64,
    /// Shortening and smoothing.
    pub simplify_us: f64,
    /// Final proof.
    pub verify_us: f64,
    /// Sum of search, simplification and proof.
    pub total_us: f64,
    /// Length before simplification; 0 when not solved.
    pub length_raw: f64,
    /// Final length; 0 when not solved.
    pub length: f64,
    /// Why an unsolved problem failed; empty otherwise.
    pub failure: String,
}

/// A solved path in the form that independent judges read.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct SolvedPath {
    /// Problem family.
    pub family: String,
    /// Index of the problem in its family.
    pub index: u64,
    /// Waypoints in joint order of the problem file.
    pub path: Vec<Vec<f64>>,
}

/// Everything a run produced.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Report {
    /// Processor and number of cores.
    pub machine: String,
    /// Robot of the bench.
    pub robot: String,
    /// One row per problem.
    pub rows: Vec<Row>,
    /// One path per solved problem.
    pub paths: Vec<SolvedPath>,
}

/// Budgets of the bench: 10⁶ iterations per problem, and the time of the options; no margins.
fn config(options: &Options) -> PlannerConfig {
    PlannerConfig {
        timeout: options.timeout,
        max_iterations: 1_000_000,
        collision_margin: 0.0,
        self_margin: 0.0,
        seed: options.seed,
        ..PlannerConfig::default()
    }
}

/// Runs all families of a robot. `progress` hears how many problems are done, of how many, and may answer `false` to
/// stop.
///
/// # Errors
/// [`KineticError::Io`] or [`KineticError::FileParse`] for the data, [`KineticError::InvalidValue`] for a robot that
/// has no data or no built-in model, [`KineticError::Cancelled`] when `progress` says so.
pub fn run(options: &Options, progress: &mut dyn FnMut(usize, usize) -> bool) -> Result<Report> {
    let families = files::families(&options.data, &options.robot)?;
    let base = planner(options)?;
    // What is worked out once per robot and process belongs to none of the problems.
    base.scene().ask_checker_within(&base.group().name, Margins::ZERO, None, |_| ())?;
    let total = families.iter().map(|family| family.problems.len()).sum();
    let mut report = Report { machine: machine(), robot: options.robot.clone(), rows: Vec::new(), paths: Vec::new() };
    for family in &families {
        for problem in &family.problems {
            let (row, path) = solve(&base, &family.family, problem, options)?;
            report.paths.extend(path.map(|path| SolvedPath {
                family: family.family.clone(),
                index: problem.index,
                path: path.iter().map(<[f64]>::to_vec).collect(),
            }));
            report.rows.push(row);
            if !progress(report.rows.len(), total) {
                return Err(KineticError::Cancelled { elapsed: 0.0, iterations: report.rows.len() as u64 });
            }
        }
    }
    Ok(report)
}

/// The problems grasp objects with an open gripper: the pose `open` of every group that has one.
pub(crate) fn with_open_grippers(robot: &Robot) -> Vec<f64> {
    let mut configuration = robot.neutral_configuration();
    for group in &robot.groups {
        let open = robot.named_pose(group, "open").into_iter().flat_map(|pose| pose.iter());
        for (variable, value) in group.variables.iter().zip(open) {
            configuration[*variable] = *value;
        }
    }
    configuration
}

fn load_robot(options: &Options) -> Result<Robot> {
    match options.model {
        Model::Given => model::load(&options.data.join("models").join(&options.robot).join("model.json")),
        Model::Builtin => builtin::load(&options.robot),
    }
}

/// Plans one problem.
fn solve(
    base: &Planner,
    family: &str,
    problem: &files::Problem,
    options: &Options,
) -> Result<(Row, Option<Trajectory>)> {
    let mut row = Row { family: family.to_owned(), index: problem.index, ..Row::default() };
    let planner = base.clone().with_scene(&scene(base.scene(), family, problem, options.cylinders)?)?;
    let goal = problem.goals.first().cloned().unwrap_or_default();
    row.valid = is_valid(&planner, problem, options)?;
    if !row.valid {
        return Ok((row, None));
    }
    let goal = Goal::joints(goal);
    let control = planner.control(kinetic_core::StopFlag::default());
    match planner.solve(Query::new(&problem.start, &goal).with_control(&control)) {
        Ok(Solution { result, .. }) => {
            row.solved = true;
            row.plan_us = result.planning_time * 1e6;
            row.simplify_us = result.simplification_time * 1e6;
            row.verify_us = result.verification_time * 1e6;
            row.total_us = row.plan_us + row.simplify_us + row.verify_us;
            row.setup_us = control.elapsed() * 1e6 - row.total_us;
            (row.length_raw, row.length) = (result.raw_length, result.path_length);
            Ok((row, Some(result.path)))
        }
        Err(error) => {
            row.plan_us = control.elapsed() * 1e6;
            row.total_us = row.plan_us;
            row.failure = error.to_string();
            Ok((row, None))
        }
    }
}

/// Whether a problem can be planned: what the data says of the given spheres, and what built-in robots say themselves.
fn is_valid(planner: &Planner, problem: &files::Problem, options: &Options) -> Result<bool> {
    match (options.model, options.cylinders) {
        (Model::Given, Cylinders::Vamp) => Ok(problem.valid_vamp),
        (Model::Given, Cylinders::Exact) => Ok(problem.valid_exact),
        (Model::Builtin, _) => {
            let goal = problem.goals.first().map_or(&[][..], Vec::as_slice);
            Ok(builtin::can_stand(planner, &problem.start)? && builtin::can_stand(planner, goal)?)
        }
    }
}

/// A problem that is ready to be planned.
#[derive(Debug, Clone)]
pub struct Case {
    /// Problem family.
    pub family: String,
    /// Index of the problem in its family.
    pub index: u64,
    /// The robot and the obstacles.
    pub scene: Scene,
    /// Where the path begins.
    pub start: Vec<f64>,
    /// Where it ends.
    pub goal: Vec<f64>,
    /// Start and goal are free, as the data says about the given model and a built-in robot of itself.
    pub is_valid: bool,
}

/// A planner with the budgets of the bench in the empty scene, and all problems of a robot.
///
/// # Errors
/// As [`run`].
pub fn cases(options: &Options) -> Result<(Planner, Vec<Case>)> {
    let families = files::families(&options.data, &options.robot)?;
    let base = planner(options)?;
    let mut cases = Vec::new();
    for family in &families {
        for problem in &family.problems {
            let scene = scene(base.scene(), &family.family, problem, options.cylinders)?;
            let is_valid = is_valid(&base.clone().with_scene(&scene)?, problem, options)?;
            cases.push(Case {
                family: family.family.clone(),
                index: problem.index,
                scene,
                start: problem.start.clone(),
                goal: problem.goals.first().cloned().unwrap_or_default(),
                is_valid,
            });
        }
    }
    Ok((base, cases))
}

/// A planner in the empty scene.
fn planner(options: &Options) -> Result<Planner> {
    let robot = Arc::new(load_robot(options)?);
    let mut empty = Scene::new(&robot)?;
    empty.hold(&with_open_grippers(&robot))?;
    let planner = Planner::in_scene(empty)?.with_config(config(options))?.with_planner_type(options.planner);
    match options.model {
        Model::Given => Ok(planner),
        Model::Builtin => planner.with_group(builtin::group(&options.robot)?),
    }
}

/// The problem's obstacles around the robot.
fn scene(empty: &Scene, family: &str, problem: &files::Problem, cylinders: Cylinders) -> Result<Scene> {
    let mut scene = empty.clone();
    for (index, obstacle) in problem.obstacles.boxes.iter().enumerate() {
        let [x, y, z] = obstacle.half_extents;
        scene.add(&format!("{}#{index}", obstacle.name), Shape::cuboid(x, y, z)?, obstacle.pose()?)?;
    }
    for (index, obstacle) in problem.obstacles.cylinders.iter().enumerate() {
        let (radius, half) = (obstacle.radius, obstacle.length / 2.0);
        let shape = match cylinders {
            Cylinders::Exact => Shape::cylinder(radius, half)?,
            Cylinders::Vamp if family == "box" => Shape::cuboid(radius, radius, half)?,
            Cylinders::Vamp => Shape::capsule(radius, half)?,
        };
        scene.add(&format!("{}#cylinder{index}", obstacle.name), shape, obstacle.pose()?)?;
    }
    for (index, obstacle) in problem.obstacles.spheres.iter().enumerate() {
        let pose = kinetic_core::Pose::from_xyz(obstacle.position[0], obstacle.position[1], obstacle.position[2]);
        scene.add(&format!("{}#sphere{index}", obstacle.name), Shape::sphere(obstacle.radius)?, pose)?;
    }
    Ok(scene)
}

/// The robot of the options and the obstacles of one problem around it: what primitives are measured on.
///
/// # Errors
/// As [`run`]; [`KineticError::UnknownName`] for a family or problem that the data does not have.
pub fn problem_scene(options: &Options, family: &str, index: u64) -> Result<Scene> {
    let families = files::families(&options.data, &options.robot)?;
    let found = families.iter().find(|known| known.family == family);
    let problem = found.and_then(|family| family.problems.iter().find(|problem| problem.index == index));
    let unknown = || {
        KineticError::unknown_name(
            "problem",
            format!("{family} {index}"),
            families.iter().map(|known| known.family.as_str()),
        )
    };
    let problem = problem.ok_or_else(unknown)?;
    let mut empty = Scene::new(&Arc::new(load_robot(options)?))?;
    let open = with_open_grippers(empty.robot());
    empty.hold(&open)?;
    scene(&empty, family, problem, options.cylinders)
}

/// Processor name and number of cores, as far as the system tells.
pub fn machine() -> String {
    let cores = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    let info = std::fs::read_to_string(Path::new("/proc/cpuinfo")).unwrap_or_default();
    let name = info.lines().find(|line| line.starts_with("model name")).and_then(|line| line.split(": ").nth(1));
    format!("{} ({cores} cores)", name.unwrap_or("unknown processor"))
}
