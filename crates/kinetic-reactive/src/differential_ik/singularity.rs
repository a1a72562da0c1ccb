//! How near a Jacobian is to a singularity, and in which direction.

use kinetic_core::error::{check_finite, check_len};
use kinetic_core::{KineticError, Result};

use super::singular_values::SingularValues;

/// Finds the smallest singular value of Jacobians with its directions, without allocation after it is made.
#[derive(Debug, Clone)]
pub struct SingularityProbe {
    columns: usize,
    most_rows: usize,
    values: SingularValues,
}

/// The smallest singular value of a Jacobian.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Singularity<'a> {
    /// The singular value: velocity of the rows per unit of joint velocity along [`joints`](Self::joints). 0 where it
    /// vanishes beside the largest.
    pub sigma: f64,
    /// Unit vector: the direction in which the rows can be moved least, one number per row. Zeros at a singularity of a
    /// Jacobian with more rows than joints.
    pub rows: &'a [f64],
    /// Unit vector: the joint velocities for it. Zeros at a singularity of a Jacobian with no more rows than joints, where
    /// no joint velocity moves the rows that way.
    pub joints: &'a [f64],
    /// Product of all singular values (Yoshikawa 1985).
    pub manipulability: f64,
    /// Largest over smallest singular value; infinite at a singularity.
    pub condition: f64,
}

impl SingularityProbe {
    /// For Jacobians of `joints` columns and at most `most_rows` rows.
    ///
    /// # Errors
    /// [`KineticError::InvalidValue`] for no joints or no rows.
    pub fn new(joints: usize, most_rows: usize) -> Result<Self> {
        if joints == 0 || most_rows == 0 {
            return Err(KineticError::invalid(
                "size of a Jacobian",
                format!("{most_rows} × {joints}"),
                "at least 1 × 1",
            ));
        }
        Ok(Self { columns: joints, most_rows, values: SingularValues::new(most_rows, joints) })
    }

    /// The smallest singular value of a Jacobian, given row after row.
    ///
    /// # Errors
    /// [`KineticError::DimensionMismatch`], [`KineticError::NotFinite`] or [`KineticError::InvalidValue`] for a Jacobian of
    /// another size, NaN, or no rows.
    pub fn at(&mut self, jacobian: &[f64]) -> Result<Singularity<'_>> {
        let rows = jacobian.len() / self.columns;
        check_len("Jacobian", jacobian.len(), rows.clamp(1, self.most_rows) * self.columns)?;
        check_finite("Jacobian", jacobian)?;
        self.values.decompose(jacobian, self.columns);
        let values = &self.values;
        // There is at least one row.
        let index = values.smallest().unwrap_or(0);
        let sigmas = || (0..values.len()).map(|index| values.sigma(index));
        let (sigma, largest) = (values.sigma(index), sigmas().fold(0.0, f64::max));
        Ok(Singularity {
            sigma,
            rows: values.left(index),
            joints: values.right(index),
            manipulability: sigmas().product(),
            condition: if sigma > 0.0 { largest / sigma } else { f64::INFINITY },
        })
    }
}
