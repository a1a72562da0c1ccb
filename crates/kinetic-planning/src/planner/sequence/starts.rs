//! Starts of Cartesian items: configurations that meet the goal of the free-space item before, and from which all Cartesian items
//! up to the next free-space one can be followed.

use std::f64::consts::TAU;

use kinetic_core::{Goal, JointValues, KineticError, Result};
use kinetic_scene::Checker;

use super::{Planned, Sequence};
use crate::goal_context::GoalContext;
use crate::goal_set::GoalSet;
use crate::restarts::FIRST_POSES;
use crate::sequence::{SequenceMotion, SequenceOutcome};

/// So many starts are enough for a first search; each costs a Cartesian plan, and a tree is met sooner by several goals.
const FIRST_STARTS: usize = 3;
/// Iterations of a search with some of the starts, when there are others.
const ITERATIONS_TO_FIRST_STARTS: u64 = 4_000;
/// Joints stand on the same place of a turn, but for rounding, up to this part of a turn.
const SAME_TURN: f64 = 1e-9;
/// Times that more configurations are sampled of a goal while none of those before will do.
const MOST_GROWTHS: u32 = 6;

/// A configuration from which the Cartesian items can be followed.
struct Start {
    q: JointValues,
    /// The member of the goal that it meets.
    member: usize,
    followed: Vec<Planned>,
}

/// What was found out about the configurations that meet a goal.
#[derive(Default)]
struct Starts {
    open: Vec<Start>,
    tried: u64,
    /// Configurations from which the items cannot be followed, at whichever turn of their joints.
    closed: Vec<JointValues>,
    /// The failure of the attempt that came farthest: its item, the part of it that was followed, and the reason.
    farthest: Option<(usize, f64, KineticError)>,
}

impl Starts {
    /// Notes that nothing follows from a configuration. Joint limits, and the changes of branch before them, depend on the turns of
    /// the joints; what else is in the way does not.
    fn close(&mut self, q: JointValues, (item, fraction, error): (usize, f64, KineticError)) {
        let depends_on_turns =
            matches!(&error, KineticError::CartesianPathIncomplete { kind, .. } if kind == "limit" || kind == "jump");
        if !depends_on_turns {
            self.closed.push(q);
        }
        self.fail(item, fraction, error);
    }

    /// Whether a configuration is full turns away from one from which nothing follows.
    fn is_closed(&self, q: &[f64]) -> bool {
        let is_turned = |(a, b): (&f64, &f64)| {
            let turns = (a - b) / TAU;
            (turns - turns.round()).abs() < SAME_TURN
        };
        self.closed.iter().any(|closed| closed.iter().zip(q).all(is_turned))
    }

    fn fail(&mut self, item: usize, fraction: f64, error: KineticError) {
        let is_farther = |(other, part, _): &(usize, f64, KineticError)| (item, fraction) > (*other, *part);
        if self.farthest.as_ref().is_none_or(is_farther) {
            self.farthest = Some((item, fraction, error));
        }
    }
}

