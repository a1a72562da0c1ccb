//! `Planner`: plans under constraints.

use kinetic::core::error::{check_finite, check_len};
use kinetic::core::{Constraint, StopFlag};
use kinetic::planning::Planner;
use pyo3::prelude::*;

use crate::convert::{Array, Dict, Dicts, TimeLaw, Vector};
use crate::error::Result;
use crate::interrupt::interruptible_if;
use crate::planning::PyPlanner;
use crate::planning::constraint::{Constraints, PyConstraint};
use crate::planning::goal::GoalArg;
use crate::planning::keywords::PlanCallKeywords;
use crate::planning::speed::SpeedArgs;
use crate::planning::start::StartArg;
use crate::stop_flag::PyStopFlag;
use crate::trajectory::PyTrajectory;

/// Refuses what is no configuration of the group.
fn check(planner: &Planner, q: &[f64]) -> Result<()> {
    check_len(&format!("configuration of group \"{}\"", planner.group().name), q.len(), planner.group().dof())?;
    Ok(check_finite("configuration", q)?)
}

/// Whether a constraint is a function, which may take long.
fn has_function(planner: &Planner) -> bool {
    planner.config().constraints.iter().any(|constraint| matches!(constraint, Constraint::Custom(_)))
}

#[pymethods]
impl PyPlanner {
    /// Plans a motion that keeps these constraints at every instant, besides those of the planner.
    ///
    /// The timed curve is proven to keep them, not its waypoints; the certificate has `constraints` with a bound for each.
    ///
    /// Args:
    ///     start_joints: As for `plan`.
    ///     goal: As for `plan`.
    ///     constraints: A list of `Constraint`.
    ///     time_parameterize: As for `plan`.
    ///     stop: As for `plan`.
    ///
    /// Raises:
    ///     InputError: As `plan`; an unknown link or joint index; two constraints that contradict each other.
    ///     PlanningError: As `plan`; `ConstraintViolated` for a start or goal that does not keep them.
    ///
    /// Example:
    ///     >>> import numpy as np
    ///     >>> from kinetic import Constraint, Planner, Robot
    ///     >>> planner = Planner(Robot("franka_panda"))
    ///     >>> start = np.array([0.0, -0.785, 0.0, -2.356, 0.0, 1.571, 0.785])
    ///     >>> upright = Constraint.orientation("panda_hand", [0, 0, -1], 0.1)
    ///     >>> motion = planner.plan_constrained(start, start + [1.0, 0, 0, 0, 0, 0, 0], [upright])
    ///     >>> motion.certificate.constraints[0]["max_violation"] <= 0.0
    ///     True
    #[pyo3(
        signature = (start_joints, goal, constraints, time_parameterize=TimeLaw::default_law(), *, stop=None),
        text_signature = "($self, start_joints, goal, constraints, time_parameterize=True, *, stop=None)"
    )]
    fn plan_constrained(
        &self,
        py: Python<'_>,
        start_joints: StartArg,
        goal: GoalArg,
        constraints: Constraints,
        time_parameterize: TimeLaw,
        stop: Option<Bound<'_, PyStopFlag>>,
    ) -> Result<PyTrajectory> {
        let mut config = self.config.clone();
        config.constraints.extend(constraints.0);
        let planner = self.with_config(py, config);
        let keywords = PlanCallKeywords { stop: stop.map(Bound::unbind), ..PlanCallKeywords::default() };
        let planned = planner.run(py, start_joints, goal, time_parameterize, SpeedArgs::default(), keywords);
        self.take_result(&planner);
        planned
    }

    /// The configuration on the constraints of the planner that is found from `q` (dof,) by Newton's method with least steps; a
    /// configuration that keeps them well is returned as it is. Collisions are not looked at.
    ///
    /// Raises:
    ///     InputError: Another number of joints, or NaN.
    ///     PlanningError: `ConstraintViolated` where none is found: the constraint that is left most.
    fn project<'py>(&self, py: Python<'py>, q: Vector) -> Result<Array<'py>> {
        let (planner, stop) = (self.now(py)?, StopFlag::default());
        check(&planner, &q.0)?;
        let projected = interruptible_if(py, has_function(&planner), &stop, || planner.project(&q.0))??;
        Array::vector(py, &projected)
    }

    /// How far `q` (dof,) is from what each constraint of the planner demands: a dict each with `constraint`, `deviation` and
    /// `tolerance`, rad or m.
    ///
    /// Raises:
    ///     InputError: Another number of joints, or NaN.
    fn constraint_deviations<'py>(&self, py: Python<'py>, q: Vector) -> Result<Dicts<'py>> {
        let (planner, stop) = (self.now(py)?, StopFlag::default());
        check(&planner, &q.0)?;
        let Some(mut constraints) = planner.constraint_set()? else { return Ok(Dicts::new(py, Vec::new())?) };
        let deviations = interruptible_if(py, has_function(&planner), &stop, || constraints.deviations(&q.0))?;
        if let Some(error) = constraints.failure() {
            return Err(error.into());
        }
        let dict = |(constraint, (deviation, tolerance)): (&_, (f64, f64))| {
            let dict = Dict::new(py).with("constraint", PyConstraint(Clone::clone(constraint)))?;
            dict.with("deviation", deviation)?.with("tolerance", tolerance)
        };
        let dicts = constraints.constraints().iter().zip(deviations).map(dict);
        Ok(Dicts::new(py, dicts.collect::<PyResult<_>>()?)?)
    }
}
