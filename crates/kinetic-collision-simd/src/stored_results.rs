//! Results that were worked out before: stored with the robot, or kept by an earlier process of the user.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use kinetic_core::{Cache, ContentHash, ContentHasher};
use kinetic_robot::Precomputed;

/// Changes when the same robot would get other results: with every release, and by hand between them.
const ALGORITHM: &str = concat!(env!("CARGO_PKG_VERSION"), " 2");

/// Searches of a process take so long before it says so.
const PATIENCE: Duration = Duration::from_millis(500);

/// What the searches of this process have taken.
static SPENT: Spent = Spent(AtomicU64::new(0));

/// Where results about a robot come from.
#[derive(Debug, Clone, Copy)]
pub struct StoredResults<'a> {
    /// Those that travel with the robot.
    pub precomputed: Option<&'a Precomputed>,
    /// The cache of the user, where there is one.
    pub cache: Option<&'a Cache>,
}

impl<'a> StoredResults<'a> {
    /// For robots that carry `precomputed`.
    pub fn of(precomputed: &'a Precomputed) -> Self {
        Self { precomputed: Some(precomputed), ..Self::of_user() }
    }

    /// What the user has, whatever robot it is about.
    pub fn of_user() -> Self {
        Self { precomputed: None, cache: Cache::of_user().ok() }
    }

    /// The result of a kind that is known and that `read` accepts.
    ///
    /// `key` is a hash of everything that the result depends on but the algorithm. What travels with the robot is of the
    /// algorithm that its robot was released with; what the user keeps is found under this one.
    pub fn get<T>(&self, (kind, key): (&str, ContentHash), read: impl Fn(&[u8]) -> Option<T>) -> Option<T> {
        let stored = self.precomputed.and_then(|stored| stored.get(kind, key)).and_then(&read);
        stored.or_else(|| self.cache?.get(kind, with_algorithm(key)).and_then(|bytes| read(&bytes)))
    }

    /// Keeps a result for later processes.
    pub fn keep(&self, (kind, key): (&str, ContentHash), bytes: &[u8]) {
        if let Some(cache) = self.cache {
            cache.put(kind, with_algorithm(key), bytes);
        }
    }

    /// Works out a result. A process whose searches take long says once where they are kept, as a warning of the crate `log`.
    pub fn find<T>(&self, find: impl FnOnce() -> T) -> T {
        let begin = Instant::now();
        let found = find();
        if SPENT.is_too_much(begin.elapsed()) {
            let later = match self.cache {
                Some(cache) => format!("kept in {} for later", cache.folder().display()),
                None => "not kept for later, since there is no cache folder".to_owned(),
            };
            log::warn!("collision geometry of a robot is worked out, which takes seconds and is {later}");
        }
        found
    }
}

/// Numbers that agree to this have the same hash: far above the rounding of sines on different machines, far below what
/// stored results could notice.
const HASH_RESOLUTION: f64 = 1e-9;

/// A number as a multiple of the resolution of hashes. Infinities saturate; -0 and 0 are the same.
pub fn rounded(value: f64) -> u64 {
    ((value / HASH_RESOLUTION).round() as i64).cast_unsigned()
}

fn with_algorithm(key: ContentHash) -> ContentHash {
    let mut hasher = ContentHasher::default();
    hasher.text(ALGORITHM);
    hasher.hash(key);
    hasher.finish()
}

/// A sum of times, ns.
struct Spent(AtomicU64);

impl Spent {
    /// Adds a time. True when the sum exceeds [`PATIENCE`] with it, and did not before.
    fn is_too_much(&self, time: Duration) -> bool {
        let nanoseconds = |time: Duration| u64::try_from(time.as_nanos()).unwrap_or(u64::MAX);
        let (time, most) = (nanoseconds(time), nanoseconds(PATIENCE));
        let before = self.0.fetch_add(time.min(most + 1), Ordering::Relaxed);
        before <= most && before.saturating_add(time) > most
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_process_is_told_once_that_searches_take_long() {
        let spent = Spent(AtomicU64::new(0));
        let told = |milliseconds| spent.is_too_much(Duration::from_millis(milliseconds));
        assert_eq!([0, 200, 300, 1, 0, 900].map(told), [false, false, false, true, false, false]);
        assert!(Spent(AtomicU64::new(0)).is_too_much(Duration::MAX));
    }
}
