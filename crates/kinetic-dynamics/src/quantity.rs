//! Quantities of a state, over any number type: of one state with the widest instructions that help, or of many in lanes.

#![allow(clippy::inline_always, reason = "what is not inlined is compiled without the wide instructions")]

use pulp::{Arch, NullaryFnOnce, Simd, WithSimd};

use crate::data::Workspace;
use crate::model::DynamicsModel;
use crate::recursions;
use crate::scalar::Scalar;

/// What is computed of every state.
pub(crate) trait Quantity<const INPUTS: usize>: Copy + Sync {
    fn compute<T: Scalar>(&self, model: &DynamicsModel, work: &mut Workspace<T>, inputs: [&[T]; INPUTS], out: &mut [T]);
}

#[derive(Clone, Copy)]
pub(crate) struct Inverse;

impl Quantity<3> for Inverse {
    #[inline(always)]
    fn compute<T: Scalar>(&self, model: &DynamicsModel, work: &mut Workspace<T>, inputs: [&[T]; 3], out: &mut [T]) {
        recursions::inverse_dynamics(model, &mut work.states, inputs, |_| (), out);
    }
}

#[derive(Clone, Copy)]
pub(crate) struct Gravity;

impl Quantity<1> for Gravity {
    #[inline(always)]
    fn compute<T: Scalar>(&self, model: &DynamicsModel, work: &mut Workspace<T>, [q]: [&[T]; 1], out: &mut [T]) {
        recursions::gravity(model, &mut work.states, q, out);
    }
}

#[derive(Clone, Copy)]
pub(crate) struct Coriolis;

impl Quantity<2> for Coriolis {
    #[inline(always)]
    fn compute<T: Scalar>(&self, model: &DynamicsModel, work: &mut Workspace<T>, [q, v]: [&[T]; 2], out: &mut [T]) {
        recursions::coriolis(model, work, q, v, out);
    }
}

#[derive(Clone, Copy)]
pub(crate) struct MassMatrix;

impl Quantity<1> for MassMatrix {
    #[inline(always)]
    fn compute<T: Scalar>(&self, model: &DynamicsModel, work: &mut Workspace<T>, [q]: [&[T]; 1], out: &mut [T]) {
        recursions::mass_matrix(model, work, q, out);
    }
}

/// Computes a quantity of one state.
pub(crate) fn of_one_state<Q: Quantity<INPUTS>, const INPUTS: usize>(
    quantity: Q,
    model: &DynamicsModel,
    work: &mut Workspace<f64>,
    inputs: [&[f64]; INPUTS],
    out: &mut [f64],
) {
    dispatch(OneState { quantity, model, work, inputs, out });
}

/// Runs with registers of four numbers where there are such: for one state, wider ones are half empty.
pub(crate) fn dispatch<T, W: WithSimd<Output = T>>(work: W) -> T {
    #[cfg(target_arch = "x86_64")]
    if let Some(simd) = pulp::x86::V3::try_new() {
        return Simd::vectorize(simd, work);
    }
    Arch::new().dispatch(work)
}

/// The work of one state, compiled for several widths of registers.
struct OneState<'a, Q, const INPUTS: usize> {
    quantity: Q,
    model: &'a DynamicsModel,
    work: &'a mut Workspace<f64>,
    inputs: [&'a [f64]; INPUTS],
    out: &'a mut [f64],
}

impl<Q: Quantity<INPUTS>, const INPUTS: usize> NullaryFnOnce for OneState<'_, Q, INPUTS> {
    type Output = ();

    #[inline(always)]
    fn call(self) {
        let Self { quantity, model, work, inputs, out } = self;
        quantity.compute(model, work, inputs, out);
    }
}
