//! A robot from the bench's sphere model.
//!
//! The model is written as URDF and `kinetic.toml` and read by the ordinary loaders, so that the bench plans with the
//! code that users' robots go through.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::path::Path;

use kinetic_core::Result;
use kinetic_robot::{Robot, RobotConfig};
use serde::Deserialize;

use super::files::read_json;

/// The planning group of the bench's robots.
const GROUP: &str = "bench";

#[derive(Deserialize)]
struct ModelFile {
    robot: String,
    active_joints: Vec<String>,
    lower: Vec<f64>,
    upper: Vec<f64>,
    links: Vec<String>,
    joints: Vec<JointEntry>,
    spheres: Vec<SphereEntry>,
    self_collision_link_pairs: Vec<[String; 2]>,
}

#[derive(Deserialize)]
struct JointEntry {
    name: String,
    #[serde(rename = "type")]
    kind: String,
    parent: String,
    child: String,
    origin_xyz: [f64; 3],
    origin_rpy: [f64; 3],
    axis: [f64; 3],
}

#[derive(Deserialize)]
struct SphereEntry {
    link: String,
    center: [f64; 3],
    radius: f64,
}

/// Reads `model.json`: the default group holds its active joints in their order, spheres are the exact geometry, and
/// exactly the listed pairs of links are checked.
pub(super) fn load(path: &Path) -> Result<Robot> {
    let model: ModelFile = read_json(path)?;
    let mut robot = Robot::from_urdf_string(&model.urdf())?;
    RobotConfig::from_string(&model.config())?.apply_to_robot(&mut robot)?;
    Ok(robot)
}

impl ModelFile {
    fn urdf(&self) -> String {
        let mut spheres: BTreeMap<&str, String> = BTreeMap::new();
        for SphereEntry { link, center: [x, y, z], radius } in &self.spheres {
            let text = spheres.entry(link).or_default();
            let _ = write!(
                text,
                "<collision><origin xyz=\"{x} {y} {z}\"/><geometry><sphere radius=\"{radius}\"/></geometry></collision>"
            );
        }
        let mut text = format!("<robot name=\"{}\">", self.robot);
        for link in &self.links {
            let content = spheres.get(link.as_str()).map_or("", String::as_str);
            let _ = write!(text, "<link name=\"{link}\">{content}</link>");
        }
        for joint in &self.joints {
            text.push_str(&self.joint(joint));
        }
        text + "</robot>"
    }

    /// Joints that the bench does not move are fixed; all others have the limits of the model file.
    fn joint(&self, joint: &JointEntry) -> String {
        let active = self.active_joints.iter().position(|name| *name == joint.name);
        let kind = match (active, joint.kind.as_str()) {
            (None, _) => "fixed",
            (Some(_), "prismatic") => "prismatic",
            (Some(_), _) => "revolute",
        };
        let limit = active.map_or_else(String::new, |index| {
            format!(
                "<limit lower=\"{}\" upper=\"{}\" velocity=\"1\" effort=\"1\"/>",
                self.lower[index], self.upper[index]
            )
        });
        let ([x, y, z], [roll, pitch, yaw], [ax, ay, az]) = (joint.origin_xyz, joint.origin_rpy, joint.axis);
        format!(
            "<joint name=\"{}\" type=\"{kind}\"><parent link=\"{}\"/><child link=\"{}\"/>\
             <origin xyz=\"{x} {y} {z}\" rpy=\"{roll} {pitch} {yaw}\"/><axis xyz=\"{ax} {ay} {az}\"/>{limit}</joint>",
            joint.name, joint.parent, joint.child
        )
    }

    /// The group in the order of the problem files, which need not be that of the tree, and the pairs left out.
    fn config(&self) -> String {
        let ordered =
            |a: &str, b: &str| if a < b { (a.to_owned(), b.to_owned()) } else { (b.to_owned(), a.to_owned()) };
        let checked: BTreeSet<(String, String)> =
            self.self_collision_link_pairs.iter().map(|[a, b]| ordered(a, b)).collect();
        let mut skipped = String::new();
        for (index, a) in self.links.iter().enumerate() {
            for b in &self.links[index + 1..] {
                if !checked.contains(&ordered(a, b)) {
                    let _ = write!(skipped, "[{a:?}, {b:?}, \"not in the model\"],");
                }
            }
        }
        format!(
            "[robot]\nname = {:?}\nurdf = \"model.urdf\"\n[planning_group.{GROUP}]\njoints = {:?}\n\
             [collision]\nskip_pairs = [{skipped}]\n",
            self.robot, self.active_joints
        )
    }
}
