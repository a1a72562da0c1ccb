//! Forward dynamics without a mass matrix: the articulated-body algorithm (Featherstone 1983; 2008, section 7.3).
//!
//! Velocities, gravity and external forces enter through the bias efforts that inverse dynamics finds. What is left is
//! `M q̈ = τ` for bodies at rest, so that articulated inertias have no bias forces and one factorisation serves several
//! right-hand sides.

#![allow(clippy::inline_always, reason = "what is not inlined is compiled without the wide instructions")]

use crate::body::Body;
use crate::resistance::Resistance;
use crate::scalar::Scalar;
use crate::state::State;
use crate::turn::{Turn, down, up, with_turn};
use crate::vectors::{Sym3, Vec3, accumulate, add, cross, dot, rows, scale, splat, sub, zeros};

/// Articulated inertia of a body in its own coordinates, and what the joint makes of it.
///
/// `torque = rotational α + coupling a` and `force = couplingᵀ α + linear a` accelerate the body, with all joints behind it
/// free.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Articulated<T> {
    rotational: Sym3<T>,
    coupling: [Vec3<T>; 3],
    linear: Sym3<T>,
    /// Torque and force for a unit acceleration of the joint.
    unit_torque: Vec3<T>,
    unit_force: Vec3<T>,
    /// One over the inertia that the joint feels.
    inverse: T,
    /// Right-hand side less what reaches the joint from behind.
    rest: T,
    /// Torque and force from behind, of the solution.
    torque: Vec3<T>,
    force: Vec3<T>,
}

impl<T: Scalar> Articulated<T> {
    pub(crate) fn zero() -> Self {
        let zero = T::splat(0.0);
        Self {
            rotational: zeros(),
            coupling: [zeros(), zeros(), zeros()],
            linear: zeros(),
            unit_torque: zeros(),
            unit_force: zeros(),
            inverse: zero,
            rest: zero,
            torque: zeros(),
            force: zeros(),
        }
    }

    #[inline(always)]
    fn start(&mut self, body: &Body) {
        let (zero, mass) = (T::splat(0.0), T::splat(body.inertia.mass));
        let [x, y, z]: Vec3<T> = splat(&body.inertia.moment);
        self.rotational = splat(&body.inertia.about_origin);
        // [h]×
        self.coupling = [[zero, zero - z, y], [z, zero, zero - x], [zero - y, x, zero]];
        self.linear = [mass, zero, zero, mass, zero, mass];
    }

    /// Sets the response to the joint; returns the inertia that it feels, and a size that rounding is measured by.
    #[inline(always)]
    fn meet_joint(&mut self, turns: bool, armature: f64) -> (T, T) {
        let (own, trace) = if turns {
            let [xx, _, xz, yy, yz, zz] = self.rotational;
            (self.unit_torque, self.unit_force) = ([xz, yz, zz], self.coupling[2]);
            (zz, xx + yy + zz)
        } else {
            let ([x, y, z], [xx, _, xz, yy, yz, zz]) = (self.coupling, self.linear);
            (self.unit_torque, self.unit_force) = ([x[2], y[2], z[2]], [xz, yz, zz]);
            (zz, xx + yy + zz)
        };
        let felt = own + T::splat(armature);
        self.inverse = T::splat(1.0) / felt;
        (felt, trace)
    }

    /// Takes from the inertia what the free joint does not pass on.
    #[inline(always)]
    fn free_joint(&self) -> (Sym3<T>, [Vec3<T>; 3], Sym3<T>) {
        let (n, f) = (&self.unit_torque, &self.unit_force);
        let (scaled_n, scaled_f) = (scale(n, self.inverse), scale(f, self.inverse));
        let mut coupling = self.coupling;
        for row in 0..3 {
            coupling[row] = sub(&coupling[row], &scale(f, scaled_n[row]));
        }
        (less_square(&self.rotational, n, &scaled_n), coupling, less_square(&self.linear, f, &scaled_f))
    }
}

/// `A − u wᵀ` for parallel vectors.
#[inline(always)]
fn less_square<T: Scalar>(a: &Sym3<T>, u: &Vec3<T>, w: &Vec3<T>) -> Sym3<T> {
    [
        a[0] - u[0] * w[0],
        a[1] - u[0] * w[1],
        a[2] - u[0] * w[2],
        a[3] - u[1] * w[1],
        a[4] - u[1] * w[2],
        a[5] - u[2] * w[2],
    ]
}

/// Finds the articulated inertias; every body is [placed](crate::state::place). Returns a body whose joint moves nothing,
/// the last in tree order.
#[inline(always)]
pub(crate) fn factorize<T: Scalar>(
    bodies: &[Body],
    resistances: &[Resistance],
    states: &[State<T>],
    inertias: &mut [Articulated<T>],
    is_positive: impl Fn(T, T) -> bool,
) -> Option<usize> {
    let mut still = None;
    for (body, inertia) in bodies.iter().zip(inertias.iter_mut()) {
        inertia.start(body);
    }
    for (index, body) in bodies.iter().enumerate().rev() {
        let (felt, size) = inertias[index].meet_joint(body.turns, resistances[body.variable].armature);
        if still.is_none() && !is_positive(felt, size) {
            still = Some(index);
        }
        if body.parent != 0 {
            let free = inertias[index].free_joint();
            let (rotational, coupling, linear) = with_turn!(body.turn, turn => lifted(turn, &states[index + 1], &free));
            let parent = &mut inertias[body.parent - 1];
            accumulate(&mut parent.rotational, &rotational);
            accumulate(&mut parent.linear, &linear);
            for row in 0..3 {
                accumulate(&mut parent.coupling[row], &coupling[row]);
            }
        }
    }
    still
}

