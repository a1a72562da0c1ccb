//! Velocity problems as borrowed data, and what comes out of them.

use kinetic_core::error::{check_finite, check_len};
use kinetic_core::{KineticError, Result};

/// Bounds of a joint that cross by no more than this (rad/s or m/s) are equal.
pub(super) const CROSSED_BOUNDS_TOLERANCE: f64 = 1e-9;

/// A joint whose velocity bound is below this, rad/s or m/s, stands at its end.
const STILL_VELOCITY: f64 = 1e-3;

/// Whether a joint stands at the end of its range that a wanted velocity leads beyond, by its velocity bounds, lower and upper.
pub(super) fn is_at_end(wanted: f64, [lower, upper]: [f64; 2]) -> bool {
    let bound = if wanted > 0.0 { upper } else { lower };
    bound.abs() < STILL_VELOCITY && wanted.abs() > STILL_VELOCITY
}

/// Joint velocities are wanted such that `jacobian · q̇ = wanted`, as nearly as bounds and rows allow.
///
/// With fewer rows than joints something is left over: those joints follow `posture`, projected into the null space of
/// the Jacobian, so that the posture takes nothing from the task.
#[derive(Debug, Clone, Copy)]
pub struct VelocityProblem<'a> {
    /// `J`, m × n, row after row: how fast each quantity changes per unit velocity of each joint.
    pub jacobian: &'a [f64],
    /// Wanted velocity of each quantity, m numbers.
    pub wanted: &'a [f64],
    /// Weight of each squared error, m positive numbers; they decide where not all can be met.
    pub weights: &'a [f64],
    /// Joint velocities for the null space, n numbers, rad/s or m/s; zeros for the least velocities.
    pub posture: &'a [f64],
    /// Joint velocities that are added to what the task wants, before bounds and rows, n numbers, or none: for directions that the task
    /// has lost.
    pub bias: &'a [f64],
    /// Lowest velocity of each joint, n numbers, rad/s or m/s; positive where a joint has to move, `−∞` for none.
    pub lower: &'a [f64],
    /// Highest velocity of each joint.
    pub upper: &'a [f64],
    /// Inequalities `rows · q̇ ≥ row_bounds`, k × n, row after row: for example gradients of distances.
    pub rows: &'a [f64],
    /// Lowest values of the rows, k numbers.
    pub row_bounds: &'a [f64],
    /// Per row ∞ when it is hard, else the weight of the squared amount by which it is missed. Empty when all are hard.
    pub row_weights: &'a [f64],
    /// Weight of the squared difference between the joint velocities and those without bounds and rows, beside the squared error of the
    /// task; 0 for the least error. A redundant arm could keep its task beside a row by a motion in its null space that is as fast as the
    /// row is blind for it; with a weight it gives a little of the task instead. Only `qp` reads it.
    pub regularization: f64,
}

/// Largest sizes of the problems that a solver is made for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct VelocitySizes {
    /// Number of joints, n: that of every problem.
    pub joints: usize,
    /// Largest number of rows of the Jacobian.
    pub task_rows: usize,
    /// Largest number of inequalities.
    pub rows: usize,
}

/// λ² is at most this times what is wanted along a direction. Joint velocities there grow by at most its inverse times σ per second.
const DAMPING_PER_WANTED: f64 = 0.05;

/// Damping of directions in which the task is nearly lost (Maciejewski & Klein 1988, "numerical filtering"; Chiaverini
/// 1997): a singular value σ below `singular_value` is inverted as `σ / (σ² + λ²)` with
/// `λ² = (1 − (σ / singular_value)²) damping²`. All others are not touched.
///
/// Damping keeps joints from being fast, and what little is wanted needs less of it (Chan & Lawrence 1988, "error damped
/// pseudoinverse"): where `w` is wanted along the direction, `0.05 |w|` takes the place of `damping²` if it is smaller. So the last of
/// the way to a target near a singularity is covered as fast as anywhere else.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SingularityDamping {
    /// Singular values of the weighted Jacobian below this one are damped. Metres and radians count alike.
    pub singular_value: f64,
    /// λ at a singularity.
    pub damping: f64,
}

impl Default for SingularityDamping {
    fn default() -> Self {
        Self { singular_value: 0.05, damping: 0.05 }
    }
}

impl SingularityDamping {
    /// Refuses values that are not positive.
    ///
    /// # Errors
    /// [`KineticError::InvalidValue`].
    pub fn check(&self) -> Result<()> {
        for (name, value) in [("singular_value", self.singular_value), ("damping", self.damping)] {
            if !(value > 0.0 && value.is_finite()) {
                return Err(KineticError::invalid(name, value, "a positive number"));
            }
        }
        Ok(())
    }

    /// λ² for a singular value, where so much is wanted along its direction.
    pub(super) fn squared(&self, sigma: f64, wanted: f64) -> f64 {
        let ratio = sigma / self.singular_value;
        if ratio < 1.0 {
            (1.0 - ratio * ratio) * (self.damping * self.damping).min(DAMPING_PER_WANTED * wanted.abs())
        } else {
            0.0
        }
    }
}

