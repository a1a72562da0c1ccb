//! Executions on simulated time, and the flag that ends them.

use std::sync::{Arc, Mutex};

use kinetic_core::{Clock, StopFlag};
use kinetic_execution::{
    DriverError, ExecutionState, RealTimeExecutor, SimExecutor, SimulatedClock, StopMode, StopRequest, StopSink,
    TrajectoryExecutor,
};

use crate::support::{PERIOD, forth, options};

/// A driver that counts, with something to do at one command.
fn driver(at: usize, mut act: impl FnMut() + Send) -> impl FnMut(&[f64], &[f64]) -> Result<(), DriverError> + Send {
    let mut number = 0;
    move |_, _| {
        if number == at {
            act();
        }
        number += 1;
        Ok(())
    }
}

fn executor(clock: &Arc<SimulatedClock>) -> RealTimeExecutor {
    RealTimeExecutor::new(options()).unwrap().with_simulated_clock(Arc::clone(clock))
}

#[test]
fn executions_on_one_clock_take_simulated_time_one_after_another() {
    let clock = SimulatedClock::new();
    let instant = SimExecutor::default().execute(&forth()).unwrap();
    for run in 1..=3 {
        let result = executor(&clock).execute(&forth(), &mut driver(0, || ())).unwrap();
        assert_eq!((result.state, result.commands_sent), (ExecutionState::Completed, instant.commands_sent));
        let passed = f64::from(run) * (instant.commands_sent - 1) as f64 * PERIOD;
        assert!((clock.now() - passed).abs() < 1e-9, "{} {passed}", clock.now());
    }
}

/// Keeps when it was called.
struct Times(Arc<SimulatedClock>, Mutex<Vec<f64>>);

impl StopSink for Times {
    fn stop(&self, _: &StopRequest<'_>) {
        self.1.lock().unwrap().push(self.0.now());
    }
}

#[test]
fn the_watchdog_fires_on_simulated_time_while_a_call_lasts() {
    let clock = SimulatedClock::new();
    let stops = Arc::new(Times(Arc::clone(&clock), Mutex::default()));
    let waiting = Arc::clone(&clock);
    let wait = move || assert!(waiting.wait_until(waiting.now() + 5.0, &StopFlag::default()));
    let handle = executor(&clock).with_stop_sink(stops.clone()).start(&forth(), Box::new(driver(200, wait)), None);
    let error = handle.unwrap().join().unwrap_err();
    assert_eq!(error.code(), "CommandTimeout", "{error}");
    // The call begins at 0.4 s and may last 0.1 s; it returns after 5 s.
    let asked = stops.1.lock().unwrap().clone();
    assert!(asked.len() == 1 && (asked[0] - 0.5).abs() < 1e-9, "{asked:?}");
    assert!((clock.now() - 5.4).abs() < 1e-9, "{}", clock.now());
}

#[test]
fn a_flag_ends_an_execution_along_its_path_and_before_the_first_command_without_any() {
    let (clock, stop) = (SimulatedClock::new(), StopFlag::default());
    let executor = executor(&clock).with_stop_flag(stop.clone());
    let raised = stop.clone();
    let result = executor.execute(&forth(), &mut driver(200, move || raised.stop())).unwrap();
    let report = result.stop.unwrap();
    assert_eq!((result.state, report.mode), (ExecutionState::Stopped, StopMode::Path));
    assert!((report.began - 201.0 * PERIOD).abs() < 1e-9, "{report:?}");
    let mut never = driver(0, || panic!("a command"));
    assert_eq!(executor.execute(&forth(), &mut never).unwrap_err().code(), "Aborted");
}
