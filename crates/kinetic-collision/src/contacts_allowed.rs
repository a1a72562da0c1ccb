//! The allowed collision matrix (ACM): pairs of names whose collision is allowed.

use std::collections::{BTreeMap, BTreeSet};

use kinetic_robot::Robot;

use crate::self_pairs::{Relation, relations};

/// Allowed collisions by name, of links, attached bodies and objects. The order of a pair does not matter.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct AllowedCollisionMatrix {
    pairs: BTreeSet<(String, String)>,
}

impl AllowedCollisionMatrix {
    /// Allows the collision of a pair.
    pub fn allow(&mut self, a: &str, b: &str) {
        self.pairs.insert(ordered(a, b));
    }

    /// Reverts [`allow`](Self::allow).
    pub fn disallow(&mut self, a: &str, b: &str) {
        self.pairs.remove(&ordered(a, b));
    }

    /// True when the collision of the pair is allowed.
    pub fn is_allowed(&self, a: &str, b: &str) -> bool {
        !self.pairs.is_empty() && self.pairs.contains(&ordered(a, b))
    }

    /// The pairs that a robot's tree and description allow: links that are rigid to each other or that one joint connects,
    /// and those that the description names as harmless.
    pub fn from_robot(robot: &Robot) -> Self {
        let mut matrix = Self::default();
        for ((a, b), relation) in relations(robot, &vec![true; robot.links.len()]) {
            if relation != Relation::Open {
                matrix.allow(&robot.links[a].name, &robot.links[b].name);
            }
        }
        matrix
    }

    /// The pairs as indices into a list of names; pairs with other names are left out.
    pub fn resolve(&self, names: &[&str]) -> ResolvedACM {
        if self.pairs.is_empty() {
            return ResolvedACM::default();
        }
        let index: BTreeMap<&str, usize> = names.iter().enumerate().map(|(index, name)| (*name, index)).collect();
        let pair = |(a, b): &(String, String)| Some((*index.get(a.as_str())?, *index.get(b.as_str())?));
        let mut pairs: Vec<(usize, usize)> = self.pairs.iter().filter_map(pair).map(ascending).collect();
        pairs.sort_unstable();
        ResolvedACM { pairs }
    }

    /// Number of pairs.
    pub fn len(&self) -> usize {
        self.pairs.len()
    }

    /// True without pairs.
    pub fn is_empty(&self) -> bool {
        self.pairs.is_empty()
    }

    /// Adds the pairs of another matrix.
    pub fn merge(&mut self, other: &Self) {
        self.pairs.extend(other.pairs.iter().cloned());
    }

    /// All pairs, each in alphabetical order.
    pub fn pairs(&self) -> impl Iterator<Item = (&str, &str)> + '_ {
        self.pairs.iter().map(|(a, b)| (a.as_str(), b.as_str()))
    }
}

/// Allowed collisions by index, for checkers that look up the names once.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ResolvedACM {
    /// Ascending, the smaller index first.
    pairs: Vec<(usize, usize)>,
}

impl ResolvedACM {
    /// True when the collision of the pair is allowed; the order does not matter.
    #[inline]
    pub fn is_allowed(&self, a: usize, b: usize) -> bool {
        !self.pairs.is_empty() && self.pairs.binary_search(&ascending((a, b))).is_ok()
    }

    /// All pairs, ascending, the smaller index first.
    pub fn pairs(&self) -> &[(usize, usize)] {
        &self.pairs
    }
}

fn ascending((a, b): (usize, usize)) -> (usize, usize) {
    (a.min(b), a.max(b))
}

fn ordered(a: &str, b: &str) -> (String, String) {
    if a <= b { (a.to_owned(), b.to_owned()) } else { (b.to_owned(), a.to_owned()) }
}
