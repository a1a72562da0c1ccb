//! `OutlierFilter`: which points of a cloud are measurement errors.

use kinetic::perception::OutlierFilter;
use pyo3::prelude::*;

use crate::convert::{Count, Real, Rebuild, rebuild};
use crate::error::Result;

/// Which points of a cloud are taken for measurement errors.
///
/// Example:
///     >>> from kinetic import OutlierFilter
///     >>> OutlierFilter.radius(0.05, min_neighbors=4)
///     OutlierFilter.radius(0.05, min_neighbors=4)
#[pyclass(frozen, eq, from_py_object, module = "kinetic", name = "OutlierFilter")]
#[derive(Clone, PartialEq)]
pub(crate) struct PyOutlierFilter(pub(crate) OutlierFilter);

#[pymethods]
impl PyOutlierFilter {
    /// Points whose mean distance from their nearest neighbours exceeds the mean of all points' by more than `std_ratio` standard
    /// deviations, as the Point Cloud Library has it.
    #[staticmethod]
    #[pyo3(
        signature = (neighbors=Count(20), std_ratio=Real(2.0)),
        text_signature = "(neighbors=20, std_ratio=2.0)"
    )]
    fn statistical(neighbors: Count, std_ratio: Real) -> Result<Self> {
        Self::checked(OutlierFilter::Statistical { neighbors: neighbors.0, std_ratio: std_ratio.0 })
    }

    /// Points that have fewer than `min_neighbors` others within `radius` (m).
    #[staticmethod]
    fn radius(radius: Real, min_neighbors: Count) -> Result<Self> {
        Self::checked(OutlierFilter::Radius { radius: radius.0, min_neighbors: min_neighbors.0 })
    }

    fn __repr__(&self) -> String {
        match self.0 {
            OutlierFilter::Statistical { neighbors, std_ratio } => {
                format!("OutlierFilter.statistical({neighbors}, std_ratio={std_ratio:?})")
            }
            OutlierFilter::Radius { radius, min_neighbors } => {
                format!("OutlierFilter.radius({radius:?}, min_neighbors={min_neighbors})")
            }
        }
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> Result<Rebuild<'py>> {
        let class = py.get_type::<Self>().into_any();
        Ok(match self.0 {
            OutlierFilter::Statistical { neighbors, std_ratio } => {
                rebuild(class, "statistical", (neighbors, std_ratio))?
            }
            OutlierFilter::Radius { radius, min_neighbors } => rebuild(class, "radius", (radius, min_neighbors))?,
        })
    }
}

impl PyOutlierFilter {
    fn checked(filter: OutlierFilter) -> Result<Self> {
        filter.check()?;
        Ok(Self(filter))
    }
}
