//! Robot builder: from a description to one tree, parents first, names resolved to indices.

use std::collections::BTreeMap;

use kinetic_core::{JointLimits, Result};

use crate::description::{Description, JointDescription, LimitDescription};
use crate::limits::default_velocity;
use crate::mimic;
use crate::model::{CollisionSettings, IkPreference, Joint, JointDynamics, JointType, Link, Provenance};
use crate::robot::Robot;
use crate::tree::Tree;

/// Builds the robot, without groups: callers add at least one.
pub(crate) fn build(description: &Description) -> Result<Robot> {
    let tree = Tree::new(description)?;
    let followers = mimic::resolve(description)?;
    let joints = joints(description, &tree, &followers);
    let active_joints = (0..joints.len()).filter(|joint| joints[*joint].variable.is_some()).collect::<Vec<_>>();
    let mut joint_limits = active_joints.iter().filter_map(|joint| joints[*joint].limits).collect::<Vec<_>>();
    let mut notes = description.notes.clone();
    notes.extend(description.joints.iter().flat_map(notes_of_dynamics));
    notes.extend(mimic::narrow(description, &tree, &joints, &mut joint_limits));
    let acceleration_source = "default".to_owned();
    Ok(Robot {
        name: description.name.clone(),
        dof: 0,
        links: links(description, &tree),
        joints,
        active_joints,
        joint_limits,
        joint_weights: Vec::new(),
        groups: Vec::new(),
        default_group: 0,
        end_effectors: Vec::new(),
        named_poses: Vec::new(),
        collision: CollisionSettings::default(),
        ik_preference: IkPreference::default(),
        sphere_model: None,
        profiles: BTreeMap::new(),
        provenance: Provenance { acceleration_source, ..Provenance::default() },
        notes,
    })
}

fn links(description: &Description, tree: &Tree) -> Vec<Link> {
    let parents: BTreeMap<usize, usize> = (0..tree.joints.len()).map(|joint| (tree.child[joint], joint)).collect();
    let link = |(position, index): (usize, &usize)| {
        let given = &description.links[*index];
        Link {
            name: given.name.clone(),
            parent_joint: parents.get(&position).copied(),
            inertial: given.inertial.clone(),
            visuals: given.visuals.clone(),
            collisions: given.collisions.clone(),
        }
    };
    tree.links.iter().enumerate().map(link).collect()
}

fn joints(description: &Description, tree: &Tree, followers: &[Option<mimic::Follower>]) -> Vec<Joint> {
    let mut variables = 0..;
    let mut joint = |(position, index): (usize, &usize)| {
        let given = &description.joints[*index];
        let mimic = followers[*index].map(|follower| follower.to_mimic(tree));
        let is_variable = given.joint_type.is_moving() && mimic.is_none();
        Joint {
            name: given.name.clone(),
            joint_type: given.joint_type,
            parent: tree.parent[position],
            child: tree.child[position],
            parent_from_joint: given.parent_from_joint,
            axis: given.axis,
            limits: limits(given),
            mimic,
            dynamics: given.dynamics.without_negative(),
            variable: if is_variable { variables.next() } else { None },
        }
    };
    tree.joints.iter().enumerate().map(&mut joint).collect()
}

/// What of the dynamics of a joint is not used.
fn notes_of_dynamics(joint: &JointDescription) -> Vec<String> {
    let JointDynamics { damping, friction, armature } = joint.dynamics;
    let negative = [("damping", damping), ("friction", friction), ("armature", armature)];
    let note =
        |(what, value): (&str, f64)| format!("joint \"{}\": a negative {what}, {value}, is not used", joint.name);
    negative.into_iter().filter(|(_, value)| *value < 0.0).map(note).collect()
}

fn limits(joint: &JointDescription) -> Option<JointLimits> {
    joint.limits.as_ref().map(|given| with_defaults(given, joint.joint_type))
}

fn with_defaults(given: &LimitDescription, joint_type: JointType) -> JointLimits {
    JointLimits {
        lower: given.lower,
        upper: given.upper,
        velocity: given.velocity.unwrap_or(default_velocity(joint_type)),
        effort: given.effort.unwrap_or(f64::INFINITY),
        acceleration: given.acceleration,
        jerk: given.jerk,
    }
}
