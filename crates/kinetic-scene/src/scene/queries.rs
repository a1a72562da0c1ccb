//! What can be asked of a scene.

use std::sync::Arc;

use kinetic_core::config::WorkspaceBounds;
use kinetic_core::error::check_finite;
use kinetic_core::{KineticError, Pair, Pose, Result};
use kinetic_kinematics::JointProgram;

use super::Scene;
use super::pool::Kind;
use crate::builder;
use crate::checker::key::CheckerKey;
use crate::checker::{Checker, Contact};
use crate::distances::{DistanceGradient, LinkClearance};
use crate::margins::Margins;
use crate::pairs::LIMIT_ROOM;
use crate::proximity::{DistancePrecision, NamedProximity, Proximity};

impl Scene {
    /// A checker for a planning group, of the scene as it is now, for any configuration.
    ///
    /// # Errors
    /// [`KineticError::GroupNotFound`], or [`KineticError::InvalidValue`] for a margin that is negative or not finite.
    pub fn checker(&self, group: &str, margins: Margins) -> Result<Checker> {
        check_margins(margins)?;
        self.build(Kind { group, margins, workspace: None, is_inside: false })
    }

    /// As [`checker`](Self::checker), for configurations inside the joint limits only: links that are proven not to
    /// touch there are not looked at, except for their distance. The tool's origin may be bound to a box.
    ///
    /// # Errors
    /// As [`checker`](Self::checker).
    pub fn checker_within(
        &self,
        group: &str,
        margins: Margins,
        workspace: Option<&WorkspaceBounds>,
    ) -> Result<Checker> {
        check_margins(margins)?;
        self.build(Kind { group, margins, workspace, is_inside: true })
    }

    /// Asks a checker as of [`checker_within`](Self::checker_within), which waits for the next question then: to make one
    /// costs some tens of microseconds, which only the first question to a content of the scene has to spend. Answers are
    /// those of a new one.
    ///
    /// # Errors
    /// As [`checker`](Self::checker).
    pub fn ask_checker_within<T>(
        &self,
        group: &str,
        margins: Margins,
        workspace: Option<&WorkspaceBounds>,
        question: impl FnOnce(&mut Checker) -> T,
    ) -> Result<T> {
        check_margins(margins)?;
        let kind = Kind { group, margins, workspace, is_inside: true };
        let mut checker = self.take_or_build(kind)?;
        if checker.moved > 0 {
            // Its trees are not those of a new one, and the work for an answer, which budgets count, is not.
            checker = self.renewed(checker, kind)?;
        }
        checker.forget();
        let answer = question(&mut checker);
        self.pool.give_back(kind, checker);
        Ok(answer)
    }

    pub(super) fn build(&self, kind: Kind<'_>) -> Result<Checker> {
        let Kind { group, margins, workspace, is_inside } = kind;
        let is_inside = is_inside && self.is_inside_limits(&self.content.held);
        let model = builder::collision_model(&self.content, self.robot().group(group)?, margins, workspace, is_inside)?;
        let mut checker = Checker::new(model, group.to_owned(), margins);
        checker.key = self.key(kind).map(Arc::new);
        Ok(checker)
    }

    /// What a checker of a kind would be made from, where another world can be put around its bodies.
    fn key(&self, kind: Kind<'_>) -> Option<CheckerKey> {
        let is_inside = kind.is_inside && self.is_inside_limits(&self.content.held);
        if kind.workspace.is_some() { None } else { CheckerKey::of(&self.content, is_inside) }
    }

