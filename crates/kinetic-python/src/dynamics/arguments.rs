//! Arguments of dynamics: states of one or of many, payloads, wrenches on links.

use std::collections::BTreeMap;

use kinetic::core::error::check_len;
use kinetic::core::{KineticError, Pose, Wrench};
use kinetic::dynamics::{DynamicsModel, ExternalWrench, Payload, WrenchAxes};
use nalgebra::{Matrix3, Vector3};
use numpy::PyArray1;
use pyo3::inspect::PyStaticExpr;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use pyo3::{PyTypeInfo, type_hint_identifier, type_hint_subscript, type_hint_union};

use crate::convert::{Array, Matrix, Numbers, PoseArg, Real, Rebuild, Text, Triple, Vector, rebuild};
use crate::error::{Error, Result};
use crate::geometry::twist::PyWrench;

const ARRAY_LIKE: PyStaticExpr = type_hint_identifier!("numpy.typing", "ArrayLike");

/// One vector (dof,), or one per row (N, dof).
pub(crate) struct Rows {
    /// Number of rows; `None` for one vector.
    count: Option<usize>,
    pub(crate) values: Vec<f64>,
}

impl Rows {
    /// The shape of what each row becomes.
    pub(crate) fn shape(&self, of_row: &[usize]) -> Vec<usize> {
        self.count.iter().chain(of_row).copied().collect()
    }

    pub(crate) fn is_batch(&self) -> bool {
        self.count.is_some()
    }

    /// Refuses rows of another length, and other numbers of rows than `like` has.
    pub(crate) fn check(&self, context: &str, dof: usize, like: &Self) -> Result<()> {
        if self.count.is_some() != like.count.is_some() {
            let (wanted, given) = (like.shape_text(dof), self.shape_text(self.values.len()));
            return Err(KineticError::invalid(context, given, format!("{wanted}, as the configurations")).into());
        }
        if let (Some(count), Some(wanted)) = (self.count, like.count) {
            check_len(&format!("rows of {context}"), count, wanted)?;
        }
        Ok(check_len(context, self.values.len(), self.count.unwrap_or(1) * dof)?)
    }

    fn shape_text(&self, dof: usize) -> String {
        if self.is_batch() { "one vector per row".to_owned() } else { format!("one vector ({dof},)") }
    }
}

impl FromPyObject<'_, '_> for Rows {
    type Error = Error;

    const INPUT_TYPE: PyStaticExpr = ARRAY_LIKE;

    fn extract(given: Borrowed<'_, '_, PyAny>) -> Result<Self> {
        if given.cast::<PyArray1<f64>>().is_ok() {
            return Ok(Self { count: None, values: given.extract::<Vector>()?.0 });
        }
        let numbers = Numbers::read(&given)?;
        let count = match numbers.shape[..] {
            [_] => None,
            [rows, _] => Some(rows),
            _ => return Err(numbers.wrong_shape("a vector (dof,), or one per row (N, dof)")),
        };
        Ok(Self { count, values: numbers.values })
    }
}

/// A rigid body that a robot carries.
///
/// Args:
///     mass: Mass, kg.
///     com: Centre of mass (3,) in the frame that the payload is mounted at, m.
///     inertia: Tensor (3, 3) about the centre of mass, in the axes of that frame, kg m²; None for a point mass.
///     link: Link that it is fixed to; None for the tip of the group.
///     pose: Pose of the frame in the link, 4×4; None for the tool where `link` is None, else for the link's own frame.
///
/// Raises:
///     InputError: A mass that is not positive, or a tensor that no body has.
///
/// Example:
///     >>> from kinetic import Payload
///     >>> Payload(2.0, com=[0.0, 0.0, 0.05]).mass
///     2.0
#[pyclass(frozen, eq, module = "kinetic", name = "Payload")]
#[derive(Clone, PartialEq)]
pub(crate) struct PyPayload {
    payload: Payload,
    link: Option<String>,
    pose: Option<Pose>,
}

