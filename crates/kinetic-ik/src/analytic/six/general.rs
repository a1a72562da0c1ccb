//! General 6R arms: elimination to a matrix whose eigenvalues are the tangents of one half angle.
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

mod system;

use kinetic_kinematics::Rigid;

use super::line::{Functions, Line, nodes, weight};
use super::{Row, SixJointSolver};
use crate::analytic::array_vec::ArrayVec;
use crate::analytic::constant::{Constant, Value, constants};
use crate::analytic::cos_sin::CosSin;
use crate::analytic::dh_chain::{DhChain, FrameCache};
use crate::analytic::eigen::eigenvalues;
use crate::analytic::generic_configuration::six_angles;
use crate::analytic::poe::{ProductOfExponentials, Screw};
use system::{System, half_angle};

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
    /// Which of joints 2, 3, 4 (0, 1, 2) the eigenvalues may be of (linearity joints), the preferred one first.
    linearity_joints: ArrayVec<usize, 3>,
    dh_chain: DhChain<6>,
}

/// Eigenvalues this close to the real line are tried: a double root splits into a pair at the root of the rounding
/// error. Forward kinematics decides.
const NEARLY_REAL_RATIO: f64 = 1e-2;

/// Axes 6 and 1 closer than this to meeting or to being parallel (scaled by the size of the arm) make the elimination
/// lose digits; such poses are solved from poses beside them.
const DEGENERATE_AXES_RATIO: f64 = 1e-3;

/// Relative size of a subdiagonal entry that counts as zero. The known fourfold eigenvalues ±i are defective, and the
/// iteration would wait for them for ever at the rounding error itself.
const DEFLATION_RATIO: f64 = 1e-14;

/// QR sweeps after which a matrix is given up; some fifty suffice for 24 eigenvalues.
const MOST_QR_SWEEPS: usize = 2_000;

/// Newton steps from a root of the elimination to a branch.
const ELIMINATION_NEWTON_STEPS: usize = 25;

constants!(General { screws, origin, size, left, swung, linearity_joints, dh_chain });

impl General {
    /// `None` when test configurations are not all found again, as for an arm that cannot move in all six directions.
    pub(crate) fn new(arm: &ProductOfExponentials) -> Option<Self> {
        let mut solver = Self::prepare(arm)?;
        let mut fit: Vec<(usize, usize)> = Vec::with_capacity(3);
        for joint in [2, 1, 0] {
            solver.linearity_joints = ArrayVec::empty(0);
            solver.linearity_joints.push(joint);
            fit.push((solver.finds_itself(arm), joint));
        }
        fit.sort_by_key(|(found, _)| std::cmp::Reverse(*found));
        solver.linearity_joints = ArrayVec::empty(0);
        fit.iter().filter(|(found, _)| *found > 0).for_each(|(_, joint)| solver.linearity_joints.push(*joint));
        (!solver.linearity_joints.is_empty() && solver.finds_itself(arm) == TEST_CONFIGURATIONS).then_some(solver)
    }

