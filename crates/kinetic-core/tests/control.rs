//! Control of long computations, with a clock that does not wait.

use std::sync::Arc;

use kinetic_core::{Clock, Control, ManualClock, StopFlag, SystemClock};

#[test]
fn a_deadline_ends_the_search_and_says_how_long_it_took() {
    let clock = Arc::new(ManualClock::default());
    clock.advance(5_000_000_000);
    let control = Control::new(clock.clone(), 0.5, u64::MAX, StopFlag::default());
    assert!(!control.is_over(10) && control.check(10).is_ok());
    clock.advance(400_000_000);
    assert!(!control.is_over(10));
    clock.advance(100_000_000);
    assert!(control.is_over(10));
    let error = control.check(10).unwrap_err();
    assert_eq!(error.code(), "PlanningTimeout");
    assert!(error.is_retryable() && error.to_string().contains("0.500 s and 10 iterations"), "{error}");
}

#[test]
fn an_iteration_budget_ends_the_search_at_its_last_iteration() {
    let control = Control::new(Arc::new(ManualClock::default()), f64::INFINITY, 7, StopFlag::default());
    assert!(!control.is_over(6) && control.is_over(7));
    assert_eq!((control.max_iterations(), control.check(7).unwrap_err().code()), (7, "PlanningTimeout"));
}

#[test]
fn a_stop_from_another_thread_cancels() {
    let stop = StopFlag::default();
    let control = Control::new(Arc::new(ManualClock::default()), f64::INFINITY, u64::MAX, stop.clone());
    assert!(!control.is_over(0));
    std::thread::spawn(move || stop.stop()).join().unwrap();
    assert!(control.is_over(0));
    assert_eq!(control.check(3).unwrap_err().code(), "Cancelled");
}

#[test]
fn without_budgets_nothing_ends() {
    let control = Control::default();
    assert!(!control.is_over(u64::MAX - 1) && control.elapsed() >= 0.0);
}

#[test]
fn clocks_never_run_backwards() {
    let system = SystemClock::default();
    let stepped = ManualClock::with_step(1_000);
    let mut last = (0.0, -1.0);
    for _ in 0..1000 {
        let now = (system.now(), stepped.now());
        assert!(now.0 >= last.0 && now.1 > last.1);
        last = now;
    }
    assert!((last.1 - 999e-6).abs() < 1e-12);
}

#[test]
fn a_child_flag_stops_with_its_parent_and_without_it() {
    let parent = StopFlag::default();
    let (first, second) = (parent.child(), parent.child().child());
    first.stop();
    assert_eq!([&parent, &first, &second].map(StopFlag::is_stopped), [false, true, false]);
    parent.clone().stop();
    assert!(second.is_stopped());
}

#[test]
fn a_smaller_budget_of_iterations_keeps_deadline_and_flag() {
    let clock = Arc::new(ManualClock::default());
    let stop = StopFlag::default();
    let control = Control::new(clock.clone(), 1.0, 10, stop.clone());
    let part = control.with_max_iterations(3);
    assert!(!part.is_over(2) && part.is_over(3) && !control.is_over(3));
    assert_eq!(control.with_max_iterations(50).max_iterations(), 10);
    clock.advance(1_000_000_000);
    assert!(part.is_over(0));
    stop.stop();
    assert_eq!(part.error(0).code(), "Cancelled");
}

#[test]
fn the_flag_of_a_control_is_stopped_by_its_deadline_and_tells_that_from_a_stop() {
    let clock = Arc::new(ManualClock::default());
    let stop = StopFlag::default();
    let control = Control::new(clock.clone(), 0.5, u64::MAX, stop.clone());
    clock.advance(200_000_000);
    // Made later, due at the same moment.
    let flag = control.stop_flag();
    clock.advance(299_000_000);
    assert!(!flag.is_stopped());
    clock.advance(1_000_000);
    assert!(flag.is_stopped() && flag.is_out_of_time() && !flag.is_cancelled() && flag.child().is_out_of_time());
    assert!(!stop.is_stopped());
    stop.stop();
    assert!(flag.is_cancelled());
    let endless = Control::new(clock, f64::INFINITY, u64::MAX, StopFlag::default()).stop_flag();
    assert!(!endless.is_stopped());
}

#[test]
fn a_manual_clock_advances_to_the_time_that_is_waited_for() {
    let clock = ManualClock::default();
    let stop = StopFlag::default();
    for cycle in 1..=10_000 {
        let time = f64::from(cycle) * 0.002;
        assert!(clock.wait_until(time, &stop));
        let now = clock.now();
        assert!(now >= time && now - time < 3e-9, "{time} {now}");
    }
    let now = clock.now();
    for passed in [now - 1.0, 0.0, -5.0, f64::NEG_INFINITY, f64::NAN] {
        assert!(clock.wait_until(passed, &stop) && clock.now() == now, "{passed}");
    }
    stop.stop();
    assert!(!clock.wait_until(now + 1.0, &stop) && clock.now() == now);
    assert!(clock.wait_until(f64::INFINITY, &StopFlag::default()));
}

#[test]
fn waiting_ends_at_the_time_or_with_the_flag() {
    let clock = SystemClock::default();
    let stop = StopFlag::default();
    let time = clock.now() + 1e-6;
    assert!(clock.wait_until(time, &stop) && clock.now() >= time);
    assert!(clock.wait_until(f64::NAN, &stop) && clock.wait_until(-1.0, &stop));
    let (flag, waiting) = (stop.clone(), clock.clone());
    let waiter = std::thread::spawn(move || waiting.wait_until(f64::INFINITY, &flag));
    stop.stop();
    waiter.thread().unpark();
    assert!(!waiter.join().unwrap());
    assert!(!clock.wait_until(-1.0, &stop), "the flag is looked at first");
}

#[test]
fn a_share_ends_after_its_part_of_the_time_that_is_left() {
    let clock = Arc::new(ManualClock::with_step(0));
    let control = Control::new(clock.clone(), 10.0, 7, StopFlag::default());
    clock.advance(2_000_000_000);
    let share = control.with_share(4);
    assert_eq!(share.max_iterations(), 7);
    clock.advance(1_900_000_000);
    assert!(!share.is_over(0));
    clock.advance(200_000_000);
    assert!(share.is_over(0) && !control.is_over(0));
    assert!(!Control::default().with_share(3).is_over(0), "no end has no half");
}
