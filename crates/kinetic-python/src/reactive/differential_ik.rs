//! `DifferentialIK`: joint velocities for twists and tasks.

use std::sync::{Mutex, MutexGuard, PoisonError};

use kinetic::core::{Pose, Twist};
use kinetic::reactive::differential_ik::{
    DifferentialIk, DifferentialIkOptions, TaskCommand, TwistCommand, TwistFrame, VELOCITY_SOLVERS, VelocityLimit,
    VelocityOutcome,
};
use pyo3::PyTypeInfo;
use pyo3::inspect::PyStaticExpr;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use pyo3::{type_hint_identifier, type_hint_union};

use crate::convert::{Array, Dict, MaskArg, Rebuild, Text, Vector, rebuild};
use crate::error::{Error, Result};
use crate::geometry::twist::PyTwist;
use crate::reactive::keywords::{DifferentialIkKeywords, NEW_DIFFERENTIAL_IK, TASKS, TWIST};
use crate::robot::PyRobot;
use crate::robot::argument::RobotArg;
use crate::tasks::problem::PyTaskProblem;

/// A `Twist`, or six numbers, linear velocity first.
pub(crate) struct TwistArg(pub(crate) Twist);

impl FromPyObject<'_, '_> for TwistArg {
    type Error = Error;

    const INPUT_TYPE: PyStaticExpr =
        type_hint_union!(type_hint_identifier!("numpy.typing", "ArrayLike"), PyTwist::TYPE_HINT);

    fn extract(given: Borrowed<'_, '_, PyAny>) -> Result<Self> {
        match given.cast::<PyTwist>() {
            Ok(twist) => Ok(Self(twist.get().0)),
            Err(_) => Ok(Self(Twist::from_slice(&given.extract::<Vector>()?.0)?)),
        }
    }
}

/// Differential inverse kinematics: joint velocities that bring about a velocity of the tool, or tasks, inside all limits.
///
/// Bounds of velocities follow from the limits of positions, velocities and accelerations: a joint can always still brake
/// before its limit. They are never exceeded. What gives way first is the wish, then soft rows. Near singularities only the
/// directions that are lost are damped (Chiaverini 1997).
///
/// Args:
///     robot: A robot, or the name of a built-in one.
///     group: Planning group; None for the robot's selected one.
///     method: "qp": least squares with bounds and rows as inequalities, slides along what is in the way. "damped": damped
///         least squares, slowed as a whole, keeps the direction; rows stop it and push nothing.
///     period: Time between two commands, s.
///     velocity_scale: Part of the robot's speed limits that is used, in (0, 1].
///     acceleration_scale: Part of the robot's acceleration limits that is used, in (0, 1].
///     outside_limits: What a joint does that stands outside its position limits: "allow": it may stand or come back;
///         "return": it comes back on its own.
///     singular_value: Singular values of the Jacobian below this one are damped; metres and radians count alike.
///     damping: Damping at a singular value of 0.
///     regularization: Weight of the squared difference between the joint velocities and those without bounds and rows, beside
///         the squared error of the wish; 0 for the least error. Beside a row to which its null space is nearly blind, a redundant
///         arm would keep the least error by motions at its velocity limits; with a weight it gives a little of the wish. Only
///         "qp" reads it.
///
/// Raises:
///     InputError: Unknown robots, groups or methods, a period or damping that is not positive, scales outside (0, 1], a
///         regularization that is negative.
///
/// Example:
///     >>> from kinetic import DifferentialIK
///     >>> ik = DifferentialIK("franka_panda")
///     >>> q = [0.0, -0.785, 0.0, -2.356, 0.0, 1.571, 0.785]
///     >>> answer = ik.twist(q, [0.1, 0.0, 0.0, 0.0, 0.0, 0.0])
///     >>> answer["velocities"].shape, round(answer["achieved"], 9)
///     ((7,), 1.0)
#[pyclass(frozen, module = "kinetic", name = "DifferentialIK")]
pub(crate) struct PyDifferentialIk {
    robot: Py<PyRobot>,
    solver: Mutex<DifferentialIk>,
}

