//! `Planner`: paths that come from elsewhere.

use kinetic::core::{Control, StopFlag, Trajectory};
use kinetic::planning::Planner;
use pyo3::inspect::PyStaticExpr;
use pyo3::prelude::*;
use pyo3::{PyTypeInfo, type_hint_union};

use crate::convert::{Count, Matrix, Real};
use crate::error::{Error, Result};
use crate::interrupt::interruptible;
use crate::planning::PyPlanner;
use crate::trajectory::{Motion, PyTrajectory, check_joints};

#[pymethods]
impl PyPlanner {
    /// Proves that a path keeps the planner's margins over its whole length.
    ///
    /// Args:
    ///     path: Joint values (N, dof) of the group, or a Trajectory, whose waypoints are meant.
    ///
    /// Raises:
    ///     InputError: No path of this group, NaN, or outside the limits.
    ///     PlanningError: Something comes nearer than its margin; the message names the pair.
    fn check_path(&self, py: Python<'_>, path: PathArg) -> Result<()> {
        self.rework(py, &path, kinetic::prelude::Planner::check_path_controlled)
    }

    /// Proves a timed motion of this planner's group, wherever it comes from: blended, spliced, retimed, joined, stopped, made
    /// by `Robot.tool_motion`, or read from a file.
    ///
    /// Joint ranges, velocities, accelerations and the planner's margins are proven to hold at every instant. Joints outside
    /// the group stand as the scene says. Jerk is reported and not demanded.
    ///
    /// Returns:
    ///     The same motion, with a certificate.
    ///
    /// Raises:
    ///     InputError: A path without time, or a motion of other joints.
    ///     PlanningError: What does not hold: `TrajectoryInCollision` with pair, time, distance and margin, or
    ///         `TrajectoryLimitExceeded` with joint, quantity, time, value and limit; or the timeout of the planner.
    ///
    /// Example:
    ///     >>> import kinetic
    ///     >>> robot = kinetic.Robot("ur5e")
    ///     >>> planner = kinetic.Planner(robot)
    ///     >>> motion = planner.plan("home", "ready")
    ///     >>> back = motion.reverse()
    ///     >>> back.certificate is None
    ///     True
    ///     >>> planner.certify(back).certificate.max_velocity_ratio <= 1.0
    ///     True
    fn certify(&self, py: Python<'_>, trajectory: &Bound<'_, PyTrajectory>) -> Result<PyTrajectory> {
        let (given, planner, stop) = (trajectory.get(), self.now(py)?, StopFlag::default());
        let (timed, control) = (given.as_timed()?, planner.control(stop.clone()));
        let joint_names = planner.chain().joint_names().to_vec();
        given.check_joints("trajectory", planner.chain().joint_names())?;
        let certified = interruptible(py, &stop, || planner.certify(timed, &control))??;
        Ok(PyTrajectory {
            motion: Motion::Timed(certified),
            joint_names,
            problem: given.problem.clone(),
            lead_in: None,
        })
    }

    /// A path, shortened and smoothed as `plan` does with what its search found; every edge is proven free.
    ///
    /// The ends stay, and the result is never longer. Timeout, seed, `smooth` and `shortcut_iterations` are the planner's.
    ///
    /// Args:
    ///     path: Joint values (N, dof) of the group, or a Trajectory, whose waypoints are meant.
    ///
    /// Returns:
    ///     A path without time.
    ///
    /// Raises:
    ///     InputError: No path of this group, NaN, or outside the limits.
    ///     PlanningError: The path given is not free.
    ///
    /// Example:
    ///     >>> import kinetic
    ///     >>> robot = kinetic.Robot("ur5e")
    ///     >>> home = robot.named_pose("home")
    ///     >>> planner = kinetic.Planner(robot)
    ///     >>> planner.simplify([home, home + 0.2, home + [0.4, 0.2, 0.2, 0.2, 0.2, 0.2]]).num_waypoints
    ///     2
    fn simplify(&self, py: Python<'_>, path: PathArg) -> Result<PyTrajectory> {
        self.reworked(py, &path, |planner, path, control| Ok(planner.simplify(path, control)?.path))
    }

