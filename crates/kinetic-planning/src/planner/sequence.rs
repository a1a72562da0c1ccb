//! Sequences of motions: each item begins where the one before ended, in a configuration from which it can be carried out.

mod blends;
mod starts;

use kinetic_core::{Control, Goal, KineticError, PlannerConfig, Result, StopFlag, TimedTrajectory};
use kinetic_trajectory::{TimeLawSpec, time_law, totp};

use super::{GRACE_S, Planner};
use crate::cartesian::{CartesianConfig, CartesianResult};
use crate::goal_context::LIMIT_TOLERANCE;
use crate::goal_naming::naming;
use crate::query::Query;
use crate::result::{PlannedTrajectory, PlanningResult};
use crate::sequence::{SequenceItem, SequenceMotion, SequenceOutcome, SequencePart, SequenceResult};

impl Planner {
    /// Motions one after the other as one trajectory, by the time law "totp", at rest between items or blended, with one certificate
    /// for all of it.
    ///
    /// A pose is met by several configurations, and from most of them a line that follows leads out of the limits or into something.
    /// So all configurations that meet the goal of a free-space item are tried as starts of the Cartesian items up to the next
    /// free-space one, the nearest first, and the motion through free space ends at one from which all of these can be followed to
    /// their ends. Of redundant arms and of regions these are samples, of which more are taken while none will do.
    ///
    /// ```
    /// use std::sync::Arc;
    ///
    /// use kinetic_core::{Goal, Pose};
    /// use kinetic_ik::{CartesianPath, MoveFrame};
    /// use kinetic_planning::{Planner, SequenceItem};
    /// use kinetic_robot::Robot;
    ///
    /// let planner = Planner::new(&Arc::new(Robot::from_name("ur5e")?))?;
    /// let above = planner.fk(&[0.3, -1.2, 1.6, -2.0, -1.5, 0.1])?;
    /// let down = CartesianPath::new().move_by(Pose::from_xyz(0.0, 0.0, -0.1), MoveFrame::Base);
    /// let items = [SequenceItem::free(Goal::pose(above)), SequenceItem::cartesian(down).scaled(0.2, 0.5)];
    /// let sequence = planner.plan_sequence(&[0.0, -1.57, 0.0, -1.57, 0.0, 0.0], &items)?;
    /// assert!(sequence.trajectory.certificate().is_some());
    /// assert_eq!(sequence.boundaries().len(), 3);
    /// # Ok::<(), kinetic_core::KineticError>(())
    /// ```
    ///
    /// # Errors
    /// [`SequenceItemFailed`](KineticError::SequenceItemFailed) with the item and its reason, where a Cartesian item that ends early
    /// is [`CartesianPathIncomplete`](KineticError::CartesianPathIncomplete). Values of items outside their domain name the item;
    /// unknown names and kinds of goals are the errors that [`solve`](Self::solve) has; [`Cancelled`](KineticError::Cancelled);
    /// [`InvalidValue`](KineticError::InvalidValue) for no items, for a blend radius of the last item, where the motion does not go on,
    /// and for radii that overlap, naming both items, or are longer than the way of the tool.
    pub fn plan_sequence(&self, start: &[f64], items: &[SequenceItem]) -> Result<SequenceResult> {
        self.plan_sequence_with(start, items, time_law(totp::ID)?, &self.control(StopFlag::default()))
    }

    /// As [`plan_sequence`](Self::plan_sequence), with another time law, within the budget of `control`: its time is for all items
    /// together, its iterations are for each search. Searches that use up their time have equal parts of what is left.
    ///
    /// # Errors
    /// As [`plan_sequence`](Self::plan_sequence).
    pub fn plan_sequence_with(
        &self,
        start: &[f64],
        items: &[SequenceItem],
        law: &TimeLawSpec,
        control: &Control,
    ) -> Result<SequenceResult> {
        if items.is_empty() {
            return Err(KineticError::invalid("items of the sequence", "none", "at least one item"));
        }
        for (index, item) in items.iter().enumerate() {
            self.check_item(item, law).map_err(|error| of_item(error, index, items.len(), 1))?;
        }
        check_radii(items, self.config())?;
        if items.iter().any(|item| item.blend_radius > 0.0) {
            self.scene.robot().check_single_tip(&self.group)?;
        }
        let now = self.now()?;
        let (here, start) = now.holding_at(start)?;
        here.scene.robot().check_limits(&here.group, &start, LIMIT_TOLERANCE)?;
        // A sequence is one motion with one certificate: it begins at the start.
        let config = PlannerConfig { fix_start: 0.0, ..here.config().clone() };
        let here = here.into_owned().with_config(config)?;
        let sequence = Sequence { planner: &here, items, law, control };
        let parts = sequence.solve(&start)?;
        sequence.joined(parts)
    }

