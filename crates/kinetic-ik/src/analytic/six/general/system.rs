//! The equations of one pose for [`General`], from their elimination to a branch.

use kinetic_kinematics::Rigid;
use nalgebra::{SMatrix, SVector};

use super::super::Row;
use super::super::cone::across;
use super::super::line::{Functions, nodes, weight};
use super::General;
use crate::analytic::cos_sin::CosSin;

type Matrix12 = SMatrix<f64, 12, 12>;
pub(super) type Matrix24 = SMatrix<f64, 24, 24>;

/// The equations of one pose, triangular in the eliminated products.
pub(super) struct System {
    /// Six equations in the 27 products of joints 2, 3, 4, then the eight that give joints 6 and 1.
    equations: SMatrix<f64, 14, 27>,
    triangle: SMatrix<f64, 14, 8>,
    linearity_joint: usize,
}

impl System {
    pub(super) fn new(arm: &General, displacement: &Rigid, linearity_joint: usize) -> Self {
        let mut right = [Functions::zeros(); 9];
        for (node6, swung) in arm.swung.iter().enumerate() {
            let moved = swung.moved(displacement);
            for (node1, turn) in nodes().iter().enumerate() {
                let seen = moved.turned(&arm.screws[0], turn.inverse()).functions();
                for (at, coefficients) in right.iter_mut().enumerate() {
                    *coefficients += seen * (weight(at / 3, node6) * weight(at % 3, node1));
                }
            }
        }
        let mut equations = SMatrix::<f64, 14, 27>::from_fn(|row, column| arm.left[column][row]);
        for row in 0..14 {
            equations[(row, 0)] -= right[0][row];
        }
        let mut triangle = SMatrix::<f64, 14, 8>::from_fn(|row, column| right[column + 1][row]);
        eliminate(&mut triangle, &mut equations);
        Self { equations, triangle, linearity_joint }
    }

    /// The 12 × 12 matrix at an angle of the linearity joint.
    fn matrix(&self, angle: CosSin) -> Matrix12 {
        let parts = [1.0, angle.cos, angle.sin];
        let stride = [9, 3, 1];
        let others = match self.linearity_joint {
            0 => [1, 2],
            1 => [0, 2],
            _ => [0, 1],
        };
        let mut out = Matrix12::zeros();
        for equation in 0..6 {
            for one in 0..3 {
                for two in 0..3 {
                    let base = one * stride[others[0]] + two * stride[others[1]];
                    let value: f64 = (0..3)
                        .map(|part| {
                            parts[part] * self.equations[(8 + equation, base + part * stride[self.linearity_joint])]
                        })
                        .sum();
                    for (power1, factor1) in HALF_ANGLE_POLYNOMIALS[one] {
                        for (power2, factor2) in HALF_ANGLE_POLYNOMIALS[two] {
                            let (term, column) = (value * factor1 * factor2, 3 * power1 + power2);
                            out[(equation, column)] += term;
                            out[(6 + equation, column + 3)] += term;
                        }
                    }
                }
            }
        }
        out
    }

    /// The matrix whose eigenvalues are the tangents of half the angle of that joint from the returned origin.
    pub(super) fn companion(&self) -> Option<(CosSin, Matrix24)> {
        // Farthest from all roots is where the determinant is largest: there the tangent may be infinite.
        let step = CosSin::from_angle(std::f64::consts::TAU / 16.0);
        let (mut at, mut far, mut largest) = (CosSin::ZERO, CosSin::ZERO, 0.0);
        for _ in 0..16 {
            let size = self.matrix(at).determinant().abs();
            if size > largest {
                (largest, far) = (size, at);
            }
            at = at.then(step);
        }
        let origin = CosSin { cos: -far.cos, sin: -far.sin };
        // M = A + B cos + C sin from the origin; times 1 + x² it is (A − B) x² + 2 C x + (A + B).
        let (ahead, side) = (self.matrix(origin), CosSin { cos: 0.0, sin: 1.0 });
        let (behind, aside) = (self.matrix(far), self.matrix(origin.then(side)));
        let linear = (aside - (ahead + behind) * 0.5) * 2.0;
        let leading = behind.lu();
        let (low, high) = (leading.solve(&ahead)?, leading.solve(&linear)?);
        let mut companion = Matrix24::zeros();
        companion.fixed_view_mut::<12, 12>(0, 12).fill_with_identity();
        companion.fixed_view_mut::<12, 12>(12, 0).copy_from(&-low);
        companion.fixed_view_mut::<12, 12>(12, 12).copy_from(&-high);
        companion.iter().all(|value| value.is_finite()).then_some((origin, companion))
    }

    /// All angles that go with `angle` of the linearity joint.
    pub(super) fn branch(&self, arm: &General, displacement: &Rigid, angle: CosSin) -> Option<Row> {
        let (one, two) = tangents(&null_vector(&self.matrix(angle))?)?;
        let inner = match self.linearity_joint {
            0 => [angle, one, two],
            1 => [one, angle, two],
            _ => [one, two, angle],
        };
        let [sixth, first] = self.eliminated(&inner)?;
        let screws = &arm.screws;
        // What is left for the fifth joint, read off a vector across it.
        let mark = across(&screws[4].axis);
        let mut turned = displacement.rotation * sixth.inverse().rotate(&screws[5].axis, &mark);
        for (screw, turn) in screws.iter().zip([first, inner[0], inner[1], inner[2]]) {
            turned = turn.inverse().rotate(&screw.axis, &turned);
        }
        let fifth = direction(turned.dot(&mark), turned.dot(&screws[4].axis.cross(&mark)))?;
        Some([first, inner[0], inner[1], inner[2], fifth, sixth])
    }

