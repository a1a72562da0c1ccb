//! Options of inverse kinematics.

use std::fmt;
use std::str::FromStr;

use kinetic_core::{Control, JointValues, KineticError, Result, StopFlag};
use kinetic_kinematics::KinematicChain;
use kinetic_robot::{DEFAULT_IK_DAMPING, Robot};

use super::axis_cone::AxisCone;
use super::ik_solver::IKSolver;

/// Parts of the target pose that must be met.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum IKMode {
    /// Position and orientation.
    #[default]
    Full6D,
    /// Position; the orientation is free.
    PositionOnly,
    /// Position and orientation, and when that is not found, position.
    PositionFallback,
}

/// Objective of the self-motion of redundant arms.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NullSpace {
    /// Larger manipulability, see [`kinetic_kinematics::manipulability`].
    Manipulability,
    /// Smaller distance from the seed.
    MinimalDisplacement,
    /// Smaller distance from the middle of the limits, each joint in parts of its range.
    JointCentering,
}

/// Gives an enum its names in every language: `id` and `FromStr`.
macro_rules! named {
    ($type:ident, $kind:literal, $($variant:ident => $id:literal),+) => {
        impl $type {
            /// All values.
            pub const ALL: &[Self] = &[$(Self::$variant),+];

            /// The name in every language.
            pub fn id(self) -> &'static str {
                match self { $(Self::$variant => $id),+ }
            }
        }

        impl fmt::Display for $type {
            fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
                out.write_str(self.id())
            }
        }

        impl FromStr for $type {
            type Err = KineticError;

            /// # Errors
            /// [`KineticError::UnknownName`] with the names that exist.
            fn from_str(name: &str) -> Result<Self> {
                let found = Self::ALL.iter().copied().find(|value| value.id() == name);
                found.ok_or_else(|| KineticError::unknown_name($kind, name, Self::ALL.iter().map(|value| value.id())))
            }
        }
    };
}

pub(crate) use named;

named!(IKMode, "mode", Full6D => "full6d", PositionOnly => "position_only", PositionFallback => "position_fallback");
named!(NullSpace, "null space objective", Manipulability => "manipulability",
    MinimalDisplacement => "minimal_displacement", JointCentering => "joint_centering");

/// Options of a solve.
#[derive(Debug, Clone, PartialEq)]
pub struct IKConfig {
    /// The solver.
    pub solver: IKSolver,
    /// What [`IKSolver::Auto`] takes when it fits the arm; `Auto` for no preference.
    pub preference: IKSolver,
    /// Parts of the target pose that must be met.
    pub mode: IKMode,
    /// Iterations of one attempt.
    pub max_iterations: usize,
    /// Largest distance between reached and wanted origin, m.
    pub position_tolerance: f64,
    /// Largest angle between reached and wanted orientation, rad.
    pub orientation_tolerance: f64,
    /// Whether answers lie inside the joint limits.
    pub check_limits: bool,
    /// Configuration of the first attempt; the middle of the limits (0 for continuous joints) when `None`.
    pub seed: Option<JointValues>,
    /// Objective of the self-motion of redundant arms.
    pub null_space: Option<NullSpace>,
    /// Attempts after the first, from seeded random configurations.
    pub num_restarts: usize,
    /// Seed of everything random.
    pub rng_seed: u64,
    /// A cone that an axis of the tool must stay in; [`IKSolver::SQP`] only.
    pub tool_axis: Option<AxisCone>,
    /// Damping per unit of squared pose error (m² and rad²), not negative; [`IKSolver::DLS`] states its own.
    pub damping: f64,
    /// Ends a search early: with [`KineticError::Cancelled`] when a stop is asked for, and as after the last restart when
    /// the time of the flag is over ([`Control::stop_flag`]).
    pub stop: StopFlag,
}

impl Default for IKConfig {
    fn default() -> Self {
        Self {
            solver: IKSolver::Auto,
            preference: IKSolver::Auto,
            mode: IKMode::Full6D,
            max_iterations: 100,
            position_tolerance: 1e-4,
            orientation_tolerance: 1e-3,
            check_limits: true,
            seed: None,
            null_space: None,
            num_restarts: 10,
            tool_axis: None,
            rng_seed: 0,
            damping: DEFAULT_IK_DAMPING,
            stop: StopFlag::default(),
        }
    }
}

impl IKConfig {
    /// The defaults, with the solver and the damping that the robot's configuration prefers (table `[ik]`).
    pub fn for_robot(robot: &Robot) -> Self {
        let preference = robot.ik_preference.solver.parse().unwrap_or_default();
        Self { preference, damping: robot.ik_preference.damping, ..Self::default() }
    }

