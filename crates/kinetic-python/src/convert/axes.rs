//! Masks of axes, axes, reference frames, and batches of vectors.

use kinetic::core::constraint::Axis;
use kinetic::core::error::check_finite;
use kinetic::core::{AxisMask, KineticError, Pose, Wrt};
use nalgebra::Vector3;
use pyo3::inspect::PyStaticExpr;
use pyo3::prelude::*;
use pyo3::{type_hint_identifier, type_hint_union};

use crate::convert::{Array, Numbers, PoseArg, Real, Text};
use crate::error::{Error, Result};

const ANY: PyStaticExpr = type_hint_identifier!("typing", "Any");
const ARRAY_LIKE: PyStaticExpr = type_hint_identifier!("numpy.typing", "ArrayLike");
const STR: PyStaticExpr = type_hint_identifier!("builtins", "str");

/// The axes that are constrained: True for all, False or None for none, letters as in "xy", or three flags.
#[derive(Clone, Copy)]
pub(crate) struct MaskArg(pub(crate) AxisMask);

impl FromPyObject<'_, '_> for MaskArg {
    type Error = Error;

    const INPUT_TYPE: PyStaticExpr = ANY;

    fn extract(given: Borrowed<'_, '_, PyAny>) -> Result<Self> {
        if given.is_none() {
            return Ok(Self(AxisMask::NONE));
        }
        if let Ok(all) = given.extract::<bool>() {
            return Ok(Self(all.into()));
        }
        if let Ok(letters) = given.extract::<Text>() {
            return Ok(Self(letters.0.parse()?));
        }
        flags(&given).map(|flags| Self(AxisMask(flags))).ok_or_else(|| {
            let wanted = "True, False, None, letters such as \"xy\", or three flags";
            let shown = given.repr().map_or_else(|_| "an object".to_owned(), |text| text.to_string());
            KineticError::invalid("axis mask", shown, wanted).into()
        })
    }
}

/// Three truth values, or numbers that are 0 or 1.
fn flags(given: &Bound<'_, PyAny>) -> Option<[bool; 3]> {
    let flag = |item: &Bound<'_, PyAny>| {
        let number = || item.extract::<f64>().ok().filter(|number| [0.0, 1.0].contains(number));
        item.extract::<bool>().ok().or_else(|| number().map(|number| number == 1.0))
    };
    let flags: Option<Vec<bool>> = given.try_iter().ok()?.map(|item| flag(&item.ok()?)).collect();
    flags?.try_into().ok()
}

/// "x", "y" or "z".
pub(crate) struct AxisArg(pub(crate) Axis);

impl FromPyObject<'_, '_> for AxisArg {
    type Error = Error;

    const INPUT_TYPE: PyStaticExpr = STR;

    fn extract(given: Borrowed<'_, '_, PyAny>) -> Result<Self> {
        Ok(Self(given.extract::<Text>()?.0.parse()?))
    }
}

/// An axis by name, or three numbers that give a direction.
pub(crate) struct DirectionArg(pub(crate) Vector3<f64>);

impl FromPyObject<'_, '_> for DirectionArg {
    type Error = Error;

    const INPUT_TYPE: PyStaticExpr = type_hint_union!(STR, ARRAY_LIKE);

    fn extract(given: Borrowed<'_, '_, PyAny>) -> Result<Self> {
        match given.extract::<AxisArg>() {
            Ok(axis) => Ok(Self(axis.0.unit())),
            Err(error) if given.extract::<Text>().is_ok() => Err(error),
            Err(_) => given.extract::<Triple>().map(|triple| Self(triple.0)),
        }
    }
}

/// Three finite numbers.
pub(crate) struct Triple(pub(crate) Vector3<f64>);

impl FromPyObject<'_, '_> for Triple {
    type Error = Error;

    const INPUT_TYPE: PyStaticExpr = ARRAY_LIKE;

    fn extract(given: Borrowed<'_, '_, PyAny>) -> Result<Self> {
        let numbers = Numbers::read(&given)?;
        if numbers.shape != [3] {
            return Err(numbers.wrong_shape("three numbers, shape (3,)"));
        }
        check_finite("vector", &numbers.values)?;
        Ok(Self(Vector3::from_column_slice(&numbers.values)))
    }
}

/// Three tolerances, each a number or None.
pub(crate) struct Tolerances(pub(crate) [f64; 3]);

impl FromPyObject<'_, '_> for Tolerances {
    type Error = Error;

    const INPUT_TYPE: PyStaticExpr = ANY;

    fn extract(given: Borrowed<'_, '_, PyAny>) -> Result<Self> {
        let values: Vec<Option<Real>> = given.extract()?;
        let got = values.len();
        let values: Vec<f64> = values.into_iter().map(|value| value.map_or(0.0, |value| value.0)).collect();
        let wrong = KineticError::DimensionMismatch { context: "tolerance".to_owned(), expected: "3".to_owned(), got };
        Ok(Self(values.try_into().map_err(|_| wrong)?))
    }
}

/// "local", "parent", "world", or a frame by its pose in the world.
#[derive(Clone, Copy)]
pub(crate) struct WrtArg(pub(crate) Wrt);

impl FromPyObject<'_, '_> for WrtArg {
    type Error = Error;

    const INPUT_TYPE: PyStaticExpr = ANY;

    fn extract(given: Borrowed<'_, '_, PyAny>) -> Result<Self> {
        let Ok(name) = given.extract::<Text>() else {
            return Ok(Self(Wrt::Frame(given.extract::<PoseArg>()?.0)));
        };
        match name.0.as_str() {
            "local" => Ok(Self(Wrt::Local)),
            "parent" => Ok(Self(Wrt::Parent)),
            "world" => Ok(Self(Wrt::World)),
            _ => Err(KineticError::unknown_name("reference frame", name.0, ["local", "parent", "world"]).into()),
        }
    }
}

/// One vector (3,) or a batch (N, 3).
pub(crate) struct Triples {
    shape: Vec<usize>,
    values: Vec<[f64; 3]>,
}

impl Triples {
    /// The same shape, each vector carried by a pose.
    pub(crate) fn carried<'py>(
        mut self,
        py: Python<'py>,
        pose: &Pose,
        carry: fn(&Pose, &mut [[f64; 3]]),
    ) -> Result<Array<'py>> {
        carry(pose, &mut self.values);
        Array::new(py, &self.shape, self.values.as_flattened())
    }
}

impl FromPyObject<'_, '_> for Triples {
    type Error = Error;

    const INPUT_TYPE: PyStaticExpr = ARRAY_LIKE;

    fn extract(given: Borrowed<'_, '_, PyAny>) -> Result<Self> {
        let numbers = Numbers::read(&given)?;
        match numbers.shape[..] {
            [3] | [_, 3] => {}
            [0] => return Ok(Self { shape: vec![0, 3], values: Vec::new() }),
            _ => return Err(numbers.wrong_shape("vectors, shape (3,) or (N, 3)")),
        }
        check_finite("vectors", &numbers.values)?;
        Ok(Self { values: numbers.values.as_chunks().0.to_vec(), shape: numbers.shape })
    }
}
