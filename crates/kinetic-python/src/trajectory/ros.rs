//! `Trajectory.to_ros`: the shape of a `trajectory_msgs/JointTrajectory`.

use kinetic::core::error::check_len;
use kinetic::core::{KineticError, TimedTrajectory};
use pyo3::prelude::*;

use crate::convert::{Dict, Dicts, Real, Texts};
use crate::error::Result;
use crate::trajectory::PyTrajectory;

const NANOSECONDS: f64 = 1e9;

/// More points than this are refused: no controller reads them.
const MOST_POINTS: u32 = 10_000_000;

#[pymethods]
impl PyTrajectory {
    /// The trajectory as a dict of the shape of a ROS message `trajectory_msgs/JointTrajectory`.
    ///
    /// By default there is a point at every knot of the curve, with velocities and accelerations: a controller that
    /// interpolates with quintics, as `joint_trajectory_controller` does, then follows this curve where accelerations are
    /// continuous. Stamps are whole nanoseconds and increase strictly.
    ///
    /// Args:
    ///     period: Points this far apart instead, s, and one at the end.
    ///     joint_names: Names for the message; None for those of the trajectory, or "joint_0", "joint_1" …
    ///
    /// Returns:
    ///     A dict with `header`, `joint_names` and `points`, lists and numbers only.
    #[pyo3(signature = (*, period=None, joint_names=None))]
    fn to_ros<'py>(&self, py: Python<'py>, period: Option<Real>, joint_names: Option<Texts>) -> Result<Dict<'py>> {
        let timed = self.as_timed()?;
        let names = match joint_names {
            Some(names) => names.0,
            None if self.joint_names.is_empty() => (0..timed.dof()).map(|joint| format!("joint_{joint}")).collect(),
            None => self.joint_names.clone(),
        };
        check_len("joint names", names.len(), timed.dof())?;
        let points = stamps(timed, period.map(|period| period.0))?;
        let point = |time: &f64| -> Result<Dict<'py>> {
            let state = timed.sample_at(*time);
            Ok(Dict::new(py)
                .with("positions", state.positions.0)?
                .with("velocities", state.velocities.0)?
                .with("accelerations", state.accelerations.0)?
                .with("effort", Vec::<f64>::new())?
                .with("time_from_start", stamp(py, nanoseconds(*time))?)?)
        };
        let points = Dicts::new(py, points.iter().map(point).collect::<Result<_>>()?)?;
        let header = Dict::new(py).with("stamp", stamp(py, 0)?)?.with("frame_id", "")?;
        Ok(Dict::new(py).with("header", header)?.with("joint_names", names)?.with("points", points)?)
    }
}

/// Times of the points: a nanosecond apart at least, the end among them.
fn stamps(timed: &TimedTrajectory, period: Option<f64>) -> Result<Vec<f64>> {
    let end = timed.duration();
    let times: Vec<f64> = match period {
        None => timed.curve().knots().to_vec(),
        Some(period) if period >= 1.0 / NANOSECONDS && end / period <= f64::from(MOST_POINTS) => (0..=MOST_POINTS)
            .map(|point| period * f64::from(point))
            .take_while(|time| *time < end)
            .chain([end])
            .collect(),
        Some(period) => {
            let wanted = format!("at least a nanosecond, and {MOST_POINTS} points at most");
            return Err(KineticError::invalid("period", period, wanted).into());
        }
    };
    let mut kept: Vec<f64> = Vec::with_capacity(times.len());
    for time in times {
        while kept.len() > 1 && nanoseconds(time) <= nanoseconds(kept[kept.len() - 1]) {
            kept.pop();
        }
        if kept.last().is_none_or(|last| nanoseconds(time) > nanoseconds(*last)) {
            kept.push(time);
        }
    }
    Ok(kept)
}

#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "times are positive, and no centuries")]
fn nanoseconds(time: f64) -> u64 {
    (time * NANOSECONDS).round() as u64
}

fn stamp(py: Python<'_>, nanoseconds: u64) -> PyResult<Dict<'_>> {
    const SECOND: u64 = 1_000_000_000;
    Dict::new(py).with("sec", nanoseconds / SECOND)?.with("nanosec", nanoseconds % SECOND)
}