/// An inertia in the axes and about the origin of the parent.
#[inline(always)]
fn lifted<R: Turn, T: Scalar>(
    turn: R,
    state: &State<T>,
    (rotational, coupling, linear): &(Sym3<T>, [Vec3<T>; 3], Sym3<T>),
) -> (Sym3<T>, [Vec3<T>; 3], Sym3<T>) {
    let rotational = turn.up_symmetric(&state.own.up_symmetric(rotational));
    let linear = turn.up_symmetric(&state.own.up_symmetric(linear));
    let coupling = turn.up_matrix(&state.own.up_matrix(coupling));
    // With R = [r]×: coupling + R linear, and rotational + R Gᵀ + (R Gᵀ)ᵀ for G = coupling + ½ R linear.
    let moved = crossed(&state.origin, &rows(&linear));
    let half = T::splat(0.5);
    let [a, b, c] = [
        add(&coupling[0], &scale(&moved[0], half)),
        add(&coupling[1], &scale(&moved[1], half)),
        add(&coupling[2], &scale(&moved[2], half)),
    ];
    let [x, y, z] = crossed(&state.origin, &[[a[0], b[0], c[0]], [a[1], b[1], c[1]], [a[2], b[2], c[2]]]);
    let shift = [x[0] + x[0], x[1] + y[0], x[2] + z[0], y[1] + y[1], y[2] + z[1], z[2] + z[2]];
    let mut sum = rotational;
    accumulate(&mut sum, &shift);
    (sum, [add(&coupling[0], &moved[0]), add(&coupling[1], &moved[1]), add(&coupling[2], &moved[2])], linear)
}

/// `[r]× A` of a matrix by its rows.
#[inline(always)]
fn crossed<T: Scalar>([x, y, z]: &Vec3<T>, [a, b, c]: &[Vec3<T>; 3]) -> [Vec3<T>; 3] {
    [sub(&scale(c, *y), &scale(b, *z)), sub(&scale(a, *z), &scale(c, *x)), sub(&scale(b, *x), &scale(a, *y))]
}

/// Writes the solution of `M x = b` to `out`, after [`factorize`]. Needs one body per variable. The states lose their
/// accelerations.
#[inline(always)]
pub(crate) fn solve<T: Scalar>(
    bodies: &[Body],
    states: &mut [State<T>],
    inertias: &mut [Articulated<T>],
    b: &[T],
    out: &mut [T],
) {
    for (body, inertia) in bodies.iter().zip(inertias.iter_mut()) {
        // A multiplier of ±1 is its own inverse.
        inertia.rest = T::splat(body.multiplier) * b[body.variable];
        (inertia.torque, inertia.force) = (zeros(), zeros());
    }
    for (index, body) in bodies.iter().enumerate().rev() {
        let inertia = &mut inertias[index];
        inertia.rest = inertia.rest - if body.turns { inertia.torque[2] } else { inertia.force[2] };
        if body.parent != 0 {
            let share = inertia.rest * inertia.inverse;
            let torque = add(&inertia.torque, &scale(&inertia.unit_torque, share));
            let force = add(&inertia.force, &scale(&inertia.unit_force, share));
            let state = &states[index + 1];
            let (torque, force) = with_turn!(body.turn, turn => {
                let force = up(turn, &state.own, &force);
                (add(&up(turn, &state.own, &torque), &cross(&state.origin, &force)), force)
            });
            let parent = &mut inertias[body.parent - 1];
            accumulate(&mut parent.torque, &torque);
            accumulate(&mut parent.force, &force);
        }
    }
    states[0].angular_acceleration = zeros();
    states[0].acceleration = zeros();
    for (index, body) in bodies.iter().enumerate() {
        let State { acceleration, angular_acceleration, .. } = states[body.parent];
        let (state, inertia) = (&mut states[index + 1], &inertias[index]);
        let linear = add(&acceleration, &cross(&angular_acceleration, &state.origin));
        let (mut angular, mut linear) = with_turn!(body.turn, turn => (
            down(turn, &state.own, &angular_acceleration),
            down(turn, &state.own, &linear),
        ));
        let met = dot(&inertia.unit_torque, &angular) + dot(&inertia.unit_force, &linear);
        let own = (inertia.rest - met) * inertia.inverse;
        out[body.variable] = T::splat(body.multiplier) * own;
        let moved = if body.turns { &mut angular } else { &mut linear };
        moved[2] = moved[2] + own;
        (state.angular_acceleration, state.acceleration) = (angular, linear);
    }
}