    fn check_item(&self, item: &SequenceItem, law: &TimeLawSpec) -> Result<()> {
        item.limits(self.config())?;
        item.check_radius()?;
        let Some(config) = item.cartesian_config(self.config()) else { return Ok(()) };
        config.check_with(Some(law))
    }
}

/// One call.
struct Sequence<'a> {
    /// With the joints outside the group where the start says.
    planner: &'a Planner,
    items: &'a [SequenceItem],
    law: &'a TimeLawSpec,
    control: &'a Control,
}

/// An item that was planned.
struct Planned {
    trajectory: TimedTrajectory,
    outcome: SequenceOutcome,
}

impl Planned {
    fn end(&self) -> Vec<f64> {
        self.trajectory.curve().sample(self.trajectory.duration(), 0)
    }
}

impl Sequence<'_> {
    fn solve(&self, start: &[f64]) -> Result<Vec<Planned>> {
        let mut parts: Vec<Planned> = Vec::with_capacity(self.items.len());
        while parts.len() < self.items.len() {
            let index = parts.len();
            let at = parts.last().map_or_else(|| start.to_vec(), Planned::end);
            match &self.items[index].motion {
                SequenceMotion::Free(goal) => parts.extend(self.go_and_follow(index, goal, &at)?),
                SequenceMotion::Cartesian(path, _) => {
                    let followed = self.followed(index, path, &at);
                    parts.push(followed.map_err(|error| self.of_item(error.1, index, 1))?);
                }
            }
        }
        Ok(parts)
    }

    /// A motion through free space, and the Cartesian items that follow it.
    fn go_and_follow(&self, index: usize, goal: &Goal, start: &[f64]) -> Result<Vec<Planned>> {
        let following = self.items[index + 1..].iter().take_while(|item| !item.is_free()).count();
        if following > 0 {
            return self.go_to_a_start(index, goal, start, following);
        }
        let (result, trajectory) =
            self.go(index, goal, start, self.control).map_err(|error| self.of_item(error, index, 1))?;
        let outcome = SequenceOutcome::Free { result: Box::new(result), starts_tried: 0, starts_followed: 0 };
        Ok(vec![Planned { trajectory, outcome }])
    }

    /// A motion through free space.
    fn go(
        &self,
        index: usize,
        goal: &Goal,
        start: &[f64],
        control: &Control,
    ) -> Result<(PlanningResult, TimedTrajectory)> {
        let left = self.items[index..].iter().filter(|item| item.is_free()).count();
        let left = u32::try_from(left).unwrap_or(u32::MAX - 1);
        // What follows the last one needs time, too.
        let control =
            if self.planner.planner_spec().is_anytime { control.with_share(left + 1) } else { control.clone() };
        let limits = self.items[index].limits(self.planner.config())?;
        let query = Query::new(start, goal).with_time_law_spec(self.law).with_limits(&limits).with_control(&control);
        let PlannedTrajectory { result, trajectory } = self.planner.solve(query)?.try_into()?;
        Ok((result, trajectory))
    }

    /// A Cartesian item, followed to its end; or how far it gets, as a part of its length, and why.
    fn followed(
        &self,
        index: usize,
        path: &kinetic_ik::CartesianPath,
        start: &[f64],
    ) -> std::result::Result<Planned, (f64, KineticError)> {
        let follow = || -> Result<CartesianResult> {
            let limits = self.items[index].limits(self.planner.config())?;
            let config = self.config_of(index);
            let planner = self.planner.clone().with_limits(limits)?;
            planner.follow_whole(start, path, &config, self.law, self.control)
        };
        let mut result = follow().map_err(|error| (0.0, error))?;
        let fraction = result.fraction;
        let trajectory = result.take_complete().map_err(|error| (fraction, error))?;
        Ok(Planned { trajectory, outcome: SequenceOutcome::Cartesian(Box::new(result)) })
    }

    /// The options of a Cartesian item; those of the planner for others.
    fn config_of(&self, index: usize) -> CartesianConfig {
        let config = self.planner.config();
        self.items[index].cartesian_config(config).unwrap_or_else(|| CartesianConfig::of(config))
    }

    /// All parts as one motion.
    fn joined(&self, planned: Vec<Planned>) -> Result<SequenceResult> {
        let corners = self.corners(&planned)?;
        let whole = blends::with_corners(&planned, &corners)?;
        let mut corners = corners.into_iter();
        let mut parts: Vec<SequencePart> = Vec::with_capacity(planned.len());
        // When the motion of the next item is entered, in the whole motion, and how much of it is left out.
        let (mut begin, mut entered) = (0.0, [0.0; 2]);
        for Planned { trajectory, outcome } in planned {
            let (cut, blend) = corners.next().flatten().map_or((None, None), |(cut, blend)| (cut, Some(blend)));
            let [at, skipped] = entered;
            let left = at - skipped + cut.as_ref().map_or(trajectory.duration(), |(cut, _)| cut.leave);
            let length = cut.as_ref().map_or(0.0, |(_, corner)| corner.duration());
            entered = [left + length, cut.map_or(0.0, |(cut, _)| cut.enter)];
            let end = left + 0.5 * length;
            parts.push(SequencePart { begin, end, blend, trajectory, outcome });
            begin = end;
            self.control.check(0)?;
        }
        Ok(SequenceResult { trajectory: self.certified(whole)?, parts })
    }

    /// Proves all of the motion again as the one curve that it is, with the least margin of its items.
    fn certified(&self, whole: TimedTrajectory) -> Result<TimedTrajectory> {
        let cartesian = || self.items.iter().filter_map(|item| item.cartesian_config(self.planner.config()));
        if cartesian().any(|config| !config.avoid_collisions) {
            return Ok(whole);
        }
        let own = self.planner.config();
        let margins = cartesian().map(|config| config.collision_margin);
        let free = self.items.iter().any(SequenceItem::is_free).then_some(own.collision_margin);
        let collision_margin = margins.chain(free).reduce(f64::min).unwrap_or(own.collision_margin);
        let config = PlannerConfig { collision_margin, ..own.clone() };
        self.planner.clone().with_config(config)?.certify(&whole, &self.control.with_grace(GRACE_S))
    }

    fn of_item(&self, error: KineticError, index: usize, tried: u64) -> KineticError {
        of_item(error, index, self.items.len(), tried)
    }
}