impl PyDifferentialIk {
    fn make(robot: Py<PyRobot>, group: Option<String>, options: DifferentialIkOptions) -> Result<Self> {
        let model = robot.get().model();
        let group = group.unwrap_or_else(|| model.group().name.clone());
        let solver = DifferentialIk::new(model.robot.clone(), Some(&group), options)?;
        Ok(Self { robot, solver: Mutex::new(solver) })
    }

    /// Held for microseconds, and never while Python code runs.
    fn lock(&self) -> MutexGuard<'_, DifferentialIk> {
        self.solver.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A solver of its own for tasks that may call Python.
    fn copy(&self) -> Result<DifferentialIk> {
        let solver = self.lock();
        let (robot, group, options) = (solver.robot().clone(), solver.group().name.clone(), solver.options().clone());
        drop(solver);
        Ok(DifferentialIk::new(robot, Some(&group), options)?)
    }
}

#[pymethods]
impl PyDifferentialIk {
    #[new]
    #[pyo3(
        signature = (robot, **options),
        text_signature = "(robot, *, group=None, method=\"qp\", period=0.01, velocity_scale=1.0, acceleration_scale=1.0, \
            outside_limits=\"allow\", singular_value=0.05, damping=0.05, regularization=0.0)"
    )]
    fn __new__(py: Python<'_>, robot: RobotArg<'_>, options: Option<&Bound<'_, PyDict>>) -> Result<Self> {
        let options: DifferentialIkKeywords = NEW_DIFFERENTIAL_IK.read(options)?;
        let group = options.group.as_ref().map(|group| group.0.clone());
        Self::make(robot.handle(py)?.unbind(), group, options.options()?)
    }

    /// Joint velocities for a velocity of the tool.
    ///
    /// Args:
    ///     q: Joint values in the length of the group or of the robot.
    ///     twist: Velocity of the tool's origin, m/s, and angular velocity, rad/s (6,), along the axes of `frame`; or a
    ///         `Twist`.
    ///     frame: "base" (of the group), "tool", or the name of a link, whose axes are meant. The velocity is that of the
    ///         tool's origin in each case.
    ///     position_mask: Linear components that are commanded; others are free.
    ///     rotation_mask: Angular components that are commanded; others are free.
    ///     posture: Joint velocities (dof,) for what the twist leaves over; they take nothing from it. None for zeros.
    ///     previous: Joint velocities (dof,) of the period before; with them acceleration limits hold.
    ///     rows: Inequalities `rows @ velocities >= row_bounds` (k, dof), for example gradients of distances.
    ///     row_bounds: Their bounds (k,).
    ///     row_weights: Per row infinity when it is hard, else the weight of the squared amount by which it is missed (k,).
    ///         None when all are hard.
    ///
    /// Returns:
    ///     A dict: `velocities` (dof,), rad/s or m/s; `achieved`, the part of the wish that they bring about along it;
    ///     `damping`, the largest damping of a lost direction, 0 away from singularities; `limiting_joint` and
    ///     `limiting_row`, what holds the joints back most; `infeasible_row`, a hard row that cannot hold inside the bounds,
    ///     in which case the joints stand as far as they may. None where there is none.
    ///
    /// Raises:
    ///     InputError: Wrong sizes, NaN, unknown links, weights that are not positive, a group without one tool.
    #[pyo3(
        signature = (q, twist, **options),
        text_signature = "($self, q, twist, *, frame=\"base\", position_mask=True, rotation_mask=True, posture=None, \
            previous=None, rows=None, row_bounds=None, row_weights=None)"
    )]
    fn twist<'py>(
        &self,
        py: Python<'py>,
        q: Vector,
        twist: TwistArg,
        options: Option<&Bound<'py, PyDict>>,
    ) -> Result<Dict<'py>> {
        let (components, context) = TWIST.read(options)?;
        let mut solver = self.lock();
        let command = TwistCommand {
            twist: twist.0,
            frame: TwistFrame::by_name(solver.robot(), &components.frame.0)?,
            position_mask: components.position_mask.0,
            rotation_mask: components.rotation_mask.0,
            context: context.context(solver.dof())?,
        };
        let mut velocities = vec![0.0; solver.dof()];
        let outcome = solver.twist(&q.0, &command, &mut velocities)?;
        answer(py, &solver, &velocities, &outcome)
    }

    /// Joint velocities for tasks. Their errors vanish by `gain` times themselves per second.
    ///
    /// Args:
    ///     q: Joint values in the length of the group or of the robot.
    ///     problem: Tasks over the joints of the group. The second priority level has what the first leaves over; more
    ///         levels are refused.
    ///     gain: Part of the errors that vanishes per second, 1/s: more than 0, at most 1 / period.
    ///     world_from_root: Where the robot stands; None for the identity.
    ///     posture: Joint velocities (dof,) for what both levels leave over.
    ///     previous: As for `twist`.
    ///     rows: As for `twist`.
    ///     row_bounds: As for `twist`.
    ///     row_weights: As for `twist`.
    ///
    /// Returns:
    ///     A dict as that of `twist`; `achieved` is about the first level.
    ///
    /// Raises:
    ///     InputError: Wrong sizes, NaN, a gain outside its range, other joints, a base that moves, more than two levels.
    #[pyo3(
        signature = (q, problem, **options),
        text_signature = "($self, q, problem, *, gain=1.0, world_from_root=None, posture=None, previous=None, rows=None, \
            row_bounds=None, row_weights=None)"
    )]
    fn tasks<'py>(
        &self,
        py: Python<'py>,
        q: Vector,
        problem: &Bound<'py, PyTaskProblem>,
        options: Option<&Bound<'py, PyDict>>,
    ) -> Result<Dict<'py>> {
        let (tasks, context) = TASKS.read(options)?;
        // Tasks may be functions of Python, during which the lock must be free.
        let mut solver = self.copy()?;
        let mut velocities = vec![0.0; solver.dof()];
        let context = context.context(solver.dof())?;
        let world_from_root = tasks.world_from_root.as_ref().map_or_else(Pose::identity, |pose| pose.0);
        let outcome = problem.get().with_problem(|problem| {
            let command = TaskCommand { problem, gain: tasks.gain.0, world_from_root, context };
            solver.tasks(&q.0, &command, &mut velocities)
        })?;
        answer(py, &solver, &velocities, &outcome)
    }

    /// The smallest singular value of the Jacobian of the tool, and its directions.
    ///
    /// Args:
    ///     q: Joint values in the length of the group or of the robot.
    ///     frame: As for `twist`.
    ///     position_mask: Linear components that count.
    ///     rotation_mask: Angular components that count.
    ///
    /// Returns:
    ///     A dict: `sigma`; `direction`, the unit vector of the components that can be moved least; `joints` (dof,), the unit
    ///     joint velocity for it, zeros at a singularity; `manipulability`, the product of all singular values (Yoshikawa
    ///     1985); `condition`, the largest over the smallest.
    ///
    /// Raises:
    ///     InputError: Wrong sizes, NaN, unknown links, no component, a group without one tool.
    #[pyo3(
        signature = (q, *, frame=None, position_mask=MaskArg(true.into()), rotation_mask=MaskArg(true.into())),
        text_signature = "($self, q, *, frame=None, position_mask=True, rotation_mask=True)"
    )]
    fn singularity<'py>(
        &self,
        py: Python<'py>,
        q: Vector,
        frame: Option<Text>,
        position_mask: MaskArg,
        rotation_mask: MaskArg,
    ) -> Result<Dict<'py>> {
        let mut solver = self.lock();
        let frame = frame.map_or(Ok(TwistFrame::Base), |frame| TwistFrame::by_name(solver.robot(), &frame.0))?;
        let (position_mask, rotation_mask) = (position_mask.0, rotation_mask.0);
        let command = TwistCommand { position_mask, rotation_mask, ..TwistCommand::new(Twist::default(), frame) };
        let found = solver.singularity(&q.0, &command)?;
        Ok(Dict::new(py)
            .with("sigma", found.sigma)?
            .with("direction", Array::vector(py, found.rows)?)?
            .with("joints", Array::vector(py, found.joints)?)?
            .with("manipulability", found.manipulability)?
            .with("condition", found.condition)?)
    }

    /// Lowest and highest joint velocities for the next period at `q`, with `previous` also by the acceleration limits.
    ///
    /// Returns:
    ///     Two arrays (dof,), rad/s or m/s.
    #[pyo3(signature = (q, previous=None))]
    fn velocity_bounds<'py>(
        &self,
        py: Python<'py>,
        q: Vector,
        previous: Option<Vector>,
    ) -> Result<(Array<'py>, Array<'py>)> {
        let mut solver = self.lock();
        let (lower, upper) = solver.velocity_bounds(&q.0, previous.as_ref().map(|previous| previous.0.as_slice()))?;
        Ok((Array::vector(py, lower)?, Array::vector(py, upper)?))
    }

    /// Forgets what was kept from earlier calls to make the next ones faster; no answer changes by more than rounding.
    fn reset(&self) {
        self.lock().reset();
    }

    /// Names of the methods, with one line about each.
    #[staticmethod]
    fn methods() -> Vec<(&'static str, &'static str)> {
        VELOCITY_SOLVERS.iter().map(|spec| (spec.name, spec.summary)).collect()
    }

    /// The robot.
    #[getter]
    fn robot(&self, py: Python<'_>) -> Py<PyRobot> {
        self.robot.clone_ref(py)
    }

    /// Name of the planning group.
    #[getter]
    fn group(&self) -> String {
        self.lock().group().name.clone()
    }

    /// Number of joints.
    #[getter]
    fn dof(&self) -> usize {
        self.lock().dof()
    }

    /// Name of the method.
    #[getter]
    fn method(&self) -> String {
        self.lock().options().method.clone()
    }

    /// Time between two commands, s.
    #[getter]
    fn period(&self) -> f64 {
        self.lock().options().period
    }

    fn __repr__(&self) -> String {
        let solver = self.lock();
        let (robot, group, options) = (&solver.robot().name, &solver.group().name, solver.options());
        format!(
            "<DifferentialIK: {robot}, group \"{group}\", method \"{}\", period {} s>",
            options.method, options.period
        )
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> Result<Rebuild<'py>> {
        let this = slf.get();
        let (group, options) = {
            let solver = this.lock();
            (solver.group().name.clone(), solver.options().clone())
        };
        let names = (group, options.method, options.outside_limits.name());
        let scales = (options.period, options.velocity_scale, options.acceleration_scale);
        let weights = (options.damping.singular_value, options.damping.damping, options.regularization);
        let parts = (this.robot.clone_ref(slf.py()), names, scales, weights);
        Ok(rebuild(slf.get_type().into_any(), "_restore", parts)?)
    }

    /// The object that pickle stored.
    #[staticmethod]
    fn _restore(
        robot: Py<PyRobot>,
        names: (Text, Text, Text),
        scales: (f64, f64, f64),
        weights: (f64, f64, f64),
    ) -> Result<Self> {
        let options = DifferentialIkOptions {
            method: names.1.0,
            period: scales.0,
            velocity_scale: scales.1,
            acceleration_scale: scales.2,
            outside_limits: names.2.0.parse()?,
            damping: kinetic::reactive::differential_ik::SingularityDamping {
                singular_value: weights.0,
                damping: weights.1,
            },
            regularization: weights.2,
        };
        Self::make(robot, Some(names.0.0), options)
    }
}

fn answer<'py>(
    py: Python<'py>,
    solver: &DifferentialIk,
    velocities: &[f64],
    outcome: &VelocityOutcome,
) -> Result<Dict<'py>> {
    let name = |joint: usize| solver.robot().joint_names(solver.group())[joint].to_owned();
    let (joint, row) = match outcome.limit {
        Some(VelocityLimit::Joint(joint)) => (Some(name(joint)), None),
        Some(VelocityLimit::Row(row)) => (None, Some(row)),
        None => (None, None),
    };
    Ok(Dict::new(py)
        .with("velocities", Array::vector(py, velocities)?)?
        .with("achieved", outcome.achieved)?
        .with("damping", outcome.damping)?
        .with("limiting_joint", joint)?
        .with("limiting_row", row)?
        .with("infeasible_row", outcome.infeasible_row)?)
}
