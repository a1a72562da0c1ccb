//! Relations of link pairs by the kinematic tree and the robot's description.

use std::collections::BTreeSet;

use kinetic_robot::{Robot, SelfCollisionPairs};

/// Relation of two links, without geometry.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Relation {
    /// No moving joint between them.
    Rigid,
    /// One moving joint between them: they touch at the joint by construction.
    Adjacent,
    /// Disabled by the robot's description, with its reason.
    Disabled(String),
    /// None of these. Also across links without geometry: such pairs may touch.
    Open,
}

/// Relations of all pairs `(a, b)`, `a < b`, ascending, of links that can touch something, as `has_geometry` tells.
pub fn relations(robot: &Robot, has_geometry: &[bool]) -> Vec<((usize, usize), Relation)> {
    let bodies = Bodies::new(robot);
    let solid: Vec<usize> = (0..robot.links.len()).filter(|link| has_geometry[*link]).collect();
    let mut pairs = Vec::new();
    for (index, a) in solid.iter().enumerate() {
        for b in &solid[index + 1..] {
            pairs.push(((*a, *b), relation(robot, &bodies, (*a, *b))));
        }
    }
    pairs
}

/// Pairs of links (the smaller index first, ascending) that are rigid to each other or that one moving joint connects: they
/// touch by construction.
pub fn adjacent_link_pairs(robot: &Robot) -> Vec<(usize, usize)> {
    let all = relations(robot, &vec![true; robot.links.len()]);
    let adjacent = |relation: &Relation| matches!(relation, Relation::Rigid | Relation::Adjacent);
    all.into_iter().filter(|(_, relation)| adjacent(relation)).map(|(pair, _)| pair).collect()
}

fn relation(robot: &Robot, bodies: &Bodies, pair: (usize, usize)) -> Relation {
    if bodies.are_rigid(pair.0, pair.1) {
        return Relation::Rigid;
    }
    if bodies.are_adjacent(pair.0, pair.1) {
        return Relation::Adjacent;
    }
    if robot.collision.self_collision_pairs == SelfCollisionPairs::None {
        return Relation::Disabled("self_collision_pairs = \"none\"".to_owned());
    }
    let skipped = robot.collision.skip_pairs.iter().find(|skip| ordered(skip.links) == pair);
    skipped.map_or(Relation::Open, |skip| Relation::Disabled(skip.reason.clone()))
}

fn ordered((a, b): (usize, usize)) -> (usize, usize) {
    (a.min(b), a.max(b))
}

/// Links merged over fixed joints. A body is named by its link closest to the root.
pub(crate) struct Bodies {
    /// Per link its body.
    body: Vec<usize>,
    /// Per body the body above it.
    parent: Vec<Option<usize>>,
}

impl Bodies {
    pub(crate) fn new(robot: &Robot) -> Self {
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

    /// Number of bodies with at least one of the links marked.
    pub(crate) fn count_of(&self, is_marked: &[bool]) -> usize {
        let marked = self.body.iter().zip(is_marked).filter(|(_, is_marked)| **is_marked);
        marked.map(|(body, _)| body).collect::<BTreeSet<_>>().len()
    }

    fn are_rigid(&self, a: usize, b: usize) -> bool {
        self.body[a] == self.body[b]
    }

    fn are_adjacent(&self, a: usize, b: usize) -> bool {
        let (a, b) = (self.body[a], self.body[b]);
        self.parent[a] == Some(b) || self.parent[b] == Some(a)
    }
}
