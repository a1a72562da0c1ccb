//! Several planners for one query: one after the other where one finds nothing, or all of them and the best of their answers, an
//! algorithm portfolio (Huberman, Lukose and Hogg 1997).

use std::panic::resume_unwind;
use std::thread;

use kinetic_core::config::Minimise;
use kinetic_core::error::reason;
use kinetic_core::{Control, KineticError, PlannerConfig, Result, StopFlag};

use super::Planner;
use crate::query::Query;
use crate::result::{Improvement, Solution};

impl Planner {
    /// Answers a query with the planner that was asked for and those of [`PlannerConfig::fallback`].
    pub(super) fn solve_with_several(&self, query: Query<'_>) -> Result<Solution> {
        let own = self.control(StopFlag::default());
        let control = query.control.unwrap_or(&own);
        let members = self.members()?;
        if self.config.race { race(&members, query, control) } else { in_order(&members, query, control) }
    }

    /// One planner for each algorithm, all in the content that the scene has now.
    ///
    /// # Errors
    /// Those of building an algorithm: each would refuse the options when its turn comes.
    fn members(&self) -> Result<Vec<Self>> {
        let now = self.now()?;
        let names = self.config.fallback.iter();
        let types = std::iter::once(Ok(self.algorithm)).chain(names.map(|name| name.parse()));
        let config = PlannerConfig { fallback: Vec::new(), race: false, ..self.config.clone() };
        let members = types.map(|algorithm| {
            let member = Self { algorithm: algorithm?, config: config.clone(), ..now.as_ref().clone() };
            (member.planner_spec().build)(&member.context())?;
            Ok(member)
        });
        members.collect()
    }
}

/// One member after the other, until one has an answer. Each has an equal share of what is left when its turn comes.
fn in_order(members: &[Planner], query: Query<'_>, control: &Control) -> Result<Solution> {
    let (mut ignore, mut used, mut chosen_by_clock) = (|_: Improvement| (), 0, false);
    let Query { start, goal, law, on_improvement, .. } = query;
    let improved = on_improvement.unwrap_or(&mut ignore);
    for (place, member) in members.iter().enumerate() {
        let parts = u32::try_from(members.len() - place).unwrap_or(u32::MAX);
        let share = control.share(used, parts);
        let mut report = |better: Improvement| improved(better);
        let attempt =
            Query { law, control: Some(&share), on_improvement: Some(&mut report), ..Query::new(start, goal) };
        match member.solve(attempt) {
            Ok(mut solution) => {
                solution.result.iterations += used;
                solution.result.chosen_by_clock = chosen_by_clock;
                return Ok(solution);
            }
            Err(KineticError::PlanningTimeout { iterations, .. }) => used += iterations,
            Err(error) if finds_nothing(&error) && place + 1 < members.len() => {}
            Err(KineticError::Cancelled { elapsed, iterations }) => {
                return Err(KineticError::Cancelled { elapsed, iterations: iterations + used });
            }
            Err(other) => return Err(other),
        }
        chosen_by_clock |= share.is_over(0);
    }
    Err(control.error(used))
}

/// All members at the same time, each with the whole budget, and the answer of least cost; the first one of equal answers.
fn race(members: &[Planner], query: Query<'_>, control: &Control) -> Result<Solution> {
    if control.max_iterations() == u64::MAX {
        let wanted = "an iteration budget, which makes a race the same on every machine";
        return Err(KineticError::invalid("max_iterations of a race", "no limit", wanted));
    }
    let (start, goal, law) = (query.start, query.goal, query.law);
    let attempt = move || Query { law, control: Some(control), ..Query::new(start, goal) };
    let outcomes: Vec<Result<Solution>> = thread::scope(|scope| {
        let running: Vec<_> = members.iter().map(|member| scope.spawn(move || member.solve(attempt()))).collect();
        running.into_iter().map(|member| member.join().unwrap_or_else(|panic| resume_unwind(panic))).collect()
    });
    let chosen_by_clock = control.is_over(0);
    let mut best: Result<Solution> = Err(control.error(iterations(&outcomes)));
    for outcome in outcomes {
        best = match (best, outcome) {
            (Ok(best), Ok(other)) if cost(&members[0], &other) < cost(&members[0], &best) => Ok(other),
            (Ok(best), _) => Ok(best),
            (Err(_), Ok(found)) => Ok(found),
            // What is wrong with the query itself is said before that the budget was used up.
            (Err(KineticError::PlanningTimeout { .. }), Err(other)) if !is_budget(&other) && !finds_nothing(&other) => {
                Err(other)
            }
            (Err(first), Err(_)) => Err(first),
        };
    }
    let mut best = best?;
    best.result.chosen_by_clock = chosen_by_clock;
    if let Some(improved) = query.on_improvement {
        let (path, path_length) = (best.result.path.clone(), best.result.path_length);
        improved(Improvement { path, path_length, elapsed: control.elapsed() });
    }
    Ok(best)
}

/// Iterations of all that failed.
fn iterations(outcomes: &[Result<Solution>]) -> u64 {
    let of = |outcome: &Result<Solution>| match outcome {
        Ok(solution) => solution.result.iterations,
        Err(KineticError::PlanningTimeout { iterations, .. } | KineticError::Cancelled { iterations, .. }) => {
            *iterations
        }
        Err(_) => 0,
    };
    outcomes.iter().map(of).sum()
}

/// Whether a planner gave up, or its path was refused, before its budget ended.
fn finds_nothing(error: &KineticError) -> bool {
    let gave_up = |reason: &reason::PlanningFailed| matches!(reason, reason::PlanningFailed::NoPath { .. });
    match error {
        KineticError::PlanningFailed { reason } => gave_up(reason),
        other => matches!(other, KineticError::PlannerOutputInvalid { .. }),
    }
}

fn is_budget(error: &KineticError) -> bool {
    matches!(error, KineticError::PlanningTimeout { .. } | KineticError::Cancelled { .. })
}

/// What is compared: the duration where time is made small and the motion is timed, else the length.
fn cost(planner: &Planner, solution: &Solution) -> f64 {
    match (&solution.trajectory, planner.config.minimise) {
        (Some(trajectory), Some(Minimise::Time)) => trajectory.duration(),
        _ => solution.result.path_length,
    }
}
