//! Tolerances of closed-form inverse kinematics that users set.

use kinetic_core::{KineticError, Result};

use crate::analytic::constant::constants;

/// Tolerances within which axes are parallel or meet, subproblems are feasible, and solutions are the same.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TolerancePolicy {
    /// Axes are parallel when the sine of the angle between them is at most this.
    pub axis_parallel: f64,
    /// Axes meet when the distance between their lines is at most this, m.
    pub axis_intersect: f64,
    /// A subproblem is feasible when its data miss the feasible range by at most this, relative to their size.
    pub subproblem_feasibility: f64,
    /// A near miss: a branch that closes forward kinematics to this (Frobenius) may be refined to a solution.
    pub subproblem_numerical: f64,
    /// Input of a subproblem is degenerate when what determines the angle is at most this, relative to its size.
    pub subproblem_degeneracy: f64,
    /// Solutions are the same when no joint differs by more than this, rad (turns of 2π ignored) or m.
    pub subproblem_dedup: f64,
}

constants!(TolerancePolicy {
    axis_parallel,
    axis_intersect,
    subproblem_feasibility,
    subproblem_numerical,
    subproblem_degeneracy,
    subproblem_dedup,
});

impl Default for TolerancePolicy {
    fn default() -> Self {
        Self {
            axis_parallel: 1e-8,
            axis_intersect: 1e-8,
            subproblem_feasibility: 1e-9,
            subproblem_numerical: 1e-5,
            subproblem_degeneracy: 1e-12,
            subproblem_dedup: 1e-3,
        }
    }
}

impl TolerancePolicy {
    /// Refuses thresholds that are negative or not finite.
    ///
    /// # Errors
    /// [`KineticError::InvalidValue`] naming the threshold.
    pub fn check(&self) -> Result<()> {
        for (name, value) in [
            ("axis_parallel", self.axis_parallel),
            ("axis_intersect", self.axis_intersect),
            ("subproblem_feasibility", self.subproblem_feasibility),
            ("subproblem_numerical", self.subproblem_numerical),
            ("subproblem_degeneracy", self.subproblem_degeneracy),
            ("subproblem_dedup", self.subproblem_dedup),
        ] {
            if !(value.is_finite() && value >= 0.0) {
                return Err(KineticError::invalid(name, value, "a finite number of at least 0"));
            }
        }
        Ok(())
    }
}
