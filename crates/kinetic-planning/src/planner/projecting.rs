//! Projection onto the constraints of a planner, and functions of constraints that fail meanwhile.

use kinetic_core::{Constraint, Control, JointValues, Result};

use super::Planner;
use crate::constraints::FunctionFailures;

impl Planner {
    /// The configuration on the [constraints](kinetic_core::PlannerConfig::constraints) of the planner that Newton's method with
    /// least steps finds from `q` (group or robot length), in group length. One that keeps them well is returned as it is.
    /// Collisions are not looked at.
    ///
    /// # Errors
    /// Errors of `q`; [`ConstraintViolated`](kinetic_core::KineticError::ConstraintViolated) where none is found: the constraint that
    /// is left most; [`ConstraintFunctionFailed`](kinetic_core::KineticError::ConstraintFunctionFailed).
    pub fn project(&self, q: &[f64]) -> Result<JointValues> {
        let now = self.now()?;
        let (here, q) = now.holding_at(q)?;
        here.projected(q, "projected configuration")
    }

    /// `q` (group length) on the constraints; `context` says in errors what it is.
    fn projected(&self, mut q: JointValues, context: &str) -> Result<JointValues> {
        let Some(mut constraints) = self.constraint_set()? else { return Ok(q) };
        if constraints.project(&mut q.0) {
            return Ok(q);
        }
        let violation = constraints.violation(&q);
        if let Some(error) = constraints.failure() {
            return Err(error);
        }
        violation.map_or(Ok(q), |violation| Err(constraints.error(context, &violation)))
    }

    /// The start of a plan: projected where it does not keep the constraints and that is
    /// [asked for](kinetic_core::PlannerConfig::project_start).
    pub(super) fn projected_start(&self, start: JointValues) -> Result<JointValues> {
        if !self.config.project_start {
            return Ok(start);
        }
        let Some(mut constraints) = self.constraint_set()? else { return Ok(start) };
        if constraints.violation(&start).is_none() { Ok(start) } else { self.projected(start, "projected start") }
    }

    /// This planner with failures of functions kept, which end the work through the control; `None` where no constraint is a
    /// function, or they are kept already.
    pub(super) fn watching_functions(&self, control: &Control) -> Option<(Self, FunctionFailures, Control)> {
        let has_function = self.config.constraints.iter().any(|one| matches!(one, Constraint::Custom(_)));
        if !has_function || self.failures.is_some() {
            return None;
        }
        let (control, stop) = control.with_own_stop();
        let failures = FunctionFailures::stopping(stop);
        Some((Self { failures: Some(failures.clone()), ..self.clone() }, failures, control))
    }
}
