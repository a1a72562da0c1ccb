//! Every variant of the error type: code, text, family.

use std::collections::BTreeSet;
use std::io::ErrorKind;

use kinetic_core::error::{FieldValue, check_finite, check_len, reason};
use kinetic_core::{ErrorFamily, KineticError as E};

fn text() -> String {
    "some text".to_owned()
}

fn names() -> Vec<String> {
    vec!["left".to_owned(), "right".to_owned()]
}

fn no_branch() -> reason::NoIKSolution {
    reason::NoIKSolution::NoBranch { summary: text(), branches: 8, outside_limits: 7 }
}

fn no_member() -> reason::GoalUnreachable {
    reason::GoalUnreachable::Several { goals: 2, codes: names(), detail: text() }
}

fn outside() -> reason::PlannerOutputInvalid {
    reason::PlannerOutputInvalid::OutsideLimits { joint: 2, value: 7.0, min: -3.5, max: 3.5 }
}

fn branches() -> reason::ChainExtraction {
    reason::ChainExtraction::DifferentBranches { fork: text() }
}

fn no_class() -> reason::IncompatibleKinematics {
    reason::IncompatibleKinematics::NoClass { detail: text(), available: names() }
}

/// One error of every variant with its code and family, written apart from the table.
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
        (E::IKTimeout { elapsed: 1.5, iterations: 12 }, "IKTimeout", InverseKinematics),
        (E::NoIKSolution { reason: no_branch() }, "NoIKSolution", InverseKinematics),
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
        (
            E::ConstraintViolated { context: text(), constraint: text(), value: 0.25, tolerance: 7.0 },
            "ConstraintViolated",
            Planning,
        ),
        (E::ConstraintFunctionFailed { constraint: link(), detail: text() }, "ConstraintFunctionFailed", Input),
        (E::CostFunctionFailed { detail: text() }, "CostFunctionFailed", Input),
        (E::GoalUnreachable { reason: no_member() }, "GoalUnreachable", Planning),
        (E::PlanningFailed { reason: reason::PlanningFailed::InvalidGoals { goals: 7 } }, "PlanningFailed", Planning),
        (E::JointLimitViolation { name: text(), value: 7.0, min: -3.0, max: 3.0 }, "JointLimitViolation", Input),
        (E::RobotConfigNotFound { name: text(), close: names(), available: names() }, "RobotConfigNotFound", Input),
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
        (
            E::StaticTorqueExceeded { joint: link(), effort: -180.0, limit: 150.0, reserve: 0.001, waypoint_index: 4 },
            "StaticTorqueExceeded",
            Planning,
        ),
        (E::DimensionMismatch { context: text(), expected: "6".into(), got: 7 }, "DimensionMismatch", Input),
        (E::NotFinite { context: text(), index: 2, value: f64::NAN }, "NotFinite", Input),
        (E::InvalidValue { name: text(), value: "0".into(), wanted: text() }, "InvalidValue", Input),
        (E::PlannerOutputInvalid { waypoint: 3, reason: outside() }, "PlannerOutputInvalid", Planning),
        (E::NoLinks { robot: text() }, "NoLinks", Input),
        (E::LinkNotFound { name: text(), available: names() }, "LinkNotFound", Input),
        (E::JointNotFound { name: text(), available: names() }, "JointNotFound", Input),
        (E::GroupNotFound { name: text(), robot: text(), available: names() }, "GroupNotFound", Input),
        (E::GroupsShareJoint { group: text(), other: other(), joint: text() }, "GroupsShareJoint", Input),
        (E::SeveralTips { group: text(), tips: names(), available: names() }, "SeveralTips", Input),
        (E::ObjectNotFound { name: text(), available: names() }, "ObjectNotFound", Input),
        (E::NamedConfigNotFound { name: text(), group: text(), available: names() }, "NamedConfigNotFound", Input),
        (E::ChainExtraction { base: link(), tip: other(), reason: branches() }, "ChainExtraction", Input),
        (E::FramesNotConnected { from: link(), to: other(), connected: names() }, "FramesNotConnected", Input),
        (E::IncompatibleKinematics { reason: no_class() }, "IncompatibleKinematics", Input),
        (E::UnsupportedGoal { reason: reason::UnsupportedGoal::NoLengths { kind: text() } }, "UnsupportedGoal", Input),
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
        (E::FeedbackLost { after: 0.2, joints: vec![link()] }, "FeedbackLost", Execution),
        (
            E::CartesianPathIncomplete { fraction: 0.5, at: 0.1, move_index: 1, kind: text(), reason: text() },
            "CartesianPathIncomplete",
            Planning,
        ),
        (
            E::SequenceItemFailed { item: 1, items: 2, tried: 1, reason: Box::new(E::Other(text())) },
            "SequenceItemFailed",
            Planning,
        ),
        (E::Aborted { reason: text() }, "Aborted", Execution),
        (E::Other(text()), "Other", Planning),
    ]
}

#[test]
fn every_variant_is_in_the_list_and_has_one_example() {
    let listed: BTreeSet<_> = all().iter().map(|(_, code, _)| *code).collect();
    let examples: Vec<_> = E::examples().iter().map(E::code).collect();
    assert_eq!(examples.iter().copied().collect::<BTreeSet<_>>(), listed);
    assert_eq!((examples.len(), all().len()), (listed.len(), listed.len()));
}

