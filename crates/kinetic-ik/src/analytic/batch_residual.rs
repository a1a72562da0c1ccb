//! SIMD batches of branches: pose residuals and joint angles.
//!
//! The operations of [`DhChain::residual`] and [`CosSin::angle`] in the same order, compiled for several widths of
//! registers. An angle has the same bits in every lane and batch.

#![allow(clippy::inline_always, reason = "what is not inlined is compiled without the wide instructions")]

use kinetic_kinematics::Rigid;
use kinetic_kinematics::kernel::{Transform, combined, difference, moved, sum};
use kinetic_kinematics::simd::{Lanes, Number};
use pulp::{Arch, NullaryFnOnce};

use super::cos_sin::{CosSin, angles};
use super::dh_chain::{DhChain, Link};

/// Residuals and angles of `W` rows.
pub(super) struct RowResiduals<const N: usize, const W: usize> {
    /// As [`DhChain::residual`].
    pub(super) residuals: [f64; W],
    /// Joint by joint, rad.
    pub(super) angles: [[f64; W]; N],
}

/// Residuals and angles of one to `W` rows; unused lanes repeat the last row.
#[inline]
pub(super) fn row_residuals<const N: usize, const W: usize>(
    dh_chain: &DhChain<N>,
    base_from_last: &Rigid,
    rows: &[[CosSin; N]],
) -> RowResiduals<N, W> {
    Arch::new().dispatch(RowKernel { dh_chain, base_from_last, rows })
}

struct RowKernel<'a, const N: usize, const W: usize> {
    dh_chain: &'a DhChain<N>,
    base_from_last: &'a Rigid,
    rows: &'a [[CosSin; N]],
}

impl<const N: usize, const W: usize> NullaryFnOnce for RowKernel<'_, N, W> {
    type Output = RowResiduals<N, W>;

    #[inline(always)]
    fn call(self) -> RowResiduals<N, W> {
        let Self { dh_chain, base_from_last, rows } = self;
        let mut out = RowResiduals { residuals: [0.0; W], angles: [[0.0; W]; N] };
        let mut at = Transform::constant(&dh_chain.base);
        for joint in 0..N {
            let (mut cos, mut sin) = ([0.0; W], [0.0; W]);
            for lane in 0..W {
                let turn = rows[lane.min(rows.len() - 1)][joint];
                (cos[lane], sin[lane]) = (turn.cos, turn.sin);
            }
            out.angles[joint] = angles(cos, sin);
            at = match dh_chain.links.get(joint).filter(|_| joint + 1 < N) {
                Some(link) => linked(&at, Lanes(cos), Lanes(sin), link),
                None => turned(&at, Lanes(cos), Lanes(sin)),
            };
        }
        out.residuals = residual(&at, base_from_last, &dh_chain.end);
        out
    }
}

/// As `Link::apply`.
#[inline(always)]
fn linked<const W: usize>(at: &Transform<Lanes<W>>, cos: Lanes<W>, sin: Lanes<W>, link: &Link) -> Transform<Lanes<W>> {
    match link {
        Link::General(link) => {
            let Transform { columns, origin } = turned(at, cos, sin);
            let shift = combined(&columns, &link.translation.data.0[0]);
            let origin = [shift[0] + origin[0], shift[1] + origin[1], shift[2] + origin[2]];
            // No closure: it would be compiled without the wide instructions.
            let [x, y, z] = &link.rotation.data.0;
            Transform { columns: [combined(&columns, x), combined(&columns, y), combined(&columns, z)], origin }
        }
        Link::Normal { theta, d, a, alpha } => {
            let (before, aside) = (Lanes::splat(theta.cos), Lanes::splat(theta.sin));
            let Transform { columns: [along, across, z], origin } =
                turned(at, cos * before - sin * aside, sin * before + cos * aside);
            let origin = moved(&moved(&origin, &z, Lanes::splat(*d)), &along, Lanes::splat(*a));
            let (c, s) = (Lanes::splat(alpha.cos), Lanes::splat(alpha.sin));
            Transform { columns: [along, sum(&across, c, &z, s), difference(&z, c, &across, s)], origin }
        }
    }
}

