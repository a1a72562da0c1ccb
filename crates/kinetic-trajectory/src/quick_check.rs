//! The look at a piece of a curve that settles most of them.
//!
//! In the piece's own time u = s / h the polynomial is Σ aₖ uᵏ with aₖ = cₖ hᵏ. The sum of the absolute terms of a derivative
//! bounds it on [0, 1], and the sum with signs is its value at the end, where the next piece has to go on: one pass over six
//! numbers, without divisions. What it does not settle is looked at by tighter bounds.

use kinetic_core::curve::Coefficients;

/// The first powers of the duration of a piece.
pub(crate) struct Powers([f64; 6]);

impl Powers {
    pub(crate) fn of(h: f64) -> Self {
        let square = h * h;
        Self([1.0, h, square, square * h, square * square, square * square * h])
    }
}

/// What one joint is compared with; infinite where nothing is asked.
#[derive(Debug, Clone, Copy)]
pub(crate) struct QuickLimits {
    /// Middle and half of the range of positions.
    middle: f64,
    half: f64,
    /// Of velocity, acceleration and jerk.
    derivatives: [f64; 3],
    /// Of steps of position, velocity and acceleration.
    steps: [f64; 3],
}

impl QuickLimits {
    pub(crate) fn new([lower, upper]: [f64; 2], derivatives: [Option<f64>; 3], steps: [Option<f64>; 3]) -> Self {
        let is_bounded = lower.is_finite() && upper.is_finite();
        let any = |limit: Option<f64>| limit.unwrap_or(f64::INFINITY);
        // A range that is open at one end is left to the tighter bounds, unless it is open at both.
        let (middle, half) = match (is_bounded, lower == f64::NEG_INFINITY && upper == f64::INFINITY) {
            (true, _) => (f64::midpoint(lower, upper), 0.5 * (upper - lower)),
            (false, true) => (0.0, f64::INFINITY),
            (false, false) => (0.0, f64::NEG_INFINITY),
        };
        Self { middle, half, derivatives: derivatives.map(any), steps: steps.map(any) }
    }

    /// True when this look is enough to say that a piece holds its limits and the next one goes on where it ends.
    #[inline]
    pub(crate) fn settles(&self, row: &Coefficients, next: Option<&Coefficients>, Powers(h): &Powers) -> bool {
        let a: [f64; 6] = std::array::from_fn(|power| row[power] * h[power]);
        let m = a.map(f64::abs);
        let way = m[1] + m[2] + m[3] + m[4] + m[5];
        let velocity = m[1] + 2.0 * m[2] + 3.0 * m[3] + 4.0 * m[4] + 5.0 * m[5];
        let acceleration = 2.0 * m[2] + 6.0 * m[3] + 12.0 * m[4] + 20.0 * m[5];
        let jerk = 6.0 * m[3] + 24.0 * m[4] + 60.0 * m[5];
        let [most_velocity, most_acceleration, most_jerk] = self.derivatives;
        (a[0] - self.middle).abs() + way <= self.half
            && velocity <= most_velocity * h[1]
            && acceleration <= most_acceleration * h[2]
            && jerk <= most_jerk * h[3]
            && next.is_none_or(|next| self.goes_on(&a, next, h))
    }

    /// True when the next piece begins where this one ends.
    #[inline]
    fn goes_on(&self, a: &[f64; 6], next: &Coefficients, h: &[f64; 6]) -> bool {
        let position = a[0] + (a[1] + a[2] + a[3] + a[4] + a[5]);
        let velocity = a[1] + 2.0 * a[2] + 3.0 * a[3] + 4.0 * a[4] + 5.0 * a[5];
        let acceleration = 2.0 * a[2] + 6.0 * a[3] + 12.0 * a[4] + 20.0 * a[5];
        (next[0] - position).abs() <= self.steps[0]
            && (next[1] * h[1] - velocity).abs() <= self.steps[1] * h[1]
            && (2.0 * next[2] * h[2] - acceleration).abs() <= self.steps[2] * h[2]
    }
}
