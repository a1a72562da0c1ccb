//! Values at the nodes of a grid, borrowed.

use kinetic_core::error::{check_finite, check_len};
use kinetic_core::{KineticError, Result};
use nalgebra::{Point3, Vector3};

/// Values at the nodes of a grid, x slowest: that of node `(i, j, k)` stands at `(i · ny + j) · nz + k`, and the node at
/// `low + spacing · (i, j, k)`, m. This is the order of NumPy arrays and of the distance fields of `kinetic-collision`.
#[derive(Debug, Clone, Copy)]
pub struct ScalarGrid<'a, T> {
    values: &'a [T],
    pub(crate) nodes: [usize; 3],
    low: Point3<f64>,
    spacing: Vector3<f64>,
}

impl<'a, T: Copy + Into<f64>> ScalarGrid<'a, T> {
    /// A grid of as many nodes along x, y and z, the first at `low`, with `spacing` between neighbours along each axis (m).
    ///
    /// # Errors
    /// [`KineticError::InvalidValue`] for fewer than two nodes along an axis and for a spacing that is not positive and finite,
    /// [`KineticError::DimensionMismatch`] for another number of values than of nodes, [`KineticError::NotFinite`] for corners that
    /// are not finite.
    pub fn new(values: &'a [T], nodes: [usize; 3], low: &Point3<f64>, spacing: &Vector3<f64>) -> Result<Self> {
        if nodes.iter().any(|count| *count < 2) {
            return Err(KineticError::invalid("grid nodes", format!("{nodes:?}"), "at least two along each axis"));
        }
        check_len("grid values", values.len(), nodes.iter().fold(1, |all, count| all.saturating_mul(*count)))?;
        if !spacing.iter().all(|step| step.is_finite() && *step > 0.0) {
            let given = format!("{:?}", spacing.as_slice());
            return Err(KineticError::invalid("grid spacing", given, "positive finite numbers (m)"));
        }
        let grid = Self { values, nodes, low: *low, spacing: *spacing };
        let high = grid.point(nodes.map(|count| (count - 1) as f64));
        check_finite("grid corners", &[low.x, low.y, low.z, high.x, high.y, high.z])?;
        Ok(grid)
    }

    /// A place of the grid, in cells from its first node.
    pub(crate) fn point(&self, along: [f64; 3]) -> Point3<f64> {
        self.low + Vector3::from(along).component_mul(&self.spacing)
    }

    /// The value of a node.
    pub(crate) fn value(&self, [x, y, z]: [usize; 3]) -> f64 {
        self.plane(x)[y * self.nodes[2] + z].into()
    }

    /// The values of the nodes of a plane across x.
    pub(crate) fn plane(&self, x: usize) -> &'a [T] {
        let count = self.nodes[1] * self.nodes[2];
        &self.values[x * count..(x + 1) * count]
    }

    /// The error for a plane across x with a value that is NaN: it names the first such node.
    pub(crate) fn not_a_number(&self, x: usize) -> KineticError {
        let is_nan = |value: &T| Into::<f64>::into(*value).is_nan();
        let index = self.plane(x).iter().position(is_nan).unwrap_or(0);
        let node = [x, index / self.nodes[2], index % self.nodes[2]];
        KineticError::invalid(format!("grid value of node {node:?}"), f64::NAN, "a number or an infinity")
    }
}
