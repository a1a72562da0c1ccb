//! Limit tables: joint limits that depend on another joint.

use kinetic_core::error::check_finite;
use kinetic_core::{KineticError, Result};

/// Limits of one joint by the value of another: lines between given points, constant beyond them.
#[derive(Debug, Clone, PartialEq)]
pub struct LimitTable {
    /// The joint that is limited, as an index into the robot's active joints.
    pub joint: usize,
    /// The joint that decides.
    pub by: usize,
    /// Value of the deciding joint, lower and upper limit; sorted by the first.
    rows: Vec<(f64, f64, f64)>,
}

impl LimitTable {
    /// A table of `(value of the deciding joint, lower limit, upper limit)`.
    ///
    /// # Errors
    /// [`KineticError::NotFinite`], or [`KineticError::InvalidValue`] for a table without rows, rows that do not ascend or
    /// limits in the wrong order.
    pub fn new(joint: usize, by: usize, rows: Vec<(f64, f64, f64)>) -> Result<Self> {
        let values: Vec<f64> = rows.iter().flat_map(|(by, low, high)| [*by, *low, *high]).collect();
        check_finite("limit table", &values)?;
        let ascends = rows.windows(2).all(|pair| pair[0].0 < pair[1].0);
        if rows.is_empty() || !ascends || rows.iter().any(|(_, low, high)| low > high) {
            let wanted = "rows (value, lower, upper) with ascending values and lower <= upper";
            return Err(KineticError::invalid("limit table", format!("{rows:?}"), wanted));
        }
        Ok(Self { joint, by, rows })
    }

    /// Lower and upper limit where the deciding joint stands at `value`.
    pub fn bounds(&self, value: f64) -> (f64, f64) {
        let after = self.rows.partition_point(|row| row.0 <= value);
        if after == 0 {
            return (self.rows[0].1, self.rows[0].2);
        }
        let (a, low, high) = self.rows[after - 1];
        let Some((b, next_low, next_high)) = self.rows.get(after) else { return (low, high) };
        let part = (value - a) / (b - a);
        (low + part * (next_low - low), high + part * (next_high - high))
    }
}
