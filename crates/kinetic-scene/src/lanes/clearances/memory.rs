//! Tables that this process found.

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use super::Clearances;
use super::between::Between;

/// Clusters that are remembered; a table has some hundred kilobytes.
const REMEMBERED: usize = 256;

/// Most tables of a robot: one takes some milliseconds.
const MOST_TABLES: usize = 3;

/// What is known about two clusters.
#[derive(Debug)]
struct Known {
    between: Between,
    /// Spheres that a table spares.
    worth: usize,
    /// Looked for when it is first asked for, and perhaps not found.
    table: OnceLock<Option<Arc<Clearances>>>,
}

static MEMORY: Mutex<BTreeMap<u64, Arc<Known>>> = Mutex::new(BTreeMap::new());

impl Known {
    /// What this process remembers.
    fn of(between: Between) -> Arc<Self> {
        let key = between.fingerprint();
        let mut memory = MEMORY.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = memory.get(&key).filter(|known| known.between == between) {
            return Arc::clone(known);
        }
        if memory.len() >= REMEMBERED {
            memory.pop_first();
        }
        let known = Arc::new(Self { worth: between.worth(), between, table: OnceLock::new() });
        memory.insert(key, Arc::clone(&known));
        known
    }
}

impl Clearances {
    /// Tables for those of a robot's pairs of clusters that they spare most.
    pub(in crate::lanes) fn of(all: impl Iterator<Item = Option<Between>>) -> Vec<Option<Arc<Self>>> {
        let known: Vec<_> = all.map(|between| between.map(Known::of).filter(|known| known.worth > 0)).collect();
        let mut best: Vec<usize> = (0..known.len()).filter(|gate| known[*gate].is_some()).collect();
        best.sort_by_key(|gate| Reverse(known[*gate].as_ref().map(|known| known.worth)));
        best.truncate(MOST_TABLES);
        let table = |gate: usize| {
            let known = known[gate].as_ref().filter(|_| best.contains(&gate))?;
            known.table.get_or_init(|| Self::find(&known.between, known.worth).map(Arc::new)).clone()
        };
        (0..known.len()).map(table).collect()
    }
}
