//! The one error type of kinetic.
//!
//! Every variant carries what was given, what was wanted and what is possible as fields. Three questions are methods:
//! [`KineticError::code`], [`KineticError::is_retryable`] and [`KineticError::is_input_error`].

mod text;

use std::path::PathBuf;

use self::text::{list, of_configurations, place, plural, seconds_and, suggestions};
use crate::digits::short;

/// Result with [`KineticError`], unless another error is named: `Result<T, E>` is that of the standard library.
pub type Result<T, E = KineticError> = std::result::Result<T, E>;

/// The group an error belongs to; Python maps each to one exception class.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ErrorFamily {
    /// The caller gave something that cannot be used.
    Input,
    /// Inverse kinematics found no answer.
    InverseKinematics,
    /// Planning found no answer, or found that there is none.
    Planning,
    /// A motion was not carried out as planned.
    Execution,
    /// A file could not be read or written.
    Files,
}

/// Everything that can go wrong, with the facts a user needs to act on it.
///
/// The text of each variant starts with the variant's name, which is also its [`code`](Self::code).
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum KineticError {
    /// A URDF document is malformed or uses something unsupported.
    #[error("UrdfParse: {}: {detail}", place(file, *line))]
    UrdfParse {
        /// File name, or `<string>`.
        file: String,
        /// Line in the file, from 1; 0 when the whole document is meant.
        line: u32,
        /// What is wrong.
        detail: String,
    },
    /// An MJCF (MuJoCo) document is malformed or uses something unsupported.
    #[error("MjcfParse: {}: {detail}", place(file, *line))]
    MjcfParse {
        /// File name, or `<string>`.
        file: String,
        /// Line in the file, from 1; 0 when the whole document is meant.
        line: u32,
        /// What is wrong.
        detail: String,
    },
    /// An SDF (SDFormat) document is malformed or uses something unsupported.
    #[error("SdfParse: {}: {detail}", place(file, *line))]
    SdfParse {
        /// File name, or `<string>`.
        file: String,
        /// Line in the file, from 1; 0 when the whole document is meant.
        line: u32,
        /// What is wrong.
        detail: String,
    },
    /// An SRDF document is malformed or contradicts the robot.
    #[error("SrdfParse: {}: {detail}", place(file, *line))]
    SrdfParse {
        /// File name, or `<string>`.
        file: String,
        /// Line in the file, from 1.
        line: u32,
        /// What is wrong.
        detail: String,
    },
    /// A TOML or JSON document (robot configuration, scene, trajectory) is malformed.
    #[error("FileParse: {}: {detail}", place(file, *line))]
    FileParse {
        /// File name, or `<string>`.
        file: String,
        /// Line in the file, from 1; 0 when unknown.
        line: u32,
        /// What is wrong.
        detail: String,
    },
    /// A file cannot be read or written.
    #[error("Io: {}: {detail}", path.display())]
    Io {
        /// The path that was tried.
        path: PathBuf,
        /// Kind of failure, as the standard library names it.
        kind: std::io::ErrorKind,
        /// The system's words.
        detail: String,
    },
    /// A numerical solver stopped before it met the tolerance.
    #[error("IKNotConverged: best residual {} after {iterations} iterations", short(*residual))]
    IKNotConverged {
        /// Iterations over all restarts.
        iterations: usize,
        /// Largest of position error (m) and rotation error (rad) of the best configuration.
        residual: f64,
    },
    /// No configuration reaches the pose.
    #[error("NoIKSolution: {reason}")]
    NoIKSolution {
        /// What stopped it.
        reason: String,
    },
    /// The time or iteration budget ended before a plan was found.
    #[error("PlanningTimeout: no plan after {}{iterations} iterations", seconds_and(*elapsed))]
    PlanningTimeout {
        /// Seconds used; 0 where the budget is one of iterations only and time does not count.
        elapsed: f64,
        /// Iterations used.
        iterations: u64,
    },
    /// The computation was cancelled by its stop flag.
    #[error("Cancelled: stopped after {}{iterations} iterations", seconds_and(*elapsed))]
    Cancelled {
        /// Seconds used.
        elapsed: f64,
        /// Iterations used.
        iterations: u64,
    },
    /// The start configuration touches something.
    #[error("StartInCollision: \"{link}\" with \"{other}\" (distance {distance:.4} m, required margin {margin:.4} m)")]
    StartInCollision {
        /// Robot link or attached body.
        link: String,
        /// The other link or object.
        other: String,
        /// Signed distance, m; negative is penetration.
        distance: f64,
        /// Margin the pair had to keep, m.
        margin: f64,
    },
    /// The goal configuration touches something.
    #[error(
        "GoalInCollision: \"{link}\" with \"{other}\" (distance {distance:.4} m, required margin {margin:.4} m){}",
        of_configurations(*tried)
    )]
    GoalInCollision {
        /// Robot link or attached body.
        link: String,
        /// The other link or object.
        other: String,
        /// Signed distance, m; negative is penetration.
        distance: f64,
        /// Margin the pair had to keep, m.
        margin: f64,
        /// Configurations that meet the goal and were tried, all of them in collision; the pair is of the first one.
        tried: u64,
    },
    /// A pose goal has no usable configuration.
    #[error("GoalUnreachable: {reason}")]
    GoalUnreachable {
        /// What stopped it, with the figures of the attempts.
        reason: String,
    },
    /// The planner gave up for another reason than its budget.
    #[error("PlanningFailed: {reason}")]
    PlanningFailed {
        /// Why.
        reason: String,
    },
    /// A joint value outside its limits.
    #[error("JointLimitViolation: joint \"{name}\" = {value} is outside [{min}, {max}]")]
    JointLimitViolation {
        /// Joint name.
        name: String,
        /// Given value, rad or m.
        value: f64,
        /// Lower limit.
        min: f64,
        /// Upper limit.
        max: f64,
    },
    /// No built-in robot of that name.
    #[error("RobotConfigNotFound: no built-in robot \"{name}\"; {}", suggestions(close, available))]
    RobotConfigNotFound {
        /// The name given.
        name: String,
        /// Names that look alike, best first.
        close: Vec<String>,
        /// All names.
        available: Vec<String>,
    },
    /// A Cartesian motion ended early.
    #[error("CartesianPathIncomplete: followed {:.1} % of the path", fraction * 100.0)]
    CartesianPathIncomplete {
        /// Part of the path that was followed, 0 to 1.
        fraction: f64,
    },
    /// A path touches something.
    #[error("CollisionDetected: \"{link}\" with \"{other}\" after waypoint {waypoint_index}")]
    CollisionDetected {
        /// Waypoint before the contact.
        waypoint_index: usize,
        /// Robot link or attached body.
        link: String,
        /// The other link or object.
        other: String,
    },
    /// A timed curve comes nearer to something than it has to keep.
    #[error(
        "TrajectoryInCollision: \"{link}\" with \"{other}\" at {time:.3} s: distance {:.1} mm, wanted {:.1} mm",
        distance * 1e3,
        margin * 1e3
    )]
    TrajectoryInCollision {
        /// When, s from the start.
        time: f64,
        /// Robot link or attached body.
        link: String,
        /// The other link or object.
        other: String,
        /// Their signed distance then, m.
        distance: f64,
        /// The distance that they have to keep, m.
        margin: f64,
    },
    /// A timed curve exceeds a limit of a joint.
    #[error("TrajectoryLimitExceeded: {quantity} of joint \"{joint}\" is {value} at {time:.3} s; its limit is {limit}")]
    TrajectoryLimitExceeded {
        /// The joint.
        joint: String,
        /// `position`, `velocity` or `acceleration`.
        quantity: String,
        /// The value where it exceeds the limit most, with its sign; rad or m, and seconds.
        value: f64,
        /// The limit.
        limit: f64,
        /// When, s from the start.
        time: f64,
    },
    /// A vector or matrix of the wrong size.
    #[error("DimensionMismatch: {context} has {got} values, expected {expected}")]
    DimensionMismatch {
        /// What was given.
        context: String,
        /// The wanted size, and for whom.
        expected: String,
        /// The given size.
        got: usize,
    },
    /// NaN or infinity where a finite number is needed.
    #[error("NotFinite: {context} has {value} at index {index}")]
    NotFinite {
        /// What was given.
        context: String,
        /// Position of the first such value.
        index: usize,
        /// The value.
        value: f64,
    },
    /// A value outside its domain.
    #[error("InvalidValue: {name} = {value}; wanted {wanted}")]
    InvalidValue {
        /// Parameter name.
        name: String,
        /// What was given.
        value: String,
        /// What is possible.
        wanted: String,
    },
    /// Servo could not leave a singularity.
    #[error("SingularityLockup: {consecutive_failures} cycles without progress at a singularity")]
    SingularityLockup {
        /// Number of cycles.
        consecutive_failures: usize,
    },
    /// A planner returned a path that does not hold what it must.
    #[error("PlannerOutputInvalid: waypoint {waypoint}: {reason}")]
    PlannerOutputInvalid {
        /// First wrong waypoint.
        waypoint: usize,
        /// What is wrong.
        reason: String,
    },
    /// A robot without links.
    #[error("NoLinks: robot \"{robot}\" has no links")]
    NoLinks {
        /// Robot name.
        robot: String,
    },
    /// Unknown link.
    #[error("LinkNotFound: no link \"{name}\"; links are {}", list(available))]
    LinkNotFound {
        /// The name given.
        name: String,
        /// Names that exist.
        available: Vec<String>,
    },
    /// Unknown joint.
    #[error("JointNotFound: no joint \"{name}\"; joints are {}", list(available))]
    JointNotFound {
        /// The name given.
        name: String,
        /// Names that exist.
        available: Vec<String>,
    },
    /// Unknown planning group.
    #[error("GroupNotFound: no planning group \"{name}\" in robot \"{robot}\"; groups are {}", list(available))]
    GroupNotFound {
        /// The name given.
        name: String,
        /// Robot name.
        robot: String,
        /// Names that exist.
        available: Vec<String>,
    },
    /// Unknown scene object or attached body.
    #[error("ObjectNotFound: no object \"{name}\" in the scene; objects are {}", list(available))]
    ObjectNotFound {
        /// The name given.
        name: String,
        /// Names that exist.
        available: Vec<String>,
    },
    /// Unknown named pose.
    #[error("NamedConfigNotFound: no named pose \"{name}\" for group \"{group}\"; poses are {}", list(available))]
    NamedConfigNotFound {
        /// The name given.
        name: String,
        /// Planning group.
        group: String,
        /// Names that exist.
        available: Vec<String>,
    },
    /// Base and tip are not connected as a chain.
    #[error("ChainExtraction: from \"{base}\" to \"{tip}\": {reason}")]
    ChainExtraction {
        /// Base link.
        base: String,
        /// Tip link.
        tip: String,
        /// Why there is no chain.
        reason: String,
    },
    /// Two frames that no chain of transforms joins.
    #[error(
        "FramesNotConnected: no transforms lead from \"{from}\" to \"{to}\"; from \"{from}\" they lead to {}",
        list(connected)
    )]
    FramesNotConnected {
        /// The frame that was asked from.
        from: String,
        /// The frame that was asked for.
        to: String,
        /// The frames that are connected with the first, itself included.
        connected: Vec<String>,
    },
    /// A solver that does not fit the arm.
    #[error("IncompatibleKinematics: {reason}")]
    IncompatibleKinematics {
        /// Why, and what fits.
        reason: String,
    },
    /// A goal kind that the called function cannot use.
    #[error("UnsupportedGoal: {reason}")]
    UnsupportedGoal {
        /// Which kind, and what is possible.
        reason: String,
    },
    /// A name that a registry does not know.
    #[error("UnknownName: no {kind} \"{name}\"; {} are {}", plural(kind), list(available))]
    UnknownName {
        /// Kind of thing, for example `planner`.
        kind: String,
        /// The name given.
        name: String,
        /// Names that exist.
        available: Vec<String>,
    },
    /// A trajectory that an executor does not carry out.
    #[error("InvalidTrajectory: {reason}")]
    InvalidTrajectory {
        /// What is wrong with it.
        reason: String,
    },
    /// The driver refused a command.
    #[error("CommandFailed: the command at {after:.3} s: {reason}")]
    CommandFailed {
        /// Seconds since the first command.
        after: f64,
        /// What the driver says.
        reason: String,
    },
    /// The driver took no command in time.
    #[error("CommandTimeout: no command was taken for {after:.3} s; at most {limit} s")]
    CommandTimeout {
        /// Seconds since the last command was taken, or since the call that does not return.
        after: f64,
        /// What is allowed, s.
        limit: f64,
    },
    /// An execution took too long.
    #[error("ExecutionTimeout: the trajectory has not ended after {after:.3} s; at most {limit:.3} s")]
    ExecutionTimeout {
        /// Seconds since the first command.
        after: f64,
        /// What is allowed at full speed, s.
        limit: f64,
    },
    /// The robot is not where it was commanded to be.
    #[error("DeviationExceeded: {quantity} of joint \"{joint}\" is off by {value}; at most {limit}")]
    DeviationExceeded {
        /// The joint, or its number where names are not known.
        joint: String,
        /// `position` or `velocity`.
        quantity: String,
        /// Measured minus commanded, rad or m, and seconds.
        value: f64,
        /// The tolerance.
        limit: f64,
    },
    /// The robot does not say where it is.
    #[error("FeedbackLost: no feedback for {after:.3} s")]
    FeedbackLost {
        /// Seconds since the last feedback.
        after: f64,
    },
    /// An execution was given up.
    #[error("Aborted: {reason}")]
    Aborted {
        /// Why.
        reason: String,
    },
    /// Anything else; used where no caller could act on a finer variant.
    #[error("Other: {0}")]
    Other(String),
}

