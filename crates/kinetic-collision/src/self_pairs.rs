//! Which pairs of links have to be checked against each other.
//!
//! Left out are pairs that are *rigid* (no moving joint between them), *adjacent* (one moving joint between them: they
//! touch at the joint by construction), and pairs that the robot's description switches off with a reason. A pair that
//! touches only sometimes stays, also across links without geometry.

use std::collections::BTreeSet;

use kinetic_robot::{Robot, SelfCollisionPairs};

/// Pairs of link indices `(a, b)`, `a < b`, ascending, that have to be checked; `has_geometry` tells per link whether
/// it can touch anything.
pub fn checked_pairs(robot: &Robot, has_geometry: &[bool]) -> Vec<(usize, usize)> {
    if robot.collision.self_collision_pairs == SelfCollisionPairs::None {
        return Vec::new();
    }
    let bodies = Bodies::new(robot);
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
    /// Per body the body above it.
    parent: Vec<Option<usize>>,
}

impl Bodies {
    fn new(robot: &Robot) -> Self {
        let n = robot.links.len();
        let (mut body, mut parent): (Vec<usize>, Vec<Option<usize>>) = ((0..n).collect(), vec![None; n]);
        // Parents come before children, so that each body is known when its links are met.
        for link in 0..n {
            let Some(joint) = robot.links[link].parent_joint.map(|joint| &robot.joints[joint]) else { continue };
            if joint.joint_type.is_moving() {
                parent[link] = Some(body[joint.parent]);
            } else {
                body[link] = body[joint.parent];
            }
        }
        Self { body, parent }
    }

    fn are_rigid(&self, a: usize, b: usize) -> bool {
        self.body[a] == self.body[b]
    }

    fn are_adjacent(&self, a: usize, b: usize) -> bool {
        let (a, b) = (self.body[a], self.body[b]);
        self.parent[a] == Some(b) || self.parent[b] == Some(a)
    }
}
