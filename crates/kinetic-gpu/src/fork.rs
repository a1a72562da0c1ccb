//! Which process opened a device. Drivers do not survive `fork`, since their threads stay behind: what waits for them waits for ever.

use std::sync::OnceLock;

/// The process that opened the first device.
static OPENED_BY: OnceLock<u32> = OnceLock::new();

/// Notes that this process opens a device.
pub(crate) fn remember_opener() {
    OPENED_BY.get_or_init(std::process::id);
}

/// Whether this process was forked off from one that had opened a device.
pub(crate) fn is_forked() -> bool {
    OPENED_BY.get().is_some_and(|process| *process != std::process::id())
}
