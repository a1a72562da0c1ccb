//! States of the bodies during a recursion, and where the bodies are.

#![allow(clippy::inline_always, reason = "what is not inlined is compiled without the wide instructions")]

use crate::body::Body;
use crate::scalar::{SINCOS_BATCH, Scalar};
use crate::turn::AboutZ;
use crate::vectors::{Vec3, add, scale, splat, zeros};

/// What a recursion knows of a body, in the body's coordinates.
#[derive(Debug, Clone, Copy)]
pub(crate) struct State<T> {
    /// Turn about the own z axis.
    pub(crate) own: AboutZ<T>,
    /// Origin in the parent.
    pub(crate) origin: Vec3<T>,
    pub(crate) angular: Vec3<T>,
    pub(crate) angular_acceleration: Vec3<T>,
    /// Acceleration of the origin, less gravity.
    pub(crate) acceleration: Vec3<T>,
    /// Rows of `[α]× + ω ωᵀ − |ω|² 1`: times an arm, what a point accelerates beyond the origin.
    pub(crate) spin: [Vec3<T>; 3],
    /// Force on the body through its joint.
    pub(crate) force: Vec3<T>,
    /// Its torque about the origin.
    pub(crate) torque: Vec3<T>,
}

impl<T: Scalar> State<T> {
    #[inline(always)]
    pub(crate) fn at_rest() -> Self {
        Self {
            own: AboutZ { cos: T::splat(1.0), sin: T::splat(0.0) },
            origin: zeros(),
            angular: zeros(),
            angular_acceleration: zeros(),
            acceleration: zeros(),
            spin: [zeros(), zeros(), zeros()],
            force: zeros(),
            torque: zeros(),
        }
    }
}

impl State<f64> {
    /// The same motion in every number.
    #[inline(always)]
    pub(crate) fn splat<T: Scalar>(&self) -> State<T> {
        State {
            angular: splat(&self.angular),
            angular_acceleration: splat(&self.angular_acceleration),
            acceleration: splat(&self.acceleration),
            spin: [splat(&self.spin[0]), splat(&self.spin[1]), splat(&self.spin[2])],
            ..State::at_rest()
        }
    }
}

/// Puts every body where `q` says. `states` holds the root's first.
#[inline(always)]
pub(crate) fn place<T: Scalar>(bodies: &[Body], q: &[T], states: &mut [State<T>]) {
    for (chunk, states) in bodies.chunks(SINCOS_BATCH).zip(states[1..].chunks_mut(SINCOS_BATCH)) {
        let mut values = [T::splat(0.0); SINCOS_BATCH];
        for (value, body) in values.iter_mut().zip(chunk) {
            *value = T::splat(body.multiplier) * q[body.variable] + T::splat(body.offset);
        }
        let (sines, cosines) = T::sin_cos_batch(&values, chunk.len());
        for (index, (body, state)) in chunk.iter().zip(states).enumerate() {
            let origin = splat(&body.origin);
            if body.turns {
                state.own = AboutZ { cos: cosines[index], sin: sines[index] };
                state.origin = origin;
            } else {
                let [cos, sin] = splat(&body.still);
                state.own = AboutZ { cos, sin };
                state.origin = add(&origin, &scale(&splat(&body.axis), values[index]));
            }
        }
    }
}
