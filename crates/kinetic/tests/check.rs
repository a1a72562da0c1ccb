//! Checks of robots: each finds its own defect in a robot that is otherwise sound, and nothing in a sound one.

use std::collections::BTreeSet;
use std::sync::Arc;

use kinetic::check::{CHECKS, Level, Report, check_robot};
use kinetic::core::Pose;
use kinetic::robot::{NamedPose, Robot, SkipPair};

/// A sound arm of four joints. Each test replaces something in its text.
fn sound() -> String {
    let link = |name: &str, length: f64| {
        format!(
            "<link name=\"{name}\">\
             <inertial><origin xyz=\"0 0 {half}\"/><mass value=\"2\"/>\
             <inertia ixx=\"0.02\" iyy=\"0.02\" izz=\"0.01\" ixy=\"0\" ixz=\"0\" iyz=\"0\"/></inertial>\
             <collision><origin xyz=\"0 0 {half}\"/><geometry><box size=\"0.1 0.1 {length}\"/></geometry></collision>\
             </link>",
            half = 0.5 * length,
        )
    };
    let joint = |name: &str, parent: &str, child: &str, z: f64, axis: &str| {
        format!(
            "<joint name=\"{name}\" type=\"revolute\"><parent link=\"{parent}\"/><child link=\"{child}\"/>\
             <origin xyz=\"0 0 {z}\"/><axis xyz=\"{axis}\"/>\
             <limit lower=\"-1.6\" upper=\"1.5\" velocity=\"2\" effort=\"50\" acceleration=\"5\"/></joint>"
        )
    };
    [
        "<robot name=\"sound\">".to_owned(),
        link("base", 0.2),
        link("shoulder", 0.1),
        link("upper", 0.4),
        link("fore", 0.3),
        link("hand", 0.1),
        joint("turn", "base", "shoulder", 0.25, "0 0 1"),
        joint("lift", "shoulder", "upper", 0.15, "0 1 0"),
        joint("elbow", "upper", "fore", 0.45, "0 1 0"),
        joint("wrist", "fore", "hand", 0.35, "0 0 1"),
        "</robot>".to_owned(),
    ]
    .concat()
}

/// The sound arm with the first `old` replaced.
fn with(old: &str, new: &str) -> Robot {
    let text = sound();
    assert!(text.contains(old), "{old}");
    Robot::from_urdf_string(&text.replacen(old, new, 1)).unwrap()
}

fn report(robot: Robot) -> Report {
    check_robot(&Arc::new(robot), 0)
}

/// The only check that has a finding, which is of this level and about this subject.
fn only(robot: Robot, check: &str, level: Level, subject: &str) {
    let report = report(robot);
    let found: Vec<_> = report.findings.iter().map(|f| (f.check, f.level, f.subject.as_str())).collect();
    assert_eq!(found, [(check, level, subject)], "{:#?}", report.findings);
}

#[test]
fn a_sound_robot_has_no_findings_and_all_figures() {
    let report = report(with("", ""));
    assert_eq!(report.findings, []);
    assert_eq!(report.links.len(), 5);
    assert_eq!(report.pairs.len(), 6);
    let ik = report.ik.unwrap();
    assert_eq!((ik.group.as_str(), ik.poses), ("arm", 100));
    assert_eq!(report.self_collision.unwrap().configurations, 1000);
}

#[test]
fn the_excess_of_spheres_is_what_the_model_says() {
    let mut robot = with("", "");
    // Cubes of side 0.1 in a ball of radius 0.1 stand out by 0.05 at the faces; the others are covered as always.
    let mut model = vec![Vec::new(); 5];
    let shoulder = robot.link_index("shoulder").unwrap();
    model[shoulder] = vec![[0.0, 0.0, 0.05, 0.1]];
    robot.sphere_model = Some(model);
    let report = report(robot);
    let figures = report.links.iter().find(|figures| figures.link == "shoulder").unwrap();
    assert!((figures.excess - 0.05).abs() < 1e-12 && figures.spheres == 1 && figures.pieces == 1, "{figures:?}");
    assert!((figures.size - 0.03_f64.sqrt()).abs() < 1e-12);
}

#[test]
fn limits_that_cannot_be_meant_are_found() {
    only(with("lower=\"-1.6\" upper=\"1.5\"", "lower=\"1\" upper=\"1\""), "limits", Level::Warning, "turn");
    only(with("lower=\"-1.6\" upper=\"1.5\"", "lower=\"-180\" upper=\"180\""), "limits", Level::Warning, "turn");
    only(with("velocity=\"2\"", "velocity=\"180\""), "limits", Level::Warning, "turn");
    only(with("velocity=\"2\"", "velocity=\"0\""), "limits", Level::Note, "turn");
    only(with("effort=\"50\"", ""), "limits", Level::Note, "turn");
    only(with(" acceleration=\"5\"", ""), "limits", Level::Note, "turn");
}

