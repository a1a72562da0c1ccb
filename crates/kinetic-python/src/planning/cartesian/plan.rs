//! `Planner.plan_cartesian` and `Planner.plan_cartesian_arc`.

use kinetic::core::StopFlag;
use kinetic::kinematics::CartesianPath;
use kinetic::planning::CartesianConfig;
use kinetic::trajectory::time_law;
use pyo3::prelude::*;

use super::config::PyCartesianConfig;
use super::path::{CartesianPathArg, PyCartesianPath};
use super::result::PyCartesianResult;
use crate::convert::{PoseArg, Real, TimeLaw};
use crate::error::Result;
use crate::interrupt::interruptible;
use crate::planning::PyPlanner;
use crate::planning::start::StartArg;
use crate::stop_flag::PyStopFlag;
use crate::trajectory::PyTrajectory;

#[pymethods]
impl PyPlanner {
    /// A motion whose tool follows a path of poses, timed, proven and certified as those of `plan`.
    ///
    /// Branches are chosen for the whole path among those that keep the margins all along, between its samples too. Where the
    /// path cannot be followed to its end, the answer is the longest part from the start on, with the reason. Ctrl-C stops it.
    ///
    /// Args:
    ///     start: As for `plan`.
    ///     goal: A `CartesianPath`, or a pose of the tool in the group's base to go to on a line.
    ///     config: Options; None for the defaults with the planner's margin.
    ///     time_parameterize: As for `plan`. Laws other than "totp" keep speeds of the tool by being slower all along.
    ///     stop: Ends the plan when another thread stops it.
    ///
    /// Raises:
    ///     InputError: Wrong sizes, NaN, a path without length, blend radii that overlap, a tolerance that cannot be met.
    ///     PlanningError: Start in collision, time used up, stopped.
    ///
    /// Example:
    ///     >>> from kinetic import CartesianPath, Planner
    ///     >>> planner = Planner("ur5e")
    ///     >>> line = CartesianPath().move_by([0.0, -0.2, 0.0])
    ///     >>> result = planner.plan_cartesian([0.3, -1.2, 1.6, -2.0, -1.5, 0.1], line)
    ///     >>> result.fraction, result.deviation < 1e-4, result.trajectory.certificate is not None
    ///     (1.0, True, True)
    #[pyo3(
        signature = (start, goal, config=None, time_parameterize=TimeLaw::default_law(), *, stop=None),
        text_signature = "($self, start, goal, config=None, time_parameterize=True, *, stop=None)"
    )]
    fn plan_cartesian(
        &self,
        py: Python<'_>,
        start: StartArg,
        goal: CartesianPathArg,
        config: Option<&Bound<'_, PyCartesianConfig>>,
        time_parameterize: TimeLaw,
        stop: Option<&Bound<'_, PyStopFlag>>,
    ) -> Result<PyCartesianResult> {
        let stop = stop.map_or_else(StopFlag::default, |stop| stop.get().0.child());
        self.follow(py, start, &goal.0, config, &time_parameterize, &stop)
    }

    /// What is left of a path that was planned from `start`, when the tool has come to `arc_length`: what a robot that was stopped on
    /// its way has still to do, as moves to poses in the group's base.
    ///
    /// Args:
    ///     start: Where the whole path began, as for `plan`.
    ///     path: The whole path.
    ///     arc_length: How far along it the tool has come, m, as `CartesianResult.arc_length_at` says; from 0 to the length.
    ///
    /// Returns:
    ///     A `CartesianPath`; without moves at the end of the path.
    ///
    /// Raises:
    ///     InputError: Wrong size, NaN, an arc length that is not on the path, a path as `plan_cartesian` refuses it.
    ///
    /// Example:
    ///     >>> import kinetic
    ///     >>> planner, q = kinetic.Planner("ur5e"), [0.3, -1.2, 1.6, -2.0, -1.5, 0.1]
    ///     >>> down = kinetic.CartesianPath().move_by(kinetic.Pose.from_xyz(0.0, 0.0, -0.1), frame="base")
    ///     >>> whole = planner.plan_cartesian(q, down)
    ///     >>> half = whole.trajectory.duration / 2
    ///     >>> left = planner.remaining_path(q, down, whole.arc_length_at(half))
    ///     >>> bool(planner.plan_cartesian(whole.trajectory.sample(half), left).length < whole.length)
    ///     True
    fn remaining_path(
        &self,
        py: Python<'_>,
        start: StartArg,
        path: CartesianPathArg,
        arc_length: Real,
    ) -> Result<PyCartesianPath> {
        let planner = self.now(py)?;
        let start = start.values(&planner)?;
        Ok(PyCartesianPath(planner.remaining_path(&start, &path.0, arc_length.0)?))
    }

    /// A motion of the tool on the arc of a circle through a pose, whose orientation is met there too: `plan_cartesian` with
    /// `CartesianPath().arc_to(via, goal)`.
    ///
    /// Args:
    ///     start: As for `plan`.
    ///     via: A pose on the way, of the tool in the group's base.
    ///     goal: Where the arc ends.
    ///     config: As for `plan_cartesian`.
    ///     time_parameterize: As for `plan_cartesian`.
    ///
    /// Raises:
    ///     InputError, PlanningError: As `plan_cartesian`; InputError for three positions on one line.
    #[pyo3(
        signature = (start, via, goal, config=None, time_parameterize=TimeLaw::default_law()),
        text_signature = "($self, start, via, goal, config=None, time_parameterize=True)"
    )]
    fn plan_cartesian_arc(
        &self,
        py: Python<'_>,
        start: StartArg,
        via: PoseArg,
        goal: PoseArg,
        config: Option<&Bound<'_, PyCartesianConfig>>,
        time_parameterize: TimeLaw,
    ) -> Result<PyCartesianResult> {
        let arc = CartesianPath::new().arc_to(via.0, goal.0);
        self.follow(py, start, &arc, config, &time_parameterize, &StopFlag::default())
    }
}

impl PyPlanner {
    fn follow(
        &self,
        py: Python<'_>,
        start: StartArg,
        path: &CartesianPath,
        config: Option<&Bound<'_, PyCartesianConfig>>,
        law: &TimeLaw,
        stop: &StopFlag,
    ) -> Result<PyCartesianResult> {
        let planner = self.now(py)?;
        let config = config.map_or_else(|| CartesianConfig::of(planner.config()), |config| config.get().0.clone());
        let (start, law) = (start.values(&planner)?, law.0.as_deref().map(time_law).transpose()?);
        let control = planner.control(stop.clone());
        let plan = || planner.plan_cartesian_with(&start, path, &config, law, &control);
        let mut result = interruptible(py, stop, plan)??;
        let untimed = || PyTrajectory::path(result.path.clone());
        let timed = result.trajectory.clone();
        let trajectory = PyTrajectory {
            joint_names: planner.chain().joint_names().to_vec(),
            ..timed.map_or_else(untimed, PyTrajectory::timed)
        };
        result.trajectory = None;
        Ok(PyCartesianResult { result, trajectory: Py::new(py, trajectory)? })
    }
}
