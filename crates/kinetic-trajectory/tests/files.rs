//! Files: what is written reads back to the same bytes, and nothing that is read panics.

use kinetic_core::rng::SeededRng;
use kinetic_core::{
    Certificate, ClosestApproach, ClosestApproaches, ContentHash, KineticError, Measurement, Pair, PiecewisePolynomial,
    ProvenTool, TimedTrajectory, ToolFreedom,
};
use kinetic_trajectory::{
    Document, TimingOptions, from_samples, path_from_json, path_from_json_file, path_to_json, path_to_json_file,
    time_parameterize, trajectory_from_csv, trajectory_from_csv_file, trajectory_from_json, trajectory_from_json_file,
    trajectory_to_csv, trajectory_to_csv_file, trajectory_to_json, trajectory_to_json_file, trapezoidal,
};

use crate::support::{cases, degenerate_path, path, random_limits};

type Read = fn(&str) -> Result<Document, KineticError>;
type Write = fn(&TimedTrajectory, &[String]) -> Result<String, KineticError>;

const FORMATS: [(&str, Write, Read); 2] =
    [("json", trajectory_to_json, trajectory_from_json), ("csv", trajectory_to_csv, trajectory_from_csv)];

fn random(seed: u64) -> TimedTrajectory {
    let mut rng = SeededRng::new(seed);
    let path = degenerate_path(&mut rng);
    let limits = random_limits(&mut rng, path.dof());
    time_parameterize(&path, "trapezoidal", &limits, &TimingOptions::default(), &mut |_| true).unwrap()
}

/// A motion with a certificate of its curve.
pub(crate) fn certified(timed: TimedTrajectory, min_clearance: Option<f64>) -> TimedTrajectory {
    let pair = Some(Pair::new("forearm_link", "shelf, \"left\""));
    let approach = |distance: f64| ClosestApproach { distance, margin: 0.03, pair: pair.clone(), time: 0.1 + 0.2 };
    let found = min_clearance.map(|least| ClosestApproaches { world: approach(least), own: approach(f64::INFINITY) });
    let certificate = Certificate {
        curve: timed.curve().content_hash(),
        scene: ContentHash::of_bytes(b"a scene"),
        group: "arm".to_owned(),
        unchecked_links: vec!["hand, \"left\"".to_owned()],
        ghosts: vec!["cup".to_owned()],
        checks: 1234,
        closest_approaches: Measurement::known(found),
        margin: 0.02,
        self_margin: 0.0,
        max_velocity_ratio: 1.0 - 1e-9,
        max_acceleration_ratio: 0.7,
        max_jerk_ratio: Some(f64::INFINITY),
        path_deviation: 1e-3,
        limits: None,
        max_torque_ratio: Some(0.75),
        dynamics: Some(ContentHash::of_bytes(b"dynamics")),
        payload: None,
        constraints: Vec::new(),
        tool: Some(ProvenTool {
            max_speed: 0.25 / 3.0,
            speed_limit: Some(0.25),
            max_rotation_speed: 0.1,
            rotation_speed_limit: None,
            max_deviation: 1e-5 / 3.0,
            position_tolerance: 1e-4,
            max_angle: 1e-4,
            orientation_tolerance: 1e-3,
            freedom: Some(ToolFreedom {
                axis: [0.0, 0.6, 0.8],
                angle: 3.0,
                cone: 0.1 / 3.0,
                position: [0.0, 1e-3 / 3.0, 0.0],
            }),
        }),
    };
    timed.with_certificate(certificate).unwrap()
}

fn names(dof: usize) -> Vec<String> {
    (0..dof).map(|joint| format!("joint, \"{joint}\"")).collect()
}

#[test]
fn both_formats_return_the_same_trajectory_to_the_last_bit() {
    for (format, write, read) in FORMATS {
        for seed in 0..cases(200, 10_000) as u64 {
            let timed = match seed % 4 {
                0 => random(seed),
                1 => certified(random(seed), Some(0.1 / 3.0)),
                2 => certified(random(seed), Some(f64::INFINITY)),
                _ => certified(random(seed), None),
            };
            let names = if seed % 2 == 0 { Vec::new() } else { names(timed.dof()) };
            let back = read(&write(&timed, &names).unwrap()).unwrap();
            assert_eq!(back.trajectory, timed, "{format} seed {seed}");
            assert_eq!(back.joint_names, names, "{format} seed {seed}");
            assert!(back.notes.is_empty(), "{format} seed {seed}: {:?}", back.notes);
        }
    }
}

