//! The weight of a chunk that takes over from the one before.

/// A weight, and its first two derivatives by time.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct BlendWeight {
    pub(crate) value: f64,
    pub(crate) rate: f64,
    pub(crate) curvature: f64,
}

impl BlendWeight {
    /// The weight `elapsed` seconds after a blend of `duration` seconds began: a polynomial of degree 5 from 0 to 1 whose first
    /// two derivatives are 0 at both ends. `None` once it is 1.
    pub(crate) fn after(elapsed: f64, duration: f64) -> Option<Self> {
        if elapsed >= duration {
            return None;
        }
        let x = (elapsed / duration).max(0.0);
        Some(Self {
            value: x * x * x * (10.0 + x * (6.0 * x - 15.0)),
            rate: 30.0 * x * x * (1.0 - x) * (1.0 - x) / duration,
            curvature: 60.0 * x * (1.0 - x) * (1.0 - 2.0 * x) / (duration * duration),
        })
    }

    /// Position, velocity and acceleration of the mixture of two motions of one number.
    pub(crate) fn mix(self, from: [f64; 3], to: [f64; 3]) -> [f64; 3] {
        let [position, velocity, acceleration] = [0, 1, 2].map(|order| to[order] - from[order]);
        let Self { value, rate, curvature } = self;
        [
            from[0] + value * position,
            from[1] + value * velocity + rate * position,
            from[2] + value * acceleration + 2.0 * rate * velocity + curvature * position,
        ]
    }
}
