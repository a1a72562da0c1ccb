//! The allowed collision matrix (ACM): pairs of names whose collision is allowed.

use std::collections::{BTreeMap, BTreeSet};

use kinetic_robot::Robot;

use crate::self_pairs::{Relation, relations};

/// Allowed collisions by name, of links, attached bodies and objects. The order of a pair does not matter.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct AllowedCollisionMatrix {
    pairs: BTreeSet<(String, String)>,
    /// What may touch everything.
    names: BTreeSet<String>,
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

    /// Allows all collisions of a name: the default entry of `MoveIt`'s matrix.
    pub fn allow_all(&mut self, name: &str) {
        self.names.insert(name.to_owned());
    }

    /// Reverts [`allow_all`](Self::allow_all); pairs that were allowed stay.
    pub fn disallow_all(&mut self, name: &str) {
        self.names.remove(name);
    }

    /// True when the collision of the pair is allowed.
    pub fn is_allowed(&self, a: &str, b: &str) -> bool {
        let may_touch_all = |name: &str| !self.names.is_empty() && self.names.contains(name);
        may_touch_all(a) || may_touch_all(b) || (!self.pairs.is_empty() && self.pairs.contains(&ordered(a, b)))
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

    /// The same for indices into a list of names; other names are left out.
    pub fn resolve(&self, names: &[&str]) -> ResolvedACM {
        if self.is_empty() {
            return ResolvedACM::default();
        }
        let index: BTreeMap<&str, usize> = names.iter().enumerate().map(|(index, name)| (*name, index)).collect();
        let pair = |(a, b): &(String, String)| Some((*index.get(a.as_str())?, *index.get(b.as_str())?));
        let mut pairs: Vec<(usize, usize)> = self.pairs.iter().filter_map(pair).map(ascending).collect();
        pairs.sort_unstable();
        let mut all: Vec<usize> = self.names.iter().filter_map(|name| index.get(name.as_str()).copied()).collect();
        all.sort_unstable();
        ResolvedACM { pairs, all }
    }

    /// Number of pairs.
    pub fn len(&self) -> usize {
        self.pairs.len()
    }

    /// True where nothing is allowed.
    pub fn is_empty(&self) -> bool {
        self.pairs.is_empty() && self.names.is_empty()
    }

    /// Adds what another matrix allows.
    pub fn merge(&mut self, other: &Self) {
        self.pairs.extend(other.pairs.iter().cloned());
        self.names.extend(other.names.iter().cloned());
    }

    /// What may touch everything, in alphabetical order.
    pub fn names(&self) -> impl Iterator<Item = &str> + '_ {
        self.names.iter().map(String::as_str)
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
    /// What may touch everything, ascending.
    all: Vec<usize>,
}

impl ResolvedACM {
    /// True when the collision of the pair is allowed; the order does not matter.
    #[inline]
    pub fn is_allowed(&self, a: usize, b: usize) -> bool {
        let may_touch_all = |index: &usize| !self.all.is_empty() && self.all.binary_search(index).is_ok();
        may_touch_all(&a)
            || may_touch_all(&b)
            || (!self.pairs.is_empty() && self.pairs.binary_search(&ascending((a, b))).is_ok())
    }

    /// All pairs, ascending, the smaller index first; without those of what may touch everything.
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
