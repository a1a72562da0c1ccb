//! `Planner`: plans under constraints.

use kinetic::core::StopFlag;
use kinetic::core::error::{check_finite, check_len};
use kinetic::planning::ConstraintSet;
use pyo3::prelude::*;

use crate::convert::{Array, Dict, Dicts, TimeLaw, Vector};
use crate::error::Result;
use crate::planning::PyPlanner;
use crate::planning::constraint::{Constraints, PyConstraint};
use crate::planning::goal::GoalArg;
use crate::planning::speed::SpeedArgs;
use crate::planning::start::StartArg;
use crate::stop_flag::PyStopFlag;
use crate::trajectory::PyTrajectory;

impl PyPlanner {
    /// The constraints compiled, for one configuration of the group.
    fn constraint_set(&self, py: Python<'_>, q: &[f64]) -> Result<Option<ConstraintSet>> {
        let planner = self.now(py)?;
        let context = format!("configuration of group \"{}\"", planner.group().name);
        check_len(&context, q.len(), planner.group().dof())?;
        check_finite(&context, q)?;
        Ok(planner.constraint_set()?)
    }
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
        let stop = stop.map_or_else(StopFlag::default, |stop| stop.get().0.child());
        let planned = planner.run(py, start_joints, goal, time_parameterize, SpeedArgs::default(), &stop, None);
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
        let mut projected = q.0;
        if let Some(mut constraints) = self.constraint_set(py, &projected)?
            && !constraints.project(&mut projected)
            && let Some(violation) = constraints.violation(&projected)
        {
            return Err(constraints.error("projected configuration", &violation).into());
        }
        Array::vector(py, &projected)
    }

    /// How far `q` (dof,) is from what each constraint of the planner demands: a dict each with `constraint`, `deviation` and
    /// `tolerance`, rad or m.
    ///
    /// Raises:
    ///     InputError: Another number of joints, or NaN.
    fn constraint_deviations<'py>(&self, py: Python<'py>, q: Vector) -> Result<Dicts<'py>> {
        let Some(mut constraints) = self.constraint_set(py, &q.0)? else { return Ok(Dicts::new(py, Vec::new())?) };
        let deviations = constraints.deviations(&q.0);
        let dict = |(constraint, (deviation, tolerance)): (&_, (f64, f64))| {
            let dict = Dict::new(py).with("constraint", PyConstraint(Clone::clone(constraint)))?;
            dict.with("deviation", deviation)?.with("tolerance", tolerance)
        };
        let dicts = constraints.constraints().iter().zip(deviations).map(dict);
        Ok(Dicts::new(py, dicts.collect::<PyResult<_>>()?)?)
    }
}
