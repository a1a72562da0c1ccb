//! Newton's method for rows of arms with fewer than six joints, whose axes are off by rounding.

use nalgebra::{SMatrix, SVector};

use crate::analytic::cos_sin::CosSin;
use crate::analytic::dh_chain::{DAMPING_PER_SQUARED_ERROR, LARGEST_NEWTON_STEP_RAD, LEAST_NEWTON_DAMPING};

/// Residual above which a row has lost digits that Newton's method can bring back, and up to which it can.
const CONVERGED_ROW_ERROR: f64 = 1e-13;
const RECOVERABLE_ROW_ERROR: f64 = 1e-2;
/// Steps for a row.
const ROW_NEWTON_STEPS: usize = 25;
/// A row that was moved farther than this, rad, came from a double root of the arm nearby: two roots lie beside it.
const DOUBLE_ROOT_ANGLE_RAD: f64 = 1e-5;

/// The residual, with its derivatives.
pub(super) type Linear<const N: usize> = (SVector<f64, N>, SMatrix<f64, N, N>);

/// The row that Newton's method reaches with the joints in `held` where they are.
pub(super) fn polished_holding<const N: usize>(
    row: [CosSin; N],
    held: [bool; N],
    linear: impl Fn(&[CosSin; N]) -> Linear<N>,
) -> [CosSin; N] {
    descended(row, &|row: &[CosSin; N]| {
        let (error, mut jacobian) = linear(row);
        for (joint, _) in held.iter().enumerate().filter(|(_, is_held)| **is_held) {
            for equation in 0..N {
                jacobian[(equation, joint)] = 0.0;
            }
        }
        (error, jacobian)
    })
}

/// The rows that Newton's method reaches from `row` and, where that is far away, from the other side of it.
pub(super) fn polished<const N: usize>(
    row: [CosSin; N],
    linear: impl Fn(&[CosSin; N]) -> Linear<N>,
) -> impl Iterator<Item = [CosSin; N]> {
    let one = descended(row, &linear);
    let apart = one.iter().zip(&row).map(|(a, b)| (a.cos - b.cos).abs() + (a.sin - b.sin).abs()).fold(0.0, f64::max);
    let other = (apart > DOUBLE_ROOT_ANGLE_RAD).then(|| {
        descended(std::array::from_fn(|joint| row[joint].then(row[joint].then(one[joint].inverse()))), &linear)
    });
    std::iter::once(one).chain(other)
}

fn descended<const N: usize>(start: [CosSin; N], linear: &impl Fn(&[CosSin; N]) -> Linear<N>) -> [CosSin; N] {
    let (mut row, mut best) = (start, start);
    let (mut error, mut jacobian) = linear(&row);
    let mut least = error.norm();
    for _ in 0..ROW_NEWTON_STEPS {
        if !(CONVERGED_ROW_ERROR..RECOVERABLE_ROW_ERROR).contains(&least) {
            break;
        }
        let damping = (error.norm_squared() * DAMPING_PER_SQUARED_ERROR).max(LEAST_NEWTON_DAMPING);
        let normal = jacobian.tr_mul(&jacobian) + SMatrix::<f64, N, N>::identity() * damping;
        let Some(factor) = normal.cholesky() else { break };
        let step = factor.solve(&jacobian.tr_mul(&error));
        let scale = (LARGEST_NEWTON_STEP_RAD / step.amax()).min(1.0);
        row = std::array::from_fn(|joint| row[joint].then(CosSin::from_angle(-step[joint] * scale)));
        (error, jacobian) = linear(&row);
        if error.norm() < least {
            (best, least) = (row, error.norm());
        }
    }
    best
}
