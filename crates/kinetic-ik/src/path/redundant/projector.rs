//! Projection onto the self-motion of a pose by Newton's method, and the null space of the Jacobian there.

use kinetic_kinematics::{KinematicChain, Rigid, jacobian};
use nalgebra::Vector3;

use super::PaddedJoints;
use crate::solvers::gram::{Column, Gram, dot};
use crate::tolerance::CLOSED_FORM_ERROR_M_RAD;

/// Pose error up to which a sample counts as at a pose.
const SAMPLE_ERROR_M_RAD: f64 = 1e-3;
/// Pose error that rounding may leave.
const ROUNDING_ERROR_M_RAD: f64 = 1e-10;
/// Newton steps of a projection.
const MOST_PROJECTION_STEPS: usize = 12;
/// Largest change of a joint in a Newton step, rad or m: the linear model is poor beyond.
const LARGEST_NEWTON_STEP_RAD_M: f64 = 0.4;
/// Damping of the normal matrix: keeps it regular at singularities.
const PSEUDOINVERSE_DAMPING: f64 = 1e-13;
/// Part of the largest entry of a Jacobian below which a pivot counts as zero.
const ZERO_PIVOT_RATIO: f64 = 1e-9;

/// Newton's method for the poses of one chain, with its buffers.
#[derive(Debug)]
pub(super) struct PoseProjector<'a> {
    chain: &'a KinematicChain,
    frames: Vec<Rigid>,
    columns: Vec<Column>,
}

impl<'a> PoseProjector<'a> {
    pub(super) fn new(chain: &'a KinematicChain) -> Self {
        Self { chain, frames: chain.frame_buffer(), columns: vec![[0.0; 6]; chain.dof()] }
    }

    pub(super) fn chain(&self) -> &'a KinematicChain {
        self.chain
    }

    /// Moves `q` to a configuration inside the limits that reaches the pose, by Newton steps of least norm; false when it
    /// does not arrive. Joints that would leave their limits are held on them.
    pub(super) fn project(&mut self, base_from_tcp: &Rigid, q: &mut PaddedJoints) -> bool {
        let mut is_free = [true; 8];
        for _ in 0..self.chain.dof() {
            if !self.newton(base_from_tcp, q, is_free, CLOSED_FORM_ERROR_M_RAD) {
                return false;
            }
            if !self.hold_crossing(q, &mut is_free) {
                return true;
            }
        }
        false
    }

    /// As [`Self::project`], roughly and wherever the limits are: what samples need.
    pub(super) fn approach(&mut self, base_from_tcp: &Rigid, q: &mut PaddedJoints) -> bool {
        self.newton(base_from_tcp, q, [true; 8], SAMPLE_ERROR_M_RAD)
    }

    /// Puts joints outside their limits onto them; true if there are any.
    fn hold_crossing(&self, q: &mut PaddedJoints, is_free: &mut [bool; 8]) -> bool {
        let mut any = false;
        for (joint, (low, high)) in self.chain.bounds().iter().enumerate() {
            if q[joint] < *low || q[joint] > *high {
                q[joint] = q[joint].clamp(*low, *high);
                is_free[joint] = false;
                any = true;
            }
        }
        any
    }

    /// Newton's method in the free joints.
    fn newton(&mut self, base_from_tcp: &Rigid, q: &mut PaddedJoints, is_free: [bool; 8], close: f64) -> bool {
        let dof = self.chain.dof();
        let mut last = f64::INFINITY;
        for step in 0..=MOST_PROJECTION_STEPS {
            let tip = self.chain.tip_rigid(&q[..dof], &mut self.frames);
            let error = pose_error(&tip, base_from_tcp);
            let size = dot(&error, &error).sqrt();
            if size <= close || (size <= ROUNDING_ERROR_M_RAD && size > 0.5 * last) {
                return true;
            }
            // Newton's method halves its error at least, once it is near.
            if step == MOST_PROJECTION_STEPS || (step > 4 && size > 0.5 * last) {
                return false;
            }
            last = size;
            jacobian::fill(self.chain, &self.frames, &tip.translation, self.columns.as_flattened_mut());
            let mut gram = Gram::new(PSEUDOINVERSE_DAMPING);
            for (column, _) in self.columns.iter().zip(is_free).filter(|(_, is_free)| *is_free) {
                gram.add(column);
            }
            let y = gram.solve(&error);
            let mut change = [0.0; 8];
            let mut largest = LARGEST_NEWTON_STEP_RAD_M;
            for joint in (0..dof).filter(|joint| is_free[*joint]) {
                change[joint] = dot(&self.columns[joint], &y);
                largest = largest.max(change[joint].abs());
            }
            for joint in 0..dof {
                q[joint] += change[joint] * (LARGEST_NEWTON_STEP_RAD_M / largest);
            }
        }
        false
    }

    /// Orthonormal directions of the self-motion at `q`: `D` values per joint.
    pub(super) fn directions<const D: usize>(&mut self, q: &PaddedJoints) -> [[f64; D]; 8] {
        let dof = self.chain.dof();
        let tip = self.chain.tip_rigid(&q[..dof], &mut self.frames);
        jacobian::fill(self.chain, &self.frames, &tip.translation, self.columns.as_flattened_mut());
        null_space(&mut self.columns)
    }
}