/// Refuses a weight that is negative or no number.
pub(super) fn check_regularization(weight: f64) -> Result<()> {
    if weight >= 0.0 && weight.is_finite() {
        return Ok(());
    }
    Err(KineticError::invalid("regularization", weight, "a number that is not negative"))
}

/// What holds the joints back.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum VelocityLimit {
    /// The velocity bounds of a joint.
    Joint(usize),
    /// An inequality.
    Row(usize),
}

/// What a solver did besides writing the joint velocities.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct VelocityOutcome {
    /// Part of the wanted velocity that the joints bring about along it, `wanted · J q̇ / wanted · wanted` (weighted): 1
    /// when all of it, 0 when none; 1 when nothing is wanted.
    pub achieved: f64,
    /// Largest λ along a lost direction, of tasks on either level; 0 away from singularities.
    pub damping: f64,
    /// The bound or row that holds the joints back most; none when nothing does.
    pub limit: Option<VelocityLimit>,
    /// A hard row that cannot hold inside the bounds. The joints then stand still as far as their bounds allow.
    pub infeasible_row: Option<usize>,
}

impl VelocityProblem<'_> {
    /// Number of rows of the Jacobian.
    pub fn num_task_rows(&self) -> usize {
        self.wanted.len()
    }

    /// Number of inequalities.
    pub fn num_rows(&self) -> usize {
        self.row_bounds.len()
    }

    /// Refuses sizes beyond `sizes`, NaN, weights that are not positive, and bounds that contradict each other.
    ///
    /// # Errors
    /// [`KineticError::DimensionMismatch`], [`KineticError::NotFinite`] or [`KineticError::InvalidValue`].
    pub fn check(&self, sizes: &VelocitySizes) -> Result<()> {
        let (n, m, k) = (sizes.joints, self.num_task_rows(), self.num_rows());
        for (name, count, most) in [("rows of a Jacobian", m, sizes.task_rows), ("inequality rows", k, sizes.rows)] {
            if count > most {
                let wanted = format!("at most the {most} that the solver was made for");
                return Err(KineticError::invalid(name, count, wanted));
            }
        }
        check_len("Jacobian of a velocity problem", self.jacobian.len(), m * n)?;
        check_len("weights of a velocity problem", self.weights.len(), m)?;
        check_len("posture velocity", self.posture.len(), n)?;
        if !self.bias.is_empty() {
            check_len("bias of a velocity problem", self.bias.len(), n)?;
        }
        check_len("lower velocity bounds", self.lower.len(), n)?;
        check_len("upper velocity bounds", self.upper.len(), n)?;
        check_len("inequality rows", self.rows.len(), k * n)?;
        if !self.row_weights.is_empty() {
            check_len("weights of inequality rows", self.row_weights.len(), k)?;
        }
        check_finite("Jacobian of a velocity problem", self.jacobian)?;
        check_finite("wanted velocity", self.wanted)?;
        check_finite("posture velocity", self.posture)?;
        check_finite("bias of a velocity problem", self.bias)?;
        check_finite("inequality rows", self.rows)?;
        check_finite("bounds of inequality rows", self.row_bounds)?;
        self.check_weights()?;
        check_regularization(self.regularization)?;
        self.check_bounds()
    }

    fn check_weights(&self) -> Result<()> {
        if let Some(weight) = self.weights.iter().find(|weight| !(**weight > 0.0 && weight.is_finite())) {
            return Err(KineticError::invalid("weight of a velocity problem", weight, "a positive number"));
        }
        match self.row_weights.iter().find(|weight| !(**weight > 0.0)) {
            Some(weight) => {
                Err(KineticError::invalid("weight of an inequality row", weight, "a positive number, or infinity"))
            }
            None => Ok(()),
        }
    }

    fn check_bounds(&self) -> Result<()> {
        for (joint, (lower, upper)) in self.lower.iter().zip(self.upper).enumerate() {
            let is_interval = *lower <= upper + CROSSED_BOUNDS_TOLERANCE;
            if !is_interval || *lower == f64::INFINITY || *upper == f64::NEG_INFINITY {
                let name = format!("velocity bounds of joint {joint}");
                return Err(KineticError::invalid(name, format!("[{lower}, {upper}]"), "a lower and an upper bound"));
            }
        }
        Ok(())
    }

    /// Value of a row at joint velocities.
    pub(super) fn row_value(&self, row: usize, velocity: &[f64]) -> f64 {
        let n = self.posture.len();
        self.rows[row * n..(row + 1) * n].iter().zip(velocity).map(|(a, v)| a * v).sum()
    }

    /// See [`VelocityOutcome::achieved`].
    pub(super) fn achieved(&self, velocity: &[f64]) -> f64 {
        let n = self.posture.len();
        let (mut along, mut all) = (0.0, 0.0);
        for ((row, wanted), weight) in self.jacobian.chunks_exact(n).zip(self.wanted).zip(self.weights) {
            let reached: f64 = row.iter().zip(velocity).map(|(j, v)| j * v).sum();
            along += weight * wanted * reached;
            all += weight * wanted * wanted;
        }
        if all > 0.0 { along / all } else { 1.0 }
    }
}
