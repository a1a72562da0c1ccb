//! Arrays of numbers from anything that `numpy.asarray` accepts.

use kinetic::core::KineticError;
use kinetic::core::error::{check_finite, check_len};
use nalgebra::Point3;
use numpy::{PyArray1, PyArrayDyn, PyArrayMethods, PyUntypedArray, PyUntypedArrayMethods};
use pyo3::exceptions::{PyOverflowError, PyTypeError, PyValueError};
use pyo3::inspect::PyStaticExpr;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::type_hint_identifier;
use pyo3::types::{PyDict, PyString};

use crate::convert::ARRAY_ARGUMENT;
use crate::error::{Error, Result};

const ARRAY_LIKE: PyStaticExpr = type_hint_identifier!("numpy.typing", "ArrayLike");

/// An array of any shape, copied, in C order.
pub(crate) struct Numbers {
    pub(crate) shape: Vec<usize>,
    pub(crate) values: Vec<f64>,
}

impl Numbers {
    /// Reads real numbers; refuses truth values, text and anything else that is no number.
    pub(crate) fn read(given: &Bound<'_, PyAny>) -> Result<Self> {
        let array = doubles(given)?;
        let is_plain = array.is_c_contiguous() && array.is_aligned();
        // The cast copies: what it gives is aligned and in C order, whatever view was handed in.
        let copy = if is_plain { array } else { array.cast_array::<f64>(false)? };
        let values = copy.to_vec().map_err(|error| PyValueError::new_err(error.to_string()))?;
        Ok(Self { shape: copy.shape().to_vec(), values })
    }

    /// The error that says which shape was wanted.
    pub(crate) fn wrong_shape(&self, wanted: &str) -> Error {
        let (shape, got) = (self.shape_text(), self.values.len());
        KineticError::DimensionMismatch { context: format!("array of shape {shape}"), expected: wanted.to_owned(), got }
            .into()
    }

    /// `(2, 3)`, as Python writes it.
    fn shape_text(&self) -> String {
        let sizes: Vec<String> = self.shape.iter().map(usize::to_string).collect();
        if sizes.len() == 1 { format!("({},)", sizes[0]) } else { format!("({})", sizes.join(", ")) }
    }
}

/// The argument as a float64 array, copied only where its type differs.
pub(super) fn doubles<'py>(given: &Bound<'py, PyAny>) -> Result<Bound<'py, PyArrayDyn<f64>>> {
    static ASARRAY: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
    check_unmasked(given)?;
    if let Ok(doubles) = given.cast::<PyArrayDyn<f64>>() {
        return Ok(doubles.clone());
    }
    let py = given.py();
    let array = ASARRAY.import(py, "numpy", "asarray")?.call1((given,)).map_err(|error| refusal(given, error))?;
    if let Ok(doubles) = array.cast::<PyArrayDyn<f64>>() {
        return Ok(doubles.clone());
    }
    let kind: String = array.getattr("dtype")?.getattr("kind")?.extract()?;
    // Integers and floats of any width, and objects that may turn out to be numbers (fractions, large integers).
    if !matches!(kind.as_str(), "f" | "i" | "u" | "O") {
        return Err(not_numbers(given));
    }
    let converted = array.call_method1("astype", ("float64",)).map_err(|error| refusal(given, error))?;
    Ok(converted.cast_into::<PyArrayDyn<f64>>().map_err(PyErr::from)?)
}

/// Refuses arrays with masked values: their buffers hold numbers there, too, which are not meant.
pub(super) fn check_unmasked(given: &Bound<'_, PyAny>) -> Result<()> {
    static IS_MASKED: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
    let is_subclass = given.cast_exact::<PyUntypedArray>().is_err() && given.cast::<PyUntypedArray>().is_ok();
    if is_subclass && IS_MASKED.import(given.py(), "numpy.ma", "is_masked")?.call1((given,))?.extract()? {
        let wanted = "no masked values; array.filled(value) and array.compressed() give arrays without a mask";
        return Err(KineticError::invalid(ARRAY_ARGUMENT, "an array with masked values", wanted).into());
    }
    Ok(())
}

/// What NumPy says about unusable input, in our words; anything else that happened on the way stays as it is.
fn refusal(given: &Bound<'_, PyAny>, error: PyErr) -> Error {
    let py = given.py();
    let is_about_input = error.is_instance_of::<PyTypeError>(py)
        || error.is_instance_of::<PyValueError>(py)
        || error.is_instance_of::<PyOverflowError>(py);
    if is_about_input { not_numbers(given) } else { error.into() }
}

const NUMBERS: &str = "real numbers in a list, a tuple or an array";

