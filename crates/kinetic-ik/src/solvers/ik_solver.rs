//! Names of the inverse kinematics solvers, whose rows are in [`SOLVERS`](super::SOLVERS).

/// The solvers a user can ask for.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
#[non_exhaustive]
pub enum IKSolver {
    /// The closed form where there is one, otherwise damped least squares.
    #[default]
    Auto,
    /// Damped least squares.
    DLS {
        /// Damping per unit of squared pose error.
        damping: f64,
    },
    /// Sequential quadratic programming.
    SQP,
    /// Forward and backward reaching.
    FABRIK,
    /// Cyclic coordinate descent.
    CCD,
    /// Evolution with local descent.
    BioIK,
    /// Damped least squares from the nearest pose of an [`IkCache`](super::IkCache).
    Cached,
    /// The closed form of the arm, whatever its class.
    Analytic,
    /// The closed form of arms of six joints whose last three axes share a point.
    OPW,
    /// The closed form of arms of six joints.
    Subproblem,
    /// The closed form of arms of seven joints, sampled along their self-motion.
    Subproblem7DOF {
        /// Values of the swivel angle or of the locked joint that are looked at.
        num_samples: usize,
    },
}
