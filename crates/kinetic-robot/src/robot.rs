//! The robot: its parts and how to find them by name.

use std::borrow::Cow;
use std::collections::BTreeMap;

use kinetic_core::{JointLimits, JointValues, KineticError, Pose, Result};
use serde::{Deserialize, Serialize};

use crate::model::{
    CollisionSettings, EndEffector, IkPreference, Joint, Link, NamedPose, PlanningGroup, Profile, Provenance,
};

/// A robot: a tree of links and joints, with groups, named poses and limits. Immutable in use, shared by `Arc`.
///
/// `links[0]` is the root and every joint's parent link has a smaller index than its child link. Constructors are
/// [`from_name`](Self::from_name), [`from_path`](Self::from_path), [`from_file`](Self::from_file),
/// [`from_urdf`](Self::from_urdf), [`from_urdf_string`](Self::from_urdf_string),
/// [`from_urdf_srdf`](Self::from_urdf_srdf), [`from_mjcf`](Self::from_mjcf) and
/// [`from_mjcf_string`](Self::from_mjcf_string).
///
/// Serialises to all that it holds; meshes stay names of files. What is read back is not looked through: texts of others are
/// for `kinetic::scene::robot_document`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Robot {
    /// Name of the model.
    pub name: String,
    /// Number of values in a configuration of the default group.
    pub dof: usize,
    /// Links, root first, parents before children.
    pub links: Vec<Link>,
    /// Joints, in the order of their child links.
    pub joints: Vec<Joint>,
    /// Independent moving joints in tree order: the entries of a robot-length configuration.
    pub active_joints: Vec<usize>,
    /// Limits per active joint, narrowed where a mimic joint that follows it would leave its own.
    pub joint_limits: Vec<JointLimits>,
    /// How much one radian or metre of each active joint counts in distances; empty where all count 1. See
    /// [`weights`](Self::weights).
    pub joint_weights: Vec<f64>,
    /// Planning groups; never empty.
    pub groups: Vec<PlanningGroup>,
    /// Index of the group that is meant when none is named.
    pub default_group: usize,
    /// End effectors.
    pub end_effectors: Vec<EndEffector>,
    /// Named poses, those of one group together.
    pub named_poses: Vec<NamedPose>,
    /// Pairs and padding for collision checks.
    pub collision: CollisionSettings,
    /// Preferred solver for inverse kinematics.
    pub ik_preference: IkPreference,
    /// Balls that cover each link, `[x, y, z, radius]` in the link frame, m; `None` when the model has no such file.
    pub sphere_model: Option<Vec<Vec<[f64; 4]>>>,
    /// Named options of planning, see [`profile`](Self::profile).
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub profiles: BTreeMap<String, Profile>,
    /// Where the model comes from.
    pub provenance: Provenance,
    /// What was read and not used, one sentence each.
    pub notes: Vec<String>,
}

impl Robot {
    /// Length of a robot-length configuration: number of independent moving joints.
    pub fn num_variables(&self) -> usize {
        self.active_joints.len()
    }

    /// The group with this name.
    ///
    /// # Errors
    /// [`KineticError::GroupNotFound`] with the names that exist.
    pub fn group(&self, name: &str) -> Result<&PlanningGroup> {
        self.group_index(name).map(|index| &self.groups[index])
    }

    /// The group with this name, or the default group.
    ///
    /// # Errors
    /// [`KineticError::GroupNotFound`] with the names that exist.
    pub fn group_or_default(&self, name: Option<&str>) -> Result<&PlanningGroup> {
        name.map_or(Ok(&self.groups[self.default_group]), |name| self.group(name))
    }

    pub(crate) fn group_index(&self, name: &str) -> Result<usize> {
        self.groups.iter().position(|group| group.name == name).ok_or_else(|| KineticError::GroupNotFound {
            name: name.to_owned(),
            robot: self.name.clone(),
            available: self.groups.iter().map(|group| group.name.clone()).collect(),
        })
    }