#[test]
fn masses_and_tensors_that_no_body_has_are_found() {
    let tensor = "ixx=\"0.02\" iyy=\"0.02\" izz=\"0.01\"";
    let missing = sound().replacen("<inertial>", "<!--", 2).replacen("</inertial>", "-->", 2);
    // The base does not move.
    only(Robot::from_urdf_string(&missing).unwrap(), "inertia", Level::Warning, "shoulder");
    only(with("mass value=\"2\"", "mass value=\"0\""), "inertia", Level::Warning, "base");
    only(with(tensor, "ixx=\"0.02\" iyy=\"0.02\" izz=\"-0.01\""), "inertia", Level::Error, "base");
    only(with(tensor, "ixx=\"0.01\" iyy=\"0.01\" izz=\"0.03\""), "inertia", Level::Warning, "base");
    only(with("mass value=\"2\"", "mass value=\"2000\""), "inertia", Level::Warning, "base");
    only(with(tensor, "ixx=\"20\" iyy=\"20\" izz=\"10\""), "inertia", Level::Warning, "base");
    only(
        with("<inertial><origin xyz=\"0 0 0.1\"/>", "<inertial><origin xyz=\"0 0 100\"/>"),
        "inertia",
        Level::Warning,
        "base",
    );
    let none = sound().replace("<inertial>", "<!--").replace("</inertial>", "-->");
    only(Robot::from_urdf_string(&none).unwrap(), "inertia", Level::Note, "sound");
}

#[test]
fn moving_parts_without_shapes_are_found_and_bare_frames_are_not() {
    let text = sound();
    let begin = text.find("<link name=\"hand\">").unwrap();
    let shape = text[begin..].find("<collision>").unwrap() + begin;
    let end = text[begin..].find("</link>").unwrap() + begin;
    let bare = format!("{}{}", &text[..shape], &text[end..]);
    only(Robot::from_urdf_string(&bare).unwrap(), "geometry", Level::Warning, "hand");
    let frame = text.replacen(
        "</robot>",
        "<link name=\"tool\"/><joint name=\"mount\" type=\"fixed\"><parent link=\"hand\"/><child link=\"tool\"/></joint></robot>",
        1,
    );
    assert_eq!(report(Robot::from_urdf_string(&frame).unwrap()).findings, []);
}

#[test]
fn a_missing_mesh_is_named_with_the_places_that_were_tried() {
    let robot = with("<box size=\"0.1 0.1 0.2\"/>", "<mesh filename=\"package://no_such_robot/meshes/base.stl\"/>");
    let report = report(robot);
    let [finding] = &report.findings[..] else { panic!("{:#?}", report.findings) };
    assert_eq!((finding.check, finding.level, finding.subject.as_str()), ("geometry", Level::Error, "base"));
    assert!(finding.message.contains("package://no_such_robot/meshes/base.stl"), "{}", finding.message);
    assert!(report.links.is_empty() && report.self_collision.is_none(), "figures of shapes that are not there");
}

#[test]
fn millimetres_in_place_of_metres_are_found() {
    let report = report(with("<box size=\"0.1 0.1 0.3\"/>", "<box size=\"100 100 300\"/>"));
    let sizes: Vec<_> = report.findings.iter().filter(|f| f.check == "sizes").map(|f| f.subject.as_str()).collect();
    assert_eq!(sizes, ["sound", "fore"], "{:#?}", report.findings);
}

#[test]
fn spheres_far_outside_of_a_link_are_found() {
    let mut robot = with("", "");
    let mut model = vec![Vec::new(); 5];
    model[0] = vec![[0.0, 0.0, 0.1, 0.4]];
    robot.sphere_model = Some(model);
    only(robot, "spheres", Level::Warning, "base");
}

#[test]
fn a_pair_that_touches_most_of_the_time_is_found() {
    // The hand becomes a cube that ends 2 cm behind the elbow: the upper arm's end touches it where the elbow bends by
    // more than 0.5 rad, which it does in two thirds of its range.
    let robot = with(
        "<box size=\"0.1 0.1 0.1\"/></geometry></collision></link><joint",
        "<box size=\"0.84 0.84 0.84\"/></geometry></collision></link><joint",
    );
    let report = report(robot);
    let found: Vec<_> = report.findings.iter().filter(|f| f.check == "self_collision").collect();
    assert_eq!(found.len(), 1, "{:#?}", report.findings);
    assert_eq!(found[0].subject, "upper – hand");
    let pair = report.pairs.iter().find(|pair| pair.links == ("upper".to_owned(), "hand".to_owned())).unwrap();
    // 68 % by hand; 1000 samples are within 0.06 of it but once in ten thousand.
    assert!((pair.touching - 0.68).abs() < 0.06 && pair.class == "checked", "{pair:?}");
    assert!(report.self_collision.unwrap().colliding >= pair.touching);
}

