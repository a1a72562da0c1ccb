//! The condition number of a Jacobian on the stack.

use kinetic_kinematics::{KinematicChain, Rigid, jacobian};
use nalgebra::{Matrix6, Vector6};

use super::gram::Column;

/// Squaring the Jacobian loses half of the digits; beyond this the singular values themselves are computed.
const LARGEST_SQUARED_CONDITION: f64 = 1e5;

/// As [`kinetic_kinematics::condition_number`], from the frames that forward kinematics of `q` left.
pub(super) fn condition_number(chain: &KinematicChain, frames: &[Rigid], q: &[f64]) -> f64 {
    let mut columns: Vec<Column> = vec![[0.0; 6]; chain.dof()];
    let (carrier, frame_from_tcp) = chain.tip();
    let tip = frames[carrier].point(&frame_from_tcp.translation);
    jacobian::fill(chain, frames, &tip, columns.as_flattened_mut());
    let mut gram = Matrix6::zeros();
    for column in &columns {
        let column = Vector6::from(*column);
        gram.ger(1.0, &column, &column, 1.0);
    }
    let mut squares: [f64; 6] = gram.symmetric_eigenvalues().into();
    squares.sort_by(|a, b| b.total_cmp(a));
    let smallest = squares[chain.dof().clamp(1, 6) - 1];
    if smallest * LARGEST_SQUARED_CONDITION * LARGEST_SQUARED_CONDITION > squares[0] {
        return (squares[0] / smallest).sqrt();
    }
    jacobian::condition_number(chain, q).unwrap_or(f64::INFINITY)
}
