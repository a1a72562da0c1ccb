//! `Payload`: what a robot carries, and arguments that stand for it.

use kinetic::core::error::check_len;
use kinetic::core::{KineticError, MountedPayload, Payload, PayloadEntry};
use nalgebra::{Matrix3, Vector3};
use pyo3::inspect::PyStaticExpr;
use pyo3::prelude::*;
use pyo3::{PyTypeInfo, type_hint_identifier, type_hint_union};

use crate::convert::{Array, Matrix, PoseArg, Real, Rebuild, Text, Triple, rebuild};
use crate::error::{Error, Result};

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
pub(crate) struct PyPayload(pub(crate) MountedPayload);

impl PyPayload {
    /// What texts have, checked.
    pub(crate) fn of(entry: PayloadEntry) -> Result<Self> {
        Ok(Self(entry.try_into()?))
    }

    pub(crate) fn mounted(&self) -> MountedPayload {
        self.0.clone()
    }
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
        let (link, link_from_mount) = (link.map(|link| link.0), pose.map(|pose| pose.0));
        Ok(Self(MountedPayload { payload, link, link_from_mount }))
    }

    /// Mass, kg.
    #[getter]
    fn mass(&self) -> f64 {
        self.0.payload.mass
    }

    /// Centre of mass (3,) in the frame that the payload is mounted at, m.
    #[getter]
    fn com<'py>(&self, py: Python<'py>) -> Result<Array<'py>> {
        Array::vector(py, self.0.payload.com.as_slice())
    }

    /// Tensor (3, 3) about the centre of mass, kg m².
    #[getter]
    fn inertia<'py>(&self, py: Python<'py>) -> Result<Array<'py>> {
        Array::new(py, &[3, 3], self.0.payload.inertia.as_slice())
    }

    /// Link that it is fixed to; None for the tip of the group.
    #[getter]
    fn link(&self) -> Option<String> {
        self.0.link.clone()
    }

    fn __repr__(&self) -> String {
        let place = self.0.link.as_deref().unwrap_or("the tool");
        format!("Payload(<{} kg at {place}>)", self.0.payload.mass)
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> Result<Rebuild<'py>> {
        let (py, this) = (slf.py(), slf.get());
        let pose = this.0.link_from_mount.map(|pose| Array::pose(py, &pose)).transpose()?;
        let arguments = (this.0.payload.mass, this.com(py)?, this.inertia(py)?, this.0.link.clone(), pose);
        Ok(rebuild(py.get_type::<Self>().into_any(), "_restore", arguments)?)
    }

    /// The payload that pickle stored.
    #[staticmethod]
    fn _restore(mass: Real, com: Triple, inertia: Matrix, link: Option<Text>, pose: Option<PoseArg>) -> Result<Self> {
        Self::__new__(mass, com, Some(inertia), link, pose)
    }
}

/// A payload, or the mass of a point at the tool.
#[derive(Clone)]
pub(crate) struct PayloadArg(PyPayload);

impl PayloadArg {
    /// That of a body, which says itself where it is mounted.
    pub(crate) fn of_body(self) -> Result<Payload> {
        let MountedPayload { payload, link, link_from_mount } = self.mounted();
        if link.is_some() || link_from_mount.is_some() {
            let wanted = "one without link and pose: it is in the frame of the body's shape";
            return Err(KineticError::invalid("payload of a body", "one on a link", wanted).into());
        }
        Ok(payload)
    }

    pub(crate) fn mounted(self) -> MountedPayload {
        self.0.0
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
        Ok(Self(PyPayload(Payload::point(mass, Vector3::zeros())?.into())))
    }
}
