//! What goes back to Python: fresh float64 arrays in C order, dictionaries.

use std::convert::Infallible;

use kinetic::core::{Limits, Pose};
use numpy::ndarray::ArrayViewD;
use numpy::{PyArray1, PyArrayDyn, PyArrayMethods};
use pyo3::exceptions::PyRuntimeError;
use pyo3::inspect::{PyStaticConstant, PyStaticExpr};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyIterator, PyList, PyTuple};
use pyo3::{type_hint_identifier, type_hint_subscript, type_hint_union};

use crate::convert::out::{Out, filled};
use crate::error::Result;

const STR: PyStaticExpr = type_hint_identifier!("builtins", "str");
const ANY: PyStaticExpr = type_hint_identifier!("typing", "Any");
const NDARRAY: PyStaticExpr = type_hint_identifier!("numpy.typing", "NDArray");
/// Type hint of an array of float64.
pub(crate) const FLOAT_ARRAY: PyStaticExpr = type_hint_subscript!(NDARRAY, type_hint_identifier!("numpy", "float64"));
const DICT: PyStaticExpr = type_hint_subscript!(type_hint_identifier!("builtins", "dict"), STR, ANY);

const INT_ARRAY: PyStaticExpr = type_hint_subscript!(NDARRAY, type_hint_identifier!("numpy", "int64"));

/// A Python object whose type in the stubs is the constant.
macro_rules! output {
    ($(#[$doc:meta])* $name:ident, $inner:ty, $hint:expr) => {
        $(#[$doc])*
        pub(crate) struct $name<'py>($inner);

        impl<'py> IntoPyObject<'py> for $name<'py> {
            type Target = PyAny;
            type Output = Bound<'py, PyAny>;
            type Error = Infallible;

            const OUTPUT_TYPE: PyStaticExpr = $hint;

            fn into_pyobject(self, _py: Python<'py>) -> std::result::Result<Self::Output, Infallible> {
                Ok(self.0.into_any())
            }
        }
    };
}

pub(crate) use output;

output!(
    /// A float64 array that NumPy owns.
    Array,
    Bound<'py, PyArrayDyn<f64>>,
    FLOAT_ARRAY
);

impl<'py> Array<'py> {
    /// An array of this shape from values in C order.
    pub(crate) fn new(py: Python<'py>, shape: &[usize], values: &[f64]) -> Result<Self> {
        let view = ArrayViewD::from_shape(shape, values).map_err(|error| PyRuntimeError::new_err(error.to_string()))?;
        Ok(Self(PyArrayDyn::from_array(py, &view)))
    }

    /// The array that was given, or a new one of this shape, with the values that `write` puts there in C order.
    pub(crate) fn filled(
        py: Python<'py>,
        shape: &[usize],
        out: Option<Out<'py, f64>>,
        write: impl FnOnce(&mut [f64]) -> Result<()>,
    ) -> Result<Self> {
        Ok(Self(filled(py, shape, out, write)?))
    }

    /// A vector.
    #[expect(clippy::unnecessary_wraps, reason = "a result as of the other constructors, which are its alternatives")]
    pub(crate) fn vector(py: Python<'py>, values: &[f64]) -> Result<Self> {
        Ok(Self(PyArray1::from_slice(py, values).to_dyn().clone()))
    }

    /// The 4 × 4 homogeneous matrix of a pose.
    pub(crate) fn pose(py: Python<'py>, pose: &Pose) -> Result<Self> {
        Self::new(py, &[4, 4], &row_major(pose))
    }
}

output!(
    /// An int64 array of indices that NumPy owns.
    Indices,
    Bound<'py, PyArrayDyn<i64>>,
    INT_ARRAY
);

impl<'py> Indices<'py> {
    /// A vector.
    pub(crate) fn vector(py: Python<'py>, values: &[i64]) -> Self {
        Self(PyArray1::from_slice(py, values).to_dyn().clone())
    }

    /// Rows of so many indices.
    pub(crate) fn rows<T: Copy + Into<i64>, const N: usize>(py: Python<'py>, rows: &[[T; N]]) -> Result<Self> {
        let array = PyArrayDyn::zeros(py, &[rows.len(), N][..], false);
        {
            let failed = |error: &dyn std::fmt::Display| PyRuntimeError::new_err(error.to_string());
            let mut writable = array.try_readwrite().map_err(|error| failed(&error))?;
            let values = writable.as_slice_mut().map_err(|error| failed(&error))?;
            values.iter_mut().zip(rows.iter().flatten()).for_each(|(value, index)| *value = (*index).into());
        }
        Ok(Self(array))
    }
}

impl<'py> From<Array<'py>> for Bound<'py, PyAny> {
    fn from(array: Array<'py>) -> Self {
        array.0.into_any()
    }
}

/// The homogeneous matrix row after row.
fn row_major(pose: &Pose) -> [f64; 16] {
    let matrix = pose.to_matrix();
    std::array::from_fn(|index| matrix[(index / 4, index % 4)])
}

output!(
    /// An array of truth values.
    Mask,
    Bound<'py, PyArrayDyn<bool>>,
    type_hint_subscript!(NDARRAY, type_hint_identifier!("numpy", "bool_"))
);

impl<'py> Mask<'py> {
    pub(crate) fn new(py: Python<'py>, values: &[bool]) -> Self {
        Self(PyArray1::from_slice(py, values).to_dyn().clone())
    }