/// The frame after a rotation about its z axis.
#[inline(always)]
fn turned<const W: usize>(at: &Transform<Lanes<W>>, cos: Lanes<W>, sin: Lanes<W>) -> Transform<Lanes<W>> {
    let [x, y, z] = &at.columns;
    Transform { columns: [sum(x, cos, y, sin), difference(y, cos, x, sin), *z], origin: at.origin }
}

/// Frobenius norm of reached minus wanted pose at `end`.
#[inline(always)]
fn residual<const W: usize>(reached: &Transform<Lanes<W>>, base_from_last: &Rigid, end: &Rigid) -> [f64; W] {
    let wanted = Transform::<Lanes<W>>::constant(base_from_last);
    let mut turned = reached.columns;
    let mut square = Lanes::splat(0.0);
    for (column, wanted) in turned.iter_mut().zip(&wanted.columns) {
        for (value, wanted) in column.iter_mut().zip(wanted) {
            *value = *value - *wanted;
            square = square + *value * *value;
        }
    }
    let shift = combined(&turned, &end.translation.data.0[0]);
    for axis in 0..3 {
        let off = reached.origin[axis] - wanted.origin[axis] + shift[axis];
        square = square + off * off;
    }
    square.sqrt().0
}

#[cfg(test)]
mod tests {
    use kinetic_core::rng::SeededRng;
    use kinetic_kinematics::Motion;
    use nalgebra::{Matrix3, Vector3};

    use super::*;
    use crate::analytic::dh_chain::FrameCache;
    use crate::analytic::poe::Screw;

    /// Sums of squares of a dozen numbers up to 4, in another order.
    const RESIDUAL_ROUNDING: f64 = 1e-14;

    fn vector(rng: &mut SeededRng) -> Vector3<f64> {
        Vector3::from_fn(|_, _| rng.uniform(-1.0, 1.0))
    }

    /// Axes that cross, axes that are parallel, and axes that nearly are: every kind of link.
    fn screws(rng: &mut SeededRng) -> [Screw; 6] {
        let mut axis = vector(rng).normalize();
        std::array::from_fn(|variable| {
            axis = match variable % 3 {
                0 => vector(rng).normalize(),
                1 => axis,
                _ => (axis + vector(rng) * 1e-4).normalize(),
            };
            Screw { motion: Motion::Rotation, axis, point: vector(rng), variable }
        })
    }

    fn compare<const W: usize>(dh_chain: &DhChain<6>, base_from_last: &Rigid, rows: &[[CosSin; 6]], seed: u64) {
        let batch = row_residuals::<6, W>(dh_chain, base_from_last, rows);
        for (lane, row) in rows.iter().enumerate() {
            let single = dh_chain.residual(row, base_from_last, &mut FrameCache::new());
            assert!(
                (batch.residuals[lane] - single).abs() <= RESIDUAL_ROUNDING,
                "seed {seed}, row {lane} of {}",
                rows.len()
            );
            for (joint, turn) in row.iter().enumerate() {
                assert_eq!(batch.angles[joint][lane].to_bits(), turn.angle().to_bits(), "seed {seed}, row {lane}");
            }
        }
    }

    #[test]
    fn rows_of_a_batch_have_the_residuals_and_angles_of_single_rows() {
        for seed in 0..50 {
            let mut rng = SeededRng::new(seed);
            let home = Rigid { rotation: Matrix3::identity(), translation: vector(&mut rng) };
            let dh_chain = DhChain::of(&screws(&mut rng), &home);
            let rows: Vec<[CosSin; 6]> =
                (0..8).map(|_| std::array::from_fn(|_| CosSin::from_angle(rng.uniform(-3.2, 3.2)))).collect();
            let base_from_last = dh_chain.base_from_last(&dh_chain.reached(&rows[0], &mut FrameCache::new()));
            for count in 1..=8 {
                compare::<8>(&dh_chain, &base_from_last, &rows[..count], seed);
                compare::<4>(&dh_chain, &base_from_last, &rows[..count.min(4)], seed);
            }
        }
    }
}