    /// Plain contact of the default group.
    fn plain(&self, is_inside: bool) -> Kind<'_> {
        let group = &self.robot().groups[self.robot().default_group].name;
        Kind { group, margins: Margins::ZERO, workspace: None, is_inside }
    }

    pub(super) fn is_inside_limits(&self, full: &[f64]) -> bool {
        self.content.is_inside_limits(full)
    }

    /// True when rows of the default group's length are inside its joint limits, and what the scene holds is too.
    pub(super) fn is_group_inside(&self, rows: &[f64]) -> bool {
        let (robot, group) = (self.robot(), &self.robot().groups[self.robot().default_group]);
        let limits = || group.variables.iter().map(|variable| &robot.joint_limits[*variable]);
        let is_inside = |q: &[f64]| limits().zip(q).all(|(limits, value)| limits.contains(*value, LIMIT_ROOM));
        rows.chunks(group.dof().max(1)).all(is_inside) && self.is_inside_limits(&self.content.held)
    }

    /// Asks a plain-contact checker of the default group, with the other joints as the first configuration (if it has robot
    /// length) says, about the configurations in group length.
    fn ask<const N: usize, T>(
        &self,
        configurations: [&[f64]; N],
        question: impl FnOnce(&mut Checker, [&[f64]; N]) -> T,
    ) -> Result<T> {
        let group = &self.robot().groups[self.robot().default_group];
        if configurations.iter().any(|q| q.len() != group.dof()) {
            return self.ask_at(configurations, question);
        }
        configurations.iter().try_for_each(|q| check_finite("joint vector", q))?;
        let is_inside = configurations.iter().all(|q| self.is_group_inside(q));
        self.ask_waiting(self.plain(is_inside), |checker| question(checker, configurations))
    }

    /// As [`ask`](Self::ask), for any lengths.
    fn ask_at<const N: usize, T>(
        &self,
        configurations: [&[f64]; N],
        question: impl FnOnce(&mut Checker, [&[f64]; N]) -> T,
    ) -> Result<T> {
        let group = &self.robot().groups[self.robot().default_group];
        let mut full = [const { Vec::new() }; N];
        let mut short = [const { Vec::new() }; N];
        for (index, q) in configurations.iter().enumerate() {
            full[index] = self.full(q)?;
            short[index] = group.variables.iter().map(|variable| full[index][*variable]).collect();
        }
        let short = short.each_ref().map(Vec::as_slice);
        self.check_elsewhere(&configurations, &full[0])?;
        let is_inside = full.iter().all(|full| self.is_inside_limits(full));
        let held = full.into_iter().next().unwrap_or_default();
        // The values of the group itself do not matter to what is compiled.
        let is_elsewhere =
            |variable: usize| held[variable] != self.content.held[variable] && !group.variables.contains(&variable);
        if (0..held.len()).any(is_elsewhere) {
            let scene = self.held_at(held);
            return Ok(question(&mut scene.build(self.plain(is_inside))?, short));
        }
        self.ask_waiting(self.plain(is_inside), |checker| question(checker, short))
    }

    /// Refuses configurations of robot length that move a joint outside the default group: the motion between them is not
    /// one of the group.
    fn check_elsewhere(&self, configurations: &[&[f64]], first: &[f64]) -> Result<()> {
        let (robot, group) = (self.robot(), &self.robot().groups[self.robot().default_group]);
        for q in configurations.iter().filter(|q| q.len() != group.dof()) {
            let moved = |variable: &usize| q[*variable] != first[*variable] && !group.variables.contains(variable);
            if let Some(variable) = (0..q.len()).find(moved) {
                let joint = &robot.joints[robot.active_joints[variable]].name;
                let wanted = format!(
                    "{} as in the other configuration: group \"{}\" does not move it",
                    first[variable], group.name
                );
                return Err(KineticError::invalid(format!("joint \"{joint}\""), q[variable], wanted));
            }
        }
        Ok(())
    }

    /// Asks a checker that waits, or the first one.
    fn ask_waiting<T>(&self, kind: Kind<'_>, question: impl FnOnce(&mut Checker) -> T) -> Result<T> {
        let mut checker = self.take_or_build(kind)?;
        let answer = question(&mut checker);
        self.pool.give_back(kind, checker);
        Ok(answer)
    }

    /// One that waits; or one that knew another world; or a new one.
    pub(super) fn take_or_build(&self, kind: Kind<'_>) -> Result<Box<Checker>> {
        if let Some(checker) = self.take_waiting(kind)? {
            return Ok(checker);
        }
        if let Some(mut checker) = self.key(kind).and_then(|key| self.spares.take(&key, kind)) {
            checker.enter(&self.content)?;
            return Ok(checker);
        }
        self.build(kind).map(Box::new)
    }

    /// One that waits, with all objects where they are now.
    pub(super) fn take_waiting(&self, kind: Kind<'_>) -> Result<Option<Box<Checker>>> {
        let Some((mut checker, moved)) = self.pool.take(kind) else { return Ok(None) };
        if moved.is_empty() || checker.follow(&self.content, moved)? {
            return Ok(Some(checker));
        }
        self.renewed(checker, kind).map(Some)
    }

    /// As a new one, from one of this scene whose objects were elsewhere.
    fn renewed(&self, mut checker: Box<Checker>, kind: Kind<'_>) -> Result<Box<Checker>> {
        if checker.key.is_none() {
            return self.build(kind).map(Box::new);
        }
        checker.enter(&self.content)?;
        Ok(checker)
    }

    /// This scene with all joints as `q` says, and the values of the default group.
    pub(crate) fn holding_at(&self, q: &[f64]) -> Result<(Self, Vec<f64>)> {
        let full = self.full(q)?;
        let group = &self.robot().groups[self.robot().default_group];
        let short = self.robot().group_configuration(group, &full)?.0;
        Ok((self.held_at(full), short))
    }

    /// Robot-length configuration from default-group or robot length.
    fn full(&self, q: &[f64]) -> Result<Vec<f64>> {
        let group = &self.robot().groups[self.robot().default_group];
        let short = self.robot().group_configuration(group, q)?;
        let mut full = if q.len() == self.robot().num_variables() { q.to_vec() } else { self.content.held.to_vec() };
        for (variable, value) in group.variables.iter().zip(short.iter()) {
            full[*variable] = *value;
        }
        Ok(full)
    }

    /// Pose of every link in the root frame, in link order.
    ///
    /// # Errors
    /// Errors of `q` (default group or robot length).
    pub fn link_poses(&self, q: &[f64]) -> Result<Vec<Pose>> {
        let full = self.full(q)?;
        let all: Vec<usize> = (0..full.len()).collect();
        Ok(JointProgram::compile(self.robot(), &all, &full).link_poses(&full))
    }

    /// True when anything touches at `q` (default group or robot length), or misses a margin that the scene states.
    ///
    /// # Errors
    /// Errors of `q`.
    pub fn check_collision(&self, q: &[f64]) -> Result<bool> {
        self.ask([q], |checker, [q]| !checker.is_free(q))
    }

    /// Least signed distance between robot and world at `q`, m; infinite in an empty scene. Paddings belong to the bodies,
    /// margins do not count.
    ///
    /// # Errors
    /// Errors of `q`.
    pub fn min_distance(&self, q: &[f64]) -> Result<f64> {
        self.ask([q], |checker, [q]| checker.world_distance(q).0)
    }

    /// Pairs closer than `margin` (m, on top of what the scene states for them) at `q`, nearest first. Distances are those
    /// of the things without their paddings.
    ///
    /// # Errors
    /// Errors of `q`.
    pub fn contacts(&self, q: &[f64], margin: f64) -> Result<Vec<Contact>> {
        self.ask([q], |checker, [q]| checker.contacts(q, margin))
    }

    /// As [`contacts`](Self::contacts), without a margin: what touches or misses a stated margin.
    ///
    /// # Errors
    /// Errors of `q`.
    pub fn contact_points(&self, q: &[f64]) -> Result<Vec<Contact>> {
        self.contacts(q, 0.0)
    }

    /// Pairs of the robot's own bodies that touch at `q`, or miss a margin that the scene states.
    ///
    /// # Errors
    /// Errors of `q`.
    pub fn self_collision(&self, q: &[f64]) -> Result<Vec<Pair>> {
        self.ask([q], |checker, [q]| checker.self_contacts(q))
    }

    /// All pairs that may touch in some configuration, and that are closer, without general margins, than what the scene states for them plus
    /// `within` (m) at `q`, with witness points and derivatives. For loops: [`Checker::proximity`], which begins where the
    /// last query ended; this one does not, so that an answer depends on the configuration alone.
    ///
    /// # Errors
    /// Errors of `q`; [`KineticError::InvalidValue`] for `within`.
    pub fn proximity(&self, q: &[f64], within: f64, precision: DistancePrecision) -> Result<NamedProximity> {
        check_within(within)?;
        self.ask([q], |checker, [q]| {
            let mut found = Proximity::default();
            checker.forget();
            checker.proximity(q, within, precision, &mut found);
            NamedProximity::new(found, checker)
        })
    }

    /// The least clearance at `q` with its derivative by the joint values of the default group, and the witness points. What
    /// the scene states counts as in [`check_collision`](Self::check_collision).
    ///
    /// # Errors
    /// Errors of `q`.
    pub fn distance_gradient(&self, q: &[f64]) -> Result<DistanceGradient> {
        self.ask([q], |checker, [q]| checker.distance_gradient(q))
    }

    /// For every link with geometry and every carried body how close it comes to anything at `q`.
    ///
    /// # Errors
    /// Errors of `q`.
    pub fn link_clearances(&self, q: &[f64]) -> Result<Vec<LinkClearance>> {
        self.ask([q], |checker, [q]| checker.link_clearances(q))
    }

    /// First contact on the straight joint-space segment, as a fraction in [0, 1]; `None` when it is proven free.
    ///
    /// # Errors
    /// Errors of the configurations; [`KineticError::InvalidValue`] for two of robot length that differ in a joint outside
    /// the default group.
    pub fn check_motion(&self, from: &[f64], to: &[f64]) -> Result<Option<f64>> {
        self.ask([from, to], |checker, [from, to]| {
            // To prove a free motion is quicker than to look for what is not there.
            let is_free = checker.is_motion_free(from, to);
            if is_free { None } else { checker.first_contact(from, to).map(|(t, _)| t) }
        })
    }
}

/// Refuses a distance up to which nothing can be listed.
pub(super) fn check_within(within: f64) -> Result<()> {
    if !(within.is_finite() && within >= 0.0) {
        return Err(KineticError::invalid("within", within, "a finite number of at least 0 (m)"));
    }
    Ok(())
}

pub(super) fn check_margins(margins: Margins) -> Result<()> {
    for (name, value) in [("collision_margin", margins.world), ("self_margin", margins.own)] {
        if !(value.is_finite() && value >= 0.0) {
            return Err(KineticError::invalid(name, value, "a finite number of at least 0 (m)"));
        }
    }
    Ok(())
}
