//! Equal work on all processors, with the same result for any number of them.

use std::num::NonZero;
use std::sync::OnceLock;
use std::thread::{available_parallelism, scope};

/// Number of processors. Asking the system takes as long as a thousand configurations.
fn processors() -> usize {
    static PROCESSORS: OnceLock<usize> = OnceLock::new();
    *PROCESSORS.get_or_init(|| available_parallelism().map_or(1, NonZero::get))
}

/// Calls `work(first, share)` for consecutive shares of `out`, which holds `width` values per item; `first` is the number
/// of the share's first item. Shares have at least `least` items: below that a thread costs more than it saves.
///
/// Threads live for one call, so that a forked process can call it too.
pub(crate) fn in_shares<T: Send>(out: &mut [T], width: usize, least: usize, work: impl Fn(usize, &mut [T]) + Sync) {
    let items = out.len() / width;
    if items <= least {
        work(0, out);
        return;
    }
    let per_share = items.div_ceil(processors()).max(least);
    let (own, others) = out.split_at_mut((per_share * width).min(out.len()));
    let work = &work;
    scope(|scope| {
        for (number, share) in others.chunks_mut(per_share * width).enumerate() {
            scope.spawn(move || work((number + 1) * per_share, share));
        }
        work(0, own);
    });
}
