//! A whole planning problem as a value and as a file: robot, scene, group, start, goal, options, seed and a budget in
//! iterations. What it is solved by does not depend on the machine's speed, on threads, or on the width of registers, so
//! that the hash of an answer says whether it is the same one.
//!
//! [`Problem`](crate::Problem) is what an algorithm sees of it.

mod file;
mod goal_entry;
mod options_entry;
mod robot_entry;

use std::path::Path;
use std::sync::{Arc, OnceLock};

use kinetic_core::control::ManualClock;
use kinetic_core::{
    ContentHash, Control, Goal, JointValues, KineticError, PlannerConfig, Race, Result, StopFlag, TimedTrajectory,
    files,
};
use kinetic_scene::Scene;

use crate::planner::Planner;
use crate::query::Query;
use crate::registry::PlannerType;
use crate::result::{PlannedTrajectory, PlanningResult, Solution};

/// Iterations of the search for problems of planners that have no iteration budget: some seconds.
pub const DEFAULT_ITERATIONS: u64 = 100_000;

/// A planning problem with everything that its answer depends on.
///
/// Made by [`Planner::problem`], saved by [`save`](Self::save), read by [`load`](Self::load). The time budget of a planner
/// is no part of it: what is found in a second depends on the machine. Its budget is
/// [`max_iterations`](PlannerConfig::max_iterations), or [`DEFAULT_ITERATIONS`] where the planner has none. Of a
/// [race](PlannerConfig::race) for the first answer the clock says which planner's answer it is.
#[derive(Debug, Clone)]
pub struct PlanningProblem {
    scene: Scene,
    group: String,
    start: JointValues,
    goal: Goal,
    planner_type: PlannerType,
    config: PlannerConfig,
    law: Option<String>,
    stored: Option<StoredHashes>,
    text: OnceLock<Arc<str>>,
}

/// The hashes that a problem file holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StoredHashes {
    /// Of the problem, when it was saved.
    pub problem: ContentHash,
    /// Of its answer, when it was solved before it was saved.
    pub result: Option<ContentHash>,
}

/// The answer to a problem.
#[derive(Debug, Clone)]
pub struct ProblemSolution {
    /// The path and the figures of its search.
    pub result: PlanningResult,
    /// The timed trajectory, when the problem names a time law.
    pub trajectory: Option<TimedTrajectory>,
    /// [`PlanningProblem::hash`] of the problem.
    pub problem_hash: ContentHash,
    /// Hash of the bits of the trajectory, or of the path when it has no time.
    pub result_hash: ContentHash,
}

/// A problem that was solved again.
#[derive(Debug, Clone)]
pub struct Replay {
    /// The answer of now.
    pub solution: ProblemSolution,
    /// Hash of the answer that the file holds; `None` when it was saved unsolved.
    pub expected: Option<ContentHash>,
}

impl Replay {
    /// Whether the answer has the bits of the stored one; `None` when none is stored.
    pub fn is_same(&self) -> Option<bool> {
        self.expected.map(|expected| expected == self.solution.result_hash)
    }
}

impl PlannedTrajectory {
    /// Hash of the bits of the trajectory.
    pub fn content_hash(&self) -> ContentHash {
        self.trajectory.content_hash()
    }
}

impl PlanningResult {
    /// Hash of the bits of the path.
    pub fn content_hash(&self) -> ContentHash {
        self.path.content_hash()
    }
}

impl Planner {
    /// The problem that [`plan`](Self::plan) would solve, as a value that can be saved and solved elsewhere; without a time
    /// law. Start and goal are looked at when it is solved, so that failures can be saved too.
    ///
    /// # Errors
    /// [`KineticError::DimensionMismatch`] or [`KineticError::NotFinite`] for a start that is no configuration;
    /// [`KineticError::InvalidValue`] for an algorithm [of the caller's own](Self::with_algorithm) that is not
    /// [registered](crate::register_planner), so that files cannot name it.
    pub fn problem(&self, start: &[f64], goal: &Goal) -> Result<PlanningProblem> {
        self.scene().robot().group_configuration(self.group(), start)?;
        let planner_type = self.planner_type();
        if !planner_type.has_name() {
            let wanted = format!("a planner that problem files can name: {}", PlannerType::names().join(", "));
            return Err(KineticError::invalid("planner", format!("\"{}\"", planner_type.id()), wanted));
        }
        let mut config = self.config().clone();
        if config.max_iterations == u64::MAX {
            config.max_iterations = DEFAULT_ITERATIONS;
        }
        Ok(PlanningProblem {
            scene: self.now()?.scene().clone(),
            group: self.group().name.clone(),
            start: start.into(),
            goal: goal.clone(),
            planner_type,
            config: storable(config),
            law: None,
            stored: None,
            text: OnceLock::new(),
        })
    }
}

