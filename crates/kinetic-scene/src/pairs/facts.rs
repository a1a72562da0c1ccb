//! Search for the link pairs that always and never touch, once per robot.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use kinetic_robot::{PairFacts, Robot};

use super::proof::{Effort, MAX_JOINTS_PER_EVALUATION, PairVerdict, prove};
use super::sampling::{Sampled, sample};
use super::tree::JointTree;
use crate::cache_records;
use crate::link_geometry::{LinkGeometry, Shapes};
use crate::tolerance::MAX_CACHED_ROBOTS;
use kinetic_collision_simd::StoredResults;

/// Kind of facts about pairs among stored results.
const PAIRS_KIND: &str = "pairs";

static CACHED_PAIR_FACTS: Mutex<BTreeMap<u64, Arc<PairFacts>>> = Mutex::new(BTreeMap::new());

/// The facts of a robot: those of its files, when they are about these shapes; else those in memory; else those that an
/// earlier process stored; else they are computed.
pub(crate) fn facts(
    robot: &Robot,
    (shapes, links): (&[Shapes], &[LinkGeometry]),
    undecided: &[(usize, usize)],
    fingerprint: u64,
) -> Arc<PairFacts> {
    if let Some(stated) = robot.collision.pair_facts.as_ref().filter(|facts| facts.fingerprint == fingerprint) {
        return Arc::new(stated.clone());
    }
    let remembered = || CACHED_PAIR_FACTS.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(known) = remembered().get(&fingerprint) {
        return Arc::clone(known);
    }
    let found = Arc::new(stored_or_found(robot, (shapes, links), undecided, fingerprint, StoredResults::of_user()));
    let mut memory = remembered();
    if memory.len() >= MAX_CACHED_ROBOTS {
        memory.pop_first();
    }
    memory.insert(fingerprint, Arc::clone(&found));
    found
}

/// Facts that an earlier process stored; otherwise they are computed and stored.
fn stored_or_found(
    robot: &Robot,
    (shapes, links): (&[Shapes], &[LinkGeometry]),
    undecided: &[(usize, usize)],
    fingerprint: u64,
    known: StoredResults,
) -> PairFacts {
    let effort = Effort::WHEN_FIRST_USED;
    let name = (PAIRS_KIND, cache_records::key_of_facts(robot, (shapes, links), undecided, &effort));
    known.get(name, |bytes| cache_records::facts_from_bytes(bytes, fingerprint, undecided)).unwrap_or_else(|| {
        let found = known.find(|| find(robot, links, undecided, fingerprint, &effort));
        known.store(name, &cache_records::facts_to_bytes(&found));
        found
    })
}

/// Samples all undecided pairs and searches proofs for those that were not seen to touch. Pairs with the fewest joints
/// between them come first, because their proofs are the shortest.
pub(crate) fn find(
    robot: &Robot,
    links: &[LinkGeometry],
    undecided: &[(usize, usize)],
    fingerprint: u64,
    effort: &Effort,
) -> PairFacts {
    let mut facts = PairFacts { fingerprint, ..PairFacts::default() };
    let tree = JointTree::new(robot);
    let mut apart = Vec::new();
    for (pair, sampled) in undecided.iter().zip(sample(robot, links, undecided)) {
        match sampled {
            Sampled::Always => facts.always.push(*pair),
            Sampled::NotSeen => apart.push((tree.variables_between(pair.0, pair.1), *pair)),
            Sampled::Sometimes => {}
        }
    }
    apart.sort_unstable_by_key(|(variables, pair)| (variables.len(), *pair));
    let mut left = effort.total;
    for (variables, pair) in apart {
        // One evaluation per pair is left. It proves much, but it is expensive with dozens of joints between the links.
        if left == 0 && variables.len() > MAX_JOINTS_PER_EVALUATION {
            break;
        }
        let budget = effort.of_pair(variables.len()).min(left);
        let (verdict, used) = prove(robot, links, (pair, &variables), budget);
        left -= (used * (1 + variables.len() / MAX_JOINTS_PER_EVALUATION)).min(left);
        if let PairVerdict::Apart(distance) = verdict {
            facts.never.push((pair, distance));
        }
    }
    facts.never.sort_by_key(|(pair, _)| *pair);
    facts
}