#[test]
fn a_certificate_does_not_outlive_a_change_of_the_curve() {
    type Change = fn(f64) -> f64;
    let changes: [(&str, Change); 3] =
        [("half a radian", |c| c + 0.5), ("the last bit", f64::next_up), ("sign", |c| -c)];
    let rest = || trapezoidal(&path(&[&[0.25, -0.5], &[1.0, 2.0], &[0.5, 0.25]]), 1.0, 1.0).unwrap();
    let timed = certified(rest(), Some(0.1));
    let curve = timed.curve();
    for (format, write, read) in FORMATS {
        for row in 0..curve.all_coefficients().len() {
            for power in 0..6 {
                for (what, change) in changes {
                    let case = format!("{format}: {what} of coefficient {power} in row {row}");
                    let mut rows = curve.all_coefficients().to_vec();
                    rows[row][power] = change(rows[row][power]);
                    let moved = PiecewisePolynomial::new(curve.dof(), curve.knots().to_vec(), rows).unwrap();
                    // As an editor does it: the numbers of the curve, with the certificate of before.
                    let moved = TimedTrajectory::new(moved, vec![0.0], 0.0, "trapezoidal").unwrap();
                    let text = with_certificate_of(format, &write(&moved, &[]).unwrap(), &write(&timed, &[]).unwrap());
                    let document = read(&text).unwrap();
                    assert_eq!(document.trajectory, moved, "{case}");
                    assert!(document.trajectory.certificate().is_none(), "{case}");
                    assert!(document.notes.len() == 1 && document.notes[0].contains("certificate"), "{case}");
                }
            }
        }
    }
}

#[test]
fn a_certificate_of_an_earlier_release_is_left_out_and_the_motion_is_read() {
    let rest = trapezoidal(&path(&[&[0.25, -0.5], &[1.0, 2.0]]), 1.0, 1.0).unwrap();
    let timed = certified(rest.clone(), Some(0.1));
    for (format, write, read) in FORMATS {
        let text = write(&timed, &[]).unwrap();
        // It knew neither the field of today nor its name.
        let earlier = text.replacen("\"closest_approaches\"", "\"min_clearance\"", 1);
        assert_ne!(earlier, text, "{format}");
        let document = read(&earlier).unwrap();
        assert_eq!(document.trajectory, rest, "{format}");
        assert!(document.notes.len() == 1 && document.notes[0].contains("of this release"), "{:?}", document.notes);
    }
}

#[test]
fn a_bound_on_torques_that_names_no_dynamics_is_left_out_of_its_certificate() {
    let rest = trapezoidal(&path(&[&[0.25, -0.5], &[1.0, 2.0]]), 1.0, 1.0).unwrap();
    let timed = certified(rest, Some(0.1));
    for (format, write, read) in FORMATS {
        let text = write(&timed, &[]).unwrap();
        let earlier = text.replacen("\"dynamics\"", "\"dynamics of an earlier release\"", 1);
        assert_ne!(earlier, text, "{format}");
        let document = read(&earlier).unwrap();
        let certificate = document.trajectory.certificate().unwrap();
        assert_eq!((certificate.max_torque_ratio, certificate.max_velocity_ratio), (None, 1.0 - 1e-9), "{format}");
        assert!(document.notes.len() == 1 && document.notes[0].contains("torques"), "{:?}", document.notes);
    }
}

/// A text with the certificate that another one has.
fn with_certificate_of(format: &str, text: &str, other: &str) -> String {
    if format == "csv" {
        let line = other.lines().find(|line| line.starts_with("# certificate ")).unwrap();
        return text.replacen("# knots", &format!("{line}\n# knots"), 1);
    }
    let mut document: serde_json::Value = serde_json::from_str(text).unwrap();
    let other: serde_json::Value = serde_json::from_str(other).unwrap();
    document["certificate"] = other["certificate"].clone();
    document.to_string()
}

