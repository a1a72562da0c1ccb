//! Wrenches of the columns of the mass matrix, in SIMD lanes.

#![allow(clippy::inline_always, reason = "what is not inlined is compiled without the wide instructions")]

use pulp::Simd;

use crate::body::Body;
use crate::state::State;
use crate::turn::{AboutZ, ConstantTurn};
use crate::vectors::{Vec3, add, cross, dot};
use crate::wide::Wide;

/// Columns are padded to the lanes of the widest registers.
const PADDING: usize = 8;

/// Wrenches that accelerate joints by one, by component, about the origin of the body whose turn it is.
#[derive(Debug, Clone)]
pub(crate) struct Wrenches {
    pub(crate) force: [Vec<f64>; 3],
    pub(crate) torque: [Vec<f64>; 3],
    /// 0, 1, 2 and so on.
    positions: Vec<f64>,
}

impl Wrenches {
    /// Memory for as many columns.
    pub(crate) fn for_columns(count: usize) -> Self {
        let padded = count.next_multiple_of(PADDING);
        let zeros = || std::array::from_fn(|_| vec![0.0; padded]);
        Self { force: zeros(), torque: zeros(), positions: (0..padded).map(|position| position as f64).collect() }
    }
}

/// Lifts the wrenches of columns into a body's parent; that of the body's own column begins here.
#[inline(always)]
pub(crate) fn lift<S: Simd>(
    simd: S,
    wrenches: &mut Wrenches,
    own: &(Vec3<f64>, Vec3<f64>),
    (body, state): (&Body, &State<f64>),
    [position, begin]: [usize; 2],
) {
    // Columns behind the own one begin later: registers may hold them. Those of other branches, before the first that the body
    // carries, wait for their turn.
    let (first, last) = (begin.div_ceil(S::F64_LANES), position / S::F64_LANES + 1);
    let rest = (position + 1).min(first * S::F64_LANES);
    lift_registers(pulp::Scalar, wrenches, own, (body, state), [position, begin, rest]);
    lift_registers(simd, wrenches, own, (body, state), [position, first, last]);
}

#[inline(always)]
fn lift_registers<S: Simd>(
    simd: S,
    wrenches: &mut Wrenches,
    own: &(Vec3<f64>, Vec3<f64>),
    (body, state): (&Body, &State<f64>),
    [position, first, last]: [usize; 3],
) {
    let turn = AboutZ { cos: Wide::splat(simd, state.own.cos), sin: Wide::splat(simd, state.own.sin) };
    let origin = splat(simd, &state.origin);
    let (own_force, own_torque) = (splat(simd, &own.0), splat(simd, &own.1));
    let position = simd.splat_f64s(position as f64);
    let Wrenches { force: [fx, fy, fz], torque: [tx, ty, tz], positions } = wrenches;
    let positions = &S::as_simd_f64s(positions).0[..last];
    let force = [registers::<S>(fx, last), registers::<S>(fy, last), registers::<S>(fz, last)];
    let torque = [registers::<S>(tx, last), registers::<S>(ty, last), registers::<S>(tz, last)];
    for index in first..last {
        let begins = simd.equal_f64s(positions[index], position);
        let f = [
            Wide { simd, values: simd.select_f64s(begins, own_force[0].values, force[0][index]) },
            Wide { simd, values: simd.select_f64s(begins, own_force[1].values, force[1][index]) },
            Wide { simd, values: simd.select_f64s(begins, own_force[2].values, force[2][index]) },
        ];
        let t = [
            Wide { simd, values: simd.select_f64s(begins, own_torque[0].values, torque[0][index]) },
            Wide { simd, values: simd.select_f64s(begins, own_torque[1].values, torque[1][index]) },
            Wide { simd, values: simd.select_f64s(begins, own_torque[2].values, torque[2][index]) },
        ];
        let f = up(simd, &body.turn, &turn, &f);
        let t = add(&up(simd, &body.turn, &turn, &t), &cross(&origin, &f));
        for axis in 0..3 {
            force[axis][index] = f[axis].values;
            torque[axis][index] = t[axis].values;
        }
    }
}

#[inline(always)]
fn registers<S: Simd>(values: &mut [f64], count: usize) -> &mut [S::f64s] {
    &mut S::as_mut_simd_f64s(values).0[..count]
}

/// Parent's coordinates of a vector of the body.
#[inline(always)]
fn up<S: Simd>(simd: S, turn: &ConstantTurn, own: &AboutZ<Wide<S>>, v: &Vec3<Wide<S>>) -> Vec3<Wide<S>> {
    let v = own.up(v);
    match turn {
        ConstantTurn::Parallel => v,
        ConstantTurn::Perpendicular => [v[2], v[0], v[1]],
        ConstantTurn::Twisted([cos, sin]) => {
            let (cos, sin) = (Wide::splat(simd, *cos), Wide::splat(simd, *sin));
            [v[0], cos * v[1] - sin * v[2], sin * v[1] + cos * v[2]]
        }
        ConstantTurn::General([x, y, z]) => {
            [dot(&splat(simd, x), &v), dot(&splat(simd, y), &v), dot(&splat(simd, z), &v)]
        }
    }
}

#[inline(always)]
fn splat<S: Simd>(simd: S, [x, y, z]: &Vec3<f64>) -> Vec3<Wide<S>> {
    [Wide::splat(simd, *x), Wide::splat(simd, *y), Wide::splat(simd, *z)]
}
