//! `Planner.plan_sequence`.

use kinetic::core::{KineticError, StopFlag};
use kinetic::trajectory::time_law;
use pyo3::prelude::*;

use super::item::SequenceItems;
use super::result::PySequenceResult;
use crate::convert::TimeLaw;
use crate::error::Result;
use crate::interrupt::interruptible;
use crate::planning::PyPlanner;
use crate::planning::start::StartArg;
use crate::stop_flag::PyStopFlag;

#[pymethods]
impl PyPlanner {
    /// Motions one after the other as one trajectory, at rest between them or blended, with one certificate for all of it.
    ///
    /// A pose is met by several configurations, and from most of them a line that follows leads out of the limits or into
    /// something. All configurations that meet the goal of a free-space item are tried as starts of the Cartesian items that
    /// follow it, the nearest first, and the motion ends at one from which all of these can be followed to their ends. Ctrl-C
    /// stops it.
    ///
    /// Args:
    ///     start: As for `plan`.
    ///     items: A list of `SequenceItem`, or of what they are made of: goals as for `plan`, and Cartesian paths.
    ///     time_parameterize: As for `plan`; without a time law there is no sequence.
    ///     stop: Ends the plan when another thread stops it.
    ///
    /// Raises:
    ///     InputError: Wrong sizes, NaN, no items; the message names the item.
    ///     PlanningError: An item cannot be planned (`SequenceItemFailed`): `item` says which, `reason_code` and `reason` why.
    ///         Time used up, stopped.
    ///
    /// Example:
    ///     >>> from kinetic import CartesianPath, Planner, SequenceItem
    ///     >>> planner = Planner("ur5e")
    ///     >>> above = planner.fk([0.3, -1.2, 1.6, -2.0, -1.5, 0.1])
    ///     >>> down = SequenceItem(CartesianPath().move_by([0.0, 0.0, -0.1]), velocity_scaling=0.3)
    ///     >>> sequence = planner.plan_sequence("home", [above, down, "home"])
    ///     >>> sequence.trajectory.certificate is not None, len(sequence.boundaries)
    ///     (True, 4)
    #[pyo3(
        signature = (start, items, time_parameterize=TimeLaw::default_law(), *, stop=None),
        text_signature = "($self, start, items, time_parameterize=True, *, stop=None)"
    )]
    fn plan_sequence(
        &self,
        py: Python<'_>,
        start: StartArg,
        items: SequenceItems,
        time_parameterize: TimeLaw,
        stop: Option<&Bound<'_, PyStopFlag>>,
    ) -> Result<PySequenceResult> {
        let stop = stop.map_or_else(StopFlag::default, |stop| stop.get().0.child());
        let planner = self.now(py)?;
        let Some(law) = time_parameterize.0.as_deref() else {
            return Err(KineticError::invalid("time_parameterize", "False", "a time law for a sequence").into());
        };
        let (start, law) = (start.values(&planner)?, time_law(law)?);
        let control = planner.control(stop.clone());
        let plan = || planner.plan_sequence_with(&start, &items.0, law, &control);
        let planned = interruptible(py, &stop, plan)?;
        PySequenceResult::new(py, planned?, planner.chain().joint_names())
    }
}
