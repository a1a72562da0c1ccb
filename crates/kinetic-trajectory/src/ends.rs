//! Velocities at the ends of a path.

use kinetic_core::curve::evaluate;
use kinetic_core::error::{check_finite, check_len};
use kinetic_core::{KineticError, Result};

use crate::geometry::PathGeometry;

/// A velocity may point away from the path by this part of its largest component.
const TANGENT_TOLERANCE: f64 = 1e-6;

impl PathGeometry {
    /// The same path, entered and left with these joint velocities (rad/s, m/s); `None` is rest.
    ///
    /// They must point along the path; laws that move at the ends have
    /// [`moving_ends`](crate::TimeLawSpec::moving_ends).
    ///
    /// # Errors
    /// [`KineticError::DimensionMismatch`], [`KineticError::NotFinite`], or [`KineticError::InvalidValue`] naming the
    /// joint for a velocity that does not point along the path.
    pub fn with_end_velocities(mut self, start: Option<&[f64]>, end: Option<&[f64]>) -> Result<Self> {
        for (index, (velocity, name)) in [(start, "start"), (end, "end")].into_iter().enumerate() {
            let Some(velocity) = velocity else { continue };
            check_len(&format!("{name} velocity"), velocity.len(), self.dof())?;
            check_finite(&format!("{name} velocity"), velocity)?;
            self.end_speeds[index] = path_speed(velocity, &self.end_tangent(index), name)?;
        }
        Ok(self)
    }

    /// Direction of the path at its start (0) or end (1); zero for a path of length 0.
    fn end_tangent(&self, end: usize) -> Vec<f64> {
        let elements = self.curve_elements();
        let element = if end == 0 { elements.first() } else { elements.last() };
        let Some(element) = element else { return vec![0.0; self.dof()] };
        let offset = if end == 0 { 0.0 } else { element.length };
        element.shape.iter().map(|row| evaluate(row, 1, offset)).collect()
    }
}

/// The path speed of a velocity along the tangent.
fn path_speed(velocity: &[f64], tangent: &[f64], end: &str) -> Result<f64> {
    let square: f64 = tangent.iter().map(|value| value * value).sum();
    let along: f64 = velocity.iter().zip(tangent).map(|(v, t)| v * t).sum();
    let speed = if along > 0.0 { along / square } else { 0.0 };
    let largest = velocity.iter().fold(0.0_f64, |most, value| most.max(value.abs()));
    for (joint, (given, direction)) in velocity.iter().zip(tangent).enumerate() {
        if !((given - speed * direction).abs() <= TANGENT_TOLERANCE * largest) {
            let wanted = format!("{} (a velocity along the path)", speed * direction);
            return Err(KineticError::invalid(format!("{end} velocity of joint {joint}"), *given, wanted));
        }
    }
    Ok(speed)
}
