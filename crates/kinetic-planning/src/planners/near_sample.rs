//! Samples around a configuration.

use kinetic_core::rng::SeededRng;

use super::informed::unit_ball;
use crate::space::Space;

/// Writes a configuration within `radius` of `q`: uniform in the ball of the metric, and then inside the bounds.
pub(super) fn sample_near(space: &Space, q: &[f64], radius: f64, rng: &mut SeededRng, out: &mut [f64]) {
    unit_ball(rng, out);
    for (joint, value) in out.iter_mut().enumerate() {
        let moved = q[joint] + radius * *value / space.weights()[joint];
        *value = moved.clamp(space.lower()[joint], space.upper()[joint]);
    }
}
