//! The geometric Jacobian and measures of it.

use kinetic_core::Result;
use kinetic_core::error::{check_finite, check_len};
use nalgebra::{Matrix6xX, Vector3};

use crate::chain::KinematicChain;
use crate::program::Motion;
use crate::rigid::Rigid;
use kinetic_core::parallel::in_chunks;

/// Geometric Jacobian of the tool, 6 × dof, linear rows first, expressed in the base frame at the tool's origin.
///
/// Column `i` is the tool twist for unit velocity of joint `i` (rad/s or m/s), so `jacobian * qd` is the tool twist.
///
/// # Errors
/// [`kinetic_core::KineticError::DimensionMismatch`] or [`kinetic_core::KineticError::NotFinite`].
pub fn jacobian(chain: &KinematicChain, q: &[f64]) -> Result<Matrix6xX<f64>> {
    let mut out = Matrix6xX::zeros(chain.dof());
    jacobian_into(chain, q, &mut chain.frame_buffer(), out.as_mut_slice())?;
    Ok(out)
}

/// Pose of the tool, and its [`jacobian`], column after column, without allocation.
///
/// `frames` is [`KinematicChain::frame_buffer`], and `out` holds 6 · dof values, for example
/// `matrix.as_mut_slice()` of a `Matrix6xX` or of an `SMatrix<f64, 6, 7>`.
///
/// # Errors
/// As [`jacobian`], and [`kinetic_core::KineticError::DimensionMismatch`] for a buffer of another size.
#[inline]
pub fn jacobian_into(chain: &KinematicChain, q: &[f64], frames: &mut [Rigid], out: &mut [f64]) -> Result<Rigid> {
    chain.check(q)?;
    check_len("buffer of frames", frames.len(), chain.program().num_frames())?;
    check_len("Jacobian, 6 values per joint", out.len(), 6 * chain.dof())?;
    Ok(place_and_fill(chain, q, frames, out))
}

/// As [`jacobian_into`], for what was checked.
#[inline]
pub(crate) fn place_and_fill(chain: &KinematicChain, q: &[f64], frames: &mut [Rigid], out: &mut [f64]) -> Rigid {
    let tip = chain.tip_rigid(q, frames);
    fill(chain, frames, &tip.translation, out);
    tip
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

/// Configurations that a thread takes at once: fewer are done before it has started.
const JACOBIANS_PER_THREAD: usize = 2048;

/// [`jacobian()`] of many configurations, one after another in `configs`, on all processors; `out` holds 6 · dof values
/// per configuration, row after row. The same bits as single calls.
///
/// # Errors
/// [`kinetic_core::KineticError::DimensionMismatch`] or [`kinetic_core::KineticError::NotFinite`].
pub fn jacobian_batch(chain: &KinematicChain, configs: &[f64], out: &mut [f64]) -> Result<()> {
    let width = 6 * chain.dof();
    check_len("Jacobians of a batch, 6 values per joint", out.len(), 6 * configs.len())?;
    check_finite("configurations of a batch", configs)?;
    if width == 0 {
        return Ok(());
    }
    check_len("Jacobians of a batch", out.len(), out.len() / width * width)?;
    in_chunks(out, width, JACOBIANS_PER_THREAD, |first, share| {
        let (mut frames, mut columns) = (chain.frame_buffer(), vec![0.0; width]);
        let rows = configs[first * chain.dof()..].chunks_exact(chain.dof());
        for (q, out) in rows.zip(share.chunks_exact_mut(width)) {
            place_and_fill(chain, q, &mut frames, &mut columns);
            write_rows(&columns, out);
        }
    });
    Ok(())
}

/// Writes columns of six values row after row.
pub(crate) fn write_rows(columns: &[f64], out: &mut [f64]) {
    let count = columns.len() / 6;
    for (index, column) in columns.chunks_exact(6).enumerate() {
        for (row, value) in column.iter().enumerate() {
            out[row * count + index] = *value;
        }
    }
}

/// Yoshikawa's manipulability `sqrt(det(J Jᵀ))` (1985); the product of the singular values for fewer than 6 joints.
///
/// # Errors
/// As [`jacobian`].
pub fn manipulability(chain: &KinematicChain, q: &[f64]) -> Result<f64> {
    chain.check(q)?;
    let n = chain.dof();
    let mut frames = chain.frame_buffer();
    let mut columns = vec![0.0; 6 * n];
    place_and_fill(chain, q, &mut frames, &mut columns);
    if n < 6 {
        return Ok(volume(&mut columns, n, 6));
    }
    let mut rows = vec![0.0; 6 * n];
    for (variable, column) in columns.chunks_exact(6).enumerate() {
        for (row, value) in column.iter().enumerate() {
            rows[row * n + variable] = *value;
        }
    }
    Ok(volume(&mut rows, 6, n))
}

/// Volume spanned by `count` vectors of length `length`, one after another, by modified Gram–Schmidt (Björck 1967):
/// unlike the determinant of their products it squares no error.
fn volume(vectors: &mut [f64], count: usize, length: usize) -> f64 {
    let mut volume = 1.0;
    for index in 0..count {
        let (done, rest) = vectors.split_at_mut((index + 1) * length);
        let this = &done[index * length..];
        let square = dot(this, this);
        if square == 0.0 {
            return 0.0;
        }
        volume *= square.sqrt();
        for other in rest.chunks_exact_mut(length) {
            let along = dot(this, other) / square;
            for (value, part) in other.iter_mut().zip(this) {
                *value -= along * part;
            }
        }
    }
    volume
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
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
