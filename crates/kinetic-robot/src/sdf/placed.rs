//! A joint with everything looked up, and the joints and massless links that it becomes.

use kinetic_core::Pose;
use nalgebra::Vector3;

use super::source::JointSource;
use crate::description::{JointDescription, LimitDescription, LinkDescription};
use crate::model::{JointDynamics, JointType};
use crate::multi_dof::{MultiDof, MultiDofJoint};

/// One joint with everything looked up.
pub(super) struct Placed<'a> {
    pub(super) joint: &'a JointSource,
    pub(super) parent: String,
    /// True when the parent is the world.
    pub(super) is_mounted: bool,
    pub(super) child: String,
    pub(super) parent_from_joint: Pose,
    pub(super) joint_from_child: Pose,
}

/// What one or more joints of the format became.
#[derive(Default)]
pub(super) struct Parts {
    pub(super) links: Vec<LinkDescription>,
    pub(super) joints: Vec<JointDescription>,
}

impl Placed<'_> {
    pub(super) fn fixed(&self) -> JointDescription {
        let pose = self.parent_from_joint * self.joint_from_child;
        fixed(self.joint.line, &self.joint.name, &self.parent, &self.child, pose)
    }

    /// The link `<joint>/frame`, which stands where the joint does, and the child fixed to it.
    pub(super) fn hold(&self, parts: &mut Parts) {
        let name = format!("{}/frame", self.joint.name);
        parts.joints.push(fixed(self.joint.line, &name, &name, &self.child, self.joint_from_child));
        parts.links.push(massless(self.joint.line, &name));
    }

    pub(super) fn expand_ball(&self, parts: &mut Parts) {
        let held = format!("{}/frame", self.joint.name);
        let ball = MultiDofJoint {
            line: self.joint.line,
            name: &self.joint.name,
            parent: &self.parent,
            child: &held,
            parent_from_joint: self.parent_from_joint,
            motion: MultiDof::Ball,
            dynamics: JointDynamics::default(),
        };
        let (links, joints) = ball.expand();
        parts.links.extend(links);
        parts.joints.extend(joints);
        self.hold(parts);
    }
}

pub(super) fn fixed(line: u32, name: &str, parent: &str, child: &str, parent_from_joint: Pose) -> JointDescription {
    JointDescription {
        line,
        name: name.to_owned(),
        joint_type: JointType::Fixed,
        parent: parent.to_owned(),
        child: child.to_owned(),
        parent_from_joint,
        axis: Vector3::x_axis(),
        limits: None::<LimitDescription>,
        mimic: None,
        dynamics: JointDynamics::default(),
    }
}

pub(super) fn massless(line: u32, name: &str) -> LinkDescription {
    LinkDescription { line, name: name.to_owned(), inertial: None, visuals: Vec::new(), collisions: Vec::new() }
}
