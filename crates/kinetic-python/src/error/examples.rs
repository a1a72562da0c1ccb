//! One example of every error, so that a test can raise each and look at what Python gets.

use kinetic::core::KineticError as E;
use pyo3::prelude::*;

use crate::convert::Text;
use crate::error::Result;

/// Raises an example of the error with this code; for tests of the error map.
#[pyfunction]
pub(crate) fn _raise_example(code: Text) -> Result<()> {
    let examples = examples();
    let available = examples.iter().map(|error| error.code().to_owned()).collect();
    let found = examples.into_iter().find(|error| error.code() == code.0);
    Err(found.unwrap_or(E::UnknownName { kind: "error".to_owned(), name: code.0, available }).into())
}

fn examples() -> Vec<E> {
    let mut examples = input_examples();
    examples.extend(search_examples());
    examples.extend(execution_examples());
    examples
}

fn execution_examples() -> Vec<E> {
    let (joint, quantity, reason) = ("j1".to_owned(), "position".to_owned(), "because".to_owned());
    vec![
        E::InvalidTrajectory { reason: reason.clone() },
        E::CommandFailed { after: 0.5, reason: reason.clone() },
        E::CommandTimeout { after: 0.2, limit: 0.1 },
        E::ExecutionTimeout { after: 4.5, limit: 4.0 },
        E::DeviationExceeded { joint, quantity, value: 0.2, limit: 0.1 },
        E::FeedbackLost { after: 0.2 },
        E::Aborted { reason },
    ]
}

fn input_examples() -> Vec<E> {
    let (name, reason) = ("n".to_owned(), "because".to_owned());
    let (file, detail) = ("robot.urdf".to_owned(), "no <robot>".to_owned());
    let available = vec!["a".to_owned(), "b".to_owned()];
    vec![
        E::UrdfParse { file: file.clone(), line: 3, detail: detail.clone() },
        E::MjcfParse { file: file.clone(), line: 3, detail: detail.clone() },
        E::SdfParse { file: file.clone(), line: 3, detail: detail.clone() },
        E::SrdfParse { file: file.clone(), line: 3, detail: detail.clone() },
        E::FileParse { file, line: 3, detail },
        E::Io { path: "gone.toml".into(), kind: std::io::ErrorKind::NotFound, detail: "no such file".to_owned() },
        E::JointLimitViolation { name: name.clone(), value: 4.0, min: -3.0, max: 3.0 },
        E::RobotConfigNotFound { name: name.clone(), close: available.clone(), available: available.clone() },
        E::DimensionMismatch { context: "joint vector".to_owned(), expected: "6".to_owned(), got: 5 },
        E::NotFinite { context: "joint vector".to_owned(), index: 2, value: f64::INFINITY },
        E::InvalidValue { name: "radius".to_owned(), value: "-1".to_owned(), wanted: "a positive number".to_owned() },
        E::NoLinks { robot: name.clone() },
        E::LinkNotFound { name: name.clone(), available: available.clone() },
        E::JointNotFound { name: name.clone(), available: available.clone() },
        E::GroupNotFound { name: name.clone(), robot: name.clone(), available: available.clone() },
        E::ObjectNotFound { name: name.clone(), available: available.clone() },
        E::NamedConfigNotFound { name: name.clone(), group: "arm".to_owned(), available: available.clone() },
        E::ChainExtraction { base: "base".to_owned(), tip: "tip".to_owned(), reason: reason.clone() },
        E::FramesNotConnected { from: name.clone(), to: "tool".to_owned(), connected: available.clone() },
        E::IncompatibleKinematics { reason: reason.clone() },
        E::UnsupportedGoal { reason },
        E::UnknownName { kind: "planner".to_owned(), name, available },
    ]
}

fn search_examples() -> Vec<E> {
    let reason = "because".to_owned();
    let (link, other) = ("forearm".to_owned(), "table".to_owned());
    vec![
        E::IKNotConverged { iterations: 100, residual: 0.01 },
        E::NoIKSolution { reason: reason.clone() },
        E::PlanningTimeout { elapsed: 5.0, iterations: 1000 },
        E::Cancelled { elapsed: 1.0, iterations: 10 },
        E::StartInCollision { link: link.clone(), other: other.clone(), distance: -0.01, margin: 0.02 },
        E::GoalInCollision { link: link.clone(), other: other.clone(), distance: -0.01, margin: 0.02, tried: 1 },
        E::GoalUnreachable { reason: reason.clone() },
        E::PlanningFailed { reason: reason.clone() },
        E::CartesianPathIncomplete { fraction: 0.5 },
        E::CollisionDetected { waypoint_index: 1, link: link.clone(), other: other.clone() },
        E::TrajectoryInCollision { time: 0.5, link, other, distance: 0.01, margin: 0.02 },
        E::TrajectoryLimitExceeded {
            joint: "j1".to_owned(),
            quantity: "velocity".to_owned(),
            value: 3.5,
            limit: 3.0,
            time: 0.5,
        },
        E::SingularityLockup { consecutive_failures: 3 },
        E::PlannerOutputInvalid { waypoint: 1, reason },
        E::Other("something else".to_owned()),
    ]
}