impl Sequence<'_> {
    /// The motion through free space of item `index` to a start of the `following` Cartesian items, and these.
    pub(super) fn go_to_a_start(
        &self,
        index: usize,
        goal: &Goal,
        start: &[f64],
        following: usize,
    ) -> Result<Vec<Planned>> {
        let own = |error: KineticError| self.of_item(error, index, 1);
        let (mut checker, start) = self.planner.checker_at(start)?;
        checker.obey(Some(self.control));
        let closed_form = || self.planner.closed_form();
        let around = self.planner.goal_context(&closed_form, &start);
        let goals = GoalSet::resolve(&around, &mut checker, goal, FIRST_POSES, self.control).map_err(own)?;
        let mut source = StartSource { around: &around, goals, checker, waiting: Vec::new(), growths: 0 };
        source.take_from(0, self)?;
        let (mut starts, mut wanted) = (Starts::default(), FIRST_STARTS);
        loop {
            self.follow_from(&mut source, &mut starts, index, (following, wanted))?;
            if starts.open.is_empty() {
                return Err(self.nothing_follows(starts, index));
            }
            // An anytime planner uses up what it gets.
            let control = if source.is_empty() || self.planner.planner_spec().is_anytime {
                self.control.clone()
            } else {
                self.control.with_max_iterations(ITERATIONS_TO_FIRST_STARTS)
            };
            match self.go(index, &goal_of(&starts.open), &start, &control) {
                Ok(planned) => {
                    if let Some(parts) = self.finish(&mut starts, index, following, planned)? {
                        return Ok(parts);
                    }
                }
                Err(KineticError::PlanningTimeout { .. }) if !source.is_empty() && !self.control.is_over(0) => {
                    wanted = usize::MAX;
                }
                Err(error) => return Err(self.of_item(error, index, 1)),
            }
        }
    }

    /// Follows the Cartesian items from the configurations of `source` until so many are open as wanted.
    fn follow_from(
        &self,
        source: &mut StartSource<'_>,
        starts: &mut Starts,
        index: usize,
        (following, wanted): (usize, usize),
    ) -> Result<()> {
        while starts.open.len() < wanted {
            self.control.check(0).map_err(|error| self.of_item(error, index, 1))?;
            let Some((q, member)) = source.waiting.pop() else {
                if !starts.open.is_empty() || !source.grow(self).map_err(|error| self.of_item(error, index, 1))? {
                    return Ok(());
                }
                continue;
            };
            if starts.is_closed(&q) {
                continue;
            }
            starts.tried += 1;
            match self.follow_all(index + 1, following, &q) {
                Ok(followed) => starts.open.push(Start { q, member, followed }),
                Err((item, _, error)) if self.control.is_over(0) => return Err(self.of_item(error, item, 1)),
                Err(failure) => starts.close(q, failure),
            }
        }
        Ok(())
    }

    /// The Cartesian items from `first` on; or the item that fails, the part of it that is followed, and why.
    fn follow_all(
        &self,
        first: usize,
        count: usize,
        start: &[f64],
    ) -> std::result::Result<Vec<Planned>, (usize, f64, KineticError)> {
        let (mut parts, mut at): (Vec<Planned>, _) = (Vec::with_capacity(count), start.to_vec());
        for index in first..first + count {
            let SequenceMotion::Cartesian(path, _) = &self.items[index].motion else { break };
            let part = self.followed(index, path, &at).map_err(|(fraction, error)| (index, fraction, error))?;
            at = part.end();
            parts.push(part);
        }
        Ok(parts)
    }

    /// The parts of a motion through free space that ended at an open start, and of what follows. `None` where it ended full turns
    /// away, and nothing follows from there: that start is closed.
    fn finish(
        &self,
        starts: &mut Starts,
        index: usize,
        following: usize,
        (mut result, trajectory): (crate::result::PlanningResult, kinetic_core::TimedTrajectory),
    ) -> Result<Option<Vec<Planned>>> {
        let (starts_tried, starts_followed) = (starts.tried, starts.open.len() as u64);
        let chosen = starts.open.remove(result.goal_index.min(starts.open.len() - 1));
        result.goal_index = chosen.member;
        result.goal_turns = Vec::new();
        let end = trajectory.curve().sample(trajectory.duration(), 0);
        let followed = if end[..] == chosen.q[..] {
            chosen.followed
        } else {
            match self.follow_all(index + 1, following, &end) {
                Ok(followed) => followed,
                Err((item, fraction, error)) => {
                    starts.fail(item, fraction, error);
                    return if starts.open.is_empty() {
                        Err(self.nothing_follows(std::mem::take(starts), index))
                    } else {
                        Ok(None)
                    };
                }
            }
        };
        let outcome = SequenceOutcome::Free { result: Box::new(result), starts_tried, starts_followed };
        Ok(Some([Planned { trajectory, outcome }].into_iter().chain(followed).collect()))
    }

    /// The error of Cartesian items that can be followed from no configuration.
    fn nothing_follows(&self, starts: Starts, index: usize) -> KineticError {
        match starts.farthest {
            Some((item, _, error)) => self.of_item(error, item, starts.tried),
            None => self.of_item(self.control.error(0), index, 1),
        }
    }
}

/// Any one of the starts.
fn goal_of(open: &[Start]) -> Goal {
    Goal::any(open.iter().map(|start| Goal::joints(start.q.clone())))
}

/// Configurations that meet a goal, those not taken yet, and more of them.
struct StartSource<'a> {
    around: &'a GoalContext<'a>,
    goals: GoalSet<'a>,
    checker: Checker,
    /// Configurations with the members of the goal that they meet, the nearest to the start last.
    waiting: Vec<(JointValues, usize)>,
    growths: u32,
}

impl StartSource<'_> {
    fn is_empty(&self) -> bool {
        self.waiting.is_empty()
    }

    /// Takes the configurations from `first` on.
    fn take_from(&mut self, first: usize, sequence: &Sequence<'_>) -> Result<()> {
        let (space, start) = (sequence.planner.metric()?.search, self.around.start);
        let taken = self.goals.configurations().iter().enumerate().skip(first);
        self.waiting.extend(taken.map(|(index, q)| (q.clone(), self.goals.member(index))));
        self.waiting.sort_by(|(a, _), (b, _)| space.distance(start, b).total_cmp(&space.distance(start, a)));
        Ok(())
    }

    /// Samples more; false where there are none, or enough were looked at.
    fn grow(&mut self, sequence: &Sequence<'_>) -> Result<bool> {
        if !self.goals.can_grow() || self.growths >= MOST_GROWTHS {
            return Ok(false);
        }
        let (known, poses) = (self.goals.configurations().len(), FIRST_POSES << self.growths);
        self.growths += 1;
        self.goals.grow(self.around, &mut self.checker, poses, sequence.control)?;
        self.take_from(known, sequence)?;
        Ok(true)
    }
}
