//! Random robots: trees of joints of all kinds, with balls as geometry.

use std::fmt::Write;
use std::sync::Arc;

use kinetic_core::rng::SeededRng;
use kinetic_robot::Robot;

/// A chain of revolute joints.
pub(crate) fn chain(joints: usize) -> Robot {
    let mut urdf = "<robot name=\"chain\"><link name=\"l0\"/>".to_owned();
    for joint in 0..joints {
        let axis = ["0 0 1", "0 1 0", "1 0 0"][joint % 3];
        urdf += &joint_text("revolute", joint + 1, joint, "0.05 0 0.1", axis, "");
        urdf += &link_text(joint + 1, "");
    }
    Robot::from_urdf_string(&(urdf + "</robot>")).unwrap()
}

/// A tree of 1 to 24 joints: revolute, continuous, prismatic, fixed, and followers of others.
pub(crate) fn random_robot(seed: u64) -> Arc<Robot> {
    let mut rng = SeededRng::new(seed);
    let joints = 1 + rng.below(24);
    let is_tree = rng.below(2) == 1;
    let mut urdf = "<robot name=\"random\"><link name=\"l0\"/>".to_owned();
    let mut leaders: Vec<usize> = Vec::new();
    for joint in 1..=joints {
        let parent = if is_tree { rng.below(joint) } else { joint - 1 };
        let mut kind = ["revolute", "continuous", "prismatic", "fixed", "revolute"][rng.below(5)];
        if joint == 1 {
            kind = "revolute";
        }
        let follows = !leaders.is_empty() && kind != "fixed" && rng.below(5) == 0;
        let mimic = if follows {
            let leader = leaders[rng.below(leaders.len())];
            let multiplier = [1.0, -1.0, 0.5, rng.uniform(-1.5, 1.5)][rng.below(4)];
            format!("<mimic joint=\"j{leader}\" multiplier=\"{multiplier}\" offset=\"{}\"/>", rng.uniform(-0.2, 0.2))
        } else {
            if kind != "fixed" {
                leaders.push(joint);
            }
            String::new()
        };
        let mut number = |size: f64| rng.uniform(-size, size);
        let xyz = format!("{} {} {}", number(0.15), number(0.15), number(0.15));
        let rpy = format!("{} {} {}", number(3.0), number(1.5), number(3.0));
        let axis = format!("{} {} {}", number(1.0), number(1.0), number(1.0) + 1.5);
        let origin = format!("{xyz}\" rpy=\"{rpy}");
        urdf += &joint_text(kind, joint, parent, &origin, &axis, &mimic);
        urdf += &link_text(joint, &balls(&mut rng));
    }
    Arc::new(Robot::from_urdf_string(&(urdf + "</robot>")).unwrap())
}

/// A configuration of robot length: within the limits, and for continuous joints within several turns.
pub(crate) fn random_configuration(robot: &Robot, rng: &mut SeededRng) -> Vec<f64> {
    // A leader of a slow follower has limits far beyond what single precision takes.
    let value = |limits: &kinetic_core::JointLimits| rng.uniform(limits.lower.max(-30.0), limits.upper.min(30.0));
    robot.joint_limits.iter().map(value).collect()
}

fn joint_text(kind: &str, joint: usize, parent: usize, origin: &str, axis: &str, mimic: &str) -> String {
    let limit = match kind {
        "revolute" => "<limit lower=\"-3\" upper=\"3\" velocity=\"1\" effort=\"1\"/>",
        "prismatic" => "<limit lower=\"-0.3\" upper=\"0.3\" velocity=\"1\" effort=\"1\"/>",
        _ => "",
    };
    format!(
        "<joint name=\"j{joint}\" type=\"{kind}\"><parent link=\"l{parent}\"/><child link=\"l{joint}\"/>\
         <origin xyz=\"{origin}\"/><axis xyz=\"{axis}\"/>{limit}{mimic}</joint>"
    )
}

fn link_text(link: usize, collisions: &str) -> String {
    format!("<link name=\"l{link}\">{collisions}</link>")
}

fn balls(rng: &mut SeededRng) -> String {
    let mut text = String::new();
    for _ in 0..rng.below(4) {
        let [x, y, z] = [(); 3].map(|()| rng.uniform(-0.1, 0.1));
        let radius = rng.uniform(0.01, 0.05);
        let _ = write!(
            text,
            "<collision><origin xyz=\"{x} {y} {z}\"/><geometry><sphere radius=\"{radius}\"/></geometry></collision>"
        );
    }
    text
}
