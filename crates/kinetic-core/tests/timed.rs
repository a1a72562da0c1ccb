//! Timed trajectories: waypoints are a view of the curve; what is malformed is refused.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use kinetic_core::control::ManualClock;
use kinetic_core::{
    Certificate, ClosestApproach, ClosestApproaches, ContentHash, Control, Measurement, Pair, PiecewisePolynomial,
    ProvenTool, StopFlag, TimedTrajectory, Trajectory, TrajectoryIdentity,
};

fn curve() -> PiecewisePolynomial {
    let rows = [[0.0, 0.0, 1.0, 0.0, 0.0, 0.0], [1.0, 2.0, -1.0, 0.0, 0.0, 0.0]];
    PiecewisePolynomial::new(1, vec![0.0, 1.0, 2.0], rows.to_vec()).unwrap()
}

fn timed() -> TimedTrajectory {
    TimedTrajectory::new(curve(), vec![0.0, 1.0, 2.0], 0.0, "handmade").unwrap()
}

#[test]
fn waypoints_are_samples_of_the_curve_with_derivatives() {
    let timed = timed();
    assert_eq!((timed.duration(), timed.dof(), timed.waypoint_times()), (2.0, 1, &[0.0, 1.0, 2.0][..]));
    let states: Vec<_> = timed.waypoints().iter().map(|w| (w.time, w.positions[0], w.velocities[0])).collect();
    assert_eq!(states, [(0.0, 0.0, 0.0), (1.0, 1.0, 2.0), (2.0, 2.0, 0.0)]);
    assert_eq!(timed.waypoints()[1].accelerations.0, [-2.0]);
    assert_eq!(timed.curve(), &curve());
}

#[test]
fn times_outside_the_duration_are_clamped() {
    let timed = timed();
    for (t, time) in [(-1.0, 0.0), (f64::NAN, 0.0), (5.0, 2.0), (f64::INFINITY, 2.0), (0.5, 0.5)] {
        let state = timed.sample_at(t);
        assert_eq!((state.time, state.positions.0), (time, timed.curve().sample(time, 0)), "t = {t}");
    }
}

#[test]
fn waypoint_times_outside_the_curve_out_of_order_or_missing_are_refused() {
    for times in [vec![], vec![-0.1], vec![0.0, 2.1], vec![1.0, 0.5]] {
        let error = TimedTrajectory::new(curve(), times.clone(), 0.0, "x").unwrap_err();
        assert_eq!(error.code(), "InvalidValue", "{times:?}");
    }
    assert_eq!(TimedTrajectory::new(curve(), vec![f64::NAN], 0.0, "x").unwrap_err().code(), "NotFinite");
    for deviation in [-1.0, f64::NAN, f64::INFINITY] {
        assert_eq!(TimedTrajectory::new(curve(), vec![0.0], deviation, "x").unwrap_err().code(), "InvalidValue");
    }
}

fn approach(distance: f64) -> ClosestApproach {
    ClosestApproach { distance, margin: 0.03, pair: Some(Pair::new("a", "b")), time: 0.5 }
}

#[test]
fn closest_approaches_are_measured_once_and_when_they_are_asked_for() {
    let calls = Arc::new(AtomicU64::new(0));
    let counted = Arc::clone(&calls);
    let captured = Arc::new(());
    let kept = Arc::clone(&captured);
    let measurement = Measurement::on_demand(move |control| {
        counted.fetch_add(1, Ordering::Relaxed);
        assert_eq!(Arc::strong_count(&kept), 2);
        control.check(0)?;
        Ok(ClosestApproaches { world: approach(0.2), own: approach(0.1) })
    });
    let copy = measurement.clone();
    assert!(!measurement.is_known() && calls.load(Ordering::Relaxed) == 0);
    let stop = StopFlag::default();
    stop.stop();
    let ended = Control::new(Arc::new(ManualClock::default()), f64::INFINITY, u64::MAX, stop);
    assert_eq!(measurement.get(&ended).unwrap_err().code(), "Cancelled");
    assert_eq!(measurement.get(&Control::default()).unwrap().unwrap().tightest(), &approach(0.1));
    assert_eq!(copy.get(&ended).unwrap(), measurement.get(&ended).unwrap());
    assert!(copy.is_known() && calls.load(Ordering::Relaxed) == 2);
    assert_eq!(Arc::strong_count(&captured), 1, "what measures is let go");
}

