//! Rows of task problems as velocities, on two priority levels.

use kinetic_core::error::check_finite;
use kinetic_core::{KineticError, Result};
use kinetic_ik::tasks::{Rows, State, Task};

use super::least_squares::DampedLeastSquares;
use super::singular_values::dot;
use super::twist_command::TaskCommand;
use super::velocity_problem::{SingularityDamping, VelocityProblem, VelocitySizes};

/// Rows of one priority level, multiplied by the roots of their weights.
#[derive(Debug, Clone, Default)]
pub(super) struct LevelRows {
    pub(super) jacobian: Vec<f64>,
    pub(super) wanted: Vec<f64>,
}

/// Rows of the tasks of a command.
#[derive(Debug, Clone)]
pub(super) struct TaskRows {
    n: usize,
    pub(super) first: LevelRows,
    second: LevelRows,
}

impl TaskRows {
    /// Evaluates the tasks at a configuration of the length of the robot, be it outside its limits.
    pub(super) fn new(command: &TaskCommand<'_>, full: &[f64]) -> Result<Self> {
        let model = command.problem.model();
        let n = model.num_columns();
        let state = State::as_it_stands(model, full.to_vec(), &command.world_from_root);
        let mut levels: Vec<(usize, LevelRows)> = Vec::new();
        for (task, priority, weight) in command.problem.tasks() {
            if levels.last().is_none_or(|(last, _)| *last != priority) {
                levels.push((priority, LevelRows::default()));
            }
            if let Some((_, rows)) = levels.last_mut() {
                rows.add(task, &state, weight, command.gain)?;
            }
        }
        if levels.len() > 2 {
            let wanted = "at most two; the posture of the context is a third";
            return Err(KineticError::invalid("priority levels of the task problem", levels.len(), wanted));
        }
        let mut levels = levels.into_iter().map(|(_, rows)| rows);
        let (first, second) = (levels.next().unwrap_or_default(), levels.next().unwrap_or_default());
        Ok(Self { n, first, second })
    }

    /// Joint velocities for the null space of the first level: those of the second level there, and of `posture` in what
    /// that leaves; and the largest λ along a direction that the second level has lost.
    pub(super) fn null_space_velocity(&self, posture: &[f64], damping: SingularityDamping) -> (Vec<f64>, f64) {
        if self.second.wanted.is_empty() {
            return (posture.to_vec(), 0.0);
        }
        let n = self.n;
        let free = vec![f64::INFINITY; n];
        let bound = vec![f64::NEG_INFINITY; n];
        let zeros = vec![0.0; n];
        let solve = |level: &LevelRows, posture: &[f64]| {
            let sizes = VelocitySizes { joints: n, task_rows: level.wanted.len(), rows: 0 };
            let weights = vec![1.0; level.wanted.len()];
            let mut squares = DampedLeastSquares::new(&sizes, damping);
            squares.solve(&VelocityProblem {
                jacobian: &level.jacobian,
                wanted: &level.wanted,
                weights: &weights,
                posture,
                bias: &[],
                lower: &bound,
                upper: &free,
                rows: &[],
                row_bounds: &[],
                row_weights: &[],
                regularization: 0.0,
            });
            squares
        };
        let mut first = solve(&self.first, &zeros);
        let mut second = self.second.clone();
        for (row, wanted) in second.jacobian.chunks_exact_mut(n).zip(&mut second.wanted) {
            *wanted -= dot(row, &first.task);
            first.project(row);
            row.copy_from_slice(&first.null);
        }
        // Inside the null space of the first level, what the rows of the second do not see.
        first.project(posture);
        let second = solve(&second, &first.null);
        let velocity = second.task.iter().zip(&second.null).map(|(task, null)| task + null);
        (velocity.collect(), second.damping)
    }
}

impl LevelRows {
    fn add(&mut self, task: &dyn Task, state: &State<'_>, weight: f64, gain: f64) -> Result<()> {
        let (rows, columns) = (task.num_rows(), state.model().num_columns());
        let mut error = vec![0.0; rows];
        let mut jacobian = vec![0.0; rows * columns];
        let mut scratch = vec![0.0; 12 * columns];
        task.evaluate(state, &mut Rows { error: &mut error, jacobian: &mut jacobian, columns, scratch: &mut scratch });
        check_finite(&format!("error of task \"{}\"", task.name()), &error)?;
        check_finite(&format!("Jacobian of task \"{}\"", task.name()), &jacobian)?;
        let root = weight.sqrt();
        self.jacobian.extend(jacobian.iter().map(|value| root * value));
        self.wanted.extend(error.iter().map(|error| root * gain * error));
        Ok(())
    }
}
