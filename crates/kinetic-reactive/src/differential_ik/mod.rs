//! Differential inverse kinematics: joint velocities that bring about wanted velocities of the tool, of tasks, or of both.
//!
//! A [`VelocityProblem`] says what is wanted and what is allowed; a solver of [`VELOCITY_SOLVERS`] answers. Near
//! singularities only the directions that are lost are damped. [`VelocityBounds`] turns limits of positions, velocities and
//! accelerations into bounds for the next period.

mod bounded;
mod braking;
mod damped;
mod escape_trials;
mod front;
mod least_squares;
mod lost_directions;
mod registry;
mod singular_values;
mod singularity;
mod singularity_escape;
mod task_rows;
mod twist_command;
mod velocity_bounds;
mod velocity_problem;
mod velocity_solver;

pub use front::{DifferentialIk, DifferentialIkOptions};
pub use registry::{VELOCITY_SOLVERS, VelocitySolverSpec};
pub use singularity::{Singularity, SingularityProbe};
pub(crate) use singularity_escape::EscapeSearch;
pub(crate) use twist_command::VelocityCommand;
pub use twist_command::{TaskCommand, TwistCommand, TwistFrame, VelocityContext};
pub use velocity_bounds::{JointVelocityLimits, OutsideLimits, VelocityBounds};
pub use velocity_problem::{SingularityDamping, VelocityLimit, VelocityOutcome, VelocityProblem, VelocitySizes};
pub use velocity_solver::VelocitySolver;
