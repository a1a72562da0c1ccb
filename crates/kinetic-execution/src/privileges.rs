//! What the operating system has granted the thread that sends commands.

/// How the operating system schedules a thread.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum SchedulingPolicy {
    /// Not asked for, or the system does not say.
    #[default]
    Unknown,
    /// Time sharing: no privilege.
    Other,
    /// `SCHED_FIFO`.
    Fifo,
    /// `SCHED_RR`.
    RoundRobin,
    /// `SCHED_DEADLINE`.
    Deadline,
}

/// What was granted: on request ([`real_time_priority`](crate::ExecutionConfig::real_time_priority)), or from outside, for
/// example by `chrt -f 80` or a unit file of systemd.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct RealTimePrivileges {
    /// Scheduling of the thread.
    pub scheduling: SchedulingPolicy,
    /// Its real-time priority, 1 to 99; 0 without.
    pub priority: u32,
    /// Memory of the process that is never paged out, bytes.
    pub locked_memory: u64,
    /// What was requested and refused, and why; empty when nothing was requested, or all was granted.
    pub refused: Vec<String>,
}

impl RealTimePrivileges {
    /// Those of the calling thread; on Linux from `/proc`, elsewhere unknown. Nothing counts as refused.
    pub(crate) fn of_this_thread() -> Self {
        let read = |path: &str| std::fs::read_to_string(path).unwrap_or_default();
        Self::parse(&read("/proc/thread-self/stat"), &read("/proc/thread-self/status"))
    }

    /// From the texts of `/proc/…/stat` and `/proc/…/status`, proc(5).
    fn parse(stat: &str, status: &str) -> Self {
        // The name of the program, in brackets, may hold spaces; what follows begins with the third field.
        let fields: Vec<&str> = stat.rsplit(')').next().unwrap_or_default().split_whitespace().collect();
        let field = |number: usize| fields.get(number - 3).and_then(|field| field.parse::<u32>().ok());
        let scheduling = match field(41) {
            Some(0 | 3 | 5) => SchedulingPolicy::Other,
            Some(1) => SchedulingPolicy::Fifo,
            Some(2) => SchedulingPolicy::RoundRobin,
            Some(6) => SchedulingPolicy::Deadline,
            _ => SchedulingPolicy::Unknown,
        };
        let locked = status.lines().find_map(|line| line.strip_prefix("VmLck:"));
        let kilobytes = locked.and_then(|text| text.trim().trim_end_matches(" kB").parse::<u64>().ok());
        Self {
            scheduling,
            priority: field(40).unwrap_or(0),
            locked_memory: 1024 * kilobytes.unwrap_or(0),
            refused: Vec::new(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn privileges_are_read_from_the_fields_that_the_manual_names() {
        // Of `chrt -f 80 cat /proc/self/stat`, with a name that holds brackets and spaces.
        let before = (4..40).map(|field| field.to_string()).collect::<Vec<_>>().join(" ");
        let stat = format!("7 (a (b) c) S {before} 80 1 0");
        let found = RealTimePrivileges::parse(&stat, "VmPeak:\t 9 kB\nVmLck:\t    64 kB\n");
        let (scheduling, refused) = (SchedulingPolicy::Fifo, Vec::new());
        let wanted = RealTimePrivileges { scheduling, priority: 80, locked_memory: 64 * 1024, refused };
        assert_eq!(found, wanted);
        assert_eq!(RealTimePrivileges::parse("", ""), RealTimePrivileges::default());
    }
}
