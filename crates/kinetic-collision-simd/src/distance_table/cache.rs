//! Tables that this process has, found by it or before.

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use kinetic_core::ContentHash;

use super::DistanceTable;
use super::cells::Cells;
use super::jointed_clusters::JointedClusters;
use super::tree::Tree;
use crate::stored_results::StoredResults;

/// What tables are called among what is stored and kept.
pub(crate) const KIND: &str = "distance-table";

/// Clusters that are remembered; a table has some hundred kilobytes.
const REMEMBERED: usize = 256;

/// Most tables of a robot: one takes some milliseconds.
const MOST_TABLES: usize = 3;

/// Two clusters.
#[derive(Debug)]
struct Clusters {
    between: JointedClusters,
    /// Spheres that a table spares.
    worth: usize,
    /// Looked for when it is first asked for, and perhaps not found.
    table: OnceLock<Option<Arc<DistanceTable>>>,
}

/// A table, where one is worth its time.
struct Worth(Option<Arc<DistanceTable>>);

static MEMORY: Mutex<BTreeMap<u64, Arc<Clusters>>> = Mutex::new(BTreeMap::new());

impl Clusters {
    /// What this process remembers.
    fn of(between: JointedClusters) -> Arc<Self> {
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

    fn known_or_found(&self, known: StoredResults) -> Option<Arc<DistanceTable>> {
        let name = (KIND, self.key());
        let Worth(table) = known.get(name, |bytes| self.read(bytes)).unwrap_or_else(|| {
            let (found, bytes) = known.find(|| self.find());
            known.keep(name, &bytes);
            found
        });
        table
    }

    /// The table and its bytes, found now. No bytes say that it would take longer than it is worth.
    fn find(&self) -> (Worth, Vec<u8>) {
        let Some(tree) = Tree::find(&self.between, self.worth) else { return (Worth(None), Vec::new()) };
        let table = tree.table(&self.between).map(Arc::new);
        (Worth(table), tree.to_bytes(self.between.joints()))
    }

    /// The table that bytes are about; `None` where they are about no table of these clusters.
    fn read(&self, bytes: &[u8]) -> Option<Worth> {
        if bytes.is_empty() {
            return Some(Worth(None));
        }
        let table = Tree::from_bytes(bytes, self.between.joints())?.table(&self.between)?;
        Some(Worth(Some(Arc::new(table))))
    }

    /// What a table is found by.
    fn key(&self) -> ContentHash {
        // Where a number of cells is rounded up or down is not left to rounding: a tree is about these cells.
        let cells = Cells::new(&self.between).whole().map(|(_, count)| count);
        self.between.content_hash(self.worth, cells)
    }
}

impl DistanceTable {
    /// Tables for those of a robot's pairs of clusters that they spare most.
    pub(crate) fn of(
        all: impl Iterator<Item = Option<JointedClusters>>,
        known: StoredResults,
    ) -> Vec<Option<Arc<Self>>> {
        let table = |this: Arc<Clusters>| this.table.get_or_init(|| this.known_or_found(known)).clone();
        best(all).into_iter().map(|clusters| clusters.and_then(table)).collect()
    }

    /// The keys and the bytes of these tables, found anew.
    pub(crate) fn find(all: impl Iterator<Item = Option<JointedClusters>>) -> Vec<(ContentHash, Vec<u8>)> {
        best(all).into_iter().flatten().map(|clusters| (clusters.key(), clusters.find().1)).collect()
    }
}

/// Of a robot's pairs of clusters those whose tables spare most.
fn best(all: impl Iterator<Item = Option<JointedClusters>>) -> Vec<Option<Arc<Clusters>>> {
    let mut all: Vec<_> = all.map(|between| between.map(Clusters::of).filter(|this| this.worth > 0)).collect();
    let mut order: Vec<usize> = (0..all.len()).filter(|cluster_pair| all[*cluster_pair].is_some()).collect();
    order.sort_by_key(|cluster_pair| Reverse(all[*cluster_pair].as_ref().map(|this| this.worth)));
    for cluster_pair in order.into_iter().skip(MOST_TABLES) {
        all[cluster_pair] = None;
    }
    all
}
