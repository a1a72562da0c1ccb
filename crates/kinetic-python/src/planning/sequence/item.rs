//! `SequenceItem`: one motion of a sequence.

use kinetic::core::KineticError;
use kinetic::planning::{SequenceItem, SequenceMotion};
use pyo3::inspect::PyStaticExpr;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString};
use pyo3::{PyTypeInfo, type_hint_identifier, type_hint_subscript, type_hint_union};

use crate::convert::{Real, Rebuild, rebuild};
use crate::error::{Error, Result};
use crate::planning::cartesian::config::PyCartesianConfig;
use crate::planning::cartesian::path::PyCartesianPath;
use crate::planning::goal::{GoalArg, PyGoal};

/// One motion of `Planner.plan_sequence`: through free space to a goal, or the tool along all of a Cartesian path.
///
/// Args:
///     motion: A goal as for `Planner.plan`, or a `CartesianPath`. A pose is a goal; a line to it is
///         `CartesianPath().line_to(pose)`.
///     config: Options of a Cartesian path; None for the defaults with the planner's margin.
///     velocity_scaling: Factor of the planner's velocity limits, in (0, 1].
///     acceleration_scaling: Factor of the planner's acceleration limits, in (0, 1].
///     blend_radius: How far from its end the tool may leave the item to go on with the next one without a stop, m; 0 stops.
///
/// Raises:
///     InputError: A factor outside (0, 1], a radius that is negative or not finite, or a config for a goal.
///
/// Example:
///     >>> from kinetic import CartesianPath, SequenceItem
///     >>> SequenceItem(CartesianPath().move_by([0.0, 0.0, -0.1]), velocity_scaling=0.2).is_cartesian
///     True
#[pyclass(frozen, eq, module = "kinetic", name = "SequenceItem")]
#[derive(PartialEq)]
pub(crate) struct PySequenceItem(SequenceItem);

#[pymethods]
impl PySequenceItem {
    #[new]
    #[pyo3(
        signature = (
            motion, config=None, *, velocity_scaling=Real(1.0), acceleration_scaling=Real(1.0), blend_radius=Real(0.0)
        ),
        text_signature = "(motion, config=None, *, velocity_scaling=1.0, acceleration_scaling=1.0, blend_radius=0.0)"
    )]
    fn __new__(
        motion: MotionArg,
        config: Option<&Bound<'_, PyCartesianConfig>>,
        velocity_scaling: Real,
        acceleration_scaling: Real,
        blend_radius: Real,
    ) -> Result<Self> {
        let motion = match (motion.0, config) {
            (SequenceMotion::Cartesian(path, _), config) => {
                SequenceMotion::Cartesian(path, config.map(|config| config.get().0.clone()))
            }
            (SequenceMotion::Free(_), Some(_)) => {
                return Err(
                    KineticError::invalid("config", "given", "None for a goal: it is for Cartesian paths").into()
                );
            }
            (free, None) => free,
        };
        Self::checked(motion, [velocity_scaling.0, acceleration_scaling.0], blend_radius.0)
    }

    /// Whether the tool follows a path.
    #[getter]
    fn is_cartesian(&self) -> bool {
        matches!(self.0.motion, SequenceMotion::Cartesian(..))
    }

    /// The goal of a motion through free space, or None.
    #[getter]
    fn goal(&self) -> Option<PyGoal> {
        match &self.0.motion {
            SequenceMotion::Free(goal) => Some(PyGoal(goal.clone())),
            SequenceMotion::Cartesian(..) => None,
        }
    }

    /// The path of the tool, or None.
    #[getter]
    fn path(&self) -> Option<PyCartesianPath> {
        match &self.0.motion {
            SequenceMotion::Free(_) => None,
            SequenceMotion::Cartesian(path, _) => Some(PyCartesianPath(path.clone())),
        }
    }

    /// The options of a Cartesian path, or None.
    #[getter]
    fn config(&self) -> Option<PyCartesianConfig> {
        match &self.0.motion {
            SequenceMotion::Free(_) => None,
            SequenceMotion::Cartesian(_, config) => config.clone().map(PyCartesianConfig),
        }
    }

    /// Factor of the planner's velocity limits.
    #[getter]
    fn velocity_scaling(&self) -> f64 {
        self.0.velocity_scaling
    }

    /// Factor of the planner's acceleration limits.
    #[getter]
    fn acceleration_scaling(&self) -> f64 {
        self.0.acceleration_scaling
    }

    /// How far from its end the tool may leave the item, m.
    #[getter]
    fn blend_radius(&self) -> f64 {
        self.0.blend_radius
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> Result<Rebuild<'py>> {
        let item = slf.get();
        let numbers = (item.velocity_scaling(), item.acceleration_scaling(), item.blend_radius());
        let parts = (item.goal(), item.path(), item.config(), numbers);
        Ok(rebuild(slf.get_type().into_any(), "_restore", parts)?)
    }

    /// The item that pickle stored.
    #[staticmethod]
    fn _restore(
        goal: Option<Bound<'_, PyGoal>>,
        path: Option<Bound<'_, PyCartesianPath>>,
        config: Option<Bound<'_, PyCartesianConfig>>,
        numbers: (f64, f64, f64),
    ) -> Result<Self> {
        let motion = match (goal, path) {
            (Some(goal), None) => SequenceMotion::Free(goal.get().0.clone()),
            (None, Some(path)) => {
                SequenceMotion::Cartesian(path.get().0.clone(), config.map(|config| config.get().0.clone()))
            }
            _ => return Err(KineticError::invalid("stored item", "other data", "what pickle wrote").into()),
        };
        Self::checked(motion, [numbers.0, numbers.1], numbers.2)
    }

    fn __repr__(&self) -> String {
        let SequenceItem { velocity_scaling, acceleration_scaling, blend_radius, .. } = self.0;
        let motion = match &self.0.motion {
            SequenceMotion::Free(goal) => format!("<a goal: {}>", goal.kind()),
            SequenceMotion::Cartesian(path, _) => format!("<a path of {} moves>", path.moves().len()),
        };
        format!(
            "SequenceItem({motion}, velocity_scaling={velocity_scaling}, acceleration_scaling={acceleration_scaling}, \
             blend_radius={blend_radius})"
        )
    }
}

