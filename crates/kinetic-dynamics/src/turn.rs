//! Rotations between neighbouring bodies, cheap for the angles that robots have.
//!
//! Frames are chosen after Khalil and Kleinfinger 1986 ("A new geometric notation for open and closed-loop robots"; modified
//! Denavit–Hartenberg frames of a tree), see [`normal_form`](crate::normal_form): a body turns about or slides along its own
//! z axis, and that axis is mostly parallel or perpendicular to the one before. What is left of the constant rotation is
//! then nothing, or an exchange of axes without signs; at other angles, right ones that a file rounds among them, a rotation
//! about x. Only second children are turned in general.

#![allow(clippy::inline_always, reason = "what is not inlined is compiled without the wide instructions")]

use crate::scalar::{Arithmetic, Scalar};
use crate::vectors::{Sym3, Vec3, dot, rows, splat};

/// The constant rotation between a body's axes before its own turn about z, and its parent's axes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum ConstantTurn {
    /// Both axes are parallel: no rotation.
    Parallel,
    /// x, y and z of the body are y, z and x of the parent.
    Perpendicular,
    /// A rotation about x, by its cosine and sine.
    Twisted([f64; 2]),
    /// Any rotation, by its rows.
    General([[f64; 3]; 3]),
}

/// A kind of constant rotation, so that loops are compiled once for each.
pub(crate) trait Turn: Copy {
    /// Parent's coordinates of a vector.
    fn up<T: Scalar>(&self, v: &Vec3<T>) -> Vec3<T>;
    /// Coordinates before the body's own turn, of a vector in the parent's.
    fn down<T: Scalar>(&self, v: &Vec3<T>) -> Vec3<T>;
    /// `R A Rᵀ` of a symmetric matrix.
    fn up_symmetric<T: Scalar>(&self, a: &Sym3<T>) -> Sym3<T>;
    /// `R A Rᵀ` of any matrix, by rows.
    fn up_matrix<T: Scalar>(&self, a: &[Vec3<T>; 3]) -> [Vec3<T>; 3];
}

/// [`ConstantTurn::Parallel`].
#[derive(Clone, Copy)]
pub(crate) struct Parallel;

impl Turn for Parallel {
    #[inline(always)]
    fn up<T: Scalar>(&self, v: &Vec3<T>) -> Vec3<T> {
        *v
    }

    #[inline(always)]
    fn down<T: Scalar>(&self, v: &Vec3<T>) -> Vec3<T> {
        *v
    }

    #[inline(always)]
    fn up_symmetric<T: Scalar>(&self, a: &Sym3<T>) -> Sym3<T> {
        *a
    }

    #[inline(always)]
    fn up_matrix<T: Scalar>(&self, a: &[Vec3<T>; 3]) -> [Vec3<T>; 3] {
        *a
    }
}

/// [`ConstantTurn::Perpendicular`].
#[derive(Clone, Copy)]
pub(crate) struct Perpendicular;

impl Turn for Perpendicular {
    #[inline(always)]
    fn up<T: Scalar>(&self, v: &Vec3<T>) -> Vec3<T> {
        [v[2], v[0], v[1]]
    }

    #[inline(always)]
    fn down<T: Scalar>(&self, v: &Vec3<T>) -> Vec3<T> {
        [v[1], v[2], v[0]]
    }

    #[inline(always)]
    fn up_symmetric<T: Scalar>(&self, [xx, xy, xz, yy, yz, zz]: &Sym3<T>) -> Sym3<T> {
        [*zz, *xz, *yz, *xx, *xy, *yy]
    }

    #[inline(always)]
    fn up_matrix<T: Scalar>(&self, a: &[Vec3<T>; 3]) -> [Vec3<T>; 3] {
        [self.up(&a[2]), self.up(&a[0]), self.up(&a[1])]
    }
}

/// [`ConstantTurn::Twisted`].
#[derive(Clone, Copy)]
pub(crate) struct Twisted<'a>(pub(crate) &'a [f64; 2]);

