//! Cache of computed results: stored with the robot, or in the cache folder of the user by an earlier process.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use kinetic_core::{Cache, ContentHash, ContentHasher};
use kinetic_robot::Precomputed;

/// Version of the algorithms. It changes with every release, and by hand whenever the same robot would get other results.
const ALGORITHM_VERSION: &str = concat!(env!("CARGO_PKG_VERSION"), " 2");

/// Computing time of a process after which it logs a warning.
const MAX_UNREPORTED_TIME: Duration = Duration::from_millis(500);

/// Computing time of this process so far.
static COMPUTING_TIME: ComputingTime = ComputingTime(AtomicU64::new(0));

/// Sources of results about a robot.
#[derive(Debug, Clone, Copy)]
pub struct StoredResults<'a> {
    /// Results that are stored with the robot.
    pub precomputed: Option<&'a Precomputed>,
    /// The cache of the user, where there is one.
    pub cache: Option<&'a Cache>,
}

impl<'a> StoredResults<'a> {
    /// For a robot that `precomputed` is stored with.
    pub fn of(precomputed: &'a Precomputed) -> Self {
        Self { precomputed: Some(precomputed), ..Self::of_user() }
    }

    /// The cache of the user alone, for any robot.
    pub fn of_user() -> Self {
        Self { precomputed: None, cache: Cache::of_user().ok() }
    }

    /// The stored result of a kind that `read` accepts.
    ///
    /// `key` is a hash of everything that the result depends on except the algorithm. A result that is stored with a
    /// robot belongs to the algorithm that the robot was released with. The user's cache is keyed by the current
    /// algorithm too.
    pub fn get<T>(&self, (kind, key): (&str, ContentHash), read: impl Fn(&[u8]) -> Option<T>) -> Option<T> {
        let stored = self.precomputed.and_then(|stored| stored.get(kind, key)).and_then(&read);
        stored.or_else(|| self.cache?.get(kind, with_algorithm_version(key)).and_then(|bytes| read(&bytes)))
    }

    /// Stores a result for later processes.
    pub fn store(&self, (kind, key): (&str, ContentHash), bytes: &[u8]) {
        if let Some(cache) = self.cache {
            cache.put(kind, with_algorithm_version(key), bytes);
        }
    }

    /// Computes a result. A process that spends long on this logs once where the results are cached, as a warning of
    /// the crate `log`.
    pub fn find<T>(&self, find: impl FnOnce() -> T) -> T {
        let begin = Instant::now();
        let found = find();
        if COMPUTING_TIME.is_too_much(begin.elapsed()) {
            let later = match self.cache {
                Some(cache) => format!("kept in {} for later", cache.folder().display()),
                None => "not kept for later, since there is no cache folder".to_owned(),
            };
            log::warn!("collision geometry of a robot is worked out, which takes seconds and is {later}");
        }
        found
    }
}

/// Numbers are hashed as multiples of this, so that rounding of sines on different machines does not change a key. It
/// is far below any difference that changes a stored result.
const HASH_RESOLUTION: f64 = 1e-9;

/// A number as a multiple of the resolution of hashes. Infinities saturate; -0 and 0 are the same.
pub fn rounded(value: f64) -> u64 {
    ((value / HASH_RESOLUTION).round() as i64).cast_unsigned()
}

fn with_algorithm_version(key: ContentHash) -> ContentHash {
    let mut hasher = ContentHasher::default();
    hasher.text(ALGORITHM_VERSION);
    hasher.hash(key);
    hasher.finish()
}

/// Sum of computing times, ns.
struct ComputingTime(AtomicU64);

impl ComputingTime {
    /// Adds a time. True when the sum exceeds [`MAX_UNREPORTED_TIME`] with it, and did not before.
    fn is_too_much(&self, time: Duration) -> bool {
        let nanoseconds = |time: Duration| u64::try_from(time.as_nanos()).unwrap_or(u64::MAX);
        let (time, most) = (nanoseconds(time), nanoseconds(MAX_UNREPORTED_TIME));
        let before = self.0.fetch_add(time.min(most + 1), Ordering::Relaxed);
        before <= most && before.saturating_add(time) > most
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_process_is_told_once_that_searches_take_long() {
        let spent = ComputingTime(AtomicU64::new(0));
        let told = |milliseconds| spent.is_too_much(Duration::from_millis(milliseconds));
        assert_eq!([0, 200, 300, 1, 0, 900].map(told), [false, false, false, true, false, false]);
        assert!(ComputingTime(AtomicU64::new(0)).is_too_much(Duration::MAX));
    }
}