#[test]
fn files_hold_what_strings_hold_and_errors_name_the_file() {
    let directory = std::env::temp_dir().join(format!("kinetic-trajectory-{}", std::process::id()));
    std::fs::create_dir_all(&directory).unwrap();
    let timed = random(3);
    let (json, csv, line) = (directory.join("a.json"), directory.join("a.csv"), directory.join("path.json"));
    trajectory_to_json_file(&timed, &[], &json).unwrap();
    trajectory_to_csv_file(&timed, &[], &csv).unwrap();
    assert_eq!(trajectory_from_json_file(&json).unwrap().trajectory, timed);
    assert_eq!(trajectory_from_csv_file(&csv).unwrap().trajectory, timed);
    let given = path(&[&[0.1, 0.2], &[0.3, 1.0 / 3.0]]);
    path_to_json_file(&given, &names(2), &line).unwrap();
    assert_eq!(path_from_json_file(&line).unwrap().path, given);
    let error = trajectory_from_csv_file(&json).unwrap_err();
    assert!(error.code() == "FileParse" && error.to_string().contains("a.json"), "{error}");
    std::fs::remove_dir_all(&directory).unwrap();
    let error = trajectory_from_json_file(&json).unwrap_err();
    assert!(error.code() == "Io" && error.to_string().contains("a.json"), "{error}");
}

#[test]
fn a_path_without_time_survives_json_and_reads_from_a_trajectory_too() {
    let given = path(&[&[0.1, -0.0], &[1e-300, 1.0 / 3.0], &[5.0, 6.0]]);
    let back = path_from_json(&path_to_json(&given, &names(2)).unwrap()).unwrap();
    assert_eq!((back.path, back.joint_names), (given, names(2)));
    let empty = kinetic_core::Trajectory::with_dof(4);
    assert_eq!(path_from_json(&path_to_json(&empty, &[]).unwrap()).unwrap().path, empty);
    let timed = trapezoidal(&path(&[&[0.0], &[1.0]]), 1.0, 1.0).unwrap();
    let read = path_from_json(&trajectory_to_json(&timed, &[]).unwrap()).unwrap().path;
    assert_eq!(read.len(), 2);
}

#[test]
fn the_json_schema_is_the_documented_one() {
    let timed = trapezoidal(&path(&[&[0.0, 0.0], &[1.0, 2.0]]), 1.0, 1.0).unwrap();
    let timed = certified(timed, Some(f64::INFINITY));
    let text = trajectory_to_json(&timed, &names(2)).unwrap();
    let value: serde_json::Value = serde_json::from_str(&text).unwrap();
    assert_eq!(value["schema"], 1);
    assert_eq!(value["dof"], 2);
    assert_eq!(value["num_waypoints"], 2);
    assert_eq!(value["law"], "trapezoidal");
    assert_eq!(value["duration"].as_f64().unwrap(), timed.duration());
    assert_eq!(value["joint_names"][1], "joint, \"1\"");
    assert_eq!(value["waypoints"][1]["positions"][1].as_f64().unwrap(), timed.waypoints()[1].positions[1]);
    assert_eq!(value["pieces"]["knots"].as_array().unwrap().len(), timed.curve().pieces() + 1);
    assert_eq!(value["pieces"]["coefficients"][0][1].as_array().unwrap().len(), 6);
    assert_eq!(value["certificate"]["closest_approaches"]["world"]["distance"], "infinite");
    assert_eq!(value["certificate"]["curve"], timed.curve().content_hash().to_string());
}

#[test]
fn waypoints_alone_are_interpolated_and_say_so() {
    let json = r#"{"waypoints": [{"time": 0, "positions": [0, 1]}, {"time": 1, "positions": [1, 1]}]}"#;
    let csv = "# a comment of another program\ntime,q0,q1\n0,0,1\n1,1,1\n";
    let wanted = from_samples(&[0.0, 1.0], &[[0.0, 1.0], [1.0, 1.0]], None).unwrap();
    assert_eq!(trajectory_from_json(json).unwrap().trajectory, wanted);
    assert_eq!(trajectory_from_csv(csv).unwrap().trajectory, wanted);
    assert_eq!(wanted.law, "interpolated");
    let cubic = trajectory_from_csv("t, q0, qd0\n0, 0, 0\n1, 1, 0\n").unwrap().trajectory;
    assert_eq!(cubic.curve().coefficients(0, 0), &[0.0, 0.0, 3.0, -2.0, 0.0, 0.0]);
    // Minimum-jerk polynomial between two rests.
    let quintic = trajectory_from_csv("time,q0,qd0,qdd0\n0,0,0,0\n1,1,0,0\n").unwrap().trajectory;
    assert_eq!(quintic.curve().coefficients(0, 0), &[0.0, 0.0, 0.0, 10.0, -15.0, 6.0]);
}

