//! `Planner.plan_batch`.

use std::num::NonZeroUsize;
use std::sync::Arc;

use kinetic::core::{KineticError, StopFlag};
use kinetic::planning::{BatchOptions, PlannedTrajectory, PlanningResult};
use kinetic::robot::Robot;
use kinetic::scene::Scene;
use pyo3::inspect::PyStaticExpr;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use pyo3::{PyTypeInfo, type_hint_identifier, type_hint_subscript};

use crate::convert::{Count, Matrix};
use crate::error::{Error, Result};
use crate::interrupt::interrupted;
use crate::planning::PyPlanner;
use crate::planning::goal::GoalList;
use crate::planning::keywords::{PLAN_BATCH, PlanBatchKeywords};
use crate::planning::outcomes::Outcomes;
use crate::scene::PyScene;
use crate::trajectory::PyTrajectory;

#[pymethods]
impl PyPlanner {
    /// Plans from each start to the goal of the same index, on all cores; a planner `with_device` optimises them together.
    ///
    /// Every item is planned like a single `plan`, with the same seed and a budget of its own; how many threads there are
    /// does not change what comes out. Ctrl-C stops it: the KeyboardInterrupt has the list of all items as `results`, those
    /// that are not planned by then as errors of code "Cancelled". So has what `progress` raises.
    ///
    /// Args:
    ///     starts: Joint values (N, dof), in the length of the group or of the robot.
    ///     goals: N goals, or joint values (N, dof), or names of poses of the group.
    ///     threads: Number of threads; None for one per core, and for four per core `with_device`, most of which wait for it.
    ///     time_parameterize: True for the default time law, the name of one, or False for paths without time.
    ///     progress: Called with the number of plans done and of all, not for those that a stop leaves undone. What it raises
    ///         ends the batch.
    ///     scenes: The scene of each item, of the planner's robot and as it is when the call begins; None for the planner's own.
    ///     stop: Ends the batch when another thread stops it; what is not planned by then is an error of code "Cancelled".
    ///     velocity_scaling: As for `plan`, and so the following.
    ///     acceleration_scaling: As for `plan`.
    ///     velocity_limits: As for `plan`.
    ///     acceleration_limits: As for `plan`.
    ///     jerk_limits: As for `plan`.
    ///
    /// Returns:
    ///     One entry per item, in order: the trajectory, or the exception that `plan` would have raised.
    ///
    /// Raises:
    ///     InputError: Starts, goals and scenes differ in number, a scene is of another robot, there is no such time law, or the
    ///         robot cannot have the limits.
    ///
    /// Example:
    ///     >>> import kinetic
    ///     >>> robot = kinetic.Robot("ur5e")
    ///     >>> home, ready = robot.named_pose("home"), robot.named_pose("ready")
    ///     >>> there, back = kinetic.Planner(robot).plan_batch([home, ready], [ready, home])
    ///     >>> there.is_timed
    ///     True
    #[pyo3(
        signature = (starts, goals, threads=None, **options),
        text_signature = "($self, starts, goals, threads=None, *, time_parameterize=True, progress=None, scenes=None, \
                          stop=None, velocity_scaling=None, acceleration_scaling=None, velocity_limits=None, \
                          acceleration_limits=None, jerk_limits=None)"
    )]
    fn plan_batch<'py>(
        &self,
        py: Python<'py>,
        starts: Matrix,
        goals: GoalList,
        threads: Option<Count>,
        options: Option<&Bound<'py, PyDict>>,
    ) -> Result<Outcomes<'py>> {
        let (PlanBatchKeywords { time_parameterize, progress, scenes, stop }, speed) = PLAN_BATCH.read(options)?;
        let planner = self.for_call(py, speed)?;
        // Limits that the robot cannot have are wrong for all items.
        planner.limits()?;
        let scenes = scenes.map(|scenes| scenes.now(py, planner.scene().robot())).transpose()?;
        let threads = threads.map(|threads| threads_of(threads.0)).transpose()?;
        let stop = stop.map_or_else(StopFlag::default, |stop| stop.get().0.child());
        let starts: Vec<&[f64]> = starts.rows().collect();
        let ((items, raised), signal) = interrupted(py, &stop, || {
            let mut raised = None;
            let mut report = |done: usize, total: usize| {
                if let Some(progress) = progress.as_ref().filter(|_| raised.is_none()) {
                    raised = progress.call(done, total).err();
                    if raised.is_some() {
                        stop.stop();
                    }
                }
            };
            let scenes = scenes.as_deref();
            let options = BatchOptions { threads, scenes, stop: stop.clone(), progress: Some(&mut report) };
            let items = match &time_parameterize.0 {
                Some(law) => timed(planner.plan_batch_timed(&starts, &goals.0, law, options)),
                None => untimed(planner.plan_batch(&starts, &goals.0, options)),
            };
            (items, raised)
        });
        let names = planner.chain().joint_names();
        let named = |item: Item| item.map(|path| PyTrajectory { joint_names: names.to_vec(), ..path });
        let outcomes = Outcomes::new(py, items?.into_iter().map(named).collect())?;
        match signal.or(raised) {
            None => Ok(outcomes),
            Some(raised) => {
                raised.value(py).setattr("results", outcomes)?;
                Err(raised.into())
            }
        }
    }
}

/// The scene of each item of a batch.
pub(crate) struct SceneList(Vec<Py<PyScene>>);

impl FromPyObject<'_, '_> for SceneList {
    type Error = Error;

    const INPUT_TYPE: PyStaticExpr =
        type_hint_subscript!(type_hint_identifier!("collections.abc", "Sequence"), PyScene::TYPE_HINT);

    fn extract(given: Borrowed<'_, '_, PyAny>) -> Result<Self> {
        Ok(Self(given.extract()?))
    }
}

impl SceneList {
    /// The scenes as they are now, around a version of their robot.
    fn now(&self, py: Python<'_>, robot: &Arc<Robot>) -> Result<Vec<Scene>> {
        self.0.iter().map(|scene| Ok(scene.bind(py).get().now().with_robot(robot)?)).collect()
    }
}

type Item = kinetic::core::Result<PyTrajectory>;
type Items<T> = kinetic::core::Result<Vec<kinetic::core::Result<T>>>;

fn timed(items: Items<PlannedTrajectory>) -> Items<PyTrajectory> {
    Ok(items?
        .into_iter()
        .map(|item| {
            item.map(|planned| PyTrajectory {
                lead_in: planned.result.lead_in.map(Arc::new),
                ..PyTrajectory::timed(planned.trajectory)
            })
        })
        .collect())
}

fn untimed(items: Items<PlanningResult>) -> Items<PyTrajectory> {
    Ok(items?.into_iter().map(|item| item.map(|result| PyTrajectory::path(result.path))).collect())
}

fn threads_of(threads: usize) -> Result<NonZeroUsize> {
    Ok(NonZeroUsize::new(threads).ok_or_else(|| KineticError::invalid("threads", 0, "at least 1, or None"))?)
}
