//! Efforts against gravity: the recursive Newton–Euler algorithm at rest.

#![allow(clippy::inline_always, reason = "what is not inlined is compiled without the wide instructions")]

use crate::body::Body;
use crate::scalar::Scalar;
use crate::state::State;
use crate::turn::{down, with_turn};
use crate::vectors::{cross, scale, splat};

/// Outward pass: the forces that hold the bodies at rest. The root's acceleration is minus gravity.
#[inline(always)]
pub(crate) fn outward<T: Scalar>(bodies: &[Body], states: &mut [State<T>]) {
    for (index, body) in bodies.iter().enumerate() {
        let acceleration = states[body.parent].acceleration;
        let state = &mut states[index + 1];
        state.acceleration = with_turn!(body.turn, turn => down(turn, &state.own, &acceleration));
        state.force = scale(&state.acceleration, T::splat(body.inertia.mass));
        state.torque = cross(&splat(&body.inertia.moment), &state.acceleration);
    }
}