#[test]
fn fields_have_the_names_and_values_of_the_debug_form() {
    for error in E::examples().into_iter().chain(all().into_iter().map(|(error, ..)| error)) {
        let debug = format!("{error:?}");
        let names: Vec<_> = error.fields().into_iter().map(|(name, _)| name).collect();
        assert_eq!(names.iter().collect::<BTreeSet<_>>().len(), names.len(), "{names:?}");
        assert!(error.spec().fields.iter().all(|field| names.contains(&field.name)), "{names:?}");
        for (name, value) in error.fields() {
            if name == "reason" || name == "reason_code" || name == "cause" || name == "cause_code" {
                continue;
            }
            let value = match value {
                // The kind of a failure is told in words.
                FieldValue::Text(_) if name == "kind" && error.code() == "Io" => "NotFound".to_owned(),
                FieldValue::Text(text) => format!("{text:?}"),
                FieldValue::Integer(count) => format!("{count:?}"),
                FieldValue::Float(quantity) => format!("{quantity:?}"),
                FieldValue::Texts(names) => format!("{names:?}"),
            };
            assert!(debug.contains(&format!("{name}: {value}")), "{debug}: {name} is {value}");
        }
    }
}

#[test]
fn a_reason_is_its_text_its_code_and_its_fields() {
    let cause = reason::NoIKSolution::PartOfPose { joints: 4, met: "a position".into(), branches: 2, search: text() };
    let error = E::GoalUnreachable { reason: reason::GoalUnreachable::NoIKSolution { cause: cause.clone() } };
    assert_eq!(error.to_string(), format!("GoalUnreachable: {cause}"));
    let of_text = |text: &str| FieldValue::Text(text.to_owned());
    let wanted = [
        ("reason", of_text(&cause.to_string())),
        ("reason_code", of_text("NoIKSolution")),
        ("cause", of_text(&cause.to_string())),
        ("cause_code", of_text("PartOfPose")),
        ("joints", FieldValue::Integer(4)),
        ("met", of_text("a position")),
        ("branches", FieldValue::Integer(2)),
        ("search", of_text("some text")),
    ];
    assert_eq!(error.fields(), wanted);
    let [field] = error.spec().fields else { panic!("{:?}", error.spec()) };
    let spec = field.reasons.iter().find(|spec| spec.code == "NoIKSolution").unwrap();
    assert_eq!(spec.fields.iter().map(|(name, _)| *name).collect::<Vec<_>>(), ["cause"]);
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
        E::PlanningTimeout { .. } | E::IKTimeout { .. } | E::Cancelled { .. } => &["1.500 s", "12"],
        E::StartInCollision { .. } | E::GoalInCollision { .. } => &["forearm", "table", "-0.0030 m", "0.0200 m"],
        E::JointLimitViolation { .. } => &["some text", "7", "[-3, 3]"],
        E::RobotConfigNotFound { .. } => &["some text", "left", "right"],
        E::CollisionDetected { .. } => &["forearm", "table", "3"],
        E::TrajectoryInCollision { .. } => &["forearm", "table", "3.000 s", "3.2 mm", "20.0 mm"],
        E::TrajectoryLimitExceeded { .. } => &["forearm", "some text", "3.5", "limit is 3", "0.500 s"],
        E::StaticTorqueExceeded { .. } => &["forearm", "-180", "limit is 150", "0.1%", "waypoint 4"],
        E::PlannerOutputInvalid { .. } => &["3", "joint 2", "7", "[-3.5, 3.5]"],
        E::CommandFailed { .. } => &["0.500 s", "some text"],
        E::CommandTimeout { .. } => &["0.200 s", "0.1 s"],
        E::ExecutionTimeout { .. } => &["4.500 s", "4.000 s"],
        E::DeviationExceeded { .. } => &["forearm", "some text", "0.2", "0.1"],
        E::FeedbackLost { .. } => &["0.200 s", "forearm"],
        E::DimensionMismatch { .. } => &["some text", "6", "7"],
        E::ConstraintFunctionFailed { .. } => &["forearm", "some text"],
        E::NotFinite { .. } => &["some text", "NaN", "2"],
        E::InvalidValue { .. } => &["some text", "0"],
        E::LinkNotFound { .. }
        | E::JointNotFound { .. }
        | E::GroupNotFound { .. }
        | E::ObjectNotFound { .. }
        | E::NamedConfigNotFound { .. } => &["some text", "\"left\", \"right\""],
        E::UnknownName { .. } => &["planner", "some text", "\"left\", \"right\""],
        E::FramesNotConnected { .. } => &["forearm", "table", "\"left\", \"right\""],
        E::ChainExtraction { .. } => &["forearm", "table", "some text"],
        E::PlanningFailed { .. } => &["none of the 7 goal"],
        E::IncompatibleKinematics { .. } => &["some text", "left; right"],
        _ => &["some text"],
    };
    words.iter().map(|word| (*word).to_owned()).collect()
}

#[test]
fn exactly_three_errors_are_retryable() {
    let retryable: Vec<_> = all().iter().filter(|(error, ..)| error.is_retryable()).map(|(_, code, _)| *code).collect();
    assert_eq!(retryable, ["IKNotConverged", "IKTimeout", "PlanningTimeout"]);
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
