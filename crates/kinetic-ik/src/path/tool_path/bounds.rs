//! Bounds on the derivatives of a tool path, for proofs between samples.

/// Largest norms of the derivatives of a path by its arc length.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct MotionBounds {
    /// Of the first derivative of the position.
    pub speed: f64,
    /// Of the second derivative of the position, 1/m.
    pub acceleration: f64,
    /// Of the rotation per metre, rad/m.
    pub turning: f64,
    /// Of its derivative, rad/m².
    pub turning_rate: f64,
}

impl MotionBounds {
    /// The larger ones of two.
    #[must_use]
    pub fn or(self, other: Self) -> Self {
        Self {
            speed: self.speed.max(other.speed),
            acceleration: self.acceleration.max(other.acceleration),
            turning: self.turning.max(other.turning),
            turning_rate: self.turning_rate.max(other.turning_rate),
        }
    }
}
