//! Any arm with six rotating joints: elimination to a matrix whose eigenvalues are the tangents of one half angle.
//!
//! Raghavan & Roth 1993 with the eigenvalues of Manocha & Canny 1994. The loop is cut so that joints 6 and 1 stand on
//! one side: their axes are the only neighbours in the loop whose position to each other is the target's and not the
//! arm's, so that no parallel or meeting axes of the arm make the elimination degenerate.
//!
//! 1. The line of axis 5 seen from both sides, `e₂ e₃ e₄ L₅ = e₁⁻¹ G e₆⁻¹ L₅`, gives 14 equations that are linear in the
//!    products of cosines and sines. Eliminating the eight products of joints 6 and 1 leaves six.
//! 2. In half-angle tangents of two of the joints 2, 3, 4 these six, and the six times one tangent, are linear in twelve
//!    monomials. The determinant of that 12 × 12 matrix is a trigonometric polynomial of degree 8 in the third angle:
//!    16 roots, all branches.
//! 3. Eigenvalues give that angle, null vectors the two others, the eliminated equations joints 6 and 1.

use super::line::{Functions, Line, nodes, weight};
use super::system::{System, half_angle};
use super::{ClosedForm, Row};
use crate::analytic::closure::{Along, Closure};
use crate::analytic::codegen::{Constant, Value, constants};
use crate::analytic::eigen::eigenvalues;
use crate::analytic::few::Few;
use crate::analytic::poe::{ProductOfExponentials, Screw};
use crate::analytic::turn::Turn;
use crate::rigid::Rigid;

#[derive(Debug)]
pub(crate) struct General {
    /// Joints in units of `size` from `origin`.
    pub(super) screws: [Screw; 6],
    origin: nalgebra::Vector3<f64>,
    size: f64,
    /// Coefficients of the products of parts (1, cos, sin) of joints 2, 3, 4.
    pub(super) left: [Functions; 27],
    /// `e₆⁻¹ L₅` at the nodes of joint 6.
    pub(super) swung: [Line; 3],
    /// Which of joints 2, 3, 4 (0, 1, 2) the eigenvalues may be of, the preferred one first.
    torn: Few<usize, 3>,
    closure: Closure<6>,
}

/// Eigenvalues this close to the real line are tried: a double root splits into a pair at the root of the rounding
/// error. Forward kinematics decides.
const NEARLY_REAL: f64 = 1e-2;

/// Axes 6 and 1 closer than this to meeting or to being parallel (scaled by the size of the arm) make the elimination
/// lose digits; such poses are solved from poses beside them.
const DEGENERATE: f64 = 1e-3;

/// Relative size of a subdiagonal entry that counts as zero. The known fourfold eigenvalues ±i are defective, and the
/// iteration would wait for them for ever at the rounding error itself.
const DEFLATION: f64 = 1e-14;

/// QR sweeps after which a matrix is given up; some fifty suffice for 24 eigenvalues.
const SWEEPS: usize = 2_000;

/// Newton steps from a root of the elimination to a branch.
const STEPS: usize = 25;

constants!(General { screws, origin, size, left, swung, torn, closure });

impl General {
    /// `None` when test configurations are not all found again, as for an arm that cannot move in all six directions.
    pub(crate) fn new(arm: &ProductOfExponentials) -> Option<Self> {
        let mut solver = Self::prepare(arm)?;
        let mut fit: Vec<(usize, usize)> = Vec::with_capacity(3);
        for joint in [2, 1, 0] {
            solver.torn = Few::none(0);
            solver.torn.push(joint);
            fit.push((solver.finds_itself(arm), joint));
        }
        fit.sort_by_key(|(found, _)| std::cmp::Reverse(*found));
        solver.torn = Few::none(0);
        fit.iter().filter(|(found, _)| *found > 0).for_each(|(_, joint)| solver.torn.push(*joint));
        (!solver.torn.is_empty() && solver.finds_itself(arm) == TESTS).then_some(solver)
    }

    /// Without the test, for arms whose kin has passed it.
    pub(crate) fn untested(arm: &ProductOfExponentials) -> Option<Self> {
        let mut solver = Self::prepare(arm)?;
        for joint in [2, 1, 0] {
            solver.torn.push(joint);
        }
        Some(solver)
    }

    fn prepare(arm: &ProductOfExponentials) -> Option<Self> {
        let given: &[Screw; 6] = arm.screws().try_into().ok()?;
        let origin = given.iter().map(|screw| screw.point).sum::<nalgebra::Vector3<f64>>() / 6.0;
        let size = given.iter().map(|screw| (screw.point - origin).norm()).fold(0.0, f64::max);
        if size <= 0.0 {
            return None;
        }
        let screws = given.map(|screw| Screw { point: (screw.point - origin) / size, ..screw });
        let line = Line::of(&screws[4]);
        let mut left = [Functions::zeros(); 27];
        for (at, coefficients) in left.iter_mut().enumerate() {
            let parts = [at / 9, at / 3 % 3, at % 3];
            for sample in 0..27 {
                let chosen = [sample / 9, sample / 3 % 3, sample % 3];
                let turns = chosen.map(|node| nodes()[node]);
                let seen = line.turned(&screws[3], turns[2]).turned(&screws[2], turns[1]).turned(&screws[1], turns[0]);
                let factor: f64 = (0..3).map(|joint| weight(parts[joint], chosen[joint])).product();
                *coefficients += seen.functions() * factor;
            }
        }
        let swung = nodes().map(|turn| line.turned(&screws[5], turn.inverse()));
        Some(Self {
            screws,
            origin,
            size,
            left,
            swung,
            torn: Few::none(0),
            closure: Closure::of(given, &Rigid::identity()),
        })
    }