impl Twisted<'_> {
    /// The same rotation about z: axes y, z and x are called x, y and z.
    #[inline(always)]
    fn about_z<T: Scalar>(self) -> AboutZ<T> {
        let [cos, sin] = splat(self.0);
        AboutZ { cos, sin }
    }
}

impl Turn for Twisted<'_> {
    #[inline(always)]
    fn up<T: Scalar>(&self, v: &Vec3<T>) -> Vec3<T> {
        Perpendicular.up(&self.about_z().up(&Perpendicular.down(v)))
    }

    #[inline(always)]
    fn down<T: Scalar>(&self, v: &Vec3<T>) -> Vec3<T> {
        Perpendicular.up(&self.about_z().down(&Perpendicular.down(v)))
    }

    #[inline(always)]
    fn up_symmetric<T: Scalar>(&self, [xx, xy, xz, yy, yz, zz]: &Sym3<T>) -> Sym3<T> {
        Perpendicular.up_symmetric(&self.about_z().up_symmetric(&[*yy, *yz, *xy, *zz, *xz, *xx]))
    }

    #[inline(always)]
    fn up_matrix<T: Scalar>(&self, [x, y, z]: &[Vec3<T>; 3]) -> [Vec3<T>; 3] {
        let [x, y, z] = [Perpendicular.down(y), Perpendicular.down(z), Perpendicular.down(x)];
        Perpendicular.up_matrix(&self.about_z().up_matrix(&[x, y, z]))
    }
}

/// [`ConstantTurn::General`]. Its products are written out: closures are not inlined, and so compiled without the wide
/// instructions.
#[derive(Clone, Copy)]
pub(crate) struct General<'a>(pub(crate) &'a [[f64; 3]; 3]);

impl Turn for General<'_> {
    #[inline(always)]
    fn up<T: Scalar>(&self, v: &Vec3<T>) -> Vec3<T> {
        let [x, y, z] = self.0;
        [dot(&splat(x), v), dot(&splat(y), v), dot(&splat(z), v)]
    }

    #[inline(always)]
    fn down<T: Scalar>(&self, v: &Vec3<T>) -> Vec3<T> {
        let [x, y, z] = self.0;
        let columns = [[x[0], y[0], z[0]], [x[1], y[1], z[1]], [x[2], y[2], z[2]]];
        [dot(&splat(&columns[0]), v), dot(&splat(&columns[1]), v), dot(&splat(&columns[2]), v)]
    }

    #[inline(always)]
    fn up_symmetric<T: Scalar>(&self, a: &Sym3<T>) -> Sym3<T> {
        let [x, y, z] = self.up_matrix(&rows(a));
        [x[0], x[1], x[2], y[1], y[2], z[2]]
    }

    #[inline(always)]
    fn up_matrix<T: Scalar>(&self, a: &[Vec3<T>; 3]) -> [Vec3<T>; 3] {
        let [x, y, z] = [self.up(&a[0]), self.up(&a[1]), self.up(&a[2])];
        let [x, y, z] = [self.up(&[x[0], y[0], z[0]]), self.up(&[x[1], y[1], z[1]]), self.up(&[x[2], y[2], z[2]])];
        [[x[0], y[0], z[0]], [x[1], y[1], z[1]], [x[2], y[2], z[2]]]
    }
}

/// Runs a block with `$turn` bound to the kind of a [`ConstantTurn`].
macro_rules! with_turn {
    ($constant:expr, $turn:ident => $block:expr) => {
        match &$constant {
            $crate::turn::ConstantTurn::Parallel => {
                let $turn = $crate::turn::Parallel;
                $block
            }
            $crate::turn::ConstantTurn::Perpendicular => {
                let $turn = $crate::turn::Perpendicular;
                $block
            }
            $crate::turn::ConstantTurn::Twisted(turn) => {
                let $turn = $crate::turn::Twisted(turn);
                $block
            }
            $crate::turn::ConstantTurn::General(rows) => {
                let $turn = $crate::turn::General(rows);
                $block
            }
        }
    };
}

pub(crate) use with_turn;

