//! Rows of turns side by side: how well do they close, and which angles are they?
//!
//! The operations of [`Closure::residual`] and [`Turn::angle`] in the same order, compiled for several widths of
//! registers: an angle has the same bits whatever stands beside it.

#![allow(clippy::inline_always, reason = "what is not inlined is compiled without the wide instructions")]

use kinetic_kinematics::Rigid;
use kinetic_kinematics::kernel::{Placed, combined, difference, moved, sum};
use kinetic_kinematics::lanes::{Lanes, Number};
use pulp::{Arch, NullaryFnOnce};

use super::closure::{Closure, Link};
use super::turn::{Turn, angles};

/// What is known about `W` rows.
pub(super) struct Judged<const N: usize, const W: usize> {
    /// As [`Closure::residual`].
    pub(super) residuals: [f64; W],
    /// Joint by joint, rad.
    pub(super) angles: [[f64; W]; N],
}

/// Judges one to `W` rows; unused lanes repeat the last row.
#[inline]
pub(super) fn judge<const N: usize, const W: usize>(
    closure: &Closure<N>,
    seat: &Rigid,
    rows: &[[Turn; N]],
) -> Judged<N, W> {
    Arch::new().dispatch(Judge { closure, seat, rows })
}

struct Judge<'a, const N: usize, const W: usize> {
    closure: &'a Closure<N>,
    seat: &'a Rigid,
    rows: &'a [[Turn; N]],
}

impl<const N: usize, const W: usize> NullaryFnOnce for Judge<'_, N, W> {
    type Output = Judged<N, W>;

    #[inline(always)]
    fn call(self) -> Judged<N, W> {
        let Self { closure, seat, rows } = self;
        let mut out = Judged { residuals: [0.0; W], angles: [[0.0; W]; N] };
        let mut at = Placed::constant(&closure.base);
        for joint in 0..N {
            let (mut cos, mut sin) = ([0.0; W], [0.0; W]);
            for lane in 0..W {
                let turn = rows[lane.min(rows.len() - 1)][joint];
                (cos[lane], sin[lane]) = (turn.cos, turn.sin);
            }
            out.angles[joint] = angles(cos, sin);
            at = match closure.links.get(joint).filter(|_| joint + 1 < N) {
                Some(link) => linked(&at, Lanes(cos), Lanes(sin), link),
                None => turned(&at, Lanes(cos), Lanes(sin)),
            };
        }
        out.residuals = residual(&at, seat, &closure.end);
        out
    }
}

/// As `Link::apply`.
#[inline(always)]
fn linked<const W: usize>(at: &Placed<Lanes<W>>, cos: Lanes<W>, sin: Lanes<W>, link: &Link) -> Placed<Lanes<W>> {
    match link {
        Link::General(link) => {
            let Placed { columns, origin } = turned(at, cos, sin);
            let way = combined(&columns, &link.translation.data.0[0]);
            let origin = [way[0] + origin[0], way[1] + origin[1], way[2] + origin[2]];
            Placed { columns: link.rotation.data.0.map(|column| combined(&columns, &column)), origin }
        }
        Link::Normal { offset, lift, length, twist } => {
            let (before, aside) = (Lanes::splat(offset.cos), Lanes::splat(offset.sin));
            let Placed { columns: [along, across, z], origin } =
                turned(at, cos * before - sin * aside, sin * before + cos * aside);
            let origin = moved(&moved(&origin, &z, Lanes::splat(*lift)), &along, Lanes::splat(*length));
            let (c, s) = (Lanes::splat(twist.cos), Lanes::splat(twist.sin));
            Placed { columns: [along, sum(&across, c, &z, s), difference(&z, c, &across, s)], origin }
        }
    }
}

/// The frame after a turn about its z axis.
#[inline(always)]
fn turned<const W: usize>(at: &Placed<Lanes<W>>, cos: Lanes<W>, sin: Lanes<W>) -> Placed<Lanes<W>> {
    let [x, y, z] = &at.columns;
    Placed { columns: [sum(x, cos, y, sin), difference(y, cos, x, sin), *z], origin: at.origin }
}

/// Frobenius norm of reached minus wanted pose at `end`.
#[inline(always)]
fn residual<const W: usize>(reached: &Placed<Lanes<W>>, seat: &Rigid, end: &Rigid) -> [f64; W] {
    let wanted = Placed::<Lanes<W>>::constant(seat);
    let mut turned = reached.columns;
    let mut square = Lanes::splat(0.0);
    for (column, wanted) in turned.iter_mut().zip(&wanted.columns) {
        for (value, wanted) in column.iter_mut().zip(wanted) {
            *value = *value - *wanted;
            square = square + *value * *value;
        }
    }
    let way = combined(&turned, &end.translation.data.0[0]);
    for axis in 0..3 {
        let off = reached.origin[axis] - wanted.origin[axis] + way[axis];
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
    use crate::analytic::closure::Along;
    use crate::analytic::poe::Screw;

    /// Sums of squares of a dozen numbers up to 4, in another order.
    const ROUNDING: f64 = 1e-14;

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

    fn compare<const W: usize>(closure: &Closure<6>, seat: &Rigid, rows: &[[Turn; 6]], seed: u64) {
        let judged = judge::<6, W>(closure, seat, rows);
        for (lane, row) in rows.iter().enumerate() {
            let alone = closure.residual(row, seat, &mut Along::new());
            assert!((judged.residuals[lane] - alone).abs() <= ROUNDING, "seed {seed}, row {lane} of {}", rows.len());
            for (joint, turn) in row.iter().enumerate() {
                assert_eq!(judged.angles[joint][lane].to_bits(), turn.angle().to_bits(), "seed {seed}, row {lane}");
            }
        }
    }

    #[test]
    fn rows_side_by_side_are_judged_as_each_alone() {
        for seed in 0..50 {
            let mut rng = SeededRng::new(seed);
            let home = Rigid { rotation: Matrix3::identity(), translation: vector(&mut rng) };
            let closure = Closure::of(&screws(&mut rng), &home);
            let rows: Vec<[Turn; 6]> =
                (0..8).map(|_| std::array::from_fn(|_| Turn::of(rng.uniform(-3.2, 3.2)))).collect();
            let seat = closure.seat(&closure.reached(&rows[0], &mut Along::new()));
            for count in 1..=8 {
                compare::<8>(&closure, &seat, &rows[..count], seed);
                compare::<4>(&closure, &seat, &rows[..count.min(4)], seed);
            }
        }
    }
}
