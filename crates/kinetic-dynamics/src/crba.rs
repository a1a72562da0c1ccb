//! Mass matrix: the composite rigid body algorithm (Walker and Orin 1982; Featherstone 2008, section 6.2).

#![allow(clippy::inline_always, reason = "what is not inlined is compiled without the wide instructions")]

use crate::body::Body;
use crate::scalar::Scalar;
use crate::state::State;
use crate::turn::{Turn, up, with_turn};
use crate::vectors::{Sym3, Vec3, accumulate, add, cross, scale, splat, zeros};

/// Inertia of a body and all that it carries, in the body's coordinates.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Composite<T> {
    pub(crate) mass: T,
    pub(crate) moment: Vec3<T>,
    pub(crate) inertia: Sym3<T>,
}

impl<T: Scalar> Composite<T> {
    pub(crate) fn zero() -> Self {
        Self { mass: T::splat(0.0), moment: zeros(), inertia: zeros() }
    }

    #[inline(always)]
    pub(crate) fn of(body: &Body) -> Self {
        let inertia = &body.inertia;
        Self { mass: T::splat(inertia.mass), moment: splat(&inertia.moment), inertia: splat(&inertia.about_origin) }
    }

    /// The same inertia in the parent of a body.
    #[inline(always)]
    pub(crate) fn up<R: Turn>(&self, turn: R, state: &State<T>) -> Self {
        let inertia = turn.up_symmetric(&state.own.up_symmetric(&self.inertia));
        let moment = up(turn, &state.own, &self.moment);
        shifted(self.mass, &moment, &inertia, &state.origin)
    }

    #[inline(always)]
    pub(crate) fn add(&mut self, other: &Self) {
        self.mass = self.mass + other.mass;
        accumulate(&mut self.moment, &other.moment);
        accumulate(&mut self.inertia, &other.inertia);
    }
}

/// The parallel axis theorem: an inertia about a point that lies `r` from the new one.
#[inline(always)]
fn shifted<T: Scalar>(mass: T, moment: &Vec3<T>, inertia: &Sym3<T>, r: &Vec3<T>) -> Composite<T> {
    let shift = scale(r, mass);
    // h + ½ m r twice: 2 (h · r) + m r² and h rᵀ + r hᵀ + m r rᵀ.
    let [kx, ky, kz] = add(moment, &scale(&shift, T::splat(0.5)));
    let [x, y, z] = *r;
    let (xx, yy, zz) = (kx * x, ky * y, kz * z);
    let two = T::splat(2.0);
    let inertia = [
        inertia[0] + two * (yy + zz),
        inertia[1] - (kx * y + ky * x),
        inertia[2] - (kx * z + kz * x),
        inertia[3] + two * (xx + zz),
        inertia[4] - (ky * z + kz * y),
        inertia[5] + two * (xx + yy),
    ];
    Composite { mass, moment: add(moment, &shift), inertia }
}

/// Adds the mass matrix, `n × n`, to `out`; every body is [placed](crate::state::place).
#[inline(always)]
pub(crate) fn mass_matrix<T: Scalar>(
    bodies: &[Body],
    states: &[State<T>],
    composites: &mut [Composite<T>],
    n: usize,
    out: &mut [T],
) {
    for (body, composite) in bodies.iter().zip(composites.iter_mut()) {
        *composite = Composite::of(body);
    }
    for (index, body) in bodies.iter().enumerate().rev() {
        let composite = composites[index];
        if body.parent != 0 {
            let carried = with_turn!(body.turn, turn => composite.up(turn, &states[index + 1]));
            composites[body.parent - 1].add(&carried);
        }
        write_body(bodies, states, index, &composite, n, out);
    }
}

/// Entries of the mass matrix between a body's joint and those that it hangs on.
#[inline(always)]
fn write_body<T: Scalar>(
    bodies: &[Body],
    states: &[State<T>],
    index: usize,
    composite: &Composite<T>,
    n: usize,
    out: &mut [T],
) {
    let body = &bodies[index];
    let (own, multiplier) = (body.variable, T::splat(body.multiplier));
    let (mut force, mut torque) = unit_wrench(body.turns, composite);
    let diagonal = if body.turns { torque[2] } else { force[2] };
    out[own * n + own] = out[own * n + own] + multiplier * multiplier * diagonal;
    let mut current = index;
    while bodies[current].parent != 0 {
        let state = &states[current + 1];
        (force, torque) = with_turn!(bodies[current].turn, turn => {
            let lifted = up(turn, &state.own, &force);
            (lifted, add(&up(turn, &state.own, &torque), &cross(&state.origin, &lifted)))
        });
        current = bodies[current].parent - 1;
        let ancestor = &bodies[current];
        let along = if ancestor.turns { torque[2] } else { force[2] };
        let value = multiplier * T::splat(ancestor.multiplier) * along;
        let other = ancestor.variable;
        out[own * n + other] = out[own * n + other] + value;
        out[other * n + own] = out[other * n + own] + value;
    }
}

/// Force and torque about the origin that accelerate a joint by one.
#[inline(always)]
pub(crate) fn unit_wrench<T: Scalar>(turns: bool, composite: &Composite<T>) -> (Vec3<T>, Vec3<T>) {
    let ([x, y, _], zero) = (composite.moment, T::splat(0.0));
    if turns {
        let [_, _, xz, _, yz, zz] = composite.inertia;
        ([zero - y, x, zero], [xz, yz, zz])
    } else {
        ([zero, zero, composite.mass], [y, zero - x, zero])
    }
}
