//! Queries of the kinematic tree: parents, descendants, and the path between two links.

use crate::robot::Robot;

/// Links and joints are indices into [`Robot::links`] and [`Robot::joints`]; a link index beyond them panics.
impl Robot {
    /// The link that carries `link`; `None` for the root.
    pub fn parent_link(&self, link: usize) -> Option<usize> {
        self.links[link].parent_joint.map(|joint| self.joints[joint].parent)
    }

    /// Joints that hang on `link`, in tree order.
    pub fn child_joints(&self, link: usize) -> Vec<usize> {
        (0..self.joints.len()).filter(|joint| self.joints[*joint].parent == link).collect()
    }

    /// Links that hang on `link` by one joint, in tree order.
    pub fn child_links(&self, link: usize) -> Vec<usize> {
        self.child_joints(link).into_iter().map(|joint| self.joints[joint].child).collect()
    }

    /// Links on which nothing hangs, in tree order.
    pub fn leaf_links(&self) -> Vec<usize> {
        let mut is_leaf = vec![true; self.links.len()];
        self.joints.iter().for_each(|joint| is_leaf[joint.parent] = false);
        (0..self.links.len()).filter(|link| is_leaf[*link]).collect()
    }

    /// Links with a moving joint, also one that follows another, between them and the root, in tree order.
    pub fn movable_links(&self) -> Vec<usize> {
        let mut moves = vec![false; self.links.len()];
        // Parents come first.
        for joint in &self.joints {
            moves[joint.child] = moves[joint.parent] || joint.joint_type.is_moving();
        }
        (0..self.links.len()).filter(|link| moves[*link]).collect()
    }

    /// The way through the tree from one link to another, both included: up to their nearest common ancestor, then down.
    pub fn link_path(&self, from: usize, to: usize) -> Vec<usize> {
        let (mut up, mut down) = (vec![from], vec![to]);
        let (mut a, mut b) = (from, to);
        // Parents have smaller indices, so the larger of two different links is never the common ancestor.
        while a != b {
            if a > b {
                a = self.parent_link(a).unwrap_or(b);
                up.push(a);
            } else {
                b = self.parent_link(b).unwrap_or(a);
                down.push(b);
            }
        }
        // Both ways end at the common ancestor.
        down.pop();
        up.extend(down.into_iter().rev());
        up
    }
}
