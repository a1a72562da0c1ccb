//! Several planners for one query: one after the other where one finds nothing, or all of them and the best of their answers, an
//! algorithm portfolio (Huberman, Lukose and Hogg 1997).

use std::panic::resume_unwind;
use std::sync::mpsc::channel;
use std::thread;

use kinetic_core::config::Minimise;
use kinetic_core::{Control, KineticError, PlannerConfig, Race, Result, StopFlag};

use super::Planner;
use crate::query::Query;
use crate::restarts::gave_up;
use crate::result::{Improvement, Solution};

impl Planner {
    /// Answers a query with the planner that was asked for and those of [`PlannerConfig::fallback`].
    pub(super) fn solve_with_several(&self, query: Query<'_>) -> Result<Solution> {
        let own = self.control(StopFlag::default());
        let control = query.control.unwrap_or(&own);
        let members = self.members()?;
        match self.config.race {
            Race::Off => in_order(&members, query, control),
            Race::Best => race(&members, query, control),
            Race::First => race_for_the_first(&members, query, control),
        }
    }

    /// One planner for each algorithm, all in the content that the scene has now.
    ///
    /// # Errors
    /// Those of building an algorithm: each would refuse the options when its turn comes.
    fn members(&self) -> Result<Vec<Self>> {
        let now = self.now()?;
        let names = self.config.fallback.iter();
        let types = std::iter::once(Ok(self.algorithm)).chain(names.map(|name| name.parse()));
        let config = PlannerConfig { fallback: Vec::new(), race: Race::Off, ..self.config.clone() };
        let members = types.map(|algorithm| {
            let member = Self { algorithm: algorithm?, config: config.clone(), ..now.as_ref().clone() };
            let member = member.into_member();
            (member.planner_spec().build)(&member.context(&member.cost_quantities()?))?;
            Ok(member)
        });
        let members: Vec<Self> = members.collect::<Result<_>>()?;
        if members.iter().all(|member| member.roadmap.is_none()) {
            now.check_serves_roadmap()?;
        }
        if members.iter().all(|member| member.regions.is_none()) {
            now.check_serves_regions()?;
        }
        Ok(members)
    }
}

/// One member after the other, until one has an answer. Each has an equal share of what is left when its turn comes.
fn in_order(members: &[Planner], query: Query<'_>, control: &Control) -> Result<Solution> {
    let (mut ignore, mut used, mut chosen_by_clock) = (|_: Improvement| (), 0, false);
    let Query { start, goal, law, on_improvement, .. } = query;
    let improved = on_improvement.unwrap_or(&mut ignore);
    let mut passed_over = Vec::new();
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
                solution.result.passed_over = passed_over;
                return Ok(solution);
            }
            Err(error) if matches!(error, KineticError::PlanningTimeout { .. }) => {
                used += iterations_of(&error);
                passed_over.push((member.planner_spec().id, error));
            }
            Err(error) if finds_nothing(&error) && place + 1 < members.len() => {
                passed_over.push((member.planner_spec().id, error));
            }
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
    let passed_over = failures(members, &outcomes);
    if outcomes.iter().all(Result::is_err) {
        return Err(what_is_wrong(outcomes, control));
    }
    let cheaper = |best: Solution, other: Solution| {
        if cost(&members[0], &other) < cost(&members[0], &best) { other } else { best }
    };
    let best = outcomes.into_iter().filter_map(Result::ok).reduce(cheaper);
    let mut best = best.ok_or_else(|| control.error(0))?;
    best.result.chosen_by_clock = chosen_by_clock;
    best.result.passed_over = passed_over;
    if let Some(improved) = query.on_improvement {
        improved(improvement(&best, control));
    }
    Ok(best)
}

/// All members at the same time, and the answer that comes first, which ends the others.
fn race_for_the_first(members: &[Planner], query: Query<'_>, control: &Control) -> Result<Solution> {
    let (start, goal, law) = (query.start, query.goal, query.law);
    let (control_of_all, stop) = control.with_own_stop();
    let attempt = || Query { law, control: Some(&control_of_all), ..Query::new(start, goal) };
    let (mut outcomes, mut first) = (Vec::new(), None);
    thread::scope(|scope| {
        let (sender, receiver) = channel();
        let run = |(place, member)| {
            let (sender, attempt, member): (_, _, &Planner) = (sender.clone(), &attempt, member);
            // Nobody listens any more when the receiving thread panicked.
            scope.spawn(move || sender.send((place, member.solve(attempt()))).is_ok())
        };
        let running: Vec<_> = members.iter().enumerate().map(run).collect();
        drop(sender);
        for (place, outcome) in &receiver {
            if outcome.is_ok() && first.is_none() {
                first = Some(place);
                stop.stop();
            }
            outcomes.push((place, outcome));
        }
        for member in running {
            member.join().unwrap_or_else(|panic| resume_unwind(panic));
        }
    });
    outcomes.sort_by_key(|(place, _)| *place);
    let mut outcomes: Vec<Result<Solution>> = outcomes.into_iter().map(|(_, outcome)| outcome).collect();
    let Some(first) = first else { return Err(what_is_wrong(outcomes, control)) };
    let passed_over = failures(members, &outcomes);
    let mut solution = outcomes.swap_remove(first)?;
    solution.result.chosen_by_clock = true;
    solution.result.passed_over = passed_over;
    if let Some(improved) = query.on_improvement {
        improved(improvement(&solution, control));
    }
    Ok(solution)
}

fn improvement(solution: &Solution, control: &Control) -> Improvement {
    let (path, path_length) = (solution.result.path.clone(), solution.result.path_length);
    Improvement { path, path_length, elapsed: control.elapsed() }
}

/// The members that have no answer, and why.
fn failures(members: &[Planner], outcomes: &[Result<Solution>]) -> Vec<(&'static str, KineticError)> {
    let failed = members.iter().zip(outcomes).filter_map(|(member, outcome)| Some((member, outcome.as_ref().err()?)));
    failed.map(|(member, error)| (member.planner_spec().id, error.clone())).collect()
}

/// The error of members that all failed: what is wrong with the query itself is said before that the budget was used up.
fn what_is_wrong(outcomes: Vec<Result<Solution>>, control: &Control) -> KineticError {
    let used_up = control.error(iterations(&outcomes));
    if matches!(used_up, KineticError::Cancelled { .. }) {
        return used_up;
    }
    let is_telling = |error: &KineticError| !is_budget(error) && !finds_nothing(error);
    outcomes.into_iter().filter_map(Result::err).find(is_telling).unwrap_or(used_up)
}

/// Iterations of all that failed.
fn iterations(outcomes: &[Result<Solution>]) -> u64 {
    let of = |outcome: &Result<Solution>| match outcome {
        Ok(solution) => solution.result.iterations,
        Err(error) => iterations_of(error),
    };
    outcomes.iter().map(of).sum()
}

fn iterations_of(error: &KineticError) -> u64 {
    match error {
        KineticError::PlanningTimeout { iterations, .. } | KineticError::Cancelled { iterations, .. } => *iterations,
        _ => 0,
    }
}

/// Whether a planner gave up, or its path was refused, before its budget ended.
fn finds_nothing(error: &KineticError) -> bool {
    gave_up(error) || matches!(error, KineticError::PlannerOutputInvalid { .. })
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
