//! Constraints as data: texts, domains, contradictions.

use kinetic_core::constraint::Axis;
use kinetic_core::{Constraint, KineticError, Pose, check_constraints};
use nalgebra::{UnitQuaternion, Vector3};

fn one_of_each_kind() -> Vec<Constraint> {
    let link = || "tool0".to_owned();
    let pose = Pose::from_xyz_rpy(0.1, -0.2, 0.3, 0.4, -0.5, 0.6);
    vec![
        Constraint::Orientation { link: link(), axis: Vector3::z(), tolerance: 0.1 },
        Constraint::FreeAxis {
            link: link(),
            link_axis: Vector3::x(),
            axis: Vector3::new(1.0, 2.0, 0.1),
            tolerance: 0.1,
        },
        Constraint::FixedOrientation {
            link: link(),
            rotation: UnitQuaternion::from_euler_angles(0.1, 0.7, -2.0),
            tolerance: 0.01,
        },
        Constraint::PositionBound { link: link(), axis: Axis::Y, min: -0.5, max: 0.5 },
        Constraint::Plane {
            link: link(),
            point: Vector3::zeros(),
            normal: Vector3::new(0.0, 1.0, 1.0),
            tolerance: 1e-3,
        },
        Constraint::Line { link: link(), point: Vector3::x(), direction: Vector3::y(), tolerance: 1e-3 },
        Constraint::Box { link: link(), pose, half_extents: Vector3::new(0.1, 0.2, 0.3) },
        Constraint::Joint { joint_index: 2, min: -1.0, max: 1.0 },
        Constraint::Visibility { sensor_link: link(), target: Vector3::new(1.0, 2.0, 3.0), cone_angle: 0.5 },
        Constraint::Distance { link_a: link(), link_b: "base".to_owned(), min: 0.2, max: 1.0 },
        Constraint::RelativePose {
            link_a: link(),
            link_b: "other \"tool\"".to_owned(),
            pose,
            position_tolerance: 1e-3,
            orientation_tolerance: 1e-2,
        },
    ]
}

#[test]
fn every_kind_survives_text() {
    let constraints = one_of_each_kind();
    let kinds: Vec<&str> = constraints.iter().map(Constraint::kind).collect();
    assert_eq!(kinds, Constraint::KINDS);
    for constraint in constraints {
        let text = serde_json::to_string(&constraint).unwrap();
        assert_eq!(serde_json::from_str::<Constraint>(&text).unwrap(), constraint, "{text}");
        assert_eq!(constraint.check(), Ok(()));
    }
    assert_eq!([Axis::X, Axis::Y, Axis::Z].map(Axis::index), [0, 1, 2]);
}

#[test]
fn values_outside_their_domain_are_refused_by_name() {
    for (text, named) in [
        (r#"{"kind": "orientation", "link": "a", "axis": [0, 0, 0], "tolerance": 0.1}"#, "axis of constraint"),
        (r#"{"kind": "orientation", "link": "a", "axis": [0, 0, 1], "tolerance": 0}"#, "tolerance of constraint"),
        (r#"{"kind": "orientation", "link": "a", "axis": [0, 0, 1], "tolerance": 3.2}"#, "tolerance of constraint"),
        (r#"{"kind": "orientation", "link": "a", "axis": [0, 0], "tolerance": 0.1}"#, "three numbers"),
        (r#"{"kind": "orientation", "link": "a", "axis": [0, 0, 1]}"#, "nothing"),
        (r#"{"kind": "orientation", "link": "a", "axis": [0, 0, 1], "tolerance": 1, "min": 0}"#, "no other value than"),
        (r#"{"kind": "cone", "link": "a"}"#, "UnknownName"),
        (r#"{"kind": "position_bound", "link": "a", "axis": "w", "min": 0, "max": 1}"#, "\"x\", \"y\" or \"z\""),
        (r#"{"kind": "position_bound", "link": "a", "axis": "x", "min": 1, "max": 1}"#, "min below max"),
        (r#"{"kind": "joint", "joint_index": -1, "min": 0, "max": 1}"#, "an index"),
        (r#"{"kind": "distance", "link_a": "a", "link_b": "a", "min": 0, "max": 1}"#, "another link"),
        (r#"{"kind": "distance", "link_a": "a", "link_b": "b", "min": -2, "max": -1}"#, "a positive number"),
        (r#"{"kind": "fixed_orientation", "link": "a", "rotation": [0, 0, 0, 0], "tolerance": 1}"#, "quaternion"),
        (r#"{"kind": "box", "link": "a", "pose": [0,0,0,0,0,0,1], "half_extents": [1, 1, 0]}"#, "half_extents"),
    ] {
        let error = serde_json::from_str::<Constraint>(text).unwrap_err().to_string();
        assert!(error.contains(named), "{text}: {error}");
    }
    let nan = Constraint::Orientation { link: "a".to_owned(), axis: Vector3::new(0.0, f64::NAN, 1.0), tolerance: 0.1 };
    assert!(matches!(nan.check(), Err(KineticError::NotFinite { .. })));
}

#[test]
fn constraints_that_no_configuration_meets_are_refused_as_a_pair() {
    let link = || "tool0".to_owned();
    let cone = |x: f64, tolerance: f64| Constraint::Orientation {
        link: link(),
        axis: Vector3::new(x.sin(), 0.0, x.cos()),
        tolerance,
    };
    let bound = |axis, min, max| Constraint::PositionBound { link: link(), axis, min, max };
    let joint = |joint_index, min, max| Constraint::Joint { joint_index, min, max };
    for (first, second, are_apart) in [
        (cone(0.0, 0.1), cone(0.25, 0.1), true),
        (cone(0.0, 0.1), cone(0.15, 0.1), false),
        (bound(Axis::X, 0.0, 1.0), bound(Axis::X, 1.1, 2.0), true),
        (bound(Axis::X, 0.0, 1.0), bound(Axis::Y, 1.1, 2.0), false),
        (joint(1, 0.0, 1.0), joint(1, -2.0, -0.5), true),
        (joint(1, 0.0, 1.0), joint(2, -2.0, -0.5), false),
    ] {
        let filler = Constraint::Plane { link: link(), point: Vector3::zeros(), normal: Vector3::z(), tolerance: 1.0 };
        let outcome = check_constraints(&[first.clone(), filler, second.clone()]);
        let named = matches!(&outcome, Err(KineticError::InvalidValue { name, .. })
            if name == "constraints[0] and constraints[2]");
        assert_eq!(named, are_apart, "{first} {second}: {outcome:?}");
        assert_eq!(outcome.is_ok(), !are_apart);
    }
}