    /// Index of a link.
    ///
    /// # Errors
    /// [`KineticError::LinkNotFound`] with the names that exist.
    pub fn link_index(&self, name: &str) -> Result<usize> {
        self.links.iter().position(|link| link.name == name).ok_or_else(|| KineticError::LinkNotFound {
            name: name.to_owned(),
            available: self.links.iter().map(|link| link.name.clone()).collect(),
        })
    }

    /// Index of a joint.
    ///
    /// # Errors
    /// [`KineticError::JointNotFound`] with the names that exist.
    pub fn joint_index(&self, name: &str) -> Result<usize> {
        self.joints.iter().position(|joint| joint.name == name).ok_or_else(|| KineticError::JointNotFound {
            name: name.to_owned(),
            available: self.joints.iter().map(|joint| joint.name.clone()).collect(),
        })
    }

    /// Names of the joints of a group, in the order of its configurations.
    pub fn joint_names(&self, group: &PlanningGroup) -> Vec<&str> {
        group.joints.iter().map(|joint| self.joints[*joint].name.as_str()).collect()
    }

    /// Names of all moving joints in tree order, with or without those that only follow another.
    pub fn moving_joint_names(&self, include_mimic_joints: bool) -> Vec<&str> {
        let wanted = |joint: &&Joint| joint.joint_type.is_moving() && (include_mimic_joints || joint.mimic.is_none());
        self.joints.iter().filter(wanted).map(|joint| joint.name.as_str()).collect()
    }

    /// A named pose of a group.
    pub fn named_pose(&self, group: &PlanningGroup, name: &str) -> Option<&JointValues> {
        self.poses_of(group).find(|pose| pose.name == name).map(|pose| &pose.values)
    }

    /// Names of the poses of a group, in the order of the model. A group that is made of groups has its own and those that all of
    /// them have.
    pub fn named_pose_names(&self, group: &PlanningGroup) -> Vec<&str> {
        let mut names: Vec<&str> = self.poses_of(group).map(|pose| pose.name.as_str()).collect();
        if let Some((first, others)) = self.parts_of(group).as_deref().and_then(<[_]>::split_first) {
            let common = self.poses_of(first).map(|pose| pose.name.as_str());
            let is_common = |name: &&str| others.iter().all(|part| self.named_pose(part, name).is_some());
            let further: Vec<&str> = common.filter(is_common).filter(|name| !names.contains(name)).collect();
            names.extend(further);
        }
        names
    }

    fn poses_of<'a>(&'a self, group: &PlanningGroup) -> impl Iterator<Item = &'a NamedPose> + use<'a> {
        let index = self.groups.iter().position(|known| known.name == group.name);
        self.named_poses.iter().filter(move |pose| Some(pose.group) == index)
    }

    /// The same robot with a tool at the tip of a group.
    ///
    /// # Errors
    /// [`KineticError::GroupNotFound`], or [`KineticError::NotFinite`].
    pub fn with_tcp(mut self, group: &str, tip_from_tcp: Pose) -> Result<Self> {
        tip_from_tcp.check_finite("tool frame")?;
        let index = self.group_index(group)?;
        self.groups[index].tip_from_tcp = tip_from_tcp;
        Ok(self)
    }

    /// The same robot with another default group, which it gets where the name [joins](crate::joined_group_name) those of others.
    ///
    /// # Errors
    /// As [`resolve_group`](Self::resolve_group).
    pub fn with_default_group(mut self, name: &str) -> Result<Self> {
        if let Cow::Owned(joined) = self.resolve_group(name)? {
            self.groups.push(joined);
        }
        let index = self.group_index(name)?;
        self.set_default_group(index);
        Ok(self)
    }

    pub(crate) fn set_default_group(&mut self, index: usize) {
        self.default_group = index;
        self.dof = self.groups[index].dof();
    }
}
