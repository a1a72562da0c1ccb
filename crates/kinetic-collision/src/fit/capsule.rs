//! The closed-form cover of a capsule.

use nalgebra::{Point3, Vector3};

use crate::ball::Sphere;

/// `count` equal balls on the axis of a capsule, the fewest centimetres beyond its surface.
///
/// With balls of radius `R` around points that start `R - r` short of the segment's ends, the caps are covered; between
/// neighbours `2 √(R² − r²)` apart the wall is. `R` is the smallest radius for which they span the segment.
pub(super) fn balls(radius: f64, half_height: f64, count: usize) -> Vec<Sphere> {
    let spanned = |ball: f64| {
        let between = 2.0 * ((ball - radius) * (ball + radius)).max(0.0).sqrt();
        (count - 1) as f64 * between + 2.0 * (ball - radius)
    };
    // Bisection: `spanned` grows with the ball, and a ball of r + h alone spans the segment.
    let (mut low, mut high) = (radius, radius + half_height);
    while high - low > 1e-12 * high {
        let middle = 0.5 * (low + high);
        if middle <= low || middle >= high {
            break;
        }
        if spanned(middle) < 2.0 * half_height { low = middle } else { high = middle }
    }
    let reach = (half_height - (high - radius)).max(0.0);
    let step = if count > 1 { 2.0 * reach / (count - 1) as f64 } else { 0.0 };
    (0..count).map(|i| Sphere::new(Point3::from(Vector3::z() * (step * i as f64 - reach)), high)).collect()
}
