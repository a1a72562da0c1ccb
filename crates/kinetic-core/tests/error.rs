//! Every variant of the error type: code, text, family.

use std::collections::BTreeSet;
use std::io::ErrorKind;

use kinetic_core::error::{check_finite, check_len};
use kinetic_core::{ErrorFamily, KineticError as E};

fn text() -> String {
    "some text".to_owned()
}

fn names() -> Vec<String> {
    vec!["left".to_owned(), "right".to_owned()]
}

/// One error of every variant with its code and family. The match has no wildcard besides the one that
/// `non_exhaustive` asks for, and the number of codes is counted below.
fn all() -> Vec<(E, &'static str, ErrorFamily)> {
    use ErrorFamily::{Execution, Files, Input, InverseKinematics, Planning};
    let (link, other) = (|| "forearm".to_owned(), || "table".to_owned());
    vec![
        (E::UrdfParse { file: text(), line: 7, detail: text() }, "UrdfParse", Input),
        (E::SrdfParse { file: text(), line: 7, detail: text() }, "SrdfParse", Input),
        (E::MjcfParse { file: text(), line: 7, detail: text() }, "MjcfParse", Input),
        (E::SdfParse { file: text(), line: 7, detail: text() }, "SdfParse", Input),
        (E::FileParse { file: text(), line: 7, detail: text() }, "FileParse", Input),
        (E::Io { path: "a/b".into(), kind: ErrorKind::NotFound, detail: text() }, "Io", Files),
        (E::IKNotConverged { iterations: 12, residual: 0.5 }, "IKNotConverged", InverseKinematics),
        (E::NoIKSolution { reason: text() }, "NoIKSolution", InverseKinematics),
        (E::PlanningTimeout { elapsed: 1.5, iterations: 12 }, "PlanningTimeout", Planning),
        (E::Cancelled { elapsed: 1.5, iterations: 12 }, "Cancelled", Planning),
        (
            E::StartInCollision { link: link(), other: other(), distance: -0.003, margin: 0.02 },
            "StartInCollision",
            Planning,
        ),
        (
            E::GoalInCollision { link: link(), other: other(), distance: -0.003, margin: 0.02, tried: 1 },
            "GoalInCollision",
            Planning,
        ),
        (E::GoalUnreachable { reason: text() }, "GoalUnreachable", Planning),
        (E::PlanningFailed { reason: text() }, "PlanningFailed", Planning),
        (E::JointLimitViolation { name: text(), value: 7.0, min: -3.0, max: 3.0 }, "JointLimitViolation", Input),
        (E::RobotConfigNotFound { name: text(), close: names(), available: names() }, "RobotConfigNotFound", Input),
        (E::CartesianPathIncomplete { fraction: 0.25 }, "CartesianPathIncomplete", Planning),
        (E::CollisionDetected { waypoint_index: 3, link: link(), other: other() }, "CollisionDetected", Planning),
        (
            E::TrajectoryInCollision { time: 3.0, link: link(), other: other(), distance: 0.0032, margin: 0.02 },
            "TrajectoryInCollision",
            Planning,
        ),
        (
            E::TrajectoryLimitExceeded { joint: link(), quantity: text(), value: 3.5, limit: 3.0, time: 0.5 },
            "TrajectoryLimitExceeded",
            Planning,
        ),
        (E::DimensionMismatch { context: text(), expected: "6".into(), got: 7 }, "DimensionMismatch", Input),
        (E::NotFinite { context: text(), index: 2, value: f64::NAN }, "NotFinite", Input),
        (E::InvalidValue { name: text(), value: "0".into(), wanted: text() }, "InvalidValue", Input),
        (E::SingularityLockup { consecutive_failures: 4 }, "SingularityLockup", Planning),
        (E::PlannerOutputInvalid { waypoint: 3, reason: text() }, "PlannerOutputInvalid", Planning),
        (E::NoLinks { robot: text() }, "NoLinks", Input),
        (E::LinkNotFound { name: text(), available: names() }, "LinkNotFound", Input),
        (E::JointNotFound { name: text(), available: names() }, "JointNotFound", Input),
        (E::GroupNotFound { name: text(), robot: text(), available: names() }, "GroupNotFound", Input),
        (E::ObjectNotFound { name: text(), available: names() }, "ObjectNotFound", Input),
        (E::NamedConfigNotFound { name: text(), group: text(), available: names() }, "NamedConfigNotFound", Input),
        (E::ChainExtraction { base: link(), tip: other(), reason: text() }, "ChainExtraction", Input),
        (E::FramesNotConnected { from: link(), to: other(), connected: names() }, "FramesNotConnected", Input),
        (E::IncompatibleKinematics { reason: text() }, "IncompatibleKinematics", Input),
        (E::UnsupportedGoal { reason: text() }, "UnsupportedGoal", Input),
        (E::UnknownName { kind: "planner".into(), name: text(), available: names() }, "UnknownName", Input),
        (E::InvalidTrajectory { reason: text() }, "InvalidTrajectory", Execution),
        (E::CommandFailed { after: 0.5, reason: text() }, "CommandFailed", Execution),
        (E::CommandTimeout { after: 0.2, limit: 0.1 }, "CommandTimeout", Execution),
        (E::ExecutionTimeout { after: 4.5, limit: 4.0 }, "ExecutionTimeout", Execution),
        (
            E::DeviationExceeded { joint: link(), quantity: text(), value: 0.2, limit: 0.1 },
            "DeviationExceeded",
            Execution,
        ),
        (E::FeedbackLost { after: 0.2 }, "FeedbackLost", Execution),
        (E::Aborted { reason: text() }, "Aborted", Execution),
        (E::Other(text()), "Other", Planning),
    ]
}

