//! Real-time scheduling and locked memory, requested of the operating system.

use crate::privileges::RealTimePrivileges;

/// Requests `SCHED_FIFO` at a priority for the calling thread, and that the memory of the process is not paged out; answers with
/// what the thread has then. Its waits end at their time, with or without a priority.
///
/// Memory that is mapped later is not locked: where the amount is limited, locking it in advance makes allocations fail.
pub(crate) fn request(priority: Option<u32>) -> RealTimePrivileges {
    take_off_timer_slack();
    let refused = priority.map_or_else(Vec::new, |priority| {
        [lock_memory(), schedule(priority)].into_iter().filter_map(Result::err).collect()
    });
    RealTimePrivileges { refused, ..RealTimePrivileges::of_this_thread() }
}

/// Without real-time scheduling Linux may end a wait later by the timer slack of the thread, usually 50 µs, prctl(2).
#[cfg(target_os = "linux")]
fn take_off_timer_slack() {
    // Where it is refused, waits end a little later.
    let _ = rustix::thread::set_current_timer_slack(std::num::NonZeroU64::new(1));
}

#[cfg(not(target_os = "linux"))]
fn take_off_timer_slack() {}

/// `mlockall` with `MCL_CURRENT`.
#[cfg(target_os = "linux")]
fn lock_memory() -> Result<(), String> {
    use rustix::mm::{MlockAllFlags, mlockall};

    let refused =
        |error| format!("locked memory: {error}; it takes CAP_IPC_LOCK, or RLIMIT_MEMLOCK of the process's size");
    mlockall(MlockAllFlags::CURRENT).map_err(refused)
}

/// `pthread_setschedparam` with `SCHED_FIFO`.
#[cfg(target_os = "linux")]
fn schedule(priority: u32) -> Result<(), String> {
    use thread_priority::unix::{set_thread_priority_and_policy, thread_native_id};
    use thread_priority::{Error, RealtimeThreadSchedulePolicy, ThreadPriority, ThreadSchedulePolicy};

    let refused = |reason: String| {
        format!(
            "SCHED_FIFO at priority {priority}: {reason}; it takes CAP_SYS_NICE, or RLIMIT_RTPRIO of at least {priority}"
        )
    };
    let value = u8::try_from(priority).map_err(|error| refused(error.to_string()))?;
    let value = value.try_into().map_err(refused)?;
    let policy = ThreadSchedulePolicy::Realtime(RealtimeThreadSchedulePolicy::Fifo);
    let done = set_thread_priority_and_policy(thread_native_id(), ThreadPriority::Crossplatform(value), policy);
    done.map_err(|error| match error {
        Error::OS(code) => refused(std::io::Error::from_raw_os_error(code).to_string()),
        other => refused(other.to_string()),
    })
}

#[cfg(not(target_os = "linux"))]
fn lock_memory() -> Result<(), String> {
    Err("locked memory: requested on Linux alone".to_owned())
}

#[cfg(not(target_os = "linux"))]
fn schedule(priority: u32) -> Result<(), String> {
    Err(format!("SCHED_FIFO at priority {priority}: requested on Linux alone"))
}
