//! Links of the hand that a link belongs to: what may touch a body that the link carries.

use crate::robot::Robot;

impl Robot {
    /// The hand that `link` (an index) belongs to, ascending: all links that no joint of the arm parts from it. The arm is the
    /// planning group with most joints that moves the link, so that fingers, which the arm does not move by joints of its own, belong to
    /// the hand. For a link that no group moves, the links that are rigid with it.
    ///
    /// These are the links of an end effector of `MoveIt`, where none is declared too.
    pub fn hand_links(&self, link: usize) -> Vec<usize> {
        let movers = self.groups.iter().filter(|group| self.links_moved_by(group).contains(&link));
        // The first of several, as the order of groups says.
        let arm = movers.reduce(|most, group| if group.dof() > most.dof() { group } else { most });
        let is_of_arm = |joint: usize| {
            let leader = self.joints[joint].mimic.map_or(joint, |mimic| mimic.joint);
            arm.map_or(self.joints[joint].joint_type.is_moving(), |arm| arm.joints.contains(&leader))
        };
        let mut root = link;
        while let Some(joint) = self.links[root].parent_joint.filter(|joint| !is_of_arm(*joint)) {
            root = self.joints[joint].parent;
        }
        let mut belongs = vec![false; self.links.len()];
        belongs[root] = true;
        // Parents come first.
        for (index, joint) in self.joints.iter().enumerate() {
            belongs[joint.child] |= belongs[joint.parent] && !is_of_arm(index);
        }
        (0..belongs.len()).filter(|link| belongs[*link]).collect()
    }
}
