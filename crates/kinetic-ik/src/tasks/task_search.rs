//! Task search: prioritized steps with line search and random restarts.

use kinetic_core::rng::SeededRng;
use kinetic_core::{Control, KineticError, Pose, Result};
use kinetic_kinematics::Rigid;

use super::hierarchy::Workspace;
use super::problem::{Residual, TaskOptions, TaskProblem, TaskReport, TaskSolution};
use super::state::State;

/// Halvings of a step before it counts as useless.
const MOST_STEP_HALVINGS: i32 = 8;
/// Relative decrease of a level that counts as one.
const MERIT_DECREASE_RATIO: f64 = 1e-4;
/// Relative increase of a level that is rounding.
const MERIT_ROUNDING_RATIO: f64 = 1e-9;
/// Steps back onto the levels above after a step in their null space, which is curved.
const NULL_SPACE_CORRECTIONS: usize = 2;

/// A comparison of two states, level by level from the first.
#[derive(Clone, Copy, PartialEq)]
enum StepVerdict {
    Better,
    Same,
    /// At this level, and as good above it.
    Worse(usize),
}

/// End of an attempt.
struct Attempt {
    configuration: (Vec<f64>, Rigid),
    merit: Vec<f64>,
    met: Vec<bool>,
}

/// The search of one solve.
pub(super) struct TaskSearch<'p> {
    problem: &'p TaskProblem,
    state: State<'p>,
    work: Workspace,
    start: (Vec<f64>, Rigid),
    from: (Vec<f64>, Rigid),
    trial: (Vec<f64>, Rigid),
    step: Vec<f64>,
    merit: Vec<f64>,
    met: Vec<bool>,
}

impl<'p> TaskSearch<'p> {
    pub(super) fn new(problem: &'p TaskProblem, q: &[f64], world_from_root: &Pose) -> Self {
        let state = State::new(&problem.model, q, world_from_root);
        let work = Workspace::new(problem);
        let start = (state.q().to_vec(), *state.world_from_root());
        Self {
            from: start.clone(),
            trial: start.clone(),
            start,
            step: work.step.clone(),
            merit: work.merit.clone(),
            met: work.met.clone(),
            problem,
            state,
            work,
        }
    }

    /// Attempt after attempt until one meets all tasks; else the best of them.
    pub(super) fn run(mut self, options: &TaskOptions, control: &Control) -> Result<TaskSolution> {
        let mut rng = SeededRng::new(options.rng_seed);
        let mut best: Option<Attempt> = None;
        let (mut iterations, mut attempts) = (0, 0);
        while attempts < options.attempts {
            if attempts > 0 || options.random_start {
                self.draw(&mut rng, options.random_range);
            }
            attempts += 1;
            iterations += self.descend(options, control, iterations)?;
            let is_better =
                best.as_ref().is_none_or(|best| self.compare(&best.merit, &best.met) == StepVerdict::Better);
            if is_better {
                self.state.save(&mut self.from);
                let (merit, met) = (self.work.merit.clone(), self.work.met.clone());
                best = Some(Attempt { configuration: self.from.clone(), merit, met });
            }
            if self.is_done() {
                break;
            }
        }
        if let Some(best) = best {
            self.state.restore(&best.configuration);
            self.work.evaluate(self.problem, &self.state);
        }
        Ok(self.solution(iterations, attempts))
    }

    fn is_done(&self) -> bool {
        self.work.met.iter().all(|met| *met)
    }

    /// Steps until all tasks are met and what has no limits gains nothing more. Returns the number of iterations, of which
    /// there have been `before` in other attempts.
    fn descend(&mut self, options: &TaskOptions, control: &Control, before: usize) -> Result<usize> {
        self.work.evaluate(self.problem, &self.state);
        let levels = self.work.num_levels();
        let follows = (0..levels).any(|level| !self.work.has_limits(level));
        for iteration in 0..options.max_iterations {
            if self.is_done() && !follows {
                return Ok(iteration);
            }
            control.check((before + iteration) as u64)?;
            self.state.save(&mut self.from);
            self.merit.copy_from_slice(&self.work.merit);
            self.met.copy_from_slice(&self.work.met);
            self.work.solve(&self.state, levels, options);
            if self.line_search(options) {
                continue;
            }
            // The levels below may have asked for what harms the first that is not met: that one alone.
            let unmet = self.met.iter().position(|met| !met).unwrap_or(levels);
            if unmet + 1 >= levels {
                return Ok(iteration);
            }
            self.work.solve(&self.state, unmet + 1, options);
            if !self.line_search(options) {
                return Ok(iteration);
            }
        }
        Ok(options.max_iterations)
    }

    /// Backtracks along the last step until the state is better; restores the state and returns false when it nowhere is.
    fn line_search(&mut self, options: &TaskOptions) -> bool {
        self.step.copy_from_slice(&self.work.step);
        for halving in 0..MOST_STEP_HALVINGS {
            let scale = options.step * 0.5_f64.powi(halving);
            self.state.step_from(&self.from, &self.step, scale);
            self.work.evaluate(self.problem, &self.state);
            if self.corrected(options) == StepVerdict::Better {
                return true;
            }
        }
        self.state.restore(&self.from);
        self.work.evaluate(self.problem, &self.state);
        false
    }

