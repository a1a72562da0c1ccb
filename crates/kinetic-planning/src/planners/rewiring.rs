//! What RRT\* and its bidirectional form share: trees whose edges are rewired, and the search that grows them.

mod connections;
mod domain;
mod extension;
mod search;
mod tree;

pub(super) use self::domain::{check_budget, check_length, default_range};
pub(super) use self::search::{Growth, RewiringMemory, RewiringSetting, search};