#[test]
fn text_keeps_everything_infinite_clearance_included_and_is_checked() {
    let timed = timed();
    let certificate = Certificate {
        curve: timed.curve().content_hash(),
        scene: ContentHash::of_bytes(b"scene"),
        group: "arm".to_owned(),
        unchecked_links: vec!["hand".to_owned()],
        ghosts: vec!["cup".to_owned()],
        checks: 5,
        closest_approaches: Measurement::known(Some(ClosestApproaches {
            world: approach(f64::INFINITY),
            own: approach(0.1),
        })),
        margin: 0.02,
        self_margin: 0.0,
        max_velocity_ratio: 0.9,
        max_acceleration_ratio: 1.0,
        max_jerk_ratio: Some(f64::INFINITY),
        path_deviation: 0.0,
        limits: None,
        max_torque_ratio: Some(0.75),
        dynamics: Some(ContentHash::of_bytes(b"dynamics")),
        payload: None,
        constraints: Vec::new(),
        tool: None,
    };
    let timed = timed.with_certificate(certificate.clone()).unwrap();
    let text = serde_json::to_string(&timed).unwrap();
    assert_eq!(serde_json::from_str::<TimedTrajectory>(&text).unwrap(), timed);
    let bad = text.replace("\"waypoint_times\":[0.0,1.0,2.0]", "\"waypoint_times\":[0.0,9.0]");
    assert!(bad != text && serde_json::from_str::<TimedTrajectory>(&bad).is_err());
    for (distance, written) in [(0.25, "0.25"), (f64::INFINITY, "\"infinite\"")] {
        let found = ClosestApproaches { world: approach(0.5), own: approach(distance) };
        let closest_approaches = Measurement::known(Some(found.clone()));
        let text = serde_json::to_string(&Certificate { closest_approaches, ..certificate.clone() }).unwrap();
        assert!(text.contains(&format!("\"own\":{{\"distance\":{written},")), "{text}");
        let read = serde_json::from_str::<Certificate>(&text).unwrap();
        assert_eq!(read.closest_approach().unwrap(), Some(found.tightest()));
    }
    let same = Certificate { checks: 6, closest_approaches: Measurement::known(None), ..certificate.clone() };
    assert_eq!(same, certificate, "the work and what is measured are not compared");
    assert_ne!(Certificate { margin: 0.03, ..certificate.clone() }, certificate);
    assert_ne!(Certificate { group: "hand".to_owned(), ..certificate.clone() }, certificate);
    assert_ne!(Certificate { dynamics: None, ..certificate.clone() }, certificate);
    let tool: ProvenTool = serde_json::from_str(
        r#"{"max_speed": 0.2, "speed_limit": 0.25, "max_rotation_speed": 0.1, "max_deviation": 1e-5,
            "position_tolerance": 1e-4, "max_angle": 1e-4, "orientation_tolerance": 1e-3}"#,
    )
    .unwrap();
    assert_eq!((tool.speed_limit, tool.rotation_speed_limit, tool.freedom), (Some(0.25), None, None));
    assert_ne!(Certificate { tool: Some(tool), ..certificate.clone() }, certificate);
    assert_eq!(certificate.torque_ratio_of(ContentHash::of_bytes(b"dynamics")), Some(0.75));
    assert_eq!(certificate.torque_ratio_of(ContentHash::of_bytes(b"another mass")), None);
    let none = Certificate { closest_approaches: Measurement::known(None), ..certificate };
    let text = serde_json::to_string(&none).unwrap();
    assert!(text.contains("\"closest_approaches\":null,"), "{text}");
    assert_eq!(serde_json::from_str::<Certificate>(&text).unwrap(), none);
}

