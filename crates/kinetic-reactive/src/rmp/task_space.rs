//! Task spaces: what every policy adds to the sum, as buffers that are filled anew in each cycle.
//!
//! A Riemannian motion policy (Ratliff, Issac, Kappler, Birchfield, Fox 2018) lives in a task space `x = φ(q)`: it wants an
//! acceleration `a` there, and states by a metric `M` how much each direction of it counts. To be pulled back into the space of
//! the joints it needs the Jacobian `J` of the task map and its curvature `J̇ q̇`, since `ẍ = J q̈ + J̇ q̇`.

use kinetic_core::{KineticError, Result};

/// A metric counts as symmetric up to this part of its largest value.
const SYMMETRY_TOLERANCE: f64 = 1e-9;
/// A metric counts as positive semidefinite when no pivot is below minus this part of its largest value.
const PIVOT_TOLERANCE: f64 = 1e-9;

/// The task spaces of one cycle.
#[derive(Debug, Clone, Default)]
pub struct TaskSpaces {
    dof: usize,
    spaces: Vec<Extent>,
    data: Vec<f64>,
    /// Memory of the factorisation that checks a metric.
    scratch: Vec<f64>,
}

#[derive(Debug, Clone, Copy)]
struct Extent {
    rows: usize,
    begin: usize,
}

/// A task space that is being filled; everything is 0 at first.
#[derive(Debug)]
pub struct TaskSpace<'a> {
    /// `J`, rows × dof, row after row: task units per rad or m.
    pub jacobian: &'a mut [f64],
    /// `J̇ q̇`, one value per row: what the task accelerates without joint accelerations.
    pub curvature: &'a mut [f64],
    /// `M`, rows × rows, symmetric and positive semidefinite.
    pub metric: &'a mut [f64],
    /// `a`, one value per row: the wanted acceleration in the task space.
    pub acceleration: &'a mut [f64],
}

/// A task space to read; fields as in [`TaskSpace`].
#[derive(Debug, Clone, Copy)]
pub struct TaskSpaceView<'a> {
    /// Number of rows.
    pub rows: usize,
    /// `J`, rows × dof, row after row.
    pub jacobian: &'a [f64],
    /// `J̇ q̇`.
    pub curvature: &'a [f64],
    /// `M`, rows × rows.
    pub metric: &'a [f64],
    /// `a`.
    pub acceleration: &'a [f64],
}

impl TaskSpaces {
    /// Empties the list for configurations of `dof` values, and keeps the allocated memory.
    pub fn clear(&mut self, dof: usize) {
        self.dof = dof;
        self.spaces.clear();
        self.data.clear();
    }

    /// Number of task spaces.
    pub fn len(&self) -> usize {
        self.spaces.len()
    }

    /// True without task spaces.
    pub fn is_empty(&self) -> bool {
        self.spaces.is_empty()
    }

    /// Adds a task space of `rows` dimensions.
    pub fn add(&mut self, rows: usize) -> TaskSpace<'_> {
        let begin = self.data.len();
        self.spaces.push(Extent { rows, begin });
        self.data.resize(begin + rows * (self.dof + rows + 2), 0.0);
        let (jacobian, rest) = self.data[begin..].split_at_mut(rows * self.dof);
        let (curvature, rest) = rest.split_at_mut(rows);
        let (metric, acceleration) = rest.split_at_mut(rows * rows);
        TaskSpace { jacobian, curvature, metric, acceleration }
    }

    /// Adds a task space of one dimension.
    pub fn add_scalar(&mut self, jacobian: &[f64], curvature: f64, metric: f64, acceleration: f64) {
        let space = self.add(1);
        space.jacobian.copy_from_slice(jacobian);
        space.curvature[0] = curvature;
        space.metric[0] = metric;
        space.acceleration[0] = acceleration;
    }

    /// Adds a task space of one dimension whose value is that of a joint.
    pub fn add_joint(&mut self, joint: usize, metric: f64, acceleration: f64) {
        let space = self.add(1);
        space.jacobian[joint] = 1.0;
        space.metric[0] = metric;
        space.acceleration[0] = acceleration;
    }

    /// The task spaces in the order in which they were added.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = TaskSpaceView<'_>> {
        self.spaces.iter().map(|extent| self.view(*extent))
    }

    fn view(&self, Extent { rows, begin }: Extent) -> TaskSpaceView<'_> {
        let (jacobian, rest) = self.data[begin..begin + rows * (self.dof + rows + 2)].split_at(rows * self.dof);
        let (curvature, rest) = rest.split_at(rows);
        let (metric, acceleration) = rest.split_at(rows * rows);
        TaskSpaceView { rows, jacobian, curvature, metric, acceleration }
    }

    /// Refuses what a policy added from task space `first` on, when it cannot be summed.
    pub(super) fn check_from(&mut self, first: usize, policy: &str) -> Result<()> {
        let mut scratch = std::mem::take(&mut self.scratch);
        let checked =
            self.spaces[first..].iter().try_for_each(|extent| check(&self.view(*extent), policy, &mut scratch));
        self.scratch = scratch;
        checked
    }
}