#[test]
fn a_pair_that_is_switched_off_although_it_touches_is_found() {
    let mut robot = with("lower=\"-1.6\" upper=\"1.5\" velocity=\"2\"", "lower=\"-1.6\" upper=\"1.5\" velocity=\"2\"");
    let (base, fore) = (robot.link_index("base").unwrap(), robot.link_index("fore").unwrap());
    for limits in &mut robot.joint_limits {
        (limits.lower, limits.upper) = (-3.0, 3.0);
    }
    for joint in &mut robot.joints {
        joint.limits = joint.limits.map(|limits| kinetic::robot::JointLimits { lower: -3.0, upper: 3.0, ..limits });
    }
    robot.collision.skip_pairs = vec![SkipPair { links: (base, fore), reason: "Never".to_owned() }];
    let report = report(robot);
    let [finding] = &report.findings[..] else { panic!("{:#?}", report.findings) };
    assert_eq!((finding.check, finding.subject.as_str()), ("disabled_pairs", "base – fore"));
    assert!(finding.message.contains("Never"), "{}", finding.message);
}

#[test]
fn named_poses_outside_limits_or_in_contact_are_found() {
    let pose = |values: &[f64]| NamedPose { name: "folded".to_owned(), group: 0, values: values.into() };
    let mut outside = with("", "");
    outside.named_poses.push(pose(&[0.0, 0.0, 3.0, 0.0]));
    only(outside, "named_poses", Level::Error, "folded of arm");
    let mut touching = with("", "");
    for limits in &mut touching.joint_limits {
        limits.upper = 3.1;
    }
    touching.joints.iter_mut().for_each(|joint| {
        joint.limits = joint.limits.map(|limits| kinetic::robot::JointLimits { upper: 3.1, ..limits });
    });
    touching.named_poses.push(pose(&[0.0, 0.0, 3.1, 0.0]));
    let report = report(touching);
    let found = report.findings.iter().find(|finding| finding.check == "named_poses").unwrap();
    assert!(found.message.contains("hand – upper"), "{}", found.message);
}

#[test]
fn a_damping_that_stops_inverse_kinematics_is_found() {
    let mut robot = with("", "");
    robot.ik_preference.damping = 1e9;
    only(robot, "inverse_kinematics", Level::Warning, "arm");
}

#[test]
fn joints_without_stops_and_followers_are_noted() {
    let endless = sound().replacen("type=\"revolute\"", "type=\"continuous\"", 1);
    only(Robot::from_urdf_string(&endless).unwrap(), "kinematics", Level::Note, "turn");
    let mut slide = with("", "");
    slide.joints[0].joint_type = kinetic::robot::JointType::Prismatic;
    slide.joints[0].parent_from_joint = Pose::from_xyz(0.0, 0.0, 0.25);
    let limits = slide.joints[0].limits.as_mut().unwrap();
    limits.upper = f64::INFINITY;
    slide.joint_limits[0].upper = f64::INFINITY;
    only(slide, "kinematics", Level::Warning, "turn");
}

#[test]
fn the_same_seed_gives_the_same_report_and_another_seed_other_samples() {
    let robot = Arc::new(Robot::from_name("ur5e").unwrap());
    let [a, b, c] = [1, 1, 2].map(|seed| check_robot(&robot, seed));
    assert_eq!(a, b);
    assert_ne!(a.self_collision, c.self_collision);
}

#[test]
fn no_built_in_robot_has_an_error() {
    for name in kinetic::robot_names() {
        let report = check_robot(&Arc::new(Robot::from_name(name).unwrap()), 0);
        assert_eq!(report.count(Level::Error), 0, "{name}: {:#?}", report.findings);
    }
}

#[test]
fn every_check_has_a_summary_a_place_in_the_docs_and_a_defect_in_these_tests() {
    let (docs, tests) = (include_str!("../../../docs-site/check-robot.md"), include_str!("check.rs"));
    let ids: BTreeSet<_> = CHECKS.iter().map(|check| check.id).collect();
    assert_eq!(ids.len(), CHECKS.len());
    for check in &CHECKS {
        assert!(docs.contains(&format!("| `{}` |", check.id)), "{} is not in the docs", check.id);
        assert!(docs.contains(check.summary), "the docs say something else than: {}", check.summary);
        assert!(tests.contains(&format!("\"{}\"", check.id)), "{} has no test", check.id);
    }
}