    /// Without the test, for arms of a family of which another one has passed it.
    pub(crate) fn untested(arm: &ProductOfExponentials) -> Option<Self> {
        let mut solver = Self::prepare(arm)?;
        for joint in [2, 1, 0] {
            solver.linearity_joints.push(joint);
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
            linearity_joints: ArrayVec::empty(0),
            dh_chain: DhChain::of(given, &Rigid::identity()),
        })
    }

    /// In how many of the tests the configuration whose pose is solved for is among the branches.
    fn finds_itself(&self, arm: &ProductOfExponentials) -> usize {
        let is_found = |test: &usize| {
            let q = six_angles(*test);
            let rigid = arm.screws().iter().zip(q).fold(Rigid::identity(), |pose, (s, q)| pose.then(&s.exp(q)));
            let mut rows = Vec::with_capacity(MOST_ELIMINATED_BRANCHES);
            self.branches(&rigid, &mut rows);
            rows.iter()
                .any(|row| row.iter().zip(q).all(|(turn, q)| (turn.cos - q.cos()).hypot(turn.sin - q.sin()) < 1e-6))
        };
        (0..TEST_CONFIGURATIONS).filter(is_found).count()
    }

    /// Branches of a pose in units of the arm, with a few digits, and whether each stands for a pair. False when a branch
    /// may be hidden: rounding leaves no equation to solve; an eigenvalue leads to none, as one that two branches share,
    /// whose null vector is a mixture of theirs; a pair beside the real line may be two.
    fn eliminate(&self, displacement: &Rigid, linearity_joint: usize, found: &mut dyn FnMut(Row, bool)) -> bool {
        let system = System::new(self, displacement, linearity_joint);
        let Some((origin, companion)) = system.companion() else { return false };
        let columns = std::array::from_fn(|column| std::array::from_fn(|row| companion[(row, column)]));
        let Some(values) = eigenvalues::<24>(columns, DEFLATION_RATIO, MOST_QR_SWEEPS) else { return false };
        let mut is_whole = true;
        for value in values {
            let is_real = value.im.abs() <= NEARLY_REAL_RATIO * (1.0 + value.norm_sqr());
            // A pair is looked at once.
            if !is_real || value.im < 0.0 || !value.re.is_finite() {
                continue;
            }
            let row = system.branch(self, displacement, origin.then(half_angle(1.0, value.re)));
            is_whole &= row.is_some() && value.im == 0.0;
            if let Some(row) = row {
                found(row, value.im > 0.0);
            }
        }
        is_whole
    }

    /// Adds the branches that a linearity joint gives; true when roots led to none, or to one that is known, so that one may
    /// be missing. `first` is where the branches of the pose begin.
    fn attempt(
        &self,
        linearity_joint: usize,
        displacement: &Rigid,
        is_beside: bool,
        first: usize,
        out: &mut Vec<Row>,
    ) -> bool {
        let scaled = self.scaled(displacement);
        let (mut cache, base_from_last) = (FrameCache::new(), self.dh_chain.base_from_last(displacement));
        let mut is_doubtful = false;
        let mut polished = |start: Row, out: &mut Vec<Row>| {
            let row = self.dh_chain.polished(start, displacement, ELIMINATION_NEWTON_STEPS);
            let closes = self.dh_chain.residual(&row, &base_from_last, &mut cache) <= BRANCH_RESIDUAL;
            let is_new = closes && !out[first..].iter().any(|known| is_same(known, &row));
            if is_new {
                out.push(row);
            }
            (row, closes, is_new)
        };
        let (still, beside) = ([Rigid::identity()], poses_beside(linearity_joint));
        for displaced in if is_beside { beside.as_slice() } else { &still } {
            is_doubtful |= !self.eliminate(&scaled.then(displaced), linearity_joint, &mut |start, is_pair| {
                let (row, closes, is_new) = polished(start, out);
                is_doubtful |= !is_new;
                // Two roots that are close lie on both sides of what stands for them.
                if closes && (is_pair || !is_new || is_beside) {
                    polished(mirrored(&start, &row), out);
                }
            });
        }
        is_doubtful
    }

    /// Looks for the branch that an odd number of them lacks: between those that are close to each other, and beyond.
    fn complete(&self, displacement: &Rigid, first: usize, out: &mut Vec<Row>) {
        let (mut cache, base_from_last) = (FrameCache::new(), self.dh_chain.base_from_last(displacement));
        let known = out[first..].to_vec();
        for (index, a) in known.iter().enumerate() {
            for b in known[..index].iter().filter(|b| is_within(a, b, HIDDEN_BRANCH_RAD)) {
                for start in [between(a, b), mirrored(a, b), mirrored(b, a)] {
                    let row = self.dh_chain.polished(start, displacement, ELIMINATION_NEWTON_STEPS);
                    let is_branch = self.dh_chain.residual(&row, &base_from_last, &mut cache) <= BRANCH_RESIDUAL;
                    if is_branch && !out[first..].iter().any(|known| is_same(known, &row)) {
                        out.push(row);
                        return;
                    }
                }
            }
        }
    }

    /// The linearity joints in order, `wanted` before the others.
    fn linearity_order(&self, wanted: Option<usize>) -> ArrayVec<usize, 3> {
        let mut order = ArrayVec::empty(0);
        for joint in
            wanted.into_iter().chain(self.linearity_joints.iter().copied().filter(|joint| Some(*joint) != wanted))
        {
            order.push(joint);
        }
        order
    }

    fn is_degenerate(&self, displacement: &Rigid) -> bool {
        let (first, last) = (&self.screws[0], self.screws[5].moved(displacement));
        let normal = first.axis.cross(&last.axis);
        let sine = normal.norm();
        sine < DEGENERATE_AXES_RATIO || (last.point - first.point).dot(&normal).abs() < DEGENERATE_AXES_RATIO * sine
    }

    fn scaled(&self, displacement: &Rigid) -> Rigid {
        let translation = (displacement.point(&self.origin) - self.origin) / self.size;
        Rigid { rotation: displacement.rotation, translation }
    }
}