fn check(space: &TaskSpaceView<'_>, policy: &str, scratch: &mut Vec<f64>) -> Result<()> {
    let parts = [
        ("Jacobian", space.jacobian),
        ("curvature", space.curvature),
        ("metric", space.metric),
        ("acceleration", space.acceleration),
    ];
    for (part, values) in parts {
        if let Some(index) = values.iter().position(|value| !value.is_finite()) {
            let context = format!("{part} of policy \"{policy}\"");
            return Err(KineticError::NotFinite { context, index, value: values[index] });
        }
    }
    if is_positive_semidefinite(space.metric, space.rows, scratch) {
        return Ok(());
    }
    let wanted = "a symmetric, positive semidefinite matrix";
    Err(KineticError::invalid(format!("metric of policy \"{policy}\""), format!("{:?}", space.metric), wanted))
}

/// Whether a matrix is symmetric and positive semidefinite, by its factorisation `L D Lᵀ` without pivoting: of such a matrix a
/// row and column with a pivot of 0 are 0.
fn is_positive_semidefinite(matrix: &[f64], rows: usize, scratch: &mut Vec<f64>) -> bool {
    let largest = matrix.iter().fold(0.0_f64, |largest, value| largest.max(value.abs()));
    let is_symmetric = |(row, column): (usize, usize)| {
        (matrix[row * rows + column] - matrix[column * rows + row]).abs() <= SYMMETRY_TOLERANCE * largest
    };
    if !(0..rows).flat_map(|row| (0..row).map(move |column| (row, column))).all(is_symmetric) {
        return false;
    }
    scratch.clear();
    scratch.extend_from_slice(matrix);
    let tolerance = PIVOT_TOLERANCE * largest;
    for pivot in 0..rows {
        let value = scratch[pivot * rows + pivot];
        if value < -tolerance {
            return false;
        }
        if value <= tolerance {
            // |mᵢⱼ|² ≤ mᵢᵢ mⱼⱼ in a positive semidefinite matrix.
            let most = (2.0 * tolerance * largest).sqrt();
            if (pivot + 1..rows).any(|row| scratch[row * rows + pivot].abs() > most) {
                return false;
            }
            continue;
        }
        for row in pivot + 1..rows {
            let factor = scratch[row * rows + pivot] / value;
            for column in pivot + 1..rows {
                scratch[row * rows + column] -= factor * scratch[pivot * rows + column];
            }
        }
    }
    true
}

#[cfg(test)]
mod tests {
    use super::is_positive_semidefinite;

    #[test]
    fn semidefinite_matrices_pass_and_others_do_not() {
        let is = |matrix: &[f64], rows| is_positive_semidefinite(matrix, rows, &mut Vec::new());
        assert!(is(&[0.0], 1) && is(&[2.0], 1) && !is(&[-1.0], 1));
        assert!(is(&[1.0, 1.0, 1.0, 1.0], 2), "singular");
        assert!(!is(&[1.0, 2.0, 2.0, 1.0], 2), "eigenvalue -1");
        assert!(!is(&[1.0, 0.5, 0.0, 1.0], 2), "not symmetric");
        assert!(!is(&[0.0, 1.0, 1.0, 0.0], 2), "eigenvalues 1 and -1");
        assert!(!is(&[0.0, 1.0, 1.0, 5.0], 2), "no semidefinite matrix has a diagonal of 0 beside something else");
    }
}
