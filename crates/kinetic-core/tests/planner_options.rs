//! The table of options: names, kinds, domains, and what errors say.

use std::collections::HashSet;

use kinetic_core::config::{InFiles, JOINT_WEIGHTS, OptionKind, OptionValue};
use kinetic_core::{
    Constraint, KineticError, MountedPayload, Payload, PayloadEntry, PlannerConfig, PlannerOption, Pose,
};
use nalgebra::Vector3;

/// A value of an option's kind which is the default of no option.
fn other_value(option: &PlannerOption) -> OptionValue {
    let default = option.default();
    match option.kind {
        OptionKind::Flag => OptionValue::Flag(default != OptionValue::Flag(true)),
        OptionKind::Count => OptionValue::Count(7),
        OptionKind::Number => OptionValue::Number(0.25),
        OptionKind::Name => {
            let names = [("projection", "joints"), ("state_cost", "clearance"), ("refine", "trajopt")];
            let name = names.into_iter().find(|(name, _)| *name == option.name).map_or("time", |(_, value)| value);
            OptionValue::Name(name.to_owned())
        }
        OptionKind::FlagOrName => OptionValue::Name("first".to_owned()),
        OptionKind::Names => OptionValue::Names(vec!["one \"planner\"".to_owned(), "two".to_owned()]),
        OptionKind::PerJoint => OptionValue::PerJoint(vec![0.5, 2.0]),
        OptionKind::Corners => OptionValue::Corners([[-1.0; 3], [1.0; 3]]),
        OptionKind::Vector => OptionValue::Vector([0.0, -9.81, 0.0]),
        OptionKind::Payload => {
            let on_link = MountedPayload {
                link: Some("a \"link\"".to_owned()),
                link_from_mount: Some(Pose::from_xyz(0.0, 0.1, 0.0)),
                ..Payload::point(2.5, Vector3::z()).unwrap().into()
            };
            OptionValue::Payload(on_link.into())
        }
        OptionKind::Constraints => {
            OptionValue::Constraints(vec![Constraint::Joint { joint_index: 0, min: -1.0, max: 1.0 }])
        }
    }
}

#[test]
fn names_keywords_and_flags_are_told_apart() {
    let count = PlannerOption::all().count();
    let words = |word: fn(&PlannerOption) -> &'static str| PlannerOption::all().map(word).collect::<HashSet<_>>().len();
    assert_eq!([words(|option| option.name), words(|option| option.keyword), words(|option| option.flag)], [count; 3]);
    for option in PlannerOption::all() {
        let flag = option.flag.strip_prefix("--").unwrap();
        assert!(flag.chars().all(|letter| letter.is_ascii_lowercase() || letter == '-'), "{flag}");
        assert!(option.doc().ends_with('.') && !option.doc().contains('\n'), "{}: {}", option.name, option.doc());
        assert_eq!(PlannerOption::of_name(option.name).unwrap().flag, option.flag);
    }
    let error = PlannerOption::of_name("shortcuts").unwrap_err();
    assert!(matches!(&error, KineticError::UnknownName { available, .. } if available.len() == count), "{error}");
}

#[test]
fn a_value_that_is_set_is_the_one_that_is_got_and_no_other_option_changes() {
    for option in PlannerOption::all() {
        let value = other_value(option);
        assert_ne!(value, option.default(), "{}", option.name);
        let mut config = PlannerConfig::default();
        option.set(&mut config, value.clone()).unwrap();
        assert_eq!(option.get(&config), value, "{}", option.name);
        // A race is one against others.
        assert_eq!(config.check().is_err(), option.name == "race", "{}", option.name);
        for other in PlannerOption::all().filter(|other| other.name != option.name) {
            assert_eq!(other.get(&config), other.default(), "{} changed {}", option.name, other.name);
        }
        option.set(&mut config, option.default()).unwrap();
        assert_eq!(config, PlannerConfig::default(), "{}", option.name);
    }
}

#[test]
fn values_of_another_kind_are_refused_with_what_is_wanted() {
    for option in PlannerOption::all() {
        let takes_flags = matches!(option.kind, OptionKind::Flag | OptionKind::FlagOrName);
        let wrong = if takes_flags { OptionValue::Number(1.0) } else { OptionValue::Flag(true) };
        let error = option.set(&mut PlannerConfig::default(), wrong).unwrap_err();
        let KineticError::InvalidValue { name, wanted, .. } = error else { panic!("{error}") };
        assert_eq!((name.as_str(), wanted.as_str()), (option.name, option.wanted));
    }
    let minimise = PlannerOption::of_name("minimise").unwrap();
    let unknown = minimise.set(&mut PlannerConfig::default(), OptionValue::Name("energy".to_owned()));
    assert!(unknown.unwrap_err().to_string().contains("\"energy\""));
}

