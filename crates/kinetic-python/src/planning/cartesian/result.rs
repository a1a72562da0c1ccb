//! `CartesianResult`: what a Cartesian plan came to.

use kinetic::planning::{CartesianResult, CartesianStop, SpeedLoss};
use pyo3::prelude::*;

use crate::convert::{Dict, Dicts, Real};
use crate::error::Result;
use crate::trajectory::PyTrajectory;

/// The motion along a Cartesian path, or along as much of it as can be followed.
#[pyclass(frozen, module = "kinetic", name = "CartesianResult")]
pub(crate) struct PyCartesianResult {
    pub(crate) result: CartesianResult,
    pub(crate) trajectory: Py<PyTrajectory>,
}

#[pymethods]
impl PyCartesianResult {
    /// The motion with its certificate; a path without time where no time law was asked for.
    #[getter]
    fn trajectory<'py>(&self, py: Python<'py>) -> Bound<'py, PyTrajectory> {
        self.trajectory.bind(py).clone()
    }

    /// Part of the path that is followed, by its length; 1.0 is all of it.
    #[getter]
    fn fraction(&self) -> f64 {
        self.result.fraction
    }

    /// Length of the whole path, m; a rotation of 1 rad counts as 0.1 m where it is longer than the translation.
    #[getter]
    fn length(&self) -> f64 {
        self.result.length
    }

    /// How far along the path the tool is at a time on the trajectory, m, as the length of the path is counted; 0.0 without a time law.
    ///
    /// Args:
    ///     time: s, clamped to the trajectory.
    fn arc_length_at(&self, time: Real) -> f64 {
        self.result.arc_length_at(time.0)
    }

    /// Why it ends before the end, in words; None for all of the path.
    #[getter]
    fn reason(&self) -> Option<String> {
        self.result.stop.as_ref().map(ToString::to_string)
    }

    /// Why it ends, in values: `kind` ("unreachable", "limit", "singularity", "jump",
    /// "collision" or "deviation"), `at` (m along the path),
    /// `move` (index of the move), `joint` or None, `pair` (link, and the other link or object) or None, `amount` (as for the
    /// obstacles of `Robot.ik_path`) and `sigma_min` (least singular value of the Jacobian where the motion ends); None for all of
    /// the path.
    #[getter]
    fn obstacle<'py>(&self, py: Python<'py>) -> Result<Option<Dict<'py>>> {
        let entry = |stop: &CartesianStop| -> Result<Dict<'py>> {
            Ok(Dict::new(py)
                .with("kind", stop.obstacle.id())?
                .with("at", stop.at)?
                .with("move", stop.move_index)?
                .with("joint", stop.obstacle.joint())?
                .with("pair", stop.obstacle.pair())?
                .with("amount", stop.obstacle.amount())?
                .with("sigma_min", stop.sigma_min)?)
        };
        self.result.stop.as_ref().map(entry).transpose()
    }

    /// Bound on the distance of the tool from the path at every instant, m.
    #[getter]
    fn deviation(&self) -> f64 {
        self.result.deviation
    }

    /// Bound on the angle between the tool and the path at every instant, rad.
    #[getter]
    fn angle(&self) -> f64 {
        self.result.angle
    }

    /// Bound on the speed of the tool, m/s; 0 without time.
    #[getter]
    fn tool_speed(&self) -> f64 {
        self.result.tool_speed
    }

    /// Bound on the angular speed of the tool, rad/s; 0 without time.
    #[getter]
    fn tool_rotation_speed(&self) -> f64 {
        self.result.tool_rotation_speed
    }

    /// Where a constant speed is not held: `from` and `to` (m along the path), `speed` (the least, m/s), `joint` and `quantity`
    /// ("velocity" or "acceleration") of the limit that is reached, None where none is and the bound on the speed keeps more than
    /// it has to, and `at_stop` (whether it is the way from or to a stop).
    #[getter]
    fn speed_losses<'py>(&self, py: Python<'py>) -> Result<Dicts<'py>> {
        let entry = |loss: &SpeedLoss| -> Result<Dict<'py>> {
            Ok(Dict::new(py)
                .with("from", loss.from)?
                .with("to", loss.to)?
                .with("speed", loss.speed)?
                .with("joint", loss.joint.as_deref())?
                .with("quantity", loss.quantity)?
                .with("at_stop", loss.is_at_stop)?)
        };
        Ok(Dicts::new(py, self.result.speed_losses.iter().map(entry).collect::<Result<_>>()?)?)
    }

    fn __repr__(&self) -> String {
        let CartesianResult { fraction, length, deviation, .. } = self.result;
        match self.reason() {
            None => format!("<CartesianResult: {length:.4} m, deviation {deviation:.1e} m>"),
            Some(reason) => format!("<CartesianResult: {:.1} % of {length:.4} m, {reason}>", 100.0 * fraction),
        }
    }
}