    /// Compares with where the step began. A step along the tangent of the levels above leaves them a little: small steps
    /// on those alone bring it back.
    fn corrected(&mut self, options: &TaskOptions) -> StepVerdict {
        for correction in 0..=NULL_SPACE_CORRECTIONS {
            let verdict = self.compare(&self.merit, &self.met);
            let StepVerdict::Worse(level) = verdict else { return verdict };
            if level + 1 >= self.work.num_levels() || correction == NULL_SPACE_CORRECTIONS {
                return verdict;
            }
            self.work.solve(&self.state, level + 1, options);
            self.state.save(&mut self.trial);
            self.state.step_from(&self.trial, &self.work.step, 1.0);
            self.work.evaluate(self.problem, &self.state);
        }
        StepVerdict::Same
    }

    /// Level by level: a level whose limits are met stays as good while they are met.
    fn compare(&self, merit: &[f64], met: &[bool]) -> StepVerdict {
        for level in 0..self.work.num_levels() {
            let (new, old) = (self.work.merit[level], merit[level]);
            let limits = self.work.has_limits(level);
            match (self.work.met[level] && limits, met[level] && limits) {
                (true, false) => return StepVerdict::Better,
                (false, true) => return StepVerdict::Worse(level),
                (false, false) if new < old * (1.0 - MERIT_DECREASE_RATIO) => return StepVerdict::Better,
                (false, false) if new > old * (1.0 + MERIT_ROUNDING_RATIO) + f64::MIN_POSITIVE => {
                    return StepVerdict::Worse(level);
                }
                (true, true) | (false, false) => {}
            }
        }
        StepVerdict::Same
    }

    /// A random configuration around the middles of the ranges; the base goes back to its start.
    fn draw(&mut self, rng: &mut SeededRng, range: f64) {
        let model = &self.problem.model;
        let mut configuration = self.start.clone();
        for column in 0..model.columns.len() {
            let (low, high) = model.column_bounds(column, &configuration.0);
            let finite = low.is_finite() && high.is_finite();
            let (middle, half) =
                if finite { (f64::midpoint(low, high), 0.5 * (high - low)) } else { (0.0, std::f64::consts::PI) };
            let value = (middle + rng.uniform(-1.0, 1.0) * half * range).clamp(low, high);
            model.set_column(column, value, &mut configuration.0);
        }
        model.enforce_bounds(&mut configuration.0);
        self.state.restore(&configuration);
    }

    fn solution(self, iterations: usize, attempts: usize) -> TaskSolution {
        let report = |(index, entry): (usize, &super::problem::TaskEntry)| {
            let residuals: Vec<Residual> = self
                .work
                .residuals_of(index)
                .map(|(limit, value)| Residual { what: limit.what.to_owned(), value, tolerance: limit.tolerance })
                .collect();
            TaskReport {
                name: entry.task.name().to_owned(),
                priority: entry.priority,
                met: residuals.iter().all(|residual| residual.value <= residual.tolerance),
                residuals,
            }
        };
        TaskSolution {
            q: self.state.q().to_vec(),
            world_from_root: self.state.world_from_root().to_pose(),
            converged: self.is_done(),
            iterations,
            attempts,
            tasks: self.problem.entries.iter().enumerate().map(report).collect(),
            active_limits: self.problem.active_limits(&self.state),
        }
    }
}

impl TaskProblem {
    /// Solves from a configuration (of the length of the robot) and a pose of the base. What does not converge is an
    /// answer too: the best that was found, and how far each task is from being met.
    ///
    /// # Errors
    /// Input errors: wrong lengths, NaN, options outside their domain, a problem without tasks or without columns.
    pub fn solve(&self, q: &[f64], world_from_root: &Pose, options: &TaskOptions) -> Result<TaskSolution> {
        self.solve_with(q, world_from_root, options, &Control::default())
    }

    /// As [`solve`](Self::solve), until `control` says that it is over.
    ///
    /// # Errors
    /// As [`solve`](Self::solve); [`KineticError::Cancelled`] or [`KineticError::PlanningTimeout`] by `control`, which
    /// counts the iterations of all attempts.
    pub fn solve_with(
        &self,
        q: &[f64],
        world_from_root: &Pose,
        options: &TaskOptions,
        control: &Control,
    ) -> Result<TaskSolution> {
        options.check()?;
        self.model.check(q, world_from_root)?;
        if self.entries.is_empty() {
            return Err(KineticError::invalid("tasks", "none", "at least one task"));
        }
        if self.model.num_columns() == 0 {
            return Err(KineticError::invalid("joints to move", "none", "at least one joint, or a base that moves"));
        }
        TaskSearch::new(self, q, world_from_root).run(options, control)
    }
}
