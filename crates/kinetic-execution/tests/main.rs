//! Tests of kinetic-execution, on simulated time. Oracles: the trajectory itself, differences of commands, and the times at
//! which a scripted driver was called.
#![allow(clippy::unwrap_used, reason = "tests")]
#![allow(clippy::float_cmp, reason = "what is claimed to be exact is compared exactly")]

mod clocks;
mod config;
mod control;
mod executors;
mod faults;
mod real_time;
mod safety_watchdog;
mod simulated_clock;
mod splices;
mod support;
mod together;