    /// Joints 6 and 1 from the equations that were set aside.
    fn eliminated(&self, inner: &[CosSin; 3]) -> Option<[CosSin; 2]> {
        let parts = inner.map(|turn| [1.0, turn.cos, turn.sin]);
        let mut products = [0.0; 8];
        for row in (0..8).rev() {
            let mut sum = 0.0;
            for at in 0..27 {
                sum += self.equations[(row, at)] * parts[0][at / 9] * parts[1][at / 3 % 3] * parts[2][at % 3];
            }
            for column in row + 1..8 {
                sum -= self.triangle[(row, column)] * products[column];
            }
            products[row] = sum / self.triangle[(row, row)];
        }
        // Products without and with parts of joint 6: cos₁, sin₁, cos₆, cos₆ cos₁, cos₆ sin₁, sin₆, …
        Some([direction(products[2], products[5])?, direction(products[0], products[1])?])
    }
}

/// Parts (1, cos, sin) times 1 + x² as polynomials in x: pairs of power and factor.
const HALF_ANGLE_POLYNOMIALS: [&[(usize, f64)]; 3] = [&[(0, 1.0), (2, 1.0)], &[(0, 1.0), (2, -1.0)], &[(1, 2.0)]];

/// Householder reflections that make `left` triangular, applied to both.
fn eliminate(left: &mut SMatrix<f64, 14, 8>, right: &mut SMatrix<f64, 14, 27>) {
    for pivot in 0..8 {
        let mut mirror: SVector<f64, 14> = left.column(pivot).into_owned();
        mirror.rows_mut(0, pivot).fill(0.0);
        let length = mirror.norm();
        if length == 0.0 {
            continue;
        }
        mirror[pivot] += length.copysign(mirror[pivot]);
        let scale = 2.0 / mirror.norm_squared();
        for column in pivot..8 {
            let share = scale * mirror.dot(&left.column(column));
            left.column_mut(column).axpy(-share, &mirror, 1.0);
        }
        for column in 0..27 {
            let share = scale * mirror.dot(&right.column(column));
            right.column_mut(column).axpy(-share, &mirror, 1.0);
        }
    }
}

/// The vector that a nearly singular matrix makes smallest, by inverse iteration on `MᵀM`.
fn null_vector(matrix: &Matrix12) -> Option<SVector<f64, 12>> {
    // Away from exact singularity by a rounding error; by chance that may make a pivot zero, and another one does not.
    PERTURBATION_FACTORS.iter().find_map(|nudge| {
        let nudged = matrix + Matrix12::identity() * (matrix.amax() * nudge * f64::EPSILON);
        let (forward, backward) = (nudged.lu(), nudged.transpose().lu());
        let mut vector = SVector::<f64, 12>::from_fn(|row, _| 1.0 / (1.0 + row as f64));
        for _ in 0..2 {
            vector = forward.solve(&backward.solve(&vector)?.normalize())?.normalize();
        }
        vector.iter().all(|value| value.is_finite()).then_some(vector)
    })
}

/// Rounding errors by which a matrix is nudged, one after the other.
const PERTURBATION_FACTORS: [f64; 4] = [1.0, -1.7, 2.9, 11.0];

/// The two turns whose half-angle tangents x, y make the monomials xⁱ yʲ.
fn tangents(monomials: &SVector<f64, 12>) -> Option<(CosSin, CosSin)> {
    let grid = |i: usize, j: usize| monomials[3 * i + j];
    let weight_of = |values: &mut dyn Iterator<Item = f64>| values.map(|value| value * value).sum::<f64>();
    let column = (0..3).max_by(|a, b| {
        let size = |j: usize| weight_of(&mut (0..4).map(|i| grid(i, j)));
        size(*a).total_cmp(&size(*b))
    })?;
    let row = (0..4).max_by(|a, b| {
        let size = |i: usize| weight_of(&mut (0..3).map(|j| grid(i, j)));
        size(*a).total_cmp(&size(*b))
    })?;
    let one = ratio(&mut (0..3).map(|i| (grid(i, column), grid(i + 1, column))))?;
    let two = ratio(&mut (0..2).map(|j| (grid(row, j), grid(row, j + 1))))?;
    Some((one, two))
}

/// The turn with tangent of the half `b / a` for all pairs, in the sense of least squares.
fn ratio(pairs: &mut dyn Iterator<Item = (f64, f64)>) -> Option<CosSin> {
    let (mut aa, mut ab, mut bb) = (0.0, 0.0, 0.0);
    for (a, b) in pairs {
        (aa, ab, bb) = (aa + a * a, ab + a * b, bb + b * b);
    }
    if !(aa + bb > 0.0) {
        return None;
    }
    Some(if aa >= bb { half_angle(aa, ab) } else { half_angle(ab, bb) })
}

/// The turn with tangent of the half `y / x`.
pub(super) fn half_angle(x: f64, y: f64) -> CosSin {
    let scale = 1.0 / (x * x + y * y);
    CosSin { cos: (x * x - y * y) * scale, sin: 2.0 * x * y * scale }
}

/// The direction of `(x, y)`; `None` for nothing and for NaN.
fn direction(x: f64, y: f64) -> Option<CosSin> {
    let turn = CosSin::from_direction(x, y);
    (turn.cos.is_finite() && turn.sin.is_finite()).then_some(turn)
}