#[test]
fn numbers_that_are_none_are_refused_by_every_option() {
    let refused = |option: &PlannerOption, value: OptionValue, place: &str| {
        let mut config = PlannerConfig::default();
        option.set(&mut config, value).unwrap();
        let error = config.check().unwrap_err();
        let KineticError::InvalidValue { name, wanted, .. } = &error else { panic!("{error}") };
        assert_eq!(name, &format!("{}{place}", option.name));
        assert_eq!(wanted, option.wanted);
    };
    for option in PlannerOption::all() {
        match option.kind {
            OptionKind::Number => refused(option, OptionValue::Number(f64::NAN), ""),
            OptionKind::PerJoint => {
                for bad in [f64::NAN, 0.0, -1.0, f64::INFINITY] {
                    refused(option, OptionValue::PerJoint(vec![1.0, bad, 1.0]), "[1]");
                }
            }
            OptionKind::Corners => refused(option, OptionValue::Corners([[0.0; 3], [1.0, 0.0, 1.0]]), ""),
            OptionKind::Vector => refused(option, OptionValue::Vector([0.0, f64::NAN, 1.0]), "[1]"),
            OptionKind::Flag
            | OptionKind::Count
            | OptionKind::Name
            | OptionKind::FlagOrName
            | OptionKind::Names
            | OptionKind::Payload
            | OptionKind::Constraints => {}
        }
    }
}

#[test]
fn sentences_about_domains_name_the_bounds_that_are_checked() {
    let weights = PlannerOption::of_name("joint_weights").unwrap();
    let bounds = format!("a number from {:e} to {:e}", JOINT_WEIGHTS.start(), JOINT_WEIGHTS.end());
    assert_eq!(weights.wanted, bounds);
}

#[test]
fn options_that_files_leave_out_have_a_default_that_says_nothing() {
    for option in PlannerOption::all().filter(|option| option.in_files == InFiles::WhenStated) {
        let default = option.default();
        let none = [OptionValue::Constraints(Vec::new()), OptionValue::Names(Vec::new())];
        let numbers = [OptionValue::Number(0.0), OptionValue::Number(1.0)];
        let silent = [OptionValue::Unset, OptionValue::Flag(false)];
        let says_nothing = silent.contains(&default) || numbers.contains(&default) || none.contains(&default);
        assert!(says_nothing, "{}: {default}", option.name);
    }
}

#[test]
fn a_call_can_state_how_fast_its_motion_may_be() {
    let names: Vec<&str> = PlannerOption::of_calls().map(|option| option.name).collect();
    assert_eq!(
        names,
        ["velocity_scaling", "acceleration_scaling", "velocity_limits", "acceleration_limits", "jerk_limits"]
    );
}

#[test]
fn a_vector_is_read_where_serde_takes_it_for_numbers_of_joints() {
    let gravity = PlannerOption::of_name("gravity").unwrap();
    let mut config = PlannerConfig::default();
    gravity.set(&mut config, serde_json::from_str("[0.0, 9.81, 0.0]").unwrap()).unwrap();
    assert_eq!(config.gravity, Some([0.0, 9.81, 0.0]));
    assert!(gravity.set(&mut config, OptionValue::PerJoint(vec![1.0; 2])).is_err());
}

#[test]
fn a_payload_that_no_body_has_is_refused() {
    let payload = PlannerOption::of_name("payload").unwrap();
    let entry = |text: &str| serde_json::from_str::<PayloadEntry>(text).unwrap();
    for text in [
        r#"{"mass": -1}"#,
        r#"{"mass": 1, "inertia": [[1,0,0],[0,1,0],[0,0,9]]}"#,
        r#"{"mass": 1, "pose": [0,0,0,0,0,0,0]}"#,
    ] {
        let error = payload.set(&mut PlannerConfig::default(), OptionValue::Payload(entry(text))).unwrap_err();
        assert!(matches!(&error, KineticError::InvalidValue { name, .. } if name == "payload"), "{error}");
    }
    assert!(serde_json::from_str::<Payload>(r#"{"mass": 1, "link": "tool0"}"#).is_err());
}