#[cfg(test)]
mod tests {
    use kinetic_core::Cache;

    use super::*;
    use crate::geometry::parts_of;

    /// Built-in robots with pairs that always and never touch.
    const ROBOTS: [&str; 2] = ["meca500", "trossen_wx250s"];

    #[test]
    fn facts_that_are_kept_are_those_that_are_found_whatever_happens_to_their_file() {
        let folder = std::env::temp_dir().join(format!("kinetic-pairs-{}", std::process::id()));
        let cache = Cache::at(&folder, 1 << 20).expect("a folder of its own");
        for name in ROBOTS {
            let robot = Robot::from_name(name).expect("a built-in robot");
            let (shapes, links, undecided) = parts_of(&robot).expect("shapes");
            let known = |cache| StoredResults { precomputed: None, cache };
            let facts = |cache| stored_or_found(&robot, (&shapes, &links), &undecided, 7, known(cache));
            let found = facts(None);
            assert_eq!((facts(Some(&cache)), facts(Some(&cache))), (found.clone(), found.clone()), "{name}");
            let entries = cache.entries();
            let path = folder.join(&entries[0].name);
            let whole = std::fs::read(&path).expect("an entry");
            for place in (0..whole.len()).step_by(7) {
                let mut damaged = whole.clone();
                damaged[place] ^= 0x10;
                std::fs::write(&path, damaged).expect("an entry of its own");
                let key = cache_records::key_of_facts(&robot, (&shapes, &links), &undecided, &Effort::WHEN_FIRST_USED);
                assert_eq!(known(Some(&cache)).get((PAIRS_KIND, key), |bytes| Some(bytes.to_vec())), None);
            }
            assert_eq!(facts(Some(&cache)), found);
            assert_eq!(std::fs::read(&path).expect("an entry"), whole, "written anew");
            assert_eq!(cache.clear(), 1);
        }
        let _ = std::fs::remove_dir_all(&folder);
    }

    #[test]
    fn bytes_that_say_something_about_other_pairs_are_refused() {
        let undecided = [(0, 2), (0, 3), (1, 3)];
        let never = |pairs: &[(usize, usize)], distance: f64| PairFacts {
            fingerprint: 1,
            always: vec![(0, 2)],
            never: pairs.iter().map(|pair| (*pair, distance)).collect(),
        };
        let read =
            |facts: &PairFacts| cache_records::facts_from_bytes(&cache_records::facts_to_bytes(facts), 1, &undecided);
        let good = never(&[(0, 3), (1, 3)], 0.5);
        assert_eq!(read(&good), Some(good));
        for bad in [
            never(&[(0, 1)], 0.5),
            never(&[(1, 3), (0, 3)], 0.5),
            never(&[(0, 3), (0, 3)], 0.5),
            never(&[(0, 3)], f64::NAN),
            never(&[(0, 3)], 0.0),
        ] {
            assert_eq!(read(&bad), None, "{bad:?}");
        }
    }

    #[test]
    fn another_robot_has_another_key() {
        let robot = Robot::from_name(ROBOTS[0]).expect("a built-in robot");
        let key = |robot: &Robot| {
            let (shapes, links, undecided) = parts_of(robot).expect("shapes");
            cache_records::key_of_facts(robot, (&shapes, &links), &undecided, &Effort::WHEN_FIRST_USED)
        };
        let changes: [fn(&mut Robot); 6] = [
            |robot| robot.joint_limits[2].upper += 1e-12,
            |robot| robot.joint_limits[2].lower -= 1e-12,
            |robot| robot.joints[3].parent_from_joint.0.translation.vector.x += 1e-12,
            |robot| robot.joints[3].axis = -robot.joints[3].axis,
            |robot| robot.links[3].collisions.truncate(0),
            |robot| robot.links[2].collisions[0].link_from_shape.0.translation.vector.z += 1e-12,
        ];
        let keys: std::collections::BTreeSet<_> = changes
            .iter()
            .map(|change| {
                let mut changed = robot.clone();
                change(&mut changed);
                key(&changed)
            })
            .chain([key(&robot)])
            .collect();
        assert_eq!(keys.len(), changes.len() + 1);
        assert_eq!(key(&robot), key(&robot.clone()));
    }
}