    /// A path whose runs of waypoints are replaced by straight edges where these are proven free.
    ///
    /// Args:
    ///     path: As for `simplify`.
    ///     attempts: Most random shortcuts between points on edges, after those between waypoints.
    ///
    /// Returns:
    ///     A path without time, with the same ends, and never longer.
    ///
    /// Raises:
    ///     InputError: As for `simplify`.
    ///     PlanningError: As for `simplify`.
    #[pyo3(signature = (path, attempts=Count(100)), text_signature = "($self, path, attempts=100)")]
    fn shortcut(&self, py: Python<'_>, path: PathArg, attempts: Count) -> Result<PyTrajectory> {
        self.reworked(py, &path, |planner, path, control| planner.shortcut(path, attempts.0, control))
    }

    /// A path whose corners are rounded by B-splines, every edge proven free (Lane and Riesenfeld 1980).
    ///
    /// Corners that cannot be rounded stay as they are.
    ///
    /// Args:
    ///     path: As for `simplify`.
    ///     max_deviation: Farthest that a point of the result is from the path given, Euclidean in joint space.
    ///
    /// Returns:
    ///     A path without time, with the same ends, and never longer.
    ///
    /// Raises:
    ///     InputError: As for `simplify`; a deviation that is negative or not finite.
    ///     PlanningError: As for `simplify`.
    #[pyo3(signature = (path, max_deviation=Real(0.1)), text_signature = "($self, path, max_deviation=0.1)")]
    fn smooth_bspline(&self, py: Python<'_>, path: PathArg, max_deviation: Real) -> Result<PyTrajectory> {
        self.reworked(py, &path, |planner, path, control| planner.smooth_bspline(path, max_deviation.0, control))
    }
}

impl PyPlanner {
    fn rework<T: Send>(
        &self,
        py: Python<'_>,
        path: &PathArg,
        work: impl Fn(&Planner, &Trajectory, &Control) -> kinetic::core::Result<T> + Sync,
    ) -> Result<T> {
        let (planner, stop) = (self.now(py)?, StopFlag::default());
        let (path, control) = (path.of_group("path", &planner)?, planner.control(stop.clone()));
        Ok(interruptible(py, &stop, || work(&planner, path, &control))??)
    }

    fn reworked(
        &self,
        py: Python<'_>,
        path: &PathArg,
        work: impl Fn(&Planner, &Trajectory, &Control) -> kinetic::core::Result<Trajectory> + Sync,
    ) -> Result<PyTrajectory> {
        let mut reworked = PyTrajectory::path(self.rework(py, path, work)?);
        reworked.joint_names = self.now(py)?.chain().joint_names().to_vec();
        Ok(reworked)
    }
}

/// Waypoints of an array, or of a trajectory with the names of its joints.
pub(crate) struct PathArg {
    path: Trajectory,
    joint_names: Vec<String>,
}

impl PathArg {
    /// The waypoints, where they are of the joints that a planner moves.
    pub(crate) fn of_group(&self, name: &str, planner: &Planner) -> Result<&Trajectory> {
        check_joints(name, &self.joint_names, planner.chain().joint_names())?;
        Ok(&self.path)
    }
}

impl FromPyObject<'_, '_> for PathArg {
    type Error = Error;

    const INPUT_TYPE: PyStaticExpr = type_hint_union!(PyTrajectory::TYPE_HINT, Matrix::INPUT_TYPE);

    fn extract(given: Borrowed<'_, '_, PyAny>) -> Result<Self> {
        if let Ok(trajectory) = given.cast::<PyTrajectory>() {
            let trajectory = trajectory.get();
            return Ok(Self { path: trajectory.to_path()?, joint_names: trajectory.joint_names.clone() });
        }
        let matrix: Matrix = given.extract()?;
        let path = Trajectory::from_waypoints(&matrix.rows().collect::<Vec<_>>())?;
        Ok(Self { path, joint_names: Vec::new() })
    }
}
