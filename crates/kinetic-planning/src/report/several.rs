//! Changes tried, alone and, where none of them is enough, several together.
//!
//! A set-up may have more than one fault: a start in contact *and* a goal outside its limits. A change that mends one of them
//! does not solve the problem, but leaves one with fewer faults, for which there are suggestions again. Those with the
//! fewest faults left are followed first; faults are counted in the evidence about start and goal.

use std::collections::BTreeSet;

use kinetic_core::KineticError;

use super::{Change, Evidence, ReportOptions, StateEvidence, Suggestion, suggest};
use crate::planning_problem::PlanningProblem;

/// Changes that are combined at most.
const MAX_COMBINED_CHANGES: usize = 4;

/// Problems with some faults mended that are followed from each number of changes to the next.
const MAX_FOLLOWED_PROBLEMS: usize = 4;

/// A problem on the way: some changes made, some faults left.
struct Step {
    changes: Vec<Change>,
    problem: PlanningProblem,
    error: KineticError,
    evidence: Evidence,
    faults: usize,
}

/// Every change that may help, tried; and combinations where none helps alone.
pub(super) fn tries(
    problem: &PlanningProblem,
    error: &KineticError,
    evidence: &Evidence,
    options: &ReportOptions,
) -> Vec<Suggestion> {
    let first = Step {
        changes: Vec::new(),
        problem: problem.clone(),
        error: error.clone(),
        evidence: evidence.clone(),
        faults: faults(evidence),
    };
    let (mut found, mut steps) = (Vec::new(), vec![first]);
    for count in 1..=MAX_COMBINED_CHANGES {
        let mut next: Vec<Step> = steps.iter().flat_map(|step| follow(step, problem, options, &mut found)).collect();
        if found.iter().any(|suggestion: &Suggestion| suggestion.solved) || count == MAX_COMBINED_CHANGES {
            break;
        }
        // Stable: the likeliest stay first.
        next.sort_by_key(|step| step.faults);
        next.truncate(MAX_FOLLOWED_PROBLEMS);
        steps = next;
    }
    found
}

/// Tries the changes for a step; of combinations only those that solve the problem are reported. Returns the steps that have
/// fewer faults.
fn follow(step: &Step, given: &PlanningProblem, options: &ReportOptions, found: &mut Vec<Suggestion>) -> Vec<Step> {
    let mut next = Vec::new();
    for change in suggest::changes(&step.problem, &step.error, &step.evidence) {
        let changes: Vec<Change> = step.changes.iter().chain([&change]).cloned().collect();
        if found.iter().any(|known| are_same(known.change.parts(), &changes)) {
            continue;
        }
        let Some((suggestion, error)) = step.problem.tried(change, options) else { continue };
        if let Some(error) = error {
            next.extend(remaining(step, changes.clone(), &suggestion.problem, error, options));
        }
        if step.changes.is_empty() {
            found.push(suggestion);
        } else if suggestion.solved
            && let Some(problem) = Change::Several(changes.clone()).apply(given).ok()
        {
            found.push(Suggestion { change: Change::Several(changes), problem, ..suggestion });
        }
    }
    next
}

/// Whether two lists hold the same changes, in any order.
fn are_same(some: &[Change], others: &[Change]) -> bool {
    some.len() == others.len() && some.iter().all(|change| others.contains(change))
}

/// The step to a problem that is still unsolved, if it has fewer faults at its ends and some left.
fn remaining(
    before: &Step,
    changes: Vec<Change>,
    problem: &PlanningProblem,
    error: KineticError,
    options: &ReportOptions,
) -> Option<Step> {
    let is_about_ends = !matches!(
        error,
        KineticError::PlanningTimeout { .. } | KineticError::PlanningFailed { .. } | KineticError::Cancelled { .. }
    );
    let evidence = is_about_ends.then(|| problem.evidence(&error, options).ok()).flatten()?;
    let faults = faults(&evidence);
    let is_nearer = (1..before.faults).contains(&faults);
    is_nearer.then(|| Step { changes, problem: problem.clone(), error, evidence, faults })
}

/// Number of faults: joints outside their limits at start or goal, what they touch, a pose that nothing reaches.
fn faults(evidence: &Evidence) -> usize {
    let at = |state: &StateEvidence| {
        let others: BTreeSet<&str> = state.contacts.iter().map(|contact| contact.pair.other.as_str()).collect();
        usize::from(!state.outside.is_empty()) + others.len()
    };
    let pose = usize::from(evidence.ik.is_some());
    // One member that can be met is enough.
    let members =
        evidence.members.iter().map(|member| member.goal.as_ref().map_or(0, at) + usize::from(member.ik.is_some()));
    evidence.start.iter().chain(&evidence.goal).map(at).sum::<usize>() + pose + members.min().unwrap_or(0)
}
