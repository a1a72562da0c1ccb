//! `Robot.ik_path` and what it answers.

use kinetic::kinematics::{IKConfig, IKPath, Obstacle, PathOptions};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::convert::{Array, Arrays, Dict, Dicts, Mask, PoseArg, PoseList, Vector};
use crate::error::Result;
use crate::ik::options::{IK_PATH, IkOptions};
use crate::interrupt::interruptible_if;
use crate::robot::PyRobot;

/// Configurations along a list of poses. Also the pair `q, success`, when it is unpacked.
#[pyclass(frozen, module = "kinetic", name = "IKPath")]
pub(crate) struct PyIKPath(pub(crate) IKPath);

#[pymethods]
impl PyIKPath {
    /// Joint values (N, dof), one row per pose; NaN where no configuration inside the limits was found.
    #[getter]
    fn q<'py>(&self, py: Python<'py>) -> Result<Array<'py>> {
        Array::new(py, &[self.0.success.len(), self.0.dof], &self.0.q)
    }

    /// Per pose (N,): it is reached, and so is the step to it from the pose before, or from `q_start`, within its bounds.
    #[getter]
    fn success<'py>(&self, py: Python<'py>) -> Mask<'py> {
        Mask::new(py, &self.0.success)
    }

    /// Why there is no continuous path, in words: where it ends at best, and what is in the way; None when there is one.
    #[getter]
    fn reason(&self) -> Option<String> {
        self.0.reason()
    }

    /// Indices of poses at which `q` starts anew: after a jump, or after poses that are not reached.
    #[getter]
    fn splits(&self) -> Vec<usize> {
        self.0.splits.clone()
    }

    /// What is in the way, in order; each with `kind` ("unreachable", "limit", "singularity", "jump" or "collision"), `index`
    /// of the pose, `joint` (None without one), `pair` (of a collision: link, and the other link or object; else None),
    /// `amount` (how far a joint would be outside its limits, or move at once, rad or m; how far the nearest pose found is
    /// off; by how much the margin is missed, m) and `message`.
    #[getter]
    fn obstacles<'py>(&self, py: Python<'py>) -> Result<Dicts<'py>> {
        let entry = |obstacle: &Obstacle| -> Result<Dict<'py>> {
            Ok(Dict::new(py)
                .with("kind", obstacle.id())?
                .with("index", obstacle.index())?
                .with("joint", obstacle.joint())?
                .with("pair", obstacle.pair())?
                .with("amount", obstacle.amount())?
                .with("message", obstacle.to_string())?)
        };
        Ok(Dicts::new(py, self.0.obstacles.iter().map(entry).collect::<Result<_>>()?)?)
    }

    /// Largest step of a joint between neighbouring poses of a segment, rad or m.
    #[getter]
    fn largest_step(&self) -> f64 {
        self.0.largest_step
    }

    /// Sum of the Euclidean lengths of the steps inside the segments.
    #[getter]
    fn length(&self) -> f64 {
        self.0.length
    }

    fn __iter__<'py>(&self, py: Python<'py>) -> Result<Arrays<'py>> {
        Ok(Arrays::over(&(self.q(py)?, self.success(py)).into_pyobject(py)?)?)
    }

    fn __repr__(&self) -> String {
        let poses = self.0.success.len();
        match self.0.reason() {
            None => format!("<IKPath: {poses} poses, largest step {:.4}>", self.0.largest_step),
            Some(reason) => format!("<IKPath: {poses} poses, {reason}>"),
        }
    }
}

/// Paths of at most this many poses with a closed form are done before anybody thinks of Ctrl-C.
const MAX_POSES_WITHOUT_SIGNAL_CHECK: usize = 1000;

