//! Which pairs of links have to be checked against each other.
//!
//! Left out are pairs that are *rigid* (no moving joint between them), *adjacent* (nothing with geometry between them
//! on the way through the tree: they touch at the joint by construction), and pairs that the robot's description
//! switches off with a reason. A pair that touches only sometimes stays.

use std::collections::BTreeSet;

use kinetic_robot::{Robot, SelfCollisionPairs};

/// Pairs of link indices `(a, b)`, `a < b`, ascending, that have to be checked; `has_geometry` tells per link whether
/// it can touch anything.
pub fn checked_pairs(robot: &Robot, has_geometry: &[bool]) -> Vec<(usize, usize)> {
    if robot.collision.self_collision_pairs == SelfCollisionPairs::None {
        return Vec::new();
    }
    let bodies = Bodies::new(robot, has_geometry);
    let skipped: BTreeSet<(usize, usize)> =
        robot.collision.skip_pairs.iter().map(|skip| ordered(skip.links.0, skip.links.1)).collect();
    let solid: Vec<usize> = (0..robot.links.len()).filter(|link| has_geometry[*link]).collect();
    let mut pairs = Vec::new();
    for (index, a) in solid.iter().enumerate() {
        for b in &solid[index + 1..] {
            if !bodies.are_rigid(*a, *b) && !bodies.are_adjacent(*a, *b) && !skipped.contains(&(*a, *b)) {
                pairs.push((*a, *b));
            }
        }
    }
    pairs
}

fn ordered(a: usize, b: usize) -> (usize, usize) {
    (a.min(b), a.max(b))
}

/// Links merged over fixed joints. A body is named by its link closest to the root.
struct Bodies {
    /// Per link its body.
    body: Vec<usize>,
    /// Per body the nearest body above it that has geometry.
    solid_parent: Vec<Option<usize>>,
}

impl Bodies {
    fn new(robot: &Robot, has_geometry: &[bool]) -> Self {
        let n = robot.links.len();
        let mut body: Vec<usize> = (0..n).collect();
        let mut is_solid = vec![false; n];
        // Parents come before children, so that each body is known when its links are met.
        for link in 0..n {
            if let Some(joint) = robot.links[link].parent_joint.map(|joint| &robot.joints[joint])
                && !joint.joint_type.is_moving()
            {
                body[link] = body[joint.parent];
            }
            is_solid[body[link]] |= has_geometry[link];
        }
        let mut solid_parent = vec![None; n];
        for link in 0..n {
            if body[link] == link {
                let above = robot.links[link].parent_joint.map(|joint| body[robot.joints[joint].parent]);
                solid_parent[link] = above.and_then(|up| if is_solid[up] { Some(up) } else { solid_parent[up] });
            }
        }
        Self { body, solid_parent }
    }

    fn are_rigid(&self, a: usize, b: usize) -> bool {
        self.body[a] == self.body[b]
    }

    fn are_adjacent(&self, a: usize, b: usize) -> bool {
        let (a, b) = (self.body[a], self.body[b]);
        self.solid_parent[a] == Some(b) || self.solid_parent[b] == Some(a)
    }
}