/// Pose error of a reached pose: translation, then sine of the angle times axis. The sine is 0 at half a turn as well, where
/// the error is infinite.
fn pose_error(reached: &Rigid, wanted: &Rigid) -> Column {
    let shift = wanted.translation - reached.translation;
    let columns = |axis: usize| reached.rotation.column(axis).cross(&wanted.rotation.column(axis));
    let turn: Vector3<f64> = (columns(0) + columns(1) + columns(2)) * 0.5;
    let is_far = reached.rotation.dot(&wanted.rotation) < 1.0;
    let factor = if is_far { f64::INFINITY } else { 1.0 };
    [shift.x, shift.y, shift.z, turn.x * factor, turn.y * factor, turn.z * factor]
}

/// Orthonormal vectors that a matrix of six rows, given by columns, maps to zero: as many as asked for, by elimination
/// with full pivoting and Gram–Schmidt. The matrix is overwritten.
fn null_space<const D: usize>(columns: &mut [Column]) -> [[f64; D]; 8] {
    let dof = columns.len();
    let mut order = [0, 1, 2, 3, 4, 5, 6, 7];
    let rank_most = dof.saturating_sub(D).min(6);
    let scale = columns.iter().flatten().fold(0.0_f64, |most, value| most.max(value.abs()));
    for pivot in 0..rank_most {
        let (row, index) = largest(columns, &order, pivot);
        order.swap(pivot, index);
        for column in columns.iter_mut() {
            column.swap(pivot, row);
        }
        let head = columns[order[pivot]];
        if head[pivot].abs() <= ZERO_PIVOT_RATIO * scale {
            // Joints from here on move freely; a basis of the rest is as good as any.
            break;
        }
        for row in (0..6).filter(|row| *row != pivot) {
            let share = head[row] / head[pivot];
            for index in pivot..dof {
                let column = &mut columns[order[index]];
                column[row] -= share * column[pivot];
            }
        }
    }
    basis(columns, &order, rank_most)
}

/// Indices of the largest entry from `pivot` on: its row and its index in the order.
fn largest(columns: &[Column], order: &[usize; 8], pivot: usize) -> (usize, usize) {
    let mut best = (pivot, pivot, -1.0);
    for index in pivot..columns.len() {
        for row in pivot..6 {
            let size = columns[order[index]][row].abs();
            if size > best.2 {
                best = (row, index, size);
            }
        }
    }
    (best.0, best.1)
}

/// One vector per free column of the eliminated matrix, made orthonormal.
fn basis<const D: usize>(columns: &[Column], order: &[usize; 8], rank: usize) -> [[f64; D]; 8] {
    let mut out = [[0.0; D]; 8];
    for free in 0..D {
        let mut vector = [0.0; 8];
        vector[order[rank + free]] = 1.0;
        for pivot in 0..rank {
            let diagonal = columns[order[pivot]][pivot];
            if diagonal != 0.0 {
                vector[order[pivot]] = -columns[order[rank + free]][pivot] / diagonal;
            }
        }
        for known in 0..free {
            let along: f64 = (0..8).map(|joint| vector[joint] * out[joint][known]).sum();
            (0..8).for_each(|joint| vector[joint] -= along * out[joint][known]);
        }
        let length = vector.iter().map(|value| value * value).sum::<f64>().sqrt();
        (0..8).for_each(|joint| out[joint][free] = vector[joint] / length);
    }
    out
}