#[test]
fn malformed_json_is_an_error_with_its_line_and_reason() {
    for (text, line, said) in [
        ("", 1, "EOF"),
        ("{\n\"waypoints\": [\n{]", 3, "key must be"),
        ("{\"waypoints\": [], \"wayponts\": 1}", 1, "wayponts"),
        ("{}", 0, "0 samples"),
        ("[]", 0, "0 samples"),
        ("{\"schema\": 2, \"waypoints\": []}", 0, "schema = 2"),
        ("{\"waypoints\": [{\"positions\": [1]}]}", 0, "time of waypoint 0"),
        ("{\"dof\": 2, \"waypoints\": [{\"time\": 0, \"positions\": [1]}]}", 0, "positions of waypoint 0 has 1"),
        ("{\"num_waypoints\": 2, \"waypoints\": [{\"time\": 0, \"positions\": [1]}]}", 0, "waypoints has 1"),
        ("{\"law\": \"totp\", \"waypoints\": [{\"time\": 0, \"positions\": [1]}]}", 0, "law = totp"),
        ("{\"waypoints\": [{\"time\": 0, \"positions\": [1e999]}]}", 1, "out of range"),
        ("{\"joint_names\": [\"a\"], \"waypoints\": [{\"time\": 0, \"positions\": [1, 2]}]}", 0, "joint_names has 1"),
        (
            "{\"waypoints\": [{\"time\": 0, \"positions\": [1], \"velocities\": [1]}, {\"time\": 1, \"positions\": [1]}]}",
            0,
            "velocities over all waypoints has 1",
        ),
    ] {
        let error = trajectory_from_json(text).unwrap_err();
        let KineticError::FileParse { line: at, detail, file } = &error else { panic!("{error}") };
        assert!(*at == line && detail.contains(said) && file == "<string>", "{text}: {error}");
    }
}

#[test]
fn malformed_csv_is_an_error_with_its_line_and_reason() {
    for (text, line, said) in [
        ("", 0, "no table"),
        ("a,b\n", 1, "columns are"),
        ("time,q0,q2\n", 1, "columns are"),
        ("time,q0,qd0,q1,qd1\n", 1, "columns are"),
        ("time,q0\n0,1\n1,x\n", 3, "\"x\" is not a finite number"),
        ("time,q0\n0,1\n1,nan\n", 3, "not a finite number"),
        ("time,q0\n0,1\n1,2,3\n", 3, "3 values, but the table has 2 columns"),
        ("time,q0\n0,1\n0,2\n", 0, "increasing"),
        ("time,q0\n", 0, "0 samples"),
        ("# kinetic trajectory 1\n# knoss 0,1\n", 2, "unknown key"),
        ("# kinetic trajectory 1\n# dof 1\ntime,q0\n0,1\n", 0, "knots"),
        ("# kinetic trajectory 1\n# dof 1\n# knots 0,1\ntime,q0\n0,1\n", 0, "wanted 1"),
        ("# kinetic trajectory 1\n# piece 0 joint 0 1,2\n", 2, "c0,…,c5"),
    ] {
        let error = trajectory_from_csv(text).unwrap_err();
        let KineticError::FileParse { line: at, detail, .. } = &error else { panic!("{error}") };
        assert!(*at == line && detail.contains(said), "{text}: {error}");
    }
}

