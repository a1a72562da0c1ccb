//! The watchdog of loops that send commands on their own.

use std::sync::{Arc, Mutex};

use kinetic_core::{Clock, StopFlag};
use kinetic_execution::{SafetyWatchdog, SimulatedClock, StopRequest, StopSink, WatchdogAction, WatchdogConfig};

type Asked = Vec<(f64, WatchdogAction, Vec<f64>)>;

struct Stops(Arc<SimulatedClock>, Mutex<Asked>);

impl StopSink for Stops {
    fn stop(&self, request: &StopRequest<'_>) {
        self.1.lock().unwrap().push((self.0.now(), request.action, request.positions.to_vec()));
    }
}

fn wait(clock: &SimulatedClock, seconds: f64) {
    assert!(clock.wait_until(clock.now() + seconds, &StopFlag::default()));
}

#[test]
fn it_fires_once_at_its_time_after_the_last_feed_and_says_so_to_the_next() {
    for action in [WatchdogAction::ZeroVelocity, WatchdogAction::HoldPosition, WatchdogAction::Abort] {
        let clock = SimulatedClock::new();
        let _loop = clock.participate();
        let stops = Arc::new(Stops(Arc::clone(&clock), Mutex::default()));
        let config = WatchdogConfig { timeout_ms: 50.0, action };
        let watchdog = SafetyWatchdog::start_simulated(config, &[0.0], stops.clone(), &clock).unwrap();
        for cycle in 1..=100_u32 {
            wait(&clock, 0.049);
            assert!(watchdog.feed(&[f64::from(cycle)]) && !watchdog.has_fired());
        }
        let last = clock.now();
        wait(&clock, 1.0);
        assert!(watchdog.has_fired() && !watchdog.feed(&[0.0]));
        wait(&clock, 1.0);
        let asked = stops.1.lock().unwrap().clone();
        assert_eq!((asked.len(), asked[0].1, &asked[0].2[..]), (1, action, &[100.0][..]));
        assert!((asked[0].0 - last - 0.05).abs() < 1e-9, "{asked:?} {last}");
    }
}

#[test]
fn one_that_was_dropped_fires_no_more() {
    let clock = SimulatedClock::new();
    let _loop = clock.participate();
    let stops = Arc::new(Stops(Arc::clone(&clock), Mutex::default()));
    let config = WatchdogConfig { timeout_ms: 50.0, action: WatchdogAction::Abort };
    drop(SafetyWatchdog::start_simulated(config, &[0.0], stops.clone(), &clock).unwrap());
    wait(&clock, 10.0);
    assert!(stops.1.lock().unwrap().is_empty());
    let refused = SafetyWatchdog::start(WatchdogConfig { timeout_ms: 0.0, ..config }, &[0.0], stops).err().unwrap();
    assert_eq!(refused.code(), "InvalidValue");
}
