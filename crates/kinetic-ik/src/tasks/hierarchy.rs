//! Prioritized step: one step on all priority levels.
//!
//! Each level is solved in the null space of those above it (Siciliano & Slotine 1991), by singular values, of which only
//! the small ones are damped (Chiaverini 1997, after Nakamura & Hanafusa 1986). A joint whose step would leave its limits
//! goes to the limit and drops out, and the others share the residual (Flacco, De Luca & Khatib 2012).

use std::ops::Range;

use super::jacobi_svd::{dot, orthogonalise};
use super::problem::{TaskOptions, TaskProblem};
use super::state::State;
use super::task::{Limit, Rows};

/// Directions that a level can hardly move belong to the levels below it from this singular value on.
const RANK_SINGULAR_VALUE: f64 = 1e-7;
/// A step this far (rad or m) beyond a limit is at the limit.
const LIMIT_OVERSHOOT_RAD_M: f64 = 1e-12;

/// Rows of one task among those of all.
struct Slot {
    rows: Range<usize>,
    level: usize,
    root_weight: f64,
    limits: Vec<Limit>,
}

/// Buffers of a solve; nothing is allocated per iteration.
pub(super) struct Workspace {
    n: usize,
    slots: Vec<Slot>,
    levels: Vec<Range<usize>>,
    /// Weighted rows; columns scaled by the weights of the joints.
    error: Vec<f64>,
    jacobian: Vec<f64>,
    scratch: Vec<f64>,
    /// Half the squared error per level, and whether its limits are met.
    pub(super) merit: Vec<f64>,
    pub(super) met: Vec<bool>,
    /// Norm of the rows of every limit, task after task.
    pub(super) residuals: Vec<f64>,
    projector: Vec<f64>,
    basis: Vec<f64>,
    residual: Vec<f64>,
    scaled: Vec<f64>,
    fixed: Vec<bool>,
    /// The last step, per column, rad or m.
    pub(super) step: Vec<f64>,
}

impl Workspace {
    pub(super) fn new(problem: &TaskProblem) -> Self {
        let n = problem.model.num_columns();
        let mut slots: Vec<Slot> = Vec::new();
        let mut levels: Vec<Range<usize>> = Vec::new();
        let mut priority = None;
        let mut rows = 0;
        for entry in &problem.entries {
            let count = entry.task.num_rows();
            if priority != Some(entry.priority) {
                priority = Some(entry.priority);
                levels.push(rows..rows);
            }
            let level = levels.len() - 1;
            levels[level].end = rows + count;
            let limits = entry.task.limits();
            slots.push(Slot { rows: rows..rows + count, level, root_weight: entry.weight.sqrt(), limits });
            rows += count;
        }
        let widest = levels.iter().map(Range::len).max().unwrap_or(0);
        let num_limits = slots.iter().map(|slot| slot.limits.len()).sum();
        Self {
            n,
            error: vec![0.0; rows],
            jacobian: vec![0.0; rows * n],
            scratch: vec![0.0; 12 * n],
            merit: vec![0.0; levels.len()],
            met: vec![false; levels.len()],
            residuals: vec![0.0; num_limits],
            projector: vec![0.0; n * n],
            basis: vec![0.0; widest * n],
            residual: vec![0.0; widest],
            scaled: vec![0.0; n],
            fixed: vec![false; n],
            step: vec![0.0; n],
            slots,
            levels,
        }
    }

    pub(super) fn num_levels(&self) -> usize {
        self.levels.len()
    }

    /// True when a level has limits at all.
    pub(super) fn has_limits(&self, level: usize) -> bool {
        self.slots.iter().any(|slot| slot.level == level && !slot.limits.is_empty())
    }

    /// Limits of a task, and their residuals.
    pub(super) fn residuals_of(&self, task: usize) -> impl Iterator<Item = (&Limit, f64)> {
        let before: usize = self.slots[..task].iter().map(|slot| slot.limits.len()).sum();
        self.slots[task].limits.iter().zip(self.residuals[before..].iter().copied())
    }

    /// Errors and Jacobians of all tasks where the state stands.
    pub(super) fn evaluate(&mut self, problem: &TaskProblem, state: &State<'_>) {
        let n = self.n;
        self.merit.fill(0.0);
        self.met.fill(true);
        let mut limit_index = 0;
        for (slot, entry) in self.slots.iter().zip(&problem.entries) {
            let error = &mut self.error[slot.rows.clone()];
            let jacobian = &mut self.jacobian[slot.rows.start * n..slot.rows.end * n];
            let mut rows = Rows { error, jacobian, columns: n, scratch: &mut self.scratch };
            entry.task.evaluate(state, &mut rows);
            for limit in &slot.limits {
                let residual = dot(&error[limit.rows.clone()], &error[limit.rows.clone()]).sqrt();
                self.residuals[limit_index] = residual;
                limit_index += 1;
                self.met[slot.level] &= residual <= limit.tolerance;
            }
            for error in error.iter_mut() {
                *error *= slot.root_weight;
            }
            for row in jacobian.chunks_exact_mut(n) {
                for (value, scale) in row.iter_mut().zip(&problem.model.scales) {
                    *value *= slot.root_weight * scale;
                }
            }
            self.merit[slot.level] += 0.5 * dot(error, error);
        }
    }