    /// The values in the array that was given, or in a new one.
    pub(crate) fn in_out(py: Python<'py>, values: &[bool], out: Option<Out<'py, bool>>) -> Result<Self> {
        let copy = |places: &mut [bool]| {
            places.copy_from_slice(values);
            Ok(())
        };
        Ok(Self(filled(py, &[values.len()], out, copy)?))
    }
}

output!(
    /// An iterator over arrays of several types.
    Arrays,
    Bound<'py, PyIterator>,
    type_hint_subscript!(type_hint_identifier!("collections.abc", "Iterator"), type_hint_subscript!(NDARRAY, ANY))
);

impl<'py> Arrays<'py> {
    /// An iterator over what a tuple holds.
    pub(crate) fn over(tuple: &Bound<'py, PyTuple>) -> PyResult<Self> {
        Ok(Self(tuple.try_iter()?))
    }
}

output!(
    /// A dictionary of facts.
    Dict,
    Bound<'py, PyDict>,
    DICT
);

impl<'py> Dict<'py> {
    pub(crate) fn new(py: Python<'py>) -> Self {
        Self(PyDict::new(py))
    }

    /// The dictionary that a JSON object says.
    pub(crate) fn parse(py: Python<'py>, json: &str) -> Result<Self> {
        let parsed = py.import("json")?.call_method1("loads", (json,))?;
        Ok(Self(parsed.cast_into().map_err(PyErr::from)?))
    }

    /// Limits by name, each (dof,); jerk is None where it is free.
    pub(crate) fn limits(py: Python<'py>, limits: &Limits) -> Result<Self> {
        let jerk = limits.jerk.as_deref().map(|jerk| Array::vector(py, jerk)).transpose()?;
        let dict = Self::new(py).with("velocity", Array::vector(py, &limits.velocity)?)?;
        Ok(dict.with("acceleration", Array::vector(py, &limits.acceleration)?)?.with("jerk", jerk)?)
    }

    /// The same dictionary with one more entry.
    pub(crate) fn with(self, key: impl IntoPyObject<'py>, value: impl IntoPyObject<'py>) -> PyResult<Self> {
        self.0.set_item(key, value)?;
        Ok(self)
    }
}

output!(
    /// A list of dictionaries of facts.
    Dicts,
    Bound<'py, PyList>,
    type_hint_subscript!(type_hint_identifier!("builtins", "list"), DICT)
);

impl<'py> Dicts<'py> {
    pub(crate) fn new(py: Python<'py>, dicts: Vec<Dict<'py>>) -> PyResult<Self> {
        Ok(Self(PyList::new(py, dicts)?))
    }
}

output!(
    /// A list of dictionaries of facts, with None where there are none.
    OptionalDicts,
    Bound<'py, PyList>,
    type_hint_subscript!(
        type_hint_identifier!("builtins", "list"),
        type_hint_union!(DICT, type_hint_identifier!("builtins", "None"))
    )
);

impl<'py> OptionalDicts<'py> {
    pub(crate) fn new(py: Python<'py>, dicts: Vec<Option<Dict<'py>>>) -> PyResult<Self> {
        Ok(Self(PyList::new(py, dicts)?))
    }
}

output!(
    /// Poses by name, as 4 × 4 matrices.
    PoseDict,
    Bound<'py, PyDict>,
    type_hint_subscript!(type_hint_identifier!("builtins", "dict"), STR, FLOAT_ARRAY)
);

impl<'py> PoseDict<'py> {
    pub(crate) fn new<'a>(py: Python<'py>, poses: impl Iterator<Item = (&'a str, Pose)>) -> Result<Self> {
        let dict = PyDict::new(py);
        for (name, pose) in poses {
            dict.set_item(name, Array::pose(py, &pose)?)?;
        }
        Ok(Self(dict))
    }
}

output!(
    /// Several results; which ones depends on the arguments.
    Tuple,
    Bound<'py, PyTuple>,
    type_hint_subscript!(
        type_hint_identifier!("builtins", "tuple"),
        ANY,
        PyStaticExpr::Constant { value: PyStaticConstant::Ellipsis }
    )
);

impl<'py> Tuple<'py> {
    pub(crate) fn new(
        py: Python<'py>,
        results: impl IntoPyObject<'py, Target = PyTuple, Output = Bound<'py, PyTuple>, Error = PyErr>,
    ) -> PyResult<Self> {
        results.into_pyobject(py).map(Self)
    }
}

output!(
    /// What `__reduce__` returns: a callable and its arguments.
    Rebuild,
    Bound<'py, PyTuple>,
    type_hint_subscript!(
        type_hint_identifier!("builtins", "tuple"),
        ANY,
        PyStaticExpr::Constant { value: PyStaticConstant::Ellipsis }
    )
);

/// Instructions for pickle to call `class.method(*arguments)`.
///
/// Static methods of compiled classes cannot be pickled by name; `operator.methodcaller` can.
pub(crate) fn rebuild<'py>(
    class: Bound<'py, PyAny>,
    method: &str,
    arguments: impl IntoPyObject<'py, Target = PyTuple, Output = Bound<'py, PyTuple>, Error = PyErr>,
) -> PyResult<Rebuild<'py>> {
    let py = class.py();
    let mut parts = vec![method.into_pyobject(py)?.into_any()];
    parts.extend(arguments.into_pyobject(py)?.iter());
    let call = py.import("operator")?.getattr("methodcaller")?.call1(PyTuple::new(py, parts)?)?;
    Ok(Rebuild(PyTuple::new(py, [call, PyTuple::new(py, [class])?.into_any()])?))
}