#[test]
fn pieces_that_stand_under_another_joint_or_piece_are_refused() {
    let timed = trapezoidal(&path(&[&[0.0, 0.5], &[1.0, 0.0], &[0.5, 0.5]]), 1.0, 1.0).unwrap();
    let text = trajectory_to_csv(&timed, &[]).unwrap();
    for (is, claimed) in [
        ("# piece 0 joint 0 ", "# piece 0 joint 1 "),
        ("# piece 0 joint 1 ", "# piece 0 joint 0 "),
        ("# piece 1 joint 0 ", "# piece 0 joint 0 "),
        ("# piece 0 joint 1 ", "# piece 1 joint 1 "),
        ("# piece 0 joint 1 ", "# piece 0 joint 2 "),
    ] {
        assert_eq!(text.matches(is).count(), 1);
        let error = trajectory_from_csv(&text.replace(is, claimed)).unwrap_err();
        assert!(error.to_string().contains("every joint of piece 0, then of piece 1"), "{claimed}: {error}");
    }
    // Whole lines in another order name every joint once, and are refused too.
    let mut lines: Vec<&str> = text.lines().collect();
    let first = lines.iter().position(|line| line.starts_with("# piece 0 joint 0 ")).unwrap();
    lines.swap(first, first + 1);
    assert!(trajectory_from_csv(&(lines.join("\n") + "\n")).is_err());
}

#[test]
fn edited_waypoints_that_contradict_the_curve_are_refused() {
    let timed = trapezoidal(&path(&[&[0.0], &[1.0]]), 1.0, 1.0).unwrap();
    let text = trajectory_to_json(&timed, &[]).unwrap();
    let mut value: serde_json::Value = serde_json::from_str(&text).unwrap();
    value["waypoints"][0]["positions"][0] = 0.25.into();
    let error = trajectory_from_json(&value.to_string()).unwrap_err();
    assert!(error.to_string().contains("position of joint 0 of waypoint 0"), "{error}");
}

#[test]
fn wrong_numbers_of_names_are_refused_when_writing() {
    let timed = trapezoidal(&path(&[&[0.0], &[1.0]]), 1.0, 1.0).unwrap();
    assert_eq!(trajectory_to_json(&timed, &names(2)).unwrap_err().code(), "DimensionMismatch");
    assert_eq!(trajectory_to_csv(&timed, &names(2)).unwrap_err().code(), "DimensionMismatch");
    assert_eq!(path_to_json(&path(&[&[0.0]]), &names(2)).unwrap_err().code(), "DimensionMismatch");
}

#[test]
fn mutated_files_never_panic_and_never_give_a_number_that_is_not_finite() {
    for (format, write, read) in FORMATS {
        let timed = trapezoidal(&path(&[&[0.0, 0.5], &[1.0, 0.0], &[0.5, 0.5]]), 1.0, 1.0).unwrap();
        let timed = certified(timed, Some(0.1));
        let text = write(&timed, &names(2)).unwrap();
        let mut refused = 0;
        let cases = cases(4000, 1_000_000);
        for seed in 0..cases as u64 {
            let mutated = mutate(&text, &mut SeededRng::new(seed));
            match read(&mutated) {
                Err(error) => {
                    assert_eq!(error.code(), "FileParse", "{format} seed {seed}");
                    refused += 1;
                }
                Ok(document) => {
                    let curve = document.trajectory.curve();
                    let end = curve.sample(curve.duration(), 0);
                    // Coefficients may have become huge, never undefined.
                    assert!(end.iter().all(|value| !value.is_nan()), "{format} seed {seed}");
                }
            }
        }
        assert!(refused > cases / 2, "{format}: only {refused} of {cases} mutations were noticed");
    }
}

/// Deletes, repeats, swaps or replaces a few characters or lines.
fn mutate(text: &str, rng: &mut SeededRng) -> String {
    const ALPHABET: &[u8] = b"0123456789.,-+eE[]{}\":# \nnulNaNinfabq\\";
    let mut bytes: Vec<u8> = text.bytes().filter(u8::is_ascii).collect();
    for _ in 0..=rng.below(4) {
        let at = rng.below(bytes.len().max(1)).min(bytes.len().saturating_sub(1));
        let until = (at + rng.below(20)).min(bytes.len());
        let letter = ALPHABET[rng.below(ALPHABET.len())];
        match rng.below(5) {
            0 => drop(bytes.drain(at..until)),
            1 => bytes.insert(at, letter),
            2 if !bytes.is_empty() => bytes[at] = letter,
            3 => {
                let copy = bytes[at..until].to_vec();
                bytes.splice(at..at, copy);
            }
            _ => bytes.truncate(until.max(1)),
        }
    }
    String::from_utf8(bytes).unwrap()
}
