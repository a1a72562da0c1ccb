//! Data parallelism over chunks, with the same result for any number of processors.

use std::num::NonZero;
use std::sync::{Mutex, OnceLock, PoisonError};
use std::thread::{available_parallelism, scope};

/// Number of processors. Asking the system takes as long as a thousand configurations.
pub fn processors() -> usize {
    static PROCESSORS: OnceLock<usize> = OnceLock::new();
    *PROCESSORS.get_or_init(|| available_parallelism().map_or(1, NonZero::get))
}

/// Calls `work(first, chunk)` for consecutive chunks of `out`, which holds `width` values per item; `first` is the number
/// of the chunk's first item. A chunk has `items` items, the last perhaps fewer: so many that a thread is worth its cost.
///
/// Threads take the next chunk when they are done with one, so that a busy processor delays nothing. They live for one call,
/// so that a forked process can call it too.
pub fn in_chunks<T: Send>(out: &mut [T], width: usize, items: usize, work: impl Fn(usize, &mut [T]) + Sync) {
    let threads = processors().min(out.len().div_ceil(items * width));
    let chunks = Mutex::new(out.chunks_mut(items * width).enumerate());
    let run = || {
        loop {
            // The lock guards an iterator, which a panic elsewhere leaves intact.
            let next = chunks.lock().unwrap_or_else(PoisonError::into_inner).next();
            let Some((number, chunk)) = next else { break };
            work(number * items, chunk);
        }
    };
    scope(|scope| {
        for _ in 1..threads {
            scope.spawn(run);
        }
        run();
    });
}