    /// In how many of the tests the configuration whose pose is solved for is among the branches.
    fn finds_itself(&self, arm: &ProductOfExponentials) -> usize {
        let is_found = |test: &usize| {
            // A low-discrepancy sequence (Roberts 2018) in six dimensions: no clusters, no randomness.
            let q: [f64; 6] = std::array::from_fn(|joint| {
                let step = 1.0 / SIX_DIMENSIONAL_GOLDEN_RATIO.powf((joint + 1) as f64);
                (0.5 + step * (*test + 1) as f64).fract() * std::f64::consts::TAU
            });
            let rigid = arm.screws().iter().zip(q).fold(Rigid::identity(), |pose, (s, q)| pose.then(&s.exp(q)));
            let mut rows = Vec::with_capacity(MOST);
            self.branches(&rigid, &mut rows);
            rows.iter()
                .any(|row| row.iter().zip(q).all(|(turn, q)| (turn.cos - q.cos()).hypot(turn.sin - q.sin()) < 1e-6))
        };
        (0..TESTS).filter(is_found).count()
    }

    /// Branches of a pose in units of the arm, with a few digits. `None` stands for what may hide a branch: an
    /// eigenvalue that leads to none, as one that two branches share, whose null vector is a mixture of theirs; and a pair
    /// beside the real line, which may be two.
    fn eliminate(&self, displacement: &Rigid, torn: usize, found: &mut dyn FnMut(Option<Row>)) {
        let system = System::new(self, displacement, torn);
        let Some((origin, companion)) = system.companion() else { return };
        let columns = std::array::from_fn(|column| std::array::from_fn(|row| companion[(row, column)]));
        let Some(values) = eigenvalues::<24>(columns, DEFLATION, SWEEPS) else { return };
        for value in values {
            let is_real = value.im.abs() <= NEARLY_REAL * (1.0 + value.norm_sqr());
            // A pair is looked at once.
            if !is_real || value.im < 0.0 || !value.re.is_finite() {
                continue;
            }
            found(system.branch(self, displacement, origin.then(half_angle(1.0, value.re))));
            if value.im > 0.0 {
                found(None);
            }
        }
    }

    fn is_degenerate(&self, displacement: &Rigid) -> bool {
        let (first, last) = (&self.screws[0], self.screws[5].moved(displacement));
        let normal = first.axis.cross(&last.axis);
        let sine = normal.norm();
        sine < DEGENERATE || (last.point - first.point).dot(&normal).abs() < DEGENERATE * sine
    }

    fn scaled(&self, displacement: &Rigid) -> Rigid {
        let translation = (displacement.point(&self.origin) - self.origin) / self.size;
        Rigid { rotation: displacement.rotation, translation }
    }
}

/// Configurations that a new solver must find again.
const TESTS: usize = 12;
/// The positive root of x⁷ = x + 1.
const SIX_DIMENSIONAL_GOLDEN_RATIO: f64 = 1.112_775_684_278_705_5;
/// Branches that Vec space is made for: two eliminations with 16 branches each.
const MOST: usize = 32;

impl ClosedForm for General {
    fn branches(&self, displacement: &Rigid, out: &mut Vec<Row>) {
        let scaled = self.scaled(displacement);
        let first = out.len();
        let (mut along, seat) = (Along::new(), self.closure.seat(displacement));
        let asides = asides();
        let is_degenerate = self.is_degenerate(&scaled);
        for (index, torn) in self.torn.iter().enumerate() {
            let mut is_doubtful = false;
            // What hides a branch at the pose itself does not do so beside it.
            let used = if is_degenerate { asides.len() } else { 1 + index.min(1) };
            for aside in &asides[..used] {
                self.eliminate(&scaled.then(aside), *torn, &mut |row| {
                    let Some(row) = row else {
                        is_doubtful = true;
                        return;
                    };
                    let row = self.closure.polished(row, displacement, STEPS);
                    let is_new = !out[first..].iter().any(|known| is_same(known, &row));
                    let is_branch = is_new && self.closure.residual(&row, &seat, &mut along) <= NEAR;
                    is_doubtful |= !is_branch;
                    if is_branch {
                        out.push(row);
                    }
                });
            }
            // Real roots of a real polynomial of degree 16 come in even number: an odd one says that rounding has
            // hidden a root, and another joint to tear shows it again. So may none at all, and roots that lead to the
            // same branch or to none: where several are close, one stands for another.
            let count = out.len() - first;
            if count > 0 && count.is_multiple_of(2) && !(is_doubtful && index == 0) {
                break;
            }
        }
    }

    fn constants(&self) -> Option<Value> {
        Some(self.value())
    }
}

/// Turns that differ by less are one branch; far below what tells branches apart, far above rounding.
const SAME: f64 = 1e-6;

/// What closes to less than this is a branch or, beside a double root, nearly one.
const NEAR: f64 = 1e-4;

fn is_same(a: &Row, b: &Row) -> bool {
    a.iter().zip(b).all(|(a, b)| (a.cos - b.cos).abs() + (a.sin - b.sin).abs() <= SAME)
}

/// No displacement, and two small ones in general directions.
fn asides() -> [Rigid; 3] {
    let beside = |axis: [f64; 3], angle: f64, shift: [f64; 3]| {
        let axis = nalgebra::Vector3::from(axis).normalize();
        Rigid { rotation: Turn::of(angle).matrix(&axis), translation: shift.into() }
    };
    [
        Rigid::identity(),
        beside([0.48, -0.62, 0.35], 0.011, [0.006, 0.004, -0.007]),
        beside([-0.71, 0.23, 0.52], 0.009, [-0.005, 0.008, 0.003]),
    ]
}
