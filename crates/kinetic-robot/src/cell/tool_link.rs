//! A link that is mounted on another one: a gripper, a camera, a welding torch.

use kinetic_core::{KineticError, Pose, Result};
use nalgebra::Vector3;

use crate::model::{Joint, JointDynamics, JointType, Link};
use crate::robot::Robot;

impl Robot {
    /// The same robot with a link fixed to another one, by a joint that is called as the link with `_joint` behind it. It is
    /// not checked against the link that it is fixed to; [`with_tip`](Self::with_tip) makes it the tip of a group.
    ///
    /// # Errors
    /// [`KineticError::LinkNotFound`] for the parent; [`KineticError::InvalidValue`] for a name that a link or joint has;
    /// [`KineticError::NotFinite`] for the pose.
    pub fn with_link(mut self, parent: &str, parent_from_link: Pose, link: Link) -> Result<Self> {
        parent_from_link.check_finite("pose of the link")?;
        let parent = self.link_index(parent)?;
        let name = format!("{}_joint", link.name);
        let is_taken = self.links.iter().any(|other| other.name == link.name)
            || self.joints.iter().any(|other| other.name == name);
        if is_taken {
            let wanted = "a name that no link has, and with _joint behind it no joint";
            return Err(KineticError::invalid("name of the link", format!("\"{}\"", link.name), wanted));
        }
        // A link without balls in the model gets them from its shapes.
        if let Some(balls) = &mut self.sphere_model {
            balls.push(Vec::new());
        }
        self.collision.pair_facts = None;
        self.links.push(Link { parent_joint: Some(self.joints.len()), ..link });
        self.joints.push(Joint {
            name,
            joint_type: JointType::Fixed,
            parent,
            child: self.links.len() - 1,
            parent_from_joint: parent_from_link,
            axis: Vector3::x_axis(),
            limits: None,
            mimic: None,
            dynamics: JointDynamics::default(),
            variable: None,
        });
        Ok(self)
    }

    /// The same robot with another link at the tip of a group, without a tool frame: one that the group's joints carry
    /// rigidly, as they carry the tip.
    ///
    /// # Errors
    /// [`KineticError::GroupNotFound`], [`KineticError::LinkNotFound`], and [`KineticError::InvalidValue`] for a link that moves
    /// against the tip.
    pub fn with_tip(mut self, group: &str, link: &str) -> Result<Self> {
        let (group, tip) = (self.group_index(group)?, self.link_index(link)?);
        let way = self.link_path(self.groups[group].tip_link, tip);
        let is_child = |link: &usize, of: &usize| self.parent_link(*link) == Some(*of);
        let moves = way.windows(2).find_map(|pair| {
            let child = if is_child(&pair[1], &pair[0]) { pair[1] } else { pair[0] };
            self.links[child].parent_joint.filter(|joint| self.joints[*joint].joint_type.is_moving())
        });
        if let Some(joint) = moves {
            let wanted = format!("a link that joint \"{}\" does not move against the tip", self.joints[joint].name);
            return Err(KineticError::invalid("tip", format!("\"{link}\""), wanted));
        }
        self.groups[group].tip_link = tip;
        self.groups[group].tip_from_tcp = Pose::identity();
        Ok(self)
    }
}