#[test]
fn every_variant_of_the_source_is_in_the_list() {
    // Counted in the source, so that a new variant fails here until it is added above.
    let source = include_str!("../src/error.rs");
    let variants = source.lines().filter(|line| line.trim_start().starts_with("#[error(")).count();
    let codes: BTreeSet<_> = all().iter().map(|(_, code, _)| *code).collect();
    assert_eq!((codes.len(), all().len()), (variants, variants));
}

#[test]
fn every_text_starts_with_its_code_and_names_what_was_given() {
    for (error, code, _) in all() {
        let said = error.to_string();
        assert_eq!(error.code(), code);
        assert!(said.starts_with(&format!("{code}: ")), "{said}");
        // The debug form is `Code { … }` or `Code(…)`: the variant's name in the source.
        assert!(format!("{error:?}").starts_with(code));
        for fact in facts(&error) {
            assert!(said.contains(&fact), "\"{said}\" does not name {fact}");
        }
    }
}

/// Words that a user needs from each error.
fn facts(error: &E) -> Vec<String> {
    let words: &[&str] = match error {
        E::UrdfParse { .. } | E::MjcfParse { .. } | E::SdfParse { .. } | E::SrdfParse { .. } | E::FileParse { .. } => {
            &["some text", ":7:"]
        }
        E::Io { .. } => &["a/b", "some text"],
        E::IKNotConverged { .. } => &["12", "0.5"],
        E::PlanningTimeout { .. } | E::Cancelled { .. } => &["1.500 s", "12"],
        E::StartInCollision { .. } | E::GoalInCollision { .. } => &["forearm", "table", "-0.0030 m", "0.0200 m"],
        E::JointLimitViolation { .. } => &["some text", "7", "[-3, 3]"],
        E::RobotConfigNotFound { .. } => &["some text", "left", "right"],
        E::CartesianPathIncomplete { .. } => &["25.0 %"],
        E::CollisionDetected { .. } => &["forearm", "table", "3"],
        E::TrajectoryInCollision { .. } => &["forearm", "table", "3.000 s", "3.2 mm", "20.0 mm"],
        E::TrajectoryLimitExceeded { .. } => &["forearm", "some text", "3.5", "limit is 3", "0.500 s"],
        E::PlannerOutputInvalid { .. } => &["3", "some text"],
        E::CommandFailed { .. } => &["0.500 s", "some text"],
        E::CommandTimeout { .. } => &["0.200 s", "0.1 s"],
        E::ExecutionTimeout { .. } => &["4.500 s", "4.000 s"],
        E::DeviationExceeded { .. } => &["forearm", "some text", "0.2", "0.1"],
        E::FeedbackLost { .. } => &["0.200 s"],
        E::DimensionMismatch { .. } => &["some text", "6", "7"],
        E::NotFinite { .. } => &["some text", "NaN", "2"],
        E::InvalidValue { .. } => &["some text", "0"],
        E::SingularityLockup { .. } => &["4"],
        E::LinkNotFound { .. }
        | E::JointNotFound { .. }
        | E::GroupNotFound { .. }
        | E::ObjectNotFound { .. }
        | E::NamedConfigNotFound { .. } => &["some text", "\"left\", \"right\""],
        E::UnknownName { .. } => &["planner", "some text", "\"left\", \"right\""],
        E::FramesNotConnected { .. } => &["forearm", "table", "\"left\", \"right\""],
        E::ChainExtraction { .. } => &["forearm", "table", "some text"],
        _ => &["some text"],
    };
    words.iter().map(|word| (*word).to_owned()).collect()
}

