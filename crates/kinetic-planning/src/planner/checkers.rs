//! Checkers of a planner, with the joints outside its group fixed at the values of a configuration.

use std::borrow::Cow;

use kinetic_core::{Control, Goal, JointValues, Result};
use kinetic_ik::analytic::Manipulator;
use kinetic_scene::{Checker, Margins};

use super::Planner;
use crate::constraints::ConstraintSet;
use crate::goal_context::{GoalContext, IkContext};
use crate::goal_set::GoalSet;
use crate::restarts::FIRST_POSES;
use crate::scene_validity::SceneValidity;

impl Planner {
    /// The planner with the joints outside its group fixed where `q` states, when it has robot length; and the group's values.
    pub(crate) fn holding_at(&self, q: &[f64]) -> Result<(Cow<'_, Self>, JointValues)> {
        let short = self.scene.robot().group_configuration(&self.group, q)?;
        let held = self.scene.held();
        let is_elsewhere = |variable: usize| q[variable] != held[variable] && !self.group.variables.contains(&variable);
        if q.len() == self.group.dof() || !(0..q.len()).any(is_elsewhere) {
            return Ok((Cow::Borrowed(self), short));
        }
        let scene = self.scene.holding_outside(&self.group, q)?;
        let mut here = self.clone();
        here.enter(scene)?;
        Ok((Cow::Owned(here), short))
    }

    /// Calls `action` with the planner [held at](Self::holding_at) `q`, a checker with its margins, and the group's
    /// values.
    pub(super) fn with_checker_at<T>(
        &self,
        q: &[f64],
        action: impl FnOnce(&Self, &mut Checker, JointValues) -> Result<T>,
    ) -> Result<T> {
        let (here, short) = self.holding_at(q)?;
        let bounds = here.config.workspace_bounds.as_ref();
        let act = |checker: &mut Checker| {
            let outcome = action(&here, checker, short);
            checker.obey(None);
            outcome
        };
        here.scene.ask_checker_within(&here.group.name, here.margins(), bounds, act)?
    }

    pub(crate) fn margins(&self) -> Margins {
        Margins::new(self.config.collision_margin, self.config.self_margin)
    }

    /// A checker of the caller's own, otherwise as [`with_checker_at`](Self::with_checker_at).
    pub(crate) fn checker_at(&self, q: &[f64]) -> Result<(Checker, JointValues)> {
        self.now()?.with_checker_at(q, |_, checker, q| Ok((checker.clone(), q)))
    }

    /// A validity with this planner's margins that other threads may own, for planning and for checks of the caller's own. The
    /// joints outside the group are fixed where `q` (group or robot length) states.
    ///
    /// # Errors
    /// Errors of `q`.
    pub fn validity(&self, q: &[f64]) -> Result<SceneValidity<'static>> {
        let now = self.now()?;
        let (here, _) = now.holding_at(q)?;
        Ok(SceneValidity::owned(self.checker_at(q)?.0).with_constraints(here.constraint_set()?))
    }

    /// The [constraints](kinetic_core::PlannerConfig::constraints) of this planner, compiled; `None` where there are none. Joints
    /// outside the group stand where the scene holds them.
    ///
    /// # Errors
    /// As [`ConstraintSet::new`].
    pub fn constraint_set(&self) -> Result<Option<ConstraintSet>> {
        let constraints = &self.config.constraints;
        if constraints.is_empty() {
            return Ok(None);
        }
        let (robot, held) = (self.scene.robot(), self.scene.held());
        let set = ConstraintSet::new(robot, &self.group, &self.chain, held, constraints)?;
        Ok(Some(match &self.failures {
            Some(failures) => set.with_failures(failures.clone()),
            None => set,
        }))
    }

    /// A checker, the start and the goals of a search, in group length, as far as the goals can be used. The joints outside
    /// the group stand as the scene holds them.
    pub(crate) fn ends(&self, start: &[f64], goal: &Goal) -> Result<(Checker, JointValues, Vec<JointValues>)> {
        let (mut checker, start) = self.checker_at(start)?;
        let closed_form = || self.closed_form();
        let around = self.goal_context(&closed_form, &start);
        let goals = GoalSet::resolve(&around, &mut checker, goal, FIRST_POSES, &Control::default())?;
        let goals = goals.configurations().to_vec();
        Ok((checker, start, goals))
    }

    /// What goals are resolved with.
    pub(crate) fn goal_context<'a>(
        &'a self,
        closed_form: &'a dyn Fn() -> Option<&'a Manipulator>,
        start: &'a [f64],
    ) -> GoalContext<'a> {
        let (robot, held) = (&**self.scene.robot(), self.scene.held());
        let ik = IkContext { robot, chain: &self.chain, closed_form, seed: self.config.seed };
        GoalContext { ik, group: &self.group, start, held, attached: self.scene.attached() }
    }
}
