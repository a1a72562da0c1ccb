//! Collision and distance queries of a scene.

use std::sync::Arc;

use kinetic_collision_simd::simd_tier;
use kinetic_core::config::WorkspaceBounds;
use kinetic_core::error::check_finite;
use kinetic_core::{KineticError, Pair, Pose, Result};
use kinetic_kinematics::JointProgram;

use super::Scene;
use super::pool::CheckerKind;
use crate::builder;
use crate::checker::key::CheckerKey;
use crate::checker::{Checker, Contact};
use crate::distances::{DistanceGradient, LinkClearance};
use crate::margins::Margins;
use crate::proximity::{DistancePrecision, NamedProximity, Proximity};
use crate::tolerance::LIMIT_TOLERANCE_RAD_M;

impl Scene {
    /// A checker for a planning group, of the scene as it is now, for any configuration.
    ///
    /// # Errors
    /// [`KineticError::GroupNotFound`]; [`KineticError::InvalidValue`] for a margin that is negative or not finite; those of
    /// [`simd_tier`](crate::simd::simd_tier).
    pub fn checker(&self, group: &str, margins: Margins) -> Result<Checker> {
        check_margins(margins)?;
        self.build(CheckerKind { group, margins, workspace: None, is_inside: false })
    }

    /// As [`checker`](Self::checker), for configurations inside the joint limits only: links that are proven not to
    /// touch there are not checked, only measured. The tool's origin may be bound to a box.
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
        self.build(CheckerKind { group, margins, workspace, is_inside: true })
    }

    /// Runs a query on a pooled checker that is equivalent to one of [`checker_within`](Self::checker_within). Building
    /// a checker takes some tens of microseconds, which only the first query about a content of the scene spends.
    /// Results are those of a new checker.
    ///
    /// # Errors
    /// As [`checker`](Self::checker).
    pub fn ask_checker_within<T>(
        &self,
        group: &str,
        margins: Margins,
        workspace: Option<&WorkspaceBounds>,
        query: impl FnOnce(&mut Checker) -> T,
    ) -> Result<T> {
        check_margins(margins)?;
        let kind = CheckerKind { group, margins, workspace, is_inside: true };
        let mut checker = self.take_or_build(kind)?;
        if checker.moved > 0 {
            // Its trees differ from those of a new checker, and so does the cost of a query, which budgets count.
            checker = self.renewed(checker, kind)?;
        }
        checker.forget();
        let answer = query(&mut checker);
        self.give_back(kind, checker);
        Ok(answer)
    }

    pub(super) fn build(&self, kind: CheckerKind<'_>) -> Result<Checker> {
        let CheckerKind { group, margins, workspace, is_inside } = kind;
        simd_tier()?;
        let is_inside = is_inside && self.is_inside_limits(&self.content.held);
        let planned = self.robot().resolve_group(group)?;
        let model = builder::collision_model(&self.content, &planned, margins, workspace, is_inside)?;
        let mut checker = Checker::new(model, group.to_owned(), margins);
        checker.key = self.key(kind).map(Arc::new);
        Ok(checker)
    }

    /// Cache key of a checker of a kind; `None` where its obstacles cannot be replaced.
    fn key(&self, kind: CheckerKind<'_>) -> Option<CheckerKey> {
        let is_inside = kind.is_inside && self.is_inside_limits(&self.content.held);
        if kind.workspace.is_some() { None } else { CheckerKey::of(&self.content, is_inside) }
    }

    /// The kind of a checker for contact of the default group, without margins.
    fn plain(&self, is_inside: bool) -> CheckerKind<'_> {
        let group = &self.robot().groups[self.robot().default_group].name;
        CheckerKind { group, margins: Margins::ZERO, workspace: None, is_inside }
    }

    pub(super) fn is_inside_limits(&self, full: &[f64]) -> bool {
        self.content.is_inside_limits(full)
    }

    /// True when rows of the default group's length, and the fixed joints of the scene, are inside their limits.
    pub(super) fn is_group_inside(&self, rows: &[f64]) -> bool {
        let (robot, group) = (self.robot(), &self.robot().groups[self.robot().default_group]);
        let limits = || group.variables.iter().map(|variable| &robot.joint_limits[*variable]);
        let is_inside =
            |q: &[f64]| limits().zip(q).all(|(limits, value)| limits.contains(*value, LIMIT_TOLERANCE_RAD_M));
        rows.chunks(group.dof().max(1)).all(is_inside) && self.is_inside_limits(&self.content.held)
    }

    /// Runs a query on a checker of the default group without margins, about configurations in group length. The other
    /// joints have the values of the first configuration, if that has robot length.
    fn query<const N: usize, T>(
        &self,
        configurations: [&[f64]; N],
        query: impl FnOnce(&mut Checker, [&[f64]; N]) -> T,
    ) -> Result<T> {
        let group = &self.robot().groups[self.robot().default_group];
        if configurations.iter().any(|q| q.len() != group.dof()) {
            return self.query_at(configurations, query);
        }
        configurations.iter().try_for_each(|q| check_finite("joint vector", q))?;
        let is_inside = configurations.iter().all(|q| self.is_group_inside(q));
        self.query_pooled(self.plain(is_inside), |checker| query(checker, configurations))
    }

    /// As [`query`](Self::query), for any lengths.
    fn query_at<const N: usize, T>(
        &self,
        configurations: [&[f64]; N],
        query: impl FnOnce(&mut Checker, [&[f64]; N]) -> T,
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
        // The compiled model does not depend on the values of the group's joints.
        let is_elsewhere =
            |variable: usize| held[variable] != self.content.held[variable] && !group.variables.contains(&variable);
        if (0..held.len()).any(is_elsewhere) {
            let scene = self.holding_outside(group, &held)?;
            return scene.query_pooled(self.plain(is_inside), |checker| query(checker, short));
        }
        self.query_pooled(self.plain(is_inside), |checker| query(checker, short))
    }

    /// Rejects configurations of robot length that move a joint outside the default group, because the motion between
    /// them is not one of the group.
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

    /// Runs a query on a pooled checker, or on a new one.
    fn query_pooled<T>(&self, kind: CheckerKind<'_>, query: impl FnOnce(&mut Checker) -> T) -> Result<T> {
        let mut checker = self.take_or_build(kind)?;
        let answer = query(&mut checker);
        self.give_back(kind, checker);
        Ok(answer)
    }

    /// A pooled checker; else one without obstacles; else a new one.
    pub(super) fn take_or_build(&self, kind: CheckerKind<'_>) -> Result<Box<Checker>> {
        if let Some(checker) = self.take_pooled(kind)? {
            return Ok(checker);
        }
        if let Some(mut checker) = self.key(kind).and_then(|key| self.detached.take(&key, kind)) {
            checker.set_world(&self.content)?;
            return Ok(checker);
        }
        self.build(kind).map(Box::new)
    }

    /// A pooled checker with the current poses of all objects.
    pub(super) fn take_pooled(&self, kind: CheckerKind<'_>) -> Result<Option<Box<Checker>>> {
        let objects = &self.content.objects;
        let Some((mut checker, known)) = self.pool.take(kind, objects) else { return Ok(None) };
        if checker.move_objects(&self.content, objects.moved_since(&known))? {
            return Ok(Some(checker));
        }
        self.renewed(checker, kind).map(Some)
    }

    /// Returns a checker with the current poses of all objects to the pool.
    pub(super) fn give_back(&self, kind: CheckerKind<'_>, checker: Box<Checker>) {
        self.pool.give_back(kind, &self.content.objects, checker);
    }

    /// Recompiles the obstacles of a checker, which is then like a new one.
    fn renewed(&self, mut checker: Box<Checker>, kind: CheckerKind<'_>) -> Result<Box<Checker>> {
        if checker.key.is_none() {
            return self.build(kind).map(Box::new);
        }
        checker.set_world(&self.content)?;
        Ok(checker)
    }

    /// This scene with the fixed joints of `q`, and the values of the default group.
    pub(crate) fn holding_at(&self, q: &[f64]) -> Result<(Self, Vec<f64>)> {
        let full = self.full(q)?;
        let group = &self.robot().groups[self.robot().default_group];
        let short = self.robot().group_configuration(group, &full)?.0;
        Ok((self.holding_outside(group, &full)?, short))
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

    /// True when any pair is in contact at `q` (default group or robot length), or violates a margin of the scene.
    ///
    /// # Errors
    /// Errors of `q`.
    pub fn check_collision(&self, q: &[f64]) -> Result<bool> {
        self.query([q], |checker, [q]| !checker.is_free(q))
    }

    /// Least signed distance between robot and world at `q`, m; infinite in an empty scene. Paddings belong to the bodies,
    /// margins do not count.
    ///
    /// # Errors
    /// Errors of `q`.
    pub fn min_distance(&self, q: &[f64]) -> Result<f64> {
        self.query([q], |checker, [q]| checker.world_distance(q).0)
    }

    /// Pairs closer than `margin` (m, on top of the margins of the scene) at `q`, nearest first. Distances are those of
    /// the bodies without their paddings.
    ///
    /// # Errors
    /// Errors of `q`.
    pub fn contacts(&self, q: &[f64], margin: f64) -> Result<Vec<Contact>> {
        self.query([q], |checker, [q]| checker.contacts(q, margin))
    }

    /// As [`contacts`](Self::contacts), without a margin: pairs in contact or violating a margin of the scene.
    ///
    /// # Errors
    /// Errors of `q`.
    pub fn contact_points(&self, q: &[f64]) -> Result<Vec<Contact>> {
        self.contacts(q, 0.0)
    }

    /// Self-collision pairs that are in contact at `q`, or violate a margin of the scene.
    ///
    /// # Errors
    /// Errors of `q`.
    pub fn self_collision(&self, q: &[f64]) -> Result<Vec<Pair>> {
        self.query([q], |checker, [q]| checker.self_contacts(q))
    }

    /// All pairs that may touch in some configuration and whose slack at `q`, without general margins, is at most
    /// `within` (m), with witness points and derivatives. The result depends on the configuration alone. In loops
    /// [`Checker::proximity`] is faster, because it starts from the result of the last query.
    ///
    /// # Errors
    /// Errors of `q`; [`KineticError::InvalidValue`] for `within`.
    pub fn proximity(&self, q: &[f64], within: f64, precision: DistancePrecision) -> Result<NamedProximity> {
        check_within(within)?;
        self.query([q], |checker, [q]| {
            let mut found = Proximity::default();
            checker.forget();
            checker.proximity(q, within, precision, &mut found);
            NamedProximity::new(found, checker)
        })
    }

    /// The least clearance at `q` with its derivative by the joint values of the default group, and the witness points.
    /// Margins of the scene count as in [`check_collision`](Self::check_collision).
    ///
    /// # Errors
    /// Errors of `q`.
    pub fn distance_gradient(&self, q: &[f64]) -> Result<DistanceGradient> {
        self.query([q], |checker, [q]| checker.distance_gradient(q))
    }

    /// The least clearance at `q` of every link with geometry and of every attached body.
    ///
    /// # Errors
    /// Errors of `q`.
    pub fn link_clearances(&self, q: &[f64]) -> Result<Vec<LinkClearance>> {
        self.query([q], |checker, [q]| checker.link_clearances(q))
    }

    /// First contact on the straight joint-space segment, as a fraction in [0, 1]; `None` when it is proven free.
    ///
    /// # Errors
    /// Errors of the configurations; [`KineticError::InvalidValue`] for two of robot length that differ in a joint outside
    /// the default group.
    pub fn check_motion(&self, from: &[f64], to: &[f64]) -> Result<Option<f64>> {
        self.query([from, to], |checker, [from, to]| {
            // Proving a free motion is faster than searching for a first contact that does not exist.
            let is_free = checker.is_motion_free(from, to);
            if is_free { None } else { checker.first_contact(from, to).map(|(t, _)| t) }
        })
    }
}

/// Rejects a distance that is negative or not finite.
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