/// A turn about z, by its cosine and sine.
#[derive(Debug, Clone, Copy)]
pub(crate) struct AboutZ<T> {
    pub(crate) cos: T,
    pub(crate) sin: T,
}

impl<T: Arithmetic> AboutZ<T> {
    #[inline(always)]
    pub(crate) fn up(&self, v: &Vec3<T>) -> Vec3<T> {
        [self.cos * v[0] - self.sin * v[1], self.sin * v[0] + self.cos * v[1], v[2]]
    }

    #[inline(always)]
    pub(crate) fn down(&self, v: &Vec3<T>) -> Vec3<T> {
        [self.cos * v[0] + self.sin * v[1], self.cos * v[1] - self.sin * v[0], v[2]]
    }

    /// `R A Rᵀ` in ten operations: trace and zz stay.
    #[inline(always)]
    pub(crate) fn up_symmetric(&self, [xx, xy, xz, yy, yz, zz]: &Sym3<T>) -> Sym3<T> {
        let half = self.sin * (*xx - *yy) + self.cos * (*xy + *xy);
        let moved = self.sin * half;
        let [x, y, _] = self.up(&[*xz, *yz, *zz]);
        [*xx - moved, self.cos * half - *xy, x, *yy + moved, y, *zz]
    }

    /// `R A Rᵀ` by rows. The antisymmetric part of the upper block stays.
    #[inline(always)]
    pub(crate) fn up_matrix(&self, [x, y, z]: &[Vec3<T>; 3]) -> [Vec3<T>; 3] {
        let half = self.sin * (x[0] - y[1]) + self.cos * (x[1] + y[0]);
        let moved = self.sin * half;
        let turned = self.cos * half;
        let column = self.up(&[x[2], y[2], z[2]]);
        let row = self.up(z);
        [[x[0] - moved, turned - y[0], column[0]], [turned - x[1], y[1] + moved, column[1]], row]
    }
}

/// Parent's coordinates of a vector of the body.
#[inline(always)]
pub(crate) fn up<R: Turn, T: Scalar>(turn: R, own: &AboutZ<T>, v: &Vec3<T>) -> Vec3<T> {
    turn.up(&own.up(v))
}

/// Body's coordinates of a vector of the parent.
#[inline(always)]
pub(crate) fn down<R: Turn, T: Scalar>(turn: R, own: &AboutZ<T>, v: &Vec3<T>) -> Vec3<T> {
    own.down(&turn.down(v))
}

#[cfg(test)]
mod tests {
    use std::f64::consts::FRAC_PI_2;

    use super::*;

    const MATRIX: [Vec3<f64>; 3] = [[1.0, 2.0, -3.0], [0.5, 4.0, 5.0], [-6.0, 0.25, 7.0]];
    const SYMMETRIC: Sym3<f64> = [1.0, 2.0, -3.0, 4.0, 5.0, 7.0];

    fn compare<A: Turn, B: Turn>(a: A, b: B) {
        let close = |a: &[f64], b: &[f64]| {
            assert!(a.iter().zip(b).all(|(a, b)| (a - b).abs() < 1e-14), "{a:?} instead of {b:?}");
        };
        for v in &MATRIX {
            close(&a.up(v), &b.up(v));
            close(&a.down(v), &b.down(v));
            close(&a.down(&a.up(v)), v);
        }
        close(&a.up_symmetric(&SYMMETRIC), &b.up_symmetric(&SYMMETRIC));
        close(a.up_matrix(&MATRIX).as_flattened(), b.up_matrix(&MATRIX).as_flattened());
    }

    #[test]
    fn special_turns_are_those_of_their_matrices() {
        compare(Parallel, General(&[[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]));
        compare(Perpendicular, General(&[[0.0, 0.0, 1.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]]));
        for angle in [0.0_f64, 0.3, FRAC_PI_2 - 3e-6, FRAC_PI_2, 2.0] {
            let (sin, cos) = angle.sin_cos();
            compare(Twisted(&[cos, sin]), General(&[[1.0, 0.0, 0.0], [0.0, cos, -sin], [0.0, sin, cos]]));
        }
    }
}