    /// The step on the first `levels` levels, from rows that [`evaluate`](Self::evaluate) left.
    pub(super) fn solve(&mut self, state: &State<'_>, levels: usize, options: &TaskOptions) {
        let model = state.model();
        let base = model.base.dof();
        self.fixed.fill(false);
        self.scaled.fill(0.0);
        // Each round fixes one joint more.
        for _ in base..=self.n {
            self.solve_free(levels, options);
            for (column, step) in self.step.iter_mut().enumerate() {
                *step = self.scaled[column] * model.scales[column];
            }
            let largest = self.step.iter().fold(0.0_f64, |largest, step| largest.max(step.abs()));
            let shrink = if largest > options.largest_step { options.largest_step / largest } else { 1.0 };
            for step in &mut self.step {
                *step *= shrink;
            }
            let Some((column, step_to_limit)) = self.worst(state, base) else { return };
            self.fixed[column] = true;
            self.step[column] = step_to_limit;
            for other in 0..self.n {
                // What is free is found anew; what is fixed keeps its step to its limit.
                self.scaled[other] = if self.fixed[other] { self.step[other] / model.scales[other] } else { 0.0 };
            }
        }
    }

    /// The free joint whose step leaves its limits farthest, and the step to its limit.
    fn worst(&self, state: &State<'_>, base: usize) -> Option<(usize, f64)> {
        let mut worst = None;
        let mut farthest = LIMIT_OVERSHOOT_RAD_M;
        for column in base..self.n {
            if self.fixed[column] {
                continue;
            }
            let (low, high) = state.model().column_bounds(column - base, state.q());
            let value = state.column_value(column - base);
            let step_to_limit = (self.step[column]).clamp(low - value, (high - value).max(low - value));
            let beyond = (self.step[column] - step_to_limit).abs();
            if beyond > farthest {
                farthest = beyond;
                worst = Some((column, step_to_limit));
            }
        }
        worst
    }

    /// Solves level after level for the free columns; `scaled` holds the fixed ones and gets the answer.
    fn solve_free(&mut self, levels: usize, options: &TaskOptions) {
        let n = self.n;
        self.projector.fill(0.0);
        for column in 0..n {
            self.projector[column * n + column] = if self.fixed[column] { 0.0 } else { 1.0 };
        }
        for level in 0..levels {
            let rows = self.levels[level].clone();
            let k = rows.len();
            for (index, row) in rows.enumerate() {
                let jacobian = &self.jacobian[row * n..(row + 1) * n];
                self.residual[index] = self.error[row] - dot(jacobian, &self.scaled);
                // The projector is symmetric.
                for column in 0..n {
                    self.basis[index * n + column] = dot(jacobian, &self.projector[column * n..(column + 1) * n]);
                }
            }
            orthogonalise(&mut self.basis[..k * n], &mut self.residual[..k], n);
            self.drop_immovable(k);
            // After what no step can change is gone: else tasks that contradict each other would slow their compromise.
            shorten(&mut self.residual[..k], options.largest_error);
            let error = dot(&self.residual[..k], &self.residual[..k]).sqrt();
            self.add_level(k, error, options);
        }
    }

    /// Takes the directions out of the error in which nothing moves.
    fn drop_immovable(&mut self, k: usize) {
        for (index, direction) in self.basis[..k * self.n].chunks_exact(self.n).enumerate() {
            if dot(direction, direction).sqrt() < RANK_SINGULAR_VALUE {
                self.residual[index] = 0.0;
            }
        }
    }

    /// Adds the step along every singular direction, and takes it out of the null space.
    fn add_level(&mut self, k: usize, error: f64, options: &TaskOptions) {
        let n = self.n;
        for index in 0..k {
            let direction = &self.basis[index * n..(index + 1) * n];
            let square = dot(direction, direction);
            let sigma = square.sqrt();
            if sigma < RANK_SINGULAR_VALUE {
                continue;
            }
            let ratio = sigma / options.singular_value;
            // Full damping at a singularity, none from the threshold on; it vanishes with the error, so as not to slow the end.
            let damping =
                if ratio < 1.0 { (1.0 - ratio * ratio) * options.damping.powi(2) * error.min(1.0) } else { 0.0 };
            let length = self.residual[index] / (square + damping);
            for column in 0..n {
                self.scaled[column] += length * direction[column];
            }
            for row in 0..n {
                let left = direction[row] / square;
                for column in 0..n {
                    self.projector[row * n + column] -= left * direction[column];
                }
            }
        }
    }
}

/// Makes a vector at most this long.
fn shorten(vector: &mut [f64], longest: f64) {
    let length = dot(vector, vector).sqrt();
    if length > longest {
        for value in vector {
            *value *= longest / length;
        }
    }
}
