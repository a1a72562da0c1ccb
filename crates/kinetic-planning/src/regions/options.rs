//! Options of convex regions.

use kinetic_core::{KineticError, Result};

/// How regions are grown, and what is claimed of them.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct IrisOptions {
    /// Largest fraction of a region that is in collision, from 1e-4 to below 1.
    pub collision_fraction: f64,
    /// How sure that is for what grows with one ellipsoid: of polytopes of which more collides, at most the share `1 − confidence` passes its
    /// tests. Above 0 and below 1.
    pub confidence: f64,
    /// How far planes stay away from configurations that are known to collide, a distance of the joint space.
    pub margin: f64,
    /// Ellipsoids that a region may grow with.
    pub iterations: usize,
    /// Growth of the volume of the ellipsoid, as a part of it, below which a region has grown up.
    pub least_growth: f64,
}

impl Default for IrisOptions {
    fn default() -> Self {
        Self { collision_fraction: 0.01, confidence: 0.95, margin: 0.01, iterations: 5, least_growth: 0.3 }
    }
}

/// The smallest fraction whose test takes a tolerable number of samples.
const LEAST_FRACTION: f64 = 1e-4;

/// Ellipsoids that a region may grow with at most.
const MOST_ITERATIONS: usize = 1000;

impl IrisOptions {
    /// Refuses values outside their domain.
    ///
    /// # Errors
    /// [`KineticError::InvalidValue`] naming the field.
    pub fn check(&self) -> Result<()> {
        if !(LEAST_FRACTION..1.0).contains(&self.collision_fraction) {
            let wanted = format!("a number from {LEAST_FRACTION} to below 1");
            return Err(KineticError::invalid("collision_fraction", self.collision_fraction, wanted));
        }
        if !(self.confidence > 0.0 && self.confidence < 1.0) {
            return Err(KineticError::invalid("confidence", self.confidence, "a number above 0 and below 1"));
        }
        for (name, value) in [("margin", self.margin), ("least_growth", self.least_growth)] {
            if !(value >= 0.0 && value.is_finite()) {
                return Err(KineticError::invalid(name, value, "a number that is not negative"));
            }
        }
        if !(1..=MOST_ITERATIONS).contains(&self.iterations) {
            return Err(KineticError::invalid(
                "iterations",
                self.iterations,
                format!("an integer from 1 to {MOST_ITERATIONS}"),
            ));
        }
        Ok(())
    }
}
