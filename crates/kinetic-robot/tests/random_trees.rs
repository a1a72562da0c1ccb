//! Random robots, written as URDF and read back.

use std::collections::BTreeMap;
use std::fmt::Write;

use kinetic_core::rng::SeededRng;
use kinetic_robot::{Joint, JointType, Robot};
use nalgebra::{Matrix3, Vector3};

use crate::support::cases;

/// Products of three rotations lose a few units in the last place.
const ROTATION_ROUNDING: f64 = 1e-14;

/// What was written about one joint.
struct Written {
    kind: &'static str,
    parent: usize,
    xyz: [f64; 3],
    rpy: [f64; 3],
    axis: [f64; 3],
    lower: f64,
    upper: f64,
    velocity: f64,
    mimic: Option<(usize, f64, f64)>,
}

fn three(rng: &mut SeededRng) -> [f64; 3] {
    [rng.uniform(-2.0, 2.0), rng.uniform(-2.0, 2.0), rng.uniform(-2.0, 2.0)]
}

/// Joint `i` carries link `i + 1`; parents are earlier links.
fn random_joints(rng: &mut SeededRng) -> Vec<Written> {
    let count = rng.below(12);
    let kinds = ["revolute", "prismatic", "continuous", "fixed"];
    let mut joints: Vec<Written> = Vec::new();
    for index in 0..count {
        let kind = kinds[rng.below(4)];
        let leader = rng.below(index + 1);
        // Leaders are independent moving joints, and followers have no range of their own that could narrow them.
        let follows =
            rng.below(4) == 0 && leader < index && joints[leader].kind != "fixed" && joints[leader].mimic.is_none();
        let mimic = (follows && kind != "fixed").then(|| (leader, rng.uniform(-2.0, 2.0), rng.uniform(-1.0, 1.0)));
        let lower = rng.uniform(-3.0, 3.0);
        joints.push(Written {
            kind,
            parent: rng.below(index + 1),
            xyz: three(rng),
            rpy: three(rng),
            axis: three(rng),
            lower,
            upper: if mimic.is_some() { lower } else { lower + rng.uniform(0.0, 4.0) },
            velocity: rng.uniform(0.1, 5.0),
            mimic,
        });
    }
    joints
}

fn words(values: [f64; 3]) -> String {
    format!("{:?} {:?} {:?}", values[0], values[1], values[2])
}

fn joint_text(index: usize, joint: &Written) -> String {
    let mut text = format!("<joint type='{}' name='j{index}'><child link='l{}'/>", joint.kind, index + 1);
    write!(text, "<origin rpy='{}' xyz='{}'/>", words(joint.rpy), words(joint.xyz)).unwrap();
    write!(text, "<axis xyz='{}'/>", words(joint.axis)).unwrap();
    write!(text, "<limit upper='{:?}' lower='{:?}' effort='1'", joint.upper, joint.lower).unwrap();
    let velocity = if joint.mimic.is_some() { 0.0 } else { joint.velocity };
    write!(text, " velocity='{velocity:?}'/>").unwrap();
    if let Some((leader, multiplier, offset)) = joint.mimic {
        write!(text, "<mimic joint='j{leader}' multiplier='{multiplier:?}' offset='{offset:?}'/>").unwrap();
    }
    write!(text, "<parent link='l{}'/></joint>", joint.parent).unwrap();
    text
}

/// The document, its elements in random order.
fn urdf_text(joints: &[Written], rng: &mut SeededRng) -> String {
    let mut elements: Vec<String> = (0..=joints.len()).map(|link| format!("<link name='l{link}'/>")).collect();
    elements.extend(joints.iter().enumerate().map(|(index, joint)| joint_text(index, joint)));
    for last in (1..elements.len()).rev() {
        elements.swap(last, rng.below(last + 1));
    }
    format!("<robot name='random'>\n{}\n</robot>", elements.join("\n"))
}

/// Rz(yaw) Ry(pitch) Rx(roll), written out.
fn rotation([roll, pitch, yaw]: [f64; 3]) -> Matrix3<f64> {
    let ((sr, cr), (sp, cp), (sy, cy)) = (roll.sin_cos(), pitch.sin_cos(), yaw.sin_cos());
    Matrix3::new(cy, -sy, 0.0, sy, cy, 0.0, 0.0, 0.0, 1.0)
        * Matrix3::new(cp, 0.0, sp, 0.0, 1.0, 0.0, -sp, 0.0, cp)
        * Matrix3::new(1.0, 0.0, 0.0, 0.0, cr, -sr, 0.0, sr, cr)
}

