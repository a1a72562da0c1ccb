//! Indices of cells of a grid: rows of three integers.

use kinetic::core::KineticError;
use numpy::{Element, PyArray2, PyArrayMethods, PyUntypedArrayMethods};
use pyo3::inspect::PyStaticExpr;
use pyo3::prelude::*;

use super::numbers::Matrix;
use crate::error::{Error, Result};

/// Cells (N, 3). Arrays of integers, in any order of memory, are read where they lie.
pub(crate) struct Cells(pub(crate) Vec<[i32; 3]>);

impl FromPyObject<'_, '_> for Cells {
    type Error = Error;

    const INPUT_TYPE: PyStaticExpr = <Matrix as FromPyObject<'_, '_>>::INPUT_TYPE;

    fn extract(given: Borrowed<'_, '_, PyAny>) -> Result<Self> {
        let cells = match rows::<i64>(&given) {
            Some(cells) => Some(cells),
            None => rows::<i32>(&given),
        };
        if let Some(cells) = cells {
            return Ok(Self(cells?));
        }
        let numbers: Matrix = given.extract()?;
        numbers.check_columns("voxel cell", 3)?;
        let cells = numbers.rows().map(|row| cell([row[0], row[1], row[2]], whole));
        Ok(Self(cells.collect::<Result<_>>()?))
    }
}

/// The rows of an array of integers of this type; `None` for anything else.
fn rows<T: Element + Copy + ToString>(given: &Bound<'_, PyAny>) -> Option<Result<Vec<[i32; 3]>>>
where
    i32: TryFrom<T>,
{
    let array = given.cast_exact::<PyArray2<T>>().ok().filter(|array| array.is_aligned() && array.shape()[1] == 3)?;
    let array = array.readonly();
    let rows = array.as_array();
    let index = |value: T| i32::try_from(value).ok();
    Some(rows.rows().into_iter().map(|row| cell([row[0], row[1], row[2]], index)).collect())
}

/// A cell, of numbers that are indices.
fn cell<T: Copy + ToString>(row: [T; 3], index: impl Fn(T) -> Option<i32>) -> Result<[i32; 3]> {
    let mut cell = [0; 3];
    for (index_of_axis, value) in cell.iter_mut().zip(row) {
        let refused = || KineticError::invalid("voxel index", value.to_string(), "an integer within ±2³⁰");
        *index_of_axis = index(value).ok_or_else(refused)?;
    }
    Ok(cell)
}

fn whole(value: f64) -> Option<i32> {
    let is_index = value.fract() == 0.0 && (f64::from(i32::MIN)..=f64::from(i32::MAX)).contains(&value);
    is_index.then_some(value as i32)
}
