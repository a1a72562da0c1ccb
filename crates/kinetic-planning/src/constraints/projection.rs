//! Projection onto the configurations that keep constraints: Newton's method with the least step, damped.
//!
//! Berenson, Srinivasa, Ferguson and Kuffner, "Manipulation planning on constraint manifolds", ICRA 2009, with analytic
//! Jacobians; a constraint that is kept asks for nothing.

use kinetic_kinematics::tree::column;
use kinetic_kinematics::{JointProgram, Rigid};
use nalgebra::{Cholesky, DMatrix, DVector, Vector3};

use super::ConstraintSet;
use super::custom::CustomMeasure;
use super::measure::Measure;

/// Steps after which a configuration is not projected.
const MAX_NEWTON_STEPS: usize = 40;

/// Constraints that use more than this part of their tolerance are brought to the other part: what stands off the limit of a
/// tolerance has motions to its neighbours that are proven in few halvings.
const USED_TOLERANCE_RATIO: f64 = 0.8;
const WANTED_TOLERANCE_RATIO: f64 = 0.5;

/// Damping of the normal equations, as part of their mean diagonal.
const DAMPING_RATIO: f64 = 1e-6;

/// No joint moves farther in one step, rad or m: the rows are of first order.
const LONGEST_STEP_RAD_M: f64 = 0.5;

/// A linear function of the velocity of a frame: `linear · v(point) + angular · ω`, with `point` fixed on the frame.
#[derive(Debug, Clone, Copy)]
pub(super) struct LinkTerm {
    pub(super) frame: usize,
    pub(super) point: Vector3<f64>,
    pub(super) linear: Vector3<f64>,
    pub(super) angular: Vector3<f64>,
}

impl LinkTerm {
    pub(super) fn turn(frame: usize, axis: Vector3<f64>) -> Self {
        Self { frame, point: Vector3::zeros(), linear: Vector3::zeros(), angular: axis }
    }

    pub(super) fn shift(frame: usize, point: Vector3<f64>, direction: Vector3<f64>) -> Self {
        Self { frame, point, linear: direction, angular: Vector3::zeros() }
    }
}

/// A wanted change of the sum of two terms.
#[derive(Debug, Clone, Copy)]
pub(super) struct Row {
    pub(super) terms: [LinkTerm; 2],
    pub(super) wanted: f64,
}

impl Row {
    pub(super) fn one(term: LinkTerm, wanted: f64) -> Self {
        Self { terms: [term, LinkTerm::turn(0, Vector3::zeros())], wanted }
    }

    /// Adds the row's Jacobian.
    fn fill(&self, program: &JointProgram, frames: &[Rigid], mut add: impl FnMut(usize, f64)) {
        for term in &self.terms {
            let mut current = term.frame;
            while current != 0 {
                let frame = &program.frames()[current - 1];
                let (linear, angular) = column(frame, &frames[current], &term.point);
                add(frame.variable, term.linear.dot(&linear) + term.angular.dot(&angular));
                current = frame.parent;
            }
        }
    }
}

/// Memory of projections.
#[derive(Debug, Clone)]
pub(super) struct Projection {
    rows: Vec<Row>,
    /// Rows whose Jacobians are numbers, one after the other, and their wanted changes.
    numeric: [Vec<f64>; 2],
    jacobian: DMatrix<f64>,
    wanted: DVector<f64>,
    normal: DMatrix<f64>,
}

impl Projection {
    pub(super) fn new(measures: &[Measure], custom: &[CustomMeasure], dof: usize) -> Self {
        let rows = measures.iter().map(Measure::max_rows).chain(custom.iter().map(CustomMeasure::dimension)).sum();
        Self {
            rows: Vec::with_capacity(rows),
            numeric: Default::default(),
            jacobian: DMatrix::zeros(rows, dof),
            wanted: DVector::zeros(rows),
            normal: DMatrix::zeros(rows, rows),
        }
    }

