//! Arrays of the caller that results are written into.

use std::marker::PhantomData;

use kinetic::core::KineticError;
use numpy::{Element, PyArrayDyn, PyArrayMethods, PyUntypedArrayMethods};
use pyo3::inspect::PyStaticExpr;
use pyo3::prelude::*;
use pyo3::{type_hint_identifier, type_hint_subscript};

use crate::error::{Error, Result};

/// What an array holds, and how it is called.
pub(crate) trait OutElement: Element + Copy {
    const NAME: &'static str;
    const HINT: PyStaticExpr;
}

impl OutElement for f64 {
    const NAME: &'static str = "float64";
    const HINT: PyStaticExpr = type_hint_subscript!(
        type_hint_identifier!("numpy.typing", "NDArray"),
        type_hint_identifier!("numpy", "float64")
    );
}

impl OutElement for bool {
    const NAME: &'static str = "bool";
    const HINT: PyStaticExpr =
        type_hint_subscript!(type_hint_identifier!("numpy.typing", "NDArray"), type_hint_identifier!("numpy", "bool_"));
}

/// An array to write into: of the right type, in C order, writable.
pub(crate) struct Out<'py, T>(Bound<'py, PyAny>, PhantomData<T>);

fn refused<T: OutElement>(given: &str) -> Error {
    let wanted = format!("a writable {} array in C order", T::NAME);
    KineticError::invalid("out", given, wanted).into()
}

impl<'py, T: OutElement> FromPyObject<'_, 'py> for Out<'py, T> {
    type Error = Error;

    const INPUT_TYPE: PyStaticExpr = T::HINT;

    fn extract(given: Borrowed<'_, 'py, PyAny>) -> Result<Self> {
        if given.cast::<PyArrayDyn<T>>().is_ok() {
            return Ok(Self((*given).clone(), PhantomData));
        }
        let kind = given.getattr("dtype").and_then(|dtype| Ok(format!("an array of {}", dtype.str()?)));
        Err(refused::<T>(&kind.unwrap_or_else(|_| "no array".to_owned())))
    }
}

/// The array that was given, or a new one, filled by `write`; values are in C order.
pub(crate) fn filled<'py, T: OutElement>(
    py: Python<'py>,
    shape: &[usize],
    out: Option<Out<'py, T>>,
    write: impl FnOnce(&mut [T]) -> Result<()>,
) -> Result<Bound<'py, PyArrayDyn<T>>> {
    let array = match out {
        Some(Out(given, _)) => given.cast_into::<PyArrayDyn<T>>().map_err(PyErr::from)?,
        None => PyArrayDyn::zeros(py, shape, false),
    };
    if array.shape() != shape {
        let (context, expected) = (format!("out of shape {:?}", array.shape()), format!("{shape:?}"));
        return Err(KineticError::DimensionMismatch { context, expected, got: array.len() }.into());
    }
    let mut writable = array.try_readwrite().map_err(|_| refused::<T>("an array that is read-only or in use"))?;
    write(writable.as_slice_mut().map_err(|_| refused::<T>("an array in another order"))?)?;
    drop(writable);
    Ok(array)
}
