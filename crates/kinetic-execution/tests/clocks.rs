//! The clock of the machine.

use kinetic_core::{Clock, StopFlag};
use kinetic_execution::{JitterHistogram, MonotonicClock};

#[test]
fn waits_of_the_monotonic_clock_end_at_their_time_or_with_the_flag() {
    let (clock, stop) = (MonotonicClock::default(), StopFlag::default());
    let mut before = clock.now();
    for _ in 0..20 {
        let time = clock.now() + 2e-5;
        assert!(clock.wait_until(time, &stop) && clock.now() >= time && clock.now() >= before);
        before = clock.now();
    }
    assert!(clock.wait_until(-1.0, &stop) && clock.wait_until(f64::NAN, &stop));
    let (flag, waiting) = (stop.clone(), clock.clone());
    let waiter = std::thread::spawn(move || waiting.wait_until(f64::INFINITY, &flag));
    stop.stop();
    waiter.thread().unpark();
    assert!(!waiter.join().unwrap() && !clock.wait_until(0.0, &stop));
}

#[test]
fn bins_of_a_histogram_double_and_the_last_is_open() {
    let empty = JitterHistogram::default();
    assert_eq!((empty.count(), empty.mean(), empty.max(), empty.counts().iter().sum::<u64>()), (0, 0.0, 0.0, 0));
    assert_eq!([0, 1, 10].map(JitterHistogram::upper_edge), [1e-6, 2e-6, 1024e-6]);
    assert_eq!(JitterHistogram::upper_edge(empty.counts().len() - 1), f64::INFINITY);
}
