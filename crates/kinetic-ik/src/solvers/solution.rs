//! Solutions of inverse kinematics.

use kinetic_core::JointValues;

use super::config::IKMode;
use super::ik_solver::IKSolver;

/// A Jacobian whose condition number is larger is as good as singular.
pub const SINGULAR_CONDITION: f64 = 1000.0;

/// A solution with its errors and the cost of finding it.
#[derive(Debug, Clone, PartialEq)]
pub struct IKSolution {
    /// Joint values, inside the limits unless [`IKConfig::check_limits`](super::IKConfig::check_limits) is off.
    pub joints: JointValues,
    /// Distance between reached and wanted origin, m.
    pub position_error: f64,
    /// Angle between reached and wanted orientation, rad; also where the orientation was free.
    pub orientation_error: f64,
    /// Whether the tolerances of [`mode_used`](Self::mode_used) are met.
    pub converged: bool,
    /// Iterations over all attempts; 0 for a closed form.
    pub iterations: usize,
    /// Attempts made, the first included; 0 for a closed form.
    pub attempts: usize,
    /// Mode that was met: [`IKMode::Full6D`] or [`IKMode::PositionOnly`].
    pub mode_used: IKMode,
    /// Less than hoped for: the mode fell back to the position, or the configuration is singular (see
    /// [`SINGULAR_CONDITION`]), so that small errors of the joints or of the model move the tool in one direction only.
    pub degraded: bool,
    /// Largest divided by smallest singular value of the Jacobian, see [`kinetic_kinematics::condition_number`]; below 50 is good.
    pub condition_number: f64,
    /// The solver that found it.
    pub solver: IKSolver,
}