#[test]
fn exactly_three_errors_are_retryable() {
    let retryable: Vec<_> = all().iter().filter(|(error, ..)| error.is_retryable()).map(|(_, code, _)| *code).collect();
    assert_eq!(retryable, ["IKNotConverged", "PlanningTimeout", "CartesianPathIncomplete"]);
}

#[test]
fn families_are_as_listed_and_only_the_input_family_is_an_input_error() {
    for (error, code, family) in all() {
        assert_eq!(error.family(), family, "{code}");
        assert_eq!(error.is_input_error(), family == ErrorFamily::Input, "{code}");
    }
}

#[test]
fn lists_of_names_say_none_when_there_are_none_and_close_names_come_first() {
    let none = E::LinkNotFound { name: text(), available: Vec::new() };
    assert!(none.to_string().contains("links are none"), "{none}");
    let close = E::RobotConfigNotFound { name: "ur5".into(), close: vec!["ur5e".into()], available: names() };
    assert!(close.to_string().contains("did you mean \"ur5e\"?"), "{close}");
    let far = E::RobotConfigNotFound { name: "x".into(), close: Vec::new(), available: names() };
    assert!(far.to_string().contains("robots are \"left\", \"right\""), "{far}");
}

#[test]
fn helpers_name_the_context_the_index_and_both_sizes() {
    assert!(check_finite("start", &[1.0, 2.0]).is_ok() && check_len("start", 2, 2).is_ok());
    for bad in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
        let error = check_finite("start", &[1.0, bad, bad]).unwrap_err();
        assert!(matches!(&error, E::NotFinite { context, index: 1, .. } if context == "start"), "{error}");
    }
    let error = check_len("start", 2, 6).unwrap_err();
    assert_eq!(error, E::DimensionMismatch { context: "start".into(), expected: "6".into(), got: 2 });
    let source = std::io::Error::new(ErrorKind::PermissionDenied, "denied");
    assert!(matches!(E::io("x.json", &source), E::Io { kind: ErrorKind::PermissionDenied, .. }));
}

#[test]
fn time_that_stood_still_is_not_told() {
    let message = |elapsed| E::PlanningTimeout { elapsed, iterations: 70 }.to_string();
    assert_eq!(message(0.0), "PlanningTimeout: no plan after 70 iterations");
    assert_eq!(message(0.25), "PlanningTimeout: no plan after 0.250 s and 70 iterations");
}