/// Refuses a radius after the last item, and beside items that keep no margins, where a blend is not proven.
fn check_radii(items: &[SequenceItem], planner: &kinetic_core::PlannerConfig) -> Result<()> {
    let is_free_of_margins =
        |item: &SequenceItem| item.cartesian_config(planner).is_some_and(|config| !config.avoid_collisions);
    // Radii and speeds of blends are those of the tool in the base.
    let is_in_a_frame =
        |item: &SequenceItem| matches!(&item.motion, SequenceMotion::Cartesian(path, _) if path.frame().is_some());
    for (index, item) in items.iter().enumerate().filter(|(_, item)| item.blend_radius > 0.0) {
        let name = format!("blend radius of item {index} of the sequence");
        let Some(next) = items.get(index + 1) else {
            return Err(KineticError::invalid(name, item.blend_radius, "0 for the last item"));
        };
        if is_free_of_margins(item) || is_free_of_margins(next) {
            return Err(KineticError::invalid(
                name,
                item.blend_radius,
                "0 beside a path that does not avoid collisions",
            ));
        }
        if is_in_a_frame(item) || is_in_a_frame(next) {
            let wanted = "0 beside a path in the frame of a link";
            return Err(KineticError::invalid(name, item.blend_radius, wanted));
        }
    }
    Ok(())
}

/// The error of an item.
fn of_item(error: KineticError, item: usize, items: usize, tried: u64) -> KineticError {
    match error {
        // What is not there is named, and is an input error as of any other call.
        KineticError::Cancelled { .. }
        | KineticError::SequenceItemFailed { .. }
        | KineticError::NamedConfigNotFound { .. }
        | KineticError::LinkNotFound { .. }
        | KineticError::GroupNotFound { .. }
        | KineticError::UnknownName { .. }
        | KineticError::UnsupportedGoal { .. } => error,
        KineticError::DimensionMismatch { .. } | KineticError::NotFinite { .. } | KineticError::InvalidValue { .. } => {
            naming(error, &format!("item {item} of the sequence"))
        }
        reason => KineticError::SequenceItemFailed { item, items, tried, reason: Box::new(reason) },
    }
}