#[pymethods]
impl PyRobot {
    /// Joint values along a list of poses, chosen together.
    ///
    /// All branches of all poses stand in a ladder graph; of the paths through it in which no joint moves farther than its
    /// bound from pose to pose, the one with the least largest step of a joint is returned, and of those the shortest.
    /// Turns of 2π follow by continuity and stay inside the limits. When there is no such path, `reason` and `obstacles`
    /// say where and why, and `q` is split into as few segments as possible. Arms with self-motion move along it, from
    /// samples of it, until the largest step is least; arms without closed form are followed numerically from `q_start`,
    /// or from seeded random configurations. For both there may be better paths. With a `scene`, configurations and the
    /// motions between them keep its margins, and a branch that is blocked half-way is left for one that goes through.
    ///
    /// With `method="local"` each pose takes the configuration nearest to that of the pose before, without a look ahead: in
    /// about the time of a loop over `ik`, under the same bounds and with the same report of what is in the way. It may run
    /// into a limit or a dead end where the global method finds a way.
    ///
    /// Args:
    ///     targets: Poses of the tool in the group's base (N, 4, 4), or a list of them.
    ///     q_start: Where the arm stands; the step to the first pose is bound as all others. None for a path that may
    ///         begin in any configuration of the first pose.
    ///     tcp: Pose of a tool on the tip instead of the robot's.
    ///     options: Of `kinetic.IKOptions`: `max_joint_step` (1 rad and 0.1 m unless stated), `method` ("global", all poses
    ///         together, or "local", pose after pose from `q_start` on; without it from what `ik` answers for the first
    ///         pose), `tolerance`, `rng_seed` (of arms without closed form), `scene` with `collision_margin` and `self_margin`
    ///         (m, 0 unless stated), `timeout`.
    ///
    /// Returns:
    ///     The path; `q, success = robot.ik_path(…)` takes out the joint values (N, dof) and the flags (N,).
    ///
    /// Raises:
    ///     InputError: No poses, a pose that is no rigid transform, NaN, wrong sizes, a method that does not exist, steps that
    ///         are not positive, or a scene of another robot.
    ///     IKError: The time was over before the path was found (`IKTimeout`).
    ///
    /// Example:
    ///     >>> import numpy as np
    ///     >>> from kinetic import Robot
    ///     >>> robot = Robot("ur5e")
    ///     >>> q_start = robot.named_pose("home")
    ///     >>> targets = np.repeat(robot.fk(q_start)[None], 50, axis=0)
    ///     >>> targets[:, 2, 3] -= np.linspace(0.0, 0.1, 50)
    ///     >>> q, success = robot.ik_path(targets, q_start)
    ///     >>> q.shape, bool(success.all())
    ///     ((50, 6), True)
    #[pyo3(signature = (targets, q_start=None, *, tcp=None, **options))]
    fn ik_path(
        &self,
        py: Python<'_>,
        targets: PoseList,
        q_start: Option<Vector>,
        tcp: Option<PoseArg>,
        options: Option<&Bound<'_, PyDict>>,
    ) -> Result<PyIKPath> {
        let model = self.model();
        let given = IkOptions::read(&IK_PATH, IKConfig::default(), options)?;
        let model = model.with_tool(tcp)?;
        let options = PathOptions {
            method: given.method,
            start: q_start.map(|start| start.0.into()),
            max_joint_step: given.max_joint_step.map(|step| step.expand(model.group().dof())),
            tolerance: given.tolerance,
            ends_at_obstacle: false,
            rng_seed: given.config.rng_seed,
            stop: given.config.stop,
        };
        let ik = model.ik()?;
        let solve = || match &given.scene {
            None => ik.solve_path(&targets.0, &options),
            Some(scene) => scene.with_robot(&model.robot)?.collision_free_path(ik, &targets.0, &options, given.margins),
        };
        let is_quick = given.scene.is_none()
            && ik.closed_form().is_ok()
            && options.tolerance.is_empty()
            && targets.0.len() <= MAX_POSES_WITHOUT_SIGNAL_CHECK;
        Ok(PyIKPath(interruptible_if(py, !is_quick, &options.stop, solve)??))
    }
}