/// The options without the time budget, with as many iterations as an integer of TOML can say.
fn storable(config: PlannerConfig) -> PlannerConfig {
    let max_iterations = config.max_iterations.min(i64::MAX.unsigned_abs());
    PlannerConfig { timeout: f64::INFINITY, max_iterations, ..config }
}

impl PlanningProblem {
    /// The same problem, its path timed by the law of that name; `None` for a path without time.
    ///
    /// # Errors
    /// [`KineticError::UnknownName`] with the laws there are.
    pub fn with_time_law(mut self, law: Option<&str>) -> Result<Self> {
        if let Some(law) = law {
            kinetic_trajectory::time_law(law)?;
        }
        self.law = law.map(str::to_owned);
        Ok(self.changed())
    }

    /// The same problem in another scene of the same robot.
    ///
    /// # Errors
    /// [`KineticError::InvalidValue`] when the scene holds another robot.
    pub fn with_scene(mut self, scene: &Scene) -> Result<Self> {
        self.scene = scene.with_robot(self.scene.robot())?;
        Ok(self.changed())
    }

    /// The same problem with other options; the time budget among them does not count.
    ///
    /// # Errors
    /// [`KineticError::InvalidValue`] naming the option.
    pub fn with_config(mut self, config: PlannerConfig) -> Result<Self> {
        self.config = storable(config);
        self.config.check()?;
        Ok(self.changed())
    }

    /// The same problem from another start.
    #[must_use]
    pub fn with_start(mut self, start: impl Into<JointValues>) -> Self {
        self.start = start.into();
        self.changed()
    }

    /// The same problem with another goal.
    #[must_use]
    pub fn with_goal(mut self, goal: Goal) -> Self {
        self.goal = goal;
        self.changed()
    }

    /// The same problem for another planner.
    #[must_use]
    pub fn with_planner_type(mut self, planner_type: PlannerType) -> Self {
        self.planner_type = planner_type;
        self.changed()
    }

    fn changed(mut self) -> Self {
        self.stored = None;
        self.text = OnceLock::new();
        self
    }

    /// The scene, with its robot.
    pub fn scene(&self) -> &Scene {
        &self.scene
    }

    /// Name of the planning group.
    pub fn group(&self) -> &str {
        &self.group
    }

    /// Where the motion begins, in group or robot length.
    pub fn start(&self) -> &JointValues {
        &self.start
    }

    /// What it should reach.
    pub fn goal(&self) -> &Goal {
        &self.goal
    }

    /// The algorithm.
    pub fn planner_type(&self) -> PlannerType {
        self.planner_type
    }

    /// The options; without a time budget.
    pub fn config(&self) -> &PlannerConfig {
        &self.config
    }

    /// Name of the time law; `None` for a path without time.
    pub fn time_law(&self) -> Option<&str> {
        self.law.as_deref()
    }

    /// The hashes that the file held which this problem was read from.
    pub fn stored(&self) -> Option<StoredHashes> {
        self.stored
    }

    /// A planner for it.
    ///
    /// # Errors
    /// As [`Planner::with_group`] and [`Planner::with_config`].
    pub fn planner(&self) -> Result<Planner> {
        let planner = Planner::in_scene(self.scene.clone())?.with_group(&self.group)?;
        planner.with_planner_type(self.planner_type).with_config(self.config.clone())
    }

    /// As [`planner`](Self::planner), with the joints outside the group where the start says. A start that is no
    /// configuration says nothing.
    pub(crate) fn planner_at_start(&self) -> Result<Planner> {
        let planner = self.planner()?;
        let standing = planner.holding_at(&self.start).map(|(here, _)| here.into_owned());
        Ok(standing.unwrap_or(planner))
    }

    /// A control with this problem's iterations, on a clock that stands still.
    pub fn control(&self, stop: StopFlag) -> Control {
        Control::new(Arc::new(ManualClock::default()), f64::INFINITY, self.config.max_iterations, stop)
    }

    /// Hash of everything that the answer depends on.
    ///
    /// # Errors
    /// As [`to_toml`](Self::to_toml).
    pub fn hash(&self) -> Result<ContentHash> {
        Ok(ContentHash::of_bytes(self.text()?.as_bytes()))
    }

