//! `Trajectory`: how the start of a plan was moved to where the motion begins.

use pyo3::prelude::*;

use crate::convert::Dict;
use crate::error::Result;
use crate::trajectory::PyTrajectory;

#[pymethods]
impl PyTrajectory {
    /// How the start of the plan was moved to where this motion begins, where `fix_start` asked for it and the start was not valid;
    /// else None. Files and pickles do not hold it.
    ///
    /// A dict: `trajectory`, the motion from the start to where this one begins, straight in joint space and without a
    /// certificate (without time, where this one has none); `largest_change` of a joint, rad or m; `outside_limits`, the joints that
    /// start outside; `contacts`, the pairs that miss their margins at the start: (link, other, signed distance in m). On the way
    /// no other pair misses its margin and none of these comes nearer, as far as samples say; `is_proven_free` is True where all
    /// of the way is proven to keep the margins.
    #[getter]
    fn lead_in<'py>(&self, py: Python<'py>) -> Result<Option<Dict<'py>>> {
        let Some(lead_in) = &self.lead_in else { return Ok(None) };
        let path = || Self::path(lead_in.path.clone());
        let mut trajectory = lead_in.trajectory.clone().map_or_else(path, Self::timed);
        trajectory.joint_names.clone_from(&self.joint_names);
        let contacts = lead_in.contacts.iter().map(|(pair, distance)| (&pair.link, &pair.other, *distance));
        let dict = Dict::new(py).with("trajectory", trajectory)?.with("largest_change", lead_in.largest_change)?;
        let dict = dict.with("outside_limits", lead_in.outside_limits.clone())?;
        let dict = dict.with("contacts", contacts.collect::<Vec<_>>())?;
        Ok(Some(dict.with("is_proven_free", lead_in.is_proven_free)?))
    }
}
