//! The folder of what is kept between processes.

use kinetic::core::Cache;
use pyo3::prelude::*;

/// What is kept between processes for robots of one's own: covers of their links, and which pairs of links need no check.
///
/// What is damaged, of another release, or belongs to another user is worked out anew. The variable `KINETIC_CACHE_DIR` names
/// another folder; when it is empty, nothing is kept.
///
/// Args:
///     clear: Remove all entries first.
///
/// Returns:
///     The folder, or None where nothing is kept; names and sizes of the entries in bytes, those that were used longest ago
///     first; and why nothing is kept.
#[pyfunction]
#[pyo3(signature = (*, clear=false))]
pub(crate) fn cache_entries(clear: bool) -> (Option<String>, Vec<(String, u64)>, Option<&'static str>) {
    let cache = match Cache::of_user() {
        Ok(cache) => cache,
        Err(why) => return (None, Vec::new(), Some(why)),
    };
    if clear {
        cache.clear();
    }
    let entries = cache.entries().into_iter().map(|entry| (entry.name, entry.bytes)).collect();
    (Some(cache.folder().display().to_string()), entries, None)
}