impl PySequenceItem {
    fn checked(motion: SequenceMotion, scalings: [f64; 2], blend_radius: f64) -> Result<Self> {
        kinetic::core::MotionLimits::scaled(scalings[0], scalings[1])?;
        let item = SequenceItem::of(motion).scaled(scalings[0], scalings[1]).blended(blend_radius);
        item.check_radius()?;
        Ok(Self(item))
    }
}

/// A Cartesian path, or what is a goal.
struct MotionArg(SequenceMotion);

impl FromPyObject<'_, '_> for MotionArg {
    type Error = Error;

    const INPUT_TYPE: PyStaticExpr = type_hint_union!(PyCartesianPath::TYPE_HINT, GoalArg::INPUT_TYPE);

    fn extract(given: Borrowed<'_, '_, PyAny>) -> Result<Self> {
        if let Ok(path) = given.cast::<PyCartesianPath>() {
            return Ok(Self(SequenceMotion::Cartesian(path.get().0.clone(), None)));
        }
        Ok(Self(SequenceMotion::Free(given.extract::<GoalArg>()?.0)))
    }
}

/// Items: of each its motion alone where nothing else is stated.
pub(crate) struct SequenceItems(pub(crate) Vec<SequenceItem>);

impl FromPyObject<'_, '_> for SequenceItems {
    type Error = Error;

    const INPUT_TYPE: PyStaticExpr = type_hint_subscript!(
        type_hint_identifier!("collections.abc", "Iterable"),
        type_hint_union!(PySequenceItem::TYPE_HINT, MotionArg::INPUT_TYPE)
    );

    fn extract(given: Borrowed<'_, '_, PyAny>) -> Result<Self> {
        // Letters and keys would be taken for names.
        if given.cast::<PyString>().is_ok() || given.cast::<PyDict>().is_ok() {
            let kind = given.get_type().name()?.to_string();
            return Err(KineticError::invalid("items of the sequence", format!("a {kind}"), "a list of items").into());
        }
        let item = |item: PyResult<Bound<'_, PyAny>>| -> Result<SequenceItem> {
            let item = item?;
            if let Ok(item) = item.cast::<PySequenceItem>() {
                return Ok(item.get().0.clone());
            }
            Ok(SequenceItem::of(item.extract::<MotionArg>()?.0))
        };
        Ok(Self(given.try_iter()?.map(item).collect::<Result<_>>()?))
    }
}