/// Configurations that a new solver must find again.
const TEST_CONFIGURATIONS: usize = 12;
/// Branches that Vec space is made for: two eliminations with 16 branches each.
const MOST_ELIMINATED_BRANCHES: usize = 32;

impl SixJointSolver for General {
    fn branches(&self, displacement: &Rigid, out: &mut Vec<Row>) {
        self.branches_by_linearity_joint(None, displacement, out);
    }

    fn branches_by_linearity_joint(&self, linearity_joint: Option<usize>, displacement: &Rigid, out: &mut Vec<Row>) {
        let first = out.len();
        let is_degenerate = self.is_degenerate(&self.scaled(displacement));
        let order = self.linearity_order(linearity_joint);
        for (index, linearity_joint) in order.iter().enumerate() {
            let mut is_doubtful = self.attempt(*linearity_joint, displacement, false, first, out);
            // What hides a branch at the pose itself does not do so beside it.
            if is_degenerate || index > 0 {
                is_doubtful |= self.attempt(*linearity_joint, displacement, true, first, out);
            }
            // Real roots of a real polynomial of degree 16 come in even number: an odd one says that rounding has
            // hidden a root, and another linearity joint shows it again. So may roots that lead to the same branch or to
            // none: where several are close, one stands for another.
            let count = out.len() - first;
            if count.is_multiple_of(2) && !(is_doubtful && (index == 0 || count == 0)) {
                return;
            }
        }
        if !is_degenerate {
            self.attempt(order[0], displacement, true, first, out);
        }
        if !(out.len() - first).is_multiple_of(2) {
            self.complete(displacement, first, out);
        }
    }

    fn is_general(&self) -> bool {
        true
    }

    fn constants(&self) -> Option<Value> {
        Some(self.value())
    }
}

/// Turns that differ by less are one branch; far below what tells branches apart, far above rounding.
const SAME_BRANCH_RAD: f64 = 1e-6;

/// Residual up to which a row is a branch or, beside a double root, nearly one.
const BRANCH_RESIDUAL: f64 = 1e-4;

fn is_same(a: &Row, b: &Row) -> bool {
    is_within(a, b, SAME_BRANCH_RAD)
}

/// Turns that differ by less may have another branch beside them that rounding hides.
const HIDDEN_BRANCH_RAD: f64 = 1.0;

fn is_within(a: &Row, b: &Row, most: f64) -> bool {
    a.iter().zip(b).all(|(a, b)| (a.cos - b.cos).abs() + (a.sin - b.sin).abs() <= most)
}

/// The row half way between two.
fn between(a: &Row, b: &Row) -> Row {
    std::array::from_fn(|joint| CosSin::from_direction(a[joint].cos + b[joint].cos, a[joint].sin + b[joint].sin))
}

/// The start on the other side of the row that it led to.
fn mirrored(start: &Row, row: &Row) -> Row {
    std::array::from_fn(|joint| start[joint].then(start[joint].then(row[joint].inverse())))
}

/// A small displacement in a general direction, another one for each linearity joint, and its opposite: where one puts a pose
/// out of reach, or two of its roots together, the other one does not.
fn poses_beside(linearity_joint: usize) -> [Rigid; 2] {
    let (axis, shift) = BESIDE_POSES[linearity_joint % BESIDE_POSES.len()];
    let axis = nalgebra::Vector3::from(axis).normalize();
    let beside = |sign: f64| Rigid {
        rotation: CosSin::from_angle(sign * BESIDE_POSE_SIZE_RAD).matrix(&axis),
        translation: nalgebra::Vector3::from(shift) * (sign * BESIDE_POSE_SIZE_RAD),
    };
    [beside(1.0), beside(-1.0)]
}

/// Size of these displacements, rad and in units of the arm.
const BESIDE_POSE_SIZE_RAD: f64 = 0.006;
/// Axes and shifts of these displacements.
const BESIDE_POSES: [([f64; 3], [f64; 3]); 3] = [
    ([-0.31, -0.44, 0.72], [-0.55, 0.42, 0.37]),
    ([-0.71, 0.23, 0.52], [-0.45, 0.68, 0.31]),
    ([0.48, -0.62, 0.35], [0.5, 0.33, -0.58]),
];
