//! Multi-DOF joints as series of joints with one degree of freedom and massless links between.
//!
//! A planar joint becomes `x`, `y`, `yaw`; a floating one `x`, `y`, `z`, `yaw`, `pitch`, `roll`; a ball joint `yaw`,
//! `pitch`, `roll`: translations along the joint frame's axes, then intrinsic z-y-x (Tait-Bryan) turns, the "rpy" of
//! URDF. New joints and links are called `<joint>/<part>`. At pitch = ±π/2 yaw and roll turn about the same axis: the
//! motion is complete, its coordinates are singular there, as in every set of three angles.

use kinetic_core::Pose;
use nalgebra::{Unit, UnitQuaternion, Vector3};

use crate::description::{JointDescription, LimitDescription, LinkDescription};
use crate::model::{JointDynamics, JointType};

/// What a joint with several degrees of freedom allows.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum MultiDof {
    /// Two slides in the plane with this normal, and a turn about the normal.
    Planar(Unit<Vector3<f64>>),
    /// All of space.
    Floating,
    /// All turns about a point.
    Ball,
}

/// A joint with several degrees of freedom and the links it connects.
#[derive(Debug)]
pub(crate) struct MultiDofJoint<'a> {
    pub(crate) line: u32,
    pub(crate) name: &'a str,
    pub(crate) parent: &'a str,
    pub(crate) child: &'a str,
    pub(crate) parent_from_joint: Pose,
    pub(crate) motion: MultiDof,
    /// Of each joint of the series.
    pub(crate) dynamics: JointDynamics,
}

/// One joint of the series.
struct Part {
    name: &'static str,
    joint_type: JointType,
    axis: Unit<Vector3<f64>>,
}

impl MultiDofJoint<'_> {
    /// The series from parent to child, and the massless links between its joints.
    pub(crate) fn expand(&self) -> (Vec<LinkDescription>, Vec<JointDescription>) {
        let parts = self.parts();
        let (mut links, mut joints) = (Vec::new(), Vec::new());
        let mut parent = self.parent.to_owned();
        for (index, part) in parts.iter().enumerate() {
            let name = format!("{}/{}", self.name, part.name);
            let is_last = index + 1 == parts.len();
            let child = if is_last { self.child.to_owned() } else { name.clone() };
            if !is_last {
                links.push(massless(self.line, &name));
            }
            joints.push(JointDescription {
                line: self.line,
                name,
                joint_type: part.joint_type,
                parent: std::mem::replace(&mut parent, child.clone()),
                child,
                parent_from_joint: if index == 0 { self.parent_from_joint } else { Pose::identity() },
                axis: part.axis,
                limits: Some(LimitDescription::unbounded()),
                mimic: None,
                dynamics: self.dynamics,
            });
        }
        (links, joints)
    }

    fn parts(&self) -> Vec<Part> {
        let slide = |name, axis| Part { name, joint_type: JointType::Prismatic, axis };
        let turn = |name, axis| Part { name, joint_type: JointType::Continuous, axis };
        let (x, y, z) = (Vector3::x_axis(), Vector3::y_axis(), Vector3::z_axis());
        let turns = || vec![turn("yaw", z), turn("pitch", y), turn("roll", x)];
        match self.motion {
            MultiDof::Ball => turns(),
            MultiDof::Floating => {
                let mut parts = vec![slide("x", x), slide("y", y), slide("z", z)];
                parts.extend(turns());
                parts
            }
            MultiDof::Planar(normal) => {
                // The shortest turn from z to the normal carries x and y into the plane.
                let plane = UnitQuaternion::rotation_between_axis(&z, &normal)
                    .unwrap_or_else(|| UnitQuaternion::from_axis_angle(&x, std::f64::consts::PI));
                vec![slide("x", plane * x), slide("y", plane * y), turn("yaw", normal)]
            }
        }
    }
}

/// Name of the joint with several degrees of freedom that a part of such a series belongs to.
///
/// The parts of one series are neighbours in the tree, and all links between them are its own.
pub(crate) fn series_of(part: &str) -> Option<&str> {
    let (joint, part) = part.rsplit_once('/')?;
    ["x", "y", "z", "yaw", "pitch", "roll"].contains(&part).then_some(joint)
}

fn massless(line: u32, name: &str) -> LinkDescription {
    LinkDescription { line, name: name.to_owned(), inertial: None, visuals: Vec::new(), collisions: Vec::new() }
}