#[test]
fn a_certificate_stays_with_its_curve() {
    let (one, other) = (timed(), PiecewisePolynomial::constant(&[0.5]).unwrap());
    let other = TimedTrajectory::new(other, vec![0.0], 0.0, "x").unwrap();
    let certificate = |curve: &PiecewisePolynomial| {
        let text = r#"{"checks": 1, "closest_approaches": null, "margin": 0.0, "self_margin": 0.0,
                       "max_velocity_ratio": 0.5, "max_acceleration_ratio": 0.5, "max_jerk_ratio": null,
                       "path_deviation": 0.0}"#;
        let read: Certificate = serde_json::from_str(text).unwrap();
        assert!(!read.is_of(curve), "it names no curve");
        Certificate { curve: curve.content_hash(), ..read }
    };
    let certified = one.clone().with_certificate(certificate(one.curve())).unwrap();
    assert!(certified.certificate().is_some());
    let error = other.clone().with_certificate(certificate(one.curve())).unwrap_err();
    assert!(error.code() == "InvalidValue" && error.to_string().contains("certificate"), "{error}");
    // A text whose curve was changed by hand.
    let text = serde_json::to_string(&certified).unwrap();
    let moved = text.replacen("[0.0,0.0,1.0,", "[0.001,0.0,1.0,", 1);
    let read = serde_json::from_str::<TimedTrajectory>(&moved);
    assert!(moved != text && read.is_ok_and(|read| read.certificate().is_none()), "{moved}");
}

fn identity(joint: &str, group: Option<&str>, robot: Option<&str>) -> TrajectoryIdentity {
    let joint_names = if joint.is_empty() { Vec::new() } else { vec![joint.to_owned()] };
    TrajectoryIdentity { joint_names, group: group.map(str::to_owned), robot_name: robot.map(str::to_owned) }
}

#[test]
fn names_of_what_moves_are_carried_and_are_no_part_of_the_motion() {
    let named = timed().with_identity(identity("elbow", Some("arm"), Some("ur5e"))).unwrap();
    assert_eq!(named.joint_names(), ["elbow"]);
    assert_eq!((named.group(), named.robot_name()), (Some("arm"), Some("ur5e")));
    assert_eq!((&named, named.content_hash()), (&timed(), timed().content_hash()));
    let text = serde_json::to_string(&named).unwrap();
    assert_eq!(serde_json::from_str::<TimedTrajectory>(&text).unwrap().identity(), named.identity());
    let plain = serde_json::to_string(&timed()).unwrap();
    assert!(!plain.contains("identity"), "{plain}");
    assert!(named.clone().with_identity(TrajectoryIdentity::default()).unwrap().identity().is_none());
    let two = TrajectoryIdentity { joint_names: vec!["a".to_owned(), "b".to_owned()], ..TrajectoryIdentity::default() };
    assert_eq!(named.with_identity(two.clone()).unwrap_err().code(), "DimensionMismatch");
    let wrong = text.replace("[\"elbow\"]", "[\"a\",\"b\"]");
    assert!(wrong != text && serde_json::from_str::<TimedTrajectory>(&wrong).is_err());
    let path = Trajectory::from_waypoints(&[[0.0], [1.0]]).unwrap();
    assert_eq!(path.clone().with_identity(two).unwrap_err().code(), "DimensionMismatch");
    let named = path.clone().with_identity(identity("elbow", None, Some("ur5e"))).unwrap();
    assert_eq!((&named, named.content_hash()), (&path, path.content_hash()));
    assert_eq!((named.reverse().joint_names(), named.reverse().group()), (&["elbow".to_owned()][..], None));
    let read: Trajectory = serde_json::from_str(&serde_json::to_string(&named).unwrap()).unwrap();
    assert_eq!(read.identity(), named.identity());
}

#[test]
fn joined_motions_know_what_either_knows_and_motions_of_different_robots_are_not_joined() {
    let path = |identity| Trajectory::from_waypoints(&[[0.0], [1.0]]).unwrap().with_identity(identity).unwrap();
    let mut joined = path(identity("elbow", None, None));
    joined.append(&path(identity("", Some("arm"), Some("ur5e")))).unwrap();
    assert_eq!(**joined.identity().unwrap(), identity("elbow", Some("arm"), Some("ur5e")));
    joined.append(&path(TrajectoryIdentity::default())).unwrap();
    assert_eq!((joined.len(), joined.group()), (6, Some("arm")));
    let others = [("wrist", Some("arm"), Some("ur5e")), ("elbow", Some("hand"), None), ("", None, Some("ur10e"))];
    for (joint, group, robot) in others {
        let before = joined.clone();
        let error = joined.append(&path(identity(joint, group, robot))).unwrap_err();
        assert_eq!((error.code(), &joined), ("InvalidValue", &before), "{error}");
    }
}
