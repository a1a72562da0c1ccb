//! Finding out which pairs always and never touch, once per robot.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use kinetic_robot::{PairFacts, Robot};

use super::proof::{Effort, JOINTS_OF_ONE, Verdict, prove};
use super::sampling::{Sampled, sample};
use super::tree::Tree;
use crate::geometry::LinkGeometry;

/// Robots whose facts are remembered; some kilobytes each.
const REMEMBERED: usize = 64;

static MEMORY: Mutex<BTreeMap<u64, Arc<PairFacts>>> = Mutex::new(BTreeMap::new());

/// The facts of a robot: those that its files state, when they are about these shapes; else those that this process
/// found before; else found now.
pub(crate) fn facts(
    robot: &Robot,
    links: &[LinkGeometry],
    open: &[(usize, usize)],
    fingerprint: u64,
) -> Arc<PairFacts> {
    if let Some(stated) = robot.collision.pair_facts.as_ref().filter(|facts| facts.fingerprint == fingerprint) {
        return Arc::new(stated.clone());
    }
    let remembered = || MEMORY.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(known) = remembered().get(&fingerprint) {
        return Arc::clone(known);
    }
    let found = Arc::new(find(robot, links, open, fingerprint, &Effort::WHEN_FIRST_USED));
    let mut memory = remembered();
    if memory.len() >= REMEMBERED {
        memory.pop_first();
    }
    memory.insert(fingerprint, Arc::clone(&found));
    found
}

/// Samples all open pairs and looks for proofs for those that were not seen to touch, the pairs with the fewest joints
/// between them first: their proofs are the shortest.
pub(crate) fn find(
    robot: &Robot,
    links: &[LinkGeometry],
    open: &[(usize, usize)],
    fingerprint: u64,
    effort: &Effort,
) -> PairFacts {
    let mut facts = PairFacts { fingerprint, ..PairFacts::default() };
    let tree = Tree::new(robot);
    let mut apart = Vec::new();
    for (pair, sampled) in open.iter().zip(sample(robot, links, open)) {
        match sampled {
            Sampled::Always => facts.always.push(*pair),
            Sampled::NotSeen => apart.push((tree.variables_between(pair.0, pair.1), *pair)),
            Sampled::Sometimes => {}
        }
    }
    apart.sort_unstable_by_key(|(variables, pair)| (variables.len(), *pair));
    let mut left = effort.total;
    for (variables, pair) in apart {
        // One look each is left. It proves much, and where dozens of joints are between the links it costs much.
        if left == 0 && variables.len() > JOINTS_OF_ONE {
            break;
        }
        let budget = effort.of_pair(variables.len()).min(left);
        let (verdict, used) = prove(robot, links, (pair, &variables), budget);
        left -= (used * (1 + variables.len() / JOINTS_OF_ONE)).min(left);
        if let Verdict::Apart(distance) = verdict {
            facts.never.push((pair, distance));
        }
    }
    facts.never.sort_by_key(|(pair, _)| *pair);
    facts
}
