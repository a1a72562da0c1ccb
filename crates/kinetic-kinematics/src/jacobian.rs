//! The geometric Jacobian and measures of it.

use kinetic_core::Result;
use nalgebra::{DMatrix, Matrix6xX, Vector3};

use crate::chain::KinematicChain;
use crate::program::Motion;
use crate::rigid::Rigid;

/// Geometric Jacobian of the tool, 6 × dof, linear rows first, expressed in the base frame at the tool's origin.
///
/// Column `i` is the tool twist for unit velocity of joint `i` (rad/s or m/s), so `jacobian * qd` is the tool twist.
///
/// # Errors
/// [`kinetic_core::KineticError::DimensionMismatch`] or [`kinetic_core::KineticError::NotFinite`].
pub fn jacobian(chain: &KinematicChain, q: &[f64]) -> Result<Matrix6xX<f64>> {
    chain.check(q)?;
    let mut frames = vec![Rigid::identity(); chain.program().num_frames()];
    let tip = chain.tip_rigid(q, &mut frames);
    let mut out = Matrix6xX::zeros(chain.dof());
    fill(chain, &frames, &tip.translation, out.as_mut_slice());
    Ok(out)
}

/// Writes the Jacobian, column after column, from poses that [`KinematicChain::tip_rigid`] left in `frames`.
///
/// Frames that share a variable (mimic) add up. `out` must hold 6 · dof zeros or is overwritten.
#[inline]
pub fn fill(chain: &KinematicChain, frames: &[Rigid], tip: &Vector3<f64>, out: &mut [f64]) {
    out.fill(0.0);
    for (index, frame) in chain.program().frames().iter().enumerate() {
        let pose = &frames[index + 1];
        let z = pose.z_axis() * frame.multiplier;
        let column = &mut out[frame.variable * 6..frame.variable * 6 + 6];
        let (linear, angular) = match frame.motion {
            Motion::Rotation => (z.cross(&(tip - pose.translation)), z),
            Motion::Translation => (z, Vector3::zeros()),
        };
        for axis in 0..3 {
            column[axis] += linear[axis];
            column[axis + 3] += angular[axis];
        }
    }
}

/// Yoshikawa's manipulability `sqrt(det(J Jᵀ))` (1985); the product of the singular values for fewer than 6 joints.
///
/// # Errors
/// As [`jacobian`].
pub fn manipulability(chain: &KinematicChain, q: &[f64]) -> Result<f64> {
    let j = jacobian(chain, q)?;
    let gram: DMatrix<f64> = if chain.dof() < 6 {
        DMatrix::from_iterator(chain.dof(), chain.dof(), (j.transpose() * &j).iter().copied())
    } else {
        DMatrix::from_iterator(6, 6, (&j * j.transpose()).iter().copied())
    };
    // Rounding can leave a determinant of −1e-20 at a singularity.
    Ok(gram.determinant().max(0.0).sqrt())
}

/// Ratio of the largest to the smallest singular value of the Jacobian; infinite at a singularity.
///
/// # Errors
/// As [`jacobian`].
pub fn condition_number(chain: &KinematicChain, q: &[f64]) -> Result<f64> {
    let values = jacobian(chain, q)?.singular_values();
    let (low, high) = (values.min(), values.max());
    Ok(if low > f64::EPSILON * high { high / low } else { f64::INFINITY })
}