fn compare(robot: &Robot, written: &Written, read: &Joint, index: usize, seed: u64) {
    let context = format!("seed {seed}, joint {index}");
    assert_eq!(read.joint_type.name(), written.kind, "{context}");
    assert_eq!(robot.links[read.parent].name, format!("l{}", written.parent), "{context}");
    assert_eq!(robot.links[read.child].name, format!("l{}", index + 1), "{context}");
    assert_eq!(read.parent_from_joint.translation(), Vector3::from(written.xyz), "{context}");
    let error = read.parent_from_joint.rotation().to_rotation_matrix().matrix() - rotation(written.rpy);
    assert!(error.amax() < ROTATION_ROUNDING, "{context}: rotation off by {}", error.amax());
    if read.joint_type == JointType::Fixed {
        return assert!(read.limits.is_none() && read.variable.is_none(), "{context}");
    }
    let axis = Vector3::from(written.axis);
    assert!((read.axis.into_inner() * axis.norm() - axis).amax() < ROTATION_ROUNDING, "{context}");
    let limits = read.limits.unwrap();
    let unbounded = read.joint_type == JointType::Continuous;
    assert_eq!(limits.lower, if unbounded { f64::NEG_INFINITY } else { written.lower }, "{context}");
    assert_eq!(limits.upper, if unbounded { f64::INFINITY } else { written.upper }, "{context}");
    match (written.mimic, read.mimic) {
        (None, None) => assert_eq!(robot.joint_limits[read.variable.unwrap()], limits, "{context}"),
        (Some((leader, multiplier, offset)), Some(mimic)) => {
            assert_eq!(robot.joints[mimic.joint].name, format!("j{leader}"), "{context}");
            assert_eq!((mimic.multiplier, mimic.offset), (multiplier, offset), "{context}");
        }
        other => panic!("{context}: mimic written and read: {other:?}"),
    }
}

fn check_invariants(robot: &Robot) {
    for (index, joint) in robot.joints.iter().enumerate() {
        assert!(joint.parent < joint.child);
        assert_eq!(robot.links[joint.child].parent_joint, Some(index));
        assert_eq!(joint.variable.map(|variable| robot.active_joints[variable]), joint.variable.map(|_| index));
    }
    assert!(robot.active_joints.is_sorted());
    assert_eq!(robot.active_joints.len(), robot.joint_limits.len());
    assert_eq!(robot.neutral_configuration().len(), robot.num_variables());
}

#[test]
fn what_is_written_is_read() {
    for seed in 0..cases(2_000) {
        let mut rng = SeededRng::new(seed);
        let joints = random_joints(&mut rng);
        let text = urdf_text(&joints, &mut rng);
        let robot = Robot::from_urdf_string(&text).unwrap_or_else(|error| panic!("seed {seed}: {error}\n{text}"));
        assert_eq!(robot.links.len(), joints.len() + 1, "seed {seed}");
        check_invariants(&robot);
        let by_name: BTreeMap<&str, &Joint> = robot.joints.iter().map(|joint| (joint.name.as_str(), joint)).collect();
        for (index, written) in joints.iter().enumerate() {
            compare(&robot, written, by_name[format!("j{index}").as_str()], index, seed);
        }
    }
}

#[test]
fn a_chain_of_many_links_is_read_without_deep_recursion() {
    let count = 20_000;
    let mut text = String::from("<robot name='long'><link name='l0'/>");
    for index in 0..count {
        let links = format!("<parent link='l{index}'/><child link='l{}'/>", index + 1);
        let mimic = if index == 0 { String::new() } else { format!("<mimic joint='j{}'/>", index - 1) };
        write!(text, "<link name='l{}'/><joint name='j{index}' type='continuous'>{links}{mimic}</joint>", index + 1)
            .unwrap();
    }
    let robot = Robot::from_urdf_string(&(text + "</robot>")).unwrap();
    assert_eq!((robot.joints.len(), robot.num_variables(), robot.dof), (count, 1, 1));
}
