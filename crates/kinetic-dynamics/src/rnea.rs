//! Inverse dynamics: the recursive Newton–Euler algorithm (Luh, Walker and Paul 1980; Featherstone 2008, section 5.3).

#![allow(clippy::inline_always, reason = "what is not inlined is compiled without the wide instructions")]

use crate::body::{Body, Inertia};
use crate::scalar::Scalar;
use crate::state::State;
use crate::turn::{Turn, down, up, with_turn};
use crate::vectors::{Vec3, add, apply, cross, dot, rows, scale, splat};

/// Outward pass: velocities and accelerations of the bodies, and the forces that these need. The root's state is given,
/// and every body is [placed](crate::state::place).
#[inline(always)]
pub(crate) fn outward<T: Scalar>(bodies: &[Body], v: &[T], a: &[T], states: &mut [State<T>]) {
    for (index, body) in bodies.iter().enumerate() {
        let multiplier = T::splat(body.multiplier);
        let (rate, acceleration) = (multiplier * v[body.variable], multiplier * a[body.variable]);
        let parent = states[body.parent];
        let state = &mut states[index + 1];
        with_turn!(body.turn, turn => move_with_parent(turn, &parent, state));
        move_at_joint(body.turns, rate, acceleration, state);
        state.spin = spin(&state.angular, &state.angular_acceleration);
        newton_euler(&body.inertia, state);
    }
}

/// Motion as if the joint did not move.
#[inline(always)]
fn move_with_parent<R: Turn, T: Scalar>(turn: R, parent: &State<T>, state: &mut State<T>) {
    let acceleration = add(&parent.acceleration, &apply(&parent.spin, &state.origin));
    state.angular = down(turn, &state.own, &parent.angular);
    state.angular_acceleration = down(turn, &state.own, &parent.angular_acceleration);
    state.acceleration = down(turn, &state.own, &acceleration);
}

/// What the joint adds about or along z.
#[inline(always)]
fn move_at_joint<T: Scalar>(turns: bool, rate: T, acceleration: T, state: &mut State<T>) {
    let [x, y, _] = state.angular;
    if turns {
        state.angular[2] = state.angular[2] + rate;
        let angular = &mut state.angular_acceleration;
        *angular = [angular[0] + y * rate, angular[1] - x * rate, angular[2] + acceleration];
    } else {
        // Coriolis acceleration of a sliding joint.
        let twice = rate + rate;
        let linear = &mut state.acceleration;
        *linear = [linear[0] + y * twice, linear[1] - x * twice, linear[2] + acceleration];
    }
}

/// `[α]× + ω ωᵀ − |ω|² 1`.
#[inline(always)]
pub(crate) fn spin<T: Scalar>([x, y, z]: &Vec3<T>, [ax, ay, az]: &Vec3<T>) -> [Vec3<T>; 3] {
    let (xx, yy, zz) = (*x * *x, *y * *y, *z * *z);
    let (xy, xz, yz) = (*x * *y, *x * *z, *y * *z);
    let zero = T::splat(0.0);
    [
        [zero - (yy + zz), xy - *az, xz + *ay],
        [xy + *az, zero - (xx + zz), yz - *ax],
        [xz - *ay, yz + *ax, zero - (xx + yy)],
    ]
}

/// Force, and torque about the origin, that a body needs for its motion.
#[inline(always)]
fn newton_euler<T: Scalar>(inertia: &Inertia, state: &mut State<T>) {
    let moment = splat(&inertia.moment);
    let turning = apply(&state.spin, &moment);
    state.force = add(&scale(&state.acceleration, T::splat(inertia.mass)), &turning);
    state.torque = add(&cross(&moment, &state.acceleration), &euler(&inertia.second, &state.spin));
}

/// ∫ x × (S x) dm for `S = [α]× + ω ωᵀ − |ω|² 1`, from the second moments ∫ x xᵀ dm: the same as I α + ω × I ω in fewer
/// operations.
#[inline(always)]
fn euler<T: Scalar>(second: &[f64; 6], [x, y, z]: &[Vec3<T>; 3]) -> Vec3<T> {
    let [jx, jy, jz] = rows(&splat(second));
    [dot(&jy, z) - dot(&jz, y), dot(&jz, x) - dot(&jx, z), dot(&jx, y) - dot(&jy, x)]
}

/// Inward pass: hands the forces on to the parents and adds to `out` what each variable has to bring up. The root's force
/// afterwards is that on the robot's base without the base's own.
#[inline(always)]
pub(crate) fn inward<T: Scalar>(bodies: &[Body], states: &mut [State<T>], out: &mut [T]) {
    for (index, body) in bodies.iter().enumerate().rev() {
        let state = states[index + 1];
        let along = if body.turns { state.torque[2] } else { state.force[2] };
        out[body.variable] = out[body.variable] + T::splat(body.multiplier) * along;
        if body.parent != 0 {
            let (force, torque) = with_turn!(body.turn, turn => wrench_up(turn, &state));
            let parent = &mut states[body.parent];
            parent.force = add(&parent.force, &force);
            parent.torque = add(&parent.torque, &torque);
        }
    }
}

/// Force and torque of a body in its parent.
#[inline(always)]
pub(crate) fn wrench_up<R: Turn, T: Scalar>(turn: R, state: &State<T>) -> (Vec3<T>, Vec3<T>) {
    let force = up(turn, &state.own, &state.force);
    let torque = up(turn, &state.own, &state.torque);
    (force, add(&torque, &cross(&state.origin, &force)))
}
