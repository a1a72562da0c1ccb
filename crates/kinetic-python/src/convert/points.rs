//! Points and images of sensors: NumPy arrays that are read where they lie.

use kinetic::core::KineticError;
use numpy::{Element, PyArrayDyn, PyArrayMethods, PyReadonlyArrayDyn, PyUntypedArrayMethods};
use pyo3::inspect::PyStaticExpr;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::type_hint_identifier;

use super::numbers::{check_unmasked, doubles};
use crate::error::{Error, Result};

const ANY: PyStaticExpr = type_hint_identifier!("typing", "Any");

/// Attributes under which other libraries hold the points of their clouds: Open3D and trimesh.
const ATTRIBUTES: [&str; 2] = ["points", "vertices"];

/// Points (N, 3), or an organised cloud (H, W, 3), in either precision.
pub(crate) enum Points<'py> {
    Single(PyReadonlyArrayDyn<'py, f32>),
    Double(PyReadonlyArrayDyn<'py, f64>),
}

/// Numbers of an array that lies in one piece.
macro_rules! slice {
    ($array:expr) => {
        $array.as_slice().map_err(|error| ::pyo3::exceptions::PyValueError::new_err(error.to_string()))?
    };
}

pub(crate) use slice;

/// An expression over the numbers of points where they lie, in either precision.
macro_rules! over_values {
    ($points:expr, $values:ident => $expression:expr) => {
        match $points {
            $crate::convert::Points::Single(array) => {
                let $values = $crate::convert::slice!(array);
                $expression
            }
            $crate::convert::Points::Double(array) => {
                let $values = $crate::convert::slice!(array);
                $expression
            }
        }
    };
}

pub(crate) use over_values;

/// A depth image (H, W).
pub(crate) enum Depth<'py> {
    Integers(PyReadonlyArrayDyn<'py, u16>),
    Metres(PyReadonlyArrayDyn<'py, f32>),
}

impl<'py> FromPyObject<'_, 'py> for Points<'py> {
    type Error = Error;

    const INPUT_TYPE: PyStaticExpr = ANY;

    fn extract(given: Borrowed<'_, 'py, PyAny>) -> Result<Self> {
        let given = coordinates(&given)?;
        let points = match plain::<f32>(&given)? {
            Some(single) => Self::Single(single),
            None => match plain::<f64>(&given)? {
                Some(double) => Self::Double(double),
                None => Self::Double(in_one_piece(&doubles(&given)?)?),
            },
        };
        let shape = match &points {
            Self::Single(array) => array.shape(),
            Self::Double(array) => array.shape(),
        };
        let is_empty = shape == [0];
        if is_empty || (matches!(shape.len(), 2 | 3) && shape.last() == Some(&3)) {
            return Ok(points);
        }
        let wanted = "points of shape (N, 3), or (H, W, 3) of an organised cloud";
        Err(KineticError::invalid("points", format!("an array of shape {shape:?}"), wanted).into())
    }
}

impl<'py> FromPyObject<'_, 'py> for Depth<'py> {
    type Error = Error;

    const INPUT_TYPE: PyStaticExpr = ANY;

    fn extract(given: Borrowed<'_, 'py, PyAny>) -> Result<Self> {
        check_unmasked(&given)?;
        let wanted = "an array of shape (H, W) of uint16, float32 or float64";
        let refused = |value: String| Err(KineticError::invalid("depth", value, wanted).into());
        let depth = if let Some(integers) = plain::<u16>(&given)? {
            Self::Integers(integers)
        } else if let Some(single) = plain::<f32>(&given)? {
            Self::Metres(single)
        } else if given.cast::<PyArrayDyn<f64>>().is_ok() {
            let single = given.call_method1("astype", ("float32",))?;
            Self::Metres(in_one_piece(single.cast::<PyArrayDyn<f32>>().map_err(PyErr::from)?)?)
        } else {
            let kind = given.get_type().name().map_or_else(|_| "object".to_owned(), |name| name.to_string());
            let dtype = given.getattr("dtype").map_or_else(|_| String::new(), |dtype| format!(" of {dtype}"));
            return refused(format!("a {kind}{dtype}"));
        };
        let shape = depth.shape();
        if shape.len() == 2 { Ok(depth) } else { refused(format!("an array of shape {shape:?}")) }
    }
}

impl Depth<'_> {
    /// Rows and columns.
    pub(crate) fn shape(&self) -> &[usize] {
        match self {
            Self::Integers(array) => array.shape(),
            Self::Metres(array) => array.shape(),
        }
    }
}

/// The array of coordinates in what other libraries hand over: attributes of a cloud, or the fields of a structured array.
fn coordinates<'py>(given: &Bound<'py, PyAny>) -> Result<Bound<'py, PyAny>> {
    let py = given.py();
    check_unmasked(given)?;
    let is_array = given.hasattr("dtype")?;
    if !is_array {
        let attribute = ATTRIBUTES.iter().find_map(|name| given.getattr(*name).ok());
        return Ok(attribute.unwrap_or_else(|| given.clone()));
    }
    // Tensors of other libraries have types without names of fields.
    let is_structured = given.getattr("dtype")?.getattr("names").is_ok_and(|names| !names.is_none());
    if !is_structured {
        return Ok(given.clone());
    }
    let field = |name: &str| {
        let wanted = "a structured array with the fields x, y and z";
        let missing = |_| KineticError::invalid("points", format!("a structured array without {name}"), wanted);
        given.get_item(name).map_err(missing)
    };
    let fields = (field("x")?, field("y")?, field("z")?);
    Ok(py.import("numpy")?.call_method1("stack", (fields, -1))?)
}

/// An array of this type as it lies, or copied into one piece where it is strided or not aligned.
fn plain<'py, T: Element>(given: &Bound<'py, PyAny>) -> Result<Option<PyReadonlyArrayDyn<'py, T>>> {
    given.cast::<PyArrayDyn<T>>().ok().map(in_one_piece).transpose()
}

fn in_one_piece<'py, T: Element>(array: &Bound<'py, PyArrayDyn<T>>) -> Result<PyReadonlyArrayDyn<'py, T>> {
    static COPY: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
    if array.is_c_contiguous() && array.is_aligned() {
        return Ok(array.readonly());
    }
    let py = array.py();
    let copy = COPY.import(py, "numpy", "array")?.call1((array,))?;
    let copy = copy.call_method1("copy", ("C",))?;
    Ok(copy.cast::<PyArrayDyn<T>>().map_err(PyErr::from)?.readonly())
}
