//! Results that were worked out before: stored with the robot, or kept by an earlier process of the user.

use kinetic_core::{Cache, ContentHash, ContentHasher};
use kinetic_robot::Precomputed;

use crate::kept;

/// Where results about a robot come from.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Known<'a> {
    /// Those that travel with the robot.
    pub(crate) precomputed: &'a Precomputed,
    /// The cache of the user, where there is one.
    pub(crate) cache: Option<&'a Cache>,
}

impl<'a> Known<'a> {
    /// For robots that carry `precomputed`.
    pub(crate) fn of(precomputed: &'a Precomputed) -> Self {
        Self { precomputed, cache: Cache::of_user().ok() }
    }

    /// The bytes of a result of a kind: those that are known and that `read` accepts, or else those that `find` works out,
    /// which are kept for later processes.
    ///
    /// `key` is a hash of everything that the result depends on but the algorithm. What travels with the robot is of the
    /// algorithm that its robot was released with; what the user keeps is found under this one.
    pub(crate) fn get_or_find<T>(
        &self,
        (kind, key): (&str, ContentHash),
        read: impl Fn(&[u8]) -> Option<T>,
        find: impl FnOnce() -> (T, Vec<u8>),
    ) -> T {
        if let Some(stored) = self.precomputed.get(kind, key).and_then(&read) {
            return stored;
        }
        let Some(cache) = self.cache else { return find().0 };
        let mut hasher = ContentHasher::default();
        hasher.text(kept::ALGORITHM);
        hasher.hash(key);
        let key = hasher.finish();
        if let Some(kept) = cache.get(kind, key).and_then(|bytes| read(&bytes)) {
            return kept;
        }
        let (found, bytes) = find();
        cache.put(kind, key, &bytes);
        found
    }
}
