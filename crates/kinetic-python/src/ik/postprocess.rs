//! The functions of `kinetic.postprocess`, and the bodies that they take limits from.

use kinetic::core::KineticError;
use kinetic::kinematics::KinematicChain;
use kinetic::kinematics::analytic::postprocess::{self, SeedMetric};
use kinetic::kinematics::analytic::{Manipulator, Solution};
use pyo3::inspect::PyStaticExpr;
use pyo3::prelude::*;
use pyo3::{PyTypeInfo, type_hint_identifier, type_hint_subscript, type_hint_union};

use crate::convert::{Array, Count, Text, Vector, Whole};
use crate::error::{Error, Result};
use crate::ik::manipulator::PyManipulator;
use crate::ik::records::{PySolution, PyTolerancePolicy, thresholds};
use crate::robot::PyRobot;

/// A chain of joints from a base to a tool: what closed forms are made for.
///
/// Args:
///     robot: The robot whose selected group it is.
#[pyclass(frozen, module = "kinetic", name = "KinBody")]
pub(crate) struct PyKinBody(pub(crate) KinematicChain);

#[pymethods]
impl PyKinBody {
    #[new]
    fn __new__(robot: &Bound<'_, PyRobot>) -> Result<Self> {
        Ok(Self(robot.get().model().chain()?.clone()))
    }

    /// Number of joints.
    #[getter]
    fn dof(&self) -> usize {
        self.0.dof()
    }

    /// Names of the joints, in the order of joint vectors.
    #[getter]
    fn joint_names(&self) -> Vec<String> {
        self.0.joint_names().to_vec()
    }

    /// Lowest and highest value of each joint, rad or m; None for joints that turn without end.
    #[getter]
    fn joint_limits(&self) -> Vec<Option<(f64, f64)>> {
        Limits::of(&self.0).limits
    }

    /// Pose of the tool in the base, 4×4.
    fn fk<'py>(&self, py: Python<'py>, q: Vector) -> Result<Array<'py>> {
        self.0.check(&q.0)?;
        Array::pose(py, &self.0.tip_pose(&q.0))
    }

    fn __repr__(&self) -> String {
        format!("<KinBody: {} joints, {}>", self.0.dof(), self.0.joint_names().join(", "))
    }
}

#[pymethods]
impl PyManipulator {
    /// The solver for a body.
    ///
    /// Args:
    ///     kinbody: A KinBody, or a Robot, whose selected group is meant.
    ///     policy: Thresholds; None for the defaults.
    ///
    /// Raises:
    ///     InputError: An arm without closed form; the message says what has one.
    #[new]
    #[pyo3(signature = (kinbody, *, policy=None))]
    fn __new__(py: Python<'_>, kinbody: BodyArg, policy: Option<Bound<'_, PyTolerancePolicy>>) -> Result<Self> {
        let policy = thresholds(policy);
        Ok(Self(py.detach(|| Manipulator::from_chain(kinbody.0, policy))?))
    }

    /// The chain that is solved; another Manipulator can be made from it.
    #[getter]
    fn kinbody(&self) -> PyKinBody {
        PyKinBody(self.0.chain().clone())
    }
}

/// The chain of a body or of a robot.
pub(crate) struct BodyArg(KinematicChain);

impl FromPyObject<'_, '_> for BodyArg {
    type Error = Error;

    const INPUT_TYPE: PyStaticExpr = type_hint_union!(PyKinBody::TYPE_HINT, PyRobot::TYPE_HINT);

    fn extract(given: Borrowed<'_, '_, PyAny>) -> Result<Self> {
        if let Ok(robot) = given.cast::<PyRobot>() {
            return Ok(Self(robot.get().model().chain()?.clone()));
        }
        Ok(Self(given.cast::<PyKinBody>().map_err(PyErr::from)?.get().0.clone()))
    }
}

/// Limits of a body: those of a chain, or as given, when all joints turn.
pub(crate) struct Limits {
    limits: Vec<Option<(f64, f64)>>,
    is_rotation: Vec<bool>,
}

impl Limits {
    fn of(chain: &KinematicChain) -> Self {
        let finite = |(low, high): &(f64, f64)| (low.is_finite() && high.is_finite()).then_some((*low, *high));
        Self {
            limits: chain.bounds().iter().map(finite).collect(),
            is_rotation: (0..chain.dof()).map(|joint| chain.is_rotation(joint)).collect(),
        }
    }

    fn given(limits: Vec<Option<(f64, f64)>>) -> Result<Self> {
        if let Some((low, high)) = limits.iter().flatten().find(|(low, high)| !(low <= high)) {
            let given = format!("({low}, {high})");
            return Err(KineticError::invalid("limits", given, "pairs (lower, upper) with lower <= upper").into());
        }
        Ok(Self { is_rotation: vec![true; limits.len()], limits })
    }
}

impl FromPyObject<'_, '_> for Limits {
    type Error = Error;

