//! From configurations nearby to such that reach a pose, and the directions in which these go on reaching it.

use kinetic_kinematics::{KinematicChain, Rigid, jacobian};
use nalgebra::Vector3;

use super::Row;
use crate::solvers::six::{Column, Gram, dot};

/// Error up to which a pose is reached, m and rad: what closed forms close to.
const REACHED: f64 = 1e-11;
/// Error up to which a sample is at a pose, m and rad.
const NEARLY: f64 = 1e-3;
/// What rounding may keep from being less.
const ROUNDED: f64 = 1e-10;
/// Newton steps of a projection.
const STEPS: usize = 12;
/// Largest change of a joint in a Newton step, rad or m: the linear model is poor beyond.
const LARGEST: f64 = 0.4;
/// Damping of the normal matrix: keeps it regular at singularities.
const DAMPING: f64 = 1e-13;
/// Part of the largest entry of a Jacobian below which a pivot counts as zero.
const RANK: f64 = 1e-9;

/// Newton's method for the poses of one chain, with its memory.
#[derive(Debug)]
pub(super) struct Follower<'a> {
    chain: &'a KinematicChain,
    frames: Vec<Rigid>,
    columns: Vec<Column>,
}

impl<'a> Follower<'a> {
    pub(super) fn new(chain: &'a KinematicChain) -> Self {
        Self { chain, frames: chain.frame_buffer(), columns: vec![[0.0; 6]; chain.dof()] }
    }

    pub(super) fn chain(&self) -> &'a KinematicChain {
        self.chain
    }

    /// Moves `q` to a configuration inside the limits that reaches the pose, by Newton steps of least norm; false when it
    /// does not arrive. Joints that would leave their limits are held on them.
    pub(super) fn project(&mut self, base_from_tcp: &Rigid, q: &mut Row) -> bool {
        let mut is_free = [true; 8];
        for _ in 0..self.chain.dof() {
            if !self.reach(base_from_tcp, q, is_free, REACHED) {
                return false;
            }
            if !self.hold_crossing(q, &mut is_free) {
                return true;
            }
        }
        false
    }

    /// As [`Self::project`], roughly and wherever the limits are: what samples need.
    pub(super) fn approach(&mut self, base_from_tcp: &Rigid, q: &mut Row) -> bool {
        self.reach(base_from_tcp, q, [true; 8], NEARLY)
    }

    /// Puts joints outside their limits onto them; true if there are any.
    fn hold_crossing(&self, q: &mut Row, is_free: &mut [bool; 8]) -> bool {
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
    fn reach(&mut self, base_from_tcp: &Rigid, q: &mut Row, is_free: [bool; 8], close: f64) -> bool {
        let dof = self.chain.dof();
        let mut last = f64::INFINITY;
        for step in 0..=STEPS {
            let tip = self.chain.tip_rigid(&q[..dof], &mut self.frames);
            let error = missing(&tip, base_from_tcp);
            let size = dot(&error, &error).sqrt();
            if size <= close || (size <= ROUNDED && size > 0.5 * last) {
                return true;
            }
            // Newton's method halves its error at least, once it is near.
            if step == STEPS || (step > 4 && size > 0.5 * last) {
                return false;
            }
            last = size;
            jacobian::fill(self.chain, &self.frames, &tip.translation, self.columns.as_flattened_mut());
            let mut gram = Gram::new(DAMPING);
            for (column, _) in self.columns.iter().zip(is_free).filter(|(_, is_free)| *is_free) {
                gram.add(column);
            }
            let y = gram.solve(&error);
            let mut change = [0.0; 8];
            let mut largest = LARGEST;
            for joint in (0..dof).filter(|joint| is_free[*joint]) {
                change[joint] = dot(&self.columns[joint], &y);
                largest = largest.max(change[joint].abs());
            }
            for joint in 0..dof {
                q[joint] += change[joint] * (LARGEST / largest);
            }
        }
        false
    }

    /// Orthonormal directions of the self-motion at `q`: `D` values per joint.
    pub(super) fn directions<const D: usize>(&mut self, q: &Row) -> [[f64; D]; 8] {
        let dof = self.chain.dof();
        let tip = self.chain.tip_rigid(&q[..dof], &mut self.frames);
        jacobian::fill(self.chain, &self.frames, &tip.translation, self.columns.as_flattened_mut());
        null_space(&mut self.columns)
    }
}

/// What is missing from a reached to a wanted pose: translation, then sine of the angle times axis, which is 0 at half a
/// turn as well; there, no configuration is near.
fn missing(reached: &Rigid, wanted: &Rigid) -> Column {
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
        let (row, place) = largest(columns, &order, pivot);
        order.swap(pivot, place);
        for column in columns.iter_mut() {
            column.swap(pivot, row);
        }
        let head = columns[order[pivot]];
        if head[pivot].abs() <= RANK * scale {
            // Joints from here on move freely; a basis of the rest is as good as any.
            break;
        }
        for row in (0..6).filter(|row| *row != pivot) {
            let share = head[row] / head[pivot];
            for place in pivot..dof {
                let column = &mut columns[order[place]];
                column[row] -= share * column[pivot];
            }
        }
    }
    basis(columns, &order, rank_most)
}

/// Place of the largest entry from `pivot` on: its row and its place in the order.
fn largest(columns: &[Column], order: &[usize; 8], pivot: usize) -> (usize, usize) {
    let mut best = (pivot, pivot, -1.0);
    for place in pivot..columns.len() {
        for row in pivot..6 {
            let size = columns[order[place]][row].abs();
            if size > best.2 {
                best = (row, place, size);
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
