//! The quantities of a model by its recursions, over any number type, for inputs that were checked.

#![allow(clippy::inline_always, reason = "what is not inlined is compiled without the wide instructions")]

use crate::crba;
use crate::data::Workspace;
use crate::gravity;
use crate::model::DynamicsModel;
use crate::rnea;
use crate::scalar::Scalar;
use crate::state::{State, place};
use crate::vectors::splat;

/// Efforts for accelerations `a`, of the bodies alone: with gravity and the base's motion. `relieve` may change the forces
/// on the bodies.
#[inline(always)]
pub(crate) fn bodies_inverse<T: Scalar>(
    model: &DynamicsModel,
    states: &mut [State<T>],
    [q, v, a]: [&[T]; 3],
    relieve: impl FnOnce(&mut [State<T>]),
    out: &mut [T],
) {
    place(model.bodies(), q, states);
    states[0] = model.root().splat();
    rnea::outward(model.bodies(), v, a, states);
    relieve(states);
    out.fill(T::splat(0.0));
    rnea::inward(model.bodies(), states, out);
}

/// Efforts for accelerations `a`: of the bodies, rotors, damping and friction.
#[inline(always)]
pub(crate) fn inverse_dynamics<T: Scalar>(
    model: &DynamicsModel,
    states: &mut [State<T>],
    [q, v, a]: [&[T]; 3],
    relieve: impl FnOnce(&mut [State<T>]),
    out: &mut [T],
) {
    bodies_inverse(model, states, [q, v, a], relieve, out);
    for (index, resistance) in model.resistances().iter().enumerate() {
        out[index] = out[index] + T::splat(resistance.armature) * a[index];
        if model.has_friction() {
            out[index] = out[index] + resistance.drag(v[index]);
        }
    }
}

/// Efforts against gravity.
#[inline(always)]
pub(crate) fn gravity<T: Scalar>(model: &DynamicsModel, states: &mut [State<T>], q: &[T], out: &mut [T]) {
    place(model.bodies(), q, states);
    states[0].acceleration = splat(&model.lift());
    gravity::outward(model.bodies(), states);
    out.fill(T::splat(0.0));
    rnea::inward(model.bodies(), states, out);
}

/// Coriolis and centrifugal efforts: without gravity, on a base at rest.
#[inline(always)]
pub(crate) fn coriolis<T: Scalar>(model: &DynamicsModel, work: &mut Workspace<T>, q: &[T], v: &[T], out: &mut [T]) {
    place(model.bodies(), q, &mut work.states);
    work.states[0] = State::at_rest();
    rnea::outward(model.bodies(), v, &work.zeros, &mut work.states);
    out.fill(T::splat(0.0));
    rnea::inward(model.bodies(), &mut work.states, out);
}

/// The mass matrix with the rotors' inertia on its diagonal.
#[inline(always)]
pub(crate) fn mass_matrix<T: Scalar>(model: &DynamicsModel, work: &mut Workspace<T>, q: &[T], out: &mut [T]) {
    let n = model.dof();
    place(model.bodies(), q, &mut work.states);
    out.fill(T::splat(0.0));
    crba::mass_matrix(model.bodies(), &work.states, &mut work.composites, n, out);
    for (index, resistance) in model.resistances().iter().enumerate() {
        out[index * n + index] = out[index * n + index] + T::splat(resistance.armature);
    }
}