    const INPUT_TYPE: PyStaticExpr = type_hint_union!(
        PyKinBody::TYPE_HINT,
        PyManipulator::TYPE_HINT,
        PyRobot::TYPE_HINT,
        type_hint_subscript!(
            type_hint_identifier!("collections.abc", "Sequence"),
            type_hint_union!(
                type_hint_subscript!(
                    type_hint_identifier!("builtins", "tuple"),
                    type_hint_identifier!("builtins", "float"),
                    type_hint_identifier!("builtins", "float")
                ),
                type_hint_identifier!("builtins", "None")
            )
        )
    );

    fn extract(given: Borrowed<'_, '_, PyAny>) -> Result<Self> {
        if let Ok(manipulator) = given.cast::<PyManipulator>() {
            return Ok(Self::of(manipulator.get().0.chain()));
        }
        if let Ok(body) = given.extract::<BodyArg>() {
            return Ok(Self::of(&body.0));
        }
        Self::given(given.extract()?)
    }
}

fn plain(solutions: &[Bound<'_, PySolution>]) -> Vec<Solution> {
    solutions.iter().map(|solution| solution.get().0.clone()).collect()
}

fn wrapped(solutions: Vec<Solution>) -> Vec<PySolution> {
    solutions.into_iter().map(PySolution).collect()
}

/// Keeps solutions inside the limits; values on a limit are inside.
///
/// Args:
///     sols: Solutions.
///     body: A Robot, a Manipulator, its `kinbody`, or a list with (lower, upper) or None per joint.
///
/// Raises:
///     InputError: A solution has another length than the body.
#[pyfunction]
pub(crate) fn respect_limits(sols: Vec<Bound<'_, PySolution>>, body: Limits) -> Result<Vec<PySolution>> {
    Ok(wrapped(postprocess::respect_limits(&plain(&sols), &body.limits)?))
}

/// Shifts turning joints by ±2π or ±4π into their limits, least turns first; joints that do not fit stay as they are.
///
/// Args:
///     sols: Solutions.
///     body: A Robot, a Manipulator, its `kinbody`, or a list with (lower, upper) or None per joint, which all turn.
///
/// Raises:
///     InputError: A solution has another length than the body.
#[pyfunction]
pub(crate) fn wrap_to_limits(sols: Vec<Bound<'_, PySolution>>, body: Limits) -> Result<Vec<PySolution>> {
    Ok(wrapped(postprocess::wrap_to_limits(&plain(&sols), &body.limits, &body.is_rotation)?))
}

/// Solutions by their distance from a configuration, turns of 2π ignored, closest first; equals keep their order.
///
/// Args:
///     sols: Solutions.
///     q_seed: The configuration.
///     metric: "wrap_l2" (Euclidean) or "wrap_linf" (largest single joint).
///
/// Raises:
///     InputError: A solution has another length than the configuration, or the metric is unknown.
#[pyfunction]
#[pyo3(
    signature = (sols, q_seed, *, metric=Text("wrap_l2".to_owned())),
    text_signature = "(sols, q_seed, *, metric='wrap_l2')"
)]
pub(crate) fn nearest_to_seed(
    sols: Vec<Bound<'_, PySolution>>,
    q_seed: Vector,
    metric: Text,
) -> Result<Vec<PySolution>> {
    let metric: SeedMetric = metric.0.parse()?;
    kinetic::core::error::check_finite("q_seed", &q_seed.0)?;
    Ok(wrapped(postprocess::nearest_to_seed(&plain(&sols), &q_seed.0, metric)?))
}

/// The first k solutions; none for k of 0 or less.
#[pyfunction]
pub(crate) fn take_first(sols: Vec<Bound<'_, PySolution>>, k: Whole) -> Vec<PySolution> {
    wrapped(postprocess::take_first(&plain(&sols), usize::try_from(k.0).unwrap_or(0)))
}

/// Solutions on other turns of 2π inside the limits, nearest to a configuration first.
///
/// An arm with joints of several turns has hundreds of them per pose; only those that are asked for are made.
///
/// Args:
///     sols: Solutions.
///     body: A Robot, a Manipulator, its `kinbody`, or a list with (lower, upper) or None per joint, which all turn.
///     q_seed: The configuration; None to begin with the fewest turns.
///     max_solutions: At most so many.
///
/// Raises:
///     InputError: A solution or the configuration has another length than the body.
#[pyfunction]
#[pyo3(
    signature = (sols, body, *, q_seed=None, max_solutions=Count(16)),
    text_signature = "(sols, body, *, q_seed=None, max_solutions=16)"
)]
pub(crate) fn windings(
    sols: Vec<Bound<'_, PySolution>>,
    body: Limits,
    q_seed: Option<Vector>,
    max_solutions: Count,
) -> Result<Vec<PySolution>> {
    let seed = q_seed.map(|seed| seed.0);
    kinetic::core::error::check_finite("q_seed", seed.as_deref().unwrap_or_default())?;
    let (limits, is_rotation) = (&body.limits, &body.is_rotation);
    Ok(wrapped(postprocess::windings(&plain(&sols), limits, is_rotation, seed.as_deref(), max_solutions.0)?))
}