#[pymethods]
impl PyPayload {
    #[new]
    #[pyo3(
        signature = (mass, com=Triple(Vector3::zeros()), inertia=None, *, link=None, pose=None),
        text_signature = "(mass, com=(0, 0, 0), inertia=None, *, link=None, pose=None)"
    )]
    fn __new__(
        mass: Real,
        com: Triple,
        inertia: Option<Matrix>,
        link: Option<Text>,
        pose: Option<PoseArg>,
    ) -> Result<Self> {
        let inertia = match inertia {
            None => Matrix3::zeros(),
            Some(given) => {
                check_len("rows of the inertia of the payload", given.num_rows(), 3)?;
                given.check_columns("row of the inertia of the payload", 3)?;
                Matrix3::from_row_slice(&given.values)
            }
        };
        let payload = Payload::new(mass.0, com.0, inertia)?;
        Ok(Self { payload, link: link.map(|link| link.0), pose: pose.map(|pose| pose.0) })
    }

    /// Mass, kg.
    #[getter]
    fn mass(&self) -> f64 {
        self.payload.mass
    }

    /// Centre of mass (3,) in the frame that the payload is mounted at, m.
    #[getter]
    fn com<'py>(&self, py: Python<'py>) -> Result<Array<'py>> {
        Array::vector(py, self.payload.com.as_slice())
    }

    /// Tensor (3, 3) about the centre of mass, kg m².
    #[getter]
    fn inertia<'py>(&self, py: Python<'py>) -> Result<Array<'py>> {
        Array::new(py, &[3, 3], self.payload.inertia.as_slice())
    }

    /// Link that it is fixed to; None for the tip of the group.
    #[getter]
    fn link(&self) -> Option<String> {
        self.link.clone()
    }

    fn __repr__(&self) -> String {
        let place = self.link.as_deref().unwrap_or("the tool");
        format!("Payload(<{} kg at {place}>)", self.payload.mass)
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> Result<Rebuild<'py>> {
        let (py, this) = (slf.py(), slf.get());
        let pose = this.pose.map(|pose| Array::pose(py, &pose)).transpose()?;
        let arguments = (this.payload.mass, this.com(py)?, this.inertia(py)?, this.link.clone(), pose);
        Ok(rebuild(py.get_type::<Self>().into_any(), "_restore", arguments)?)
    }

    /// The payload that pickle stored.
    #[staticmethod]
    fn _restore(mass: Real, com: Triple, inertia: Matrix, link: Option<Text>, pose: Option<PoseArg>) -> Result<Self> {
        Self::__new__(mass, com, Some(inertia), link, pose)
    }
}

/// A payload, or the mass of a point at the tool.
pub(crate) struct PayloadArg(PyPayload);

impl PayloadArg {
    /// The model with the payload; `tool` is the group's tip with the pose of its tool.
    pub(crate) fn mount(self, model: DynamicsModel, (tip, tip_from_tcp): (&str, Pose)) -> Result<DynamicsModel> {
        let PyPayload { payload, link, pose } = self.0;
        let own = if link.is_none() { tip_from_tcp } else { Pose::identity() };
        Ok(model.with_payload(link.as_deref().unwrap_or(tip), &pose.unwrap_or(own), &payload)?)
    }
}

impl FromPyObject<'_, '_> for PayloadArg {
    type Error = Error;

    const INPUT_TYPE: PyStaticExpr = type_hint_union!(PyPayload::TYPE_HINT, type_hint_identifier!("builtins", "float"));

    fn extract(given: Borrowed<'_, '_, PyAny>) -> Result<Self> {
        if let Ok(payload) = given.cast::<PyPayload>() {
            return Ok(Self(payload.get().clone()));
        }
        let mass = given.extract::<Real>()?.0;
        Ok(Self(PyPayload { payload: Payload::point(mass, Vector3::zeros())?, link: None, pose: None }))
    }
}

/// Wrenches by the names of the links that they act on.
pub(crate) struct ExternalArg(BTreeMap<String, Wrench>);

impl ExternalArg {
    pub(crate) fn resolve(given: Option<Self>, model: &DynamicsModel, axes: WrenchAxes) -> Result<Vec<ExternalWrench>> {
        let wrenches = given.map_or_else(BTreeMap::new, |given| given.0);
        let on = |(link, wrench): (String, Wrench)| Ok(ExternalWrench { axes, ..model.external(&link, wrench)? });
        wrenches.into_iter().map(on).collect()
    }
}

impl FromPyObject<'_, '_> for ExternalArg {
    type Error = Error;

    const INPUT_TYPE: PyStaticExpr = type_hint_subscript!(
        type_hint_identifier!("builtins", "dict"),
        type_hint_identifier!("builtins", "str"),
        type_hint_union!(PyWrench::TYPE_HINT, ARRAY_LIKE)
    );

    fn extract(given: Borrowed<'_, '_, PyAny>) -> Result<Self> {
        let mut wrenches = BTreeMap::new();
        for (link, wrench) in given.cast::<PyDict>().map_err(PyErr::from)?.iter() {
            let wrench = match wrench.cast::<PyWrench>() {
                Ok(wrench) => wrench.get().0,
                Err(_) => Wrench::from_slice(&wrench.extract::<Vector>()?.0)?,
            };
            wrenches.insert(link.extract::<Text>()?.0, wrench);
        }
        Ok(Self(wrenches))
    }
}

/// "link" or "root".
pub(crate) struct AxesArg(pub(crate) WrenchAxes);

impl FromPyObject<'_, '_> for AxesArg {
    type Error = Error;

    const INPUT_TYPE: PyStaticExpr = type_hint_identifier!("builtins", "str");

    fn extract(given: Borrowed<'_, '_, PyAny>) -> Result<Self> {
        let name = given.extract::<Text>()?.0;
        match name.as_str() {
            "link" => Ok(Self(WrenchAxes::Link)),
            "root" => Ok(Self(WrenchAxes::Root)),
            _ => {
                let available = ["link", "root"].map(str::to_owned).to_vec();
                Err(KineticError::UnknownName { kind: "axes".to_owned(), name, available }.into())
            }
        }
    }
}
