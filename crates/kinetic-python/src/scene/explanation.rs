//! `Explanation`: what is near at a configuration, what it has to keep, and who says so.

use kinetic::scene::{Explanation, MarginSource, NearPair};
use pyo3::exceptions::PyIndexError;
use pyo3::prelude::*;

use crate::convert::{Array, Dict, Dicts, Whole};
use crate::error::Result;
use crate::scene::queries::names;

/// The pairs near a configuration; a sequence of dicts, the one deepest in its margin first.
///
/// Each dict has `link`, `other`, `distance` (m, negative is penetration), `margin` (what has to be kept, m, paddings
/// included), `padding` (the part of it that is padding), `source` ("general", "name" or "pair": who stated it), `free`,
/// `decided_by` ("spheres", "exact" or "proof"), and the closest points `point_on_link` and `point_on_other` (3,) in the root
/// frame. Printed, it is a table for people.
#[pyclass(frozen, module = "kinetic._kinetic", name = "Explanation")]
pub(crate) struct PyExplanation(pub(crate) Explanation);

#[pymethods]
impl PyExplanation {
    /// True when every pair keeps its margin.
    #[getter]
    fn is_free(&self) -> bool {
        self.0.is_free()
    }

    /// Pairs as near as that which are not looked at: dicts with `link`, `other`, `distance` and `reason`, nearest first.
    #[getter]
    fn unchecked<'py>(&self, py: Python<'py>) -> Result<Dicts<'py>> {
        let entry = |unchecked: &kinetic::scene::UncheckedPair| {
            let (link, other) = names(unchecked.pair.clone());
            let entry = Dict::new(py).with("link", link)?.with("other", other)?;
            entry.with("distance", unchecked.distance)?.with("reason", unchecked.reason.as_str())
        };
        Ok(Dicts::new(py, self.0.unchecked.iter().map(entry).collect::<PyResult<_>>()?)?)
    }

    fn __len__(&self) -> usize {
        self.0.near.len()
    }

    fn __getitem__<'py>(&self, py: Python<'py>, index: Whole) -> Result<Dict<'py>> {
        let (count, index) = (self.0.near.len(), index.0);
        let size = usize::try_from(index.unsigned_abs()).unwrap_or(usize::MAX);
        let place = if index < 0 { count.checked_sub(size) } else { Some(size) };
        match place.and_then(|place| self.0.near.get(place)) {
            Some(near) => entry(py, near),
            None => Err(PyIndexError::new_err(format!("{index} of {count} pairs")).into()),
        }
    }

    fn __repr__(&self) -> String {
        self.0.to_string()
    }
}

fn entry<'py>(py: Python<'py>, near: &NearPair) -> Result<Dict<'py>> {
    let (link, other) = names(near.pair.clone());
    let source = match near.required.source {
        MarginSource::General => "general",
        MarginSource::Name(_) => "name",
        MarginSource::Pair => "pair",
    };
    let entry = Dict::new(py).with("link", link)?.with("other", other)?.with("distance", near.distance)?;
    let entry = entry.with("margin", near.required.total())?.with("padding", near.required.padding)?;
    let entry = entry.with("source", source)?.with("free", near.is_free())?;
    let entry = entry.with("decided_by", near.decided_by.name())?;
    let point_on_link = Array::vector(py, near.point_on_link.coords.as_slice())?;
    let point_on_other = Array::vector(py, near.point_on_other.coords.as_slice())?;
    Ok(entry.with("point_on_link", point_on_link)?.with("point_on_other", point_on_other)?)
}