    /// Configuration of the first attempt: the seed, inside the limits where those count, or their middle (0 for joints without).
    /// The seed has as many values as the chain has joints.
    pub fn start(&self, chain: &KinematicChain) -> Vec<f64> {
        let middle = |(low, high): &(f64, f64)| {
            if low.is_finite() && high.is_finite() { f64::midpoint(*low, *high) } else { 0.0_f64.clamp(*low, *high) }
        };
        match &self.seed {
            Some(seed) if !self.check_limits => seed.to_vec(),
            Some(seed) => {
                seed.iter().zip(chain.bounds()).map(|(value, (low, high))| value.clamp(*low, *high)).collect()
            }
            None => chain.bounds().iter().map(middle).collect(),
        }
    }

    /// Damped least squares with the default damping.
    pub fn dls() -> Self {
        Self { solver: IKSolver::DLS { damping: DEFAULT_IK_DAMPING }, ..Self::default() }
    }

    /// The position alone.
    pub fn position_only() -> Self {
        Self { mode: IKMode::PositionOnly, ..Self::default() }
    }

    /// The pose, and the position alone when the pose is not found.
    pub fn with_fallback() -> Self {
        Self { mode: IKMode::PositionFallback, ..Self::default() }
    }

    /// FABRIK.
    pub fn fabrik() -> Self {
        Self { solver: IKSolver::FABRIK, ..Self::default() }
    }

    /// The closed form of arms whose last three axes share a point.
    pub fn opw() -> Self {
        Self { solver: IKSolver::OPW, ..Self::default() }
    }

    /// With another solver.
    #[must_use]
    pub fn with_solver(self, solver: IKSolver) -> Self {
        Self { solver, ..self }
    }

    /// With the configuration of the first attempt.
    #[must_use]
    pub fn with_seed(self, seed: impl Into<JointValues>) -> Self {
        Self { seed: Some(seed.into()), ..self }
    }

    /// With another number of iterations per attempt.
    #[must_use]
    pub fn with_max_iterations(self, max_iterations: usize) -> Self {
        Self { max_iterations, ..self }
    }

    /// With another number of attempts after the first.
    #[must_use]
    pub fn with_restarts(self, num_restarts: usize) -> Self {
        Self { num_restarts, ..self }
    }

    /// With another mode.
    #[must_use]
    pub fn with_mode(self, mode: IKMode) -> Self {
        Self { mode, ..self }
    }

    /// With an objective of the self-motion.
    #[must_use]
    pub fn with_null_space(self, null_space: NullSpace) -> Self {
        Self { null_space: Some(null_space), ..self }
    }

    /// With another position tolerance, m.
    #[must_use]
    pub fn with_position_tolerance(self, position_tolerance: f64) -> Self {
        Self { position_tolerance, ..self }
    }

    /// With another orientation tolerance, rad.
    #[must_use]
    pub fn with_orientation_tolerance(self, orientation_tolerance: f64) -> Self {
        Self { orientation_tolerance, ..self }
    }

    /// With an end by time and stop flag: those of `control`.
    #[must_use]
    pub fn with_control(self, control: &Control) -> Self {
        Self { stop: control.stop_flag(), ..self }
    }

    /// The damping that counts.
    pub(super) fn effective_damping(&self) -> f64 {
        if let IKSolver::DLS { damping } = self.solver { damping } else { self.damping }
    }

    /// The numerical solver that counts: for [`IKSolver::Auto`] the preferred one, with the damping of the options.
    pub(super) fn numerical_solver(&self) -> IKSolver {
        match (self.solver, self.preference) {
            (IKSolver::Auto, preferred) if preferred.is_numerical() && !matches!(preferred, IKSolver::DLS { .. }) => {
                preferred
            }
            (IKSolver::Auto, _) => IKSolver::DLS { damping: self.damping },
            (named, _) => named,
        }
    }

    /// Refuses options outside their domain, seeds of the wrong size, and limits that are the wrong way round.
    pub(super) fn check(&self, chain: &KinematicChain) -> Result<()> {
        if let Some(seed) = &self.seed {
            chain.check(seed)?;
        }
        if self.max_iterations == 0 {
            return Err(KineticError::invalid("max_iterations", 0, "at least 1"));
        }
        let damping = self.effective_damping();
        if !(damping.is_finite() && damping >= 0.0) {
            return Err(KineticError::invalid("damping", damping, "a finite number of at least 0"));
        }
        for (name, value) in
            [("position_tolerance", self.position_tolerance), ("orientation_tolerance", self.orientation_tolerance)]
        {
            if !(value > 0.0 && value.is_finite()) {
                return Err(KineticError::invalid(name, value, "a positive finite number"));
            }
        }
        if let Some(cone) = &self.tool_axis {
            cone.check()?;
            if self.numerical_solver() != IKSolver::SQP {
                let given = self.solver.id();
                return Err(KineticError::invalid("solver with a tool_axis", given, "sqp, which honours it"));
            }
        }
        for (name, (low, high)) in chain.joint_names().iter().zip(chain.bounds()) {
            if !(low <= high) {
                let given = format!("[{low}, {high}]");
                return Err(KineticError::invalid(format!("limits of joint \"{name}\""), given, "lower <= upper"));
            }
        }
        Ok(())
    }
}