    /// Solves it.
    ///
    /// # Errors
    /// As [`Planner::solve`].
    pub fn solve(&self) -> Result<ProblemSolution> {
        self.solve_controlled(&self.control(StopFlag::default()))
    }

    /// Solves it under a given control; with the clock of [`control`](Self::control) the answer does not depend on time.
    ///
    /// # Errors
    /// As [`solve`](Self::solve).
    pub fn solve_controlled(&self, control: &Control) -> Result<ProblemSolution> {
        let planner = self.planner()?;
        let problem_hash = self.hash()?;
        let query = Query::new(&self.start, &self.goal).with_control(control);
        let query = match &self.law {
            Some(law) => query.with_time_law(law)?,
            None => query,
        };
        let Solution { result, trajectory } = planner.solve(query)?;
        let result_hash = trajectory.as_ref().map_or_else(|| result.content_hash(), TimedTrajectory::content_hash);
        Ok(ProblemSolution { result, trajectory, problem_hash, result_hash })
    }

    /// Solves it again and compares the answer with the one that its file holds; of a race for the first answer, that of each planner
    /// until one is the same.
    ///
    /// # Errors
    /// As [`solve`](Self::solve).
    pub fn replay(&self, stop: StopFlag) -> Result<Replay> {
        let expected = self.stored.and_then(|stored| stored.result);
        let mut answers = Vec::new();
        for racer in self.racers()? {
            let answer = match racer.solve_controlled(&self.control(stop.clone())) {
                Err(error @ KineticError::Cancelled { .. }) => return Err(error),
                answer => answer,
            };
            if matches!(&answer, Ok(solution) if expected == Some(solution.result_hash)) {
                answers = vec![answer];
                break;
            }
            answers.push(answer);
        }
        // Where none is the same, the first plan, or the failure of the planner that was asked for.
        let chosen = answers.iter().position(Result::is_ok).unwrap_or_default();
        let solution = ProblemSolution { problem_hash: self.hash()?, ..answers.swap_remove(chosen)? };
        Ok(Replay { solution, expected })
    }

    /// The problem itself; of a race for the first answer, which the clock decides, that of each planner alone.
    fn racers(&self) -> Result<Vec<Self>> {
        if self.config.race != Race::First {
            return Ok(vec![self.clone()]);
        }
        let config = PlannerConfig { race: Race::Off, fallback: Vec::new(), ..self.config.clone() };
        let alone = |planner_type| Self { planner_type, config: config.clone(), text: OnceLock::new(), ..self.clone() };
        let others = self.config.fallback.iter().map(|name| name.parse().map(alone));
        std::iter::once(Ok(alone(self.planner_type))).chain(others).collect()
    }

    /// The same problem with the hash of its answer, to be saved with it.
    ///
    /// # Errors
    /// As [`with_result`](Self::with_result).
    pub fn with_answer(self, solution: &ProblemSolution) -> Result<Self> {
        self.with_result(solution.problem_hash, solution.result_hash)
    }

    /// As [`with_answer`](Self::with_answer), from the two hashes of an answer.
    ///
    /// # Errors
    /// [`KineticError::InvalidValue`] for an answer to another problem.
    pub fn with_result(mut self, answered: ContentHash, result: ContentHash) -> Result<Self> {
        let problem = self.hash()?;
        if problem != answered {
            let wanted = format!("an answer to the problem {problem}");
            return Err(KineticError::invalid("answer", format!("one to {answered}"), wanted));
        }
        self.stored = Some(StoredHashes { problem, result: Some(result) });
        Ok(self)
    }

    /// Writes a problem file: the problem, its hash, and the hash of its answer where that is known.
    ///
    /// # Errors
    /// [`KineticError::Io`], or as [`to_toml`](Self::to_toml).
    pub fn save(&self, path: impl AsRef<Path>) -> Result<()> {
        files::write(path, self.to_toml()?)
    }

    /// Reads a problem file.
    ///
    /// # Errors
    /// [`KineticError::Io`]; [`KineticError::FileParse`] with file and line for a file that is malformed or damaged (its
    /// content does not have the hash that it states), and for a robot that is not the one that the problem was made with.
    pub fn load(path: impl AsRef<Path>) -> Result<Self> {
        let path = path.as_ref();
        Self::from_toml(&files::read_text(path)?, &path.display().to_string())
    }
}