fn not_numbers(given: &Bound<'_, PyAny>) -> Error {
    let kind = given.get_type().name().map_or_else(|_| "object".to_owned(), |name| name.to_string());
    KineticError::invalid(ARRAY_ARGUMENT, format!("a {kind} that holds no numbers or is ragged"), NUMBERS).into()
}

/// What is often given for joint values and holds none, with what was meant.
fn mistaken(given: &Bound<'_, PyAny>) -> Option<Error> {
    let refused = |value: &str, hint: &str| {
        Some(KineticError::invalid(ARRAY_ARGUMENT, value, format!("{NUMBERS}; {hint}")).into())
    };
    if given.is_none() {
        return refused("None", "robot.named_pose gives None for a name that it does not have, see robot.named_poses");
    }
    if given.cast::<PyString>().is_ok() {
        return refused("a text", "robot.named_pose(name) gives the joint values of a named pose");
    }
    if given.cast::<PyDict>().is_ok() {
        return refused("a dict", "[values[name] for name in robot.joint_names] puts values by name in their order");
    }
    None
}

/// The values of what already is a vector of doubles in one piece: without a call of NumPy, which would take longer than
/// a collision check.
fn plain_vector(given: &Bound<'_, PyAny>) -> Option<Vec<f64>> {
    let array = given.cast_exact::<PyArray1<f64>>().ok()?;
    let is_aligned = array.data().is_aligned();
    if is_aligned { array.to_vec().ok() } else { None }
}

/// One-dimensional array.
pub(crate) struct Vector(pub(crate) Vec<f64>);

impl FromPyObject<'_, '_> for Vector {
    type Error = Error;

    const INPUT_TYPE: PyStaticExpr = ARRAY_LIKE;

    fn extract(given: Borrowed<'_, '_, PyAny>) -> Result<Self> {
        if let Some(values) = plain_vector(&given) {
            return Ok(Self(values));
        }
        if let Some(error) = mistaken(&given) {
            return Err(error);
        }
        let numbers = Numbers::read(&given)?;
        if numbers.shape.len() == 1 {
            Ok(Self(numbers.values))
        } else {
            Err(numbers.wrong_shape("a vector, shape (n,)"))
        }
    }
}

/// Two-dimensional array.
pub(crate) struct Matrix {
    rows: usize,
    columns: usize,
    pub(crate) values: Vec<f64>,
}

impl Matrix {
    /// The rows; none when the array is empty.
    pub(crate) fn rows(&self) -> impl ExactSizeIterator<Item = &[f64]> {
        self.values.chunks_exact(self.columns.max(1))
    }

    pub(crate) fn num_rows(&self) -> usize {
        self.rows
    }

    /// Length of a row.
    pub(crate) fn num_columns(&self) -> usize {
        self.columns
    }

    /// Refuses rows of another length; an array without rows has any.
    pub(crate) fn check_columns(&self, context: &str, wanted: usize) -> Result<()> {
        if self.rows == 0 { Ok(()) } else { Ok(check_len(context, self.columns, wanted)?) }
    }

    /// The rows as points (N, 3), which are finite.
    pub(crate) fn points(&self) -> Result<Vec<Point3<f64>>> {
        self.check_columns("point", 3)?;
        check_finite("points", &self.values)?;
        Ok(self.rows().map(|row| Point3::new(row[0], row[1], row[2])).collect())
    }
}

impl FromPyObject<'_, '_> for Matrix {
    type Error = Error;

    const INPUT_TYPE: PyStaticExpr = ARRAY_LIKE;

    fn extract(given: Borrowed<'_, '_, PyAny>) -> Result<Self> {
        let numbers = Numbers::read(&given)?;
        match numbers.shape[..] {
            // An empty list of rows.
            [0] => Ok(Self { rows: 0, columns: 0, values: Vec::new() }),
            [rows, columns] if rows == 0 || columns > 0 => Ok(Self { rows, columns, values: numbers.values }),
            _ => Err(numbers.wrong_shape("one row per configuration, shape (n, dof)")),
        }
    }
}

/// One number for all joints, or one per joint.
pub(crate) struct PerJoint(Numbers);

impl PerJoint {
    /// One number per joint; a list of the wrong length is left for the callee to refuse by name.
    pub(crate) fn expand(self, dof: usize) -> Vec<f64> {
        if self.0.shape.is_empty() { vec![self.0.values[0]; dof] } else { self.0.values }
    }
}

impl FromPyObject<'_, '_> for PerJoint {
    type Error = Error;

    const INPUT_TYPE: PyStaticExpr = ARRAY_LIKE;

    fn extract(given: Borrowed<'_, '_, PyAny>) -> Result<Self> {
        let numbers = Numbers::read(&given)?;
        let fits = numbers.shape.len() <= 1;
        if fits { Ok(Self(numbers)) } else { Err(numbers.wrong_shape("one number, or one per joint")) }
    }
}