impl KineticError {
    /// The variant's name: stable, for programs.
    pub fn code(&self) -> &'static str {
        match self {
            Self::UrdfParse { .. } => "UrdfParse",
            Self::MjcfParse { .. } => "MjcfParse",
            Self::SdfParse { .. } => "SdfParse",
            Self::SrdfParse { .. } => "SrdfParse",
            Self::FileParse { .. } => "FileParse",
            Self::Io { .. } => "Io",
            Self::IKNotConverged { .. } => "IKNotConverged",
            Self::NoIKSolution { .. } => "NoIKSolution",
            Self::PlanningTimeout { .. } => "PlanningTimeout",
            Self::Cancelled { .. } => "Cancelled",
            Self::StartInCollision { .. } => "StartInCollision",
            Self::GoalInCollision { .. } => "GoalInCollision",
            Self::GoalUnreachable { .. } => "GoalUnreachable",
            Self::PlanningFailed { .. } => "PlanningFailed",
            Self::JointLimitViolation { .. } => "JointLimitViolation",
            Self::RobotConfigNotFound { .. } => "RobotConfigNotFound",
            Self::CartesianPathIncomplete { .. } => "CartesianPathIncomplete",
            Self::CollisionDetected { .. } => "CollisionDetected",
            Self::TrajectoryInCollision { .. } => "TrajectoryInCollision",
            Self::TrajectoryLimitExceeded { .. } => "TrajectoryLimitExceeded",
            Self::DimensionMismatch { .. } => "DimensionMismatch",
            Self::NotFinite { .. } => "NotFinite",
            Self::InvalidValue { .. } => "InvalidValue",
            Self::SingularityLockup { .. } => "SingularityLockup",
            Self::PlannerOutputInvalid { .. } => "PlannerOutputInvalid",
            Self::NoLinks { .. } => "NoLinks",
            Self::LinkNotFound { .. } => "LinkNotFound",
            Self::JointNotFound { .. } => "JointNotFound",
            Self::GroupNotFound { .. } => "GroupNotFound",
            Self::ObjectNotFound { .. } => "ObjectNotFound",
            Self::NamedConfigNotFound { .. } => "NamedConfigNotFound",
            Self::ChainExtraction { .. } => "ChainExtraction",
            Self::FramesNotConnected { .. } => "FramesNotConnected",
            Self::IncompatibleKinematics { .. } => "IncompatibleKinematics",
            Self::UnsupportedGoal { .. } => "UnsupportedGoal",
            Self::UnknownName { .. } => "UnknownName",
            Self::InvalidTrajectory { .. } => "InvalidTrajectory",
            Self::CommandFailed { .. } => "CommandFailed",
            Self::CommandTimeout { .. } => "CommandTimeout",
            Self::ExecutionTimeout { .. } => "ExecutionTimeout",
            Self::DeviationExceeded { .. } => "DeviationExceeded",
            Self::FeedbackLost { .. } => "FeedbackLost",
            Self::Aborted { .. } => "Aborted",
            Self::Other(_) => "Other",
        }
    }

    /// True when the same call may succeed with a larger budget or another seed.
    pub fn is_retryable(&self) -> bool {
        matches!(
            self,
            Self::PlanningTimeout { .. } | Self::IKNotConverged { .. } | Self::CartesianPathIncomplete { .. }
        )
    }

    /// True when the caller gave something that cannot be used.
    pub fn is_input_error(&self) -> bool {
        self.family() == ErrorFamily::Input
    }

    /// The group this error belongs to.
    pub fn family(&self) -> ErrorFamily {
        match self {
            Self::Io { .. } => ErrorFamily::Files,
            Self::IKNotConverged { .. } | Self::NoIKSolution { .. } => ErrorFamily::InverseKinematics,
            Self::InvalidTrajectory { .. }
            | Self::CommandFailed { .. }
            | Self::CommandTimeout { .. }
            | Self::ExecutionTimeout { .. }
            | Self::DeviationExceeded { .. }
            | Self::FeedbackLost { .. }
            | Self::Aborted { .. } => ErrorFamily::Execution,
            Self::PlanningTimeout { .. }
            | Self::Cancelled { .. }
            | Self::StartInCollision { .. }
            | Self::GoalInCollision { .. }
            | Self::GoalUnreachable { .. }
            | Self::PlanningFailed { .. }
            | Self::CartesianPathIncomplete { .. }
            | Self::CollisionDetected { .. }
            | Self::TrajectoryInCollision { .. }
            | Self::TrajectoryLimitExceeded { .. }
            | Self::SingularityLockup { .. }
            | Self::PlannerOutputInvalid { .. }
            | Self::Other(_) => ErrorFamily::Planning,
            _ => ErrorFamily::Input,
        }
    }

    /// An [`Io`](Self::Io) error for `path`.
    pub fn io(path: impl Into<PathBuf>, source: &std::io::Error) -> Self {
        Self::Io { path: path.into(), kind: source.kind(), detail: source.to_string() }
    }

    /// An [`InvalidValue`](Self::InvalidValue) error.
    pub fn invalid(name: impl Into<String>, value: impl ToString, wanted: impl Into<String>) -> Self {
        Self::InvalidValue { name: name.into(), value: value.to_string(), wanted: wanted.into() }
    }
}

/// Refuses NaN and infinities.
///
/// # Errors
/// [`KineticError::NotFinite`] naming `context` and the first offending index.
pub fn check_finite(context: &str, values: &[f64]) -> Result<()> {
    match values.iter().position(|value| !value.is_finite()) {
        None => Ok(()),
        Some(index) => Err(KineticError::NotFinite { context: context.to_owned(), index, value: values[index] }),
    }
}

/// Refuses a vector of the wrong length.
///
/// # Errors
/// [`KineticError::DimensionMismatch`] naming `context` and both sizes.
pub fn check_len(context: &str, got: usize, expected: usize) -> Result<()> {
    if got == expected {
        return Ok(());
    }
    Err(KineticError::DimensionMismatch { context: context.to_owned(), expected: expected.to_string(), got })
}
