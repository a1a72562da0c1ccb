//! Cache of distance tables: in memory, with the robot, and in the user's cache folder.

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use kinetic_core::ContentHash;

use super::DistanceTable;
use super::cells::Cells;
use super::jointed_clusters::JointedClusters;
use super::tree::TableTree;
use crate::stored_results::StoredResults;

/// Kind of distance tables among stored results.
pub(crate) const KIND: &str = "distance-table";

/// Cluster pairs in memory; a table has some hundred kilobytes.
const MAX_CACHED_CLUSTER_PAIRS: usize = 256;

/// Tables per robot; computing one takes some milliseconds.
const MAX_TABLES_PER_ROBOT: usize = 3;

/// A cluster pair of the cache.
#[derive(Debug)]
struct Clusters {
    jointed: JointedClusters,
    /// Sphere tests that a table saves.
    spared_tests: usize,
    /// Computed at the first query; `None` when a table is not worth its time.
    table: OnceLock<Option<Arc<DistanceTable>>>,
}

/// A search result: a table, or `None` where computing it takes longer than it is worth.
struct FoundTable(Option<Arc<DistanceTable>>);

static MEMORY: Mutex<BTreeMap<u64, Arc<Clusters>>> = Mutex::new(BTreeMap::new());

impl Clusters {
    /// The entry of a cluster pair, which is added where it is missing.
    fn of(jointed: JointedClusters) -> Arc<Self> {
        let key = jointed.fingerprint();
        let mut memory = MEMORY.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = memory.get(&key).filter(|known| known.jointed == jointed) {
            return Arc::clone(known);
        }
        if memory.len() >= MAX_CACHED_CLUSTER_PAIRS {
            memory.pop_first();
        }
        let known = Arc::new(Self { spared_tests: jointed.spared_tests(), jointed, table: OnceLock::new() });
        memory.insert(key, Arc::clone(&known));
        known
    }

    fn stored_or_found(&self, known: StoredResults) -> Option<Arc<DistanceTable>> {
        let name = (KIND, self.key());
        let FoundTable(table) = known.get(name, |bytes| self.read(bytes)).unwrap_or_else(|| {
            let (found, bytes) = known.find(|| self.find());
            known.store(name, &bytes);
            found
        });
        table
    }

    /// Computes the table and its bytes. They are empty when it would take longer than it is worth.
    fn find(&self) -> (FoundTable, Vec<u8>) {
        let Some(tree) = TableTree::find(&self.jointed, self.spared_tests) else {
            return (FoundTable(None), Vec::new());
        };
        let table = tree.table(&self.jointed).map(Arc::new);
        (FoundTable(table), tree.to_bytes(self.jointed.joints()))
    }

    /// Reads a table; `None` when the bytes are no table of these clusters.
    fn read(&self, bytes: &[u8]) -> Option<FoundTable> {
        if bytes.is_empty() {
            return Some(FoundTable(None));
        }
        let table = TableTree::from_bytes(bytes, self.jointed.joints())?.table(&self.jointed)?;
        Some(FoundTable(Some(Arc::new(table))))
    }

    /// Key of the table among stored results.
    fn key(&self) -> ContentHash {
        // The numbers of cells are part of the key, because rounding can change them and a tree is valid for its own
        // cells only.
        let cells = Cells::new(&self.jointed).whole().map(|(_, count)| count);
        self.jointed.content_hash(self.spared_tests, cells)
    }
}

impl DistanceTable {
    /// Tables for the cluster pairs of a robot that save the most sphere tests.
    pub(crate) fn of(
        all: impl Iterator<Item = Option<JointedClusters>>,
        known: StoredResults,
    ) -> Vec<Option<Arc<Self>>> {
        let table = |this: Arc<Clusters>| this.table.get_or_init(|| this.stored_or_found(known)).clone();
        best(all).into_iter().map(|clusters| clusters.and_then(table)).collect()
    }

    /// Computes the keys and bytes of these tables anew.
    pub(crate) fn find(all: impl Iterator<Item = Option<JointedClusters>>) -> Vec<(ContentHash, Vec<u8>)> {
        best(all).into_iter().flatten().map(|clusters| (clusters.key(), clusters.find().1)).collect()
    }
}

/// Selects the cluster pairs of a robot whose tables save the most sphere tests.
fn best(all: impl Iterator<Item = Option<JointedClusters>>) -> Vec<Option<Arc<Clusters>>> {
    let mut all: Vec<_> = all.map(|jointed| jointed.map(Clusters::of).filter(|this| this.spared_tests > 0)).collect();
    let mut order: Vec<usize> = (0..all.len()).filter(|cluster_pair| all[*cluster_pair].is_some()).collect();
    order.sort_by_key(|cluster_pair| Reverse(all[*cluster_pair].as_ref().map(|this| this.spared_tests)));
    for cluster_pair in order.into_iter().skip(MAX_TABLES_PER_ROBOT) {
        all[cluster_pair] = None;
    }
    all
}