    /// Writes the multipliers of the least step into `wanted`; false where the normal equations have no solution.
    fn solve(&mut self, program: &JointProgram, frames: &[Rigid]) -> bool {
        self.jacobian.fill(0.0);
        self.wanted.fill(0.0);
        for (index, row) in self.rows.iter().enumerate() {
            self.wanted[index] = row.wanted;
            row.fill(program, frames, |variable, value| self.jacobian[(index, variable)] += value);
        }
        let dof = self.jacobian.ncols();
        for (index, wanted) in self.numeric[1].iter().enumerate() {
            let (row, values) = (self.rows.len() + index, &self.numeric[0][index * dof..(index + 1) * dof]);
            self.wanted[row] = *wanted;
            values.iter().enumerate().for_each(|(joint, value)| self.jacobian[(row, joint)] = *value);
        }
        let (count, size) = (self.count(), self.wanted.len());
        self.normal.fill(0.0);
        for a in 0..count {
            for b in 0..=a {
                self.normal[(a, b)] = self.jacobian.row(a).dot(&self.jacobian.row(b));
            }
        }
        let mean = (0..count).map(|index| self.normal[(index, index)]).sum::<f64>() / count.max(1) as f64;
        // Rows that are not used have a diagonal of their own.
        (0..size)
            .for_each(|index| self.normal[(index, index)] += if index < count { DAMPING_RATIO * mean } else { 1.0 });
        let Some(factor) = Cholesky::new(std::mem::take(&mut self.normal)) else {
            self.normal = DMatrix::zeros(size, size);
            return false;
        };
        factor.solve_mut(&mut self.wanted);
        self.normal = factor.unpack_dirty();
        true
    }

    /// Number of rows.
    fn count(&self) -> usize {
        self.rows.len() + self.numeric[1].len()
    }

    /// Appends rows of which a solution shortens a residual to `target`, in the first order.
    fn add_residual(&mut self, (residual, jacobian): (&[f64], &[f64]), target: f64) {
        let length = residual.iter().map(|value| value * value).sum::<f64>().sqrt();
        self.numeric[0].extend_from_slice(jacobian);
        self.numeric[1].extend(residual.iter().map(|value| -value * (1.0 - target / length)));
    }

    /// The step of one joint.
    fn step(&self, joint: usize) -> f64 {
        self.jacobian.column(joint).dot(&self.wanted)
    }
}

impl ConstraintSet {
    /// Moves `q` (group length) onto the configurations that keep all constraints, inside the ranges of the joints; false, and
    /// `q` is of no use, where that fails. A configuration that keeps them well is left as it is.
    pub fn project(&mut self, q: &mut [f64]) -> bool {
        for _ in 0..MAX_NEWTON_STEPS {
            self.clamp(q);
            self.tree.program().frames_into(q, &mut self.frames);
            if !self.collect_rows(q) {
                return false;
            }
            if self.projection.count() == 0 {
                return true;
            }
            if !self.projection.solve(self.tree.program(), &self.frames) {
                return false;
            }
            let longest = (0..q.len()).map(|joint| self.projection.step(joint).abs()).fold(0.0, f64::max);
            if !longest.is_finite() {
                return false;
            }
            let scale = (LONGEST_STEP_RAD_M / longest).min(1.0);
            q.iter_mut().enumerate().for_each(|(joint, q)| *q += scale * self.projection.step(joint));
        }
        self.clamp(q);
        self.holds_at(q)
    }

    fn clamp(&self, q: &mut [f64]) {
        q.iter_mut().zip(&*self.bounds).for_each(|(q, (low, high))| *q = q.clamp(*low, *high));
    }

    /// Rows of the measures that use too much of their tolerance; false once a function failed.
    fn collect_rows(&mut self, q: &[f64]) -> bool {
        self.projection.rows.clear();
        self.projection.numeric.iter_mut().for_each(Vec::clear);
        for measure in &*self.measures {
            if measure.deviation(&self.frames) > USED_TOLERANCE_RATIO * measure.tolerance {
                let target = WANTED_TOLERANCE_RATIO * measure.tolerance;
                measure.rows(&self.frames, target, &mut self.projection.rows);
            }
        }
        for measure in &mut self.custom {
            let tolerance = measure.tolerance();
            if measure.deviation(q, &self.failures) > USED_TOLERANCE_RATIO * tolerance {
                let Some(linearised) = measure.linearised(q, &self.failures) else { return false };
                self.projection.add_residual(linearised, WANTED_TOLERANCE_RATIO * tolerance);
            }
        }
        self.failures.first().is_none()
    }
}
