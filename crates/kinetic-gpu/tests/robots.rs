//! Random robots: trees of joints of all kinds, with balls as geometry and masses of their own.

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
        let (mass, inertia) = (
            "<mass value=\"1\"/>",
            "<inertia ixx=\"0.003\" ixy=\"0\" ixz=\"0\" iyy=\"0.004\" iyz=\"0\" izz=\"0.002\"/>",
        );
        urdf += &link_text(joint + 1, &format!("<inertial><origin xyz=\"0.02 0 0.05\"/>{mass}{inertia}</inertial>"));
    }
    Robot::from_urdf_string(&(urdf + "</robot>")).unwrap()
}

/// A tree of 1 to 24 joints: revolute, continuous, prismatic, fixed, and followers of others.
pub(crate) fn random_robot(seed: u64) -> Arc<Robot> {
    let mut rng = SeededRng::new(seed);
    // Its own numbers, so that masses change no geometry.
    let mut mass_rng = SeededRng::new(!seed);
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
        let (damping, friction) = (mass_rng.uniform(0.0, 0.5), mass_rng.uniform(0.0, 0.5));
        let resistance = format!("<dynamics damping=\"{damping}\" friction=\"{friction}\"/>");
        urdf += &joint_text(kind, joint, parent, &origin, &axis, &(mimic + &resistance));
        urdf += &link_text(joint, &(inertial(&mut mass_rng) + &balls(&mut rng)));
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

/// Of a box somewhere.
fn inertial(rng: &mut SeededRng) -> String {
    let mut number = || rng.uniform(0.1, 1.0);
    let (mass, a, b, c) = (number(), 0.1 * number(), 0.1 * number(), 0.1 * number());
    let (x, y, z) = (0.3 * (number() - 0.5), 0.3 * (number() - 0.5), 0.3 * (number() - 0.5));
    let [ixx, iyy, izz] = [b * b + c * c, a * a + c * c, a * a + b * b].map(|squares| mass * squares / 12.0);
    format!(
        "<inertial><origin xyz=\"{x} {y} {z}\" rpy=\"{} {} {}\"/><mass value=\"{mass}\"/>\
         <inertia ixx=\"{ixx}\" iyy=\"{iyy}\" izz=\"{izz}\" ixy=\"0\" ixz=\"0\" iyz=\"0\"/></inertial>",
        number(),
        number(),
        number()
    )
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
