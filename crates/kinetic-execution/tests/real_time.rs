//! Real-time privileges on request. Oracle: what `/proc` says of the threads that call the driver, proc(5).
#![cfg(target_os = "linux")]

use std::fs::read_to_string;
use std::sync::{Arc, Mutex};

use kinetic_core::{Clock, StopFlag};
use kinetic_execution::{ExecutionConfig, ExecutionResult, SchedulingPolicy, StopRequest, StopSink};

use crate::support::{Driver, executor, forth, options, simulated_clock};

const PRIORITY: u32 = 20;

/// Policy and priority of the calling thread: 0 is `SCHED_OTHER`, 1 `SCHED_FIFO`.
fn scheduling() -> (u32, u32) {
    let stat = read_to_string("/proc/thread-self/stat").unwrap();
    let fields: Vec<&str> = stat.rsplit(')').next().unwrap().split_whitespace().collect();
    (fields[41 - 3].parse().unwrap(), fields[40 - 3].parse().unwrap())
}

/// Bytes of the process that are not paged out.
fn locked_memory() -> u64 {
    let status = read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find(|line| line.starts_with("VmLck:")).unwrap();
    1024 * line.split_whitespace().nth(1).unwrap().parse::<u64>().unwrap()
}

struct OnStop(Mutex<Vec<(u32, u32)>>);

impl StopSink for OnStop {
    fn stop(&self, _: &StopRequest<'_>) {
        self.0.lock().unwrap().push(scheduling());
    }
}

/// An execution that the watchdog ends, if `blocks`: its result, and how the two threads were scheduled.
fn run(real_time_priority: Option<u32>, blocks: bool) -> (Option<ExecutionResult>, [Vec<(u32, u32)>; 2]) {
    let clock = simulated_clock();
    let commands = Arc::new(Mutex::new(Vec::new()));
    let seen = Arc::clone(&commands);
    let mut driver = Driver::new(&clock, move |number, clock| {
        seen.lock().unwrap().push(scheduling());
        if blocks && number == 10 {
            clock.wait_until(clock.now() + 1.0, &StopFlag::default());
        }
        Ok(())
    });
    let stops = Arc::new(OnStop(Mutex::default()));
    let executor = executor(ExecutionConfig { real_time_priority, ..options() }, &clock).with_stop_sink(stops.clone());
    let result = executor.execute(&forth(), &mut driver);
    let both = [commands.lock().unwrap().clone(), stops.0.lock().unwrap().clone()];
    (result.ok(), both)
}

#[test]
fn waits_of_the_commands_end_without_timer_slack_and_those_of_the_caller_as_before() {
    let before = rustix::thread::current_timer_slack().unwrap();
    let clock = simulated_clock();
    let seen = Arc::new(Mutex::new(Vec::new()));
    let slacks = Arc::clone(&seen);
    let mut driver = Driver::new(&clock, move |_, _| {
        slacks.lock().unwrap().push(rustix::thread::current_timer_slack()?);
        Ok(())
    });
    executor(options(), &clock).execute(&forth(), &mut driver).unwrap();
    // Nanoseconds: 1 is the least there is. Threads of real-time scheduling, as a test under `chrt` has, report 0.
    assert!(seen.lock().unwrap().iter().all(|slack| *slack <= 1), "{seen:?}");
    assert_eq!(rustix::thread::current_timer_slack().unwrap(), before);
}

#[test]
fn nothing_is_requested_without_a_priority() {
    let mine = scheduling();
    let (result, [commands, _]) = run(None, false);
    assert!(commands.iter().all(|seen| *seen == mine), "{commands:?}");
    assert_eq!(result.unwrap().realtime.refused, Vec::<String>::new());
}

#[test]
fn the_result_says_of_the_thread_what_the_system_says() {
    let mine = scheduling();
    let (result, [commands, _]) = run(Some(PRIORITY), false);
    let granted = result.unwrap().realtime;
    let is_refused = |name: &str| granted.refused.iter().any(|reason| reason.starts_with(name));
    let wanted = if is_refused("SCHED_FIFO") { mine } else { (1, PRIORITY) };
    assert!(commands.iter().all(|seen| *seen == wanted), "{granted:?} {commands:?}");
    assert_eq!(granted.priority, wanted.1);
    assert_eq!(granted.scheduling == SchedulingPolicy::Fifo, wanted.0 == 1);
    assert_eq!(granted.locked_memory > 0, locked_memory() > 0);
    assert!(is_refused("locked memory") || granted.locked_memory > 0, "{granted:?}");
    // The thread of the caller is left as it was.
    assert_eq!(scheduling(), mine);
}

#[test]
fn the_watchdog_is_scheduled_before_the_commands() {
    let (_, [commands, watchdog]) = run(Some(PRIORITY), true);
    let one_more = if commands[0].0 == 1 { (1, PRIORITY + 1) } else { commands[0] };
    assert_eq!((commands.len(), watchdog), (11, vec![one_more]));
}
